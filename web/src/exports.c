/*
 * What the WebAssembly module exports beside the functions of include/gallop/ whose arguments are numbers: the same
 * functions with their structs as arguments one by one, or as rows of doubles whose columns are named where they are
 * written. web/src/module.js is the only caller.
 */
#include "gallop/crowd.h"
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

/* The page's ground function; `index` says which crowd's. */
__attribute__((import_module("gallop"), import_name("ground"))) float host_ground(uint32_t index, float x,
                                                                                  float z);

static float ground_of_host(void *context, float x, float z) {
    return host_ground((uint32_t)(uintptr_t)context, x, z);
}

/* Memory of the page's: 64-byte aligned; NULL if there is none left. */
EXPORT("allocate") void *allocate(size_t size) {
    const size_t whole = (size + 63) & ~(size_t)63;
    return whole < size ? NULL : aligned_alloc(64, whole ? whole : 64);
}

EXPORT("release") void release(void *memory) {
    free(memory);
}

EXPORT("error_size") size_t error_size(void) {
    return sizeof(gal_error);
}

EXPORT("error_message") const char *error_message(const gal_error *error) {
    return error->message;
}

static gal_network_desc describe(int isa, int form, const char *plan, int precision, uint32_t block) {
    return (gal_network_desc){.isa = (gal_isa)isa,
                              .form = (gal_form)form,
                              .plan = plan,
                              .precision = (gal_precision)precision,
                              .block = block};
}

EXPORT("network_open")
gal_status network_open(gal_network **out, const void *data, size_t size, int isa, int form, const char *plan,
                        int precision, uint32_t block, gal_error *error) {
    const gal_network_desc desc = describe(isa, form, plan, precision, block);
    return gal_network_open_memory(out, data, size, &desc, error);
}

EXPORT("controller_open")
gal_status controller_open(gal_controller **out, const void *data, size_t size, int isa, int form,
                           const char *plan, int precision, uint32_t block, gal_error *error) {
    const gal_network_desc desc = describe(isa, form, plan, precision, block);
    return gal_controller_open_memory(out, data, size, &desc, error);
}

EXPORT("network_info") void network_info(const gal_network *network, double out[10]) {
    const gal_network_info info = gal_network_get_info(network);
    out[0] = info.inputs;
    out[1] = info.outputs;
    out[2] = info.live_inputs;
    out[3] = info.layers;
    out[4] = info.gate;
    out[5] = info.experts;
    out[6] = (double)info.parameters;
    out[7] = (double)info.memory;
    out[8] = info.isa;
    out[9] = info.precision;
}

EXPORT("network_run")
gal_status network_run(const gal_network *network, uint32_t count, const float *x, const float *phase,
                       const float *blend, float *y, void *workspace, size_t workspace_size, gal_error *error) {
    const gal_network_batch batch = {.count = count, .x = x, .phase = phase, .blend = blend, .y = y};
    return gal_network_run(network, &batch, workspace, workspace_size, error);
}

EXPORT("controller_info") const char *controller_info(const gal_controller *controller, double out[9]) {
    const gal_controller_info info = gal_controller_get_info(controller);
    out[0] = (double)info.rate;
    out[1] = (double)info.unit_metres;
    out[2] = info.joints;
    out[3] = info.contacts;
    out[4] = info.legs;
    out[5] = (double)info.speed_walk;
    out[6] = (double)info.speed_run;
    out[7] = info.can_crouch;
    out[8] = info.can_jump;
    return info.name;
}

EXPORT("joint_rest") void joint_rest(const gal_controller *controller, uint32_t joint, gal_transform *out) {
    *out = gal_controller_joint_rest(controller, joint);
}

/*
 * controllers: the crowd's and its stand-ins, GAL_LEVELS_MAX in all, NULL where there are fewer. ground: 0 flat, 1 the
 * page's function `index`, 2 the height field, which must outlive the crowd.
 */
EXPORT("crowd_create")
gal_status crowd_create(gal_crowd **out, const gal_controller *const controllers[GAL_LEVELS_MAX],
                        uint32_t capacity, int ground, uint32_t index, gal_height_field *field,
                        gal_error *error) {
    gal_group_desc group = {.controller = controllers[0], .capacity = capacity};
    memcpy(group.stand_ins, controllers + 1, sizeof group.stand_ins);
    gal_crowd_desc desc = {.groups = &group, .group_count = 1};
    if (ground == 1) {
        desc.ground = ground_of_host;
        desc.ground_context = (void *)(uintptr_t)index;
    } else if (ground == 2) {
        desc.ground = gal_height_field_ground;
        desc.ground_context = field;
    }
    return gal_crowd_create(out, &desc, error);
}

/* The height field, with its heights behind it: where they start; NULL if there is no memory. */
EXPORT("field_create")
gal_height_field *field_create(uint32_t rows, uint32_t columns, float cell, float origin_x, float origin_z) {
    gal_height_field *field = allocate(sizeof *field + (size_t)rows * columns * sizeof(float));
    if (field) {
        *field = (gal_height_field){(const float *)(field + 1), rows, columns, cell, origin_x, origin_z};
    }
    return field;
}

EXPORT("field_heights") const float *field_heights(const gal_height_field *field) {
    return field->heights;
}

EXPORT("crowd_add")
gal_status crowd_add(gal_crowd *crowd, float x, float z, float facing, float phase, gal_character *out) {
    return gal_crowd_add(crowd, &(gal_spawn){x, z, facing, phase}, out);
}

EXPORT("crowd_input")
gal_status crowd_input(gal_crowd *crowd, gal_character who, float move_x, float move_y, float run, float strafe,
                       float crouch, float camera_yaw, int responsive, int jump) {
    const gal_input input = {.move_x = move_x,
                             .move_y = move_y,
                             .run = run,
                             .strafe = strafe,
                             .crouch = crouch,
                             .camera_yaw = camera_yaw,
                             .responsive = responsive,
                             .jump = jump};
    return gal_crowd_set_input(crowd, who, &input);
}

__attribute__((import_module("gallop"), import_name("seconds"))) double host_seconds(void);

static double clock_of_host(void *context) {
    (void)context;
    return host_seconds();
}

/* By the host's clock; nominal: by none. microseconds under 0: no budget. */
EXPORT("crowd_set_budget")
gal_status crowd_set_budget(gal_crowd *crowd, float microseconds, int nominal) {
    const gal_budget budget = {.microseconds = microseconds, .clock = nominal ? NULL : clock_of_host};
    return gal_crowd_set_budget(crowd, microseconds < 0 ? NULL : &budget);
}

EXPORT("crowd_load") void crowd_load(const gal_crowd *crowd, double out[5]) {
    const gal_load load = gal_crowd_load(crowd);
    out[0] = (double)load.microseconds;
    out[1] = load.evaluated;
    out[2] = load.bridged;
    out[3] = load.waiting;
    out[4] = (double)load.bar;
}

/* frames 0: as the crowd decides. */
EXPORT("crowd_set_pace")
gal_status crowd_set_pace(gal_crowd *crowd, gal_character who, uint32_t frames, uint32_t level) {
    const gal_pace pace = {.frames = frames, .level = level};
    return gal_crowd_set_pace(crowd, who, frames ? &pace : NULL);
}

EXPORT("crowd_resets") double crowd_resets(const gal_crowd *crowd) {
    return (double)gal_crowd_resets(crowd);
}

EXPORT("crowd_pose") const gal_transform *crowd_pose(const gal_crowd *crowd, gal_character who) {
    return gal_crowd_pose(crowd, who, NULL);
}

/* The poses of all, [count][joints], between the last two steps; after the last where fraction is 1 or more. */
EXPORT("crowd_poses")
void crowd_poses(const gal_crowd *crowd, uint32_t joints, float fraction, gal_transform *out) {
    const uint32_t count = gal_crowd_count(crowd);
    for (uint32_t i = 0; i < count; i++, out += joints) {
        const gal_character who = gal_crowd_at(crowd, i);
        if (fraction < 1) {
            gal_crowd_pose_between(crowd, who, fraction, out);
        } else {
            memcpy(out, gal_crowd_pose(crowd, who, NULL), joints * sizeof *out);
        }
    }
}

EXPORT("crowd_state") gal_status crowd_state(const gal_crowd *crowd, gal_character who, float out[22]) {
    gal_character_state state;
    const gal_status status = gal_crowd_state(crowd, who, &state);
    if (status == GAL_OK) {
        out[0] = state.root.x;
        out[1] = state.root.y;
        out[2] = state.root.z;
        out[3] = state.facing;
        out[4] = state.phase;
        out[5] = state.speed;
        for (int i = 0; i < 16; i++) {
            out[6 + i] = state.contacts[i];
        }
    }
    return status;
}
