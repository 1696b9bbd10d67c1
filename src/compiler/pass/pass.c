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
    if (status == GAL_OK && gali_net_verify(c->graph, &inner) != GAL_OK) {
        return gali_fail(error, GAL_BAD_DATA, "after pass %s: %.200s", one->name, inner.message);
    }
    return status;
}

static void dump_graph(gali_compilation *c, const char *name, const char *wanted) {
    if (wanted && (strcmp(wanted, "all") == 0 || strcmp(wanted, name) == 0)) {
        gali_text_add(&c->parts[GAL_COMPILED_DUMP], "# after %s\n", name);
        gali_net_print(c->graph, &c->parts[GAL_COMPILED_DUMP]);
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
