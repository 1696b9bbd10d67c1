/* A small model on disk for tests of commands: the mannequin with golden frames, right or wrong in one feature. */
#ifndef TEST_SMALL_MODEL_H
#define TEST_SMALL_MODEL_H

#include "motion/mannequin.h"

#include "command_line.h"
#include "network/reference.h"

enum { GOLDEN_FRAMES = 3 };

/* Feature of y by name. */
static inline uint32_t output_of(const gali_contract *contract, const char *name) {
    char text[128];
    for (uint32_t i = 0; i < contract->outputs; i++) {
        gali_contract_output_name(contract, i, text, sizeof text);
        if (strcmp(text, name) == 0) {
            return i;
        }
    }
    fail_msg("no output %s", name);
    return 0;
}

/* Golden frames that are right but for `wrong` (NULL: none), which is 25 units off in frame 1. */
static inline void add_golden(synthetic *s, const gali_contract *contract, const char *wrong) {
    uint64_t seed = 11;
    const gali_model *model = &s->model;
    float *x = synthetic_array(s, (size_t)GOLDEN_FRAMES * model->inputs, &seed, 1, 0);
    float *phase = synthetic_array(s, GOLDEN_FRAMES, &seed, 3, 3);
    float *y = synthetic_array(s, (size_t)GOLDEN_FRAMES * model->outputs, &seed, 0, 0);
    double *exact = malloc((size_t)GOLDEN_FRAMES * model->outputs * sizeof *exact);
    gal_error error = {0};
    assert_int_equal(gali_reference_run(model, GOLDEN_FRAMES, x, phase, exact, &error), GAL_OK);
    for (size_t i = 0; i < (size_t)GOLDEN_FRAMES * model->outputs; i++) {
        y[i] = (float)exact[i];
    }
    if (wrong) {
        y[model->outputs + output_of(contract, wrong)] += 25;
    }
    free(exact);
    s->model.golden = (gali_golden){GOLDEN_FRAMES, 1, 1e-4f, x, phase, y};
}

static inline void write_model(const char *path, const char *wrong) {
    mannequin_desc desc = {.wobble = 0.3f, .step_z = 2, .phase = 0.02f, .contact = 0.7f, .seed = 5};
    synthetic s = mannequin_model(&desc);
    gali_contract *contract = mannequin_contract(s.model.contract);
    size_t size;
    add_golden(&s, contract, wrong);
    unsigned char *bytes = synthetic_bytes(&s, &size);
    spill(path, bytes, size);
    free(bytes);
    gali_contract_release(contract, NULL);
    synthetic_free(&s);
}

#endif
