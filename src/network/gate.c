#include "network/gate.h"

#include <math.h>

static const double gali_gate_turn = 6.283185307179586476925;

uint32_t gali_gate_slots(gal_gate_kind kind, uint32_t experts) {
    switch (kind) {
    case GAL_GATE_CUBIC:
        return GALI_SPLINE_SLOTS;
    case GAL_GATE_LINEAR:
        return 2;
    case GAL_GATE_CONSTANT:
        return 1;
    default:
        return experts;
    }
}

double gali_gate_wrap(float phase) {
    if (!isfinite(phase)) {
        return NAN;
    }
    double wrapped = fmod((double)phase, gali_gate_turn);
    wrapped = wrapped < 0 ? wrapped + gali_gate_turn : wrapped;
    return wrapped < gali_gate_turn ? wrapped : 0; /* a tiny negative phase rounds up to a whole turn */
}

/* The sample of the cycle that a phase lies at or behind, and how far: t in [0, 1). */
static uint32_t gali_gate_place(float phase, uint32_t experts, double *t) {
    double at = gali_gate_wrap(phase) * experts / gali_gate_turn, start = floor(at);
    *t = at - start;
    return (uint32_t)start % experts; /* rounding may have made start == experts */
}

/* The experts first, first + 1, ... (cyclic) with these weights, sorted: the kernels add experts in ascending order. */
static void gali_gate_sort(uint32_t slots, uint32_t experts, uint32_t first, uint32_t *expert, double *weight) {
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t e = (first + i) % experts, at = i;
        double w = weight[i];
        for (; at > 0 && expert[at - 1] > e; at--) {
            expert[at] = expert[at - 1];
            weight[at] = weight[at - 1];
        }
        expert[at] = e;
        weight[at] = w;
    }
}

/* Cyclic Catmull-Rom spline through the points before, at, after and two after the phase (PFNN, SIGGRAPH 2017, eq. 7). */
static void gali_gate_cubic(float phase, uint32_t experts, uint32_t *expert, double *weight) {
    double t;
    uint32_t k = gali_gate_place(phase, experts, &t);
    double t2 = t * t, t3 = t2 * t;
    weight[0] = -0.5 * t + t2 - 0.5 * t3;
    weight[1] = 1 - 2.5 * t2 + 1.5 * t3;
    weight[2] = 0.5 * t + 2 * t2 - 1.5 * t3;
    weight[3] = -0.5 * t2 + 0.5 * t3;
    gali_gate_sort(4, experts, k + experts - 1, expert, weight);
}

/* Linear between the samples of the cycle. */
static void gali_gate_linear(float phase, uint32_t experts, uint32_t *expert, double *weight) {
    double t;
    uint32_t k = gali_gate_place(phase, experts, &t);
    weight[0] = 1 - t;
    weight[1] = t;
    gali_gate_sort(2, experts, k, expert, weight);
}

/* The sample at or before the phase. */
static void gali_gate_constant(float phase, uint32_t experts, uint32_t *expert, double *weight) {
    double t;
    *expert = gali_gate_place(phase, experts, &t);
    *weight = 1;
}

void gali_gate_phase(gal_gate_kind kind, uint32_t experts, float phase, uint32_t *expert, double *weight) {
    switch (kind) {
    case GAL_GATE_CUBIC:
        gali_gate_cubic(phase, experts, expert, weight);
        return;
    case GAL_GATE_LINEAR:
        gali_gate_linear(phase, experts, expert, weight);
        return;
    default:
        gali_gate_constant(phase, experts, expert, weight);
        return;
    }
}

/* How many of the blend come before expert e: larger, or equal with a lower index. */
static uint32_t gali_gate_rank(const float *blend, uint32_t experts, uint32_t e) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < experts; i++) {
        before += blend[i] > blend[e] || (i < e && !(blend[i] < blend[e]));
    }
    return before;
}

void gali_gate_top(const float *blend, uint32_t experts, uint32_t top, uint32_t *expert, float *weight) {
    uint32_t kept = 0;
    float sum = 0;
    for (uint32_t e = 0; e < experts && kept < top; e++) {
        if (top == experts || gali_gate_rank(blend, experts, e) < top) {
            expert[kept] = e;
            weight[kept++] = blend[e];
            sum += blend[e];
        }
    }
    for (uint32_t e = 0; kept < top; e++) { /* only with NaNs: some ranks are missing */
        expert[kept] = e;
        weight[kept++] = NAN;
    }
    for (uint32_t i = 0; i < kept && top < experts; i++) {
        weight[i] /= sum;
    }
}
