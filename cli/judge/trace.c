#include "judge/trace.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "motion/controller.h"
#include "motion/vec.h"
#include "space.h"

/*
 * A joint in the last frame: in the world, in the root frame, how it had come there, and how it was turned against its parent;
 * and the least and the most of its height over the first joint until then.
 */
typedef struct seen_joint {
    gal_vec3 world, local, way;
    gal_quat turn;
    float low, high;
} seen_joint;

/* Where a character is seen from: its root. */
typedef struct root_frame {
    gal_vec3 origin;
    gali_vec2 facing;
} root_frame;

/* A crowd being run for some traces of a stage. */
typedef struct run {
    const gali_judge_stage *stage;
    gali_judge_trace *traces; /* [count] of the stage's */
    uint32_t count;
    const gali_contract *contract;
    gal_crowd *crowd;
    gal_character *ids;
    gal_vec3 up[GALI_JUDGE_FEET];          /* of the foot at rest, seen from its heel joint */
    int32_t heel_contact[GALI_JUDGE_FEET]; /* -1: none */
    seen_joint *seen;                      /* [count][joints] */
} run;

uint32_t gali_judge_settled(uint32_t frames, float rate) {
    const float settle_seconds = 4;
    uint32_t settled = (uint32_t)(settle_seconds * rate);
    settled = settled < frames ? settled : frames / 2;
    return settled > 0 ? settled : 1;
}

gal_status gali_judge_stage_make(gali_judge_stage *stage, gal_controller *controller, uint32_t frames,
                                 gali_judge_ground_kind ground, int locks, gal_error *error) {
    uint32_t legs = controller->contract->leg_count;
    *stage = (gali_judge_stage){.controller = controller,
                                .ground = gali_judge_ground_make(ground, controller->contract->unit),
                                .frames = frames,
                                .interval = 1,
                                .feet = legs < GALI_JUDGE_FEET ? legs : GALI_JUDGE_FEET};
    stage->traces = calloc(2 * (size_t)gali_judge_script_count, sizeof *stage->traces);
    for (uint32_t i = 0; stage->traces && i < gali_judge_script_count; i++) {
        for (int lock = 0; lock <= 1; lock++) {
            if (gali_judge_scripts[i].ground != ground ||
                !(locks & (lock ? GALI_JUDGE_LOCKED : GALI_JUDGE_FREE)) ||
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
        free(stage->traces[i].joints);
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
    return gali_judge_ground_at((void *)(uintptr_t)&self->stage->ground, x, z);
}

static const float degrees_of = 180 / GALI_PI;
static const float planted = 0.5f; /* contact from which a joint counts as on the ground */

/* A joint's rotation at rest, in the world. */
static gal_quat rest_rotation(const gali_contract *contract, uint32_t joint) {
    gal_quat q = contract->joints[joint].rest.rotation;
    for (int32_t j = contract->joints[joint].parent; j >= 0; j = contract->joints[j].parent) {
        q = gali_quat_mul(contract->joints[j].rest.rotation, q);
    }
    return q;
}

static void find_soles(run *self) {
    for (uint32_t leg = 0; leg < self->stage->feet; leg++) {
        uint32_t heel = self->contract->legs[leg].heel;
        gal_quat rest = rest_rotation(self->contract, heel);
        self->up[leg] = gali_quat_turn(gali_quat_conjugate(rest), (gal_vec3){0, 1, 0});
        self->heel_contact[leg] = -1;
        for (uint32_t i = 0; i < self->contract->contact_count; i++) {
            if (self->contract->contact_joints[i] == heel) {
                self->heel_contact[leg] = (int32_t)i;
            }
        }
    }
}

static float angle_between(gal_vec3 a, gal_vec3 b) {
    return degrees_of * atan2f(gali_vec3_length(gali_vec3_cross(a, b)), gali_vec3_dot(a, b));
}

/* How the sole lies on the ground, where the foot has one and stands on it. */
static float sole_of(const run *self, const gal_transform *pose, const gal_character_state *state,
                     uint32_t leg) {
    const gali_leg *joints = &self->contract->legs[leg];
    int32_t toe = self->stage->controller->leg_contact[leg], heel = self->heel_contact[leg];
    if (joints->heel == joints->toe || toe < 0 || state->contacts[toe] <= planted ||
        (heel >= 0 && state->contacts[heel] <= planted)) {
        return NAN;
    }
    gal_vec3 at = pose[joints->toe].position, up = gali_quat_turn(pose[joints->heel].rotation, self->up[leg]);
    return angle_between(up, gali_judge_ground_normal(&self->stage->ground, at.x, at.z));
}

/* How far the pitch of a body on four legs is from that of the ground under it, positive where it tilts too little. */
static float lag_of(const run *self, const gal_transform *pose, const gal_character_state *state) {
    const float half = 0.25f / self->contract->unit;
    gali_vec2 facing = gali_facing_from_angle(state->facing);
    float x = pose[0].position.x, z = pose[0].position.z, dx = half * facing.x, dz = half * facing.z;
    if (self->contract->leg_count < 4) {
        return NAN;
    }
    float slope = atan2f(ground_at(self, x + dx, z + dz) - ground_at(self, x - dx, z - dz), 2 * half);
    gal_quat rest = rest_rotation(self->contract, 0);
    gal_vec3 ahead =
        gali_quat_turn(gali_quat_mul(pose[0].rotation, gali_quat_conjugate(rest)), (gal_vec3){0, 0, 1});
    float pitch = atan2f(ahead.y, hypotf(ahead.x, ahead.z));
    return degrees_of * (slope < 0 ? pitch - slope : slope - pitch);
}

/* The lowest ground within a centimetre: who is not under it is not deeper in an edge than that. */
static float lowest_ground(const run *self, float x, float z) {
    const float reach = 0.01f / self->contract->unit;
    float along_x = fminf(ground_at(self, x - reach, z), ground_at(self, x + reach, z));
    float along_z = fminf(ground_at(self, x, z - reach), ground_at(self, x, z + reach));
    return fminf(ground_at(self, x, z), fminf(along_x, along_z));
}

static void keep_foot(const run *self, const gal_transform *pose, const gal_character_state *state,
                      uint32_t leg, gali_judge_foot *foot) {
    const gali_leg *joints = &self->contract->legs[leg];
    int32_t contact = self->stage->controller->leg_contact[leg];
    gal_vec3 toe = pose[joints->toe].position, heel = gali_vec3_sub(pose[joints->heel].position, state->root);
    float c = cosf(state->facing), s = sinf(state->facing);
    *foot = (gali_judge_foot){.toe = toe,
                              .ground = ground_at(self, toe.x, toe.z),
                              .lowest = lowest_ground(self, toe.x, toe.z),
                              .heel_x = c * heel.x - s * heel.z,
                              .heel_z = s * heel.x + c * heel.z,
                              .contact = contact < 0 ? 0 : state->contacts[contact],
                              .sole = sole_of(self, pose, state, leg)};
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

/* Joint j's rotation in the frame of what it hangs on: its parent, or the root. */
static gal_quat turn_of(const run *self, const gal_transform *pose, root_frame root, uint32_t j) {
    int32_t parent = self->contract->joints[j].parent;
    gal_quat base = parent < 0 ? gali_quat_from_facing(root.facing) : pose[parent].rotation;
    return gali_quat_mul(gali_quat_conjugate(base), pose[j].rotation);
}

static float degrees_turned(gal_quat from, gal_quat to) {
    gal_quat by = gali_quat_mul(gali_quat_conjugate(from), to);
    return 2 * degrees_of * atan2f(gali_vec3_length((gal_vec3){by.x, by.y, by.z}), fabsf(by.w));
}

/*
 * How far the bone from joint j to `end`, below it, is twisted about its own line: what is left of its turn from rest when the
 * shortest turn that takes its line there is taken off.
 */
static float twist_of(const gali_contract *contract, uint32_t j, uint32_t end, gal_quat turn) {
    uint32_t child = end;
    while (contract->joints[child].parent != (int32_t)j) {
        child = (uint32_t)contract->joints[child].parent;
    }
    gal_vec3 line = gali_vec3_unit(contract->joints[child].rest.position, (gal_vec3){0, 1, 0});
    gal_quat by = gali_quat_mul(gali_quat_conjugate(contract->joints[j].rest.rotation), turn);
    float about = gali_vec3_dot((gal_vec3){by.x, by.y, by.z}, line);
    return 2 * degrees_of * fabsf(by.w < 0 ? atan2f(-about, -by.w) : atan2f(about, by.w));
}

/* Turns of joints and twists of legs. */
static void keep_turns(run *self, uint32_t index, const gal_transform *pose, root_frame root, uint32_t f) {
    const gali_contract *contract = self->contract;
    gali_judge_frame *frame = &self->traces[index].frames[f];
    seen_joint *seen = &self->seen[(size_t)index * contract->joint_count];
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        gal_quat turn = turn_of(self, pose, root, j);
        frame->turned = f > 0 ? fmaxf(frame->turned, degrees_turned(seen[j].turn, turn)) : 0;
        seen[j].turn = turn;
    }
    for (uint32_t leg = 0; leg < self->stage->feet; leg++) {
        const gali_leg *of = &contract->legs[leg];
        frame->twist = fmaxf(frame->twist, twist_of(contract, of->hip, of->knee, seen[of->hip].turn));
        frame->twist = fmaxf(frame->twist, twist_of(contract, of->knee, of->heel, seen[of->knee].turn));
    }
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
    seen->world = world;
    seen->local = local;
    seen->way = way;
}

/* How far joints go up and down against the first one; `first`: nothing was seen yet. */
static void keep_span(run *self, uint32_t index, const gal_transform *pose, int first) {
    gali_judge_trace *trace = &self->traces[index];
    seen_joint *seen = &self->seen[(size_t)index * self->contract->joint_count];
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        float height = pose[j].position.y - pose[0].position.y;
        seen[j].low = first ? height : fminf(seen[j].low, height);
        seen[j].high = first ? height : fmaxf(seen[j].high, height);
        trace->span = fmaxf(trace->span, seen[j].high - seen[j].low);
    }
}

static void keep(run *self, uint32_t index, uint32_t f) {
    gali_judge_trace *trace = &self->traces[index];
    gali_judge_frame *frame = &trace->frames[f];
    uint32_t joints = self->contract->joint_count;
    const gal_transform *pose = gal_crowd_pose(self->crowd, self->ids[index], NULL);
    gal_character_state state;
    gal_crowd_state(self->crowd, self->ids[index], &state);
    *frame = (gali_judge_frame){.root = state.root,
                                .facing = state.facing,
                                .phase = state.phase,
                                .hips = pose[0].position,
                                .lag = lag_of(self, pose, &state),
                                .head = -INFINITY,
                                .lowest = INFINITY};
    root_frame root = root_of_pose(self, trace, f);
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 p = pose[j].position;
        if (trace->joints) {
            trace->joints[(size_t)f * joints + j] = p;
        }
        trace->bad += isfinite(p.x + p.y + p.z) ? 0u : 1u;
        keep_joint(frame, &self->seen[(size_t)index * joints + j], p, root, f);
        frame->lowest = fminf(frame->lowest, p.y - ground_at(self, p.x, p.z));
    }
    keep_turns(self, index, pose, root, f);
    uint32_t settled = gali_judge_settled(self->stage->frames, self->contract->rate);
    if (f >= settled) {
        keep_span(self, index, pose, f == settled);
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

static void run_frames(run *self, gali_judge_cost *cost) {
    for (uint32_t f = 0; f < self->stage->frames; f++) {
        for (uint32_t i = 0; i < self->count; i++) {
            gal_input input = gali_judge_input(self->traces[i].script, (float)f / self->contract->rate);
            gal_crowd_set_input(self->crowd, self->ids[i], &input);
        }
        double start = gali_clock_thread_seconds();
        gal_crowd_step(self->crowd);
        cost->step_seconds += gali_clock_thread_seconds() - start;
        for (uint32_t i = 0; i < self->count; i++) {
            keep(self, i, f);
        }
    }
    cost->resets += gal_crowd_resets(self->crowd);
}

static gal_status keep_joints(run *self, gal_error *error) {
    size_t count = (size_t)self->stage->frames * self->contract->joint_count;
    for (uint32_t i = 0; self->stage->keeps_joints && i < self->count; i++) {
        gali_judge_trace *trace = &self->traces[i];
        trace->joints = trace->lock ? calloc(count, sizeof *trace->joints) : NULL;
        if (trace->lock && !trace->joints) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory for %u frames of joints", self->stage->frames);
        }
    }
    return GAL_OK;
}

static gal_status add_all(run *self, gal_error *error) {
    for (uint32_t i = 0; i < self->count; i++) {
        gal_status status = gal_crowd_add(self->crowd, NULL, &self->ids[i]);
        if (status != GAL_OK) {
            return gali_fail(error, status, "character %u could not be added: %s", i, gal_status_text(status));
        }
        if (gal_crowd_set_pace(self->crowd, self->ids[i], &(gal_pace){.frames = self->stage->interval}) !=
            GAL_OK) {
            return gali_fail(
                error, GAL_BAD_DATA,
                "%u frames an evaluation, of 8 at most and of the %u that the contract's window has before now",
                self->stage->interval, self->contract->past);
        }
        gal_crowd_set_foot_lock(self->crowd, self->ids[i], self->traces[i].lock);
    }
    return GAL_OK;
}

gal_status gali_judge_stage_run(const gali_judge_stage *stage, uint32_t first, uint32_t count,
                                gali_judge_cost *cost, gal_error *error) {
    run self = {.stage = stage,
                .traces = &stage->traces[first],
                .count = count,
                .contract = stage->controller->contract};
    gal_crowd_desc desc = {.controller = stage->controller,
                           .capacity = count,
                           .ground = stage->ground.kind == GALI_GROUND_FLAT ? NULL : gali_judge_ground_at,
                           .ground_context = (void *)(uintptr_t)&stage->ground};
    find_soles(&self);
    self.ids = calloc(count, sizeof *self.ids);
    self.seen = calloc((size_t)count * self.contract->joint_count, sizeof *self.seen);
    gal_status status = self.ids && self.seen ? gal_crowd_create(&self.crowd, &desc, error)
                                              : gali_fail(error, GAL_NO_MEMORY, "no memory for the crowd");
    if (status == GAL_OK) {
        status = keep_joints(&self, error);
        status = status == GAL_OK ? add_all(&self, error) : status;
        if (status == GAL_OK) {
            run_frames(&self, cost);
        }
        gal_crowd_destroy(self.crowd);
    }
    free(self.ids);
    free(self.seen);
    return status;
}
