#include "judge_trace.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "hills.h"
#include "motion/controller.h"
#include "motion/vec.h"
#include "space.h"

/* A joint in the last frame: in the world, in the root frame, and how it had come there. */
typedef struct seen_joint {
    gal_vec3 world, local, way;
} seen_joint;

/* Where a character is seen from: its root. */
typedef struct root_frame {
    gal_vec3 origin;
    gali_vec2 facing;
} root_frame;

/* A crowd being run for a stage. */
typedef struct run {
    gali_judge_stage *stage;
    const gali_contract *contract;
    gali_hills hills;
    gal_crowd *crowd;
    gal_character *ids;
    seen_joint *seen; /* [count][joints] */
} run;

gal_status gali_judge_stage_make(gali_judge_stage *stage, gal_controller *controller, uint32_t frames,
                                 int hills, int free_too, gal_error *error) {
    uint32_t legs = controller->contract->leg_count;
    *stage = (gali_judge_stage){.controller = controller,
                                .frames = frames,
                                .interval = 1,
                                .feet = legs < GALI_JUDGE_FEET ? legs : GALI_JUDGE_FEET};
    stage->traces = calloc(2 * (size_t)gali_judge_script_count, sizeof *stage->traces);
    for (uint32_t i = 0; stage->traces && i < gali_judge_script_count; i++) {
        for (int lock = 0; lock <= 1; lock++) {
            if (gali_judge_scripts[i].hills != hills || (!lock && !free_too) ||
                !gali_judge_applies(&gali_judge_scripts[i], controller->contract)) {
                continue;
            }
            gali_judge_trace *trace = &stage->traces[stage->count++];
            trace->script = &gali_judge_scripts[i];
            trace->lock = lock;
            trace->frames = calloc(frames, sizeof *trace->frames);
            if (!trace->frames) {
                return gali_fail(error, GAL_NO_MEMORY, "no memory for %u frames", frames);
            }
        }
    }
    return stage->traces ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for the scripts");
}

void gali_judge_stage_release(gali_judge_stage *stage) {
    for (uint32_t i = 0; i < stage->count; i++) {
        free(stage->traces[i].frames);
    }
    free(stage->traces);
    *stage = (gali_judge_stage){0};
}

const gali_judge_trace *gali_judge_stage_find(const gali_judge_stage *stage, const gali_judge_script *script,
                                              int lock) {
    for (uint32_t i = 0; i < stage->count; i++) {
        if (stage->traces[i].script == script && stage->traces[i].lock == lock) {
            return &stage->traces[i];
        }
    }
    return NULL;
}

static float ground_at(const run *self, float x, float z) {
    return self->hills.steepest > 0 ? gali_hills_ground((void *)&self->hills, x, z) : 0;
}

static void keep_foot(const run *self, const gal_transform *pose, const gal_character_state *state,
                      uint32_t leg, gali_judge_foot *foot) {
    const gali_leg *joints = &self->contract->legs[leg];
    int32_t contact = self->stage->controller->leg_contact[leg];
    gal_vec3 toe = pose[joints->toe].position, heel = gali_vec3_sub(pose[joints->heel].position, state->root);
    float c = cosf(state->facing), s = sinf(state->facing);
    *foot = (gali_judge_foot){.toe = toe,
                              .ground = ground_at(self, toe.x, toe.z),
                              .heel_x = c * heel.x - s * heel.z,
                              .heel_z = s * heel.x + c * heel.z,
                              .contact = contact < 0 ? 0 : state->contacts[contact]};
}

static void count_bones(const run *self, const gal_transform *pose, gali_judge_trace *trace, float least) {
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        int32_t parent = self->contract->joints[j].parent;
        float rest = gali_vec3_length(self->contract->joints[j].rest.position);
        if (parent >= 0 && rest > least) {
            float length = gali_vec3_length(gali_vec3_sub(pose[j].position, pose[parent].position));
            float bin = 1000 * fabsf(length / rest - 1);
            trace->bones[bin < GALI_JUDGE_BINS - 1 ? (uint32_t)bin : GALI_JUDGE_BINS - 1]++;
        }
    }
}

/* The root that this frame's pose belongs to: predicted positions are those of the root before its step. */
static root_frame root_of_pose(const run *self, const gali_judge_trace *trace, uint32_t f) {
    if (!self->contract->hinge_count && f == 0) {
        return (root_frame){{0, 0, 0}, {0, 1}}; /* where all start */
    }
    const gali_judge_frame *frame = &trace->frames[self->contract->hinge_count ? f : f - 1];
    return (root_frame){frame->root, gali_facing_from_angle(frame->facing)};
}

static void keep_joint(gali_judge_frame *frame, seen_joint *seen, gal_vec3 world, root_frame root, uint32_t f) {
    gal_vec3 local = gali_vec3_unturn(root.facing, gali_vec3_sub(world, root.origin));
    gal_vec3 way = gali_vec3_sub(local, seen->local);
    frame->head = fmaxf(frame->head, world.y);
    if (f > 0) {
        frame->moved += gali_vec3_length(gali_vec3_sub(world, seen->world));
        frame->fastest = fmaxf(frame->fastest, gali_vec3_length(way));
    }
    if (f > 1) {
        frame->jump = fmaxf(frame->jump, gali_vec3_length(gali_vec3_sub(way, seen->way)));
    }
    *seen = (seen_joint){world, local, way};
}

static void keep(run *self, uint32_t index, uint32_t f) {
    gali_judge_trace *trace = &self->stage->traces[index];
    gali_judge_frame *frame = &trace->frames[f];
    uint32_t joints = self->contract->joint_count;
    const gal_transform *pose = gal_crowd_pose(self->crowd, self->ids[index], NULL);
    gal_character_state state;
    gal_crowd_state(self->crowd, self->ids[index], &state);
    *frame = (gali_judge_frame){.root = state.root,
                                .facing = state.facing,
                                .phase = state.phase,
                                .head = -INFINITY,
                                .lowest = INFINITY};
    root_frame root = root_of_pose(self, trace, f);
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 p = pose[j].position;
        trace->bad += isfinite(p.x + p.y + p.z) ? 0u : 1u;
        keep_joint(frame, &self->seen[(size_t)index * joints + j], p, root, f);
        frame->lowest = fminf(frame->lowest, p.y - ground_at(self, p.x, p.z));
    }
    float ground = ground_at(self, state.root.x, state.root.z);
    frame->moved /= (float)joints;
    frame->body = pose[0].position.y - ground;
    frame->head -= ground;
    for (uint32_t leg = 0; leg < self->stage->feet; leg++) {
        keep_foot(self, pose, &state, leg, &frame->feet[leg]);
    }
    count_bones(self, pose, trace, 0.01f / self->contract->unit);
}

static void run_frames(run *self) {
    gali_judge_stage *stage = self->stage;
    for (uint32_t f = 0; f < stage->frames; f++) {
        for (uint32_t i = 0; i < stage->count; i++) {
            gal_input input = gali_judge_input(stage->traces[i].script, (float)f / self->contract->rate);
            gal_crowd_set_input(self->crowd, self->ids[i], &input);
        }
        double start = gali_clock_seconds();
        gal_crowd_step(self->crowd);
        stage->step_seconds += gali_clock_seconds() - start;
        for (uint32_t i = 0; i < stage->count; i++) {
            keep(self, i, f);
        }
    }
    stage->resets = gal_crowd_resets(self->crowd);
}

static gal_status add_and_run(run *self, gal_error *error) {
    for (uint32_t i = 0; i < self->stage->count; i++) {
        gal_status status = gal_crowd_add(self->crowd, NULL, &self->ids[i]);
        if (status != GAL_OK) {
            return gali_fail(error, status, "character %u could not be added: %s", i, gal_status_text(status));
        }
        gal_crowd_set_pace(self->crowd, self->ids[i], &(gal_pace){.frames = self->stage->interval});
        gal_crowd_set_foot_lock(self->crowd, self->ids[i], self->stage->traces[i].lock);
    }
    run_frames(self);
    return GAL_OK;
}

gal_status gali_judge_stage_run(gali_judge_stage *stage, int hills, gal_error *error) {
    run self = {.stage = stage, .contract = stage->controller->contract};
    self.hills = (gali_hills){.unit = self.contract->unit, .steepest = hills ? 0.364f : 0};
    gal_crowd_desc desc = {.controller = stage->controller,
                           .capacity = stage->count,
                           .ground = hills ? gali_hills_ground : NULL,
                           .ground_context = &self.hills};
    self.ids = calloc(stage->count, sizeof *self.ids);
    self.seen = calloc((size_t)stage->count * self.contract->joint_count, sizeof *self.seen);
    gal_status status = self.ids && self.seen ? gal_crowd_create(&self.crowd, &desc, error)
                                              : gali_fail(error, GAL_NO_MEMORY, "no memory for the crowd");
    if (status == GAL_OK) {
        status = add_and_run(&self, error);
        gal_crowd_destroy(self.crowd);
    }
    free(self.ids);
    free(self.seen);
    return status;
}
