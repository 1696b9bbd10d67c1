/*
 * Whether a function keeps loop.h's invariant. First one walk over the statements in which symbols are what their ranges
 * say: variables are intervals, and what these do not tell is proven (prove.h). Where that is not enough there is one walk
 * for every value of the symbols; lets with cases are walked once for each value in any case. Nearly equal parts are exact
 * under this: where a part's size is known, it starts no later than its size before the end.
 */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/verify.h"
#include "compiler/loop/words.h"

enum {
    VISITS_MOST = 1 << 20,       /* statements in one verification */
    LOCAL_FLOATS_MOST = 1 << 24, /* of one local */
};

typedef gali_interval interval;
typedef gali_loop_checker checker;

/* ---- statements ---- */

static int check_store(checker *c, const gali_loop_statement *store) {
    gali_loop_role role = store->to.buffer->role;
    if (role == GALI_LOOP_INPUT || role == GALI_LOOP_CONSTANT || role == GALI_LOOP_VIEW) {
        return gali_loop_refuse(c, "is not written", store->to.buffer->name);
    }
    int same = store->value->element == gali_loop_computed(store->to.buffer->element);
    return gali_loop_check_access(c, &store->to) &&
           gali_loop_check_value(c, store->value, store->to.lanes, 0) &&
           (same || gali_loop_refuse(c, "holds another element", store->to.buffer->name));
}

/* A view's row lies whole in a parameter's. */
static int check_point(checker *c, const gali_loop_access *to, const gali_loop_access *from) {
    const gali_loop_buffer *view = to->buffer, *buffer = from->buffer;
    gali_loop_access last = *from;
    gali_loop_index zero = gali_loop_number(0);
    if (view->role != GALI_LOOP_VIEW || buffer->role >= GALI_LOOP_LOCAL || buffer->packed_rank ||
        !buffer->rank || buffer->element != GALI_f32 || from->tested >> (buffer->rank - 1) || to->tested ||
        to->lanes != 1 || from->lanes != 1 || !gali_loop_index_same(&to->index[view->rank - 1], &zero)) {
        return gali_loop_refuse(c, "no row of a view at a row of a parameter", view->name);
    }
    last.index[buffer->rank - 1].constant += view->extent[view->rank - 1].constant - 1;
    return gali_loop_check_access(c, to) && gali_loop_check_access(c, from) && gali_loop_check_access(c, &last);
}

static int check_make(checker *c, const gali_loop_buffer *local) {
    size_t floats = 1;
    if (c->made[local->id]) {
        return gali_loop_refuse(c, "made twice", local->name);
    }
    if (local->rank > GALI_LOOP_RANK_MAX) {
        return gali_loop_refuse(c, "too many dimensions", local->name);
    }
    for (uint32_t d = 0; d < local->rank; d++) {
        interval extent;
        if (!gali_loop_check_bound(c, &local->extent[d], &extent)) {
            return 0;
        }
        if (extent.least < 0) {
            return gali_loop_refuse(c, "a negative extent", local->name);
        }
        floats = gali_size_mul(floats, (size_t)extent.most);
    }
    if (local->role == GALI_LOOP_VIEW &&
        (!local->rank || local->element != GALI_f32 || local->extent[local->rank - 1].count ||
         local->extent[local->rank - 1].constant > GALI_LOOP_VIEW_MAX)) {
        return gali_loop_refuse(c, "a view's rows have a number of f32", local->name);
    }
    c->made[local->id] = 1;
    c->locals++;
    return (floats && floats <= LOCAL_FLOATS_MOST) || gali_loop_refuse(c, "empty or too large", local->name);
}

static int check_lookup(checker *c, const gali_loop_access *lookup) {
    gali_element_kind kind = gali_element_list[lookup->buffer->element].kind;
    return (kind == GALI_SIGNED || kind == GALI_UNSIGNED) && lookup->lanes == 1 && !lookup->tested
               ? gali_loop_check_access(c, lookup)
               : gali_loop_refuse(c, "no buffer of integers", lookup->buffer->name);
}

static int check_clamp(checker *c, const gali_loop_statement *let) {
    gali_element_kind kind = gali_element_list[let->value->element].kind;
    if (kind != GALI_SIGNED && kind != GALI_UNSIGNED) {
        return gali_loop_refuse(c, "no value of integers", let->variable->name);
    }
    gali_loop_index gap = let->operand[1];
    int ordered = gali_loop_index_add(&gap, &let->operand[0], -1) && gali_loop_prove(&c->known, &gap);
    return gali_loop_check_value(c, let->value, 1, 0) &&
           (ordered || gali_loop_refuse(c, "a clamp whose ends may cross", let->variable->name));
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* a / b, rounded up; a >= 0, b > 0. */
static int64_t rounds(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* The interval of nearly equal parts' first elements; those of parts are numbers of 32 bits. */
static interval firsts(const interval *a) {
    int64_t parts = a[1].most, last = smaller(a[2].most, parts - 1);
    return (interval){gali_loop_first((uint32_t)a[0].least, (uint32_t)parts, (uint32_t)a[2].least),
                      gali_loop_first((uint32_t)a[0].most, (uint32_t)parts, (uint32_t)last)};
}

/* The interval of a let's variable by its operands'; none of those that are divided, or divide, is negative. */
static interval of_operands(gali_loop_let let, const interval *a) {
    switch (let) {
    case GALI_LOOP_QUOTIENT:
        return (interval){a[0].least / a[1].most, a[0].most / a[1].least};
    case GALI_LOOP_REMAINDER:
        return (interval){0, smaller(a[0].most, a[1].most - 1)};
    case GALI_LOOP_ROUNDS:
        return (interval){rounds(a[0].least, a[1].most), rounds(a[0].most, a[1].least)};
    case GALI_LOOP_FIRST:
        return firsts(a);
    case GALI_LOOP_SIZE:
        return (interval){a[0].least / a[1].most, rounds(a[0].most, a[1].least)};
    case GALI_LOOP_PRODUCT:
        return (interval){a[0].least * a[1].least, a[0].most * a[1].most};
    case GALI_LOOP_LEAST:
        return (interval){smaller(a[0].least, a[1].least), smaller(a[0].most, a[1].most)};
    case GALI_LOOP_MOST:
        return (interval){larger(a[0].least, a[1].least), larger(a[0].most, a[1].most)};
    case GALI_LOOP_CLAMP:
        return (interval){a[0].least, a[1].most};
    default:
        return a[0];
    }
}

/* Whether the result is in the range of a variable; what intervals have below 0 may still never be. */
static int check_result(checker *c, const gali_loop_statement *let, interval *result) {
    int down = let->let == GALI_LOOP_SUM || let->let == GALI_LOOP_CLAMP;
    int both = let->let == GALI_LOOP_LEAST, either = let->let == GALI_LOOP_MOST;
    int good = result->least >= 0 || ((down || both || either) && gali_loop_prove(&c->known, &let->operand[0]));
    good = good && (!both || result->least >= 0 || gali_loop_prove(&c->known, &let->operand[1]));
    good = good || (either && gali_loop_prove(&c->known, &let->operand[1]));
    result->least = larger(result->least, 0);
    if (!good) {
        return gali_loop_refuse(c, "may be negative", let->variable->name);
    }
    return result->most <= (int64_t)GALI_LOOP_ELEMENTS_MAX ||
           gali_loop_refuse(c, "too large", let->variable->name);
}

static int evaluate(checker *c, const gali_loop_statement *let, interval *result) {
    interval a[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (let->let == GALI_LOOP_LOOKUP) {
        *result = (interval){let->variable->least, let->variable->most};
        return check_lookup(c, &let->lookup);
    }
    int divides = let->let == GALI_LOOP_QUOTIENT || let->let == GALI_LOOP_REMAINDER ||
                  let->let == GALI_LOOP_ROUNDS || let->let == GALI_LOOP_FIRST || let->let == GALI_LOOP_SIZE;
    int positive = divides || let->let == GALI_LOOP_PRODUCT;
    for (uint32_t i = 0; i < gali_loop_lets[let->let].arity; i++) {
        if (!gali_loop_check_bound(c, &let->operand[i], &a[i])) {
            return 0;
        }
        if (positive && !gali_loop_check_sign(c, &let->operand[i], &a[i])) {
            return gali_loop_refuse(c, "an operand may be negative", let->variable->name);
        }
        a[i].least = positive ? larger(a[i].least, 0) : a[i].least;
    }
    if (divides && a[1].least == 0) {
        return gali_loop_refuse(c, "division by zero", let->variable->name);
    }
    if (let->let == GALI_LOOP_CLAMP && !check_clamp(c, let)) {
        return 0;
    }
    *result = of_operands(let->let, a);
    return check_result(c, let, result);
}

static int check_block(checker *c, const gali_loop_statement *block);

static int same_part(const gali_loop_statement *first, const gali_loop_statement *size) {
    int same =
        first && first->kind == GALI_LOOP_LET && first->let == GALI_LOOP_FIRST && size->let == GALI_LOOP_SIZE;
    for (uint32_t i = 0; i < 3 && same; i++) {
        same = gali_loop_index_same(&first->operand[i], &size->operand[i]);
    }
    return same;
}

/* What follows the let of a part's size, where that is so much: the part ends within the whole. */
static int check_case(checker *c, const gali_loop_statement *let, int64_t size) {
    interval whole = {0, 0}, before = {0, 0};
    uint32_t id = 0;
    while (id < c->function->variables && !(c->known.defined[id] && same_part(c->known.by[id], let))) {
        id++;
    }
    int found = id < c->function->variables;
    if (found && !gali_loop_check_bound(c, &let->operand[0], &whole)) {
        return 0;
    }
    if (found) {
        before = c->known.value[id];
        int64_t most = larger(whole.most - size, 0);
        c->known.value[id].most = smaller(before.most, most);
        c->known.value[id].least = smaller(before.least, c->known.value[id].most);
    }
    int good = check_block(c, let->next);
    if (found) {
        c->known.value[id] = before;
    }
    return good;
}

static void define(checker *c, const gali_loop_variable *variable, const gali_loop_statement *by,
                   interval value) {
    c->known.defined[variable->id] = 1;
    c->known.value[variable->id] = value;
    c->known.by[variable->id] = by;
    c->known.order[variable->id] = c->known.orders++;
}

/* What follows a let, once for each of its cases. */
static int check_let(checker *c, const gali_loop_statement *let) {
    interval value;
    uint32_t id = let->variable->id;
    if (c->known.defined[id] || !evaluate(c, let, &value)) {
        return c->known.defined[id] ? gali_loop_refuse(c, "defined twice", let->variable->name) : 0;
    }
    define(c, let->variable, let, value);
    int good = 1;
    if (let->cases) {
        const gali_loop_variable *v = let->variable;
        good = (value.least >= v->least && value.most <= v->most && v->most - v->least < GALI_LOOP_CASES_MAX) ||
               gali_loop_refuse(c, "leaves the range of its cases", v->name);
        for (int64_t i = value.least; i <= value.most && good; i++) {
            c->known.value[id] = (interval){i, i};
            good = check_case(c, let, i);
        }
    } else {
        good = check_block(c, let->next);
    }
    c->known.defined[id] = 0;
    return good;
}

static int check_for(checker *c, const gali_loop_statement *loop) {
    interval extent;
    uint32_t id = loop->variable->id;
    if (!gali_loop_check_bound(c, &loop->extent, &extent)) {
        return 0;
    }
    if (c->known.defined[id]) {
        return gali_loop_refuse(c, "defined twice", loop->variable->name);
    }
    if (!gali_loop_check_sign(c, &loop->extent, &extent)) {
        return gali_loop_refuse(c, "a negative extent", loop->variable->name);
    }
    if (extent.most > GALI_LOOP_EXTENT_MAX) {
        return gali_loop_refuse(c, "too many turns", loop->variable->name);
    }
    if (loop->mark == GALI_LOOP_PARALLEL &&
        (c->locals || !gali_loop_index_same(&loop->extent, &gali_loop_parallel(c->function->body)->extent))) {
        return gali_loop_refuse(c, "a parallel loop has no locals around it, and the extent of all that are",
                                loop->variable->name);
    }
    if (extent.most == 0) {
        return 1;
    }
    define(c, loop->variable, loop, (interval){0, extent.most - 1});
    c->loops++;
    int good = check_block(c, loop->body);
    c->loops--;
    c->known.defined[id] = 0;
    return good;
}

/* A kernel's panels: their last dimensions are [1 + inputs][vectors][lanes], and the call takes all of them, of the
 * `experts` that stand in the dimension before. */
static int check_panel(checker *c, const gali_loop_tile *tile, int64_t experts, uint32_t lanes) {
    const gali_loop_buffer *weights = tile->weights.buffer;
    uint32_t rank = gali_loop_rank(weights);
    if (weights->role != GALI_LOOP_CONSTANT || rank < 3 || tile->weights.lanes != lanes ||
        weights->element != GALI_f32 ||
        (experts > 1 && (rank < 4 || gali_layout_ragged(weights) == rank - 4))) {
        return gali_loop_refuse(c, "no panel of weights", weights->name);
    }
    gali_loop_access last = tile->weights;
    if (experts > 1) {
        last.index[rank - 4].constant += experts - 1;
    }
    if (!gali_loop_check_access(c, &last)) {
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
    return whole || gali_loop_refuse(c, "the call does not take a whole panel", weights->name);
}

static int check_call(checker *c, const gali_loop_tile *tile) {
    interval rows, vectors, inputs, experts, extent;
    const gali_loop_buffer *sum = tile->sum.buffer, *x = tile->x.buffer;
    uint32_t first = sum->rank - 3; /* of rows */
    gali_loop_index last = gali_loop_extent(x, gali_loop_rank(x) ? gali_loop_rank(x) - 1 : 0);
    if (sum->role != GALI_LOOP_LOCAL || tile->sum.tested || tile->x.tested || sum->element != GALI_f32 ||
        x->element != GALI_f32 || (sum->rank != 3 && sum->rank != 4) || x->role != GALI_LOOP_INPUT ||
        gali_loop_rank(x) != 2 || tile->x.lanes != 1) {
        return gali_loop_refuse(c, "not as the kernel needs it", sum->name);
    }
    gali_loop_access end = tile->sum, x_end = tile->x;
    if (!gali_loop_check_bound(c, &tile->rows, &rows) || !gali_loop_check_bound(c, &tile->vectors, &vectors) ||
        !gali_loop_check_bound(c, &tile->inputs, &inputs) ||
        !gali_loop_check_bound(c, &tile->experts, &experts) || !gali_loop_check_bound(c, &last, &extent)) {
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
    return (fits || gali_loop_refuse(c, "sizes of a call", sum->name)) && gali_loop_check_access(c, &end) &&
           gali_loop_check_access(c, &x_end) && gali_loop_check_access(c, &tile->weights) &&
           check_panel(c, tile, experts.most, tile->sum.lanes);
}

/* Up to the end of the block, or to a let, which goes through the rest by itself. */
static int check_rest(checker *c, const gali_loop_statement *statement) {
    for (; statement; statement = statement->next) {
        c->at = statement;
        if (++c->visits > VISITS_MOST) {
            return gali_loop_refuse(c, "too many cases to verify", "");
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
        case GALI_LOOP_POINT:
            good = check_point(c, &statement->to, &statement->from);
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
    int good = c->depth <= 2 * GALI_LOOP_DEPTH_MAX ? check_rest(c, block) : gali_loop_refuse(c, "too deep", "");
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
            return gali_loop_refuse(c, "a layout's dimension", buffer->name);
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
        matched &= !buffer->extent[d].count && covered[d] + 1 >= gali_loop_size(&buffer->extent[d]);
    }
    size_t floats = matched ? gali_loop_pack_floats(buffer) : 0;
    return (matched && floats && floats < SIZE_MAX / sizeof(float)) ||
           gali_loop_refuse(c, "its layout does not hold it", buffer->name);
}

static int check_parameters(checker *c) {
    const gali_loop_function *f = c->function;
    for (uint32_t i = 0; i < f->parameters; i++) {
        const gali_loop_buffer *buffer = f->buffer[i];
        double elements = 1;
        if (buffer->rank > GALI_LOOP_RANK_MAX || buffer->role >= GALI_LOOP_LOCAL) {
            return gali_loop_refuse(c, "too many dimensions, or a local before a parameter", buffer->name);
        }
        for (uint32_t d = 0; d < buffer->rank; d++) {
            interval extent;
            if (!gali_loop_check_bound(c, &buffer->extent[d], &extent)) {
                return 0;
            }
            if (!gali_loop_check_sign(c, &buffer->extent[d], &extent) ||
                (buffer->role == GALI_LOOP_CONSTANT && buffer->extent[d].count)) {
                return gali_loop_refuse(c, "a dimension is negative or not a number", buffer->name);
            }
            elements *= (double)extent.most;
        }
        if (elements > (double)GALI_LOOP_ELEMENTS_MAX) {
            return gali_loop_refuse(c, "too many elements", buffer->name);
        }
        if (buffer->packed_rank && !check_layout(c, buffer)) {
            return 0;
        }
        c->made[i] = 1;
    }
    return 1;
}

/* Symbols in their ranges. */
static int check_symbols(checker *c) {
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        const gali_loop_variable *symbol = c->function->variable[i];
        if (symbol->least > symbol->most) {
            return gali_loop_refuse(c, "an empty range", symbol->name);
        }
        define(c, symbol, NULL, (interval){symbol->least, symbol->most});
    }
    return 1;
}

/* Sizes, from the symbols and those before. */
static int check_sizes(checker *c) {
    for (const gali_loop_statement *size = c->function->sizes; size; size = size->next) {
        interval value;
        c->at = size;
        c->known.defined[size->variable->id] = 0;
        if (size->cases || size->let == GALI_LOOP_LOOKUP || size->let == GALI_LOOP_CLAMP) {
            return gali_loop_refuse(c, "no size", size->variable->name);
        }
        if (!evaluate(c, size, &value)) {
            return 0;
        }
        define(c, size->variable, size, value);
    }
    c->at = NULL;
    return 1;
}

static int names_are_new(checker *c) {
    unsigned char seen[GALI_LOOP_VARIABLES_MAX] = {0};
    for (const gali_loop_statement *size = c->function->sizes; size; size = size->next) {
        if (size->variable->id < c->function->symbols || seen[size->variable->id]++) {
            return gali_loop_refuse(c, "defined twice", size->variable->name);
        }
    }
    return 1;
}

static int check_function(checker *c) {
    memset(c->made, 0, sizeof c->made);
    return check_sizes(c) && check_parameters(c) && check_block(c, c->function->body);
}

/* Values that the symbols together have; VISITS_MOST + 1 if there are more. */
static uint64_t combinations(const gali_loop_function *f) {
    uint64_t values = 1;
    for (uint32_t i = 0; i < f->symbols && values <= VISITS_MOST; i++) {
        values *= (uint64_t)f->variable[i]->most - f->variable[i]->least + 1;
    }
    return values <= VISITS_MOST ? values : VISITS_MOST + 1;
}

/* Steps to the next values of all symbols. */
static int next_values(checker *c) {
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        const gali_loop_variable *symbol = c->function->variable[i];
        int64_t value = c->known.value[i].least + 1;
        int more = value <= symbol->most;
        value = more ? value : symbol->least;
        c->known.value[i] = (interval){value, value};
        if (more) {
            return 1;
        }
    }
    return 0;
}

/* The function for each value of the symbols by itself. */
static int check_each(checker *c) {
    int good = 1;
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        c->known.value[i].most = c->known.value[i].least;
    }
    do {
        good = check_function(c);
    } while (good && next_values(c));
    return good;
}

static void forget(checker *c) {
    *c = (checker){.function = c->function, .error = c->error, .known.variables = c->function->variables};
}

gal_status gali_loop_verify(const gali_loop_function *function, gal_error *error) {
    gal_error unused = {0};
    checker c = {.function = function, .error = error};
    forget(&c);
    if (!names_are_new(&c) || !check_symbols(&c)) {
        return c.status;
    }
    int few = combinations(function) <= VISITS_MOST;
    c.error = few && function->symbols ? &unused : error; /* there it is not the last word */
    if (check_function(&c) || c.error == error) {
        return c.status;
    }
    c.error = error;
    forget(&c);
    if (check_symbols(&c)) {
        check_each(&c);
    }
    return c.status;
}
