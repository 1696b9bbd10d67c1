/* The text of expressions (expression.h), read by the loops' words. */
#include <string.h>

#include "base/error.h"
#include "compiler/loop/reader.h"
#include "compiler/loop/words.h"
#include "compiler/schedule/expression.h"

typedef struct parser {
    gali_reader r;
    gali_expression *expression;
} parser;

static const gali_axis *find_axis(const parser *p, const char *name) {
    for (uint32_t i = 0; i < p->expression->axes; i++) {
        if (strcmp(p->expression->axis[i].variable->name, name) == 0) {
            return &p->expression->axis[i];
        }
    }
    return NULL;
}

static const gali_stage *find_stage(const parser *p, const gali_loop_buffer *buffer) {
    for (uint32_t i = 0; i < p->expression->stages; i++) {
        if (p->expression->stage[i].buffer == buffer) {
            return &p->expression->stage[i];
        }
    }
    return NULL;
}

static int read_parameters(gali_reader *r) {
    for (int role = 0; role < GALI_LOOP_LOCAL;) {
        if (!gali_reader_word_if(r, gali_loop_roles[role])) {
            role++;
            continue;
        }
        if (!gali_reader_add_buffer(r, (gali_loop_role)role)) {
            return 0;
        }
        role = 0;
    }
    return 1;
}

/* "BUFFER[..].. in 0..N", the axis' element of it; else nothing is read. */
static int read_lookup(parser *p, const char *name, gali_axis *axis) {
    gali_loop_access *lookup = gali_arena_take(p->r.arena, sizeof *lookup);
    uint32_t least, most;
    if (!lookup) {
        return gali_reader_no_memory(&p->r);
    }
    axis->lookup = lookup;
    if (!gali_reader_access(&p->r, name, lookup) || !gali_reader_expect(&p->r, "in") ||
        !gali_reader_number(&p->r, 0, &least) || !gali_reader_take(&p->r, '.') ||
        !gali_reader_take(&p->r, '.') || !gali_reader_number(&p->r, GALI_LOOP_EXTENT_MAX - 1, &most)) {
        return 0;
    }
    uint32_t rank = lookup->buffer->rank;
    if (lookup->tested || lookup->lanes > 1 || !rank || !lookup->index[rank - 1].count) {
        return gali_reader_fail(&p->r, "%s is looked up by an axis, and never leaves", lookup->buffer->name);
    }
    axis->extent = gali_loop_number((int64_t)most + 1);
    return 1;
}

/* A number, a symbol, or an access. */
static int read_extent(parser *p, gali_axis *axis) {
    gali_word name;
    if (!gali_reader_next_is_word(&p->r)) {
        return gali_reader_index(&p->r, &axis->extent) &&
               ((axis->extent.constant > 0 && !axis->extent.count) ||
                gali_reader_fail(&p->r, "expected a number from 1 on, a symbol or an access"));
    }
    if (!gali_reader_word(&p->r, name)) {
        return 0;
    }
    const gali_loop_variable *symbol = gali_reader_find_variable(&p->r, name);
    if (symbol && symbol->id < p->expression->names->symbols) {
        axis->extent = gali_loop_of(symbol);
        return 1;
    }
    return read_lookup(p, name, axis);
}

static int read_axis(parser *p) {
    gali_axis axis = {0};
    uint32_t before = p->expression->names->variables;
    if (p->expression->axes == GALI_EXPRESSION_AXES_MAX) {
        return gali_reader_fail(&p->r, "more than %d axes", GALI_EXPRESSION_AXES_MAX);
    }
    axis.variable = gali_reader_add_variable(&p->r);
    if (!axis.variable) {
        return 0;
    }
    if (p->expression->names->variables == before) {
        return gali_reader_fail(&p->r, "%s was named before", axis.variable->name);
    }
    if (!read_extent(p, &axis)) {
        return 0;
    }
    p->expression->axis[p->expression->axes++] = axis;
    return 1;
}

/* An axis' name, not one of those. */
static int read_axis_of(parser *p, const gali_stage *stage, const gali_loop_variable **variable) {
    gali_word name;
    if (!gali_reader_word(&p->r, name)) {
        return 0;
    }
    const gali_axis *axis = find_axis(p, name);
    if (!axis || axis->lookup) {
        return gali_reader_fail(&p->r, "%s is no axis that is walked", name);
    }
    int used = 0;
    for (uint32_t i = 0; i < GALI_LOOP_RANK_MAX; i++) {
        used |= (i < stage->axes && stage->axis[i] == axis->variable) ||
                (i < stage->reduced && stage->reduce[i] == axis->variable);
    }
    *variable = axis->variable;
    return !used || gali_reader_fail(&p->r, "axis %s twice", name);
}

/* "[c][n]" of a stage. */
static int read_stage_axes(parser *p, gali_stage *stage) {
    while (gali_reader_take_if(&p->r, '[')) {
        if (stage->axes == GALI_LOOP_RANK_MAX) {
            return gali_reader_fail(&p->r, "more than %d axes of a stage", GALI_LOOP_RANK_MAX);
        }
        if (!read_axis_of(p, stage, &stage->axis[stage->axes]) || !gali_reader_take(&p->r, ']')) {
            return 0;
        }
        stage->axes++;
    }
    return 1;
}

/* The buffer of a stage: an output, or a new local with the stage's axes. */
static gali_loop_buffer *make_buffer(parser *p, const char *name, const gali_stage *stage) {
    gali_loop_buffer *buffer = gali_reader_find_buffer(&p->r, name);
    if (buffer) {
        int good = buffer->role == GALI_LOOP_OUTPUT && !find_stage(p, buffer) && buffer->rank == stage->axes;
        return good ? buffer
                    : (gali_reader_fail(&p->r, "%s is no output of these dimensions, or made twice", name),
                       NULL);
    }
    buffer = gali_loop_add_buffer(p->expression->names, name, GALI_LOOP_LOCAL);
    if (!buffer) {
        gali_reader_no_memory(&p->r);
        return NULL;
    }
    buffer->rank = stage->axes;
    for (uint32_t i = 0; i < stage->axes; i++) {
        buffer->extent[i] = find_axis(p, stage->axis[i]->name)->extent;
    }
    return buffer;
}

/* ", over k, q: " */
static int read_over(parser *p, gali_stage *stage) {
    if (!gali_reader_expect(&p->r, "over")) {
        return 0;
    }
    do {
        if (stage->reduced == GALI_LOOP_RANK_MAX) {
            return gali_reader_fail(&p->r, "a sum over more than %d axes", GALI_LOOP_RANK_MAX);
        }
        if (!read_axis_of(p, stage, &stage->reduce[stage->reduced])) {
            return 0;
        }
        stage->reduced++;
    } while (gali_reader_take_if(&p->r, ','));
    return gali_reader_take(&p->r, ':');
}

/* Whether a value reads stages at their own axes alone: earlier ones, and the stage itself where `self`. */
static int check_loads(parser *p, const gali_loop_value *value, const gali_stage *stage, int self) {
    const gali_loop_access *load = &value->load;
    const gali_stage *from = value->op != GALI_VALUE_LOAD    ? NULL
                             : load->buffer == stage->buffer ? stage
                                                             : find_stage(p, load->buffer);
    int made = value->op != GALI_VALUE_LOAD || from || load->buffer->role == GALI_LOOP_INPUT ||
               load->buffer->role == GALI_LOOP_CONSTANT;
    if (!made || (from == stage && !self)) {
        return gali_reader_fail(&p->r, "%s is read before it is made", load->buffer->name);
    }
    for (uint32_t i = 0; from && i < from->axes; i++) {
        gali_loop_index own = gali_loop_of(from->axis[i]);
        if (!gali_loop_index_same(&load->index[i], &own) || load->tested || load->lanes > 1) {
            return gali_reader_fail(&p->r, "%s is read at other than its own axes", load->buffer->name);
        }
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        if (!check_loads(p, value->operand[i], stage, self)) {
            return 0;
        }
    }
    return 1;
}

static int read_stage(parser *p) {
    gali_word name;
    gali_stage stage = {0};
    if (p->expression->stages == GALI_EXPRESSION_STAGES_MAX) {
        return gali_reader_fail(&p->r, "more than %d stages", GALI_EXPRESSION_STAGES_MAX);
    }
    if (!gali_reader_word(&p->r, name) || !read_stage_axes(p, &stage)) {
        return 0;
    }
    gali_loop_buffer *buffer = make_buffer(p, name, &stage);
    stage.buffer = buffer;
    if (!buffer || (gali_reader_take_if(&p->r, ':') && !gali_reader_element(&p->r, &buffer->element)) ||
        !gali_reader_take(&p->r, '=') || !(stage.value = gali_reader_value(&p->r))) {
        return 0;
    }
    if (gali_reader_take_if(&p->r, ',')) {
        stage.start = stage.value;
        if (!check_loads(p, stage.start, &stage, 0) || !read_over(p, &stage) ||
            !(stage.value = gali_reader_value(&p->r))) {
            return 0;
        }
    }
    if (!check_loads(p, stage.value, &stage, stage.reduced > 0)) {
        return 0;
    }
    p->expression->stage[p->expression->stages++] = stage;
    return 1;
}

static int read_expression(parser *p) {
    gali_word name;
    gali_reader *r = &p->r;
    if (!gali_reader_expect(r, "expression") || !gali_reader_word(r, name)) {
        return 0;
    }
    p->expression = gali_expression_make(r->arena, name);
    if (!p->expression) {
        return gali_reader_no_memory(r);
    }
    r->function = p->expression->names;
    if (!gali_reader_take(r, '(') || !gali_reader_symbols(r)) {
        return 0;
    }
    r->function->dense = gali_reader_word_if(r, "dense");
    if (!read_parameters(r)) {
        return 0;
    }
    while (gali_reader_word_if(r, "axis")) {
        if (!read_axis(p)) {
            return 0;
        }
    }
    gali_reader_skip(r);
    while (r->at < r->end && read_stage(p)) {
        gali_reader_skip(r);
    }
    return r->status == GAL_OK && (p->expression->stages > 0 || gali_reader_fail(r, "no stage"));
}

gal_status gali_expression_parse(gali_expression **out, const char *text, size_t size, gali_arena *arena,
                                 gal_error *error) {
    parser p = {
        .r = {.what = "expression", .at = text, .end = text + size, .line = 1, .arena = arena, .error = error}};
    if (memchr(text, 0, size)) {
        return gali_fail(error, GAL_BAD_DATA, "expression: not text");
    }
    if (!read_expression(&p) || arena->failed) {
        return p.r.status != GAL_OK ? p.r.status : gali_fail(error, GAL_NO_MEMORY, "expression: no memory");
    }
    *out = p.expression;
    return GAL_OK;
}
