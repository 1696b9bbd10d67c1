/*
 * Operators on single elements as C: the expressions of a group's nodes, inlined into one another, as one expression of
 * the axes c and n, whose loops run over vectors of n. An activation is the kernels' own, so its bits are the runtime's.
 * What the group reads more than once is a stage of its own, one vector long.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/activation.h"
#include "compiler/emit/emission.h"
#include "compiler/loop/print_c.h"
#include "graph/express.h"

enum { NAME_SIZE = 80 };

typedef struct rows {
    gali_emission *e;
    const gali_graph *graph;
    uint32_t group, result;
    gali_arena *arena;
    gali_expression *expression;
    gali_loop_index characters;
    const gali_loop_variable *c, *n;
    uint32_t reads, read[GALI_LOOP_BUFFERS_MAX]; /* the values that are parameters */
    const gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX];
    uint32_t shared[GALI_EXPRESSION_STAGES_MAX]; /* [stages] the value that each stage is */
    gal_status status;
    gal_error *error;
} rows;

static const gali_loop_value *fail(rows *r, const gali_node *node, const char *why) {
    if (r->status == GAL_OK) {
        r->status =
            gali_fail(r->error, GAL_UNSUPPORTED, "%s: as a row: %s", gali_node_place(r->graph, node), why);
    }
    return NULL;
}

/* ---- expressions of the graph as expressions of loops ---- */

/* The parameter that a value is: rows, or a constant list. */
static const gali_loop_buffer *parameter_of(rows *r, const gali_node *node, uint32_t value) {
    const gali_value *v = &r->graph->values[value];
    gali_loop_index extent[] = {r->characters, gali_loop_number(gali_row_width(r->graph, value))};
    for (uint32_t i = 0; i < r->reads; i++) {
        if (r->read[i] == value) {
            return r->buffer[i];
        }
    }
    int list = v->data && v->type.rank == 1, truths = list && v->type.element == GALI_truth;
    if (list) {
        extent[0] = gali_loop_number(v->type.shape[0]);
    }
    if ((v->type.element != GALI_f32 && !truths) || (v->data && !list) || r->reads == GALI_LOOP_BUFFERS_MAX) {
        fail(r, node, "it reads no rows of f32");
        return NULL;
    }
    r->read[r->reads] = value;
    return r->buffer[r->reads++] = gali_expression_buffer(
               r->expression, v->name, list ? GALI_LOOP_CONSTANT : GALI_LOOP_INPUT, list ? 1 : 2, extent);
}

/* An index: an axis, a number, or their sum. */
static int index_of(const rows *r, const gali_scalar *a, gali_loop_index *index) {
    gali_loop_index other;
    if (a->op == GALI_SCALAR_number) {
        *index = gali_loop_number(a->whole);
        return 1;
    }
    if (a->op == GALI_SCALAR_axis) {
        *index = gali_loop_of(a->source == 0 ? r->c : r->n);
        return 1;
    }
    return a->op == GALI_SCALAR_add && index_of(r, a->operand[0], index) &&
           index_of(r, a->operand[1], &other) && gali_loop_index_add(index, &other, 1);
}

static const gali_loop_value *value_of_node(rows *r, uint32_t index);

/* What a node of the group makes, at c and n: inlined, or read from its stage. */
static const gali_loop_value *made(rows *r, uint32_t value) {
    const gali_loop_variable *axes[] = {r->c, r->n};
    for (uint32_t s = 0; s < r->expression->stages; s++) {
        if (r->shared[s] == value) {
            return gali_expression_element(r->expression, &r->expression->stage[s]);
        }
    }
    const gali_loop_value *inlined = value_of_node(r, r->graph->values[value].node);
    if (!inlined || gali_value_uses(r->graph, value) == 1) {
        return inlined;
    }
    if (r->expression->stages == GALI_EXPRESSION_STAGES_MAX - 1) {
        return inlined; /* computed again */
    }
    r->shared[r->expression->stages] = value;
    gali_stage *stage =
        gali_expression_stage(r->expression, r->graph->values[value].name, GALI_LOOP_LOCAL, 2, 0, axes);
    if (!stage) {
        return NULL;
    }
    stage->value = inlined;
    return gali_expression_element(r->expression, stage);
}

static const gali_loop_value *load_of(rows *r, const gali_node *node, const gali_scalar *a) {
    gali_row_place place = gali_row_place_of(r->graph, node->operands[a->source]);
    const gali_value *v = &r->graph->values[place.value];
    gali_loop_index index[2] = {gali_loop_number(0), gali_loop_number(0)};
    if (v->node != GALI_NONE && r->e->c->group_of[v->node] == r->group) {
        return made(r, place.value);
    }
    if (v->data && gali_type_count(r->graph->extents, &v->type) == 1) {
        return gali_loop_constant(r->arena, (float)gali_constant_real(v, 0));
    }
    for (int d = 0; d < v->type.rank && d < 2; d++) {
        if (!index_of(r, a->index[d], &index[d])) {
            return fail(r, node, "an index is no sum of an axis and a number");
        }
    }
    index[v->type.rank - 1].constant += place.first;
    const gali_loop_buffer *buffer = parameter_of(r, node, place.value);
    const gali_loop_value *load = buffer ? gali_expression_load(r->expression, buffer, index) : NULL;
    if (load &&
        v->type.element == GALI_truth) { /* only f32 has vectors: lists of truths are stored as 0 and 1 */
        return gali_loop_apply(r->arena, GALI_VALUE_LESS, gali_loop_constant(r->arena, 0), load, NULL);
    }
    return load;
}

static const gali_loop_value *value_of(rows *r, const gali_node *node, const gali_scalar *a) {
    static const struct {
        gali_scalar_op from;
        gali_loop_op to;
    } ops[] = {{GALI_SCALAR_add, GALI_VALUE_ADD},
               {GALI_SCALAR_sub, GALI_VALUE_SUB},
               {GALI_SCALAR_mul, GALI_VALUE_MUL},
               {GALI_SCALAR_div, GALI_VALUE_DIV},
               {GALI_SCALAR_select, GALI_VALUE_SELECT}};
    if (a->op == GALI_SCALAR_load) {
        return load_of(r, node, a);
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (ops[i].from == a->op) {
            const gali_loop_value *operand[3] = {NULL};
            for (uint32_t k = 0; k < gali_scalar_list[a->op].arity; k++) {
                operand[k] = value_of(r, node, a->operand[k]);
                if (!operand[k]) {
                    return NULL;
                }
            }
            return gali_loop_apply(r->arena, ops[i].to, operand[0], operand[1], operand[2]);
        }
    }
    return fail(r, node, "its expression has other operations than those of rows");
}

/* The node's own expression; of an activation the kernels' function. */
static const gali_loop_value *value_of_node(rows *r, uint32_t index) {
    const gali_node *node = &r->graph->nodes[index];
    gali_express x;
    float slope;
    gali_activation activation = gali_activation_of(node, &slope);
    gal_status status = gali_node_express(r->graph, node, &x, r->error);
    if (status != GAL_OK || r->status != GAL_OK) {
        r->status = r->status == GAL_OK ? status : r->status;
        return NULL;
    }
    if (activation != GALI_ACTIVATION_NONE) {
        const gali_scalar *axes[GALI_RANK_MAX] = {gali_x_axis(&x, 0), gali_x_axis(&x, 1)};
        const gali_scalar *load = axes[0] && axes[1] ? gali_x_load(&x, 0, axes) : NULL;
        const gali_loop_value *a = load ? load_of(r, node, load) : NULL;
        gali_loop_op op = (gali_loop_op)((int)GALI_VALUE_NONE + (int)activation);
        return a ? gali_loop_apply(r->arena, op, a, gali_loop_constant(r->arena, slope), NULL) : NULL;
    }
    int simple = !x.none && x.stage_count == 1 && x.stages[0].rank == 2 && x.stages[0].reduced == 0;
    return simple ? value_of(r, node, x.stages[0].value) : fail(r, node, "it has no expression of elements");
}

/* ---- loops ---- */

static void make_expression(rows *r) {
    const gali_compilation *c = r->e->c;
    const gali_loop_variable *symbol = gali_expression_symbol(r->expression, "characters", c->least, c->most);
    r->characters = gali_loop_of(symbol);
    r->c = gali_expression_axis(r->expression, "c", r->characters);
    r->n = gali_expression_axis(r->expression, "n", gali_loop_number(gali_row_width(r->graph, r->result)));
    const gali_loop_variable *axes[] = {r->c, r->n};
    const gali_loop_value *value = symbol && r->n ? value_of_node(r, r->graph->values[r->result].node) : NULL;
    r->shared[r->expression->stages < GALI_EXPRESSION_STAGES_MAX ? r->expression->stages : 0] = r->result;
    gali_stage *y = value ? gali_expression_stage(r->expression, r->graph->values[r->result].name,
                                                  GALI_LOOP_OUTPUT, 2, 0, axes)
                          : NULL;
    if (y) {
        y->value = value;
    }
    if (!y && r->status == GAL_OK) {
        r->status = gali_fail(r->error, GAL_NO_MEMORY, "no memory for an expression");
    }
}

static void make_schedule(const rows *r, gali_schedule *schedule) {
    gali_schedule_clear(schedule);
    if (r->e->c->target->lanes > 1) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_VECTORIZE, "n", NULL, r->e->c->target->lanes);
    }
    for (uint32_t s = 0; s + 1 < r->expression->stages; s++) {
        gali_schedule_add(schedule, GALI_PRIMITIVE_COMPUTE_AT, r->expression->stage[s].buffer->name, "n", 0);
    }
}

static uint32_t value_named(const rows *r, const char *name) {
    uint32_t i = 0;
    while (i < r->reads && strcmp(r->graph->values[r->read[i]].name, name) != 0) {
        i++;
    }
    return i < r->reads ? r->read[i] : r->result;
}

static void add_call(rows *r, const gali_loop_function *function, const char *name) {
    gali_text *calls = &r->e->calls;
    gali_text_add(calls, "    %s(count", name);
    for (uint32_t i = 0; i < function->parameters; i++) {
        const gali_loop_buffer *buffer = function->buffer[i];
        const gali_value *value = &r->graph->values[value_named(r, buffer->name)];
        if (buffer->role == GALI_LOOP_CONSTANT) {
            gali_text_add(calls, ", weights + %zu", gali_emit_constant(r->e, value));
        } else {
            uint32_t stride = gali_emit_stride(r->graph, (uint32_t)(value - r->graph->values));
            gali_text_add(calls, ", %s, %u", value->name, stride);
        }
    }
    gali_text_add(calls, ");\n");
}

static void add_comment(const rows *r) {
    gali_text *to = &r->e->functions;
    const char *before = ":";
    gali_text_add(to, "/* %s", r->graph->values[r->result].name);
    for (uint32_t i = 0; i < r->graph->node_count; i++) {
        if (r->e->c->group_of[i] == r->group) {
            gali_text_add(to, "%s %s", before, gali_op_list[r->graph->nodes[i].op].name);
            before = ",";
        }
    }
    gali_text_add(to, ". Rows of %u. */\n", gali_row_width(r->graph, r->result));
}

gal_status gali_emit_rows(gali_emission *e, const gali_group *group, gal_error *error) {
    gali_compilation *c = e->c;
    rows r = {.e = e,
              .graph = c->graph,
              .group = (uint32_t)(group - c->groups),
              .result = c->graph->nodes[group->last].results[0],
              .arena = &c->arena,
              .expression = gali_expression_make(&c->arena, "rows"),
              .error = error};
    gali_schedule schedule;
    gali_loop_function *function;
    char name[NAME_SIZE];
    if (!r.expression) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for an expression");
    }
    make_expression(&r);
    if (r.status != GAL_OK) {
        return r.status;
    }
    make_schedule(&r, &schedule);
    gal_status status = gali_schedule_apply(r.expression, &schedule, &c->arena, &function, error);
    if (status != GAL_OK) {
        return status;
    }
    snprintf(name, sizeof name, "gali_rows_%s", c->graph->values[r.result].name);
    add_comment(&r);
    status = gali_loop_print_c(function, name, c->target->lanes, &e->functions, error);
    gali_text_add(&e->functions, "\n");
    add_call(&r, function, name);
    return status;
}
