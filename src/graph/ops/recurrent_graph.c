/*
 * RNN, GRU and LSTM as graphs of other operators. For each direction:
 *
 *     xw[t] = x[t] W + bW                          one product for all steps
 *     Scan over xw, backwards in the second direction, carries h (and c):
 *         hr = h R + bR                            then the gates, the functions, the new state
 *         past a sequence's length the state stays and the output is 0
 *
 * A step past a sequence's length comes first where the direction is backwards, and leaves the state that it begins with, so
 * the same rule serves both directions.
 */
#include "graph/ops/recurrent.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "graph/evaluate.h"

enum { OPERANDS_MAX = 12, CAPTURED_MAX = 8 };

typedef struct maker {
    gali_graph *g;
    const gali_node *node;
    gali_element element; /* of X */
    int d;                /* the direction */
} maker;

/* ---- nodes ---- */

static gali_attribute of_int(const char *name, const int64_t *value) {
    return (gali_attribute){.name = name, .kind = GALI_INT, .count = 1, .ints = value};
}

static gali_attribute of_number(const char *name, const double *value) {
    return (gali_attribute){.name = name, .kind = GALI_NUMBER, .count = 1, .numbers = value};
}

static uint32_t fresh(maker *m) {
    return gali_graph_value(m->g, "", &(gali_type){.rank = -1});
}

/* A node of one result; attributes may be NULL. Operands end at GALI_NONE. */
static uint32_t make(maker *m, gali_op op, const gali_attribute *attributes, uint32_t count, ...) {
    uint32_t operands[OPERANDS_MAX], result = fresh(m), given = 0;
    va_list list;
    va_start(list, count);
    for (uint32_t next = va_arg(list, uint32_t); next != GALI_NONE && given < OPERANDS_MAX;
         next = va_arg(list, uint32_t)) {
        operands[given++] = next;
    }
    va_end(list);
    gali_graph_node(m->g, &(gali_node){.op = op,
                                       .name = m->node->name,
                                       .operand_count = given,
                                       .result_count = 1,
                                       .attribute_count = count,
                                       .operands = operands,
                                       .results = &result,
                                       .attributes = (gali_attribute *)(uintptr_t)attributes});
    return result;
}

/* One of two operands. */
static uint32_t pair(maker *m, gali_op op, uint32_t a, uint32_t b) {
    return make(m, op, NULL, 0, a, b, GALI_NONE);
}

static uint32_t along(maker *m, gali_op op, const char *name, int64_t axis, uint32_t a, uint32_t b) {
    gali_attribute attribute = of_int(name, &axis);
    return make(m, op, &attribute, 1, a, b, GALI_NONE);
}

/* A constant of integers, or of reals of X's element; of rank 0 where count is 0. */
static uint32_t constant(maker *m, gali_element element, uint32_t count, int64_t whole, double real) {
    gali_type type = {.element = element, .rank = count > 0, .shape = {count}};
    unsigned char *data = gali_arena_take(m->g->arena, 8);
    if (data) {
        gali_element_store(element, real, whole, data);
    }
    return data ? gali_graph_constant(m->g, "", &type, data) : GALI_NONE;
}

static uint32_t integer(maker *m, int64_t number) {
    return constant(m, GALI_i64, 0, number, 0);
}

static uint32_t axes(maker *m, int64_t axis) {
    return constant(m, GALI_i64, 1, axis, 0);
}

static uint32_t real(maker *m, double number) {
    return constant(m, m->element, 0, 0, number);
}

/* Slice d along an axis, which goes. */
static uint32_t direction_of(maker *m, uint32_t value, int64_t axis) {
    return along(m, GALI_OP_Gather, "axis", axis, value, integer(m, m->d));
}

static uint32_t transposed(maker *m, uint32_t value, const int64_t *perm, uint32_t rank) {
    gali_attribute attribute = {.name = "perm", .kind = GALI_INTS, .count = rank, .ints = perm};
    return make(m, GALI_OP_Transpose, &attribute, 1, value, GALI_NONE);
}

/* Equal parts along the last axis. */
static void split(maker *m, uint32_t value, int64_t parts, uint32_t *out) {
    const int64_t last = -1;
    gali_attribute attributes[] = {of_int("axis", &last), of_int("num_outputs", &parts)};
    for (int64_t i = 0; i < parts; i++) {
        out[i] = fresh(m);
    }
    gali_graph_node(m->g, &(gali_node){.op = GALI_OP_Split,
                                       .name = m->node->name,
                                       .operand_count = 1,
                                       .result_count = (uint32_t)parts,
                                       .attribute_count = 2,
                                       .operands = &value,
                                       .results = out,
                                       .attributes = attributes});
}

/* ---- functions ---- */

static uint32_t clipped(maker *m, uint32_t x) {
    if (!gali_node_attribute(m->node, "clip")) {
        return x;
    }
    double clip = gali_node_number(m->node, "clip");
    return make(m, GALI_OP_Clip, NULL, 0, x, real(m, -clip), real(m, clip), GALI_NONE);
}

static uint32_t function(maker *m, int which, uint32_t x) {
    static const gali_op plain[GALI_RECURRENT_FUNCTION_COUNT] = {
        [GALI_RECURRENT_RELU] = GALI_OP_Relu,
        [GALI_RECURRENT_TANH] = GALI_OP_Tanh,
        [GALI_RECURRENT_SIGMOID] = GALI_OP_Sigmoid,
        [GALI_RECURRENT_LEAKY_RELU] = GALI_OP_LeakyRelu,
        [GALI_RECURRENT_THRESHOLDED_RELU] = GALI_OP_ThresholdedRelu,
        [GALI_RECURRENT_HARD_SIGMOID] = GALI_OP_HardSigmoid,
        [GALI_RECURRENT_ELU] = GALI_OP_Elu,
        [GALI_RECURRENT_SOFTSIGN] = GALI_OP_Softsign,
        [GALI_RECURRENT_SOFTPLUS] = GALI_OP_Softplus,
    };
    gali_recurrent_function is = gali_recurrent_function_of(m->node, m->d, which);
    double alpha = gali_recurrent_parameter(m->node, "activation_alpha", m->d, which);
    double beta = gali_recurrent_parameter(m->node, "activation_beta", m->d, which);
    x = clipped(m, x);
    switch (is) {
    case GALI_RECURRENT_AFFINE:
        return pair(m, GALI_OP_Add, pair(m, GALI_OP_Mul, real(m, alpha), x), real(m, beta));
    case GALI_RECURRENT_SCALED_TANH:
        x = make(m, GALI_OP_Tanh, NULL, 0, pair(m, GALI_OP_Mul, real(m, beta), x), GALI_NONE);
        return pair(m, GALI_OP_Mul, real(m, alpha), x);
    default: {
        gali_attribute attributes[] = {of_number("alpha", &alpha), of_number("beta", &beta)};
        uint32_t count = is == GALI_RECURRENT_HARD_SIGMOID ? 2
                         : is == GALI_RECURRENT_LEAKY_RELU || is == GALI_RECURRENT_THRESHOLDED_RELU ||
                                 is == GALI_RECURRENT_ELU
                             ? 1
                             : 0;
        return make(m, plain[is], attributes, count, x, GALI_NONE);
    }
    }
}

/* ---- a step ---- */

/* What the body has of outside, in its own values. */
typedef struct cell {
    uint32_t h, c, xw; /* [batch][hidden] twice, [batch][gates hidden] */
    uint32_t r, b, rn, bn, p,
        inside; /* inside: [batch][1], whether the step is in the sequence; GALI_NONE: all are */
} cell;

static uint32_t back(maker *m, uint32_t h, uint32_t r, uint32_t b) {
    uint32_t product = pair(m, GALI_OP_MatMul, h, r);
    return b == GALI_NONE ? product : pair(m, GALI_OP_Add, product, b);
}

static uint32_t step_rnn(maker *m, const cell *k) {
    return function(m, 0, pair(m, GALI_OP_Add, k->xw, back(m, k->h, k->r, k->b)));
}

static uint32_t step_gru(maker *m, const cell *k) {
    uint32_t x[3], both[2], made;
    split(m, k->xw, 3, x);
    split(m, back(m, k->h, k->r, k->b), 2, both);
    uint32_t z = function(m, 0, pair(m, GALI_OP_Add, x[0], both[0]));
    uint32_t r = function(m, 0, pair(m, GALI_OP_Add, x[1], both[1]));
    if (gali_node_int(m->node, "linear_before_reset")) {
        made = pair(m, GALI_OP_Mul, r, back(m, k->h, k->rn, k->bn));
    } else {
        made = back(m, pair(m, GALI_OP_Mul, r, k->h), k->rn, k->bn);
    }
    made = function(m, 1, pair(m, GALI_OP_Add, x[2], made));
    uint32_t kept = pair(m, GALI_OP_Mul, z, k->h);
    return pair(m, GALI_OP_Add, pair(m, GALI_OP_Mul, pair(m, GALI_OP_Sub, real(m, 1), z), made), kept);
}

static uint32_t step_lstm(maker *m, const cell *k, uint32_t *c) {
    uint32_t g[4], p[3] = {GALI_NONE, GALI_NONE, GALI_NONE}; /* both in the order i, o, f */
    split(m, pair(m, GALI_OP_Add, k->xw, back(m, k->h, k->r, k->b)), 4, g);
    if (k->p != GALI_NONE) {
        split(m, k->p, 3, p);
        g[0] = pair(m, GALI_OP_Add, g[0], pair(m, GALI_OP_Mul, p[0], k->c));
        g[2] = pair(m, GALI_OP_Add, g[2], pair(m, GALI_OP_Mul, p[2], k->c));
    }
    uint32_t in = function(m, 0, g[0]), made = function(m, 1, g[3]);
    uint32_t forget =
        gali_node_int(m->node, "input_forget") ? pair(m, GALI_OP_Sub, real(m, 1), in) : function(m, 0, g[2]);
    *c = pair(m, GALI_OP_Add, pair(m, GALI_OP_Mul, forget, k->c), pair(m, GALI_OP_Mul, in, made));
    if (k->p != GALI_NONE) {
        g[1] = pair(m, GALI_OP_Add, g[1], pair(m, GALI_OP_Mul, p[1], *c));
    }
    uint32_t out = function(m, 0, g[1]);
    return pair(m, GALI_OP_Mul, out, function(m, 2, *c));
}

static uint32_t chosen(maker *m, uint32_t inside, uint32_t a, uint32_t b) {
    return inside == GALI_NONE ? a : make(m, GALI_OP_Where, NULL, 0, inside, a, b, GALI_NONE);
}

/* ---- a direction ---- */

typedef struct scan {
    uint32_t carried[2], carried_count, scanned[2], scanned_count, captured[CAPTURED_MAX], captured_count;
} scan;

static uint32_t body_input(maker *m) {
    uint32_t value = fresh(m);
    gali_graph_input(m->g, value);
    return value;
}

/* The body's name of what it captures. */
static uint32_t captured(maker *m, scan *s, uint32_t outer) {
    if (outer == GALI_NONE || s->captured_count == CAPTURED_MAX) {
        return GALI_NONE;
    }
    s->captured[s->captured_count++] = outer;
    return body_input(m);
}

/* Weights of a direction, in the outer graph. */
typedef struct weights {
    uint32_t r, b, rn, bn, p, lengths;
} weights;

static gali_graph *make_body(maker *outer, scan *s, const weights *w) {
    maker m = *outer;
    m.g = gali_graph_body(outer->g);
    if (!m.g) {
        return NULL;
    }
    int lstm = m.node->op == GALI_OP_LSTM;
    cell k = {.h = body_input(&m), .c = lstm ? body_input(&m) : GALI_NONE, .xw = body_input(&m)};
    uint32_t t = s->scanned_count > 1 ? body_input(&m) : GALI_NONE, c = GALI_NONE;
    k.r = captured(&m, s, w->r);
    k.b = captured(&m, s, w->b);
    k.rn = captured(&m, s, w->rn);
    k.bn = captured(&m, s, w->bn);
    k.p = captured(&m, s, w->p);
    uint32_t lengths = captured(&m, s, w->lengths);
    k.inside = lengths == GALI_NONE
                   ? GALI_NONE
                   : pair(&m, GALI_OP_Unsqueeze, pair(&m, GALI_OP_Less, t, lengths), axes(&m, 1));
    uint32_t h = lstm ? step_lstm(&m, &k, &c) : m.node->op == GALI_OP_GRU ? step_gru(&m, &k) : step_rnn(&m, &k);
    gali_graph_output(m.g, chosen(&m, k.inside, h, k.h));
    if (lstm) {
        gali_graph_output(m.g, chosen(&m, k.inside, c, k.c));
    }
    gali_graph_output(m.g, k.inside == GALI_NONE ? make(&m, GALI_OP_Identity, NULL, 0, h, GALI_NONE)
                                                 : chosen(&m, k.inside, h, real(&m, 0)));
    return m.g;
}

/* Last h, last c, and h of all steps, of a direction. */
static void make_scan(maker *m, scan *s, const weights *w, uint32_t results[3]) {
    gali_graph *body = make_body(m, s, w);
    uint32_t operands[OPERANDS_MAX], count = 0, made = 0, out[3];
    int64_t carried = s->carried_count, scanned = s->scanned_count;
    int64_t reverse = m->d == 1 || gali_node_is(m->node, "direction", "reverse"),
            backwards[] = {reverse, reverse};
    for (uint32_t i = 0; i < s->carried_count; i++) {
        operands[count++] = s->carried[i];
        out[made++] = results[i] = fresh(m);
    }
    for (uint32_t i = 0; i < s->scanned_count; i++) {
        operands[count++] = s->scanned[i];
    }
    for (uint32_t i = 0; i < s->captured_count; i++) {
        operands[count++] = s->captured[i];
    }
    out[made++] = results[2] = fresh(m);
    gali_attribute attributes[] = {
        of_int("carried", &carried),
        of_int("num_scan_inputs", &scanned),
        {.name = "scan_input_directions", .kind = GALI_INTS, .count = s->scanned_count, .ints = backwards},
        {.name = "scan_output_directions", .kind = GALI_INTS, .count = 1, .ints = backwards}};
    gali_graph_node(m->g, &(gali_node){.op = GALI_OP_Scan,
                                       .name = m->node->name,
                                       .operand_count = count,
                                       .result_count = made,
                                       .attribute_count = 4,
                                       .body_count = body != NULL,
                                       .operands = operands,
                                       .results = out,
                                       .attributes = attributes,
                                       .bodies = &body});
}

/* The part of weights [rows][width] that is for all gates but the last, and the last one's. */
static void split_rows(maker *m, uint32_t value, uint32_t *most, uint32_t *last) {
    uint32_t part[3];
    split(m, value, 3, part);
    *most = along(m, GALI_OP_Concat, "axis", -1, part[0], part[1]);
    *last = part[2];
}

/* An initial state, [batch][hidden]. */
static uint32_t state_of(maker *m, uint32_t given, uint32_t x, uint32_t r) {
    int first = gali_node_int(m->node, "layout") != 0;
    if (given != GALI_NONE) {
        return direction_of(m, given, first ? 1 : 0);
    }
    const int64_t one = 1, two = 2, three = 3;
    gali_attribute batch[] = {of_int("start", &one), of_int("end", &two)};
    gali_attribute hidden[] = {of_int("start", &two), of_int("end", &three)};
    uint32_t shape = along(m, GALI_OP_Concat, "axis", 0, make(m, GALI_OP_Shape, batch, 2, x, GALI_NONE),
                           make(m, GALI_OP_Shape, hidden, 2, r, GALI_NONE));
    return pair(m, GALI_OP_Expand, real(m, 0), shape);
}

/* x: [time][batch][input]; steps: [time], the numbers of steps, or GALI_NONE. */
static void make_direction(maker *m, const uint32_t *in, uint32_t x, uint32_t steps, uint32_t results[3]) {
    static const int64_t turned[] = {1, 0};
    scan s = {.scanned_count = 1, .carried_count = 1};
    weights w = {GALI_NONE, GALI_NONE, GALI_NONE, GALI_NONE, GALI_NONE, in[GALI_RECURRENT_LENGTHS]};
    uint32_t bias[2] = {GALI_NONE, GALI_NONE};
    if (in[GALI_RECURRENT_B] != GALI_NONE) {
        split(m, direction_of(m, in[GALI_RECURRENT_B], 0), 2, bias);
    }
    uint32_t by = transposed(m, direction_of(m, in[GALI_RECURRENT_W], 0), turned, 2);
    s.scanned[0] = back(m, x, by, bias[0]);
    w.r = transposed(m, direction_of(m, in[GALI_RECURRENT_R], 0), turned, 2);
    w.b = bias[1];
    if (m->node->op == GALI_OP_GRU) {
        split_rows(m, w.r, &w.r, &w.rn);
        if (w.b != GALI_NONE) {
            split_rows(m, w.b, &w.b, &w.bn);
        }
    }
    if (in[GALI_RECURRENT_P] != GALI_NONE) {
        w.p = direction_of(m, in[GALI_RECURRENT_P], 0);
    }
    s.carried[0] = state_of(m, in[GALI_RECURRENT_H], x, in[GALI_RECURRENT_R]);
    if (m->node->op == GALI_OP_LSTM) {
        s.carried[s.carried_count++] = state_of(m, in[GALI_RECURRENT_C], x, in[GALI_RECURRENT_R]);
    }
    if (steps != GALI_NONE) {
        s.scanned[s.scanned_count++] = steps;
    }
    make_scan(m, &s, &w, results);
}

/* ---- the whole ---- */

/* 0, 1 ..: the numbers of steps, in the element of the lengths. */
static uint32_t steps_of(maker *m, uint32_t x, gali_element element) {
    const int64_t one = 1;
    gali_attribute first = of_int("end", &one);
    int64_t to = element == GALI_i32 ? 6 : 7; /* ONNX's numbers of the elements */
    gali_attribute cast = of_int("to", &to);
    uint32_t count = make(m, GALI_OP_Shape, &first, 1, x, GALI_NONE);
    count = pair(m, GALI_OP_Squeeze, count, axes(m, 0));
    uint32_t steps = make(m, GALI_OP_Range, NULL, 0, integer(m, 0), count, integer(m, 1), GALI_NONE);
    return make(m, GALI_OP_Cast, &cast, 1, steps, GALI_NONE);
}

/* Both directions' results side by side on an axis of their own. */
static uint32_t joined(maker *m, uint32_t first, uint32_t second, int64_t axis) {
    uint32_t a = pair(m, GALI_OP_Unsqueeze, first, axes(m, axis));
    return second == GALI_NONE
               ? a
               : along(m, GALI_OP_Concat, "axis", axis, a, pair(m, GALI_OP_Unsqueeze, second, axes(m, axis)));
}

static void add_outputs(maker *m, uint32_t results[2][3]) {
    static const int64_t turned[] = {1, 0, 2};
    int both = gali_recurrent_directions(m->node) == 2, first = gali_node_int(m->node, "layout") != 0;
    for (uint32_t i = 0; i < m->node->result_count; i++) {
        uint32_t of = i == 0 ? 2 : i - 1, a = results[0][of], b = both ? results[1][of] : GALI_NONE;
        if (i == 0 && first) {
            a = transposed(m, a, turned, 3);
            b = both ? transposed(m, b, turned, 3) : GALI_NONE;
        }
        gali_graph_output(m->g, joined(m, a, b, i == 0 ? 1 + first : first));
    }
}

gal_status gali_recurrent_graph(gali_graph **out, const gali_graph *graph, const gali_node *node,
                                gal_error *error) {
    static const int64_t turned[] = {1, 0, 2};
    uint32_t in[GALI_RECURRENT_OPERANDS], results[2][3];
    maker m = {.g = gali_graph_body(graph),
               .node = node,
               .element = graph->values[node->operands[GALI_RECURRENT_X]].type.element};
    for (uint32_t i = 0; m.g && i < GALI_RECURRENT_OPERANDS; i++) {
        in[i] = GALI_NONE;
        if (i < node->operand_count && node->operands[i] != GALI_NONE) {
            const gali_value *value = &graph->values[node->operands[i]];
            in[i] = gali_graph_value(m.g, value->name, &value->type);
            gali_graph_input(m.g, in[i]);
        }
    }
    if (!m.g || graph->arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %s", gali_op_list[node->op].name);
    }
    uint32_t x = in[GALI_RECURRENT_X], steps = GALI_NONE;
    x = gali_node_int(node, "layout") ? transposed(&m, x, turned, 3) : x;
    if (in[GALI_RECURRENT_LENGTHS] != GALI_NONE) {
        steps = steps_of(&m, x, m.g->values[in[GALI_RECURRENT_LENGTHS]].type.element);
    }
    for (m.d = 0; m.d < gali_recurrent_directions(node); m.d++) {
        make_direction(&m, in, x, steps, results[m.d]);
    }
    add_outputs(&m, results);
    *out = m.g;
    return graph->arena->failed
               ? gali_fail(error, GAL_NO_MEMORY, "no memory for %s", gali_op_list[node->op].name)
               : gali_graph_infer(m.g, error);
}
