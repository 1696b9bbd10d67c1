/*
 * Arithmetic and its limits, by kernels of multiply-adds.
 *
 *     peak        eight chains in each of many items: nothing waits
 *     ALUs        one group of ever more items, eight chains each: the time stays until all lanes of the core are busy
 *     cores       ever more groups of the largest size: the time stays until each core has one
 *     warp        items go two ways, by turns of m: where m is no multiple of the warp some warp goes both, one after the
 *                 other. The paper's saturation over group sizes (its figure 7) shows 64 or 128 and leaves it there
 *     registers   one chain through k values: where they spill, a step costs more. With many groups the time of a step
 *                 grows before that where holding more leaves room for fewer items: a shared pool (the paper's figure 5)
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "probe/cl_parts.h"

enum {
    CHAINS = 8,
    UNROLLED = 4,
    GROUP = 256,
    GROUPS_UNIT = 16,
    STEPS = 512,
    WARP_GROUP = 256,
    HOLD_GROUP = 32, /* items of the kernels that hold registers */
    HOLD_MOST = 512,
    HOLD_STEP = 16,
    HOLD_TURNS = 16384, /* multiply-adds of one item */
    LAUNCHES = 200,
};

/* %s: the type of the chains. */
static const char *const multiply_text =
    "%s"
    "#define ROUND x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);"
    " x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);\n"
    "__kernel void multiply(__global T *out, uint steps, float from, float add) {\n"
    "    T a = (T)from, b = (T)add, x0 = (T)get_local_id(0), x1 = x0 + a, x2 = x1 + a, x3 = x2 + a, x4 = x3 + "
    "a,\n"
    "      x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;\n"
    "    for (uint i = 0; i < steps; i++) { ROUND ROUND ROUND ROUND }\n"
    "    x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7;\n"
    "    if (SAME(x0)) { out[0] = x0; }\n"
    "}\n";

static const char *const diverge_text =
    "#define FLOATS x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);"
    " x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);\n"
    "__kernel void diverge(__global float *out, uint steps, uint turn, float a, float b) {\n"
    "    uint way = get_local_id(0) / turn & 1;\n"
    "    float x0 = get_local_id(0), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, x4 = x0 + 4, x5 = x0 + 5, x6 = x0 "
    "+ 6,\n"
    "          x7 = x0 + 7;\n"
    "    if (way) {\n"
    "        for (uint i = 0; i < steps; i++) { FLOATS FLOATS }\n"
    "    } else {\n"
    "        b += 1;\n"
    "        for (uint i = 0; i < steps; i++) { FLOATS a -= 1e-9f; FLOATS }\n"
    "    }\n"
    "    out[get_global_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;\n"
    "}\n";

static const char *const nothing_text = "__kernel void nothing(__global float *out) { }\n";

/* ---- multiply-adds ---- */

typedef struct multiplier {
    const gali_cl_probe *p;
    void *program, *kernel, *out;
} multiplier;

static void multiplier_open(multiplier *m, const gali_cl_probe *p, const char *type) {
    char text[2048];
    *m = (multiplier){.p = p};
    snprintf(text, sizeof text, multiply_text, type);
    m->program = gali_cl_build(p->cl, text);
    m->kernel = gali_cl_kernel(p->cl, m->program, "multiply");
    m->out = gali_cl_buffer(p->cl, 64, NULL);
    gali_cl_pass_memory(p->cl, m->kernel, 0, m->out);
    gali_cl_pass_f32(p->cl, m->kernel, 2, .999f);
    gali_cl_pass_f32(p->cl, m->kernel, 3, 1e-3f);
}

static void multiplier_close(multiplier *m) {
    gali_cl_free(m->p->cl, m->out);
    gali_cl_release_kernel(m->p->cl, m->kernel);
    gali_cl_release_program(m->p->cl, m->program);
}

static gali_measured multiply(const multiplier *m, size_t items, size_t group, uint32_t steps) {
    gali_cl_pass_u32(m->p->cl, m->kernel, 1, steps);
    return gali_cl_measure(m->p, m->kernel, items, group);
}

static void probe_peak(const gali_cl_probe *p, gali_fact_id id, const char *name, const char *base,
                       const char *extension) {
    gali_curve *curve = gali_probe_curve(p->probe, name, "lanes of a value", "GFLOP/s");
    double best = 0;
    for (int lanes = 1; lanes <= 16 && gali_cl_good(p->cl); lanes *= 2) {
        multiplier m;
        char type[256], width[8] = "";
        if (lanes > 1) {
            snprintf(width, sizeof width, "%d", lanes);
        }
        snprintf(type, sizeof type, "%stypedef %s%s T;\n#define SAME(a) ((a)%s == (%s)77.5f)\n", extension,
                 base, width, lanes > 1 ? ".x" : "", base);
        multiplier_open(&m, p, type);
        size_t most = gali_cl_group_most(p->cl, m.kernel), group = most < GROUP ? most : GROUP;
        size_t items = group * p->cl->facts.units * GROUPS_UNIT;
        if (items) {
            gali_measured time = multiply(&m, items, group, STEPS / (uint32_t)lanes);
            double made = (double)items * (double)(STEPS / lanes * lanes * CHAINS * UNROLLED);
            gali_curve_add(curve, lanes, 2 * made / time.value, time.stable);
        }
        multiplier_close(&m);
    }
    for (uint32_t i = 0; i < curve->count; i++) {
        best = curve->y[i] > best ? curve->y[i] : best;
    }
    gali_probe_fact(p->probe, id, 0, best > 0 ? best : (double)NAN, 1, curve, NULL);
}

static void probe_alus(const gali_cl_probe *p) {
    gali_curve *curve = gali_probe_curve(p->probe, "alus", "items of a group", "ns");
    multiplier m;
    multiplier_open(&m, p, "typedef float T;\n#define SAME(a) ((a) == 77.5f)\n");
    size_t most = gali_cl_group_most(p->cl, m.kernel);
    for (size_t items = 8; items <= most && gali_cl_good(p->cl); items += items < 128 ? 8 : items / 8 / 8 * 8) {
        gali_measured time = multiply(&m, items, items, STEPS);
        gali_curve_add(curve, (double)items, time.value, time.stable);
    }
    gali_knee knee = gali_curve_knee(curve, 1.3);
    gali_probe_fact(p->probe, GALI_FACT_ALUS, 0, knee.x, knee.sure, curve, NULL);
    multiplier_close(&m);
}

static void probe_cores(const gali_cl_probe *p) {
    gali_curve *curve = gali_probe_curve(p->probe, "cores", "groups", "ns");
    multiplier m;
    multiplier_open(&m, p, "typedef float T;\n#define SAME(a) ((a) == 77.5f)\n");
    size_t group = gali_cl_group_most(p->cl, m.kernel), units = p->cl->facts.units;
    size_t step = units / 16 > 0 ? units / 16 : 1;
    for (size_t groups = 1; groups <= 2 * units + 2 && gali_cl_good(p->cl);
         groups +=
         groups + step < units || groups > units + step ? step : 1) { /* finely where it is expected */
        gali_measured time = multiply(&m, groups * group, group, STEPS);
        gali_curve_add(curve, (double)groups, time.value, time.stable);
    }
    gali_knee knee = gali_curve_knee(curve, 1.3);
    gali_probe_fact(p->probe, GALI_FACT_CORES, 0, knee.x, knee.sure, curve, NULL);
    multiplier_close(&m);
}

/* ---- warp ---- */

/*
 * The shortest turn that is as fast as the best, and whose multiples are, too; 1 where less than a quarter of the turns are
 * slow: a few may be, by chance.
 */
static gali_knee warp_of(const gali_curve *curve) {
    double least = INFINITY;
    uint32_t slow = 0;
    for (uint32_t i = 0; i < curve->count; i++) {
        least = fmin(least, curve->y[i]);
    }
    for (uint32_t i = 0; i < curve->count; i++) {
        slow += curve->y[i] > 1.4 * least;
    }
    if (4 * slow < curve->count) {
        return (gali_knee){1, curve->count > 1 ? .8 : 0};
    }
    for (uint32_t i = 0; i < curve->count; i++) {
        int good = 1;
        for (uint32_t k = 0; k < curve->count; k++) {
            if (fmod(curve->x[k], curve->x[i]) == 0) {
                good = good && curve->y[k] < 1.2 * least;
            }
        }
        if (good) {
            return (gali_knee){curve->x[i], fmin(1, 2. * slow / curve->count)};
        }
    }
    return (gali_knee){(double)NAN, 0};
}

static void probe_warp(const gali_cl_probe *p) {
    gali_curve *curve = gali_probe_curve(p->probe, "warp", "items of a turn", "ns");
    gali_cl *cl = p->cl;
    void *program = gali_cl_build(cl, diverge_text), *kernel = gali_cl_kernel(cl, program, "diverge");
    void *out = gali_cl_buffer(cl, WARP_GROUP * sizeof(float), NULL);
    size_t most = gali_cl_group_most(cl, kernel), group = most < WARP_GROUP ? most : WARP_GROUP;
    gali_cl_pass_memory(cl, kernel, 0, out);
    gali_cl_pass_u32(cl, kernel, 1, 2 * STEPS);
    gali_cl_pass_f32(cl, kernel, 3, .999f);
    gali_cl_pass_f32(cl, kernel, 4, 1e-3f);
    for (uint32_t turn = 1; turn <= group / 2 && gali_cl_good(cl); turn += turn < 72 ? 1 : 8) {
        gali_cl_pass_u32(cl, kernel, 2, turn);
        gali_measured time = gali_cl_measure(p, kernel, group, group);
        gali_curve_add(curve, turn, time.value, time.stable);
    }
    gali_knee warp = warp_of(curve);
    gali_probe_fact(p->probe, GALI_FACT_WARP, 0, warp.x, warp.sure, curve, NULL);
    gali_cl_free(cl, out);
    gali_cl_release_kernel(cl, kernel);
    gali_cl_release_program(cl, program);
}

/* ---- registers ---- */

/* A text in memory of a known room. */
typedef struct written {
    char *bytes;
    size_t room, size;
} written;

GALI_PRINTF(2, 3) static void put(written *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(to->bytes + to->size, to->room - to->size, format, arguments);
    va_end(arguments);
    to->size += size > 0 ? (size_t)size : 0;
}

static void put_hold(written *to, int k) {
    put(to, "__attribute__((reqd_work_group_size(%d, 1, 1)))\n", HOLD_GROUP);
    put(to, "__kernel void hold_%d(__global float *io, uint steps, float a) {\n", k);
    for (int i = 0; i < k; i++) {
        put(to, "float r%d = io[%d];\n", i, i);
    }
    put(to, "for (uint i = 0; i < steps; i++) {\n");
    for (int i = 0; i < k; i++) {
        put(to, "r%d = fma(r%d, a, r%d);\n", i, i, (i + k - 1) % k);
    }
    put(to, "}\nfloat sum = 0;\n");
    for (int i = 0; i < k; i++) {
        put(to, "sum += r%d;\n", i);
    }
    put(to, "if (sum == 77.5f) { io[0] = sum; }\n}\n");
}

/* Kernels hold_<k>, k = first, first + step .. last: a chain of multiply-adds through k values. NULL: no memory. */
static char *hold_text(int first, int last, int step) {
    enum { LINE = 64 };
    written all = {.room = 1};
    for (int k = first; k <= last; k += step) {
        all.room += (size_t)(3 * k + 8) * LINE;
    }
    all.bytes = calloc(1, all.room);
    for (int k = first; all.bytes && k <= last; k += step) {
        put_hold(&all, k);
    }
    return all.bytes;
}

typedef struct holder {
    const gali_cl_probe *p;
    void *io;
    gali_curve *alone, *many; /* ns of a multiply-add: one group, and the device full of groups */
} holder;

static void hold(const holder *h, void *program, int k) {
    char name[32];
    gali_cl *cl = h->p->cl;
    uint32_t steps = (uint32_t)(HOLD_TURNS / k);
    double made = (double)steps * k;
    size_t groups = (size_t)cl->facts.units * 64;
    snprintf(name, sizeof name, "hold_%d", k);
    void *kernel = gali_cl_kernel(cl, program, name);
    gali_cl_pass_memory(cl, kernel, 0, h->io);
    gali_cl_pass_u32(cl, kernel, 1, steps);
    gali_cl_pass_f32(cl, kernel, 2, .5f);
    gali_measured alone = gali_cl_measure(h->p, kernel, HOLD_GROUP, HOLD_GROUP);
    gali_measured many = gali_cl_measure(h->p, kernel, groups * HOLD_GROUP, HOLD_GROUP);
    gali_curve_add(h->alone, k, alone.value / made, alone.stable);
    gali_curve_add(h->many, k, many.value / made / (double)groups * cl->facts.units, many.stable);
    gali_cl_release_kernel(cl, kernel);
}

static void hold_from(const holder *h, int first, int last, int step) {
    char *text = hold_text(first, last, step);
    void *program = text ? gali_cl_build(h->p->cl, text) : NULL;
    for (int k = first; program && k <= last && gali_cl_good(h->p->cl); k += step) {
        hold(h, program, k);
    }
    gali_cl_release_program(h->p->cl, program);
    free(text);
}

static void probe_registers(const gali_cl_probe *p) {
    static const double spills = 1.25, crowds = 1.3;
    float zeros[HOLD_MOST + 1] = {0};
    holder h = {.p = p,
                .io = gali_cl_buffer(p->cl, sizeof zeros, zeros),
                .alone = gali_probe_curve(p->probe, "registers_alone", "values held", "ns"),
                .many = gali_probe_curve(p->probe, "registers_many", "values held", "ns")};
    hold_from(&h, HOLD_STEP, p->desc->quick ? HOLD_MOST / 2 : HOLD_MOST,
              p->desc->quick ? 2 * HOLD_STEP : HOLD_STEP);
    gali_knee spill = gali_curve_knee(h.alone, spills);
    if (isfinite(spill.x) && !p->desc->quick) {
        hold_from(&h, (int)spill.x + 2, (int)spill.x + HOLD_STEP - 2, 2);
        spill = gali_curve_knee(h.alone, spills);
    }
    gali_probe_fact(p->probe, GALI_FACT_REGISTERS, 0, spill.x, spill.sure, h.alone, NULL);
    gali_knee crowd = gali_curve_knee(h.many, crowds);
    if (isfinite(spill.x)) {
        int shared = isfinite(crowd.x) && crowd.x < .9 * spill.x;
        gali_probe_fact(p->probe, GALI_FACT_REGISTERS_SHARED, 0, shared, shared ? crowd.sure : spill.sure,
                        h.many, NULL);
    }
    gali_cl_free(p->cl, h.io);
}

/* ---- launches ---- */

static double launches(const gali_cl_probe *p, void *kernel, int count) {
    double start = gali_clock_seconds();
    for (int i = 0; i < count; i++) {
        gali_cl_start(p->cl, kernel, 1, 1);
    }
    gali_cl_wait(p->cl);
    return 1e6 * (gali_clock_seconds() - start);
}

typedef struct launcher {
    const gali_cl_probe *p;
    void *kernel;
    int alone;
} launcher;

static double launch_once(void *subject) {
    const launcher *l = subject;
    double one = launches(l->p, l->kernel, 1);
    double time = l->alone ? one : (launches(l->p, l->kernel, LAUNCHES + 1) - one) / (double)LAUNCHES;
    return gali_cl_good(l->p->cl) ? time : (double)NAN;
}

static void probe_launch(const gali_cl_probe *p) {
    void *program = gali_cl_build(p->cl, nothing_text), *kernel = gali_cl_kernel(p->cl, program, "nothing");
    void *out = gali_cl_buffer(p->cl, sizeof(float), NULL);
    gali_cl_pass_memory(p->cl, kernel, 0, out);
    launcher l = {p, kernel, 0};
    gali_measured queued = gali_probe_measure(launch_once, &l, p->repeats);
    l.alone = 1;
    gali_measured alone = gali_probe_measure(launch_once, &l, p->repeats);
    gali_probe_fact(p->probe, GALI_FACT_LAUNCH, 0, queued.value, queued.stable ? 1 : .5, NULL, NULL);
    gali_probe_fact(p->probe, GALI_FACT_ROUND_TRIP, 0, alone.value, alone.stable ? 1 : .5, NULL, NULL);
    gali_cl_free(p->cl, out);
    gali_cl_release_kernel(p->cl, kernel);
    gali_cl_release_program(p->cl, program);
}

void gali_cl_probe_compute(const gali_cl_probe *p) {
    gali_cl_say(p, "launches");
    probe_launch(p);
    gali_cl_say(p, "peak of multiply-adds");
    probe_peak(p, GALI_FACT_PEAK_F32, "peak_f32", "float", "");
    if (p->cl->facts.half) {
        probe_peak(p, GALI_FACT_PEAK_F16, "peak_f16", "half",
                   "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    gali_cl_say(p, "warps, ALUs, cores");
    probe_warp(p);
    probe_alus(p);
    probe_cores(p);
    gali_cl_say(p, "registers");
    probe_registers(p);
}
