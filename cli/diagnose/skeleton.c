#include "skeleton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/pose_row.h"

typedef struct match {
    const gali_contract *contract;
    gali_pose_blocks blocks;
    const float *y; /* [frames][outputs] as they are read */
    uint32_t frames;
    uint32_t place[GALI_JOINTS_MAX]; /* of each joint */
    int taken[GALI_JOINTS_MAX];      /* each place */
} match;

/* How far `place` is from where joint j should be, on the mean over the frames. */
static double distance(const match *m, uint32_t j, uint32_t place) {
    uint32_t parent = m->place[m->contract->joints[j].parent];
    gal_vec3 offset = m->contract->joints[j].rest.position;
    double sum = 0;
    for (uint32_t f = 0; f < m->frames; f++) {
        const float *y = m->y + (size_t)f * m->contract->outputs;
        gal_vec3 bone =
            gali_vec3_sub(gali_pose_position(&m->blocks, y, place), gali_pose_position(&m->blocks, y, parent));
        int valid;
        if (m->blocks.rotations) {
            gal_quat q = gali_pose_rotation(&m->blocks, y, parent, &valid);
            sum += (double)gali_vec3_length(gali_vec3_sub(bone, gali_quat_turn(q, offset)));
        } else {
            sum += fabs((double)(gali_vec3_length(bone) - gali_vec3_length(offset)));
        }
    }
    return sum / m->frames;
}

/* Places for all joints, the first one's given; returns how far they are off in all. */
static double grow(match *m, uint32_t first) {
    double sum = 0;
    memset(m->taken, 0, sizeof m->taken);
    m->place[0] = first;
    m->taken[first] = 1;
    for (uint32_t j = 1; j < m->contract->joint_count; j++) {
        double least = INFINITY;
        for (uint32_t p = 0; p < m->contract->joint_count; p++) {
            double off = m->taken[p] ? INFINITY : distance(m, j, p);
            if (off < least) {
                least = off;
                m->place[j] = p;
            }
        }
        if (isinf(least)) {
            return INFINITY;
        }
        m->taken[m->place[j]] = 1;
        sum += least;
    }
    return sum;
}

int gali_skeleton_match(const gali_case *self, const gali_reading *reading, uint32_t *at) {
    match m = {.contract = self->file->contract, .frames = self->frames};
    m.blocks = gali_pose_find(m.contract);
    float *y = malloc((size_t)self->frames * self->outputs * sizeof *y);
    double least = INFINITY;
    for (uint32_t i = 0; y && i < self->frames * self->outputs; i++) {
        y[i] = gali_case_y(self, reading, i / self->outputs, i % self->outputs);
    }
    m.y = y;
    for (uint32_t first = 0; y && m.blocks.positions && first < m.contract->joint_count; first++) {
        double off = grow(&m, first);
        if (off < least) {
            least = off;
            for (uint32_t j = 0; j < m.contract->joint_count; j++) {
                at[m.place[j]] = j;
            }
        }
    }
    free(y);
    return isfinite(least);
}
