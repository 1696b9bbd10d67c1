#include "kernels/gemm.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"

uint32_t gali_gemm_groups(const gali_gemm_table *table, uint32_t inner) {
    return inner / table->depth + (inner % table->depth != 0);
}

size_t gali_gemm_panel_size(const gali_gemm_table *table, uint32_t inner, uint32_t vectors) {
    const size_t column = sizeof(int32_t) + (size_t)gali_gemm_groups(table, inner) * table->depth;
    return gali_size_align(gali_size_mul(column, (size_t)vectors * table->lanes), GALI_ALIGNMENT);
}

/* Bytes of a group of interleaved rows. */
static size_t gemm_group_size(const gali_gemm_table *table, uint32_t rows) {
    const size_t load = (size_t)table->words * table->pair;
    return (rows + load - 1) / load * load * table->depth;
}

size_t gali_gemm_interleaved_size(const gali_gemm_table *table, uint32_t inner, uint32_t rows) {
    const size_t group = gemm_group_size(table, rows);
    return gali_size_align(gali_size_mul(group, gali_gemm_groups(table, inner)), GALI_ALIGNMENT);
}

void gali_gemm_pack(const gali_gemm_table *table, uint32_t vectors, const int8_t *b, size_t inner_stride,
                    size_t column_stride, uint32_t inner, uint32_t columns, unsigned char *panel) {
    const uint32_t width = vectors * table->lanes, depth = table->depth;
    memset(panel, 0, gali_gemm_panel_size(table, inner, vectors));
    for (uint32_t n = 0; n < columns; n++) {
        unsigned char *weights = panel + width * sizeof(int32_t) + (size_t)n * depth;
        int32_t sum = 0;
        for (uint32_t k = 0; k < inner; k++) {
            const int8_t weight = b[k * inner_stride + n * column_stride];
            weights[(size_t)(k / depth) * width * depth + k % depth] = (unsigned char)weight;
            sum += weight;
        }
        const int32_t start = -table->offset * sum;
        memcpy(panel + n * sizeof start, &start, sizeof start);
    }
}

/* One row's words, their bytes turned to what the table wants; `depth` a constant, so that a word is one load and one store. */
static inline void gemm_spread(const int8_t *a, uint32_t inner, int8_t *words, size_t stride, uint64_t turn,
                               const uint32_t depth) {
    const uint32_t whole = inner / depth;
    for (uint32_t g = 0; g < whole; g++) {
        uint64_t word = 0;
        memcpy(&word, a + (size_t)g * depth, depth);
        word ^= turn;
        memcpy(words + g * stride, &word, depth);
    }
    if (inner % depth) {
        uint64_t word = 0;
        memcpy(&word, a + (size_t)whole * depth, inner % depth);
        word ^= turn;
        memcpy(words + whole * stride, &word, depth);
    }
}

void gali_gemm_interleave(const gali_gemm_table *table, const int8_t *a, size_t a_stride, uint32_t rows,
                          uint32_t inner, int8_t *words) {
    const size_t stride = gemm_group_size(table, rows);
    const uint64_t turn = table->offset ? 0x8080808080808080u : 0; /* a + 128 is a with its top bit turned */
    for (uint32_t r = 0; r < rows + rows % table->pair; r++) {     /* sums of other missing rows are not made */
        const int8_t *row = a + (r < rows ? r : rows - 1) * a_stride;
        int8_t *to = words + (size_t)r * table->depth;
        switch (table->depth) {
        case 2:
            gemm_spread(row, inner, to, stride, turn, 2);
            break;
        case 4:
            gemm_spread(row, inner, to, stride, turn, 4);
            break;
        default:
            gemm_spread(row, inner, to, stride, turn, 8);
            break;
        }
    }
}
