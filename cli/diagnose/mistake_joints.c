/*
 * Joints, hinges or legs in another order: one of the usual orders of a skeleton, two exchanged, or the order that
 * the bones of the recorded poses tell.
 */
#include <stdio.h>

#include "contract/contract_parse.h"
#include "joint_orders.h"
#include "order.h"
#include "skeleton.h"

typedef enum part { JOINTS, HINGES, LEGS, PARTS } part;

typedef enum way { USUAL, PAIR, BONES } way;

typedef struct joint_step {
    gali_side side;
    part of;
    way how;
    gali_joint_order usual;
    uint32_t a, b; /* of a pair */
} joint_step;

enum { NAMED = 4 };

static uint32_t count_of(const gali_contract *contract, part of) {
    const uint32_t counts[PARTS] = {contract->joint_count, contract->hinge_count, contract->leg_count};
    return counts[of];
}

static uint32_t pairs(uint32_t count) {
    return count > 1 ? count * (count - 1) / 2 : 0;
}

/* Of one side: the usual orders, pairs of each part, the bones'. */
static uint32_t steps_of_side(const gali_contract *contract) {
    uint32_t steps = GALI_ORDER_COUNT + 1;
    for (part of = JOINTS; of < PARTS; of++) {
        steps += pairs(count_of(contract, of));
    }
    return steps;
}

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->file->contract ? steps_of_side(self->file->contract) * GALI_SIDE_BOTH : 0;
}

/* Pair i of a < b. */
static void pair_of(uint32_t i, uint32_t *a, uint32_t *b) {
    *b = 1;
    while (i >= *b) {
        i -= (*b)++;
    }
    *a = i;
}

static joint_step step_of(const gali_contract *contract, uint32_t step) {
    static const gali_side sides[] = {GALI_SIDE_BOTH, GALI_SIDE_X, GALI_SIDE_Y};
    uint32_t each = steps_of_side(contract), i = step % each;
    joint_step out = {.side = sides[step / each], .how = BONES};
    if (i < GALI_ORDER_COUNT) {
        out.how = USUAL;
        out.usual = (gali_joint_order)i;
        return out;
    }
    i -= GALI_ORDER_COUNT;
    for (part of = JOINTS; of < PARTS; of++) {
        uint32_t own = pairs(count_of(contract, of));
        if (i < own) {
            out.how = PAIR;
            out.of = of;
            pair_of(i, &out.a, &out.b);
            return out;
        }
        i -= own;
    }
    return out;
}

/* at[place] = joint (or hinge, leg) of a step; 0 if there is no such order, or it is the contract's. */
static int order_of(const gali_case *self, const gali_reading *reading, const joint_step *s, uint32_t *at) {
    const gali_contract *contract = self->file->contract;
    uint32_t same = 0, places = count_of(contract, s->of);
    for (uint32_t i = 0; i < places; i++) {
        at[i] = i;
    }
    if (s->how == USUAL) {
        gali_joint_order_make(contract, s->usual, at);
    } else if (s->how == PAIR) {
        at[s->a] = s->b;
        at[s->b] = s->a;
    } else if (!gali_skeleton_match(self, reading, at)) {
        return 0;
    }
    while (same < places && at[same] == same) {
        same++;
    }
    return same < places;
}

/* Features of one joint, hinge or leg in the block; 0 if it is not about them. */
static uint32_t width_of(const gali_block *block, part of) {
    static const struct {
        part of;
        uint32_t width;
    } widths[GALI_FEATURES_COUNT + 1] = {
        [GALI_FEATURES_JOINTS3] = {JOINTS, 3}, [GALI_FEATURES_JOINTS6] = {JOINTS, 6},
        [GALI_FEATURES_HINGES] = {HINGES, 1},  [GALI_FEATURES_LEGS1] = {LEGS, 1},
        [GALI_FEATURES_LEGS2] = {LEGS, 2},     [GALI_FEATURES_LEGS3] = {LEGS, 3},
    };
    gali_block_features features = gali_block_facts[block->kind].features;
    return widths[features].of == of ? widths[features].width : 0;
}

static int reorder(const gali_case *self, gali_reading *reading, gali_side side, part of, const uint32_t *at) {
    uint32_t blocks, from[6 * GALI_JOINTS_MAX];
    int changed = 0;
    const gali_block *block = gali_order_blocks(self, side, &blocks);
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t width = width_of(&block[i], of);
        for (uint32_t j = 0; j < block[i].count && width > 0; j++) {
            from[at[j / width] * width + j % width] = j;
        }
        if (width > 0) {
            gali_order_apply(gali_order_columns(reading, side), block[i].offset, block[i].count, from);
            changed = 1;
        }
    }
    return changed;
}

/* Hinges on the way from the leg's toe up to a joint of the other leg's way, nearest first; returns how many. */
static uint32_t leg_hinges(const gali_contract *contract, uint32_t leg, uint32_t other, uint32_t *hinges) {
    uint32_t count = 0;
    for (int32_t j = (int32_t)contract->legs[leg].toe; j >= 0; j = contract->joints[j].parent) {
        int32_t o = (int32_t)contract->legs[other].toe;
        while (o >= 0 && o != j) {
            o = contract->joints[o].parent;
        }
        if (o == j) {
            break;
        }
        if (contract->joints[j].hinge >= 0) {
            hinges[count++] = (uint32_t)contract->joints[j].hinge;
        }
    }
    return count;
}

static uint32_t contact_column(const gali_contract *contract, uint32_t joint) {
    uint32_t i = 0;
    while (i < contract->output_block_count && (contract->output_blocks[i].kind != GALI_BLOCK_CONTACT ||
                                                contract->output_blocks[i].index != joint)) {
        i++;
    }
    return i < contract->output_block_count ? contract->output_blocks[i].offset : UINT32_MAX;
}

static void exchange_contacts(const gali_contract *contract, gali_columns *y, uint32_t a, uint32_t b) {
    uint32_t i = contact_column(contract, a), j = contact_column(contract, b);
    if (i != UINT32_MAX && j != UINT32_MAX) {
        uint32_t source = y->source[i];
        y->source[i] = y->source[j];
        y->source[j] = source;
    }
}

/* Legs come with their hinges and contacts. */
static void exchange_legs(const gali_case *self, gali_reading *reading, const joint_step *s, gali_side side) {
    const gali_contract *contract = self->file->contract;
    const gali_leg *a = &contract->legs[s->a], *b = &contract->legs[s->b];
    uint32_t at[GALI_HINGES_MAX], own[GALI_HINGES_MAX], other[GALI_HINGES_MAX];
    uint32_t count = leg_hinges(contract, s->a, s->b, own);
    for (uint32_t i = 0; i < contract->hinge_count; i++) {
        at[i] = i;
    }
    if (count == leg_hinges(contract, s->b, s->a, other)) {
        for (uint32_t i = 0; i < count; i++) {
            at[own[i]] = other[i];
            at[other[i]] = own[i];
        }
    }
    reorder(self, reading, side, HINGES, at);
    if (side == GALI_SIDE_Y) {
        exchange_contacts(contract, &reading->y, a->toe, b->toe);
    }
    if (side == GALI_SIDE_Y && a->heel != a->toe && b->heel != b->toe) {
        exchange_contacts(contract, &reading->y, a->heel, b->heel);
    }
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    joint_step s = step_of(self->file->contract, step);
    uint32_t at[GALI_JOINTS_MAX];
    int changed = 0;
    if ((self->pose && s.side != GALI_SIDE_Y) || !order_of(self, reading, &s, at)) {
        return 0;
    }
    for (gali_side side = GALI_SIDE_X; side <= GALI_SIDE_Y; side++) {
        if (s.side & side) {
            changed |= reorder(self, reading, side, s.of, at);
        }
        if ((s.side & side) && s.of == LEGS) {
            exchange_legs(self, reading, &s, side);
        }
    }
    return changed;
}

/* The first few joints that the reading has moved. */
static void say_bones(const gali_case *self, const gali_reading *reading, const char *side, char *text,
                      size_t size) {
    const gali_contract *contract = self->file->contract;
    uint32_t offset = gali_contract_find(contract, GALI_BLOCK_JOINT_POSITION_OUT)->offset, moved = 0;
    size_t at =
        (size_t)snprintf(text, size, "the joints of the %s stand in another order than the contract's:", side);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        uint32_t place = (reading->y.source[offset + 3 * j] - offset) / 3;
        if (place != j && place < contract->joint_count && moved++ < NAMED && at < size) {
            at += (size_t)snprintf(text + at, size - at, "%s %s stands where %s belongs", moved > 1 ? "," : "",
                                   contract->joints[j].name, contract->joints[place].name);
        }
    }
    if (moved > NAMED && at < size) {
        snprintf(text + at, size - at, ", and %u more", moved - NAMED);
    }
}

static const char *name_of(const gali_contract *contract, part of, uint32_t i) {
    uint32_t joint = of == HINGES ? contract->hinges[i].joint : of == LEGS ? contract->legs[i].toe : i;
    return contract->joints[joint].name;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    static const char *const parts[PARTS] = {"joints", "hinges", "legs"};
    const gali_contract *contract = self->file->contract;
    joint_step s = step_of(contract, step);
    const char *side = gali_side_name(s.side);
    if (s.how == BONES) {
        say_bones(self, reading, side, text, size);
    } else if (s.how == USUAL) {
        snprintf(text, size, "the joints of the %s stand in another order than the contract's: %s", side,
                 gali_joint_order_name(s.usual));
    } else {
        snprintf(text, size, "the %s %s and %s of the %s are exchanged", parts[s.of],
                 name_of(contract, s.of, s.a), name_of(contract, s.of, s.b), side);
    }
}

const gali_mistake gali_mistake_joints = {.pose = 1, .most = 48, .steps = count, .undo = undo, .say = say};
