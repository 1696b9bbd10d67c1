/*
 * What a host does with what a reader took, in memory of exactly the size that was asked for, so that the address sanitizer
 * sees a byte too many: networks in every precision and instruction set of this machine, crowds through all that can
 * happen to a character. Works in proportion to the file.
 */
#ifndef GALLOP_FUZZ_EXERCISE_H
#define GALLOP_FUZZ_EXERCISE_H

#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "gallop/crowd.h"

enum { EXERCISE_CHARACTERS = 64, EXERCISE_CROWD = 3, EXERCISE_MEMORY = 1 << 26 };

/* A block of exactly so many bytes, of stale NaNs: nothing may be read before it is written. */
static inline void *exercise_block(size_t size) {
    void *block = NULL;
    require(posix_memalign(&block, 64, size ? size : 1) == 0);
    memset(block, 0xff, size);
    return block;
}

/* A crowd of a shipped model, in its exact size. Kept until the program ends. */
static inline gal_crowd *exercise_crowd_of(const char *model, uint32_t capacity) {
    gal_controller *controller = NULL;
    gal_crowd *crowd = NULL;
    require(gal_controller_open(&controller, model, NULL, NULL) == GAL_OK);
    const gal_crowd_desc desc = {.controller = controller, .capacity = capacity};
    const size_t room = gal_crowd_size(&desc);
    require(gal_crowd_init(&crowd, exercise_block(room), room, &desc, NULL) == GAL_OK);
    return crowd;
}

/* Inputs that may be anything: every third character's are ordinary. */
static inline float exercise_wild(size_t i) {
    static const uint32_t bits[] = {0x00000000, 0x3f800000, 0xbf000000, 0x7fc07fff, 0x7f800000,
                                    0xff800000, 0x7e967699, 0xfe967699, 0x00000001, 0x80000000,
                                    0x4b800001, 0xc2280000, 0xffc08000, 0x7f7fffff, 0x00800000};
    float value;
    memcpy(&value, &bits[i % (sizeof bits / sizeof bits[0])], sizeof value);
    return value;
}

static inline int exercise_is_ordinary(uint32_t character) {
    return character % 3 == 0;
}

/* x, gate and y of the most characters. */
typedef struct exercise_batch {
    uint32_t inputs, outputs, experts;
    float *x, *phase, *blend, *y;
} exercise_batch;

static inline exercise_batch exercise_batch_make(const gal_network_info *info) {
    const size_t most = EXERCISE_CHARACTERS;
    exercise_batch b = {.inputs = info->inputs, .outputs = info->outputs, .experts = info->experts};
    b.x = exercise_block(most * b.inputs * sizeof(float));
    b.y = exercise_block(most * b.outputs * sizeof(float));
    b.phase = exercise_block(most * sizeof(float));
    b.blend = exercise_block(most * b.experts * sizeof(float));
    for (size_t i = 0; i < most * b.inputs; i++) {
        const uint32_t character = (uint32_t)(i / b.inputs);
        b.x[i] = exercise_is_ordinary(character) ? (float)(i % 7) - 3.0f : exercise_wild(i + character);
    }
    for (size_t i = 0; i < most; i++) {
        b.phase[i] = i % 5 == 1 ? -1e30f : 0.37f * (float)i;
    }
    for (size_t i = 0; i < most * b.experts; i++) {
        b.blend[i] = i % 4 == 1 ? 1e30f : 0.25f * (float)(i % 3);
    }
    return b;
}

static inline void exercise_batch_free(exercise_batch *b) {
    free(b->x);
    free(b->y);
    free(b->phase);
    free(b->blend);
}

/* Runs the first `count` characters; their outputs stay in b->y. */
static inline void exercise_run(const gal_network *network, exercise_batch *b, uint32_t count) {
    const gal_network_info info = gal_network_get_info(network);
    const size_t room = gal_network_workspace_size(network, count);
    void *workspace = exercise_block(room);
    gal_network_batch batch = {.count = count, .x = b->x, .y = b->y};
    batch.phase = info.gate == GAL_GATE_CALLER || info.gate == GAL_GATE_NETWORK ? NULL : b->phase;
    batch.blend = info.gate == GAL_GATE_CALLER ? b->blend : NULL;
    require(gal_network_run(network, &batch, workspace, room, NULL) == GAL_OK);
    free(workspace);
}

/* The same numbers, or both none. */
static inline int exercise_same(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* 0, 1, 8 and 64 characters: the first one's outputs do not depend on the others. */
static inline void exercise_counts(const gal_network *network, exercise_batch *b, int many) {
    float *alone = exercise_block(b->outputs * sizeof(float));
    exercise_run(network, b, 0);
    exercise_run(network, b, 1);
    memcpy(alone, b->y, b->outputs * sizeof(float));
    for (uint32_t count = 8; count <= (many ? EXERCISE_CHARACTERS : 8); count *= 8) {
        exercise_run(network, b, count);
        for (uint32_t n = 0; n < b->outputs; n++) {
            require(exercise_same(alone[n], b->y[n]));
        }
    }
    free(alone);
}

/*
 * Every precision with every instruction set that this machine has; of a larger file each precision with plain C and every
 * fourth of the others, by its size another one, so that the fuzzer, which makes many, comes by all.
 */
static inline void exercise_network(const void *file, size_t size) {
    const int turn = size > 768 ? (int)(size % 4) : -1;
    for (int precision = 0; precision < GAL_PRECISION_COUNT; precision++) {
        for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
            const int its_turn = turn < 0 || isa == GAL_ISA_SCALAR || (isa + precision) % 4 == turn;
            if (!its_turn || !gal_isa_available((gal_isa)isa)) {
                continue;
            }
            gal_network *network = NULL;
            gal_error error = {0};
            const gal_network_desc desc = {.isa = (gal_isa)isa, .precision = (gal_precision)precision};
            if (gal_network_open_memory(&network, file, size, &desc, &error) != GAL_OK) {
                require(!network && error.message[0] != 0);
                continue;
            }
            const gal_network_info info = gal_network_get_info(network);
            if ((size_t)(info.inputs + info.outputs + info.experts) * EXERCISE_CHARACTERS <
                    EXERCISE_MEMORY / 8 &&
                gal_network_workspace_size(network, EXERCISE_CHARACTERS) < EXERCISE_MEMORY) {
                exercise_batch b = exercise_batch_make(&info);
                exercise_counts(network, &b, info.parameters < 100000);
                exercise_batch_free(&b);
            }
            gal_network_close(network);
        }
    }
}

static inline void exercise_pose(const gal_transform *pose, uint32_t joints) {
    for (uint32_t j = 0; j < joints; j++) {
        const gal_vec3 p = pose[j].position;
        const gal_quat q = pose[j].rotation;
        require(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
        require(isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w));
    }
}

static inline void exercise_path(const gal_crowd *crowd, gal_character who) {
    const uint32_t count = gal_crowd_trajectory(crowd, who, NULL, NULL, 0);
    gal_vec3 *points = exercise_block(count * sizeof *points);
    float *facings = exercise_block(count * sizeof *facings);
    require(gal_crowd_trajectory(crowd, who, points, facings, count) == count);
    for (uint32_t i = 0; i < count; i++) {
        require(isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z) &&
                isfinite(facings[i]));
    }
    free(points);
    free(facings);
}

static inline void exercise_gaits(const gal_crowd *crowd, gal_character who) {
    const uint32_t count = gal_crowd_gaits(crowd, who, NULL, 0);
    float *amounts = exercise_block(count * sizeof *amounts);
    require(gal_crowd_gaits(crowd, who, amounts, count) == count);
    for (uint32_t i = 0; i < count; i++) {
        require(isfinite(amounts[i]));
    }
    free(amounts);
}

/* All that is seen of each character is finite. */
static inline void exercise_poses(const gal_crowd *crowd) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        const gal_character who = gal_crowd_at(crowd, i);
        uint32_t joints;
        gal_character_state state;
        const gal_transform *pose = gal_crowd_pose(crowd, who, &joints);
        exercise_pose(pose, joints);
        gal_transform *other = exercise_block(joints * sizeof *other);
        require(gal_crowd_pose_between(crowd, who, 0.3f, other) == GAL_OK);
        exercise_pose(other, joints);
        require(gal_crowd_pose_local(crowd, who, other) == GAL_OK);
        exercise_pose(other, joints);
        free(other);
        require(gal_crowd_state(crowd, who, &state) == GAL_OK);
        require(isfinite(state.root.x) && isfinite(state.root.y) && isfinite(state.root.z));
        require(isfinite(state.facing) && isfinite(state.phase) && isfinite(state.speed));
        exercise_path(crowd, who);
        exercise_gaits(crowd, who);
    }
}

/* Saves into a block of the snapshot's very size, and takes it back. */
static inline void exercise_snapshot(gal_crowd *crowd) {
    size_t used = 0, again = 0;
    gal_error error = {0};
    gal_crowd_save(crowd, NULL, 0, &used);
    require(used <= gal_crowd_snapshot_size(crowd));
    void *bytes = exercise_block(used), *second = exercise_block(used);
    require(gal_crowd_save(crowd, bytes, used, NULL) == GAL_OK);
    require(gal_crowd_restore(crowd, bytes, used, &error) == GAL_OK);
    require(gal_crowd_save(crowd, second, used, &again) == GAL_OK);
    require(again == used && memcmp(bytes, second, used) == 0);
    free(bytes);
    free(second);
}

static inline void exercise_input(gal_crowd *crowd, size_t turn) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        const size_t at = turn + 5 * i;
        const gal_input input = {.move_x = exercise_wild(at),
                                 .move_y = exercise_wild(at + 1),
                                 .run = exercise_wild(at + 2),
                                 .strafe = exercise_wild(at + 3),
                                 .crouch = exercise_wild(at + 4),
                                 .camera_yaw = exercise_wild(at + 5),
                                 .responsive = (int)(at & 1),
                                 .jump = (int)(at & 2)};
        require(gal_crowd_set_input(crowd, gal_crowd_at(crowd, i), &input) == GAL_OK);
    }
}

/* All that happens to the characters of a crowd, which has a free place or somebody. */
static inline void exercise_crowd(gal_crowd *crowd) {
    gal_character who = 0;
    for (size_t turn = 0; turn < 4; turn++) {
        const gal_spawn spawn = {.x = turn & 1 ? GAL_PLACE_MOST : 30, .facing = 1e30f, .phase = -3e38f};
        gal_crowd_add(crowd, &spawn, &who);
        exercise_input(crowd, turn);
        gal_crowd_step(crowd);
        exercise_poses(crowd);
        exercise_snapshot(crowd);
        who = gal_crowd_at(crowd, (uint32_t)turn % gal_crowd_count(crowd));
        require(gal_crowd_teleport(crowd, who, turn & 1 ? -GAL_PLACE_MOST : 0, 5, -1e30f) == GAL_OK);
        exercise_snapshot(crowd);
        require(gal_crowd_set_foot_lock(crowd, who, turn != 2) == GAL_OK);
        gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 3}); /* refused where the path is shorter */
        require(gal_crowd_set_budget(crowd, turn == 2 ? &(gal_budget){.microseconds = 2} : NULL) == GAL_OK);
        gal_crowd_advance(crowd, 0.04f, 2, NULL);
        exercise_poses(crowd);
        if (turn & 1) {
            require(gal_crowd_remove(crowd, gal_crowd_at(crowd, 0)) == GAL_OK);
        }
        exercise_snapshot(crowd);
    }
}

static inline float exercise_ground(void *context, float x, float z) {
    (void)context;
    return x > 50 ? exercise_wild((size_t)(uint32_t)(int32_t)fminf(z * z, 1e6f)) : 0.2f * x;
}

/* The controller of a model file, if it has one, and a crowd of it in its exact size. */
static inline void exercise_controller(const void *file, size_t size, gal_network_desc desc) {
    gal_controller *controller = NULL;
    gal_error error = {0};
    if (gal_controller_open_memory(&controller, file, size, &desc, &error) != GAL_OK) {
        require(!controller && error.message[0] != 0);
        return;
    }
    const gal_crowd_desc crowd_desc = {
        .controller = controller, .capacity = EXERCISE_CROWD, .ground = exercise_ground};
    const size_t room = gal_crowd_size(&crowd_desc);
    void *memory = room < EXERCISE_MEMORY ? exercise_block(room) : NULL;
    gal_crowd *crowd = NULL;
    const gal_status status = gal_crowd_init(&crowd, memory, memory ? room : 0, &crowd_desc, &error);
    require((status == GAL_OK) == (crowd != NULL) && (crowd || error.message[0] != 0));
    require((status == GAL_OK) == (memory && room > 0));
    if (crowd) {
        exercise_crowd(crowd);
    }
    free(memory);
    gal_controller_close(controller);
}

#endif
