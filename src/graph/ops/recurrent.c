/*
 * RNN, GRU and LSTM as ONNX says them: X [time][batch][input] (layout 1: batch first), for each direction weights W
 * [gates hidden][input], R [gates hidden][hidden], a bias B of both, and for each sequence its length. A step past a
 * sequence's length leaves its state and gives 0.
 *
 *     RNN    h = f(x W + h R + b)
 *     GRU    z, r = f(..);  n = g(x Wn + r (h Rn + bR) + bW), or g(x Wn + (r h) Rn + ..);  h = (1 - z) n + z h
 *     LSTM   i, o, f, c = ..;  C = f C + i g(c);  h = o h(C), with peepholes P on i, o, f
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/ops/recurrent.h"
#include "graph/rule.h"

enum {
    X = GALI_RECURRENT_X,
    W = GALI_RECURRENT_W,
    R = GALI_RECURRENT_R,
    B = GALI_RECURRENT_B,
    LENGTHS = GALI_RECURRENT_LENGTHS,
    H0 = GALI_RECURRENT_H,
    C0 = GALI_RECURRENT_C,
    P = GALI_RECURRENT_P
};

int64_t gali_recurrent_gates(gali_op op) {
    return op == GALI_OP_LSTM ? 4 : op == GALI_OP_GRU ? 3 : 1;
}

int gali_recurrent_directions(const gali_node *node) {
    return gali_node_is(node, "direction", "bidirectional") ? 2 : 1;
}

/* ---- activations ---- */

/* Word `which` of a list that blanks separate, as an activation; letters' case does not matter. */
static gali_recurrent_function activation_of(const char *list, int which) {
    static const char *const words[] = {
        "relu",       "tanh",        "sigmoid", "affine",   "leakyrelu", "thresholdedrelu",
        "scaledtanh", "hardsigmoid", "elu",     "softsign", "softplus"};
    for (; which > 0 && *list; which--) {
        list += strcspn(list, " ");
        list += *list == ' ';
    }
    size_t size = strcspn(list, " ");
    int found = 0;
    for (; found < GALI_RECURRENT_FUNCTION_COUNT; found++) {
        size_t same = 0;
        while (same < size && words[found][same] == (list[same] | 32)) {
            same++;
        }
        if (same == size && !words[found][size]) {
            break;
        }
    }
    return (gali_recurrent_function)found;
}

gali_recurrent_function gali_recurrent_function_of(const gali_node *node, int d, int which) {
    static const gali_recurrent_function lstm[] = {GALI_RECURRENT_SIGMOID, GALI_RECURRENT_TANH,
                                                   GALI_RECURRENT_TANH},
                                         gru[] = {GALI_RECURRENT_SIGMOID, GALI_RECURRENT_TANH},
                                         rnn[] = {GALI_RECURRENT_TANH};
    int count = node->op == GALI_OP_LSTM ? 3 : node->op == GALI_OP_GRU ? 2 : 1;
    const gali_recurrent_function *defaults = node->op == GALI_OP_LSTM  ? lstm
                                              : node->op == GALI_OP_GRU ? gru
                                                                        : rnn;
    const gali_attribute *given = gali_node_attribute(node, "activations");
    return given && given->word ? activation_of(given->word, d * count + which) : defaults[which];
}

double gali_recurrent_parameter(const gali_node *node, const char *name, int d, int which) {
    int at = d * (node->op == GALI_OP_LSTM ? 3 : node->op == GALI_OP_GRU ? 2 : 1) + which;
    const gali_attribute *list = gali_node_attribute(node, name);
    int beta = strcmp(name, "activation_beta") == 0;
    gali_recurrent_function function = gali_recurrent_function_of(node, d, which);
    double other = function == GALI_RECURRENT_LEAKY_RELU     ? 0.01
                   : function == GALI_RECURRENT_HARD_SIGMOID ? (beta ? 0.5 : 0.2)
                   : function == GALI_RECURRENT_AFFINE       ? (beta ? 0 : 1)
                                                             : 1;
    return list && (uint32_t)at < list->count ? list->numbers[at] : other;
}

static double activate(const gali_node *node, int d, int which, double x) {
    double alpha = gali_recurrent_parameter(node, "activation_alpha", d, which);
    double beta = gali_recurrent_parameter(node, "activation_beta", d, which);
    double clip = gali_node_attribute(node, "clip") ? gali_node_number(node, "clip") : INFINITY;
    x = x > clip ? clip : x < -clip ? -clip : x;
    switch (gali_recurrent_function_of(node, d, which)) {
    case GALI_RECURRENT_RELU:
        return x > 0 ? x : 0;
    case GALI_RECURRENT_TANH:
        return tanh(x);
    case GALI_RECURRENT_SIGMOID:
        return 1 / (1 + exp(-x));
    case GALI_RECURRENT_AFFINE:
        return alpha * x + beta;
    case GALI_RECURRENT_LEAKY_RELU:
        return x < 0 ? alpha * x : x;
    case GALI_RECURRENT_THRESHOLDED_RELU:
        return x > alpha ? x : 0;
    case GALI_RECURRENT_SCALED_TANH:
        return alpha * tanh(beta * x);
    case GALI_RECURRENT_HARD_SIGMOID:
        return fmin(fmax(alpha * x + beta, 0), 1);
    case GALI_RECURRENT_ELU:
        return x < 0 ? alpha * expm1(x) : x;
    case GALI_RECURRENT_SOFTSIGN:
        return x / (1 + fabs(x));
    default:
        return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); /* softplus */
    }
}

/* ---- shapes ---- */

/* The extent of axis d of operand i, which must be of that rank; UNKNOWN where it is not given or not known. */
static gali_extent extent_of(const gali_rule *rule, uint32_t i, int d) {
    const gali_type *type = gali_rule_operand(rule, i);
    return type && type->rank > d ? type->shape[d] : GALI_EXTENT_UNKNOWN;
}

/* Operand i, if it is given, must have this rank and these extents. */
static gal_status fits(gali_rule *rule, uint32_t i, int rank, const gali_extent *shape) {
    const gali_type *type = gali_rule_operand(rule, i);
    if (!type || type->rank < 0) {
        return GAL_OK;
    }
    if (type->rank != rank) {
        return gali_rule_fail(rule, "operand %u is of rank %d, %d expected", i + 1, type->rank, rank);
    }
    gal_status status = GAL_OK;
    for (int d = 0; status == GAL_OK && d < rank; d++) {
        gali_extent same;
        status = gali_rule_same(rule, type->shape[d], shape[d], &same);
    }
    return status;
}

static gal_status check_functions(gali_rule *rule) {
    int count = rule->node->op == GALI_OP_LSTM ? 3 : rule->node->op == GALI_OP_GRU ? 2 : 1;
    int known = gali_node_is(rule->node, "direction", "forward") ||
                gali_node_is(rule->node, "direction", "reverse") ||
                gali_node_is(rule->node, "direction", "bidirectional");
    if (!known) {
        return gali_rule_fail(rule, "direction \"%.40s\"", gali_node_word(rule->node, "direction"));
    }
    for (int i = 0; i < count * gali_recurrent_directions(rule->node); i++) {
        if (gali_recurrent_function_of(rule->node, i / count, i % count) == GALI_RECURRENT_FUNCTION_COUNT) {
            return gali_rule_fail(rule, "activation %d is none that there is", i + 1);
        }
    }
    return GAL_OK;
}

gal_status gali_rule_recurrent(gali_rule *rule) {
    const gali_node *node = rule->node;
    gali_extents *extents = rule->graph->extents;
    int batch_first = gali_node_int(node, "layout") != 0;
    gali_extent time = extent_of(rule, X, batch_first), batch = extent_of(rule, X, !batch_first);
    gali_extent hidden = extent_of(rule, R, 2), gates = gali_recurrent_gates(node->op),
                directions = gali_recurrent_directions(node);
    gali_extent rows = gali_extent_mul(extents, hidden, gates), both = gali_extent_mul(extents, rows, 2);
    const gali_extent x[] = {batch_first ? batch : time, batch_first ? time : batch, extent_of(rule, X, 2)};
    const gali_extent state[] = {batch_first ? batch : directions, batch_first ? directions : batch, hidden};
    const gali_extent peeped[] = {directions, gali_extent_mul(extents, hidden, 3)};
    gal_status status = check_functions(rule);
    for (uint32_t i = 0; status == GAL_OK && i < node->operand_count; i++) {
        const gali_type *type = rule->operand[i];
        if (type && i != LENGTHS && type->element != rule->operand[X]->element) {
            return gali_rule_fail(rule, "operand %u is of another element", i + 1);
        }
    }
    status = status == GAL_OK ? gali_rule_integers(rule, LENGTHS) : status;
    status = status == GAL_OK ? fits(rule, X, 3, x) : status;
    status = status == GAL_OK ? fits(rule, W, 3, (gali_extent[]){directions, rows, x[2]}) : status;
    status = status == GAL_OK ? fits(rule, R, 3, (gali_extent[]){directions, rows, hidden}) : status;
    status = status == GAL_OK ? fits(rule, B, 2, (gali_extent[]){directions, both}) : status;
    status = status == GAL_OK ? fits(rule, LENGTHS, 1, &batch) : status;
    status = status == GAL_OK ? fits(rule, H0, 3, state) : status;
    status = status == GAL_OK ? fits(rule, C0, 3, state) : status;
    status = status == GAL_OK ? fits(rule, P, 2, peeped) : status;
    gali_element element = rule->operand[X]->element;
    if (status == GAL_OK && gali_element_list[element].kind != GALI_REAL) {
        status = gali_rule_fail(rule, "reals expected");
    }
    rule->result[0] = batch_first ? (gali_type){element, 4, {batch, time, directions, hidden}}
                                  : (gali_type){element, 4, {time, directions, batch, hidden}};
    for (uint32_t i = 1; i < node->result_count; i++) {
        rule->result[i] = (gali_type){.element = element, .rank = 3};
        memcpy(rule->result[i].shape, state, sizeof state);
    }
    return status;
}

/* ---- the truth ---- */

/* One direction of one sequence, whatever the layout. */
typedef struct cell {
    const gali_node *node;
    int d;
    int64_t input, hidden;
    const double *x, *w, *r, *b, *p; /* this step's input; this direction's weights; b and p may be NULL */
    double *h, *c;                   /* [hidden] state */
    double *gates;                   /* [gates][hidden] of scratch, and [hidden] more */
} cell;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Row `row` of W and R with their biases, before the activation; h is what R is multiplied with. */
static double both_sides(const cell *k, int64_t row, const double *h, double factor) {
    int64_t rows = gali_recurrent_gates(k->node->op) * k->hidden;
    double in = dot(k->x, k->w + row * k->input, k->input) + (k->b ? k->b[row] : 0);
    double back = dot(h, k->r + row * k->hidden, k->hidden) + (k->b ? k->b[rows + row] : 0);
    return in + factor * back;
}

static void step_rnn(cell *k) {
    for (int64_t i = 0; i < k->hidden; i++) {
        k->gates[i] = activate(k->node, k->d, 0, both_sides(k, i, k->h, 1));
    }
    memcpy(k->h, k->gates, (size_t)k->hidden * sizeof *k->h);
}

static void step_gru(cell *k) {
    int64_t n = k->hidden;
    double *z = k->gates, *r = z + n, *made = r + n, *scaled = made + n;
    int after = gali_node_int(k->node, "linear_before_reset") != 0;
    for (int64_t i = 0; i < n; i++) {
        z[i] = activate(k->node, k->d, 0, both_sides(k, i, k->h, 1));
        r[i] = activate(k->node, k->d, 0, both_sides(k, n + i, k->h, 1));
    }
    for (int64_t i = 0; i < n; i++) {
        scaled[i] = r[i] * k->h[i];
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = after ? both_sides(k, 2 * n + i, k->h, r[i]) : both_sides(k, 2 * n + i, scaled, 1);
        made[i] = activate(k->node, k->d, 1, sum);
    }
    for (int64_t i = 0; i < n; i++) {
        k->h[i] = (1 - z[i]) * made[i] + z[i] * k->h[i];
    }
}

static void step_lstm(cell *k) {
    int64_t n = k->hidden;
    int coupled = gali_node_int(k->node, "input_forget") != 0;
    double *h = k->gates;
    for (int64_t i = 0; i < n; i++) {
        double in = both_sides(k, i, k->h, 1) + (k->p ? k->p[i] * k->c[i] : 0);
        double forget = both_sides(k, 2 * n + i, k->h, 1) + (k->p ? k->p[2 * n + i] * k->c[i] : 0);
        double made = activate(k->node, k->d, 1, both_sides(k, 3 * n + i, k->h, 1));
        in = activate(k->node, k->d, 0, in);
        forget = coupled ? 1 - in : activate(k->node, k->d, 0, forget);
        double c = forget * k->c[i] + in * made;
        double out = both_sides(k, n + i, k->h, 1) + (k->p ? k->p[n + i] * c : 0);
        h[i] = activate(k->node, k->d, 0, out) * activate(k->node, k->d, 2, c);
        k->c[i] = c;
    }
    memcpy(k->h, h, (size_t)n * sizeof *h);
}

/* Where things stand in one layout or the other. */
typedef struct places {
    int64_t time, batch, directions, hidden;
    int batch_first;
} places;

static int64_t state_at(const places *s, int d, int64_t b) {
    return (s->batch_first ? b * s->directions + d : d * s->batch + b) * s->hidden;
}

static int64_t output_at(const places *s, int64_t t, int d, int64_t b) {
    return (s->batch_first ? (b * s->time + t) * s->directions + d : (t * s->directions + d) * s->batch + b) *
           s->hidden;
}

static const double *real_of(const gali_node *node, const gali_tensor *const *operands, uint32_t i) {
    return i < node->operand_count && operands[i] ? operands[i]->real : NULL;
}

/* All steps of one sequence in one direction. */
static void run_sequence(cell *k, const places *s, const gali_tensor *const *operands, int64_t b,
                         gali_tensor *results) {
    const gali_node *node = k->node;
    const gali_tensor *lengths = node->operand_count > LENGTHS ? operands[LENGTHS] : NULL;
    int64_t length = lengths ? lengths->whole[b] : s->time;
    int reverse = k->d == 1 || gali_node_is(node, "direction", "reverse");
    length = length < 0 ? 0 : length > s->time ? s->time : length;
    for (int64_t step = 0; step < length; step++) {
        int64_t t = reverse ? length - 1 - step : step;
        k->x = operands[X]->real + (s->batch_first ? b * s->time + t : t * s->batch + b) * k->input;
        if (node->op == GALI_OP_LSTM) {
            step_lstm(k);
        } else if (node->op == GALI_OP_GRU) {
            step_gru(k);
        } else {
            step_rnn(k);
        }
        if (results[0].real) {
            memcpy(results[0].real + output_at(s, t, k->d, b), k->h, (size_t)s->hidden * sizeof *k->h);
        }
    }
}

gal_status gali_truth_recurrent(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    const gali_tensor *x = operands[X];
    places s = {.batch_first = gali_node_int(node, "layout") != 0,
                .directions = gali_recurrent_directions(node)};
    s.time = x->shape[s.batch_first];
    s.batch = x->shape[!s.batch_first];
    s.hidden = operands[R]->shape[2];
    int64_t rows = gali_recurrent_gates(node->op) * s.hidden, input = x->shape[2];
    gali_tensor scratch = {.count = 0};
    double each = (double)rows * (double)(input + s.hidden);
    gal_status status = gali_run_work(run, (double)s.time * (double)s.batch * (double)s.directions * each);
    if (status == GAL_OK) {
        status = gali_tensor_make(run, &scratch, GALI_f64, 2, (int64_t[]){8, s.hidden});
    }
    for (int64_t i = 0; status == GAL_OK && i < s.directions * s.batch; i++) {
        int d = (int)(i / s.batch);
        int64_t b = i % s.batch, at = state_at(&s, d, b);
        size_t size = (size_t)s.hidden * sizeof(double);
        const double *h0 = real_of(node, operands, H0), *c0 = real_of(node, operands, C0);
        const double *bias = real_of(node, operands, B), *peephole = real_of(node, operands, P);
        cell k = {.node = node, .d = d, .input = input, .hidden = s.hidden, .h = scratch.real};
        k.c = k.h + s.hidden;
        k.gates = k.c + s.hidden;
        k.w = operands[W]->real + d * rows * input;
        k.r = operands[R]->real + d * rows * s.hidden;
        k.b = bias ? bias + d * 2 * rows : NULL;
        k.p = peephole ? peephole + d * 3 * s.hidden : NULL;
        memset(k.h, 0, 2 * size);
        if (h0) {
            memcpy(k.h, h0 + at, size);
        }
        if (c0) {
            memcpy(k.c, c0 + at, size);
        }
        run_sequence(&k, &s, operands, b, results);
        for (uint32_t r = 1; r < node->result_count; r++) {
            memcpy(results[r].real + at, r == 1 ? k.h : k.c, size);
        }
    }
    gali_tensor_release(run, &scratch);
    return status;
}
