/* The narrow table for NEON with smmla: the bytes of k_neon_narrow.c with the flags for them. */
#define GALI_NARROW_BASE &gali_narrow_neon_bf16
#define GALI_HAS_WORDS(...)
#define GALI_HAS_FLOATS(...)
#define GALI_HAS_PAIRS(...)
#include "kernels/k_neon_narrow.c"
