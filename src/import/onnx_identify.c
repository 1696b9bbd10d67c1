/*
 * GELU is spelled with Erf, with Tanh, with powers or products, SiLU and LayerNorm in as many ways, and a phase
 * spline takes two dozen nodes. Instead of a pattern for each spelling: walk up from a step to where all its paths
 * meet, evaluate what lies between at chosen numbers, and compare with the functions that a network may have. What
 * agrees everywhere to 2e-6 is that function.
 */
#include "import/onnx_identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ref/activate.h"
#include "network/gate.h"

enum {
    FRONT_MAX = 64,
    REGION_MAX = 256,   /* steps between a value and what it is a function of */
    CONSTANT_MAX = 256, /* numbers of a constant in there: no weights */
    SAMPLES = 64,
};

static const double tolerance = 2e-6;

/* The steps whose values are all that `step` still depends on. */
typedef struct region {
    uint32_t front[FRONT_MAX];
    uint32_t count, opened;
    int nonlinear;
} region;

static void put_front(region *r, uint32_t step) {
    uint32_t at = r->count;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->front[i] == step) {
            return;
        }
    }
    for (; at > 0 && r->front[at - 1] > step; at--) {
        r->front[at] = r->front[at - 1];
    }
    r->front[at] = step;
    r->count++;
}

static int is_nonlinear(const gali_onnx_program *p, const gali_onnx_step *step) {
    int both = step->operand_count == 2 && !p->steps[step->operands[0]].constant &&
               !p->steps[step->operands[1]].constant;
    return step->kind == GALI_ONNX_MAP || step->kind == GALI_ONNX_SOFTMAX || step->kind == GALI_ONNX_MAXIMUM ||
           step->kind == GALI_ONNX_GATHER || (step->kind == GALI_ONNX_PRODUCT && both);
}

/* Replaces the last step of the front by what it reads; 0 where the region ends. */
static int open_last(const gali_onnx_program *p, region *r) {
    const gali_onnx_step *step = &p->steps[r->front[r->count - 1]];
    if (step->kind == GALI_ONNX_INPUT || r->opened == REGION_MAX ||
        r->count + step->operand_count > FRONT_MAX) {
        return 0;
    }
    for (uint32_t i = 0; i < step->operand_count; i++) {
        const gali_onnx_step *operand = &p->steps[step->operands[i]];
        const gali_onnx_step *source =
            operand->kind == GALI_ONNX_EXPAND ? &p->steps[operand->operands[0]] : operand;
        if (operand->constant && source->count > CONSTANT_MAX) {
            return 0;
        }
    }
    r->count--;
    r->opened++;
    r->nonlinear |= is_nonlinear(p, step);
    for (uint32_t i = 0; i < step->operand_count; i++) {
        if (!p->steps[step->operands[i]].constant) {
            put_front(r, step->operands[i]);
        }
    }
    return r->count > 0;
}

static int close_to(double got, double want) {
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

/* Spread evenly over -6..6, never 0. */
static double sample(size_t i) {
    double place = (double)(i + 1) * 0.6180339887498949;
    return 12 * (place - floor(place)) - 6;
}

/* Values of the base and what the step makes of them. */
typedef struct trial {
    size_t count; /* numbers of the base and of the step */
    size_t row;   /* of its last axis */
    double *x, *y, *want;
} trial;

static int run_trial(gali_onnx_program *p, uint32_t step, uint32_t base, const trial *t) {
    const double *given = t->x;
    return gali_onnx_evaluate(p, 1, &base, &given, step, t->y);
}

static int fits(const trial *t) {
    for (size_t i = 0; i < t->count; i++) {
        if (!close_to(t->y[i], t->want[i])) {
            return 0;
        }
    }
    return 1;
}

static int fits_activation(const trial *t, gali_activation activation, double slope) {
    size_t row = activation == GALI_ACTIVATION_SOFTMAX ? t->row : t->count;
    memcpy(t->want, t->x, t->count * sizeof *t->want);
    for (size_t at = 0; at < t->count; at += row) {
        gali_activate_truth(activation, slope, t->want + at, (uint32_t)row);
    }
    return fits(t);
}

/* What a leaky ReLU makes of a negative number tells its slope. */
static double slope_of(const trial *t) {
    for (size_t i = 0; i < t->count; i++) {
        if (t->x[i] < -1) {
            return t->y[i] / t->x[i];
        }
    }
    return 0;
}

static int find_activation(const trial *t, gali_onnx_identity *found) {
    for (int a = GALI_ACTIVATION_NONE + 1; a < GALI_ACTIVATION_COUNT; a++) {
        double slope = a == GALI_ACTIVATION_LEAKY_RELU ? (double)(float)slope_of(t) : 0;
        if (isfinite(slope) && fits_activation(t, (gali_activation)a, slope)) {
            found->what = GALI_ONNX_ACTIVATION;
            found->activation = (gali_activation)a;
            found->slope = slope;
            return 1;
        }
    }
    return 0;
}

static void moments(const double *row, size_t count, double *mean, double *variance) {
    *mean = *variance = 0;
    for (size_t i = 0; i < count; i++) {
        *mean += row[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        *variance += (row[i] - *mean) * (row[i] - *mean) / (double)count;
    }
}

static int fits_layer_norm(const trial *t, double epsilon) {
    for (size_t at = 0; at < t->count; at += t->row) {
        double mean, variance;
        moments(t->x + at, t->row, &mean, &variance);
        for (size_t i = at; i < at + t->row; i++) {
            t->want[i] = (t->x[i] - mean) / sqrt(variance + epsilon);
        }
    }
    return fits(t);
}

static int is_centred(const trial *t) {
    double mean, variance;
    for (size_t at = 0; at < t->count; at += t->row) {
        moments(t->y + at, t->row, &mean, &variance);
        if (!(fabs(mean) <= tolerance && variance <= 1 + tolerance)) {
            return 0;
        }
    }
    return t->row > 1;
}

static void scale_samples(const trial *t, double factor) {
    for (size_t i = 0; i < t->count; i++) {
        t->x[i] *= factor;
    }
}

/* Numbers of a thousandth show epsilon, which those of the first trial hide. */
static int find_layer_norm(gali_onnx_program *p, uint32_t step, uint32_t base, const trial *t,
                           gali_onnx_identity *found) {
    double mean, variance;
    size_t widest = 0;
    if (!is_centred(t)) {
        return 0;
    }
    scale_samples(t, 1e-3);
    if (!run_trial(p, step, base, t)) {
        return 0;
    }
    moments(t->x, t->row, &mean, &variance);
    for (size_t i = 0; i < t->row; i++) {
        widest = fabs(t->x[i] - mean) > fabs(t->x[widest] - mean) ? i : widest;
    }
    double ratio = (t->x[widest] - mean) / t->y[widest];
    double epsilon = (double)(float)(ratio * ratio - variance);
    if (!(epsilon > 0 && epsilon < 1) || !fits_layer_norm(t, epsilon)) {
        return 0;
    }
    scale_samples(t, 1e3);
    if (!run_trial(p, step, base, t) || !fits_layer_norm(t, epsilon)) {
        return 0;
    }
    found->what = GALI_ONNX_LAYER_NORM;
    found->epsilon = epsilon;
    return 1;
}

/* The step has the base's shape: a function of each number or of each row. */
static int try_rows(gali_onnx_program *p, uint32_t step, uint32_t base, gali_onnx_identity *found) {
    const gali_onnx_step *from = &p->steps[base];
    size_t rounds = (SAMPLES + from->count - 1) / from->count, size = 3 * from->count * sizeof(double);
    trial t = {.count = from->count, .row = from->rank ? from->shape[from->rank - 1] : 1};
    t.x = size <= p->onnx->memory_left ? malloc(size) : NULL;
    if (!t.x) {
        return gali_onnx_fail(p->onnx, GAL_NO_MEMORY, "no memory to evaluate the graph");
    }
    t.y = t.x + t.count;
    t.want = t.y + t.count;
    for (size_t round = 0; round < rounds; round++) {
        gali_onnx_identity now = {.base = base};
        for (size_t i = 0; i < t.count; i++) {
            t.x[i] = sample(round * t.count + i);
        }
        int good =
            run_trial(p, step, base, &t) &&
            (round == 0 ? find_activation(&t, &now) || find_layer_norm(p, step, base, &t, &now)
             : found->what == GALI_ONNX_LAYER_NORM ? 1
                                                   : fits_activation(&t, found->activation, found->slope));
        *found = round == 0 ? now : *found;
        if (!good) {
            found->what = GALI_ONNX_UNKNOWN;
            break;
        }
    }
    free(t.x);
    return p->onnx->status == GAL_OK;
}

/* Coefficients of all experts for a phase. */
static void spline(gal_gate_kind kind, uint32_t experts, double phase, double *blend) {
    uint32_t expert[GALI_SPLINE_SLOTS];
    double weight[GALI_SPLINE_SLOTS];
    gali_gate_phase(kind, experts, (float)phase, expert, weight);
    memset(blend, 0, experts * sizeof *blend);
    for (uint32_t s = 0; s < gali_gate_slots(kind, experts); s++) {
        blend[expert[s]] += weight[s];
    }
}

static int fits_spline(const double *phases, uint32_t rows, const double *y, gal_gate_kind kind,
                       uint32_t experts) {
    double blend[256];
    for (uint32_t r = 0; r < rows; r++) {
        spline(kind, experts, phases[r], blend);
        for (uint32_t e = 0; e < experts; e++) {
            if (!(fabs(y[r * experts + e] - blend[e]) <= 1e-5)) { /* its steps are single precision */
                return 0;
            }
        }
    }
    return 1;
}

/* The base is an input of one number a row: a phase. */
static int try_phase(gali_onnx_program *p, uint32_t step, uint32_t base, gali_onnx_identity *found) {
    uint32_t rows = p->batch, experts = (uint32_t)(p->steps[step].count / rows),
             kinds = 7; /* bits of linear.. */
    double phases[1024], *y = gali_onnx_take(p->onnx, p->steps[step].count * sizeof *y);
    const double *given = phases;
    for (uint32_t round = 0; y && kinds && round < (SAMPLES + rows - 1) / rows; round++) {
        for (uint32_t r = 0; r < rows; r++) {
            phases[r] = (double)(float)((sample(round * rows + r) + 6) / 12 * 6.2831853);
        }
        if (!gali_onnx_evaluate(p, 1, &base, &given, step, y)) {
            return 0;
        }
        for (uint32_t k = 0; k < 3; k++) {
            gal_gate_kind kind = (gal_gate_kind)(GAL_GATE_CUBIC + k);
            uint32_t least = kind == GAL_GATE_CUBIC ? 4 : kind == GAL_GATE_LINEAR ? 2 : 1;
            if (experts < least || !fits_spline(phases, rows, y, kind, experts)) {
                kinds &= ~(1u << k);
            }
        }
    }
    if (y && kinds) {
        *found = (gali_onnx_identity){.what = GALI_ONNX_PHASE_GATE, .base = base, .experts = experts};
        found->gate = kinds & 1 ? GAL_GATE_CUBIC : kinds & 2 ? GAL_GATE_LINEAR : GAL_GATE_CONSTANT;
    }
    return y != NULL;
}

static int same_shape(const gali_onnx_step *a, const gali_onnx_step *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static int is_phase(const gali_onnx_program *p, uint32_t base, uint32_t step) {
    const gali_onnx_step *from = &p->steps[base], *to = &p->steps[step];
    return from->kind == GALI_ONNX_INPUT && from->count == p->batch && to->count % p->batch == 0 &&
           to->count / p->batch <= 256;
}

int gali_onnx_identify(gali_onnx_program *p, uint32_t step, gali_onnx_identity *found) {
    region r = {.front = {step}, .count = 1};
    *found = (gali_onnx_identity){0};
    while (open_last(p, &r) && p->onnx->status == GAL_OK) {
        uint32_t base = r.front[0];
        if (r.count > 1 || !r.nonlinear || p->steps[base].count == 0) {
            continue;
        }
        int good = is_phase(p, base, step)                        ? try_phase(p, step, base, found)
                   : same_shape(&p->steps[base], &p->steps[step]) ? try_rows(p, step, base, found)
                                                                  : 1;
        if (!good || found->what != GALI_ONNX_UNKNOWN) {
            return good;
        }
    }
    return p->onnx->status == GAL_OK;
}
