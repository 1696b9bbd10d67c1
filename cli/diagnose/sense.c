#include "sense.h"

static gali_sense along(int axis, gali_unit unit, int rate) {
    return (gali_sense){axis, 0, -1, unit, rate, 0, 1};
}

static gali_sense about(int axis, int rate) {
    return (gali_sense){axis, 1, -1, GALI_UNIT_ANGLE, rate, 0, 1};
}

static gali_sense component(uint32_t i, gali_unit unit, int rate) {
    return (gali_sense){(int)(i % 3), 0, -1, unit, rate, (int)(i % 3), 3};
}

static gali_sense plain(gali_unit unit, int rate) {
    return (gali_sense){-1, 0, -1, unit, rate, 0, 1};
}

/* Height, pitch, roll. */
static gali_sense posture(uint32_t i, int rate) {
    return i == 0 ? along(1, GALI_UNIT_LENGTH, rate) : about(i == 1 ? 0 : 2, rate);
}

/* Step along x, along z, turn. */
static gali_sense motion(uint32_t i) {
    return i == 2 ? about(1, 1) : along(i == 0 ? 0 : 2, GALI_UNIT_LENGTH, 1);
}

static gali_sense sixd(uint32_t i) {
    return (gali_sense){(int)(i % 3), 0, (int)(i % 6 / 3), GALI_UNIT_NONE, 0, (int)(i % 6), 6};
}

static gali_sense expmap(uint32_t i) {
    return (gali_sense){(int)(i % 3), 1, -1, GALI_UNIT_ANGLE, 0, (int)(i % 3), 3};
}

gali_sense gali_sense_of(const gali_block *block, uint32_t feature) {
    uint32_t i = feature - block->offset;
    switch (block->kind) {
    case GALI_BLOCK_TRAJECTORY_POSITION_X:
    case GALI_BLOCK_FUTURE_POSITION_X:
        return along(0, GALI_UNIT_LENGTH, 0);
    case GALI_BLOCK_TRAJECTORY_POSITION_Z:
    case GALI_BLOCK_FUTURE_POSITION_Z:
        return along(2, GALI_UNIT_LENGTH, 0);
    case GALI_BLOCK_TRAJECTORY_HEIGHT:
        return along(1, GALI_UNIT_LENGTH, 0);
    case GALI_BLOCK_TRAJECTORY_DIRECTION_X:
    case GALI_BLOCK_FUTURE_DIRECTION_X:
        return along(0, GALI_UNIT_NONE, 0);
    case GALI_BLOCK_TRAJECTORY_DIRECTION_Z:
    case GALI_BLOCK_FUTURE_DIRECTION_Z:
        return along(2, GALI_UNIT_NONE, 0);
    case GALI_BLOCK_TRAJECTORY_VELOCITY_X:
    case GALI_BLOCK_FUTURE_VELOCITY_X:
    case GALI_BLOCK_ROOT_VELOCITY_X:
        return along(0, GALI_UNIT_LENGTH, 1);
    case GALI_BLOCK_TRAJECTORY_VELOCITY_Z:
    case GALI_BLOCK_FUTURE_VELOCITY_Z:
    case GALI_BLOCK_ROOT_VELOCITY_Z:
        return along(2, GALI_UNIT_LENGTH, 1);
    case GALI_BLOCK_JOINT_POSITION_IN:
    case GALI_BLOCK_JOINT_POSITION_OUT:
    case GALI_BLOCK_FOOT_POSITION:
        return component(i, GALI_UNIT_LENGTH, 0);
    case GALI_BLOCK_JOINT_VELOCITY_IN:
    case GALI_BLOCK_JOINT_VELOCITY_OUT:
    case GALI_BLOCK_FOOT_VELOCITY:
        return component(i, GALI_UNIT_LENGTH, 1);
    case GALI_BLOCK_JOINT_ROTATION_EXPMAP:
        return expmap(i);
    case GALI_BLOCK_JOINT_ROTATION_SIXD:
        return sixd(i);
    case GALI_BLOCK_HINGE_ANGLE:
        return plain(GALI_UNIT_ANGLE, 0);
    case GALI_BLOCK_HINGE_CHANGE:
    case GALI_BLOCK_HINGE_VELOCITY_IN:
    case GALI_BLOCK_HINGE_VELOCITY_OUT:
        return plain(GALI_UNIT_ANGLE, 1);
    case GALI_BLOCK_BODY_POSTURE:
        return posture(i, 0);
    case GALI_BLOCK_BODY_CHANGE:
    case GALI_BLOCK_BODY_RATE_IN:
    case GALI_BLOCK_BODY_RATE_OUT:
        return posture(i, 1);
    case GALI_BLOCK_ROOT_MOTION:
        return motion(i);
    case GALI_BLOCK_ROOT_TURN:
        return about(1, 1);
    case GALI_BLOCK_PHASE_ADVANCE:
    case GALI_BLOCK_LEG_PHASE_RATE:
        return plain(GALI_UNIT_TURN, 1);
    case GALI_BLOCK_LEG_PHASE_IN:
    case GALI_BLOCK_LEG_PHASE_OUT:
        return (gali_sense){-1, 0, -1, GALI_UNIT_NONE, 0, (int)(i % 2), 2};
    default:
        return plain(GALI_UNIT_NONE, 0);
    }
}

const gali_block *gali_sense_block(const gali_contract *contract, gali_side side, uint32_t feature) {
    const gali_block *blocks = side == GALI_SIDE_X ? contract->input_blocks : contract->output_blocks;
    while (feature - blocks->offset >= blocks->count) {
        blocks++;
    }
    return blocks;
}

int gali_sense_mirror(const gali_sense *sense, int axis) {
    if (sense->axis < 0) {
        return 1;
    }
    if (sense->column >= 0) { /* M R M: both the row's and the column's sign */
        return (sense->axis == axis) == (sense->column == axis) ? 1 : -1;
    }
    return (sense->axis == axis) == sense->axial ? 1 : -1;
}
