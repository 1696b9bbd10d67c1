/*
 * What the folder does not say: the contract of the published controller (its features, in order; its
 * skeleton's names) and where the weights come from.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "import/pfnn_parts.h"

enum { JOINTS = GALI_PFNN_JOINTS };

typedef struct joint {
    const char *name;
    int parent;
} joint;

static const joint joints[JOINTS] = {
    {"Hips", -1},
    {"LHipJoint", 0},
    {"LeftUpLeg", 1},
    {"LeftLeg", 2},
    {"LeftFoot", 3},
    {"LeftToeBase", 4},
    {"RHipJoint", 0},
    {"RightUpLeg", 6},
    {"RightLeg", 7},
    {"RightFoot", 8},
    {"RightToeBase", 9},
    {"LowerBack", 0},
    {"Spine", 11},
    {"Spine1", 12},
    {"Neck", 13},
    {"Neck1", 14},
    {"Head", 15},
    {"LeftShoulder", 13},
    {"LeftArm", 17},
    {"LeftForeArm", 18},
    {"LeftHand", 19},
    {"LeftFingerBase", 20},
    {"LeftHandIndex1", 21},
    {"LThumb", 20},
    {"RightShoulder", 13},
    {"RightArm", 24},
    {"RightForeArm", 25},
    {"RightHand", 26},
    {"RightFingerBase", 27},
    {"RightHandIndex1", 28},
    {"RThumb", 27},
};

/* A rest transform in its parent's frame: position, then quaternion x y z w. */
typedef struct rest {
    float position[3];
    float rotation[4];
} rest;

static const char head[] = "gallop-contract 1\n"
                           "name pfnn\n"
                           "rate 60\n"
                           "unit 0.01\n";

static const char features[] = "leg LeftUpLeg LeftLeg LeftFoot LeftToeBase\n"
                               "leg RightUpLeg RightLeg RightFoot RightToeBase\n"
                               "window 60 60\n"
                               "samples -60 -50 -40 -30 -20 -10 0 10 20 30 40 50\n"
                               "future 0 10 20 30 40 50\n"
                               "gait stand stand\n"
                               "gait walk walk\n"
                               "gait jog run\n"
                               "gait crouch crouch\n"
                               "gait jump jump\n"
                               "input trajectory.position.x\n"
                               "input trajectory.position.z\n"
                               "input trajectory.direction.x\n"
                               "input trajectory.direction.z\n"
                               "input trajectory.gait stand\n"
                               "input trajectory.gait walk\n"
                               "input trajectory.gait jog\n"
                               "input trajectory.gait crouch\n"
                               "input trajectory.gait jump\n"
                               "input constant 0 12 # a sixth gait, \"bump\": the original runtime feeds 0\n"
                               "input joint.position\n"
                               "input joint.velocity\n"
                               "input trajectory.height 25\n"
                               "input trajectory.height 0\n"
                               "input trajectory.height -25\n"
                               "output root.velocity.x\n"
                               "output root.velocity.z\n"
                               "output root.turn\n"
                               "output phase.advance\n"
                               "output contact LeftFoot\n"
                               "output contact LeftToeBase\n"
                               "output contact RightFoot\n"
                               "output contact RightToeBase\n"
                               "output future.position.x\n"
                               "output future.position.z\n"
                               "output future.direction.x\n"
                               "output future.direction.z\n"
                               "output joint.position\n"
                               "output joint.velocity\n"
                               "output joint.rotation expmap\n";

static const char source[] = "model: the published weights of the Phase-Functioned Neural Network\n"
                             "attribution: Daniel Holden, Taku Komura, Jun Saito: Phase-Functioned Neural "
                             "Networks for Character Control, "
                             "SIGGRAPH 2017\n"
                             "licence: research only, not for distribution (published as free for academic and "
                             "non-commercial purposes)\n";

/* A text that grows to GALI_PFNN_TEXT_MAX; past it, it stays full, and its size says so. */
typedef struct text {
    char *bytes;
    size_t size;
} text;

GALI_PRINTF(2, 3) static void add(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = GALI_PFNN_TEXT_MAX - t->size;
    int written = vsnprintf(t->bytes + t->size, room, format, arguments);
    va_end(arguments);
    t->size += written < 0 || (size_t)written >= room ? room - 1 : (size_t)written;
}

/* ---- the skeleton ---- */

/* Shepperd's method: the largest of the four squares is never near 0. */
static void quaternion_of(double m[3][3], double q[4]) {
    double squares[4] = {1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2],
                         1 - m[0][0] - m[1][1] + m[2][2], 1 + m[0][0] + m[1][1] + m[2][2]};
    int best = 3;
    for (int i = 0; i < 3; i++) {
        best = squares[i] > squares[best] ? i : best;
    }
    double all[4][4] = {
        {squares[0], m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] - m[1][2]},
        {m[1][0] + m[0][1], squares[1], m[2][1] + m[1][2], m[0][2] - m[2][0]},
        {m[0][2] + m[2][0], m[2][1] + m[1][2], squares[2], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], squares[3]},
    };
    double length = 0;
    for (int i = 0; i < 4; i++) {
        length += all[best][i] * all[best][i];
    }
    length = all[best][3] < 0 ? -sqrt(length) : sqrt(length);
    for (int i = 0; i < 4; i++) {
        q[i] = all[best][i] / length;
    }
}

static double determinant(double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static int is_rotation(double m[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dot = m[i][0] * m[j][0] + m[i][1] * m[j][1] + m[i][2] * m[j][2];
            if (!(fabs(dot - (i == j)) < 1e-3)) {
                return 0;
            }
        }
    }
    return determinant(m) > 0;
}

/* Joint i's row-major 4 x 4 transform; 0 if it is not rigid. */
static int read_rest(const void *xforms, size_t i, rest *r) {
    double m[3][3], q[4];
    for (size_t row = 0; row < 3; row++) {
        for (size_t column = 0; column < 3; column++) {
            m[row][column] = (double)gali_model_f32(xforms, 16 * i + 4 * row + column);
        }
        r->position[row] = gali_model_f32(xforms, 16 * i + 4 * row + 3);
    }
    for (size_t column = 0; column < 4; column++) {
        if (gali_model_f32(xforms, 16 * i + 12 + column) != (column == 3 ? 1.0f : 0.0f)) {
            return 0;
        }
    }
    if (!is_rotation(m)) {
        return 0;
    }
    quaternion_of(m, q);
    for (int k = 0; k < 4; k++) {
        r->rotation[k] = (float)q[k];
    }
    return 1;
}

static gal_status check_parents(const gali_pfnn *p, const void *parents) {
    for (size_t i = 0; i < JOINTS; i++) {
        float parent = gali_model_f32(parents, i);
        if (parent != (float)joints[i].parent) {
            return gali_fail(p->error, GAL_BAD_DATA,
                             "character_parents.bin: value %zu is %g, expected %d (%s's parent)", i,
                             (double)parent, joints[i].parent, joints[i].name);
        }
    }
    return GAL_OK;
}

/* Both files, or neither: then rests are as they were. */
static gal_status read_skeleton(gali_pfnn *p, rest rests[JOINTS]) {
    unsigned char parents[4 * JOINTS], xforms[4 * 16 * JOINTS];
    size_t size = 0;
    int missing = 0;
    const char *const names[] = {"character_parents.bin", "character_xforms.bin"};
    for (int i = 0; i < 2; i++) {
        gal_status found = p->skeleton.size(p->skeleton.context, names[i], &size, p->error);
        if (found != GAL_OK && found != GAL_NOT_FOUND) {
            return found;
        }
        missing += found == GAL_NOT_FOUND;
    }
    if (missing == 2 && !p->desc->skeleton) {
        return GAL_OK;
    }
    gal_status status = gali_pfnn_read(&p->skeleton, names[0], (gali_pfnn_shape){JOINTS, 1}, parents, p->error);
    if (status == GAL_OK) {
        status = gali_pfnn_read(&p->skeleton, names[1], (gali_pfnn_shape){JOINTS, 16}, xforms, p->error);
    }
    if (status == GAL_OK) {
        status = check_parents(p, parents);
    }
    for (size_t i = 0; i < JOINTS && status == GAL_OK; i++) {
        if (!read_rest(xforms, i, &rests[i])) {
            status = gali_fail(p->error, GAL_BAD_DATA, "%s: joint %zu (%s): not a rotation and a translation",
                               names[1], i, joints[i].name);
        }
    }
    p->report->skeleton_found = status == GAL_OK;
    return status;
}

/* ---- the texts ---- */

static void add_joint(text *t, size_t i, const rest *r) {
    char numbers[7][GALI_NUMBER_MAX];
    for (int k = 0; k < 7; k++) {
        gali_number_write(numbers[k], k < 3 ? r->position[k] : r->rotation[k - 3]);
    }
    add(t, "joint %s %s %s %s %s %s %s %s %s\n", joints[i].name,
        joints[i].parent < 0 ? "-" : joints[joints[i].parent].name, numbers[0], numbers[1], numbers[2],
        numbers[3], numbers[4], numbers[5], numbers[6]);
}

static gal_status write_contract(gali_pfnn *p, text *t) {
    rest rests[JOINTS];
    for (size_t i = 0; i < JOINTS; i++) {
        rests[i] = (rest){{0, 0, 0}, {0, 0, 0, 1}};
    }
    add(t, "%s", head);
    if (!p->report->known_features) {
        add(t, "input opaque x %u\noutput opaque y %u\n", p->model.inputs, p->model.outputs);
        return GAL_OK;
    }
    gal_status status = read_skeleton(p, rests);
    for (size_t i = 0; i < JOINTS && status == GAL_OK; i++) {
        add_joint(t, i, &rests[i]);
    }
    add(t, "%s", features);
    return status;
}

static void write_provenance(const gali_pfnn *p, text *t) {
    const gali_pfnn_report *report = p->report;
    const uint32_t *s = p->desc->samples;
    const char *type = p->desc->weight_type == GALI_WEIGHT_F16 ? " --f16" : "";
    add(t, "%s", source);
    if (report->recovered) {
        add(t, "data: four control points recovered from fifty sets by least squares\n");
        add(t, "command: gallop import --gate cubic%s\n", type);
    } else if (report->gate == GAL_GATE_CUBIC) {
        add(t, "data: the sets %u, %u, %u, %u of fifty as control points\n", s[0], s[1], s[2], s[3]);
        add(t, "command: gallop import --gate cubic --samples %u,%u,%u,%u%s\n", s[0], s[1], s[2], s[3], type);
    } else if (report->gate == GAL_GATE_LINEAR) {
        add(t, "data: every set whose number is a multiple of %u, of fifty\n",
            GALI_PFNN_SETS / report->experts);
        add(t, "command: gallop import --gate linear --sets %u%s\n", report->experts, type);
    } else {
        add(t, "data: all fifty sets\n");
        add(t, "command: gallop import --gate constant%s\n", type);
    }
}

gal_status gali_pfnn_texts(gali_pfnn *p) {
    text contract = {p->contract, 0}, provenance = {p->provenance, 0};
    gal_status status = write_contract(p, &contract);
    write_provenance(p, &provenance);
    p->model.contract = contract.bytes;
    p->model.contract_size = contract.size;
    p->model.provenance = provenance.bytes;
    p->model.provenance_size = provenance.size;
    return status;
}
