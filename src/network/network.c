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
#include "network/pack_sparse.h"

/* All that is packed, in the order of the allocation: the gating network's layers come first. */
typedef struct sources {
    gali_layer_list gate, main;
    uint32_t count, gating; /* all of them, and how many are the gate's */
    gali_pack_source list[GALI_NETWORK_LAYERS_MAX];
} sources;

/* Where the parts of the allocation start, in bytes; filled before anything is allocated. */
typedef struct memory_plan {
    size_t features[GALI_NETWORK_LAYERS_MAX], sources[GALI_NETWORK_LAYERS_MAX];
    size_t inputs[GALI_NETWORK_LAYERS_MAX], weights[GALI_NETWORK_LAYERS_MAX];
    size_t starts[GALI_NETWORK_LAYERS_MAX], patches[GALI_NETWORK_LAYERS_MAX]; /* of sparse layers, and */
    size_t blocks[GALI_NETWORK_LAYERS_MAX];
    size_t gate_normal, normal, scale;
    size_t whole;
    int has_scale;
} memory_plan;

static size_t reserve(memory_plan *at, size_t bytes) {
    size_t start = at->whole;
    at->whole = gali_size_align(gali_size_add(start, bytes), GALI_ALIGNMENT);
    return start;
}

/* Inputs of a layer that folds which are kept; `live`, if not NULL, gets their indices. */
static uint32_t list_live(uint32_t *live, const gali_model *model, const gali_pack_source *source) {
    uint32_t count = 0;
    if (gali_precision_is_narrow(source->precision)) {
        return gali_pack_narrow_live(model, source, live);
    }
    for (uint32_t k = 0; k < gali_pack_layer_of(source)->inputs; k++) {
        if (gali_pack_is_live(model, source, k)) {
            if (live) {
                live[count] = k;
            }
            count++;
        }
    }
    return count;
}

/* Whether a layer that could fold reads a live feature whose mean is to be subtracted first. */
static int reads_far(const gali_model *model, const gali_pack_source *source) {
    int far = 0;
    for (uint32_t k = 0; k < gali_pack_layer_of(source)->inputs; k++) {
        uint32_t feature = gali_pack_feature(source, k);
        far |= gali_pack_is_live(model, source, k) &&
               gali_wiring_is_far(gali_model_f32(model->input_mean, feature),
                                  gali_model_f32(model->input_std, feature));
    }
    return far;
}

/* The layers of a list that are to read normalised features; those of reduced precision subtract first in any case. */
static uint64_t list_apart(const gali_model *model, const gali_layer_list *list, const void *features,
                           const gal_network_desc *desc) {
    uint64_t apart = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const gali_pack_source source = {.list = *list, .index = i, .features = features};
        int whole = !gali_precision_is_narrow(gali_precision_of(desc, &list->layers[i]));
        apart |= (uint64_t)(whole && gali_wiring_folds(list, i) && reads_far(model, &source)) << i;
    }
    return apart;
}

static void add_sources(sources *s, const gali_model *model, gali_layer_list *list, const void *features,
                        const gal_network_desc *desc) {
    static const uint32_t counted = 0; /* live is not NULL, and filled later */
    list->apart = list_apart(model, list, features, desc);
    for (uint32_t i = 0; i < list->count; i++) {
        gali_pack_source *source = &s->list[s->count++];
        *source = (gali_pack_source){.list = *list, .index = i, .features = features};
        source->precision = gali_precision_of(desc, &list->layers[i]);
        if (gali_wiring_folds(list, i)) {
            source->live = &counted;
            source->live_count = list_live(NULL, model, source);
        }
    }
}

static void list_sources(sources *s, const gali_model *model, const gal_network_desc *desc) {
    static const gal_network_desc whole = {.precision = GAL_PRECISION_F32}; /* the gate's */
    const gali_gating *gating = &model->gating;
    s->count = 0;
    s->gating = model->gate == GAL_GATE_NETWORK ? gating->layer_count : 0;
    s->gate = gali_layer_list_gate(gating);
    s->gate.tag = "gate";
    s->gate.count = s->gating;
    s->main = gali_layer_list_main(model);
    s->main.tag = "network";
    add_sources(s, model, &s->gate, gating->features, &whole);
    add_sources(s, model, &s->main, NULL, desc);
    gali_pack_outside outside = gali_pack_scales_outside(model);
    s->list[s->count - 1].scale_output = !outside.scale;
    s->list[s->count - 1].shift_output = !outside.shift;
}

/* The plan: the table's, then measured or a record's where the desc says so. */
static gal_status make_plan(gali_plan *plan, const sources *s, gal_isa isa, const gal_network_desc *desc,
                            gal_error *error) {
    if ((unsigned)desc->form >= GAL_FORM_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "form %d: not a form", (int)desc->form);
    }
    *plan = (gali_plan){.isa = isa,
                        .kernels = gali_kernels_get(isa),
                        .narrow = gali_narrow_get(isa),
                        .gating = s->gating,
                        .count = s->count};
    for (uint32_t i = 0; i < s->count; i++) {
        plan->layers[i] = gali_pack_shape(&s->list[i]);
        if (desc->form == GAL_FORM_BLEND && gali_precision_is_narrow(s->list[i].precision)) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "form blend runs in f32 alone, layer %u is %s",
                             s->list[i].index, gal_precision_name(s->list[i].precision.precision));
        }
    }
    gali_plan_choose(plan, desc->form, gali_machine_l2());
    if (!desc->plan) {
        return GAL_OK;
    }
    return strcmp(desc->plan, GAL_PLAN_MEASURE) == 0 ? gali_plan_measure(plan, desc, error)
                                                     : gali_plan_parse(plan, desc->plan, error);
}

static uint32_t padded(uint32_t floats) {
    return (floats + 15u) & ~15u;
}

/* Layers of one list: those that do not fold read buffers, all but the network's last write to one. */
static void wire_list(gal_network *network, const gali_layer_list *list, uint32_t first, gali_normal *normal) {
    uint32_t buffer[GALI_LAYERS_MAX + 1];
    int is_gate = first < network->gating_count;
    gali_wiring_assign(&network->wiring, list, list->count + (uint32_t)is_gate, buffer);
    if (!is_gate) {
        buffer[list->count] = GALI_BUFFER_Y;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        network->feeds[first + i].buffer = buffer[i + 1];
    }
    if (gali_wiring_needs_normal(list)) {
        *normal = (gali_normal){.buffer = buffer[0], .count = list->width};
    }
}

static void fill_layers(gal_network *network, const gali_model *model, const sources *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const gali_model_layer *from = gali_pack_layer_of(&s->list[i]);
        gali_packed_layer *layer = &network->layers[i];
        *layer = gali_pack_planned(&network->plan.layers[i], network->kernels);
        if (layer->sparse) {
            layer->count =
                gali_pack_sparse(layer, &s->list[i], model, network->kernels->lanes, (gali_pack_patches){0});
        }
        layer->together = gali_pack_together(layer, network->kernels, gali_machine_l2());
        layer->reach = gali_pack_reach(layer, network->kernels, gali_machine_l2());
        layer->ahead = gali_cpu_ahead();
        layer->activation = from->activation;
        layer->slope = from->slope;
        layer->epsilon = from->epsilon;
        if (gali_precision_is_narrow(layer->precision)) {
            gali_pack_narrow_shape(layer);
            size_t size =
                gali_narrow_input_size(gali_precision_kind(layer->precision), layer->groups, layer->span);
            size = gali_size_align(size, GALI_ALIGNMENT);
            network->prepared = size > network->prepared ? size : network->prepared;
        }
    }
    if (s->gating) {
        wire_list(network, &s->gate, 0, &network->gate_normal);
    }
    wire_list(network, &s->main, s->gating, &network->normal);
    for (uint32_t b = 0; b < network->wiring.buffer_count; b++) {
        network->wiring.width[b] = padded(network->wiring.width[b]);
    }
}

static void fill_header(gal_network *network, const gali_model *model, const sources *s) {
    network->kernels = network->plan.kernels;
    network->narrow = network->plan.narrow;
    network->gate = model->gate;
    network->experts = model->experts;
    network->slots = gali_gate_slots(model->gate, model->experts);
    if (model->gating.top) {
        network->slots = model->gating.top;
    }
    network->inputs = model->inputs;
    network->outputs = model->outputs;
    for (uint32_t k = 0; k < model->inputs; k++) {
        network->live_inputs += gali_model_u32(model->input_state, k) == GALI_INPUT_LIVE;
    }
    network->gating_count = s->gating;
    network->layer_count = s->count;
    fill_layers(network, model, s);
}

static size_t normal_size(const gali_normal *normal) {
    return gali_size_mul(normal->count, sizeof(uint32_t) + 2 * sizeof(float));
}

static memory_plan plan_memory(gal_network *header, const gali_model *model, const sources *s) {
    memory_plan at = {.has_scale = gali_pack_scales_outside(model).shift};
    reserve(&at, sizeof(gal_network));
    for (uint32_t i = 0; i < s->count; i++) {
        const gali_model_layer *layer = gali_pack_layer_of(&s->list[i]);
        if (s->list[i].live) {
            at.features[i] = reserve(&at, gali_size_mul(s->list[i].live_count, sizeof(uint32_t)));
        } else {
            at.sources[i] = reserve(&at, gali_layer_source_count(layer) * sizeof(gali_source));
        }
    }
    at.gate_normal = reserve(&at, normal_size(&header->gate_normal));
    at.normal = reserve(&at, normal_size(&header->normal));
    at.scale = reserve(&at, at.has_scale ? gali_size_mul(header->outputs, 2 * sizeof(float)) : 0);
    for (uint32_t i = 0; i < s->count; i++) {
        const gali_packed_layer *layer = &header->layers[i];
        int narrow = gali_precision_is_narrow(layer->precision);
        at.inputs[i] = reserve(&at, narrow && s->list[i].live ? 2 * sizeof(float) * layer->inputs : 0);
        size_t floats = narrow ? 0 : gali_pack_floats(layer, header->kernels);
        at.starts[i] =
            reserve(&at, layer->sparse ? gali_size_mul(layer->panels + (size_t)1, sizeof(gali_pack_count)) : 0);
        at.patches[i] = reserve(&at, gali_size_mul(layer->count.patches, sizeof(uint32_t)));
        at.blocks[i] = reserve(&at, gali_size_mul(layer->count.blocks, sizeof(gali_narrow_block)));
        at.weights[i] = reserve(&at, narrow ? gali_pack_narrow_size(layer, header->narrow)
                                            : gali_size_mul(floats, sizeof(float)));
    }
    return at;
}

static void fill_scale(float *scale, const gali_model *model) {
    int scaled = gali_pack_scales_outside(model).scale;
    for (uint32_t n = 0; n < model->outputs; n++) {
        scale[n] = scaled ? gali_model_f32(model->output_std, n) : 1;
        scale[model->outputs + n] = gali_model_f32(model->output_mean, n);
    }
}

/* The same for a layer of reduced precision, whose inputs are listed. */
static gal_status fill_narrow(gal_network *network, const gali_model *model, const gali_pack_source *source,
                              const memory_plan *at, uint32_t i, gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    gali_packed_layer *layer = &network->layers[i];
    float *inputs = (float *)(void *)(base + at->inputs[i]);
    gal_status status = gali_pack_narrow(layer, source, model, network->narrow, base + at->weights[i],
                                         &network->allocator, error);
    if (source->live) {
        gali_pack_narrow_inputs(source, model, (uint32_t *)(void *)(base + at->features[i]), inputs,
                                inputs + layer->inputs);
        layer->shift = inputs;
        layer->factor = inputs + layer->inputs;
    }
    return status;
}

/* Packs layer i; the list of its live inputs counts them for that, then it names features. */
static gal_status fill_layer(gal_network *network, const gali_model *model, sources *s, const memory_plan *at,
                             uint32_t i, gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    gali_pack_source *source = &s->list[i];
    uint32_t *live = (uint32_t *)(void *)(base + at->features[i]);
    float *weights = (float *)(void *)(base + at->weights[i]);
    if (source->live) {
        list_live(live, model, source);
        source->live = live;
    }
    gali_packed_layer *layer = &network->layers[i];
    if (layer->sparse) {
        const gali_pack_patches lists = {(gali_pack_count *)(void *)(base + at->starts[i]),
                                         (uint32_t *)(void *)(base + at->patches[i]),
                                         (gali_narrow_block *)(void *)(base + at->blocks[i])};
        gali_pack_sparse(layer, source, model, network->kernels->lanes, lists);
        layer->starts = lists.starts;
        layer->patches = lists.patches;
        layer->blocks = lists.blocks;
    }
    if (gali_precision_is_narrow(source->precision)) {
        return fill_narrow(network, model, source, at, i, error);
    }
    layer->weights = weights;
    gal_status status = gali_pack_layer(layer, source, model, network->kernels, weights, error);
    for (uint32_t k = 0; k < source->live_count; k++) {
        live[k] = gali_pack_feature(source, live[k]);
    }
    return status;
}

/* Buffer of a value that a layer of the list that starts at layer `first` makes, or of its value 0. */
static uint32_t buffer_of(const gal_network *network, uint32_t first, uint32_t value) {
    if (value == 0) {
        return first < network->gating_count ? network->gate_normal.buffer : network->normal.buffer;
    }
    return network->feeds[first + value - 1].buffer;
}

static int is_run(const uint32_t *features, uint32_t count) {
    int run = 1;
    for (uint32_t i = 1; i < count; i++) {
        run &= features[i] == features[0] + i;
    }
    return run;
}

/* Where layer i finds its input. */
static void fill_feed(gal_network *network, const sources *s, const memory_plan *at, uint32_t i) {
    unsigned char *base = (unsigned char *)network;
    const gali_pack_source *from = &s->list[i];
    gali_feed *feed = &network->feeds[i];
    uint32_t width = network->layers[i].inputs;
    if (from->live) {
        feed->features = (const uint32_t *)(const void *)(base + at->features[i]);
        feed->in_place = is_run(feed->features, width);
    } else {
        gali_source *slices = (gali_source *)(void *)(base + at->sources[i]);
        feed->source_count = gali_layer_source_count(gali_pack_layer_of(from));
        for (uint32_t k = 0; k < feed->source_count; k++) {
            slices[k] = gali_layer_source(&from->list, from->index, k);
            slices[k].value = buffer_of(network, i - from->index, slices[k].value);
        }
        feed->sources = slices;
        feed->in_place = feed->source_count == 1;
    }
    if (!feed->in_place && padded(width) > network->joined) {
        network->joined = padded(width);
    }
}

/* features[count], mean[count], std[count] of a list's value 0. */
static void fill_normal(gali_normal *normal, unsigned char *memory, const gali_model *model,
                        const gali_pack_source *first) {
    uint32_t *features = (uint32_t *)(void *)memory;
    float *mean = (float *)(void *)(features + normal->count), *std = mean + normal->count;
    for (uint32_t i = 0; i < normal->count; i++) {
        uint32_t k = features[i] = gali_pack_value_feature(first, i);
        uint32_t state = gali_model_u32(model->input_state, k);
        mean[i] = gali_model_f32(model->input_mean, k);
        std[i] = gali_model_f32(model->input_std, k);
        if (state != GALI_INPUT_LIVE) {
            double constant = (double)gali_model_f32(model->input_constant, k) - (double)mean[i];
            mean[i] = state == GALI_INPUT_CONSTANT ? (float)(constant / (double)std[i]) : 0;
            std[i] = 0;
        }
    }
    normal->features = features;
    normal->mean = mean;
    normal->std = std;
}

static gal_status fill_network(gal_network *network, const gali_model *model, sources *s, const memory_plan *at,
                               gal_error *error) {
    unsigned char *base = (unsigned char *)network;
    gal_status status = GAL_OK;
    if (s->gating) {
        fill_normal(&network->gate_normal, base + at->gate_normal, model, &s->list[0]);
    }
    fill_normal(&network->normal, base + at->normal, model, &s->list[s->gating]);
    if (at->has_scale) {
        float *scale = (float *)(void *)(base + at->scale);
        fill_scale(scale, model);
        network->output_scale = scale;
    }
    for (uint32_t i = 0; i < s->count && status == GAL_OK; i++) {
        status = fill_layer(network, model, s, at, i, error);
        fill_feed(network, s, at, i);
    }
    return status;
}

static gal_network_desc resolve_network(const gal_network_desc *desc) {
    gal_network_desc all;
    gali_desc_read(&all, sizeof all, desc, desc ? desc->struct_size : 0);
    return all;
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
    gal_network header = {0};
    sources s;
    status = gali_precision_check(&all, error);
    if (status != GAL_OK) {
        return status;
    }
    list_sources(&s, model, &all);
    status = make_plan(&header.plan, &s, isa, &all, error);
    if (status != GAL_OK) {
        return status;
    }
    fill_header(&header, model, &s);
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
        gal_error inner = {0};
        status = gal_network_open_memory(out, data, size, desc, &inner);
        gali_release(allocator, data, size);
        if (status != GAL_OK) {
            return gali_fail_in_file(error, path, &inner);
        }
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

/* Of the layer with the most weights, the gate's left out. */
static gal_precision precision_of(const gal_network *network) {
    const gali_packed_layer *most = &network->layers[network->gating_count];
    for (uint32_t i = network->gating_count; i < network->layer_count; i++) {
        const gali_packed_layer *layer = &network->layers[i];
        most = gali_pack_parameters(layer, network->kernels) > gali_pack_parameters(most, network->kernels)
                   ? layer
                   : most;
    }
    return most->precision.precision;
}

gal_network_info gal_network_get_info(const gal_network *network) {
    gal_network_info info = {
        .inputs = network->inputs,
        .outputs = network->outputs,
        .live_inputs = network->live_inputs,
        .layers = network->layer_count - network->gating_count,
        .gate = network->gate,
        .experts = network->experts,
        .memory = network->memory,
        .isa = network->plan.isa,
        .precision = precision_of(network),
    };
    for (uint32_t i = 0; i < network->layer_count; i++) {
        info.parameters += gali_pack_parameters(&network->layers[i], network->kernels);
    }
    return info;
}
