/*
 * Parses the contract's text (docs/format.md, "CNTR"): the lines that declare something, and the order of
 * things. What refers to declarations (legs, blocks) is in contract_blocks.c, the text itself in
 * contract_text.c.
 *
 * Memory, one allocation:   gali_contract | joints[] | input_blocks[] | output_blocks[]
 */
#include "contract/contract.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "contract/contract_parse.h"

static const char *const role_names[GALI_GAIT_ROLE_COUNT] = {
    [GALI_GAIT_NONE] = "none", [GALI_GAIT_STAND] = "stand",   [GALI_GAIT_WALK] = "walk",
    [GALI_GAIT_RUN] = "run",   [GALI_GAIT_CROUCH] = "crouch", [GALI_GAIT_JUMP] = "jump"};

typedef struct rule_fact {
    const char *name;
    float value, least, most;
    size_t offset; /* in gali_rules */
} rule_fact;

static const rule_fact rule_facts[] = {
#define RULE(name, value, least, most, meaning) {#name, value, least, most, offsetof(gali_rules, name)},
#include "rules.def"
#undef RULE
};
enum { RULE_COUNT = sizeof rule_facts / sizeof *rule_facts };

_Static_assert(RULE_COUNT <= 8 * sizeof((gali_parser){0}.rules_seen),
               "gali_parser.rules_seen has a bit per rule");

static float *rule_of(gali_rules *rules, uint32_t i) {
    return (float *)(void *)((char *)rules + rule_facts[i].offset);
}

static gal_status read_name(gali_parser *p) {
    return gali_parser_name(p, p->words[1], p->contract->name);
}

static gal_status read_rate(gali_parser *p) {
    gal_status status = gali_parser_float(p, p->words[1], &p->contract->rate);
    if (status == GAL_OK && !(p->contract->rate >= 1 && p->contract->rate <= 1000)) {
        status = gali_parser_fail(p, "rate: %g, expected 1..1000 frames per second", (double)p->contract->rate);
    }
    return status;
}

static gal_status read_unit(gali_parser *p) {
    gal_status status = gali_parser_float(p, p->words[1], &p->contract->unit);
    if (status == GAL_OK && !(p->contract->unit > 0)) {
        status = gali_parser_fail(p, "unit: %g, expected metres > 0", (double)p->contract->unit);
    }
    return status;
}

/* words[6..9], normalised; a joint line without them is not turned. */
static gal_status read_rotation(const gali_parser *p, const gali_joint *joint, gal_quat *q) {
    float v[4] = {0, 0, 0, 1};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < 4 && p->word_count > 6 && status == GAL_OK; i++) {
        status = gali_parser_float(p, p->words[6 + i], &v[i]);
    }
    double length = 0;
    for (int i = 0; i < 4; i++) {
        length += (double)v[i] * (double)v[i];
    }
    length = sqrt(length);
    if (status == GAL_OK && !(fabs(length - 1) <= 1e-3)) {
        status = gali_parser_fail(p, "joint '%s': quaternion of length %g, expected 1", joint->name, length);
    }
    if (status == GAL_OK) {
        *q = (gal_quat){(float)(v[0] / length), (float)(v[1] / length), (float)(v[2] / length),
                        (float)(v[3] / length)};
    }
    return status;
}

static gal_status read_parent(const gali_parser *p, gali_joint *joint) {
    int first = p->contract->joint_count == 0, none = gali_word_is(p->words[2], "-");
    joint->parent = none ? -1 : gali_parser_joint(p, p->words[2]);
    if (first && !none) {
        return gali_parser_fail(p, "joint '%s': the first joint's parent must be '-'", joint->name);
    }
    if (none && !first) {
        return gali_parser_fail(p, "joint '%s': parent '-', expected a joint: only the first has none",
                                joint->name);
    }
    if (!first && joint->parent < 0) {
        return gali_parser_fail(p, "joint '%s': parent '%.*s' not defined before it", joint->name,
                                gali_word_shown(p->words[2]), p->words[2].text);
    }
    return GAL_OK;
}

static gal_status read_joint(gali_parser *p) {
    gali_joint *joint = &p->joints[p->contract->joint_count];
    gal_vec3 *rest = &joint->rest.position;
    float *const places[] = {&rest->x, &rest->y, &rest->z};
    if (p->word_count != 6 && p->word_count != 10) {
        return gali_parser_fail(p, "joint: %u words follow, expected NAME PARENT X Y Z [QX QY QZ QW]",
                                p->word_count - 1);
    }
    gal_status status = gali_parser_name(p, p->words[1], joint->name);
    if (status == GAL_OK && strcmp(joint->name, "-") == 0) {
        status = gali_parser_fail(p, "joint: '-' is no joint's name");
    }
    if (status == GAL_OK && gali_parser_joint(p, p->words[1]) >= 0) {
        status = gali_parser_fail(p, "joint '%s' a second time", joint->name);
    }
    if (status == GAL_OK) {
        status = read_parent(p, joint);
    }
    for (uint32_t i = 0; i < 3 && status == GAL_OK; i++) {
        status = gali_parser_float(p, p->words[3 + i], places[i]);
    }
    if (status == GAL_OK) {
        status = read_rotation(p, joint, &joint->rest.rotation);
    }
    joint->hinge = -1;
    joint->lever = 0;
    p->contract->joint_count += status == GAL_OK;
    return status;
}

static gal_status read_window(gali_parser *p) {
    int32_t past = 0, future = 0;
    gal_status status = gali_parser_integer(p, p->words[1], 0, GALI_WINDOW_MAX, &past);
    if (status == GAL_OK) {
        status = gali_parser_integer(p, p->words[2], 1, GALI_WINDOW_MAX, &future);
    }
    p->contract->past = (uint32_t)past;
    p->contract->future = (uint32_t)future;
    return status;
}

static gal_status read_posture(gali_parser *p) {
    gali_posture *posture = &p->contract->posture;
    float *const places[] = {&posture->height, &posture->pitch, &posture->roll};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < 3 && status == GAL_OK; i++) {
        status = gali_parser_float(p, p->words[1 + i], places[i]);
    }
    return status;
}

/* A line of ascending frame offsets. */
static gal_status read_offsets(gali_parser *p, int32_t least, int32_t *offsets, uint32_t *count) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i + 1 < p->word_count && status == GAL_OK; i++) {
        status = gali_parser_integer(p, p->words[i + 1], least, GALI_WINDOW_MAX - 1, &offsets[i]);
        if (status == GAL_OK && i > 0 && offsets[i] <= offsets[i - 1]) {
            status =
                gali_parser_fail(p, "%.*s: %d after %d, expected ascending offsets",
                                 gali_word_shown(p->words[0]), p->words[0].text, offsets[i], offsets[i - 1]);
        }
    }
    *count = p->word_count - 1;
    return status;
}

static gal_status read_samples(gali_parser *p) {
    p->samples_line = p->line;
    return read_offsets(p, -GALI_WINDOW_MAX, p->contract->samples, &p->contract->sample_count);
}

static gal_status read_future_offsets(gali_parser *p) {
    p->future_line = p->line;
    return read_offsets(p, 0, p->contract->futures, &p->contract->future_count);
}

static gal_status read_role(const gali_parser *p, gali_gait *gait) {
    for (int role = 0; role < GALI_GAIT_ROLE_COUNT; role++) {
        if (gali_word_is(p->words[2], role_names[role])) {
            gait->role = (gali_gait_role)role;
            return GAL_OK;
        }
    }
    return gali_parser_fail(p, "gait '%s': role '%.*s', expected stand, walk, run, crouch, jump or none",
                            gait->name, gali_word_shown(p->words[2]), p->words[2].text);
}

static gal_status read_gait(gali_parser *p) {
    gali_contract *c = p->contract;
    if (c->gait_count == GALI_GAITS_MAX) {
        return gali_parser_fail(p, "gait: more than %d gaits", GALI_GAITS_MAX);
    }
    gali_gait *gait = &c->gaits[c->gait_count];
    gal_status status = gali_parser_name(p, p->words[1], gait->name);
    for (uint32_t i = 0; i < c->gait_count && status == GAL_OK; i++) {
        if (strcmp(c->gaits[i].name, gait->name) == 0) {
            status = gali_parser_fail(p, "gait '%s' a second time", gait->name);
        }
    }
    if (status == GAL_OK) {
        status = read_role(p, gait);
    }
    if (status != GAL_OK || gait->role == GALI_GAIT_NONE) {
        c->gait_count += status == GAL_OK;
        return status;
    }
    if (c->gait_of_role[gait->role] >= 0) {
        return gali_parser_fail(p, "gait '%s': role %s is '%s's already", gait->name, role_names[gait->role],
                                c->gaits[c->gait_of_role[gait->role]].name);
    }
    c->gait_of_role[gait->role] = (int32_t)c->gait_count++;
    return GAL_OK;
}

static gal_status read_rule(gali_parser *p) {
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        const rule_fact *fact = &rule_facts[i];
        if (!gali_word_is(p->words[1], fact->name)) {
            continue;
        }
        if (p->rules_seen[i / 64] >> i % 64 & 1) {
            return gali_parser_fail(p, "rule '%s' a second time", fact->name);
        }
        p->rules_seen[i / 64] |= UINT64_C(1) << i % 64;
        float *value = rule_of(&p->contract->rules, i);
        gal_status status = gali_parser_float(p, p->words[2], value);
        if (status == GAL_OK && !(*value >= fact->least && *value <= fact->most)) {
            status = gali_parser_fail(p, "rule '%s': %g, expected %g..%g", fact->name, (double)*value,
                                      (double)fact->least, (double)fact->most);
        }
        return status;
    }
    return gali_parser_fail(p, "rule '%.*s': no such rule", gali_word_shown(p->words[1]), p->words[1].text);
}

/* ---- the lines ---- */

typedef struct keyword {
    const char *word;
    uint32_t least, most; /* words that follow it */
    const char *follows;
    int once, required;
    gal_status (*declare)(gali_parser *); /* in the second pass */
    gal_status (*use)(gali_parser *);     /* in the third */
} keyword;

static const keyword keywords[] = {
    {"name", 1, 1, "NAME", 1, 1, read_name, NULL},
    {"rate", 1, 1, "HZ", 1, 1, read_rate, NULL},
    {"unit", 1, 1, "METRES", 1, 1, read_unit, NULL},
    {"joint", 5, 9, "NAME PARENT X Y Z [QX QY QZ QW]", 0, 0, read_joint, NULL},
    {"leg", 4, 4, "HIP KNEE HEEL TOE", 0, 0, NULL, gali_parser_leg},
    {"hinge", 7, 7, "JOINT AX AY AZ LEAST MOST REST", 0, 0, NULL, gali_parser_hinge},
    {"posture", 3, 3, "HEIGHT PITCH ROLL", 1, 0, read_posture, NULL},
    {"window", 2, 2, "PAST FUTURE", 1, 0, read_window, NULL},
    {"samples", 1, GALI_SAMPLES_MAX, "1..64 OFFSETS", 1, 0, read_samples, NULL},
    {"future", 1, GALI_SAMPLES_MAX, "1..64 OFFSETS", 1, 0, read_future_offsets, NULL},
    {"gait", 2, 2, "NAME ROLE", 0, 0, read_gait, NULL},
    {"input", 1, 3, "BLOCK [ARGUMENTS]", 0, 1, NULL, gali_parser_input},
    {"output", 1, 3, "BLOCK [ARGUMENTS]", 0, 1, NULL, gali_parser_output},
    {"rule", 2, 2, "NAME VALUE", 0, 0, read_rule, NULL},
};
enum { KEYWORD_COUNT = sizeof keywords / sizeof *keywords };

/* The line's keyword, with as many words behind it as it takes; NULL after an error. */
static const keyword *find_keyword(const gali_parser *p) {
    for (uint32_t i = 0; i < KEYWORD_COUNT; i++) {
        const keyword *k = &keywords[i];
        uint32_t follow = p->word_count - 1;
        if (!gali_word_is(p->words[0], k->word)) {
            continue;
        }
        if (follow < k->least || follow > k->most) {
            gali_parser_fail(p, "%s: %u words follow, expected %s", k->word, follow, k->follows);
            return NULL;
        }
        return k;
    }
    gali_parser_fail(p, "'%.*s': no such kind of line", gali_word_shown(p->words[0]), p->words[0].text);
    return NULL;
}

static gal_status declare_line(gali_parser *p) {
    const keyword *k = find_keyword(p);
    if (!k) {
        return GAL_BAD_DATA;
    }
    uint32_t bit = 1u << (k - keywords);
    if (k->once && (p->once_seen & bit)) {
        return gali_parser_fail(p, "%s a second time", k->word);
    }
    p->once_seen |= bit;
    return k->declare ? k->declare(p) : GAL_OK;
}

/* Offsets must lie in the window, wherever its line stood. */
static gal_status check_offsets(gali_parser *p) {
    const gali_contract *c = p->contract;
    int32_t first = -(int32_t)c->past, last = (int32_t)c->future - 1;
    for (uint32_t i = 0; i < c->sample_count; i++) {
        if (c->samples[i] < first || c->samples[i] > last) {
            p->line = p->samples_line;
            return gali_parser_fail(p, "samples: %d, expected %d..%d (the window)", c->samples[i], first, last);
        }
    }
    for (uint32_t i = 0; i < c->future_count; i++) {
        if (c->futures[i] > last + 1) { /* the first frame past the window still bounds its last ones */
            p->line = p->future_line;
            return gali_parser_fail(p, "future: %d, expected 0..%d (the window)", c->futures[i], last + 1);
        }
    }
    return GAL_OK;
}

static gal_status check_required(const gali_parser *p) {
    for (uint32_t i = 0; i < KEYWORD_COUNT; i++) {
        if (keywords[i].required && !(p->once_seen >> i & 1)) {
            return gali_fail(p->error, GAL_BAD_DATA, "contract: no '%s' line", keywords[i].word);
        }
    }
    return GAL_OK;
}

static gal_status read_lines(gali_parser *p) {
    gal_status status = GAL_OK;
    while (status == GAL_OK && gali_parser_next(p)) {
        status = declare_line(p);
    }
    if (status == GAL_OK) {
        status = check_required(p);
    }
    if (status == GAL_OK) {
        status = check_offsets(p);
    }
    if (status == GAL_OK) {
        gali_parser_rewind(p);
    }
    while (status == GAL_OK && gali_parser_next(p)) {
        const keyword *k = find_keyword(p);
        status = k->use ? k->use(p) : GAL_OK;
    }
    return status == GAL_OK ? gali_parser_memories(p) : status;
}

/* Defaults, and the arrays' places behind the struct. */
static void prepare(gali_parser *p, gali_contract *c, size_t blocks_at, size_t memory) {
    *c = (gali_contract){.past = 60, .future = 60, .memory = memory};
    for (int role = 0; role < GALI_GAIT_ROLE_COUNT; role++) {
        c->gait_of_role[role] = -1;
    }
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        *rule_of(&c->rules, i) = rule_facts[i].value;
    }
    p->contract = c;
    p->joints = (gali_joint *)(void *)(c + 1);
    p->input_blocks = (gali_block *)(void *)((char *)c + blocks_at);
    p->output_blocks = p->input_blocks + p->input_lines;
    c->joints = p->joints;
    c->input_blocks = p->input_blocks;
    c->output_blocks = p->output_blocks;
}

static float bone_of(const gali_joint *joint) {
    gal_vec3 at = joint->rest.position;
    return sqrtf(at.x * at.x + at.y * at.y + at.z * at.z);
}

/* What is skinned to a joint, a head or a hand, reaches this share of the skeleton's longest chain of bones beyond it. */
static const float least_lever = 0.2f;

/* Of a leg's joint the next bone alone: what hangs on that goes where its foot does. */
static void measure_levers(gali_joint *joints, uint32_t count) {
    float longest = 0;
    for (uint32_t j = count; j-- > 0;) { /* children stand after their parents */
        float bone = bone_of(&joints[j]), chain = joints[j].lever + bone;
        longest = longest > joints[j].lever ? longest : joints[j].lever;
        joints[j].lever = joints[j].lever > 0 ? joints[j].lever : bone;
        if (joints[j].parent >= 0) {
            gali_joint *parent = &joints[joints[j].parent];
            parent->lever = parent->lever > chain ? parent->lever : chain;
        }
    }
    for (uint32_t j = count; j-- > 0;) {
        float least = least_lever * longest;
        if (joints[j].parent >= 0 && joints[joints[j].parent].leg >= 0) {
            joints[joints[j].parent].lever = bone_of(&joints[j]);
        }
        joints[j].lever = joints[j].lever > least ? joints[j].lever : least;
    }
}

static void mark_legs(const gali_contract *contract, gali_joint *joints) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        joints[j].leg = joints[j].parent < 0 ? -1 : joints[joints[j].parent].leg;
        for (uint32_t i = 0; i < contract->leg_count; i++) {
            joints[j].leg = contract->legs[i].hip == j ? (int32_t)i : joints[j].leg;
        }
    }
}

_Static_assert(_Alignof(gali_joint) <= _Alignof(gali_contract), "joints follow the contract directly");

gal_status gali_contract_parse(gali_contract **out, const char *text, size_t size,
                               const gal_allocator *allocator, gal_error *error) {
    gali_parser parser = {.text = text, .size = size, .error = error};
    *out = NULL;
    gal_status status = gali_parser_scan(&parser);
    if (status != GAL_OK) {
        return status;
    }
    size_t joints = gali_size_mul(parser.joint_lines, sizeof(gali_joint));
    size_t blocks = gali_size_mul(parser.input_lines + parser.output_lines, sizeof(gali_block));
    size_t blocks_at = gali_size_align(gali_size_add(sizeof(gali_contract), joints), _Alignof(gali_block));
    size_t memory = gali_size_add(blocks_at, blocks);
    gali_contract *contract = gali_allocate(allocator, memory);
    if (!contract) {
        return gali_fail(error, GAL_NO_MEMORY, "contract: no memory for %zu bytes", memory);
    }
    prepare(&parser, contract, blocks_at, memory);
    status = read_lines(&parser);
    if (status != GAL_OK) {
        gali_contract_release(contract, allocator);
        return status;
    }
    mark_legs(contract, parser.joints);
    measure_levers(parser.joints, contract->joint_count);
    *out = contract;
    return GAL_OK;
}

void gali_contract_release(gali_contract *contract, const gal_allocator *allocator) {
    if (contract) {
        gali_release(allocator, contract, contract->memory);
    }
}
