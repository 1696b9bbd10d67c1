/* Drops what the output does not need; inputs stay, they are the interface. */
#include "compiler/pass/build.h"
#include "compiler/pass/pass.h"

gal_status gali_pass_sweep(gali_compilation *c, gal_error *error) {
    const gali_net *graph = c->graph;
    gali_builder b = gali_build_start(&c->arena, graph->least, graph->most, error);
    uint32_t *map = gali_build_values(&b, graph->count), *needed = gali_build_values(&b, graph->count);
    if (b.status != GAL_OK) {
        return b.status;
    }
    needed[graph->output] = 1;
    for (uint32_t i = graph->count; i-- > 0;) {
        for (uint32_t o = 0; needed[i] && o < graph->nodes[i].operand_count; o++) {
            needed[graph->nodes[i].operands[o]] = 1;
        }
    }
    for (uint32_t i = 0; i < graph->count && b.status == GAL_OK; i++) {
        if (needed[i] || graph->nodes[i].op == GALI_NET_OP_input) {
            map[i] = gali_build_copy(&b, graph, i, map);
        }
    }
    if (b.status == GAL_OK) {
        b.graph->output = map[graph->output];
        c->graph = b.graph;
    }
    return b.status;
}
