#include "motion/codec.h"

#include <string.h>

#include "motion/hinged.h"
#include "motion/trajectory.h"

static gal_vec3 into_frame(gali_frame frame, gal_vec3 point) {
    return gali_vec3_unturn(frame.facing, gali_vec3_sub(point, frame.origin));
}

static gal_vec3 out_of_frame(gali_frame frame, gal_vec3 point) {
    return gali_vec3_add(gali_vec3_turn(frame.facing, point), frame.origin);
}

/* Ground under a sample, `side` units along its own +x; the sample's own height where side is 0. */
static float height_beside(const gali_trajectory *path, const gali_ground *ground, uint32_t i, float side) {
    gal_vec3 at = path->position[i];
    if (side == 0) {
        return at.y;
    }
    gali_vec2 across = gali_vec2_turn(path->direction[i], (gali_vec2){side, 0});
    return gali_ground_at(ground, at.x + across.x, at.z + across.z);
}

static float sample_feature(const gali_character *character, const gali_contract *contract,
                            const gali_ground *ground, const gali_block *block, gali_frame root, uint32_t i) {
    const gali_trajectory *path = &character->path;
    switch (block->kind) {
    case GALI_BLOCK_TRAJECTORY_POSITION_X:
        return into_frame(root, path->position[i]).x;
    case GALI_BLOCK_TRAJECTORY_POSITION_Z:
        return into_frame(root, path->position[i]).z;
    case GALI_BLOCK_TRAJECTORY_DIRECTION_X:
        return gali_vec2_unturn(root.facing, path->direction[i]).x;
    case GALI_BLOCK_TRAJECTORY_DIRECTION_Z:
        return gali_vec2_unturn(root.facing, path->direction[i]).z;
    case GALI_BLOCK_TRAJECTORY_VELOCITY_X:
        return gali_vec2_unturn(root.facing, path->velocity[i]).x;
    case GALI_BLOCK_TRAJECTORY_VELOCITY_Z:
        return gali_vec2_unturn(root.facing, path->velocity[i]).z;
    case GALI_BLOCK_TRAJECTORY_GAIT:
        return path->gait[(size_t)i * contract->gait_count + block->index];
    default: /* GALI_BLOCK_TRAJECTORY_HEIGHT */
        return height_beside(path, ground, i, block->value) - root.origin.y;
    }
}

static void put(float *x, gal_vec3 v) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static void encode_joints(const gali_character *character, const gali_contract *contract,
                          const gali_block *block, float *x) {
    gali_frame before = gali_frame_before(character, contract);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        put(x + 3 * (size_t)j, block->kind == GALI_BLOCK_JOINT_POSITION_IN
                                   ? into_frame(before, character->position[j])
                                   : gali_vec3_unturn(before.facing, character->velocity[j]));
    }
}

void gali_codec_encode(const gali_character *character, const gali_contract *contract,
                       const gali_ground *ground, float *x) {
    gali_frame root = gali_frame_now(character, contract);
    for (uint32_t b = 0; b < contract->input_block_count; b++) {
        const gali_block *block = &contract->input_blocks[b];
        float *to = x + block->offset;
        switch (block->kind) {
        case GALI_BLOCK_CONSTANT:
        case GALI_BLOCK_OPAQUE_IN:
            for (uint32_t i = 0; i < block->count; i++) {
                to[i] = block->value;
            }
            break;
        case GALI_BLOCK_MEMORY_IN:
            memcpy(to, character->memory + block->index, block->count * sizeof *to);
            break;
        case GALI_BLOCK_HINGE_ANGLE:
        case GALI_BLOCK_HINGE_VELOCITY_IN:
        case GALI_BLOCK_BODY_POSTURE:
        case GALI_BLOCK_BODY_RATE_IN:
        case GALI_BLOCK_ROOT_MOTION:
        case GALI_BLOCK_FOOT_POSITION:
        case GALI_BLOCK_FOOT_VELOCITY:
        case GALI_BLOCK_LEG_PHASE_IN:
            gali_hinged_encode(&character->hinged, contract, block->kind, to);
            break;
        case GALI_BLOCK_JOINT_POSITION_IN:
        case GALI_BLOCK_JOINT_VELOCITY_IN:
            encode_joints(character, contract, block, to);
            break;
        default:
            for (uint32_t s = 0; s < contract->sample_count; s++) {
                uint32_t i = (uint32_t)((int32_t)contract->past + contract->samples[s]);
                to[s] = sample_feature(character, contract, ground, block, root, i);
            }
        }
    }
}

static gal_vec3 get(const float *y, uint32_t j) {
    return (gal_vec3){y[3 * (size_t)j], y[3 * (size_t)j + 1], y[3 * (size_t)j + 2]};
}

/* A joint's orientation in the root frame; level where the network does not predict one. */
static gal_quat rotation_of(const gali_outputs *at, const float *y, uint32_t j) {
    if (at->joint_expmap != GALI_OUTPUT_ABSENT) {
        return gali_quat_exp(get(y + at->joint_expmap, j));
    }
    if (at->joint_sixd != GALI_OUTPUT_ABSENT) {
        const float *columns = y + at->joint_sixd + 6 * (size_t)j;
        return gali_quat_from_columns(get(columns, 0), get(columns, 1));
    }
    return (gal_quat){0, 0, 0, 1};
}

static void decode_joints(gali_character *character, const gal_controller *controller, const float *y,
                          float smooth) {
    const gali_contract *contract = controller->contract;
    const gali_outputs *at = &controller->outputs;
    gali_frame root = gali_frame_now(character, contract);
    gal_quat heading = gali_quat_from_facing(root.facing);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        gal_vec3 position = out_of_frame(root, get(y + at->joint_position, j));
        gal_vec3 velocity = {0, 0, 0};
        if (at->joint_velocity != GALI_OUTPUT_ABSENT) {
            velocity = gali_vec3_turn(root.facing, get(y + at->joint_velocity, j));
        }
        gal_vec3 carried = gali_vec3_add(character->position[j], velocity);
        /* Without smoothing nothing of the last frame may come through: 0 times NaN is NaN. */
        character->position[j] = smooth > 0 ? gali_vec3_mix(position, carried, smooth) : position;
        character->velocity[j] = velocity;
        character->pose[j].position = position;
        character->pose[j].rotation = gali_quat_mul(heading, rotation_of(at, y, j));
    }
}

void gali_codec_decode(gali_character *character, const gal_controller *controller, const float *y,
                       float smooth) {
    if (controller->contract->hinge_count) {
        gali_hinged_decode(&character->hinged, controller, y,
                           gali_trajectory_share(character, controller->contract));
    } else {
        decode_joints(character, controller, y, smooth);
    }
    for (uint32_t i = 0; i < controller->contract->contact_count; i++) {
        character->contact[i] = gali_clamp(y[controller->outputs.contact[i]], 0, 1);
    }
}

void gali_codec_remember(gali_character *character, const gali_contract *contract, const float *y) {
    for (uint32_t b = 0; b < contract->output_block_count && contract->memory_count; b++) {
        const gali_block *block = &contract->output_blocks[b];
        if (block->kind == GALI_BLOCK_MEMORY_OUT) {
            memcpy(character->memory + block->index, y + block->offset, block->count * sizeof *y);
        }
    }
}
