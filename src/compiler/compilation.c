#include "compiler/compilation.h"

#include <stdio.h>
#include <string.h>

void gali_compilation_name_layer(char name[GALI_LAYER_NAME_MAX + 1], int gate, uint32_t layer) {
    snprintf(name, GALI_LAYER_NAME_MAX + 1, "%s%u", gate ? "gate" : "layer", layer);
}

const gali_model_layer *gali_compilation_model_layer(const gali_compilation *c, const char *name) {
    const gali_gating *gating = &c->model.gating;
    const uint32_t gates = c->model.gate == GAL_GATE_NETWORK ? gating->layer_count : 0;
    for (uint32_t i = 0; i < gates + c->model.layer_count; i++) {
        const int gate = i < gates;
        char own[GALI_LAYER_NAME_MAX + 1];
        gali_compilation_name_layer(own, gate, gate ? i : i - gates);
        if (strcmp(own, name) == 0) {
            return gate ? &gating->layers[i] : &c->model.layers[i - gates];
        }
    }
    return NULL;
}

const gali_group *gali_compilation_layer(const gali_compilation *c, const char *name) {
    for (uint32_t i = 0; i < c->group_count; i++) {
        const gali_group *group = &c->groups[i];
        if (group->kind == GALI_GROUP_LAYER && strcmp(c->graph->nodes[group->first].name, name) == 0) {
            return group;
        }
    }
    return NULL;
}

const gali_layer_version *gali_layer_version_of(const gali_layer_schedule *layer, uint32_t characters) {
    uint32_t r = 0;
    while (r + 1 < layer->range_count && layer->ranges[r].most < characters) {
        r++;
    }
    return &layer->versions[layer->ranges[r].version];
}

void gali_compilation_release(gali_compilation *c) {
    for (uint32_t i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&c->parts[i]);
    }
    gali_arena_release(&c->arena);
}
