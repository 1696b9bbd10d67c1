/* The narrow table for AVX-512 with VNNI: the integers of k_avx512_narrow.c with the flags for it. */
#define GALI_NARROW_BASE &gali_narrow_avx512
#define GALI_HAS_FLOATS(...)
#define GALI_HAS_PAIRS(...)
#include "kernels/k_avx512_narrow.c"
