/* The narrow table for AVX2 with AVX-VNNI: k_avx2_narrow.c with the flag for it. */
#include "kernels/k_avx2_narrow.c"
