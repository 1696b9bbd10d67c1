/* The narrow table for AVX-512 with VNNI and BF16: k_avx512_narrow.c with the flags for them. */
#include "kernels/k_avx512_narrow.c"
