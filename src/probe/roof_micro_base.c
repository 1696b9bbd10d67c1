/* The machine's limits with 128-bit vectors: NEON on arm; elsewhere SSE2, without a fused multiply-add. */
#define MICRO_NAME base
#define MICRO_BYTES 16
#define MICRO_CHAINS 12
#include "roof_micro.inc"
