/* The machine's limits with 256-bit vectors (AVX2 and FMA). */
#define MICRO_NAME avx2
#define MICRO_BYTES 32
#define MICRO_CHAINS 12
#include "roof_micro.inc"
