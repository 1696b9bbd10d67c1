/* Opening networks: read the model, choose the kernels, lay out one allocation, pack into it. run.c runs it. */
#include "network/network.h"

#include <stdint.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "network/gate.h"

/* All that is packed, in the order of the allocation: the gating network's layers come first. */
typedef struct sources {
    uint32_t count, gating; /* all of them, and how many are the gate's */
    gali_pack_source list[GALI_GATING_LAYERS_MAX + GALI_LAYERS_MAX];
} sources;

/* Where the parts of the allocation start, in bytes; filled before anything is allocated. */
typedef struct memory_plan {
    size_t live, gate_live, scale, weights[GALI_GATING_LAYERS_MAX + GALI_LAYERS_MAX];
    size_t whole;
    int has_scale;
} memory_plan;

static size_t reserve(memory_plan *at, size_t bytes) {
    size_t start = at->whole;
    at->whole = gali_size_align(gali_size_add(start, bytes), GALI_ALIGNMENT);
    return start;
}

static int is_live(const gali_model *model, const gali_pack_source *source, uint32_t k) {
    return gali_model_u32(model->input_state, gali_pack_feature(source, k)) == GALI_INPUT_LIVE;
}

static void add_source(sources *s, const gali_model *model, const gali_model_layer *layer, const char *name,
                       uint32_t index, const void *features) {
    static const uint32_t counted = 0; /* live is not NULL, and filled later */
    gali_pack_source *source = &s->list[s->count++];
    *source = (gali_pack_source){.layer = layer, .features = features, .name = name, .index = index};
    if (index > 0) {
        return;
    }
    source->live = &counted;
    for (uint32_t k = 0; k < layer->inputs; k++) {
        source->live_count += (uint32_t)is_live(model, source, k);
    }
}

static void list_sources(sources *s, const gali_model *model) {
    s->count = 0;
    s->gating = model->gate == GAL_GATE_NETWORK ? model->gating.layer_count : 0;
    for (uint32_t i = 0; i < s->gating; i++) {
        add_source(s, model, &model->gating.layers[i], "gate layer", i, model->gating.features);
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        add_source(s, model, &model->layers[i], "layer", i, NULL);
    }
    gali_pack_outside outside = gali_pack_scales_outside(model);
    s->list[s->count - 1].scale_output = !outside.scale;
    s->list[s->count - 1].shift_output = !outside.shift;
}

/* The packed layer of a source: gating layers first. */
static gali_packed_layer *packed_of(gal_network *network, const sources *s, uint32_t i) {
    return i < s->gating ? &network->gating.layers[i] : &network->layers[i - s->gating];
}

/* The plan: the table's, then measured or a record's where the desc says so. */
static gal_status make_plan(gali_plan *plan, const sources *s, const gali_kernels *kernels,
                            const gal_network_desc *desc, gal_error *error) {
    if ((unsigned)desc->form >= GAL_FORM_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "form %d: not a form", (int)desc->form);
    }
    *plan = (gali_plan){.kernels = kernels, .gating = s->gating, .count = s->count};
    for (uint32_t i = 0; i < s->count; i++) {
        plan->layers[i] = gali_pack_shape(&s->list[i]);
    }
    gali_plan_choose(plan, desc->form, gali_machine_l2());
    if (!desc->plan) {
        return GAL_OK;
    }
    return strcmp(desc->plan, GAL_PLAN_MEASURE) == 0 ? gali_plan_measure(plan, desc, error)
                                                     : gali_plan_parse(plan, desc->plan, error);
}

static void fill_header(gal_network *network, const gali_model *model, const sources *s,
                        const gali_kernels *kernels) {
    network->kernels = kernels;
    network->gate = model->gate;
    network->experts = model->experts;
    network->slots = gali_gate_slots(model->gate, model->experts);
    if (model->gating.top) {
        network->slots = model->gating.top;
    }
    network->inputs = model->inputs;
    network->outputs = model->outputs;
    network->live.count = s->list[s->gating].live_count;
    network->layer_count = model->layer_count;
    network->gating.layer_count = s->gating;
    network->gating.live.count = s->gating ? s->list[0].live_count : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        gali_packed_layer *layer = packed_of(network, s, i);
        *layer = gali_pack_planned(&network->plan.layers[i], kernels);
        layer->activation = s->list[i].layer->activation;
        uint32_t padded = (layer->outputs + 15u) & ~15u;
        if (i + 1 < s->count && padded > network->hidden) {
            network->hidden = padded;
        }
    }
}

static memory_plan plan_memory(gal_network *header, const gali_model *model, const sources *s) {
    memory_plan at = {.has_scale = gali_pack_scales_outside(model).shift};
    reserve(&at, sizeof(gal_network));
    at.live = reserve(&at, gali_size_mul(header->live.count, sizeof(uint32_t)));
    at.gate_live = reserve(&at, gali_size_mul(header->gating.live.count, sizeof(uint32_t)));
    at.scale = reserve(&at, at.has_scale ? gali_size_mul(header->outputs, 2 * sizeof(float)) : 0);
    for (uint32_t i = 0; i < s->count; i++) {
        size_t floats = gali_pack_floats(packed_of(header, s, i), header->kernels);
        at.weights[i] = reserve(&at, gali_size_mul(floats, sizeof(float)));
    }
    return at;
}

/* The live inputs of a first layer. */
static void fill_live(uint32_t *live, const gali_model *model, const gali_pack_source *source) {
    for (uint32_t k = 0; k < source->layer->inputs; k++) {
        if (is_live(model, source, k)) {
            *live++ = k;
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

/* Packs every layer; the lists of live inputs are inputs of the layers while that lasts. */
static gal_status fill_weights(gal_network *network, const gali_model *model, const sources *s,
                               const memory_plan *at, gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    for (uint32_t i = 0; i < s->count; i++) {
        float *weights = (float *)(void *)(base + at->weights[i]);
        gali_packed_layer *layer = packed_of(network, s, i);
        gal_status status = gali_pack_layer(layer, &s->list[i], model, network->kernels, weights, error);
        if (status != GAL_OK) {
            return status;
        }
        layer->weights = weights;
    }
    return GAL_OK;
}

/* From inputs of the gating network's first layer to features of x. */
static void name_features(uint32_t *live, uint32_t count, const gali_pack_source *source) {
    for (uint32_t i = 0; i < count; i++) {
        live[i] = gali_pack_feature(source, live[i]);
    }
}

static gal_status fill_network(gal_network *network, const gali_model *model, sources *s, const memory_plan *at,
                               gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    uint32_t *live = (uint32_t *)(void *)(base + at->live), *gate = (uint32_t *)(void *)(base + at->gate_live);
    fill_live(live, model, &s->list[s->gating]);
    s->list[s->gating].live = live;
    network->live.features = live;
    if (s->gating) {
        fill_live(gate, model, &s->list[0]);
        s->list[0].live = gate;
        network->gating.live.features = gate;
    }
    if (at->has_scale) {
        float *scale = (float *)(void *)(base + at->scale);
        fill_scale(scale, model);
        network->output_scale = scale;
    }
    gal_status status = fill_weights(network, model, s, at, error);
    if (s->gating) {
        name_features(gate, network->gating.live.count, &s->list[0]);
    }
    return status;
}

static gal_network_desc resolve_network(const gal_network_desc *desc) {
    gal_network_desc all;
    gali_desc_read(&all, sizeof all, desc, desc ? desc->structSize : 0);
    return all;
}

/* Whether the layers are a chain of dense ones with activations that there are kernels for. */
static int is_chain(const gali_model_layer *layers, uint32_t count) {
    int chain = 1;
    for (uint32_t i = 0; i < count; i++) {
        chain &= layers[i].kind == GALI_LAYER_DENSE && layers[i].source_count == 0 &&
                 layers[i].activation <= GALI_ACTIVATION_ELU;
    }
    return chain;
}

gal_status gali_network_make(gal_network **out, const gali_model *model, const gal_network_desc *desc,
                             gal_error *error) {
    const gal_network_desc all = resolve_network(desc);
    const gal_allocator *allocator = all.allocator;
    gal_isa isa;
    gal_status status = gali_cpu_choose(all.isa, &isa, error);
    if (status != GAL_OK) {
        return status;
    }
    if (!is_chain(model->layers, model->layer_count) ||
        !is_chain(model->gating.layers, model->gating.layer_count)) {
        return gali_fail(error, GAL_UNSUPPORTED, "a kind of layer or an activation that cannot be run yet");
    }
    gal_network header = {0};
    sources s;
    list_sources(&s, model);
    status = make_plan(&header.plan, &s, gali_kernels_get(isa), &all, error);
    if (status != GAL_OK) {
        return status;
    }
    fill_header(&header, model, &s, header.plan.kernels);
    memory_plan at = plan_memory(&header, model, &s);
    gal_network *network = gali_machine_allocate(allocator, at.whole, all.small_pages != 0);
    if (!network) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a network of %zu bytes", at.whole);
    }
    *network = header;
    network->memory = at.whole;
    network->allocator = allocator ? *allocator : (gal_allocator){0};
    status = fill_network(network, model, &s, &at, error);
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

size_t gal_network_plan_text(const gal_network *network, char *buffer, size_t size) {
    return gali_plan_print(&network->plan, buffer, size);
}

static uint64_t parameters(const gali_packed_layer *layers, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += (uint64_t)layers[i].experts * layers[i].outputs * (layers[i].inputs + (uint64_t)1);
    }
    return sum;
}

gal_network_info gal_network_get_info(const gal_network *network) {
    gal_network_info info = {
        .inputs = network->inputs,
        .outputs = network->outputs,
        .live_inputs = network->live.count,
        .layers = network->layer_count,
        .gate = network->gate,
        .experts = network->experts,
        .memory = network->memory,
        .isa = network->kernels->isa,
    };
    info.parameters = parameters(network->gating.layers, network->gating.layer_count) +
                      parameters(network->layers, network->layer_count);
    return info;
}
