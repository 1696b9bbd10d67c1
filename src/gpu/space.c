#include "gpu/space.h"

#include <math.h>
#include <stddef.h>

enum {
    SCHEDULERS = 4,       /* of a core: a warp each keeps them busy */
    ADDRESSES = 24,       /* registers of an item that hold neither sums nor operands */
    ITEM_REGISTERS = 512, /* of an ALU, by the device's pool: what its items share */
};
static const double local_slack =
    1.5; /* 32 items read the same rows and outputs several times over, in one go */
static const double warps_least =
                        8, /* of a core, of all its groups: while some wait for memory others compute */
    warps_most = 24;
static const double idle_most = 0.35, waste_most = 0.2;
enum {
    STRICTNESS = 4,  /* halvings of the criteria that a small product may need; the last of them asks nothing */
    KEPT_PART = 10,  /* of a space is tried at most, rounded up */
    KEPT_LEAST = 25, /* and this part of it at least, where halvings help */
};

gali_gpu_facts gali_gpu_facts_of(const gali_device *d) {
    static const double giga = 1e9;
    return (gali_gpu_facts){.registers = d->registers,
                            .alus = d->alus,
                            .cores = d->cores,
                            .warp = d->warp,
                            .peak = 2 * d->peak / giga,
                            .local_rate = d->local_rate};
}

int gali_gpu_prefers_images(const gali_device *d) {
    static const double giga = 1e9,
                        gain = 1.5; /* a tensor is copied first, and its elements are picked out of texels */
    return d->levels > 0 && giga * d->image_rate > gain * d->rate[0];
}

uint32_t gali_gpu_tilings(const gali_device_task *task, const gali_device_limits *device, gali_tiling *list) {
    static const uint32_t sides[] = {32, 64, 128, 256}, depths[] = {4, 8, 16}, registers[] = {4, 8, 16},
                          parts[] = {1, 2, 4, 8};
    enum { SIDES = 4, DEPTHS = 3, REGISTERS = 3, PARTS = 4 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIDES * SIDES * DEPTHS * REGISTERS * REGISTERS * PARTS; i++) {
        uint32_t rest = i;
        gali_tiling t = {.images = 0};
        t.rows = sides[rest % SIDES];
        t.outputs = sides[(rest /= SIDES) % SIDES];
        t.depth = depths[(rest /= SIDES) % DEPTHS];
        t.row_registers = registers[(rest /= DEPTHS) % REGISTERS];
        t.output_registers = registers[(rest /= REGISTERS) % REGISTERS];
        t.parts = parts[(rest /= REGISTERS) % PARTS];
        if (gali_tiling_fits(&t, task, device) && count < GALI_TILINGS_MAX) {
            list[count++] = t;
        }
    }
    return count;
}

static uint32_t items_of(const gali_tiling *t) {
    return t->rows / t->row_registers * (t->outputs / t->output_registers) * t->parts;
}

/* Registers of an item: sums, operands of a step, what is on its way to local memory. */
static double registers_of(const gali_tiling *t) {
    double copied = (double)(t->rows + t->outputs) * t->depth * t->parts / items_of(t);
    return (double)(t->row_registers * t->output_registers + t->row_registers + t->output_registers) + copied +
           (double)ADDRESSES;
}

static double tiles_of(const gali_device_task *task, const gali_tiling *t) {
    return task->batches * ceil((double)task->rows / t->rows) * ceil((double)task->outputs / t->outputs);
}

/* Groups that a core works at side by side. */
static double held_of(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *t) {
    double held = floor((double)ITEM_REGISTERS * facts->alus / (registers_of(t) * items_of(t)));
    return fmax(1, fmin(held, ceil(tiles_of(task, t) / facts->cores)));
}

/* Part of the cores' time in which those that have no tile left wait for the others. */
static double idle_of(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *t) {
    double tiles = tiles_of(task, t), at_once = facts->cores * held_of(task, facts, t);
    return 1 - tiles / (ceil(tiles / at_once) * at_once);
}

/* Sums' reads of local memory for each multiply-add of an item. */
static double reads_of(const gali_tiling *t) {
    return (double)(t->row_registers + t->output_registers) / (t->row_registers * t->output_registers);
}

/* Why a tiling is dropped, or NULL; what a small product cannot keep busy is asked for `ease` (1: all, 0: none) of. */
static const char *prune(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *t,
                         double ease) {
    uint32_t items = items_of(t);
    double outputs = ceil((double)task->outputs / t->outputs) * t->outputs;
    if (facts->registers > 0 && registers_of(t) > facts->registers) {
        return "registers";
    }
    if (facts->registers > 0 && facts->alus > 0 &&
        registers_of(t) * items > (double)ITEM_REGISTERS * facts->alus) {
        return "registers";
    }
    if (facts->peak > 0 && facts->local_rate > 0 &&
        reads_of(t) * (double)sizeof(float) * facts->peak / 2 > local_slack * facts->local_rate) {
        return "local";
    }
    if (facts->warp > 0 && (items % (uint32_t)facts->warp || items < SCHEDULERS * (uint32_t)facts->warp)) {
        return "warp";
    }
    if (facts->cores > 0 && facts->alus > 0 && idle_of(task, facts, t) > 1 - (1 - idle_most) * ease) {
        return "cores";
    }
    if (facts->cores > 0 && facts->alus > 0 && facts->warp > 0) {
        double warps = held_of(task, facts, t) * items / facts->warp;
        if (warps < warps_least * ease) {
            return "warp";
        }
        if (t->parts > 1 && warps >= warps_most) {
            return "parts";
        }
    }
    if (t->depth < 8) { /* fewer than two vectors of a row of x at a time: half of each line is read again */
        return "width";
    }
    return (outputs / task->outputs - 1) * ease > waste_most ? "waste" : NULL;
}

/* Idle cores, reads of local memory, outputs for nothing. */
double gali_gpu_cost(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *t) {
    double busy = facts->cores > 0 && facts->alus > 0 ? 1 - idle_of(task, facts, t) : 1;
    double outputs = ceil((double)task->outputs / t->outputs) * t->outputs / task->outputs;
    double rows = ceil((double)task->rows / t->rows) * t->rows / task->rows;
    return (1 + reads_of(t)) * outputs * rows / busy;
}

/* Drops all but the `most` of least cost; the first in the list of those that cost the same stay. */
static uint32_t keep_cheapest(const gali_device_task *task, const gali_gpu_facts *facts,
                              const gali_tiling *list, uint32_t count, const char **why, uint32_t most) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        kept += !why[i];
    }
    for (; kept > most; kept--) {
        uint32_t worst = count;
        for (uint32_t i = 0; i < count; i++) {
            if (!why[i] && (worst == count ||
                            gali_gpu_cost(task, facts, &list[i]) >= gali_gpu_cost(task, facts, &list[worst]))) {
                worst = i;
            }
        }
        why[worst] = "cost";
    }
    return kept;
}

uint32_t gali_gpu_prune(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *list,
                        uint32_t count, const char **why) {
    uint32_t kept = 0;
    double ease = 1;
    const uint32_t asked = (count + KEPT_LEAST - 1) / KEPT_LEAST;
    for (int step = 0; step <= STRICTNESS && kept < asked; step++, ease = step < STRICTNESS ? ease / 2 : 0) {
        kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            why[i] = prune(task, facts, &list[i], ease);
            kept += !why[i];
        }
    }
    for (uint32_t i = 0; i < count && !kept; i++) { /* a device that is like none: by cost alone */
        why[i] = NULL;
    }
    return keep_cheapest(task, facts, list, count, why, (count + KEPT_PART - 1) / KEPT_PART);
}
