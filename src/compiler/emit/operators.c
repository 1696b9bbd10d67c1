#include "base/error.h"
#include "compiler/emit/emission.h"
#include "compiler/net/attributes.h"

/* Calls of operators: a loop over the characters, whose rows the vocabulary's functions make one by one. */

static const gali_net_node *operand(const gali_emission *e, const gali_net_node *node, uint32_t i) {
    return &e->c->graph->nodes[node->operands[i]];
}

uint32_t gali_emit_stride(const gali_net *graph, uint32_t index) {
    const gali_net_node *node = &graph->nodes[index];
    uint32_t width = node->type.shape[1];
    return node->op == GALI_NET_OP_input ? width : (width + 15) / 16 * 16;
}

int gali_emit_sparse(const gali_net_type *blend) {
    return blend->shape[1] < blend->shape[2];
}

/* "x + (size_t)c * 231": a character's row of a value. */
static void add_row(gali_emission *e, uint32_t index) {
    gali_text_add(&e->calls, "%s + (size_t)c * %u", e->c->graph->nodes[index].name,
                  gali_emit_stride(e->c->graph, index));
}

/* The loop, the function and its first argument, a row of the node's first operand. */
static void open_call(gali_emission *e, const gali_net_node *node, const char *function) {
    gali_text_add(&e->calls, "    for (uint32_t c = 0; c < count; c++) {\n        gali_%s(", function);
    add_row(e, node->operands[0]);
}

/* The last argument, the node's row. */
static void close_call(gali_emission *e, uint32_t index) {
    gali_text_add(&e->calls, ",\n            ");
    add_row(e, index);
    gali_text_add(&e->calls, ");\n    }\n");
}

/* A loop that copies `width` floats of each row, from `from` on, to `to` and on. */
static void copy_rows(gali_emission *e, uint32_t source, uint32_t from, uint32_t width, uint32_t index,
                      uint32_t to) {
    gali_text_add(&e->calls, "    for (uint32_t c = 0; c < count; c++) {\n        memcpy(");
    add_row(e, index);
    gali_text_add(&e->calls, to ? " + %u, " : ", ", to);
    add_row(e, source);
    gali_text_add(&e->calls, from ? " + %u, " : ", ", from);
    gali_text_add(&e->calls, "%u * sizeof(float));\n    }\n", width);
}

static void add_constant(gali_emission *e, const gali_net_node *node, uint32_t i) {
    const gali_net_node *constant = operand(e, node, i);
    size_t at = gali_emit_floats(e, constant->data, gali_net_type_count(&constant->type));
    gali_text_add(&e->calls, ", weights + %zu", at);
}

/* A float32 to the last bit; 0 is short. */
static void add_real(gali_text *text, uint32_t bits) {
    gali_text_add(text, bits ? "%af" : "%.0f", (double)gali_net_attribute_real(bits));
}

/* A list of indices becomes an array of the source. */
static void add_list(gali_emission *e, const gali_net_node *node, uint32_t i) {
    const gali_net_node *constant = operand(e, node, i);
    const uint32_t *list = constant->data;
    uint32_t count = constant->type.shape[0];
    gali_text_add(&e->lists, "static const uint32_t gali_%s[%u] = {", constant->name, count);
    for (uint32_t k = 0; k < count; k++) {
        gali_text_add(&e->lists, "%s%u,", k % 20 ? " " : "\n    ", list[k]);
    }
    gali_text_add(&e->lists, "\n};\n\n");
    gali_text_add(&e->calls, ", gali_%s", constant->name);
}

static void call_gather(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, gali_net_op_list[node->op].name);
    add_list(e, node, 1);
    gali_text_add(&e->calls, ", %u", node->type.shape[1]);
    close_call(e, index);
}

static void call_fix(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, gali_net_op_list[node->op].name);
    add_list(e, node, 1);
    add_constant(e, node, 2);
    gali_text_add(&e->calls, ", %u", node->type.shape[1]);
    close_call(e, index);
}

/* normalise, denormalise, layer_norm: two constants as wide as the row. */
static void call_scaled(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, gali_net_op_list[node->op].name);
    add_constant(e, node, 1);
    add_constant(e, node, 2);
    gali_text_add(&e->calls, ", %u", node->type.shape[1]);
    if (node->op == GALI_NET_OP_layer_norm) {
        gali_text_add(&e->calls, ", ");
        add_real(&e->calls, node->attributes[GALI_NET_ATTRIBUTE_epsilon]);
    }
    close_call(e, index);
}

/* A character's experts of a blend and their coefficients: no experts where all are used. */
static void close_blend(gali_emission *e, const gali_net_node *node) {
    uint32_t slots = node->type.shape[1];
    if (gali_emit_sparse(&node->type)) {
        gali_text_add(&e->calls, ", %s_expert + (size_t)c * %u", node->name, slots);
    } else {
        gali_text_add(&e->calls, ", NULL");
    }
    gali_text_add(&e->calls, ", %s + (size_t)c * %u);\n    }\n", node->name, slots);
}

static void call_gate(gali_emission *e, const gali_net_node *node, uint32_t index) {
    (void)index;
    gali_text_add(
        &e->calls, "    for (uint32_t c = 0; c < count; c++) {\n        gali_gate(gali_%s, %s[c], %u, %u",
        gali_net_op_list[node->op].name, operand(e, node, 0)->name, node->type.shape[2], node->type.shape[1]);
    close_blend(e, node);
}

void gali_emit_activation(gali_text *text, const gali_net_node *node, const char *rows, uint32_t stride,
                          uint32_t width) {
    uint32_t activation = node->attributes[GALI_NET_ATTRIBUTE_activation];
    const char *name = gali_net_attribute_word(GALI_NET_KIND_ACTIVATION, activation);
    gali_text_add(text, "    for (uint32_t c = 0; c < count; c++) {\n");
    if (activation == GALI_ACTIVATION_SOFTMAX) {
        gali_text_add(text, "        gali_activate_%s(%s + (size_t)c * %u, %u);\n", name, rows, stride, width);
    } else {
        gali_text_add(text, "        gali_activate_each(gali_activate_%s, ", name);
        add_real(text, node->attributes[GALI_NET_ATTRIBUTE_slope]);
        gali_text_add(text, ", %s + (size_t)c * %u, %u);\n", rows, stride, width);
    }
    gali_text_add(text, "    }\n");
}

static void call_blend(gali_emission *e, const gali_net_node *node, uint32_t index) {
    (void)index;
    gali_text_add(&e->calls, "    for (uint32_t c = 0; c < count; c++) {\n        memcpy(%s + (size_t)c * %u, ",
                  node->name, node->type.shape[1]);
    add_row(e, node->operands[0]);
    gali_text_add(&e->calls, ", %u * sizeof(float));\n    }\n", node->type.shape[1]);
}

/* Of all coefficients the largest are those of a blend. */
static void call_top(gali_emission *e, const gali_net_node *node, uint32_t index) {
    if (!gali_emit_sparse(&node->type)) {
        call_blend(e, node, index);
        return;
    }
    open_call(e, node, "gate_top");
    gali_text_add(&e->calls, ", %u, %u", node->type.shape[2], node->type.shape[1]);
    close_blend(e, node);
}

/* Copies the rows, then activates them in place. */
static void call_activate(gali_emission *e, const gali_net_node *node, uint32_t index) {
    uint32_t width = node->type.shape[1];
    copy_rows(e, node->operands[0], 0, width, index, 0);
    gali_emit_activation(&e->calls, node, node->name, gali_emit_stride(e->c->graph, index), width);
}

static void call_slice(gali_emission *e, const gali_net_node *node, uint32_t index) {
    copy_rows(e, node->operands[0], node->attributes[GALI_NET_ATTRIBUTE_first], node->type.shape[1], index, 0);
}

static void call_concat(gali_emission *e, const gali_net_node *node, uint32_t index) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t width = operand(e, node, i)->type.shape[1];
        copy_rows(e, node->operands[i], 0, width, index, at);
        at += width;
    }
}

static void call_film(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, gali_net_op_list[node->op].name);
    gali_text_add(&e->calls, ", %u", node->type.shape[1]);
    close_call(e, index);
}

static void call_gru(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, "gru_f32");
    gali_text_add(&e->calls, ", %u", node->type.shape[1]);
    close_call(e, index);
}

static void call_parts(gali_emission *e, const gali_net_node *node, uint32_t index) {
    open_call(e, node, gali_net_op_list[node->op].name);
    gali_text_add(&e->calls, ", %u, %u", node->attributes[GALI_NET_ATTRIBUTE_parts] * node->type.shape[1],
                  node->type.shape[1]);
    close_call(e, index);
}

typedef void operator_call(gali_emission *e, const gali_net_node *node, uint32_t index);

static operator_call *const operator_calls[GALI_NET_OP_COUNT] = {
    [GALI_NET_OP_gather] = call_gather,
    [GALI_NET_OP_fix] = call_fix,
    [GALI_NET_OP_normalise] = call_scaled,
    [GALI_NET_OP_denormalise] = call_scaled,
    [GALI_NET_OP_gate_cubic] = call_gate,
    [GALI_NET_OP_gate_linear] = call_gate,
    [GALI_NET_OP_gate_constant] = call_gate,
    [GALI_NET_OP_blend] = call_blend,
    [GALI_NET_OP_top] = call_top,
    [GALI_NET_OP_slice] = call_slice,
    [GALI_NET_OP_concat] = call_concat,
    [GALI_NET_OP_layer_norm] = call_scaled,
    [GALI_NET_OP_film] = call_film,
    [GALI_NET_OP_gru] = call_gru,
    [GALI_NET_OP_add] = call_parts,
    [GALI_NET_OP_mul] = call_parts,
    [GALI_NET_OP_activate] = call_activate,
};

gal_status gali_emit_operator(gali_emission *e, uint32_t index, gal_error *error) {
    const gali_net_node *node = &e->c->graph->nodes[index];
    if (!operator_calls[node->op]) {
        return gali_fail(error, GAL_UNSUPPORTED, "%.31s: no C for %s", node->name,
                         gali_net_op_list[node->op].name);
    }
    operator_calls[node->op](e, node, index);
    return GAL_OK;
}
