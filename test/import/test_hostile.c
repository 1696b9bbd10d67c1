/*
 * ONNX files that are made to cost: many nodes, many sizes, shapes past every number, cycles, bodies in bodies, constants
 * that are large when they are computed. Each is read and inferred, and made a program or refused with a message, within the
 * limits of memory and work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/program/program.h"
#include "import/onnx/file.h"
#include "onnx_bytes.h"

static void put_vector(bytes *graph, unsigned field, const char *name, const char *size) {
    put_port(graph, field, name, 1, (const char *const[1]){size});
}

static void put_op(bytes *graph, const char *op, const char *a, const char *b, const char *result) {
    put_node(graph, op, (const char *const[3]){a, b, NULL}, result, NULL, 0);
}

/* Reads the graph and, where it is to be made a program, goes on up to loops. The first message of refusal, or "". */
static const char *take(bytes *graph, int program_too) {
    static gal_error error;
    gali_onnx_file *file = NULL;
    gali_arena arena = {0};
    gali_graph *read;
    gali_program *program;
    bytes model = make_model(graph, 17);
    error = (gal_error){0};
    gal_status status =
        gali_onnx_open(&file, &(gali_onnx_bytes){.data = model.data, .size = model.size}, &error);
    status = status == GAL_OK ? gali_onnx_graph(&read, file, NULL, &arena, &error) : status;
    int good = status == GAL_OK;
    status = good && program_too ? gali_program_make(&program, read, &arena, &error) : status;
    good = status == GAL_OK && program_too;
    status = good ? gali_program_for_cpu(program, 0, &error) : status;
    assert_true(status == GAL_OK || error.message[0]);
    gali_arena_release(&arena);
    gali_onnx_close(file);
    free(model.data);
    return status == GAL_OK ? "" : error.message;
}

static const char *compile(bytes *graph) {
    return take(graph, 1);
}

static void expect_refusal(const char *message, const char *part) {
    if (!strstr(message, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, message);
    }
}

/* x -> Relu -> Relu ... */
static bytes chain(uint32_t nodes) {
    bytes graph = {0};
    char from[32] = "x", to[32];
    for (uint32_t i = 0; i < nodes; i++) {
        snprintf(to, sizeof to, i + 1 == nodes ? "y" : "v%u", i);
        put_op(&graph, "Relu", from, NULL, to);
        memcpy(from, to, sizeof from);
    }
    put_vector(&graph, 11, "x", "n");
    put_vector(&graph, 12, "y", "n");
    return graph;
}

/* A program of a chain takes time with the square of its length: what is fused into one stage is gone through for each. */
static void many_nodes(void **state) {
    (void)state;
    bytes graph = chain(100000);
    assert_string_equal(take(&graph, 0), "");
    graph = chain(200001);
    expect_refusal(take(&graph, 0), "nodes");
    graph = chain(1000);
    assert_string_equal(compile(&graph), "");
}

/* Each input has a size of its own. */
static void many_sizes(void **state) {
    (void)state;
    bytes graph = {0};
    char x[32], y[32], size[32];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(x, sizeof x, "x%u", i);
        snprintf(y, sizeof y, "y%u", i);
        snprintf(size, sizeof size, "n%u", i);
        put_op(&graph, "Relu", x, NULL, y);
        put_vector(&graph, 11, x, size);
        put_vector(&graph, 12, y, size);
    }
    compile(&graph);
}

static void cycles(void **state) {
    (void)state;
    bytes graph = {0};
    put_op(&graph, "Add", "x", "b", "a");
    put_op(&graph, "Relu", "a", NULL, "b");
    put_vector(&graph, 11, "x", "n");
    put_vector(&graph, 12, "b", "n");
    expect_refusal(compile(&graph), "\"b\"");
}

static void ranks(void **state) {
    (void)state;
    static const char *const dimensions[9] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (int rank = 8; rank <= 9; rank++) {
        bytes graph = {0};
        put_op(&graph, "Relu", "x", NULL, "y");
        put_port(&graph, 11, "x", rank, dimensions);
        put_port(&graph, 12, "y", rank, dimensions);
        const char *message = compile(&graph);
        if (rank == 9) {
            expect_refusal(message, "x");
        }
    }
}

/* -1 for an open size, as other formats have it. */
static void a_dimension_that_is_no_size(void **state) {
    (void)state;
    static const char *const dimensions[2] = {"3", "18446744073709551615"};
    bytes graph = {0};
    put_op(&graph, "Relu", "x", NULL, "y");
    put_port(&graph, 11, "x", 2, dimensions);
    put_port(&graph, 12, "y", 2, dimensions);
    expect_refusal(compile(&graph), "input \"x\": dimension 1 is -1, expected");
}

/* Doubled again and again: 2^70 elements. */
static void sizes_past_every_number(void **state) {
    (void)state;
    bytes graph = {0};
    char from[32] = "x", to[32];
    for (int i = 0; i < 70; i++) {
        snprintf(to, sizeof to, i == 69 ? "y" : "v%d", i);
        put_node(&graph, "Concat", (const char *const[3]){from, from, NULL}, to, "axis", 0);
        memcpy(from, to, sizeof from);
    }
    put_vector(&graph, 11, "x", "n");
    put_vector(&graph, 12, "y", "m");
    assert_string_not_equal(compile(&graph), "");
    graph = (bytes){0};
    put_op(&graph, "Relu", "x", NULL, "y");
    put_port(&graph, 11, "x", 3, (const char *const[3]){"4611686018427387904", "4611686018427387904", "16"});
    put_vector(&graph, 12, "y", "m");
    assert_string_not_equal(compile(&graph), "");
}

/* A constant of 2^40 elements that is computed, and the sum of it. */
static void constants_that_grow(void **state) {
    (void)state;
    bytes graph = {0};
    const int64_t shape[1] = {(int64_t)1 << 40}, one[1] = {1};
    put_tensor(&graph, "shape", 7, one, 1, shape, sizeof shape);
    put_op(&graph, "ConstantOfShape", "shape", NULL, "large");
    put_op(&graph, "ReduceSum", "large", NULL, "sum");
    put_op(&graph, "Add", "x", "sum", "y");
    put_vector(&graph, 11, "x", "n");
    put_vector(&graph, 12, "y", "n");
    assert_string_not_equal(compile(&graph), "");
}

/* An If whose branches are Ifs whose branches ... */
static bytes nested(int depth) {
    bytes body = {0};
    put_op(&body, "Relu", "x", NULL, "inner");
    put_vector(&body, 12, "inner", "n");
    for (int i = 0; i < depth; i++) {
        bytes node = {0}, outer = {0};
        put_text(&node, 1, "choose");
        put_text(&node, 2, "inner");
        put_text(&node, 4, "If");
        for (int branch = 0; branch < 2; branch++) {
            bytes attribute = {0};
            put_text(&attribute, 1, branch ? "else_branch" : "then_branch");
            if (branch) { /* the other one is flat, or the file would double with each */
                bytes flat = {0};
                put_op(&flat, "Neg", "x", NULL, "inner");
                put_vector(&flat, 12, "inner", "n");
                put_message(&attribute, 6, &flat);
            } else {
                put_message(&attribute, 6, &body);
            }
            put_number(&attribute, 20, 5);
            put_message(&node, 5, &attribute);
        }
        put_message(&outer, 1, &node);
        put_vector(&outer, 12, "inner", "n");
        body = outer;
    }
    put_vector(&body, 11, "x", "n");
    bytes value = {0}, type = {0}, tensor = {0}, shape = {0};
    put_number(&tensor, 1, 9);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&value, 1, "choose");
    put_message(&value, 2, &type);
    put_message(&body, 11, &value);
    return body;
}

static void bodies_in_bodies(void **state) {
    (void)state;
    for (int depth = 1; depth <= 4096; depth *= 4) {
        bytes graph = nested(depth);
        const char *message = compile(&graph);
        if (depth == 1) {
            assert_string_equal(message, "");
        } else if (depth >= 64) {
            assert_string_not_equal(message, "");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_nodes),
        cmocka_unit_test(many_sizes),
        cmocka_unit_test(cycles),
        cmocka_unit_test(ranks),
        cmocka_unit_test(a_dimension_that_is_no_size),
        cmocka_unit_test(sizes_past_every_number),
        cmocka_unit_test(constants_that_grow),
        cmocka_unit_test(bodies_in_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
