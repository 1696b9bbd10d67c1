/* The phase: radians of a cycle are expected. */
#include <stdio.h>

#include "case.h"
#include "space.h"

typedef struct phase_step {
    float scale, shift;
    const char *words;
} phase_step;

static const phase_step steps[] = {
    {2 * GALI_PI, 0, "the phase is in turns, radians are expected"},
    {GALI_PI / 180, 0, "the phase is in degrees, radians are expected"},
    {1 / (2 * GALI_PI), 0, "the phase was turned into radians twice"},
    {-1, 2 * GALI_PI, "the phase runs backwards"},
};

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    int phased = self->gate_width == 1 && self->file->model.gate != GAL_GATE_CALLER;
    return phased ? sizeof steps / sizeof *steps : 0;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    (void)self;
    reading->phase_scale *= steps[step].scale;
    reading->phase_shift = reading->phase_shift * steps[step].scale + steps[step].shift;
    return 1;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    (void)self;
    snprintf(text, size, "%s", steps[step].words);
}

const gali_mistake gali_mistake_phase = {.most = 1, .steps = count, .undo = undo, .say = say};
