#include "compiler/compilation.h"

#include <stdio.h>
#include <string.h>

void gali_compilation_name_layer(char name[GALI_LAYER_NAME_MAX + 1], int gate, uint32_t layer) {
    snprintf(name, GALI_LAYER_NAME_MAX + 1, "%s%u", gate ? "gate" : "layer", layer);
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

gali_row_place gali_row_place_of(const gali_graph *graph, uint32_t value) {
    gali_row_place place = {.value = value};
    for (const gali_value *v = &graph->values[value]; v->node != GALI_NONE; v = &graph->values[place.value]) {
        const gali_node *node = &graph->nodes[v->node];
        if (node->op != GALI_OP_Slice && node->op != GALI_OP_Reshape) {
            break;
        }
        place.value = node->operands[0];
        place.first += node->op == GALI_OP_Reshape
                           ? 0
                           : (uint32_t)gali_constant_whole(&graph->values[node->operands[1]], 0);
    }
    return place;
}

uint32_t gali_row_width(const gali_graph *graph, uint32_t value) {
    const gali_type *type = &graph->values[value].type;
    uint32_t width = 1;
    for (int d = 1; d < type->rank; d++) {
        width *= (uint32_t)type->shape[d];
    }
    return width;
}

uint32_t gali_value_uses(const gali_graph *graph, uint32_t value) {
    uint32_t uses = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uses += graph->outputs[i] == value;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count; o++) {
            uses += graph->nodes[i].operands[o] == value;
        }
    }
    return uses;
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
