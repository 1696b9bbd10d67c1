/*
 * From the outputs back: each value that is needed is either linear, and then the algebra of sums of products
 * (sums.h) says what it is, or known by its values (identify.h), and then what it is a function of becomes a
 * layer with that activation. Nothing here knows a spelling.
 *
 * Of a product of two rows one must be a blend: the softmax of something, a spline of a phase, or the input of the
 * graph that goes into such products the most. Products of other rows become layers that multiply.
 *
 * Normalisation is found by looking and kept by algebra: x is declared to be xn std + mean, so that what the graph does
 * with x is right whatever it is, and (x - mean) / std comes out as xn.
 */
#include "recognise/recognise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recognise/identify.h"
#include "recognise/parts.h"

typedef struct recogniser {
    gali_form *form;
    gali_recognised *network;
    gali_algebra *algebra;
    unsigned char *needed;            /* [values] */
    gali_identity *identities;        /* [values] */
    gali_sum **values;                /* [values] */
    uint32_t blend_port;              /* of the caller's blend, or input_count */
    uint32_t outputs[GALI_PORTS_MAX]; /* values, before the normalisation's last part is undone */
} recogniser;

static int fail_at(const recogniser *r, const char *place, const char *why) {
    return gali_allowance_fail(r->form->allowance, GAL_BAD_DATA, "%s: %s", place, why);
}

/* ---- what is needed ---- */

static int mark_needed(recogniser *r) {
    gali_form *f = r->form;
    for (uint32_t i = f->graph->value_count; i-- > 0;) {
        const gali_maker maker = gali_maker_of(f, i);
        gali_identity *identity = &r->identities[i];
        int moves =
            maker.kind != GALI_MAKER_PRODUCT && maker.kind != GALI_MAKER_ADD && gali_maker_is_linear(&maker);
        if (!r->needed[i] || maker.kind == GALI_MAKER_GIVEN ||
            (maker.constant && !gali_maker_is_linear(&maker))) {
            continue;
        }
        if (!maker.constant && !moves && !gali_identify(f, i, identity)) {
            return 0;
        }
        if (identity->what != GALI_WHAT_UNKNOWN) {
            r->needed[identity->base] |= identity->what != GALI_WHAT_PHASE_GATE;
            continue;
        }
        if (!gali_maker_is_linear(&maker)) {
            return fail_at(r, gali_form_place(f, i), "neither linear nor an activation that a layer can have");
        }
        if (maker.count == 0) {
            return fail_at(r, gali_form_place(f, i), "a tensor without numbers");
        }
        for (uint32_t o = 0; o < maker.operand_count; o++) { /* joining skips parts of no size */
            r->needed[maker.operands[o]] |=
                maker.kind != GALI_MAKER_CONCAT || gali_form_count(f, maker.operands[o]) > 0;
        }
    }
    return 1;
}

/* The input that goes, with nothing added and nothing nonlinear on the way, into the most products of rows. */
static uint32_t find_blend_port(const recogniser *r, uint32_t *ways) {
    const gali_form *f = r->form;
    uint32_t scores[GALI_PORTS_MAX] = {0}, best = f->input_count;
    for (uint32_t i = 0; i < f->graph->value_count; i++) {
        const gali_maker maker = gali_maker_of(f, i);
        ways[i] = 0;
        for (uint32_t port = 0; port < f->input_count; port++) {
            ways[i] |= f->inputs[port].value == i ? 1u << port : 0;
        }
        if (!r->needed[i] || !gali_maker_is_linear(&maker) || r->identities[i].what != GALI_WHAT_UNKNOWN) {
            continue;
        }
        const uint32_t *operands = maker.operands;
        int both = maker.kind == GALI_MAKER_PRODUCT && maker.operand_count == 2 &&
                   !f->values[operands[0]].constant && !f->values[operands[1]].constant;
        int shifted = maker.kind == GALI_MAKER_ADD &&
                      (f->values[operands[0]].constant || f->values[operands[1]].constant);
        for (uint32_t o = 0; o < maker.operand_count; o++) {
            ways[i] |= both || shifted ? 0 : ways[operands[o]];
        }
        for (uint32_t port = 0; both && port < f->input_count; port++) {
            scores[port] += ((ways[operands[0]] ^ ways[operands[1]]) >> port) & 1;
        }
    }
    for (uint32_t port = 0; port < f->input_count && f->input_count > 1; port++) {
        int phase = 0;
        for (uint32_t i = 0; i < f->graph->value_count; i++) {
            phase |= r->identities[i].what == GALI_WHAT_PHASE_GATE;
        }
        int better = best == f->input_count || scores[port] > scores[best] ||
                     (scores[port] == scores[best] && f->inputs[port].width < f->inputs[best].width);
        int fits = f->inputs[port].width > 1 && f->inputs[port].width <= GALI_EXPERTS_MAX;
        if (!phase && scores[port] > 0 && fits && better) {
            best = port;
        }
    }
    return best;
}

/* ---- normalisation ---- */

/* The constant operand of a maker with two, if the other one is `other`. */
static int constant_beside(const gali_form *f, const gali_maker *maker, uint32_t other) {
    for (uint32_t o = 0; o < 2 && maker->operand_count == 2; o++) {
        if (maker->operands[o] == other && f->values[maker->operands[1 - o]].constant) {
            return (int)maker->operands[1 - o];
        }
    }
    return GALI_ABSENT;
}

/* The needed value of a kind of maker, with nothing summed, that joins `other` to a constant; its constant operand. */
static int find_affine(const recogniser *r, gali_maker_kind kind, uint32_t other, uint32_t *found) {
    const gali_form *f = r->form;
    for (uint32_t i = other + 1; i < f->graph->value_count; i++) {
        const gali_maker maker = gali_maker_of(f, i);
        if (maker.kind != kind || !r->needed[i] || maker.count != gali_form_count(f, other) ||
            r->identities[i].what != GALI_WHAT_UNKNOWN) {
            continue;
        }
        int constant = constant_beside(f, &maker, other);
        if (constant != GALI_ABSENT) {
            *found = i;
            return constant;
        }
    }
    return GALI_ABSENT;
}

/* One number a feature of a constant that has one, `width` or rows of them; 0 where it has not. */
static int read_row(recogniser *r, int constant, size_t width, double *to) {
    const gali_form *f = r->form;
    size_t count = gali_form_count(f, (uint32_t)constant);
    if (count != 1 && count != width && count != width * f->batch) {
        return 0;
    }
    gali_array array = gali_form_numbers(r->form, (uint32_t)constant);
    if (array.data) {
        gali_array_load(&array, 0, count == 1 ? 0 : 1, width, to);
    }
    return array.data != NULL;
}

static int all_positive(const double *row, size_t width) {
    for (size_t i = 0; i < width; i++) {
        float narrow = (float)row[i], inverse = (float)(1 / row[i]);
        if (!(narrow > 0) || !isfinite(narrow) || !(inverse > 0) || !isfinite(inverse)) {
            return 0;
        }
    }
    return 1;
}

/* How an input is normalised: (x + shift) * factor, by constants, either of them GALI_ABSENT. */
typedef struct affine {
    int shift, factor;
} affine;

/* mean and std of an input port, at its place in x. */
static affine find_input_norm(recogniser *r, const gali_port *port, size_t at) {
    gali_recognised *n = r->network;
    uint32_t last = port->value;
    double *mean = n->input_mean + at, *std = n->input_std + at;
    affine found = {find_affine(r, GALI_MAKER_ADD, last, &last), GALI_ABSENT};
    found.factor = find_affine(r, GALI_MAKER_PRODUCT, last, &last);
    int good = found.shift == GALI_ABSENT || read_row(r, found.shift, port->width, mean);
    good = good && (found.factor == GALI_ABSENT || read_row(r, found.factor, port->width, std));
    if (!good || (found.factor != GALI_ABSENT && !all_positive(std, port->width))) {
        found = (affine){GALI_ABSENT, GALI_ABSENT};
    }
    for (size_t i = 0; i < port->width; i++) {
        mean[i] = found.shift == GALI_ABSENT ? 0 : -mean[i];
        std[i] = found.factor == GALI_ABSENT ? 1 : 1 / std[i];
    }
    n->input_normalised |= found.factor != GALI_ABSENT || found.shift != GALI_ABSENT;
    return found;
}

/* y = v factor + shift at an output: keeps both and returns v; else the output itself. */
static uint32_t find_output_norm(recogniser *r, const gali_port *port, size_t at) {
    const gali_form *f = r->form;
    gali_recognised *n = r->network;
    double *mean = n->output_mean + at, *std = n->output_std + at;
    gali_identity known;
    uint32_t inner = port->value;
    int shift = GALI_ABSENT, factor = GALI_ABSENT;
    for (size_t i = 0; i < port->width; i++) {
        mean[i] = 0;
        std[i] = 1;
    }
    if (!gali_identify(r->form, inner, &known) || known.what != GALI_WHAT_UNKNOWN) {
        return port->value;
    }
    for (uint32_t round = 0; round < 2; round++) {
        const gali_maker maker = gali_maker_of(f, inner);
        gali_maker_kind kind = round ? GALI_MAKER_PRODUCT : GALI_MAKER_ADD;
        for (uint32_t o = 0; maker.kind == kind && maker.operand_count == 2 && o < 2; o++) {
            const gali_maker operand = gali_maker_of(f, maker.operands[o]);
            int beside = constant_beside(f, &maker, maker.operands[o]);
            if (!operand.constant && beside != GALI_ABSENT && operand.count == maker.count) {
                *(round ? &factor : &shift) = beside;
                inner = maker.operands[o];
                break;
            }
        }
    }
    double *row = gali_allowance_take(f->allowance, 2 * port->width * sizeof *row),
           *shifts = row ? row + port->width : NULL;
    int good = row && factor != GALI_ABSENT && read_row(r, factor, port->width, row) &&
               (shift == GALI_ABSENT || read_row(r, shift, port->width, shifts)) &&
               all_positive(row, port->width);
    if (!good) {
        return port->value;
    }
    memcpy(std, row, port->width * sizeof *row);
    memcpy(mean, shifts, port->width * sizeof *row);
    n->output_normalised = 1;
    return inner;
}

/* ---- values ---- */

/* (row std + mean) of an input of the graph. */
static gali_sum *port_value(recogniser *r, uint32_t port, size_t at, const affine *norm) {
    const gali_form *f = r->form;
    uint32_t leaf = r->network->x;
    gali_sum *v = gali_sum_leaf(r->algebra, leaf, gali_form_type(f, f->inputs[port].value));
    if (!v) {
        return NULL;
    }
    gali_term *term = &v->terms[0];
    *term = gali_row_term(v, leaf, r->algebra->leaves[leaf].width, (uint32_t)at);
    if (norm->factor != GALI_ABSENT) {
        gali_leaf std = {.array = {GALI_f64, r->network->input_std + at}};
        const gali_sum *factor = r->values[norm->factor];
        if (factor && factor->term_count == 1 && factor->terms[0].factor_count == 1) {
            std.inverse = factor->terms[0].factors[0].leaf + 1;
        }
        int number = gali_leaf_add(r->algebra, &std);
        term->factors[1] = term->factors[0];
        term->factors[1].leaf = (uint32_t)number;
        term->factors[1].at = 0;
        for (uint32_t i = 0; i < v->own_count; i++) {
            term->factors[1].own[i] = v->batch[i] ? 0 : term->factors[1].own[i];
        }
        term->factor_count = 2;
    }
    if (norm->shift != GALI_ABSENT) {
        gali_sum *shift = r->values[norm->shift];
        gali_maker sum = {.kind = GALI_MAKER_ADD, .operand_count = 2};
        gali_sum *minus = shift ? gali_sum_like(r->algebra, shift, shift->term_count) : NULL;
        for (uint32_t t = 0; minus && t < shift->term_count; t++) {
            minus->terms[minus->term_count] = shift->terms[t];
            minus->terms[minus->term_count++].scale *= -1;
        }
        gali_sum *both[2] = {v, minus};
        v = minus ? gali_sum_of(r->algebra, f, &sum, both) : NULL;
    }
    return v;
}

/* The caller's blend, or a phase's. */
static gali_sum *gate_value(recogniser *r, uint32_t port, uint32_t value, gal_gate_kind kind) {
    gali_recognised *n = r->network;
    const gali_form *f = r->form;
    if (n->gate_leaf != GALI_ABSENT && n->gate_port != (int)port) {
        fail_at(r, r->algebra->place, "a second gate");
        return NULL;
    }
    if (n->gate_leaf == GALI_ABSENT) {
        gali_leaf leaf = {.row = 1, .width = (uint32_t)(gali_form_count(f, value) / f->batch), .gate = 1};
        leaf.part = GALI_ABSENT;
        n->gate_leaf = gali_leaf_add(r->algebra, &leaf);
        n->gate_port = (int)port;
        n->gate = kind;
    }
    return n->gate_leaf == GALI_ABSENT
               ? NULL
               : gali_sum_leaf(r->algebra, (uint32_t)n->gate_leaf, gali_form_type(f, value));
}

/* v in the shape that a product with w gives. */
static gali_sum *broadcast(recogniser *r, const gali_maker *maker, gali_sum *const *operands, uint32_t which) {
    gali_sum *other = gali_sum_like(r->algebra, operands[1 - which], 1);
    gali_sum *both[2] = {other, other};
    if (!other) {
        return NULL;
    }
    gali_term *one = &other->terms[other->term_count++];
    one->scale = 1;
    for (uint32_t i = 0; i < other->own_count; i++) {
        one->high[i] = other->size[i];
    }
    both[which] = operands[which];
    return gali_sum_of(r->algebra, r->form, maker, both);
}

/* A product of two rows of which none is a blend. */
static gali_sum *multiply_rows(recogniser *r, const gali_maker *maker, gali_sum *const *operands) {
    gali_part part = {.kind = GALI_LAYER_MUL, .slice_count = 2, .place = r->algebra->place};
    gali_row_slice made;
    gali_sum *v = NULL;
    for (uint32_t o = 0; o < 2; o++) {
        v = broadcast(r, maker, operands, o);
        if (v && gali_sum_features(v) * r->form->batch != maker->count) {
            fail_at(r, r->algebra->place, "a sum over products of two rows, of which none is a blend");
            return NULL;
        }
        if (!v || !gali_part_row(r->network, v, &part.slices[o])) {
            return NULL;
        }
    }
    part.width = (uint32_t)gali_sum_features(v);
    return gali_part_add(r->network, &part, &made) ? gali_sum_row(r->network, v, &made) : NULL;
}

static int sums_nothing(const gali_form *f, const gali_maker *maker) {
    int all = 1;
    for (uint32_t o = 0; o < maker->operand_count; o++) {
        const gali_maker operand = gali_maker_of(f, maker->operands[o]);
        for (uint32_t i = 0; i < operand.rank; i++) {
            all &= operand.shape[i] == 1 || memchr(maker->out, maker->labels[o][i], maker->rank) != NULL;
        }
    }
    return all;
}

static gali_sum *linear_value(recogniser *r, const gali_maker *maker) {
    gali_sum **operands = gali_allowance_take(r->form->allowance, (maker->operand_count + 1) * sizeof(void *));
    for (uint32_t o = 0; operands && o < maker->operand_count; o++) {
        operands[o] = r->values[maker->operands[o]];
        if (!operands[o] && maker->kind != GALI_MAKER_CONCAT) {
            return NULL;
        }
    }
    if (!operands) {
        return NULL;
    }
    if (maker->kind == GALI_MAKER_PRODUCT && maker->operand_count == 2 &&
        !gali_part_blends(r->network, operands[0], operands[1])) {
        if (sums_nothing(r->form, maker)) {
            return multiply_rows(r, maker, operands);
        }
        fail_at(r, r->algebra->place, "a sum over products of rows, of which none is a blend");
        return NULL;
    }
    gali_sum *v = gali_sum_of(r->algebra, r->form, maker, operands);
    return v && maker->kind == GALI_MAKER_ADD ? gali_part_sum(r->network, v) : v;
}

/* What a value known by its values makes: a layer of its base. */
static gali_sum *identity_value(recogniser *r, uint32_t index) {
    const gali_identity *identity = &r->identities[index];
    const gali_sum *base = r->values[identity->base];
    gali_row_slice made;
    int rows = identity->what == GALI_WHAT_LAYER_NORM || identity->activation == GALI_ACTIVATION_SOFTMAX;
    if (rows && (base->rank == 0 || gali_sum_features(base) != base->shape[base->rank - 1])) {
        fail_at(r, r->algebra->place, "over a part of the features");
        return NULL;
    }
    if (identity->what == GALI_WHAT_LAYER_NORM) {
        gali_part part = {.kind = GALI_LAYER_LAYER_NORM, .epsilon = identity->epsilon, .slice_count = 1};
        part.place = r->algebra->place;
        part.width = (uint32_t)gali_sum_features(base);
        return gali_part_row(r->network, base, &part.slices[0]) && gali_part_add(r->network, &part, &made)
                   ? gali_sum_row(r->network, base, &made)
                   : NULL;
    }
    return gali_part_apply(r->network, base, identity->activation, identity->slope, &made)
               ? gali_sum_row(r->network, base, &made)
               : NULL;
}

static int constant_value(recogniser *r, uint32_t index) {
    const gali_maker maker = gali_maker_of(r->form, index);
    if (gali_maker_is_linear(&maker) && !r->form->values[index].array.data) {
        r->values[index] = linear_value(r, &maker);
        return r->values[index] != NULL;
    }
    gali_leaf leaf = {.array = gali_form_numbers(r->form, index)};
    int number = leaf.array.data ? gali_leaf_add(r->algebra, &leaf) : GALI_ABSENT;
    if (number != GALI_ABSENT) {
        r->values[index] = gali_sum_leaf(r->algebra, (uint32_t)number, gali_form_type(r->form, index));
    }
    return r->values[index] != NULL;
}

static uint32_t port_of(const gali_form *f, uint32_t value) {
    uint32_t port = 0;
    while (port < f->input_count && f->inputs[port].value != value) {
        port++;
    }
    return port;
}

static int port_values(recogniser *r, const affine *norms) {
    const gali_form *f = r->form;
    size_t at = 0;
    for (uint32_t port = 0; port < f->input_count; port++) {
        uint32_t value = f->inputs[port].value;
        if ((int)port == r->network->gate_port) {
            if (r->needed[value] && port != r->blend_port) {
                return fail_at(r, "graph", "an input that is a phase and a feature at once");
            }
            continue;
        }
        r->values[value] = port_value(r, port, at, &norms[port]);
        at += f->inputs[port].width;
        if (!r->values[value]) {
            return 0;
        }
    }
    return 1;
}

static int other_values(recogniser *r) {
    const gali_form *f = r->form;
    for (uint32_t i = 0; i < f->graph->value_count; i++) {
        const gali_maker maker = gali_maker_of(f, i);
        const gali_identity *identity = &r->identities[i];
        if (!r->needed[i] || maker.constant || r->values[i]) {
            continue;
        }
        r->algebra->place = gali_form_place(f, i);
        r->values[i] = identity->what == GALI_WHAT_PHASE_GATE
                           ? gate_value(r, port_of(f, identity->base), i, identity->gate)
                       : identity->what != GALI_WHAT_UNKNOWN ? identity_value(r, i)
                                                             : linear_value(r, &maker);
        if (!r->values[i]) {
            return 0;
        }
    }
    return 1;
}

/* ---- the whole ---- */

/* The gate's port and width before x is laid out: what is left is x. */
static int find_gate(recogniser *r) {
    gali_form *f = r->form;
    gali_recognised *n = r->network;
    for (uint32_t i = 0; i < f->graph->value_count; i++) {
        if (r->needed[i] && r->identities[i].what == GALI_WHAT_PHASE_GATE) {
            r->algebra->place = gali_form_place(f, i);
            r->values[i] = gate_value(r, port_of(f, r->identities[i].base), i, r->identities[i].gate);
            if (!r->values[i]) {
                return 0;
            }
        }
    }
    if (r->blend_port < f->input_count) {
        uint32_t value = f->inputs[r->blend_port].value;
        r->values[value] = gate_value(r, r->blend_port, value, GAL_GATE_CALLER);
        return r->values[value] != NULL;
    }
    n->gate = n->gate_leaf == GALI_ABSENT ? GAL_GATE_CALLER : n->gate;
    return 1;
}

static int lay_out_x(recogniser *r) {
    const gali_form *f = r->form;
    gali_recognised *n = r->network;
    size_t width = 0, outputs = 0;
    for (uint32_t i = 0; i < f->input_count; i++) {
        width += (int)i == n->gate_port ? 0 : f->inputs[i].width;
    }
    for (uint32_t i = 0; i < f->output_count; i++) {
        outputs += f->outputs[i].width;
    }
    if (width == 0 || width > GALI_WIDTH_MAX || outputs > GALI_WIDTH_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "%zu inputs and %zu outputs, 1..%d expected",
                                   width, outputs, GALI_WIDTH_MAX);
    }
    gali_leaf leaf = {.row = 1, .width = (uint32_t)width, .part = GALI_ABSENT};
    int number = gali_leaf_add(r->algebra, &leaf);
    n->x = (uint32_t)number;
    n->input_mean = gali_allowance_take(f->allowance, 2 * width * sizeof(double));
    if (number == GALI_ABSENT || !n->input_mean) {
        return 0;
    }
    n->input_std = n->input_mean + width;
    return 1;
}

static int join_outputs(recogniser *r) {
    const gali_form *f = r->form;
    gali_recognised *n = r->network;
    gali_part joined = {.kind = GALI_LAYER_CONCAT, .slice_count = f->output_count, .place = "graph"};
    gali_row_slice made;
    for (uint32_t i = 0; i < f->output_count; i++) {
        const gali_sum *v = r->values[r->outputs[i]];
        r->algebra->place = gali_form_place(f, r->outputs[i]);
        if (!gali_part_row(r->network, v, &joined.slices[i])) {
            return 0;
        }
        joined.width += joined.slices[i].count;
    }
    const gali_leaf *leaf = &r->algebra->leaves[joined.slices[0].leaf];
    int whole = f->output_count == 1 && leaf->part != GALI_ABSENT && leaf->width == joined.width;
    if (!whole && !gali_part_add(r->network, &joined, &made)) {
        return 0;
    }
    n->output = whole ? (uint32_t)leaf->part : n->part_count - 1;
    return 1;
}

static int prepare(recogniser *r) {
    gali_form *f = r->form;
    r->needed = gali_allowance_take(f->allowance, f->graph->value_count);
    r->identities = gali_allowance_take(f->allowance, f->graph->value_count * sizeof *r->identities);
    r->values = gali_allowance_take(f->allowance, f->graph->value_count * sizeof *r->values);
    return r->needed && r->identities && r->values;
}

static int recognise(recogniser *r) {
    gali_form *f = r->form;
    gali_recognised *n = r->network;
    affine norms[GALI_PORTS_MAX];
    size_t at = 0;
    if (!find_gate(r) || !lay_out_x(r)) {
        return 0;
    }
    for (uint32_t i = 0; i < f->input_count; i++) {
        if ((int)i != n->gate_port) {
            norms[i] = find_input_norm(r, &f->inputs[i], at);
            at += f->inputs[i].width;
        }
    }
    for (uint32_t i = 0; i < f->graph->value_count; i++) {
        r->algebra->place = gali_form_place(f, i);
        if (r->needed[i] && f->values[i].constant && !constant_value(r, i)) {
            return 0;
        }
    }
    return port_values(r, norms) && other_values(r) && join_outputs(r);
}

int gali_recognise(gali_form *f, int may_blend, gali_recognised *n) {
    recogniser r = {.form = f, .network = n, .algebra = &n->algebra};
    *n = (gali_recognised){.algebra = {.allowance = f->allowance, .batch = f->batch, .place = "graph"}};
    n->gate_leaf = n->gate_port = GALI_ABSENT;
    size_t width = 0, at = 0;
    for (uint32_t i = 0; i < f->output_count; i++) {
        width += f->outputs[i].width;
    }
    n->output_mean = gali_allowance_take(f->allowance, 2 * width * sizeof(double));
    if (!n->output_mean || !prepare(&r)) {
        return 0;
    }
    n->output_std = n->output_mean + width;
    for (uint32_t i = 0; i < f->output_count; i++) {
        r.outputs[i] = find_output_norm(&r, &f->outputs[i], at);
        r.needed[r.outputs[i]] = 1;
        at += f->outputs[i].width;
    }
    uint32_t *ways = gali_allowance_take(f->allowance, f->graph->value_count * sizeof *ways);
    if (f->allowance->status != GAL_OK || !ways || !mark_needed(&r)) {
        return 0;
    }
    r.blend_port = may_blend ? find_blend_port(&r, ways) : f->input_count;
    return recognise(&r);
}
