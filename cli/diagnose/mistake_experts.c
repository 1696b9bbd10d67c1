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

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    (void)reading;
    uint32_t order[GALI_EXPERTS_MAX], experts = self->experts;
    order_of(experts, step, order);
    if (step < experts) {
        snprintf(text, size,
                 "the experts stand in another order: the first of the file is number %u of the gate (or the "
                 "phase is %u/%u of a cycle off)",
                 experts - step, experts - step, experts);
    } else if (step < 2 * experts) {
        snprintf(text, size, "the experts stand in reverse order%s", step == experts ? "" : ", and moved on");
    } else if (experts <= ALL_MOST) {
        int at =
            snprintf(text, size, "the experts stand in another order: the file's for the gate's 0, 1, ... are");
        for (uint32_t e = 0; e < experts && at > 0 && (size_t)at < size; e++) {
            at += snprintf(text + at, size - (size_t)at, " %u", order[e]);
        }
    } else {
        uint32_t a = 0;
        while (order[a] == a) {
            a++;
        }
        snprintf(text, size, "the experts %u and %u are exchanged", a, order[a]);
    }
}

const gali_mistake gali_mistake_experts = {.most = 32, .steps = count, .undo = undo, .say = say};
