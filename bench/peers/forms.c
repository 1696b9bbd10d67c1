/*
 * A blended layer out of one plain GEMM, in the two forms any library can run: expand (the input is
 * scaled by each blend coefficient, biases ride along as an input that is 1) and wide (all experts'
 * outputs side by side, blended afterwards). Both do E C K N multiply-adds and read the weights once.
 */
#include "peer.h"

#include <string.h>

typedef struct form {
    const gemm_library *library;
    bench_layer layer;
    int wide;
    void *gemm;
    float *scratch; /* expand: z [C][E (K+1)]; wide: t [C][E][N] */
} form;

const char *forms_unavailable(const layer_peer *self) {
    const gemm_library *library = self->context;
    return library->unavailable ? library->unavailable() : NULL;
}

/* [N][E (K+1)]: row n holds, per expert, A_e's row and its bias. */
static float *stack_rows(const bench_layer *layer) {
    const size_t inputs = layer->inputs, outputs = layer->outputs, row = inputs + 1;
    float *stacked = bench_alloc(sizeof(float) * outputs * layer->experts * row);
    for (size_t n = 0; n < outputs; n++) {
        for (size_t e = 0; e < layer->experts; e++) {
            float *to = stacked + (n * layer->experts + e) * row;
            memcpy(to, layer->weights + (e * outputs + n) * inputs, sizeof(float) * inputs);
            to[inputs] = layer->biases[e * outputs + n];
        }
    }
    return stacked;
}

static void create_expand(form *f, unsigned layout, uint32_t capacity) {
    const bench_layer *layer = &f->layer;
    const uint32_t inputs = layer->experts * (layer->inputs + 1);
    float *stacked = stack_rows(layer);
    f->gemm = f->library->create(stacked, layer->outputs, inputs, layout);
    f->scratch = bench_alloc(sizeof(float) * capacity * inputs);
    bench_free(stacked);
}

static void create_wide(form *f, unsigned layout, uint32_t capacity) {
    const bench_layer *layer = &f->layer;
    const uint32_t outputs = layer->experts * layer->outputs;
    f->gemm = f->library->create(layer->weights, outputs, layer->inputs, layout);
    f->scratch = bench_alloc(sizeof(float) * capacity * outputs);
}

void *forms_create(const layer_peer *self, const bench_layer *layer, unsigned variant, uint32_t capacity) {
    form *f = bench_alloc(sizeof *f);
    f->library = self->context;
    f->layer = *layer;
    f->wide = variant % 2 != 0;
    (f->wide ? create_wide : create_expand)(f, variant / 2, capacity);
    return f;
}

void forms_ready(void *layer, uint32_t count) {
    form *f = layer;
    if (f->library->ready) {
        f->library->ready(f->gemm, count);
    }
}

void forms_run(void *layer, const bench_batch *batch, const float *x, float *y) {
    form *f = layer;
    const uint32_t count = batch->count;
    const bench_layer *l = &f->layer;
    if (f->wide) {
        f->library->run(f->gemm, count, x, f->scratch);
        epilogue_blend(y, f->scratch, batch->blend, l, count);
        return;
    }
    epilogue_expand(f->scratch, x, batch->blend, count, l->experts, l->inputs);
    f->library->run(f->gemm, count, f->scratch, y);
    if (l->elu) {
        epilogue_elu(y, (size_t)count * l->outputs);
    }
}

void forms_destroy(void *layer) {
    form *f = layer;
    f->library->destroy(f->gemm);
    bench_free(f->scratch);
    bench_free(f);
}
