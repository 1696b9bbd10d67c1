/*
 * Ours. The network goes through the whole road that a user's goes: written as a model file (cubic phase
 * gate, unit normalisation, masked inputs where the network has some), read back, folded, packed. A run starts
 * from raw features and phases, so the gate and the gathering of live inputs are inside the time.
 */
#include "ours.h"

#include "network/model.h"

#include <stdio.h>
#include <stdlib.h>

const gal_network_desc ours_default = {0};
const gal_network_desc ours_tuned = {.plan = GAL_PLAN_MEASURE};
const gal_network_desc ours_blend = {.form = GAL_FORM_BLEND};
const gal_network_desc ours_avx2 = {.isa = GAL_ISA_AVX2};
const gal_network_desc ours_int16 = {.precision = GAL_PRECISION_INT16};
const gal_network_desc ours_int8 = {.precision = GAL_PRECISION_INT8};
const gal_network_desc ours_int8_dot = {.precision = GAL_PRECISION_INT8_DOT};
const gal_network_desc ours_int8_row = {.precision = GAL_PRECISION_INT8, .block = GAL_BLOCK_ROW};
const gal_network_desc ours_tuned_int16 = {.precision = GAL_PRECISION_INT16, .plan = GAL_PLAN_MEASURE};
const gal_network_desc ours_tuned_int8 = {.precision = GAL_PRECISION_INT8, .plan = GAL_PLAN_MEASURE};
const gal_network_desc ours_tuned_int8_row = {
    .precision = GAL_PRECISION_INT8, .block = GAL_BLOCK_ROW, .plan = GAL_PLAN_MEASURE};
const gal_network_desc ours_bf16 = {.precision = GAL_PRECISION_BF16};
const gal_network_desc ours_bf16_dot = {.precision = GAL_PRECISION_BF16_DOT};
const gal_network_desc ours_fp16 = {.precision = GAL_PRECISION_FP16};
const gal_network_desc ours_avx2_int16 = {.isa = GAL_ISA_AVX2, .precision = GAL_PRECISION_INT16};
const gal_network_desc ours_avx2_int8 = {.isa = GAL_ISA_AVX2, .precision = GAL_PRECISION_INT8};
const gal_network_desc ours_scalar = {.isa = GAL_ISA_SCALAR};

typedef struct ours {
    gal_network *network;
    void *workspace;
    size_t workspace_size;
} ours;

/* The arrays that a model points to, kept until it is written. */
typedef struct norms {
    float *mean, *one;
    uint32_t *state;
    float *first; /* first layer's weights with columns for the masked inputs */
} norms;

const char *ours_unavailable(const engine *self) {
    const gal_isa isa = ((const gal_network_desc *)self->context)->isa;
    return isa == GAL_ISA_BEST || gal_isa_available(isa) ? NULL : "not on this machine";
}

static void die(const char *what, const gal_error *error) {
    fprintf(stderr, "bench: %s: %s\n", what, error->message);
    exit(1);
}

/* [E][N][masked + K] from [E][N][K]; the masked columns hold ones, so that using them would show. */
static float *with_masked(const bench_network *network) {
    const bench_layer *l = &network->layers[0];
    const size_t row = (size_t)network->masked + l->inputs, rows = (size_t)l->experts * l->outputs;
    float *wide = bench_alloc(sizeof(float) * rows * row);
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < row; k++) {
            wide[r * row + k] = k < network->masked ? 1.0f : l->weights[r * l->inputs + k - network->masked];
        }
    }
    return wide;
}

static void make_norms(norms *n, const bench_network *network, gali_model *model) {
    const size_t most = model->inputs > model->outputs ? model->inputs : model->outputs;
    n->mean = bench_alloc(sizeof(float) * most);
    n->one = bench_alloc(sizeof(float) * most);
    n->state = bench_alloc(sizeof(uint32_t) * most);
    n->first = with_masked(network);
    for (size_t i = 0; i < most; i++) {
        n->one[i] = 1;
        n->state[i] = i < network->masked ? GALI_INPUT_MASKED : GALI_INPUT_LIVE;
    }
    model->input_mean = model->output_mean = model->input_constant = n->mean;
    model->input_std = model->output_std = n->one;
    model->input_state = n->state;
    model->layers[0].weights = n->first;
}

static void free_norms(norms *n) {
    bench_free(n->mean);
    bench_free(n->one);
    bench_free(n->state);
    bench_free(n->first);
}

static void describe(gali_model *model, const bench_network *network) {
    const uint32_t last = network->layer_count - 1;
    *model = (gali_model){.gate = network->caller ? GAL_GATE_CALLER : GAL_GATE_CUBIC,
                          .experts = network->experts,
                          .layer_count = network->layer_count};
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const bench_layer *l = &network->layers[i];
        model->layers[i] = (gali_model_layer){.kind = GALI_LAYER_DENSE,
                                              .activation = l->elu ? GALI_ACTIVATION_ELU : GALI_ACTIVATION_NONE,
                                              .experts = l->experts,
                                              .inputs = l->inputs + (i == 0 ? network->masked : 0),
                                              .outputs = l->outputs,
                                              .weight_type = GALI_WEIGHT_F32,
                                              .weights = l->weights,
                                              .biases = l->biases};
    }
    model->inputs = model->layers[0].inputs;
    model->outputs = model->layers[last].outputs;
}

void *ours_bytes(const bench_network *network, size_t *size) {
    gali_model *model = bench_alloc(sizeof *model);
    norms n;
    describe(model, network);
    make_norms(&n, network, model);
    *size = gali_model_write_size(model);
    void *bytes = bench_alloc(*size);
    gali_model_write(model, bytes);
    free_norms(&n);
    bench_free(model);
    return bytes;
}

static gal_network *open_network(const bench_network *network, const gal_network_desc *desc) {
    gal_error error = {GAL_OK, ""};
    gal_network *opened = NULL;
    size_t size;
    void *bytes = ours_bytes(network, &size);
    if (gal_network_open_memory(&opened, bytes, size, desc, &error) != GAL_OK) {
        die("gal_network_open_memory", &error);
    }
    bench_free(bytes);
    return opened;
}

void *ours_prepare(const engine *self, const bench_network *network, uint32_t capacity) {
    ours *o = bench_alloc(sizeof *o);
    gal_network_desc desc = *(const gal_network_desc *)self->context;
    desc.small_pages = bench_small_pages() != 0;
    o->network = open_network(network, &desc);
    o->workspace_size = gal_network_workspace_size(o->network, capacity);
    o->workspace = bench_alloc(o->workspace_size);
    return o;
}

void ours_run(void *state, const bench_batch *batch) {
    const ours *o = state;
    gal_error error = {GAL_OK, ""};
    const gal_network_batch run = {.count = batch->count,
                                   .x = batch->x_masked,
                                   .phase = batch->phase,
                                   .blend = batch->blend,
                                   .y = batch->y};
    if (gal_network_run(o->network, &run, o->workspace, o->workspace_size, &error) != GAL_OK) {
        die("gal_network_run", &error);
    }
}

void ours_release(void *state) {
    ours *o = state;
    gal_network_close(o->network);
    bench_free(o->workspace);
    bench_free(o);
}
