#include "network/reference.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernels/ref/activate.h"
#include "network/gate.h"
#include "network/layer.h"

static double normalised(const gali_model *model, const float *x, uint32_t k) {
    double mean = (double)gali_model_f32(model->input_mean, k);
    double value = (double)x[k];
    switch (gali_model_u32(model->input_state, k)) {
    case GALI_INPUT_MASKED:
        return 0;
    case GALI_INPUT_CONSTANT:
        value = (double)gali_model_f32(model->input_constant, k);
        break;
    default:
        break;
    }
    return (value - mean) / (double)gali_model_f32(model->input_std, k);
}

/* What a list of layers is run in: the values of one character one after another, then a layer's input. */
typedef struct values {
    double *all, *joined;
} values;

static double *value_of(const gali_layer_list *list, const values *v, uint32_t value) {
    double *at = v->all;
    for (uint32_t i = 0; i < value; i++) {
        at += gali_layer_value_width(list, i);
    }
    return at;
}

/* Value 0 is there; returns the last one. */
static const double *run_layers(const gali_layer_list *list, const double *blend, const values *v) {
    for (uint32_t i = 0; i < list->count; i++) {
        const gali_model_layer *layer = &list->layers[i];
        double *to = v->joined, *y = value_of(list, v, i + 1);
        for (uint32_t s = 0; s < gali_layer_source_count(layer); s++) {
            gali_source source = gali_layer_source(list, i, s);
            memcpy(to, value_of(list, v, source.value) + source.first, source.count * sizeof *to);
            to += source.count;
        }
        gali_layer_ops_of(layer->kind)->truth(layer, blend, v->joined, y);
        gali_activate_truth(layer->activation, (double)layer->slope, y, layer->outputs);
    }
    return value_of(list, v, list->count);
}

/* softmax(z), of which the `top` largest are kept. */
static void choose(double *z, uint32_t count, uint32_t top) {
    gali_activate_truth(GALI_ACTIVATION_SOFTMAX, 0, z, count);
    double kept[GALI_EXPERTS_MAX], sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < count; j++) {
            before += z[j] > z[i] || (j < i && !(z[j] < z[i]));
        }
        kept[i] = top == 0 || before < top ? z[i] : 0;
        sum += kept[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        z[i] = kept[i] / sum;
    }
}

/* The gating network's blend, from the raw features. */
static void gating_blend(const gali_model *model, const float *x, const values *v, double *blend) {
    const gali_layer_list list = gali_layer_list_gate(&model->gating);
    for (uint32_t k = 0; k < list.width; k++) {
        v->all[k] = normalised(model, x, gali_model_u32(model->gating.features, k));
    }
    const double *z = run_layers(&list, NULL, v);
    memcpy(blend, z, model->experts * sizeof *blend);
    choose(blend, model->experts, model->gating.top);
}

/* The full blend [E] of one character of a given or a phase gate; 0 where a gate value is not finite. */
static int blend_of(const gali_model *model, const float *gate, double blend[GALI_EXPERTS_MAX]) {
    uint32_t given = model->gate == GAL_GATE_CALLER ? model->experts : 1;
    for (uint32_t i = 0; i < given; i++) {
        if (!isfinite(gate[i])) {
            return 0;
        }
        blend[i] = (double)gate[i];
    }
    if (model->gate != GAL_GATE_CALLER) {
        uint32_t expert[GALI_SPLINE_SLOTS];
        double weight[GALI_SPLINE_SLOTS];
        gali_gate_phase(model->gate, model->experts, *gate, expert, weight);
        for (uint32_t e = 0; e < model->experts; e++) {
            blend[e] = 0;
        }
        for (uint32_t s = 0; s < gali_gate_slots(model->gate, model->experts); s++) {
            blend[expert[s]] += weight[s];
        }
    }
    return 1;
}

static void run_one(const gali_model *model, const float *x, const double *blend, const values *v, double *y) {
    const gali_layer_list list = gali_layer_list_main(model);
    for (uint32_t k = 0; k < model->inputs; k++) {
        v->all[k] = normalised(model, x, k);
    }
    const double *last = run_layers(&list, blend, v);
    for (uint32_t n = 0; n < model->outputs; n++) {
        y[n] = last[n] * (double)gali_model_f32(model->output_std, n) +
               (double)gali_model_f32(model->output_mean, n);
    }
}

/* Doubles of all values of a list, and of its widest input. */
static size_t values_of(const gali_layer_list *list) {
    size_t all = list->width;
    for (uint32_t i = 0; i < list->count; i++) {
        all += list->layers[i].outputs;
    }
    return all;
}

static size_t widest_input(const gali_layer_list *list) {
    size_t most = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        most = list->layers[i].inputs > most ? list->layers[i].inputs : most;
    }
    return most;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Memory of a run, released with its size; NULL: there is none. */
static double *take_values(const gali_model *model, values *v, size_t *size) {
    const gali_layer_list list = gali_layer_list_main(model), gating = gali_layer_list_gate(&model->gating);
    const size_t all = larger(values_of(&list), values_of(&gating));
    *size = (all + larger(widest_input(&list), widest_input(&gating))) * sizeof(double);
    v->all = gali_allocate(NULL, *size);
    v->joined = v->all ? v->all + all : NULL;
    return v->all;
}

/* The blend of a character, of whatever gate; 0 where a gate value is not finite. */
static int make_blend(const gali_model *model, const float *x, const float *gate, const values *v,
                      double *blend) {
    if (model->gate == GAL_GATE_NETWORK) {
        gating_blend(model, x, v, blend);
        return 1;
    }
    return blend_of(model, gate, blend);
}

gal_status gali_reference_run(const gali_model *model, uint32_t count, const float *x, const float *gate,
                              double *y, gal_error *error) {
    values v;
    size_t size;
    double *buffer = take_values(model, &v, &size);
    if (!buffer) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the reference run");
    }
    const size_t gate_width = model->gate == GAL_GATE_CALLER    ? model->experts
                              : model->gate == GAL_GATE_NETWORK ? 0
                                                                : 1;
    gal_status status = GAL_OK;
    for (uint32_t c = 0; c < count && status == GAL_OK; c++) {
        double blend[GALI_EXPERTS_MAX];
        const float *own = x + (size_t)c * model->inputs;
        if (make_blend(model, own, gate ? gate + c * gate_width : NULL, &v, blend)) {
            run_one(model, own, blend, &v, y + (size_t)c * model->outputs);
        } else {
            status = gali_fail(error, GAL_BAD_ARGUMENT, "gate of character %u is not finite", c);
        }
    }
    gali_release(NULL, buffer, size);
    return status;
}

gal_status gali_reference_blend(const gali_model *model, const float *x, const float *gate, double *blend,
                                gal_error *error) {
    values v;
    size_t size;
    double *buffer = take_values(model, &v, &size);
    if (!buffer) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the reference run");
    }
    const int made = make_blend(model, x, gate, &v, blend);
    gali_release(NULL, buffer, size);
    return made ? GAL_OK : gali_fail(error, GAL_BAD_ARGUMENT, "the gate is not finite");
}
