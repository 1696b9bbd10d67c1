/* Drops what the outputs do not need; inputs stay, they are the interface. */
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"

/* Whether the node makes a value that is needed. */
static int makes_needed(const gali_node *node, const unsigned char *needed) {
    int makes = 0;
    for (uint32_t i = 0; i < node->result_count; i++) {
        makes |= needed[node->results[i]];
    }
    return makes;
}

gal_status gali_pass_sweep(gali_compilation *c, gal_error *error) {
    const gali_graph *graph = c->graph;
    gali_builder b = gali_build_start(&c->arena, graph, error);
    uint32_t *map = gali_build_map(&b, graph);
    unsigned char *needed = gali_build_take(&b, graph->value_count, 1);
    for (uint32_t i = 0; needed && i < graph->output_count; i++) {
        needed[graph->outputs[i]] = 1;
    }
    for (uint32_t i = graph->node_count; needed && i-- > 0;) {
        const gali_node *node = &graph->nodes[i];
        for (uint32_t o = 0; makes_needed(node, needed) && o < node->operand_count; o++) {
            if (node->operands[o] != GALI_NONE) {
                needed[node->operands[o]] = 1;
            }
        }
    }
    for (uint32_t i = 0; i < graph->node_count && b.status == GAL_OK; i++) {
        if (makes_needed(&graph->nodes[i], needed)) {
            gali_build_copy(&b, graph, i, map);
        }
    }
    if (gali_build_end(&b, graph, map) == GAL_OK) {
        c->graph = b.graph;
    }
    return b.status;
}
