/* The words of every vocabulary in this build, as functions over arrays; simd_words.c is compiled once for each. */
#ifndef TEST_KERNELS_SIMD_WORDS_H
#define TEST_KERNELS_SIMD_WORDS_H

#include <stdint.h>

#include "gallop/base.h"

enum {
    SIMD_LANES_MOST = 16,
    SIMD_WORDS = 0
#define FLOAT(expression) +1
#define INT(expression) +1
#define MASK(expression) +1
#include "simd_words.def"
#undef FLOAT
#undef INT
#undef MASK
};

/* A vocabulary, or none where `lanes` is 0. */
typedef struct simd_words {
    uint32_t lanes;
    /* out[SIMD_WORDS][SIMD_LANES_MOST] of a, b, c, i, j[SIMD_LANES_MOST]: floats' bits, integers, masks as 1 and 0. */
    void (*run)(const float *a, const float *b, const float *c, const int32_t *i, const int32_t *j,
                int32_t (*out)[SIMD_LANES_MOST]);
    /* a b + c alone. */
    void (*fma)(const float *a, const float *b, const float *c, int32_t *out);
    /* gali_vm_bits, any and all of a mask made of these bits, and the first lane of a. */
    void (*reduce)(uint32_t bits, const float *a, uint32_t *same, int *any, int *all, float *first);
    /* gali_vf_rotate and gali_vf_rotate_twice of the first vector of a. */
    void (*rotate)(const float *a, float *once, float *twice);
} simd_words;

/* That of an instruction set's kernels. */
simd_words simd_words_of(gal_isa isa);

extern const simd_words simd_words_scalar, simd_words_avx2, simd_words_avx512, simd_words_neon;

#endif
