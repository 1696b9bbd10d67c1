/*
 * Emitted C against the runtime, bit for bit: random networks of odd shapes are compiled for a target, built with a
 * compiler, run (AArch64 under qemu), and their outputs compared with gal_network_run's. One network is built for every
 * target: for this machine's best by both compilers, and for AArch64, with the optimiser, which must not contract or
 * reorder, at -Wall -Wextra -Werror. The rest, whose point is what was emitted, without it: three times as fast. Where this
 * program is sanitized it emits alone: what other compilers make of the texts is not sanitized, and is tested without.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/crc32.h"
#include "compiler/log/log.h"
#include "emitted.h"

/* A layer less for the optimiser, whose time is the layers'. */
static void spline_on_every_target(void **state) {
    (void)state;
    synthetic_desc small = spline;
    small.layers = 1;
    for (size_t i = 0; i < BUILDERS; i++) {
        const builder *b = &builders[i];
        int optimised = b == best_builder() || b == best_builder() + 1 || i == NEON;
        if (usable(b)) {
            check(b, optimised ? "-O1" : quick, optimised ? &small : &spline, GAL_FORM_PER_EXPERT);
        }
    }
}

static void every_gate_and_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        const builder *b = i % 2 ? best_builder() : &builders[1];
        if (usable(b)) {
            check(b, quick, &networks[i], GAL_FORM_PER_EXPERT);
        }
    }
}

/* Layers that blend their weights first, all experts' or those that are used: another rounding, the same bits as the
 * runtime's. */
static void blend_form(void **state) {
    (void)state;
    const builder *both[] = {best_builder(), &builders[1]};
    const synthetic_desc *some[] = {&spline, &networks[LINEAR], &networks[TOP]};
    for (size_t i = 0; i < 6; i++) {
        if (usable(both[i % 2])) {
            check(both[i % 2], quick, some[i / 2], GAL_FORM_BLEND);
        }
    }
}

/* Layers of one shape share their functions, and their comment says whose they are. */
static void equal_layers_share_functions(void **state) {
    (void)state;
    static const synthetic_desc chain = {
        .gate = GAL_GATE_CUBIC,
        .experts = 4,
        .layers = 6,
        .width = {24, 24, 24, 24, 24, 24, 24},
        .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU, GALI_ACTIVATION_ELU},
        .seed = 41};
    static char source[400000];
    const builder *b = best_builder();
    check(b, quick, &chain, GAL_FORM_PER_EXPERT);
    slurp(place_of("net.c"), source, sizeof source);
    assert_non_null(strstr(source, "activation elu. The same:\n * layer1, layer3.\n"));
    assert_non_null(strstr(source, "activation none. The same:\n * layer5.\n"));
    assert_non_null(strstr(source, "static void net_layer0_"));
    assert_non_null(strstr(source, "static void net_layer2_"));
    assert_null(strstr(source, "net_layer1_"));
    assert_null(strstr(source, "net_layer3_"));
    assert_null(strstr(source, "net_layer5_"));
    assert_null(strstr(source, " + 0 *"));
    assert_null(strstr(source, "count * 1;"));
}

/* Means that are subtracted first, where the runtime subtracts them, too, gate and all. */
static void far_means(void **state) {
    (void)state;
    const builder *both[] = {best_builder(), &builders[1]};
    for (size_t i = 0; i < 4; i++) {
        synthetic_desc far = i / 2 ? networks[NETWORK] : spline;
        far.far = 100;
        if (usable(both[i % 2])) {
            check(both[i % 2], quick, &far, GAL_FORM_PER_EXPERT);
        }
    }
}

/* Random layers that read each other in any way. */
static graph *make_graph(gal_gate_kind gate, uint32_t experts, uint64_t seed) {
    graph_desc desc = {.gate = gate,
                       .experts = experts,
                       .inputs = 23,
                       .layers = GRAPH_LAYERS_MAX,
                       .kind = -1,
                       .activation = -1,
                       .seed = seed};
    return graph_make(&desc);
}

/* A bit for each kind and, from 16 on, for each activation of its layers. */
static uint32_t parts_of(const graph *g) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < g->s.model.layer_count; i++) {
        parts |= 1u << g->s.model.layers[i].kind | 65536u << g->s.model.layers[i].activation;
    }
    return parts;
}

static const uint32_t every_kind = (1u << GRAPH_KINDS) - 1;
static const uint32_t every_activation = ((1u << GALI_ACTIVATION_COUNT) - 1) << 16;

/* Seeds whose layers have every kind and activation on both targets. */
static void every_kind_of_layer(void **state) {
    (void)state;
    static const gal_gate_kind gates[] = {GAL_GATE_CUBIC, GAL_GATE_CALLER, GAL_GATE_NETWORK, GAL_GATE_LINEAR};
    uint32_t parts[2] = {0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        const builder *b = i % 2 ? best_builder() : &builders[1];
        graph *g = make_graph(gates[i], 4 + i, 1584 + i);
        parts[i % 2] |= parts_of(g);
        if (usable(b)) {
            check_model(b, quick, &g->s, GAL_FORM_PER_EXPERT, NULL);
        }
        graph_free(g);
    }
    assert_int_equal(parts[0], every_kind | every_activation);
    assert_int_equal(parts[1], every_kind | every_activation);
}

/* Layers without weights, of few parts and of many, that read one value several times, directly and through each other. */
static void values_that_are_read_again(void **state) {
    (void)state;
    enum { WIDTH = 21, LAYERS = 7, PARTS_MOST = 12 };
    static const synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                                        .experts = 4,
                                        .layers = LAYERS,
                                        .width = {WIDTH, WIDTH, WIDTH, WIDTH, WIDTH, WIDTH, WIDTH, WIDTH},
                                        .normalised = 1,
                                        .seed = 43};
    static const gali_layer_kind kinds[LAYERS] = {GALI_LAYER_DENSE, GALI_LAYER_ADD, GALI_LAYER_MUL,
                                                  GALI_LAYER_FILM,  GALI_LAYER_GRU, GALI_LAYER_ADD,
                                                  GALI_LAYER_MUL};
    static const uint32_t parts[LAYERS] = {1, 2, 3, 3, 7, PARTS_MOST, 9};
    static uint32_t sources[LAYERS][PARTS_MOST][3];
    const builder *both[] = {best_builder(), &builders[1]};
    synthetic s = synthetic_make(&desc);
    for (uint32_t i = 1; i < LAYERS; i++) {
        gali_model_layer *layer = &s.model.layers[i];
        for (uint32_t k = 0; k < parts[i]; k++) { /* the value before, that before it, the value before.. */
            memcpy(sources[i][k], (uint32_t[]){i - k % (i > 1 ? 2 : 1), 0, WIDTH}, sizeof sources[i][k]);
        }
        *layer = (gali_model_layer){.kind = kinds[i],
                                    .activation = i % 2 ? GALI_ACTIVATION_TANH : GALI_ACTIVATION_NONE,
                                    .experts = 1,
                                    .inputs = parts[i] * WIDTH,
                                    .outputs = WIDTH,
                                    .source_count = parts[i],
                                    .sources = sources[i]};
    }
    for (size_t i = 0; i < 2; i++) {
        if (usable(both[i])) {
            check_model(both[i], quick, &s, GAL_FORM_PER_EXPERT, NULL);
        }
    }
    synthetic_free(&s);
}

/* A network without normalisation, so that its first layer is known: no schedule for the second. */
static const synthetic_desc bare = {.gate = GAL_GATE_CUBIC,
                                    .experts = 4,
                                    .layers = 2,
                                    .width = {21, 70, 37},
                                    .activation = {GALI_ACTIVATION_ELU},
                                    .seed = 38};

/* A record of the first layer. The schedule may name the target's lanes by %u. */
static void add_record(FILE *file, const gali_target *target, uint32_t characters, double ratio,
                       const char *format, gal_error *error) {
    gali_dense layer = {.experts = 4,
                        .slots = 4,
                        .inputs = 21,
                        .outputs = 70,
                        .activation = GALI_ACTIVATION_ELU,
                        .padded = 1,
                        .least = characters,
                        .most = characters};
    char schedule[256];
    gali_log_task task;
    snprintf(schedule, sizeof schedule, "vectorize n %u; %s", target->lanes, format);
    gali_log_record record = {
        .pairs = 301, .schedule = schedule, .measured = {.ratio = ratio, .seconds = 1e-5}};
    assert_int_equal(gali_log_task_make(&task, &layer, target, error), GAL_OK);
    assert_int_equal(gali_log_write(file, &task, &record, error), GAL_OK);
}

/*
 * Five characters were fastest on panels of two vectors. One on panels of five and eight on three, but on two not much
 * slower; and once with so much code that it does not count. So all run on panels of two, each count by the next larger one.
 */
static void a_log_gives_each_range_its_best(void **state) {
    (void)state;
    static const char *const calls[] = {"if (count == 1) {\n        net_layer0_1(",
                                        "} else if (count >= 2 && count <= 5) {\n        net_layer0_2_to_5(",
                                        "} else {\n        net_layer0_6_to_64(", "net_layer1_1_to_64("};
    const builder *b = best_builder();
    gal_error error = {0};
    const gali_target *target = gali_target_find(b->target, &error);
    char log[256], source[100000];
    snprintf(log, sizeof log, "%s", place_of("log.jsonl"));
    FILE *file = fopen(log, "wb");
    assert_non_null(file);
    add_record(file, target, 1, 0.75,
               "split n 5; reorder n.o c; pack weights; compute_at total c; compute_at sum e", &error);
    add_record(file, target, 1, 0.8,
               "split n 2; reorder n.o c; pack weights; compute_at total c; compute_at sum e", &error);
    add_record(file, target, 5, 0.9,
               "split n 2; split c 5; reorder n.o c.o; reorder k c.i; reorder e k; compute_at total c.o; "
               "compute_at sum e; "
               "unroll c.i; unroll n.i; pack weights",
               &error);
    add_record(file, target, 8, 0.90,
               "split n 3; split c 4; reorder n.o c.o; reorder k c.i; reorder e k; compute_at total c.o; "
               "compute_at sum e; "
               "pack weights",
               &error);
    add_record(file, target, 8, 0.92,
               "split n 2; split c 8; reorder n.o c.o; reorder k c.i; reorder e k; compute_at total c.o; "
               "compute_at sum e; "
               "unroll c.i; unroll n.i; unroll k 64; pack weights",
               &error);
    add_record(file, target, 8, 0.93,
               "split n 2; split c 4; reorder n.o c.o; reorder k c.i; reorder e k; compute_at total c.o; "
               "compute_at sum e; "
               "unroll c.i; unroll n.i; pack weights",
               &error);
    fclose(file);
    synthetic s = synthetic_make(&bare);
    check_model(b, quick, &s, GAL_FORM_PER_EXPERT, log);
    synthetic_free(&s);
    slurp(place_of("net.c"), source, sizeof source);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (!strstr(source, calls[i])) {
            fail_msg("no call \"%s\" in\n%s", calls[i], strstr(source, "int net_run"));
        }
    }
    assert_null(strstr(source, "unroll k 64"));
}

/* The model, compiled; its files are net.h, net.c and, as a blob, net.weights in the test's folder. */
static gal_compiled *compile_spilled(const void *bytes, size_t size, const char *target, int blob) {
    gal_compiled *compiled = NULL;
    gal_error error = {0};
    gal_compile_desc how = {.target = target, .name = "net", .weights_blob = blob != 0};
    if (gal_compile(&compiled, bytes, size, &how, &error) != GAL_OK) {
        fail_msg("%s: %s", target, error.message);
    }
    spill_part(compiled, GAL_COMPILED_HEADER, "net.h");
    spill_part(compiled, GAL_COMPILED_SOURCE, "net.c");
    spill_part(compiled, GAL_COMPILED_WEIGHTS, "net.weights");
    return compiled;
}

/* From two copies of the model at other addresses, so that no address can be in the bytes. */
static void equal_input_gives_equal_bytes(void **state) {
    (void)state;
    size_t size, sizes[2];
    synthetic s = synthetic_make(&spline);
    unsigned char *bytes = synthetic_bytes(&s, &size), *copy = malloc(size + 1);
    memcpy(copy + 1, bytes, size);
    const char *target;
    for (uint32_t i = 0; (target = gal_compile_target_name(i)) != NULL; i++) {
        gal_compiled *one = compile_spilled(bytes, size, target, i % 2);
        gal_compiled *other = compile_spilled(copy + 1, size, target, i % 2);
        for (gal_compiled_part part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
            const char *a = gal_compiled_bytes(one, part, &sizes[0]);
            const char *b = gal_compiled_bytes(other, part, &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(a, b, sizes[0]);
        }
        gal_compiled_free(one);
        gal_compiled_free(other);
    }
    free(copy);
    free(bytes);
    synthetic_free(&s);
}

/* The words 0x...,0x... of the array in the source are the blob's floats; both compilers take it without a warning. */
static void array_of_weights_is_the_blob(void **state) {
    (void)state;
    char line[512];
    size_t size, source_size, blob_size, words = 0;
    synthetic s = synthetic_make(&spline);
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gal_compiled *blob = compile_spilled(bytes, size, "scalar", 1);
    gal_compiled *array = compile_spilled(bytes, size, "scalar", 0);
    const char *weights = gal_compiled_bytes(blob, GAL_COMPILED_WEIGHTS, &blob_size);
    const char *at = strstr(gal_compiled_bytes(array, GAL_COMPILED_SOURCE, &source_size), "net_weights = {{");
    assert_non_null(at);
    for (at = strstr(at, "0x"); at; at = strstr(at + 2, "0x"), words++) {
        uint32_t bits = (uint32_t)strtoul(at, NULL, 16);
        assert_true(4 * words < blob_size);
        assert_memory_equal(weights + 4 * words, &bits, 4);
    }
    assert_int_equal(4 * words, blob_size);
    static const char *const compilers[] = {"gcc", "clang-19"};
    for (size_t i = 0; i < 2; i++) {
        if (builds && have(compilers[i])) {
            snprintf(line, sizeof line, "%s" STRICT "-O0 -Wpedantic -c %s/net.c -o %s/net.o", compilers[i],
                     place, place);
            command(line);
        } else {
            print_message("skipped: array of weights, %s\n", compilers[i]);
        }
    }
    gal_compiled_free(array);
    gal_compiled_free(blob);
    free(bytes);
    synthetic_free(&s);
}

/* Who compiles without the target's flags, or for another machine, is told, not pages of errors about its intrinsics. */
static void forgotten_flags_are_said(void **state) {
    (void)state;
    static const char *const told[][2] = {
        {"x86-64-v3",
         "#ifndef __AVX2__\n#error \"this is for x86-64-v3: compile it with -march=x86-64-v3\"\n#endif\n"},
        {"x86-64-v4",
         "#ifndef __AVX512F__\n#error \"this is for x86-64-v4: compile it with -march=x86-64-v4\"\n"},
        {"wasm32+simd128",
         "#ifndef __wasm_simd128__\n#error \"this is for wasm32+simd128: compile it with -msimd128\"\n"},
        {"armv8-a",
         "#if !defined(__aarch64__) && !defined(_M_ARM64)\n#error \"this is for armv8-a: compile it with "
         "-march=armv8-a\"\n"},
        {"scalar", NULL}};
    size_t size, source_size;
    synthetic s = synthetic_make(&bare);
    unsigned char *bytes = synthetic_bytes(&s, &size);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        gal_compiled *compiled = compile_spilled(bytes, size, told[i][0], 0);
        const char *source = gal_compiled_bytes(compiled, GAL_COMPILED_SOURCE, &source_size);
        assert_true(told[i][1] ? strstr(source, told[i][1]) != NULL : strstr(source, "#error") == NULL);
        gal_compiled_free(compiled);
    }
    free(bytes);
    synthetic_free(&s);
}

/* What the header says of the weights: their licence, whatever stands in it, and their sum; C++ takes it. */
static void header_tells_of_the_weights(void **state) {
    (void)state;
    static const char told[] = "licence: CC BY 4.0 */ int x; /*\n\nKeep this.";
    char header[20000], line[512], sum[64];
    size_t size, weights_size;
    synthetic s = synthetic_make(&bare);
    s.model.provenance = told;
    s.model.provenance_size = sizeof told - 1;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gal_compiled *compiled = compile_spilled(bytes, size, "scalar", 1);
    const char *weights = gal_compiled_bytes(compiled, GAL_COMPILED_WEIGHTS, &weights_size);
    slurp(place_of("net.h"), header, sizeof header);
    snprintf(sum, sizeof sum, "#define NET_WEIGHTS_CRC32 0x%08xu\n", gali_crc32(weights, weights_size));
    assert_non_null(strstr(header, " *     licence: CC BY 4.0 * / int x; / *\n *\n *     Keep this.\n"));
    assert_non_null(strstr(header, sum));
    snprintf(line, sizeof line, "g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ %s/net.h",
             place);
    if (builds && have("g++")) {
        command(line);
    } else {
        print_message("skipped: the header in C++\n");
    }
    gal_compiled_free(compiled);
    free(bytes);
    synthetic_free(&s);
}

/* Instructions are few, whatever the weights: a game's caches are small. */
static void walker_is_small(void **state) {
    (void)state;
    enum { SOURCE_MOST = 60 * 1024, MODEL_MOST = 16 << 20 };
    size_t size;
    char *bytes = malloc(MODEL_MOST);
    FILE *file = fopen(GALLOP_SOURCE_DIR "/models/walker.gallop", "rb");
    assert_non_null(file);
    size_t model_size = fread(bytes, 1, MODEL_MOST, file);
    fclose(file);
    const char *target;
    for (uint32_t i = 0; (target = gal_compile_target_name(i)) != NULL; i++) {
        if (strcmp(target, "hexagonv66+hvx") == 0 || strcmp(target, "opencl") == 0) {
            continue; /* its weights, or kernels for every count as text, are in the source */
        }
        gal_compiled *compiled = compile_spilled(bytes, model_size, target, 1);
        gal_compiled_bytes(compiled, GAL_COMPILED_SOURCE, &size);
        if (size > SOURCE_MOST) {
            fail_msg("%s: %zu bytes of source", target, size);
        }
        gal_compiled_free(compiled);
    }
    free(bytes);
}

static void expect_near(const recording *r) {
    size_t count = (size_t)CHARACTERS * r->outputs;
    float *y = calloc(count + 1, sizeof *y);
    FILE *file = fopen(place_of("out"), "rb");
    assert_int_equal(fread(y, sizeof *y, count + 1, file), count);
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        double wanted = r->y[i], off = y[i] - wanted;
        if (!(off * off <= 1e-10 * (1 + wanted * wanted))) {
            fail_msg("wasm: output %zu: %a, the runtime's is %a", i, (double)y[i], wanted);
        }
    }
    free(y);
}

#define BARE_WASM                                                                                              \
    "clang-19 --target=wasm32 -msimd128 -ffreestanding -nostdlib -std=c11 -ffp-contract=off -Wall "            \
    "-Wextra "                                                                                                 \
    "-Wpedantic -Werror "

static void run_wasm(const synthetic *s) {
    char line[1024], header[8192];
    uint32_t workspace;
    recording r = record(s, GAL_FORM_PER_EXPERT);
    spill_calls(&r);
    slurp(place_of("net.h"), header, sizeof header);
    const char *at = strstr(header, "NET_WORKSPACE = ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "NET_WORKSPACE = %u", &workspace), 1);
    snprintf(line, sizeof line,
             "wasm-ld-19 --no-entry --export=net_run --allow-undefined %s/net.o -o %s/net.wasm && "
             "node %s/test/compiler/driver.mjs %s/net.wasm %s/calls %s/net.weights %u %u %u %u > %s/out",
             place, place, GALLOP_SOURCE_DIR, place, place, place, r.inputs, r.gates, r.outputs, workspace,
             place);
    command(line);
    expect_near(&r);
    free_recording(&r);
}

static int have_wasm(void) {
    int wasm = have("clang-19") && system("clang-19 --print-targets | grep -q wasm32") == 0;
    if (!wasm) {
        print_message("skipped: wasm, no clang-19 with wasm32\n");
    } else if (!have("node") || !have("wasm-ld-19")) {
        print_message("skipped: running wasm, no node or wasm-ld-19\n");
    }
    return wasm;
}

/* A compiler for wasm32 without any libc builds it; node, where it is, runs it: near the runtime, for want of an FMA. */
static void check_wasm(const synthetic *s, const char *optimised) {
    char line[512];
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_compiled *compiled = compile_spilled(bytes, size, "wasm32+simd128", 1);
    snprintf(line, sizeof line, BARE_WASM "%s -c %s/net.c -o %s/net.o", optimised, place, place);
    if (builds) {
        command(line);
    }
    if (builds && have("node") && have("wasm-ld-19")) {
        run_wasm(s);
    }
    gal_compiled_free(compiled);
    free(bytes);
}

static void wasm_needs_no_libc(void **state) {
    (void)state;
    if (have_wasm()) {
        synthetic s = synthetic_make(&spline);
        check_wasm(&s, "-O1");
        thin_out(&s, 2, 128);
        check_wasm(&s, "-O1");
        synthetic_free(&s);
    }
}

static void wasm_knows_every_kind_of_layer(void **state) {
    (void)state;
    static const gal_gate_kind gates[] = {GAL_GATE_NETWORK, GAL_GATE_CONSTANT, GAL_GATE_LINEAR,
                                          GAL_GATE_CALLER};
    uint32_t parts = 0;
    for (uint32_t i = 0; i < 4 && have_wasm(); i++) {
        graph *g = make_graph(gates[i], 4, 70 + i);
        parts |= parts_of(g);
        check_wasm(&g->s, "-O0");
        graph_free(g);
    }
    assert_true(parts == 0 || parts == (every_kind | every_activation));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spline_on_every_target, place_make, place_remove),
        cmocka_unit_test_setup_teardown(every_gate_and_shape, place_make, place_remove),
        cmocka_unit_test_setup_teardown(blend_form, place_make, place_remove),
        cmocka_unit_test_setup_teardown(far_means, place_make, place_remove),
        cmocka_unit_test_setup_teardown(equal_layers_share_functions, place_make, place_remove),
        cmocka_unit_test_setup_teardown(every_kind_of_layer, place_make, place_remove),
        cmocka_unit_test_setup_teardown(values_that_are_read_again, place_make, place_remove),
        cmocka_unit_test_setup_teardown(a_log_gives_each_range_its_best, place_make, place_remove),
        cmocka_unit_test_setup_teardown(equal_input_gives_equal_bytes, place_make, place_remove),
        cmocka_unit_test_setup_teardown(array_of_weights_is_the_blob, place_make, place_remove),
        cmocka_unit_test_setup_teardown(forgotten_flags_are_said, place_make, place_remove),
        cmocka_unit_test_setup_teardown(header_tells_of_the_weights, place_make, place_remove),
        cmocka_unit_test_setup_teardown(walker_is_small, place_make, place_remove),
        cmocka_unit_test_setup_teardown(wasm_needs_no_libc, place_make, place_remove),
        cmocka_unit_test_setup_teardown(wasm_knows_every_kind_of_layer, place_make, place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
