/*
 * Sparse layers as C: a layout of a dense layer's weights, and two lists that say what is there. Of each panel of outputs
 * the patches that have a weight of any expert are stored, as body/patches.inc reads them; the rest, which is zeros, is
 * neither stored nor read. Sums are taken in the same order, so the bits are those of the dense layer with its zeros.
 *
 * Patches are looked for in the weights that are left after folding, whose inputs are the live ones alone: a mask of the
 * model file would no longer fit them. The last one begins where it ends with the inputs, so that nothing behind them is
 * read; it has zeros for those that the one before has.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/activation.h"
#include "compiler/emit/emission.h"
#include "compiler/loop/loop.h"
#include "network/pack_sparse.h"

typedef struct patched {
    gali_emission *e;
    const gali_group *group;
    const gali_dense *dense;
    const gali_node *node;
    const gali_value *weights, *biases; /* [E][N][K], [E][N] */
    const char *name;
    uint32_t width, panels;     /* outputs of a panel */
    uint32_t *starts, *patches; /* [panels + 1], [starts[panels]] first inputs */
} patched;

static float weight_at(const patched *p, uint32_t e, uint32_t n, uint32_t k) {
    const size_t row = (size_t)e * p->dense->outputs + n;
    return n < p->dense->outputs ? (float)gali_constant_real(p->weights, row * p->dense->inputs + k) : 0;
}

/* Whether outputs from `first` on have a weight for one of the inputs from k on. */
static int has_patch(const patched *p, uint32_t first, uint32_t k) {
    for (uint32_t e = 0; e < p->dense->experts; e++) {
        for (uint32_t n = first; n < first + GALI_PATCH_OUTPUTS; n++) {
            for (uint32_t i = k; i < k + GALI_PATCH_INPUTS && i < p->dense->inputs; i++) {
                if (weight_at(p, e, n, i) != 0) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Panels narrower than a patch share its inputs with their neighbours, as the runtime's do. */
static gal_status find_patches(patched *p, gal_error *error) {
    const uint32_t inputs = p->dense->inputs, columns = (inputs + GALI_PATCH_INPUTS - 1) / GALI_PATCH_INPUTS;
    gali_arena *arena = &p->e->c->arena;
    p->starts = gali_arena_take(arena, (p->panels + (size_t)1) * sizeof *p->starts);
    p->patches = gali_arena_take(arena, gali_size_mul(p->panels, columns * sizeof *p->patches));
    if (!p->starts || !p->patches) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the patches of %.31s", p->name);
    }
    uint32_t count = 0;
    for (uint32_t panel = 0; panel < p->panels; panel++) {
        const uint32_t first = panel * p->width / GALI_PATCH_OUTPUTS * GALI_PATCH_OUTPUTS;
        p->starts[panel] = count;
        for (uint32_t k = 0; k < inputs; k += GALI_PATCH_INPUTS) {
            const uint32_t start = inputs - k < GALI_PATCH_INPUTS ? inputs - GALI_PATCH_INPUTS : k;
            p->patches[count] = start;
            count += (uint32_t)has_patch(p, first, k);
        }
    }
    p->starts[p->panels] = count;
    return GAL_OK;
}

/* An expert's part of a panel; returns where the next one begins. */
static float *fill_expert(const patched *p, uint32_t panel, uint32_t e, float *at) {
    const uint32_t first = panel * p->width;
    for (uint32_t n = first; n < first + p->width; n++) {
        const size_t row = (size_t)e * p->dense->outputs + n;
        *at++ = n < p->dense->outputs ? (float)gali_constant_real(p->biases, row) : 0;
    }
    for (uint32_t i = p->starts[panel]; i < p->starts[panel + 1]; i++) {
        const uint32_t start = p->patches[i];
        for (uint32_t k = start; k < start + GALI_PATCH_INPUTS; k++) {
            for (uint32_t n = first; n < first + p->width; n++) {
                *at++ = k < gali_pack_patch_own(start) ? 0 : weight_at(p, e, n, k);
            }
        }
    }
    return at;
}

/* Appends the weights; *start is where they begin, in floats. */
static gal_status add_weights(const patched *p, size_t *start, gal_error *error) {
    const size_t rows = p->panels + (size_t)p->starts[p->panels] * GALI_PATCH_INPUTS;
    const size_t floats = gali_size_mul(gali_size_mul(p->dense->experts, rows), p->width);
    float *values = gali_allocate(NULL, gali_size_mul(floats, sizeof *values)), *at = values;
    if (!values) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the weights of %.31s", p->name);
    }
    for (uint32_t panel = 0; panel < p->panels; panel++) {
        for (uint32_t e = 0; e < p->dense->experts; e++) {
            at = fill_expert(p, panel, e, at);
        }
    }
    *start = gali_emit_floats(p->e, values, floats);
    gali_release(NULL, values, floats * sizeof *values);
    return GAL_OK;
}

/* At least one element, which C wants. */
static void add_list(const patched *p, const char *what, const uint32_t *list, uint32_t count) {
    gali_text *to = &p->e->lists;
    gali_text_add(to, "static const uint32_t gali_%s_%s[%u] = {", p->name, what, count ? count : 1);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(to, "%s%u,", i % 20 ? " " : "\n    ", list[i]);
    }
    gali_text_add(to, count ? "\n};\n\n" : "0};\n\n");
}

static void add_comment(const patched *p) {
    const gali_dense *dense = p->dense;
    const uint32_t columns = (dense->inputs + GALI_PATCH_INPUTS - 1) / GALI_PATCH_INPUTS;
    gali_text *to = &p->e->functions;
    gali_text_add(to, "/*\n * %s: [%u] to [%u], ", p->name, dense->inputs, dense->outputs);
    if (dense->experts > 1) {
        gali_text_add(to, "%u of %u experts, ", dense->slots, dense->experts);
    }
    gali_text_add(
        to, "activation %s. A sparse layer:\n * %u of %u patches of %u outputs x %d inputs are there.\n */\n",
        gali_activation_name(dense->activation), p->starts[p->panels], p->panels * columns, p->width,
        GALI_PATCH_INPUTS);
}

/* The activation of whole vectors: rows of y are padded. */
static void add_activation(const patched *p) {
    const char *word = gali_loop_ops[(int)GALI_VALUE_NONE + (int)p->dense->activation].vector;
    gali_text *to = &p->e->functions;
    if (p->dense->activation == GALI_ACTIVATION_NONE) {
        return;
    }
    gali_text_add(to,
                  "    for (size_t c = 0; c < characters; c++) {\n"
                  "        for (size_t n = 0; n < %u; n += GALI_LANES) {\n"
                  "            float *const at = y + c * y_stride + n;\n"
                  "            gali_vf_store(at, %s(gali_vf_load(at), gali_vf_set(%af)));\n"
                  "        }\n    }\n",
                  p->dense->outputs, word, (double)p->dense->slope);
}

static void add_function(const patched *p) {
    const gali_dense *dense = p->dense;
    const int blended = dense->experts > 1;
    gali_text *to = &p->e->functions;
    add_comment(p);
    gali_text_add(to,
                  "static void gali_%s_patched(uint32_t characters, const float *weights, const float *x, "
                  "size_t x_stride, %s%sfloat *y, size_t y_stride) {\n",
                  p->name, blended ? "const float *blend, size_t blend_stride, " : "",
                  dense->sparse ? "const uint32_t *expert, size_t expert_stride, " : "");
    gali_text_add(to,
                  "    static const gali_patched layer = {%u, %u, %u, gali_%s_starts, gali_%s_patches};\n"
                  "    const gali_patched_rows all = {x, %s, %s, y, x_stride, %s, %s, y_stride};\n"
                  "    gali_patched_run(&layer, weights, all, characters);\n",
                  p->panels, dense->experts, dense->slots, p->name, p->name, blended ? "blend" : "NULL",
                  dense->sparse ? "expert" : "NULL", blended ? "blend_stride" : "0",
                  dense->sparse ? "expert_stride" : "0");
    add_activation(p);
    gali_text_add(to, "}\n\n");
}

static void add_call(const patched *p, size_t weights) {
    gali_text_add(&p->e->calls, "    gali_%s_patched(count, weights + %zu", p->name, weights);
    gali_emit_argument(p->e, p->node->operands[0]);
    if (p->dense->experts > 1) {
        gali_emit_argument(p->e, p->node->operands[1]);
    }
    if (p->dense->sparse) {
        gali_emit_argument(p->e, p->node->operands[4]);
    }
    gali_emit_argument(p->e, p->e->c->graph->nodes[p->group->last].results[0]);
    gali_text_add(&p->e->calls, ");\n");
}

gal_status gali_emit_patches(gali_emission *e, const gali_group *group, gal_error *error) {
    const gali_graph *graph = e->c->graph;
    const gali_node *node = &graph->nodes[group->first];
    const uint32_t weights = node->op == GALI_OP_Gemm ? 1 : 2, lanes = e->c->target->lanes;
    patched p = {.e = e,
                 .group = group,
                 .dense = &group->schedule->dense,
                 .node = node,
                 .weights = &graph->values[node->operands[weights]],
                 .biases = &graph->values[node->operands[weights + 1]],
                 .name = graph->values[graph->nodes[group->last].results[0]].name,
                 .width = gali_patch_vectors(lanes) * lanes};
    size_t start = 0;
    p.panels = (p.dense->outputs + p.width - 1) / p.width;
    gal_status status = find_patches(&p, error);
    status = status == GAL_OK ? add_weights(&p, &start, error) : status;
    if (status != GAL_OK) {
        return status;
    }
    add_list(&p, "starts", p.starts, p.panels + 1);
    add_list(&p, "patches", p.patches, p.starts[p.panels]);
    add_function(&p);
    add_call(&p, start);
    return GAL_OK;
}
