#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "compiler/net/attributes.h"

static gal_status bad(const gali_net_node *node, const char *what, gal_error *error) {
    return gali_fail(error, GAL_BAD_DATA, "node %.31s (%s): %s", node->name, gali_net_op_list[node->op].name,
                     what);
}

static int is_name(const char *name) {
    size_t size = 0;
    for (; name[size]; size++) {
        if (!isalnum((unsigned char)name[size]) && name[size] != '_') {
            return 0;
        }
    }
    return size > 0 && size <= GALI_NET_NAME_MAX && isalpha((unsigned char)name[0]) &&
           strcmp(name, "output") != 0;
}

static gal_status verify_attributes(const gali_net_node *node, gal_error *error) {
    for (uint32_t i = 0; i < GALI_NET_ATTRIBUTE_COUNT; i++) {
        gali_net_attribute_kind kind = gali_net_attribute_list[i].kind;
        if (node->attributes[i] && !(gali_net_op_list[node->op].attributes >> i & 1)) {
            return gali_fail(error, GAL_BAD_DATA, "node %.31s: %s has no %s", node->name,
                             gali_net_op_list[node->op].name, gali_net_attribute_list[i].name);
        }
        int words = kind == GALI_NET_KIND_FORM || kind == GALI_NET_KIND_ACTIVATION;
        if ((words && !gali_net_attribute_word(kind, node->attributes[i])) ||
            (kind == GALI_NET_KIND_REAL && !isfinite(gali_net_attribute_real(node->attributes[i])))) {
            return bad(node, "an attribute's value is unknown", error);
        }
    }
    return GAL_OK;
}

static gal_status verify_node(const gali_net *graph, uint32_t index, gal_error *error) {
    const gali_net_node *node = &graph->nodes[index];
    if ((unsigned)node->op >= GALI_NET_OP_COUNT || !node->name || !is_name(node->name)) {
        return gali_fail(error, GAL_BAD_DATA, "node %u: no operator, or a bad name", index);
    }
    const gali_net_op_facts *facts = &gali_net_op_list[node->op];
    if (gali_net_find(graph, node->name, strlen(node->name)) != index) {
        return bad(node, "the name is taken", error);
    }
    if (node->operand_count < facts->least || node->operand_count > facts->most) {
        return gali_fail(error, GAL_BAD_DATA, "node %.31s: %s takes %u operands, got %u", node->name,
                         facts->name, facts->least, node->operand_count);
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (node->operands[i] >= index) {
            return bad(node, "uses a value that comes later", error);
        }
    }
    gali_net_type type = node->type;
    gal_status status = facts->rule(graph, node, &type, error);
    if (status == GAL_OK && !gali_net_type_equal(&type, &node->type)) {
        return bad(node, "its type is not what its operands make", error);
    }
    return status == GAL_OK ? verify_attributes(node, error) : status;
}

gal_status gali_net_verify(const gali_net *graph, gal_error *error) {
    if (graph->least < 1 || graph->least > graph->most || graph->most > GALI_NET_CHARACTERS_MAX) {
        return gali_fail(error, GAL_BAD_DATA, "characters %u..%u: not a range within 1..%d", graph->least,
                         graph->most, GALI_NET_CHARACTERS_MAX);
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        gal_status status = verify_node(graph, i, error);
        if (status != GAL_OK) {
            return status;
        }
    }
    if (graph->output >= graph->count) {
        return gali_fail(error, GAL_BAD_DATA, "graph: no output");
    }
    const gali_net_type *y = &graph->nodes[graph->output].type;
    if (y->element != GALI_NET_F32 || y->rank != 2 || y->shape[0] != GALI_NET_DIMENSION_C) {
        return bad(&graph->nodes[graph->output], "the output is not f32[C, N]", error);
    }
    return GAL_OK;
}
