/* The narrow table for NEON with sdot, bfloat16 and smmla: k_neon_narrow.c with the flags for them. */
#include "kernels/k_neon_narrow.c"
