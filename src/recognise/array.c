#include "recognise/array.h"

#include <string.h>

#include "graph/graph.h"
#include "network/model.h"

static double single_at(const unsigned char *bytes, int64_t i) {
    const unsigned char *b = bytes + 4 * i;
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void load_half(const gali_array *array, int64_t at, int64_t stride, size_t count, double *to) {
    const gali_model_layer half = {
        .weights = array->data, .weight_type = array->element == GALI_f16 ? GALI_WEIGHT_F16 : GALI_WEIGHT_BF16};
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)gali_model_weight(&half, (size_t)(at + (int64_t)i * stride));
    }
}

void gali_array_load(const gali_array *array, int64_t at, int64_t stride, size_t count, double *to) {
    const gali_value value = {.type = {.element = array->element}, .data = array->data};
    switch (array->element) {
    case GALI_f32:
        for (size_t i = 0; i < count; i++) {
            to[i] = single_at(array->data, at + (int64_t)i * stride);
        }
        break;
    case GALI_f64:
        for (size_t i = 0; i < count; i++) {
            memcpy(&to[i], (const char *)array->data + (at + (int64_t)i * stride) * (int64_t)sizeof *to,
                   sizeof *to);
        }
        break;
    case GALI_f16:
    case GALI_bf16:
        load_half(array, at, stride, count, to);
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            to[i] = gali_constant_real(&value, (size_t)(at + (int64_t)i * stride));
        }
        break;
    }
}
