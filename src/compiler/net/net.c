#include "compiler/net/net.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"

gali_net *gali_net_make(gali_arena *arena, uint32_t least, uint32_t most) {
    gali_net *graph = gali_arena_take(arena, sizeof *graph);
    gali_net_node *nodes = gali_arena_take(arena, sizeof *nodes * GALI_NET_NODES_MAX);
    if (!graph || !nodes) {
        return NULL;
    }
    *graph =
        (gali_net){.arena = arena, .least = least, .most = most, .output = GALI_NET_NO_NODE, .nodes = nodes};
    return graph;
}

uint32_t gali_net_find(const gali_net *graph, const char *name, size_t size) {
    for (uint32_t i = 0; i < graph->count; i++) {
        const char *other = graph->nodes[i].name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) {
            return i;
        }
    }
    return GALI_NET_NO_NODE;
}

static const char *copy_name(gali_net *graph, const gali_net_node *node) {
    char made[GALI_NET_NAME_MAX + 1];
    const char *name = node->name;
    if (!name) {
        snprintf(made, sizeof made, "%.15s_%u", gali_net_op_list[node->op].name, graph->count);
        name = made;
    }
    return gali_arena_copy(graph->arena, name, strlen(name));
}

uint32_t gali_net_add(gali_net *graph, const gali_net_node *node, gal_error *error) {
    if (graph->count == GALI_NET_NODES_MAX) {
        gali_fail(error, GAL_UNSUPPORTED, "graph: more than %d nodes", GALI_NET_NODES_MAX);
        return GALI_NET_NO_NODE;
    }
    gali_net_node *added = &graph->nodes[graph->count];
    *added = *node;
    added->name = copy_name(graph, node);
    if (!added->name) {
        gali_fail(error, GAL_NO_MEMORY, "no memory for the graph");
        return GALI_NET_NO_NODE;
    }
    if (gali_net_op_list[node->op].rule(graph, added, &added->type, error) != GAL_OK) {
        return GALI_NET_NO_NODE;
    }
    return graph->count++;
}

uint32_t gali_net_uses(const gali_net *graph, uint32_t node) {
    uint32_t uses = graph->output == node;
    for (uint32_t i = node + 1; i < graph->count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count; o++) {
            uses += graph->nodes[i].operands[o] == node;
        }
    }
    return uses;
}

int gali_net_type_equal(const gali_net_type *a, const gali_net_type *b) {
    return a->element == b->element && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

size_t gali_net_type_count(const gali_net_type *type) {
    size_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        count = gali_size_mul(count, type->shape[i]);
    }
    return count;
}
