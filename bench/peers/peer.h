/*
 * What the bench measures: an engine runs a blended network, y = act(sum_e w[e] (A_e x + b_e)) per layer,
 * for C characters a call.
 *
 * Three levels, each built on the next, so that a peer says only what is its own:
 *     engine        a whole network          (ours, ONNX Runtime, the chain below)
 *     layer_peer    one layer                (Eigen naive, libxsmm, the forms below)   chain.c strings layers
 *     gemm_library  y = x W' on packed W     (OpenBLAS, BLIS, oneDNN, XNNPACK, ...)    forms.c adds the blend
 *
 * A peer with several layouts lists them as variants; chain.c measures all on the very network and count
 * that is about to be timed and keeps the fastest for each layer, so that every peer runs at its best.
 * Nothing is allocated or packed inside run. Matrices are row-major: [rows][columns].
 */
#ifndef GALLOP_BENCH_PEER_H
#define GALLOP_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_LAYERS_MAX = 8, BENCH_EXPERTS_MAX = 16 };

/* One layer; the owner of the network owns the arrays. */
typedef struct bench_layer {
    uint32_t experts, inputs, outputs; /* E, K, N */
    int elu;                           /* 1: ELU (alpha 1), 0: no activation */
    const float *weights;              /* [E][N][K] */
    const float *biases;               /* [E][N] */
} bench_layer;

typedef struct bench_network {
    const char *name;
    uint32_t layer_count, experts;
    uint32_t masked; /* inputs that only the model file has, before the live ones; peers never see them */
    int caller;      /* the caller gives the blend: there is no phase, and ours is handed what the peers are */
    bench_layer layers[BENCH_LAYERS_MAX];
} bench_network;

/* One call. phase and blend say the same thing twice: an engine takes the one it is made for. */
typedef struct bench_batch {
    uint32_t count;        /* C */
    const float *phase;    /* [C] radians; NULL where the caller gives the blend */
    const float *blend;    /* [C][E] */
    const float *x;        /* [C][inputs], live inputs only */
    const float *x_masked; /* [C][masked + inputs]: the raw features as the model file has them */
    float *y;              /* [C][outputs] */
} bench_batch;

typedef struct engine {
    const char *name;
    const char *roof;    /* the instruction set whose limits it is held against (roof.h); NULL: the best */
    double error_limit;  /* of a character's greatest error; 0: the bench's for float32 */
    const void *context; /* the engine's own: a layer_peer, an instruction set, ... */
    const char *(*unavailable)(const struct engine *self); /* NULL: it can run here; else why not */
    void *(*prepare)(const struct engine *self, const bench_network *network, uint32_t capacity);
    void (*ready)(void *state, const bench_batch *batch); /* may be NULL; before a count is timed */
    void (*run)(void *state, const bench_batch *batch);
    const char *(*form)(void *state); /* may be NULL; what ready chose, for the report */
    void (*release)(void *state);
} engine;

typedef struct layer_peer {
    const char *name;
    const char *(*unavailable)(const struct layer_peer *self); /* may be NULL; as in engine */
    unsigned variants;                                         /* >= 1 */
    const char *const *variant_names;                          /* [variants] */
    void *(*create)(const struct layer_peer *self, const bench_layer *layer, unsigned variant,
                    uint32_t capacity);
    void (*ready)(void *layer, uint32_t count); /* may be NULL: code generation for a count */
    /* batch: count, phase and blend; x [C][K] and y [C][N] are the layer's own */
    void (*run)(void *layer, const bench_batch *batch, const float *x, float *y);
    void (*destroy)(void *layer);
    const void *context;
} layer_peer;

typedef struct gemm_library {
    const char *(*unavailable)(void); /* may be NULL */
    void *(*create)(const float *weights /* [outputs][inputs] */, uint32_t outputs, uint32_t inputs,
                    unsigned layout);
    void (*ready)(void *gemm, uint32_t count); /* may be NULL */
    void (*run)(void *gemm, uint32_t count, const float *x /* [C][inputs] */, float *y /* [C][outputs] */);
    void (*destroy)(void *gemm);
} gemm_library;

/* chain.c: the functions of an engine whose context is a layer_peer. */
const char *chain_unavailable(const engine *self);
void *chain_prepare(const engine *self, const bench_network *network, uint32_t capacity);
void chain_ready(void *state, const bench_batch *batch);
void chain_run(void *state, const bench_batch *batch);
const char *chain_form(void *state);
void chain_release(void *state);

#define CHAIN_ENGINE(title, peer)                                                                              \
    {.name = title,                                                                                            \
     .context = peer,                                                                                          \
     .unavailable = chain_unavailable,                                                                         \
     .prepare = chain_prepare,                                                                                 \
     .ready = chain_ready,                                                                                     \
     .run = chain_run,                                                                                         \
     .form = chain_form,                                                                                       \
     .release = chain_release}

/*
 * forms.c: the functions of a layer_peer whose context is a gemm_library with L layouts. Variant v is
 * layout v / 2 in the form v % 2: 0 expand, the textbook Eq. 6: one GEMM with E (K + 1) blend-scaled inputs;
 * 1 wide: one GEMM with E N outputs, blended afterwards.
 */
const char *forms_unavailable(const layer_peer *self);
void *forms_create(const layer_peer *self, const bench_layer *layer, unsigned variant, uint32_t capacity);
void forms_ready(void *layer, uint32_t count);
void forms_run(void *layer, const bench_batch *batch, const float *x, float *y);
void forms_destroy(void *layer);

/*
 * memory.c: memory for peers. 64-byte aligned and zeroed, or the program ends with a word. 2 MB and more start at a
 * 2 MB page and ask for such pages, as ours do, unless this run is on small pages (--small-pages).
 */
int bench_small_pages(void);
void *bench_alloc(size_t bytes);
void bench_free(void *memory);

/* epilogue.c: vectorised helpers that all C peers share. */
void epilogue_elu(float *y, size_t count);
/* z[c] = w[c] (x) (x[c], 1): [C][E * (K + 1)] */
void epilogue_expand(float *z, const float *x, const float *blend, uint32_t count, uint32_t experts,
                     uint32_t inputs);
/* y[c] = act(sum_e w[c][e] (t[c][e] + b[e])) with t [C][E][N] */
void epilogue_blend(float *y, const float *t, const float *blend, const bench_layer *layer, uint32_t count);

/* registry.c: every engine the bench knows; a peer left out of the build says so through unavailable. */
size_t engine_count(void);
const engine *engine_at(size_t i);

#ifdef __cplusplus
}
#endif
#endif
