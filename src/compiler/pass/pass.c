#include "compiler/pass/pass.h"

#include <string.h>

#include "base/error.h"

typedef struct pass {
    const char *name;
    gal_status (*run)(gali_compilation *c, gal_error *error);
} pass;

static const pass passes[] = {
#define PASS(name, meaning) {#name, gali_pass_##name},
#include "compiler/pass/passes.def"
#undef PASS
};
enum { PASSES = sizeof passes / sizeof passes[0] };

const char *gali_pass_name(uint32_t i) {
    return i < PASSES ? passes[i].name : NULL;
}

static gal_status run_verified(gali_compilation *c, const pass *one, gal_error *error) {
    gal_error inner = {0};
    gal_status status = one->run(c, error);
    if (status == GAL_OK) {
        status = gali_graph_verify(c->graph, &inner);
        status = status == GAL_OK ? gali_graph_infer(c->graph, &inner) : status;
        if (status != GAL_OK) {
            gali_fail(error, status, "after pass %s: %.200s", one->name, inner.message);
        }
    }
    return status;
}

/* "# layer0: blended_dense Elu, 2 versions, at 16": what groups are, how they run and where their results stand. */
static void dump_groups(const gali_compilation *c, gali_text *text) {
    for (uint32_t i = 0; i < c->group_count; i++) {
        const gali_group *group = &c->groups[i];
        uint32_t value = c->graph->nodes[group->last].results[0];
        gali_text_add(text, "# %s:", c->graph->values[value].name);
        for (uint32_t n = 0; n < c->graph->node_count; n++) {
            if (c->group_of[n] == i) {
                gali_text_add(text, " %s", gali_op_list[c->graph->nodes[n].op].name);
            }
        }
        if (group->schedule && group->schedule->patched) {
            gali_text_add(text, ", in patches");
        } else if (group->schedule) {
            uint32_t count = group->schedule->version_count;
            gali_text_add(text, ", %u version%s", count, count > 1 ? "s" : "");
        }
        if (c->offset) {
            gali_text_add(text, ", at %u", (c->offset[value] - 1) * GALI_ROW_UNIT);
        }
        gali_text_add(text, "\n");
    }
}

static void dump_graph(gali_compilation *c, const char *name, const char *wanted) {
    if (wanted && (strcmp(wanted, "all") == 0 || strcmp(wanted, name) == 0)) {
        gali_text_add(&c->parts[GAL_COMPILED_DUMP], "# after %s\n", name);
        gali_graph_print(c->graph, &c->parts[GAL_COMPILED_DUMP]);
        dump_groups(c, &c->parts[GAL_COMPILED_DUMP]);
    }
}

gal_status gali_pass_run(gali_compilation *c, const char *last, const char *dump, gal_error *error) {
    gal_status status = GAL_OK;
    int ended = 0;
    for (uint32_t i = 0; i < PASSES && !ended && status == GAL_OK; i++) {
        status = run_verified(c, &passes[i], error);
        ended = last && strcmp(last, passes[i].name) == 0;
        if (status == GAL_OK) {
            dump_graph(c, passes[i].name, dump);
        }
    }
    return status;
}
