#include "joint_orders.h"

#include <stdio.h>
#include <string.h>

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

static int before(const gali_contract *contract, gali_joint_order order, uint32_t a, uint32_t b) {
    if (order == GALI_ORDER_ALPHABET) {
        return strcmp(contract->joints[a].name, contract->joints[b].name) < 0;
    }
    return depth(contract, a) < depth(contract, b);
}

static void sort(const gali_contract *contract, gali_joint_order order, uint32_t *at) {
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

/* The same where the two are each other's: then every joint is somebody's, whatever their names. */
static uint32_t exchanged(const gali_contract *contract, uint32_t joint) {
    uint32_t other = other_side(contract, joint);
    return other_side(contract, other) == joint ? other : joint;
}

void gali_joint_order_make(const gali_contract *contract, gali_joint_order order, uint32_t *at) {
    uint32_t place = 0, joints = contract->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        at[i] = order == GALI_ORDER_BACKWARDS ? joints - 1 - i
                : order == GALI_ORDER_SIDES   ? exchanged(contract, i)
                                              : i;
    }
    if (order == GALI_ORDER_DEPTH || order == GALI_ORDER_DEPTH_LAST) {
        walk(contract, 0, order == GALI_ORDER_DEPTH_LAST, at, &place);
    } else if (order == GALI_ORDER_BREADTH || order == GALI_ORDER_ALPHABET) {
        sort(contract, order, at);
    }
}

const char *gali_joint_order_name(gali_joint_order order) {
    static const char *const names[GALI_ORDER_COUNT] = {
        [GALI_ORDER_DEPTH] = "depth first",     [GALI_ORDER_DEPTH_LAST] = "depth first, later children first",
        [GALI_ORDER_BREADTH] = "breadth first", [GALI_ORDER_ALPHABET] = "by their names",
        [GALI_ORDER_BACKWARDS] = "last first",  [GALI_ORDER_SIDES] = "with left and right exchanged",
    };
    return names[order];
}
