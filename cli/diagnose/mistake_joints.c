/* Joints in another order: one of the usual orders of a skeleton, the one that its bones tell, or two exchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/contract_parse.h"
#include "order.h"
#include "skeleton.h"

typedef enum named_order { DEPTH, DEPTH_LAST, BREADTH, ALPHABET, BACKWARDS, SIDES, BONES, ORDERS } named_order;

enum { NAMED = 4 };

static const char *const order_words[ORDERS] = {
    [DEPTH] = "depth first",     [DEPTH_LAST] = "depth first, later children first",
    [BREADTH] = "breadth first", [ALPHABET] = "by their names",
    [BACKWARDS] = "last first",  [SIDES] = "with left and right exchanged",
};

static uint32_t pairs(const gali_contract *contract) {
    return contract->joint_count * (contract->joint_count - 1) / 2;
}

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->file->contract ? (ORDERS + pairs(self->file->contract)) * GALI_SIDE_BOTH : 0;
}

static gali_side side_of(const gali_contract *contract, uint32_t step) {
    static const gali_side sides[] = {GALI_SIDE_BOTH, GALI_SIDE_X, GALI_SIDE_Y};
    return sides[step / (ORDERS + pairs(contract))];
}

/* Step i of the pairs is joints a < b. */
static void pair_of(uint32_t i, uint32_t *a, uint32_t *b) {
    *b = 1;
    while (i >= *b) {
        i -= (*b)++;
    }
    *a = i;
}

/* ---- the usual orders: at[place] = joint ---- */

static void walk(const gali_contract *contract, uint32_t joint, int last_first, uint32_t *at, uint32_t *place) {
    at[(*place)++] = joint;
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        uint32_t child = last_first ? contract->joint_count - 1 - i : i;
        if (contract->joints[child].parent == (int32_t)joint) {
            walk(contract, child, last_first, at, place);
        }
    }
}

static uint32_t depth(const gali_contract *contract, uint32_t joint) {
    uint32_t d = 0;
    for (int32_t j = contract->joints[joint].parent; j >= 0; j = contract->joints[j].parent) {
        d++;
    }
    return d;
}

static int before(const gali_contract *contract, named_order order, uint32_t a, uint32_t b) {
    if (order == ALPHABET) {
        return strcmp(contract->joints[a].name, contract->joints[b].name) < 0;
    }
    return depth(contract, a) < depth(contract, b);
}

static void sort(const gali_contract *contract, named_order order, uint32_t *at) {
    for (uint32_t i = 1; i < contract->joint_count; i++) {
        for (uint32_t j = i; j > 0 && before(contract, order, at[j], at[j - 1]); j--) {
            uint32_t joint = at[j];
            at[j] = at[j - 1];
            at[j - 1] = joint;
        }
    }
}

/* The joint whose name is this one's with the sides exchanged; itself if there is none. */
static uint32_t other_side(const gali_contract *contract, uint32_t joint) {
    static const char *const words[][2] = {{"Left", "Right"}, {"left", "right"}, {"L", "R"}, {"l", "r"}};
    const char *name = contract->joints[joint].name;
    char text[2 * GALI_NAME_MAX];
    for (size_t i = 0; i < 2 * sizeof words / sizeof *words; i++) {
        const char *word = words[i / 2][i % 2], *found = name;
        while ((found = strstr(found, word))) {
            snprintf(text, sizeof text, "%.*s%s%s", (int)(found - name), name, words[i / 2][1 - i % 2],
                     found + strlen(word));
            for (uint32_t j = 0; j < contract->joint_count; j++) {
                if (strcmp(contract->joints[j].name, text) == 0) {
                    return j;
                }
            }
            found++;
        }
    }
    return joint;
}

static void usual_order(const gali_contract *contract, named_order order, uint32_t *at) {
    uint32_t place = 0, joints = contract->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        at[i] = order == BACKWARDS ? joints - 1 - i : order == SIDES ? other_side(contract, i) : i;
    }
    if (order == DEPTH || order == DEPTH_LAST) {
        walk(contract, 0, order == DEPTH_LAST, at, &place);
    } else if (order == BREADTH || order == ALPHABET) {
        sort(contract, order, at);
    }
}

/* ---- steps ---- */

/* at[place] = joint of a step; 0 if that is the contract's own order. */
static int order_of(const gali_case *self, const gali_reading *reading, uint32_t step, uint32_t *at) {
    const gali_contract *contract = self->file->contract;
    uint32_t i = step % (ORDERS + pairs(contract)), a, b;
    usual_order(contract, i < ORDERS ? (named_order)i : ORDERS, at);
    if (i == BONES && !gali_skeleton_match(self, reading, at)) {
        return 0;
    }
    if (i >= ORDERS) {
        pair_of(i - ORDERS, &a, &b);
        at[a] = b;
        at[b] = a;
    }
    uint32_t same = 0;
    while (same < contract->joint_count && at[same] == same) {
        same++;
    }
    return same < contract->joint_count;
}

static uint32_t width_of(const gali_block *block) {
    switch (gali_block_facts[block->kind].features) {
    case GALI_FEATURES_JOINTS3:
        return 3;
    case GALI_FEATURES_JOINTS6:
        return 6;
    default:
        return 0;
    }
}

static int reorder(const gali_case *self, gali_reading *reading, gali_side side, const uint32_t *at) {
    uint32_t blocks, from[6 * GALI_JOINTS_MAX], changed = 0;
    const gali_block *block = gali_order_blocks(self, side, &blocks);
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t width = width_of(&block[i]);
        for (uint32_t j = 0; j < block[i].count && width > 0; j++) {
            from[at[j / width] * width + j % width] = j;
        }
        if (width > 0) {
            gali_order_apply(gali_order_columns(reading, side), block[i].offset, block[i].count, from);
            changed = 1;
        }
    }
    return changed != 0;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    const gali_contract *contract = self->file->contract;
    uint32_t at[GALI_JOINTS_MAX];
    gali_side side = side_of(contract, step);
    int changed = 0;
    if ((self->pose && side != GALI_SIDE_Y) || !order_of(self, reading, step, at)) {
        return 0;
    }
    if (side & GALI_SIDE_X) {
        changed = reorder(self, reading, GALI_SIDE_X, at);
    }
    if (side & GALI_SIDE_Y) {
        changed |= reorder(self, reading, GALI_SIDE_Y, at);
    }
    return changed;
}

/* The first few joints that the reading has moved. */
static void say_bones(const gali_case *self, const gali_reading *reading, uint32_t step, char *text,
                      size_t size) {
    const gali_contract *contract = self->file->contract;
    uint32_t offset = gali_contract_find(contract, GALI_BLOCK_JOINT_POSITION_OUT)->offset, moved = 0;
    size_t at = (size_t)snprintf(text, size, "the joints of the %s stand in another order than the contract's:",
                                 gali_side_name(side_of(contract, step)));
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

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    const gali_contract *contract = self->file->contract;
    uint32_t i = step % (ORDERS + pairs(contract)), a, b;
    const char *side = gali_side_name(side_of(contract, step));
    if (i == BONES) {
        say_bones(self, reading, step, text, size);
        return;
    }
    if (i < ORDERS) {
        snprintf(text, size, "the joints of the %s stand in another order than the contract's: %s", side,
                 order_words[i]);
        return;
    }
    pair_of(i - ORDERS, &a, &b);
    snprintf(text, size, "the joints %s and %s of the %s are exchanged", contract->joints[a].name,
             contract->joints[b].name, side);
}

const gali_mistake gali_mistake_joints = {.pose = 1, .most = 48, .steps = count, .undo = undo, .say = say};
