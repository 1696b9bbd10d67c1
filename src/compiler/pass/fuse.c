/*
 * Groups of nodes that run together.
 *
 *     dense, act      a layer's activation is applied to its sums while they are in registers, where nothing else reads
 *                     them. Softmax looks at a whole row and stays
 *     Mul, Add, ..    operators on single elements go into the one that reads them, if all that read them are of that
 *                     one's group: nothing but its result is stored
 *
 * A Slice is in no group, nor a Reshape of each row: they only say where in a row their readers find what they read. Every
 * other node is a group of its own.
 */
#include "base/error.h"
#include "compiler/activation.h"
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"

enum { NODES_MOST = 24 }; /* of a group: what its loop has to hold */

typedef struct grouping {
    const gali_graph *graph;
    uint32_t *last;  /* [node_count] the node whose group a node is in */
    uint32_t *count; /* [node_count] nodes of the group of that last node */
} grouping;

static int is_activation(const gali_node *node) {
    float slope;
    return gali_activation_of(node, &slope) != GALI_ACTIVATION_NONE;
}

static int is_layer(const gali_node *node) {
    return node->op == GALI_OP_Gemm || node->op == GALI_OP_blended_dense;
}

/* Operators that make an element of one of each operand, in so many roundings: the same in any loop. */
static int is_elementwise(const gali_node *node) {
    return node->op == GALI_OP_Add || node->op == GALI_OP_Sub || node->op == GALI_OP_Mul ||
           node->op == GALI_OP_Div || node->op == GALI_OP_Where || is_activation(node);
}

/* The layer whose activation the node is; GALI_NONE. */
static uint32_t layer_before(const gali_graph *graph, const gali_node *node) {
    uint32_t value = is_activation(node) ? node->operands[0] : GALI_NONE;
    uint32_t before = value == GALI_NONE ? GALI_NONE : graph->values[value].node;
    int joins = before != GALI_NONE && is_layer(&graph->nodes[before]) && gali_value_uses(graph, value) == 1;
    return joins ? before : GALI_NONE;
}

static gali_group_kind kind_of(const gali_graph *graph, const gali_node *node) {
    if (is_layer(node) || layer_before(graph, node) != GALI_NONE) {
        return GALI_GROUP_LAYER;
    }
    return is_elementwise(node) ? GALI_GROUP_ROWS : GALI_GROUP_KERNEL;
}

/* The group of rows that all readers of the node are in, as its last node; GALI_NONE. */
static uint32_t readers_group(const grouping *g, uint32_t index) {
    const gali_graph *graph = g->graph;
    uint32_t value = graph->nodes[index].results[0], group = GALI_NONE, uses = 0;
    for (uint32_t i = index + 1; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        for (uint32_t o = 0; o < node->operand_count; o++) {
            if (node->operands[o] != value) {
                continue;
            }
            int fits = kind_of(graph, node) == GALI_GROUP_ROWS && (group == GALI_NONE || group == g->last[i]) &&
                       gali_type_equal(&graph->values[value].type, &graph->values[node->results[0]].type);
            if (!fits) {
                return GALI_NONE;
            }
            group = g->last[i];
            uses++;
        }
    }
    return uses == gali_value_uses(graph, value) ? group : GALI_NONE; /* an output is stored */
}

/* Last nodes first: a node's readers are behind it. */
static void find_groups(grouping *g) {
    for (uint32_t i = g->graph->node_count; i-- > 0;) {
        const gali_node *node = &g->graph->nodes[i];
        gali_group_kind kind = kind_of(g->graph, node);
        uint32_t group = kind == GALI_GROUP_ROWS ? readers_group(g, i) : GALI_NONE;
        if (gali_row_is_place(node)) {
            continue;
        }
        if (group != GALI_NONE && g->count[group] < NODES_MOST) {
            g->last[i] = group;
            g->count[group]++;
        } else if (g->last[i] == GALI_NONE) {
            g->last[i] = i;
            g->count[i]++;
        }
        uint32_t layer = layer_before(g->graph, node);
        if (layer != GALI_NONE) {
            g->last[layer] = i;
            g->count[i]++;
        }
    }
}

static gali_group group_of(const grouping *g, uint32_t last) {
    const gali_node *node = &g->graph->nodes[last];
    uint32_t layer = layer_before(g->graph, node);
    return (gali_group){.kind = kind_of(g->graph, node),
                        .first = layer == GALI_NONE ? last : layer,
                        .last = last,
                        .nodes = g->count[last]};
}

gal_status gali_pass_fuse(gali_compilation *c, gal_error *error) {
    uint32_t count = c->graph->node_count;
    grouping g = {.graph = c->graph,
                  .last = gali_arena_take(&c->arena, count * sizeof *g.last),
                  .count = gali_arena_take(&c->arena, count * sizeof *g.count)};
    c->groups = gali_arena_take(&c->arena, count * sizeof *c->groups);
    c->group_of = gali_arena_take(&c->arena, count * sizeof *c->group_of);
    if (c->arena.failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for groups");
    }
    for (uint32_t i = 0; i < count; i++) {
        g.last[i] = GALI_NONE;
    }
    find_groups(&g);
    for (uint32_t i = 0; i < count; i++) {
        if (g.last[i] == i) {
            c->group_of[i] = c->group_count;
            c->groups[c->group_count++] = group_of(&g, i);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        c->group_of[i] = g.last[i] == GALI_NONE ? GALI_NONE : c->group_of[g.last[i]];
    }
    return GAL_OK;
}
