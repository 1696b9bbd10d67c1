/* Opening networks: read the model, choose the kernels, lay out one allocation, pack into it. run.c runs it. */
#include "network/network.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "cpu/cpu.h"
#include "network/gate.h"

/* Where the parts of the allocation start, in bytes; filled before anything is allocated. */
typedef struct layout {
    size_t live, scale, weights[GALI_LAYERS_MAX];
    size_t whole;
    int has_scale;
} layout;

static size_t place(layout *at, size_t bytes) {
    size_t start = at->whole;
    at->whole = gali_size_align(gali_size_add(start, bytes), GALI_ALIGNMENT);
    return start;
}

static uint32_t count_live(const gali_model *model) {
    uint32_t live = 0;
    for (uint32_t i = 0; i < model->inputs; i++) {
        live += gali_model_u32(model->input_state, i) == GALI_INPUT_LIVE;
    }
    return live;
}

static void fill_header(gal_network *network, const gali_model *model, const gali_kernels *kernels) {
    memset(network, 0, sizeof *network);
    network->kernels = kernels;
    network->gate = model->gate;
    network->experts = model->experts;
    network->slots = gali_gate_slots(model->gate, model->experts);
    network->inputs = model->inputs;
    network->outputs = model->outputs;
    network->live_count = count_live(model);
    network->layer_count = model->layer_count;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        network->layers[i] = gali_pack_shape(model, i, kernels, network->live_count);
        uint32_t padded = (network->layers[i].outputs + 15u) & ~15u;
        if (i + 1 < model->layer_count && padded > network->hidden) {
            network->hidden = padded;
        }
    }
}

static layout plan_memory(const gal_network *header, const gali_model *model) {
    layout at = {.has_scale = gali_pack_scales_outside(model).shift};
    place(&at, sizeof(gal_network));
    at.live = place(&at, gali_size_mul(header->live_count, sizeof(uint32_t)));
    at.scale = place(&at, at.has_scale ? gali_size_mul(header->outputs, 2 * sizeof(float)) : 0);
    for (uint32_t i = 0; i < header->layer_count; i++) {
        size_t floats = gali_pack_floats(&header->layers[i], header->kernels);
        at.weights[i] = place(&at, gali_size_mul(floats, sizeof(float)));
    }
    return at;
}

static void fill_live(uint32_t *live, const gali_model *model) {
    for (uint32_t i = 0; i < model->inputs; i++) {
        if (gali_model_u32(model->input_state, i) == GALI_INPUT_LIVE) {
            *live++ = i;
        }
    }
}

static void fill_scale(float *scale, const gali_model *model) {
    int scaled = gali_pack_scales_outside(model).scale;
    for (uint32_t n = 0; n < model->outputs; n++) {
        scale[n] = scaled ? gali_model_f32(model->output_std, n) : 1;
        scale[model->outputs + n] = gali_model_f32(model->output_mean, n);
    }
}

static gal_status fill(gal_network *network, const gali_model *model, const layout *at, gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    uint32_t *live = (uint32_t *)(void *)(base + at->live);
    fill_live(live, model);
    network->live = live;
    if (at->has_scale) {
        float *scale = (float *)(void *)(base + at->scale);
        fill_scale(scale, model);
        network->output_scale = scale;
    }
    for (uint32_t i = 0; i < network->layer_count; i++) {
        float *weights = (float *)(void *)(base + at->weights[i]);
        gal_status status =
            gali_pack_layer(&network->layers[i], model, i, live, network->kernels, weights, error);
        if (status != GAL_OK) {
            return status;
        }
        network->layers[i].weights = weights;
    }
    return GAL_OK;
}

gal_status gali_network_make(gal_network **out, const gali_model *model, const gal_network_desc *desc,
                             gal_error *error) {
    const gal_allocator *allocator = desc ? desc->allocator : NULL;
    gal_isa isa;
    gal_status status = gali_cpu_choose(desc ? desc->isa : GAL_ISA_BEST, &isa, error);
    if (status != GAL_OK) {
        return status;
    }
    gal_network header;
    fill_header(&header, model, gali_kernels_get(isa));
    layout at = plan_memory(&header, model);
    gal_network *network = gali_allocate(allocator, at.whole);
    if (!network) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a network of %zu bytes", at.whole);
    }
    *network = header;
    network->memory = at.whole;
    network->allocator = allocator ? *allocator : (gal_allocator){0};
    status = fill(network, model, &at, error);
    if (status != GAL_OK) {
        gal_network_close(network);
        return status;
    }
    *out = network;
    return GAL_OK;
}

gal_status gal_network_open_memory(gal_network **out, const void *data, size_t size,
                                   const gal_network_desc *desc, gal_error *error) {
    *out = NULL;
    gali_model model;
    gal_status status = gali_model_read(&model, data, size, error);
    return status == GAL_OK ? gali_network_make(out, &model, desc, error) : status;
}

gal_status gal_network_open(gal_network **out, const char *path, const gal_network_desc *desc,
                            gal_error *error) {
    *out = NULL;
    const gal_allocator *allocator = desc ? desc->allocator : NULL;
    void *data;
    size_t size;
    gal_status status = gali_file_read(path, GALI_FILE_MAX, allocator, &data, &size, error);
    if (status == GAL_OK) {
        status = gal_network_open_memory(out, data, size, desc, error);
        gali_release(allocator, data, size);
    }
    return status;
}

void gal_network_close(gal_network *network) {
    if (network) {
        gal_allocator allocator = network->allocator;
        gali_release(&allocator, network, network->memory);
    }
}

gal_network_info gal_network_get_info(const gal_network *network) {
    gal_network_info info = {
        .inputs = network->inputs,
        .outputs = network->outputs,
        .live_inputs = network->live_count,
        .layers = network->layer_count,
        .gate = network->gate,
        .experts = network->experts,
        .memory = network->memory,
        .isa = network->kernels->isa,
    };
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const gali_packed_layer *layer = &network->layers[i];
        info.parameters += (uint64_t)layer->experts * layer->outputs * (layer->inputs + (uint64_t)1);
    }
    return info;
}
