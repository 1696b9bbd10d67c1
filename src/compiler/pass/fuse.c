/* activate(dense) -> dense with the activation, where nothing else reads the bare sums. Softmax looks at a whole row
 * and stays. */
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"

static int fuses(const gali_net *graph, const gali_net_node *activate) {
    uint32_t before = activate->operands[0];
    const gali_net_node *layer = &graph->nodes[before];
    return (layer->op == GALI_NET_OP_dense || layer->op == GALI_NET_OP_blended_dense) &&
           layer->attributes[GALI_NET_ATTRIBUTE_activation] == GALI_ACTIVATION_NONE &&
           activate->attributes[GALI_NET_ATTRIBUTE_activation] != GALI_ACTIVATION_SOFTMAX &&
           gali_net_uses(graph, before) == 1;
}

gal_status gali_pass_fuse(gali_compilation *c, gal_error *error) {
    const gali_net *graph = c->graph;
    gali_builder b = gali_build_start(&c->arena, graph->least, graph->most, error);
    uint32_t *map = gali_build_values(&b, graph->count);
    for (uint32_t i = 0; i < graph->count && b.status == GAL_OK; i++) {
        const gali_net_node *node = &graph->nodes[i];
        if (node->op == GALI_NET_OP_activate && fuses(graph, node)) {
            map[i] = map[node->operands[0]];
            uint32_t *attributes = b.graph->nodes[map[i]].attributes;
            attributes[GALI_NET_ATTRIBUTE_activation] = node->attributes[GALI_NET_ATTRIBUTE_activation];
            attributes[GALI_NET_ATTRIBUTE_slope] = node->attributes[GALI_NET_ATTRIBUTE_slope];
        } else {
            map[i] = gali_build_copy(&b, graph, i, map);
        }
    }
    if (b.status == GAL_OK) {
        b.graph->output = map[graph->output];
        c->graph = b.graph;
    }
    return b.status;
}
