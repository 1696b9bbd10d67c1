/* What units make of bytes, in plain C: [channels][lines][width], every sum by its definition. */
#ifndef TEST_COMPILER_HVX_REFERENCE_H
#define TEST_COMPILER_HVX_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "compiler/emit/hvx/region.h"

static int32_t reference_within(int64_t a, int32_t least, int32_t most) {
    return (int32_t)(a < least ? least : a > most ? most : a);
}

/* As body/tensor.inc says. */
static uint8_t reference_scaled(const gali_hvx_scaling *s, int64_t sum, uint32_t channel) {
    const int32_t t = reference_within((sum + (1 << (s->shift - 1))) >> s->shift, INT16_MIN, INT16_MAX);
    const int32_t y =
        reference_within(((int64_t)t * s->multipliers[channel] * 2 + 0x8000) >> 16, INT16_MIN, INT16_MAX);
    return (uint8_t)reference_within(y + s->zero, s->least, 255);
}

/* A byte of the picture, or what lies around it. */
static int32_t reference_at(const gali_hvx_unit *unit, const uint8_t *from, uint32_t channel, int64_t y,
                            int64_t x) {
    const gali_hvx_bytes *b = &unit->from[0];
    const int there = y >= 0 && y < b->lines && x >= 0 && x < b->width;
    return there ? from[((size_t)channel * b->lines + (size_t)y) * b->width + (size_t)x]
                 : (int32_t)unit->window.fill;
}

static uint8_t reference_window(const gali_hvx_unit *unit, const uint8_t *from, uint32_t channel, uint32_t y,
                                uint32_t x) {
    const gali_hvx_window *w = &unit->window;
    const int alone = unit->kind == GALI_HVX_UNIT_DEPTHWISE || unit->kind == GALI_HVX_UNIT_MEAN ||
                      unit->kind == GALI_HVX_UNIT_LARGEST;
    const uint32_t inputs = alone ? 1 : unit->from[0].channels, taps = w->high * w->wide;
    int64_t sum = unit->scaling.start ? unit->scaling.start[channel] : 0;
    int32_t largest = 0;
    for (uint32_t k = 0; k < inputs; k++) {
        for (uint32_t t = 0; t < taps; t++) {
            const int64_t line = (int64_t)y * w->down + t / w->wide * w->apart_down - (int64_t)w->top;
            const int64_t place = (int64_t)x * w->across + t % w->wide * w->apart_across - (int64_t)w->left;
            const int32_t byte = reference_at(unit, from, alone ? channel : k, line, place);
            sum += byte * (unit->weights ? unit->weights[((size_t)channel * inputs + k) * taps + t] : 1);
            largest = byte > largest ? byte : largest;
        }
    }
    return unit->kind == GALI_HVX_UNIT_LARGEST ? (uint8_t)largest
                                               : reference_scaled(&unit->scaling, sum, channel);
}

static int32_t reference_factor(int32_t byte, int32_t factor) {
    return (int32_t)(((int64_t)byte * 64 * factor * 2 + 0x8000) >> 16);
}

static uint8_t reference_sum(const gali_hvx_unit *unit, uint8_t a, uint8_t b) {
    const int32_t both = reference_factor(a, unit->factors[0]) + reference_factor(b, unit->factors[1]);
    const int32_t sum = reference_within(both + unit->constant, INT16_MIN, INT16_MAX),
                  shift = unit->scaling.shift;
    return (uint8_t)reference_within((sum + (1 << (shift - 1))) >> shift, unit->scaling.least, 255);
}

static void reference_unit(const gali_hvx_unit *unit, const uint8_t *a, const uint8_t *b, uint8_t *to) {
    const gali_hvx_bytes *t = &unit->to;
    const size_t places = (size_t)t->lines * t->width;
    for (size_t i = 0; i < t->channels * places; i++) {
        const uint32_t channel = (uint32_t)(i / places), y = (uint32_t)(i % places) / t->width,
                       x = (uint32_t)(i % places) % t->width;
        to[i] = unit->kind == GALI_HVX_UNIT_SUM     ? reference_sum(unit, a[i], b[i])
                : unit->kind == GALI_HVX_UNIT_TABLE ? unit->values[a[i]]
                : unit->kind == GALI_HVX_UNIT_FLAT  ? a[i]
                                                    : reference_window(unit, a, channel, y, x);
    }
}

/* A region of one input and one output, as unsigned bytes. */
static void reference_run(const gali_hvx_region *region, const uint8_t *input, uint8_t *output) {
    uint8_t **made = calloc(region->unit_count, sizeof *made);
    for (uint32_t i = 0; i < region->unit_count; i++) {
        const gali_hvx_unit *unit = &region->units[i];
        const size_t bytes = (size_t)unit->to.channels * unit->to.lines * unit->to.width;
        const uint8_t *from[2] = {input, input};
        for (uint32_t k = 0; k < unit->from_count; k++) {
            for (uint32_t j = 0; j < i; j++) {
                from[k] = region->units[j].to.value == unit->from[k].value ? made[j] : from[k];
            }
        }
        made[i] = malloc(bytes);
        reference_unit(unit, from[0], from[1], made[i]);
        if (unit->to.value == region->made[0]) {
            memcpy(output, made[i], bytes);
        }
    }
    for (uint32_t i = 0; i < region->unit_count; i++) {
        free(made[i]);
    }
    free(made);
}

#endif
