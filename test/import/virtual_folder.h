/* A published folder in memory: fifty sets sampled from known control points, and files that can be spoilt. */
#ifndef GALLOP_TEST_VIRTUAL_FOLDER_H
#define GALLOP_TEST_VIRTUAL_FOLDER_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/files.h"

enum { FOLDER_FILES = 4 + 6 * 50 + 2 };

typedef struct folder_file {
    char name[32];
    float *values; /* NULL: missing */
    size_t size;   /* bytes, also odd ones */
} folder_file;

typedef struct folder {
    uint32_t widths[4];
    folder_file files[FOLDER_FILES];
    size_t count;
    float *points[6];       /* W0 b0 W1 b1 W2 b2: [4][count] */
    const char *unreadable; /* a file whose read fails, or NULL */
    const char *unsizable;  /* one whose size cannot be had */
} folder;

static inline float folder_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static inline folder_file *folder_find(folder *f, const char *name) {
    for (size_t i = 0; i < f->count; i++) {
        if (f->files[i].values && strcmp(f->files[i].name, name) == 0) {
            return &f->files[i];
        }
    }
    return NULL;
}

static inline folder_file *folder_add(folder *f, const char *name, size_t count) {
    folder_file *file = &f->files[f->count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->size = 4 * count;
    file->values = malloc(file->size);
    return file;
}

static inline void folder_fill(folder_file *file, float first, float step) {
    for (size_t i = 0; i < file->size / 4; i++) {
        file->values[i] = first + step * (float)(i % 17);
    }
}

/* Set k of fifty, from the formula of the gate in docs/format.md. */
static inline void folder_sample(const float *points, size_t count, int k, float *values) {
    double u = 4.0 * k / 50.0, t = u - floor(u);
    int i = (int)u;
    double w[4];
    w[(i + 3) % 4] = -t / 2 + t * t - t * t * t / 2;
    w[i % 4] = 1 - 2.5 * t * t + 1.5 * t * t * t;
    w[(i + 1) % 4] = t / 2 + 2 * t * t - 1.5 * t * t * t;
    w[(i + 2) % 4] = -t * t / 2 + t * t * t / 2;
    for (size_t v = 0; v < count; v++) {
        double sum = 0;
        for (size_t e = 0; e < 4; e++) {
            sum += w[e] * (double)points[e * count + v];
        }
        values[v] = (float)sum;
    }
}

static inline void folder_add_kind(folder *f, int kind, uint32_t *random) {
    uint32_t layer = (uint32_t)kind / 2, in = kind % 2 ? 1 : f->widths[layer], out = f->widths[layer + 1];
    size_t count = (size_t)in * out;
    float *points = f->points[kind] = malloc(16 * count);
    for (size_t i = 0; i < 4 * count; i++) {
        points[i] = folder_random(random) / sqrtf((float)in);
    }
    for (int k = 0; k < 50; k++) {
        char name[32];
        snprintf(name, sizeof name, "%c%u_%03d.bin", kind % 2 ? 'b' : 'W', layer, k);
        folder_sample(points, count, k, folder_add(f, name, count)->values);
    }
}

static inline void folder_add_skeleton(folder *f) {
    static const float parents[31] = {-1, 0,  1,  2,  3,  4,  0,  6,  7,  8,  9,  0,  11, 12, 13, 14,
                                      15, 13, 17, 18, 19, 20, 21, 20, 13, 24, 25, 26, 27, 28, 27};
    memcpy(folder_add(f, "character_parents.bin", 31)->values, parents, sizeof parents);
    folder_file *xforms = folder_add(f, "character_xforms.bin", 31 * 16);
    for (int j = 0; j < 31; j++) {
        float angle = 0.1f * (float)j, c = cosf(angle), s = sinf(angle); /* about y */
        const float m[16] = {c, 0, s, (float)j, 0, 1, 0, 2, -s, 0, c, 3, 0, 0, 0, 1};
        memcpy(xforms->values + 16 * j, m, sizeof m);
    }
}

static inline folder *folder_make(uint32_t inputs, uint32_t hidden0, uint32_t hidden1, uint32_t outputs) {
    folder *f = calloc(1, sizeof *f);
    const uint32_t widths[4] = {inputs, hidden0, hidden1, outputs};
    memcpy(f->widths, widths, sizeof widths);
    folder_fill(folder_add(f, "Xmean.bin", inputs), -1, 0.125f);
    folder_fill(folder_add(f, "Xstd.bin", inputs), 0.5f, 0.25f);
    folder_fill(folder_add(f, "Ymean.bin", outputs), 2, 0.5f);
    folder_fill(folder_add(f, "Ystd.bin", outputs), 0.25f, 0.5f);
    uint32_t random = 1;
    for (int kind = 0; kind < 6; kind++) {
        folder_add_kind(f, kind, &random);
    }
    folder_add_skeleton(f);
    return f;
}

static inline void folder_free(folder *f) {
    for (size_t i = 0; i < f->count; i++) {
        free(f->files[i].values);
    }
    for (int i = 0; i < 6; i++) {
        free(f->points[i]);
    }
    free(f);
}

/* Gives a file another size in bytes; what is new is 0. */
static inline void folder_resize(folder_file *file, size_t size) {
    float *values = calloc(1, size + 8);
    memcpy(values, file->values, size < file->size ? size : file->size);
    free(file->values);
    file->values = values;
    file->size = size;
}

static inline void folder_remove(folder_file *file) {
    free(file->values);
    file->values = NULL;
}

static inline gal_status folder_get_size(void *context, const char *name, size_t *size, gal_error *error) {
    folder *f = context;
    const folder_file *file = folder_find(f, name);
    if (f->unsizable && strcmp(f->unsizable, name) == 0) {
        return gali_fail(error, GAL_IO, "%s: cannot be sized", name);
    }
    if (!file) {
        return GAL_NOT_FOUND;
    }
    *size = file->size;
    return GAL_OK;
}

static inline gal_status folder_get_bytes(void *context, const char *name, void *bytes, size_t size,
                                          gal_error *error) {
    folder *f = context;
    const folder_file *file = folder_find(f, name);
    if (!file || size > file->size || (f->unreadable && strcmp(f->unreadable, name) == 0)) {
        return gali_fail(error, GAL_IO, "%s: cannot be read", name);
    }
    memcpy(bytes, file->values, size);
    return GAL_OK;
}

static inline gali_files folder_files(folder *f) {
    return (gali_files){folder_get_size, folder_get_bytes, f};
}

#endif
