/* The narrow table for AVX-512 with VNNI: k_avx512_narrow.c with the flags for it. */
#include "kernels/k_avx512_narrow.c"
