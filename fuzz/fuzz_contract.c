/* The contract's parser, everything that is asked of what it took, and characters of it, where they can walk. */
#define _POSIX_C_SOURCE 200112L
#include <string.h>

#include "contract/contract.h"
#include "exercise.h"
#include "synthetic.h"

/* Blocks are in order and without gaps, and their indices in range. */
static void check_blocks(const gali_contract *c, const gali_block *blocks, uint32_t count, uint32_t features) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        require(blocks[i].offset == at && blocks[i].count > 0);
        require(blocks[i].kind != GALI_BLOCK_TRAJECTORY_GAIT || blocks[i].index < c->gait_count);
        require(blocks[i].kind != GALI_BLOCK_CONTACT || blocks[i].index < c->joint_count);
        at += blocks[i].count;
    }
    require(at == features && at <= 65536);
}

static void check_names(const gali_contract *c) {
    char text[160];
    for (uint32_t i = 0; i <= c->inputs; i += 1 + c->inputs / 64) {
        gali_contract_input_name(c, i, text, sizeof text);
        require((strcmp(text, "?") == 0) == (i == c->inputs));
    }
    for (uint32_t i = 0; i <= c->outputs; i += 1 + c->outputs / 64) {
        gali_contract_output_name(c, i, text, sizeof text);
        require((strcmp(text, "?") == 0) == (i == c->outputs));
    }
}

/* A controller of that text: a layer of random weights whose mean output, the rest pose, is anything in odd texts. */
static void walk(const gali_contract *c, const uint8_t *text, size_t size) {
    const synthetic_desc desc = {.gate = size & 2 ? GAL_GATE_CUBIC : GAL_GATE_CALLER,
                                 .experts = size & 2 ? 4 : 1,
                                 .layers = 1,
                                 .width = {c->inputs, c->outputs},
                                 .seed = size};
    if ((size_t)c->inputs * c->outputs > 1 << 15) {
        return;
    }
    synthetic s = synthetic_make(&desc);
    float *mean = (float *)(uintptr_t)s.model.output_mean;
    for (uint32_t i = 0; size & 1 && i < c->outputs; i++) {
        const float wild = exercise_wild(i + size);
        mean[i] = isfinite(wild) ? wild : 1;
    }
    s.model.contract = (const char *)text;
    s.model.contract_size = size;
    size_t bytes;
    unsigned char *file = synthetic_bytes(&s, &bytes);
    exercise_controller(file, bytes, (gal_network_desc){0});
    free(file);
    synthetic_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_contract *contract = NULL;
    gal_error error = {0};
    gal_status status = gali_contract_parse(&contract, (const char *)data, size, NULL, &error);
    if (status != GAL_OK) {
        require(status == GAL_BAD_DATA && !contract && error.message[0] != 0);
        return 0;
    }
    check_blocks(contract, contract->input_blocks, contract->input_block_count, contract->inputs);
    check_blocks(contract, contract->output_blocks, contract->output_block_count, contract->outputs);
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        require(contract->joints[i].parent < (int32_t)i);
    }
    check_names(contract);
    status = gali_contract_complete(contract, GAL_GATE_CUBIC, &error);
    require(status == GAL_OK || (status == GAL_BAD_DATA && error.message[0] != 0));
    if (contract->inputs > 0 && contract->outputs > 0) {
        walk(contract, data, size);
    }
    gali_contract_release(contract, NULL);
    return 0;
}
