/*
 * A program for a device: OpenCL C, and the launches that run it.
 *
 *     plan.c      launches, one after the other: a kernel for each stage; where tensors and constants lie
 *     product.c   stages that are blended products, as kernels of tiles
 *     sum.c       all other products, convolutions among them, as kernels of tiles; reductions that items share
 *     emit.c      a plan as C that any host builds
 *     body/       what is not printed: products (product.cl, row.cl, tile.cl), reductions (shared.cl), scalars (scalars.cl),
 *                 the host's side (host.inc)
 *
 * A stage is a kernel of an item for each element of its tensor, printed from its loops (loop/print_c.h). Products of rows
 * with constant weights, blended over experts or not, have kernels of their own: tiles of many rows, or rows one by one where
 * they are few. What finishes such a sum is printed as any stage and called inside.
 *
 * There are two pieces of memory: of constants, and of all else. In the latter tensors lie as place.c has them, behind
 * these the inputs, then the outputs. A kernel's first two parameters are the two, then launch->argument, all of them u32.
 *
 * Invariant: launches stand in an order in which each reads what earlier ones wrote; one reads or writes a tensor in its
 * type's order, back to back.
 */
#ifndef GALI_COMPILER_EMIT_OPENCL_PLAN_H
#define GALI_COMPILER_EMIT_OPENCL_PLAN_H

#include "base/embedded.h"
#include "compiler/lower/lower.h"
#include "graph/text.h"

enum {
    GALI_LAUNCHES_OF_STAGE = 5, /* for different counts of rows, and what finishes */
    GALI_LAUNCH_NAME_MAX = 24,
    GALI_LAUNCH_ARGUMENTS_MAX = 2 * GALI_LOOP_BUFFERS_MAX,
    GALI_LAUNCH_GROUP = 256, /* items of a group that makes elements one by one */
    GALI_ROW_OUTPUTS = 8,    /* of a group, of products of few rows */
    GALI_DEVICE_UNIT = 64,   /* bytes: where a tensor or a constant begins is told in these */
    GALI_DEVICE_EXTENTS_MAX = 1024,
};

typedef enum gali_launch_shape {
    GALI_LAUNCH_ITEMS, /* an item for each element */
    GALI_LAUNCH_TILES, /* a group for each tile of rows and outputs */
    GALI_LAUNCH_ROWS,  /* a group for each row and GALI_ROW_OUTPUTS outputs */
    GALI_LAUNCH_SUMS,  /* as many groups as `groups` says */
} gali_launch_shape;

/*
 * Rows and outputs of a group, inputs that stand in local memory at a time; rows and outputs of an item, multiples of 4; items
 * that share the inputs of an element, each with local memory of its own.
 */
typedef struct gali_tiling {
    uint32_t rows, outputs, depth, row_registers, output_registers, parts;
} gali_tiling;

typedef enum gali_argument_kind {
    GALI_ARGUMENT_COUNT,    /* elements of the launch (ITEMS), or its rows */
    GALI_ARGUMENT_SYMBOL,   /* a size: its symbol */
    GALI_ARGUMENT_TENSOR,   /* where that tensor begins */
    GALI_ARGUMENT_CONSTANT, /* where a constant begins: this is it */
    GALI_ARGUMENT_EXTENT,   /* the plan's extent of that number */
} gali_argument_kind;

typedef struct gali_argument {
    gali_argument_kind kind;
    uint32_t number;
} gali_argument;

typedef struct gali_launch {
    char name[GALI_LAUNCH_NAME_MAX];
    gali_launch_shape shape;
    uint32_t stage;       /* of the program */
    gali_extent count;    /* elements, or rows */
    gali_extent groups;   /* SUMS */
    int64_t least, most;  /* the counts for which it is the one that runs */
    uint32_t group;       /* items of a group */
    uint32_t rows, tiles; /* of a group; groups side by side that make a row */
    uint32_t argument_count;
    gali_argument argument[GALI_LAUNCH_ARGUMENTS_MAX];
} gali_launch;

/* What a plan is made for. */
typedef struct gali_device_limits {
    uint32_t group_most;       /* items of a group */
    uint32_t local_bytes;      /* of a group */
    const gali_tiling *tiling; /* of all products; NULL: by rules */
    int half_weights;          /* those of products are float16 */
    uint32_t cores;            /* that work side by side; 0: as many as a large device has */
    const int64_t *typical;    /* [symbols] sizes to choose by; NULL: by the program's ranges */
} gali_device_limits;

typedef struct gali_device_plan {
    gali_program *program;
    gali_device_limits device;
    gali_text source, weights;
    uint32_t launch_count;
    gali_launch *launches;
    struct gali_device_shared *shared; /* what stands in the source */
    uint32_t *constant_at;             /* [tensors] 1 + where a constant begins; 0: no kernel reads it */
    uint32_t functions;                /* printed so far */
    uint32_t extent_count;
    gali_extent extents[GALI_DEVICE_EXTENTS_MAX]; /* that kernels are told */
} gali_device_plan;

/*
 * The plan of a program that is fused and has ranges, in whose arena it lies but for its texts. The program's stages are
 * changed: it is of no other use afterwards. Errors: GAL_UNSUPPORTED (branches, loops and calls between stages, elements
 * that the device's words lack, a stage past a limit of loops, a weight past float16's range), GAL_NO_MEMORY. Released in any case.
 */
gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program,
                                 const gali_device_limits *device, gal_error *error);
void gali_device_plan_release(gali_device_plan *plan);

/*
 * Where tensors begin with these sizes, in units: at[tensors], 0 of those that have no memory. Returns how many units the
 * memory has; 0: a tensor is too large for indices of 32 bits, or there is no memory here.
 */
uint64_t gali_device_plan_places(const gali_device_plan *plan, const int64_t *symbols, uint32_t *at);

/* Whether a tiling can be of a product: it divides into items, its parts divide the depth, and it fits into the device. */
int gali_tiling_fits(const gali_tiling *tiling, uint32_t experts, uint32_t inputs,
                     const gali_device_limits *device);

/* ---- for product.c and sum.c ---- */

/* Before a kernel's own parameters. */
#define GALI_DEVICE_MEMORY "__global uchar *memory, __global const uchar *restrict weights, uint32_t count"

/* What a printed function is for. */
typedef enum gali_device_form {
    GALI_DEVICE_ITEM, /* NAME(item, ..) stores an element */
    GALI_DEVICE_AXES, /* NAME(axes.., ..) stores an element */
    GALI_DEVICE_TERM, /* NAME(axes.., ..) returns it */
} gali_device_form;

/* A function of the source, and what it reads; a kernel's parameters for it begin with `prefix`, which tells functions apart. */
typedef struct gali_device_function {
    gali_device_form form;
    const char *prefix, *name;
    gali_lowered lowered;
} gali_device_function;

/*
 * The name under which that text stands already; or NULL, and it is kept under `name`, which lies in the arena. So stages that
 * compute the same, as a transformer's layers do, have one kernel.
 */
const char *gali_device_share(gali_device_plan *plan, const gali_text *text, const char *name);

/* A launch to be filled, and the buffers and sizes of a function as its arguments, of those that it has not. */
gali_launch *gali_device_add_launch(gali_device_plan *plan, const char *stem, uint32_t stage);
void gali_device_add_argument(gali_launch *launch, gali_argument_kind kind, uint32_t number);
void gali_device_add_arguments(gali_device_plan *plan, gali_launch *launch,
                               const gali_device_function *function);

/* A launch of a function of an item, for so many elements. */
void gali_device_add_items(gali_device_plan *plan, uint32_t stage, const gali_device_function *function,
                           int64_t least, int64_t most);

/*
 * A stage of a program, the plan's own or one that shares its tensors, as a function of function->form, or one that is there
 * and computes the same.
 */
gal_status gali_device_add_function(gali_device_plan *plan, gali_program *program, uint32_t stage,
                                    gali_device_function *function, gal_error *error);

/* ", uint32_t characters, uint32_t at_tx_0" of a function's parameters; or ", characters, (__global const float *)(..)". */
void gali_device_add_list(gali_text *to, const gali_device_function *function, int declare);

/* The number of an extent as an argument. */
uint32_t gali_device_extent(gali_device_plan *plan, gali_extent extent);

/* The product of extents. */
gali_extent gali_device_product_of(const gali_device_plan *plan, const gali_extent *extents, uint32_t count);

/*
 * Appends a kernel of the launch's name: "#define"s, which are ended, then the body, and an "#undef" of each; or gives the
 * launch the name of one that is there and has the same.
 */
void gali_device_add_kernel(gali_device_plan *plan, gali_launch *launch, gali_text *macros,
                            const gali_embedded *body);

/* Room for a constant of the device's own, and where it begins; NULL without memory. */
void *gali_device_add_constant(gali_device_plan *plan, size_t bytes, uint32_t *at);

/* The stage reads what its sums' kernel wrote, adds `start` (NULL: nothing), and finishes it. */
void gali_device_make_finish(gali_program *program, gali_program_stage *stage, gali_scalar_op op,
                             const gali_scalar *start);

/* The launches of stage `index`, if it is a product; none if a later one takes it in: *found is 1 for both. */
gal_status gali_device_add_product(gali_device_plan *plan, uint32_t index, int *found, gal_error *error);

/* The launches of stage `index`, if it reduces much: *found is 1 then. */
gal_status gali_device_add_sum(gali_device_plan *plan, uint32_t index, int *found, gal_error *error);

#endif
