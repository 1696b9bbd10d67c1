#include "compiler/row.h"

int gali_row_is_place(const gali_node *node) {
    return node->op == GALI_OP_Slice || node->op == GALI_OP_Reshape;
}

gali_row_place gali_row_place_of(const gali_graph *graph, uint32_t value) {
    gali_row_place place = {.value = value};
    for (const gali_value *v = &graph->values[value]; v->node != GALI_NONE; v = &graph->values[place.value]) {
        const gali_node *node = &graph->nodes[v->node];
        if (!gali_row_is_place(node)) {
            break;
        }
        place.value = node->operands[0];
        if (node->op == GALI_OP_Slice) {
            place.first += (uint32_t)gali_constant_whole(&graph->values[node->operands[1]], 0);
        }
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
