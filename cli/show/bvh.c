#include "show/bvh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "space.h"

static const float degrees = 180 / GALI_PI;

typedef struct writer {
    FILE *out;
    const gali_contract *contract;
    uint32_t order[GALI_JOINTS_MAX]; /* joints as the hierarchy visits them */
    uint32_t visited;
    float last[GALI_JOINTS_MAX][3]; /* angles of the frame before */
} writer;

static void write_offset(const writer *self, int depth, gal_vec3 offset) {
    fprintf(self->out, "%*sOFFSET %.6f %.6f %.6f\n", 2 * depth, "", (double)offset.x, (double)offset.y,
            (double)offset.z);
}

static int has_child(const gali_contract *contract, uint32_t joint) {
    for (uint32_t i = joint + 1; i < contract->joint_count; i++) {
        if (contract->joints[i].parent == (int32_t)joint) {
            return 1;
        }
    }
    return 0;
}

/* A joint up to and without its children. */
static void open_joint(writer *self, uint32_t joint, int depth) {
    const gali_joint *own = &self->contract->joints[joint];
    fprintf(self->out, "%*s%s %s\n%*s{\n", 2 * depth, "", own->parent < 0 ? "ROOT" : "JOINT", own->name,
            2 * depth, "");
    write_offset(self, depth + 1, own->parent < 0 ? (gal_vec3){0, 0, 0} : own->rest.position);
    fprintf(self->out, "%*sCHANNELS %s Zrotation Xrotation Yrotation\n", 2 * depth + 2, "",
            own->parent < 0 ? "6 Xposition Yposition Zposition" : "3");
    if (!has_child(self->contract, joint)) {
        fprintf(self->out, "%*sEnd Site\n%*s{\n", 2 * depth + 2, "", 2 * depth + 2, "");
        write_offset(self, depth + 2, gali_vec3_scale(own->rest.position, own->parent < 0 ? 0 : 0.3f));
        fprintf(self->out, "%*s}\n", 2 * depth + 2, "");
    }
    self->order[self->visited++] = joint;
}

/* Depth first without recursion: `path` holds the open joints; `next` the joint to look at below the last. */
static void write_hierarchy(writer *self) {
    const gali_contract *contract = self->contract;
    uint32_t path[GALI_JOINTS_MAX], depth = 1, next = 1;
    path[0] = 0;
    fputs("HIERARCHY\n", self->out);
    open_joint(self, 0, 0);
    while (depth > 0) {
        while (next < contract->joint_count && contract->joints[next].parent != (int32_t)path[depth - 1]) {
            next++;
        }
        if (next < contract->joint_count) {
            open_joint(self, next, (int)depth);
            path[depth++] = next++;
        } else {
            next = path[--depth] + 1;
            fprintf(self->out, "%*s}\n", 2 * (int)depth, "");
        }
    }
}

/* Angles z, x, y with q = Rz Rx Ry; where x is a right angle only z + y or z - y is known, and y is 0. */
static void angles_of(gal_quat q, float out[3]) {
    gal_vec3 x = gali_quat_turn(q, (gal_vec3){1, 0, 0}), y = gali_quat_turn(q, (gal_vec3){0, 1, 0});
    gal_vec3 z = gali_quat_turn(q, (gal_vec3){0, 0, 1});
    float sine = fminf(fmaxf(y.z, -1), 1);
    out[1] = asinf(sine) * degrees;
    if (fabsf(sine) > 0.99999f) {
        out[0] = atan2f(x.y, x.x) * degrees;
        out[2] = 0;
    } else {
        out[0] = atan2f(-y.x, y.y) * degrees;
        out[2] = atan2f(-x.z, z.z) * degrees;
    }
}

static gal_quat local_rotation(const gali_contract *contract, const gal_transform *pose, uint32_t joint) {
    int32_t parent = contract->joints[joint].parent;
    if (parent < 0) {
        return pose[joint].rotation;
    }
    return gali_quat_mul(gali_quat_conjugate(pose[parent].rotation), pose[joint].rotation);
}

static void write_frame(writer *self, const gal_transform *pose) {
    gal_vec3 root = pose[0].position;
    fprintf(self->out, "%.6f %.6f %.6f", (double)root.x, (double)root.y, (double)root.z);
    for (uint32_t i = 0; i < self->visited; i++) {
        float angles[3], *last = self->last[self->order[i]];
        angles_of(local_rotation(self->contract, pose, self->order[i]), angles);
        for (int k = 0; k < 3; k++) { /* whole turns added, so that nothing jumps between frames */
            last[k] = angles[k] + 360 * roundf((last[k] - angles[k]) / 360);
            fprintf(self->out, " %.5f", (double)last[k]);
        }
    }
    fputc('\n', self->out);
}

gal_status gali_bvh_write(const char *path, const gali_contract *contract, const gal_transform *poses,
                          uint32_t frames, gal_error *error) {
    writer *self = calloc(1, sizeof *self);
    if (!self) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the writer");
    }
    self->contract = contract;
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, path, error);
    if (status != GAL_OK) {
        free(self);
        return status;
    }
    self->out = draft.stream;
    write_hierarchy(self);
    fprintf(self->out, "MOTION\nFrames: %u\nFrame Time: %.8f\n", frames, 1 / (double)contract->rate);
    for (uint32_t f = 0; f < frames; f++) {
        write_frame(self, poses + (size_t)f * contract->joint_count);
    }
    free(self);
    return gali_file_finish(&draft, error);
}
