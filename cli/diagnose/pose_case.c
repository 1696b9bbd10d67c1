#include "pose_case.h"

#include <math.h>

#include "check/pose_row.h"

/* What a bone takes, in multiply-adds and the time of those in a network. */
static const uint64_t bone_work = 5000;

/* How far the bone's end is from where it should be, in bone lengths, 2 at most. */
static double bone_error(const gali_contract *contract, const gali_pose_blocks *blocks, const float *y,
                         uint32_t joint) {
    const gali_joint *own = &contract->joints[joint];
    double length = (double)gali_vec3_length(own->rest.position);
    gal_vec3 bone = gali_pose_bone(contract, blocks, y, joint);
    int valid = 0;
    double off = fabs((double)gali_vec3_length(bone) - length);
    if (blocks->rotations) {
        gal_quat q = gali_pose_rotation(blocks, y, (uint32_t)own->parent, &valid);
        off = (double)gali_vec3_length(gali_vec3_sub(bone, gali_quat_turn(q, own->rest.position)));
    }
    off /= length;
    return off < 2 ? off : 2;
}

static double pose_error(gali_case *self, const gali_reading *reading) {
    const gali_contract *contract = self->file->contract;
    gali_pose_blocks blocks = gali_pose_find(contract);
    float height = gali_model_file_height(contract), *y = self->got;
    double sum = 0;
    uint32_t count = 0;
    self->work += (uint64_t)self->frames * contract->joint_count * bone_work;
    if (gali_case_spent(self)) {
        return INFINITY;
    }
    for (uint32_t f = 0; blocks.positions && f < self->frames; f++) {
        for (uint32_t n = 0; n < self->outputs; n++) {
            y[n] = gali_case_y(self, reading, f, n);
        }
        for (uint32_t i = 0; i < contract->joint_count; i++) {
            if (gali_pose_has_bone(contract, i, height)) {
                sum += bone_error(contract, &blocks, y, i);
                count++;
            }
        }
    }
    return count ? sum / count : 0;
}

void gali_pose_case(gali_case *self) {
    self->pose = 1;
    self->error = pose_error;
    self->enough = 0.02;
    self->sure = 0.25; /* a network's blur: some degrees, a few per cent of length */
    self->part = 0.5;
}
