/* What code is made for: a line of targets.def. Schedules are chosen and pruned by it, C is emitted for it. */
#ifndef GALI_COMPILER_TARGET_H
#define GALI_COMPILER_TARGET_H

#include "gallop/base.h"

/* The vocabulary of src/kernels/simd that emitted C is written in. */
typedef enum gali_simd {
    GALI_SIMD_SCALAR,
    GALI_SIMD_AVX2,
    GALI_SIMD_AVX512,
    GALI_SIMD_NEON,
    GALI_SIMD_WASM,
    GALI_SIMD_HVX,    /* plain C, and HVX by intrinsics in a back end of its own (emit/hvx) */
    GALI_SIMD_OPENCL, /* OpenCL C, in a back end of its own (emit/opencl) */
    GALI_SIMD_COUNT
} gali_simd;

typedef struct gali_target {
    const char *name;
    gali_simd simd;
    uint32_t lanes;     /* floats in a vector */
    uint32_t registers; /* vector registers */
    int fma;            /* a b + c is rounded once: the runtime's bits */
    uint32_t flight;    /* sums in flight that keep the FMA units busy */
    uint32_t stream;    /* bytes from beyond the second cache while one FMA is issued */
    uint32_t l1, l2;    /* bytes */
    const char *flags;  /* of gcc and clang */
    const char *meaning;
} gali_target;

extern const gali_target gali_targets[];
extern const uint32_t gali_target_count;

/* The target of that name; "native" is the best of this machine's (as the runtime would choose). NULL, with an error that
 * lists the names, if there is none. */
const gali_target *gali_target_find(const char *name, gal_error *error);

/* The runtime's instruction set of the target's vectors; GAL_ISA_BEST where it has none: of other machines and devices. */
gal_isa gali_target_isa(const gali_target *target);

/* Whether this machine's processor runs the target's code. */
int gali_target_runs_here(const gali_target *target);

#endif
