#include "base/error.h"
#include "compiler/emit/emission.h"

static gal_status emit_node(gali_emission *e, uint32_t index, gal_error *error) {
    switch (e->c->graph->nodes[index].op) {
    case GALI_NET_OP_input:
    case GALI_NET_OP_constant:
        return GAL_OK;
    case GALI_NET_OP_dense:
    case GALI_NET_OP_blended_dense:
        return gali_emit_layer(e, index, error);
    default:
        return gali_emit_operator(e, index, error);
    }
}

gal_status gali_pass_emit(gali_compilation *c, gal_error *error) {
    gali_emission e = {.c = c};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < c->graph->count && status == GAL_OK; i++) {
        status = emit_node(&e, i, error);
    }
    if (status == GAL_OK) {
        gali_emit_module(c, &e);
        if (e.lists.failed | e.functions.failed | e.calls.failed | e.weights.failed) {
            status = gali_fail(error, GAL_NO_MEMORY, "no memory for the C");
        }
    }
    gali_text_release(&e.lists);
    gali_text_release(&e.functions);
    gali_text_release(&e.calls);
    gali_text_release(&e.weights);
    return status;
}
