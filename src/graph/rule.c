/* What shape rules share, and running them over a graph. */
#include "graph/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/evaluate.h"

enum { TOLD_MAX = 2 * GALI_RANK_MAX }; /* elements that symbols stand for */

gal_status gali_rule_fail(gali_rule *rule, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gali_fail(rule->error, GAL_BAD_DATA, "%s: %s", gali_node_place(rule->graph, rule->node), message);
}

const gali_type *gali_rule_operand(const gali_rule *rule, uint32_t i) {
    return i < rule->node->operand_count ? rule->operand[i] : NULL;
}

int gali_rule_ranks_known(const gali_rule *rule) {
    int known = 1;
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        known &= !rule->operand[i] || rule->operand[i]->rank >= 0;
    }
    return known;
}

gal_status gali_rule_integers(gali_rule *rule, uint32_t i) {
    const gali_type *type = gali_rule_operand(rule, i);
    gali_element_kind kind = type ? gali_element_list[type->element].kind : GALI_SIGNED;
    return kind == GALI_SIGNED || kind == GALI_UNSIGNED
               ? GAL_OK
               : gali_rule_fail(rule, "operand %u: integers expected, it is %s", i + 1,
                                gali_element_list[type->element].word);
}

gal_status gali_rule_reals(gali_rule *rule, uint32_t i) {
    const gali_type *type = gali_rule_operand(rule, i);
    return !type || gali_element_list[type->element].kind == GALI_REAL
               ? GAL_OK
               : gali_rule_fail(rule, "operand %u: reals expected, it is %s", i + 1,
                                gali_element_list[type->element].word);
}

gal_status gali_rule_all_given(gali_rule *rule) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < rule->node->operand_count; i++) {
        status = rule->operand[i] ? GAL_OK : gali_rule_fail(rule, "operand %u is not given", i + 1);
    }
    return status;
}

gal_status gali_rule_single(gali_rule *rule, uint32_t i) {
    const gali_type *type = gali_rule_operand(rule, i);
    for (int d = 0; type && d < type->rank; d++) {
        if (gali_extent_is_number(type->shape[d]) && type->shape[d] != 1) {
            return gali_rule_fail(rule, "operand %u: one element expected, its axis %d has %lld", i + 1, d,
                                  (long long)type->shape[d]);
        }
        gali_rule_demand_same(rule, type->shape[d], 1);
    }
    return GAL_OK;
}

gal_status gali_rule_line(gali_rule *rule, uint32_t i, gali_extent count) {
    const gali_type *type = gali_rule_operand(rule, i);
    if (!type || type->rank < 0) {
        return GAL_OK;
    }
    if (type->rank != 1) {
        return gali_rule_fail(rule, "operand %u: a list expected, its rank is %d", i + 1, type->rank);
    }
    gali_extent own = type->shape[0];
    if (gali_extent_is_number(own) && gali_extent_is_number(count) && own != count) {
        return gali_rule_fail(rule, "operand %u: a list of %lld expected, it has %lld", i + 1, (long long)count,
                              (long long)own);
    }
    gali_rule_demand_same(rule, own, count);
    return GAL_OK;
}

gal_status gali_rule_axis(gali_rule *rule, int64_t axis, int rank, int *out) {
    if (axis < -rank || axis >= rank) {
        return gali_rule_fail(rule, "axis %lld of a tensor of rank %d", (long long)axis, rank);
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return GAL_OK;
}

int64_t gali_axes_mask(const int64_t *axes, size_t count, uint32_t rank) {
    int64_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank) {
            return -1;
        }
        mask |= (int64_t)1 << axis;
    }
    return mask;
}

gal_status gali_rule_list(gali_rule *rule, uint32_t i, const char *name, const gali_extent **list,
                          uint32_t *count, int *given) {
    const gali_type *type = gali_rule_operand(rule, i);
    const gali_attribute *attribute = name ? gali_node_attribute(rule->node, name) : NULL;
    *list = NULL;
    *count = 0;
    *given = type || attribute;
    if (type) {
        gal_status status = gali_rule_integers(rule, i);
        if (status != GAL_OK) {
            return status;
        }
        if (type->rank > 1) {
            return gali_rule_fail(rule, "operand %u: a list expected, its rank is %d", i + 1, type->rank);
        }
        gali_extent size = gali_type_count(rule->graph->extents, type);
        if (rule->known[i] && size >= 0 && size <= GALI_GRAPH_KNOWN_MAX) {
            *list = rule->known[i];
            *count = (uint32_t)size;
        }
    } else if (attribute) {
        *list = attribute->ints; /* numbers are extents */
        *count = attribute->count;
    }
    return GAL_OK;
}

static int is_open(const gali_extent *list, gali_extent count) {
    int open = !list;
    for (gali_extent k = 0; !open && k < count; k++) {
        open = list[k] == GALI_EXTENT_UNKNOWN;
    }
    return open;
}

/*
 * The elements of operand i, a symbol for each that is not known (the same each time that the graph is inferred); NULL where
 * it has too many, or it is the truth that asks.
 */
static const gali_extent *tell(const gali_rule *rule, uint32_t i, gali_extent count) {
    const gali_graph *graph = rule->graph;
    gali_value *value = graph->values ? &graph->values[rule->node->operands[i]] : NULL;
    if (!value || value->data || count < 1 || count > TOLD_MAX) {
        return NULL;
    }
    if (value->told && !value->known) {
        value->known = value->told;
        return value->told;
    }
    gali_extent *told = gali_arena_take(graph->arena, (size_t)count * sizeof *told);
    for (gali_extent k = 0; told && k < count; k++) {
        gali_extent known = value->known ? value->known[k] : GALI_EXTENT_UNKNOWN;
        gali_extent symbol = value->told && known == GALI_EXTENT_UNKNOWN ? value->told[k] : known;
        told[k] = symbol != GALI_EXTENT_UNKNOWN
                      ? symbol
                      : gali_extent_fresh(graph->extents, "told", 0, GALI_EXTENT_LARGEST);
    }
    value->told = told ? told : value->told;
    value->known = value->told;
    return value->told;
}

gal_status gali_rule_sizes(gali_rule *rule, uint32_t i, const char *name, const gali_extent **list,
                           uint32_t *count, int *given) {
    gal_status status = gali_rule_list(rule, i, name, list, count, given);
    const gali_type *type = gali_rule_operand(rule, i);
    gali_extent size = type ? gali_type_count(rule->graph->extents, type) : 0;
    size = gali_extent_is_number(size) ? size : 0;
    if (status == GAL_OK && type && is_open(*list, *count)) {
        const gali_extent *told = tell(rule, i, size);
        *list = told ? told : *list;
        *count = *list ? (uint32_t)size : 0;
    }
    return status;
}

gali_extent *gali_rule_knows(gali_rule *rule, uint32_t i, size_t count) {
    gali_extent *known =
        count <= GALI_GRAPH_KNOWN_MAX ? gali_arena_take(rule->graph->arena, (count + 1) * sizeof *known) : NULL;
    rule->result_known[i] = known;
    return known;
}

/* ---- demands ---- */

static void demand(gali_rule *rule, gali_demand made) {
    gali_demand *kept = gali_arena_take(rule->graph->arena, sizeof *kept);
    if (kept) {
        made.next = rule->demands;
        *kept = made;
        rule->demands = kept;
    }
}

/* Demands what is not so anyway, of extents that are known as expressions. */
static void demand_of(gali_rule *rule, gali_demand_kind kind, gali_extent a, gali_extent b) {
    int open =
        a == GALI_EXTENT_UNKNOWN || a == GALI_EXTENT_BAD || b == GALI_EXTENT_UNKNOWN || b == GALI_EXTENT_BAD;
    if (a != b && !open) {
        demand(rule, (gali_demand){.kind = kind, .a = a, .b = b});
    }
}

void gali_rule_demand_same(gali_rule *rule, gali_extent a, gali_extent b) {
    demand_of(rule, GALI_DEMAND_SAME, a, b);
}

void gali_rule_demand_most(gali_rule *rule, gali_extent a, gali_extent b) {
    gali_extents *x = rule->graph->extents;
    int64_t least, most;
    gali_extent_range(x, gali_extent_sub(x, b, a), &least, &most);
    if (least < 0) {
        demand_of(rule, GALI_DEMAND_MOST, a, b);
    }
}

gal_status gali_rule_some(gali_rule *rule, gali_extent extent) {
    if (extent == 0) {
        return gali_rule_fail(rule, "an axis that it reads is empty");
    }
    gali_rule_demand_most(rule, 1, extent);
    return GAL_OK;
}

void gali_rule_demand_rank(gali_rule *rule, uint32_t i, int rank) {
    const gali_type *type = gali_rule_operand(rule, i);
    if (type && type->rank < 0 && rank >= 0) {
        demand(rule, (gali_demand){.kind = GALI_DEMAND_RANK, .operand = i, .a = rank});
    }
}

gal_status gali_rule_same(gali_rule *rule, gali_extent a, gali_extent b, gali_extent *out) {
    int numbers = gali_extent_is_number(a) && gali_extent_is_number(b);
    if (numbers && a != b) {
        return gali_rule_fail(rule, "extents %lld and %lld differ", (long long)a, (long long)b);
    }
    gali_rule_demand_same(rule, a, b);
    *out = gali_extent_is_number(b) || a == GALI_EXTENT_UNKNOWN ? b : a;
    return GAL_OK;
}

gali_extent gali_rule_fresh(gali_rule *rule, uint32_t i, int d, const char *stem, gali_extent bound) {
    const gali_graph *graph = rule->graph;
    uint32_t value = graph->values && i < rule->node->result_count ? rule->node->results[i] : GALI_NONE;
    if (value == GALI_NONE) {
        return GALI_EXTENT_UNKNOWN; /* nobody reads it, or the truth asks, which finds out */
    }
    const gali_type *before = &graph->values[value].type;
    int symbol = before->rank > d ? gali_extent_as_symbol(graph->extents, before->shape[d]) : -1;
    int again = symbol >= 0 &&
                strncmp(gali_extent_symbol_name(graph->extents, (uint32_t)symbol), stem, strlen(stem)) == 0;
    int64_t least, most;
    gali_extent_range(graph->extents, bound, &least, &most);
    gali_extent size =
        again ? before->shape[d] : gali_extent_fresh(graph->extents, stem, 0, most < 0 ? 0 : most);
    symbol = gali_extent_as_symbol(graph->extents, size);
    if (symbol >= 0) {
        gali_extent_set_bound(graph->extents, (uint32_t)symbol, bound);
    }
    return size;
}

/* ---- integers that are moved ---- */

static int is_moved(uint32_t moved, uint32_t i) {
    return (moved >> (i < 31 ? i : 31) & 1) != 0;
}

/* The tensor whose elements are those extents. 0 if the type has no shape of numbers, or too many elements. */
static int tensor_of(const gali_rule *rule, const gali_type *type, gali_tensor *tensor) {
    gali_extent count = gali_type_count(rule->graph->extents, type);
    if (count < 0 || count > GALI_GRAPH_KNOWN_MAX || gali_element_list[type->element].kind == GALI_REAL) {
        return 0;
    }
    *tensor = (gali_tensor){.element = type->element, .rank = (uint32_t)type->rank, .count = (size_t)count};
    memcpy(tensor->shape, type->shape, sizeof type->shape);
    return 1;
}

/* A few elements that are not known; NULL where there are more. */
static const gali_extent *unknown_elements(gali_arena *arena, gali_extent count) {
    gali_extent *list = count <= TOLD_MAX ? gali_arena_take(arena, (TOLD_MAX + 1) * sizeof *list) : NULL;
    for (gali_extent e = 0; list && e < count; e++) {
        list[e] = GALI_EXTENT_UNKNOWN;
    }
    return list;
}

/* Whether operands are as gali_rule_move_known wants them. */
static int operands_as_tensors(const gali_rule *rule, uint32_t moved, gali_tensor *tensors,
                               const gali_tensor **operands, gali_arena *arena) {
    int symbolic = 0;
    for (uint32_t i = 0; i < rule->node->operand_count; i++) {
        if (!rule->operand[i]) {
            continue;
        }
        int one = tensor_of(rule, rule->operand[i], &tensors[i]);
        const gali_extent *known = rule->known[i] ? rule->known[i]
                                   : one          ? unknown_elements(arena, (gali_extent)tensors[i].count)
                                                  : NULL;
        if (!known || !one) {
            return 0;
        }
        for (size_t e = 0; e < tensors[i].count; e++) {
            int number = gali_extent_is_number(known[e]);
            symbolic |= !number;
            if (!number && !is_moved(moved, i)) {
                return 0;
            }
        }
        tensors[i].whole = (int64_t *)(uintptr_t)known; /* truths do not write their operands */
        operands[i] = &tensors[i];
    }
    return symbolic;
}

void gali_rule_move_known(gali_rule *rule, uint32_t moved) {
    const gali_node *node = rule->node;
    gali_arena arena = {0};
    gali_run run = {.graph = rule->graph, .memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK};
    gali_tensor *tensors =
        gali_arena_take(&arena, (node->operand_count + node->result_count + 1) * sizeof *tensors);
    const gali_tensor **operands = gali_arena_take(&arena, (node->operand_count + 1) * sizeof *operands);
    int can = !arena.failed && operands_as_tensors(rule, moved, tensors, operands, &arena);
    gali_tensor *results = tensors + node->operand_count, shape;
    for (uint32_t i = 0; can && i < node->result_count; i++) {
        can = rule->result[i].rank >= 0 && tensor_of(rule, &rule->result[i], &shape) &&
              gali_tensor_make(&run, &results[i], shape.element, shape.rank, shape.shape) == GAL_OK;
    }
    can = can && gali_op_list[node->op].truth(&run, node, operands, results) == GAL_OK;
    for (uint32_t i = 0; can && i < node->result_count; i++) {
        int some = results[i].count == 0;
        for (size_t e = 0; e < results[i].count; e++) {
            some |= results[i].whole[e] != GALI_EXTENT_UNKNOWN;
        }
        gali_extent *known = some ? gali_rule_knows(rule, i, results[i].count) : NULL;
        if (known) {
            memcpy(known, results[i].whole, results[i].count * sizeof *known);
        }
    }
    for (uint32_t i = 0; tensors && i < node->result_count; i++) {
        gali_tensor_release(&run, &results[i]);
    }
    gali_arena_release(&arena);
}

/* ---- broadcasting ---- */

/* The least that an extent may be: of one above 1 nothing is ever repeated. */
static int64_t least_of(const gali_rule *rule, gali_extent a) {
    int64_t least, most;
    gali_extent_range(rule->graph->extents, a, &least, &most);
    return least;
}

gali_extent gali_extent_broadcast(gali_extents *extents, gali_extent a, gali_extent b) {
    if (a == b || b == 1) {
        return a;
    }
    if (a == 1 || gali_extent_is_number(a) || gali_extent_is_number(b)) {
        return a != 1 && gali_extent_is_number(a)
                   ? a
                   : b; /* beside a number above 1 a symbol is that number, or 1 */
    }
    return gali_extent_most(extents, a, b);
}

gal_status gali_rule_broadcast_extents(gali_rule *rule, gali_extent a, gali_extent b, gali_extent *out) {
    if (a != b && a != 1 && b != 1) {
        if (gali_extent_is_number(a) && gali_extent_is_number(b)) {
            return gali_rule_fail(rule, "extents %lld and %lld do not fit", (long long)a, (long long)b);
        }
        int same = least_of(rule, a) > 1 && least_of(rule, b) > 1;
        demand_of(rule, same ? GALI_DEMAND_SAME : GALI_DEMAND_FITS, a, b);
    }
    gali_extents *x = rule->graph->extents;
    *out = gali_extent_broadcast(x, a, b);
    int open = !gali_extent_is_number(a) && !gali_extent_is_number(b) && a != b;
    if (open &&
        (least_of(rule, a) < 1 || least_of(rule, b) < 1)) { /* 0 beside 1 would be 0, not the larger one */
        gali_rule_demand_most(rule, *out, gali_extent_mul(x, a, b));
    }
    return GAL_OK;
}

gal_status gali_rule_broadcast_types(gali_rule *rule, const gali_type *a, const gali_type *b, gali_type *out) {
    gali_type made = {.element = a->element, .rank = a->rank > b->rank ? a->rank : b->rank};
    for (int i = 0; i < made.rank; i++) {
        int at_a = i - (made.rank - a->rank), at_b = i - (made.rank - b->rank);
        gal_status status = gali_rule_broadcast_extents(rule, at_a < 0 ? 1 : a->shape[at_a],
                                                        at_b < 0 ? 1 : b->shape[at_b], &made.shape[i]);
        if (status != GAL_OK) {
            return status;
        }
    }
    *out = made;
    return GAL_OK;
}

gal_status gali_rule_broadcast_to(gali_rule *rule, uint32_t i, const gali_type *to) {
    const gali_type *type = gali_rule_operand(rule, i);
    gal_status status = GAL_OK;
    if (!type || type->rank < 0 || to->rank < 0) {
        return GAL_OK;
    }
    if (type->rank > to->rank) {
        return gali_rule_fail(rule, "operand %u: rank %d, %d is the most", i + 1, type->rank, to->rank);
    }
    for (int d = 0; status == GAL_OK && d < type->rank; d++) {
        gali_extent own = type->shape[d], whole = to->shape[d + to->rank - type->rank], unused;
        if (gali_extent_is_number(own) && own != 1) {
            status = gali_rule_same(rule, own, whole, &unused);
        } else {
            status = gali_rule_broadcast_extents(rule, own, whole, &unused);
            gali_rule_demand_most(rule, own, whole);
        }
    }
    return status;
}

/* ---- inference ---- */

/* Everything that a rule sees of one node. NULL without memory. */
static gali_rule *rule_of(gali_graph *graph, const gali_node *node, gal_error *error) {
    gali_rule *rule = gali_arena_take(graph->arena, sizeof *rule);
    const gali_type **operand = gali_arena_take(graph->arena, (node->operand_count + 1) * sizeof *operand);
    const gali_extent **known = gali_arena_take(graph->arena, (node->operand_count + 1) * sizeof *known);
    const void **constant = gali_arena_take(graph->arena, (node->operand_count + 1) * sizeof *constant);
    const double **real = gali_arena_take(graph->arena, (node->operand_count + 1) * sizeof *real);
    gali_type *result = gali_arena_take(graph->arena, (node->result_count + 1) * sizeof *result);
    const gali_extent **result_known =
        gali_arena_take(graph->arena, (node->result_count + 1) * sizeof *result_known);
    if (!rule || !operand || !known || !constant || !real || !result || !result_known) {
        return NULL;
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        gali_value *value = node->operands[i] == GALI_NONE ? NULL : &graph->values[node->operands[i]];
        operand[i] = value ? &value->type : NULL;
        known[i] = value ? value->known : NULL;
        constant[i] = value ? value->data : NULL;
        real[i] = value ? gali_value_reals(graph, value) : NULL;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        result[i].rank = -1;
    }
    *rule = (gali_rule){graph, node, operand, known, constant, result, result_known, error, real, NULL};
    return rule;
}

static gal_status check_result(gali_rule *rule, uint32_t i) {
    const gali_type *type = &rule->result[i];
    if (type->rank > GALI_RANK_MAX) {
        return gali_rule_fail(rule, "result %u: rank %d, %d is the most", i + 1, type->rank, GALI_RANK_MAX);
    }
    for (int d = 0; d < type->rank; d++) {
        int64_t least, most;
        gali_extent_range(rule->graph->extents, type->shape[d], &least, &most);
        if (type->shape[d] == GALI_EXTENT_BAD || most < 0) {
            return gali_rule_fail(rule, "result %u: extent %d is negative or past 2^60", i + 1, d);
        }
    }
    if (type->rank >= 0 && gali_type_count(rule->graph->extents, type) == GALI_EXTENT_BAD) {
        return gali_rule_fail(rule, "result %u: more than 2^60 elements", i + 1);
    }
    return GAL_OK;
}

/* Extents that the rule leaves open get a symbol each, so that what is made of them can be told. */
static void settle(gali_rule *rule, uint32_t i) {
    gali_type *type = &rule->result[i];
    for (int d = 0; d < type->rank && d < GALI_RANK_MAX; d++) {
        if (type->shape[d] == GALI_EXTENT_UNKNOWN) {
            type->shape[d] = gali_rule_fresh(rule, i, d, "size", GALI_EXTENT_UNKNOWN);
        }
    }
}

gal_status gali_graph_infer_node(gali_graph *graph, uint32_t index, gal_error *error) {
    gali_node *node = &graph->nodes[index];
    gali_rule *rule = rule_of(graph, node, error);
    if (!rule) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for shapes");
    }
    gal_status status = gali_op_list[node->op].rule(rule);
    node->demands = rule->demands;
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        settle(rule, i);
        status = check_result(rule, i);
        if (status == GAL_OK && node->results[i] != GALI_NONE) {
            gali_value *value = &graph->values[node->results[i]];
            value->type = rule->result[i];
            value->known = rule->result_known[i];
            value->reals = NULL;
        }
    }
    if (status == GAL_OK) {
        gali_evaluate_known(graph, node);
    }
    return status == GAL_OK && graph->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for shapes")
                                                    : status;
}

gal_status gali_graph_infer(gali_graph *graph, gal_error *error) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        status = gali_graph_infer_node(graph, i, error);
    }
    return status;
}
