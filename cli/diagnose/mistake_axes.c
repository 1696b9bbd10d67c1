/* Axes: one with the wrong sign (a mirrored space) or two exchanged (z up). */
#include <stdio.h>

#include "sense.h"

/* Mirrors x, y, z, then exchanges y z, x z, x y; each on both sides, on x, on y. */
enum { AXES = 3, STEPS = 2 * AXES };

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->file->contract ? STEPS * GALI_SIDE_BOTH : 0;
}

static gali_side side_of(uint32_t step) {
    static const gali_side sides[] = {GALI_SIDE_BOTH, GALI_SIDE_X, GALI_SIDE_Y};
    return sides[step / STEPS];
}

static int mirror(const gali_contract *contract, gali_columns *columns, gali_side side, int axis) {
    int changed = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        gali_sense sense = gali_sense_of(gali_sense_block(contract, side, i), i);
        if (gali_sense_mirror(&sense, axis) < 0) {
            columns->scale[i] = -columns->scale[i];
            columns->shift[i] = -columns->shift[i];
            changed = 1;
        }
    }
    return changed;
}

/*
 * Exchanges the two axes that are not `axis` in every vector that stands together. That mirrors space, so turns
 * change their sign too; a rotation's third column, which two columns would need, is not recorded.
 */
static int exchange(const gali_contract *contract, gali_columns *columns, gali_side side, int axis) {
    int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2, changed = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        gali_sense sense = gali_sense_of(gali_sense_block(contract, side, i), i);
        uint32_t other = i + (uint32_t)(second - first);
        if (sense.parts == 3 && sense.axis == first) {
            uint32_t source = columns->source[i];
            columns->source[i] = columns->source[other];
            columns->source[other] = source;
            changed = 1;
        }
        if (sense.parts == 3 && sense.axial) {
            columns->scale[i] = -columns->scale[i];
        }
    }
    return changed;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    const gali_contract *contract = self->file->contract;
    int axis = (int)(step % AXES), changed = 0;
    int (*change)(const gali_contract *, gali_columns *, gali_side, int) =
        step % STEPS < AXES ? mirror : exchange;
    gali_side side = side_of(step);
    if (self->pose && side != GALI_SIDE_Y) {
        return 0;
    }
    if (side & GALI_SIDE_X) {
        changed = change(contract, &reading->x, GALI_SIDE_X, axis);
    }
    if (side & GALI_SIDE_Y) {
        changed |= change(contract, &reading->y, GALI_SIDE_Y, axis);
    }
    return changed;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    static const char names[] = "xyz";
    int axis = (int)(step % AXES);
    const char *side = gali_side_name(side_of(step));
    if (step % STEPS < AXES) {
        /* A skeleton is the same on both sides: its pose cannot tell these two apart. */
        const char *or = self->pose && axis == 0 ? ", or left and right joints are exchanged" : "";
        snprintf(text, size, "the %c axis of the %s has the wrong sign%s", names[axis], side, or);
    } else {
        snprintf(text, size, "the axes %c and %c of the %s are exchanged", names[axis == 0],
                 names[axis == 2 ? 1 : 2], side);
    }
}

const gali_mistake gali_mistake_axes = {.pose = 1, .most = 3, .steps = count, .undo = undo, .say = say};
