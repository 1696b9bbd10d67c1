/*
 * Which quantised operators are units of HVX's regions, and which are left to plain C: a unit has no batch, no group, no number of
 * its own, and would compute something else. Weights are zeros.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/hvx/region.h"

enum { TEXT = 2000 };

/* Units of the graph of a text that has a scale %0 of 0.05 and a zero point %1 of 128; the first of them. */
static uint32_t units_of(gali_hvx_unit *first, const char *format, ...) {
    static const char head[] = "symbol h 3..9\nconstant %0: f32[] = 0.05\nconstant %1: u8[] = 128\n";
    char text[TEXT];
    gali_arena arena = {0};
    gali_graph *graph;
    gali_hvx_region region;
    gal_error error = {0};
    va_list arguments;
    memcpy(text, head, sizeof head);
    va_start(arguments, format);
    const int size = vsnprintf(text + sizeof head - 1, sizeof text - sizeof head, format, arguments);
    va_end(arguments);
    assert_true(size > 0 && (size_t)size < sizeof text - sizeof head);
    if (gali_graph_parse(&graph, text, strlen(text), &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s\n%s", error.message, text);
    }
    assert_int_equal(gali_hvx_first_region(graph, &region, &error), GAL_OK);
    const uint32_t count = region.unit_count;
    *first = count ? region.units[0] : (gali_hvx_unit){.from_count = 0};
    gali_arena_release(&arena);
    return count;
}

static void expect(const char *name, uint32_t is, uint32_t wanted) {
    if (is != wanted) {
        fail_msg("%s: %u units, expected %u", name, is, wanted);
    }
}

static void convolutions(void **state) {
    (void)state;
    static const struct {
        const char *name, *from, *weights, *to, *attributes;
        uint32_t units;
    } cases[] = {
        {"of one picture", "[1, 8, 9, 9]", "[8, 8, 3, 3]", "[1, 8, 7, 7]", "", 1},
        {"of two", "[2, 8, 9, 9]", "[8, 8, 3, 3]", "[2, 8, 7, 7]", "", 0},
        {"of a size that is open", "[1, 8, h, 9]", "[8, 8, 1, 3]", "[1, 8, h, 7]", "", 0},
        {"in two groups", "[1, 8, 9, 9]", "[8, 4, 3, 3]", "[1, 8, 7, 7]", "group:int=2", 0},
        {"of each channel by itself", "[1, 8, 9, 9]", "[8, 1, 3, 3]", "[1, 8, 7, 7]", "group:int=8", 1},
        {"two of each channel", "[1, 8, 9, 9]", "[16, 1, 3, 3]", "[1, 16, 7, 7]", "group:int=8", 0},
        {"padded by a rule", "[1, 8, 9, 9]", "[8, 8, 3, 3]", "[1, 8, 9, 9]", "auto_pad:word=\"SAME_UPPER\"", 0},
        {"in steps of 4", "[1, 8, 9, 9]", "[8, 8, 3, 3]", "[1, 8, 2, 2]", "strides:ints=4,4", 1},
        {"in steps of 5", "[1, 8, 9, 9]", "[8, 8, 3, 3]", "[1, 8, 2, 2]", "strides:ints=5,5", 0},
        {"of a picture to a place", "[1, 8, 3, 3]", "[8, 8, 3, 3]", "[1, 8, 1, 1]", "", 0},
        {"of a place", "[1, 8, 1, 1]", "[8, 8, 1, 1]", "[1, 8, 1, 1]", "", 1},
        {"of more padding than there are lines", "[1, 1, 2, 2]", "[1, 1, 2, 2]", "[1, 1, 5002, 1]",
         "pads:ints=5000,0,1,0", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        expect(cases[i].name,
               units_of(&unit,
                        "input %%2: u8%s\nconstant %%3: i8%s\n%%4: f32%s = DequantizeLinear (%%2, %%0, %%1)\n"
                        "%%5: f32%s = DequantizeLinear (%%3, %%0)\n%%6: f32%s = Conv (%%4, %%5) %s\n"
                        "%%7: u8%s = QuantizeLinear (%%6, %%0, %%1)\noutput %%7\n",
                        cases[i].from, cases[i].weights, cases[i].from, cases[i].weights, cases[i].to,
                        cases[i].attributes, cases[i].to),
               cases[i].units);
    }
}

/* Constants and what makes them numbers: %4 .., the last of which is %6 of [8, 8, 1, 1]. */
static void weights(void **state) {
    (void)state;
    static const struct {
        const char *name, *lines;
        uint32_t units;
    } cases[] = {
        {"a scale for each of the results",
         "constant %4: i8[8, 8, 1, 1]\nconstant %5: f32[8] = .1 .1 .1 .1 .1 .1 .1 .1\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %5) axis:int=0\n",
         1},
        {"the same, its axis counted from behind",
         "constant %4: i8[8, 8, 1, 1]\nconstant %5: f32[8] = .1 .1 .1 .1 .1 .1 .1 .1\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %5) axis:int=-4\n",
         1},
        {"a scale for each of the inputs",
         "constant %4: i8[8, 8, 1, 1]\nconstant %5: f32[8] = .1 .1 .1 .1 .1 .1 .1 .1\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %5) axis:int=1\n",
         0},
        {"a scale for all results of an input, as a block",
         "constant %4: i8[8, 8, 1, 1]\nconstant %5: f32[1, 8, 1, 1] = .1 .1 .1 .1 .1 .1 .1 .1\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %5) axis:int=0 block_size:int=8\n",
         0},
        {"a scale below 0",
         "constant %4: i8[8, 8, 1, 1]\nconstant %5: f32[] = -0.1\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %5)\n",
         0},
        {"numbers from -200 on, which no byte holds",
         "constant %4: u8[8, 8, 1, 1]\nconstant %5: u8[] = 200\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %0, %5)\n",
         0},
        {"numbers from -100 on",
         "constant %4: u8[8, 8, 1, 1]\nconstant %5: u8[] = 100\n"
         "%6: f32[8, 8, 1, 1] = DequantizeLinear (%4, %0, %5)\n",
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        expect(cases[i].name,
               units_of(&unit,
                        "input %%2: u8[1, 8, 9, 9]\n%%3: f32[1, 8, 9, 9] = DequantizeLinear (%%2, %%0, %%1)\n%s"
                        "%%7: f32[1, 8, 9, 9] = Conv (%%3, %%6)\n"
                        "%%8: u8[1, 8, 9, 9] = QuantizeLinear (%%7, %%0, %%1)\noutput %%8\n",
                        cases[i].lines),
               cases[i].units);
    }
}

/* Windows and lists of [1, 8, 6, 6], whose scale and zero point are %0 and %1, into those of %4 and %5. */
static void windows(void **state) {
    (void)state;
    static const char same[] = "0.05", whole[] = "128";
    static const struct {
        const char *name, *results, *to, *scale, *zero;
        uint32_t units;
    } cases[] = {
        {"largest", "MaxPool (%3) kernel_shape:ints=2,2", "[1, 8, 5, 5]", same, whole, 1},
        {"largest, in another scale", "MaxPool (%3) kernel_shape:ints=2,2", "[1, 8, 5, 5]", "0.1", whole, 0},
        {"largest, of another zero", "MaxPool (%3) kernel_shape:ints=2,2", "[1, 8, 5, 5]", same, "127", 0},
        {"largest, one place", "MaxPool (%3) kernel_shape:ints=6,6", "[1, 8, 1, 1]", same, whole, 0},
        {"means", "AveragePool (%3) kernel_shape:ints=2,2", "[1, 8, 5, 5]", same, whole, 1},
        {"means of what is there of a window",
         "AveragePool (%3) kernel_shape:ints=2,2 strides:ints=2,2 pads:ints=1,1,1,1", "[1, 8, 4, 4]", same,
         whole, 0},
        {"means, padding counted",
         "AveragePool (%3) kernel_shape:ints=2,2 strides:ints=2,2 pads:ints=1,1,1,1 count_include_pad:int=1",
         "[1, 8, 4, 4]", same, whole, 1},
        {"means past the end", "AveragePool (%3) kernel_shape:ints=3,3 strides:ints=2,2 ceil_mode:int=1",
         "[1, 8, 3, 3]", same, whole, 0},
        {"a list", "Flatten (%3)", "[1, 288]", same, whole, 1},
        {"a list in another scale", "Flatten (%3)", "[1, 288]", "0.1", whole, 0},
        {"a list of another zero", "Flatten (%3)", "[1, 288]", same, "127", 0},
        {"a picture of another shape", "Reshape (%3, %6)", "[1, 2, 12, 12]", same, whole, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        expect(cases[i].name,
               units_of(&unit,
                        "input %%2: u8[1, 8, 6, 6]\n%%3: f32[1, 8, 6, 6] = DequantizeLinear (%%2, %%0, %%1)\n"
                        "constant %%4: f32[] = %s\nconstant %%5: u8[] = %s\nconstant %%6: i64[4] = 1 2 12 12\n"
                        "%%7: f32%s = %s\n%%8: u8%s = QuantizeLinear (%%7, %%4, %%5)\noutput %%8\n",
                        cases[i].scale, cases[i].zero, cases[i].to, cases[i].results, cases[i].to),
               cases[i].units);
    }
}

/* Of a list of 16: weights %5 of %4, and the operation. */
static void dense_layers(void **state) {
    (void)state;
    static const char plain[] = "constant %4: i8[16, 16]\n%5: f32[16, 16] = DequantizeLinear (%4, %0)\n";
    static const char
        by_results[] =
            "constant %4: f32[16] = .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1\nconstant %5: i8[16, 16]\n"
            "%6: f32[16, 16] = DequantizeLinear (%5, %4) axis:int=1\n",
        by_inputs[] =
            "constant %4: f32[16] = .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1 .1\nconstant %5: i8[16, 16]\n"
            "%6: f32[16, 16] = DequantizeLinear (%5, %4) axis:int=0\n";
    static const struct {
        const char *name, *weights, *operation;
        uint32_t value, units;
    } cases[] = {
        {"as it is", plain, "Gemm (%3, %5)", 6, 1},
        {"doubled", plain, "Gemm (%3, %5) alpha:number=2", 6, 0},
        {"with twice its bias", plain, "Gemm (%3, %5, %0) beta:number=2", 6, 0},
        {"a product alone", plain, "MatMul (%3, %5)", 6, 1},
        {"a scale for each result", by_results, "MatMul (%3, %6)", 7, 1},
        {"a scale for each input", by_inputs, "MatMul (%3, %6)", 7, 0},
        {"a scale for each input that is a result", by_inputs, "Gemm (%3, %6) transB:int=1", 7, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        const uint32_t value = cases[i].value;
        expect(
            cases[i].name,
            units_of(&unit,
                     "input %%2: u8[1, 16]\n%%3: f32[1, 16] = DequantizeLinear (%%2, %%0, %%1)\n%s"
                     "%%%u: f32[1, 16] = %s\n%%%u: u8[1, 16] = QuantizeLinear (%%%u, %%0, %%1)\noutput %%%u\n",
                     cases[i].weights, value, cases[i].operation, value + 1, value, value + 1),
            cases[i].units);
    }
}

/* What stands between the bytes of %2, [1, 8, 2, 2], and those of the result: constants from %4 on, then %6. */
static void others(void **state) {
    (void)state;
    static const struct {
        const char *name, *lines;
        uint32_t units;
    } cases[] = {
        {"times a number",
         "constant %4: f32[] = 2\nconstant %5: f32[] = 1\n%6: f32[1, 8, 2, 2] = Mul (%3, %4)\n", 1},
        {"times one of each channel",
         "constant %4: f32[1, 8, 1, 1]\nconstant %5: f32[] = 1\n%6: f32[1, 8, 2, 2] = Mul (%3, %4)\n", 0},
        {"two tensors", "constant %4: f32[] = 2\nconstant %5: f32[] = 1\n%6: f32[1, 8, 2, 2] = Add (%3, %3)\n",
         1},
        {"and one number for each channel",
         "input %4: u8[1, 8, 1, 1]\n%5: f32[1, 8, 1, 1] = DequantizeLinear (%4, %0, %1)\n"
         "%6: f32[1, 8, 2, 2] = Add (%3, %5)\n",
         0},
        {"in a scale for each channel",
         "constant %4: f32[8] = .1 .1 .1 .1 .1 .1 .1 .1\n"
         "%5: f32[1, 8, 2, 2] = DequantizeLinear (%2, %4) axis:int=1\n%6: f32[1, 8, 2, 2] = Add (%5, %3)\n",
         0},
        {"largest, clamped inside of its bytes",
         "%4: f32[1, 8, 2, 2] = MaxPool (%3) kernel_shape:ints=2,2 pads:ints=0,0,1,1\nconstant %5: f32[] = 1\n"
         "%6: f32[1, 8, 2, 2] = Relu (%4)\n",
         0},
        {"clamped by who knows what",
         "input %4: f32[]\n%5: f32[1, 8, 2, 2] = Add (%3, %3)\n%6: f32[1, 8, 2, 2] = Clip (%5, %4)\n", 0},
        {"and bytes that are known",
         "constant %4: u8[1, 8, 2, 2]\n%5: f32[1, 8, 2, 2] = DequantizeLinear (%4, %0, %1)\n"
         "%6: f32[1, 8, 2, 2] = Add (%3, %5)\n",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        expect(cases[i].name,
               units_of(&unit,
                        "input %%2: u8[1, 8, 2, 2]\n%%3: f32[1, 8, 2, 2] = DequantizeLinear (%%2, %%0, %%1)\n%s"
                        "%%7: u8[1, 8, 2, 2] = QuantizeLinear (%%6, %%0, %%1)\noutput %%7\n",
                        cases[i].lines),
               cases[i].units);
    }
}

/* Two lists that make a table, every number of the one with every one of the other. */
static void sums_of_all_pairs(void **state) {
    (void)state;
    gali_hvx_unit unit;
    expect("[8] and [8, 1]",
           units_of(&unit,
                    "input %%2: u8[8]\ninput %%3: u8[8, 1]\n%%4: f32[8] = DequantizeLinear (%%2, %%0, %%1)\n"
                    "%%5: f32[8, 1] = DequantizeLinear (%%3, %%0, %%1)\n%%6: f32[8, 8] = Add (%%4, %%5)\n"
                    "%%7: u8[8, 8] = QuantizeLinear (%%6, %%0, %%1)\noutput %%7\n"),
           0);
}

/* Of a product, what clamps its real numbers: the byte of the lower end, and no unit where bytes end below 255. */
static void clamps(void **state) {
    (void)state;
    static const struct {
        const char *name, *lines;
        uint32_t units;
        int32_t least;
    } cases[] = {
        {"from 0 on", "%8: f32[1, 16] = Relu (%7)\n%9: f32[1, 16] = Relu (%8)\n", 1, 128},
        {"from -1 on", "%8: f32[1, 16] = Clip (%7, %6)\n%9: f32[1, 16] = Clip (%8, %6)\n", 1, 108},
        {"from 0 on, then from -1", "%8: f32[1, 16] = Relu (%7)\n%9: f32[1, 16] = Clip (%8, %6)\n", 1, 128},
        {"from -1 on, then from 0", "%8: f32[1, 16] = Clip (%7, %6)\n%9: f32[1, 16] = Relu (%8)\n", 1, 128},
        {"up to -1", "%8: f32[1, 16] = Clip (%7, -, %6)\n%9: f32[1, 16] = Relu (%8)\n", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_hvx_unit unit;
        expect(cases[i].name,
               units_of(&unit,
                        "input %%2: u8[1, 16]\n%%3: f32[1, 16] = DequantizeLinear (%%2, %%0, %%1)\n"
                        "constant %%4: i8[16, 16]\n%%5: f32[16, 16] = DequantizeLinear (%%4, %%0)\n"
                        "constant %%6: f32[] = -1\n%%7: f32[1, 16] = MatMul (%%3, %%5)\n%s"
                        "%%10: u8[1, 16] = QuantizeLinear (%%9, %%0, %%1)\noutput %%10\n",
                        cases[i].lines),
               cases[i].units);
        assert_int_equal(unit.scaling.least, cases[i].least);
    }
}

/* 127 times 255 for each of so many inputs: sums that 32 bits hold, and more. */
static void sums_are_held_by_32_bits(void **state) {
    (void)state;
    static const char one[] =
        "input %%2: u8[1, %u]\n%%3: f32[1, %u] = DequantizeLinear (%%2, %%0, %%1)\n"
        "constant %%4: u8[%u, 1]\nconstant %%5: u8[] = 127\n"
        "%%6: f32[%u, 1] = DequantizeLinear (%%4, %%0, %%5)\n%%7: f32[1, 1] = MatMul (%%3, %%6)\n"
        "constant %%8: f32[] = 5000\n%%9: u8[1, 1] = QuantizeLinear (%%7, %%8, %%1)\noutput %%9\n";
    gali_hvx_unit unit;
    expect("30000", units_of(&unit, one, 30000, 30000, 30000, 30000), 1);
    expect("60000", units_of(&unit, one, 60000, 60000, 60000, 60000), 0);
    expect("70000, of which there is no list",
           units_of(&unit, "input %%2: u8[70000]\n%%3: f32[70000] = "
                           "DequantizeLinear (%%2, %%0, %%1)\n%%4: f32[70000] = "
                           "Tanh (%%3)\n%%5: u8[70000] = QuantizeLinear (%%4, "
                           "%%0, %%1)\noutput %%5\n"),
           0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions),
        cmocka_unit_test(weights),
        cmocka_unit_test(windows),
        cmocka_unit_test(dense_layers),
        cmocka_unit_test(others),
        cmocka_unit_test(clamps),
        cmocka_unit_test(sums_of_all_pairs),
        cmocka_unit_test(sums_are_held_by_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
