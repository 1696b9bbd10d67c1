/* Experts in another order: from another one on, backwards, or exchanged; of six or fewer every order. */
#include <stdio.h>
#include <string.h>

#include "case.h"

enum { ALL_MOST = 6 };

static uint32_t orders(uint32_t experts) {
    uint32_t product = 1;
    for (uint32_t e = 2; e <= experts; e++) {
        product *= e;
    }
    return product;
}

/* Rotations, their reverses, then pairs. */
static uint32_t count(gali_case *self, const gali_reading *reading) {
    uint32_t e = self->experts;
    (void)reading;
    return e < 2 ? 0 : 2 * e + (e <= ALL_MOST ? orders(e) : e * (e - 1) / 2);
}

/* The order of number `index` of all, by choosing one of those that are left each time. */
static void order_of_all(uint32_t experts, uint32_t index, uint32_t *order) {
    uint32_t left[ALL_MOST];
    for (uint32_t e = 0; e < experts; e++) {
        left[e] = e;
    }
    for (uint32_t e = 0; e < experts; e++) {
        uint32_t rest = experts - e, choice = index % rest;
        index /= rest;
        order[e] = left[choice];
        memmove(left + choice, left + choice + 1, (rest - choice - 1) * sizeof *left);
    }
}

static void order_of(uint32_t experts, uint32_t step, uint32_t *order) {
    for (uint32_t e = 0; e < experts; e++) {
        uint32_t moved = (e + step) % experts;
        order[e] = step < experts ? moved : step < 2 * experts ? experts - 1 - moved : e;
    }
    if (step >= 2 * experts && experts <= ALL_MOST) {
        order_of_all(experts, step - 2 * experts, order);
    } else if (step >= 2 * experts) {
        uint32_t i = step - 2 * experts, b = 1;
        while (i >= b) {
            i -= b++;
        }
        order[i] = b;
        order[b] = i;
    }
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    uint32_t order[GALI_EXPERTS_MAX], before[GALI_EXPERTS_MAX], same = 0;
    order_of(self->experts, step, order);
    memcpy(before, reading->experts, sizeof before);
    for (uint32_t e = 0; e < self->experts; e++) {
        reading->experts[e] = before[order[e]];
        same += order[e] == e;
    }
    return same < self->experts;
}

/* Whether the reading's order goes up (or down) by one from expert to expert; *first is where it starts. */
static int runs(const gali_reading *reading, uint32_t experts, int down, uint32_t *first) {
    uint32_t e = 0;
    *first = reading->experts[0];
    while (e < experts && reading->experts[e] == (down ? *first + experts - e : *first + e) % experts) {
        e++;
    }
    return e == experts;
}

/* All steps at once: what matters is where they lead. */
static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    uint32_t experts = self->experts, first;
    int phased = self->gate_width == 1 && self->file->model.gate != GAL_GATE_CALLER;
    (void)step;
    if (runs(reading, experts, 0, &first)) {
        int at = snprintf(
            text, size, "the experts stand in another order: the file's %u is the gate's 0, and so on", first);
        if (phased && at > 0 && (size_t)at < size) {
            snprintf(text + at, size - (size_t)at, " (or the phase is %u/%u of a cycle off)", first, experts);
        }
        return;
    }
    if (runs(reading, experts, 1, &first)) {
        snprintf(text, size, "the experts stand in reverse order: the file's %u is the gate's 0", first);
        return;
    }
    int at =
        snprintf(text, size, "the experts stand in another order: the file's for the gate's 0, 1, ... are");
    for (uint32_t e = 0; e < experts && at > 0 && (size_t)at < size; e++) {
        at += snprintf(text + at, size - (size_t)at, " %u", reading->experts[e]);
    }
}

const gali_mistake gali_mistake_experts = {.most = 32, .whole = 1, .steps = count, .undo = undo, .say = say};
