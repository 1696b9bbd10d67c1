/* The narrow table for NEON with sdot and bfloat16: k_neon_narrow.c with the flags for them. */
#include "kernels/k_neon_narrow.c"
