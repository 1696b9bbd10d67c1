#include "network/gate.h"

#include <math.h>

static const double whole_turn = 6.283185307179586476925;

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
    double wrapped = fmod((double)phase, whole_turn);
    wrapped = wrapped < 0 ? wrapped + whole_turn : wrapped;
    return wrapped < whole_turn ? wrapped : 0; /* a tiny negative phase rounds up to a whole turn */
}

/* Cyclic Catmull-Rom basis at t in [0, 1), for the points before, at, after and two after the segment's start
 * (PFNN, SIGGRAPH 2017, eq. 7). */
static void cubic(double t, double weight[GALI_SPLINE_SLOTS]) {
    double t2 = t * t, t3 = t2 * t;
    weight[0] = -0.5 * t + t2 - 0.5 * t3;
    weight[1] = 1 - 2.5 * t2 + 1.5 * t3;
    weight[2] = 0.5 * t + 2 * t2 - 1.5 * t3;
    weight[3] = -0.5 * t2 + 0.5 * t3;
}

/* Insertion sort by expert: the kernels add experts in ascending order. */
static void sort(uint32_t *expert, double *weight, uint32_t slots) {
    for (uint32_t i = 1; i < slots; i++) {
        uint32_t e = expert[i];
        double w = weight[i];
        uint32_t at = i;
        for (; at > 0 && expert[at - 1] > e; at--) {
            expert[at] = expert[at - 1];
            weight[at] = weight[at - 1];
        }
        expert[at] = e;
        weight[at] = w;
    }
}

void gali_gate_phase(gal_gate_kind kind, uint32_t experts, float phase, uint32_t *expert, double *weight) {
    double at = gali_gate_wrap(phase) * experts / whole_turn;
    double start = floor(at), t = at - start;
    uint32_t k = (uint32_t)start % experts; /* rounding may have made start == experts */
    uint32_t slots = gali_gate_slots(kind, experts);
    uint32_t before = kind == GAL_GATE_CUBIC ? experts - 1 : 0;
    for (uint32_t i = 0; i < slots; i++) {
        expert[i] = (k + before + i) % experts;
    }
    if (kind == GAL_GATE_CUBIC) {
        cubic(t, weight);
    } else {
        weight[0] = kind == GAL_GATE_LINEAR ? 1 - t : 1;
        if (slots > 1) {
            weight[1] = t;
        }
    }
    sort(expert, weight, slots);
}

/* How many of the blend come before expert e: larger, or equal with a lower index. */
static uint32_t rank(const float *blend, uint32_t experts, uint32_t e) {
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
        if (top == experts || rank(blend, experts, e) < top) {
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
