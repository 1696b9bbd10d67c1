/* The narrow table for NEON with sdot: the bytes of k_neon_narrow.c with the flag for it. */
#define GALI_NARROW_BASE &gali_narrow_neon
#define GALI_HAS_WORDS(...)
#define GALI_HAS_FLOATS(...)
#define GALI_HAS_PAIRS(...)
#include "kernels/k_neon_narrow.c"
