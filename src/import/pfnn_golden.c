/*
 * Golden frames: raw inputs near the mean, several phases, and the outputs of the stored weights, straight
 * from the formulas in float64. Inputs and phases are rounded to float32 first, so that a reader starts from
 * the same numbers.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "import/pfnn_parts.h"

static const double turn = 6.283185307179586;

/* Widest layer's activations, twice. */
typedef struct work {
    double *in, *out;
    double blend[GALI_PFNN_SETS];
} work;

/* Uniform in [-1, 1): splitmix64, so that every import of a folder makes the same frames. */
static double next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* The blend at a phase in [0, 2 pi), as docs/format.md has it. */
static void make_blend(const gali_model *m, double phase, double *blend) {
    uint32_t count = m->experts;
    double u = count * phase / turn, t = u - floor(u);
    uint32_t k = (uint32_t)floor(u) % count;
    for (uint32_t e = 0; e < count; e++) {
        blend[e] = 0;
    }
    if (m->gate == GAL_GATE_CONSTANT) {
        blend[k] = 1;
    } else if (m->gate == GAL_GATE_LINEAR) {
        blend[k] = 1 - t;
        blend[(k + 1) % count] = t;
    } else {
        blend[(k + count - 1) % count] = -0.5 * t + t * t - 0.5 * t * t * t;
        blend[k] = 1 - 2.5 * t * t + 1.5 * t * t * t;
        blend[(k + 1) % count] = 0.5 * t + 2 * t * t - 1.5 * t * t * t;
        blend[(k + 2) % count] = -0.5 * t * t + 0.5 * t * t * t;
    }
}

static void run_layer(const gali_model_layer *layer, work *w) {
    for (size_t n = 0; n < layer->outputs; n++) {
        double sum = 0;
        for (size_t e = 0; e < layer->experts; e++) {
            size_t row = e * layer->outputs + n;
            double part = w->blend[e] != 0 ? (double)gali_model_f32(layer->biases, row) : 0;
            for (size_t k = 0; k < layer->inputs && w->blend[e] != 0; k++) {
                part += (double)gali_model_weight(layer, row * layer->inputs + k) * w->in[k];
            }
            sum += w->blend[e] * part;
        }
        w->out[n] = layer->activation == GALI_ACTIVATION_ELU && sum < 0 ? expm1(sum) : sum;
    }
    double *swap = w->in;
    w->in = w->out;
    w->out = swap;
}

/* Frame f's x and phase. Masked inputs stay at the mean, which is what the network sees of them. */
static void make_input(const gali_model *m, uint32_t f, uint64_t *random) {
    const double golden_ratio = 0.6180339887498949;
    double turns = f * golden_ratio;
    gali_put_f32(m->golden.blend, f, (float)(turn * (turns - floor(turns))));
    for (size_t i = 0; i < m->inputs; i++) {
        uint32_t state = gali_model_u32(m->input_state, i);
        double mean = (double)gali_model_f32(m->input_mean, i), std = (double)gali_model_f32(m->input_std, i);
        double value = mean + 0.6 * std * next_random(random);
        value = state == GALI_INPUT_LIVE ? value : state == GALI_INPUT_MASKED ? mean : 0;
        value = fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
        gali_put_f32(m->golden.x, f * (size_t)m->inputs + i, (float)value);
    }
}

static void normalise(const gali_model *m, uint32_t f, double *in) {
    for (size_t i = 0; i < m->inputs; i++) {
        double x = (double)gali_model_f32(m->golden.x, f * (size_t)m->inputs + i);
        double mean = (double)gali_model_f32(m->input_mean, i);
        int masked = gali_model_u32(m->input_state, i) == GALI_INPUT_MASKED;
        in[i] = masked ? 0 : (x - mean) / (double)gali_model_f32(m->input_std, i);
    }
}

static gal_status make_output(const gali_pfnn *p, uint32_t f, const double *out) {
    const gali_model *m = &p->model;
    for (size_t n = 0; n < m->outputs; n++) {
        double y =
            out[n] * (double)gali_model_f32(m->output_std, n) + (double)gali_model_f32(m->output_mean, n);
        if (!(fabs(y) <= (double)FLT_MAX)) {
            return gali_fail(p->error, GAL_BAD_DATA,
                             "golden frame %u: output %zu is not finite: weights too large", f, n);
        }
        gali_put_f32(m->golden.y, f * (size_t)m->outputs + n, (float)y);
    }
    return GAL_OK;
}

static gal_status make_frames(const gali_pfnn *p, work *w) {
    const gali_model *m = &p->model;
    uint64_t random = 2017;
    gal_status status = GAL_OK;
    for (uint32_t f = 0; f < m->golden.frames && status == GAL_OK; f++) {
        make_input(m, f, &random);
        make_blend(m, (double)gali_model_f32(m->golden.blend, f), w->blend);
        normalise(m, f, w->in);
        for (uint32_t l = 0; l < m->layer_count; l++) {
            run_layer(&m->layers[l], w);
        }
        status = make_output(p, f, w->in);
    }
    return status;
}

gal_status gali_pfnn_golden(gali_pfnn *p) {
    size_t widest = 0;
    for (int i = 0; i <= GALI_PFNN_LAYERS; i++) {
        widest = p->report->widths[i] > widest ? p->report->widths[i] : widest;
    }
    size_t size = gali_size_mul(2 * sizeof(double), widest);
    double *memory = gali_allocate(p->desc->allocator, size);
    if (!memory) {
        return gali_fail(p->error, GAL_NO_MEMORY, "no memory for %zu bytes", size);
    }
    work w = {.in = memory, .out = memory + widest};
    gal_status status = make_frames(p, &w);
    gali_release(p->desc->allocator, memory, size);
    return status;
}
