/* What a statement reads and writes: indices within their buffers, values whose operands fit. */
#include "compiler/loop/verify.h"

#include <string.h>

#include "base/error.h"
#include "compiler/loop/words.h"

typedef gali_interval interval;
typedef gali_loop_checker checker;

int gali_loop_refuse(checker *c, const char *message, const char *name) {
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

int gali_loop_check_bound(checker *c, const gali_loop_index *index, interval *result) {
    *result = gali_interval_number(index->constant);
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_loop_term *term = &index->term[i];
        if (!c->known.defined[term->variable->id]) {
            return gali_loop_refuse(c, "not defined here", term->variable->name);
        }
        *result = gali_interval_add(
            *result, gali_interval_mul(gali_interval_number(term->scale), c->known.value[term->variable->id]));
    }
    int small =
        result->least >= -(int64_t)GALI_LOOP_ELEMENTS_MAX && result->most <= (int64_t)GALI_LOOP_ELEMENTS_MAX;
    return small || gali_loop_refuse(c, "too large", "an index");
}

int gali_loop_check_sign(checker *c, const gali_loop_index *index, const interval *value) {
    return value->least >= 0 || gali_loop_prove(&c->known, index);
}

/* Whether index + more <= end. */
static int ends_before(checker *c, const gali_loop_index *index, int64_t more, const gali_loop_index *end) {
    gali_loop_index left = *end;
    left.constant -= more;
    return gali_loop_index_add(&left, index, -1) && gali_loop_prove(&c->known, &left);
}

static int check_dimension(checker *c, const gali_loop_access *access, uint32_t d, int last) {
    interval at, extent;
    gali_loop_index whole = gali_loop_extent(access->buffer, d);
    if (!gali_loop_check_bound(c, &access->index[d], &at) || !gali_loop_check_bound(c, &whole, &extent)) {
        return 0;
    }
    if (access->tested >> d & 1) {
        return access->lanes == 1 || !last ||
               gali_loop_refuse(c, "a marked index has no lanes", access->buffer->name);
    }
    /* A local's dimension may be a case or a part: it is made as large as the largest. */
    int local = access->buffer->role == GALI_LOOP_LOCAL, partial = !local && !access->buffer->packed_rank;
    int64_t more = !last ? 1 : access->first ? access->first : partial ? 1 : access->lanes;
    int inside = at.most + more <= (local ? extent.most : extent.least) ||
                 ends_before(c, &access->index[d], more, &whole);
    return (inside || gali_loop_refuse(c, "an index past the end", access->buffer->name)) &&
           (gali_loop_check_sign(c, &access->index[d], &at) ||
            gali_loop_refuse(c, "a negative index", access->buffer->name));
}

int gali_loop_check_access(checker *c, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    uint32_t rank = gali_loop_rank(buffer);
    if (!c->made[buffer->id]) {
        return gali_loop_refuse(c, "not made here", buffer->name);
    }
    if (access->lanes < 1 || access->lanes > GALI_LOOP_LANES_MAX ||
        (access->lanes > 1 && (!rank || buffer->element != GALI_f32))) {
        return gali_loop_refuse(c, "lanes", buffer->name);
    }
    const int written = buffer->role == GALI_LOOP_OUTPUT || buffer->role == GALI_LOOP_TEMPORARY;
    if (access->first && (access->first >= access->lanes || !written)) {
        return gali_loop_refuse(c, "lanes of a store to memory are fewer than all", buffer->name);
    }
    if (access->tested >> rank || (access->tested && buffer->packed_rank)) {
        return gali_loop_refuse(c, "a marked index of a dimension that it has not, or of a layout",
                                buffer->name);
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (!check_dimension(c, access, d, d + 1 == rank)) {
            return 0;
        }
    }
    return 1;
}

/* ---- values ---- */

/* The value as an index; 0 if it is none. */
static int as_index(const gali_loop_value *value, gali_loop_index *index) {
    gali_loop_index other;
    *index = gali_loop_number(0);
    switch (value->op) {
    case GALI_VALUE_AT:
        *index = value->at;
        return 1;
    case GALI_VALUE_CONSTANT:
        index->constant = value->whole;
        return value->element == GALI_i64 && value->whole >= -GALI_LOOP_EXTENT_MAX &&
               value->whole <= GALI_LOOP_EXTENT_MAX;
    case GALI_VALUE_ADD:
    case GALI_VALUE_SUB:
        return as_index(value->operand[0], index) && as_index(value->operand[1], &other) &&
               gali_loop_index_add(index, &other, value->op == GALI_VALUE_ADD ? 1 : -1);
    default:
        return 0;
    }
}

static void add_fact(checker *c, const gali_loop_index *less, const gali_loop_index *more, int64_t gap) {
    gali_loop_index fact = *more;
    fact.constant -= gap;
    if (c->known.facts < GALI_PROVE_FACTS_MAX && gali_loop_index_add(&fact, less, -1)) {
        c->known.fact[c->known.facts++] = fact;
    }
}

/* What follows for indices where a truth value is `is`. */
static void add_facts(checker *c, const gali_loop_value *truth, int is) {
    gali_loop_index a, b;
    if (truth->op == GALI_VALUE_NOT) {
        add_facts(c, truth->operand[0], !is);
    } else if (truth->op == (is ? GALI_VALUE_AND : GALI_VALUE_OR)) {
        add_facts(c, truth->operand[0], is);
        add_facts(c, truth->operand[1], is);
    } else if ((truth->op == GALI_VALUE_LESS || truth->op == GALI_VALUE_LESS_EQUAL) &&
               as_index(truth->operand[0], &a) && as_index(truth->operand[1], &b)) {
        int strict = truth->op == GALI_VALUE_LESS;
        add_fact(c, is ? &a : &b, is ? &b : &a, is ? strict : !strict);
    }
}

/* A select: what it chooses is read where it is chosen alone. */
static int check_select(checker *c, const gali_loop_value *select, uint32_t lanes, uint32_t depth) {
    uint32_t facts = c->known.facts;
    if (!gali_loop_check_value(c, select->operand[0], lanes, depth)) {
        return 0;
    }
    for (uint32_t i = 1; i < 3; i++) {
        add_facts(c, select->operand[0], i == 1);
        int good = gali_loop_check_value(c, select->operand[i], lanes, depth);
        c->known.facts = facts;
        if (!good) {
            return 0;
        }
    }
    return select->operand[0]->element == GALI_truth ||
           gali_loop_refuse(c, "chooses by something else than a truth value", "select");
}

static int check_load(checker *c, const gali_loop_value *value, uint32_t lanes, uint32_t depth) {
    const gali_loop_access *load = &value->load;
    if (load->lanes != 1 && load->lanes != lanes) {
        return gali_loop_refuse(c, "lanes differ", load->buffer->name);
    }
    if (load->first) {
        return gali_loop_refuse(c, "stores alone are of the first lanes", load->buffer->name);
    }
    if (value->element != gali_loop_computed(load->buffer->element)) {
        return gali_loop_refuse(c, "a load of another element", load->buffer->name);
    }
    if (!load->tested != !value->operand[0]) {
        return gali_loop_refuse(c, "a marked index and an `else` go together", load->buffer->name);
    }
    return gali_loop_check_access(c, load) &&
           (!load->tested || gali_loop_check_value(c, value->operand[0], lanes, depth + 1));
}

/* Whether an operation has operands of that element. */
static int has_element(const char *kinds, gali_element element) {
    static const char of[] = {
        [GALI_REAL] = 'R', [GALI_SIGNED] = 'I', [GALI_UNSIGNED] = 'I', [GALI_TRUTH] = 'T'};
    return (*kinds == 'F' && element == GALI_f32) || strchr(kinds, of[gali_element_list[element].kind]);
}

/* The operands' elements, those of a select's first apart, are the same, and the operation has them. */
static int check_elements(checker *c, const gali_loop_value *value) {
    const gali_loop_op_facts *op = &gali_loop_ops[value->op];
    uint32_t first = value->op == GALI_VALUE_SELECT, arity = gali_loop_arity(value);
    int good = gali_loop_computed(value->element) == value->element;
    for (uint32_t i = first; i < arity; i++) {
        gali_element element = value->operand[i]->element;
        int same = element == value->operand[first]->element || value->op == GALI_VALUE_CAST;
        int result = op->truth || value->op == GALI_VALUE_CAST || element == value->element;
        good &= same && result && has_element(op->kinds, element);
    }
    good &= !op->truth || value->element == GALI_truth;
    return good || gali_loop_refuse(c, "operands of other elements", *op->name ? op->name : "a value");
}

int gali_loop_check_value(checker *c, const gali_loop_value *value, uint32_t lanes, uint32_t depth) {
    interval any;
    if (depth > GALI_LOOP_DEPTH_MAX) {
        return gali_loop_refuse(c, "too deep", "value");
    }
    lanes = gali_loop_is_uniform(value) ? 1 : lanes;
    int word = *gali_loop_ops[value->op].vector || value->op == GALI_VALUE_LOAD;
    int element = value->element == GALI_f32 || (value->element == GALI_truth && value->op != GALI_VALUE_LOAD);
    if (lanes > 1 && (!word || !element)) {
        return gali_loop_refuse(c, "has no word in vectors",
                                *gali_loop_ops[value->op].name ? gali_loop_ops[value->op].name : "a value");
    }
    switch (value->op) {
    case GALI_VALUE_LOAD:
        return check_load(c, value, lanes, depth) && check_elements(c, value);
    case GALI_VALUE_AT:
        return gali_loop_check_bound(c, &value->at, &any) &&
               (value->element == GALI_i64 || gali_loop_refuse(c, "is an i64", "at"));
    case GALI_VALUE_SELECT:
        return check_select(c, value, lanes, depth + 1) && check_elements(c, value);
    default:
        break;
    }
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        if (!gali_loop_check_value(c, value->operand[i], lanes, depth + 1)) {
            return 0;
        }
    }
    return check_elements(c, value);
}
