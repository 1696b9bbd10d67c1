/* Blocks of features in another order: two exchanged, or one moved to another place. */
#include <stdio.h>
#include <stdlib.h>

#include "order.h"

/* What a step does: exchange blocks a and b, or move block a to place b; places count in the contract's order. */
typedef struct block_step {
    gali_side side;
    int move;
    uint32_t a, b, count; /* count: blocks there are */
} block_step;

static uint32_t count(gali_case *self, const gali_reading *reading) {
    uint32_t x = 0, y = 0;
    (void)reading;
    if (self->file->contract) {
        gali_order_blocks(self, GALI_SIDE_X, &x);
        gali_order_blocks(self, GALI_SIDE_Y, &y);
    }
    return x > 64 || y > 64 ? 0 : 2 * (x * x + y * y);
}

static block_step step_of(const gali_case *self, uint32_t step) {
    block_step out = {.move = step % 2 != 0};
    uint32_t x, y, i = step / 2;
    gali_order_blocks(self, GALI_SIDE_X, &x);
    gali_order_blocks(self, GALI_SIDE_Y, &y);
    out.side = i < x * x ? GALI_SIDE_X : GALI_SIDE_Y;
    out.count = i < x * x ? x : y;
    i -= i < x * x ? 0 : x * x;
    out.a = i / out.count;
    out.b = i % out.count;
    return out;
}

/* The blocks in the order that they were recorded in. */
static void recorded_order(const block_step *s, uint32_t *order) {
    for (uint32_t i = 0; i < s->count; i++) {
        order[i] = i;
    }
    if (!s->move) {
        order[s->a] = s->b;
        order[s->b] = s->a;
        return;
    }
    for (uint32_t i = s->a; i < s->b; i++) {
        order[i] = order[i + 1];
    }
    for (uint32_t i = s->a; i > s->b; i--) {
        order[i] = order[i - 1];
    }
    order[s->b] = s->a;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    block_step s = step_of(self, step);
    uint32_t order[64], blocks, at = 0;
    const gali_block *block = gali_order_blocks(self, s.side, &blocks);
    gali_columns *columns = gali_order_columns(reading, s.side);
    /* Exchanging is the same both ways, and neighbours exchanged are one of them moved. */
    if (s.a == s.b || (!s.move && s.a > s.b) || (s.move && (s.a + 1 == s.b || s.b + 1 == s.a))) {
        return 0;
    }
    uint32_t *from = malloc(columns->count * sizeof *from);
    if (!from) {
        return 0;
    }
    recorded_order(&s, order);
    for (uint32_t i = 0; i < s.count; i++) {
        for (uint32_t j = 0; j < block[order[i]].count; j++) {
            from[block[order[i]].offset + j] = at++;
        }
    }
    gali_order_apply(columns, 0, columns->count, from);
    free(from);
    return 1;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    block_step s = step_of(self, step);
    uint32_t blocks;
    const gali_block *block = gali_order_blocks(self, s.side, &blocks);
    char a[160], b[160];
    gali_order_block_name(self, s.side, block + s.a, a, sizeof a);
    gali_order_block_name(self, s.side, block + s.b, b, sizeof b);
    if (s.move) {
        snprintf(text, size, "in the %s %s stands %s %s", gali_side_name(s.side), a,
                 s.b > s.a ? "behind" : "before", b);
    } else {
        snprintf(text, size, "in the %s %s and %s are exchanged", gali_side_name(s.side), a, b);
    }
}

const gali_mistake gali_mistake_blocks = {.most = 16, .steps = count, .undo = undo, .say = say};
