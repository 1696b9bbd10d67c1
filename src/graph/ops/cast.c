/* One operand whose elements stay in their places: of another type, asked whether they are infinite, or as they are. */
#include <math.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/onnx_types.h"
#include "graph/rule.h"
#include "graph/scalar.h"

/* ---- Cast, CastLike ---- */

/* Whether what is cast to i32 is one expression of sizes; that it fits is demanded. Of numbers the truth says what they become. */
static int is_size(const gali_rule *rule, gali_element to) {
    const gali_type *x = rule->operand[0];
    return to == GALI_i32 && x->element == GALI_i64 && rule->known[0] &&
           gali_type_count(rule->graph->extents, x) == 1 && rule->known[0][0] != GALI_EXTENT_UNKNOWN &&
           !gali_extent_is_number(rule->known[0][0]);
}

gal_status gali_rule_cast(gali_rule *rule) {
    gali_element to = rule->node->op == GALI_OP_CastLike
                          ? rule->operand[1]->element
                          : gali_element_of_onnx(gali_node_int(rule->node, "to"));
    if (to == GALI_ELEMENT_COUNT) {
        return gali_rule_fail(rule, "to elements of type %s, which are not supported",
                              gali_onnx_type_name(gali_node_int(rule->node, "to")));
    }
    rule->result[0] = *rule->operand[0];
    rule->result[0].element = to;
    if (is_size(rule, to)) {
        gali_rule_demand_most(rule, rule->known[0][0], INT32_MAX);
        gali_rule_demand_most(rule, INT32_MIN, rule->known[0][0]);
    }
    if (to == GALI_i64 || to == rule->operand[0]->element || is_size(rule, to)) {
        rule->result_known[0] = rule->known[0]; /* nothing is lost */
    }
    return GAL_OK;
}

gal_status gali_truth_cast(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    gali_tensor *y = &results[0];
    (void)run;
    (void)node;
    for (size_t e = 0; e < y->count; e++) {
        gali_tensor_put(y, e,
                        gali_number_cast(operands[0]->element, y->element, gali_tensor_at(operands[0], e)));
    }
    return GAL_OK;
}

void gali_express_cast(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        y->value = gali_x_cast(x, y->element, gali_x_broadcast(x, 0, y->rank));
    }
}

/* ---- IsInf ---- */

gal_status gali_rule_is_inf(gali_rule *rule) {
    rule->result[0] = *rule->operand[0];
    rule->result[0].element = GALI_truth;
    return gali_element_list[rule->operand[0]->element].kind == GALI_REAL
               ? GAL_OK
               : gali_rule_fail(rule, "not for %s", gali_element_list[rule->operand[0]->element].word);
}

gal_status gali_truth_is_inf(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    int below = gali_node_int(node, "detect_negative") != 0,
        above = gali_node_int(node, "detect_positive") != 0;
    (void)run;
    for (size_t e = 0; e < results[0].count; e++) {
        double a = operands[0]->real[e];
        results[0].whole[e] = isinf(a) && (a < 0 ? below : above);
    }
    return GAL_OK;
}

void gali_express_is_inf(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y) {
        return;
    }
    gali_element element = x->operand[0]->element;
    const gali_scalar *a = gali_x_broadcast(x, 0, y->rank), *no = gali_x_whole(x, GALI_truth, 0);
    const gali_scalar *below = gali_x_equal(x, a, gali_x_smallest(x, element));
    const gali_scalar *above = gali_x_equal(x, a, gali_x_largest(x, element));
    y->value = gali_x_apply(x, GALI_SCALAR_or, gali_node_int(x->node, "detect_negative") ? below : no,
                            gali_node_int(x->node, "detect_positive") ? above : no, NULL);
}

/* ---- Dropout, which leaves nothing out where nothing is trained ---- */

gal_status gali_rule_dropout(gali_rule *rule) {
    int may_train = gali_rule_operand(rule, 2) && (!rule->known[2] || rule->known[2][0] != 0);
    rule->result[0] = *rule->operand[0];
    if (rule->node->result_count > 1) {
        rule->result[1] = *rule->operand[0];
        rule->result[1].element = GALI_truth;
    }
    return may_train ? gali_rule_fail(rule, "training, with random numbers, is not supported") : GAL_OK;
}

gal_status gali_truth_dropout(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                              gali_tensor *results) {
    (void)run;
    for (size_t e = 0; e < operands[0]->count; e++) {
        gali_tensor_put(&results[0], e, gali_tensor_at(operands[0], e));
        if (node->result_count > 1 && results[1].whole) {
            results[1].whole[e] = 1;
        }
    }
    return GAL_OK;
}

void gali_express_dropout(gali_express *x) {
    gali_stage_of *y = gali_x_result(x, 0);
    if (y) {
        y->value = gali_x_broadcast(x, 0, y->rank);
    }
    gali_stage_of *kept = gali_x_wants(x, 1) ? gali_x_result(x, 1) : NULL;
    if (kept) {
        kept->value = gali_x_whole(x, GALI_truth, 1);
    }
}
