/* The narrow table for AVX-512 with VNNI and BF16: the pairs of k_avx512_narrow.c with the flags for them. */
#define GALI_NARROW_BASE &gali_narrow_avx512_vnni
#define GALI_HAS_WORDS(...)
#define GALI_HAS_BYTES(...)
#define GALI_HAS_FLOATS(...)
#include "kernels/k_avx512_narrow.c"
