/*
 * Weights as small integers: w ~ scale q, a scale for each block of weights: the least that keeps q within its limit,
 * or for int8, whose steps are coarse, that of the next few which has the least squared error (a tenth less).
 * Scales are bfloat16, rounded up; q is then rounded to the nearest with the scale that is stored.
 */
#ifndef GALI_NETWORK_QUANTISE_H
#define GALI_NETWORK_QUANTISE_H

#include <stdint.h>

/* Scales of a file: 0, or within these. */
#define GALI_SCALE_LEAST 0x1p-60f
#define GALI_SCALE_MOST 0x1p60f

/* Blocks of `count` weights; block 0: one of all of them. */
uint32_t gali_quantise_blocks(uint32_t count, uint32_t block);

/* What q of a block are bound by: each alone, and their sizes added. larger: scales that are tried after the least. */
typedef struct gali_quantise_limit {
    int32_t most;
    int64_t sum;
    uint16_t larger;
} gali_quantise_limit;

extern const gali_quantise_limit gali_quantise_int8, gali_quantise_int16;

/*
 * Fills q[count] and scale[blocks]. 0 if a weight is too large for the largest scale. Weights under half of the least scale
 * become 0.
 */
int gali_quantise(const float *weights, uint32_t count, uint32_t block, gali_quantise_limit limit, int16_t *q,
                  uint16_t *scale);

/* A bfloat16 as float32. */
float gali_quantise_scale(uint16_t scale);

#endif
