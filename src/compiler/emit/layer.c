/*
 * Dense layers as C: their scheduled loops, a version per range of characters, and their weights as those read them. Layers
 * of one shape have one schedule: they share the functions of the first of them, its twin.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/activation.h"
#include "compiler/emit/emission.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"

enum { NAME_SIZE = 80 };

/* A layer's own node, and its value. */
static const gali_node *node_of(const gali_emission *e, const gali_group *group) {
    return &e->c->graph->nodes[group->first];
}

static uint32_t result_of(const gali_emission *e, const gali_group *group) {
    return e->c->graph->nodes[group->last].results[0];
}

static const char *name_of(const gali_emission *e, const gali_group *group) {
    return e->c->graph->values[result_of(e, group)].name;
}

/* canonical[E][1 + K][N], biases first, of A[E][N][K] and b[E][N]. */
static void fill_canonical(float *canonical, const gali_dense *dense, const gali_value *a,
                           const gali_value *b) {
    size_t inputs = dense->inputs, outputs = dense->outputs;
    for (size_t e = 0; e < dense->experts; e++, canonical += (1 + inputs) * outputs) {
        for (size_t n = 0; n < outputs; n++) {
            canonical[n] = (float)gali_constant_real(b, e * outputs + n);
            for (size_t k = 0; k < inputs; k++) {
                canonical[(1 + k) * outputs + n] = (float)gali_constant_real(a, (e * outputs + n) * inputs + k);
            }
        }
    }
}

/* Appends the weights as a function's loops read them; *at is where they start, in floats. */
static gal_status add_weights(gali_emission *e, const gali_group *group, const gali_loop_buffer *layout,
                              size_t *at, gal_error *error) {
    const gali_dense *dense = &group->schedule->dense;
    const gali_node *node = node_of(e, group);
    const gali_value *values = e->c->graph->values;
    uint32_t a = node->op == GALI_OP_Gemm ? 1 : 2;
    size_t size = (size_t)dense->experts * (1 + (size_t)dense->inputs) * dense->outputs * sizeof(float);
    size_t floats = gali_loop_pack_floats(layout);
    float *canonical = gali_allocate(NULL, size);
    float *packed = gali_allocate(NULL, gali_size_mul(floats, sizeof(float)));
    gal_status status = GAL_OK;
    if (canonical && packed) {
        fill_canonical(canonical, dense, &values[node->operands[a]], &values[node->operands[a + 1]]);
        gali_loop_pack(layout, canonical, packed);
        *at = gali_emit_floats(e, packed, floats);
    } else {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for the weights of %.31s", name_of(e, group));
    }
    gali_release(NULL, canonical, size);
    gali_release(NULL, packed, floats * sizeof(float));
    return status;
}

/* The buffer of the weights. */
static const gali_loop_buffer *weights_of(const gali_loop_function *function) {
    for (uint32_t i = 0; i < function->parameters; i++) {
        if (function->buffer[i]->role == GALI_LOOP_CONSTANT) {
            return function->buffer[i];
        }
    }
    return NULL;
}

/* A schedule of the log that cannot be is the log's fault. */
static gal_status blame_log(const gali_compilation *c, const gali_layer_version *version, gal_status status,
                            gal_error *error) {
    gal_error why = *error;
    return version->logged ? gali_fail(error, status, "%s: for %u -> %u: %.200s", c->log_path,
                                       version->dense.inputs, version->dense.outputs, why.message)
                           : status;
}

/* "gali_layer0_1_to_64", "gali_layer0_5": a version's function. */
static void name_version(const gali_emission *e, const gali_group *group, const gali_dense *dense,
                         char name[NAME_SIZE]) {
    int size = snprintf(name, NAME_SIZE, "gali_%s_%u", name_of(e, group), dense->least);
    if (dense->most > dense->least) {
        snprintf(name + size, NAME_SIZE - (size_t)size, "_to_%u", dense->most);
    }
}

static int are_twins(const gali_group *a, const gali_group *b) {
    return a->schedule && b->schedule && !a->schedule->patched && !b->schedule->patched &&
           gali_dense_same(&a->schedule->dense, &b->schedule->dense);
}

/* The first layer of the same shape, maybe the layer itself. */
static const gali_group *twin_of(const gali_emission *e, const gali_group *group) {
    const gali_group *twin = e->c->groups;
    while (!are_twins(twin, group)) {
        twin++;
    }
    return twin;
}

/* The layers that share a function, by name: who looks for one finds it. */
static void add_twins(gali_emission *e, const gali_group *group) {
    enum { LINE = 12 };
    uint32_t count = 0;
    for (const gali_group *other = group + 1; other < e->c->groups + e->c->group_count; other++) {
        if (are_twins(group, other)) {
            const char *before = count == 0 ? " The same:" : count % LINE == 0 ? ",\n *" : ",";
            gali_text_add(&e->functions, "%s%s %s", before, count == 0 ? "\n *" : "", name_of(e, other));
            count++;
        }
    }
    gali_text_add(&e->functions, count ? ".\n" : "\n");
}

static void add_comment(gali_emission *e, const gali_group *group, const gali_layer_version *version) {
    const gali_dense *dense = &version->dense;
    gali_text_add(&e->functions, "/*\n * %s for %u", name_of(e, group), dense->least);
    if (dense->most > dense->least) {
        gali_text_add(&e->functions, " to %u", dense->most);
    }
    gali_text_add(&e->functions, " character%s: [%u] to [%u], ", dense->most > 1 ? "s" : "", dense->inputs,
                  dense->outputs);
    if (dense->experts > 1) {
        gali_text_add(&e->functions, "%u of %u experts, ", dense->slots, dense->experts);
    }
    gali_text_add(&e->functions, "activation %s.", gali_activation_name(dense->activation));
    add_twins(e, group);
    gali_text_add(&e->functions, " * %s:\n *     ",
                  version->logged ? "Schedule of the log" : "Written schedule");
    gali_schedule_print(&version->schedule, "\n *     ", &e->functions);
    gali_text_add(&e->functions, "\n */\n");
}

/* Adds a version's function, unless it is a twin's and stands already. */
static gal_status add_version(gali_emission *e, const gali_group *group, const gali_layer_version *version,
                              const gali_loop_buffer **layout, gal_error *error) {
    gali_compilation *c = e->c;
    char name[NAME_SIZE];
    gali_expression *expression;
    gali_loop_function *function;
    name_version(e, group, &version->dense, name);
    gal_status status = gali_dense_expression(&version->dense, &c->arena, &expression, error);
    if (status == GAL_OK) {
        status = gali_schedule_apply(expression, &version->schedule, &c->arena, &function, error);
    }
    if (status == GAL_OK && *layout && !gali_layout_same(*layout, weights_of(function))) {
        status = gali_fail(error, GAL_BAD_DATA, "%s: versions with other layouts of the weights", name);
    }
    if (status != GAL_OK) {
        return blame_log(c, version, status, error);
    }
    *layout = weights_of(function);
    if (twin_of(e, group) != group) {
        return GAL_OK;
    }
    add_comment(e, group, version);
    status = gali_loop_print_c(function, name, c->target->lanes, &e->functions, error);
    gali_text_add(&e->functions, "\n");
    return status == GAL_OK ? GAL_OK : blame_log(c, version, status, error);
}

static void add_call(gali_emission *e, const gali_group *group, const gali_dense *dense, size_t weights,
                     const char *indent) {
    const gali_node *node = node_of(e, group);
    char name[NAME_SIZE];
    name_version(e, twin_of(e, group), dense, name);
    gali_text_add(&e->calls, "%s%s(count, weights + %zu", indent, name, weights);
    gali_emit_argument(e, node->operands[0]);
    if (dense->experts > 1) {
        gali_emit_argument(e, node->operands[1]);
    }
    if (dense->sparse) {
        gali_emit_argument(e, node->operands[4]);
    }
    gali_emit_argument(e, result_of(e, group));
    gali_text_add(&e->calls, ");\n");
}

/* The counts of a version, as a condition: "count == 5 || (count >= 7 && count <= 8)". */
static void add_condition(gali_emission *e, const gali_layer_schedule *layer, uint32_t version) {
    uint32_t least = e->c->least, found = 0, ranges = 0;
    for (uint32_t r = 0; r < layer->range_count; r++) {
        ranges += layer->ranges[r].version == version;
    }
    for (uint32_t r = 0; r < layer->range_count; r++) {
        uint32_t most = layer->ranges[r].most;
        if (layer->ranges[r].version == version) {
            const char *open = found ? " || " : "";
            if (least == most) {
                gali_text_add(&e->calls, "%scount == %u", open, least);
            } else if (least == e->c->least) {
                gali_text_add(&e->calls, "%scount <= %u", open, most);
            } else if (most == e->c->most) {
                gali_text_add(&e->calls, "%scount >= %u", open, least);
            } else {
                gali_text_add(&e->calls,
                              ranges > 1 ? "%s(count >= %u && count <= %u)" : "%scount >= %u && count <= %u",
                              open, least, most);
            }
            found = 1;
        }
        least = most + 1;
    }
}

/* The version that has the most ranges, the last of equals: what is left when the others' counts were asked for. */
static uint32_t common_version(const gali_layer_schedule *layer) {
    uint32_t ranges[GALI_VERSIONS_MAX] = {0}, best = 0;
    for (uint32_t r = 0; r < layer->range_count; r++) {
        ranges[layer->ranges[r].version]++;
    }
    for (uint32_t v = 1; v < layer->version_count; v++) {
        best = ranges[v] >= ranges[best] ? v : best;
    }
    return best;
}

/* The call of the version for this count. */
static void add_dispatch(gali_emission *e, const gali_group *group, size_t weights) {
    const gali_layer_schedule *layer = group->schedule;
    uint32_t common = common_version(layer);
    if (layer->version_count == 1) {
        add_call(e, group, &layer->versions[0].dense, weights, "    ");
        return;
    }
    gali_text_add(&e->calls, "    ");
    for (uint32_t v = 0; v < layer->version_count; v++) {
        if (v != common) {
            gali_text_add(&e->calls, "if (");
            add_condition(e, layer, v);
            gali_text_add(&e->calls, ") {\n");
            add_call(e, group, &layer->versions[v].dense, weights, "        ");
            gali_text_add(&e->calls, "    } else ");
        }
    }
    gali_text_add(&e->calls, "{\n");
    add_call(e, group, &layer->versions[common].dense, weights, "        ");
    gali_text_add(&e->calls, "    }\n");
}

gal_status gali_emit_layer(gali_emission *e, const gali_group *group, gal_error *error) {
    const gali_loop_buffer *layout = NULL;
    gal_status status = GAL_OK;
    size_t weights = 0;
    if (group->schedule->patched) {
        return gali_emit_patches(e, group, error);
    }
    for (uint32_t v = 0; v < group->schedule->version_count && status == GAL_OK; v++) {
        status = add_version(e, group, &group->schedule->versions[v], &layout, error);
    }
    if (status == GAL_OK) {
        status = add_weights(e, group, layout, &weights, error);
    }
    if (status == GAL_OK) {
        add_dispatch(e, group, weights);
    }
    return status;
}
