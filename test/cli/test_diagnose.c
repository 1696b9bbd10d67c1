/*
 * Every mistake that `gallop check` knows, made in memory in a model that is right, is named; a right model has
 * none, and noise has none that is known.
 */
#define _XOPEN_SOURCE 700
#include "motion/mannequin.h"

#include "diagnose/diagnose.h"
#include "frames.h"
#include "model_file.h"
#include "network/reference.h"
#include "sanitized.h"

/* A model whose arrays may be written to, and frames that it explains until somebody makes a mistake. */
typedef struct patient {
    gali_model_file file;
    gali_frames frames;
    float *arrays[32];
    uint32_t array_count;
    synthetic small; /* what file.model points to where the model was not read from a file */
} patient;

static float *writable(patient *p, const void *values, size_t count) {
    float *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        out[i] = gali_model_f32(values, i);
    }
    p->arrays[p->array_count++] = out;
    return out;
}

static void copy_layer(patient *p, gali_model_layer *layer) {
    size_t count = (size_t)layer->experts * layer->outputs * layer->inputs;
    float *weights = malloc(count * sizeof *weights);
    for (size_t i = 0; i < count; i++) {
        weights[i] = gali_model_weight(layer, i);
    }
    p->arrays[p->array_count++] = weights;
    layer->weights = weights;
    layer->weight_type = GALI_WEIGHT_F32;
    layer->biases = writable(p, layer->biases, (size_t)layer->experts * layer->outputs);
}

static void copy_model(patient *p) {
    gali_model *model = &p->file.model;
    model->input_mean = writable(p, model->input_mean, model->inputs);
    model->input_std = writable(p, model->input_std, model->inputs);
    model->output_mean = writable(p, model->output_mean, model->outputs);
    model->output_std = writable(p, model->output_std, model->outputs);
    for (uint32_t i = 0; i < model->layer_count; i++) {
        copy_layer(p, &model->layers[i]);
    }
    for (uint32_t i = 0; i < model->gating.layer_count; i++) {
        copy_layer(p, &model->gating.layers[i]);
    }
}

static void open_file(patient *p, const char *name) {
    char path[512];
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/models/%s.gallop", GALLOP_SOURCE_DIR, name);
    assert_int_equal(gali_model_file_open(&p->file, path, &error), GAL_OK);
    copy_model(p);
    assert_int_equal(gali_frames_golden(&p->frames, &p->file.model, &error), GAL_OK);
}

/* Without a contract, small enough that every pair of features is tried quickly. */
static void open_small(patient *p) {
    enum { FRAMES = 24 };
    const synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                                 .experts = 4,
                                 .layers = 3,
                                 .width = {11, 13, 13, 9},
                                 .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
                                 .normalised = 1,
                                 .seed = 3};
    uint64_t seed = 4;
    p->small = synthetic_make(&desc);
    p->file.model = p->small.model;
    copy_model(p);
    float *x = malloc(FRAMES * 11 * sizeof *x), *phase = malloc(FRAMES * sizeof *phase);
    float *y = malloc(FRAMES * 9 * sizeof *y);
    double exact[FRAMES * 9];
    float *mean = (float *)(uintptr_t)p->file.model.input_mean;
    float *deviation = (float *)(uintptr_t)p->file.model.input_std;
    for (uint32_t k = 0; k < 11; k++) {
        mean[k] *= 30;
        deviation[k] *= 2 + (float)k;
    }
    for (uint32_t i = 0; i < FRAMES * 11; i++) {
        x[i] = mean[i % 11] + 1.7f * deviation[i % 11] * synthetic_uniform(&seed);
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        phase[i] = 0.7f * (float)i;
    }
    assert_int_equal(gali_reference_run(&p->file.model, FRAMES, x, phase, exact, NULL), GAL_OK);
    for (uint32_t i = 0; i < FRAMES * 9; i++) {
        y[i] = (float)exact[i];
    }
    p->frames = (gali_frames){"frames", FRAMES, 1e-4f, x, phase, y};
}

static void close_patient(patient *p) {
    gali_frames_release(&p->frames);
    gali_model_file_close(&p->file);
    synthetic_free(&p->small);
    for (uint32_t i = 0; i < p->array_count; i++) {
        free(p->arrays[i]);
    }
}

/* ---- mistakes in frames ---- */

static float *row_of(patient *p, int output, uint32_t frame) {
    const gali_model *model = &p->file.model;
    return output ? p->frames.y + (size_t)frame * model->outputs : p->frames.x + (size_t)frame * model->inputs;
}

static const gali_block *block_of(const patient *p, gali_block_kind kind) {
    const gali_block *block = gali_contract_find(p->file.contract, kind);
    assert_non_null(block);
    return block;
}

/* Column i becomes what column from[i] was. */
static void permute(patient *p, int output, uint32_t first, uint32_t count, const uint32_t *from) {
    float *old = malloc(count * sizeof *old);
    for (uint32_t f = 0; f < p->frames.count; f++) {
        float *row = row_of(p, output, f) + first;
        memcpy(old, row, count * sizeof *old);
        for (uint32_t i = 0; i < count; i++) {
            row[i] = old[from[i]];
        }
    }
    free(old);
}

static void multiply(patient *p, int output, uint32_t first, uint32_t count, uint32_t stride, float factor) {
    for (uint32_t f = 0; f < p->frames.count; f++) {
        for (uint32_t i = 0; i < count; i += stride) {
            row_of(p, output, f)[first + i] *= factor;
        }
    }
}

static void scale_block(patient *p, int output, gali_block_kind kind, float factor) {
    const gali_block *block = block_of(p, kind);
    multiply(p, output, block->offset, block->count, 1, factor);
}

static void phase_in_turns(patient *p) {
    for (uint32_t f = 0; f < p->frames.count; f++) {
        p->frames.gate[f] /= 6.2831853f;
    }
}

static void normalise(float *rows, uint32_t frames, uint32_t width, const void *mean, const void *deviation) {
    for (size_t i = 0; i < (size_t)frames * width; i++) {
        rows[i] = (rows[i] - gali_model_f32(mean, i % width)) / gali_model_f32(deviation, i % width);
    }
}

static void x_normalised(patient *p) {
    const gali_model *m = &p->file.model;
    normalise(p->frames.x, p->frames.count, m->inputs, m->input_mean, m->input_std);
}

static void y_normalised(patient *p) {
    const gali_model *m = &p->file.model;
    normalise(p->frames.y, p->frames.count, m->outputs, m->output_mean, m->output_std);
}

static void blocks_exchanged(patient *p) {
    const gali_block *a = block_of(p, GALI_BLOCK_JOINT_POSITION_IN),
                     *b = block_of(p, GALI_BLOCK_JOINT_VELOCITY_IN);
    uint32_t from[512], first = a->offset < b->offset ? a->offset : b->offset;
    for (uint32_t i = 0; i < 2 * a->count; i++) {
        from[i] = (i + a->count) % (2 * a->count);
    }
    permute(p, 0, first, 2 * a->count, from);
}

static void block_moved_to_the_end(patient *p) {
    const gali_block *block = block_of(p, GALI_BLOCK_TRAJECTORY_DIRECTION_X);
    uint32_t from[512], left = p->file.model.inputs - block->offset;
    for (uint32_t i = 0; i < left; i++) {
        from[i] = (i + block->count) % left;
    }
    permute(p, 0, block->offset, left, from);
}

static void positions_component_by_component(patient *p) {
    const gali_block *block = block_of(p, GALI_BLOCK_JOINT_POSITION_IN);
    uint32_t from[512], joints = block->count / 3;
    for (uint32_t i = 0; i < block->count; i++) {
        from[i] = i % joints * 3 + i / joints;
    }
    permute(p, 0, block->offset, block->count, from);
}

static void rotations_by_rows(patient *p) {
    const gali_block *block = block_of(p, GALI_BLOCK_JOINT_ROTATION_SIXD);
    uint32_t from[512];
    for (uint32_t i = 0; i < block->count; i++) {
        from[i] = i / 6 * 6 + i % 2 * 3 + i % 6 / 2;
    }
    permute(p, 1, block->offset, block->count, from);
}

/* Joint i becomes joint at[i], in all blocks of x, or of y, about joints. */
static void move_joints_of(patient *p, int output, const uint32_t *at) {
    static const gali_block_kind kinds[2][3] = {
        {GALI_BLOCK_JOINT_POSITION_IN, GALI_BLOCK_JOINT_VELOCITY_IN, GALI_BLOCK_JOINT_VELOCITY_IN},
        {GALI_BLOCK_JOINT_POSITION_OUT, GALI_BLOCK_JOINT_VELOCITY_OUT, GALI_BLOCK_JOINT_ROTATION_SIXD}};
    uint32_t from[512], joints = p->file.contract->joint_count;
    for (uint32_t b = 0; b < (output ? 3u : 2u); b++) {
        const gali_block *block = block_of(p, kinds[output][b]);
        uint32_t width = block->count / joints;
        for (uint32_t i = 0; i < block->count; i++) {
            from[i] = at[i / width] * width + i % width;
        }
        permute(p, output, block->offset, block->count, from);
    }
}

static void move_joints(patient *p, const uint32_t *at) {
    move_joints_of(p, 0, at);
    move_joints_of(p, 1, at);
}

static void joints_last_first(patient *p) {
    uint32_t at[GALI_JOINTS_MAX], joints = p->file.contract->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        at[i] = joints - 1 - i;
    }
    move_joints(p, at);
}

static void wrists_exchanged(patient *p) {
    uint32_t at[GALI_JOINTS_MAX];
    for (uint32_t i = 0; i < p->file.contract->joint_count; i++) {
        at[i] = i == 10 ? 14 : i == 14 ? 10 : i;
    }
    move_joints(p, at);
}

static void legs_exchanged(patient *p) {
    static const gali_block_kind x[] = {GALI_BLOCK_HINGE_ANGLE, GALI_BLOCK_HINGE_VELOCITY_IN,
                                        GALI_BLOCK_FOOT_POSITION, GALI_BLOCK_FOOT_VELOCITY,
                                        GALI_BLOCK_LEG_PHASE_IN};
    static const gali_block_kind y[] = {GALI_BLOCK_HINGE_CHANGE, GALI_BLOCK_HINGE_VELOCITY_OUT,
                                        GALI_BLOCK_LEG_PHASE_OUT, GALI_BLOCK_LEG_PHASE_RATE,
                                        GALI_BLOCK_CONTACT};
    uint32_t from[64];
    for (uint32_t b = 0; b < 10; b++) {
        const gali_block *block = block_of(p, b < 5 ? x[b] : y[b - 5]);
        uint32_t each = block->kind == GALI_BLOCK_CONTACT ? 1 : block->count / 4;
        for (uint32_t i = 0; i < 4 * each; i++) {
            from[i] = i < each ? i + each : i < 2 * each ? i - each : i;
        }
        permute(p, b >= 5, block->offset, 4 * each, from);
    }
}

static void direction_turned(patient *p) {
    scale_block(p, 0, GALI_BLOCK_TRAJECTORY_DIRECTION_X, -1);
}

/* The whole walker in a space whose x points the other way: positions, velocities, turns, rotation matrices. */
static void mirrored(patient *p) {
    static const gali_block_kind alone[] = {GALI_BLOCK_TRAJECTORY_POSITION_X, GALI_BLOCK_TRAJECTORY_DIRECTION_X,
                                            GALI_BLOCK_FUTURE_POSITION_X,     GALI_BLOCK_FUTURE_DIRECTION_X,
                                            GALI_BLOCK_ROOT_VELOCITY_X,       GALI_BLOCK_ROOT_TURN};
    static const gali_block_kind vectors[] = {GALI_BLOCK_JOINT_POSITION_IN, GALI_BLOCK_JOINT_VELOCITY_IN,
                                              GALI_BLOCK_JOINT_POSITION_OUT, GALI_BLOCK_JOINT_VELOCITY_OUT};
    for (uint32_t b = 0; b < 6; b++) {
        scale_block(p, b >= 2, alone[b], -1);
    }
    for (uint32_t b = 0; b < 4; b++) {
        const gali_block *block = block_of(p, vectors[b]);
        multiply(p, b >= 2, block->offset, block->count, 3, -1);
    }
    const gali_block *rotations = block_of(p, GALI_BLOCK_JOINT_ROTATION_SIXD);
    for (uint32_t i = 1; i <= 3; i++) {
        multiply(p, 1, rotations->offset + i, rotations->count - i, 6, -1);
    }
}

static void x_in_metres(patient *p) {
    static const gali_block_kind lengths[] = {GALI_BLOCK_TRAJECTORY_POSITION_X,
                                              GALI_BLOCK_TRAJECTORY_POSITION_Z, GALI_BLOCK_JOINT_POSITION_IN,
                                              GALI_BLOCK_JOINT_VELOCITY_IN};
    for (uint32_t b = 0; b < 4; b++) {
        scale_block(p, 0, lengths[b], 0.01f);
    }
}

static void joints_in_metres(patient *p) {
    static const gali_block_kind lengths[] = {GALI_BLOCK_JOINT_POSITION_IN, GALI_BLOCK_JOINT_VELOCITY_IN,
                                              GALI_BLOCK_JOINT_POSITION_OUT, GALI_BLOCK_JOINT_VELOCITY_OUT};
    for (uint32_t b = 0; b < 4; b++) {
        scale_block(p, b >= 2, lengths[b], 0.01f);
    }
}

static void positions_put_out_in_metres(patient *p) {
    scale_block(p, 1, GALI_BLOCK_JOINT_POSITION_OUT, 0.01f);
}

static void positions_put_in_in_metres(patient *p) {
    scale_block(p, 0, GALI_BLOCK_JOINT_POSITION_IN, 0.01f);
}

static void velocities_per_second(patient *p) {
    scale_block(p, 1, GALI_BLOCK_JOINT_VELOCITY_OUT, 60);
}

static void phase_advance_in_radians(patient *p) {
    scale_block(p, 1, GALI_BLOCK_PHASE_ADVANCE, 6.2831853f);
}

static void inputs_exchanged(patient *p) {
    const uint32_t from[11] = {0, 7, 2, 3, 4, 9, 6, 1, 8, 5, 10};
    permute(p, 0, 0, 11, from);
}

static void outputs_exchanged(patient *p) {
    const uint32_t from[9] = {0, 4, 2, 3, 8, 5, 6, 7, 1};
    permute(p, 1, 0, 9, from);
}

static void input_turned(patient *p) {
    multiply(p, 0, 6, 1, 1, -1);
}

static void two_mistakes(patient *p) {
    y_normalised(p);
    direction_turned(p);
}

static void noise(patient *p) {
    uint64_t seed = 8;
    for (size_t i = 0; i < (size_t)p->frames.count * p->file.model.outputs; i++) {
        p->frames.y[i] = 40 * synthetic_uniform(&seed);
    }
}

static void nothing(patient *p) {
    (void)p;
}

/* ---- mistakes in files ---- */

static float *values(const void *array) {
    return (float *)(uintptr_t)array;
}

static void fill(const void *array, uint32_t count, float value) {
    for (uint32_t i = 0; i < count; i++) {
        values(array)[i] = value;
    }
}

static void no_input_normalisation(patient *p) {
    fill(p->file.model.input_mean, p->file.model.inputs, 0);
    fill(p->file.model.input_std, p->file.model.inputs, 1);
}

static void no_output_normalisation(patient *p) {
    fill(p->file.model.output_mean, p->file.model.outputs, 0);
    fill(p->file.model.output_std, p->file.model.outputs, 1);
}

static void variances(patient *p) {
    const gali_model *m = &p->file.model;
    for (uint32_t i = 0; i < m->inputs; i++) {
        values(m->input_std)[i] *= gali_model_f32(m->input_std, i);
    }
}

static void transpose_layer(patient *p, gali_model_layer *layer) {
    size_t size = (size_t)layer->inputs * layer->outputs;
    float *out = malloc(layer->experts * size * sizeof *out);
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (size_t i = 0; i < size; i++) {
            out[e * size + i % layer->inputs * layer->outputs + i / layer->inputs] =
                values(layer->weights)[e * size + i];
        }
    }
    p->arrays[p->array_count++] = out;
    layer->weights = out;
}

static void transposed(patient *p) {
    for (uint32_t i = 0; i < p->file.model.layer_count; i++) {
        transpose_layer(p, &p->file.model.layers[i]);
    }
}

static void second_layer_transposed(patient *p) {
    transpose_layer(p, &p->file.model.layers[1]);
}

static void gate_transposed(patient *p) {
    for (uint32_t i = 0; i < p->file.model.gating.layer_count; i++) {
        transpose_layer(p, &p->file.model.gating.layers[i]);
    }
}

/* Expert e becomes what expert order[e] was. */
static void move_experts(patient *p, const uint32_t *order) {
    gali_model *m = &p->file.model;
    for (uint32_t i = 0; i < m->layer_count; i++) {
        gali_model_layer *layer = &m->layers[i];
        size_t size = (size_t)layer->inputs * layer->outputs;
        float *weights = malloc(m->experts * size * sizeof *weights);
        float *biases = malloc(m->experts * layer->outputs * sizeof *biases);
        for (uint32_t e = 0; e < m->experts; e++) {
            memcpy(weights + e * size, values(layer->weights) + order[e] * size, size * sizeof *weights);
            memcpy(biases + e * layer->outputs, values(layer->biases) + order[e] * layer->outputs,
                   layer->outputs * sizeof *biases);
        }
        layer->weights = p->arrays[p->array_count++] = weights;
        layer->biases = p->arrays[p->array_count++] = biases;
    }
}

static void experts_from_the_second_on(patient *p) {
    move_experts(p, (uint32_t[]){1, 2, 3, 0});
}

static void experts_mixed(patient *p) {
    move_experts(p, (uint32_t[]){2, 0, 3, 1});
}

static void eight_experts_mixed(patient *p) {
    move_experts(p, (uint32_t[]){5, 0, 1, 7, 2, 3, 6, 4});
}

static void other_activation(patient *p) {
    p->file.model.layers[0].activation = p->file.model.layers[1].activation = GALI_ACTIVATION_RELU;
}

/* ---- mistakes in contracts: the network gives the frames, the skeleton does not fit ---- */

static void skeleton_in_metres(patient *p) {
    gali_joint *joints = (gali_joint *)(uintptr_t)p->file.contract->joints;
    for (uint32_t i = 0; i < p->file.contract->joint_count; i++) {
        joints[i].rest.position = gali_vec3_scale(joints[i].rest.position, 0.01f);
    }
}

static void pose_last_first(patient *p) {
    uint32_t at[GALI_JOINTS_MAX], joints = p->file.contract->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        at[i] = joints - 1 - i;
    }
    move_joints_of(p, 1, at);
}

static void pose_mixed(patient *p) {
    uint32_t at[GALI_JOINTS_MAX], joints = p->file.contract->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        at[i] = (7 * i + 3) % joints;
    }
    move_joints_of(p, 1, at);
}

static void pose_positions_mirrored(patient *p) {
    const gali_block *block = block_of(p, GALI_BLOCK_JOINT_POSITION_OUT);
    multiply(p, 1, block->offset, block->count, 3, -1);
}

/* ---- the table ---- */

typedef struct test_row {
    const char *name, *model; /* model: walker, dog, small */
    void (*make)(patient *p);
    int pose;
    gali_diagnosis_kind kind;
    const char *text;
} test_row;

#define SURE GALI_DIAGNOSIS_SURE
#define LIKELY GALI_DIAGNOSIS_LIKELY
#define NONE GALI_DIAGNOSIS_NONE
static const test_row rows[] = {
    {"right walker", "walker", nothing, 0, NONE, ""},
    {"right dog", "dog", nothing, 0, NONE, ""},
    {"right pose", "walker", nothing, 1, NONE, ""},
    {"noise", "small", noise, 0, NONE, ""},
    {"phase in turns", "walker", phase_in_turns, 0, SURE, "the phase is in turns"},
    {"inputs normalised", "dog", x_normalised, 0, SURE, "inputs are normalised twice"},
    {"outputs normalised", "walker", y_normalised, 0, SURE, "outputs recorded are still normalised"},
    {"no input normalisation", "small", no_input_normalisation, 0, LIKELY,
     "the input normalisation is missing"},
    {"no output normalisation", "dog", no_output_normalisation, 0, SURE, "the output normalisation is missing"},
    {"variances", "walker", variances, 0, SURE, "variances where the standard deviations of the inputs"},
    {"metres", "walker", x_in_metres, 0, SURE,
     "lengths of the recorded inputs are 100 times too small: metres for centimetres"},
    {"joints alone in metres", "walker", joints_in_metres, 0, SURE,
     "lengths of the recorded inputs and outputs of joints and feet alone are 100 times too small"},
    {"positions alone in metres", "walker", positions_put_out_in_metres, 0, SURE,
     "lengths of the recorded outputs of joint.position alone are 100 times too small"},
    {"positions alone in metres, inputs", "walker", positions_put_in_in_metres, 0, SURE,
     "lengths of the recorded inputs of joint.position alone are 100 times too small"},
    {"velocities per second", "walker", velocities_per_second, 0, SURE,
     "velocities of the recorded outputs of joints and feet alone per frame are expected"},
    {"phase advance in radians", "walker", phase_advance_in_radians, 0, SURE,
     "phases of the recorded outputs are in radians, turns are expected"},
    {"blocks exchanged", "walker", blocks_exchanged, 0, SURE,
     "in the recorded inputs joint.position and joint.velocity are exchanged"},
    {"block moved", "walker", block_moved_to_the_end, 0, SURE,
     "in the recorded inputs trajectory.direction.x stands behind joint.velocity"},
    {"component by component", "walker", positions_component_by_component, 0, SURE,
     "joint.position of the recorded inputs lies component by component"},
    {"rows for columns", "walker", rotations_by_rows, 0, SURE,
     "joint.rotation of the recorded outputs has the matrices' rows"},
    {"joints last first", "walker", joints_last_first, 0, SURE,
     "the joints of the recorded inputs and outputs stand in another order than the contract's: last first"},
    {"joints exchanged", "walker", wrists_exchanged, 0, SURE,
     "the joints RightWrist and LeftWrist of the recorded inputs and outputs are exchanged"},
    {"legs exchanged", "dog", legs_exchanged, 0, SURE,
     "the legs FrontRightFoot and FrontLeftFoot of the recorded inputs and outputs are exchanged"},
    {"direction turned", "walker", direction_turned, 0, SURE,
     "trajectory.direction.x of the recorded inputs has the wrong sign"},
    {"space mirrored", "walker", mirrored, 0, SURE,
     "the x axis of the recorded inputs and outputs has the wrong sign"},
    {"inputs exchanged", "small", inputs_exchanged, 0, SURE,
     "in the recorded inputs x[1] and x[7] are exchanged"},
    {"inputs exchanged, the other pair", "small", inputs_exchanged, 0, SURE, "x[5] and x[9] are exchanged"},
    {"outputs exchanged", "small", outputs_exchanged, 0, SURE, "y[1] stands where y[8] belongs"},
    {"input turned", "small", input_turned, 0, SURE, "x[6] of the recorded inputs has the wrong sign"},
    {"two mistakes", "walker", two_mistakes, 0, SURE,
     "were not put back; trajectory.direction.x of the recorded inputs has the wrong sign"},
    {"transposed", "small", transposed, 0, SURE, "the weights of all layers lie transposed"},
    {"one layer transposed", "dog", second_layer_transposed, 0, SURE, "the weights of layer 1 lie transposed"},
    {"gate transposed", "dog", gate_transposed, 0, SURE, "the weights of the gate's layers lie transposed"},
    {"experts moved on", "walker", experts_from_the_second_on, 0, SURE,
     "the experts stand in another order: the file's 3 is the gate's 0, and so on (or the phase is 3/4"},
    {"experts mixed", "small", experts_mixed, 0, SURE, "the file's for the gate's 0, 1, ... are 1 3 0 2"},
    {"eight experts mixed", "dog", eight_experts_mixed, 0, SURE, "are 1 2 4 5 7 0 6 3"},
    {"another activation", "walker", other_activation, 0, SURE,
     "the hidden layers have the activation relu, the network was trained with elu"},
    {"skeleton in metres", "walker", skeleton_in_metres, 1, SURE, "centimetres for metres"},
    {"pose last first", "walker", pose_last_first, 1, SURE, "than the contract's: last first"},
    {"pose mixed", "walker", pose_mixed, 1, SURE, "another order than the contract's: "},
    {"pose mirrored", "walker", pose_positions_mirrored, 1, SURE,
     "the x of joint.position in the recorded outputs has the wrong sign"},
};

static void is_named(void **state) {
    const test_row *row = *state;
    patient p = {0};
    gali_diagnosis got;
    gal_error error = {0};
    if (strcmp(row->model, "small") == 0) {
        open_small(&p);
    } else {
        open_file(&p, row->model);
    }
    row->make(&p);
    assert_int_equal((row->pose ? gali_diagnose_pose : gali_diagnose_frames)(&got, &p.file, &p.frames, &error),
                     GAL_OK);
    if (got.kind != row->kind || !strstr(got.text, row->text)) {
        fail_msg("%s: kind %d, \"%s\", error from %g to %g", row->name, (int)got.kind, got.text, got.before,
                 got.after);
    }
    close_patient(&p);
}

/* Each row has all mistakes tried, so a sanitized build sees them all in every third. */
int main(void) {
    enum { ROWS = sizeof rows / sizeof *rows, STEP = SANITIZED ? 3 : 1 };
    struct CMUnitTest tests[(ROWS + STEP - 1) / STEP] = {{0}};
    for (size_t i = 0; i < ROWS; i += STEP) {
        tests[i / STEP] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = is_named, .initial_state = (void *)(uintptr_t)&rows[i]};
    }
    return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
