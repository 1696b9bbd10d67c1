/*
 * Chooses how each dense layer runs: the written rules (schedule/hand.c) for the target, a version per range of
 * characters in which they differ. Few characters take all experts of a panel at once; of many, an expert's panel
 * stays in the cache for all of them. All versions of a layer read one layout of its weights.
 */
#include <string.h>

#include "base/error.h"
#include "compiler/pass/pass.h"
#include "compiler/tune/log.h"

enum {
    FEW = 16,
    MANY = 256, /* above, what the experts' turns have in common does not fit a stack */
};

static gali_dense describe(const gali_compilation *c, const gali_node *node) {
    const gali_node *nodes = c->graph->nodes;
    gali_dense dense = {
        .experts = 1,
        .slots = 1,
        .inputs = nodes[node->operands[0]].type.shape[1],
        .outputs = node->type.shape[1],
        .activation = (gali_activation)node->attributes[GALI_ATTRIBUTE_activation],
        .padded = 1,
    };
    memcpy(&dense.slope, &node->attributes[GALI_ATTRIBUTE_slope], sizeof dense.slope);
    if (node->op == GALI_OP_blended_dense) {
        const gali_type *blend = &nodes[node->operands[1]].type;
        dense.slots = blend->shape[1];
        dense.experts = blend->shape[2];
        dense.sparse = dense.slots < dense.experts;
        dense.form = (gal_form)node->attributes[GALI_ATTRIBUTE_form];
    }
    return dense;
}

/* Whether the inner kernel does the sums: its vectors are the runtime's, and there is one for the form. */
static int has_kernel(const gali_compilation *c, const gali_dense *dense) {
    return !c->plain_loops && dense->form == GAL_FORM_PER_EXPERT && !dense->sparse && c->target->lanes > 1;
}

/* Sizes of panels and tiles are the first version's, so that weights lie the same. */
static void take_splits(gali_schedule *schedule, const gali_schedule *first) {
    for (uint32_t i = 0; i < schedule->count; i++) {
        for (uint32_t j = 0; j < first->count; j++) {
            if (schedule->entry[i].primitive == GALI_PRIMITIVE_SPLIT &&
                first->entry[j].primitive == GALI_PRIMITIVE_SPLIT &&
                strcmp(schedule->entry[i].target, first->entry[j].target) == 0) {
                schedule->entry[i].number = first->entry[j].number;
            }
        }
    }
}

static gal_status add_version(const gali_compilation *c, gali_layer_schedule *layer, uint32_t least,
                              uint32_t most, gal_error *error) {
    gali_layer_version *version = &layer->versions[layer->version_count++];
    *version = (gali_layer_version){.dense = layer->dense};
    version->dense.least = least;
    version->dense.most = most;
    gal_status status = gali_schedule_hand(&version->dense, c->target, has_kernel(c, &version->dense),
                                           &version->schedule, error);
    take_splits(&version->schedule, &layer->versions[0].schedule);
    return status;
}

/* Bytes of the widest panel, all experts. */
static size_t panel_size(const gali_layer_schedule *layer, uint32_t lanes) {
    const gali_schedule *schedule = &layer->versions[0].schedule;
    size_t vectors = 1;
    for (uint32_t i = 0; i < schedule->count; i++) {
        int split =
            schedule->entry[i].primitive == GALI_PRIMITIVE_SPLIT && strcmp(schedule->entry[i].target, "n") == 0;
        vectors = split ? schedule->entry[i].number : vectors;
    }
    return vectors * lanes * sizeof(float) * layer->dense.experts * (1 + (size_t)layer->dense.inputs);
}

/* The log's winner, for all characters. Returns 0 if it has none. */
static int take_logged(const gali_compilation *c, gali_layer_schedule *layer) {
    gali_layer_version *version = &layer->versions[0];
    gali_measured measured;
    *version = (gali_layer_version){.dense = layer->dense, .logged = 1};
    version->dense.least = c->least;
    version->dense.most = c->most;
    layer->version_count =
        c->log && gali_log_best(c->log, &version->dense, c->target, &version->schedule, &measured);
    return layer->version_count > 0;
}

static gal_status choose(gali_compilation *c, gali_layer_schedule *layer, gal_error *error) {
    if (take_logged(c, layer)) {
        return GAL_OK;
    }
    int one = layer->dense.experts == 1 || layer->dense.sparse || c->most <= FEW || c->least > FEW;
    gal_status status = add_version(c, layer, c->least, one ? c->most : FEW, error);
    if (one || status != GAL_OK) {
        return status;
    }
    if (c->most > MANY || panel_size(layer, c->target->lanes) <= c->target->l2) {
        layer->versions[0].dense.most =
            c->most; /* a panel stays there with all its experts: one version does */
        return GAL_OK;
    }
    return add_version(c, layer, FEW + 1, c->most, error);
}

gal_status gali_pass_schedule(gali_compilation *c, gal_error *error) {
    for (uint32_t i = 0; i < c->graph->count; i++) {
        gali_node *node = &c->graph->nodes[i];
        if (node->op != GALI_OP_dense && node->op != GALI_OP_blended_dense) {
            continue;
        }
        gali_layer_schedule *layer = gali_arena_take(&c->arena, sizeof *layer);
        if (!layer || c->schedule_count == GALI_SCHEDULES_MAX) {
            return layer ? gali_fail(error, GAL_UNSUPPORTED, "more than %d dense layers", GALI_SCHEDULES_MAX)
                         : gali_fail(error, GAL_NO_MEMORY, "no memory for a schedule");
        }
        layer->dense = describe(c, node);
        gal_status status = choose(c, layer, error);
        if (status != GAL_OK) {
            return status;
        }
        c->schedules[c->schedule_count++] = layer;
        node->attributes[GALI_ATTRIBUTE_schedule] = c->schedule_count;
    }
    return GAL_OK;
}
