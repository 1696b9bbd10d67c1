#include "compiler/activation.h"

#include <string.h>

/* Each activation's operator and, where it has one, the word that tells it from others of that operator. */
static const struct {
    gali_op op;
    const char *approximate;
} operators[GALI_ACTIVATION_COUNT] = {
    [GALI_ACTIVATION_NONE] = {GALI_OP_Identity, NULL},
    [GALI_ACTIVATION_RELU] = {GALI_OP_Relu, NULL},
    [GALI_ACTIVATION_ELU] = {GALI_OP_Elu, NULL},
    [GALI_ACTIVATION_LEAKY_RELU] = {GALI_OP_LeakyRelu, NULL},
    [GALI_ACTIVATION_GELU_TANH] = {GALI_OP_Gelu, "tanh"},
    [GALI_ACTIVATION_GELU_ERF] = {GALI_OP_Gelu, "none"},
    [GALI_ACTIVATION_SILU] = {GALI_OP_silu, NULL},
    [GALI_ACTIVATION_TANH] = {GALI_OP_Tanh, NULL},
    [GALI_ACTIVATION_SIGMOID] = {GALI_OP_Sigmoid, NULL},
    [GALI_ACTIVATION_SOFTMAX] = {GALI_OP_Softmax, NULL},
};

const char *gali_activation_name(gali_activation activation) {
    static const char *const names[GALI_ACTIVATION_COUNT] = {
#define ACTIVATION(id, name, onnx, formula) #name,
#include "kernels/activations.def"
#undef ACTIVATION
    };
    return names[activation];
}

gali_node gali_activation_node(gali_arena *arena, gali_activation activation, float slope) {
    gali_node node = {.op = operators[activation].op};
    const char *word = operators[activation].approximate;
    gali_attribute *attribute = gali_arena_take(arena, sizeof *attribute);
    double *number = gali_arena_take(arena, sizeof *number);
    if (attribute && number && activation == GALI_ACTIVATION_LEAKY_RELU) {
        *number = (double)slope;
        *attribute = (gali_attribute){.name = "alpha", .kind = GALI_NUMBER, .count = 1, .numbers = number};
    } else if (attribute && word) {
        *attribute = (gali_attribute){
            .name = "approximate", .kind = GALI_WORD, .count = (uint32_t)strlen(word), .word = word};
    }
    node.attributes = attribute;
    node.attribute_count = attribute && attribute->name;
    return node;
}

gali_activation gali_activation_of(const gali_node *node, float *slope) {
    *slope = 0;
    if (node->op == GALI_OP_LeakyRelu) {
        *slope = (float)gali_node_number(node, "alpha");
        return GALI_ACTIVATION_LEAKY_RELU;
    }
    if (node->op == GALI_OP_Elu) { /* the kernels' has no factor */
        double alpha = gali_node_number(node, "alpha");
        return alpha < 1 || alpha > 1 ? GALI_ACTIVATION_NONE : GALI_ACTIVATION_ELU;
    }
    for (int i = GALI_ACTIVATION_NONE + 1; i < GALI_ACTIVATION_SOFTMAX; i++) {
        const char *word = operators[i].approximate;
        if (operators[i].op == node->op && (!word || gali_node_is(node, "approximate", word))) {
            return (gali_activation)i;
        }
    }
    return GALI_ACTIVATION_NONE;
}
