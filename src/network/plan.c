#include "network/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum {
    VERSION = 1,
    SPLIT = 8, /* characters a thread that fill its tiles by themselves */
    SPLIT_MOST = 1024,
    LINE_MOST = 160,
};

static const char *const form_names[GAL_FORM_COUNT] = {"per-expert", "blend"};

static const char *kind_of(const gali_plan *plan, uint32_t i) {
    return i < plan->gating ? "gate-layer" : "layer";
}

/* A panel is read again from L2 for each tile of characters: a quarter of L2 is left for them. */
static uint32_t width_for(const gali_plan_layer *layer, const gali_kernels *kernels, size_t l2) {
    size_t column = ((size_t)layer->inputs + 1) * kernels->lanes * gali_precision_bytes(layer->precision);
    size_t all = ((size_t)layer->outputs + kernels->lanes - 1) / kernels->lanes;
    uint32_t vectors = kernels->panel_vectors;
    while (vectors > 2 && vectors * column > l2 / 4 * 3) {
        vectors--;
    }
    return vectors < all ? vectors : (uint32_t)all;
}

uint32_t gali_plan_rows(const gali_plan *plan, const gali_plan_layer *layer, uint32_t vectors) {
    if (!gali_precision_is_narrow(layer->precision)) {
        return plan->kernels->tile_rows[vectors];
    }
    const gali_narrow_kind kind = gali_precision_kind(layer->precision);
    return gali_narrow_of(plan->narrow, kind)->tile_rows[kind][vectors];
}

int gali_plan_is_sparse(const gali_plan_layer *layer) {
    return layer->kind == GALI_LAYER_SPARSE && layer->form == GAL_FORM_PER_EXPERT &&
           layer->inputs >= GALI_PATCH_INPUTS;
}

void gali_plan_choose(gali_plan *plan, gal_form form, size_t l2) {
    plan->split = SPLIT;
    for (uint32_t i = 0; i < plan->count; i++) {
        gali_plan_layer *layer = &plan->layers[i];
        if (!gali_layer_has_panels(layer->kind)) {
            continue;
        }
        int narrow = gali_precision_is_narrow(layer->precision);
        layer->form = layer->experts > 1 && !narrow ? form : GAL_FORM_PER_EXPERT;
        layer->vectors = gali_plan_is_sparse(layer) ? gali_patch_vectors(plan->kernels->lanes)
                                                    : width_for(layer, plan->kernels, l2);
        layer->rows = gali_plan_rows(plan, layer, layer->vectors);
    }
}

static int print_layer(const gali_plan *plan, uint32_t i, char *buffer, size_t size) {
    const gali_plan_layer *layer = &plan->layers[i];
    if (!gali_layer_has_panels(layer->kind)) {
        return snprintf(buffer, size, "%s %u: %u -> %u, %s\n", kind_of(plan, i),
                        i < plan->gating ? i : i - plan->gating, layer->inputs, layer->outputs,
                        gali_layer_ops_of(layer->kind)->name);
    }
    char precision[GALI_PRECISION_TEXT];
    gali_precision_text(layer->precision, precision);
    return snprintf(buffer, size, "%s %u: %u -> %u, %u %sexperts: %s, %u vectors, %u rows, %s\n",
                    kind_of(plan, i), i < plan->gating ? i : i - plan->gating, layer->inputs, layer->outputs,
                    layer->experts, gali_plan_is_sparse(layer) ? "sparse " : "", form_names[layer->form],
                    layer->vectors, layer->rows, precision);
}

size_t gali_plan_print(const gali_plan *plan, char *buffer, size_t size) {
    size_t at = 0;
    for (uint32_t i = 0; i <= plan->count; i++) {
        char *to = at < size ? buffer + at : NULL;
        size_t left = at < size ? size - at : 0;
        int length = i > 0 ? print_layer(plan, i - 1, to, left)
                           : snprintf(to, left, "gallop plan %d: %s, split %u\n", VERSION,
                                      gal_isa_name(plan->isa), plan->split);
        at += length > 0 ? (size_t)length : 0;
    }
    return at;
}

/* Copies the next line without its end; returns where the one after it starts, or NULL if it is too long. */
static const char *next_line(const char *text, char line[LINE_MOST]) {
    size_t length = strcspn(text, "\n");
    if (length >= LINE_MOST) {
        return NULL;
    }
    memcpy(line, text, length);
    line[length] = 0;
    return text + length + (text[length] == '\n');
}

static gal_status parse_head(gali_plan *plan, const char *line, gal_error *error) {
    unsigned version, split;
    char isa[16];
    int end = 0;
    if (sscanf(line, "gallop plan %4u: %15[a-z0-9-], split %6u%n", &version, isa, &split, &end) != 3 ||
        line[end]) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line 1: expected \"gallop plan %d: ISA, split N\"",
                         VERSION);
    }
    if (version != VERSION) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan: version %u, this library reads %d", version, VERSION);
    }
    if (strcmp(isa, gal_isa_name(plan->isa)) != 0) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan: made for %s, the kernels are %s", isa,
                         gal_isa_name(plan->isa));
    }
    if (split < 1 || split > SPLIT_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan: split %u, 1 to %d allowed", split, SPLIT_MOST);
    }
    plan->split = split;
    return GAL_OK;
}

/* The end of a layer's line: " form, V vectors, R rows, PRECISION"; returns where the precision starts, or NULL. */
static const char *parse_choice(const char *text, char form[16], unsigned *vectors, unsigned *rows) {
    int end = 0;
    int good = sscanf(text, " %15[a-z-], %3u vectors, %3u rows, %n", form, vectors, rows, &end) == 3 && end;
    return good ? text + end : NULL;
}

static gal_status parse_layer(gali_plan *plan, uint32_t i, const char *line, gal_error *error) {
    gali_plan_layer *layer = &plan->layers[i];
    char expected[LINE_MOST], form[16], precision[GALI_PRECISION_TEXT];
    unsigned vectors, rows;
    print_layer(plan, i, expected, sizeof expected); /* up to the form the line is given by the network */
    int chosen = gali_layer_has_panels(layer->kind);
    size_t shape = chosen ? (size_t)(strstr(expected, " experts:") - expected) + strlen(" experts:")
                          : strlen(expected) - 1;
    if (strncmp(line, expected, shape) != 0 || (!chosen && line[shape])) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: expected \"%.*s ...\"", i + 2, (int)shape,
                         expected);
    }
    if (!chosen) {
        return GAL_OK;
    }
    const char *rest = parse_choice(line + shape, form, &vectors, &rows);
    gali_precision_text(layer->precision, precision);
    if (!rest || strcmp(rest, precision) != 0) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: expected \"FORM, V vectors, R rows, %s\"",
                         i + 2, precision);
    }
    if (strcmp(form, form_names[layer->form]) != 0) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: form %s, but %s was asked for", i + 2, form,
                         form_names[layer->form]);
    }
    if (vectors < 1 || vectors > GALI_PANEL_VECTORS_MAX || rows < 1 || rows > GALI_TILE_ROWS_MAX) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: 1 to %d vectors and 1 to %d rows allowed",
                         i + 2, GALI_PANEL_VECTORS_MAX, GALI_TILE_ROWS_MAX);
    }
    if (gali_plan_is_sparse(layer) && vectors != layer->vectors) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: %u vectors, a sparse layer has %u", i + 2,
                         vectors, layer->vectors);
    }
    layer->vectors = vectors;
    layer->rows = rows;
    return GAL_OK;
}

gal_status gali_plan_parse(gali_plan *plan, const char *text, gal_error *error) {
    for (uint32_t i = 0; i <= plan->count; i++) {
        char line[LINE_MOST];
        text = next_line(text, line);
        if (!text) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: too long", i + 1);
        }
        gal_status status = i ? parse_layer(plan, i - 1, line, error) : parse_head(plan, line, error);
        if (status != GAL_OK) {
            return status;
        }
    }
    if (*text) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "plan, line %u: more lines than layers", plan->count + 2);
    }
    return GAL_OK;
}
