/*
 * A controller: the contract, the network, and where the rules find their outputs. Immutable.
 */
#ifndef GALI_MOTION_CONTROLLER_H
#define GALI_MOTION_CONTROLLER_H

#include "motion/bank.h"

enum { GALI_OUTPUT_ABSENT = -1 };

/* Feature offsets in y of what the rules read; GALI_OUTPUT_ABSENT where the contract has none. */
typedef struct gali_outputs {
    int32_t velocity_x, velocity_z, turn, phase;
    int32_t future_position_x, future_position_z, future_direction_x, future_direction_z;
    int32_t future_velocity_x, future_velocity_z;
    int32_t joint_position, joint_velocity, joint_expmap, joint_sixd;
    int32_t hinge_change, hinge_velocity, body_change, body_rate, leg_phase, leg_phase_rate;
    int32_t contact[GALI_CONTACTS_MAX];
} gali_outputs;

struct gal_controller {
    gal_allocator allocator;
    gali_contract *contract;
    gal_network *network;
    gali_outputs outputs;
    gali_layout layout;
    int32_t leg_contact[GALI_LEGS_MAX];   /* contact of the leg's toe (or heel), or -1 */
    int32_t toe_joint[GALI_CONTACTS_MAX]; /* the contact's joint if it is a leg's toe, else -1 */
    size_t memory;
    float rest[]; /* [outputs + GALI_ROW_STEP - 1] the mean output: how a character is before its first step */
};

#endif
