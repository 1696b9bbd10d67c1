#include "import/onnx/tensor.h"

#include <string.h>

#include "base/error.h"
#include "graph/onnx_types.h"

gali_element gali_onnx_element(int data_type) {
    int element = 0;
    while (element < GALI_ELEMENT_COUNT && gali_element_list[element].onnx != data_type) {
        element++;
    }
    return (gali_element)element;
}

/* How many numbers stand in the field of the tensor's type, and number i of it as the bits of one element. */
static size_t field_count(const Onnx__TensorProto *t) {
    switch (t->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        return t->n_float_data;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        return t->n_double_data;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        return t->n_int64_data;
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
        return t->n_uint64_data;
    default:
        return t->n_int32_data;
    }
}

static uint64_t field_bits(const Onnx__TensorProto *t, size_t i) {
    uint64_t bits = 0;
    switch (t->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        memcpy(&bits, &t->float_data[i], sizeof(float)); /* the hosts that there are are little-endian */
        return bits;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        memcpy(&bits, &t->double_data[i], sizeof(double));
        return bits;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        return (uint64_t)t->int64_data[i];
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
        return t->uint64_data[i];
    default:
        return (uint64_t)(int64_t)t->int32_data[i];
    }
}

static const void *written(const Onnx__TensorProto *t, gali_arena *arena, size_t count, uint32_t bytes) {
    unsigned char *data = gali_arena_take(arena, count * bytes + 1);
    for (size_t i = 0; data && i < count; i++) {
        uint64_t bits = field_bits(t, i);
        for (uint32_t b = 0; b < bytes; b++) {
            data[i * bytes + b] = (unsigned char)(bits >> (8 * b));
        }
    }
    return data;
}

static gal_status read_shape(const Onnx__TensorProto *t, const char *what, gali_type *type, size_t *count,
                             gal_error *error) {
    if (t->n_dims > GALI_RANK_MAX) {
        return gali_fail(error, GAL_BAD_DATA, "%s: rank %zu, %d is the most", what, t->n_dims, GALI_RANK_MAX);
    }
    double elements = 1;
    type->rank = (int)t->n_dims;
    for (size_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i] < 0 || t->dims[i] > GALI_EXTENT_LARGEST) {
            return gali_fail(error, GAL_BAD_DATA, "%s: dimension %zu is %lld", what, i, (long long)t->dims[i]);
        }
        type->shape[i] = t->dims[i];
        elements *= (double)t->dims[i];
    }
    if (elements > 1e12) {
        return gali_fail(error, GAL_BAD_DATA, "%s: more than 10^12 numbers", what);
    }
    *count = (size_t)elements;
    return GAL_OK;
}

gal_status gali_onnx_tensor_read(const Onnx__TensorProto *t, gali_arena *arena, const char *what,
                                 gali_type *type, const void **data, gal_error *error) {
    size_t count = 0;
    *type = (gali_type){.element = gali_onnx_element(t->data_type)};
    if (type->element == GALI_ELEMENT_COUNT) {
        return gali_fail(error, GAL_BAD_DATA, "%s: elements of type %s are not supported", what,
                         gali_onnx_type_name(t->data_type));
    }
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL || t->segment) {
        return gali_fail(error, GAL_BAD_DATA, "%s: its numbers are in another file", what);
    }
    gal_status status = read_shape(t, what, type, &count, error);
    if (status != GAL_OK) {
        return status;
    }
    uint32_t bytes = gali_element_list[type->element].bytes;
    size_t have = t->has_raw_data ? t->raw_data.len : field_count(t) * bytes;
    if (have != count * bytes) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %zu bytes of numbers, its shape asks for %zu", what, have,
                         count * bytes);
    }
    static const char nothing[1];
    *data = count == 0 ? nothing : t->has_raw_data ? t->raw_data.data : written(t, arena, count, bytes);
    return *data ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "%s: no memory", what);
}
