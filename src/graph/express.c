#include "graph/express.h"

#include <string.h>

#include "base/error.h"
#include "graph/rule.h"
#include "graph/scalar.h"

void gali_express_none(gali_express *x) {
    x->none = 1;
}

/* ---- stages ---- */

static gali_stage_of *stage(gali_express *x, const char *name, int result, const gali_type *type) {
    if (x->stage_count == GALI_STAGES_MAX || type->rank < 0) {
        x->arena->failed = 1;
        return NULL;
    }
    gali_stage_of *made = &x->stages[x->stage_count++];
    *made =
        (gali_stage_of){.name = name, .result = result, .element = type->element, .rank = (uint32_t)type->rank};
    memcpy(made->extent, type->shape, sizeof type->shape);
    return made;
}

gali_stage_of *gali_x_result(gali_express *x, uint32_t result) {
    return stage(x, "y", (int)result, &x->result[result]);
}

int gali_x_wants(const gali_express *x, uint32_t result) {
    return result < x->node->result_count && x->node->results[result] != GALI_NONE;
}

gali_stage_of *gali_x_temporary(gali_express *x, const char *name, gali_element element, uint32_t rank,
                                const gali_extent *shape) {
    gali_type type = {.element = element, .rank = (int)rank};
    for (uint32_t i = 0; i < rank; i++) {
        type.shape[i] = shape[i];
    }
    return stage(x, name, -1, &type);
}

void gali_x_tell(gali_express *x, uint32_t d, const gali_scalar *size) {
    gali_stage_of *made = gali_x_temporary(x, "size", GALI_i64, 0, NULL);
    if (made) {
        made->tells = 1 + d;
        made->value = size;
    }
}

uint32_t gali_x_reduce(gali_stage_of *made, gali_extent extent) {
    uint32_t axis = made->rank + made->reduced++;
    made->extent[axis] = extent;
    return axis;
}

/* ---- leaves ---- */

static gali_scalar *leaf(gali_express *x, gali_scalar_op op, gali_element element) {
    gali_scalar *made = gali_arena_take(x->arena, sizeof *made);
    if (made) {
        made->op = op;
        made->element = element;
    }
    return made;
}

const gali_scalar *gali_x_axis(gali_express *x, uint32_t axis) {
    gali_scalar *made = leaf(x, GALI_SCALAR_axis, GALI_i64);
    if (made) {
        made->source = axis;
    }
    return made;
}

const gali_scalar *gali_x_int(gali_express *x, int64_t number) {
    gali_scalar *made = leaf(x, GALI_SCALAR_number, GALI_i64);
    if (made) {
        made->whole = number;
    }
    return made;
}

const gali_scalar *gali_x_number(gali_express *x, gali_element element, double number) {
    gali_scalar *made = leaf(x, GALI_SCALAR_number, element);
    if (made) {
        made->real = number;
        made->whole = gali_element_list[element].kind == GALI_REAL ? 0 : (int64_t)number;
    }
    return made;
}

const gali_scalar *gali_x_whole(gali_express *x, gali_element element, int64_t number) {
    gali_scalar *made = leaf(x, GALI_SCALAR_number, element);
    if (made) {
        made->whole = number;
    }
    return made;
}

static const gali_scalar *bound(gali_express *x, gali_element element, gali_number number) {
    return gali_element_list[element].kind == GALI_REAL ? gali_x_number(x, element, number.real)
                                                        : gali_x_whole(x, element, number.whole);
}

const gali_scalar *gali_x_largest(gali_express *x, gali_element element) {
    return bound(x, element, gali_element_largest(element));
}

const gali_scalar *gali_x_smallest(gali_express *x, gali_element element) {
    return bound(x, element, gali_element_smallest(element));
}

const gali_scalar *gali_x_extent(gali_express *x, gali_extent extent) {
    if (gali_extent_is_number(extent)) {
        return gali_x_int(x, extent);
    }
    gali_scalar *made = leaf(x, GALI_SCALAR_extent, GALI_i64);
    if (made) {
        made->extent = extent;
    }
    return made;
}

static const gali_scalar *element_at(gali_express *x, gali_scalar_op op, uint32_t source, gali_element element,
                                     uint32_t rank, const gali_scalar *const *index) {
    gali_scalar *made = leaf(x, op, element);
    for (uint32_t i = 0; made && i < rank; i++) {
        if (!index[i]) {
            return NULL;
        }
        made->index[i] = index[i];
    }
    if (made) {
        made->source = source;
    }
    return made;
}

const gali_scalar *gali_x_load(gali_express *x, uint32_t operand, const gali_scalar *const *index) {
    const gali_type *type = x->operand[operand];
    return element_at(x, GALI_SCALAR_load, operand, type->element, (uint32_t)type->rank, index);
}

const gali_scalar *gali_x_stage(gali_express *x, uint32_t number, const gali_scalar *const *index) {
    const gali_stage_of *from = &x->stages[number];
    return element_at(x, GALI_SCALAR_stage, number, from->element, from->rank, index);
}

const gali_scalar *gali_x_read(gali_express *x, const gali_stage_of *stage, const gali_scalar *const *index) {
    return stage ? gali_x_stage(x, (uint32_t)(stage - x->stages), index) : NULL;
}

const gali_scalar *gali_x_self(gali_express *x, gali_element element) {
    return leaf(x, GALI_SCALAR_self, element);
}

/* ---- operators ---- */

static int is_truth(gali_scalar_op op) {
    return strncmp(gali_scalar_list[op].meaning, "truth:", 6) == 0; /* select's first operand is one, too */
}

static const gali_scalar *made_of(gali_express *x, gali_scalar_op op, gali_element element,
                                  const gali_scalar *a, const gali_scalar *b, const gali_scalar *c) {
    uint32_t arity = gali_scalar_list[op].arity;
    if (!a || (arity > 1 && !b) || (arity > 2 && !c)) {
        return NULL;
    }
    gali_scalar *made = leaf(x, op, element);
    if (made) {
        made->operand[0] = a;
        made->operand[1] = arity > 1 ? b : NULL;
        made->operand[2] = arity > 2 ? c : NULL;
    }
    return made;
}

const gali_scalar *gali_x_cast(gali_express *x, gali_element element, const gali_scalar *a) {
    return !a || a->element == element ? a : made_of(x, GALI_SCALAR_cast, element, a, NULL, NULL);
}

static int is_int(const gali_scalar *a) {
    return a->op == GALI_SCALAR_number && a->element == GALI_i64;
}

static int is_the_int(const gali_scalar *a, int64_t number) {
    return is_int(a) && a->whole == number;
}

/* An index without needless arithmetic; NULL where it stays as it is. */
static const gali_scalar *simpler(gali_express *x, gali_scalar_op op, const gali_scalar *a,
                                  const gali_scalar *b) {
    int numbers = is_int(a) && is_int(b);
    int small = numbers && a->whole < INT32_MAX && a->whole > -INT32_MAX && b->whole < INT32_MAX &&
                b->whole > -INT32_MAX;
    if (op == GALI_SCALAR_add) {
        return is_the_int(a, 0) ? b : is_the_int(b, 0) ? a : small ? gali_x_int(x, a->whole + b->whole) : NULL;
    }
    if (op == GALI_SCALAR_sub) {
        return is_the_int(b, 0) ? a : small ? gali_x_int(x, a->whole - b->whole) : NULL;
    }
    if (op == GALI_SCALAR_mul) {
        return is_the_int(a, 1) || is_the_int(b, 0)   ? b
               : is_the_int(b, 1) || is_the_int(a, 0) ? a
               : small                                ? gali_x_int(x, a->whole * b->whole)
                                                      : NULL;
    }
    return op == GALI_SCALAR_quotient && is_the_int(b, 1) ? a
           : op == GALI_SCALAR_mod && is_the_int(b, 1)    ? gali_x_int(x, 0)
                                                          : NULL;
}

const gali_scalar *gali_x_apply(gali_express *x, gali_scalar_op op, const gali_scalar *a, const gali_scalar *b,
                                const gali_scalar *c) {
    if (a && b && a->element == GALI_i64) {
        const gali_scalar *less = simpler(x, op, a, b);
        if (less) {
            return less;
        }
    }
    gali_element element = !a                              ? GALI_f32
                           : is_truth(op)                  ? GALI_truth
                           : op == GALI_SCALAR_select && b ? b->element
                                                           : a->element;
    return made_of(x, op, element, a, b, c);
}

const gali_scalar *gali_x_add(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_add, a, b, NULL);
}

const gali_scalar *gali_x_sub(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_sub, a, b, NULL);
}

const gali_scalar *gali_x_mul(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_mul, a, b, NULL);
}

const gali_scalar *gali_x_div(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_div, a, b, NULL);
}

const gali_scalar *gali_x_least(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_least, a, b, NULL);
}

const gali_scalar *gali_x_most(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_most, a, b, NULL);
}

const gali_scalar *gali_x_equal(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_equal, a, b, NULL);
}

const gali_scalar *gali_x_less(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_less, a, b, NULL);
}

const gali_scalar *gali_x_and(gali_express *x, const gali_scalar *a, const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_and, a, b, NULL);
}

const gali_scalar *gali_x_select(gali_express *x, const gali_scalar *truth, const gali_scalar *a,
                                 const gali_scalar *b) {
    return gali_x_apply(x, GALI_SCALAR_select, truth, a, b);
}

const gali_scalar *gali_x_of(gali_express *x, gali_scalar_op op, const gali_scalar *a) {
    return gali_x_apply(x, op, a, NULL, NULL);
}

void gali_x_axes(gali_express *x, uint32_t count, const gali_scalar **index) {
    for (uint32_t i = 0; i < count; i++) {
        index[i] = gali_x_axis(x, i);
    }
}

const gali_scalar *gali_x_repeated(gali_express *x, const gali_scalar *axis, gali_extent own,
                                   gali_extent whole) {
    return own == 1 ? gali_x_int(x, 0)
           : own == whole || gali_extent_is_number(own)
               ? axis
               : gali_x_least(x, axis, gali_x_sub(x, gali_x_extent(x, own), gali_x_int(x, 1)));
}

const gali_scalar *gali_x_broadcast(gali_express *x, uint32_t operand, uint32_t rank) {
    const gali_type *type = x->operand[operand];
    const gali_scalar *index[GALI_RANK_MAX];
    uint32_t missing = rank - (uint32_t)type->rank;
    for (uint32_t i = 0; i < (uint32_t)type->rank; i++) {
        index[i] =
            gali_x_repeated(x, gali_x_axis(x, missing + i), type->shape[i], x->result[0].shape[missing + i]);
    }
    return gali_x_load(x, operand, index);
}

/* ---- reductions ---- */

gali_stage_of *gali_x_over(gali_express *x, const char *name, gali_element element, const gali_type *type,
                           uint32_t mask, const gali_scalar **index) {
    gali_extent shape[GALI_RANK_MAX];
    for (int i = 0; i < type->rank; i++) {
        shape[i] = mask >> i & 1 ? 1 : type->shape[i];
    }
    gali_stage_of *made = gali_x_temporary(x, name, element, (uint32_t)type->rank, shape);
    for (int i = 0; made && i < type->rank; i++) {
        index[i] = gali_x_axis(x, mask >> i & 1 ? gali_x_reduce(made, type->shape[i]) : (uint32_t)i);
    }
    return made;
}

const gali_scalar *gali_x_read_over(gali_express *x, const gali_stage_of *made, uint32_t mask,
                                    const gali_scalar *const *index) {
    const gali_scalar *own[GALI_RANK_MAX];
    for (uint32_t i = 0; made && i < made->rank; i++) {
        own[i] = mask >> i & 1 ? gali_x_int(x, 0) : index[i];
    }
    return gali_x_read(x, made, own);
}

void gali_x_fold(gali_express *x, gali_stage_of *made, gali_scalar_op op, const gali_scalar *start,
                 const gali_scalar *term) {
    if (made && made->reduced) {
        made->start = start;
        made->value = gali_x_apply(x, op, gali_x_self(x, made->element), term, NULL);
    } else if (made) {
        made->value = term;
    }
}

const gali_scalar *gali_x_accumulate(gali_express *x, const gali_stage_of *made, const gali_scalar *a,
                                     const gali_scalar *b) {
    const gali_scalar *self = gali_x_self(x, made->element);
    return gali_element_list[made->element].kind == GALI_REAL ? gali_x_apply(x, GALI_SCALAR_fma, a, b, self)
                                                              : gali_x_add(x, self, gali_x_mul(x, a, b));
}

void gali_x_sum(gali_express *x, gali_stage_of *made, const gali_scalar *term) {
    if (made) {
        gali_x_fold(x, made, GALI_SCALAR_add, gali_x_number(x, made->element, 0), term);
    }
}

const gali_scalar *gali_x_count(gali_express *x, gali_element element, const gali_type *type, uint32_t mask) {
    gali_extent count = 1;
    for (int i = 0; i < type->rank; i++) {
        count = mask >> i & 1 ? gali_extent_mul(x->extents, count, type->shape[i]) : count;
    }
    return gali_extent_is_number(count) ? gali_x_number(x, element, (double)count)
                                        : gali_x_cast(x, element, gali_x_extent(x, count));
}

const gali_scalar *gali_x_within(gali_express *x, const gali_scalar *a, const gali_scalar *low,
                                 const gali_scalar *high) {
    return gali_x_apply(x, GALI_SCALAR_and, gali_x_apply(x, GALI_SCALAR_less_equal, low, a, NULL),
                        gali_x_apply(x, GALI_SCALAR_less, a, high, NULL), NULL);
}

/* ---- a node ---- */

gal_status gali_node_express(const gali_graph *graph, const gali_node *node, gali_express *x,
                             gal_error *error) {
    gali_arena *arena = graph->arena;
    const gali_type **operand = gali_arena_take(arena, (node->operand_count + 1) * sizeof *operand);
    const gali_extent **known = gali_arena_take(arena, (node->operand_count + 1) * sizeof *known);
    const double **real = gali_arena_take(arena, (node->operand_count + 1) * sizeof *real);
    gali_type *result = gali_arena_take(arena, (node->result_count + 1) * sizeof *result);
    *x = (gali_express){.arena = arena, .extents = graph->extents, .node = node};
    int ranks = 1;
    for (uint32_t i = 0; !arena->failed && i < node->operand_count; i++) {
        gali_value *value = node->operands[i] == GALI_NONE ? NULL : &graph->values[node->operands[i]];
        operand[i] = value ? &value->type : NULL;
        known[i] = value ? value->known : NULL;
        real[i] = value ? gali_value_reals(graph, value) : NULL;
        ranks &= !value || value->type.rank >= 0;
    }
    for (uint32_t i = 0; !arena->failed && i < node->result_count; i++) {
        result[i] =
            node->results[i] == GALI_NONE ? (gali_type){.rank = -1} : graph->values[node->results[i]].type;
        ranks &= node->results[i] == GALI_NONE || result[i].rank >= 0;
    }
    x->operand = operand;
    x->known = known;
    x->real = real;
    x->result = result;
    x->none = !ranks;
    if (!arena->failed && ranks) {
        gali_op_list[node->op].express(x);
    }
    return arena->failed
               ? gali_fail(error, GAL_NO_MEMORY, "%s: no memory, or too many stages, for its expression",
                           gali_node_place(graph, node))
               : GAL_OK;
}
