/*
 * libxsmm: kernels generated at run time for exactly the shape, on weights packed into panels of 64, 48 or 32
 * outputs ([panel][e][k][width]). Two forms: expand (one kernel call a panel over E (K+1) blend-scaled inputs)
 * and per expert (one call a panel and expert on the raw input, blended while the tile is in L1).
 *
 * libxsmm is column-major: C (m x n) += A (m x k) B (k x n), so m runs along a panel's outputs, n over the
 * characters, and our row-major x and y are its B and C as they are.
 */
#include "peer.h"

#include <libxsmm.h>

typedef struct panels {
    bench_layer layer;
    uint32_t width, count, depth; /* outputs a panel, panels, k of one kernel call */
    int expand;
    float *packed;  /* [panel][expand ? 1 : E][depth][width]; the last panel is narrower, not padded */
    float *scratch; /* expand: z [C][E (K+1)]; per expert: tile [C][width] */
    libxsmm_smmfunction kernel, last; /* full panels and the last one, for the count made ready */
} panels;

static uint32_t panel_width(const panels *p, uint32_t i) {
    const uint32_t left = p->layer.outputs - i * p->width;
    return left < p->width ? left : p->width;
}

/* One panel column: outputs n..n+width of expert e, inputs k, biases as input K. */
static float *pack_expert(const panels *p, float *to, uint32_t n, uint32_t width, uint32_t e) {
    const bench_layer *l = &p->layer;
    const uint32_t rows = l->inputs + (p->expand ? 1 : 0);
    for (uint32_t k = 0; k < rows; k++) {
        for (uint32_t j = 0; j < width; j++) {
            const size_t row = (size_t)e * l->outputs + n + j;
            *to++ = k < l->inputs ? l->weights[row * l->inputs + k] : l->biases[row];
        }
    }
    return to;
}

static void pack(panels *p) {
    float *to = p->packed;
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t e = 0; e < p->layer.experts; e++) {
            to = pack_expert(p, to, i * p->width, panel_width(p, i), e);
        }
    }
}

static void *create(const layer_peer *self, const bench_layer *layer, unsigned variant, uint32_t capacity) {
    static const uint32_t widths[] = {64, 48, 32};
    panels *p = bench_alloc(sizeof *p);
    (void)self;
    p->layer = *layer;
    p->expand = variant % 2 == 0;
    p->width = widths[variant / 2];
    p->count = (layer->outputs + p->width - 1) / p->width;
    p->depth = p->expand ? layer->experts * (layer->inputs + 1) : layer->inputs;
    p->packed = bench_alloc(sizeof(float) * layer->outputs * layer->experts * (layer->inputs + (size_t)1));
    p->scratch = bench_alloc(sizeof(float) * capacity * (p->expand ? p->depth : p->width));
    pack(p);
    return p;
}

static libxsmm_smmfunction dispatch(const panels *p, uint32_t width, uint32_t count) {
    const libxsmm_blasint lda = (libxsmm_blasint)width, ldb = (libxsmm_blasint)p->depth;
    const libxsmm_blasint ldc = (libxsmm_blasint)(p->expand ? p->layer.outputs : width);
    const float alpha = 1, beta = 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    return libxsmm_smmdispatch(lda, (libxsmm_blasint)count, ldb, &lda, &ldb, &ldc, &alpha, &beta, &flags,
                               &prefetch);
}

static void ready(void *layer, uint32_t count) {
    panels *p = layer;
    p->kernel = dispatch(p, p->width, count);
    p->last = dispatch(p, panel_width(p, p->count - 1), count);
}

static void run_expand(panels *p, uint32_t count, const float *blend, const float *x, float *y) {
    const bench_layer *l = &p->layer;
    const float *packed = p->packed;
    epilogue_expand(p->scratch, x, blend, count, l->experts, l->inputs);
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t width = panel_width(p, i);
        (i + 1 == p->count ? p->last : p->kernel)(packed, p->scratch, y + (size_t)i * p->width);
        packed += (size_t)width * p->depth;
    }
    if (l->elu) {
        epilogue_elu(y, (size_t)count * l->outputs);
    }
}

/* y's tile (first: set, else added to) from one expert's finished tile. */
static void add_tile(float *restrict y, const float *restrict tile, const float *restrict bias,
                     const float *blend, const bench_layer *l, uint32_t count, uint32_t width, uint32_t e) {
    for (uint32_t c = 0; c < count; c++) {
        const float w = blend[(size_t)c * l->experts + e];
        float *to = y + (size_t)c * l->outputs;
        const float *from = tile + (size_t)c * width;
        for (uint32_t j = 0; j < width; j++) {
            to[j] = (e ? to[j] : 0) + w * (from[j] + bias[j]);
        }
        if (l->elu && e + 1 == l->experts) {
            epilogue_elu(to, width);
        }
    }
}

static void run_experts(panels *p, uint32_t count, const float *blend, const float *x, float *y) {
    const bench_layer *l = &p->layer;
    const float *packed = p->packed;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t width = panel_width(p, i), n = i * p->width;
        const libxsmm_smmfunction kernel = i + 1 == p->count ? p->last : p->kernel;
        for (uint32_t e = 0; e < l->experts; e++) {
            kernel(packed, x, p->scratch);
            add_tile(y + n, p->scratch, l->biases + (size_t)e * l->outputs + n, blend, l, count, width, e);
            packed += (size_t)width * p->depth;
        }
    }
}

static void run(void *layer, const bench_batch *batch, const float *x, float *y) {
    panels *p = layer;
    (p->expand ? run_expand : run_experts)(p, batch->count, batch->blend, x, y);
}

static void destroy(void *layer) {
    panels *p = layer;
    bench_free(p->packed);
    bench_free(p->scratch);
    bench_free(p);
}

static const char *const names[] = {"expand 64", "expert 64", "expand 48",
                                    "expert 48", "expand 32", "expert 32"};

const layer_peer peer_libxsmm = {.name = "libxsmm",
                                 .variants = 6,
                                 .variant_names = names,
                                 .create = create,
                                 .ready = ready,
                                 .run = run,
                                 .destroy = destroy};
