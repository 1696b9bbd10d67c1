/* Units: lengths in metres for centimetres, rates per second for per frame, degrees for radians; of all features, of
 * joints and feet alone, of the others alone, or of one block. */
#include <stdio.h>

#include "order.h"
#include "sense.h"
#include "space.h"

typedef struct unit_step {
    gali_unit unit;
    int rates;         /* values per frame alone; else all of the unit */
    float factor;      /* recorded value times this is the expected one; 0: 1 / the contract's rate */
    const char *words; /* after "lengths of the recorded inputs " */
} unit_step;

static const unit_step steps[] = {
    {GALI_UNIT_LENGTH, 0, 100, "are 100 times too small: metres for centimetres"},
    {GALI_UNIT_LENGTH, 0, 0.01f, "are 100 times too large: centimetres for metres"},
    {GALI_UNIT_LENGTH, 0, 10, "are 10 times too small: centimetres for millimetres"},
    {GALI_UNIT_LENGTH, 0, 0.1f, "are 10 times too large: millimetres for centimetres"},
    {GALI_UNIT_LENGTH, 0, 1000, "are 1000 times too small: metres for millimetres"},
    {GALI_UNIT_LENGTH, 0, 0.001f, "are 1000 times too large: millimetres for metres"},
    {GALI_UNIT_LENGTH, 0, 2.54f, "are 2.54 times too small: inches for centimetres"},
    {GALI_UNIT_LENGTH, 0, 1 / 2.54f, "are 2.54 times too large: centimetres for inches"},
    {GALI_UNIT_LENGTH, 1, 0, "per frame are expected, these are per second"},
    {GALI_UNIT_ANGLE, 0, GALI_PI / 180, "are in degrees, radians are expected"},
    {GALI_UNIT_ANGLE, 1, 0, "per frame are expected, these are per second"},
    {GALI_UNIT_TURN, 0, 1 / (2 * GALI_PI), "are in radians, turns are expected"},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* Of whose features; a trainer that took its skeleton from one place and its path from another errs in one of them. */
typedef enum part { PART_ALL, PART_JOINTS, PART_OTHERS, PART_COUNT, PART_BLOCK = PART_COUNT } part;

enum { OF_PARTS = STEPS * GALI_SIDE_BOTH * PART_COUNT };

/* What a step of the search rescales. */
typedef struct target {
    const unit_step *step;
    gali_side side;
    part part;
    const gali_block *block; /* of PART_BLOCK */
} target;

/* A step for each part, for each side and for both; then one for each block of each side. */
static uint32_t count(gali_case *self, const gali_reading *reading) {
    uint32_t x, y;
    (void)reading;
    if (!self->file->contract) {
        return 0;
    }
    gali_order_blocks(self, GALI_SIDE_X, &x);
    gali_order_blocks(self, GALI_SIDE_Y, &y);
    return OF_PARTS + STEPS * (x + y);
}

static target target_of(const gali_case *self, uint32_t number) {
    static const gali_side sides[] = {GALI_SIDE_BOTH, GALI_SIDE_X, GALI_SIDE_Y};
    target t = {.step = &steps[number % STEPS]};
    if (number < OF_PARTS) {
        t.side = sides[number / STEPS % GALI_SIDE_BOTH];
        t.part = (part)(number / (STEPS * GALI_SIDE_BOTH));
        return t;
    }
    uint32_t x, block = (number - OF_PARTS) / STEPS;
    const gali_block *blocks = gali_order_blocks(self, GALI_SIDE_X, &x);
    t.side = block < x ? GALI_SIDE_X : GALI_SIDE_Y;
    t.part = PART_BLOCK;
    t.block = block < x ? blocks + block : gali_order_blocks(self, GALI_SIDE_Y, &(uint32_t){0}) + (block - x);
    return t;
}

static int is_of_part(const gali_block *block, part which) {
    switch (block->kind) {
    case GALI_BLOCK_JOINT_POSITION_IN:
    case GALI_BLOCK_JOINT_POSITION_OUT:
    case GALI_BLOCK_JOINT_VELOCITY_IN:
    case GALI_BLOCK_JOINT_VELOCITY_OUT:
    case GALI_BLOCK_FOOT_POSITION:
    case GALI_BLOCK_FOOT_VELOCITY:
        return which != PART_OTHERS;
    default:
        return which != PART_JOINTS;
    }
}

static int is_meant(const target *t, const gali_block *block, const gali_sense *sense) {
    return sense->unit == t->step->unit && (sense->rate || !t->step->rates) &&
           (t->part == PART_BLOCK ? block == t->block : is_of_part(block, t->part));
}

static int rescale(const gali_case *self, gali_columns *columns, gali_side side, const target *t) {
    int changed = 0;
    float factor = t->step->factor > 0 ? t->step->factor : 1 / self->file->contract->rate;
    for (uint32_t i = 0; i < columns->count; i++) {
        const gali_block *block = gali_sense_block(self->file->contract, side, i);
        gali_sense sense = gali_sense_of(block, i);
        if (is_meant(t, block, &sense)) {
            columns->scale[i] *= factor;
            columns->shift[i] *= factor;
            changed = 1;
        }
    }
    return changed;
}

/* Where one side alone has such features, the step of that side says it. */
static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    const target t = target_of(self, step);
    if (self->pose && t.side != GALI_SIDE_Y) {
        return 0;
    }
    int x = !(t.side & GALI_SIDE_X) || rescale(self, &reading->x, GALI_SIDE_X, &t);
    return x && (!(t.side & GALI_SIDE_Y) || rescale(self, &reading->y, GALI_SIDE_Y, &t));
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    static const char *const names[] = {"", "lengths", "angles", "phases"};
    static const char *const parts[] = {"", " of joints and feet alone", " of all but joints and feet"};
    const target t = target_of(self, step);
    char block[180] = " of ";
    if (t.block) {
        gali_order_block_name(self, t.side, t.block, block + 4, sizeof block - 4);
    }
    snprintf(text, size, "%s of the %s%s%s %s", t.step->rates ? "velocities" : names[t.step->unit],
             gali_side_name(t.side), t.block ? block : parts[t.part], t.block ? " alone" : "", t.step->words);
}

const gali_mistake gali_mistake_units = {.pose = 1, .most = 3, .steps = count, .undo = undo, .say = say};
