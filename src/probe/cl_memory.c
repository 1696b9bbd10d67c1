/*
 * Levels of memory. Latency: one work item follows a chain of indices that visits a range in random order, so every
 * read waits for the one before and no prefetcher helps; a cache is a level of the curve over the range's size. A line
 * is where, within blocks that are visited in random order, a longer stride costs no more: each read is a miss of its own
 * then. Bandwidth: all items walk over a range, vectors side by side.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/chain.h"
#include "probe/cl_parts.h"

enum {
    SLOT = 64,    /* bytes from one read to the next: no shorter than a sector, so each is a read of its own */
    BLOCK = 1024, /* of the search for lines */
    LEAST = 1024, /* bytes of the smallest range */
    POINTS_OCTAVE = 4,   /* sizes in a doubling */
    STEPS = 16384,       /* reads of a timed run */
    WARM_MOST = 1 << 20, /* reads before it: all of 64 MB; a larger range is no cache of today */
    UNROLLED = 8,
    GROUP = 256,
    GROUPS_UNIT = 16, /* groups for each compute unit: enough to hide latency anywhere */
    LOCAL_WORDS = 1024,
    TEXEL = 16,
};

static const char *const chase_text =
    "#define FOLLOW p = NEXT(p); p = NEXT(p); p = NEXT(p); p = NEXT(p);"
    " p = NEXT(p); p = NEXT(p); p = NEXT(p); p = NEXT(p);\n"
    "#define NEXT(p) next[p]\n"
    "__kernel void chase(__global const uint *next, uint steps, __global uint *state) {\n"
    "    uint p = state[0];\n"
    "    for (uint i = 0; i < steps; i++) { FOLLOW }\n"
    "    state[0] = p;\n"
    "}\n"
    "__kernel void chase_constant(__constant uint *next, uint steps, __global uint *state) {\n"
    "    uint p = state[0];\n"
    "    for (uint i = 0; i < steps; i++) { FOLLOW }\n"
    "    state[0] = p;\n"
    "}\n"
    "__kernel void chase_local(__global const uint *from, uint steps, __global uint *state) {\n"
    "    __local uint next[1024];\n"
    "    for (uint i = 0; i < 1024; i++) { next[i] = from[i]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint p = state[0];\n"
    "    for (uint i = 0; i < steps; i++) { FOLLOW }\n"
    "    state[0] = p;\n"
    "}\n";

static const char *const chase_image_text =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
    "#define NEXT p = read_imageui(next, nearest, (int2)(p & mask, p >> shift)).x;\n"
    "__kernel void chase_image(__read_only image2d_t next, uint steps, __global uint *state, uint mask, uint "
    "shift) {\n"
    "    uint p = state[0];\n"
    "    for (uint i = 0; i < steps; i++) { NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT }\n"
    "    state[0] = p;\n"
    "}\n";

/* %d, %s: floats of a vector, the sum of its parts. */
static const char *const walk_text =
    "typedef float%s vector;\n"
    "__kernel void walk(__global const vector *from, uint mask, uint count, __global float *out) {\n"
    "    uint at = get_group_id(0) * count * get_local_size(0) * 4 + get_local_id(0), row = "
    "get_local_size(0);\n"
    "    vector a = 0, b = 0, c = 0, d = 0;\n"
    "    for (uint i = 0; i < count; i++) {\n"
    "        a += from[at & mask];\n"
    "        b += from[(at + row) & mask];\n"
    "        c += from[(at + 2 * row) & mask];\n"
    "        d += from[(at + 3 * row) & mask];\n"
    "        at += 4 * row;\n"
    "    }\n"
    "    a += b + c + d;\n"
    "    float sum = %s;\n"
    "    if (sum == 12345.678f) { out[0] = sum; }\n"
    "}\n";

static const char *const walk_image_text =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
    "#define AT(p) read_imagef(from, nearest, (int2)((p) & width, ((p) & mask) >> shift))\n"
    "__kernel void walk_image(__read_only image2d_t from, uint mask, uint count, __global float *out, uint "
    "width,\n"
    "                         uint shift) {\n"
    "    uint at = get_group_id(0) * count * get_local_size(0) * 4 + get_local_id(0), row = "
    "get_local_size(0);\n"
    "    float4 a = 0, b = 0, c = 0, d = 0;\n"
    "    for (uint i = 0; i < count; i++) {\n"
    "        a += AT(at);\n"
    "        b += AT(at + row);\n"
    "        c += AT(at + 2 * row);\n"
    "        d += AT(at + 3 * row);\n"
    "        at += 4 * row;\n"
    "    }\n"
    "    a += b + c + d;\n"
    "    float sum = a.x + a.y + a.z + a.w;\n"
    "    if (sum == 12345.678f) { out[0] = sum; }\n"
    "}\n";

static const char *const walk_local_text =
    "__kernel void walk_local(__global const float4 *from, uint count, __global float *out) {\n"
    "    __local float4 own[1024];\n"
    "    uint lane = get_local_id(0), row = get_local_size(0);\n"
    "    for (uint i = lane; i < 1024; i += row) { own[i] = from[i]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint at = lane;\n"
    "    float4 a = 0, b = 0, c = 0, d = 0;\n"
    "    for (uint i = 0; i < count; i++) {\n"
    "        a += own[at & 1023];\n"
    "        b += own[(at + row) & 1023];\n"
    "        c += own[(at + 2 * row) & 1023];\n"
    "        d += own[(at + 3 * row) & 1023];\n"
    "        at += 4 * row + 1;\n"
    "    }\n"
    "    a += b + c + d;\n"
    "    float sum = a.x + a.y + a.z + a.w;\n"
    "    if (sum == 12345.678f) { out[0] = sum; }\n"
    "}\n";

/* ---- latency ---- */

typedef enum memory_path { BUFFER, IMAGE, CONSTANT, PATHS } memory_path;

typedef struct chaser {
    const gali_cl_probe *p;
    memory_path path;
    void *program, *kernel, *state;
} chaser;

static void chaser_open(chaser *c, const gali_cl_probe *p, memory_path path) {
    static const char *const names[PATHS] = {"chase", "chase_image", "chase_constant"};
    *c = (chaser){.p = p, .path = path};
    c->program = gali_cl_build(p->cl, path == IMAGE ? chase_image_text : chase_text);
    c->kernel = gali_cl_kernel(p->cl, c->program, names[path]);
    c->state = gali_cl_buffer(p->cl, sizeof(uint32_t), NULL);
}

static void chaser_close(chaser *c) {
    gali_cl_free(c->p->cl, c->state);
    gali_cl_release_kernel(c->p->cl, c->kernel);
    gali_cl_release_program(c->p->cl, c->program);
}

/* Width of the image of so many texels: about a square, a power of two, as the indices of the kernels want. */
static uint32_t image_width(size_t texels) {
    uint32_t width = 1;
    while ((size_t)width * width < texels) {
        width *= 2;
    }
    return width;
}

static uint32_t log2_of(uint32_t power) {
    uint32_t log = 0;
    while (power >> (log + 1)) {
        log++;
    }
    return log;
}

static void *chain_memory(const chaser *c, size_t size, const uint32_t *next) {
    if (c->path != IMAGE) {
        return gali_cl_buffer(c->p->cl, size, next);
    }
    uint32_t width = image_width(size / TEXEL);
    gali_cl_pass_u32(c->p->cl, c->kernel, 3, width - 1);
    gali_cl_pass_u32(c->p->cl, c->kernel, 4, log2_of(width));
    return gali_cl_image(c->p->cl, width, size / TEXEL / width, 1, next);
}

/* Nanoseconds of one read in a chain. */
static gali_measured chase(const chaser *c, size_t size, size_t block, size_t stride) {
    static const uint32_t zero = 0;
    gali_cl *cl = c->p->cl;
    size_t unit = c->path == IMAGE ? TEXEL : sizeof(uint32_t), lanes = c->path == IMAGE ? 4 : 1;
    uint32_t *next = gali_chain_make(size, block, stride, unit, lanes);
    void *memory = next ? chain_memory(c, size, next) : NULL;
    free(next);
    if (!memory) {
        return (gali_measured){(double)NAN, 0};
    }
    size_t reads = size / stride;
    void *state = gali_cl_buffer(cl, sizeof zero, &zero);
    gali_cl_pass_memory(cl, c->kernel, 0, memory);
    gali_cl_pass_memory(cl, c->kernel, 2, state);
    gali_cl_pass_u32(cl, c->kernel, 1, (uint32_t)((reads < WARM_MOST ? reads : WARM_MOST) / UNROLLED + 1));
    gali_cl_start(cl, c->kernel, 1, 1);
    gali_cl_pass_u32(cl, c->kernel, 1, STEPS / UNROLLED);
    gali_measured m = gali_cl_measure(c->p, c->kernel, 1, 1);
    m.value /= (double)STEPS;
    gali_cl_free(cl, state);
    gali_cl_free(cl, memory);
    return m;
}

/* Sizes whose images are whole rows: multiples of the width, which is a power of two. */
static size_t size_at(double octaves, memory_path path) {
    size_t size = (size_t)((double)LEAST * pow(2, octaves)) / SLOT * SLOT;
    size_t row = path == IMAGE ? (size_t)image_width(size / TEXEL) * TEXEL : SLOT;
    return row > 2 * SLOT ? size / row * row : size;
}

static gali_curve *latencies(const gali_cl_probe *p, memory_path path, const char *name, uint64_t most) {
    gali_curve *curve = gali_probe_curve(p->probe, name, "bytes", "ns");
    chaser c;
    chaser_open(&c, p, path);
    for (int i = 0; gali_cl_good(p->cl); i++) {
        size_t size = size_at((double)i / (p->desc->quick ? 2 : POINTS_OCTAVE), path);
        if (size > most) {
            break;
        }
        gali_measured m = chase(&c, size, SLOT, SLOT);
        gali_curve_add(curve, (double)size, m.value, m.stable);
    }
    chaser_close(&c);
    return curve;
}

/* A range four times as large as the first cache, where it has one that is not the last. */
static void find_line(const gali_cl_probe *p, memory_path path, gali_fact_id size_id, gali_fact_id line_id,
                      const char *name) {
    const gali_fact *first = gali_probe_find(p->probe, size_id, 1);
    gali_level levels[GALI_CURVE_LEVELS_MAX];
    if (!first || !gali_cl_good(p->cl)) {
        return;
    }
    size_t size = BLOCK;
    while ((double)size < 4 * first->value && size < p->most) {
        size *= 2;
    }
    gali_curve *curve = gali_probe_curve(p->probe, name, "bytes", "ns");
    chaser c;
    chaser_open(&c, p, path);
    for (size_t stride = path == IMAGE ? TEXEL : sizeof(uint32_t); stride <= BLOCK / 2; stride *= 2) {
        gali_measured m = chase(&c, size, BLOCK, stride);
        gali_curve_add(curve, (double)stride, m.value, m.stable);
    }
    chaser_close(&c);
    uint32_t count = gali_curve_levels(curve, .15, 2, levels);
    if (count && levels[count - 1].to >= BLOCK / 2) {
        gali_probe_fact(p->probe, line_id, 0, levels[count - 1].from,
                        count > 1 || levels[0].from > sizeof(float), curve, NULL);
    }
}

static void probe_local_latency(const gali_cl_probe *p) {
    static const uint32_t zero = 0;
    gali_cl *cl = p->cl;
    uint32_t *next = gali_chain_make(LOCAL_WORDS * 4, sizeof *next, sizeof *next, sizeof *next, 1);
    void *program = gali_cl_build(cl, chase_text), *kernel = gali_cl_kernel(cl, program, "chase_local");
    void *memory = next ? gali_cl_buffer(cl, LOCAL_WORDS * 4, next) : NULL;
    void *state = gali_cl_buffer(cl, sizeof zero, &zero);
    free(next);
    gali_cl_pass_memory(cl, kernel, 0, memory);
    gali_cl_pass_memory(cl, kernel, 2, state);
    gali_cl_pass_u32(cl, kernel, 1, STEPS / UNROLLED);
    gali_measured few = gali_cl_measure(p, kernel, 1, 1);
    gali_cl_pass_u32(cl, kernel, 1, 5 * (STEPS / UNROLLED));
    gali_measured many =
        gali_cl_measure(p, kernel, 1, 1); /* the difference has no filling of the table in it */
    gali_probe_fact(p->probe, GALI_FACT_LOCAL_LATENCY, 0, (many.value - few.value) / (4 * STEPS),
                    few.stable && many.stable ? 1 : .5, NULL, NULL);
    gali_cl_free(cl, state);
    gali_cl_free(cl, memory);
    gali_cl_release_kernel(cl, kernel);
    gali_cl_release_program(cl, program);
}

/* ---- bandwidth ---- */

typedef struct walker {
    const gali_cl_probe *p;
    void *program, *kernel, *out;
    size_t vector; /* bytes */
} walker;

static void walker_open(walker *w, const gali_cl_probe *p, const char *text, const char *name, size_t vector) {
    *w = (walker){.p = p, .vector = vector};
    w->program = gali_cl_build(p->cl, text);
    w->kernel = gali_cl_kernel(p->cl, w->program, name);
    w->out = gali_cl_buffer(p->cl, sizeof(float), NULL);
}

static void walker_close(walker *w) {
    gali_cl_free(w->p->cl, w->out);
    gali_cl_release_kernel(w->p->cl, w->kernel);
    gali_cl_release_program(w->p->cl, w->program);
}

/* GB/s of reading `total` bytes, by all, where the kernel's turn reads four vectors; `number` is the count's argument. */
static gali_measured walk(const walker *w, uint32_t number, double total) {
    gali_cl *cl = w->p->cl;
    size_t most = gali_cl_group_most(cl, w->kernel), group = most < GROUP ? most : GROUP;
    size_t groups = (size_t)cl->facts.units * (cl->facts.cpu ? 2 : GROUPS_UNIT);
    if (!group || !groups) {
        return (gali_measured){(double)NAN, 0};
    }
    double turn = (double)(groups * group * 4 * w->vector);
    uint32_t count = (uint32_t)ceil(total / turn);
    gali_cl_pass_u32(cl, w->kernel, number, count);
    gali_measured m = gali_cl_measure(w->p, w->kernel, groups * group, group);
    m.value = turn * count / m.value;
    return m;
}

/* What a run of a range reads: the range itself, and enough to last a millisecond or so. */
static double total_of(const gali_cl_probe *p, double size) {
    double least = p->cl->facts.cpu ? 64e6 : 1e9;
    return p->desc->quick ? fmax(size, least / 4) : fmax(size, least);
}

static void walk_text_of(char *text, size_t room, int floats) {
    static const char *const sums[] = {"a", "a.x + a.y", "a.x + a.y + a.z + a.w", "a.s0 + a.s1 + a.s2 + a.s7",
                                       "a.s0 + a.s1 + a.s2 + a.sf"};
    char width[16] = "";
    if (floats > 1) {
        snprintf(width, sizeof width, "%d", floats);
    }
    snprintf(text, room, walk_text, width, sums[log2_of((uint32_t)floats)]);
}

static gali_measured walk_buffer(const walker *w, size_t size) {
    gali_cl *cl = w->p->cl;
    void *memory = gali_cl_buffer(cl, size, NULL);
    gali_cl_pass_memory(cl, w->kernel, 0, memory);
    gali_cl_pass_u32(cl, w->kernel, 1, (uint32_t)(size / w->vector - 1));
    gali_cl_pass_memory(cl, w->kernel, 3, w->out);
    gali_measured m = walk(w, 2, total_of(w->p, (double)size));
    gali_cl_free(cl, memory);
    return m;
}

static gali_measured walk_image(const walker *w, size_t size) {
    gali_cl *cl = w->p->cl;
    uint32_t width = image_width(size / TEXEL);
    void *memory = gali_cl_image(cl, width, size / TEXEL / width, 0, NULL);
    gali_cl_pass_memory(cl, w->kernel, 0, memory);
    gali_cl_pass_u32(cl, w->kernel, 1, (uint32_t)(size / TEXEL - 1));
    gali_cl_pass_memory(cl, w->kernel, 3, w->out);
    gali_cl_pass_u32(cl, w->kernel, 4, width - 1);
    gali_cl_pass_u32(cl, w->kernel, 5, log2_of(width));
    gali_measured m = walk(w, 2, total_of(w->p, (double)size));
    gali_cl_free(cl, memory);
    return m;
}

/* The width first, on memory; then all sizes with it. */
static void probe_buffer_rates(const gali_cl_probe *p) {
    gali_curve *widths = gali_probe_curve(p->probe, "vector", "floats", "GB/s");
    char text[2048];
    walker w;
    for (int floats = 1; floats <= 16; floats *= 2) {
        walk_text_of(text, sizeof text, floats);
        walker_open(&w, p, text, "walk", (size_t)floats * sizeof(float));
        gali_measured m = walk_buffer(&w, p->most);
        gali_curve_add(widths, floats, m.value, m.stable);
        walker_close(&w);
    }
    gali_knee best = gali_curve_top(widths);
    gali_probe_fact(p->probe, GALI_FACT_VECTOR, 0, best.x, best.sure, widths, NULL);
    gali_curve *rates = gali_probe_curve(p->probe, "buffer_rate", "bytes", "GB/s");
    walk_text_of(text, sizeof text, isfinite(best.x) ? (int)best.x : 4);
    walker_open(&w, p, text, "walk", (size_t)(isfinite(best.x) ? best.x : 4) * sizeof(float));
    for (size_t size = 4 * LEAST; size <= p->most && gali_cl_good(p->cl); size *= 2) {
        gali_measured m = walk_buffer(&w, size);
        gali_curve_add(rates, (double)size, m.value, m.stable);
    }
    walker_close(&w);
    gali_probe_rates(p->probe, GALI_FACT_BUFFER_RATE, GALI_FACT_BUFFER_LEVEL, rates);
}

static void probe_image_rates(const gali_cl_probe *p, uint64_t most) {
    gali_curve *rates = gali_probe_curve(p->probe, "image_rate", "bytes", "GB/s");
    walker w;
    walker_open(&w, p, walk_image_text, "walk_image", TEXEL);
    for (size_t size = 4 * LEAST; size <= most && gali_cl_good(p->cl); size *= 2) {
        gali_measured m = walk_image(&w, size);
        gali_curve_add(rates, (double)size, m.value, m.stable);
    }
    walker_close(&w);
    gali_probe_rates(p->probe, GALI_FACT_IMAGE_RATE, GALI_FACT_IMAGE_LEVEL, rates);
}

static void probe_local_rate(const gali_cl_probe *p) {
    walker w;
    void *from = gali_cl_buffer(p->cl, LOCAL_WORDS * TEXEL, NULL);
    walker_open(&w, p, walk_local_text, "walk_local", TEXEL);
    gali_cl_pass_memory(p->cl, w.kernel, 0, from);
    gali_cl_pass_memory(p->cl, w.kernel, 2, w.out);
    gali_measured m = walk(&w, 1, total_of(p, 0) * 4);
    gali_probe_fact(p->probe, GALI_FACT_LOCAL_RATE, 0, m.value, m.stable ? 1 : .5, NULL, NULL);
    walker_close(&w);
    gali_cl_free(p->cl, from);
}

void gali_cl_probe_memory(const gali_cl_probe *p) {
    const gali_cl_facts *f = &p->cl->facts;
    uint64_t image_most = (uint64_t)f->image_width * f->image_height * TEXEL;
    image_most = p->most < image_most / 4 ? p->most : image_most / 4;
    gali_cl_say(p, "latency of buffers");
    gali_probe_levels(p->probe, GALI_FACT_BUFFER_LEVEL, GALI_FACT_BUFFER_LATENCY,
                      latencies(p, BUFFER, "buffer_latency", p->most));
    find_line(p, BUFFER, GALI_FACT_BUFFER_LEVEL, GALI_FACT_BUFFER_LINE, "buffer_line");
    gali_cl_say(p, "bandwidth of buffers");
    probe_buffer_rates(p);
    if (f->images) {
        gali_cl_say(p, "latency of images");
        gali_probe_levels(p->probe, GALI_FACT_IMAGE_LEVEL, GALI_FACT_IMAGE_LATENCY,
                          latencies(p, IMAGE, "image_latency", image_most));
        find_line(p, IMAGE, GALI_FACT_IMAGE_LEVEL, GALI_FACT_IMAGE_LINE, "image_line");
        gali_cl_say(p, "bandwidth of images");
        probe_image_rates(p, image_most);
    }
    gali_cl_say(p, "constant and local memory");
    gali_probe_levels(
        p->probe, GALI_FACT_CONSTANT_LEVEL, GALI_FACT_CONSTANT_LATENCY,
        latencies(p, CONSTANT, "constant_latency", f->constant_size < p->most ? f->constant_size : p->most));
    gali_probe_fact(p->probe, GALI_FACT_LOCAL_SIZE, 0, (double)f->local_size, 1, NULL, "as the device says");
    probe_local_latency(p);
    probe_local_rate(p);
}
