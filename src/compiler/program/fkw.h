/*
 * Weights of 3x3 windows with holes: which patterns they follow, and how they are stored (FKW, filter-kernel-weight, of PatDNN:
 * Niu 2023, section 2.4).
 *
 * A kernel is the window of one filter on one channel. A pattern is the four of its nine places that are kept; kernels may also
 * be pruned whole, which is connectivity. Stored are the kernels that are left, filter by filter in the order in which they are
 * visited, those of a filter by pattern, those of a pattern by channel.
 */
#ifndef GALI_COMPILER_PROGRAM_FKW_H
#define GALI_COMPILER_PROGRAM_FKW_H

#include <stdint.h>

#include "graph/arena.h"

enum {
    GALI_FKW_PATTERNS_MAX = 12,
    GALI_FKW_TAPS = 4,   /* places that a pattern keeps */
    GALI_FKW_WINDOW = 9, /* places of a window, row by row */
};

/* The patterns of some weights. */
typedef struct gali_fkw_patterns {
    uint32_t count;
    uint16_t bits[GALI_FKW_PATTERNS_MAX]; /* of the places that it keeps; the most frequent first */
    uint8_t taps[GALI_FKW_PATTERNS_MAX][GALI_FKW_TAPS]; /* those places, column by column */
    uint64_t kernels[GALI_FKW_PATTERNS_MAX];            /* that follow it */
    uint64_t pruned, zeros;                             /* kernels without a weight; weights that are 0 */
} gali_fkw_patterns;

/* FKW of the channels from `first` on; all arrays are the arena's. */
typedef struct gali_fkw {
    uint32_t filters, first, channels, patterns;
    uint32_t kernels; /* that are stored */
    uint32_t longest; /* kernels of a filter at most */
    uint32_t *
        reorder; /* [filters] the filter that is visited then: longer ones first, of equals similar ones together */
    uint32_t *offset; /* [filters] by its number, the filter's first kernel */
    uint32_t *stride; /* [filters][patterns + 1] by its number: its kernels before those of a pattern */
    uint32_t *index;  /* [kernels + longest + 1] channels, from `first` on; zeros behind the last */
    float *weight;    /* [kernels + longest + 1][GALI_FKW_TAPS] in the order of taps; the same */
} gali_fkw;

/* Whether weights [filters][channels][3][3] follow patterns, the zeros among what a pattern keeps apart, and which. */
int gali_fkw_find(gali_fkw_patterns *patterns, const float *weights, uint64_t filters, uint64_t channels);

/* Stores weights that follow the patterns; reorders: else filters are visited as they come. The arena has failed without
 * memory. */
gali_fkw gali_fkw_make(const gali_fkw_patterns *patterns, const float *weights, uint32_t filters,
                       uint32_t all_channels, uint32_t first, uint32_t channels, int reorders,
                       gali_arena *arena);

/* Bytes of a stored integer that is at most so large. */
uint32_t gali_fkw_bytes(uint32_t most);

/* Bytes of all integers of FKW; and of CSR of the same weights: a column and, for each filter, a beginning, 4 bytes each. */
uint64_t gali_fkw_index_bytes(const gali_fkw *fkw);
uint64_t gali_csr_index_bytes(uint64_t filters, uint64_t weights);

#endif
