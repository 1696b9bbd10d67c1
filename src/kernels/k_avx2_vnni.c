/* The narrow table for AVX2 with AVX-VNNI: the integers of k_avx2_narrow.c with the flag for it. */
#define GALI_NARROW_BASE &gali_narrow_avx2
#define GALI_HAS_FLOATS(...)
#define GALI_HAS_PAIRS(...)
#include "kernels/k_avx2_narrow.c"
