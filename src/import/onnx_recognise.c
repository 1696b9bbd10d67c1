/*
 * From the outputs back: each step that is needed is either linear, and then the algebra of sums of products
 * (onnx_sums.h) says what it is, or known by its values (onnx_identify.h), and then what it is a function of becomes a
 * layer with that activation. Nothing here knows a spelling.
 *
 * Of a product of two rows one must be a blend: the softmax of something, a spline of a phase, or the input of the
 * graph that goes into such products the most. Products of other rows become layers that multiply.
 *
 * Normalisation is found by looking and kept by algebra: x is declared to be xn std + mean, so that what the graph does
 * with x is right whatever it is, and (x - mean) / std comes out as xn.
 */
#include "import/onnx_recognise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx_identify.h"
#include "import/onnx_parts.h"

typedef struct recogniser {
    gali_onnx_program *program;
    gali_onnx_network *network;
    gali_onnx_algebra *algebra;
    unsigned char *needed;                  /* [steps] */
    gali_onnx_identity *identities;         /* [steps] */
    gali_onnx_value **values;               /* [steps] */
    uint32_t blend_port;                    /* of the caller's blend, or input_count */
    uint32_t outputs[GALI_ONNX_INPUTS_MAX]; /* steps, before the normalisation's last part is undone */
} recogniser;

static int fail_at(const recogniser *r, const char *place, const char *why) {
    return gali_onnx_fail(r->program->onnx, GAL_BAD_DATA, "%s: %s", place, why);
}

static int is_linear(const gali_onnx_step *step) {
    switch (step->kind) {
    case GALI_ONNX_RESHAPE:
    case GALI_ONNX_PERMUTE:
    case GALI_ONNX_EXPAND:
    case GALI_ONNX_SLICE:
    case GALI_ONNX_CONCAT:
    case GALI_ONNX_PRODUCT:
    case GALI_ONNX_ADD:
        return 1;
    default:
        return 0;
    }
}

/* ---- what is needed ---- */

static int mark_needed(recogniser *r) {
    gali_onnx_program *p = r->program;
    for (uint32_t i = p->count; i-- > 0;) {
        const gali_onnx_step *step = &p->steps[i];
        gali_onnx_identity *identity = &r->identities[i];
        int moves = step->kind != GALI_ONNX_PRODUCT && step->kind != GALI_ONNX_ADD && is_linear(step);
        if (!r->needed[i] || step->kind == GALI_ONNX_INPUT || (step->constant && !is_linear(step))) {
            continue;
        }
        if (!step->constant && !moves && !gali_onnx_identify(p, i, identity)) {
            return 0;
        }
        if (identity->what != GALI_ONNX_UNKNOWN) {
            r->needed[identity->base] |= identity->what != GALI_ONNX_PHASE_GATE;
            continue;
        }
        if (!is_linear(step)) {
            return fail_at(r, gali_onnx_place(p, i), "neither linear nor an activation that a layer can have");
        }
        if (step->count == 0) {
            return fail_at(r, gali_onnx_place(p, i), "a tensor without numbers");
        }
        for (uint32_t o = 0; o < step->operand_count; o++) { /* joining skips parts of no size */
            r->needed[step->operands[o]] |=
                step->kind != GALI_ONNX_CONCAT || p->steps[step->operands[o]].count > 0;
        }
    }
    return 1;
}

/* The input that goes, with nothing added and nothing nonlinear on the way, into the most products of rows. */
static uint32_t find_blend_port(const recogniser *r, uint32_t *ways) {
    const gali_onnx_program *p = r->program;
    uint32_t scores[GALI_ONNX_INPUTS_MAX] = {0}, best = p->input_count;
    for (uint32_t i = 0; i < p->count; i++) {
        const gali_onnx_step *step = &p->steps[i];
        ways[i] = 0;
        for (uint32_t port = 0; port < p->input_count; port++) {
            ways[i] |= p->inputs[port].step == i ? 1u << port : 0;
        }
        if (!r->needed[i] || !is_linear(step) || r->identities[i].what != GALI_ONNX_UNKNOWN) {
            continue;
        }
        const uint32_t *operands = step->operands;
        int both = step->kind == GALI_ONNX_PRODUCT && step->operand_count == 2 &&
                   !p->steps[operands[0]].constant && !p->steps[operands[1]].constant;
        int shifted =
            step->kind == GALI_ONNX_ADD && (p->steps[operands[0]].constant || p->steps[operands[1]].constant);
        for (uint32_t o = 0; o < step->operand_count; o++) {
            ways[i] |= both || shifted ? 0 : ways[operands[o]];
        }
        for (uint32_t port = 0; both && port < p->input_count; port++) {
            scores[port] += ((ways[operands[0]] ^ ways[operands[1]]) >> port) & 1;
        }
    }
    for (uint32_t port = 0; port < p->input_count && p->input_count > 1; port++) {
        int phase = 0;
        for (uint32_t i = 0; i < p->count; i++) {
            phase |= r->identities[i].what == GALI_ONNX_PHASE_GATE;
        }
        int better = best == p->input_count || scores[port] > scores[best] ||
                     (scores[port] == scores[best] && p->inputs[port].width < p->inputs[best].width);
        int fits = p->inputs[port].width > 1 && p->inputs[port].width <= GALI_EXPERTS_MAX;
        if (!phase && scores[port] > 0 && fits && better) {
            best = port;
        }
    }
    return best;
}

/* ---- normalisation ---- */

/* The constant operand of a step of two, if the other one is `other`. */
static int constant_beside(const gali_onnx_program *p, const gali_onnx_step *step, uint32_t other) {
    for (uint32_t o = 0; o < 2 && step->operand_count == 2; o++) {
        if (step->operands[o] == other && p->steps[step->operands[1 - o]].constant) {
            return (int)step->operands[1 - o];
        }
    }
    return GALI_ONNX_NONE;
}

/* The needed step of a kind, with nothing summed, that joins `other` to a constant; its constant operand. */
static int find_affine(const recogniser *r, gali_onnx_kind kind, uint32_t other, uint32_t *found) {
    const gali_onnx_program *p = r->program;
    for (uint32_t i = other + 1; i < p->count; i++) {
        const gali_onnx_step *step = &p->steps[i];
        if (step->kind != kind || !r->needed[i] || step->count != p->steps[other].count ||
            r->identities[i].what != GALI_ONNX_UNKNOWN) {
            continue;
        }
        int constant = constant_beside(p, step, other);
        if (constant != GALI_ONNX_NONE) {
            *found = i;
            return constant;
        }
    }
    return GALI_ONNX_NONE;
}

/* One number a feature of a constant that has one, `width` or rows of them; 0 where it has not. */
static int read_row(recogniser *r, int step, size_t width, double *to) {
    const gali_onnx_program *p = r->program;
    size_t count = p->steps[step].count;
    if (count != 1 && count != width && count != width * p->batch) {
        return 0;
    }
    gali_onnx_array array = gali_onnx_numbers(r->program, (uint32_t)step);
    if (array.data) {
        gali_onnx_load(&array, 0, count == 1 ? 0 : 1, width, to);
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

/* How an input is normalised: (x + shift) * factor, by constant steps, either of them GALI_ONNX_NONE. */
typedef struct affine {
    int shift, factor;
} affine;

/* mean and std of an input port, at its place in x. */
static affine find_input_norm(recogniser *r, const gali_onnx_port *port, size_t at) {
    gali_onnx_network *n = r->network;
    uint32_t last = port->step;
    double *mean = n->input_mean + at, *std = n->input_std + at;
    affine found = {find_affine(r, GALI_ONNX_ADD, last, &last), GALI_ONNX_NONE};
    found.factor = find_affine(r, GALI_ONNX_PRODUCT, last, &last);
    int good = found.shift == GALI_ONNX_NONE || read_row(r, found.shift, port->width, mean);
    good = good && (found.factor == GALI_ONNX_NONE || read_row(r, found.factor, port->width, std));
    if (!good || !all_positive(std, port->width)) {
        found = (affine){GALI_ONNX_NONE, GALI_ONNX_NONE};
    }
    for (size_t i = 0; i < port->width; i++) {
        mean[i] = found.shift == GALI_ONNX_NONE ? 0 : -mean[i];
        std[i] = found.factor == GALI_ONNX_NONE ? 1 : 1 / std[i];
    }
    n->input_normalised |= found.factor != GALI_ONNX_NONE;
    return found;
}

/* y = v factor + shift at an output: keeps both and returns v; else the output itself. */
static uint32_t find_output_norm(recogniser *r, const gali_onnx_port *port, size_t at) {
    const gali_onnx_program *p = r->program;
    gali_onnx_network *n = r->network;
    double *mean = n->output_mean + at, *std = n->output_std + at;
    gali_onnx_identity known;
    uint32_t inner = port->step;
    int shift = GALI_ONNX_NONE, factor = GALI_ONNX_NONE;
    for (size_t i = 0; i < port->width; i++) {
        mean[i] = 0;
        std[i] = 1;
    }
    if (!gali_onnx_identify(r->program, inner, &known) || known.what != GALI_ONNX_UNKNOWN) {
        return port->step;
    }
    for (uint32_t round = 0; round < 2; round++) {
        const gali_onnx_step *step = &p->steps[inner];
        gali_onnx_kind kind = round ? GALI_ONNX_PRODUCT : GALI_ONNX_ADD;
        for (uint32_t o = 0; step->kind == kind && step->operand_count == 2 && o < 2; o++) {
            const gali_onnx_step *operand = &p->steps[step->operands[o]];
            int beside = constant_beside(p, step, step->operands[o]);
            if (!operand->constant && beside != GALI_ONNX_NONE && operand->count == step->count) {
                *(round ? &factor : &shift) = beside;
                inner = step->operands[o];
                break;
            }
        }
    }
    double *row = gali_onnx_take(p->onnx, 2 * port->width * sizeof *row),
           *shifts = row ? row + port->width : NULL;
    int good = row && factor != GALI_ONNX_NONE && read_row(r, factor, port->width, row) &&
               (shift == GALI_ONNX_NONE || read_row(r, shift, port->width, shifts)) &&
               all_positive(row, port->width);
    if (!good) {
        return port->step;
    }
    memcpy(std, row, port->width * sizeof *row);
    memcpy(mean, shifts, port->width * sizeof *row);
    n->output_normalised = 1;
    return inner;
}

/* ---- steps ---- */

/* (row std + mean) of an input of the graph. */
static gali_onnx_value *port_value(recogniser *r, uint32_t port, size_t at, const affine *norm) {
    const gali_onnx_program *p = r->program;
    const gali_onnx_step *step = &p->steps[p->inputs[port].step];
    uint32_t leaf = r->network->x;
    gali_onnx_value *v = gali_onnx_value_leaf(r->algebra, leaf, step->rank, step->shape);
    if (!v) {
        return NULL;
    }
    gali_onnx_term *term = &v->terms[0];
    *term = gali_onnx_row_term(v, leaf, r->algebra->leaves[leaf].width, (uint32_t)at);
    if (norm->factor != GALI_ONNX_NONE) {
        gali_onnx_leaf std = {.array = {GALI_ONNX_F64, r->network->input_std + at}};
        const gali_onnx_value *factor = r->values[norm->factor];
        if (factor && factor->term_count == 1 && factor->terms[0].factor_count == 1) {
            std.inverse = factor->terms[0].factors[0].leaf + 1;
        }
        int number = gali_onnx_leaf_add(r->algebra, &std);
        term->factors[1] = term->factors[0];
        term->factors[1].leaf = (uint32_t)number;
        term->factors[1].at = 0;
        for (uint32_t i = 0; i < v->own_count; i++) {
            term->factors[1].own[i] = v->batch[i] ? 0 : term->factors[1].own[i];
        }
        term->factor_count = 2;
    }
    if (norm->shift != GALI_ONNX_NONE) {
        gali_onnx_value *shift = r->values[norm->shift];
        gali_onnx_step sum = {.kind = GALI_ONNX_ADD, .operand_count = 2};
        gali_onnx_value *minus = shift ? gali_onnx_value_like(r->algebra, shift, shift->term_count) : NULL;
        for (uint32_t t = 0; minus && t < shift->term_count; t++) {
            minus->terms[minus->term_count] = shift->terms[t];
            minus->terms[minus->term_count++].scale *= -1;
        }
        gali_onnx_value *both[2] = {v, minus};
        v = minus ? gali_onnx_value_step(r->algebra, p, &sum, both) : NULL;
    }
    return v;
}

/* The caller's blend, or a phase's. */
static gali_onnx_value *gate_value(recogniser *r, uint32_t port, uint32_t step, gal_gate_kind kind) {
    gali_onnx_network *n = r->network;
    const gali_onnx_step *as = &r->program->steps[step];
    if (n->gate_leaf != GALI_ONNX_NONE && n->gate_port != (int)port) {
        fail_at(r, r->algebra->place, "a second gate");
        return NULL;
    }
    if (n->gate_leaf == GALI_ONNX_NONE) {
        gali_onnx_leaf leaf = {.row = 1, .width = (uint32_t)(as->count / r->program->batch), .gate = 1};
        leaf.part = GALI_ONNX_NONE;
        n->gate_leaf = gali_onnx_leaf_add(r->algebra, &leaf);
        n->gate_port = (int)port;
        n->gate = kind;
    }
    return n->gate_leaf == GALI_ONNX_NONE
               ? NULL
               : gali_onnx_value_leaf(r->algebra, (uint32_t)n->gate_leaf, as->rank, as->shape);
}

/* v in the shape that a product with w gives. */
static gali_onnx_value *broadcast(recogniser *r, const gali_onnx_step *step, gali_onnx_value *const *operands,
                                  uint32_t which) {
    gali_onnx_value *other = gali_onnx_value_like(r->algebra, operands[1 - which], 1);
    gali_onnx_value *both[2] = {other, other};
    if (!other) {
        return NULL;
    }
    gali_onnx_term *one = &other->terms[other->term_count++];
    one->scale = 1;
    for (uint32_t i = 0; i < other->own_count; i++) {
        one->high[i] = other->size[i];
    }
    both[which] = operands[which];
    return gali_onnx_value_step(r->algebra, r->program, step, both);
}

/* A product of two rows of which none is a blend. */
static gali_onnx_value *multiply_rows(recogniser *r, const gali_onnx_step *step,
                                      gali_onnx_value *const *operands) {
    gali_onnx_part part = {.kind = GALI_LAYER_MUL, .slice_count = 2, .place = r->algebra->place};
    gali_onnx_slice_of made;
    gali_onnx_value *v = NULL;
    for (uint32_t o = 0; o < 2; o++) {
        v = broadcast(r, step, operands, o);
        if (v && gali_onnx_value_features(v) * r->program->batch != step->count) {
            fail_at(r, r->algebra->place, "a sum over products of two rows, of which none is a blend");
            return NULL;
        }
        if (!v || !gali_onnx_part_row(r->network, v, &part.slices[o])) {
            return NULL;
        }
    }
    part.width = (uint32_t)gali_onnx_value_features(v);
    return gali_onnx_part_add(r->network, &part, &made) ? gali_onnx_row_like(r->network, v, &made) : NULL;
}

static int sums_nothing(const gali_onnx_program *p, const gali_onnx_step *step) {
    int all = 1;
    for (uint32_t o = 0; o < step->operand_count; o++) {
        const gali_onnx_step *operand = &p->steps[step->operands[o]];
        for (uint32_t i = 0; i < operand->rank; i++) {
            all &= operand->shape[i] == 1 || memchr(step->out, step->labels[o][i], step->rank) != NULL;
        }
    }
    return all;
}

static gali_onnx_value *linear_value(recogniser *r, const gali_onnx_step *step) {
    gali_onnx_value **operands = gali_onnx_take(r->program->onnx, (step->operand_count + 1) * sizeof(void *));
    for (uint32_t o = 0; operands && o < step->operand_count; o++) {
        operands[o] = r->values[step->operands[o]];
        if (!operands[o] && step->kind != GALI_ONNX_CONCAT) {
            return NULL;
        }
    }
    if (!operands) {
        return NULL;
    }
    if (step->kind == GALI_ONNX_PRODUCT && step->operand_count == 2 &&
        !gali_onnx_part_blends(r->network, operands[0], operands[1])) {
        if (sums_nothing(r->program, step)) {
            return multiply_rows(r, step, operands);
        }
        fail_at(r, r->algebra->place, "a sum over products of rows, of which none is a blend");
        return NULL;
    }
    gali_onnx_value *v = gali_onnx_value_step(r->algebra, r->program, step, operands);
    return v && step->kind == GALI_ONNX_ADD ? gali_onnx_part_sum(r->network, v) : v;
}

/* What a step known by its values makes: a layer of its base. */
static gali_onnx_value *identity_value(recogniser *r, uint32_t index) {
    const gali_onnx_identity *identity = &r->identities[index];
    const gali_onnx_value *base = r->values[identity->base];
    gali_onnx_slice_of made;
    int rows = identity->what == GALI_ONNX_LAYER_NORM || identity->activation == GALI_ACTIVATION_SOFTMAX;
    if (rows && (base->rank == 0 || gali_onnx_value_features(base) != base->shape[base->rank - 1])) {
        fail_at(r, r->algebra->place, "over a part of the features");
        return NULL;
    }
    if (identity->what == GALI_ONNX_LAYER_NORM) {
        gali_onnx_part part = {.kind = GALI_LAYER_LAYER_NORM, .epsilon = identity->epsilon, .slice_count = 1};
        part.place = r->algebra->place;
        part.width = (uint32_t)gali_onnx_value_features(base);
        return gali_onnx_part_row(r->network, base, &part.slices[0]) &&
                       gali_onnx_part_add(r->network, &part, &made)
                   ? gali_onnx_row_like(r->network, base, &made)
                   : NULL;
    }
    return gali_onnx_part_apply(r->network, base, identity->activation, identity->slope, &made)
               ? gali_onnx_row_like(r->network, base, &made)
               : NULL;
}

static int constant_value(recogniser *r, uint32_t index) {
    const gali_onnx_step *step = &r->program->steps[index];
    if (is_linear(step) && !step->array.data) {
        r->values[index] = linear_value(r, step);
        return r->values[index] != NULL;
    }
    gali_onnx_leaf leaf = {.array = gali_onnx_numbers(r->program, index)};
    int number = leaf.array.data ? gali_onnx_leaf_add(r->algebra, &leaf) : GALI_ONNX_NONE;
    if (number != GALI_ONNX_NONE) {
        r->values[index] = gali_onnx_value_leaf(r->algebra, (uint32_t)number, step->rank, step->shape);
    }
    return r->values[index] != NULL;
}

static uint32_t port_of(const gali_onnx_program *p, uint32_t step) {
    uint32_t port = 0;
    while (port < p->input_count && p->inputs[port].step != step) {
        port++;
    }
    return port;
}

static int port_values(recogniser *r, const affine *norms) {
    const gali_onnx_program *p = r->program;
    size_t at = 0;
    for (uint32_t port = 0; port < p->input_count; port++) {
        uint32_t step = p->inputs[port].step;
        if ((int)port == r->network->gate_port) {
            if (r->needed[step] && port != r->blend_port) {
                return fail_at(r, "graph", "an input that is a phase and a feature at once");
            }
            continue;
        }
        r->values[step] = port_value(r, port, at, &norms[port]);
        at += p->inputs[port].width;
        if (!r->values[step]) {
            return 0;
        }
    }
    return 1;
}

static int step_values(recogniser *r) {
    const gali_onnx_program *p = r->program;
    for (uint32_t i = 0; i < p->count; i++) {
        const gali_onnx_step *step = &p->steps[i];
        const gali_onnx_identity *identity = &r->identities[i];
        if (!r->needed[i] || step->constant || r->values[i]) {
            continue;
        }
        r->algebra->place = gali_onnx_place(p, i);
        r->values[i] = identity->what == GALI_ONNX_PHASE_GATE
                           ? gate_value(r, port_of(p, identity->base), i, identity->gate)
                       : identity->what != GALI_ONNX_UNKNOWN ? identity_value(r, i)
                                                             : linear_value(r, step);
        if (!r->values[i]) {
            return 0;
        }
    }
    return 1;
}

/* ---- the whole ---- */

/* The gate's port and width before x is laid out: what is left is x. */
static int find_gate(recogniser *r) {
    gali_onnx_program *p = r->program;
    gali_onnx_network *n = r->network;
    for (uint32_t i = 0; i < p->count; i++) {
        if (r->needed[i] && r->identities[i].what == GALI_ONNX_PHASE_GATE) {
            r->algebra->place = gali_onnx_place(p, i);
            r->values[i] = gate_value(r, port_of(p, r->identities[i].base), i, r->identities[i].gate);
            if (!r->values[i]) {
                return 0;
            }
        }
    }
    if (r->blend_port < p->input_count) {
        uint32_t step = p->inputs[r->blend_port].step;
        r->values[step] = gate_value(r, r->blend_port, step, GAL_GATE_CALLER);
        return r->values[step] != NULL;
    }
    n->gate = n->gate_leaf == GALI_ONNX_NONE ? GAL_GATE_CALLER : n->gate;
    return 1;
}

static int lay_out_x(recogniser *r) {
    const gali_onnx_program *p = r->program;
    gali_onnx_network *n = r->network;
    size_t width = 0, outputs = 0;
    for (uint32_t i = 0; i < p->input_count; i++) {
        width += (int)i == n->gate_port ? 0 : p->inputs[i].width;
    }
    for (uint32_t i = 0; i < p->output_count; i++) {
        outputs += p->outputs[i].width;
    }
    if (width == 0 || width > GALI_WIDTH_MAX || outputs > GALI_WIDTH_MAX) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%zu inputs and %zu outputs, 1..%d expected", width,
                              outputs, GALI_WIDTH_MAX);
    }
    gali_onnx_leaf leaf = {.row = 1, .width = (uint32_t)width, .part = GALI_ONNX_NONE};
    int number = gali_onnx_leaf_add(r->algebra, &leaf);
    n->x = (uint32_t)number;
    n->input_mean = gali_onnx_take(p->onnx, 2 * width * sizeof(double));
    if (number == GALI_ONNX_NONE || !n->input_mean) {
        return 0;
    }
    n->input_std = n->input_mean + width;
    return 1;
}

static int join_outputs(recogniser *r) {
    const gali_onnx_program *p = r->program;
    gali_onnx_network *n = r->network;
    gali_onnx_part joined = {.kind = GALI_LAYER_CONCAT, .slice_count = p->output_count, .place = "graph"};
    gali_onnx_slice_of made;
    for (uint32_t i = 0; i < p->output_count; i++) {
        const gali_onnx_value *v = r->values[r->outputs[i]];
        r->algebra->place = gali_onnx_place(p, r->outputs[i]);
        if (!gali_onnx_part_row(r->network, v, &joined.slices[i])) {
            return 0;
        }
        joined.width += joined.slices[i].count;
    }
    const gali_onnx_leaf *leaf = &r->algebra->leaves[joined.slices[0].leaf];
    int whole = p->output_count == 1 && leaf->part != GALI_ONNX_NONE && leaf->width == joined.width;
    if (!whole && !gali_onnx_part_add(r->network, &joined, &made)) {
        return 0;
    }
    n->output = whole ? (uint32_t)leaf->part : n->part_count - 1;
    return 1;
}

static int prepare(recogniser *r) {
    gali_onnx_program *p = r->program;
    r->needed = gali_onnx_take(p->onnx, p->count);
    r->identities = gali_onnx_take(p->onnx, p->count * sizeof *r->identities);
    r->values = gali_onnx_take(p->onnx, p->count * sizeof *r->values);
    return r->needed && r->identities && r->values;
}

static int recognise(recogniser *r) {
    gali_onnx_program *p = r->program;
    gali_onnx_network *n = r->network;
    affine norms[GALI_ONNX_INPUTS_MAX];
    size_t at = 0;
    if (!find_gate(r) || !lay_out_x(r)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->input_count; i++) {
        if ((int)i != n->gate_port) {
            norms[i] = find_input_norm(r, &p->inputs[i], at);
            at += p->inputs[i].width;
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        r->algebra->place = gali_onnx_place(p, i);
        if (r->needed[i] && p->steps[i].constant && !constant_value(r, i)) {
            return 0;
        }
    }
    return port_values(r, norms) && step_values(r) && join_outputs(r);
}

int gali_onnx_recognise(gali_onnx_program *p, int may_blend, gali_onnx_network *n) {
    recogniser r = {.program = p, .network = n, .algebra = &n->algebra};
    *n = (gali_onnx_network){.algebra = {.onnx = p->onnx, .batch = p->batch, .place = "graph"}};
    n->gate_leaf = n->gate_port = GALI_ONNX_NONE;
    size_t width = 0, at = 0;
    for (uint32_t i = 0; i < p->output_count; i++) {
        width += p->outputs[i].width;
    }
    n->output_mean = gali_onnx_take(p->onnx, 2 * width * sizeof(double));
    if (!n->output_mean || !prepare(&r)) {
        return 0;
    }
    n->output_std = n->output_mean + width;
    for (uint32_t i = 0; i < p->output_count; i++) {
        r.outputs[i] = find_output_norm(&r, &p->outputs[i], at);
        r.needed[r.outputs[i]] = 1;
        at += p->outputs[i].width;
    }
    uint32_t *ways = gali_onnx_take(p->onnx, p->count * sizeof *ways);
    if (p->onnx->status != GAL_OK || !ways || !mark_needed(&r)) {
        return 0;
    }
    r.blend_port = may_blend ? find_blend_port(&r, ways) : p->input_count;
    return recognise(&r);
}
