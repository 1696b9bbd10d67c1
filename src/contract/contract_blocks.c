/*
 * The contract's lines that refer to others: legs, hinges, and the blocks of features. Everything declared is
 * known by now; features are numbered in the order of the lines.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract_parse.h"

enum { INPUT = 0, OUTPUT = 1 }; /* the sides of blocks.def */

const gali_block_fact gali_block_facts[GALI_BLOCK_KIND_COUNT] = {
#define BLOCK(id, name, side, argument, features)                                                              \
    {name, side, GALI_ARGUMENT_##argument, GALI_FEATURES_##features},
#include "blocks.def"
#undef BLOCK
};

/* ---- legs ---- */

static int descends(const gali_parser *p, int32_t joint, int32_t from) {
    do {
        joint = p->joints[joint].parent;
    } while (joint > from);
    return joint == from;
}

gal_status gali_parser_leg(gali_parser *p) {
    gali_contract *c = p->contract;
    int32_t joints[4];
    if (c->leg_count == GALI_LEGS_MAX) {
        return gali_parser_fail(p, "leg: more than %d legs", GALI_LEGS_MAX);
    }
    for (uint32_t i = 0; i < 4; i++) {
        gali_word word = p->words[i + 1];
        joints[i] = gali_parser_joint(p, word);
        if (joints[i] < 0) {
            return gali_parser_fail(p, "leg: no joint '%.*s'", gali_word_shown(word), word.text);
        }
        int foot_is_one_joint = i == 3 && joints[3] == joints[2];
        if (i > 0 && !foot_is_one_joint && !descends(p, joints[i], joints[i - 1])) {
            return gali_parser_fail(p, "leg: '%s' does not hang on '%s'", p->joints[joints[i]].name,
                                    p->joints[joints[i - 1]].name);
        }
    }
    c->legs[c->leg_count++] =
        (gali_leg){(uint32_t)joints[0], (uint32_t)joints[1], (uint32_t)joints[2], (uint32_t)joints[3]};
    return GAL_OK;
}

/* ---- hinges ---- */

/* The axis to unit length. */
static gal_status check_axis(const gali_parser *p, const gali_joint *joint, gal_vec3 *axis) {
    float length = sqrtf(axis->x * axis->x + axis->y * axis->y + axis->z * axis->z);
    if (!(length > 1e-6f) || !isfinite(length)) {
        return gali_parser_fail(p, "hinge '%s': axis of length %g, expected > 0", joint->name, (double)length);
    }
    *axis = (gal_vec3){axis->x / length, axis->y / length, axis->z / length};
    return GAL_OK;
}

static gal_status check_hinge(const gali_parser *p, const gali_joint *joint, const gali_hinge *hinge) {
    const gali_contract *c = p->contract;
    if (joint->parent < 0) {
        return gali_parser_fail(p, "hinge '%s': the first joint is turned by the posture", joint->name);
    }
    for (uint32_t i = 0; i < c->hinge_count; i++) {
        if (c->hinges[i].joint == hinge->joint) {
            return gali_parser_fail(p, "hinge '%s' a second time", joint->name);
        }
    }
    if (!(hinge->least <= hinge->rest && hinge->rest <= hinge->most)) {
        return gali_parser_fail(p, "hinge '%s': %g, %g, %g, expected LEAST <= REST <= MOST as LEAST MOST REST",
                                joint->name, (double)hinge->least, (double)hinge->most, (double)hinge->rest);
    }
    return GAL_OK;
}

gal_status gali_parser_hinge(gali_parser *p) {
    gali_contract *c = p->contract;
    int32_t joint = gali_parser_joint(p, p->words[1]);
    gali_hinge hinge = {.joint = (uint32_t)joint};
    float *const places[] = {&hinge.axis.x, &hinge.axis.y, &hinge.axis.z,
                             &hinge.least,  &hinge.most,   &hinge.rest};
    if (joint < 0) {
        return gali_parser_fail(p, "hinge: no joint '%.*s'", gali_word_shown(p->words[1]), p->words[1].text);
    }
    if (c->hinge_count == GALI_HINGES_MAX) {
        return gali_parser_fail(p, "hinge: more than %d hinges", GALI_HINGES_MAX);
    }
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < 6 && status == GAL_OK; i++) {
        status = gali_parser_float(p, p->words[2 + i], places[i]);
    }
    if (status == GAL_OK) {
        status = check_axis(p, &p->joints[joint], &hinge.axis);
    }
    if (status == GAL_OK) {
        status = check_hinge(p, &p->joints[joint], &hinge);
    }
    if (status == GAL_OK) {
        p->joints[joint].hinge = (int32_t)c->hinge_count;
        c->hinges[c->hinge_count++] = hinge;
    }
    return status;
}

/* ---- blocks ---- */

/* Words that name the block: the name may be two ("joint.rotation expmap"). 0 if it is not this one. */
static uint32_t names_block(const gali_parser *p, const char *name) {
    const char *space = strchr(name, ' ');
    if (!space) {
        return gali_word_is(p->words[1], name) ? 1 : 0;
    }
    size_t size = (size_t)(space - name);
    return p->word_count > 2 && p->words[1].size == size && memcmp(p->words[1].text, name, size) == 0 &&
                   gali_word_is(p->words[2], space + 1)
               ? 2
               : 0;
}

/* Finds the line's block; *argument is the first word behind its name. */
static gal_status find_block(const gali_parser *p, int side, gali_block *block, uint32_t *argument) {
    for (int kind = 0; kind < GALI_BLOCK_KIND_COUNT; kind++) {
        uint32_t words =
            gali_block_facts[kind].output == side ? names_block(p, gali_block_facts[kind].name) : 0;
        if (words) {
            *block = (gali_block){.kind = (gali_block_kind)kind};
            *argument = 1 + words;
            return GAL_OK;
        }
    }
    if (side == OUTPUT && gali_word_is(p->words[1], "joint.rotation")) {
        return gali_parser_fail(p, "output joint.rotation: expected expmap or sixd behind it");
    }
    return gali_parser_fail(p, "%.*s '%.*s': no such block", gali_word_shown(p->words[0]), p->words[0].text,
                            gali_word_shown(p->words[1]), p->words[1].text);
}

static gal_status read_count(const gali_parser *p, gali_word word, gali_block *block) {
    int32_t count = 0;
    gal_status status = gali_parser_integer(p, word, 1, GALI_CONTRACT_FEATURES_MAX, &count);
    block->count = (uint32_t)count;
    return status;
}

static gal_status read_gait_argument(const gali_parser *p, gali_word word, gali_block *block) {
    const gali_contract *c = p->contract;
    for (block->index = 0; block->index < c->gait_count; block->index++) {
        if (gali_word_is(word, c->gaits[block->index].name)) {
            return GAL_OK;
        }
    }
    return gali_parser_fail(p, "input trajectory.gait: no gait '%.*s'", gali_word_shown(word), word.text);
}

static gal_status read_contact_argument(const gali_parser *p, gali_word word, gali_block *block) {
    int32_t joint = gali_parser_joint(p, word);
    if (joint < 0) {
        return gali_parser_fail(p, "output contact: no joint '%.*s'", gali_word_shown(word), word.text);
    }
    block->index = (uint32_t)joint;
    if (p->contract->contact_count == GALI_CONTACTS_MAX) {
        return gali_parser_fail(p, "output contact: more than %d contacts", GALI_CONTACTS_MAX);
    }
    return GAL_OK;
}

static gal_status read_arguments(const gali_parser *p, uint32_t first, gali_block *block) {
    static const char *const expected[] = {"nothing", "GAIT", "SIDE", "JOINT", "VALUE COUNT", "NAME COUNT"};
    static const uint32_t counts[] = {0, 1, 1, 1, 2, 2};
    gali_block_argument argument = gali_block_facts[block->kind].argument;
    if (p->word_count - first != counts[argument]) {
        return gali_parser_fail(p, "%.*s %s: %u words follow, expected %s", gali_word_shown(p->words[0]),
                                p->words[0].text, gali_block_facts[block->kind].name, p->word_count - first,
                                expected[argument]);
    }
    gali_word word = counts[argument] ? p->words[first] : (gali_word){"", 0};
    gal_status status = GAL_OK;
    switch (argument) {
    case GALI_ARGUMENT_NONE:
        return GAL_OK;
    case GALI_ARGUMENT_GAIT:
        return read_gait_argument(p, word, block);
    case GALI_ARGUMENT_SIDE:
        return gali_parser_float(p, word, &block->value);
    case GALI_ARGUMENT_JOINT:
        return read_contact_argument(p, word, block);
    case GALI_ARGUMENT_CONSTANT:
        status = gali_parser_float(p, word, &block->value);
        break;
    case GALI_ARGUMENT_NAMED:
        status = gali_parser_name(p, word, block->name);
        break;
    }
    return status == GAL_OK ? read_count(p, p->words[first + 1], block) : status;
}

/* Features of a block whose kind, not its line, says how many. */
static gal_status count_features(const gali_parser *p, gali_block *block) {
    const gali_contract *c = p->contract;
    const char *needs = NULL;
    gali_block_features features = gali_block_facts[block->kind].features;
    switch (features) {
    case GALI_FEATURES_ONE:
        block->count = 1;
        break;
    case GALI_FEATURES_SAMPLES:
        block->count = c->sample_count;
        needs = "a 'samples' line";
        break;
    case GALI_FEATURES_FUTURES:
        block->count = c->future_count;
        needs = "a 'future' line";
        break;
    case GALI_FEATURES_JOINTS3:
        block->count = 3 * c->joint_count;
        needs = "joints";
        break;
    case GALI_FEATURES_JOINTS6:
        block->count = 6 * c->joint_count;
        needs = "joints";
        break;
    case GALI_FEATURES_HINGES:
        block->count = p->hinge_lines;
        needs = "'hinge' lines";
        break;
    case GALI_FEATURES_POSTURE:
    case GALI_FEATURES_MOTION:
        block->count = 3;
        break;
    case GALI_FEATURES_LEGS1:
    case GALI_FEATURES_LEGS2:
    case GALI_FEATURES_LEGS3:
        block->count = (uint32_t)(features - GALI_FEATURES_LEGS1 + 1) * p->leg_lines;
        needs = "'leg' lines";
        break;
    case GALI_FEATURES_COUNT:
        break;
    }
    if (block->count == 0) {
        return gali_parser_fail(p, "%s: needs %s", gali_block_facts[block->kind].name, needs);
    }
    return GAL_OK;
}

static int is_rotation(gali_block_kind kind) {
    return kind == GALI_BLOCK_JOINT_ROTATION_EXPMAP || kind == GALI_BLOCK_JOINT_ROTATION_SIXD;
}

/* Blocks with a count of their own may stand often, a memory once per name; the others once per argument. */
static int same_block(const gali_block *a, const gali_block *b) {
    if (a->kind == GALI_BLOCK_MEMORY_IN || a->kind == GALI_BLOCK_MEMORY_OUT) {
        return a->kind == b->kind && strcmp(a->name, b->name) == 0;
    }
    if (gali_block_facts[a->kind].features == GALI_FEATURES_COUNT) {
        return 0;
    }
    return (a->kind == b->kind && a->index == b->index && !(a->value < b->value) && !(a->value > b->value)) ||
           (is_rotation(a->kind) && is_rotation(b->kind));
}

/* Reads the line's block behind the count blocks at `blocks`; *features grows. */
static gal_status read_block(const gali_parser *p, int side, gali_block *blocks, uint32_t count,
                             uint32_t *features) {
    gali_block *block = &blocks[count];
    uint32_t argument = 0;
    gal_status status = find_block(p, side, block, &argument);
    if (status == GAL_OK) {
        status = read_arguments(p, argument, block);
    }
    if (status == GAL_OK) {
        status = count_features(p, block);
    }
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        if (same_block(&blocks[i], block)) {
            status = gali_parser_fail(p, "%.*s %s a second time", gali_word_shown(p->words[0]),
                                      p->words[0].text, gali_block_facts[block->kind].name);
        }
    }
    if (status == GAL_OK && block->count > GALI_CONTRACT_FEATURES_MAX - *features) {
        status = gali_parser_fail(p, "%.*s: more than %d features", gali_word_shown(p->words[0]),
                                  p->words[0].text, GALI_CONTRACT_FEATURES_MAX);
    }
    block->offset = *features;
    *features += status == GAL_OK ? block->count : 0;
    return status;
}

gal_status gali_parser_input(gali_parser *p) {
    gali_contract *c = p->contract;
    gal_status status = read_block(p, INPUT, p->input_blocks, c->input_block_count, &c->inputs);
    gali_block *block = &p->input_blocks[c->input_block_count];
    if (status == GAL_OK && block->kind == GALI_BLOCK_MEMORY_IN) {
        block->index = c->memory_count;
        c->memory_count += block->count;
    }
    c->input_block_count += status == GAL_OK;
    return status;
}

gal_status gali_parser_output(gali_parser *p) {
    gali_contract *c = p->contract;
    gal_status status = read_block(p, OUTPUT, p->output_blocks, c->output_block_count, &c->outputs);
    if (status != GAL_OK) {
        return status;
    }
    const gali_block *block = &p->output_blocks[c->output_block_count++];
    if (block->kind == GALI_BLOCK_CONTACT) {
        c->contact_joints[c->contact_count++] = block->index;
    }
    return GAL_OK;
}

/* The memory of this name on the other side; NULL if there is none of as many features. */
static const gali_block *other_memory(const gali_block *blocks, uint32_t count, const gali_block *memory) {
    for (uint32_t i = 0; i < count; i++) {
        int is_memory = blocks[i].kind == GALI_BLOCK_MEMORY_IN || blocks[i].kind == GALI_BLOCK_MEMORY_OUT;
        if (is_memory && blocks[i].count == memory->count && strcmp(blocks[i].name, memory->name) == 0) {
            return &blocks[i];
        }
    }
    return NULL;
}

gal_status gali_parser_memories(gali_parser *p) {
    const gali_contract *c = p->contract;
    for (uint32_t i = 0; i < c->input_block_count; i++) {
        const gali_block *block = &p->input_blocks[i];
        if (block->kind == GALI_BLOCK_MEMORY_IN &&
            !other_memory(p->output_blocks, c->output_block_count, block)) {
            return gali_fail(p->error, GAL_BAD_DATA, "contract: no 'output memory %s %u' for the input",
                             block->name, block->count);
        }
    }
    for (uint32_t i = 0; i < c->output_block_count; i++) {
        gali_block *block = &p->output_blocks[i];
        if (block->kind != GALI_BLOCK_MEMORY_OUT) {
            continue;
        }
        const gali_block *input = other_memory(p->input_blocks, c->input_block_count, block);
        if (!input) {
            return gali_fail(p->error, GAL_BAD_DATA, "contract: no 'input memory %s %u' for the output",
                             block->name, block->count);
        }
        block->index = input->index;
    }
    return GAL_OK;
}
