/* What simd/avx2_gemm.h and simd/avx512_gemm.h have in common where there is VNNI, whatever the vector's width. */
#ifndef GALI_SIMD_VNNI_GEMM_H
#define GALI_SIMD_VNNI_GEMM_H

typedef struct gali_gx {
    const unsigned char *words;
    int is_signed; /* a constant, once all is inlined */
} gali_gx;

static inline gali_gw gali_gw_load(const unsigned char *p) {
    return gali_vi_load(p);
}

static inline gali_gx gali_gx_load(const unsigned char *p) {
    return (gali_gx){p, 0};
}

static inline gali_gx gali_gx_rows(const unsigned char *first, const unsigned char *second) {
    (void)second;
    return (gali_gx){first, 1};
}

static inline gali_gword gali_gx_word(gali_gx x, uint32_t i) {
    const gali_vi word = gali_vi_broadcast(x.words + 4 * i);
    return x.is_signed ? gali_gx_turn(word) : word;
}

static inline gali_gs gali_gs_dot(gali_gs sum, gali_gw w, gali_gword x) {
    return gali_vi_dot8(sum, w, x);
}

#endif
