/*
 * Golden frames: raw inputs near the mean, several phases, and the outputs of the stored weights by the float64 reference
 * (network/reference.h). Inputs and phases are rounded to float32 first, so that a reader starts from the same numbers.
 */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "import/pfnn_parts.h"
#include "network/reference.h"

static const double turn = 6.283185307179586;

/* Uniform in [-1, 1): splitmix64, so that every import of a folder makes the same frames. */
static double next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* Frame f's phase. */
static float make_phase(uint32_t f) {
    const double golden_ratio = 0.6180339887498949;
    double turns = f * golden_ratio;
    return (float)(turn * (turns - floor(turns)));
}

/* A frame's x. Masked inputs stay at the mean, which is what the network sees of them. */
static void make_input(const gali_model *m, uint64_t *random, float *x) {
    for (size_t i = 0; i < m->inputs; i++) {
        uint32_t state = gali_model_u32(m->input_state, i);
        double mean = (double)gali_model_f32(m->input_mean, i), std = (double)gali_model_f32(m->input_std, i);
        double value = mean + 0.6 * std * next_random(random);
        value = state == GALI_INPUT_LIVE ? value : state == GALI_INPUT_MASKED ? mean : 0;
        x[i] = (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
    }
}

static gal_status check_output(const gali_pfnn *p, uint32_t f, const double *y) {
    for (size_t n = 0; n < p->model.outputs; n++) {
        if (!(fabs(y[n]) <= (double)FLT_MAX)) {
            return gali_fail(p->error, GAL_BAD_DATA,
                             "golden frame %u: output %zu is not finite: weights too large", f, n);
        }
    }
    return GAL_OK;
}

static void store_frame(const gali_model *m, uint32_t f, const float *x, float phase, const double *y) {
    for (size_t i = 0; i < m->inputs; i++) {
        gali_put_f32(m->golden.x, f * (size_t)m->inputs + i, x[i]);
    }
    gali_put_f32(m->golden.blend, f, phase);
    for (size_t n = 0; n < m->outputs; n++) {
        gali_put_f32(m->golden.y, f * (size_t)m->outputs + n, (float)y[n]);
    }
}

/* y[outputs], x[inputs]: room for one frame. */
static gal_status make_frames(const gali_pfnn *p, double *y, float *x) {
    const gali_model *m = &p->model;
    uint64_t random = 2017;
    gal_status status = GAL_OK;
    for (uint32_t f = 0; f < m->golden.frames && status == GAL_OK; f++) {
        const float phase = make_phase(f);
        make_input(m, &random, x);
        status = gali_reference_run(m, 1, x, &phase, y, p->error);
        status = status == GAL_OK ? check_output(p, f, y) : status;
        if (status == GAL_OK) {
            store_frame(m, f, x, phase, y);
        }
    }
    return status;
}

gal_status gali_pfnn_golden(gali_pfnn *p) {
    size_t size = gali_size_add(gali_size_mul(sizeof(double), p->model.outputs),
                                gali_size_mul(sizeof(float), p->model.inputs));
    double *y = gali_allocate(p->desc->allocator, size);
    if (!y) {
        return gali_fail(p->error, GAL_NO_MEMORY, "no memory for %zu bytes", size);
    }
    gal_status status = make_frames(p, y, (float *)(void *)(y + p->model.outputs));
    gali_release(p->desc->allocator, y, size);
    return status;
}
