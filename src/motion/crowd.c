/*
 * Crowds: places for characters in one block of memory, handles, and what is asked of a character.
 *
 * Memory for N places in all groups, each part aligned to 64 bytes, all sizes from the groups' contracts:
 *     gal_crowd, then N gali_character, N gali_pace, order uint32[N], generation uint32[N], lost bytes[N],
 *     for the rows of one group at a time, each as long as the group that needs most of it:
 *         rows uint32[], x float[][inputs], y float[][outputs], phase float[], the network's workspace,
 *     and per place: path position, direction, velocity, hinge angle, rate, gait, joint position,
 *     velocity, pose, pose before, pose of the bridge, local pose, inertia, memory.
 */
#include "motion/crowd.h"

#include <stdio.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "motion/crowd_parts.h"
#include "motion/feet.h"
#include "motion/skeleton.h"
#include "motion/snapshot.h"
#include "motion/step.h"
#include "motion/teleport.h"
#include "network/gate.h"

enum {
    CAPACITY_DEFAULT = 16,
    YAW_TURNS = 4096, /* within which a camera's yaw is taken as it is */
};

static gal_crowd_desc resolve_crowd(const gal_crowd_desc *desc) {
    gal_crowd_desc all;
    gali_desc_read(&all, sizeof all, desc, desc->struct_size);
    return all;
}

static uint32_t group_count_of(const gal_crowd_desc *desc) {
    return desc->groups ? desc->group_count : 1;
}

/* The g-th group, its defaults filled in. */
static gal_group_desc group_of(const gal_crowd_desc *desc, uint32_t g) {
    gal_group_desc group = {.controller = desc->controller, .capacity = desc->capacity};
    if (desc->groups) {
        group = desc->groups[g];
    }
    group.capacity = group.capacity ? group.capacity : CAPACITY_DEFAULT;
    return group;
}

static void *place_part(unsigned char *base, size_t *at, size_t count, size_t bytes) {
    size_t start = *at;
    *at = gali_size_align(gali_size_add(start, gali_size_mul(count, bytes)), GALI_ALIGNMENT);
    return base ? base + start : NULL;
}

static void place_character(unsigned char *base, size_t *at, const gali_contract *contract,
                            gali_character *character) {
    size_t window = contract->past + contract->future, joints = contract->joint_count;
    gali_character parts = {0};
    parts.path.position = place_part(base, at, window, sizeof(gal_vec3));
    parts.path.direction = place_part(base, at, window, sizeof(gali_vec2));
    parts.path.velocity = place_part(base, at, window, sizeof(gali_vec2));
    parts.hinged.angle = place_part(base, at, contract->hinge_count, sizeof(float));
    parts.hinged.rate = place_part(base, at, contract->hinge_count, sizeof(float));
    parts.path.gait = place_part(base, at, gali_size_mul(window, contract->gait_count), sizeof(float));
    parts.position = place_part(base, at, joints, sizeof(gal_vec3));
    parts.velocity = place_part(base, at, joints, sizeof(gal_vec3));
    parts.pose = place_part(base, at, joints, sizeof(gal_transform));
    parts.pose_before = place_part(base, at, joints, sizeof(gal_transform));
    parts.pose_bridge = place_part(base, at, joints, sizeof(gal_transform));
    size_t inert = contract->rules.inertia_jump > 0 ? joints : 0;
    parts.local = place_part(base, at, inert, sizeof(gal_transform));
    parts.turn_shown = place_part(base, at, inert, sizeof(gali_inertia));
    parts.memory = place_part(base, at, contract->memory_count, sizeof(float));
    if (character) {
        *character = parts;
    }
}

static size_t most_of(size_t a, size_t b) {
    return a > b ? a : b;
}

/* What a crowd must have room for, over its groups; GALI_SIZE_BAD, the largest of all sizes, sticks. */
typedef struct crowd_sizes {
    uint32_t places;
    size_t rows, x, y, workspace; /* of the group that needs most: rows, floats, floats, bytes */
} crowd_sizes;

/* Levels of a group; its controller is the first. */
static uint32_t find_levels(const gal_group_desc *group, const gal_controller **levels) {
    uint32_t count = 1;
    levels[0] = group->controller;
    while (count < GAL_LEVELS_MAX && group->stand_ins[count - 1]) {
        levels[count] = group->stand_ins[count - 1];
        count++;
    }
    return count;
}

static void measure_level(crowd_sizes *sizes, const gal_controller *level, uint32_t capacity) {
    size_t workspace = gal_network_workspace_size(level->network, capacity);
    sizes->x = most_of(sizes->x, gali_size_mul(capacity, level->contract->inputs));
    sizes->y = most_of(sizes->y, gali_size_mul(capacity, level->contract->outputs));
    sizes->workspace = most_of(sizes->workspace, workspace ? workspace : GALI_SIZE_BAD);
}

static crowd_sizes measure_groups(const gal_crowd_desc *desc) {
    crowd_sizes sizes = {0};
    for (uint32_t g = 0; g < group_count_of(desc); g++) {
        const gal_group_desc group = group_of(desc, g);
        const gal_controller *levels[GAL_LEVELS_MAX];
        uint32_t level_count = find_levels(&group, levels);
        for (uint32_t level = 0; level < level_count; level++) {
            measure_level(&sizes, levels[level], group.capacity);
        }
        sizes.places += group.capacity;
        sizes.rows = most_of(sizes.rows, group.capacity);
    }
    return sizes;
}

static size_t place_characters(unsigned char *base, size_t at, const gal_crowd_desc *desc,
                               gali_character *characters) {
    for (uint32_t g = 0; g < group_count_of(desc); g++) {
        const gal_group_desc group = group_of(desc, g);
        for (uint32_t i = 0; i < group.capacity && at != GALI_SIZE_BAD; i++) {
            place_character(base, &at, group.controller->contract, base ? characters++ : NULL);
        }
    }
    return at;
}

/* Lays the crowd out in base (NULL: only measures); returns the bytes or GALI_SIZE_BAD. */
static size_t place_crowd(unsigned char *base, const gal_crowd_desc *desc, gal_crowd *crowd) {
    const crowd_sizes sizes = measure_groups(desc);
    size_t at = 0;
    gal_crowd parts = *crowd;
    place_part(base, &at, 1, sizeof(gal_crowd));
    parts.characters = place_part(base, &at, sizes.places, sizeof(gali_character));
    parts.paces = place_part(base, &at, sizes.places, sizeof(gali_pace));
    parts.order = place_part(base, &at, sizes.places, sizeof(uint32_t));
    parts.generation = place_part(base, &at, sizes.places, sizeof(uint32_t));
    parts.lost = place_part(base, &at, sizes.places, 1);
    parts.rows = place_part(base, &at, sizes.rows, sizeof(uint32_t));
    parts.x = place_part(base, &at, sizes.x, sizeof(float));
    parts.y = place_part(base, &at, sizes.y, sizeof(float));
    parts.phase = place_part(base, &at, sizes.rows, sizeof(float));
    parts.workspace = place_part(base, &at, sizes.workspace, 1);
    parts.workspace_size = sizes.workspace;
    parts.capacity = sizes.places;
    *crowd = parts;
    return place_characters(base, at, desc, parts.characters);
}

static gal_status check_controller(const gal_controller *controller, gal_error *error) {
    const gal_network_info network = gal_network_get_info(controller->network);
    if (network.gate == GAL_GATE_CALLER && network.experts > 1) {
        return gali_fail(error, GAL_BAD_DATA,
                         "the network's blend is the caller's, and a crowd has none to give");
    }
    return gali_contract_complete(controller->contract, network.gate, error);
}

/* One step is a frame of them all, over one ground. */
static gal_status check_alike(const gali_contract *first, const gali_contract *contract, uint32_t g,
                              gal_error *error) {
    if (contract->rate != first->rate || contract->unit != first->unit) {
        return gali_fail(
            error, GAL_BAD_ARGUMENT,
            "gal_crowd_desc.groups[%u]: %s has %g frames a second and a unit of %g m, %s %g and %g", g,
            contract->name, (double)contract->rate, (double)contract->unit, first->name, (double)first->rate,
            (double)first->unit);
    }
    return GAL_OK;
}

static gal_status check_levels(const gal_crowd_desc *desc, uint32_t g, gal_error *error) {
    const gal_group_desc group = group_of(desc, g);
    const gal_controller *levels[GAL_LEVELS_MAX];
    uint32_t level_count = find_levels(&group, levels);
    gal_status status = GAL_OK;
    for (uint32_t level = 0; level < level_count && status == GAL_OK; level++) {
        const gali_contract *contract = levels[level]->contract;
        status = check_controller(levels[level], error);
        if (status == GAL_OK) {
            status = check_alike(group_of(desc, 0).controller->contract, contract, g, error);
        }
        if (status == GAL_OK && !gali_snapshot_fits(levels[0]->contract, contract)) {
            return gali_fail(
                error, GAL_BAD_ARGUMENT,
                "gal_crowd_desc.groups[%u].stand_ins[%u]: %s has other joints, hinges, gaits, window, "
                "memory or inertia than %s",
                g, level - 1, contract->name, levels[0]->contract->name);
        }
    }
    return status;
}

static gal_status fail_without_controller(const gal_crowd_desc *desc, uint32_t g, gal_error *error) {
    char place[32] = "";
    if (desc->groups) {
        snprintf(place, sizeof place, "groups[%u].", g);
    }
    return gali_fail(error, GAL_BAD_ARGUMENT,
                     "gal_crowd_desc.%scontroller is NULL: if gal_controller_open gave it, that failed; its "
                     "status and its error say why (often a path that is not there)",
                     place);
}

static gal_status check_groups(const gal_crowd_desc *desc, gal_error *error) {
    uint64_t capacity = 0;
    gal_status status = GAL_OK;
    for (uint32_t g = 0; g < group_count_of(desc) && status == GAL_OK; g++) {
        const gal_group_desc group = group_of(desc, g);
        if (!group.controller) {
            return fail_without_controller(desc, g, error);
        }
        capacity += group.capacity;
        status = check_levels(desc, g, error);
    }
    if (status == GAL_OK && capacity > GALI_CROWD_CAPACITY_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.capacity is %llu, at most %d",
                         (unsigned long long)capacity, GALI_CROWD_CAPACITY_MOST);
    }
    return status;
}

static gal_status check_desc(const gal_crowd_desc *desc, gal_error *error) {
    if (!desc->groups && desc->group_count) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.groups is NULL, but group_count is %u",
                         desc->group_count);
    }
    if (desc->groups && desc->controller) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc has both a controller and groups");
    }
    if (desc->groups && (desc->group_count == 0 || desc->group_count > GAL_GROUPS_MAX)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.group_count is %u, expected 1..%d",
                         desc->group_count, GAL_GROUPS_MAX);
    }
    return check_groups(desc, error);
}

static void make_groups(gal_crowd *crowd, const gal_crowd_desc *desc) {
    uint32_t first = 0;
    crowd->group_count = group_count_of(desc);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gal_group_desc group = group_of(desc, g);
        crowd->groups[g] = (gali_group){.first = first, .capacity = group.capacity};
        crowd->groups[g].level_count = find_levels(&group, crowd->groups[g].levels);
        first += group.capacity;
    }
}

size_t gal_crowd_size(const gal_crowd_desc *desc) {
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_crowd crowd = {0};
    if (check_desc(&all, NULL) != GAL_OK) {
        return 0;
    }
    size_t size = place_crowd(NULL, &all, &crowd);
    return size == GALI_SIZE_BAD ? 0 : size;
}

gal_status gal_crowd_init(gal_crowd **out, void *memory, size_t size, const gal_crowd_desc *desc,
                          gal_error *error) {
    *out = NULL;
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_status status = check_desc(&all, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t need = gal_crowd_size(&all);
    if (!memory || !need || size < need) {
        return gali_fail(error, GAL_NO_MEMORY, "crowd memory of %zu bytes, %zu needed", size, need);
    }
    if ((uintptr_t)memory % GALI_ALIGNMENT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "crowd memory is not aligned to %d bytes", GALI_ALIGNMENT);
    }
    memset(memory, 0, need);
    gal_crowd *crowd = memory;
    make_groups(crowd, &all);
    crowd->ground = (gali_ground){all.ground, all.ground_context};
    if (all.parallel) {
        crowd->parallel = *all.parallel;
    }
    place_crowd(memory, &all, crowd);
    *out = crowd;
    return GAL_OK;
}

gal_status gal_crowd_create(gal_crowd **out, const gal_crowd_desc *desc, gal_error *error) {
    *out = NULL;
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_status status = check_desc(&all, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t size = gal_crowd_size(&all);
    void *memory = size ? gali_allocate(all.allocator, size) : NULL;
    if (!memory) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a crowd of %zu bytes", size);
    }
    status = gal_crowd_init(out, memory, size, &all, error);
    if (status != GAL_OK) {
        gali_release(all.allocator, memory, size);
        return status;
    }
    (*out)->memory = size;
    (*out)->allocator = all.allocator ? *all.allocator : (gal_allocator){0};
    return GAL_OK;
}

void gal_crowd_destroy(gal_crowd *crowd) {
    if (crowd && crowd->memory) {
        gal_allocator allocator = crowd->allocator;
        gali_release(&allocator, crowd, crowd->memory);
    }
}

static gali_character *find(const gal_crowd *crowd, gal_character handle) {
    uint32_t place = (handle & 0xffffu) - 1;
    if (place >= crowd->capacity || crowd->characters[place].handle != handle) {
        return NULL;
    }
    return &crowd->characters[place];
}

static uint32_t place_in(const gal_crowd *crowd, const gali_character *character) {
    return (uint32_t)(character - crowd->characters);
}

static const gal_controller *controller_of(const gal_crowd *crowd, const gali_character *character) {
    return gali_crowd_controller(crowd, place_in(crowd, character));
}

static const gali_contract *contract_of(const gal_crowd *crowd, const gali_character *character) {
    return controller_of(crowd, character)->contract;
}

/* Frames that its state is ahead of what the caller sees. */
static uint32_t left_of(const gal_crowd *crowd, const gali_character *character) {
    return crowd->paces[place_in(crowd, character)].left;
}

/* The pose that the caller sees. */
static const gal_transform *pose_of(const gal_crowd *crowd, const gali_character *character) {
    return left_of(crowd, character) > 0 ? character->pose_bridge : character->pose;
}

static uint32_t free_place(const gal_crowd *crowd, const gali_group *group) {
    uint32_t place = group->first;
    while (crowd->characters[place].handle) {
        place++;
    }
    return place;
}

gal_status gal_crowd_add(gal_crowd *crowd, const gal_spawn *spawn, gal_character *out) {
    *out = 0;
    gal_spawn at = spawn ? *spawn : (gal_spawn){0};
    if (!gali_is_place(at.x) || !gali_is_place(at.z) || !isfinite(at.facing) || !isfinite(at.phase) ||
        at.group >= crowd->group_count) {
        return GAL_BAD_ARGUMENT;
    }
    gali_group *group = &crowd->groups[at.group];
    if (group->count == group->capacity) {
        return GAL_FULL;
    }
    uint32_t place = free_place(crowd, group);
    gali_character *character = &crowd->characters[place];
    crowd->generation[place] = crowd->generation[place] % 0xffffu + 1;
    character->handle = crowd->generation[place] << 16 | (place + 1);
    character->input = (gal_input){0};
    character->foot_lock = 1;
    gali_step_reset(character, group->levels[0], &crowd->ground, at.x, at.z, at.facing, at.phase);
    crowd->paces[place] = (gali_pace){0};
    group->count++;
    crowd->order[crowd->count++] = place;
    *out = character->handle;
    gali_record_add(&crowd->recorder, &at, character->handle);
    return GAL_OK;
}

gal_status gal_crowd_remove(gal_crowd *crowd, gal_character handle) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    character->handle = 0;
    uint32_t place = place_in(crowd, character), kept = 0;
    crowd->groups[gali_crowd_group(crowd, place)].count--;
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->order[i] != place) {
            crowd->order[kept++] = crowd->order[i];
        }
    }
    crowd->count = kept;
    gali_record_call(&crowd->recorder, GALI_RECORD_REMOVE, &handle);
    return GAL_OK;
}

uint32_t gal_crowd_count(const gal_crowd *crowd) {
    return crowd->count;
}

const gal_controller *gal_crowd_controller(const gal_crowd *crowd, gal_character handle) {
    const gali_character *character = find(crowd, handle);
    return character ? controller_of(crowd, character) : NULL;
}

gal_character gal_crowd_at(const gal_crowd *crowd, uint32_t index) {
    return index < crowd->count ? crowd->characters[crowd->order[index]].handle : 0;
}

gal_status gal_crowd_set_input(gal_crowd *crowd, gal_character handle, const gal_input *input) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    gali_vec2 stick = {isfinite(input->move_x) ? input->move_x : 0,
                       isfinite(input->move_y) ? input->move_y : 0};
    float length = gali_vec2_length(stick);
    float scale = length > 1 ? 1 / length : 1; /* a square stick is no faster on the diagonal */
    character->input = (gal_input){
        .move_x = stick.x * scale,
        .move_y = stick.z * scale,
        .run = gali_clamp(input->run, 0, 1),
        .strafe = gali_clamp(input->strafe, 0, 1),
        .crouch = gali_clamp(input->crouch, 0, 1),
        .camera_yaw = isfinite(input->camera_yaw) ? fmodf(input->camera_yaw, (float)YAW_TURNS * GALI_TURN) : 0,
        .responsive = input->responsive,
        .jump = input->jump,
    };
    gali_record_input(&crowd->recorder, handle, &character->input);
    return GAL_OK;
}

gal_status gal_crowd_set_foot_lock(gal_crowd *crowd, gal_character handle, int on) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    if (on && !character->foot_lock) {
        gali_feet_reset(character, controller_of(crowd, character), &crowd->ground);
    }
    character->foot_lock = on != 0;
    const uint32_t call[] = {handle, on != 0};
    gali_record_call(&crowd->recorder, GALI_RECORD_FOOT_LOCK, call);
    return GAL_OK;
}

gal_status gal_crowd_teleport(gal_crowd *crowd, gal_character handle, float x, float z, float facing) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    if (!gali_is_place(x) || !gali_is_place(z) || !isfinite(facing)) {
        return GAL_BAD_ARGUMENT;
    }
    gali_teleport(character, contract_of(crowd, character), &crowd->ground, left_of(crowd, character), x, z,
                  facing);
    if (!gali_snapshot_is_in_range(character, contract_of(crowd, character))) {
        gali_step_reset(character, controller_of(crowd, character), &crowd->ground, x, z, facing, 0);
        crowd->paces[place_in(crowd, character)].left = 0;
        crowd->resets++;
    }
    gali_record_teleport(&crowd->recorder, handle, x, z, facing);
    return GAL_OK;
}

gal_status gal_crowd_set_pace(gal_crowd *crowd, gal_character handle, const gal_pace *pace) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    uint32_t place = place_in(crowd, character);
    const gal_pace chosen = pace ? *pace : (gal_pace){0};
    if (pace && (chosen.frames < 1 || chosen.frames > GALI_FRAMES_MAX ||
                 chosen.level >= crowd->groups[gali_crowd_group(crowd, place)].level_count)) {
        return GAL_BAD_ARGUMENT;
    }
    crowd->paces[place].fixed_frames = (uint8_t)chosen.frames;
    crowd->paces[place].fixed_level = (uint8_t)chosen.level;
    return GAL_OK;
}

gal_status gal_crowd_pace(const gal_crowd *crowd, gal_character handle, gal_pace *out) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    *out = (gal_pace){character->frames, crowd->paces[place_in(crowd, character)].level};
    return GAL_OK;
}

uint64_t gal_crowd_resets(const gal_crowd *crowd) {
    return crowd->resets;
}

const gal_transform *gal_crowd_pose(const gal_crowd *crowd, gal_character handle, uint32_t *joint_count) {
    const gali_character *character = find(crowd, handle);
    if (joint_count) {
        *joint_count = character ? contract_of(crowd, character)->joint_count : 0;
    }
    return character ? pose_of(crowd, character) : NULL;
}

const gal_vec3 *gali_crowd_fed_back(const gal_crowd *crowd, gal_character handle) {
    const gali_character *character = find(crowd, handle);
    return character ? character->position : NULL;
}

const float *gali_crowd_memory(const gal_crowd *crowd, gal_character handle) {
    const gali_character *character = find(crowd, handle);
    return character ? character->memory : NULL;
}

gal_status gal_crowd_pose_between(const gal_crowd *crowd, gal_character handle, float fraction,
                                  gal_transform *out) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    const gal_transform *pose = pose_of(crowd, character);
    float t = gali_clamp(fraction, 0, 1);
    for (uint32_t j = 0; j < contract_of(crowd, character)->joint_count; j++) {
        const gal_transform *from = &character->pose_before[j], *to = &pose[j];
        out[j] = (gal_transform){gali_vec3_mix(from->position, to->position, t),
                                 gali_quat_mix(from->rotation, to->rotation, t)};
    }
    return GAL_OK;
}

gal_status gal_crowd_pose_local(const gal_crowd *crowd, gal_character handle, gal_transform *out) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    gali_skeleton_local(contract_of(crowd, character), pose_of(crowd, character), out);
    return GAL_OK;
}

gal_status gal_crowd_state(const gal_crowd *crowd, gal_character handle, gal_character_state *out) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    const gali_contract *contract = contract_of(crowd, character);
    uint32_t left = left_of(crowd, character), now = contract->past - left;
    gal_vec3 at = character->path.position[now];
    *out = (gal_character_state){
        .root = {at.x, left > 0 ? character->height_bridge : character->path.height, at.z},
        .facing = gali_facing_angle(character->path.direction[now]),
        .phase = left > 0 ? (float)gali_gate_wrap(character->phase - (float)left * character->phase_step)
                          : character->phase,
        .speed = character->step * contract->rate,
    };
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        out->contacts[i] = gali_feet_contact(character, contract, i);
    }
    return GAL_OK;
}

uint32_t gal_crowd_trajectory(const gal_crowd *crowd, gal_character handle, gal_vec3 *points, float *facings,
                              uint32_t capacity) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return 0;
    }
    const gali_contract *contract = contract_of(crowd, character);
    int32_t now = (int32_t)(contract->past - left_of(crowd, character));
    for (uint32_t s = 0; s < contract->sample_count && s < capacity; s++) {
        int32_t sample = now + contract->samples[s];
        size_t i = sample > 0 ? (size_t)sample : 0; /* the path does not reach further back */
        if (points) {
            points[s] = character->path.position[i];
        }
        if (facings) {
            facings[s] = gali_facing_angle(character->path.direction[i]);
        }
    }
    return contract->sample_count;
}
