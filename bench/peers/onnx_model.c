/*
 * Protocol buffers by hand: a message is a run of fields, a field a tag (number * 8 + wire type) and a varint
 * or a length and bytes. A nested message is written into a buffer of its own first, since its length comes
 * before it. The numbers below are ONNX's field numbers.
 */
#include "onnx_model.h"

#include <stdio.h>
#include <string.h>

typedef struct buffer {
    unsigned char *bytes;
    size_t size, capacity;
} buffer;

enum { FLOAT_TYPE = 1, INT64_TYPE = 7, IR_VERSION = 8, OPSET = 17, NAME_MAX_BYTES = 32 };

static void put(buffer *b, const void *bytes, size_t size) {
    if (b->size + size > b->capacity) {
        const size_t capacity = 2 * (b->size + size) + 256;
        unsigned char *grown = bench_alloc(capacity);
        if (b->size) {
            memcpy(grown, b->bytes, b->size);
        }
        bench_free(b->bytes);
        b->bytes = grown;
        b->capacity = capacity;
    }
    if (size) {
        memcpy(b->bytes + b->size, bytes, size);
    }
    b->size += size;
}

static void put_varint(buffer *b, uint64_t value) {
    do {
        const unsigned char byte = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        put(b, &byte, 1);
        value >>= 7;
    } while (value);
}

static void put_number(buffer *b, unsigned field, uint64_t value) {
    put_varint(b, field * 8u);
    put_varint(b, value);
}

static void put_bytes(buffer *b, unsigned field, const void *bytes, size_t size) {
    put_varint(b, field * 8u + 2);
    put_varint(b, size);
    put(b, bytes, size);
}

static void put_text(buffer *b, unsigned field, const char *text) {
    put_bytes(b, field, text, strlen(text));
}

/* Writes a finished nested message and frees it. */
static void put_message(buffer *b, unsigned field, buffer *message) {
    put_bytes(b, field, message->bytes, message->size);
    bench_free(message->bytes);
    *message = (buffer){0};
}

/* NodeProto: up to two inputs, one output. */
static void put_node(buffer *graph, const char *op, const char *a, const char *b, const char *out) {
    buffer node = {0};
    put_text(&node, 1, a);
    if (b) {
        put_text(&node, 1, b);
    }
    put_text(&node, 2, out);
    put_text(&node, 4, op);
    put_message(graph, 1, &node);
}

/* TensorProto of one or two dimensions (0: only one). */
static void put_tensor(buffer *graph, const char *name, unsigned type, uint64_t rows, uint64_t columns,
                       const void *data, size_t size) {
    buffer tensor = {0};
    put_number(&tensor, 1, rows);
    if (columns) {
        put_number(&tensor, 1, columns);
    }
    put_number(&tensor, 2, type);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, data, size);
    put_message(graph, 5, &tensor);
}

/* ValueInfoProto: float [C][width]. */
static void put_value(buffer *graph, unsigned field, const char *name, uint64_t width) {
    buffer value = {0}, type = {0}, tensor = {0}, shape = {0}, free_dim = {0}, fixed_dim = {0};
    put_text(&free_dim, 2, "C");
    put_number(&fixed_dim, 1, width);
    put_message(&shape, 1, &free_dim);
    put_message(&shape, 1, &fixed_dim);
    put_number(&tensor, 1, FLOAT_TYPE);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

/* The layer's weights as [E K][N], or for wide as [K][E N]. */
static float *turned(const bench_layer *l, onnx_spelling spelling) {
    float *to = bench_alloc(sizeof(float) * l->experts * l->inputs * l->outputs);
    for (size_t e = 0; e < l->experts; e++) {
        for (size_t n = 0; n < l->outputs; n++) {
            for (size_t k = 0; k < l->inputs; k++) {
                const size_t row = spelling == ONNX_WIDE ? k * l->experts + e : e * l->inputs + k;
                to[row * l->outputs + n] = l->weights[(e * l->outputs + n) * l->inputs + k];
            }
        }
    }
    return to;
}

static void put_constants(buffer *graph, const bench_layer *l, onnx_spelling spelling, const char *weights,
                          const char *biases, const char *shape) {
    const uint64_t e = l->experts, k = l->inputs, n = l->outputs;
    const uint64_t rows = spelling == ONNX_EXPANDED ? e * k : spelling == ONNX_BLENDED ? e : k;
    const int64_t to[3] = {-1,
                           (int64_t)(spelling == ONNX_EXPANDED  ? e * k
                                     : spelling == ONNX_BLENDED ? k
                                                                : e),
                           (int64_t)n};
    float *turn = turned(l, spelling);
    put_tensor(graph, weights, FLOAT_TYPE, rows, e * k * n / rows, turn, sizeof(float) * e * k * n);
    put_tensor(graph, biases, FLOAT_TYPE, e, n, l->biases, sizeof(float) * e * n);
    put_tensor(graph, shape, INT64_TYPE, spelling == ONNX_EXPANDED ? 2 : 3, 0, to,
               (spelling == ONNX_EXPANDED ? 2 : 3) * sizeof *to);
    bench_free(turn);
}

/* Nodes and constants of layer i, from the value named in to the value named out. */
static void put_layer(buffer *graph, const bench_layer *l, onnx_spelling spelling, uint32_t i, const char *in,
                      const char *out) {
    char names[10][NAME_MAX_BYTES];
    static const char *const stems[10] = {"row", "part", "shaped", "product", "bias",
                                          "sum", "W",    "B",      "S",       "deep"};
    for (size_t j = 0; j < 10; j++) {
        snprintf(names[j], sizeof names[j], "%s%u", stems[j], i);
    }
    const char *row = names[0], *part = names[1], *shaped = names[2], *product = names[3];
    put_constants(graph, l, spelling, names[6], names[7], names[8]);
    if (spelling == ONNX_EXPANDED) {
        put_node(graph, "Unsqueeze", in, "one", row);
        put_node(graph, "Mul", "w_column", row, part);
        put_node(graph, "Reshape", part, names[8], shaped);
        put_node(graph, "MatMul", shaped, names[6], product);
    } else {
        put_node(graph, "MatMul", spelling == ONNX_BLENDED ? "w" : in, names[6], part);
        put_node(graph, "Reshape", part, names[8], shaped);
        put_node(graph, "Unsqueeze", spelling == ONNX_BLENDED ? in : "w", "one", row);
        put_node(graph, "MatMul", row, shaped, names[9]);
        put_node(graph, "Squeeze", names[9], "one", product);
    }
    put_node(graph, "MatMul", "w", names[7], names[4]);
    put_node(graph, "Add", product, names[4], l->elu ? names[5] : out);
    if (l->elu) {
        put_node(graph, "Elu", names[5], NULL, out);
    }
}

static void put_graph(buffer *graph, const bench_network *network, onnx_spelling spelling) {
    const int64_t one = 1, two = 2;
    const uint32_t last = network->layer_count - 1;
    put_tensor(graph, "one", INT64_TYPE, 1, 0, &one, sizeof one);
    if (spelling == ONNX_EXPANDED) {
        put_tensor(graph, "two", INT64_TYPE, 1, 0, &two, sizeof two);
        put_node(graph, "Unsqueeze", "w", "two", "w_column");
    }
    for (uint32_t i = 0; i <= last; i++) {
        char in[NAME_MAX_BYTES], out[NAME_MAX_BYTES];
        snprintf(in, sizeof in, i ? "h%u" : "x", i);
        snprintf(out, sizeof out, i < last ? "h%u" : "y", i + 1);
        put_layer(graph, &network->layers[i], spelling, i, in, out);
    }
    put_text(graph, 2, "network");
    put_value(graph, 11, "x", network->layers[0].inputs);
    put_value(graph, 11, "w", network->experts);
    put_value(graph, 12, "y", network->layers[last].outputs);
}

void *onnx_model_write(const bench_network *network, onnx_spelling spelling, size_t *size) {
    buffer model = {0}, graph = {0}, opset = {0};
    put_number(&model, 1, IR_VERSION);
    put_graph(&graph, network, spelling);
    put_message(&model, 7, &graph);
    put_text(&opset, 1, "");
    put_number(&opset, 2, OPSET);
    put_message(&model, 8, &opset);
    *size = model.size;
    return model.bytes;
}
