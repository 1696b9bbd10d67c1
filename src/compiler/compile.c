/* The compiler's interface: checks what is asked for, runs the passes, hands out their texts. */
#include "gallop/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "compiler/emit/hvx/controller.h"
#include "compiler/emit/opencl/emit.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/log/log.h"
#include "compiler/pass/pass.h"

struct gal_compiled {
    gali_text parts[GAL_COMPILED_PART_COUNT];
    uint32_t layers, logged;
};

const char *gal_compile_pass_name(uint32_t i) {
    return gali_pass_name(i);
}

const char *gal_compile_target_name(uint32_t i) {
    return i < gali_target_count ? gali_targets[i].name : NULL;
}

static int is_pass(const char *name) {
    uint32_t i = 0;
    while (gali_pass_name(i) && strcmp(gali_pass_name(i), name) != 0) {
        i++;
    }
    return gali_pass_name(i) != NULL;
}

static gal_status check_words(const gal_compile_desc *desc, const char *name, gal_error *error) {
    gal_status status = gali_vocabulary_check_name(name, error);
    if (status != GAL_OK) {
        return status;
    }
    if (desc->dump && strcmp(desc->dump, "all") != 0 && !is_pass(desc->dump)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "dump \"%.40s\": no such pass", desc->dump);
    }
    if (desc->stop_after && !is_pass(desc->stop_after)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "stop after \"%.40s\": no such pass", desc->stop_after);
    }
    if ((unsigned)desc->form >= GAL_FORM_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "form %d: not a form", (int)desc->form);
    }
    return GAL_OK;
}

static gal_status resolve(gali_compilation *c, const gal_compile_desc *desc, gal_error *error) {
    c->name = desc->name ? desc->name : "model";
    c->least = desc->least || desc->most ? desc->least : 1;
    c->most = desc->least || desc->most ? desc->most : GALI_CHARACTERS_DEFAULT;
    c->form = desc->form;
    c->plain_loops = desc->plain_loops != 0;
    c->weights_blob = desc->weights_blob != 0;
    if (c->least < 1 || c->least > c->most || c->most > GALI_DENSE_CHARACTERS_MAX) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "characters %u..%u: not a range within 1..%d", c->least,
                         c->most, GALI_DENSE_CHARACTERS_MAX);
    }
    gal_status status = check_words(desc, c->name, error);
    if (status != GAL_OK) {
        return status;
    }
    c->target = gali_target_find(desc->target ? desc->target : "native", error);
    return c->target ? GAL_OK : GAL_BAD_ARGUMENT;
}

static gal_status take_parts(gal_compiled **out, gali_compilation *c, gal_error *error) {
    gal_compiled *compiled = calloc(1, sizeof *compiled);
    int failed = !compiled;
    for (uint32_t i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        failed |= c->parts[i].failed;
    }
    if (failed) {
        free(compiled);
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the result");
    }
    memcpy(compiled->parts, c->parts, sizeof c->parts);
    compiled->layers = c->schedule_count;
    for (uint32_t i = 0; i < c->schedule_count; i++) {
        compiled->logged += c->schedules[i]->logged != 0;
    }
    memset(c->parts, 0, sizeof c->parts);
    *out = compiled;
    return GAL_OK;
}

static gal_status run_passes(gali_compilation *c, const gal_compile_desc *desc, gal_error *error) {
    return gali_pass_run(c, desc->stop_after, desc->dump, error);
}

/* From an opened network, not a graph: there is nothing to dump. */
static gal_status run_hvx(gali_compilation *c, const gal_compile_desc *desc, gal_error *error) {
    if (desc->stop_after || desc->dump) {
        return gali_fail(error, GAL_UNSUPPORTED, "target %s: it has no passes to dump", c->target->name);
    }
    return gali_hvx_compile(c, error);
}

/* The passes up to `sweep`, then as any graph. */
static gal_status run_opencl(gali_compilation *c, const gal_compile_desc *desc, gal_error *error) {
    if (desc->stop_after || desc->dump) {
        return gali_fail(error, GAL_UNSUPPORTED, "target %s: it has no passes to dump", c->target->name);
    }
    return gali_opencl_compile(c, error);
}

static gal_status run_back_end(gali_compilation *c, const gal_compile_desc *desc, gal_error *error) {
    static gal_status (*const own[GALI_SIMD_COUNT])(gali_compilation *, const gal_compile_desc *,
                                                    gal_error *) = {
        [GALI_SIMD_HVX] = run_hvx, [GALI_SIMD_OPENCL] = run_opencl};
    return (own[c->target->simd] ? own[c->target->simd] : run_passes)(c, desc, error);
}

gal_status gal_compile(gal_compiled **out, const void *data, size_t size, const gal_compile_desc *desc,
                       gal_error *error) {
    *out = NULL;
    gal_compile_desc all;
    gali_compilation c = {0};
    gali_log log = {.count = 0};
    gali_desc_read(&all, sizeof all, desc, desc ? desc->struct_size : 0);
    gal_status status = resolve(&c, &all, error);
    if (status == GAL_OK) {
        status = gali_model_read(&c.model, data, size, error);
    }
    if (status == GAL_OK && all.log) {
        status = gali_log_read(&log, all.log, error);
        c.log = &log;
        c.log_path = all.log;
    }
    if (status == GAL_OK) {
        status = run_back_end(&c, &all, error);
    }
    if (status == GAL_OK) {
        status = take_parts(out, &c, error);
    }
    gali_compilation_release(&c);
    gali_log_release(&log);
    return status;
}

const char *gal_compiled_bytes(const gal_compiled *compiled, gal_compiled_part part, size_t *size) {
    const gali_text *text = &compiled->parts[part];
    *size = text->size;
    return text->bytes ? text->bytes : "";
}

uint32_t gal_compiled_layers(const gal_compiled *compiled, uint32_t *logged) {
    if (logged) {
        *logged = compiled->logged;
    }
    return compiled->layers;
}

void gal_compiled_free(gal_compiled *compiled) {
    for (uint32_t i = 0; compiled && i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&compiled->parts[i]);
    }
    free(compiled);
}
