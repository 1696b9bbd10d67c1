/*
 * Crowds: places for characters in one block of memory, handles, and the step.
 *
 * Memory for capacity N, each part aligned to 64 bytes, all sizes from the contract:
 *     gal_crowd, then N gali_character, order uint32[N], generation uint32[N], lost bytes[N],
 *     x float[N][inputs], y float[N][outputs], phase float[N], the network's workspace for N,
 *     and per character: path position, direction, velocity, hinge angle, rate, gait, joint position,
 *     velocity, pose, pose before, local pose, inertia, memory.
 */
#include "motion/crowd.h"

#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "motion/crowd_parts.h"
#include "motion/feet.h"
#include "motion/skeleton.h"
#include "motion/step.h"
#include "motion/teleport.h"

enum {
    CAPACITY_DEFAULT = 16,
    FRAMES_DEFAULT = 4,
    CHARACTERS_PER_TASK = 8,
};

static gal_crowd_desc resolve_crowd(const gal_crowd_desc *desc) {
    gal_crowd_desc all;
    gali_desc_read(&all, sizeof all, desc, desc->struct_size);
    return all;
}

static uint32_t capacity_of(const gal_crowd_desc *desc) {
    return desc->capacity ? desc->capacity : CAPACITY_DEFAULT;
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
    size_t inert = contract->rules.inertia_jump > 0 ? joints : 0;
    parts.local = place_part(base, at, inert, sizeof(gal_transform));
    parts.turn_shown = place_part(base, at, inert, sizeof(gali_inertia));
    parts.memory = place_part(base, at, contract->memory_count, sizeof(float));
    if (character) {
        *character = parts;
    }
}

/* Lays the crowd out in base (NULL: only measures); returns the bytes or GALI_SIZE_BAD. */
static size_t place_crowd(unsigned char *base, const gal_crowd_desc *desc, gal_crowd *crowd) {
    const gali_contract *contract = desc->controller->contract;
    uint32_t capacity = capacity_of(desc);
    size_t at = 0;
    gal_crowd parts = *crowd;
    place_part(base, &at, 1, sizeof(gal_crowd));
    parts.characters = place_part(base, &at, capacity, sizeof(gali_character));
    parts.order = place_part(base, &at, capacity, sizeof(uint32_t));
    parts.generation = place_part(base, &at, capacity, sizeof(uint32_t));
    parts.lost = place_part(base, &at, capacity, 1);
    parts.x = place_part(base, &at, gali_size_mul(capacity, contract->inputs), sizeof(float));
    parts.y = place_part(base, &at, gali_size_mul(capacity, contract->outputs), sizeof(float));
    parts.phase = place_part(base, &at, capacity, sizeof(float));
    parts.workspace_size = gal_network_workspace_size(desc->controller->network, capacity);
    parts.workspace = place_part(base, &at, parts.workspace_size ? parts.workspace_size : GALI_SIZE_BAD, 1);
    for (uint32_t i = 0; i < capacity && at != GALI_SIZE_BAD; i++) {
        place_character(base, &at, contract, base ? &parts.characters[i] : NULL);
    }
    *crowd = parts;
    return at;
}

static gal_status check_desc(const gal_crowd_desc *desc, gal_error *error) {
    if (!desc->controller) {
        return gali_fail(error, GAL_BAD_ARGUMENT,
                         "gal_crowd_desc.controller is NULL: if gal_controller_open gave it, that failed; its "
                         "status and its error say why (often a path that is not there)");
    }
    if (capacity_of(desc) > GALI_CROWD_CAPACITY_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.capacity is %u, at most %d", desc->capacity,
                         GALI_CROWD_CAPACITY_MOST);
    }
    const gal_network_info network = gal_network_get_info(desc->controller->network);
    if (network.gate == GAL_GATE_CALLER && network.experts > 1) {
        return gali_fail(error, GAL_BAD_DATA,
                         "the network's blend is the caller's, and a crowd has none to give");
    }
    return gali_contract_complete(desc->controller->contract, network.gate, error);
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
    crowd->controller = all.controller;
    crowd->ground = (gali_ground){all.ground, all.ground_context};
    crowd->capacity = capacity_of(&all);
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

static void keep_pose(const gal_crowd *crowd, gali_character *character) {
    memcpy(character->pose_before, character->pose,
           crowd->controller->contract->joint_count * sizeof(gal_transform));
}

static uint32_t free_place(const gal_crowd *crowd) {
    uint32_t place = 0;
    while (crowd->characters[place].handle) {
        place++;
    }
    return place;
}

gal_status gal_crowd_add(gal_crowd *crowd, const gal_spawn *spawn, gal_character *out) {
    *out = 0;
    gal_spawn at = spawn ? *spawn : (gal_spawn){0};
    if (!isfinite(at.x + at.z + at.facing + at.phase)) {
        return GAL_BAD_ARGUMENT;
    }
    if (crowd->count == crowd->capacity) {
        return GAL_FULL;
    }
    uint32_t place = free_place(crowd);
    gali_character *character = &crowd->characters[place];
    crowd->generation[place] = crowd->generation[place] % 0xffffu + 1;
    character->handle = crowd->generation[place] << 16 | (place + 1);
    character->input = (gal_input){0};
    character->foot_lock = 1;
    gali_step_reset(character, crowd->controller, &crowd->ground, at.x, at.z, at.facing, at.phase);
    keep_pose(crowd, character);
    crowd->order[crowd->count++] = place;
    *out = character->handle;
    return GAL_OK;
}

gal_status gal_crowd_remove(gal_crowd *crowd, gal_character handle) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    character->handle = 0;
    uint32_t place = (uint32_t)(character - crowd->characters), kept = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->order[i] != place) {
            crowd->order[kept++] = crowd->order[i];
        }
    }
    crowd->count = kept;
    return GAL_OK;
}

uint32_t gal_crowd_count(const gal_crowd *crowd) {
    return crowd->count;
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
        .camera_yaw = isfinite(input->camera_yaw) ? input->camera_yaw : 0,
        .responsive = input->responsive,
        .jump = input->jump,
    };
    return GAL_OK;
}

gal_status gal_crowd_set_foot_lock(gal_crowd *crowd, gal_character handle, int on) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    if (on && !character->foot_lock) {
        gali_feet_reset(character, crowd->controller, &crowd->ground);
    }
    character->foot_lock = on != 0;
    return GAL_OK;
}

gal_status gal_crowd_teleport(gal_crowd *crowd, gal_character handle, float x, float z, float facing) {
    gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    if (!isfinite(x + z + facing)) {
        return GAL_BAD_ARGUMENT;
    }
    gali_teleport(character, crowd->controller->contract, &crowd->ground, x, z, facing);
    return GAL_OK;
}

/* A part of the step over a range of the order, for the host's threads. */
typedef struct characters_task {
    gal_crowd *crowd;
    void (*one)(gal_crowd *crowd, uint32_t index);
} characters_task;

static void run_characters(void *argument, uint32_t task) {
    const characters_task *range = argument;
    uint32_t end = (task + 1) * CHARACTERS_PER_TASK;
    end = end < range->crowd->count ? end : range->crowd->count;
    for (uint32_t i = task * CHARACTERS_PER_TASK; i < end; i++) {
        range->one(range->crowd, i);
    }
}

static void for_all(gal_crowd *crowd, void (*one)(gal_crowd *crowd, uint32_t index)) {
    characters_task range = {crowd, one};
    uint32_t tasks = (crowd->count + CHARACTERS_PER_TASK - 1) / CHARACTERS_PER_TASK;
    if (crowd->parallel.parallel_for && tasks > 1) {
        crowd->parallel.parallel_for(crowd->parallel.context, run_characters, &range, tasks);
        return;
    }
    for (uint32_t task = 0; task < tasks; task++) {
        run_characters(&range, task);
    }
}

static void before(gal_crowd *crowd, uint32_t index) {
    gali_character *character = &crowd->characters[crowd->order[index]];
    size_t inputs = crowd->controller->contract->inputs;
    keep_pose(crowd, character);
    gali_step_before(character, crowd->controller, &crowd->ground, crowd->x + index * inputs);
    crowd->phase[index] = character->phase;
}

static void after(gal_crowd *crowd, uint32_t index) {
    gali_character *character = &crowd->characters[crowd->order[index]];
    const float *y = crowd->y + (size_t)index * crowd->controller->contract->outputs;
    crowd->lost[index] = !gali_step_after(character, crowd->controller, &crowd->ground, y);
}

void gal_crowd_step(gal_crowd *crowd) {
    gal_network_batch batch = {
        .count = crowd->count,
        .x = crowd->x,
        .phase = crowd->phase,
        .y = crowd->y,
        .parallel = crowd->parallel.parallel_for ? &crowd->parallel : NULL,
    };
    for_all(crowd, before);
    gal_network_run(crowd->controller->network, &batch, crowd->workspace, crowd->workspace_size, NULL);
    for_all(crowd, after);
    for (uint32_t i = 0; i < crowd->count; i++) {
        crowd->resets += crowd->lost[i];
    }
}

uint32_t gal_crowd_advance(gal_crowd *crowd, float seconds, uint32_t max_frames, float *fraction) {
    double frame = 1.0 / (double)crowd->controller->contract->rate;
    uint32_t most = max_frames ? max_frames : FRAMES_DEFAULT, frames = 0;
    crowd->owed += seconds > 0 && isfinite(seconds) ? (double)seconds : 0;
    double due = frame * (1 - 1e-3); /* hosts' clocks round: a thousandth early is not seen, a frame late is */
    for (; frames < most && crowd->owed >= due; frames++) {
        gal_crowd_step(crowd);
        crowd->owed -= frame;
    }
    if (crowd->owed >= due) {
        crowd->owed = 0; /* the host fell behind: drop what it cannot catch up */
    }
    if (fraction) {
        *fraction = crowd->owed > 0 ? (float)(crowd->owed / frame) : 0;
    }
    return frames;
}

uint64_t gal_crowd_resets(const gal_crowd *crowd) {
    return crowd->resets;
}

const gal_transform *gal_crowd_pose(const gal_crowd *crowd, gal_character handle, uint32_t *joint_count) {
    const gali_character *character = find(crowd, handle);
    if (joint_count) {
        *joint_count = character ? crowd->controller->contract->joint_count : 0;
    }
    return character ? character->pose : NULL;
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
    float t = gali_clamp(fraction, 0, 1);
    for (uint32_t j = 0; j < crowd->controller->contract->joint_count; j++) {
        const gal_transform *from = &character->pose_before[j], *to = &character->pose[j];
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
    gali_skeleton_local(crowd->controller->contract, character->pose, out);
    return GAL_OK;
}

gal_status gal_crowd_state(const gal_crowd *crowd, gal_character handle, gal_character_state *out) {
    const gali_character *character = find(crowd, handle);
    if (!character) {
        return GAL_NOT_FOUND;
    }
    const gali_contract *contract = crowd->controller->contract;
    gal_vec3 at = character->path.position[contract->past];
    *out = (gal_character_state){
        .root = {at.x, character->path.height, at.z},
        .facing = gali_facing_angle(character->path.direction[contract->past]),
        .phase = character->phase,
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
    const gali_contract *contract = crowd->controller->contract;
    for (uint32_t s = 0; s < contract->sample_count && s < capacity; s++) {
        uint32_t i = (uint32_t)((int32_t)contract->past + contract->samples[s]);
        if (points) {
            points[s] = character->path.position[i];
        }
        if (facings) {
            facings[s] = gali_facing_angle(character->path.direction[i]);
        }
    }
    return contract->sample_count;
}
