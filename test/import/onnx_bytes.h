/* ONNX files by hand: protocol buffers for tests, right ones and wrong ones. */
#ifndef GALLOP_TEST_ONNX_BYTES_H
#define GALLOP_TEST_ONNX_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *data;
    size_t size, capacity;
} bytes;

static inline void put(bytes *b, const void *data, size_t size) {
    if (b->size + size > b->capacity) {
        b->capacity = 2 * (b->size + size) + 64;
        b->data = realloc(b->data, b->capacity);
    }
    if (size) {
        memcpy(b->data + b->size, data, size);
    }
    b->size += size;
}

static inline void put_varint(bytes *b, uint64_t value) {
    do {
        unsigned char byte = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        put(b, &byte, 1);
        value >>= 7;
    } while (value);
}

static inline void put_number(bytes *b, unsigned field, uint64_t value) {
    put_varint(b, field * 8u);
    put_varint(b, value);
}

static inline void put_block(bytes *b, unsigned field, const void *data, size_t size) {
    put_varint(b, field * 8u + 2);
    put_varint(b, size);
    put(b, data, size);
}

static inline void put_text(bytes *b, unsigned field, const char *text) {
    put_block(b, field, text, strlen(text));
}

/* Writes a finished message into another and frees it. */
static inline void put_message(bytes *b, unsigned field, bytes *message) {
    put_block(b, field, message->data, message->size);
    free(message->data);
    *message = (bytes){0};
}

/* A node of up to three inputs ("" ends them early) with one attribute of one whole number (NULL: none). */
static inline void put_node(bytes *graph, const char *op, const char *const inputs[3], const char *output,
                            const char *attribute, int64_t value) {
    bytes node = {0}, a = {0};
    for (int i = 0; i < 3 && inputs[i]; i++) {
        put_text(&node, 1, inputs[i]);
    }
    put_text(&node, 2, output);
    put_text(&node, 3, output);
    put_text(&node, 4, op);
    if (attribute) {
        put_text(&a, 1, attribute);
        put_number(&a, 3, (uint64_t)value);
        put_number(&a, 20, 2);
        put_message(&node, 5, &a);
    }
    put_message(graph, 1, &node);
}

/* A constant of a type (1: float, 7: int64) with raw bytes. */
static inline void put_tensor(bytes *graph, const char *name, unsigned type, const int64_t *dims, int rank,
                              const void *data, size_t size) {
    bytes tensor = {0};
    for (int i = 0; i < rank; i++) {
        put_number(&tensor, 1, (uint64_t)dims[i]);
    }
    put_number(&tensor, 2, type);
    put_text(&tensor, 8, name);
    put_block(&tensor, 9, data, size);
    put_message(graph, 5, &tensor);
}

/* An input (field 11) or output (12) of floats; a dimension that is no number is a symbol. */
static inline void put_port(bytes *graph, unsigned field, const char *name, int rank,
                            const char *const *dimensions) {
    bytes value = {0}, type = {0}, tensor = {0}, shape = {0};
    for (int i = 0; i < rank; i++) {
        bytes dimension = {0};
        if (dimensions[i][0] >= '0' && dimensions[i][0] <= '9') {
            put_number(&dimension, 1, strtoull(dimensions[i], NULL, 10));
        } else {
            put_text(&dimension, 2, dimensions[i]);
        }
        put_message(&shape, 1, &dimension);
    }
    put_number(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

/* The file of a graph, which is freed. */
static inline bytes make_model(bytes *graph, uint64_t opset) {
    bytes model = {0}, import = {0};
    put_number(&model, 1, 8);
    put_message(&model, 7, graph);
    put_text(&import, 1, "");
    put_number(&import, 2, opset);
    put_message(&model, 8, &import);
    return model;
}

#endif
