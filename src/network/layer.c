#include "network/layer.h"

static const gali_layer_ops *const layer_ops[GALI_LAYER_KIND_COUNT] = {
#define LAYER(id, name, formula) [GALI_LAYER_##id] = &gali_layer_##name,
#include "network/layers.def"
#undef LAYER
};

const gali_layer_ops *gali_layer_ops_of(gali_layer_kind kind) {
    return layer_ops[kind];
}

int gali_layer_has_panels(gali_layer_kind kind) {
    return layer_ops[kind]->run == NULL;
}

uint32_t gali_layer_columns(gali_layer_kind kind, uint32_t inputs) {
    return layer_ops[kind]->columns ? layer_ops[kind]->columns(inputs) : 0;
}

uint32_t gali_layer_value_width(const gali_layer_list *list, uint32_t value) {
    return value == 0 ? list->width : list->layers[value - 1].outputs;
}

uint32_t gali_layer_source_count(const gali_model_layer *layer) {
    return layer->source_count ? layer->source_count : 1;
}

gali_source gali_layer_source(const gali_layer_list *list, uint32_t index, uint32_t i) {
    return list->layers[index].source_count ? gali_model_source(&list->layers[index], i)
                                            : (gali_source){index, 0, gali_layer_value_width(list, index)};
}

int gali_layer_reads(const gali_layer_list *list, uint32_t index, uint32_t value) {
    int any = 0;
    for (uint32_t s = 0; s < gali_layer_source_count(&list->layers[index]); s++) {
        any |= gali_layer_source(list, index, s).value == value;
    }
    return any;
}

gali_layer_list gali_layer_list_main(const gali_model *model) {
    return (gali_layer_list){.tag = "LAYR",
                             .layers = model->layers,
                             .count = model->layer_count,
                             .width = model->inputs,
                             .experts = model->experts};
}

gali_layer_list gali_layer_list_gate(const gali_gating *gating) {
    return (gali_layer_list){.tag = "GATE",
                             .layers = gating->layers,
                             .count = gating->layer_count,
                             .width = gating->input_count,
                             .experts = 1};
}
