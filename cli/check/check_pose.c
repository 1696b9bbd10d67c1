/* Frames as poses: bones as long as the skeleton's, rotations that point them where they are. */
#include <stdio.h>
#include <stdlib.h>

#include "check/check_report.h"
#include "check/pose_row.h"

/* One joint's deviation from its parent's side, over all golden frames. */
typedef struct deviation {
    uint32_t joint;
    double size, expected, got;
} deviation;

static int larger(const void *a, const void *b) {
    double d = ((const deviation *)b)->size - ((const deviation *)a)->size;
    return (d > 0) - (d < 0);
}

static void print_bones(gali_check_report *report, const gali_contract *contract, const deviation *bones,
                        uint32_t count) {
    for (uint32_t i = 0; i < count && i < report->most && bones[i].size > 0.1; i++) {
        gali_check_detail(report, "%-36s %.4g at rest, %.4g in the frames (%+.0f %%)",
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
                       "the poses are %.3g times the skeleton's size: a unit, or the skeleton, is wrong",
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

int gali_check_bones(gali_check_report *report, const gali_model_file *file, const gali_frames *frames) {
    const gali_contract *contract = file->contract;
    gali_pose_blocks blocks = gali_pose_find(contract);
    deviation bones[GALI_JOINTS_MAX];
    float height = gali_model_file_height(contract);
    uint32_t count = 0, failed = report->failed;
    for (uint32_t i = 0; blocks.positions && i < contract->joint_count; i++) {
        if (!gali_pose_has_bone(contract, i, height)) {
            continue;
        }
        double mean = 0, rest = (double)gali_vec3_length(contract->joints[i].rest.position);
        for (uint32_t f = 0; f < frames->count; f++) {
            const float *y = frames->y + (size_t)f * contract->outputs;
            mean += (double)gali_vec3_length(gali_pose_bone(contract, &blocks, y, i)) / frames->count;
        }
        bones[count++] = (deviation){i, fabs(mean / rest - 1), rest, mean};
    }
    if (count == 0) {
        gali_check_say(report, GALI_SKIP, "bone lengths", "%s",
                       blocks.positions ? "the skeleton has no lengths" : "the network predicts no positions");
        return 1;
    }
    judge_bones(report, contract, bones, count);
    return report->failed == failed;
}

static double angle_between(gal_vec3 a, gal_vec3 b) {
    return (double)atan2f(gali_vec3_length(gali_vec3_cross(a, b)), gali_vec3_dot(a, b)) * 180 / (double)GALI_PI;
}

static deviation turn_of(const gali_contract *contract, const gali_pose_blocks *blocks,
                         const gali_frames *frames, uint32_t joint, uint32_t *invalid) {
    deviation out = {.joint = joint};
    const gali_joint *own = &contract->joints[joint];
    for (uint32_t f = 0; f < frames->count; f++) {
        const float *y = frames->y + (size_t)f * contract->outputs;
        int valid = 0;
        gal_quat q = gali_pose_rotation(blocks, y, (uint32_t)own->parent, &valid);
        *invalid += !valid;
        out.size +=
            angle_between(gali_quat_turn(q, own->rest.position), gali_pose_bone(contract, blocks, y, joint)) /
            frames->count;
    }
    return out;
}

int gali_check_rotations(gali_check_report *report, const gali_model_file *file, const gali_frames *frames) {
    const gali_contract *contract = file->contract;
    gali_pose_blocks blocks = gali_pose_find(contract);
    deviation turns[GALI_JOINTS_MAX];
    float height = gali_model_file_height(contract);
    uint32_t count = 0, invalid = 0;
    double mean = 0;
    for (uint32_t i = 0; blocks.positions && blocks.rotations && i < contract->joint_count; i++) {
        if (gali_pose_has_bone(contract, i, height)) {
            turns[count] = turn_of(contract, &blocks, frames, i, &invalid);
            mean += turns[count++].size;
        }
    }
    if (count == 0) {
        gali_check_say(report, GALI_SKIP, "rotations", "%s",
                       blocks.rotations ? "the skeleton has no lengths" : "the network predicts none");
        return 1;
    }
    qsort(turns, count, sizeof turns[0], larger);
    mean /= count;
    double median = turns[count / 2].size;
    /* A network's own blur is some degrees, more in the hands; swapped axes or frames are 40 and more. */
    int wrong = median > 20 || mean > 30 || invalid > count * frames->count / 50;
    gali_check_say(report, wrong ? GALI_FAIL : GALI_PASS, "rotations",
                   "%u invalid; bones lie %.1f degrees from where they point, worst %s by %.1f%s", invalid,
                   mean, contract->joints[turns[0].joint].name, turns[0].size, wrong ? "; largest first:" : "");
    for (uint32_t i = 0; wrong && i < count && i < report->most && turns[i].size > 10; i++) {
        gali_check_detail(report, "%-36s %.1f degrees", contract->joints[turns[i].joint].name, turns[i].size);
    }
    return !wrong;
}
