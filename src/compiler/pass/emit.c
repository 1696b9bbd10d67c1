/* The last pass: each group as C, then the module around them. */
#include "base/error.h"
#include "compiler/emit/emission.h"

static gal_status emit_group(gali_emission *e, const gali_group *group, gal_error *error) {
    return group->kind == GALI_GROUP_LAYER  ? gali_emit_layer(e, group, error)
           : group->kind == GALI_GROUP_ROWS ? gali_emit_rows(e, group, error)
                                            : gali_emit_kernel(e, group, error);
}

gal_status gali_pass_emit(gali_compilation *c, gal_error *error) {
    gali_emission e = {.c = c};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < c->group_count && status == GAL_OK; i++) {
        status = emit_group(&e, &c->groups[i], error);
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
