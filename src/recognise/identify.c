/*
 * GELU is spelled with Erf, with Tanh, with powers or products, SiLU and LayerNorm in as many ways, and a phase
 * spline takes two dozen nodes. Instead of a pattern for each spelling: walk up from a value to where all its paths
 * meet, evaluate what lies between at chosen numbers, and compare with the functions that a network may have. What
 * agrees everywhere to 2e-6 is that function.
 */
#include "recognise/identify.h"

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

/* The steps whose values are all that `value` still depends on. */
typedef struct region {
    uint32_t front[FRONT_MAX];
    uint32_t count, opened;
    int nonlinear;
} region;

static void put_front(region *r, uint32_t value) {
    uint32_t at = r->count;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->front[i] == value) {
            return;
        }
    }
    for (; at > 0 && r->front[at - 1] > value; at--) {
        r->front[at] = r->front[at - 1];
    }
    r->front[at] = value;
    r->count++;
}

static int is_constant(const gali_form *f, uint32_t value) {
    return value == GALI_NONE || f->values[value].constant;
}

static int is_nonlinear(const gali_form *f, const gali_maker *maker) {
    int both =
        maker->operand_count == 2 && !is_constant(f, maker->operands[0]) && !is_constant(f, maker->operands[1]);
    return maker->kind == GALI_MAKER_OTHER || (maker->kind == GALI_MAKER_PRODUCT && both);
}

/* Numbers of a constant before it is expanded. */
static size_t own_count(const gali_form *f, uint32_t value) {
    const gali_maker maker = gali_maker_of(f, value);
    return maker.kind == GALI_MAKER_EXPAND ? gali_form_count(f, maker.operands[0]) : maker.count;
}

/* Replaces the last value of the front by what it is made of; 0 where the region ends. */
static int open_last(const gali_form *f, region *r) {
    const gali_maker maker = gali_maker_of(f, r->front[r->count - 1]);
    if (maker.kind == GALI_MAKER_GIVEN || r->opened == REGION_MAX || maker.operand_count > FRONT_MAX ||
        r->count + maker.operand_count > FRONT_MAX) {
        return 0;
    }
    for (uint32_t i = 0; i < maker.operand_count; i++) {
        uint32_t operand = maker.operands[i];
        if (operand != GALI_NONE && is_constant(f, operand) && own_count(f, operand) > CONSTANT_MAX) {
            return 0;
        }
    }
    r->count--;
    r->opened++;
    r->nonlinear |= is_nonlinear(f, &maker);
    for (uint32_t i = 0; i < maker.operand_count; i++) {
        if (!is_constant(f, maker.operands[i])) {
            put_front(r, maker.operands[i]);
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

/* Values of the base and what the value makes of them. */
typedef struct trial {
    size_t count; /* numbers of the base and of the value */
    size_t row;   /* of its last axis */
    double *x, *y, *want;
} trial;

static int run_trial(gali_form *f, uint32_t value, uint32_t base, const trial *t) {
    return gali_form_run(f, base, t->x, value, t->y);
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

static int find_activation(const trial *t, gali_identity *found) {
    for (int a = GALI_ACTIVATION_NONE + 1; a < GALI_ACTIVATION_COUNT; a++) {
        double slope = a == GALI_ACTIVATION_LEAKY_RELU ? (double)(float)slope_of(t) : 0;
        if (isfinite(slope) && fits_activation(t, (gali_activation)a, slope)) {
            found->what = GALI_WHAT_ACTIVATION;
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
static int find_layer_norm(gali_form *f, uint32_t value, uint32_t base, const trial *t, gali_identity *found) {
    double mean, variance;
    size_t widest = 0;
    if (!is_centred(t)) {
        return 0;
    }
    scale_samples(t, 1e-3);
    if (!run_trial(f, value, base, t)) {
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
    if (!run_trial(f, value, base, t) || !fits_layer_norm(t, epsilon)) {
        return 0;
    }
    found->what = GALI_WHAT_LAYER_NORM;
    found->epsilon = epsilon;
    return 1;
}

/* The value has the base's shape: a function of each number or of each row. */
static int try_rows(gali_form *f, uint32_t value, uint32_t base, gali_identity *found) {
    const gali_maker from_maker = gali_maker_of(f, base), *from = &from_maker;
    size_t rounds = (SAMPLES + from->count - 1) / from->count, size = 3 * from->count * sizeof(double);
    trial t = {.count = from->count, .row = from->rank ? from->shape[from->rank - 1] : 1};
    t.x = size <= f->allowance->memory_left ? malloc(size) : NULL;
    if (!t.x) {
        return gali_allowance_fail(f->allowance, GAL_NO_MEMORY, "no memory to evaluate the graph");
    }
    t.y = t.x + t.count;
    t.want = t.y + t.count;
    for (size_t round = 0; round < rounds; round++) {
        gali_identity now = {.base = base};
        for (size_t i = 0; i < t.count; i++) {
            t.x[i] = sample(round * t.count + i);
        }
        int good =
            run_trial(f, value, base, &t) &&
            (round == 0 ? find_activation(&t, &now) || find_layer_norm(f, value, base, &t, &now)
             : found->what == GALI_WHAT_LAYER_NORM ? 1
                                                   : fits_activation(&t, found->activation, found->slope));
        *found = round == 0 ? now : *found;
        if (!good) {
            found->what = GALI_WHAT_UNKNOWN;
            break;
        }
    }
    free(t.x);
    return f->allowance->status == GAL_OK;
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
static int try_phase(gali_form *f, uint32_t value, uint32_t base, gali_identity *found) {
    uint32_t rows = f->batch, experts = (uint32_t)(gali_form_count(f, value) / rows),
             kinds = 7; /* bits of linear.. */
    double phases[1024], *y = gali_allowance_take(f->allowance, gali_form_count(f, value) * sizeof *y);
    for (uint32_t round = 0; y && kinds && round < (SAMPLES + rows - 1) / rows; round++) {
        for (uint32_t r = 0; r < rows; r++) {
            phases[r] = (double)(float)((sample(round * rows + r) + 6) / 12 * 6.2831853);
        }
        if (!gali_form_run(f, base, phases, value, y)) {
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
        *found = (gali_identity){.what = GALI_WHAT_PHASE_GATE, .base = base, .experts = experts};
        found->gate = kinds & 1 ? GAL_GATE_CUBIC : kinds & 2 ? GAL_GATE_LINEAR : GAL_GATE_CONSTANT;
    }
    return y != NULL;
}

static int same_shape(const gali_type *a, const gali_type *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

static int is_phase(const gali_form *f, uint32_t base, uint32_t value) {
    size_t count = gali_form_count(f, value);
    return gali_maker_of(f, base).kind == GALI_MAKER_GIVEN && gali_form_count(f, base) == f->batch &&
           count % f->batch == 0 && count / f->batch <= 256;
}

int gali_identify(gali_form *f, uint32_t value, gali_identity *found) {
    region r = {.front = {value}, .count = 1};
    *found = (gali_identity){0};
    while (open_last(f, &r) && f->allowance->status == GAL_OK) {
        uint32_t base = r.front[0];
        if (r.count > 1 || !r.nonlinear || gali_form_count(f, base) == 0 || !gali_form_is_real(f, base) ||
            !gali_form_is_real(f, value)) {
            continue;
        }
        int good = is_phase(f, base, value) ? try_phase(f, value, base, found)
                   : same_shape(gali_form_type(f, base), gali_form_type(f, value))
                       ? try_rows(f, value, base, found)
                       : 1;
        if (!good || found->what != GALI_WHAT_UNKNOWN) {
            return good;
        }
    }
    return f->allowance->status == GAL_OK;
}
