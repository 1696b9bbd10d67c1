/*
 * Single features in another order. Outputs are matched with the recorded columns that they equal. Of inputs every
 * pair is exchanged on two frames, and those that look best on all; of many inputs only those that do least
 * harm when they are replaced by their mean, since a wrong input does harm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MATCH_Y, PAIRS, WIDTH_MOST = 4096, SUSPECTS_MOST = 200, SCREEN_FRAMES = 2, NAMED = 4 };

/* An input, or a pair of them, and the error that is left without it or with the pair exchanged. */
typedef struct suspect {
    uint32_t a, b;
    double error;
} suspect;

static int smaller(const void *a, const void *b) {
    double d = ((const suspect *)a)->error - ((const suspect *)b)->error;
    return (d > 0) - (d < 0);
}

static void exchange(gali_reading *reading, uint32_t a, uint32_t b) {
    uint32_t source = reading->x.source[a];
    reading->x.source[a] = reading->x.source[b];
    reading->x.source[b] = source;
}

/* The inputs, those that look wrong first. */
static suspect *rank(gali_case *self, const gali_reading *reading, gali_reading *trial) {
    suspect *suspects = calloc(self->inputs, sizeof *suspects);
    for (uint32_t k = 0; suspects && k < self->inputs; k++) {
        gali_reading_copy(trial, reading);
        trial->x.scale[k] = 0;
        trial->x.shift[k] = gali_model_f32(self->file->model.input_mean, k);
        suspects[k] = (suspect){k, k, self->error(self, trial)};
    }
    if (suspects) {
        qsort(suspects, self->inputs, sizeof *suspects, smaller);
    }
    return suspects;
}

/* Keeps the best GALI_PAIRS, sorted; count are there. */
static void keep(suspect *best, uint32_t *count, suspect pair) {
    uint32_t at = GALI_PAIRS - 1;
    if (*count < GALI_PAIRS) {
        at = (*count)++;
    } else if (!(pair.error < best[at].error)) {
        return;
    }
    for (; at > 0 && best[at - 1].error > pair.error; at--) {
        best[at] = best[at - 1];
    }
    best[at] = pair;
}

/* Tries every pair of the suspects on the first frames alone. */
static void screen(gali_case *self, const gali_reading *reading, gali_reading *trial, const suspect *suspects) {
    suspect best[GALI_PAIRS] = {{0}};
    uint32_t most = self->inputs < SUSPECTS_MOST ? self->inputs : SUSPECTS_MOST, all = self->frames;
    self->frames = all < SCREEN_FRAMES ? all : SCREEN_FRAMES;
    self->has_got = 0;
    gali_reading_copy(trial, reading);
    for (uint32_t i = 0; i < most; i++) {
        for (uint32_t j = 0; j < i; j++) {
            exchange(trial, suspects[i].a, suspects[j].a);
            keep(best, &self->pair_count, (suspect){suspects[i].a, suspects[j].a, self->error(self, trial)});
            exchange(trial, suspects[i].a, suspects[j].a);
        }
    }
    self->frames = all;
    self->has_got = 0;
    for (uint32_t i = 0; i < self->pair_count; i++) {
        self->pairs[i][0] = best[i].a;
        self->pairs[i][1] = best[i].b;
    }
}

static uint32_t count(gali_case *self, const gali_reading *reading) {
    gali_reading trial;
    self->pair_count = 0;
    if (self->inputs > WIDTH_MOST || self->outputs > WIDTH_MOST) {
        return 0;
    }
    if (gali_reading_open(&trial, self)) {
        suspect *suspects = rank(self, reading, &trial);
        if (suspects) {
            screen(self, reading, &trial, suspects);
        }
        free(suspects);
    }
    gali_reading_close(&trial);
    return PAIRS + self->pair_count;
}

/* Squared distance of the network's output n from recorded column m, in m's spread. */
static double distance(const gali_case *self, uint32_t n, uint32_t m) {
    double sum = 0, unit = (double)self->y_all.deviation[m] + 1e-9;
    for (uint32_t f = 0; f < self->frames; f++) {
        size_t row = (size_t)f * self->outputs;
        double d = ((double)self->got[row + n] - (double)self->y[row + m]) / unit;
        sum += d * d;
    }
    return sum / self->frames;
}

/* Below this two columns are the same. */
static const double same = 1e-4;

static int match_y(gali_case *self, gali_reading *reading) {
    int changed = 0;
    if (!gali_case_run(self, reading)) {
        return 0;
    }
    for (uint32_t n = 0; n < self->outputs; n++) {
        double least = distance(self, n, reading->y.source[n]);
        if (least < same) {
            continue;
        }
        for (uint32_t m = 0; m < self->outputs; m++) {
            double d = distance(self, n, m);
            if (d < same && d < least) {
                least = d;
                reading->y.source[n] = m;
                changed = 1;
            }
        }
    }
    return changed;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    if (step == MATCH_Y) {
        return match_y(self, reading);
    }
    exchange(reading, self->pairs[step - PAIRS][0], self->pairs[step - PAIRS][1]);
    return 1;
}

static void say_y(const gali_case *self, const gali_reading *reading, char *text, size_t size) {
    char name[160], other[160];
    uint32_t moved = 0;
    size_t at = (size_t)snprintf(text, size, "in the recorded outputs features stand in another order:");
    for (uint32_t n = 0; n < self->outputs; n++) {
        if (reading->y.source[n] != n && moved++ < NAMED && at < size) {
            gali_case_name(self, GALI_SIDE_Y, n, name, sizeof name);
            gali_case_name(self, GALI_SIDE_Y, reading->y.source[n], other, sizeof other);
            at += (size_t)snprintf(text + at, size - at, "%s %s stands where %s belongs", moved > 1 ? "," : "",
                                   name, other);
        }
    }
    if (moved > NAMED && at < size) {
        snprintf(text + at, size - at, ", and %u more", moved - NAMED);
    }
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    char a[160], b[160];
    if (step == MATCH_Y) {
        say_y(self, reading, text, size);
        return;
    }
    const uint32_t *pair = self->pairs[step - PAIRS];
    gali_case_name(self, GALI_SIDE_X, pair[pair[0] > pair[1]], a, sizeof a);
    gali_case_name(self, GALI_SIDE_X, pair[pair[0] < pair[1]], b, sizeof b);
    snprintf(text, size, "in the recorded inputs %s and %s are exchanged", a, b);
}

const gali_mistake gali_mistake_features = {.most = 8, .costly = 1, .steps = count, .undo = undo, .say = say};
