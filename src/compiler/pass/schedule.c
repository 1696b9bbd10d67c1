/*
 * Chooses how each dense layer runs: the written rules (schedule/hand.c) for the target, a version of its code for counts
 * of characters that gain by one. What a count gains is the rules' own model's word, from the target's description. All
 * versions of a layer read one layout of its weights, so the width of panels is the same for all.
 */
#include "base/error.h"
#include "compiler/activation.h"
#include "compiler/pass/versions.h"

enum {
    WRITTEN_MOST = 6, /* versions that the rules write */
    FEW = 16,   /* more characters take the experts one by one: an expert's panel stays in the cache for all */
    MANY = 256, /* above, what the experts' turns have in common does not fit a stack */
};
static const double gain = 1.08; /* that pays for a version: code is read from memory, too */

static gali_dense describe(const gali_compilation *c, const gali_group *group) {
    const gali_graph *graph = c->graph;
    const gali_node *node = &graph->nodes[group->first];
    gali_dense dense = {
        .experts = 1,
        .slots = 1,
        .inputs = gali_row_width(graph, node->operands[0]),
        .outputs = gali_row_width(graph, node->results[0]),
        .padded = 1,
    };
    dense.activation = gali_activation_of(&graph->nodes[group->last], &dense.slope);
    if (node->op == GALI_OP_blended_dense) {
        dense.slots = gali_row_width(graph, node->operands[1]);
        dense.experts = (uint32_t)graph->values[node->operands[2]].type.shape[0];
        dense.sparse = dense.slots < dense.experts;
        dense.form = gali_node_is(node, "form", "blend") ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
    }
    return dense;
}

int gali_has_kernel(const gali_compilation *c, const gali_dense *dense) {
    return !c->plain_loops && dense->form == GAL_FORM_PER_EXPERT && !dense->sparse && c->target->lanes > 1;
}

void gali_add_range(gali_layer_schedule *layer, uint32_t most, uint32_t version) {
    gali_layer_range *last = layer->range_count ? &layer->ranges[layer->range_count - 1] : NULL;
    if (last && last->version == version) {
        last->most = most;
    } else if (layer->range_count < GALI_RANGES_MAX) {
        layer->ranges[layer->range_count++] = (gali_layer_range){most, version};
    }
}

/* A version by the written rules for counts from least to most. */
static gal_status add_version(const gali_compilation *c, gali_layer_schedule *layer, gali_tile tile,
                              uint32_t least, uint32_t most, gal_error *error) {
    gali_layer_version *version = &layer->versions[layer->version_count++];
    *version = (gali_layer_version){.dense = layer->dense};
    version->dense.least = least;
    version->dense.most = most;
    return gali_hand_write(&version->dense, c->target, gali_has_kernel(c, &version->dense), tile,
                           &version->schedule, error);
}

static gali_tile best_tile(const gali_compilation *c, const gali_dense *layer, uint32_t least, uint32_t most,
                           uint32_t vectors) {
    gali_dense dense = *layer;
    dense.least = least;
    dense.most = most;
    return gali_hand_tile(&dense, c->target, gali_has_kernel(c, &dense), vectors);
}

/* Counts that run better by a tile of their own than by the common one, version 0, get a version; the last count is `last`. */
static gal_status add_own(const gali_compilation *c, gali_layer_schedule *layer, gali_tile common,
                          uint32_t last, gal_error *error) {
    gali_tile before = common;
    gal_status status = GAL_OK;
    for (uint32_t count = c->least; count <= last && status == GAL_OK; count++) {
        gali_tile own = best_tile(c, &layer->dense, count, count, common.vectors);
        int pays = gali_hand_cycles(c->target, common, count) > gain * gali_hand_cycles(c->target, own, count);
        int same = own.rows == before.rows && own.experts == before.experts;
        if (!pays || (!same && layer->version_count == WRITTEN_MOST - 1)) {
            gali_add_range(layer, count, 0);
            before = common;
            continue;
        }
        if (!same) {
            status = add_version(c, layer, own, count, count, error);
            before = own;
        }
        layer->versions[layer->version_count - 1].dense.most = count;
        gali_add_range(layer, count, layer->version_count - 1);
    }
    return status;
}

/* Bytes of the widest panel, all experts. */
static size_t panel_size(const gali_compilation *c, const gali_layer_schedule *layer, uint32_t vectors) {
    return (size_t)vectors * c->target->lanes * sizeof(float) * layer->dense.experts *
           (1 + (size_t)layer->dense.inputs);
}

static gal_status choose(const gali_compilation *c, gali_layer_schedule *layer, gal_error *error) {
    int simple = layer->dense.sparse || layer->dense.form == GAL_FORM_BLEND;
    int cut = layer->dense.experts > 1 && !simple && c->most > FEW && c->least <= FEW;
    uint32_t few = cut ? FEW : c->most, last = c->most < FEW ? c->most : FEW;
    gali_tile tile = best_tile(c, &layer->dense, c->least, few, 0);
    gal_status status = add_version(c, layer, tile, c->least, few, error);
    if (status == GAL_OK && !simple) {
        status = add_own(c, layer, tile, last, error);
    }
    if (status != GAL_OK || !cut || c->most > MANY || panel_size(c, layer, tile.vectors) <= c->target->l2) {
        layer->versions[0].dense.most = c->most; /* a panel stays in the cache with all its experts */
        gali_add_range(layer, c->most, 0);
        return status;
    }
    status = add_version(c, layer, tile, FEW + 1, c->most, error);
    gali_add_range(layer, c->most, layer->version_count - 1);
    return status;
}

/* Whether the model's layer is a sparse one that the runtime would run in patches, too (network/plan.c). */
static int is_patched(const gali_compilation *c, const gali_group *group, const gali_dense *dense) {
    const gali_model_layer *layer = gali_compilation_model_layer(c, c->graph->nodes[group->first].name);
    return layer && layer->kind == GALI_LAYER_SPARSE && dense->form == GAL_FORM_PER_EXPERT &&
           dense->inputs >= GALI_PATCH_INPUTS;
}

static gal_status schedule_layer(gali_compilation *c, gali_group *group, gal_error *error) {
    gali_layer_schedule *layer = gali_arena_take(&c->arena, sizeof *layer);
    if (!layer || c->schedule_count == GALI_SCHEDULES_MAX) {
        return layer ? gali_fail(error, GAL_UNSUPPORTED, "more than %d dense layers", GALI_SCHEDULES_MAX)
                     : gali_fail(error, GAL_NO_MEMORY, "no memory for a schedule");
    }
    layer->dense = describe(c, group);
    layer->patched = is_patched(c, group, &layer->dense);
    c->schedules[c->schedule_count++] = group->schedule = layer;
    if (layer->patched) {
        return GAL_OK;
    }
    gal_status status = choose(c, layer, error);
    return status == GAL_OK ? gali_take_logged(c, layer, error) : status;
}

gal_status gali_pass_schedule(gali_compilation *c, gal_error *error) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < c->group_count && status == GAL_OK; i++) {
        if (c->groups[i].kind == GALI_GROUP_LAYER) {
            status = schedule_layer(c, &c->groups[i], error);
        }
    }
    return status;
}
