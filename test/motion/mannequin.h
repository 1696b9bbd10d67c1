/*
 * Controllers for tests, written through the real model writer: a biped of nine joints (or any contract text)
 * whose network either gives the same output for ever, chosen by the test, or wobbles about it by smooth random
 * weights.
 */
#ifndef TEST_MANNEQUIN_H
#define TEST_MANNEQUIN_H

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crowd/crowd.h"
#include "motion/controller.h"
#include "network/model.h"
#include "synthetic.h"

typedef struct mannequin_desc {
    const char *contract; /* NULL: mannequin_biped */
    const char *rules;    /* lines behind it; NULL: none */
    float wobble;         /* scale of the weights; 0: the output is the mean for ever */
    float step_x, step_z; /* mean outputs: root step, */
    float turn, phase;    /* root turn, phase step in turns, */
    float contact;        /* and every contact */
    uint64_t seed;
} mannequin_desc;

enum { MANNEQUIN_JOINTS = 9, MANNEQUIN_TEXT = 1 << 16, MANNEQUIN_HIDDEN = 24 };

/* The biped's joints; 0 is its hips. */
enum { LEFT_HIP = 1, LEFT_KNEE, LEFT_HEEL, LEFT_TOE, RIGHT_HIP, RIGHT_KNEE, RIGHT_HEEL, RIGHT_TOE };

/* Centimetres. Heels 5 and toes 4 above the ground, as the default rules have it. */
static const char mannequin_biped[] = "gallop-contract 1\n"
                                      "name mannequin\n"
                                      "rate 60\n"
                                      "unit 0.01\n"
                                      "joint Hips - 0 90 0\n"
                                      "joint LeftHip Hips 10 -5 0\n"
                                      "joint LeftKnee LeftHip 0 -43 0\n"
                                      "joint LeftHeel LeftKnee 0 -42 0\n"
                                      "joint LeftToe LeftHeel 0 -1 14\n"
                                      "joint RightHip Hips -10 -5 0\n"
                                      "joint RightKnee RightHip 0 -43 0\n"
                                      "joint RightHeel RightKnee 0 -42 0\n"
                                      "joint RightToe RightHeel 0 -1 14\n"
                                      "leg LeftHip LeftKnee LeftHeel LeftToe\n"
                                      "leg RightHip RightKnee RightHeel RightToe\n"
                                      "window 30 40\n"
                                      "samples -20 -10 0 10 20 30\n"
                                      "future 10 20 30 40\n"
                                      "gait stand stand\n"
                                      "gait walk walk\n"
                                      "gait run run\n"
                                      "gait crouch crouch\n"
                                      "input joint.velocity\n"
                                      "input trajectory.direction.z\n"
                                      "input trajectory.position.x\n"
                                      "input trajectory.height 25\n"
                                      "input trajectory.gait run\n"
                                      "input trajectory.position.z\n"
                                      "input constant 0.5 3\n"
                                      "input trajectory.gait stand\n"
                                      "input trajectory.height -25\n"
                                      "input joint.position\n"
                                      "input trajectory.gait crouch\n"
                                      "input trajectory.direction.x\n"
                                      "input trajectory.height 0\n"
                                      "input trajectory.gait walk\n"
                                      "output contact LeftHeel\n"
                                      "output contact LeftToe\n"
                                      "output contact RightHeel\n"
                                      "output contact RightToe\n"
                                      "output joint.rotation expmap\n"
                                      "output future.position.x\n"
                                      "output future.position.z\n"
                                      "output joint.position\n"
                                      "output root.turn\n"
                                      "output joint.velocity\n"
                                      "output root.velocity.z\n"
                                      "output future.direction.x\n"
                                      "output future.direction.z\n"
                                      "output phase.advance\n"
                                      "output root.velocity.x\n";

/* The biped's joints in the root frame when it stands with bent knees: bones as long as at rest. */
static inline gal_vec3 mannequin_stands(uint32_t joint) {
    const float along = (80.0f * 80 + 43.0f * 43 - 42.0f * 42) / 160;
    const float knee_z = sqrtf(43.0f * 43 - along * along);
    const float side = joint < 5 ? 10.0f : -10.0f;
    switch (joint == 0 ? 0 : (joint - 1) % 4 + 1) {
    case 0:
        return (gal_vec3){0, 90, 0};
    case 1:
        return (gal_vec3){side, 85, 0};
    case 2:
        return (gal_vec3){side, 85 - along, knee_z};
    case 3:
        return (gal_vec3){side, 5, 0};
    default:
        return (gal_vec3){side, 4, 14};
    }
}

/* A joint of any contract as it rests, in the first joint's parent's frame; rotations at rest are none here. */
static inline gal_vec3 mannequin_rest(const gali_contract *contract, uint32_t joint) {
    gal_vec3 at = {0, 0, 0};
    for (int32_t j = (int32_t)joint; j >= 0; j = contract->joints[j].parent) {
        at = gali_vec3_add(at, contract->joints[j].rest.position);
    }
    return at;
}

static inline void mannequin_mean_block(const mannequin_desc *desc, const gali_contract *contract,
                                        const gali_block *block, float *mean) {
    for (uint32_t i = 0; i < block->count; i++) {
        gal_vec3 at = {0, 0, 0};
        if (block->kind == GALI_BLOCK_JOINT_POSITION_OUT) {
            at = desc->contract ? mannequin_rest(contract, i / 3) : mannequin_stands(i / 3);
        }
        float offset = (float)contract->futures[i % GALI_SAMPLES_MAX];
        switch (block->kind) {
        case GALI_BLOCK_ROOT_VELOCITY_X:
            mean[i] = desc->step_x;
            break;
        case GALI_BLOCK_ROOT_VELOCITY_Z:
            mean[i] = desc->step_z;
            break;
        case GALI_BLOCK_ROOT_TURN:
            mean[i] = desc->turn;
            break;
        case GALI_BLOCK_PHASE_ADVANCE:
            mean[i] = desc->phase;
            break;
        case GALI_BLOCK_CONTACT:
            mean[i] = desc->contact;
            break;
        case GALI_BLOCK_FUTURE_POSITION_X:
            mean[i] = desc->step_x * offset;
            break;
        case GALI_BLOCK_FUTURE_POSITION_Z:
            mean[i] = desc->step_z * offset;
            break;
        case GALI_BLOCK_FUTURE_DIRECTION_Z:
            mean[i] = 1;
            break;
        case GALI_BLOCK_JOINT_POSITION_OUT:
            mean[i] = i % 3 == 0 ? at.x : i % 3 == 1 ? at.y : at.z;
            break;
        case GALI_BLOCK_JOINT_ROTATION_SIXD:
            mean[i] = i % 6 == 0 || i % 6 == 4 ? 1 : 0;
            break;
        default:
            mean[i] = 0;
        }
    }
}

/* How far a wobble of 1 moves an output: small beside the mean. */
static inline float mannequin_spread(gali_block_kind kind) {
    switch (kind) {
    case GALI_BLOCK_JOINT_POSITION_OUT:
        return 2;
    case GALI_BLOCK_FUTURE_POSITION_X:
    case GALI_BLOCK_FUTURE_POSITION_Z:
        return 4;
    case GALI_BLOCK_PHASE_ADVANCE:
        return 0.003f;
    case GALI_BLOCK_ROOT_TURN:
        return 0.02f;
    case GALI_BLOCK_CONTACT:
        return 0.5f;
    default:
        return 0.2f;
    }
}

static inline float mannequin_scale(gali_block_kind kind) {
    switch (kind) {
    case GALI_BLOCK_TRAJECTORY_POSITION_X:
    case GALI_BLOCK_TRAJECTORY_POSITION_Z:
    case GALI_BLOCK_TRAJECTORY_HEIGHT:
    case GALI_BLOCK_JOINT_POSITION_IN:
        return 40;
    default:
        return 1;
    }
}

/* The normalisation that gives features their size: inputs of about 1, outputs about the mean. */
static inline void mannequin_normalise(synthetic *s, const mannequin_desc *desc,
                                       const gali_contract *contract) {
    float *input_std = (float *)(uintptr_t)s->model.input_std;
    float *mean = (float *)(uintptr_t)s->model.output_mean, *spread = (float *)(uintptr_t)s->model.output_std;
    for (uint32_t b = 0; b < contract->input_block_count; b++) {
        const gali_block *block = &contract->input_blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            input_std[block->offset + i] = mannequin_scale(block->kind);
        }
    }
    for (uint32_t b = 0; b < contract->output_block_count; b++) {
        const gali_block *block = &contract->output_blocks[b];
        mannequin_mean_block(desc, contract, block, mean + block->offset);
        for (uint32_t i = 0; i < block->count; i++) {
            spread[block->offset + i] = mannequin_spread(block->kind);
        }
    }
}

static inline void mannequin_scale_layer(gali_model_layer *layer, float scale) {
    float *weights = (float *)(uintptr_t)layer->weights, *biases = (float *)(uintptr_t)layer->biases;
    for (size_t i = 0; i < (size_t)layer->experts * layer->outputs * layer->inputs; i++) {
        weights[i] *= scale;
    }
    for (size_t i = 0; i < (size_t)layer->experts * layer->outputs; i++) {
        biases[i] *= scale;
    }
}

static inline char *mannequin_text(const mannequin_desc *desc) {
    char *text = malloc(MANNEQUIN_TEXT);
    snprintf(text, MANNEQUIN_TEXT, "%s%s", desc->contract ? desc->contract : mannequin_biped,
             desc->rules ? desc->rules : "");
    return text;
}

static inline gali_contract *mannequin_contract(const char *text) {
    gali_contract *contract;
    gal_error error = {0};
    if (gali_contract_parse(&contract, text, strlen(text), NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return contract;
}

/* The model as a synthetic one; its contract's text belongs to it. */
static inline synthetic mannequin_model(const mannequin_desc *desc) {
    char *text = mannequin_text(desc);
    gali_contract *contract = mannequin_contract(text);
    synthetic_desc shape = {.gate = GAL_GATE_CUBIC,
                            .experts = 4,
                            .layers = 2,
                            .seed = desc->seed,
                            .activation = {GALI_ACTIVATION_ELU}};
    shape.width[0] = contract->inputs;
    shape.width[1] = MANNEQUIN_HIDDEN;
    shape.width[2] = contract->outputs;
    synthetic s = synthetic_make(&shape);
    s.model.contract = text;
    s.model.contract_size = strlen(text);
    s.arrays[s.array_count++] = text;
    mannequin_normalise(&s, desc, contract);
    mannequin_scale_layer(&s.model.layers[1], desc->wobble);
    gali_contract_release(contract, NULL);
    return s;
}

static inline gal_controller *mannequin_open_model(const synthetic *s) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_controller *controller;
    gal_error error = {0};
    if (gal_controller_open_memory(&controller, bytes, size, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    return controller;
}

static inline gal_controller *mannequin_open(const mannequin_desc *desc) {
    synthetic s = mannequin_model(desc);
    gal_controller *controller = mannequin_open_model(&s);
    synthetic_free(&s);
    return controller;
}

/* A shipped model. */
static inline gal_controller *shipped_open(const char *name) {
    gal_controller *controller;
    gal_error error = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/models/%s.gallop", GALLOP_SOURCE_DIR, name);
    if (gal_controller_open(&controller, path, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return controller;
}

static inline gal_controller *walker_open(void) {
    return shipped_open("walker");
}

static inline gal_crowd *crowd_of(const gal_controller *controller, uint32_t capacity, gal_ground_fn ground) {
    gal_crowd_desc desc = {.controller = controller, .capacity = capacity, .ground = ground};
    gal_crowd *crowd;
    gal_error error = {0};
    if (gal_crowd_create(&crowd, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return crowd;
}

static inline gal_character crowd_add(gal_crowd *crowd, gal_spawn spawn) {
    gal_character character;
    assert_int_equal(gal_crowd_add(crowd, &spawn, &character), GAL_OK);
    assert_true(character != 0);
    return character;
}

/* Ground of smooth hills. */
static inline float hills(void *context, float x, float z) {
    (void)context;
    return 12 * sinf(0.011f * x) + 9 * cosf(0.013f * z);
}

static inline float distance(gal_vec3 a, gal_vec3 b) {
    return gali_vec3_length(gali_vec3_sub(a, b));
}

/* Fails if two joints are not a bone's length apart. */
static inline void near_length(const gal_transform *pose, uint32_t a, uint32_t b, float length) {
    float now = distance(pose[a].position, pose[b].position);
    if (fabsf(now - length) > 2e-3f) {
        fail_msg("bone %u-%u: %.4f, expected %.4f", a, b, (double)now, (double)length);
    }
}

/* A host's parallel_for with two threads, the second from the end. */
typedef struct two_threads_half {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t from, to;
} two_threads_half;

static inline void *two_threads_run(void *argument) {
    const two_threads_half *h = argument;
    for (uint32_t i = h->to; i > h->from; i--) {
        h->task(h->argument, i - 1);
    }
    return NULL;
}

static inline void two_threads(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                               uint32_t count) {
    (void)context;
    two_threads_half low = {task, argument, 0, count / 2}, high = {task, argument, count / 2, count};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, two_threads_run, &high), 0);
    two_threads_run(&low);
    pthread_join(thread, NULL);
}

#endif
