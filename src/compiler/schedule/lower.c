/*
 * Each stage becomes a nest: the loops of its axes that are not open yet, in the order of the leaves. Up to the first
 * loop that it sums over, start and sum share their loops; from there on the start has a nest of its own before. A stage
 * placed inside a loop is put first thing in that loop's body, with a local that holds what is left of its axes there:
 *
 *     for n.o { for c.o { total: for e { sum: start; for k { .. } }  update of total }  y }
 *
 * Integers that are no loop variables (schedule/axes.h) are defined as soon as what they depend on is.
 */
#include "compiler/schedule/lower.h"

#include <stdio.h>
#include <string.h>

#include "compiler/loop/uses.h"

typedef gali_loop_statement **tail;

typedef struct nest {
    const gali_stage *stage;
    uint32_t number;                    /* of the stage */
    uint32_t leaf[GALI_AXIS_NODES_MAX]; /* its loops here, outermost first */
    uint32_t leaves, shared;            /* the first of them, which its start is inside of */
    uint32_t lanes;                     /* of its statements */
} nest;

typedef struct maker {
    gali_lowering *l;
    gali_axes *axes;
    gali_arena *arena;
    unsigned char defined[GALI_LOOP_VARIABLES_MAX];
    unsigned char done[GALI_EXPRESSION_STAGES_MAX];
    /* A local's dimensions are these leaves, then the lanes. */
    uint32_t dimension[GALI_EXPRESSION_STAGES_MAX][GALI_LOOP_RANK_MAX], dimensions[GALI_EXPRESSION_STAGES_MAX];
} maker;

static int refuse(maker *m, uint32_t entry, const char *why) {
    if (!m->l->why) {
        m->l->why = why;
        m->l->entry = entry;
    }
    return 0;
}

static uint32_t stage_of(const maker *m, const gali_loop_buffer *buffer) {
    for (uint32_t s = 0; s < m->l->expression->stages; s++) {
        if (m->l->expression->stage[s].buffer == buffer) {
            return s;
        }
    }
    return GALI_NO_AXIS;
}

static int reads(const maker *m, const gali_loop_value *value, uint32_t stage) {
    if (value->op == GALI_VALUE_LOAD) {
        uint32_t from = stage_of(m, value->load.buffer);
        int inlined = from != GALI_NO_AXIS && m->l->place[from].inlined;
        return from == stage || (inlined && reads(m, m->l->expression->stage[from].value, stage));
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        if (reads(m, value->operand[i], stage)) {
            return 1;
        }
    }
    return 0;
}

/* The first stage that reads a stage, inlined ones apart; GALI_NO_AXIS if none does. */
static uint32_t consumer_of(const maker *m, uint32_t stage) {
    for (uint32_t s = stage + 1; s < m->l->expression->stages; s++) {
        if (!m->l->place[s].inlined && reads(m, m->l->expression->stage[s].value, stage)) {
            return s;
        }
    }
    return GALI_NO_AXIS;
}

/* Whether stage is placed in a nest that the host's nest is around. */
static int is_inside(const maker *m, uint32_t stage, uint32_t host) {
    uint32_t at = consumer_of(m, stage);
    while (at != GALI_NO_AXIS && at != host && m->l->place[at].at != GALI_NO_AXIS) {
        at = consumer_of(m, at);
    }
    return at == host;
}

/* ---- integers ---- */

static int is_defined(const maker *m, const gali_loop_index *index) {
    for (uint32_t i = 0; i < index->count; i++) {
        if (!m->defined[index->term[i].variable->id]) {
            return 0;
        }
    }
    return 1;
}

static tail add(tail to, gali_loop_statement *statement) {
    *to = statement;
    return statement ? &statement->next : to;
}

/* Appends variable = let(a, b, c) if it can be and is not yet. */
static tail define(maker *m, tail to, gali_loop_variable *variable, gali_loop_let let, const gali_loop_index *a,
                   const gali_loop_index *b, const gali_loop_index *c) {
    gali_loop_index none = gali_loop_number(0);
    c = c ? c : &none;
    if (!variable || m->defined[variable->id] || !is_defined(m, a) || !is_defined(m, b) || !is_defined(m, c)) {
        return to;
    }
    gali_loop_statement *statement = gali_loop_add_statement(m->arena, GALI_LOOP_LET);
    if (!statement) {
        return to;
    }
    statement->variable = variable;
    statement->let = let;
    statement->operand[0] = *a;
    statement->operand[1] = *b;
    statement->operand[2] = *c;
    statement->cases = let == GALI_LOOP_SIZE;
    m->defined[variable->id] = 1;
    return add(to, statement);
}

static tail define_split(maker *m, tail to, const gali_axis_node *node) {
    const gali_axis_node *outer = &m->axes->node[node->outer];
    gali_loop_index factor = gali_loop_number(node->factor), at;
    if (!node->first || !gali_axes_position(m->axes, node->outer, &at)) {
        return to;
    }
    to = define(m, to, node->count, GALI_LOOP_ROUNDS, &node->extent, &factor, NULL);
    to = define(m, to, node->first, GALI_LOOP_FIRST, &node->extent, &outer->extent, &at);
    return define(m, to, node->size, GALI_LOOP_SIZE, &node->extent, &outer->extent, &at);
}

static tail define_fused(maker *m, tail to, const gali_axis_node *node) {
    const gali_axis_node *inner = node;
    for (uint32_t i = 0; i < m->axes->nodes; i++) {
        const gali_axis_node *other = &m->axes->node[i];
        inner =
            other->state == GALI_AXIS_FUSED && other->inner == node->inner && other->remainder ? other : inner;
    }
    gali_loop_index at;
    if (!gali_axes_position(m->axes, node->inner, &at)) {
        return to;
    }
    return define(m, to, node->variable, node->remainder ? GALI_LOOP_REMAINDER : GALI_LOOP_QUOTIENT, &at,
                  &inner->extent, NULL);
}

static tail define_lookup(maker *m, tail to, uint32_t root) {
    const gali_loop_access *lookup = m->l->expression->axis[root].lookup;
    gali_loop_variable *variable = m->axes->node[root].variable;
    gali_loop_access access = {.buffer = m->l->buffer[lookup->buffer->id], .lanes = 1};
    for (uint32_t d = 0; d < lookup->buffer->rank; d++) {
        if (!gali_axes_translate(m->axes, &lookup->index[d], &access.index[d]) ||
            !is_defined(m, &access.index[d])) {
            return to;
        }
    }
    gali_loop_statement *statement =
        m->defined[variable->id] ? NULL : gali_loop_add_statement(m->arena, GALI_LOOP_LET);
    if (!statement) {
        return to;
    }
    statement->variable = variable;
    statement->let = GALI_LOOP_LOOKUP;
    statement->lookup = access;
    variable->most = m->axes->node[root].most - 1;
    m->defined[variable->id] = 1;
    return add(to, statement);
}

/* Appends every let that has become possible. */
static tail define_all(maker *m, tail to) {
    tail before;
    do {
        before = to;
        for (uint32_t i = 0; i < m->axes->nodes; i++) {
            const gali_axis_node *node = &m->axes->node[i];
            if (node->state == GALI_AXIS_SPLIT) {
                to = define_split(m, to, node);
            } else if (node->state == GALI_AXIS_FUSED) {
                to = define_fused(m, to, node);
            } else if (i < m->l->expression->axes && m->l->expression->axis[i].lookup) {
                to = define_lookup(m, to, i);
            }
        }
    } while (to != before && !m->arena->failed);
    return to;
}

/* ---- values ---- */

static const gali_loop_value *translate(maker *m, const gali_loop_value *value);

/* The element of a stage's local at the leaves that are open. */
static gali_loop_access local_access(const maker *m, uint32_t stage) {
    const gali_stage *s = &m->l->expression->stage[stage];
    gali_loop_access access = {.buffer = m->l->buffer[s->buffer->id], .lanes = 1};
    for (uint32_t d = 0; d < m->dimensions[stage]; d++) {
        gali_axes_position(m->axes, m->dimension[stage][d], &access.index[d]);
    }
    access.lanes = access.buffer->rank > m->dimensions[stage] ? m->axes->lanes : 1;
    return access;
}

/* An access of a parameter that is not packed; lanes where its last index counts along the vectors. */
static int plain_access(maker *m, const gali_loop_access *from, gali_loop_access *access) {
    const gali_loop_variable *vector =
        m->axes->vector == GALI_NO_AXIS ? NULL : m->l->expression->axis[m->axes->vector].variable;
    for (uint32_t d = 0; d < from->buffer->rank; d++) {
        if (!gali_axes_translate(m->axes, &from->index[d], &access->index[d])) {
            return refuse(m, 0, "an index becomes too long");
        }
        if (vector && gali_loop_index_uses(&from->index[d], vector)) {
            access->lanes = m->axes->lanes;
            if (d + 1 < from->buffer->rank || gali_loop_index_scale(&from->index[d], vector) != 1) {
                return refuse(m, 0, "vectors along an axis that is not contiguous in memory: pack it");
            }
        }
    }
    return 1;
}

static int parameter_access(maker *m, const gali_loop_access *from, gali_loop_access *access) {
    gali_loop_buffer *buffer = m->l->buffer[from->buffer->id];
    *access = (gali_loop_access){.buffer = buffer, .lanes = 1, .tested = from->tested};
    if (buffer->packed_rank) {
        return gali_layout_access(m->axes, from, &m->l->layout[from->buffer->id], access) ||
               refuse(m, 0, "an index becomes too long");
    }
    return plain_access(m, from, access);
}

static const gali_loop_value *translate_load(maker *m, const gali_loop_value *value) {
    uint32_t stage = stage_of(m, value->load.buffer);
    if (stage != GALI_NO_AXIS && m->l->place[stage].inlined) {
        return translate(m, m->l->expression->stage[stage].value);
    }
    gali_loop_access access;
    const gali_loop_value *otherwise = NULL;
    if (stage != GALI_NO_AXIS && value->load.buffer->role == GALI_LOOP_LOCAL) {
        access = local_access(m, stage);
    } else if (!parameter_access(m, &value->load, &access)) {
        return NULL;
    }
    if (value->operand[0] && !(otherwise = translate(m, value->operand[0]))) {
        return NULL;
    }
    return gali_loop_load(m->arena, &access, otherwise);
}

static const gali_loop_value *translate(maker *m, const gali_loop_value *value) {
    if (value->op == GALI_VALUE_LOAD) {
        return translate_load(m, value);
    }
    gali_loop_value *copy = gali_arena_take(m->arena, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *value;
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        copy->operand[i] = translate(m, value->operand[i]);
        if (!copy->operand[i]) {
            return NULL;
        }
    }
    if (value->op == GALI_VALUE_AT && !gali_axes_translate(m->axes, &value->at, &copy->at)) {
        refuse(m, 0, "an index becomes too long");
        return NULL;
    }
    return copy;
}

/* ---- loops ---- */

static int make_nest(maker *m, tail *to, uint32_t stage);

/* The stages that are placed in this leaf's loop, in the nest of the host. */
static int make_placed(maker *m, tail *to, uint32_t leaf, uint32_t host) {
    for (uint32_t s = 0; s < host; s++) {
        int here = m->l->place[s].at == leaf && !m->l->place[s].inlined && !m->done[s];
        if (here && is_inside(m, s, host) && !make_nest(m, to, s)) {
            return 0;
        }
    }
    return 1;
}

/* Opens a leaf's loop; *body is where its body goes on. */
static int open_loop(maker *m, tail *to, uint32_t leaf, tail *body) {
    gali_axis_node *node = &m->axes->node[leaf];
    node->open = 1;
    m->defined[node->variable->id] = 1;
    if (node->least == 1 && node->most == 1) {
        *body = *to;
        return 1;
    }
    gali_loop_statement *loop = gali_loop_add_statement(m->arena, GALI_LOOP_FOR);
    if (!loop) {
        return refuse(m, 0, "no memory");
    }
    if (!is_defined(m, &node->extent)) {
        return refuse(m, 0, "a loop stands outside of the one that says how long it is");
    }
    loop->variable = node->variable;
    loop->extent = node->extent;
    loop->mark = node->mark;
    loop->factor = node->turns;
    *to = add(*to, loop);
    *body = &loop->body;
    return 1;
}

static int make_store(maker *m, tail *to, const nest *n, const gali_loop_value *from) {
    gali_loop_statement *store = gali_loop_add_statement(m->arena, GALI_LOOP_STORE);
    const gali_loop_value *element = gali_expression_element((gali_expression *)m->l->expression, n->stage);
    if (!store || !element) {
        return refuse(m, 0, "no memory");
    }
    if (n->stage->buffer->role == GALI_LOOP_LOCAL) {
        store->to = local_access(m, n->number);
    } else if (!parameter_access(m, &element->load, &store->to)) {
        return 0;
    }
    store->value = translate(m, from);
    *to = add(*to, store);
    return store->value != NULL;
}

typedef enum part { SHARED, START, UPDATE } part;

static int make_loops(maker *m, tail *to, const nest *n, uint32_t at, part what);

/* What stands inside of all loops of a part. */
static int make_body(maker *m, tail *to, const nest *n, part what) {
    if (what == START) {
        return make_store(m, to, n, n->stage->start);
    }
    if (what == UPDATE || !n->stage->reduced) {
        return make_store(m, to, n, n->stage->value);
    }
    return make_loops(m, to, n, n->shared, START) && make_loops(m, to, n, n->shared, UPDATE);
}

static int is_reduced(const maker *m, const nest *n, uint32_t leaf) {
    for (uint32_t i = 0; i < n->stage->reduced; i++) {
        if (m->axes->node[leaf].roots >> gali_axes_root(m->axes, n->stage->reduce[i]) & 1) {
            return 1;
        }
    }
    return 0;
}

/* The loops of a nest from the at-th on: those shared by start and sum, or the rest for either. */
static int make_loops(maker *m, tail *to, const nest *n, uint32_t at, part what) {
    while (what == START && at < n->leaves && is_reduced(m, n, n->leaf[at])) {
        at++;
    }
    if (at == (what == SHARED ? n->shared : n->leaves)) {
        return make_body(m, to, n, what);
    }
    unsigned char defined[GALI_LOOP_VARIABLES_MAX];
    memcpy(defined, m->defined, sizeof defined);
    tail body;
    if (!open_loop(m, to, n->leaf[at], &body)) {
        return 0;
    }
    int same = body == *to; /* a loop of one turn is none */
    body = define_all(m, body);
    int good = (what == START || make_placed(m, &body, n->leaf[at], n->number)) &&
               make_loops(m, &body, n, at + 1, what);
    if (same) {
        *to = body;
    } else {
        memcpy(m->defined, defined, sizeof defined);
    }
    m->axes->node[n->leaf[at]].open = 0;
    return good;
}

/* ---- inner kernels ---- */

/* The loops of what a call computes. */
typedef struct walked {
    gali_axis_node *k, *rows, *vectors, *experts; /* experts: NULL for the one that is open */
} walked;

static int is_tile_sum(const nest *n) {
    const gali_loop_value *v = n->stage->value;
    return n->stage->start && n->stage->start->op == GALI_VALUE_CONSTANT && n->stage->start->real == 0 &&
           v->op == GALI_VALUE_FMA && v->operand[0]->op == GALI_VALUE_LOAD &&
           v->operand[1]->op == GALI_VALUE_LOAD && v->operand[0]->load.buffer->role == GALI_LOOP_INPUT &&
           v->operand[1]->load.buffer->role == GALI_LOOP_CONSTANT && v->operand[2]->op == GALI_VALUE_LOAD &&
           v->operand[2]->load.buffer == n->stage->buffer;
}

/* The axis of index i of an operand of the sum. */
static const gali_loop_variable *operand_axis(const nest *n, uint32_t operand, uint32_t i) {
    const gali_loop_index *index = &n->stage->value->operand[operand]->load.index[i];
    return index->count ? index->term[0].variable : NULL;
}

/* What is left of a stage that a call is to compute; 0 if that is not as the kernel has it. */
static int find_walked(const maker *m, const nest *n, walked *w) {
    const uint32_t *d = m->dimension[n->number], dimensions = m->dimensions[n->number];
    if (n->lanes == 1 || n->stage->reduced != 1 || n->leaves != dimensions + 1 || !is_tile_sum(n) ||
        (dimensions != 2 && dimensions != 3)) {
        return 0;
    }
    uint32_t first = dimensions - 2, rows = gali_axes_root(m->axes, operand_axis(n, 0, 0)),
             experts = gali_axes_root(m->axes, operand_axis(n, 1, 0));
    w->k = &m->axes->node[gali_axes_root(m->axes, n->stage->reduce[0])];
    w->rows = &m->axes->node[d[first]];
    w->vectors = &m->axes->node[d[first + 1]];
    w->experts = first ? &m->axes->node[d[0]] : NULL;
    return w->k->state == GALI_AXIS_LEAF && !w->k->open && w->vectors->roots == 1u << m->axes->vector &&
           w->rows->roots == 1u << rows && w->rows->most <= GALI_TILE_ROWS_MAX &&
           w->vectors->most <= GALI_PANEL_VECTORS_MAX && (!first || w->experts->roots == 1u << experts);
}

/* The local's dimensions as the kernel takes them. */
static void widen_tile(gali_loop_buffer *local) {
    uint32_t rows = local->rank - 3;
    local->extent[rows].constant = rows ? GALI_TILE_ROWS_MAX : local->extent[rows].constant;
    local->extent[rows + 1].constant = GALI_PANEL_VECTORS_MAX;
}

/* The call in place of the nest of a stage that is left with rows, vectors and the whole sum, perhaps of some experts. */
static int make_call(maker *m, tail *to, const nest *n) {
    uint32_t entry = m->l->place[n->number].entry;
    walked w;
    if (!find_walked(m, n, &w)) {
        return refuse(
            m, entry,
            "what is left of the stage is not experts or none, rows, vectors and the whole sum, in this "
            "order, or is too large a tile");
    }
    gali_loop_statement *call = gali_loop_add_statement(m->arena, GALI_LOOP_CALL);
    if (!call) {
        return refuse(m, 0, "no memory");
    }
    gali_axis_node *all[] = {w.k, w.rows, w.vectors, w.experts};
    for (uint32_t i = 0; i < 4 && all[i]; i++) {
        all[i]->zero = 1;
    }
    call->tile = (gali_loop_tile){.sum = local_access(m, n->number),
                                  .inputs = w.k->extent,
                                  .rows = w.rows->extent,
                                  .vectors = w.vectors->extent,
                                  .experts = w.experts ? w.experts->extent : gali_loop_number(1)};
    int good = parameter_access(m, &n->stage->value->operand[0]->load, &call->tile.x) &&
               parameter_access(m, &n->stage->value->operand[1]->load, &call->tile.weights);
    for (uint32_t i = 0; i < 4 && all[i]; i++) {
        all[i]->zero = 0;
    }
    uint32_t rank = gali_loop_rank(call->tile.weights.buffer);
    if (!good || rank < 3 || !call->tile.weights.buffer->packed_rank) {
        return refuse(m, entry, "the weights are not packed");
    }
    call->tile.weights.index[rank - 3].constant = 0; /* the panel starts with its biases */
    widen_tile(m->l->buffer[n->stage->buffer->id]);
    *to = add(*to, call);
    return 1;
}

/* ---- stages ---- */

/* The nest's loops. Returns 0 if a fused loop runs over axes that the stage does not have. */
static int choose_loops(maker *m, nest *n) {
    uint32_t roots = 0, shared = 1;
    for (uint32_t i = 0; i < n->stage->axes; i++) {
        roots |= 1u << gali_axes_root(m->axes, n->stage->axis[i]);
    }
    for (uint32_t i = 0; i < n->stage->reduced; i++) {
        roots |= 1u << gali_axes_root(m->axes, n->stage->reduce[i]);
    }
    for (uint32_t i = 0; i < m->axes->leaves; i++) {
        const gali_axis_node *node = &m->axes->node[m->axes->order[i]];
        if (!(node->roots & roots) || node->open) {
            continue;
        }
        if (node->roots & ~roots) {
            return refuse(m, 0, "a fused loop runs over an axis that a stage in it does not have");
        }
        shared = shared && !is_reduced(m, n, m->axes->order[i]);
        n->shared += shared;
        n->leaf[n->leaves++] = m->axes->order[i];
    }
    n->lanes = m->axes->vector != GALI_NO_AXIS && (roots >> m->axes->vector & 1) ? m->axes->lanes : 1;
    return 1;
}

/* Makes the stage's local: as large as its loops here. */
static int make_local(maker *m, tail *to, const nest *n) {
    gali_loop_buffer *local = m->l->buffer[n->stage->buffer->id];
    uint32_t *count = &m->dimensions[n->number];
    local->rank = 0;
    for (uint32_t i = 0; i < n->leaves; i++) {
        if (is_reduced(m, n, n->leaf[i])) {
            continue;
        }
        if (local->rank + 1 == GALI_LOOP_RANK_MAX) {
            return refuse(m, 0, "a stage is left with too many loops");
        }
        m->dimension[n->number][(*count)++] = n->leaf[i];
        local->extent[local->rank++] = gali_loop_number(m->axes->node[n->leaf[i]].most);
    }
    if (n->lanes > 1) {
        local->extent[local->rank++] = gali_loop_number(n->lanes);
    }
    gali_loop_statement *make = gali_loop_add_statement(m->arena, GALI_LOOP_MAKE);
    if (!make) {
        return refuse(m, 0, "no memory");
    }
    make->local = local;
    *to = add(*to, make);
    return 1;
}

static int make_nest(maker *m, tail *to, uint32_t stage) {
    nest n = {.stage = &m->l->expression->stage[stage], .number = stage};
    m->done[stage] = 1;
    for (uint32_t i = 0; i < n.stage->reduced; i++) {
        uint32_t root = gali_axes_root(m->axes, n.stage->reduce[i]);
        for (uint32_t k = 0; k < m->axes->nodes; k++) {
            if (m->axes->node[k].open && (m->axes->node[k].roots >> root & 1)) {
                return refuse(m, m->l->place[stage].entry, "the stage sums over a loop that it is inside of");
            }
        }
    }
    if (!choose_loops(m, &n) || (n.stage->buffer->role == GALI_LOOP_LOCAL && !make_local(m, to, &n))) {
        return 0;
    }
    return m->l->place[stage].tensorized ? make_call(m, to, &n) : make_loops(m, to, &n, 0, SHARED);
}

/* Drops lets that nothing needs. */
static void drop_unused(gali_loop_statement **block) {
    while (*block) {
        if ((*block)->kind == GALI_LOOP_FOR) {
            drop_unused(&(*block)->body);
        }
        if ((*block)->kind == GALI_LOOP_LET) {
            drop_unused(&(*block)->next);
            if (!gali_loop_uses_variable((*block)->next, (*block)->variable)) {
                *block = (*block)->next;
            }
            return;
        }
        block = &(*block)->next;
    }
}

/* Whether a parallel loop is all that there is, lets apart. */
static int is_parallel(const gali_loop_statement *s) {
    while (s && s->kind == GALI_LOOP_LET) {
        s = s->next;
    }
    return s && s->kind == GALI_LOOP_FOR && s->mark == GALI_LOOP_PARALLEL && !s->next;
}

int gali_lower(gali_lowering *lowering) {
    gali_loop_function *function = lowering->axes->function;
    maker m = {.l = lowering, .axes = lowering->axes, .arena = function->arena};
    memset(m.defined, 1, function->symbols);
    tail to = define_all(&m, &function->body);
    for (uint32_t s = 0; s < lowering->expression->stages; s++) {
        const gali_stage_place *place = &lowering->place[s];
        if (place->at == GALI_NO_AXIS && !place->inlined && !make_nest(&m, &to, s)) {
            return 0;
        }
    }
    for (uint32_t s = 0; s < lowering->expression->stages; s++) {
        if (!m.done[s] && !lowering->place[s].inlined) {
            return refuse(&m, lowering->place[s].entry,
                          "no loop over that axis is around the stage's consumer");
        }
    }
    drop_unused(&function->body);
    if (lowering->parallel && !is_parallel(function->body)) {
        return refuse(&m, lowering->parallel, "some stage is not inside of that loop: compute it there");
    }
    return !m.arena->failed || refuse(&m, 0, "no memory, or too many names");
}
