/* Graphs as text: a line a node, "name = op(operands) attribute=value : type". parse.c reads it. */
#include <string.h>

#include "base/number.h"
#include "compiler/net/attributes.h"

const char *const gali_net_element_names[GALI_NET_ELEMENT_COUNT] = {"f32", "u32", "blend"};

const gali_net_attribute_facts gali_net_attribute_list[GALI_NET_ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(name, kind, meaning) {#name, GALI_NET_KIND_##kind},
#include "compiler/net/attributes.def"
#undef ATTRIBUTE
};

const char *gali_net_attribute_word(gali_net_attribute_kind kind, uint32_t value) {
    static const char *const forms[GAL_FORM_COUNT] = {"per-expert", "blend"};
    static const char *const activations[GALI_ACTIVATION_COUNT] = {
#define ACTIVATION(id, name, onnx, formula) #name,
#include "kernels/activations.def"
#undef ACTIVATION
    };
    switch (kind) {
    case GALI_NET_KIND_FORM:
        return value < GAL_FORM_COUNT ? forms[value] : NULL;
    case GALI_NET_KIND_ACTIVATION:
        return value < GALI_ACTIVATION_COUNT ? activations[value] : NULL;
    default:
        return NULL;
    }
}

float gali_net_attribute_real(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void gali_net_type_print(const gali_net_type *type, gali_text *text) {
    gali_text_add(text, "%s[", gali_net_element_names[type->element]);
    for (uint32_t i = 0; i < type->rank; i++) {
        gali_text_add(text, "%s", i ? ", " : "");
        if (type->shape[i] == GALI_NET_DIMENSION_C) {
            gali_text_add(text, "C");
        } else if (type->shape[i] == GALI_NET_DIMENSION_ANY) {
            gali_text_add(text, "?");
        } else {
            gali_text_add(text, "%u", type->shape[i]);
        }
    }
    gali_text_add(text, "]");
}

static void print_attributes(const gali_net_node *node, gali_text *text) {
    for (uint32_t i = 0; i < GALI_NET_ATTRIBUTE_COUNT; i++) {
        const char *word = gali_net_attribute_word(gali_net_attribute_list[i].kind, node->attributes[i]);
        char number[GALI_NUMBER_MAX];
        if (node->attributes[i] && gali_net_attribute_list[i].kind == GALI_NET_KIND_REAL) {
            gali_number_write(number, gali_net_attribute_real(node->attributes[i]));
            word = number;
        }
        if (node->attributes[i] && word) {
            gali_text_add(text, " %s=%s", gali_net_attribute_list[i].name, word);
        } else if (node->attributes[i]) {
            gali_text_add(text, " %s=%u", gali_net_attribute_list[i].name, node->attributes[i]);
        }
    }
}

static void print_node(const gali_net *graph, const gali_net_node *node, gali_text *text) {
    gali_text_add(text, "%s = %s(", node->name, gali_net_op_list[node->op].name);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        gali_text_add(text, "%s%s", i ? ", " : "", graph->nodes[node->operands[i]].name);
    }
    gali_text_add(text, ")");
    print_attributes(node, text);
    gali_text_add(text, " : ");
    gali_net_type_print(&node->type, text);
    gali_text_add(text, "\n");
}

void gali_net_print(const gali_net *graph, gali_text *text) {
    gali_text_add(text, "gallop graph 1\ncharacters %u..%u\n", graph->least, graph->most);
    for (uint32_t i = 0; i < graph->count; i++) {
        print_node(graph, &graph->nodes[i], text);
    }
    if (graph->output != GALI_NET_NO_NODE) {
        gali_text_add(text, "output %s\n", graph->nodes[graph->output].name);
    }
}
