#include "npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/system.h"

/* Most bytes of a file that is read: enough for an hour of 31 joints at 60 Hz in float64 twice over. */
static const size_t size_max = (size_t)1 << 30;

enum { HEADER_SIZE = 320 }; /* of the files written: the longest shape fits */

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct kind {
    const char *descr, *word;
} kind;

static const kind kinds[GALI_ELEMENT_COUNT] = {
    [GALI_f32] = {"<f4", "float32"}, [GALI_f64] = {"<f8", "float64"}, [GALI_f16] = {"<f2", "float16"},
    [GALI_bf16] = {"<u2", "uint16"}, [GALI_i8] = {"|i1", "int8"},     [GALI_i16] = {"<i2", "int16"},
    [GALI_i32] = {"<i4", "int32"},   [GALI_i64] = {"<i8", "int64"},   [GALI_u8] = {"|u1", "uint8"},
    [GALI_u16] = {"<u2", "uint16"},  [GALI_u32] = {"<u4", "uint32"},  [GALI_u64] = {"<u8", "uint64"},
    [GALI_truth] = {"|b1", "bool"},
};

const char *gali_npy_word(gali_element element) {
    return kinds[element].word;
}

/* The header dictionary's text that is still to be read. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_spaces(cursor *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n')) {
        text->at++;
    }
}

static int take(cursor *text, const char *token) {
    size_t length = strlen(token);
    skip_spaces(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, token, length) != 0) {
        return 0;
    }
    text->at += length;
    return 1;
}

static int take_quoted(cursor *text, char *out, size_t size) {
    size_t length = 0;
    if (!take(text, "'")) {
        return 0;
    }
    while (text->at < text->end && *text->at != '\'' && length + 1 < size) {
        out[length++] = *text->at++;
    }
    out[length] = '\0';
    return text->at < text->end && *text->at++ == '\'';
}

static int take_size(cursor *text, size_t *out) {
    size_t value = 0;
    skip_spaces(text);
    if (text->at == text->end || *text->at < '0' || *text->at > '9') {
        return 0;
    }
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
        value = gali_size_add(gali_size_mul(value, 10), (size_t)(*text->at++ - '0'));
    }
    *out = value;
    return value != GALI_SIZE_BAD;
}

static int take_shape(cursor *text, gali_npy *out) {
    if (!take(text, "(")) {
        return 0;
    }
    for (out->dimensions = 0; !take(text, ")"); out->dimensions++) {
        if (out->dimensions == GALI_NPY_DIMENSIONS || !take_size(text, &out->shape[out->dimensions])) {
            return 0;
        }
        if (!take(text, ",")) {
            out->dimensions++;
            return take(text, ")");
        }
    }
    return 1;
}

static gal_status check_descr(gali_npy *out, const char *descr, const char *name, gal_error *error) {
    for (int i = 0; i < GALI_ELEMENT_COUNT; i++) {
        if (i != GALI_bf16 && strcmp(descr, kinds[i].descr) == 0) {
            out->element = (gali_element)i;
            return GAL_OK;
        }
    }
    return gali_fail(error, GAL_BAD_DATA, "%s: type '%s': little-endian numbers ('<f4', '<i8' ...) expected",
                     name, descr);
}

/* One `'key': value` of the dictionary; *seen collects a bit per key. */
static gal_status read_entry(gali_npy *out, cursor *text, unsigned *seen, const char *name, gal_error *error) {
    char key[32] = "", descr[32] = "";
    if (!take_quoted(text, key, sizeof key) || !take(text, ":")) {
        return gali_fail(error, GAL_BAD_DATA, "%s: the header is not a dictionary of names", name);
    }
    if (strcmp(key, "descr") == 0) {
        *seen |= 1;
        if (!take_quoted(text, descr, sizeof descr)) {
            return gali_fail(error, GAL_BAD_DATA, "%s: 'descr' is not one type", name);
        }
        return check_descr(out, descr, name, error);
    }
    if (strcmp(key, "fortran_order") == 0) {
        *seen |= 2;
        return take(text, "False")
                   ? GAL_OK
                   : gali_fail(error, GAL_BAD_DATA,
                               "%s: 'fortran_order' must be False: numpy.ascontiguousarray makes it so", name);
    }
    if (strcmp(key, "shape") == 0) {
        *seen |= 4;
        return take_shape(text, out)
                   ? GAL_OK
                   : gali_fail(error, GAL_BAD_DATA, "%s: 'shape' is not a tuple of at most %d sizes", name,
                               GALI_NPY_DIMENSIONS);
    }
    return gali_fail(error, GAL_BAD_DATA, "%s: unknown header key '%s'", name, key);
}

static gal_status read_header(gali_npy *out, cursor text, const char *name, gal_error *error) {
    unsigned seen = 0;
    if (!take(&text, "{")) {
        return gali_fail(error, GAL_BAD_DATA, "%s: the header is not a dictionary", name);
    }
    while (!take(&text, "}")) {
        gal_status status = read_entry(out, &text, &seen, name, error);
        if (status != GAL_OK) {
            return status;
        }
        if (!take(&text, ",") && !(text.at < text.end && *text.at == '}')) {
            return gali_fail(error, GAL_BAD_DATA, "%s: the header's dictionary is not ended by }", name);
        }
    }
    skip_spaces(&text);
    if (seen != 7 || text.at != text.end) {
        return gali_fail(error, GAL_BAD_DATA, "%s: the header must hold descr, fortran_order and shape alone",
                         name);
    }
    return GAL_OK;
}

static gal_status check_data(gali_npy *out, size_t size, const char *name, gal_error *error) {
    size_t count = 1;
    for (uint32_t i = 0; i < out->dimensions; i++) {
        count = gali_size_mul(count, out->shape[i]);
    }
    size_t expected = gali_size_mul(count, gali_element_list[out->element].bytes);
    if (expected == GALI_SIZE_BAD || size != expected) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %zu bytes of data, %zu expected from the shape", name, size,
                         expected);
    }
    out->count = count;
    return GAL_OK;
}

/* All before the data, which starts at *data. */
static gal_status parse_head(gali_npy *out, const unsigned char *byte, size_t size, const char *name,
                             size_t *data, gal_error *error) {
    *out = (gali_npy){0};
    *data = 0;
    if (size >= 4 && memcmp(byte, "PK\3\4", 4) == 0) {
        return gali_fail(error, GAL_BAD_DATA, "%s: an archive of .npy files: numpy.load(..)[NAME] has one",
                         name);
    }
    if (size < 12 || memcmp(byte, magic, sizeof magic) != 0) {
        return gali_fail(error, GAL_BAD_DATA, "%s: not a .npy file", name);
    }
    if (byte[6] < 1 || byte[6] > 3) {
        return gali_fail(error, GAL_BAD_DATA, "%s: .npy version %d, 1 to 3 expected", name, byte[6]);
    }
    size_t start = byte[6] == 1 ? 10 : 12;
    size_t length = byte[8] | (size_t)byte[9] << 8;
    if (byte[6] > 1) {
        length |= (size_t)byte[10] << 16 | (size_t)byte[11] << 24;
    }
    if (length > size - start) {
        return gali_fail(error, GAL_BAD_DATA, "%s: the header of %zu bytes is cut off", name, length);
    }
    cursor text = {(const char *)byte + start, (const char *)byte + start + length};
    *data = start + length;
    return read_header(out, text, name, error);
}

gal_status gali_npy_parse(gali_npy *out, const void *bytes, size_t size, const char *name, gal_error *error) {
    size_t data;
    gal_status status = parse_head(out, bytes, size, name, &data, error);
    if (status != GAL_OK) {
        return status;
    }
    out->data = (const unsigned char *)bytes + data;
    return check_data(out, size - data, name, error);
}

gal_status gali_npy_look(gali_npy *out, const char *path, gal_error *error) {
    unsigned char head[1024];
    size_t data;
    FILE *file = gali_system_open(path, "rb");
    if (!file) {
        return gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
    }
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return parse_head(out, head, size, path, &data, error);
}

static gal_status copy_f32(const gali_npy *array, uint32_t dimensions, float **values, size_t *shape,
                           const char *path, gal_error *error) {
    if (array->element != GALI_f32) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %s, float32 expected", path, gali_npy_word(array->element));
    }
    if (array->dimensions != dimensions) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %u dimensions, %u expected", path, array->dimensions,
                         dimensions);
    }
    float *copy = malloc(array->count * sizeof(float) + 1);
    if (!copy) {
        return gali_fail(error, GAL_NO_MEMORY, "%s: no memory for %zu values", path, array->count);
    }
    memcpy(copy, array->data, array->count * sizeof(float));
    memcpy(shape, array->shape, dimensions * sizeof *shape);
    *values = copy;
    return GAL_OK;
}

gal_status gali_npy_read_f32(const char *path, uint32_t dimensions, float **values, size_t *shape,
                             gal_error *error) {
    void *bytes = NULL;
    size_t size = 0;
    gali_npy array;
    *values = NULL;
    gal_status status = gali_file_read(path, size_max, NULL, &bytes, &size, error);
    if (status == GAL_OK) {
        status = gali_npy_parse(&array, bytes, size, path, error);
    }
    if (status == GAL_OK) {
        status = copy_f32(&array, dimensions, values, shape, path, error);
    }
    gali_release(NULL, bytes, size);
    return status;
}

/* Version 1 header, padded with spaces so that the data starts at a multiple of 64. */
static void write_header(char out[HEADER_SIZE], gali_element element, uint32_t dimensions,
                         const size_t *shape) {
    char sizes[GALI_NPY_DIMENSIONS * 24] = "", text[HEADER_SIZE - 10];
    for (uint32_t i = 0; i < dimensions; i++) {
        char one[32];
        snprintf(one, sizeof one, "%zu,%s", shape[i], i + 1 < dimensions ? " " : "");
        strncat(sizes, one, sizeof sizes - strlen(sizes) - 1);
    }
    memset(out, ' ', HEADER_SIZE);
    memcpy(out, magic, sizeof magic);
    memcpy(out + sizeof magic, (unsigned char[]){1, 0, (HEADER_SIZE - 10) & 255, (HEADER_SIZE - 10) >> 8}, 4);
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
             kinds[element].descr, sizes);
    memcpy(out + 10, text, strlen(text));
    out[HEADER_SIZE - 1] = '\n';
}

gal_status gali_npy_write(const char *path, const void *values, gali_element element, uint32_t dimensions,
                          const size_t *shape, gal_error *error) {
    char header[HEADER_SIZE];
    size_t bytes = gali_element_list[element].bytes;
    for (uint32_t i = 0; i < dimensions; i++) {
        bytes = gali_size_mul(bytes, shape[i]);
    }
    size_t size = gali_size_add(HEADER_SIZE, bytes);
    write_header(header, element, dimensions, shape);
    char *file = size == GALI_SIZE_BAD ? NULL : malloc(size);
    if (!file) {
        return gali_fail(error, GAL_NO_MEMORY, "%s: no memory for %zu bytes", path, bytes);
    }
    memcpy(file, header, HEADER_SIZE);
    if (bytes > 0) {
        memcpy(file + HEADER_SIZE, values, bytes);
    }
    gal_status status = gali_file_write(path, file, size, error);
    free(file);
    return status;
}
