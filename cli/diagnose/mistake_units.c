/* Units: lengths in metres for centimetres, rates per second for per frame, degrees for radians; of all features, of
 * joints and feet alone, or of the others alone. */
#include <stdio.h>

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
typedef enum part { PART_ALL, PART_JOINTS, PART_OTHERS, PART_COUNT } part;

/* A step for each part, for each side and for both. */
static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->file->contract ? STEPS * GALI_SIDE_BOTH * PART_COUNT : 0;
}

static gali_side side_of(uint32_t step) {
    static const gali_side sides[] = {GALI_SIDE_BOTH, GALI_SIDE_X, GALI_SIDE_Y};
    return sides[step / STEPS % GALI_SIDE_BOTH];
}

static part part_of(uint32_t step) {
    return (part)(step / (STEPS * GALI_SIDE_BOTH));
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

static int rescale(const gali_case *self, gali_columns *columns, gali_side side, uint32_t number) {
    const unit_step *step = &steps[number % STEPS];
    int changed = 0;
    float factor = step->factor > 0 ? step->factor : 1 / self->file->contract->rate;
    for (uint32_t i = 0; i < columns->count; i++) {
        const gali_block *block = gali_sense_block(self->file->contract, side, i);
        gali_sense sense = gali_sense_of(block, i);
        if (sense.unit == step->unit && (sense.rate || !step->rates) && is_of_part(block, part_of(number))) {
            columns->scale[i] *= factor;
            columns->shift[i] *= factor;
            changed = 1;
        }
    }
    return changed;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    gali_side side = side_of(step);
    int changed = 0;
    if (self->pose && side != GALI_SIDE_Y) {
        return 0;
    }
    if (side & GALI_SIDE_X) {
        changed = rescale(self, &reading->x, GALI_SIDE_X, step);
    }
    if (side & GALI_SIDE_Y) {
        changed |= rescale(self, &reading->y, GALI_SIDE_Y, step);
    }
    return changed;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    static const char *const names[] = {"", "lengths", "angles", "phases"};
    static const char *const parts[] = {"", " of joints and feet alone", " of all but joints and feet"};
    const unit_step *s = &steps[step % STEPS];
    (void)self;
    snprintf(text, size, "%s of the %s%s %s", s->rates ? "velocities" : names[s->unit],
             gali_side_name(side_of(step)), parts[part_of(step)], s->words);
}

const gali_mistake gali_mistake_units = {.pose = 1, .most = 3, .steps = count, .undo = undo, .say = say};
