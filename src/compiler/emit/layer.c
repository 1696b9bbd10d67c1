/* Dense layers as C: their scheduled loops, a version per range of characters, and their weights as those read them. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/emit/emission.h"
#include "compiler/graph/attributes.h"
#include "compiler/loop/print_c.h"

static const gali_node *constant(const gali_emission *e, const gali_node *node, uint32_t from_last) {
    return &e->c->graph->nodes[node->operands[node->operand_count - from_last]];
}

/* canonical[E][1 + K][N], biases first, of A[E][N][K] and b[E][N]. */
static void fill_canonical(float *canonical, const gali_dense *dense, const float *a, const float *b) {
    size_t inputs = dense->inputs, outputs = dense->outputs;
    for (size_t e = 0; e < dense->experts; e++, canonical += (1 + inputs) * outputs) {
        for (size_t n = 0; n < outputs; n++) {
            canonical[n] = b[e * outputs + n];
            for (size_t k = 0; k < inputs; k++) {
                canonical[(1 + k) * outputs + n] = a[(e * outputs + n) * inputs + k];
            }
        }
    }
}

/* Appends the weights as a function's loops read them; *at is where they start, in floats. */
static gal_status add_weights(gali_emission *e, const gali_node *node, const gali_dense *dense,
                              const gali_loop_buffer *layout, size_t *at, gal_error *error) {
    size_t size = (size_t)dense->experts * (1 + (size_t)dense->inputs) * dense->outputs * sizeof(float);
    size_t floats = gali_loop_pack_floats(layout);
    float *canonical = gali_allocate(NULL, size);
    float *packed = gali_allocate(NULL, gali_size_mul(floats, sizeof(float)));
    gal_status status = GAL_OK;
    if (canonical && packed) {
        fill_canonical(canonical, dense, constant(e, node, 2)->data, constant(e, node, 1)->data);
        gali_loop_pack(layout, canonical, packed);
        *at = gali_emit_floats(e, packed, floats);
    } else {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for the weights of %.31s", node->name);
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

static gal_status add_version(gali_emission *e, const gali_node *node, const gali_layer_version *version,
                              const gali_loop_buffer **layout, gal_error *error) {
    gali_compilation *c = e->c;
    const gali_dense *dense = &version->dense;
    char name[80];
    gali_expression *expression;
    gali_loop_function *function;
    snprintf(name, sizeof name, "gali_%s_%u_to_%u", node->name, dense->least, dense->most);
    gal_status status = gali_dense_expression(dense, &c->arena, &expression, error);
    if (status == GAL_OK) {
        status = gali_schedule_apply(expression, &version->schedule, &c->arena, &function, error);
    }
    if (status != GAL_OK) {
        return blame_log(c, version, status, error);
    }
    *layout = weights_of(function);
    gali_text_add(&e->functions,
                  "/*\n * %s for %u to %u characters: [%u] to [%u], %u experts, then %s.\n"
                  " * %s:\n *     ",
                  node->name, dense->least, dense->most, dense->inputs, dense->outputs, dense->experts,
                  gali_attribute_word(GALI_KIND_ACTIVATION, dense->activation),
                  version->logged ? "Schedule of the log" : "Written schedule");
    gali_schedule_print(&version->schedule, "\n *     ", &e->functions);
    gali_text_add(&e->functions, "\n */\n");
    status = gali_loop_print_c(function, name, c->target->lanes, &e->functions, error);
    gali_text_add(&e->functions, "\n");
    return status == GAL_OK ? GAL_OK : blame_log(c, version, status, error);
}

static void add_call(gali_emission *e, const gali_node *node, uint32_t index, const gali_dense *dense,
                     size_t weights, const char *indent) {
    const gali_graph *graph = e->c->graph;
    gali_text_add(&e->calls, "%sgali_%s_%u_to_%u(count, weights + %zu, %s, %u", indent, node->name,
                  dense->least, dense->most, weights, graph->nodes[node->operands[0]].name,
                  gali_emit_stride(graph, node->operands[0]));
    if (dense->experts > 1) {
        const char *blend = graph->nodes[node->operands[1]].name;
        gali_text_add(&e->calls, ", %s, %u", blend, dense->slots);
        if (dense->sparse) {
            gali_text_add(&e->calls, ", %s_expert, %u", blend, dense->slots);
        }
    }
    gali_text_add(&e->calls, ", %s, %u);\n", node->name, gali_emit_stride(graph, index));
}

/* The calls of all versions: the first whose range holds the count. */
static void add_dispatch(gali_emission *e, uint32_t index, const gali_layer_schedule *layer, size_t weights) {
    const gali_node *node = &e->c->graph->nodes[index];
    for (uint32_t v = 0; v < layer->version_count; v++) {
        const gali_dense *dense = &layer->versions[v].dense;
        int last = v + 1 == layer->version_count;
        if (!last) {
            gali_text_add(&e->calls, "    %sif (count <= %u) {\n", v ? "} else " : "", dense->most);
        } else if (v) {
            gali_text_add(&e->calls, "    } else {\n");
        }
        add_call(e, node, index, dense, weights, layer->version_count > 1 ? "        " : "    ");
    }
    gali_text_add(&e->calls, layer->version_count > 1 ? "    }\n" : "");
}

gal_status gali_emit_layer(gali_emission *e, uint32_t index, gal_error *error) {
    const gali_node *node = &e->c->graph->nodes[index];
    const gali_layer_schedule *layer = e->c->schedules[node->attributes[GALI_ATTRIBUTE_schedule] - 1];
    const gali_loop_buffer *layout = NULL;
    gal_status status = GAL_OK;
    size_t weights = 0;
    for (uint32_t v = 0; v < layer->version_count && status == GAL_OK; v++) {
        status = add_version(e, node, &layer->versions[v], &layout, error);
    }
    if (status == GAL_OK) {
        status = add_weights(e, node, &layer->dense, layout, &weights, error);
    }
    if (status == GAL_OK) {
        add_dispatch(e, index, layer, weights);
    }
    return status;
}
