/* One vocabulary's words: compiled with SIMD_HEADER, its header, SIMD_NAME and the flags of its instruction set. */
#include SIMD_HEADER

#include "kernels/body/elementary.inc"

#include "simd_words.h"

static void run(const float *a_in, const float *b_in, const float *c_in, const int32_t *i_in,
                const int32_t *j_in, int32_t (*out)[SIMD_LANES_MOST]) {
    for (uint32_t k = 0; k < SIMD_LANES_MOST; k += GALI_LANES) {
        const gali_vf a = gali_vf_load(a_in + k), b = gali_vf_load(b_in + k), c = gali_vf_load(c_in + k);
        const gali_vi i = gali_vi_load(i_in + k), j = gali_vi_load(j_in + k);
        const gali_vm m = gali_vm_less(b, c), n = gali_vm_less_int(j, i);
        uint32_t at = 0;
#define FLOAT(expression) gali_vi_store(out[at++] + k, gali_vf_bits(expression));
#define INT(expression) gali_vi_store(out[at++] + k, expression);
#define MASK(expression)                                                                                       \
    gali_vi_store(out[at++] + k, gali_vi_select(expression, gali_vi_set(1), gali_vi_set(0)));
#include "simd_words.def"
#undef FLOAT
#undef INT
#undef MASK
    }
}

static void fma_alone(const float *a, const float *b, const float *c, int32_t *out) {
    for (uint32_t k = 0; k < SIMD_LANES_MOST; k += GALI_LANES) {
        gali_vf sum = gali_vf_fma(gali_vf_load(a + k), gali_vf_load(b + k), gali_vf_load(c + k));
        gali_vi_store(out + k, gali_vf_bits(sum));
    }
}

static void reduce(uint32_t bits, const float *a, uint32_t *same, int *any, int *all, float *first) {
    gali_vm mask = gali_vm_from_bits(bits);
    *same = gali_vm_bits(mask);
    *any = gali_vm_any(mask);
    *all = gali_vm_all(mask);
    *first = gali_vf_first(gali_vf_load(a));
}

static void rotate(const float *a, float *once, float *twice) {
    gali_vf_store(once, gali_vf_rotate(gali_vf_load(a)));
    gali_vf_store(twice, gali_vf_rotate_twice(gali_vf_load(a)));
}

const simd_words SIMD_NAME = {GALI_LANES, run, fma_alone, reduce, rotate};
