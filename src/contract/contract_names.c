/* What a parsed contract is asked: its features' names, its blocks, and whether a crowd can walk by it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "contract/contract_parse.h"

/* ---- names ---- */

static void name_joint_feature(const gali_contract *c, const gali_block *b, uint32_t i, char *text,
                               size_t size) {
    const char *name = gali_block_facts[b->kind].name;
    uint32_t each = gali_block_facts[b->kind].features == GALI_FEATURES_JOINTS6 ? 6 : 3;
    const char *joint = c->joints[i / each].name;
    int stem = (int)strcspn(name, " ");
    if (b->kind == GALI_BLOCK_JOINT_ROTATION_EXPMAP || b->kind == GALI_BLOCK_JOINT_ROTATION_SIXD) {
        snprintf(text, size, "%.*s.%s.%u", stem, name, joint, i % each);
    } else {
        snprintf(text, size, "%.*s.%s.%c", stem, name, joint, "xyz"[i % each]);
    }
}

/* "." and the block's argument, or nothing. */
static void name_argument(const gali_contract *c, const gali_block *b, char text[GALI_NAME_MAX + 1]) {
    text[0] = 0;
    switch (gali_block_facts[b->kind].argument) {
    case GALI_ARGUMENT_GAIT:
        snprintf(text, GALI_NAME_MAX + 1, ".%s", c->gaits[b->index].name);
        break;
    case GALI_ARGUMENT_JOINT:
        snprintf(text, GALI_NAME_MAX + 1, ".%s", c->joints[b->index].name);
        break;
    case GALI_ARGUMENT_SIDE:
        text[0] = '.';
        gali_number_write(text + 1, b->value);
        break;
    default:
        break;
    }
}

/* The parts of blocks that are about hinges, the body, the root or legs; c's own joint names them. */
static void name_hinged_feature(const gali_contract *c, const gali_block *b, uint32_t i, char *text,
                                size_t size) {
    static const char *const posture[] = {"height", "pitch", "roll"}, *const motion[] = {"x", "z", "turn"};
    static const char *const phase[] = {"cos", "sin"}, *const space[] = {"x", "y", "z"};
    const char *name = gali_block_facts[b->kind].name;
    switch (gali_block_facts[b->kind].features) {
    case GALI_FEATURES_HINGES:
        snprintf(text, size, "%s.%s", name, c->joints[c->hinges[i].joint].name);
        break;
    case GALI_FEATURES_POSTURE:
        snprintf(text, size, "%s.%s", name, posture[i]);
        break;
    case GALI_FEATURES_MOTION:
        snprintf(text, size, "%s.%s", name, motion[i]);
        break;
    case GALI_FEATURES_LEGS1:
        snprintf(text, size, "%s.%s", name, c->joints[c->legs[i].toe].name);
        break;
    case GALI_FEATURES_LEGS2:
        snprintf(text, size, "%s.%s.%s", name, c->joints[c->legs[i / 2].toe].name, phase[i % 2]);
        break;
    default:
        snprintf(text, size, "%s.%s.%s", name, c->joints[c->legs[i / 3].toe].name, space[i % 3]);
    }
}

static void name_feature(const gali_contract *c, const gali_block *b, uint32_t i, char *text, size_t size) {
    const gali_block_fact *fact = &gali_block_facts[b->kind];
    char argument[GALI_NAME_MAX + 1];
    name_argument(c, b, argument);
    switch (fact->features) {
    case GALI_FEATURES_ONE:
        snprintf(text, size, "%s%s", fact->name, argument);
        break;
    case GALI_FEATURES_SAMPLES:
        snprintf(text, size, "%s%s[%d]", fact->name, argument, c->samples[i]);
        break;
    case GALI_FEATURES_FUTURES:
        snprintf(text, size, "%s%s[%d]", fact->name, argument, c->futures[i]);
        break;
    case GALI_FEATURES_JOINTS3:
    case GALI_FEATURES_JOINTS6:
        name_joint_feature(c, b, i, text, size);
        break;
    case GALI_FEATURES_HINGES:
    case GALI_FEATURES_POSTURE:
    case GALI_FEATURES_MOTION:
    case GALI_FEATURES_LEGS1:
    case GALI_FEATURES_LEGS2:
    case GALI_FEATURES_LEGS3:
        name_hinged_feature(c, b, i, text, size);
        break;
    case GALI_FEATURES_COUNT:
        snprintf(text, size, "%s[%u]", b->name[0] ? b->name : fact->name, i);
        break;
    }
}

static void find_name(const gali_contract *c, const gali_block *blocks, uint32_t count, uint32_t feature,
                      char *text, size_t size) {
    for (uint32_t i = 0; i < count; i++) {
        if (feature - blocks[i].offset < blocks[i].count) {
            name_feature(c, &blocks[i], feature - blocks[i].offset, text, size);
            return;
        }
    }
    snprintf(text, size, "?");
}

void gali_contract_input_name(const gali_contract *contract, uint32_t feature, char *text, size_t size) {
    find_name(contract, contract->input_blocks, contract->input_block_count, feature, text, size);
}

void gali_contract_output_name(const gali_contract *contract, uint32_t feature, char *text, size_t size) {
    find_name(contract, contract->output_blocks, contract->output_block_count, feature, text, size);
}

/* ---- whether it can walk ---- */

const gali_block *gali_contract_find(const gali_contract *contract, gali_block_kind kind) {
    int output = gali_block_facts[kind].output;
    const gali_block *blocks = output ? contract->output_blocks : contract->input_blocks;
    uint32_t count = output ? contract->output_block_count : contract->input_block_count;
    for (uint32_t i = 0; i < count; i++) {
        if (blocks[i].kind == kind) {
            return &blocks[i];
        }
    }
    return NULL;
}

static gal_status missing(gal_error *error, const char *side, const char *what) {
    return gali_fail(error, GAL_BAD_DATA, "contract: no %s%s: the network runs, a controller does not", side,
                     what);
}

static gal_status check_opaque(const gali_contract *c, gali_block_kind kind, gal_error *error) {
    const gali_block *block = gali_contract_find(c, kind);
    if (!block) {
        return GAL_OK;
    }
    return gali_fail(
        error, GAL_BAD_DATA,
        "contract: %s opaque '%s': no crowd knows what it means: the network runs, a controller does not "
        "(docs/format.md: what a contract says)",
        gali_block_facts[kind].output ? "output" : "input", block->name);
}

static int has_sample(const gali_contract *c, int32_t offset) {
    uint32_t i = 0;
    while (i < c->sample_count && c->samples[i] != offset) {
        i++;
    }
    return i < c->sample_count;
}

/* What only a hinged skeleton has in its state: nothing would be read for it. */
static gal_status check_without_hinges(const gali_contract *c, gal_error *error) {
    static const gali_block_kind hinged[] = {GALI_BLOCK_BODY_POSTURE,  GALI_BLOCK_BODY_RATE_IN,
                                             GALI_BLOCK_ROOT_MOTION,   GALI_BLOCK_FOOT_POSITION,
                                             GALI_BLOCK_FOOT_VELOCITY, GALI_BLOCK_LEG_PHASE_IN};
    for (size_t i = 0; i < sizeof hinged / sizeof *hinged; i++) {
        if (gali_contract_find(c, hinged[i])) {
            return gali_fail(error, GAL_BAD_DATA,
                             "contract: input %s without hinges: the network runs, a controller does not",
                             gali_block_facts[hinged[i]].name);
        }
    }
    return GAL_OK;
}

/* A pose of predicted positions and rotations. */
static gal_status check_jointed(const gali_contract *c, gal_error *error) {
    if (!gali_contract_find(c, GALI_BLOCK_JOINT_POSITION_OUT)) {
        return missing(error, "output ", "joint.position");
    }
    /* Velocities are fed back, and smooth the positions fed back. */
    int velocity = c->rules.joint_smooth > 0 || gali_contract_find(c, GALI_BLOCK_JOINT_VELOCITY_IN);
    if (velocity && !gali_contract_find(c, GALI_BLOCK_JOINT_VELOCITY_OUT)) {
        return missing(error, "output ", "joint.velocity");
    }
    if (!gali_contract_find(c, GALI_BLOCK_JOINT_ROTATION_EXPMAP) &&
        !gali_contract_find(c, GALI_BLOCK_JOINT_ROTATION_SIXD)) {
        return missing(error, "output ", "joint.rotation");
    }
    return check_without_hinges(c, error);
}

/* A pose of hinge angles, and what is fed back of it. */
static gal_status check_hinged(const gali_contract *c, gal_error *error) {
    static const gali_block_kind pairs[][2] = {{GALI_BLOCK_HINGE_VELOCITY_IN, GALI_BLOCK_HINGE_VELOCITY_OUT},
                                               {GALI_BLOCK_BODY_RATE_IN, GALI_BLOCK_BODY_RATE_OUT},
                                               {GALI_BLOCK_LEG_PHASE_IN, GALI_BLOCK_LEG_PHASE_OUT},
                                               {GALI_BLOCK_LEG_PHASE_IN, GALI_BLOCK_LEG_PHASE_RATE}};
    if (!gali_contract_find(c, GALI_BLOCK_HINGE_CHANGE)) {
        return missing(error, "output ", "hinge.change");
    }
    if (!gali_contract_find(c, GALI_BLOCK_BODY_CHANGE)) {
        return missing(error, "output ", "body.change");
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (gali_contract_find(c, pairs[i][0]) && !gali_contract_find(c, pairs[i][1])) {
            return missing(error, "output ", gali_block_facts[pairs[i][1]].name);
        }
    }
    return GAL_OK;
}

/* Blocks without which a step cannot be made. */
static gal_status check_blocks(const gali_contract *c, gal_error *error) {
    static const gali_block_kind needed[] = {GALI_BLOCK_TRAJECTORY_POSITION_X,
                                             GALI_BLOCK_TRAJECTORY_POSITION_Z,
                                             GALI_BLOCK_TRAJECTORY_DIRECTION_X,
                                             GALI_BLOCK_TRAJECTORY_DIRECTION_Z,
                                             GALI_BLOCK_ROOT_VELOCITY_X,
                                             GALI_BLOCK_ROOT_VELOCITY_Z,
                                             GALI_BLOCK_ROOT_TURN,
                                             GALI_BLOCK_FUTURE_POSITION_X,
                                             GALI_BLOCK_FUTURE_POSITION_Z,
                                             GALI_BLOCK_FUTURE_DIRECTION_X,
                                             GALI_BLOCK_FUTURE_DIRECTION_Z};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!gali_contract_find(c, needed[i])) {
            const gali_block_fact *fact = &gali_block_facts[needed[i]];
            return missing(error, fact->output ? "output " : "input ", fact->name);
        }
    }
    return c->hinge_count ? check_hinged(c, error) : check_jointed(c, error);
}

gal_status gali_contract_complete(const gali_contract *contract, gal_gate_kind gate, gal_error *error) {
    gal_status status = check_opaque(contract, GALI_BLOCK_OPAQUE_IN, error);
    if (status == GAL_OK) {
        status = check_opaque(contract, GALI_BLOCK_OPAQUE_OUT, error);
    }
    if (status != GAL_OK) {
        return status;
    }
    if (contract->joint_count == 0) {
        return missing(error, "", "joints");
    }
    if (contract->past == 0) {
        return missing(error, "", "past frame in the window");
    }
    if (!has_sample(contract, 0)) {
        return missing(error, "", "sample at offset 0");
    }
    int phased = gate == GAL_GATE_CUBIC || gate == GAL_GATE_LINEAR || gate == GAL_GATE_CONSTANT;
    if (phased && !gali_contract_find(contract, GALI_BLOCK_PHASE_ADVANCE)) {
        return missing(error, "output ", "phase.advance, and the gate needs a phase");
    }
    return check_blocks(contract, error);
}
