#include "compiler/schedule/layers.h"

#include <string.h>

#include "base/error.h"

/* What the makers below share. */
typedef struct maker {
    gali_arena *arena;
    gali_expression *expression;
    gali_loop_index characters;
    const gali_loop_variable *c, *e, *s, *k, *n;
    const gali_loop_buffer *weights, *x, *blend;
} maker;

const char *gali_dense_slot(const gali_dense *dense) {
    return dense->sparse ? "s" : "e";
}

int gali_dense_same(const gali_dense *a, const gali_dense *b) {
    return a->experts == b->experts && a->slots == b->slots && a->inputs == b->inputs &&
           a->outputs == b->outputs && a->form == b->form && a->activation == b->activation &&
           memcmp(&a->slope, &b->slope, sizeof a->slope) == 0 && a->sparse == b->sparse &&
           a->padded == b->padded;
}

int gali_dense_is_rowwise(const gali_dense *dense) {
    return dense->sparse && dense->form == GAL_FORM_PER_EXPERT;
}

static const gali_loop_value *number(const maker *m, float value) {
    return gali_loop_constant(m->arena, value);
}

static const gali_loop_value *at2(const maker *m, const gali_loop_buffer *buffer, const gali_loop_variable *i,
                                  const gali_loop_variable *j) {
    gali_loop_index index[] = {gali_loop_of(i), gali_loop_of(j)};
    return gali_expression_load(m->expression, buffer, index);
}

/* Row k + 1 of an expert's weights, or its biases where k is NULL. */
static const gali_loop_value *weight_at(const maker *m, const gali_loop_variable *k) {
    gali_loop_index row = k ? gali_loop_of(k) : gali_loop_number(0);
    row.constant = k ? 1 : 0;
    gali_loop_index index[] = {m->e ? gali_loop_of(m->e) : gali_loop_number(0), row, gali_loop_of(m->n)};
    return gali_expression_load(m->expression, m->weights, index);
}

static const gali_loop_value *activated(const maker *m, gali_activation activation, float slope,
                                        const gali_loop_value *value) {
    gali_loop_op op = (gali_loop_op)((int)GALI_VALUE_NONE + (int)activation);
    return activation == GALI_ACTIVATION_NONE ? value
                                              : gali_loop_apply(m->arena, op, value, number(m, slope), NULL);
}

/* name[axes] = 0, over the last one: fma(a, b, name). */
static gali_stage *add_sum(maker *m, const char *name, uint32_t axes, const gali_loop_variable *const *axis) {
    gali_stage *stage = gali_expression_stage(m->expression, name, GALI_LOOP_LOCAL, axes, 1, axis);
    stage->start = number(m, 0);
    return stage;
}

static void set_fma(const maker *m, gali_stage *stage, const gali_loop_value *a, const gali_loop_value *b) {
    stage->value =
        gali_loop_apply(m->arena, GALI_VALUE_FMA, a, b, gali_expression_element(m->expression, stage));
}

static const gali_loop_value *per_expert(maker *m) {
    const gali_loop_variable *slot = m->s ? m->s : m->e;
    const gali_loop_variable *sum_axes[] = {m->c, slot, m->n, m->k}, *plain_axes[] = {m->c, m->n, m->k};
    gali_stage *sum = slot ? add_sum(m, "sum", 3, sum_axes) : add_sum(m, "sum", 2, plain_axes);
    set_fma(m, sum, at2(m, m->x, m->c, m->k), weight_at(m, m->k));
    const gali_loop_value *done = gali_loop_apply(
        m->arena, GALI_VALUE_ADD, gali_expression_element(m->expression, sum), weight_at(m, NULL), NULL);
    if (!slot) { /* as blended with 1: a sum of -0 becomes +0 */
        return gali_loop_apply(m->arena, GALI_VALUE_ADD, done, number(m, 0), NULL);
    }
    const gali_loop_variable *total_axes[] = {m->c, m->n, slot};
    gali_stage *total = add_sum(m, "total", 2, total_axes);
    set_fma(m, total, at2(m, m->blend, m->c, slot), done);
    return gali_expression_element(m->expression, total);
}

static const gali_loop_value *blend_first(maker *m) {
    const gali_loop_variable *slot = m->s ? m->s : m->e;
    const gali_loop_variable *bias_axes[] = {m->c, m->n, slot}, *weight_axes[] = {m->c, m->k, m->n, slot};
    const gali_loop_variable *total_axes[] = {m->c, m->n, m->k};
    gali_stage *bias = add_sum(m, "bias", 2, bias_axes);
    set_fma(m, bias, at2(m, m->blend, m->c, slot), weight_at(m, NULL));
    gali_stage *weight = add_sum(m, "weight", 3, weight_axes);
    set_fma(m, weight, at2(m, m->blend, m->c, slot), weight_at(m, m->k));
    gali_stage *total = add_sum(m, "total", 2, total_axes);
    set_fma(m, total, gali_expression_element(m->expression, weight), at2(m, m->x, m->c, m->k));
    return gali_loop_apply(m->arena, GALI_VALUE_ADD, gali_expression_element(m->expression, total),
                           gali_expression_element(m->expression, bias), NULL);
}

/* The symbol, and the axis of characters: a number where there is only one. */
static void add_characters(maker *m, uint32_t least, uint32_t most) {
    const gali_loop_variable *symbol = gali_expression_symbol(m->expression, "characters", least, most);
    m->characters = gali_loop_of(symbol);
    m->c = gali_expression_axis(m->expression, "c", least == most ? gali_loop_number(least) : m->characters);
}

static const gali_loop_buffer *add_rows(maker *m, const char *name, gali_loop_role role, uint32_t width) {
    gali_loop_index extent[] = {m->characters, gali_loop_number(width)};
    return gali_expression_buffer(m->expression, name, role, 2, extent);
}

/* e, or s and e looked up in the slots; neither with a single expert. */
static void add_experts(maker *m, const gali_dense *dense) {
    if (dense->experts == 1) {
        return;
    }
    m->blend = add_rows(m, "blend", GALI_LOOP_INPUT, dense->slots);
    if (!dense->sparse) {
        m->e = gali_expression_axis(m->expression, "e", gali_loop_number(dense->experts));
        return;
    }
    const gali_loop_buffer *expert = add_rows(m, "expert", GALI_LOOP_INPUT, dense->slots);
    m->s = gali_expression_axis(m->expression, "s", gali_loop_number(dense->slots));
    m->e = gali_expression_axis(m->expression, "e", gali_loop_number(dense->experts));
    gali_loop_access *lookup = gali_arena_take(m->arena, sizeof *lookup);
    if (lookup && expert) {
        m->expression->names->buffer[expert->id]->element = GALI_u32;
        *lookup =
            (gali_loop_access){.buffer = expert, .lanes = 1, .index = {gali_loop_of(m->c), gali_loop_of(m->s)}};
    }
    m->expression->axis[m->expression->axes - 1].lookup = lookup;
}

static gal_status check_range(uint32_t least, uint32_t most, gal_error *error) {
    return least >= 1 && least <= most && most <= GALI_DENSE_CHARACTERS_MAX
               ? GAL_OK
               : gali_fail(error, GAL_BAD_ARGUMENT, "characters %u..%u: 1 to %d allowed", least, most,
                           GALI_DENSE_CHARACTERS_MAX);
}

static gal_status check_dense(const gali_dense *d, gal_error *error) {
    int shape = d->experts >= 1 && d->inputs >= 1 && d->outputs >= 1 && d->experts < GALI_LOOP_EXTENT_MAX &&
                d->inputs < GALI_LOOP_EXTENT_MAX && d->outputs < GALI_LOOP_EXTENT_MAX - 16 && d->slots >= 1 &&
                d->slots <= d->experts && (d->sparse || d->slots == d->experts);
    int activation = d->activation >= GALI_ACTIVATION_NONE && d->activation < GALI_ACTIVATION_SOFTMAX;
    int form = activation && (d->form == GAL_FORM_PER_EXPERT || d->experts > 1);
    if (!shape || !form) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "dense layer %u -> %u, %u of %u experts: no such layer",
                         d->inputs, d->outputs, d->slots, d->experts);
    }
    return check_range(d->least, d->most, error);
}

static gal_status finish(const maker *m, gali_expression **out, gal_error *error) {
    *out = m->expression;
    return m->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for an expression") : GAL_OK;
}

gal_status gali_dense_expression(const gali_dense *dense, gali_arena *arena, gali_expression **out,
                                 gal_error *error) {
    maker m = {.arena = arena};
    gal_status status = check_dense(dense, error);
    if (status != GAL_OK) {
        return status;
    }
    m.expression = gali_expression_make(arena, dense->form == GAL_FORM_BLEND ? "blend" : "dense");
    if (!m.expression) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for an expression");
    }
    gali_loop_index shape[] = {gali_loop_number(dense->experts), gali_loop_number(1 + dense->inputs),
                               gali_loop_number(dense->outputs)};
    add_characters(&m, dense->least, dense->most);
    m.weights = gali_expression_buffer(m.expression, "weights", GALI_LOOP_CONSTANT, 3, shape);
    m.x = add_rows(&m, "x", GALI_LOOP_INPUT, dense->inputs);
    add_experts(&m, dense);
    m.k = gali_expression_axis(m.expression, "k", gali_loop_number(dense->inputs));
    m.n = gali_expression_axis(m.expression, "n", gali_loop_number(dense->outputs));
    if (arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for an expression");
    }
    const gali_loop_value *total = dense->form == GAL_FORM_BLEND ? blend_first(&m) : per_expert(&m);
    const gali_loop_variable *axes[] = {m.c, m.n};
    gali_stage *y = gali_expression_stage(m.expression, "y", GALI_LOOP_OUTPUT, 2, 0, axes);
    y->value = activated(&m, dense->activation, dense->slope, total);
    if (arena->failed) {
        return finish(&m, out, error);
    }
    gali_loop_buffer *rows = m.expression->names->buffer[y->buffer->id];
    rows->extent[0] = m.characters;
    rows->extent[1].constant = dense->padded ? (dense->outputs + 15) / 16 * 16 : dense->outputs;
    return finish(&m, out, error);
}
