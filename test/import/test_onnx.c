/* ONNX files that are wrong, or ask for too much: each gets a message with the place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "graph/evaluate.h"
#include "import/onnx/file.h"
#include "onnx_bytes.h"
#include "recognise/model.h"
#include "sanitized.h"

enum { OPSET = 13 };

static const float weights[6] = {1, 2, 3, 4, 5, 6};
static const int64_t matrix[2] = {3, 2};

/* The file that weights may be in: two odd bytes and the weights. */
enum { NUMBERS_OFFSET = 2 };

static const unsigned char *numbers(void) {
    static unsigned char all[NUMBERS_OFFSET + sizeof weights] = {0xAB, 0xCD};
    memcpy(all + NUMBERS_OFFSET, weights, sizeof weights);
    return all;
}

/* Imports and frees the file; *model is of the image, which the caller frees, or the error is filled. */
static gal_status import_with(bytes *file, const void *external, void **image, size_t *size, gal_error *error) {
    gali_onnx_file *opened;
    gali_recognise_report report;
    gali_arena arena = {0};
    gali_graph *graph;
    *image = NULL;
    const gali_onnx_bytes bytes_of = {file->data, external, file->size,
                                      external ? NUMBERS_OFFSET + sizeof weights : 0};
    gal_status status = gali_onnx_open(&opened, &bytes_of, error);
    free(file->data);
    *file = (bytes){0};
    if (status == GAL_OK) {
        const gali_recognise_desc desc = {.source_size = gali_onnx_file_bytes(opened)};
        status = gali_onnx_graph(&graph, opened, NULL, &arena, error);
        status = status == GAL_OK ? gali_recognise_model(graph, &desc, image, size, &report, error) : status;
        gali_arena_release(&arena);
        gali_onnx_close(opened);
    }
    return status;
}

static gal_status import(bytes *file, void **image, size_t *size, gal_error *error) {
    return import_with(file, NULL, image, size, error);
}

static void expect_with(bytes *file, const void *external, const char *words) {
    void *image;
    size_t size = 0;
    gal_error error = {0};
    gal_status status = import_with(file, external, &image, &size, &error);
    gali_release(NULL, image, size);
    if (status == GAL_OK || !strstr(error.message, words)) {
        fail_msg("status %d, \"%s\", expected \"%s\"", status, error.message, words);
    }
}

static void expect(bytes *file, const char *words) {
    expect_with(file, NULL, words);
}

/* y = x W with what a test adds before the product. */
static bytes product_graph(void) {
    bytes graph = {0};
    put_port(&graph, 11, "x", 2, (const char *const[]){"batch", "3"});
    put_port(&graph, 12, "y", 2, (const char *const[]){"batch", "2"});
    return graph;
}

static void put_product(bytes *graph, const char *in, const char *out) {
    put_tensor(graph, "W", 1, matrix, 2, weights, sizeof weights);
    put_node(graph, "MatMul", (const char *const[3]){in, "W"}, out, NULL, 0);
}

static void a_small_network_is_imported(void **state) {
    (void)state;
    void *image;
    size_t size = 0;
    gal_error error = {0};
    gali_model model;
    bytes graph = product_graph();
    put_product(&graph, "x", "h");
    put_node(&graph, "Elu", (const char *const[3]){"h"}, "y", NULL, 0);
    bytes file = make_model(&graph, OPSET);
    gal_status status = import(&file, &image, &size, &error);
    if (status != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(gali_model_read(&model, image, size, NULL), GAL_OK);
    assert_int_equal(model.layer_count, 1);
    assert_int_equal(model.layers[0].activation, GALI_ACTIVATION_ELU);
    for (size_t n = 0; n < 2; n++) {
        for (size_t k = 0; k < 3; k++) {
            assert_true(gali_model_weight(&model.layers[0], 3 * n + k) >= weights[2 * k + n]);
            assert_true(gali_model_weight(&model.layers[0], 3 * n + k) <= weights[2 * k + n]);
        }
    }
    gali_release(NULL, image, size);
}

/* y = softmax(x W), unsqueezed and squeezed on the way, in each opset's words. */
static void every_opset_is_imported(void **state) {
    (void)state;
    for (unsigned opset = 7; opset <= 25; opset++) {
        void *image;
        size_t size = 0;
        gal_error error = {0};
        gali_model model;
        bytes graph = product_graph();
        const int64_t axis[1] = {1}, one[1] = {1};
        const char *const list = opset < 13 ? NULL : "axis"; /* an attribute before, an operand since */
        put_tensor(&graph, "axis", 7, one, 1, axis, sizeof axis);
        put_product(&graph, "x", "h");
        put_node(&graph, "Unsqueeze", (const char *const[3]){"h", list}, "u", list ? NULL : "axes", 1);
        put_node(&graph, "Squeeze", (const char *const[3]){"u", list}, "s", list ? NULL : "axes", 1);
        put_node(&graph, "Softmax", (const char *const[3]){"s"}, "y", "axis", 1);
        bytes file = make_model(&graph, opset);
        if (import(&file, &image, &size, &error) != GAL_OK) {
            fail_msg("opset %u: %s", opset, error.message);
        }
        assert_int_equal(gali_model_read(&model, image, size, NULL), GAL_OK);
        assert_int_equal(model.layer_count, 1);
        assert_int_equal(model.layers[0].activation, GALI_ACTIVATION_SOFTMAX);
        gali_release(NULL, image, size);
    }
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    bytes file = {0}, graph = product_graph();
    expect(&file, "an empty file");
    put(&file, "gallop is no protocol buffer", 28);
    expect(&file, "not an ONNX file");
    put_number(&file, 1, 8);
    expect(&file, "no graph in the file");
    put_text(&file, 7, "x");
    expect(&file, "not an ONNX file");
    put_product(&graph, "x", "y");
    file = make_model(&graph, 26);
    expect(&file,
           "opset 26, 7..25 expected: onnx.version_converter.convert_version brings a model to one of them");
    graph = product_graph();
    put_product(&graph, "x", "y");
    file = make_model(&graph, 6);
    expect(&file,
           "opset 6, 7..25 expected: onnx.version_converter.convert_version brings a model to one of them");
}

static void wrong_graphs_are_refused(void **state) {
    (void)state;
    bytes graph = product_graph(), file;
    put_product(&graph, "z", "y");
    file = make_model(&graph, OPSET);
    expect(&file, "node 0 \"y\" (MatMul): nothing before it makes \"z\"");
    graph = product_graph();
    put_product(&graph, "x", "x");
    file = make_model(&graph, OPSET);
    expect(&file, "\"x\" is made twice");
    graph = product_graph();
    put_product(&graph, "x", "z");
    file = make_model(&graph, OPSET);
    expect(&file, "output \"y\": nothing makes it");
    graph = product_graph();
    put_node(&graph, "Lo\nop", (const char *const[3]){"x"}, "y", NULL, 0);
    file = make_model(&graph, OPSET);
    expect(&file, "node 0 \"y\" (Lo?op): this operator is not supported");
    graph = product_graph();
    put_node(&graph, "region", (const char *const[3]){"x"}, "y", NULL,
             0); /* for targets' own functions alone */
    file = make_model(&graph, OPSET);
    expect(&file, "node 0 \"y\" (region): this operator is not supported");
    graph = product_graph();
    put_tensor(&graph, "W", 1, (const int64_t[]){2, 3}, 2, weights, sizeof weights);
    put_node(&graph, "MatMul", (const char *const[3]){"x", "W"}, "y", NULL, 0);
    file = make_model(&graph, OPSET);
    expect(&file, "node 0 \"y\" (MatMul): inner extents 3 and 2 differ");
}

/* A file of other operators than ONNX's own imports no opset that could be wrong: the node is what is refused. */
static void other_domains_are_named(void **state) {
    (void)state;
    for (int foreign = 0; foreign < 2; foreign++) {
        bytes graph = product_graph(), node = {0}, model = {0}, import = {0};
        put_text(&node, 1, "x");
        put_text(&node, 2, "y");
        put_text(&node, 4, "Scaler");
        put_text(&node, 7, foreign ? "ai.onnx.ml" : "");
        put_message(&graph, 1, &node);
        put_number(&model, 1, 8);
        put_message(&model, 7, &graph);
        put_text(&import, 1, "ai.onnx.ml");
        put_number(&import, 2, 3);
        put_message(&model, 8, &import);
        expect(&model, foreign ? "node 0 \"\" (Scaler): operators of \"ai.onnx.ml\" are not supported"
                               : "node 0 \"\" (Scaler): the file imports no opset of ONNX's own operators");
    }
}

static void wrong_constants_are_refused(void **state) {
    (void)state;
    static const struct {
        int64_t dims[2];
        unsigned type;
        size_t size;
        const char *words;
    } wrong[] = {
        {{3, 2}, 1, 20, "constant \"W\": 20 bytes of numbers, its shape asks for 24"},
        {{-3, 2}, 1, 24, "constant \"W\": dimension 0 is -3"},
        {{INT64_MAX, 2}, 1, 24, "constant \"W\": dimension 0 is 9223372036854775807"},
        {{1 << 20, 1 << 21}, 1, 24, "constant \"W\": more than 10^12 numbers"},
        {{3, 2}, 8, 24, "constant \"W\": elements of type STRING are not supported"},
        {{3, 2}, 7, 24, "constant \"W\": 24 bytes of numbers, its shape asks for 48"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bytes graph = product_graph();
        put_tensor(&graph, "W", wrong[i].type, wrong[i].dims, 2, weights, wrong[i].size);
        put_node(&graph, "MatMul", (const char *const[3]){"x", "W"}, "y", NULL, 0);
        bytes file = make_model(&graph, OPSET);
        expect(&file, wrong[i].words);
    }
    const float infinite[6] = {1, 2, INFINITY, 4, 5, 6};
    bytes graph = product_graph();
    put_tensor(&graph, "W", 1, matrix, 2, infinite, sizeof infinite);
    put_node(&graph, "MatMul", (const char *const[3]){"x", "W"}, "y", NULL, 0);
    bytes file = make_model(&graph, OPSET);
    expect(&file, "constant \"W\": number 2 is not finite");
}

static void put_entry(bytes *tensor, const char *key, const char *value) {
    bytes entry = {0};
    if (value) {
        put_text(&entry, 1, key);
        put_text(&entry, 2, value);
        put_message(tensor, 13, &entry);
    }
}

/* A [3][2] constant whose numbers are in another file. */
static bytes external_tensor(const char *name, const char *location, const char *offset, const char *length) {
    bytes tensor = {0};
    put_number(&tensor, 1, 3);
    put_number(&tensor, 1, 2);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, name);
    put_entry(&tensor, "location", location);
    put_entry(&tensor, "offset", offset);
    put_entry(&tensor, "length", length);
    put_number(&tensor, 14, 1);
    return tensor;
}

static void put_external(bytes *graph, const char *name, const char *location, const char *offset,
                         const char *length) {
    bytes tensor = external_tensor(name, location, offset, length);
    put_message(graph, 5, &tensor);
}

/* A node that is such a constant: only initialisers may keep their numbers elsewhere. */
static bytes external_node(void) {
    bytes graph = product_graph(), node = {0}, value = {0}, tensor = external_tensor("W", "a", "2", NULL);
    put_text(&value, 1, "value");
    put_message(&value, 5, &tensor);
    put_number(&value, 20, 4);
    put_text(&node, 2, "W");
    put_text(&node, 4, "Constant");
    put_message(&node, 5, &value);
    put_message(&graph, 1, &node);
    put_node(&graph, "MatMul", (const char *const[3]){"x", "W"}, "y", NULL, 0);
    return make_model(&graph, OPSET);
}

/* y = x W with W's numbers in another file, and such a constant beside it; NULL: the entry is left out. */
static bytes external_product(const char *location, const char *offset, const char *length, const char *other) {
    bytes graph = product_graph();
    put_external(&graph, "W", location, offset, length);
    if (other) {
        put_external(&graph, "V", other, "0", "24");
    }
    put_node(&graph, "MatMul", (const char *const[3]){"x", "W"}, "y", NULL, 0);
    return make_model(&graph, OPSET);
}

static void external_data_is_read(void **state) {
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        bytes file = external_product("a", "2", whole ? NULL : "24", whole ? NULL : "a");
        void *image;
        size_t size = 0;
        gal_error error = {0};
        gali_model model;
        if (import_with(&file, numbers(), &image, &size, &error) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(gali_model_read(&model, image, size, NULL), GAL_OK);
        const float first = gali_model_weight(&model.layers[0], 0),
                    last = gali_model_weight(&model.layers[0], 5);
        assert_memory_equal(&first, &weights[0], sizeof first);
        assert_memory_equal(&last, &weights[5], sizeof last);
        gali_release(NULL, image, size);
    }
}

static void wrong_external_data_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *location, *offset, *length, *other, *words;
    } wrong[] = {
        {"a", "-1", NULL, NULL, "constant \"W\": offset \"-1\", a number of bytes expected"},
        {"a", "2", "1e3", NULL, "length \"1e3\", a number of bytes expected"},
        {"a", "2", "25", NULL, "constant \"W\": bytes from 2 of \"a\", which has 26"},
        {"a", "27", NULL, NULL, "bytes from 27 of \"a\", which has 26"},
        {"a", "99999999999999999999999999", "8", NULL, "of \"a\", which has 26"},
        {"a", NULL, NULL, NULL, "constant \"W\": 26 bytes of numbers, its shape asks for 24"},
        {"a", "2", NULL, "../b", "numbers in two other files, \"a\" and \"../b\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bytes file = external_product(wrong[i].location, wrong[i].offset, wrong[i].length, wrong[i].other);
        expect_with(&file, numbers(), wrong[i].words);
    }
    bytes file = external_product("../../etc/passwd", NULL, NULL, NULL), graph = product_graph();
    expect(&file, "constant \"W\": its numbers are in another file, \"../../etc/passwd\"");
    put_product(&graph, "x", "y");
    file = make_model(&graph, OPSET);
    expect_with(&file, numbers(), "no other file expected");
    file = external_node();
    expect(&file, "its numbers are in another file");
}

/* PyTorch's newer exporter picks columns by Transpose, GatherND, Transpose. y = the columns `picked` of x, times 2x2. */
static bytes picked_columns(const int64_t *picked, const int64_t *dims) {
    static const int64_t square[2] = {2, 2};
    bytes graph = product_graph();
    put_tensor(&graph, "i", 7, dims, 2, picked, (size_t)(dims[0] * dims[1]) * sizeof *picked);
    put_tensor(&graph, "W", 1, square, 2, weights, 4 * sizeof *weights);
    put_node(&graph, "Transpose", (const char *const[3]){"x"}, "t", NULL, 0);
    put_node(&graph, "GatherND", (const char *const[3]){"t", "i"}, "g", NULL, 0);
    put_node(&graph, "Transpose", (const char *const[3]){"g"}, "p", NULL, 0);
    put_node(&graph, "MatMul", (const char *const[3]){"p", "W"}, "y", NULL, 0);
    return make_model(&graph, OPSET);
}

static void columns_are_picked(void **state) {
    (void)state;
    const int64_t picked[2] = {2, -3}, dims[2] = {2, 1}; /* the last and the first */
    static const float expected[4] = {
        3, 1, 4, 2}; /* [output][input], the first and the last: the layer reads them alone */
    bytes file = picked_columns(picked, dims);
    void *image;
    size_t size = 0;
    gal_error error = {0};
    gali_model model;
    if (import(&file, &image, &size, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(gali_model_read(&model, image, size, NULL), GAL_OK);
    for (size_t i = 0; i < 4; i++) {
        const float weight = gali_model_weight(&model.layers[0], i);
        assert_memory_equal(&weight, &expected[i], sizeof weight);
    }
    gali_release(NULL, image, size);
    const int64_t beyond[2] = {3, 0}, deep[2] = {1, 3}, three[3] = {0, 0, 0}, pair[2] = {1, 2},
                  corner[2] = {2, 0};
    file = picked_columns(beyond, dims);
    expect(&file, "index 3 of 3");
    file = picked_columns(three, deep);
    expect(&file, "node 1 \"g\" (GatherND): lists of 3 indices for 2 axes");
    file = picked_columns(corner, pair); /* one number: what follows cannot be a network, and says so */
    expect(&file, "node ");
}

/* Sequences of sequences: each level is a message in a message, and protobuf-c recurses. */
static void deep_nesting_is_refused(void **state) {
    (void)state;
    bytes type = {0};
    for (int i = 0; i < 20000; i++) {
        bytes sequence = {0}, outer = {0};
        put_message(&sequence, 1, &type);
        put_message(&outer, 4, &sequence);
        type = outer;
        if (type.size > 40000) {
            break;
        }
    }
    bytes value = {0}, graph = product_graph();
    put_text(&value, 1, "deep");
    put_message(&value, 2, &type);
    put_message(&graph, 13, &value);
    bytes file = make_model(&graph, OPSET);
    expect(&file, "messages nested too deep");
}

/* Two bytes on the wire each, over a hundred in memory. */
static void many_small_messages_are_refused(void **state) {
    (void)state;
    bytes graph = product_graph();
    for (int i = 0; i < 900000; i++) {
        put_block(&graph, 1, "", 0);
    }
    bytes file = make_model(&graph, OPSET);
    expect(&file, "memory");
}

/* A few bytes that ask for much: a product of constants of that size. */
static bytes large_product(int64_t size) {
    const int64_t shape[2] = {size, size}, two[1] = {2};
    bytes graph = product_graph();
    put_tensor(&graph, "s", 7, two, 1, shape, sizeof shape);
    put_node(&graph, "ConstantOfShape", (const char *const[3]){"s"}, "zeros", NULL, 0);
    put_node(&graph, "Exp", (const char *const[3]){"zeros"}, "ones", NULL, 0);
    put_node(&graph, "MatMul", (const char *const[3]){"ones", "ones"}, "many", NULL, 0);
    put_node(&graph, "ReduceSum", (const char *const[3]){"many"}, "sum", NULL, 0);
    put_node(&graph, "Mul", (const char *const[3]){"x", "sum"}, "scaled", NULL, 0);
    put_product(&graph, "scaled", "y");
    return make_model(&graph, OPSET);
}

static void large_work_is_refused(void **state) {
    (void)state;
    bytes file = large_product(20000);
    expect(&file, "no memory to evaluate the graph");
    file = large_product(1500);
    expect(&file, "the graph asks for more arithmetic than a file of its size may");
}

/* ---- sequences ---- */

/* Nodes whose list of columns of x[batch, 3] is "q", and the constants that name elements. */
static bytes split_graph(void) {
    static const int64_t shapes[] = {2}, parts[] = {1, 2}, zero[] = {0}, last[] = {-1};
    bytes graph = product_graph();
    put_tensor(&graph, "parts", 7, shapes, 1, parts, sizeof parts);
    put_tensor(&graph, "zero", 7, NULL, 0, zero, sizeof zero);
    put_tensor(&graph, "last", 7, NULL, 0, last, sizeof last);
    put_node(&graph, "SplitToSequence", (const char *const[3]){"x", "parts"}, "q", "axis", 1);
    return graph;
}

/* Taken apart, put into another list the other way round, joined, cut into rows, the last of them. */
static void sequences_vanish(void **state) {
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6};
    const double expected[] = {5, 6, 4};
    bytes graph = split_graph();
    put_node(&graph, "SequenceAt", (const char *const[3]){"q", "last"}, "right", NULL, 0);
    put_node(&graph, "SequenceAt", (const char *const[3]){"q", "zero"}, "left", NULL, 0);
    put_node(&graph, "SequenceEmpty", (const char *const[3]){NULL}, "none", NULL, 0);
    put_node(&graph, "SequenceInsert", (const char *const[3]){"none", "left"}, "one", NULL, 0);
    put_node(&graph, "SequenceInsert", (const char *const[3]){"one", "right", "zero"}, "two", NULL, 0);
    put_node(&graph, "ConcatFromSequence", (const char *const[3]){"two"}, "turned", "axis", 1);
    put_node(&graph, "SplitToSequence", (const char *const[3]){"turned"}, "rows", NULL, 0);
    put_node(&graph, "SequenceAt", (const char *const[3]){"rows", "last"}, "y", NULL, 0);
    bytes file = make_model(&graph, OPSET);
    const gali_onnx_bytes all = {file.data, NULL, file.size, 0};
    gali_onnx_file *opened;
    gali_arena arena = {0};
    gali_graph *read;
    gal_error error = {0};
    gali_run run = {.memory_left = 1 << 20, .work_left = 1e6, .error = &error};
    gali_tensor input = {.element = GALI_f32, .rank = 2, .shape = {2, 3}, .count = 6, .real = x},
                y = {.count = 0};
    assert_int_equal(gali_onnx_open(&opened, &all, &error), GAL_OK);
    if (gali_onnx_graph(&read, opened, NULL, &arena, &error) != GAL_OK ||
        gali_graph_evaluate(&run, read, &input, &y) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(y.count, 3);
    assert_memory_equal(y.real, expected, sizeof expected);
    gali_tensor_release(&run, &y);
    gali_arena_release(&arena);
    gali_onnx_close(opened);
    free(file.data);
}

static void unknown_sequences_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *op, *inputs[3], *words;
    } cases[] = {
        {"Relu", {"q"}, "node 2 \"y\" (Relu): \"q\" is a sequence"},
        {"SequenceAt", {"x", "zero"}, "a tensor where a sequence is expected"},
        {"SequenceInsert", {"q", "q"}, "a sequence where a tensor is expected"},
        {"SequenceAt", {"q", "parts2"}, "there is no such element"},
        {"SequenceAt", {"q", "x"}, "only a constant number is supported"},
        {"SequenceAt", {"q", "nothing"}, "only a constant number is supported"},
        {"SequenceErase", {"q", "parts"}, "only a constant number is supported"},
        {"SequenceAt", {"pairs", "far"}, "of which the length is not known"},
        {"SplitToSequence", {"x", "x"}, "only constants are supported"},
        {"SequenceEmpty", {NULL}, "output \"y\" is a sequence"},
        {"SequenceMap", {"q"}, "\"q\" is a sequence"},
    };
    static const int64_t two[] = {2}, none[] = {0}, far[] = {INT64_MAX};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes graph = split_graph();
        put_tensor(&graph, "parts2", 7, NULL, 0, two, sizeof two);
        put_tensor(&graph, "nothing", 7, none, 1, NULL, 0);
        put_tensor(&graph, "far", 7, NULL, 0, far, sizeof far);
        put_node(&graph, "SplitToSequence", (const char *const[3]){"x", "parts2"}, "pairs", NULL, 0);
        put_node(&graph, cases[i].op, cases[i].inputs, "y", NULL, 0);
        bytes file = make_model(&graph, OPSET);
        expect(&file, cases[i].words);
    }
}

/* More than a stack would hold; under the address sanitizer, which takes minutes for it, fewer. */
enum { CHAIN = SANITIZED ? 1000 : 15000 };

static void a_chain_of_thousands_is_no_recursion(void **state) {
    (void)state;
    bytes graph = product_graph();
    char names[2][16] = {"x", ""};
    for (int i = 0; i < CHAIN; i++) {
        snprintf(names[(i + 1) % 2], sizeof names[0], "n%d", i);
        put_node(&graph, "Neg", (const char *const[3]){names[i % 2]}, names[(i + 1) % 2], NULL, 0);
    }
    put_product(&graph, names[0], "y");
    bytes file = make_model(&graph, OPSET);
    void *image;
    size_t size = 0;
    gal_error error = {0};
    gal_status status = import(&file, &image, &size, &error);
    assert_true(status == GAL_OK || error.message[0] != 0);
    gali_release(NULL, image, size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_network_is_imported),
        cmocka_unit_test(every_opset_is_imported),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(wrong_graphs_are_refused),
        cmocka_unit_test(other_domains_are_named),
        cmocka_unit_test(wrong_constants_are_refused),
        cmocka_unit_test(external_data_is_read),
        cmocka_unit_test(wrong_external_data_is_refused),
        cmocka_unit_test(columns_are_picked),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(many_small_messages_are_refused),
        cmocka_unit_test(large_work_is_refused),
        cmocka_unit_test(sequences_vanish),
        cmocka_unit_test(unknown_sequences_are_refused),
        cmocka_unit_test(a_chain_of_thousands_is_no_recursion),
    };
    gali_onnx_file *file;
    gal_error error = {0};
    if (gali_onnx_open(&file, &(gali_onnx_bytes){.data = ""}, &error) == GAL_UNSUPPORTED) {
        printf("%s\n", error.message);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
