#include "show/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/size.h"
#include "crowd/crowd.h"

enum { SAMPLES_MAX = 64 };

typedef struct run {
    const gali_recording_desc *desc;
    gali_recording *out;
    gal_crowd *crowd;
    gal_character *ids; /* [characters] */
} run;

static void *rows(size_t count, size_t size) {
    size_t bytes = gali_size_mul(count, size);
    return bytes == GALI_SIZE_BAD ? NULL : calloc(bytes + 1, 1);
}

static gal_status make_arrays(run *self, gal_error *error) {
    gali_recording *out = self->out;
    size_t frames = gali_size_mul(out->characters, out->frames);
    size_t samples = gali_size_mul(frames, out->samples);
    out->poses = rows(gali_size_mul(frames, out->joints), sizeof *out->poses);
    out->fed_back = rows(gali_size_mul(frames, out->joints), sizeof *out->fed_back);
    out->states = rows(frames, sizeof *out->states);
    out->inputs = rows(frames, sizeof *out->inputs);
    out->trajectory = rows(samples, sizeof *out->trajectory);
    out->trajectory_facing = rows(samples, sizeof *out->trajectory_facing);
    out->step_seconds = rows(out->frames, sizeof *out->step_seconds);
    if (!out->poses || !out->fed_back || !out->states || !out->inputs || !out->trajectory ||
        !out->trajectory_facing || !out->step_seconds) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to record %u frames of %u characters", out->frames,
                         out->characters);
    }
    return GAL_OK;
}

static gal_status add_characters(run *self, gal_error *error) {
    for (uint32_t i = 0; i < self->desc->characters; i++) {
        gal_status status = gal_crowd_add(self->crowd, &self->desc->spawns[i], &self->ids[i]);
        if (status != GAL_OK) {
            return gali_fail(error, status, "character %u could not be added: %s", i, gal_status_text(status));
        }
        gal_crowd_set_foot_lock(self->crowd, self->ids[i], !self->desc->no_foot_lock);
    }
    return GAL_OK;
}

static void set_inputs(run *self, uint32_t frame) {
    for (uint32_t i = 0; i < self->desc->characters; i++) {
        gal_character_state state;
        gal_input *input = &self->out->inputs[(size_t)i * self->out->frames + frame];
        gal_crowd_state(self->crowd, self->ids[i], &state);
        self->desc->player(self->desc->player_context, i, frame, &state, input);
        gal_crowd_set_input(self->crowd, self->ids[i], input);
    }
}

static void keep_frame(run *self, uint32_t frame) {
    gali_recording *out = self->out;
    for (uint32_t i = 0; i < out->characters; i++) {
        size_t at = (size_t)i * out->frames + frame;
        memcpy(out->poses + at * out->joints, gal_crowd_pose(self->crowd, self->ids[i], NULL),
               out->joints * sizeof *out->poses);
        gali_crowd_fed_back(self->crowd, self->ids[i], out->fed_back + at * out->joints);
        gal_crowd_state(self->crowd, self->ids[i], &out->states[at]);
        gal_crowd_trajectory(self->crowd, self->ids[i], out->trajectory + at * out->samples,
                             out->trajectory_facing + at * out->samples, out->samples);
    }
}

/* The clock as a profiler: what has gone by in each zone. */
static void begin_zone(void *context, gal_zone zone) {
    double *seconds = context;
    seconds[zone] -= gali_clock_seconds();
}

static void end_zone(void *context, gal_zone zone) {
    double *seconds = context;
    seconds[zone] += gali_clock_seconds();
}

static void run_frames(run *self) {
    gal_crowd_set_zones(self->crowd, &(gal_zones){begin_zone, end_zone, self->out->zone_seconds});
    for (uint32_t frame = 0; frame < self->desc->frames; frame++) {
        set_inputs(self, frame);
        double start = gali_clock_seconds();
        gal_crowd_step(self->crowd);
        self->out->step_seconds[frame] = gali_clock_seconds() - start;
        keep_frame(self, frame);
    }
    self->out->resets = gal_crowd_resets(self->crowd);
}

static gal_status record(run *self, gal_error *error) {
    gal_status status = add_characters(self, error);
    if (status != GAL_OK) {
        return status;
    }
    self->out->samples = gal_crowd_trajectory(self->crowd, self->ids[0], NULL, NULL, SAMPLES_MAX);
    status = make_arrays(self, error);
    if (status == GAL_OK) {
        run_frames(self);
    }
    return status;
}

gal_status gali_recording_make(gali_recording *out, const gali_recording_desc *desc, gal_error *error) {
    gal_crowd_desc crowd = {.controller = desc->controller,
                            .capacity = desc->characters,
                            .ground = desc->ground,
                            .ground_context = desc->ground_context};
    *out = (gali_recording){.characters = desc->characters,
                            .frames = desc->frames,
                            .joints = gal_controller_get_info(desc->controller).joints,
                            .crowd_bytes = gal_crowd_size(&crowd)};
    run self = {.desc = desc, .out = out, .ids = rows(desc->characters, sizeof(gal_character))};
    if (!self.ids) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %u characters", desc->characters);
    }
    gal_status status = gal_crowd_create(&self.crowd, &crowd, error);
    if (status == GAL_OK) {
        status = record(&self, error);
        gal_crowd_destroy(self.crowd);
    }
    free(self.ids);
    return status;
}

void gali_recording_release(gali_recording *recording) {
    free(recording->poses);
    free(recording->fed_back);
    free(recording->states);
    free(recording->inputs);
    free(recording->trajectory);
    free(recording->trajectory_facing);
    free(recording->step_seconds);
    *recording = (gali_recording){0};
}
