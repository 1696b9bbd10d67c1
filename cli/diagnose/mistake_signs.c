/* Single blocks or features with the wrong sign. */
#include <stdio.h>

#include "order.h"

/* What a step turns over: a run of features of one side, or those of it along an axis. */
typedef struct sign_step {
    gali_side side;
    uint32_t first, count;
    const gali_block *block; /* NULL: one feature */
    int axis;                /* -1: all */
} sign_step;

enum { WAYS = 4 }; /* of a block: all of it, then what lies along x, y, z */

static void block_counts(const gali_case *self, uint32_t *x, uint32_t *y) {
    *x = *y = 0;
    if (self->file->contract) {
        gali_order_blocks(self, GALI_SIDE_X, x);
        gali_order_blocks(self, GALI_SIDE_Y, y);
    }
}

static uint32_t count(gali_case *self, const gali_reading *reading) {
    uint32_t x, y;
    (void)reading;
    block_counts(self, &x, &y);
    return WAYS * (x + y) + self->inputs + self->outputs;
}

static sign_step step_of(const gali_case *self, uint32_t step) {
    uint32_t x, y, blocks, block = step / WAYS;
    block_counts(self, &x, &y);
    if (block < x + y) {
        gali_side side = block < x ? GALI_SIDE_X : GALI_SIDE_Y;
        const gali_block *b = gali_order_blocks(self, side, &blocks) + (block < x ? block : block - x);
        return (sign_step){side, b->offset, b->count, b, (int)(step % WAYS) - 1};
    }
    step -= WAYS * (x + y);
    gali_side side = step < self->inputs ? GALI_SIDE_X : GALI_SIDE_Y;
    return (sign_step){side, step < self->inputs ? step : step - self->inputs, 1, NULL, -1};
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    sign_step s = step_of(self, step);
    gali_columns *columns = gali_order_columns(reading, s.side);
    int changed = 0;
    if (self->pose && s.side != GALI_SIDE_Y) {
        return 0;
    }
    for (uint32_t i = s.first; i < s.first + s.count; i++) {
        int along = s.axis < 0;
        if (!along) {
            gali_sense sense = gali_sense_of(s.block, i);
            along = sense.parts > 2 && sense.axis == s.axis;
        }
        if (along) {
            columns->scale[i] = -columns->scale[i];
            columns->shift[i] = -columns->shift[i];
            changed = 1;
        }
    }
    return changed;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    sign_step s = step_of(self, step);
    char name[160];
    (void)reading;
    if (s.block) {
        gali_order_block_name(self, s.side, s.block, name, sizeof name);
    } else {
        gali_case_name(self, s.side, s.first, name, sizeof name);
    }
    if (s.axis < 0) {
        snprintf(text, size, "%s of the %s has the wrong sign", name, gali_side_name(s.side));
    } else {
        snprintf(text, size, "the %c of %s in the %s has the wrong sign", "xyz"[s.axis], name,
                 gali_side_name(s.side));
    }
}

const gali_mistake gali_mistake_signs = {.pose = 1, .most = 8, .steps = count, .undo = undo, .say = say};
