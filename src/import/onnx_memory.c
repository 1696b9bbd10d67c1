/* The importer's memory, error and numbers: what its parts share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx_program.h"
#include "network/model.h"

struct gali_onnx_chunk {
    gali_onnx_chunk *next;
    size_t size, used;
};

enum { CHUNK_SIZE = 1 << 18, CHUNK_HEADER = (sizeof(gali_onnx_chunk) + 15) / 16 * 16 };

int gali_onnx_fail(gali_onnx *onnx, gal_status status, const char *format, ...) {
    char text[sizeof onnx->error->message];
    if (onnx->status != GAL_OK) {
        return 0;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    onnx->status = gali_fail(onnx->error, status, "%s", text);
    return 0;
}

static gali_onnx_chunk *add_chunk(gali_onnx *onnx, size_t size) {
    size_t whole = CHUNK_HEADER + (size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE);
    gali_onnx_chunk *chunk = whole > onnx->memory_left ? NULL : calloc(1, whole);
    if (!chunk) {
        return NULL;
    }
    chunk->size = whole - CHUNK_HEADER;
    onnx->memory_left -= whole;
    if (onnx->chunks && size > CHUNK_SIZE / 4) { /* the open one stays first */
        chunk->next = onnx->chunks->next;
        onnx->chunks->next = chunk;
    } else {
        chunk->next = onnx->chunks;
        onnx->chunks = chunk;
    }
    return chunk;
}

void *gali_onnx_take(gali_onnx *onnx, size_t size) {
    gali_onnx_chunk *chunk = onnx->chunks;
    if (size > SIZE_MAX / 2) {
        gali_onnx_fail(onnx, GAL_BAD_DATA, "the graph asks for too much memory");
        return NULL;
    }
    size = (size + 15) / 16 * 16;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = add_chunk(onnx, size);
    }
    if (!chunk) {
        gali_onnx_fail(onnx, GAL_NO_MEMORY, "the graph asks for more memory than a file of its size may");
        return NULL;
    }
    void *taken = (char *)chunk + CHUNK_HEADER + chunk->used;
    chunk->used += size;
    return taken;
}

void gali_onnx_release(gali_onnx *onnx) {
    while (onnx->chunks) {
        gali_onnx_chunk *next = onnx->chunks->next;
        free(onnx->chunks);
        onnx->chunks = next;
    }
}

int gali_onnx_work(gali_onnx *onnx, double multiplications) {
    onnx->work_left -= multiplications;
    return onnx->work_left >= 0 ||
           gali_onnx_fail(onnx, GAL_BAD_DATA, "the graph asks for more arithmetic than a file of its size may");
}

static double single_at(const unsigned char *bytes, int64_t i) {
    const unsigned char *b = bytes + 4 * i;
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

void gali_onnx_load(const gali_onnx_array *array, int64_t at, int64_t stride, size_t count, double *to) {
    const gali_model_layer half = {.weights = array->data,
                                   .weight_type =
                                       array->type == GALI_ONNX_F16 ? GALI_WEIGHT_F16 : GALI_WEIGHT_BF16};
    const double *wide = array->data;
    const float *native = array->data;
    switch (array->type) {
    case GALI_ONNX_F64:
        for (size_t i = 0; i < count; i++) {
            to[i] = wide[at + (int64_t)i * stride];
        }
        break;
    case GALI_ONNX_FLOAT:
        for (size_t i = 0; i < count; i++) {
            to[i] = (double)native[at + (int64_t)i * stride];
        }
        break;
    case GALI_ONNX_F32:
        for (size_t i = 0; i < count; i++) {
            to[i] = single_at(array->data, at + (int64_t)i * stride);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            to[i] = (double)gali_model_weight(&half, (size_t)(at + (int64_t)i * stride));
        }
        break;
    }
}
