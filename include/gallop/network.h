/*
 * Blended networks: dense layers y = act(sum_e w[e] (A_e x + b_e)) and what stands between them (docs/format.md,
 * "LAYR"), one call for any number of characters, each with its own blend w.
 *
 * A network is immutable after it is opened and may be used by any number of threads at once. A run
 * touches only the caller's memory: no allocation, no lock, no system call. Each character's result
 * depends on its own input alone, bit for bit, whatever the count, and is the same on every instruction
 * set (docs/numerics.md).
 */
#ifndef GALLOP_NETWORK_H
#define GALLOP_NETWORK_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gal_network gal_network;

/* What turns a character's phase (or nothing) into its blend; formulas in docs/format.md, "GATE". */
typedef enum gal_gate_kind {
    GAL_GATE_CALLER = 0, /* the caller gives w[E] with each run */
    GAL_GATE_CUBIC,      /* cyclic Catmull-Rom spline over E control points (PFNN: 4) */
    GAL_GATE_LINEAR,     /* linear between E samples of the cycle */
    GAL_GATE_CONSTANT,   /* the nearest sample at or before the phase, of E */
    GAL_GATE_NETWORK,    /* a small network on some of the features, then a softmax (MANN, NSM) */
    GAL_GATE_COUNT
} gal_gate_kind;

/* How a layer with several experts is computed (docs/plan.md). A form rounds in its own way, so it is the
 * caller's choice and never the plan's. */
typedef enum gal_form {
    GAL_FORM_PER_EXPERT = 0, /* sum_e w[e] (b_e + A_e x): the default, the same bits on every machine */
    /* (sum_e w[e] A_e) x, blended in registers: 5/4 of the work for E = 4; the same bits on every machine too, but
     * others than the default's */
    GAL_FORM_BLEND,
    GAL_FORM_COUNT
} gal_form;

/* What a network's layers are computed with (docs/numerics.md). Each has bits of its own, the same on every machine. */
typedef enum gal_precision {
    GAL_PRECISION_STORED = 0, /* float32, whatever float the file stores; its integers run as integers */
    GAL_PRECISION_F32,
    GAL_PRECISION_FP16,     /* float16 weights, float32 inputs */
    GAL_PRECISION_BF16,     /* bfloat16 weights, float32 inputs */
    GAL_PRECISION_BF16_DOT, /* bfloat16 weights and inputs */
    GAL_PRECISION_INT16,    /* int16 weights and inputs, a scale per output and block of inputs */
    GAL_PRECISION_INT8,     /* int8 weights, int16 inputs, likewise; with GAL_BLOCK_ROW as the next */
    GAL_PRECISION_INT8_DOT, /* int8 weights and inputs: up to twice as fast, and poses tremble */
    GAL_PRECISION_COUNT
} gal_precision;

/* "stored", "f32", "fp16", "bf16", "bf16-dot", "int16", "int8", "int8-dot"; never NULL. */
GAL_API const char *gal_precision_name(gal_precision precision);

/* gal_network_desc.block: one scale for all inputs of an output. */
#define GAL_BLOCK_ROW 0xffffffffu

/* gal_network_desc.plan: time the panel widths on this machine, some 20 ms at opening for 9 MB of weights. */
#define GAL_PLAN_MEASURE "measure"

/* How to open a network. Zero-initialise; zero means the default. */
typedef struct gal_network_desc {
    uint32_t struct_size;           /* sizeof(gal_network_desc), or 0 for this version's */
    const gal_allocator *allocator; /* NULL: the C library; copied */
    gal_isa isa;                    /* GAL_ISA_BEST: what the machine can do */
    gal_form form;                  /* of every layer that has several experts */
    /* NULL: from a table; GAL_PLAN_MEASURE; or a text of gal_network_plan_text for the same network and ISA.
     * Changes speed, never results. */
    const char *plan;
    /* 0: a network of 2 MB or more asks the system for 2 MB pages (Linux, madvise; up to a sixth more memory): a
     * quarter to a third less time where weights come from memory. Only in memory of the C library: where an
     * allocator's lies is the caller's to say. 1: does not ask. */
    uint32_t small_pages;
    /* Of every dense layer but the gate's; weights are rounded at opening where the file has others. Not with the blend
     * form. */
    gal_precision precision;
    /* Of integers, if asked for: inputs that share a scale, a multiple of 16 up to 512; 0: as the file stores them, else
     * 32 for int8 and int8-dot, 96 for int16; for the former two also GAL_BLOCK_ROW. */
    uint32_t block;
} gal_network_desc;

/*
 * Reads the network of a model file, folds its normalisation and packs its weights for this machine.
 * *out is owned by the caller and closed with gal_network_close; it is NULL on failure. desc and error
 * may be NULL. Errors: GAL_IO, GAL_BAD_DATA, GAL_NO_MEMORY, GAL_UNSUPPORTED (the ISA asked for), GAL_BAD_ARGUMENT (a value
 * of the desc or of GALLOP_ISA that is none, two that do not go together, a plan that is not for this network, with its line).
 */
GAL_API gal_status gal_network_open(gal_network **out, const char *path, const gal_network_desc *desc,
                                    gal_error *error);

/* The same from size bytes at data (any alignment), which are not needed after the call. */
GAL_API gal_status gal_network_open_memory(gal_network **out, const void *data, size_t size,
                                           const gal_network_desc *desc, gal_error *error);

/* Frees the network. NULL is allowed. No run may be under way. */
GAL_API void gal_network_close(gal_network *network);

/* Facts of an open network. */
typedef struct gal_network_info {
    uint32_t inputs;      /* length of x */
    uint32_t outputs;     /* length of y */
    uint32_t live_inputs; /* inputs left after folding constant and masked ones away */
    uint32_t layers;
    gal_gate_kind gate;
    uint32_t experts;        /* E of the gate; length of a caller-given blend */
    uint64_t parameters;     /* weights and biases of all experts, as folded */
    size_t memory;           /* bytes the network holds, weights included */
    gal_isa isa;             /* the kernels in use */
    gal_precision precision; /* of the layer with the most weights */
} gal_network_info;

GAL_API gal_network_info gal_network_get_info(const gal_network *network);

/*
 * How the network runs, as text: a line for the machine, one for each layer. Writes what fits into
 * buffer[size], terminated; returns the length of the whole text (buffer may be NULL for size 0).
 */
GAL_API size_t gal_network_plan_text(const gal_network *network, char *buffer, size_t size);

/*
 * Bytes of workspace that a run of up to capacity characters needs; 0 if that overflows size_t. The
 * workspace must be aligned to 64 bytes, holds nothing between runs, and serves one run at a time.
 */
GAL_API size_t gal_network_workspace_size(const gal_network *network, uint32_t capacity);

/* One run. Zero-initialise. */
typedef struct gal_network_batch {
    uint32_t count;  /* characters C, 0..capacity of the workspace */
    const float *x;  /* [C][inputs], raw features */
    size_t x_stride; /* floats between rows of x; 0: inputs */
    /* [C] radians, any finite value (wrapped to [0, 2 pi)); NULL unless the gate is a phase gate */
    const float *phase;
    /* [C][experts], finite; NULL unless the gate is GAL_GATE_CALLER, and there for a network of one expert: 1 */
    const float *blend;
    float *y;                     /* [C][outputs], raw features; must not overlap x */
    size_t y_stride;              /* floats between rows of y; 0: outputs */
    const gal_parallel *parallel; /* NULL: the calling thread */
} gal_network_batch;

/*
 * Runs the network. GAL_BAD_ARGUMENT, with nothing written to y, if a phase or a blend is not finite, a needed pointer is
 * NULL, a stride is shorter than its row or the workspace is not aligned; GAL_NO_MEMORY if workspace_size is less than the
 * count needs. Non-finite x gives non-finite y for that character alone. error may be NULL.
 */
GAL_API gal_status gal_network_run(const gal_network *network, const gal_network_batch *batch, void *workspace,
                                   size_t workspace_size, gal_error *error);

/*
 * What runs a network in gal_network_run's place, such as a device: the same arguments and errors, without a workspace. A
 * failure leaves y undefined. Used by one thread at a time.
 *
 * A pipelined runner has start and finish, too (both, or neither): start begins what run does and returns, finish, given the
 * same batch, waits and fills y. The batch's arrays may change between the two, since start has read x, phase and blend
 * when it returns. One batch is under way at a time: another start or run abandons it, whose finish then fails with
 * GAL_BAD_ARGUMENT. It need not be finished.
 */
typedef struct gal_network_runner {
    gal_status (*run)(void *context, const gal_network_batch *batch, gal_error *error);
    void *context;
    gal_status (*start)(void *context, const gal_network_batch *batch, gal_error *error);
    gal_status (*finish)(void *context, const gal_network_batch *batch, gal_error *error);
} gal_network_runner;

#ifdef __cplusplus
}
#endif
#endif
