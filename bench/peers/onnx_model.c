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

/* The layer's weights as [E K][N]. */
static float *stacked(const bench_layer *l) {
    float *to = bench_alloc(sizeof(float) * l->experts * l->inputs * l->outputs);
    for (size_t e = 0; e < l->experts; e++) {
        for (size_t n = 0; n < l->outputs; n++) {
            for (size_t k = 0; k < l->inputs; k++) {
                to[(e * l->inputs + k) * l->outputs + n] = l->weights[(e * l->outputs + n) * l->inputs + k];
            }
        }
    }
    return to;
}

static void put_constants(buffer *graph, const bench_layer *l, const char *weights, const char *biases,
                          const char *shape) {
    const uint64_t rows = (uint64_t)l->experts * l->inputs;
    const int64_t to[2] = {-1, (int64_t)rows};
    float *stack = stacked(l);
    put_tensor(graph, weights, FLOAT_TYPE, rows, l->outputs, stack, sizeof(float) * rows * l->outputs);
    put_tensor(graph, biases, FLOAT_TYPE, l->experts, l->outputs, l->biases,
               sizeof(float) * l->experts * l->outputs);
    put_tensor(graph, shape, INT64_TYPE, 2, 0, to, sizeof to);
    bench_free(stack);
}

/* Nodes and constants of layer i, from the value named in to the value named out. */
static void put_layer(buffer *graph, const bench_layer *l, uint32_t i, const char *in, const char *out) {
    char names[9][NAME_MAX_BYTES];
    static const char *const stems[9] = {"row", "scaled", "z", "product", "bias", "sum", "W", "B", "S"};
    for (size_t j = 0; j < 9; j++) {
        snprintf(names[j], sizeof names[j], "%s%u", stems[j], i);
    }
    put_constants(graph, l, names[6], names[7], names[8]);
    put_node(graph, "Unsqueeze", in, "one", names[0]);
    put_node(graph, "Mul", "w_column", names[0], names[1]);
    put_node(graph, "Reshape", names[1], names[8], names[2]);
    put_node(graph, "MatMul", names[2], names[6], names[3]);
    put_node(graph, "MatMul", "w", names[7], names[4]);
    put_node(graph, "Add", names[3], names[4], l->elu ? names[5] : out);
    if (l->elu) {
        put_node(graph, "Elu", names[5], NULL, out);
    }
}

static void put_graph(buffer *graph, const bench_network *network) {
    const int64_t one = 1, two = 2;
    const uint32_t last = network->layer_count - 1;
    put_tensor(graph, "one", INT64_TYPE, 1, 0, &one, sizeof one);
    put_tensor(graph, "two", INT64_TYPE, 1, 0, &two, sizeof two);
    put_node(graph, "Unsqueeze", "w", "two", "w_column");
    for (uint32_t i = 0; i <= last; i++) {
        char in[NAME_MAX_BYTES], out[NAME_MAX_BYTES];
        snprintf(in, sizeof in, i ? "h%u" : "x", i);
        snprintf(out, sizeof out, i < last ? "h%u" : "y", i + 1);
        put_layer(graph, &network->layers[i], i, in, out);
    }
    put_text(graph, 2, "network");
    put_value(graph, 11, "x", network->layers[0].inputs);
    put_value(graph, 11, "w", network->experts);
    put_value(graph, 12, "y", network->layers[last].outputs);
}

void *onnx_model_write(const bench_network *network, size_t *size) {
    buffer model = {0}, graph = {0}, opset = {0};
    put_number(&model, 1, IR_VERSION);
    put_graph(&graph, network);
    put_message(&model, 7, &graph);
    put_text(&opset, 1, "");
    put_number(&opset, 2, OPSET);
    put_message(&model, 8, &opset);
    *size = model.size;
    return model.bytes;
}
