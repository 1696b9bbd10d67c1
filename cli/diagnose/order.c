#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract_parse.h"

void gali_order_apply(gali_columns *columns, uint32_t first, uint32_t count, const uint32_t *from) {
    uint32_t *sources = malloc(count * sizeof *sources);
    if (!sources) {
        return; /* the reading stays as it is and explains nothing */
    }
    memcpy(sources, columns->source + first, count * sizeof *sources);
    for (uint32_t i = 0; i < count; i++) {
        columns->source[first + i] = sources[from[i]];
    }
    free(sources);
}

const gali_block *gali_order_blocks(const gali_case *self, gali_side side, uint32_t *count) {
    const gali_contract *contract = self->file->contract;
    *count = side == GALI_SIDE_X ? contract->input_block_count : contract->output_block_count;
    return side == GALI_SIDE_X ? contract->input_blocks : contract->output_blocks;
}

gali_columns *gali_order_columns(gali_reading *reading, gali_side side) {
    return side == GALI_SIDE_X ? &reading->x : &reading->y;
}

void gali_order_block_name(const gali_case *self, gali_side side, const gali_block *block, char *text,
                           size_t size) {
    size_t stem = strcspn(gali_block_facts[block->kind].name, " ");
    gali_case_name(self, side, block->offset, text, size);
    if (block->count > 1 && strlen(text) > stem) {
        /* A gait or a side before the bracket is part of the block's name, a joint is not. */
        char *bracket = strchr(text, '[');
        *(bracket ? bracket : text + stem) = 0;
    }
}
