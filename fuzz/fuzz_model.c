/*
 * The model reader: as the bytes are, and once more with size and checksums made to fit, so that what lies
 * behind them is reached. What is read must be written and read again the same, and a network made of it
 * must run.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/memory.h"
#include "motion/contract.h"
#include "network/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

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

static void run_network(const gali_model *model, const uint8_t *file, size_t size) {
    gal_network *network = NULL;
    gal_error error = {0};
    if (gal_network_open_memory(&network, file, size, NULL, &error) != GAL_OK) {
        require(error.message[0] != 0);
        return;
    }
    size_t room = gal_network_workspace_size(network, 1);
    void *workspace = gali_allocate(NULL, room);
    float *x = calloc(model->inputs, sizeof *x), *y = calloc(model->outputs, sizeof *y);
    float *blend = calloc(model->experts, sizeof *blend), phase = 1;
    blend[0] = 1;
    gal_network_batch batch = {.count = 1, .x = x, .y = y};
    batch.phase = model->gate == GAL_GATE_CALLER || model->gate == GAL_GATE_NETWORK ? NULL : &phase;
    batch.blend = model->gate == GAL_GATE_CALLER ? blend : NULL;
    require(gal_network_run(network, &batch, workspace, room, &error) == GAL_OK);
    free(x);
    free(y);
    free(blend);
    gali_release(NULL, workspace, room);
    gal_network_close(network);
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
    run_network(&model, file, size);
    gali_contract *contract = NULL;
    if (model.contract) {
        gali_contract_parse(&contract, model.contract, model.contract_size, NULL, &error);
        gali_contract_release(contract, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    if (size) {
        memcpy(copy, data, size);
    }
    seal(copy, size);
    try_file(copy, size);
    free(copy);
    return 0;
}
