/*
 * Whether a function keeps loop.h's invariant. One walk over the statements for every value of the symbols and of the
 * lets with cases; all other variables are intervals there. Nearly equal parts are exact under this: where a part's size
 * is known, it starts no later than its size before the end.
 */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/words.h"

enum {
    VISITS_MOST = 1 << 20,       /* statements in one verification */
    LOCAL_FLOATS_MOST = 1 << 24, /* of one local */
};

typedef struct interval {
    uint32_t least, most;
} interval;

typedef struct checker {
    const gali_loop_function *function;
    interval value[GALI_LOOP_VARIABLES_MAX];
    unsigned char known[GALI_LOOP_VARIABLES_MAX], made[GALI_LOOP_BUFFERS_MAX];
    const gali_loop_statement *let[GALI_LOOP_VARIABLES_MAX]; /* that defined a known variable; NULL of others */
    uint32_t visits, depth, loops;                           /* loops around */
    uint32_t locals;                                         /* made here or around */
    const gali_loop_statement *at;
    gal_status status;
    gal_error *error;
} checker;

/* Fails at the statement that is being looked at. */
static int wrong(checker *c, const char *message, const char *name) {
    gali_text text = {0};
    if (c->at) {
        gali_loop_print_line(c->at, &text);
    }
    if (c->status == GAL_OK) {
        c->status =
            gali_fail(c->error, GAL_BAD_DATA, "loop %s: %s%s%s%s%.160s", c->function->name, name,
                      *name ? ": " : "", message, text.bytes ? " in: " : "", text.bytes ? text.bytes : "");
    }
    gali_text_release(&text);
    return 0;
}

static int bound(checker *c, const gali_loop_index *index, interval *result) {
    uint64_t least = index->constant, most = index->constant;
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_loop_term *term = &index->term[i];
        if (!c->known[term->variable->id]) {
            return wrong(c, "not defined here", term->variable->name);
        }
        least += (uint64_t)term->scale * c->value[term->variable->id].least;
        most += (uint64_t)term->scale * c->value[term->variable->id].most;
    }
    *result = (interval){(uint32_t)least, (uint32_t)most};
    return most <= UINT32_MAX || wrong(c, "too large", "an index");
}

static int check_dimension(checker *c, const gali_loop_access *access, uint32_t d, int last) {
    interval at, extent;
    gali_loop_index whole = gali_loop_extent(access->buffer, d);
    if (!bound(c, &access->index[d], &at) || !bound(c, &whole, &extent)) {
        return 0;
    }
    /* A local's dimension may be a case or a part: it is made as large as the largest. */
    uint32_t size = access->buffer->role == GALI_LOOP_LOCAL ? extent.most : extent.least;
    int partial = access->buffer->role != GALI_LOOP_LOCAL && !access->buffer->packed_rank;
    uint64_t end = (uint64_t)at.most + (last && !partial ? access->lanes : 1);
    return end <= size || wrong(c, "an index past the end", access->buffer->name);
}

static int check_access(checker *c, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    uint32_t rank = gali_loop_rank(buffer);
    if (!c->made[buffer->id]) {
        return wrong(c, "not made here", buffer->name);
    }
    if (access->lanes < 1 || access->lanes > GALI_LOOP_LANES_MAX || (access->lanes > 1 && !rank)) {
        return wrong(c, "lanes", buffer->name);
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (!check_dimension(c, access, d, d + 1 == rank)) {
            return 0;
        }
    }
    return 1;
}

static int check_value(checker *c, const gali_loop_value *value, uint32_t lanes, uint32_t depth) {
    if (depth > GALI_LOOP_DEPTH_MAX) {
        return wrong(c, "too deep", "value");
    }
    if (value->op == GALI_VALUE_LOAD) {
        if (value->load.buffer->role == GALI_LOOP_INTEGERS) {
            return wrong(c, "is not read as floats", value->load.buffer->name);
        }
        if (value->load.lanes != 1 && value->load.lanes != lanes) {
            return wrong(c, "lanes differ", value->load.buffer->name);
        }
        return check_access(c, &value->load);
    }
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        if (!check_value(c, value->operand[i], lanes, depth + 1)) {
            return 0;
        }
    }
    return 1;
}

static int check_store(checker *c, const gali_loop_statement *store) {
    gali_loop_role role = store->to.buffer->role;
    if (role != GALI_LOOP_OUTPUT && role != GALI_LOOP_LOCAL) {
        return wrong(c, "is not written", store->to.buffer->name);
    }
    return check_access(c, &store->to) && check_value(c, store->value, store->to.lanes, 0);
}

static int check_make(checker *c, const gali_loop_buffer *local) {
    size_t floats = 1;
    if (c->made[local->id]) {
        return wrong(c, "made twice", local->name);
    }
    for (uint32_t d = 0; d < local->rank; d++) {
        interval extent;
        if (!bound(c, &local->extent[d], &extent)) {
            return 0;
        }
        floats = gali_size_mul(floats, extent.most);
    }
    c->made[local->id] = 1;
    c->locals++;
    return (floats && floats <= LOCAL_FLOATS_MOST) || wrong(c, "empty or too large", local->name);
}

/* The interval of a let's variable by its operands'. */
static int evaluate(checker *c, const gali_loop_statement *let, interval *result) {
    interval a[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (let->let == GALI_LOOP_LOOKUP) {
        *result = (interval){let->variable->least, let->variable->most};
        return let->lookup.buffer->role == GALI_LOOP_INTEGERS && let->lookup.lanes == 1
                   ? check_access(c, &let->lookup)
                   : wrong(c, "no buffer of integers", let->lookup.buffer->name);
    }
    for (uint32_t i = 0; i < gali_loop_lets[let->let].arity; i++) {
        if (!bound(c, &let->operand[i], &a[i])) {
            return 0;
        }
    }
    if (a[1].least == 0) {
        return wrong(c, "division by zero", let->variable->name);
    }
    uint32_t parts = a[1].most, last = a[2].most < parts ? a[2].most : parts - 1;
    switch (let->let) {
    case GALI_LOOP_QUOTIENT:
        *result = (interval){a[0].least / a[1].most, a[0].most / a[1].least};
        break;
    case GALI_LOOP_REMAINDER:
        *result = (interval){0, a[0].most < a[1].most - 1 ? a[0].most : a[1].most - 1};
        break;
    case GALI_LOOP_ROUNDS:
        *result = (interval){a[0].least / a[1].most + (a[0].least % a[1].most != 0),
                             a[0].most / a[1].least + (a[0].most % a[1].least != 0)};
        break;
    case GALI_LOOP_FIRST:
        *result = (interval){gali_loop_first(a[0].least, a[1].most, a[2].least),
                             gali_loop_first(a[0].most, parts, last)};
        break;
    default:
        *result = (interval){a[0].least / a[1].most, a[0].most / a[1].least + (a[0].most % a[1].least != 0)};
    }
    return 1;
}

static int check_block(checker *c, const gali_loop_statement *block);

static int same_part(const gali_loop_statement *first, const gali_loop_statement *size) {
    int same = first && first->let == GALI_LOOP_FIRST && size->let == GALI_LOOP_SIZE;
    for (uint32_t i = 0; i < 3 && same; i++) {
        same = gali_loop_index_same(&first->operand[i], &size->operand[i]);
    }
    return same;
}

/* What follows the let of a part's size, where that is so much: the part ends within the whole. */
static int check_case(checker *c, const gali_loop_statement *let, uint32_t size) {
    interval whole = {0, 0}, before = {0, 0};
    uint32_t id = 0;
    while (id < c->function->variables && !(c->known[id] && same_part(c->let[id], let))) {
        id++;
    }
    int found = id < c->function->variables;
    if (found && !bound(c, &let->operand[0], &whole)) {
        return 0;
    }
    if (found) {
        before = c->value[id];
        uint32_t most = whole.most > size ? whole.most - size : 0;
        c->value[id].most = before.most < most ? before.most : most;
        c->value[id].least = before.least < c->value[id].most ? before.least : c->value[id].most;
    }
    int good = check_block(c, let->next);
    if (found) {
        c->value[id] = before;
    }
    return good;
}

/* What follows a let, once for each of its cases. */
static int check_let(checker *c, const gali_loop_statement *let) {
    interval value;
    uint32_t id = let->variable->id;
    if (c->known[id] || !evaluate(c, let, &value)) {
        return c->known[id] ? wrong(c, "defined twice", let->variable->name) : 0;
    }
    c->known[id] = 1;
    c->value[id] = value;
    c->let[id] = let;
    int good = 1;
    if (let->cases) {
        const gali_loop_variable *v = let->variable;
        good = (value.least >= v->least && value.most <= v->most && v->most - v->least < GALI_LOOP_CASES_MAX) ||
               wrong(c, "leaves the range of its cases", v->name);
        for (uint32_t i = value.least; i <= value.most && good; i++) {
            c->value[id] = (interval){i, i};
            good = check_case(c, let, i);
        }
    } else {
        good = check_block(c, let->next);
    }
    c->known[id] = 0;
    return good;
}

static int check_for(checker *c, const gali_loop_statement *loop) {
    interval extent;
    uint32_t id = loop->variable->id;
    if (!bound(c, &loop->extent, &extent)) {
        return 0;
    }
    if (c->known[id]) {
        return wrong(c, "defined twice", loop->variable->name);
    }
    if (extent.most > GALI_LOOP_EXTENT_MAX) {
        return wrong(c, "too many turns", loop->variable->name);
    }
    if (loop->mark == GALI_LOOP_PARALLEL && (c->loops || c->locals || loop->next)) {
        return wrong(c, "a parallel loop is alone and outermost", loop->variable->name);
    }
    if (extent.most == 0) {
        return 1;
    }
    c->known[id] = 1;
    c->let[id] = NULL;
    c->value[id] = (interval){0, extent.most - 1};
    c->loops++;
    int good = check_block(c, loop->body);
    c->loops--;
    c->known[id] = 0;
    return good;
}

/* A kernel's panels: their last dimensions are [1 + inputs][vectors][lanes], and the call takes all of them, of the
 * `experts` that stand in the dimension before. */
static int check_panel(checker *c, const gali_loop_tile *tile, uint32_t experts, uint32_t lanes) {
    const gali_loop_buffer *weights = tile->weights.buffer;
    uint32_t rank = gali_loop_rank(weights);
    if (weights->role != GALI_LOOP_CONSTANT || rank < 3 || tile->weights.lanes != lanes ||
        (experts > 1 && (rank < 4 || gali_layout_ragged(weights) == rank - 4))) {
        return wrong(c, "no panel of weights", weights->name);
    }
    gali_loop_access last = tile->weights;
    if (experts > 1) {
        last.index[rank - 4].constant += experts - 1;
    }
    if (!check_access(c, &last)) {
        return 0;
    }
    gali_loop_index rows = gali_loop_extent(weights, rank - 3), width = gali_loop_extent(weights, rank - 2);
    gali_loop_index zero = gali_loop_number(0), inputs = gali_loop_number(1);
    int whole = gali_loop_index_add(&inputs, &tile->inputs, 1) && gali_loop_index_same(&rows, &inputs) &&
                gali_loop_extent(weights, rank - 1).constant == lanes;
    for (uint32_t d = rank - 3; d < rank; d++) {
        whole &= gali_loop_index_same(&tile->weights.index[d], &zero);
    }
    int part = gali_layout_part(weights) == rank - 2;
    whole &= part ? tile->vectors.count == 1 : gali_loop_index_same(&width, &tile->vectors);
    return whole || wrong(c, "the call does not take a whole panel", weights->name);
}

static int check_call(checker *c, const gali_loop_tile *tile) {
    interval rows, vectors, inputs, experts, extent;
    const gali_loop_buffer *sum = tile->sum.buffer, *x = tile->x.buffer;
    uint32_t first = sum->rank - 3; /* of rows */
    gali_loop_index last = gali_loop_extent(x, gali_loop_rank(x) ? gali_loop_rank(x) - 1 : 0);
    if (sum->role != GALI_LOOP_LOCAL || (sum->rank != 3 && sum->rank != 4) || x->role != GALI_LOOP_INPUT ||
        gali_loop_rank(x) != 2 || tile->x.lanes != 1) {
        return wrong(c, "not as the kernel needs it", sum->name);
    }
    gali_loop_access end = tile->sum, x_end = tile->x;
    if (!bound(c, &tile->rows, &rows) || !bound(c, &tile->vectors, &vectors) ||
        !bound(c, &tile->inputs, &inputs) || !bound(c, &tile->experts, &experts) || !bound(c, &last, &extent)) {
        return 0;
    }
    gali_loop_index more[4] = {gali_loop_number(rows.most ? rows.most - 1 : 0),
                               gali_loop_number(vectors.most ? vectors.most - 1 : 0),
                               gali_loop_number(inputs.most ? inputs.most - 1 : 0),
                               gali_loop_number(experts.most ? experts.most - 1 : 0)};
    int fits = rows.least > 0 && vectors.least > 0 && experts.least > 0 && (first || experts.most == 1) &&
               gali_loop_index_add(&end.index[0], &more[3], 1) &&
               gali_loop_index_add(&end.index[first], &more[0], 1) &&
               gali_loop_index_add(&end.index[first + 1], &more[1], 1) &&
               gali_loop_index_add(&x_end.index[0], &more[0], 1) &&
               gali_loop_index_add(&x_end.index[1], &more[2], 1);
    return (fits || wrong(c, "sizes of a call", sum->name)) && check_access(c, &end) &&
           check_access(c, &x_end) && check_access(c, &tile->weights) &&
           check_panel(c, tile, experts.most, tile->sum.lanes);
}

/* Up to the end of the block, or to a let, which goes through the rest by itself. */
static int check_rest(checker *c, const gali_loop_statement *statement) {
    for (; statement; statement = statement->next) {
        c->at = statement;
        if (++c->visits > VISITS_MOST) {
            return wrong(c, "too many cases to verify", "");
        }
        int good = 1;
        switch (statement->kind) {
        case GALI_LOOP_FOR:
            good = check_for(c, statement);
            break;
        case GALI_LOOP_LET:
            return check_let(c, statement);
        case GALI_LOOP_MAKE:
            good = check_make(c, statement->local);
            break;
        case GALI_LOOP_STORE:
            good = check_store(c, statement);
            break;
        case GALI_LOOP_CALL:
            good = check_call(c, &statement->tile);
            break;
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

/* A block, or what follows a let in one; forgets the locals it made. */
static int check_block(checker *c, const gali_loop_statement *block) {
    unsigned char made[GALI_LOOP_BUFFERS_MAX];
    uint32_t locals = c->locals;
    memcpy(made, c->made, sizeof made);
    c->depth++;
    int good = c->depth <= 2 * GALI_LOOP_DEPTH_MAX ? check_rest(c, block) : wrong(c, "too deep", "");
    c->depth--;
    c->locals = locals;
    memcpy(c->made, made, sizeof made);
    return good;
}

/* A layout covers each dimension once, its parts stand outside of their part, and the whole has a size. */
static int check_layout(checker *c, const gali_loop_buffer *buffer) {
    uint64_t covered[GALI_LOOP_RANK_MAX] = {0};
    uint32_t ragged = gali_layout_ragged(buffer), part = gali_layout_part(buffer), raggeds = 0, parts = 0;
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        const gali_loop_packed *packed = &buffer->packed[d];
        if (packed->of >= buffer->rank || !packed->scale || !packed->extent ||
            packed->total > GALI_LOOP_EXTENT_MAX || (packed->total && packed->extent > packed->total)) {
            return wrong(c, "a layout's dimension", buffer->name);
        }
        raggeds += packed->total > 0;
        parts += packed->part != 0;
        covered[packed->of] += (uint64_t)packed->scale * ((packed->total ? packed->total : packed->extent) - 1);
    }
    const gali_loop_packed *outer = &buffer->packed[ragged < part ? ragged : 0];
    int matched = raggeds == parts && raggeds <= 1 && (!raggeds || ragged < part);
    if (matched && raggeds) {
        const gali_loop_packed *inner = &buffer->packed[part];
        covered[inner->of] -= (uint64_t)inner->scale * (inner->extent - 1);
        matched = inner->of == outer->of && inner->scale == outer->scale &&
                  inner->extent == (outer->total + outer->extent - 1) / outer->extent;
    }
    for (uint32_t d = 0; d < buffer->rank && buffer->packed_rank; d++) {
        matched &= !buffer->extent[d].count && covered[d] + 1 >= buffer->extent[d].constant;
    }
    size_t floats = matched ? gali_loop_pack_floats(buffer) : 0;
    return (matched && floats && floats < SIZE_MAX / sizeof(float)) ||
           wrong(c, "its layout does not hold it", buffer->name);
}

static int check_parameters(checker *c) {
    const gali_loop_function *f = c->function;
    for (uint32_t i = 0; i < f->parameters; i++) {
        const gali_loop_buffer *buffer = f->buffer[i];
        for (uint32_t d = 0; d < buffer->rank; d++) {
            interval extent;
            if (!bound(c, &buffer->extent[d], &extent)) {
                return 0;
            }
            if (!extent.least || (buffer->role == GALI_LOOP_CONSTANT && buffer->extent[d].count)) {
                return wrong(c, "a dimension is empty or not a number", buffer->name);
            }
        }
        if (buffer->packed_rank && !check_layout(c, buffer)) {
            return 0;
        }
        c->made[i] = 1;
    }
    return 1;
}

static int check_symbols(checker *c) {
    uint64_t combinations = 1;
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        const gali_loop_variable *symbol = c->function->variable[i];
        if (symbol->least > symbol->most) {
            return wrong(c, "an empty range", symbol->name);
        }
        combinations *= symbol->most - symbol->least + 1;
        if (combinations > VISITS_MOST) {
            return wrong(c, "too many values", symbol->name);
        }
        c->known[i] = 1;
        c->value[i] = (interval){symbol->least, symbol->least};
    }
    return 1;
}

/* Steps to the next values of all symbols. */
static int next_values(checker *c) {
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        const gali_loop_variable *symbol = c->function->variable[i];
        uint32_t value = c->value[i].least + 1;
        int more = value <= symbol->most;
        value = more ? value : symbol->least;
        c->value[i] = (interval){value, value};
        if (more) {
            return 1;
        }
    }
    return 0;
}

gal_status gali_loop_verify(const gali_loop_function *function, gal_error *error) {
    checker c = {.function = function, .error = error};
    int good = check_symbols(&c);
    do {
        good = good && check_parameters(&c) && check_block(&c, function->body);
        memset(c.made, 0, sizeof c.made);
    } while (good && next_values(&c));
    return c.status;
}
