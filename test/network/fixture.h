/* A synthetic network with features and gate values for some characters, and room for their outputs. */
#ifndef GALI_TEST_NETWORK_FIXTURE_H
#define GALI_TEST_NETWORK_FIXTURE_H

#include <math.h>

#include "network/reference.h"
#include "synthetic.h"

typedef struct fixture {
    synthetic s;
    uint32_t inputs, outputs, gate_width;
    float *x, *gate,
        *y; /* [count][inputs], [count][gate_width] phases of 0..8 or blends of -1..1, [count][outputs] */
} fixture;

static inline fixture fixture_make(const synthetic_desc *desc, uint32_t count) {
    fixture f = {.s = synthetic_make(desc), .inputs = desc->width[0], .outputs = desc->width[desc->layers]};
    uint64_t state = desc->seed + 100;
    f.gate_width = desc->gate == GAL_GATE_CALLER ? desc->experts : 1;
    f.x = malloc((size_t)count * f.inputs * sizeof(float));
    f.y = malloc((size_t)count * f.outputs * sizeof(float));
    f.gate = malloc((size_t)count * f.gate_width * sizeof(float));
    for (size_t i = 0; i < (size_t)count * f.inputs; i++) {
        uint32_t k = (uint32_t)(i % f.inputs);
        f.x[i] = 2 * synthetic_uniform(&state);
        if (desc->far > 0) {
            f.x[i] = gali_model_f32(f.s.model.input_mean, k) + gali_model_f32(f.s.model.input_std, k) * f.x[i];
        }
    }
    for (size_t i = 0; i < (size_t)count * f.gate_width; i++) {
        f.gate[i] = f.gate_width == 1 ? 4 + 4 * synthetic_uniform(&state) : synthetic_uniform(&state);
    }
    return f;
}

static inline void fixture_free(fixture *f) {
    synthetic_free(&f->s);
    free(f->x);
    free(f->y);
    free(f->gate);
}

/* Opens the network as the desc says and runs the first `count` characters into y. */
static inline void fixture_run(const fixture *f, gal_network_desc desc, uint32_t count, float *y) {
    gal_network *network = synthetic_open_desc(&f->s, desc);
    if (synthetic_run(network, count, f->x, f->gate, y, NULL) != GAL_OK) {
        fprintf(stderr, "fixture does not run\n");
        exit(1);
    }
    gal_network_close(network);
}

/* The worst character's largest error against float64, relative to the root mean square of its outputs. */
static inline double fixture_error(const fixture *f, uint32_t count, const float *y) {
    double *truth = malloc((size_t)count * f->outputs * sizeof *truth), worst = 0;
    if (gali_reference_run(&f->s.model, count, f->x, f->gate, truth, NULL) != GAL_OK) {
        fprintf(stderr, "fixture has no reference\n");
        exit(1);
    }
    for (uint32_t c = 0; c < count; c++) {
        double squares = 0, most = 0;
        for (uint32_t n = 0; n < f->outputs; n++) {
            const double exact = truth[(size_t)c * f->outputs + n];
            squares += exact * exact;
            const double off = fabs((double)y[(size_t)c * f->outputs + n] - exact);
            most = off >= 0 ? fmax(most, off) : INFINITY; /* fmax would lose a NaN */
        }
        worst = fmax(worst, most / sqrt(squares / f->outputs));
    }
    free(truth);
    return worst;
}

#endif
