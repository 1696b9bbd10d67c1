#include "show/glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

enum { VERTEX_TARGET = 34962, CORNER_TARGET = 34963 };

typedef struct kind_facts {
    const char *type;
    int component; /* glTF's number of the type of one component */
    unsigned width, bytes;
} kind_facts;

static const kind_facts kinds[] = {
    [GALI_GLB_SCALAR] = {"SCALAR", 5126, 1, 4}, [GALI_GLB_VEC3] = {"VEC3", 5126, 3, 4},
    [GALI_GLB_VEC4] = {"VEC4", 5126, 4, 4},     [GALI_GLB_MAT4] = {"MAT4", 5126, 16, 4},
    [GALI_GLB_JOINTS] = {"VEC4", 5123, 4, 2},   [GALI_GLB_CORNERS] = {"SCALAR", 5125, 1, 4},
};

/* Doubles an array until it has room for `need`; 0 if it cannot. */
static int grow(void **array, size_t *capacity, size_t need, size_t bytes) {
    size_t larger = *capacity ? *capacity : 64;
    while (larger < need) {
        larger *= 2;
    }
    void *moved = larger == *capacity ? *array : realloc(*array, larger * bytes);
    if (moved) {
        *array = moved;
        *capacity = larger;
    }
    return moved != NULL;
}

static int make_room(gali_glb *glb, size_t bytes) {
    void *data = glb->data, *accessors = glb->accessors;
    size_t capacity = glb->accessor_capacity;
    int good = grow(&data, &glb->capacity, glb->size + bytes, 1) &&
               grow(&accessors, &capacity, glb->accessor_count + 1, sizeof *glb->accessors);
    glb->data = data;
    glb->accessors = accessors;
    glb->accessor_capacity = (uint32_t)capacity;
    glb->failed |= !good;
    return good;
}

/* Components low byte first, whatever the machine's order. */
static void append(gali_glb *glb, const void *values, size_t components, unsigned bytes) {
    for (size_t i = 0; i < components; i++) {
        uint32_t bits = 0;
        uint16_t half;
        if (bytes == 4) {
            memcpy(&bits, (const char *)values + 4 * i, 4);
        } else {
            memcpy(&half, (const char *)values + 2 * i, 2);
            bits = half;
        }
        for (unsigned byte = 0; byte < bytes; byte++) {
            glb->data[glb->size++] = (unsigned char)(bits >> (8 * byte) & 255);
        }
    }
}

static void measure(gali_glb_accessor *accessor, const float *values, unsigned width) {
    for (unsigned k = 0; k < width; k++) {
        accessor->least[k] = accessor->most[k] = values[k];
        for (size_t i = 1; i < accessor->count; i++) {
            accessor->least[k] = fminf(accessor->least[k], values[i * width + k]);
            accessor->most[k] = fmaxf(accessor->most[k], values[i * width + k]);
        }
    }
}

uint32_t gali_glb_add(gali_glb *glb, gali_glb_kind kind, int of_vertices, const void *values, size_t count) {
    const kind_facts *facts = &kinds[kind];
    size_t bytes = count * facts->width * facts->bytes;
    if (glb->failed || !make_room(glb, bytes)) {
        return 0;
    }
    gali_glb_accessor accessor = {kind, of_vertices, glb->size, count, {0}, {0}};
    if (facts->component == 5126 && facts->width <= 3 && count > 0) {
        measure(&accessor, values, facts->width);
    }
    append(glb, values, count * facts->width, facts->bytes);
    glb->accessors[glb->accessor_count] = accessor;
    return glb->accessor_count++;
}

static void describe_bounds(gali_json *json, const char *key, const float *values, unsigned width) {
    gali_json_open(json, key, '[');
    for (unsigned k = 0; k < width; k++) {
        gali_json_float(json, NULL, values[k]);
    }
    gali_json_close(json, ']');
}

static void describe_accessor(const gali_glb *glb, uint32_t i, gali_json *json) {
    const gali_glb_accessor *accessor = &glb->accessors[i];
    const kind_facts *facts = &kinds[accessor->kind];
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "bufferView", i);
    gali_json_number(json, "componentType", facts->component);
    gali_json_number(json, "count", (double)accessor->count);
    gali_json_text(json, "type", facts->type);
    if (facts->component == 5126 && facts->width <= 3) {
        describe_bounds(json, "min", accessor->least, facts->width);
        describe_bounds(json, "max", accessor->most, facts->width);
    }
    gali_json_close(json, '}');
}

static void describe_view(const gali_glb_accessor *accessor, gali_json *json) {
    const kind_facts *facts = &kinds[accessor->kind];
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "buffer", 0);
    gali_json_number(json, "byteOffset", (double)accessor->offset);
    gali_json_number(json, "byteLength", (double)(accessor->count * facts->width * facts->bytes));
    if (accessor->of_vertices) {
        gali_json_number(json, "target", accessor->kind == GALI_GLB_CORNERS ? CORNER_TARGET : VERTEX_TARGET);
    }
    gali_json_close(json, '}');
}

void gali_glb_describe(const gali_glb *glb, gali_json *json) {
    gali_json_open(json, "accessors", '[');
    for (uint32_t i = 0; i < glb->accessor_count; i++) {
        describe_accessor(glb, i, json);
    }
    gali_json_close(json, ']');
    gali_json_open(json, "bufferViews", '[');
    for (uint32_t i = 0; i < glb->accessor_count; i++) {
        describe_view(&glb->accessors[i], json);
    }
    gali_json_close(json, ']');
    gali_json_open(json, "buffers", '[');
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "byteLength", (double)glb->size);
    gali_json_close(json, '}');
    gali_json_close(json, ']');
}

static void put_word(FILE *out, size_t word) {
    for (int byte = 0; byte < 4; byte++) {
        fputc((int)(word >> (8 * byte) & 255), out);
    }
}

static void copy_text(FILE *text, size_t length, size_t padded, FILE *out) {
    rewind(text);
    for (size_t i = 0; i < length; i++) {
        fputc(fgetc(text), out);
    }
    for (size_t i = length; i < padded; i++) {
        fputc(' ', out);
    }
}

gal_status gali_glb_write(const gali_glb *glb, FILE *text, const char *path, gal_error *error) {
    gali_file_draft draft;
    long length = ftell(text);
    if (glb->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %.100s", path);
    }
    if (length < 0 || ferror(text)) {
        return gali_fail(error, GAL_IO, "%.100s: its JSON could not be written to a temporary file", path);
    }
    gal_status status = gali_file_begin(&draft, path, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t padded = ((size_t)length + 3) / 4 * 4;
    fputs("glTF", draft.stream);
    put_word(draft.stream, 2);
    put_word(draft.stream, 12 + 8 + padded + 8 + glb->size);
    put_word(draft.stream, padded);
    fputs("JSON", draft.stream);
    copy_text(text, (size_t)length, padded, draft.stream);
    put_word(draft.stream, glb->size);
    fwrite("BIN\0", 1, 4, draft.stream);
    fwrite(glb->data, 1, glb->size, draft.stream);
    return gali_file_finish(&draft, error);
}

void gali_glb_release(gali_glb *glb) {
    free(glb->data);
    free(glb->accessors);
    *glb = (gali_glb){0};
}
