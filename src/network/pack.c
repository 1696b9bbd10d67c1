#include "network/pack.h"

#include <math.h>

#include "base/error.h"
#include "base/size.h"
#include "network/pack_sparse.h"
#include "network/sparse.h"

const gali_model_layer *gali_pack_layer_of(const gali_pack_source *source) {
    return &source->list.layers[source->index];
}

gali_plan_layer gali_pack_shape(const gali_pack_source *source) {
    const gali_model_layer *layer = gali_pack_layer_of(source);
    return (gali_plan_layer){
        .kind = layer->kind,
        .inputs = source->live ? source->live_count : layer->inputs,
        .outputs = layer->outputs,
        .experts = layer->experts,
        .precision = source->precision,
    };
}

enum { TOGETHER_LEAST = 16 }; /* characters: two or three tiles */

/* Inputs of a panel; of a sparse layer of a middling one. */
static size_t inputs_of(const gali_packed_layer *layer) {
    const size_t patches = layer->sparse ? layer->count.patches / layer->panels : 0;
    return layer->sparse ? patches * GALI_PATCH_INPUTS : layer->inputs;
}

/* Bytes of an expert's part of the widest panel. */
static size_t expert_size(const gali_packed_layer *layer, const gali_kernels *kernels) {
    size_t width = (size_t)layer->width * kernels->lanes * gali_precision_bytes(layer->precision);
    return gali_size_mul(inputs_of(layer) + 1, width);
}

uint32_t gali_pack_together(const gali_packed_layer *layer, const gali_kernels *kernels, size_t l2) {
    size_t panel = gali_size_mul(expert_size(layer, kernels), layer->experts);
    return panel <= l2 ? UINT32_MAX : TOGETHER_LEAST;
}

uint32_t gali_pack_reach(const gali_packed_layer *layer, const gali_kernels *kernels, size_t l2) {
    size_t size = expert_size(layer, kernels), most = size ? l2 / 2 / size : 0;
    return most < layer->experts ? (uint32_t)most : layer->experts;
}

gali_packed_layer gali_pack_planned(const gali_plan_layer *plan, const gali_kernels *kernels) {
    gali_packed_layer packed = {
        .kind = plan->kind,
        .experts = plan->experts,
        .inputs = plan->inputs,
        .outputs = plan->outputs,
        .rows = plan->rows,
        .width = plan->vectors,
        .precision = plan->precision,
        .form = plan->form,
    };
    if (gali_layer_has_panels(plan->kind)) {
        packed.vectors = (plan->outputs + kernels->lanes - 1) / kernels->lanes;
        packed.panels = (packed.vectors + plan->vectors - 1) / plan->vectors;
        packed.sparse = gali_plan_is_sparse(plan);
        packed.vectors = packed.sparse ? packed.panels * plan->vectors : packed.vectors;
    }
    return packed;
}

uint32_t gali_pack_value_feature(const gali_pack_source *source, uint32_t i) {
    return source->features ? gali_model_u32(source->features, i) : i;
}

uint32_t gali_pack_feature(const gali_pack_source *source, uint32_t k) {
    gali_source slice = gali_layer_source(&source->list, source->index, 0);
    for (uint32_t i = 1; k >= slice.count; i++) {
        k -= slice.count;
        slice = gali_layer_source(&source->list, source->index, i);
    }
    return gali_pack_value_feature(source, slice.first + k);
}

int gali_pack_is_live(const gali_model *model, const gali_pack_source *source, uint32_t k) {
    return gali_model_u32(model->input_state, gali_pack_feature(source, k)) == GALI_INPUT_LIVE;
}

/* Weights and biases of an output of a layer without panels. */
static size_t row_floats(const gali_packed_layer *layer) {
    size_t columns = gali_layer_columns(layer->kind, layer->inputs);
    return columns ? columns + 1 : 0;
}

size_t gali_pack_floats(const gali_packed_layer *layer, const gali_kernels *kernels) {
    if (!gali_layer_has_panels(layer->kind)) {
        return gali_size_mul(layer->outputs, row_floats(layer));
    }
    size_t width = gali_size_mul(layer->vectors, kernels->lanes);
    if (layer->sparse) {
        size_t rows = gali_size_add(layer->panels, gali_size_mul(layer->count.patches, GALI_PATCH_INPUTS));
        return gali_size_mul(gali_size_mul(layer->experts, rows), (size_t)layer->width * kernels->lanes);
    }
    return gali_size_mul(gali_size_mul(layer->experts, gali_size_add(layer->inputs, 1)), width);
}

uint64_t gali_pack_parameters(const gali_packed_layer *layer, const gali_kernels *kernels) {
    if (layer->sparse) {
        const uint64_t patch = (uint64_t)GALI_PATCH_INPUTS * layer->width * kernels->lanes;
        return layer->experts * (layer->outputs + layer->count.patches * patch);
    }
    uint64_t row = gali_layer_has_panels(layer->kind) ? layer->inputs + (uint64_t)1 : row_floats(layer);
    return (uint64_t)layer->experts * layer->outputs * row;
}

uint32_t gali_pack_panel_start(const gali_packed_layer *layer, uint32_t panel) {
    return (uint32_t)((uint64_t)layer->vectors * panel / layer->panels);
}

/* Rows of the packed weights of one expert before a panel's, of a sparse layer: a bias and its patches' inputs each. */
static size_t rows_before(const gali_packed_layer *layer, uint32_t panel) {
    return panel + (size_t)layer->starts[panel].patches * GALI_PATCH_INPUTS;
}

gali_panel gali_pack_panel(const gali_packed_layer *layer, uint32_t panel, uint32_t expert,
                           const gali_kernels *kernels) {
    uint32_t start = gali_pack_panel_start(layer, panel);
    uint32_t vectors = gali_pack_panel_start(layer, panel + 1) - start;
    uint32_t first = start * kernels->lanes;
    uint32_t width = vectors * kernels->lanes, left = layer->outputs - first;
    const size_t all = (size_t)layer->inputs + 1;
    const size_t before = layer->sparse ? vectors * rows_before(layer, panel) : start * all;
    const size_t rows = layer->sparse ? rows_before(layer, panel + 1) - rows_before(layer, panel) : all;
    return (gali_panel){
        .weights = layer->weights + kernels->lanes * (before * layer->experts + vectors * rows * expert),
        .inputs = (uint32_t)(rows - 1),
        .patches = layer->sparse ? layer->patches + layer->starts[panel].patches : NULL,
        .vectors = vectors,
        .rows = vectors < layer->width
                    ? 0
                    : layer->rows, /* a narrower one takes what its width has registers for */
        .experts = layer->form == GAL_FORM_BLEND ? layer->experts : 1,
        .first = first,
        .outputs = left < width ? left : width,
        .ahead = layer->ahead,
        .activation = layer->activation == GALI_ACTIVATION_SOFTMAX ? GALI_ACTIVATION_NONE : layer->activation,
        .slope = layer->slope,
    };
}

/* A source with the model that its normalisation comes from. */
typedef struct fold {
    const gali_pack_source *source;
    const gali_model *model;
} fold;

static double scale_of(const fold *f, uint32_t n) {
    return f->source->scale_output ? (double)gali_model_f32(f->model->output_std, n) : 1.0;
}

static double weight_of(const fold *f, uint32_t e, uint32_t n, uint32_t k) {
    const gali_model_layer *layer = gali_pack_layer_of(f->source);
    return (double)gali_model_weight(layer, ((size_t)e * layer->outputs + n) * layer->inputs + k);
}

/* What input k adds to the bias: the constant part of A (x - mean) / std. */
static double shift_of(const fold *f, uint32_t k) {
    uint32_t feature = gali_pack_feature(f->source, k);
    double mean = (double)gali_model_f32(f->model->input_mean, feature);
    double std = (double)gali_model_f32(f->model->input_std, feature);
    switch (gali_model_u32(f->model->input_state, feature)) {
    case GALI_INPUT_MASKED:
        return 0;
    case GALI_INPUT_CONSTANT:
        return ((double)gali_model_f32(f->model->input_constant, feature) - mean) / std;
    default:
        return -mean / std;
    }
}

/* The first input from k on of which output n has a weight. */
static uint32_t next_input(const gali_model_layer *layer, uint32_t n, uint32_t k) {
    return layer->kind == GALI_LAYER_SPARSE ? gali_sparse_next(layer, n, k) : k;
}

static float bias_of(const fold *f, uint32_t e, uint32_t n) {
    const gali_model_layer *layer = gali_pack_layer_of(f->source);
    double bias = (double)gali_model_f32(layer->biases, (size_t)e * layer->outputs + n);
    uint32_t k = f->source->live ? next_input(layer, n, 0) : layer->inputs;
    for (; k < layer->inputs; k = next_input(layer, n, k + 1)) {
        bias += weight_of(f, e, n, k) * shift_of(f, k);
    }
    bias *= scale_of(f, n);
    return (float)(bias + (f->source->shift_output ? (double)gali_model_f32(f->model->output_mean, n) : 0.0));
}

static float folded_weight(const fold *f, uint32_t e, uint32_t n, uint32_t i, double scale) {
    const uint32_t *live = f->source->live;
    uint32_t k = live ? live[i] : i;
    double weight = weight_of(f, e, n, k) * scale;
    uint32_t feature = live ? gali_pack_feature(f->source, k) : 0;
    return (float)(live ? weight / (double)gali_model_f32(f->model->input_std, feature) : weight);
}

/* The input of row k of a panel; UINT32_MAX: none, its weights are zeros. */
static uint32_t row_input(const gali_panel *panel, uint32_t k) {
    if (!panel->patches) {
        return k;
    }
    const uint32_t start = panel->patches[k / GALI_PATCH_INPUTS], input = start + k % GALI_PATCH_INPUTS;
    return input < gali_pack_patch_own(start) ? UINT32_MAX : input;
}

/* One output's column of one expert's panel: its bias, then its weights. Returns whether all are finite. */
static int pack_column(const fold *f, const gali_panel *panel, uint32_t e, uint32_t n, float *column,
                       size_t stride) {
    float value = bias_of(f, e, n);
    const double scale = scale_of(f, n);
    int finite = isfinite(value);
    column[0] = value;
    for (uint32_t k = 0; k < panel->inputs; k++) {
        const uint32_t input = row_input(panel, k);
        value = input == UINT32_MAX ? 0 : folded_weight(f, e, n, input, scale);
        finite &= isfinite(value);
        column[((size_t)k + 1) * stride] = value;
    }
    return finite;
}

static void clear_column(uint32_t inputs, float *column, size_t stride) {
    for (size_t k = 0; k <= inputs; k++) {
        column[k * stride] = 0;
    }
}

static gal_status pack_panel(const fold *f, const gali_panel *panel, float *weights, uint32_t expert,
                             const gali_kernels *kernels, gal_error *error) {
    uint32_t width = panel->vectors * kernels->lanes;
    size_t stride = (size_t)width * panel->experts;
    for (uint32_t i = 0; i < width; i++) {
        if (i >= panel->outputs) {
            clear_column(panel->inputs, weights + i, stride);
        } else if (!pack_column(f, panel, expert, panel->first + i, weights + i, stride)) {
            return gali_fail(error, GAL_BAD_DATA,
                             "%s: layer %u, expert %u, output %u: too large for float32 with the normalisation",
                             f->source->list.tag, f->source->index, expert, panel->first + i);
        }
    }
    return GAL_OK;
}

gali_pack_outside gali_pack_scales_outside(const gali_model *model) {
    const gali_model_layer *last = &model->layers[model->layer_count - 1];
    int activated = last->activation != GALI_ACTIVATION_NONE || !gali_layer_has_panels(last->kind);
    int plain = last->experts == 1;
    return (gali_pack_outside){activated, activated || (model->gate == GAL_GATE_CALLER && !plain)};
}

/* A layer without panels: its weights and biases as they are. */
static void pack_rows(const gali_model_layer *layer, float *weights) {
    size_t count = (size_t)layer->outputs * gali_layer_columns(layer->kind, layer->inputs);
    for (size_t i = 0; i < count; i++) {
        weights[i] = gali_model_weight(layer, i);
    }
    for (uint32_t n = 0; n < layer->outputs && count; n++) {
        weights[count + n] = gali_model_f32(layer->biases, n);
    }
}

gal_status gali_pack_layer(const gali_packed_layer *shape, const gali_pack_source *source,
                           const gali_model *model, const gali_kernels *kernels, float *weights,
                           gal_error *error) {
    fold f = {source, model};
    gali_packed_layer packed = *shape;
    packed.weights = weights;
    if (!gali_layer_has_panels(shape->kind)) {
        pack_rows(gali_pack_layer_of(source), weights);
    }
    for (uint32_t p = 0; p < packed.panels; p++) {
        for (uint32_t e = 0; e < packed.experts; e++) {
            int blended = packed.form == GAL_FORM_BLEND;
            gali_panel panel = gali_pack_panel(&packed, p, blended ? 0 : e, kernels);
            size_t start = (size_t)(panel.weights - packed.weights);
            start += blended ? (size_t)e * panel.vectors * kernels->lanes : 0;
            gal_status status = pack_panel(&f, &panel, weights + start, e, kernels, error);
            if (status != GAL_OK) {
                return status;
            }
        }
    }
    return GAL_OK;
}
