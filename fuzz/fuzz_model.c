/*
 * The model reader: as the bytes are, and once more with size and checksums made to fit, so that what lies
 * behind them is reached. What is read must be written and read again the same, run in every way, walk if it has a
 * contract, and compile.
 */
#define _POSIX_C_SOURCE 200112L
#include <string.h>

#include "base/crc32.h"
#include "exercise.h"
#include "gallop/compiler.h"
#include "network/model.h"

static void put(uint8_t *at, uint64_t value, int width) {
    for (int i = 0; i < width; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static void seal(uint8_t *file, size_t size) {
    uint64_t count = size < 32 ? 0 : get(file + 12, 4);
    if (count < 1 || count > 16 || 32 + 32 * count > size) {
        return;
    }
    put(file + 16, size, 8);
    for (uint8_t *entry = file + 32; entry < file + 32 + 32 * count; entry += 32) {
        uint64_t offset = get(entry + 8, 8), length = get(entry + 16, 8);
        if (offset <= size && length <= size - offset) {
            put(entry + 4, gali_crc32(file + offset, (size_t)length), 4);
        }
    }
    put(file + 24, gali_crc32(file + 32, (size_t)(32 * count)), 4);
}

/* To C for one of the targets, by the file's length; of a large file none. */
static void compile(const uint8_t *file, size_t size) {
    gal_compiled *compiled = NULL;
    gal_error error = {0};
    uint32_t targets = 0;
    while (gal_compile_target_name(targets)) {
        targets++;
    }
    const gal_compile_desc desc = {.target = gal_compile_target_name((uint32_t)size % targets),
                                   .plain_loops = size / targets % 2};
    if (size > 4096) {
        return;
    }
    if (gal_compile(&compiled, file, size, &desc, &error) != GAL_OK) {
        require(!compiled && error.message[0] != 0);
        return;
    }
    gal_compiled_free(compiled);
}

static void write_again(const gali_model *model) {
    size_t size = gali_model_write_size(model);
    require(size > 0);
    uint8_t *first = malloc(size), *second = malloc(size);
    gali_model again;
    gali_model_write(model, first);
    require(gali_model_read(&again, first, size, NULL) == GAL_OK);
    require(gali_model_write_size(&again) == size);
    gali_model_write(&again, second);
    require(memcmp(first, second, size) == 0);
    free(first);
    free(second);
}

static void try_file(const uint8_t *file, size_t size) {
    gali_model model;
    gal_error error = {0};
    if (gali_model_read(&model, file, size, &error) != GAL_OK) {
        require(error.status == GAL_BAD_DATA && error.message[0] != 0);
        return;
    }
    write_again(&model);
    exercise_network(file, size);
    exercise_controller(file, size, (gal_network_desc){0});
    exercise_controller(file, size, (gal_network_desc){.precision = GAL_PRECISION_INT8, .isa = GAL_ISA_SCALAR});
    compile(file, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    if (size) {
        memcpy(copy, data, size);
    }
    seal(copy, size);
    if (size && memcmp(copy, data, size) != 0) {
        try_file(copy, size);
    }
    free(copy);
    return 0;
}
