/*
 * A program for a device: OpenCL C, and the launches that run it.
 *
 *     plan.c      launches, one after the other: a kernel for each stage
 *     product.c   stages that are blended products, as kernels of tiles
 *     body/       what is not printed: products (product.cl, row.cl), scalars (scalars.cl)
 *
 * A stage is a kernel of an item for each element of its tensor, printed from its loops (loop/print_c.h). Products of rows
 * with constant weights, blended over experts or not, have kernels of their own: tiles of many rows, or rows one by one where
 * they are few. What finishes such a sum is printed as any stage and called inside.
 *
 * Invariant: launches stand in an order in which each reads what earlier ones wrote; one reads or writes a tensor in its
 * type's order, back to back.
 */
#ifndef GALI_COMPILER_EMIT_OPENCL_PLAN_H
#define GALI_COMPILER_EMIT_OPENCL_PLAN_H

#include "compiler/lower/lower.h"
#include "graph/text.h"

enum {
    GALI_LAUNCHES_OF_STAGE = 5, /* for different counts of rows, and what finishes */
    GALI_LAUNCH_NAME_MAX = 24,
    GALI_LAUNCH_ARGUMENTS_MAX = GALI_LOOP_BUFFERS_MAX + 16,
    GALI_LAUNCH_GROUP = 256, /* items of a group that makes elements one by one */
    GALI_ROW_OUTPUTS = 8,    /* of a group, of products of few rows */
};

typedef enum gali_launch_shape {
    GALI_LAUNCH_ITEMS, /* an item for each element */
    GALI_LAUNCH_TILES, /* a group for each tile of rows and outputs */
    GALI_LAUNCH_ROWS,  /* a group for each row and GALI_ROW_OUTPUTS outputs */
} gali_launch_shape;

/* Rows and outputs of a group, inputs that stand in local memory at a time; rows and outputs of an item, multiples of 4. */
typedef struct gali_tiling {
    uint32_t rows, outputs, depth, row_registers, output_registers;
} gali_tiling;

typedef enum gali_argument_kind {
    GALI_ARGUMENT_COUNT,  /* u32: elements of the launch (ITEMS), or its rows */
    GALI_ARGUMENT_SYMBOL, /* u32: a size */
    GALI_ARGUMENT_TENSOR,
    GALI_ARGUMENT_PACKED, /* a constant that only a device has */
} gali_argument_kind;

typedef struct gali_argument {
    gali_argument_kind kind;
    uint32_t number;
} gali_argument;

typedef struct gali_launch {
    char name[GALI_LAUNCH_NAME_MAX];
    gali_launch_shape shape;
    gali_extent count;    /* elements, or rows */
    int64_t least, most;  /* the counts for which it is the one that runs */
    uint32_t group;       /* items of a group */
    uint32_t rows, tiles; /* of a group; groups side by side that make a row */
    uint32_t argument_count;
    gali_argument argument[GALI_LAUNCH_ARGUMENTS_MAX];
} gali_launch;

typedef struct gali_packed {
    float *data; /* in the arena */
    size_t count;
} gali_packed;

/* What a plan is made for. */
typedef struct gali_device {
    uint32_t group_most;       /* items of a group */
    uint32_t local_bytes;      /* of a group */
    const gali_tiling *tiling; /* of all products; NULL: by rules */
} gali_device;

typedef struct gali_device_plan {
    gali_program *program;
    gali_device device;
    gali_text source;
    uint32_t launch_count, packed_count;
    gali_launch *launches;
    gali_packed *packed;
} gali_device_plan;

/*
 * The plan of a program that is fused and has ranges, in whose arena it lies but for its source, which is released with
 * gali_text_release. The program's stages are changed: it is of no other use afterwards. Errors: GAL_UNSUPPORTED (branches,
 * loops and calls between stages, elements that the device's words lack, a stage past a limit of loops), GAL_NO_MEMORY.
 */
gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program, const gali_device *device,
                                 gal_error *error);

/* Whether a tiling can be: it divides into items and fits into the device. */
int gali_tiling_fits(const gali_tiling *tiling, uint32_t experts, const gali_device *device);

/* ---- for product.c ---- */

/* A launch of a function of an item (of what `lowered` reads), for at least so many elements. */
void gali_device_add_items(gali_device_plan *plan, uint32_t stage, const char *function,
                           const gali_lowered *lowered, int64_t least);

/* A launch to be filled, and the buffers and sizes of a lowered stage as its arguments, of those that it has not. */
gali_launch *gali_device_add_launch(gali_device_plan *plan, const char *stem);
void gali_device_add_argument(gali_launch *launch, gali_argument_kind kind, uint32_t number);
void gali_device_add_arguments(gali_launch *launch, const gali_lowered *lowered);

/* A stage as a function of an item, called `name`; lowered says what it reads. */
gal_status gali_device_add_function(gali_device_plan *plan, uint32_t stage, const char *name,
                                    gali_lowered *lowered, gal_error *error);

/* ", uint32_t characters, __global const float *tx_0" of a lowered function; or the names alone. */
void gali_device_add_list(gali_text *to, const gali_lowered *lowered, int declare);

/* The launches of stage `index`, if it is a product; none if a later one takes it in: *found is 1 for both. */
gal_status gali_device_add_product(gali_device_plan *plan, uint32_t index, int *found, gal_error *error);

#endif
