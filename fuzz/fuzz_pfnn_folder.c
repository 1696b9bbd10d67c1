/*
 * The folder importer, on a folder made of the input:
 *
 *     0..3   widths less 1, modulo 8       4  gate, samples, float16, features, skeleton, raw numbers (bits)
 *     5      sets of the linear gate       6..9  samples
 *     10..   three faults of 4 bytes: which file (two bytes), what is wrong with it, by how much
 *     22..   numbers, taken from a place that the file's name chooses, over and over
 *
 * What it makes must be a model file and a contract.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "checked_model.h"
#include "import/pfnn_folder.h"

enum { HEAD = 22, FAULTS = 3, FIRST_FAULT = 10, JOINTS = 31 };
enum { SAMPLES = 4, HALF = 8, PUBLISHED = 16, SKELETON = 32, RAW = 64, OTHER_SKELETON = 128 };

typedef struct folder {
    const uint8_t *head, *numbers;
    size_t numbers_size;
    uint32_t widths[4];
} folder;

/* FNV-1a of a file's name. */
static uint32_t hash(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++) {
        h = (h ^ (unsigned char)*name) * 16777619u;
    }
    return h;
}

/* Floats in a sound file of that name; 0 if a folder has none. */
static size_t sound_count(const folder *f, const char *name) {
    unsigned layer = 0, set = 0;
    char letter = 0, rest[8] = "";
    if (strcmp(name, "character_parents.bin") == 0) {
        return f->head[4] & SKELETON ? JOINTS : 0;
    }
    if (strcmp(name, "character_xforms.bin") == 0) {
        return f->head[4] & SKELETON ? 16 * JOINTS : 0;
    }
    if (name[0] == 'X' || name[0] == 'Y') {
        return f->widths[name[0] == 'X' ? 0 : 3];
    }
    if (sscanf(name, "%c%1u_%3u%7s", &letter, &layer, &set, rest) != 4 || layer > 2) {
        return 0;
    }
    return (size_t)f->widths[layer + 1] * (letter == 'W' ? f->widths[layer] : 1);
}

/* The fault of that file, or NULL. Files are told apart by bits of their names' hashes. */
static const uint8_t *fault_of(const folder *f, const char *name) {
    uint32_t which = hash(name) & 511;
    for (int i = 0; i < FAULTS; i++) {
        const uint8_t *fault = f->head + FIRST_FAULT + 4 * i;
        if (fault[2] && ((uint32_t)fault[0] | (uint32_t)fault[1] << 8) == which) {
            return fault;
        }
    }
    return NULL;
}

static gal_status file_size(void *context, const char *name, size_t *size, gal_error *error) {
    const folder *f = context;
    const uint8_t *fault = fault_of(f, name);
    *size = 4 * sound_count(f, name);
    if (*size == 0 || (fault && fault[2] == 1)) {
        return GAL_NOT_FOUND;
    }
    if (fault && fault[2] == 2) {
        return gali_fail(error, GAL_IO, "%s: no size", name);
    }
    if (fault && fault[2] == 3) {
        *size += fault[3];
    } else if (fault && fault[2] == 4) {
        *size -= fault[3] < *size ? fault[3] : *size;
    }
    return GAL_OK;
}

/* Small numbers from bytes, or four bytes as they are. */
static void number(const folder *f, const char *name, size_t i, uint8_t *bytes) {
    size_t start = hash(name) % 61 + 4 * i;
    uint8_t raw[4] = {0};
    for (size_t b = 0; b < 4 && f->numbers_size; b++) {
        raw[b] = f->numbers[(start + b) % f->numbers_size];
    }
    float value = (float)raw[0] / 64.0f - 2.0f;
    value = strstr(name, "std") ? value * value + 0.125f : value;
    if (f->head[4] & RAW) {
        memcpy(bytes, raw, 4);
    } else {
        memcpy(bytes, &value, 4);
    }
}

static void skeleton_number(const char *name, size_t i, uint8_t *bytes) {
    static const float parents[JOINTS] = {-1, 0,  1,  2,  3,  4,  0,  6,  7,  8,  9,  0,  11, 12, 13, 14,
                                          15, 13, 17, 18, 19, 20, 21, 20, 13, 24, 25, 26, 27, 28, 27};
    float value = strstr(name, "parents") ? parents[i] : i % 16 % 5 == 0 ? 1.0f : 0.0f;
    memcpy(bytes, &value, 4);
}

static gal_status file_read(void *context, const char *name, void *bytes, size_t size, gal_error *error) {
    const folder *f = context;
    const uint8_t *fault = fault_of(f, name);
    size_t count = sound_count(f, name);
    if (fault && fault[2] == 5) {
        return gali_fail(error, GAL_IO, "%s: no bytes", name);
    }
    require(size == 4 * count);
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = (uint8_t *)bytes + 4 * i;
        if (name[0] == 'c' && !(f->head[4] & OTHER_SKELETON)) {
            skeleton_number(name, i, at);
        } else {
            number(f, name, i, at);
        }
    }
    if (fault && fault[2] == 6) { /* one number that is none */
        memcpy((uint8_t *)bytes + 4 * (fault[3] % count), "\0\0\xC0\x7F", 4);
    }
    return GAL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    folder f = {.head = data, .numbers = data + HEAD, .numbers_size = size - HEAD};
    for (int i = 0; i < 4; i++) {
        f.widths[i] = 1 + data[i] % 8;
    }
    if (data[4] & PUBLISHED) {
        f.widths[0] = 342;
        f.widths[3] = 311;
    }
    gali_files files = {file_size, file_read, &f};
    gali_pfnn_desc desc = {.weights = &files, .gate = (gal_gate_kind)(data[4] & 3), .sets = data[5]};
    desc.use_samples = (data[4] & SAMPLES) != 0;
    desc.weight_type = data[4] & HALF ? GALI_WEIGHT_F16 : GALI_WEIGHT_F32;
    for (int i = 0; i < GALI_PFNN_POINTS; i++) {
        desc.samples[i] = data[6 + i];
    }
    void *image = NULL;
    size_t image_size = 0;
    gali_pfnn_report report;
    gal_error error = {0};
    if (gali_pfnn_import(&desc, &image, &image_size, &report, &error) == GAL_OK) {
        check_model(image, image_size);
        gali_release(NULL, image, image_size);
    } else {
        require(!image && error.message[0] != 0);
    }
    return 0;
}
