/* The machine's limits with 512-bit vectors (AVX-512). */
#define MICRO_NAME avx512
#define MICRO_BYTES 64
#define MICRO_CHAINS 24
#include "roof_micro.inc"
