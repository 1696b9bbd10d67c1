/*
 * Emitted C beside the runtime, for tests: a model is compiled for a target, built with a compiler, run (AArch64 under qemu)
 * for every count of characters, and its outputs compared with gal_network_run's, bit for bit. Where the program is
 * sanitized it emits alone: what other compilers make of the texts is not sanitized, and is tested without.
 */
#ifndef GALLOP_TEST_EMITTED_H
#define GALLOP_TEST_EMITTED_H

#include <cmocka.h>

#include "cli/command_line.h"
#include "gallop/compiler.h"
#include "graph.h"
#include "sanitized.h"

typedef struct builder {
    const char *name, *target;
    const char *compile; /* up to the optimisation */
    const char *run;     /* before the program */
    gal_isa isa;         /* needed here; SCALAR: any */
} builder;

#define STRICT " -std=c11 -Wall -Wextra -Werror "
static const char quick[] = "-O0 -w"; /* gcc warns of loops that it would have removed */

static const builder builders[] = {
    {"scalar, gcc", "scalar", "gcc" STRICT, "", GAL_ISA_SCALAR},
    {"scalar, clang", "scalar", "clang-19" STRICT, "", GAL_ISA_SCALAR},
    {"AVX2, gcc", "x86-64-v3", "gcc -march=x86-64-v3" STRICT, "", GAL_ISA_AVX2},
    {"AVX2, clang", "x86-64-v3", "clang-19 -march=x86-64-v3" STRICT, "", GAL_ISA_AVX2},
    {"AVX-512, gcc", "x86-64-v4", "gcc -march=x86-64-v4" STRICT, "", GAL_ISA_AVX512},
    {"AVX-512, clang", "x86-64-v4", "clang-19 -march=x86-64-v4" STRICT, "", GAL_ISA_AVX512},
    {"NEON, gcc", "armv8-a", "aarch64-linux-gnu-gcc -static" STRICT, "qemu-aarch64 ", GAL_ISA_SCALAR},
    {"NEON with dot products, gcc", "armv8.2-a+dotprod",
     "aarch64-linux-gnu-gcc -static -march=armv8.2-a+dotprod" STRICT, "qemu-aarch64 ", GAL_ISA_SCALAR},
};
enum { BUILDERS = sizeof builders / sizeof builders[0], NEON = 6 };

/* Every count of characters from 1 on, a call each: all versions of a layer, and tiles of every size. */
enum { CALLS = 20, CHARACTERS = CALLS * (CALLS + 1) / 2 };

static const int builds = !SANITIZED;

static inline int have(const char *command) {
    char line[256];
    snprintf(line, sizeof line, "command -v %.*s >/dev/null", (int)strcspn(command, " "), command);
    return system(line) == 0;
}

/* Whether this machine can build and run it; says so where it cannot. What is not built needs nothing. */
static inline int usable(const builder *b) {
    int usable = !builds || (have(b->compile) && (!*b->run || have(b->run)) && gal_isa_available(b->isa));
    if (!usable) {
        print_message("skipped: %s\n", b->name);
    }
    return usable;
}

static inline const builder *best_builder(void) {
    return &builders[gal_isa_available(GAL_ISA_AVX512) ? 4 : gal_isa_available(GAL_ISA_AVX2) ? 2 : 0];
}

static inline void spill_part(const gal_compiled *compiled, gal_compiled_part part, const char *name) {
    size_t size;
    const char *bytes = gal_compiled_bytes(compiled, part, &size);
    spill(place_of(name), bytes, size);
}

/* Inputs and gates of all calls, and what the runtime makes of them. */
typedef struct recording {
    float *x, *gate, *y;
    uint32_t inputs, outputs, gates;
} recording;

static inline recording record(const synthetic *s, gal_form form) {
    const gali_model *m = &s->model;
    uint64_t state = 77;
    recording r = {.inputs = m->inputs, .outputs = m->outputs, .gates = 1};
    r.gates = m->gate == GAL_GATE_CALLER ? m->experts : m->gate == GAL_GATE_NETWORK ? 0 : 1;
    r.x = malloc(sizeof(float) * CHARACTERS * r.inputs);
    r.gate = malloc(sizeof(float) * CHARACTERS * (r.gates + 1));
    r.y = malloc(sizeof(float) * CHARACTERS * r.outputs);
    for (size_t i = 0; i < (size_t)CHARACTERS * r.inputs; i++) {
        r.x[i] = 2 * synthetic_uniform(&state);
    }
    for (size_t i = 0; i < (size_t)CHARACTERS * r.gates; i++) {
        r.gate[i] = (r.gates == 1 ? 20.0f : 1.0f) * synthetic_uniform(&state);
    }
    r.gate[0] = r.gates == 1 ? 6.2831855f : r.gate[0]; /* a whole turn, rounded up */
    gal_network *network = synthetic_open_desc(s, (gal_network_desc){.form = form});
    assert_int_equal(synthetic_run(network, CHARACTERS, r.x, r.gate, r.y, NULL), GAL_OK);
    gal_network_close(network);
    return r;
}

static inline void free_recording(recording *r) {
    free(r->x);
    free(r->gate);
    free(r->y);
}

static inline void spill_calls(const recording *r) {
    FILE *file = fopen(place_of("calls"), "wb");
    size_t at = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t count = i + 1;
        fwrite(&count, sizeof count, 1, file);
        fwrite(r->x + at * r->inputs, sizeof(float), (size_t)count * r->inputs, file);
        fwrite(r->gate + at * r->gates, sizeof(float), (size_t)count * r->gates, file);
        at += count;
    }
    fclose(file);
}

static inline void expect_bits(const builder *b, const recording *r) {
    size_t count = (size_t)CHARACTERS * r->outputs;
    float *y = calloc(count + 1, sizeof *y);
    FILE *file = fopen(place_of("out"), "rb");
    size_t got = fread(y, sizeof *y, count + 1, file);
    fclose(file);
    assert_int_equal(got, count);
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&y[i], &r->y[i], sizeof y[i]) != 0) {
            fail_msg("%s: character %zu, output %zu: %a, the runtime's is %a", b->name, i / r->outputs,
                     i % r->outputs, (double)y[i], (double)r->y[i]);
        }
    }
    free(y);
}

static inline void command(const char *line) {
    if (system(line) != 0) {
        fail_msg("failed: %s", line);
    }
}

static inline void build_and_run(const builder *b, const char *optimised, const recording *r) {
    char line[1024];
    spill_calls(r);
    snprintf(line, sizeof line, "%s%s -I%s -DGATE=%u -o %s/net %s/test/compiler/driver.c %s/net.c -lm",
             b->compile, optimised, place, r->gates, place, GALLOP_SOURCE_DIR, place);
    command(line);
    snprintf(line, sizeof line, "%s%s/net %s/calls %s/net.weights > %s/out", b->run, place, place, place,
             place);
    command(line);
    expect_bits(b, r);
}

/* log: of gallop tune, or NULL. */
static inline void check_model(const builder *b, const char *optimised, const synthetic *s, gal_form form,
                               const char *log) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_compiled *compiled;
    gal_error error = {0};
    gal_compile_desc how = {.target = b->target, .name = "net", .form = form, .weights_blob = 1, .log = log};
    if (gal_compile(&compiled, bytes, size, &how, &error) != GAL_OK) {
        fail_msg("%s: %s", b->name, error.message);
    }
    spill_part(compiled, GAL_COMPILED_HEADER, "net.h");
    spill_part(compiled, GAL_COMPILED_SOURCE, "net.c");
    spill_part(compiled, GAL_COMPILED_WEIGHTS, "net.weights");
    if (builds) {
        recording r = record(s, form);
        build_and_run(b, optimised, &r);
        free_recording(&r);
    }
    gal_compiled_free(compiled);
    free(bytes);
}

static inline void check(const builder *b, const char *optimised, const synthetic_desc *desc, gal_form form) {
    synthetic s = synthetic_make(desc);
    check_model(b, optimised, &s, form, NULL);
    synthetic_free(&s);
}

static const synthetic_desc spline = {.gate = GAL_GATE_CUBIC,
                                      .experts = 4,
                                      .layers = 2,
                                      .width = {45, 70, 107},
                                      .normalised = 1,
                                      .masked = 5,
                                      .activation = {GALI_ACTIVATION_ELU},
                                      .seed = 31};

/* Shapes, gates and activations, on the best of this machine and on scalar C in turns. */
enum { LINEAR = 1, NETWORK = 4, TOP = 5 };

static const synthetic_desc networks[] = {
    {.gate = GAL_GATE_CUBIC, .experts = 9, .layers = 1, .width = {7, 5}, .normalised = 1, .seed = 32},
    {.gate = GAL_GATE_LINEAR,
     .experts = 10,
     .layers = 2,
     .width = {61, 67, 73},
     .normalised = 1,
     .constant = 4,
     .activation = {GALI_ACTIVATION_TANH, GALI_ACTIVATION_SIGMOID},
     .seed = 33},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 50,
     .layers = 2,
     .width = {33, 17, 1},
     .activation = {GALI_ACTIVATION_RELU},
     .seed = 34},
    {.gate = GAL_GATE_CALLER,
     .experts = 8,
     .layers = 3,
     .width = {37, 128, 20, 85},
     .plain = {0, 1, 0},
     .activation = {GALI_ACTIVATION_SILU, GALI_ACTIVATION_GELU_TANH},
     .normalised = 1,
     .constant = 9,
     .seed = 35},
    {.gate = GAL_GATE_NETWORK,
     .experts = 8,
     .layers = 3,
     .width = {37, 64, 64, 25},
     .normalised = 1,
     .masked = 7,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_GELU_ERF, GALI_ACTIVATION_SOFTMAX},
     .seed = 36},
    {.gate = GAL_GATE_NETWORK,
     .experts = 8,
     .top = 3,
     .layers = 2,
     .width = {20, 40, 25},
     .normalised = 1,
     .seed = 37},
};

/* *s with some of its float32 layers sparse: a bit of `which` each, `share` of 256 patches there. */
static inline void thin_out(synthetic *s, uint32_t which, uint32_t share) {
    uint64_t random = 7;
    for (uint32_t i = 0; i < s->model.layer_count; i++) {
        if (which >> i & 1) {
            sparse_make(s, &s->model.layers[i], share, &random);
        }
    }
}

#endif
