/* Normalisation: applied twice, not at all, or with variances for standard deviations. */
#include <math.h>
#include <stdio.h>

#include "case.h"

typedef enum norm_step {
    X_TWICE,
    Y_TWICE,
    BOTH_TWICE,
    X_VARIANCE,
    Y_VARIANCE,
    BOTH_VARIANCE,
    X_NONE,
    Y_NONE,
    BOTH_NONE,
    STEPS
} norm_step;

/* Frames from which a column's mean and deviation can be told. */
enum { FRAMES_LEAST = 4 };

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->all < FRAMES_LEAST ? X_NONE : STEPS;
}

/* Column i is then read as factor * what it was + addend. */
static void rescale(gali_columns *columns, uint32_t i, double factor, double addend) {
    columns->scale[i] = (float)(factor * (double)columns->scale[i]);
    columns->shift[i] = (float)(factor * (double)columns->shift[i] + addend);
}

/* Recorded values are normalised already: as raw ones they are value * deviation + mean. */
static void denormalise(gali_columns *columns, const void *means, const void *deviations, int variances) {
    for (uint32_t i = 0; i < columns->count; i++) {
        double mean = (double)gali_model_f32(means, i), deviation = (double)gali_model_f32(deviations, i);
        if (variances) {
            rescale(columns, i, sqrt(deviation), mean - mean * sqrt(deviation));
        } else {
            rescale(columns, i, deviation, mean);
        }
    }
}

/* The file normalises by 0 and 1; the frames' own mean and deviation are what it should have had. */
static int normalise_x(const gali_case *self, gali_columns *columns) {
    const gali_model *model = &self->file->model;
    for (uint32_t i = 0; i < columns->count; i++) {
        float deviation = self->x_all.deviation[i];
        if (gali_model_f32(model->input_mean, i) != 0 || gali_model_f32(model->input_std, i) != 1) {
            return 0;
        }
        if (deviation > 0) {
            columns->scale[i] = 1 / deviation;
            columns->shift[i] = -self->x_all.mean[i] / deviation;
        }
    }
    return 1;
}

static void moments(const double *values, uint32_t count, double *mean, double *deviation) {
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        squares += (values[i] - sum) * (values[i] - sum) / count;
    }
    *mean = sum;
    *deviation = sqrt(squares);
}

/*
 * Each recorded column is a scaled and moved one of the network's. Any column can be given the mean and spread of
 * another: it says something only if they also run alike, by a mean correlation of alike_least, and if most columns are
 * moved: a wrong unit scales its own alone.
 */
static int fit_y(gali_case *self, gali_reading *reading, double alike_least) {
    double alike = 0;
    uint32_t moved = 0;
    if (!gali_case_run(self, reading)) {
        return 0;
    }
    for (uint32_t n = 0; n < self->outputs; n++) {
        double got[GALI_CASE_FRAMES], recorded[GALI_CASE_FRAMES], mean, deviation, own_mean, own_deviation;
        double both = 0;
        for (uint32_t f = 0; f < self->frames; f++) {
            got[f] = (double)self->got[(size_t)f * self->outputs + n];
            recorded[f] = (double)gali_case_y(self, reading, f, n);
        }
        moments(got, self->frames, &mean, &deviation);
        moments(recorded, self->frames, &own_mean, &own_deviation);
        for (uint32_t f = 0; f < self->frames; f++) {
            both += (got[f] - mean) * (recorded[f] - own_mean) / self->frames;
        }
        int still = !(deviation > 0 && own_deviation > 0);
        alike += still ? 1 : both / (deviation * own_deviation);
        double factor = still ? 1 : deviation / own_deviation;
        moved += fabs(factor - 1) > 0.01 || fabs(mean - own_mean) > 0.01 * deviation;
        rescale(&reading->y, n, factor, mean - factor * own_mean);
    }
    return alike > alike_least * self->outputs && 2 * moved > self->outputs;
}

/* Whether the file leaves outputs as they are. */
static int plain_y(const gali_case *self) {
    const gali_model *model = &self->file->model;
    uint32_t n = 0;
    while (n < model->outputs && gali_model_f32(model->output_mean, n) == 0 &&
           gali_model_f32(model->output_std, n) == 1) {
        n++;
    }
    return n == model->outputs;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    const gali_model *model = &self->file->model;
    int variances = step == X_VARIANCE || step == Y_VARIANCE || step == BOTH_VARIANCE;
    if (step == X_NONE) {
        return normalise_x(self, &reading->x);
    }
    if (step == Y_NONE) {
        return fit_y(self, reading, 0.999);
    }
    if (step == BOTH_NONE) {
        return plain_y(self) && normalise_x(self, &reading->x) && fit_y(self, reading, 0.6);
    }
    if (step != Y_TWICE && step != Y_VARIANCE) {
        denormalise(&reading->x, model->input_mean, model->input_std, variances);
    }
    if (step != X_TWICE && step != X_VARIANCE) {
        denormalise(&reading->y, model->output_mean, model->output_std, variances);
    }
    return 1;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    static const char *const words[STEPS] = {
        [X_TWICE] = "inputs are normalised twice: those recorded are normalised already, or the network was "
                    "trained on raw ones",
        [Y_TWICE] = "the outputs recorded are still normalised: mean and standard deviation were not put back",
        [BOTH_TWICE] = "the inputs and outputs recorded are normalised; raw ones are expected",
        [X_VARIANCE] = "the file has variances where the standard deviations of the inputs belong",
        [Y_VARIANCE] = "the file has variances where the standard deviations of the outputs belong",
        [BOTH_VARIANCE] = "the file has variances where the standard deviations belong",
        [X_NONE] = "the input normalisation is missing: the file has mean 0 and standard deviation 1 for every "
                   "input, the network expects normalised ones",
        [Y_NONE] = "the output normalisation is not the one that the network was trained with: every output is "
                   "scaled and moved",
        [BOTH_NONE] = "the normalisation is missing: the file has mean 0 and standard deviation 1",
    };
    snprintf(
        text, size, "%s",
        step == Y_NONE && plain_y(self)
            ? "the output normalisation is missing: the file has mean 0 and standard deviation 1 for every "
              "output"
            : words[step]);
}

const gali_mistake gali_mistake_normalisation = {.most = 1, .steps = count, .undo = undo, .say = say};
