/* Quantised networks as graphs: text as quantisers' nodes, whose weights are random numbers. */
#ifndef TEST_COMPILER_HVX_QUANTISED_H
#define TEST_COMPILER_HVX_QUANTISED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/text.h"

typedef struct quantised {
    gali_text text;
    uint32_t next;    /* number of the next value */
    const char *byte; /* "u8" or "i8" */
} quantised;

/* A tensor of bytes: of real numbers about 74 scales wide. */
typedef struct tensor {
    uint32_t value, channels, lines, width;
    double scale;
    int zero; /* of unsigned bytes */
} tensor;

enum { SPREAD = 74 };

static uint32_t add_line(quantised *q, const char *before, const char *after) {
    gali_text_add(&q->text, "%s%%%u%s\n", before, q->next, after);
    return q->next++;
}

static uint32_t add_real(quantised *q, double value) {
    gali_text_add(&q->text, "constant %%%u: f32[] = %.9g\n", q->next, value);
    return q->next++;
}

static uint32_t add_zero(quantised *q, int zero) {
    gali_text_add(&q->text, "constant %%%u: %s[] = %d\n", q->next, q->byte, zero - (*q->byte == 'i' ? 128 : 0));
    return q->next++;
}

/* "[1, 8, 9, 10]", or "[1, 8]" of a flat one. */
static void add_shape(quantised *q, const tensor *t) {
    if (t->lines) {
        gali_text_add(&q->text, "[1, %u, %u, %u]", t->channels, t->lines, t->width);
    } else {
        gali_text_add(&q->text, "[1, %u]", t->channels);
    }
}

static uint32_t dequantised(quantised *q, const tensor *t) {
    const uint32_t scale = add_real(q, t->scale), zero = add_zero(q, t->zero);
    gali_text_add(&q->text, "%%%u: f32", q->next);
    add_shape(q, t);
    gali_text_add(&q->text, " = DequantizeLinear (%%%u, %%%u, %%%u)\n", t->value, scale, zero);
    return q->next++;
}

/* The real value as bytes with the tensor's scale. */
static tensor quantise(quantised *q, uint32_t real, tensor t) {
    const uint32_t scale = add_real(q, t.scale), zero = add_zero(q, t.zero);
    gali_text_add(&q->text, "%%%u: %s", q->next, q->byte);
    add_shape(q, &t);
    gali_text_add(&q->text, " = QuantizeLinear (%%%u, %%%u, %%%u)\n", real, scale, zero);
    t.value = q->next++;
    return t;
}

static tensor add_input(quantised *q, uint32_t channels, uint32_t lines, uint32_t width) {
    tensor t = {q->next++, channels, lines, width, 0.02, 117};
    gali_text_add(&q->text, "input %%%u: %s", t.value, q->byte);
    add_shape(q, &t);
    gali_text_add(&q->text, "\n");
    return t;
}

/* A node of one operand whose result has t's shape; the rest of its line. */
static uint32_t add_node(quantised *q, const tensor *t, const char *op, const char *operands,
                         const char *attributes) {
    gali_text_add(&q->text, "%%%u: f32", q->next);
    add_shape(q, t);
    gali_text_add(&q->text, " = %s (%s)%s\n", op, operands, attributes);
    return q->next++;
}

static uint32_t add_weights(quantised *q, const char *shape, uint32_t channels, const char *axis) {
    char line[200];
    snprintf(line, sizeof line, ": i8[%s]", shape);
    const uint32_t data = add_line(q, "constant ", line);
    snprintf(line, sizeof line, ": f32[%u]", channels);
    const uint32_t scale = add_line(q, "constant ", line);
    snprintf(line, sizeof line, ": f32[%s] = DequantizeLinear (%%%u, %%%u) axis:int=%s", shape, data, scale,
             axis);
    return add_line(q, "", line);
}

static uint32_t add_bias(quantised *q, uint32_t channels) {
    char line[200];
    snprintf(line, sizeof line, ": f32[%u]", channels);
    return add_line(q, "constant ", line);
}

/* What random weights make of such numbers. WEIGHT_SCALE: their middling scale. */
#define WEIGHT_SCALE 0.01

static double made_scale(const tensor *from, uint32_t terms) {
    return sqrt((double)terms) * from->scale * 73 * WEIGHT_SCALE;
}

static uint32_t size_after(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t pad) {
    return (size + 2 * pad - kernel) / stride + 1;
}

static tensor convolved(quantised *q, tensor from, uint32_t channels, uint32_t kernel, uint32_t stride,
                        uint32_t pad, uint32_t group, int relu) {
    char shape[64], operands[64], attributes[200];
    const uint32_t x = dequantised(q, &from), each = from.channels / group;
    snprintf(shape, sizeof shape, "%u, %u, %u, %u", channels, each, kernel, kernel);
    const uint32_t w = add_weights(q, shape, channels, "0"), b = add_bias(q, channels);
    tensor to = {0,
                 channels,
                 size_after(from.lines, kernel, stride, pad),
                 size_after(from.width, kernel, stride, pad),
                 made_scale(&from, each * kernel * kernel),
                 131};
    snprintf(operands, sizeof operands, "%%%u, %%%u, %%%u", x, w, b);
    snprintf(attributes, sizeof attributes,
             " group:int=%u kernel_shape:ints=%u,%u strides:ints=%u,%u pads:ints=%u,%u,%u,%u", group, kernel,
             kernel, stride, stride, pad, pad, pad, pad);
    uint32_t real = add_node(q, &to, "Conv", operands, attributes);
    if (relu) {
        snprintf(operands, sizeof operands, "%%%u", real);
        real = add_node(q, &to, "Relu", operands, "");
        to.zero = 3;
        to.scale *= 0.7;
    }
    return quantise(q, real, to);
}

/* Along a line, of what came before: the window ends at the place that it makes. */
static tensor causal(quantised *q, tensor from, uint32_t channels, uint32_t taps, uint32_t apart) {
    char shape[64], operands[64], attributes[200];
    const uint32_t x = dequantised(q, &from);
    snprintf(shape, sizeof shape, "%u, %u, 1, %u", channels, from.channels, taps);
    const uint32_t w = add_weights(q, shape, channels, "0"), b = add_bias(q, channels);
    const tensor to = {0, channels, 1, from.width, made_scale(&from, from.channels * taps), 131};
    snprintf(operands, sizeof operands, "%%%u, %%%u, %%%u", x, w, b);
    snprintf(attributes, sizeof attributes, " pads:ints=0,%u,0,0 dilations:ints=1,%u", (taps - 1) * apart,
             apart);
    return quantise(q, add_node(q, &to, "Conv", operands, attributes), to);
}

static tensor pooled(quantised *q, tensor from, const char *op, uint32_t kernel, uint32_t stride,
                     uint32_t pad) {
    char operands[64], attributes[200];
    tensor to = from;
    to.lines = size_after(from.lines, kernel, stride, pad);
    to.width = size_after(from.width, kernel, stride, pad);
    snprintf(operands, sizeof operands, "%%%u", dequantised(q, &from));
    snprintf(attributes, sizeof attributes, " kernel_shape:ints=%u,%u strides:ints=%u,%u pads:ints=%u,%u,%u,%u",
             kernel, kernel, stride, stride, pad, pad, pad, pad);
    return quantise(q, add_node(q, &to, op, operands, attributes), to);
}

static tensor added(quantised *q, tensor a, tensor b, int relu) {
    char operands[64];
    tensor to = a;
    to.scale = 1.4 * (a.scale > b.scale ? a.scale : b.scale);
    to.zero = relu ? 0 : 120;
    const uint32_t x = dequantised(q, &a);
    snprintf(operands, sizeof operands, "%%%u, %%%u", x, dequantised(q, &b));
    uint32_t real = add_node(q, &to, "Add", operands, "");
    if (relu) {
        snprintf(operands, sizeof operands, "%%%u", real);
        real = add_node(q, &to, "Relu", operands, "");
    }
    return quantise(q, real, to);
}

/* A function of single numbers; scale: of its results. */
static tensor changed(quantised *q, tensor from, const char *op, double scale, int zero) {
    char operands[64];
    tensor to = from;
    to.scale = scale;
    to.zero = zero;
    snprintf(operands, sizeof operands, "%%%u", dequantised(q, &from));
    return quantise(q, add_node(q, &to, op, operands, ""), to);
}

/* Means of channels, as one list. */
static tensor averaged(quantised *q, tensor from) {
    char operands[64];
    tensor to = from;
    to.lines = to.width = 1;
    to.scale = from.scale / 3;
    snprintf(operands, sizeof operands, "%%%u", dequantised(q, &from));
    to = quantise(q, add_node(q, &to, "GlobalAveragePool", operands, ""), to);
    tensor flat = to;
    flat.lines = flat.width = 0;
    snprintf(operands, sizeof operands, "%%%u", dequantised(q, &to));
    return quantise(q, add_node(q, &flat, "Flatten", operands, ""), flat);
}

static tensor flattened(quantised *q, tensor from) {
    char operands[64];
    tensor flat = from;
    flat.channels = from.channels * from.lines * from.width;
    flat.lines = flat.width = 0;
    snprintf(operands, sizeof operands, "%%%u", dequantised(q, &from));
    return quantise(q, add_node(q, &flat, "Flatten", operands, ""), flat);
}

static tensor dense(quantised *q, tensor from, uint32_t outputs) {
    char shape[64], operands[64];
    tensor to = {0, outputs, 0, 0, made_scale(&from, from.channels), 125};
    const uint32_t x = dequantised(q, &from);
    snprintf(shape, sizeof shape, "%u, %u", from.channels, outputs);
    const uint32_t w = add_weights(q, shape, outputs, "1"), b = add_bias(q, outputs);
    snprintf(operands, sizeof operands, "%%%u, %%%u, %%%u", x, w, b);
    return quantise(q, add_node(q, &to, "Gemm", operands, ""), to);
}

static uint32_t random_word(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Constants of several elements, which the text leaves 0, become random: weights, their scales, biases. */
static void fill_constants(gali_graph *graph) {
    uint32_t state = 7;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        gali_value *v = &graph->values[i];
        const int64_t count = v->data && v->type.rank > 0 ? gali_type_count(graph->extents, &v->type) : 0;
        unsigned char *data = gali_arena_take(graph->arena, 4 * (size_t)count + 1);
        v->data = count ? data : v->data;
        for (int64_t k = 0; k < count; k++) {
            const int32_t random = (int32_t)(random_word(&state) % 255) - 127;
            const int is_bias = i > 0 && graph->values[i - 1].type.rank > 0 && !graph->values[i - 1].data;
            const float real =
                (float)(is_bias ? random * 0.002 : WEIGHT_SCALE * (0.6 + (random + 127) * 0.003));
            if (v->type.element == GALI_i8) {
                data[k] = (unsigned char)random;
            } else {
                memcpy(data + 4 * k, &real, sizeof real);
            }
        }
    }
}

#endif
