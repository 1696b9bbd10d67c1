/*
 * Layout inside blocks: vectors recorded component by component (x x x, y y y), rotation matrices by rows, and
 * neighbouring blocks of samples recorded sample by sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

typedef enum layout { PLANAR, ROWS, WOVEN, LAYOUTS } layout;

/* A step for each layout of each block, x's first; the last layout of a block weaves it with those behind it. */
static uint32_t count(gali_case *self, const gali_reading *reading) {
    uint32_t x = 0, y = 0;
    (void)reading;
    if (self->file->contract) {
        gali_order_blocks(self, GALI_SIDE_X, &x);
        gali_order_blocks(self, GALI_SIDE_Y, &y);
    }
    return LAYOUTS * (x + y);
}

static const gali_block *block_of(const gali_case *self, uint32_t step, gali_side *side, uint32_t *left) {
    uint32_t inputs, outputs, i = step / LAYOUTS;
    const gali_block *x = gali_order_blocks(self, GALI_SIDE_X, &inputs);
    const gali_block *y = gali_order_blocks(self, GALI_SIDE_Y, &outputs);
    *side = i < inputs ? GALI_SIDE_X : GALI_SIDE_Y;
    *left = i < inputs ? inputs - i : inputs + outputs - i;
    return i < inputs ? x + i : y + (i - inputs);
}

/* How many blocks from this one on are of the same kind of samples: x and z of one thing, or all gaits. */
static uint32_t woven(const gali_case *self, gali_side side, const gali_block *block, uint32_t left) {
    char own[160], other[160];
    uint32_t group = 1;
    gali_order_block_name(self, side, block, own, sizeof own);
    size_t stem = (size_t)(strrchr(own, '.') ? strrchr(own, '.') - own : 0);
    while (group < left && block[group].count == block->count && block->count > 1) {
        gali_order_block_name(self, side, block + group, other, sizeof other);
        if (stem == 0 || strncmp(own, other, stem + 1) != 0) {
            break;
        }
        group++;
    }
    return group;
}

/* Column (i, part) of vectors of `parts` was recorded at part * vectors + i. */
static void planar(uint32_t *from, uint32_t vectors, uint32_t parts) {
    for (uint32_t i = 0; i < vectors * parts; i++) {
        from[i] = i % parts * vectors + i / parts;
    }
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    gali_side side;
    uint32_t left;
    const gali_block *block = block_of(self, step, &side, &left);
    uint32_t parts = (uint32_t)gali_sense_of(block, block->offset).parts, size = block->count;
    layout how = (layout)(step % LAYOUTS);
    uint32_t group = how == WOVEN ? woven(self, side, block, left) : 1;
    if ((how == PLANAR && parts < 2) || (how == ROWS && parts != 6) || (how == WOVEN && group < 2)) {
        return 0;
    }
    uint32_t *from = malloc((size_t)group * size * sizeof *from);
    if (!from) {
        return 0;
    }
    if (how == PLANAR) {
        planar(from, size / parts, parts);
    } else if (how == WOVEN) {
        planar(from, group, size); /* blocks are vectors of their samples, recorded sample by sample */
    } else {
        for (uint32_t i = 0; i < size; i++) { /* (column, row) of a 3 x 2 matrix at row * 2 + column */
            from[i] = i / 6 * 6 + i % 3 * 2 + i % 6 / 3;
        }
    }
    gali_order_apply(gali_order_columns(reading, side), block->offset, group * size, from);
    free(from);
    return 1;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    char name[160], last[160];
    gali_side side;
    uint32_t left;
    const gali_block *block = block_of(self, step, &side, &left);
    const char *where = gali_side_name(side);
    gali_order_block_name(self, side, block, name, sizeof name);
    switch ((layout)(step % LAYOUTS)) {
    case PLANAR:
        snprintf(text, size, "%s of the %s lies component by component (all x, then all y, ...)", name, where);
        break;
    case ROWS:
        snprintf(text, size, "%s of the %s has the matrices' rows where their columns belong", name, where);
        break;
    default:
        block += woven(self, side, block, left) - 1;
        gali_order_block_name(self, side, block, last, sizeof last);
        snprintf(text, size, "%s to %s of the %s lie sample by sample", name, last, where);
    }
}

const gali_mistake gali_mistake_layout = {.pose = 1, .most = 8, .steps = count, .undo = undo, .say = say};
