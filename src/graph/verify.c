/* What graph.h and ops.def promise of a graph, checked after every pass and every import. */
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

static gal_status broken(const gali_graph *graph, const gali_node *node, const char *what, gal_error *error) {
    return gali_fail(error, GAL_BAD_DATA, "%s: %s", gali_node_place(graph, node), what);
}

static const char *const kinds[] = {"int", "number", "ints", "numbers", "word"};

/* The row's "name:kind=default", or NULL. */
static const char *row_of(const gali_op_facts *facts, const char *name) {
    size_t size = strlen(name);
    for (const char *at = facts->attributes; *at; at += strcspn(at, " "), at += *at == ' ') {
        if (strncmp(at, name, size) == 0 && at[size] == ':') {
            return at;
        }
    }
    return NULL;
}

static int is_of_kind(const char *row, const gali_attribute *attribute) {
    const char *kind = strchr(row, ':') + 1;
    size_t size = strcspn(kind, " =?");
    const char *own = kinds[attribute->kind];
    return strlen(own) == size && strncmp(kind, own, size) == 0;
}

static gal_status verify_attributes(const gali_graph *graph, const gali_node *node, gal_error *error) {
    const gali_op_facts *facts = &gali_op_list[node->op];
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const gali_attribute *attribute = &node->attributes[i];
        const char *row = row_of(facts, attribute->name);
        if (!row || !is_of_kind(row, attribute)) {
            return gali_fail(error, GAL_BAD_DATA,
                             "%s: attribute \"%.60s\" of kind %s is not one of its operator's",
                             gali_node_place(graph, node), attribute->name, kinds[attribute->kind]);
        }
    }
    for (const char *at = facts->attributes; *at; at += strcspn(at, " "), at += *at == ' ') {
        char name[64];
        size_t size = strcspn(at, ":"), whole = strcspn(at, " ");
        memcpy(name, at, size);
        name[size] = 0;
        int must = !memchr(at, '=', whole) && at[whole - 1] != '?';
        if (must && !gali_node_attribute(node, name)) {
            return gali_fail(error, GAL_BAD_DATA, "%s: attribute \"%s\" is missing",
                             gali_node_place(graph, node), name);
        }
    }
    return GAL_OK;
}

static gal_status verify_values(const gali_graph *graph, const gali_node *node, const unsigned char *made,
                                gal_error *error) {
    const gali_op_facts *facts = &gali_op_list[node->op];
    if (node->operand_count < facts->least || node->operand_count > facts->most) {
        return broken(graph, node, "not as many operands as its operator has", error);
    }
    if (node->result_count < facts->results_least || node->result_count > facts->results_most) {
        return broken(graph, node, "not as many results as its operator has", error);
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t operand = node->operands[i];
        if (operand == GALI_NONE ? i < facts->least : operand >= graph->value_count || !made[operand]) {
            return gali_fail(error, GAL_BAD_DATA, "%s: operand %u is missing, or made later",
                             gali_node_place(graph, node), i + 1);
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        uint32_t result = node->results[i];
        if (result == GALI_NONE ? i < facts->results_least : result >= graph->value_count || made[result]) {
            return gali_fail(error, GAL_BAD_DATA, "%s: result %u is missing, or made twice",
                             gali_node_place(graph, node), i + 1);
        }
    }
    return GAL_OK;
}

/* Marks inputs and constants. */
static gal_status begin(const gali_graph *graph, unsigned char *made, gal_error *error) {
    for (uint32_t i = 0; i < graph->value_count; i++) {
        made[i] = graph->values[i].data != NULL;
        if (graph->values[i].type.rank > GALI_RANK_MAX || graph->values[i].type.element >= GALI_ELEMENT_COUNT) {
            return gali_fail(error, GAL_BAD_DATA, "value \"%.100s\": no such type", graph->values[i].name);
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i] >= graph->value_count || made[graph->inputs[i]]) {
            return gali_fail(error, GAL_BAD_DATA, "input %u: no value, or one that is given already", i + 1);
        }
        made[graph->inputs[i]] = 1;
    }
    return GAL_OK;
}

static gal_status verify_graph(const gali_graph *graph, gali_arena *arena, gal_error *error) {
    unsigned char *made = gali_arena_take(arena, graph->value_count + 1);
    if (!made) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to verify a graph");
    }
    gal_status status = begin(graph, made, error);
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        status = node->op < GALI_OP_COUNT ? verify_values(graph, node, made, error)
                                          : gali_fail(error, GAL_BAD_DATA, "node %u: no such operator", i);
        if (status == GAL_OK) {
            status = verify_attributes(graph, node, error);
        }
        for (uint32_t k = 0; status == GAL_OK && k < node->result_count; k++) {
            if (node->results[k] != GALI_NONE) {
                made[node->results[k]] = 1;
            }
        }
        for (uint32_t k = 0; status == GAL_OK && k < node->body_count; k++) {
            int shallow = node->bodies[k]->depth == graph->depth + 1 && graph->depth < GALI_GRAPH_DEPTH_MAX;
            status = shallow ? verify_graph(node->bodies[k], arena, error)
                             : broken(graph, node, "its body is not one deeper, or too deep", error);
        }
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->output_count; i++) {
        if (graph->outputs[i] >= graph->value_count || !made[graph->outputs[i]]) {
            status = gali_fail(error, GAL_BAD_DATA, "output %u: nothing makes it", i + 1);
        }
    }
    return status;
}

gal_status gali_graph_verify(const gali_graph *graph, gal_error *error) {
    gali_arena arena = {0};
    gal_status status = verify_graph(graph, &arena, error);
    gali_arena_release(&arena);
    return status;
}
