/* Parts of the kernels of sums: what a sum is (sum.c), and how its kernel is printed (sum_kernel.c). */
#ifndef GALI_COMPILER_EMIT_OPENCL_SUM_H
#define GALI_COMPILER_EMIT_OPENCL_SUM_H

#include "compiler/emit/opencl/plan.h"

/* Axes of a stage that are numbered together, the last one fastest. */
typedef struct gali_sum_axes {
    uint32_t count, axis[GALI_AXES_MAX];
} gali_sum_axes;

typedef struct gali_device_sum {
    gali_device_plan *plan;
    uint32_t index;
    gali_program_stage stage;
    gali_scalar_op op;
    const gali_scalar *left, *right, *term; /* of a product both; term: the whole */
    gali_sum_axes b, m, n, k;
    double most_b, most_m, most_n, most_k; /* at typical sizes */
    int left_along, right_along;           /* what follows each other along k lies side by side */
    gali_device_function left_of, right_of, term_of, finish;
    int finishes;
    gali_tiling tiling; /* of a product */
    uint32_t task;      /* 1 + its number */
} gali_device_sum;

/* Rounds up how many times `side` goes into axes. */
gali_extent gali_sum_rounds(const gali_device_sum *s, const gali_sum_axes *of, uint32_t side);

/* The launch of a product by its tiling, and of a reduction that so many items share. */
void gali_sum_add_tiles(gali_device_sum *s);
void gali_sum_add_shared(gali_device_sum *s, uint32_t items);

#endif
