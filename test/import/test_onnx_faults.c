/* Graphs of ONNX that are wrong in a type, a body, a list or an attribute: each is refused with the node and a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/graph.h"
#include "import/onnx/file.h"
#include "onnx_bytes.h"

enum { FLOAT = 1, INT64 = 7, STRING = 8 };

static const char *const none[3];

/* What reading the graph says, of which these words are a part; NULL: it is read. The graph is freed. */
static void expect_of(bytes *graph, uint64_t opset, const char *words) {
    bytes file = make_model(graph, opset);
    const gali_onnx_bytes all = {file.data, NULL, file.size, 0};
    gali_onnx_file *opened;
    gali_arena arena = {0};
    gali_graph *read;
    gal_error error = {0};
    assert_int_equal(gali_onnx_open(&opened, &all, &error), GAL_OK);
    gal_status status = gali_onnx_graph(&read, opened, NULL, &arena, &error);
    if (words ? status == GAL_OK || !strstr(error.message, words) : status != GAL_OK) {
        fail_msg("status %d, \"%s\", expected \"%s\"", status, error.message, words ? words : "");
    }
    gali_arena_release(&arena);
    gali_onnx_close(opened);
    free(file.data);
}

static void expect(bytes *graph, const char *words) {
    expect_of(graph, 17, words);
}

/* x[2, 3], a list "q" of its rows, one "pairs" of which nobody knows how long it is, and one "empty". */
static bytes graph_of_lists(void) {
    static const int64_t one[] = {1}, two[] = {2};
    bytes graph = {0};
    put_port(&graph, 11, "x", 2, (const char *const[]){"rows", "3"});
    put_tensor(&graph, "parts", INT64, two, 1, (const int64_t[]){1, 1}, 16);
    put_tensor(&graph, "two", INT64, NULL, 0, two, sizeof two);
    put_tensor(&graph, "one", INT64, NULL, 0, one, sizeof one);
    put_tensor(&graph, "no_parts", INT64, (const int64_t[]){0}, 1, NULL, 0);
    put_node(&graph, "SplitToSequence", (const char *const[3]){"x", "parts"}, "q", NULL, 0);
    put_node(&graph, "SplitToSequence", (const char *const[3]){"x", "two"}, "pairs", NULL, 0);
    put_node(&graph, "SequenceEmpty", none, "empty", NULL, 0);
    return graph;
}

static void wrong_lists_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *op, *inputs[3], *output, *words;
    } cases[] = {
        {"SplitToSequence", {"", "parts"}, "y", "nothing to cut"},
        {"SplitToSequence", {"x", "no_parts"}, "y", "a sequence of no parts"},
        {"SequenceErase", {"empty"}, "y", "nothing to take out or to put in"},
        {"SequenceInsert", {"q", ""}, "y", "nothing to take out or to put in"},
        {"SequenceErase", {"pairs"}, "y", "a sequence of which the length is not known before it runs"},
        {"ConcatFromSequence", {"empty"}, "y", "a sequence that is empty"},
        {"ConcatFromSequence", {NULL}, "y", "a sequence and one result expected"},
        {"SequenceLength", {"pairs"}, "y", "the length of a sequence that is not known before it runs"},
        {"SequenceErase", {"q"}, "q", "\"q\" is made twice"},
        {"SequenceErase", {"q"}, "one", "\"one\" is made twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes graph = graph_of_lists();
        put_node(&graph, cases[i].op, cases[i].inputs, cases[i].output, "axis", 0);
        expect(&graph, cases[i].words);
    }
}

/* An input of a type of one field: 1 a tensor of that many as its elements, 4 a sequence; 0 none. */
static bytes graph_of_input(unsigned field, uint64_t elements) {
    bytes graph = {0}, value = {0}, type = {0}, inner = {0};
    put_text(&value, 1, "x");
    if (field == 1) {
        put_number(&inner, 1, elements);
    }
    if (field) {
        put_message(&type, field, &inner);
        put_message(&value, 2, &type);
    }
    put_message(&graph, 11, &value);
    return graph;
}

static void wrong_types_are_refused(void **state) {
    (void)state;
    bytes graph = graph_of_input(0, 0), sparse = {0};
    expect(&graph, "input \"x\": not a tensor");
    graph = graph_of_input(4, 0);
    expect(&graph, "input \"x\": not a tensor");
    graph = graph_of_input(1, STRING);
    expect(&graph, "input \"x\": elements of type STRING are not supported");
    graph = graph_of_input(1, 9999);
    expect(&graph, "input \"x\": elements of type");
    graph = graph_of_input(1, FLOAT);
    put_number(&sparse, 3, 4);
    put_message(&graph, 15, &sparse);
    expect(&graph, "sparse constants are not supported");
    graph = (bytes){0};
    put_port(&graph, 11, "x", 9, (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h", "i"});
    expect(&graph, "input \"x\": rank 9, 8 is the most");
    const int64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float number = 1;
    graph = graph_of_input(1, FLOAT);
    put_tensor(&graph, "W", FLOAT, ones, 9, &number, sizeof number);
    expect(&graph, "constant \"W\": rank 9, 8 is the most");
}

/* A node with an attribute that is a graph (freed), or NULL. */
static void put_with_body(bytes *graph, const char *op, const char *input, const char *attribute, bytes *body) {
    bytes node = {0}, a = {0};
    if (input) {
        put_text(&node, 1, input);
    }
    put_text(&node, 2, "y");
    put_text(&node, 4, op);
    if (body) {
        put_text(&a, 1, attribute);
        put_message(&a, 6, body);
        put_number(&a, 20, 5);
        put_message(&node, 5, &a);
    }
    put_message(graph, 1, &node);
}

static void wrong_bodies_are_refused(void **state) {
    (void)state;
    bytes graph = {0}, body = {0};
    put_with_body(&graph, "If", "x", NULL, NULL);
    expect(&graph, "nothing before it makes \"x\"");
    graph = graph_of_input(1, FLOAT);
    put_with_body(&graph, "If", "x", NULL, NULL);
    expect(&graph, "its body is missing");
    graph = graph_of_input(1, FLOAT);
    put_with_body(&graph, "Loop", NULL, NULL, NULL);
    expect(&graph, "its body is missing");
    graph = graph_of_input(1, FLOAT);
    put_with_body(&graph, "Scan", "x", "body", &body); /* of how many it scans nothing is said */
    expect(&graph, "fewer operands than its attributes say");
}

/* A node of an attribute that is a word. */
static bytes graph_of_word(const char *op, const char *attribute) {
    bytes graph = graph_of_input(1, FLOAT), node = {0}, a = {0};
    put_text(&a, 1, attribute);
    put_text(&a, 4, "rows");
    put_number(&a, 20, 3);
    put_message(&node, 5, &a);
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, op);
    put_message(&graph, 1, &node);
    return graph;
}

/* A norm of x by itself, with the attribute 1. */
static bytes graph_of_norm(const char *attribute) {
    bytes graph = graph_of_input(1, FLOAT), node = {0}, a = {0};
    put_text(&a, 1, attribute);
    put_number(&a, 3, 1);
    put_number(&a, 20, 2);
    put_message(&node, 5, &a);
    for (int i = 0; i < 5; i++) {
        put_text(&node, 1, "x");
    }
    put_text(&node, 2, "y");
    put_text(&node, 4, "BatchNormalization");
    put_message(&graph, 1, &node);
    put_port(&graph, 12, "y", 0, NULL);
    return graph;
}

static void wrong_attributes_are_refused(void **state) {
    (void)state;
    bytes graph = graph_of_input(1, FLOAT), node = {0}, a = {0};
    put_text(&a, 1, "alpha");
    put_text(&a, 21, "of_the_function");
    put_number(&a, 20, 1);
    put_message(&node, 5, &a);
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Elu");
    put_message(&graph, 1, &node);
    expect(&graph, "an attribute without a name, or of a function");
    static const struct {
        const char *op, *inputs[3], *attribute;
        uint64_t opset;
        const char *words;
    } cases[] = {
        {"Constant", {NULL}, NULL, 17, "one value expected"},
        {"ConstantOfShape", {NULL}, NULL, 17, "one operand and a tensor expected"},
        {"ConstantOfShape", {"x"}, "value", 17, "one operand and a tensor expected"},
        {"Clip", {"x"}, "min", 9, "a number expected"},
        {"Upsample", {"x"}, NULL, 9, "two operands expected"},
        {"Softmax", {"x", "x"}, "axis", 9, "operand"},
        {"Scan", {"", "x"}, "num_scan_inputs", 8, "(Scan): opset 8's form, of batches, is not supported"},
        {"Scan", {"x"}, "num_scan_inputs", 9, "(Scan): its body is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        graph = graph_of_input(1, FLOAT);
        put_node(&graph, cases[i].op, cases[i].inputs, "y", cases[i].attribute, 1);
        expect_of(&graph, cases[i].opset, cases[i].words);
    }
    graph = graph_of_input(1, FLOAT); /* a mean for each place: 1, that of each channel, is the newest form's */
    put_node(&graph, "BatchNormalization", (const char *const[3]){"x"}, "y", "spatial", 0);
    expect_of(&graph, 8, "spatial=0 is not supported");
    graph = graph_of_norm("spatial");
    expect_of(&graph, 8, NULL);
    graph = graph_of_norm("spatial");
    expect_of(&graph, 9, "attribute \"spatial\" of kind int is not one of its operator's");
    graph = graph_of_word("Squeeze", "axes");
    expect_of(&graph, 9, "a list of whole numbers expected");
    graph = graph_of_word("Constant", "value_string");
    expect(&graph, "words are not supported");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(wrong_attributes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
