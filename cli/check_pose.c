/* The golden frames as poses: bones as long as the skeleton's, rotations that point them where they are. */
#include <stdio.h>
#include <stdlib.h>

#include "check_report.h"
#include "space.h"

/* One joint's deviation from its parent's side, over all golden frames. */
typedef struct deviation {
    uint32_t joint;
    double size, expected, got;
} deviation;

enum { FEATURES_POSITION = 3, FEATURES_SIXD = 6 };

static int larger(const void *a, const void *b) {
    double d = ((const deviation *)b)->size - ((const deviation *)a)->size;
    return (d > 0) - (d < 0);
}

static const gali_block *find_block(const gali_contract *contract, gali_block_kind kind) {
    for (uint32_t i = 0; i < contract->output_block_count; i++) {
        if (contract->output_blocks[i].kind == kind) {
            return &contract->output_blocks[i];
        }
    }
    return NULL;
}

static float output(const gali_model *model, uint32_t frame, uint32_t feature) {
    return gali_model_f32(model->golden.y, (size_t)frame * model->outputs + feature);
}

static gal_vec3 vector(const gali_model *model, uint32_t frame, uint32_t feature) {
    return (gal_vec3){output(model, frame, feature), output(model, frame, feature + 1),
                      output(model, frame, feature + 2)};
}

/* Whether joint i ends a bone long enough to tell something. */
static int has_bone(const gali_contract *contract, uint32_t i, float height) {
    return contract->joints[i].parent >= 0 &&
           gali_vec3_length(contract->joints[i].rest.position) > 0.02f * height;
}

static gal_vec3 bone(const gali_model_file *file, const gali_block *positions, uint32_t frame, uint32_t joint) {
    uint32_t parent = (uint32_t)file->contract->joints[joint].parent;
    return gali_vec3_sub(vector(&file->model, frame, positions->offset + FEATURES_POSITION * joint),
                         vector(&file->model, frame, positions->offset + FEATURES_POSITION * parent));
}

static void print_bones(const gali_check_report *report, const gali_contract *contract, const deviation *bones,
                        uint32_t count) {
    for (uint32_t i = 0; i < count && i < report->most && bones[i].size > 0.1; i++) {
        printf("        %-36s %.4g at rest, %.4g in the golden frames (%+.0f %%)\n",
               contract->joints[bones[i].joint].name, bones[i].expected, bones[i].got,
               100 * (bones[i].got / bones[i].expected - 1));
    }
}

static void judge_bones(gali_check_report *report, const gali_contract *contract, deviation *bones,
                        uint32_t count) {
    double sum = 0, ratio = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += bones[i].size;
        ratio += bones[i].got / bones[i].expected;
    }
    sum /= count;
    ratio /= count;
    qsort(bones, count, sizeof *bones, larger);
    if (ratio > 1.5 || ratio < 0.67) {
        gali_check_say(report, GALI_FAIL, "bone lengths",
                       "the golden poses are %.3g times the skeleton's size: a unit, or the skeleton, is wrong",
                       ratio);
    } else if (sum > 0.1 || bones[0].size > 0.4) {
        gali_check_say(report, GALI_FAIL, "bone lengths", "%.1f %% off on the mean; largest first:", 100 * sum);
    } else {
        gali_check_say(report, GALI_PASS, "bone lengths", "%.1f %% off on the mean, worst %s by %.1f %%",
                       100 * sum, contract->joints[bones[0].joint].name, 100 * bones[0].size);
        return;
    }
    print_bones(report, contract, bones, count);
}

void gali_check_bones(gali_check_report *report, const gali_model_file *file) {
    const gali_contract *contract = file->contract;
    const gali_block *positions = find_block(contract, GALI_BLOCK_JOINT_POSITION_OUT);
    deviation bones[GALI_JOINTS_MAX];
    float height = gali_model_file_height(contract);
    uint32_t count = 0;
    for (uint32_t i = 0; positions && i < contract->joint_count; i++) {
        if (!has_bone(contract, i, height)) {
            continue;
        }
        double mean = 0, rest = (double)gali_vec3_length(contract->joints[i].rest.position);
        for (uint32_t f = 0; f < file->model.golden.frames; f++) {
            mean += (double)gali_vec3_length(bone(file, positions, f, i)) / file->model.golden.frames;
        }
        bones[count++] = (deviation){i, fabs(mean / rest - 1), rest, mean};
    }
    if (count == 0) {
        gali_check_say(report, GALI_SKIP, "bone lengths", "%s",
                       positions ? "the skeleton has no lengths" : "the network predicts no positions");
        return;
    }
    judge_bones(report, contract, bones, count);
}

/* A joint's rotation in the root frame; *valid is 0 where the features are no rotation. */
static gal_quat rotation(const gali_model *model, const gali_block *block, uint32_t frame, uint32_t joint,
                         int *valid) {
    if (block->kind == GALI_BLOCK_JOINT_ROTATION_EXPMAP) {
        gal_vec3 half = vector(model, frame, block->offset + FEATURES_POSITION * joint);
        *valid = gali_vec3_length(half) < 1.1f * GALI_PI;
        return gali_quat_exp(half);
    }
    gal_vec3 a = vector(model, frame, block->offset + FEATURES_SIXD * joint);
    gal_vec3 b = vector(model, frame, block->offset + FEATURES_SIXD * joint + 3);
    float la = gali_vec3_length(a), lb = gali_vec3_length(b);
    *valid = la > 0.3f && lb > 0.3f && la < 3 && lb < 3 && fabsf(gali_vec3_dot(a, b)) < 0.7f * la * lb;
    return gali_quat_from_columns(a, b);
}

static double angle_between(gal_vec3 a, gal_vec3 b) {
    return (double)atan2f(gali_vec3_length(gali_vec3_cross(a, b)), gali_vec3_dot(a, b)) * 180 / (double)GALI_PI;
}

static deviation turn_of(const gali_model_file *file, const gali_block *positions, const gali_block *rotations,
                         uint32_t joint, uint32_t *invalid) {
    deviation out = {.joint = joint};
    const gali_joint *own = &file->contract->joints[joint];
    for (uint32_t f = 0; f < file->model.golden.frames; f++) {
        int valid = 0;
        gal_quat q = rotation(&file->model, rotations, f, (uint32_t)own->parent, &valid);
        *invalid += !valid;
        out.size += angle_between(gali_quat_turn(q, own->rest.position), bone(file, positions, f, joint)) /
                    file->model.golden.frames;
    }
    return out;
}

void gali_check_rotations(gali_check_report *report, const gali_model_file *file) {
    const gali_contract *contract = file->contract;
    const gali_block *positions = find_block(contract, GALI_BLOCK_JOINT_POSITION_OUT);
    const gali_block *rotations = find_block(contract, GALI_BLOCK_JOINT_ROTATION_EXPMAP);
    deviation turns[GALI_JOINTS_MAX];
    float height = gali_model_file_height(contract);
    uint32_t count = 0, invalid = 0;
    double mean = 0;
    rotations = rotations ? rotations : find_block(contract, GALI_BLOCK_JOINT_ROTATION_SIXD);
    for (uint32_t i = 0; positions && rotations && i < contract->joint_count; i++) {
        if (has_bone(contract, i, height)) {
            turns[count] = turn_of(file, positions, rotations, i, &invalid);
            mean += turns[count++].size;
        }
    }
    if (count == 0) {
        gali_check_say(report, GALI_SKIP, "rotations", "%s",
                       rotations ? "the skeleton has no lengths" : "the network predicts none");
        return;
    }
    qsort(turns, count, sizeof turns[0], larger);
    mean /= count;
    double median = turns[count / 2].size;
    /* A network's own blur is some degrees, more in the hands; swapped axes or frames are 40 and more. */
    int wrong = median > 20 || mean > 30 || invalid > count * file->model.golden.frames / 50;
    gali_check_say(report, wrong ? GALI_FAIL : GALI_PASS, "rotations",
                   "%u invalid; bones lie %.1f degrees from where they point, worst %s by %.1f%s", invalid,
                   mean, contract->joints[turns[0].joint].name, turns[0].size, wrong ? "; largest first:" : "");
    for (uint32_t i = 0; wrong && i < count && i < report->most && turns[i].size > 10; i++) {
        printf("        %-36s %.1f degrees\n", contract->joints[turns[i].joint].name, turns[i].size);
    }
}
