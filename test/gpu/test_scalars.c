/*
 * Operations that are exact, of one or two numbers, on a device against their truth: all pairs of numbers at the ends of their
 * ranges, zeros with their signs. Skipped where there is no OpenCL device.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "any_device.h"
#include "gpu/run.h"
#include "graph/evaluate.h"

enum { VALUES = 10, PAIRS = VALUES * VALUES };

static const struct {
    const char *element,
        *operations; /* of two operands, then, behind "|", of one; an attribute behind the name */
} cases[] = {
    {"i64", "Div Mod Mod:fmod:int=1 Min Max Pow Add Sub Mul|Abs Neg Sign"},
    {"i32", "Div Mod Mod:fmod:int=1 Min Max Mul|Abs Neg Sign"},
    {"u64", "Div Mod Min Max Mul BitShift:direction:word=\"LEFT\" BitShift:direction:word=\"RIGHT\"|"},
    {"f32", "Mod:fmod:int=1 Min Max Sub|Abs Neg Sign Floor Ceil Round"},
};

static const int64_t whole[VALUES] = {0, 1, -1, 2, -3, 7, INT64_MAX, INT64_MIN, INT64_MIN + 1, 62};
static const double real[VALUES] = {0.0, -0.0, 1.5, -2.5, 0.5, -0.5, 1e30, -7, INFINITY, -1};

/* A graph of one operation: its text's name, an attribute of it or "". */
static void make_graph(gali_graph **graph, gali_arena *arena, const char *element, const char *name,
                       size_t size, int operands) {
    char text[400], operation[40] = "";
    const char *attribute = memchr(name, ':', size);
    const size_t letters = attribute ? (size_t)(attribute - name) : size;
    gal_error error = {0};
    snprintf(operation, sizeof operation, "%.*s", (int)letters, name);
    snprintf(text, sizeof text,
             "input %%0 \"a\": %s[%d]\ninput %%1 \"b\": %s[%d]\n%%2: %s[%d] = %s (%%0%s) %.*s\noutput %%2\n",
             element, PAIRS, element, PAIRS, element, PAIRS, operation, operands > 1 ? ", %1" : "",
             attribute ? (int)(size - letters - 1) : 0, attribute ? attribute + 1 : "");
    if (gali_graph_parse(graph, text, strlen(text), arena, &error) != GAL_OK ||
        gali_graph_infer(*graph, &error) != GAL_OK) {
        fail_msg("%s\n%s", error.message, text);
    }
}

/* The numbers as the element has them: those that it lacks are cut, in the truth's operand, too. */
static void fill(gali_tensor *tensor, gali_element element, int second, unsigned char *bytes) {
    const size_t each = gali_element_list[element].bytes;
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t k = second ? i / VALUES : i % VALUES;
        gali_element_store(element, real[k], whole[k], bytes + i * each);
        gali_value v = {.type = {.element = element, .rank = 1, .shape = {PAIRS}}, .data = bytes};
        if (tensor->real) {
            tensor->real[i] = gali_constant_real(&v, i);
        } else {
            tensor->whole[i] = gali_constant_whole(&v, i);
        }
    }
}

static void run_there(const gali_graph *graph, gali_arena *arena, unsigned char in[2][PAIRS * sizeof(int64_t)],
                      unsigned char *out) {
    gali_program *program;
    gali_gpu_run run;
    gal_error error = {0};
    const int64_t most[1] = {1};
    const size_t bytes = PAIRS * gali_element_list[graph->values[graph->inputs[0]].type.element].bytes;
    if (gali_program_make(&program, graph, arena, &error) != GAL_OK ||
        gali_program_for_device(program, &error) != GAL_OK ||
        gali_gpu_start(&run, program, 0, most, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < 2; i++) {
        gali_gpu_put(&run, graph->inputs[i], in[i], bytes);
    }
    gali_gpu_launch(&run, NULL);
    gali_gpu_get(&run, graph->outputs[0], out, bytes);
    if (gali_gpu_failure(&run, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_gpu_end(&run);
}

static int is_same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a <= b && a >= b && !signbit(a) == !signbit(b));
}

static void compare(const char *name, const gali_tensor *truth, const unsigned char *out) {
    const gali_value v = {.type = {.element = truth->element, .rank = 1, .shape = {PAIRS}}, .data = out};
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t a = i % VALUES, b = i / VALUES;
        if (truth->real && !is_same((double)(float)truth->real[i], gali_constant_real(&v, i))) {
            fail_msg("%s of %g and %g is %g, expected %g", name, real[a], real[b], gali_constant_real(&v, i),
                     truth->real[i]);
        }
        if (truth->whole && truth->whole[i] != gali_constant_whole(&v, i)) {
            fail_msg("%s of %" PRId64 " and %" PRId64 " is %" PRId64 ", expected %" PRId64, name, whole[a],
                     whole[b], gali_constant_whole(&v, i), truth->whole[i]);
        }
    }
}

static void expect_truth(const char *element, const char *name, size_t size, int operands) {
    gali_arena arena = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor in[2], truth;
    unsigned char bytes[2][PAIRS * sizeof(int64_t)], out[PAIRS * sizeof(int64_t)];
    const int64_t shape[] = {PAIRS};
    char label[48];
    make_graph(&graph, &arena, element, name, size, operands);
    const gali_element of = graph->values[graph->inputs[0]].type.element;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gali_tensor_make(&run, &in[i], of, 1, shape), GAL_OK);
        fill(&in[i], of, i, bytes[i]);
    }
    if (gali_graph_evaluate(&run, graph, in, &truth) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    run_there(graph, &arena, bytes, out);
    snprintf(label, sizeof label, "%s %.*s", element, (int)size, name);
    compare(label, &truth, out);
    for (int i = 0; i < 2; i++) {
        gali_tensor_release(&run, &in[i]);
    }
    gali_tensor_release(&run, &truth);
    gali_arena_release(&arena);
}

static void operations_are_their_truths(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int operands = 2;
        for (const char *at = cases[i].operations; *at;) {
            const size_t size = strcspn(at, " |");
            if (size) {
                expect_truth(cases[i].element, at, size, operands);
            }
            operands -= at[size] == '|';
            at += size + (at[size] != 0);
        }
    }
}

int main(void) {
    if (!device_is_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_are_their_truths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
