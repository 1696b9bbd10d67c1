/* The rules of ops.def: what operands must be, what the value is. */
#include "base/error.h"
#include "compiler/net/net.h"

static const gali_net_type *operand(const gali_net *graph, const gali_net_node *node, uint32_t i) {
    return &graph->nodes[node->operands[i]].type;
}

/* "node h0 (dense): operand 2: expected f32[256], got f32[255]". */
static gal_status mismatch(const gali_net *graph, const gali_net_node *node, uint32_t i,
                           const gali_net_type *expected, gal_error *error) {
    gali_text want = {0}, got = {0};
    gali_net_type_print(expected, &want);
    gali_net_type_print(operand(graph, node, i), &got);
    gali_fail(error, GAL_BAD_DATA, "node %.31s (%s): operand %u: expected %s, got %s", node->name,
              gali_net_op_list[node->op].name, i + 1, want.bytes ? want.bytes : "?",
              got.bytes ? got.bytes : "?");
    gali_text_release(&want);
    gali_text_release(&got);
    return GAL_BAD_DATA;
}

static gal_status broken(const gali_net_node *node, const char *what, gal_error *error) {
    return gali_fail(error, GAL_BAD_DATA, "node %.31s (%s): %s", node->name, gali_net_op_list[node->op].name,
                     what);
}

static const gali_net_dimension any = GALI_NET_DIMENSION_ANY;

/* ANY in the expected type is any number, but not C. */
static int fits(const gali_net_type *got, const gali_net_type *expected) {
    int good = got->element == expected->element && got->rank == expected->rank;
    for (uint32_t d = 0; good && d < got->rank; d++) {
        good = expected->shape[d] == any ? got->shape[d] != GALI_NET_DIMENSION_C
                                         : got->shape[d] == expected->shape[d];
    }
    return good;
}

static gal_status expect(const gali_net *graph, const gali_net_node *node, uint32_t i, gali_net_type expected,
                         gal_error *error) {
    return fits(operand(graph, node, i), &expected) ? GAL_OK : mismatch(graph, node, i, &expected, error);
}

static gali_net_type rows(gali_net_dimension width) {
    return (gali_net_type){GALI_NET_F32, 2, {GALI_NET_DIMENSION_C, width, 0}};
}

static gali_net_type vector(gali_net_element element, gali_net_dimension size) {
    return (gali_net_type){element, 1, {size, 0, 0}};
}

static gali_net_type blends(gali_net_dimension slots, gali_net_dimension experts) {
    return (gali_net_type){GALI_NET_BLEND, 3, {GALI_NET_DIMENSION_C, slots, experts}};
}

/* Types as declared; C stands first, and in inputs only. */
static gal_status gali_net_rule_given(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                      gal_error *error) {
    (void)graph;
    int input = node->op == GALI_NET_OP_input;
    if (type->rank < 1 || type->rank > GALI_NET_RANK_MAX || type->element == GALI_NET_BLEND) {
        return broken(node, "not a type of an input or a constant", error);
    }
    for (uint32_t d = 0; d < type->rank; d++) {
        if ((type->shape[d] == GALI_NET_DIMENSION_C) != (input && d == 0)) {
            return broken(node, input ? "the first dimension is C, the others are numbers" : "C in a constant",
                          error);
        }
        if (type->shape[d] > GALI_NET_DIMENSION_MAX) {
            return broken(node, "a dimension is too large", error);
        }
    }
    if (input && (type->rank > 2 || type->element != GALI_NET_F32)) {
        return broken(node, "an input is f32[C] or f32[C, K]", error);
    }
    return GAL_OK;
}

static gal_status gali_net_rule_same(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                     gal_error *error) {
    *type = *operand(graph, node, 0);
    return expect(graph, node, 0, rows(any), error);
}

static gal_status gali_net_rule_slice(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                      gal_error *error) {
    gal_status status = expect(graph, node, 0, rows(any), error);
    uint32_t first = node->attributes[GALI_NET_ATTRIBUTE_first],
             count = node->attributes[GALI_NET_ATTRIBUTE_count];
    uint32_t width = operand(graph, node, 0)->shape[1];
    if (status == GAL_OK && (count < 1 || first > width || count > width - first)) {
        return broken(node, "first and count: not a part of the row", error);
    }
    *type = rows(count);
    return status;
}

static gal_status gali_net_rule_concat(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                       gal_error *error) {
    uint32_t width = 0;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        gal_status status = expect(graph, node, i, rows(any), error);
        if (status != GAL_OK) {
            return status;
        }
        width += operand(graph, node, i)->shape[1]; /* at most 16 times GALI_NET_DIMENSION_MAX */
    }
    *type = rows(width);
    return width <= GALI_NET_DIMENSION_MAX ? GAL_OK : broken(node, "the row is too long", error);
}

/* A row of `parts` equal parts makes one of them. */
static gal_status reduce(const gali_net *graph, const gali_net_node *node, uint32_t parts, gali_net_type *type,
                         gal_error *error) {
    gal_status status = expect(graph, node, 0, rows(any), error);
    uint32_t width = operand(graph, node, 0)->shape[1];
    if (status == GAL_OK && (parts < 1 || width % parts != 0)) {
        return broken(node, "the row is not made of equal parts", error);
    }
    *type = rows(parts ? width / parts : 0);
    return status;
}

static gal_status gali_net_rule_film(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                     gal_error *error) {
    return reduce(graph, node, 3, type, error);
}

static gal_status gali_net_rule_gru(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                    gal_error *error) {
    return reduce(graph, node, 7, type, error);
}

static gal_status gali_net_rule_parts(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                      gal_error *error) {
    return reduce(graph, node, node->attributes[GALI_NET_ATTRIBUTE_parts], type, error);
}

static gal_status gali_net_rule_gather(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                       gal_error *error) {
    gal_status status = expect(graph, node, 0, rows(any), error);
    if (status == GAL_OK) {
        status = expect(graph, node, 1, vector(GALI_NET_U32, any), error);
    }
    *type = rows(operand(graph, node, 1)->shape[0]);
    return status;
}

static gal_status gali_net_rule_fix(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                    gal_error *error) {
    gal_status status = gali_net_rule_same(graph, node, type, error);
    if (status == GAL_OK) {
        status = expect(graph, node, 1, vector(GALI_NET_U32, type->shape[1]), error);
    }
    return status == GAL_OK ? expect(graph, node, 2, vector(GALI_NET_F32, type->shape[1]), error) : status;
}

static gal_status gali_net_rule_scaled(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                       gal_error *error) {
    gal_status status = gali_net_rule_same(graph, node, type, error);
    for (uint32_t i = 1; i < 3 && status == GAL_OK; i++) {
        status = expect(graph, node, i, vector(GALI_NET_F32, type->shape[1]), error);
    }
    return status;
}

static gal_status gate(const gali_net *graph, const gali_net_node *node, uint32_t slots, gali_net_type *type,
                       gal_error *error) {
    uint32_t experts = node->attributes[GALI_NET_ATTRIBUTE_experts];
    if (experts < slots || experts > 256) {
        return broken(node, "experts: fewer than it blends, or more than 256", error);
    }
    *type = blends(slots, experts);
    return expect(graph, node, 0, vector(GALI_NET_F32, GALI_NET_DIMENSION_C), error);
}

static gal_status gali_net_rule_gate_cubic(const gali_net *graph, const gali_net_node *node,
                                           gali_net_type *type, gal_error *error) {
    return gate(graph, node, 4, type, error);
}

static gal_status gali_net_rule_gate_linear(const gali_net *graph, const gali_net_node *node,
                                            gali_net_type *type, gal_error *error) {
    return gate(graph, node, 2, type, error);
}

static gal_status gali_net_rule_gate_constant(const gali_net *graph, const gali_net_node *node,
                                              gali_net_type *type, gal_error *error) {
    return gate(graph, node, 1, type, error);
}

static gal_status gali_net_rule_blend(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                      gal_error *error) {
    uint32_t experts = operand(graph, node, 0)->shape[1];
    *type = blends(experts, experts);
    return expect(graph, node, 0, rows(any), error);
}

static gal_status gali_net_rule_top(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                    gal_error *error) {
    uint32_t experts = operand(graph, node, 0)->shape[1], top = node->attributes[GALI_NET_ATTRIBUTE_top];
    gal_status status = expect(graph, node, 0, rows(any), error);
    if (status == GAL_OK && (top < 1 || top > experts)) {
        return broken(node, "top: not between 1 and the experts", error);
    }
    *type = blends(top, experts);
    return status;
}

static gal_status gali_net_rule_dense(const gali_net *graph, const gali_net_node *node, gali_net_type *type,
                                      gal_error *error) {
    gal_status status = expect(graph, node, 0, rows(any), error);
    gali_net_type matrix = {GALI_NET_F32, 2, {any, operand(graph, node, 0)->shape[1], 0}};
    if (status == GAL_OK) {
        status = expect(graph, node, 1, matrix, error);
    }
    uint32_t outputs = operand(graph, node, 1)->shape[0];
    *type = rows(outputs);
    return status == GAL_OK ? expect(graph, node, 2, vector(GALI_NET_F32, outputs), error) : status;
}

static gal_status gali_net_rule_blended_dense(const gali_net *graph, const gali_net_node *node,
                                              gali_net_type *type, gal_error *error) {
    gal_status status = expect(graph, node, 0, rows(any), error);
    uint32_t experts = operand(graph, node, 2)->shape[0], outputs = operand(graph, node, 2)->shape[1];
    gali_net_type matrices = {GALI_NET_F32, 3, {any, any, operand(graph, node, 0)->shape[1]}};
    if (status == GAL_OK) {
        status = expect(graph, node, 2, matrices, error);
    }
    if (status == GAL_OK) {
        status = expect(graph, node, 1, blends(any, experts), error);
    }
    *type = rows(outputs);
    gali_net_type biases = {GALI_NET_F32, 2, {experts, outputs, 0}};
    return status == GAL_OK ? expect(graph, node, 3, biases, error) : status;
}

#define HAS(name) (1u << GALI_NET_ATTRIBUTE_##name)
const gali_net_op_facts gali_net_op_list[GALI_NET_OP_COUNT] = {
#define OP(name, least, most, rule, attributes, meaning)                                                       \
    {#name, least, most, gali_net_rule_##rule, (attributes) | HAS(offset), meaning},
#include "compiler/net/ops.def"
#undef OP
};
