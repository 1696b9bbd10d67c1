#include "compiler/program/fkw.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << GALI_FKW_WINDOW, ALIKE_MOST = 1 << 10 /* filters that are compared with one another */ };

/* ---- patterns ---- */

static uint32_t count_bits(uint32_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The places of a window whose weights are not 0. */
static uint32_t bits_of(const float *window) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < GALI_FKW_WINDOW; i++) {
        bits |= (uint32_t)(window[i] < 0 || window[i] > 0 || window[i] != window[i]) << i;
    }
    return bits;
}

/* Column by column, so that what two places of a column read, one row apart, is loaded once. */
static void set_taps(gali_fkw_patterns *p, uint32_t pattern) {
    uint32_t tap = 0;
    for (uint32_t i = 0; i < GALI_FKW_WINDOW; i++) {
        uint32_t place = i % 3 * 3 + i / 3;
        if (p->bits[pattern] >> place & 1) {
            p->taps[pattern][tap++] = (uint8_t)place;
        }
    }
}

/* The pattern that keeps all of those places; PATTERNS_MAX: none. */
static uint32_t pattern_of(const gali_fkw_patterns *p, uint32_t bits) {
    for (uint32_t i = 0; i < p->count; i++) {
        if ((bits & ~(uint32_t)p->bits[i]) == 0) {
            return i;
        }
    }
    return GALI_FKW_PATTERNS_MAX;
}

/* Patterns are the sets of four places that occur, the most frequent first. */
static int choose_patterns(gali_fkw_patterns *p, const uint64_t *count) {
    for (uint32_t bits = 0; bits < FEW; bits++) {
        if (!count[bits] || count_bits(bits) < GALI_FKW_TAPS) {
            continue;
        }
        if (p->count == GALI_FKW_PATTERNS_MAX || count_bits(bits) > GALI_FKW_TAPS) {
            return 0;
        }
        uint32_t at = p->count++;
        for (; at > 0 && count[p->bits[at - 1]] < count[bits]; at--) {
            p->bits[at] = p->bits[at - 1];
        }
        p->bits[at] = (uint16_t)bits;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        set_taps(p, i);
    }
    return p->count > 0;
}

int gali_fkw_find(gali_fkw_patterns *p, const float *weights, uint64_t filters, uint64_t channels) {
    uint64_t count[FEW] = {0};
    *p = (gali_fkw_patterns){.count = 0};
    for (uint64_t i = 0; i < filters * channels; i++) {
        count[bits_of(weights + i * GALI_FKW_WINDOW)]++;
    }
    p->pruned = count[0];
    for (uint32_t bits = 0; bits < FEW; bits++) {
        p->zeros += count[bits] * (GALI_FKW_WINDOW - count_bits(bits));
    }
    int good = choose_patterns(p, count);
    for (uint32_t bits = 1; good && bits < FEW; bits++) {
        uint32_t pattern = count[bits] ? pattern_of(p, bits) : 0;
        good = pattern < GALI_FKW_PATTERNS_MAX;
        p->kernels[good ? pattern : 0] += good ? count[bits] : 0;
    }
    return good;
}

/* ---- storing ---- */

typedef struct making {
    const gali_fkw_patterns *patterns;
    gali_fkw *f;
    uint8_t *pattern; /* [filters][channels]; PATTERNS_MAX: pruned */
    uint32_t *length; /* [filters] kernels */
} making;

static void classify(making *m, const float *weights, uint32_t all_channels) {
    gali_fkw *f = m->f;
    for (uint32_t i = 0; i < f->filters; i++) {
        for (uint32_t c = 0; c < f->channels; c++) {
            const float *window = weights + ((size_t)i * all_channels + f->first + c) * GALI_FKW_WINDOW;
            uint32_t bits = bits_of(window);
            uint32_t pattern = bits ? pattern_of(m->patterns, bits) : GALI_FKW_PATTERNS_MAX;
            m->pattern[(size_t)i * f->channels + c] = (uint8_t)pattern;
            m->length[i] += pattern < GALI_FKW_PATTERNS_MAX;
        }
        f->kernels += m->length[i];
        f->longest = m->length[i] > f->longest ? m->length[i] : f->longest;
    }
}

/* Channels on which two filters keep the same pattern. */
static uint32_t similarity(const making *m, uint32_t a, uint32_t b) {
    const uint8_t *left = m->pattern + (size_t)a * m->f->channels,
                  *right = m->pattern + (size_t)b * m->f->channels;
    uint32_t same = 0;
    for (uint32_t c = 0; c < m->f->channels; c++) {
        same += left[c] == right[c] && left[c] < GALI_FKW_PATTERNS_MAX;
    }
    return same;
}

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Filters by length, a stable sort; then of equal length each behind the one that it is most like. */
static void reorder(making *m) {
    uint32_t *order = m->f->reorder, filters = m->f->filters, at = 0;
    for (uint32_t length = m->f->longest + 1; length-- > 0;) {
        for (uint32_t i = 0; i < filters; i++) {
            if (m->length[i] == length) {
                order[at++] = i;
            }
        }
    }
    for (uint32_t i = 0; i + 1 < filters && filters <= ALIKE_MOST; i++) {
        uint32_t best = i + 1, most = 0;
        for (uint32_t k = i + 1; k < filters && m->length[order[k]] == m->length[order[i + 1]]; k++) {
            uint32_t same = similarity(m, order[i], order[k]);
            if (same > most) {
                most = same;
                best = k;
            }
        }
        swap(&order[i + 1], &order[best]);
    }
}

static void store(making *m, const float *weights, uint32_t all_channels) {
    gali_fkw *f = m->f;
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->filters; i++) {
        uint32_t filter = f->reorder[i], *stride = f->stride + (size_t)filter * (f->patterns + 1);
        f->offset[filter] = at;
        for (uint32_t p = 0; p < f->patterns; p++) {
            stride[p] = at - f->offset[filter];
            for (uint32_t c = 0; c < f->channels; c++) {
                if (m->pattern[(size_t)filter * f->channels + c] != p) {
                    continue;
                }
                const float *window =
                    weights + ((size_t)filter * all_channels + f->first + c) * GALI_FKW_WINDOW;
                for (uint32_t t = 0; t < GALI_FKW_TAPS; t++) {
                    f->weight[(size_t)at * GALI_FKW_TAPS + t] = window[m->patterns->taps[p][t]];
                }
                f->index[at++] = c;
            }
        }
        stride[f->patterns] = at - f->offset[filter];
    }
}

gali_fkw gali_fkw_make(const gali_fkw_patterns *patterns, const float *weights, uint32_t filters,
                       uint32_t all_channels, uint32_t first, uint32_t channels, int reorders,
                       gali_arena *arena) {
    gali_fkw f = {.filters = filters, .first = first, .channels = channels, .patterns = patterns->count};
    making m = {.patterns = patterns,
                .f = &f,
                .pattern = gali_arena_take(arena, (size_t)filters * channels),
                .length = gali_arena_take(arena, filters * sizeof *m.length)};
    f.reorder = gali_arena_take(arena, filters * sizeof *f.reorder);
    f.offset = gali_arena_take(arena, filters * sizeof *f.offset);
    f.stride = gali_arena_take(arena, (size_t)filters * (patterns->count + 1) * sizeof *f.stride);
    if (arena->failed) {
        return f;
    }
    classify(&m, weights, all_channels);
    size_t room = (size_t)f.kernels + f.longest + 1;
    f.index = gali_arena_take(arena, room * sizeof *f.index);
    f.weight = gali_arena_take(arena, room * GALI_FKW_TAPS * sizeof *f.weight);
    if (!arena->failed) {
        for (uint32_t i = 0; i < filters; i++) {
            f.reorder[i] = i;
        }
        if (reorders) {
            reorder(&m);
        }
        store(&m, weights, all_channels);
    }
    return f;
}

/* ---- bytes ---- */

uint32_t gali_fkw_bytes(uint32_t most) {
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

uint64_t gali_fkw_index_bytes(const gali_fkw *f) {
    uint64_t filters = f->filters;
    return filters * (gali_fkw_bytes(f->filters - 1) + sizeof(uint32_t)) +
           filters * (f->patterns + 1) * gali_fkw_bytes(f->longest) +
           (uint64_t)(f->kernels + f->longest + 1) * gali_fkw_bytes(f->channels - 1);
}

uint64_t gali_csr_index_bytes(uint64_t filters, uint64_t weights) {
    return sizeof(uint32_t) * (weights + filters + 1);
}
