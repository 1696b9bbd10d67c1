#include "network/quantise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/narrow.h"

uint32_t gali_quantise_blocks(uint32_t count, uint32_t block) {
    return block ? count / block + (count % block != 0) : 1;
}

float gali_quantise_scale(uint16_t scale) {
    const uint32_t bits = (uint32_t)scale << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The least bfloat16 from value on. */
static uint16_t round_up(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0xffffu) >> 16);
}

const gali_quantise_limit gali_quantise_int8 = {GALI_I8_MOST, INT64_MAX, 8};
const gali_quantise_limit gali_quantise_int16 = {INT16_MAX, GALI_I16_SUM, 0};

/* Rounding adds at most a half to each of a sum. */
static double least_step(const float *weights, uint32_t count, gali_quantise_limit limit) {
    double largest = 0, sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double size = fabs((double)weights[k]);
        largest = size > largest ? size : largest;
        sum += size;
    }
    const double alone = largest / limit.most, together = sum / ((double)limit.sum - 0.5 * count);
    return alone > together ? alone : together;
}

/* To the nearest integer, ties to even; inline, where nearbyint is a call on machines without an instruction for it. */
static double nearest(double value) {
    const double big = 0x1.8p52;
    return value + big - big;
}

/* What rounding with a scale costs, squared. */
static double error_of_scale(const float *weights, uint32_t count, uint16_t scale) {
    const double step = (double)gali_quantise_scale(scale), factor = 1 / step;
    double error = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double off = (double)weights[k] - step * nearest((double)weights[k] * factor);
        error += off * off;
    }
    return error;
}

/* The best of some scales from one on: where a block is short, its errors are few enough for luck to matter. */
static uint16_t best_scale(const float *weights, uint32_t count, uint16_t scale, uint16_t larger) {
    uint16_t best = scale;
    double least = larger ? error_of_scale(weights, count, scale) : 0;
    for (uint16_t i = 1; i <= larger; i++) {
        const double error = error_of_scale(weights, count, (uint16_t)(scale + i));
        best = error < least ? (uint16_t)(scale + i) : best;
        least = error < least ? error : least;
    }
    return best;
}

static int quantise_block(const float *weights, uint32_t count, gali_quantise_limit limit, int16_t *q,
                          uint16_t *scale) {
    const double step = least_step(weights, count, limit);
    *scale = step < (double)GALI_SCALE_LEAST ? 0 : round_up(nextafterf((float)step, INFINITY));
    *scale = *scale ? best_scale(weights, count, *scale, limit.larger) : 0;
    const double factor = *scale ? 1 / (double)gali_quantise_scale(*scale) : 0;
    for (uint32_t k = 0; k < count; k++) {
        const double value = nearest((double)weights[k] * factor);
        q[k] = (int16_t)(value > limit.most ? limit.most : value < -limit.most ? -limit.most : value);
    }
    return step <= (double)GALI_SCALE_MOST / 2;
}

int gali_quantise(const float *weights, uint32_t count, uint32_t block, gali_quantise_limit limit, int16_t *q,
                  uint16_t *scale) {
    const uint32_t size = block ? block : count, blocks = gali_quantise_blocks(count, block);
    int fits = 1;
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t at = b * size, left = count - at;
        fits &= quantise_block(weights + at, left < size ? left : size, limit, q + at, scale + b);
    }
    return fits;
}
