#include "network/reference.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "network/gate.h"

static double activate(gali_activation activation, double x) {
    switch (activation) {
    case GALI_ACTIVATION_RELU:
        return x < 0 ? 0 : x;
    case GALI_ACTIVATION_ELU:
        return x > 0 ? x : expm1(x);
    default:
        return x;
    }
}

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

/* b + A x of one expert's output n. */
static double affine(const gali_model_layer *layer, uint32_t e, uint32_t n, const double *x) {
    size_t row = (size_t)e * layer->outputs + n;
    double sum = (double)gali_model_f32(layer->biases, row);
    for (uint32_t k = 0; k < layer->inputs; k++) {
        sum += (double)gali_model_weight(layer, row * layer->inputs + k) * x[k];
    }
    return sum;
}

static void run_layer(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    static const double one = 1;
    const double *w = layer->experts == 1 ? &one : blend;
    for (uint32_t n = 0; n < layer->outputs; n++) {
        double sum = 0;
        for (uint32_t e = 0; e < layer->experts; e++) {
            if (w[e] != 0) {
                sum += w[e] * affine(layer, e, n, x);
            }
        }
        y[n] = activate(layer->activation, sum);
    }
}

/* z to softmax(z), of which the `top` largest are kept. */
static void softmax(double *z, uint32_t count, uint32_t top) {
    double most = z[0], sum = 0;
    for (uint32_t i = 1; i < count; i++) {
        most = z[i] > most ? z[i] : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        z[i] = exp(z[i] - most);
    }
    double kept[GALI_EXPERTS_MAX];
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
static void gating_blend(const gali_model *model, const float *x, double *before, double *after,
                         double *blend) {
    const gali_gating *gating = &model->gating;
    for (uint32_t k = 0; k < gating->input_count; k++) {
        before[k] = normalised(model, x, gali_model_u32(gating->features, k));
    }
    for (uint32_t i = 0; i < gating->layer_count; i++) {
        run_layer(&gating->layers[i], NULL, before, after);
        double *swap = before;
        before = after;
        after = swap;
    }
    for (uint32_t e = 0; e < model->experts; e++) {
        blend[e] = before[e];
    }
    softmax(blend, model->experts, gating->top);
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

static void run_one(const gali_model *model, const float *x, const double *blend, double *before, double *after,
                    double *y) {
    for (uint32_t k = 0; k < model->inputs; k++) {
        before[k] = normalised(model, x, k);
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        run_layer(&model->layers[i], blend, before, after);
        double *swap = before;
        before = after;
        after = swap;
    }
    for (uint32_t n = 0; n < model->outputs; n++) {
        y[n] = before[n] * (double)gali_model_f32(model->output_std, n) +
               (double)gali_model_f32(model->output_mean, n);
    }
}

static uint32_t widest(const gali_model *model) {
    uint32_t width = model->inputs;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        width = model->layers[i].outputs > width ? model->layers[i].outputs : width;
    }
    for (uint32_t i = 0; i < model->gating.layer_count; i++) {
        width = model->gating.layers[i].outputs > width ? model->gating.layers[i].outputs : width;
    }
    return width;
}

gal_status gali_reference_run(const gali_model *model, uint32_t count, const float *x, const float *gate,
                              double *y, gal_error *error) {
    size_t width = widest(model);
    size_t size = 2 * width * sizeof(double);
    double *buffer = gali_allocate(NULL, size);
    if (!buffer) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the reference run");
    }
    uint32_t gate_width = model->gate == GAL_GATE_CALLER ? model->experts : 1;
    gal_status status = GAL_OK;
    for (uint32_t c = 0; c < count && status == GAL_OK; c++) {
        double blend[GALI_EXPERTS_MAX];
        if (model->gate == GAL_GATE_NETWORK) {
            gating_blend(model, x + (size_t)c * model->inputs, buffer, buffer + width, blend);
        }
        if (model->gate == GAL_GATE_NETWORK || blend_of(model, gate + (size_t)c * gate_width, blend)) {
            run_one(model, x + (size_t)c * model->inputs, blend, buffer, buffer + width,
                    y + (size_t)c * model->outputs);
        } else {
            status = gali_fail(error, GAL_BAD_ARGUMENT, "gate of character %u is not finite", c);
        }
    }
    gali_release(NULL, buffer, size);
    return status;
}
