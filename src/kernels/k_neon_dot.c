/* The narrow table for NEON with sdot: k_neon_narrow.c with the flag for it. */
#include "kernels/k_neon_narrow.c"
