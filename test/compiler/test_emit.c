/*
 * Emitted C against the runtime, bit for bit: random networks of odd shapes are compiled for a target, built with a
 * compiler at -Wall -Wextra -Werror, run (AArch64 under qemu), and their outputs compared with gal_network_run's.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/command_line.h"
#include "gallop/compiler.h"
#include "graph.h"

typedef struct builder {
    const char *name, *target;
    const char *compile; /* up to the files */
    const char *run;     /* before the program */
    gal_isa isa;         /* needed here; SCALAR: any */
} builder;

#define STRICT " -std=c11 -O1 -Wall -Wextra -Werror "

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
enum { BUILDERS = sizeof builders / sizeof builders[0], CALLS = 5 };

/* Few, a whole tile, two of odd size, several, and more than take all experts at once. */
static const uint32_t counts[CALLS] = {1, 3, 7, 16, 19};
enum { CHARACTERS = 1 + 3 + 7 + 16 + 19 };

static int have(const char *command) {
    char line[256];
    snprintf(line, sizeof line, "command -v %.*s >/dev/null", (int)strcspn(command, " "), command);
    return system(line) == 0;
}

/* Whether this machine can build and run it; says so where it cannot. */
static int usable(const builder *b) {
    int usable = have(b->compile) && (!*b->run || have(b->run)) && gal_isa_available(b->isa);
    if (!usable) {
        print_message("skipped: %s\n", b->name);
    }
    return usable;
}

static const builder *best_builder(void) {
    return &builders[gal_isa_available(GAL_ISA_AVX512) ? 4 : gal_isa_available(GAL_ISA_AVX2) ? 2 : 0];
}

static void spill_part(const gal_compiled *compiled, gal_compiled_part part, const char *name) {
    size_t size;
    const char *bytes = gal_compiled_bytes(compiled, part, &size);
    spill(place_of(name), bytes, size);
}

/* Inputs and gates of all calls, and what the runtime makes of them. */
typedef struct recording {
    float *x, *gate, *y;
    uint32_t inputs, outputs, gates;
} recording;

static recording record(const synthetic *s, gal_form form) {
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

static void free_recording(recording *r) {
    free(r->x);
    free(r->gate);
    free(r->y);
}

static void spill_calls(const recording *r) {
    FILE *file = fopen(place_of("calls"), "wb");
    size_t at = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        fwrite(&counts[i], sizeof counts[i], 1, file);
        fwrite(r->x + at * r->inputs, sizeof(float), (size_t)counts[i] * r->inputs, file);
        fwrite(r->gate + at * r->gates, sizeof(float), (size_t)counts[i] * r->gates, file);
        at += counts[i];
    }
    fclose(file);
}

static void expect_bits(const builder *b, const recording *r) {
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

static void command(const char *line) {
    if (system(line) != 0) {
        fail_msg("failed: %s", line);
    }
}

static void check_model(const builder *b, const synthetic *s, gal_form form) {
    char line[1024];
    size_t size;
    recording r = record(s, form);
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_compiled *compiled;
    gal_error error = {0};
    gal_compile_desc how = {.target = b->target, .name = "net", .form = form, .weights_blob = 1};
    if (gal_compile(&compiled, bytes, size, &how, &error) != GAL_OK) {
        fail_msg("%s: %s", b->name, error.message);
    }
    spill_part(compiled, GAL_COMPILED_HEADER, "net.h");
    spill_part(compiled, GAL_COMPILED_SOURCE, "net.c");
    spill_part(compiled, GAL_COMPILED_WEIGHTS, "net.weights");
    spill_calls(&r);
    snprintf(line, sizeof line, "%s -I%s -DGATE=%u -o %s/net %s/test/compiler/driver.c %s/net.c -lm",
             b->compile, place, r.gates, place, GALLOP_SOURCE_DIR, place);
    command(line);
    snprintf(line, sizeof line, "%s%s/net %s/calls %s/net.weights > %s/out", b->run, place, place, place,
             place);
    command(line);
    expect_bits(b, &r);
    gal_compiled_free(compiled);
    free(bytes);
    free_recording(&r);
}

static void check(const builder *b, const synthetic_desc *desc, gal_form form) {
    synthetic s = synthetic_make(desc);
    check_model(b, &s, form);
    synthetic_free(&s);
}

static const synthetic_desc spline = {.gate = GAL_GATE_CUBIC,
                                      .experts = 4,
                                      .layers = 3,
                                      .width = {45, 70, 33, 107},
                                      .normalised = 1,
                                      .masked = 5,
                                      .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
                                      .seed = 31};

static void spline_on_every_target(void **state) {
    (void)state;
    for (size_t i = 0; i < BUILDERS; i++) {
        if (usable(&builders[i])) {
            check(&builders[i], &spline, GAL_FORM_PER_EXPERT);
        }
    }
}

/* Shapes, gates and activations, on the best of this machine and on scalar C in turns. */
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
    {.gate = GAL_GATE_CONSTANT, .experts = 50, .layers = 2, .width = {33, 17, 1}, .seed = 34},
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

static void every_gate_and_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        const builder *b = i % 2 ? best_builder() : &builders[1];
        if (usable(b)) {
            check(b, &networks[i], GAL_FORM_PER_EXPERT);
        }
    }
}

/* Layers that blend their weights first: another rounding, the same bits as the runtime's. */
static void blend_form(void **state) {
    (void)state;
    const builder *both[] = {best_builder(), &builders[1]};
    for (size_t i = 0; i < 2; i++) {
        if (usable(both[i])) {
            check(both[i], &spline, GAL_FORM_BLEND);
        }
    }
}

/* Layers of all kinds that read each other in any way. */
static void every_kind_of_layer(void **state) {
    (void)state;
    static const gal_gate_kind gates[] = {GAL_GATE_CUBIC, GAL_GATE_CALLER, GAL_GATE_NETWORK, GAL_GATE_LINEAR};
    for (uint32_t i = 0; i < GALI_LAYER_KIND_COUNT; i++) {
        const builder *b = i % 2 ? best_builder() : &builders[1];
        graph_desc desc = {.gate = gates[i % 4],
                           .experts = 4 + i,
                           .inputs = 23,
                           .layers = 6,
                           .kind = (int)i,
                           .activation = -1,
                           .seed = 50 + i};
        graph *g = graph_make(&desc);
        if (usable(b)) {
            check_model(b, &g->s, GAL_FORM_PER_EXPERT);
        }
        graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spline_on_every_target, place_make, place_remove),
        cmocka_unit_test_setup_teardown(every_gate_and_shape, place_make, place_remove),
        cmocka_unit_test_setup_teardown(blend_form, place_make, place_remove),
        cmocka_unit_test_setup_teardown(every_kind_of_layer, place_make, place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
