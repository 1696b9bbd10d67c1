/*
 * Quantised graphs as C with HVX intrinsics, under qemu-hexagon: byte for byte what plain C makes of their units, and within a byte
 * of what the graph says. With the argument "forms" in each form by itself, too, and packets of all. Skipped where clang-19,
 * llvm-mc-19, ld.lld-19 or qemu-hexagon is missing.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "compiler/emit/hvx/region.h"
#include "compiler/emit/program.h"
#include "compiler/packer/packer.h"
#include "graph/evaluate.h"
#include "hvx/quantised.h"
#include "hvx/reference.h"

enum { LINE = 2048, RUNS = 3, BYTES_MOST = 1 << 16 };

static char place[] = "/tmp/gallop_regions_XXXXXX";
static int all_forms;

static void command(const char *format, ...) {
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (system(line) != 0) {
        fail_msg("failed: %s", line);
    }
}

static void spill(const char *name, const void *bytes, size_t size) {
    char path[LINE];
    snprintf(path, sizeof path, "%s/%s", place, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static gali_graph *open_graph(const quantised *q, gali_arena *arena) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, q->text.bytes, q->text.size, arena, &error) != GAL_OK) {
        fail_msg("%s\n%s", error.message, q->text.bytes);
    }
    fill_constants(graph);
    if (gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static size_t count_of(const gali_graph *graph, uint32_t value) {
    return (size_t)gali_type_count(graph->extents, &graph->values[value].type);
}

static const char flags[] =
    "--target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 -mhvx-length=128b -std=c11 "
    "-ffreestanding -fno-builtin -ffp-contract=off -Wall -Wextra -Werror";

/* The graph with its regions taken, as C. */
static void emit(gali_graph *graph, gali_hvx_form choice) {
    gali_text regions = {0}, parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gal_error error = {0};
    gali_program *program = NULL;
    if (gali_hvx_take_regions(graph, choice, &regions, &error) != GAL_OK ||
        gali_graph_verify(graph, &error) != GAL_OK ||
        gali_program_make(&program, graph, graph->arena, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    program->regions = &regions;
    program->target = gali_target_find("hexagonv66+hvx", &error);
    if (gali_program_for_cpu(program, 0, &error) != GAL_OK ||
        gali_emit_program(program, &(gali_emit_desc){"net", "a test", 0}, parts, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    spill("net.h", parts[GAL_COMPILED_HEADER].bytes, parts[GAL_COMPILED_HEADER].size);
    spill("net.c", parts[GAL_COMPILED_SOURCE].bytes, parts[GAL_COMPILED_SOURCE].size);
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&parts[i]);
    }
    gali_text_release(&regions);
}

static void pack(void) {
    char path[LINE];
    void *bytes;
    size_t size;
    gali_text packed = {0};
    gali_packer_report report;
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/net.s", place);
    if (gali_file_read(path, SIZE_MAX, NULL, &bytes, &size, &error) != GAL_OK ||
        gali_packer_run(bytes, size, &(gali_packer_options){0}, &packed, &report, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    spill("net.s", packed.bytes, packed.size);
    gali_packer_report_release(&report);
    gali_release(NULL, bytes, size);
    gali_text_release(&packed);
}

/* The program on bare Hexagon; packs: by us, not by clang. */
static void build(const gali_graph *graph, int packs) {
    const size_t in = count_of(graph, graph->inputs[0]), out = count_of(graph, graph->outputs[0]);
    command("clang-19 %s %s -S %s/net.c -o %s/net.s", flags, all_forms ? "-O3" : "-O1", place, place);
    if (packs) {
        pack();
    }
    command("llvm-mc-19 -triple=hexagon -mcpu=hexagonv66 -mattr=+hvxv66,+hvx-length128b -filetype=obj %s/net.s "
            "-o %s/net.o",
            place, place);
    command("clang-19 %s -O1 -DINPUT=%zu -DOUTPUT=%zu -I%s -I%s/src -c %s/test/compiler/hvx/network.c -o "
            "%s/driver.o",
            flags, in, out, place, GALLOP_SOURCE_DIR, GALLOP_SOURCE_DIR, place);
    command("ld.lld-19 -static %s/driver.o %s/net.o -e _start -o %s/net", place, place, place);
}

/* What the graph says of the input, as unsigned bytes. */
static void evaluate(const gali_graph *graph, const uint8_t *input, uint8_t *output) {
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    const gali_type *type = &graph->values[graph->inputs[0]].type;
    gali_tensor in, out;
    int64_t shape[GALI_RANK_MAX];
    const int is_signed = type->element == GALI_i8 ? 128 : 0;
    memcpy(shape, type->shape, sizeof shape);
    assert_int_equal(gali_tensor_make(&run, &in, type->element, (uint32_t)type->rank, shape), GAL_OK);
    for (size_t i = 0; i < in.count; i++) {
        in.whole[i] = input[i] - is_signed;
    }
    if (gali_graph_evaluate(&run, graph, &in, &out) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < out.count; i++) {
        output[i] = (uint8_t)(out.whole[i] + is_signed);
    }
    gali_tensor_release(&run, &in);
    gali_tensor_release(&run, &out);
}

/* Whether bytes are at most `most` away from what the graph says, of which a region's body is what it stands for. */
static void check_truth(const gali_graph *graph, const uint8_t *input, const uint8_t *output, int most) {
    static uint8_t truth[BYTES_MOST];
    evaluate(graph, input, truth);
    for (size_t i = 0; i < count_of(graph, graph->outputs[0]); i++) {
        if (abs(truth[i] - output[i]) > most) {
            fail_msg("byte %zu is %d, the graph's %d", i, output[i], truth[i]);
        }
    }
}

/* Runs what was built on what is in "in": as many bytes as are wanted, and what it says of packets. */
static void run(uint8_t *given, size_t size, char *said, size_t most) {
    char path[LINE];
    command("qemu-hexagon %s/net <%s/in >%s/out 2>%s/said", place, place, place, place);
    snprintf(path, sizeof path, "%s/out", place);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(given, 1, size, file), size);
    fclose(file);
    snprintf(path, sizeof path, "%s/said", place);
    file = fopen(path, "rb");
    assert_non_null(fgets(said, (int)most, file));
    fclose(file);
}

/* Inputs of all bytes, what plain C makes of them, and what the program does. most: see check_truth; -1: deep ones drift apart. */
static void check(const char *name, const quantised *q, gali_hvx_form choice, int packs, int most) {
    static uint8_t inputs[BYTES_MOST], wanted[BYTES_MOST], given[BYTES_MOST];
    static const char *const forms[] = {"vmpy", "vmpa", "vrmpy", "chosen"};
    gali_arena arena = {0};
    gali_hvx_region region;
    gal_error error = {0};
    char said[LINE] = "";
    uint32_t state = 99;
    gali_graph *graph = open_graph(q, &arena);
    const size_t in = count_of(graph, graph->inputs[0]), out = count_of(graph, graph->outputs[0]);
    assert_true(RUNS * in <= BYTES_MOST && RUNS * out <= BYTES_MOST);
    const int flip = graph->values[graph->inputs[0]].type.element == GALI_i8 ? 128 : 0;
    assert_int_equal(gali_hvx_first_region(graph, &region, &error), GAL_OK);
    for (uint32_t r = 0; r < RUNS; r++) {
        for (size_t i = r * in; i < (r + 1) * in; i++) {
            inputs[i] = (uint8_t)random_word(&state);
        }
        reference_run(&region, inputs + r * in, wanted + r * out);
    }
    emit(graph, choice);
    for (uint32_t r = 0; r < RUNS && most >= 0; r++) {
        check_truth(graph, inputs + r * in, wanted + r * out, most);
    }
    for (size_t i = 0; i < RUNS * in; i++) {
        inputs[i] ^= (uint8_t)flip;
    }
    build(graph, packs);
    spill("in", inputs, RUNS * in);
    run(given, RUNS * out, said, sizeof said);
    for (size_t i = 0; i < RUNS * out; i++) {
        if ((given[i] ^ flip) != wanted[i]) {
            fail_msg("%s in %s: byte %zu of run %zu is %d, plain C's is %d", name, forms[choice], i % out,
                     i / out, given[i] ^ flip, wanted[i]);
        }
    }
    print_message("%s, %s%s: %s", name, forms[choice], packs ? ", packed" : "", said);
    gali_arena_release(&arena);
}

static void finish(const char *name, quantised *q, tensor last, int most) {
    gali_text_add(&q->text, "output %%%u\n", last.value);
    for (gali_hvx_form form = all_forms ? GALI_HVX_VMPY : GALI_HVX_FORMS; form <= GALI_HVX_FORMS; form++) {
        check(name, q, form, 0, most);
    }
    if (all_forms) {
        check(name, q, GALI_HVX_FORMS, 1, most);
    }
    gali_text_release(&q->text);
}

/* ---- one unit each ---- */

static void test_units(void **state) {
    (void)state;
    quantised q = {.byte = "u8"};
    tensor x = add_input(&q, 7, 9, 11);
    finish("3x3 in steps of 2", &q, convolved(&q, x, 10, 3, 2, 1, 1, 1), 1);
    q = (quantised){.byte = "i8"};
    x = add_input(&q, 5, 13, 6);
    finish("1x1 in steps of 2", &q, convolved(&q, x, 9, 1, 2, 0, 1, 0), 1);
    q = (quantised){.byte = "u8"};
    x = add_input(&q, 6, 10, 33);
    finish("5x5 by itself in steps of 3", &q, convolved(&q, x, 6, 5, 3, 2, 6, 0), 1);
    q = (quantised){.byte = "i8"};
    x = add_input(&q, 130, 0, 0);
    finish("dense", &q, dense(&q, x, 141), 1);
    q = (quantised){.byte = "u8"};
    x = add_input(&q, 16, 1, 64);
    finish("32 of a line, every eighth", &q, causal(&q, x, 4, 32, 8), 1);
}

static void test_pools(void **state) {
    (void)state;
    quantised q = {.byte = "i8"};
    tensor x = add_input(&q, 3, 15, 17);
    finish("largest of 3x3 in steps of 2", &q, pooled(&q, x, "MaxPool", 3, 2, 1), 1);
    q = (quantised){.byte = "u8"};
    x = add_input(&q, 3, 15, 17);
    finish("mean of 2x2 in steps of 2", &q, pooled(&q, x, "AveragePool", 2, 2, 0), 1);
    q = (quantised){.byte = "u8"};
    x = add_input(&q, 37, 5, 7);
    finish("means", &q, averaged(&q, x), 1);
}

/* ---- networks ---- */

/* Inverted residuals: 1x1 up, 3x3 by itself, 1x1 down. */
static tensor inverted(quantised *q, tensor x, uint32_t channels, uint32_t stride) {
    tensor y = convolved(q, x, 4 * x.channels, 1, 1, 0, 1, 1);
    y = convolved(q, y, y.channels, 3, stride, 1, y.channels, 1);
    y = convolved(q, y, channels, 1, 1, 0, 1, 0);
    return stride == 1 && channels == x.channels ? added(q, x, y, 0) : y;
}

static void test_mobile(void **state) {
    (void)state;
    quantised q = {.byte = "u8"};
    tensor x = add_input(&q, 3, 35, 37);
    x = convolved(&q, x, 8, 3, 2, 1, 1, 1);
    x = inverted(&q, x, 8, 1);
    x = inverted(&q, x, 12, 2);
    x = inverted(&q, x, 12, 1);
    x = changed(&q, x, "HardSwish", x.scale, 20);
    x = averaged(&q, x);
    x = dense(&q, x, 11);
    finish("like MobileNet", &q, changed(&q, x, "Sigmoid", 1.0 / 256, 0), -1);
}

static tensor residual(quantised *q, tensor x, uint32_t channels, uint32_t stride) {
    tensor y = convolved(q, x, channels, 3, stride, 1, 1, 1);
    y = convolved(q, y, channels, 3, 1, 1, 1, 0);
    const tensor beside = stride == 1 ? x : convolved(q, x, channels, 1, stride, 0, 1, 0);
    return added(q, y, beside, 1);
}

static void test_residual(void **state) {
    (void)state;
    quantised q = {.byte = "i8"};
    tensor x = add_input(&q, 3, 32, 30);
    x = convolved(&q, x, 16, 7, 2, 3, 1, 1);
    x = pooled(&q, x, "MaxPool", 3, 2, 1);
    x = residual(&q, x, 16, 1);
    x = residual(&q, x, 24, 2);
    x = changed(&q, x, "Tanh", 1.0 / 127, 128);
    x = flattened(&q, x);
    finish("like ResNet", &q, dense(&q, x, 10), -1);
}

/* A tensor that no unit makes between two that are: what was one graph computes the same with two regions in it. */
static void test_two_regions(void **state) {
    (void)state;
    quantised q = {.byte = "u8"};
    gali_arena arena = {0};
    gal_error error = {0};
    gali_text regions = {0};
    char operands[16];
    tensor x = add_input(&q, 4, 6, 5);
    x = convolved(&q, x, 8, 3, 1, 1, 1, 1);
    const tensor early = x;
    snprintf(operands, sizeof operands, "%%%u", dequantised(&q, &x));
    x.scale = 1.0 / 256;
    x.zero = 0;
    x = quantise(&q, add_node(&q, &x, "Softmax", operands, " axis:int=1"), x);
    x = added(&q, convolved(&q, x, 8, 1, 1, 0, 1, 0), early, 0);
    gali_text_add(&q.text, "output %%%u\n", x.value);
    gali_graph *graph = open_graph(&q, &arena);
    uint8_t input[120], *truth = calloc(1, 240);
    for (size_t i = 0; i < sizeof input; i++) {
        input[i] = (uint8_t)(37 * i);
    }
    evaluate(graph, input, truth);
    assert_int_equal(gali_hvx_take_regions(graph, GALI_HVX_FORMS, &regions, &error), GAL_OK);
    assert_int_equal(gali_graph_verify(graph, &error), GAL_OK);
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        count += graph->nodes[i].op == GALI_OP_region;
    }
    assert_int_equal(count, 2);
    check_truth(graph, input, truth, 0);
    free(truth);
    gali_text_release(&regions);
    gali_text_release(&q.text);
    gali_arena_release(&arena);
}

/* ---- what is no unit ---- */

/*
 * The text with a scale %0 of 0.05 and a zero point %1 of 128, whose inputs and outputs are bytes: how many units its first region has,
 * and the first of them.
 */
static uint32_t units_of(gali_hvx_unit *first, const char *format, ...) {
    quantised q = {.byte = "u8"};
    gali_arena arena = {0};
    gali_hvx_region region;
    gal_error error = {0};
    gali_text regions = {0};
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *lines = malloc((size_t)size + 1);
    assert_non_null(lines);
    va_start(arguments, format);
    vsnprintf(lines, (size_t)size + 1, format, arguments);
    va_end(arguments);
    gali_text_add(&q.text, "constant %%0: f32[] = 0.05\nconstant %%1: u8[] = 128\n");
    gali_text_add_bytes(&q.text, lines, (size_t)size);
    free(lines);
    gali_graph *graph = open_graph(&q, &arena);
    assert_int_equal(gali_hvx_first_region(graph, &region, &error), GAL_OK);
    assert_int_equal(gali_hvx_take_regions(graph, GALI_HVX_FORMS, &regions, &error), GAL_OK);
    assert_int_equal(gali_graph_verify(graph, &error), GAL_OK);
    const uint32_t count = region.unit_count;
    *first = count ? region.units[0] : (gali_hvx_unit){.from_count = 0};
    gali_text_release(&regions);
    gali_text_release(&q.text);
    gali_arena_release(&arena);
    return count;
}

/* The same of a convolution with 8x8 weights for one place. */
static uint32_t units_of_conv(gali_hvx_unit *first, const char *from, const char *to, const char *attributes) {
    static const char weights[] = "[8, 8, 1, 1]";
    return units_of(first,
                    "input %%2: u8%s\nconstant %%3: i8%s\n%%4: f32%s = DequantizeLinear (%%2, %%0, %%1)\n"
                    "%%5: f32%s = DequantizeLinear (%%3, %%0)\n%%6: f32%s = Conv (%%4, %%5) %s\n"
                    "%%7: u8%s = QuantizeLinear (%%6, %%0, %%1)\noutput %%7\n",
                    from, weights, from, weights, to, attributes, to);
}

static void test_hostile_windows(void **state) {
    (void)state;
    const char *picture = "[1, 8, 8, 8]", *one = "[1, 8, 1, 1]";
    gali_hvx_unit unit;
    assert_int_equal(units_of_conv(&unit, picture, picture, "kernel_shape:ints=8,8"), 1);
    assert_int_equal(unit.window.high * unit.window.wide, 1); /* the weights' shape says it */
    assert_int_equal(units_of_conv(&unit, one, one, ""), 1);
    assert_int_equal(units_of_conv(&unit, one, "[1, 8, 3, 3]", "pads:ints=1,1,1,1"), 0);
    assert_int_equal(units_of_conv(&unit, one, one, "pads:ints=1,1,1,1 strides:ints=3,3"), 0);
}

/* Q(Add(DQ(x), Relu(Relu(.. p)))) of so many Relu. */
static void test_deep_chain(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    gali_hvx_unit unit;
    gali_text lines = {0};
    gali_text_add(&lines, "input %%2: u8[1, 16]\ninput %%3: f32[1, 16]\n"
                          "%%4: f32[1, 16] = DequantizeLinear (%%2, %%0, %%1)\n");
    for (uint32_t i = 0; i < DEPTH; i++) {
        gali_text_add(&lines, "%%%u: f32[1, 16] = Relu (%%%u)\n", i + 5, i ? i + 4 : 3);
    }
    gali_text_add(&lines,
                  "%%%u: f32[1, 16] = Add (%%4, %%%u)\n%%%u: u8[1, 16] = QuantizeLinear (%%%u, %%0, %%1)\n"
                  "output %%%u\n",
                  DEPTH + 5, DEPTH + 4, DEPTH + 6, DEPTH + 5, DEPTH + 6);
    assert_int_equal(units_of(&unit, "%s", lines.bytes), 0);
    gali_text_release(&lines);
}

/* A list of what is clamped is more than the same bytes. */
static void test_clamped_list(void **state) {
    (void)state;
    static const char list[] =
        "input %%2: u8[1, 4, 2, 2]\n%%3: f32[1, 4, 2, 2] = DequantizeLinear (%%2, %%0, %%1)\n"
        "%%4: f32[1, 16] = Flatten (%%3)\n%%5: f32[1, 16] = %s (%%4)\n"
        "%%6: u8[1, 16] = QuantizeLinear (%%5, %%0, %%1)\noutput %%6\n";
    gali_hvx_unit unit;
    assert_int_equal(units_of(&unit, list, "Relu"), 0);
    assert_int_equal(units_of(&unit, list, "Clip"), 1);
}

/* Means under windows whose sums 32 bits do not hold, or that no frame is made for. */
static void test_large_means(void **state) {
    (void)state;
    static const char means[] =
        "input %%2: u8[1, %u, %u, %u]\n%%3: f32[1, %u, %u, %u] = DequantizeLinear (%%2, %%0, %%1)\n"
        "%%4: f32[1, %u, %u, %u] = %s (%%3) %s\n%%5: u8[1, %u, %u, %u] = QuantizeLinear (%%4, %%0, %%1)\n"
        "output %%5\n";
    static const char window[] =
        "kernel_shape:ints=4096,4096 pads:ints=2046,2046,2046,2046 count_include_pad:int=1";
    gali_hvx_unit unit;
    assert_int_equal(
        units_of(&unit, means, 4, 300, 300, 4, 300, 300, 4, 1, 1, "GlobalAveragePool", "", 4, 1, 1), 1);
    assert_null(unit.weights);
    assert_int_equal(
        units_of(&unit, means, 4, 3000, 3000, 4, 3000, 3000, 4, 1, 1, "GlobalAveragePool", "", 4, 1, 1), 0);
    assert_int_equal(
        units_of(&unit, means, 16384, 5, 5, 16384, 5, 5, 16384, 2, 2, "AveragePool", window, 16384, 2, 2), 0);
}

/* Scales that no 16 bits hold, of sums and of two tensors; and infinite ones, as float32 has of 1e39. */
static void test_large_scales(void **state) {
    (void)state;
    static const char two[] = "constant %%2: f32[] = %s\ninput %%3: u8[1, 16]\ninput %%4: u8[1, 16]\n"
                              "%%5: f32[1, 16] = DequantizeLinear (%%3, %%0, %%1)\n%%6: f32[1, 16] = "
                              "DequantizeLinear (%%4, %%2, %%1)\n"
                              "%%7: f32[1, 16] = Add (%%5, %%6)\nconstant %%8: f32[] = %s\n"
                              "%%9: u8[1, 16] = QuantizeLinear (%%7, %%8, %%1)\noutput %%9\n";
    static const char means[] =
        "constant %%2: f32[] = %s\ninput %%3: u8[1, 4, 8, 8]\n"
        "%%4: f32[1, 4, 8, 8] = DequantizeLinear (%%3, %%2, %%1)\n%%5: f32[1, 4, 1, 1] = GlobalAveragePool "
        "(%%4)\n"
        "constant %%6: f32[] = %s\n%%7: u8[1, 4, 1, 1] = QuantizeLinear (%%5, %%6, %%1)\noutput %%7\n";
    gali_hvx_unit unit;
    assert_int_equal(units_of(&unit, two, "0.05", "0.1"), 1);
    assert_int_equal(units_of(&unit, two, "1e30", "1e-6"), 0);
    assert_int_equal(units_of(&unit, two, "1e39", "1e39"), 0);
    assert_int_equal(units_of(&unit, means, "0.05", "0.05"), 1);
    assert_int_equal(units_of(&unit, means, "1e30", "1e-6"), 0);
    assert_int_equal(units_of(&unit, means, "1e39", "1e39"), 0);
}

/* Weights of a scale below 0 are no unit, whether 16 bits hold it or not. */
static void test_scales_of_weights(void **state) {
    (void)state;
    static const char product[] =
        "constant %%2: f32[] = %s\nconstant %%3: i8[8, 8]\ninput %%4: u8[1, 8]\n"
        "%%5: f32[1, 8] = DequantizeLinear (%%4, %%0, %%1)\n%%6: f32[8, 8] = DequantizeLinear (%%3, %%2)\n"
        "%%7: f32[1, 8] = MatMul (%%5, %%6)\n%%8: u8[1, 8] = QuantizeLinear (%%7, %%0, %%1)\noutput %%8\n";
    gali_hvx_unit unit;
    assert_int_equal(units_of(&unit, product, "0.05"), 1);
    assert_int_equal(units_of(&unit, product, "-0.05"), 0);
    assert_int_equal(units_of(&unit, product, "-1e9"), 0);
}

/* ---- what is too large for a region ---- */

/* The nodes of the graph, which stays one, that are regions in the end. */
static uint32_t regions_of(gali_text *lines) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_text regions = {0};
    quantised q = {.text = *lines};
    uint32_t count = 0;
    gali_graph *graph = open_graph(&q, &arena);
    if (gali_hvx_take_regions(graph, GALI_HVX_FORMS, &regions, &error) != GAL_OK ||
        gali_graph_verify(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        count += graph->nodes[i].op == GALI_OP_region;
    }
    assert_true(count || !regions.size);
    gali_text_release(&regions);
    gali_text_release(lines);
    gali_arena_release(&arena);
    return count;
}

/* So many functions of bytes one beside another; or one behind another. */
static void add_functions(gali_text *lines, uint32_t count, int in_line, const char *shape) {
    const uint32_t step = in_line ? 3 : 4; /* values of each */
    gali_text_add(lines, "constant %%0: f32[] = 0.05\nconstant %%1: u8[] = 128\n");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = step * i + 2;
        if (!in_line || i == 0) {
            gali_text_add(lines, "input %%%u: u8%s\n", at, shape);
        }
        gali_text_add(lines,
                      "%%%u: f32%s = DequantizeLinear (%%%u, %%0, %%1)\n%%%u: f32%s = Tanh (%%%u)\n"
                      "%%%u: u8%s = QuantizeLinear (%%%u, %%0, %%1)\n",
                      at + 1, shape, at, at + 2, shape, at + 1, at + 3, shape, at + 2);
    }
    for (uint32_t i = in_line ? count - 1 : 0; i < count; i++) {
        gali_text_add(lines, "output %%%u\n", step * i + 5);
    }
}

static uint32_t regions_of_functions(uint32_t count, int in_line, const char *shape) {
    gali_text lines = {0};
    add_functions(&lines, count, in_line, shape);
    return regions_of(&lines);
}

/* They stay plain C, and what is of another level does not. */
static void test_too_large(void **state) {
    (void)state;
    assert_int_equal(regions_of_functions(63, 0, "[1, 16]"), 1);
    assert_int_equal(regions_of_functions(64, 0, "[1, 16]"), 0); /* with the workspace more than a call has */
    assert_int_equal(regions_of_functions(65, 0, "[1, 16]"), 0);
    assert_int_equal(regions_of_functions(1000, 1, "[1, 16]"), 1);
    assert_int_equal(regions_of_functions(1025, 1, "[1, 16]"), 0);
    assert_int_equal(regions_of_functions(1, 0, "[1, 128, 1024, 1024]"), 0);
    gali_text lines = {0};
    add_functions(&lines, 65, 0, "[1, 16]");
    gali_text_add(&lines,
                  "%%262: f32[1, 16] = DequantizeLinear (%%5, %%0, %%1)\n"
                  "%%263: f32[1, 16] = Softmax (%%262) axis:int=1\n"
                  "%%264: u8[1, 16] = QuantizeLinear (%%263, %%0, %%1)\n"
                  "%%265: f32[1, 16] = DequantizeLinear (%%264, %%0, %%1)\n%%266: f32[1, 16] = Tanh (%%265)\n"
                  "%%267: u8[1, 16] = QuantizeLinear (%%266, %%0, %%1)\noutput %%267\n");
    assert_int_equal(regions_of(&lines), 1);
}

static int have(const char *program) {
    char line[LINE];
    snprintf(line, sizeof line, "command -v %s >/dev/null", program);
    if (system(line) == 0) {
        return 1;
    }
    print_message("skipped: no %s\n", program);
    return 0;
}

static int make_place(void **state) {
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state) {
    char line[LINE];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", place);
    return system(line);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_mobile),       cmocka_unit_test(test_residual),
        cmocka_unit_test(test_two_regions),  cmocka_unit_test(test_hostile_windows),
        cmocka_unit_test(test_clamped_list), cmocka_unit_test(test_large_means),
        cmocka_unit_test(test_large_scales), cmocka_unit_test(test_scales_of_weights),
        cmocka_unit_test(test_deep_chain),   cmocka_unit_test(test_too_large)};
    if (!have("clang-19") || !have("ld.lld-19") || !have("llvm-mc-19") || !have("qemu-hexagon")) {
        return 77;
    }
    all_forms = argc > 1 && strcmp(argv[1], "forms") == 0;
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
