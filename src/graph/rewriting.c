#include "graph/rewriting.h"

#include <string.h>

enum { ROOM_MORE = 64 };

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static int take(gali_rewriting *r) {
    gali_arena *arena = r->graph->arena;
    size_t values = r->value_room, nodes = r->node_room + 1u;
    r->uses = gali_arena_take(arena, values * sizeof *r->uses);
    r->stands = gali_arena_take(arena, values * sizeof *r->stands);
    r->constant = gali_arena_take(arena, values);
    r->output = gali_arena_take(arena, values);
    r->gone = gali_arena_take(arena, nodes);
    r->next = gali_arena_take(arena, nodes * sizeof *r->next);
    r->previous = gali_arena_take(arena, nodes * sizeof *r->previous);
    r->part = gali_arena_take(arena, nodes * sizeof *r->part);
    r->other = gali_arena_take(arena, nodes * sizeof *r->other);
    r->head = gali_arena_take(arena, nodes * sizeof *r->head);
    return !arena->failed;
}

/* Whether a node computes what it is given alone. */
static int is_constant(const gali_rewriting *r, const gali_node *node) {
    int all = node->body_count == 0;
    for (uint32_t k = 0; k < node->operand_count; k++) {
        all &= node->operands[k] == GALI_NONE || r->constant[node->operands[k]];
    }
    return all;
}

static void link(gali_rewriting *r, uint32_t node, uint32_t before) {
    uint32_t last = r->previous[before];
    r->next[last] = node;
    r->previous[node] = last;
    r->next[node] = before;
    r->previous[before] = node;
}

static void count_uses(gali_rewriting *r, const gali_node *node) {
    for (uint32_t k = 0; k < node->operand_count; k++) {
        if (node->operands[k] != GALI_NONE) {
            r->uses[node->operands[k]]++;
        }
    }
}

int gali_rewriting_begin(gali_rewriting *r, gali_graph *graph, int fast, const int64_t *sizes) {
    *r = (gali_rewriting){
        .graph = graph,
        .fast = fast,
        .sizes = sizes,
        .node_room = least(2 * graph->node_count + ROOM_MORE, GALI_GRAPH_NODES_MAX),
        .value_room = least(graph->value_count + 2 * graph->node_count + ROOM_MORE, GALI_GRAPH_VALUES_MAX)};
    if (!take(r)) {
        return 0;
    }
    for (uint32_t i = 0; i < r->value_room; i++) {
        r->stands[i] = i;
        r->constant[i] = i < graph->value_count && graph->values[i].data;
    }
    r->next[r->node_room] = r->previous[r->node_room] = r->node_room;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        link(r, i, r->node_room);
        count_uses(r, node);
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (node->results[k] != GALI_NONE) {
                r->constant[node->results[k]] = (uint8_t)is_constant(r, node);
            }
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        r->uses[graph->outputs[i]]++;
        r->output[graph->outputs[i]] = 1;
    }
    return 1;
}

void gali_rewriting_end(gali_rewriting *r) {
    gali_graph *graph = r->graph;
    gali_node *nodes = gali_arena_take(graph->arena, (graph->node_count + 1) * sizeof *nodes);
    uint32_t count = 0;
    for (uint32_t i = r->next[r->node_room]; nodes && i != r->node_room; i = r->next[i]) {
        if (r->gone[i]) {
            continue;
        }
        nodes[count] = graph->nodes[i];
        gali_rewriting_renew(r, &nodes[count]);
        for (uint32_t k = 0; k < nodes[count].result_count; k++) {
            if (nodes[count].results[k] != GALI_NONE) {
                graph->values[nodes[count].results[k]].node = count;
            }
        }
        count++;
    }
    if (nodes) {
        graph->nodes = nodes;
        graph->node_capacity = graph->node_count + 1;
        graph->node_count = count;
    }
}

uint32_t gali_rewriting_value(const gali_rewriting *r, uint32_t value) {
    while (r->stands[value] != value) {
        r->stands[value] = r->stands[r->stands[value]];
        value = r->stands[value];
    }
    return value;
}

void gali_rewriting_renew(const gali_rewriting *r, gali_node *node) {
    for (uint32_t k = 0; k < node->operand_count; k++) {
        if (node->operands[k] != GALI_NONE) {
            node->operands[k] = gali_rewriting_value(r, node->operands[k]);
        }
    }
}

int gali_rewriting_has_room(const gali_rewriting *r, uint32_t count) {
    return r->graph->node_count + count <= r->node_room && r->graph->value_count + count <= r->value_room;
}

uint32_t gali_rewriting_add_value(gali_rewriting *r, const gali_type *type, int constant) {
    uint32_t value = gali_graph_value(r->graph, "", type);
    if (value != GALI_NONE) {
        r->constant[value] = (uint8_t)constant;
    }
    return value;
}

uint32_t gali_rewriting_add_node(gali_rewriting *r, const gali_node *node, uint32_t before) {
    uint32_t made = gali_graph_node(r->graph, node);
    if (made == GALI_NONE) {
        return GALI_NONE;
    }
    uint32_t part = r->part[before];
    link(r, made, before);
    count_uses(r, node);
    r->part[made] = part;
    if (part != GALI_NONE) {
        r->other[made] = r->head[part];
        r->head[part] = made;
    }
    return made;
}

/* Whether some result is made by the node and read, or may be. */
static int is_read(const gali_rewriting *r, uint32_t number) {
    const gali_node *node = &r->graph->nodes[number];
    int read = 0;
    for (uint32_t k = 0; k < node->result_count; k++) {
        uint32_t value = node->results[k];
        read |= value != GALI_NONE && r->graph->values[value].node == number && r->uses[value] > 0;
    }
    return read;
}

void gali_rewriting_drop(gali_rewriting *r, uint32_t number) {
    const gali_node *node = &r->graph->nodes[number];
    r->gone[number] = 1;
    for (uint32_t k = 0; k < node->result_count; k++) {
        uint32_t value = node->results[k];
        if (value != GALI_NONE && r->graph->values[value].node == number) {
            r->graph->values[value].node = GALI_NONE;
        }
    }
    for (uint32_t k = 0; k < node->operand_count; k++) {
        uint32_t value =
            node->operands[k] == GALI_NONE ? GALI_NONE : gali_rewriting_value(r, node->operands[k]);
        uint32_t maker = value == GALI_NONE ? GALI_NONE : r->graph->values[value].node;
        if (value != GALI_NONE && --r->uses[value] == 0 && maker != GALI_NONE && !is_read(r, maker)) {
            gali_rewriting_drop(r, maker);
        }
    }
}

void gali_rewriting_replace(gali_rewriting *r, uint32_t value, uint32_t by) {
    r->stands[value] = by;
    r->uses[by] += r->uses[value];
    r->uses[value] = 0;
}

gali_work gali_rewriting_work(const gali_rewriting *r, uint32_t number) {
    enum { OPERANDS_MOST = 8 };
    gali_node *node = &r->graph->nodes[number];
    const gali_type *types[OPERANDS_MOST] = {NULL};
    uint8_t constant[OPERANDS_MOST] = {0};
    if (node->operand_count > OPERANDS_MOST || node->result_count == 0 || node->results[0] == GALI_NONE) {
        return (gali_work){0};
    }
    gali_rewriting_renew(r, node);
    for (uint32_t k = 0; k < node->operand_count; k++) {
        if (node->operands[k] != GALI_NONE) {
            types[k] = &r->graph->values[node->operands[k]].type;
            constant[k] = r->constant[node->operands[k]];
        }
    }
    return gali_node_work(r->graph->extents, r->sizes, node, types, constant,
                          &r->graph->values[node->results[0]].type);
}
