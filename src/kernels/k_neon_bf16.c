/* The narrow table for NEON with sdot and bfloat16: k_neon_narrow.c with the flags for them. */
#define GALI_NARROW_BASE &gali_narrow_neon_dot
#define GALI_HAS_WORDS(...)
#define GALI_HAS_BYTES(...)
#define GALI_HAS_FLOATS(...)
#include "kernels/k_neon_narrow.c"
