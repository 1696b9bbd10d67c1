/*
 * The static memory plan: each value that is made by a node gets a place in the workspace, first fit by life time. A
 * character's part of a place is a row of whole cache lines; the rows of all characters of a call stand together,
 * so a place of offset o and width w is [o * count, (o + w) * count) for a call of count characters.
 */
#include "base/error.h"
#include "compiler/pass/pass.h"

enum { LINE = 16 }; /* floats */

/* Lines of a row; 0: the value has no place of its own. Of a sparse blend the experts follow the coefficients. */
static uint32_t lines_of(const gali_net_node *node) {
    const gali_net_type *type = &node->type;
    uint32_t width = type->shape[1];
    if (node->op == GALI_NET_OP_input || node->op == GALI_NET_OP_constant) {
        return 0;
    }
    uint32_t lines = (width + LINE - 1) / LINE;
    return type->element == GALI_NET_BLEND && width < type->shape[2] ? 2 * lines : lines;
}

static uint32_t last_use(const gali_net *graph, uint32_t node) {
    uint32_t last = node == graph->output ? graph->count : node;
    for (uint32_t i = node + 1; i < graph->count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count; o++) {
            last = graph->nodes[i].operands[o] == node && last < i ? i : last;
        }
    }
    return last;
}

/* 0 if lines [at, at + lines) are free when node `from` runs, else the end of a value that lives there. */
static uint32_t blocked_until(const gali_net *graph, const uint32_t *ends, uint32_t from, uint32_t at,
                              uint32_t lines) {
    for (uint32_t i = 0; i < from; i++) {
        uint32_t other = lines_of(&graph->nodes[i]);
        if (!other || ends[i] < from) {
            continue;
        }
        uint32_t start = graph->nodes[i].attributes[GALI_NET_ATTRIBUTE_offset] - 1;
        if (at < start + other && start < at + lines) {
            return start + other;
        }
    }
    return 0;
}

gal_status gali_pass_memory(gali_compilation *c, gal_error *error) {
    gali_net *graph = c->graph;
    uint32_t *ends = gali_arena_take(&c->arena, graph->count * sizeof *ends);
    if (!ends) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the memory plan");
    }
    c->workspace = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        gali_net_node *node = &graph->nodes[i];
        uint32_t lines = lines_of(node), at = 0;
        ends[i] = last_use(graph, i);
        if (!lines) {
            continue;
        }
        for (uint32_t next; (next = blocked_until(graph, ends, i, at, lines)) != 0;) {
            at = next;
        }
        node->attributes[GALI_NET_ATTRIBUTE_offset] = at + 1;
        c->workspace = (at + lines) * LINE > c->workspace ? (at + lines) * LINE : c->workspace;
    }
    return GAL_OK;
}
