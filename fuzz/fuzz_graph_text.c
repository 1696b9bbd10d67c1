/*
 * The text form of graphs on any bytes. What parses prints text that parses to as long a text (terms of a sum may stand
 * in another order), and its shapes, expressions and truth are asked for, within small limits.
 */
#include <string.h>

#include "fuzz.h"
#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/graph.h"

enum { MEMORY = 1 << 24, ELEMENTS_MOST = 4096, SYMBOLS_MOST = 64 };

/* Zeros for an input, every symbol being 2. 0 if its shape is not known, or too large. */
static int make_input(gali_run *run, const gali_graph *graph, const gali_value *value, gali_tensor *input) {
    int64_t symbols[SYMBOLS_MOST], shape[GALI_RANK_MAX] = {0}, count = 1;
    if (gali_extent_symbols(graph->extents) > SYMBOLS_MOST || value->type.rank < 0) {
        return 0;
    }
    for (int i = 0; i < SYMBOLS_MOST; i++) {
        symbols[i] = 2;
    }
    for (int i = 0; i < value->type.rank; i++) {
        shape[i] = gali_extent_value(graph->extents, value->type.shape[i], symbols);
        if (shape[i] < 0 || shape[i] > ELEMENTS_MOST || (count *= shape[i]) > ELEMENTS_MOST) {
            return 0;
        }
    }
    return gali_tensor_make(run, input, value->type.element, (uint32_t)value->type.rank, shape) == GAL_OK;
}

static void evaluate(const gali_graph *graph) {
    gal_error error = {0};
    gali_run run = {.memory_left = MEMORY, .work_left = 1e6, .error = &error};
    gali_tensor *inputs = calloc(graph->input_count + 1, sizeof *inputs);
    gali_tensor *outputs = calloc(graph->output_count + 1, sizeof *outputs);
    int can = inputs && outputs;
    for (uint32_t i = 0; can && i < graph->input_count; i++) {
        can = make_input(&run, graph, &graph->values[graph->inputs[i]], &inputs[i]);
    }
    if (can && gali_graph_evaluate(&run, graph, inputs, outputs) == GAL_OK) {
        for (uint32_t i = 0; i < graph->output_count; i++) {
            gali_tensor_release(&run, &outputs[i]);
        }
    }
    for (uint32_t i = 0; inputs && i < graph->input_count; i++) {
        gali_tensor_release(&run, &inputs[i]);
    }
    require(run.memory_left == MEMORY);
    free(inputs);
    free(outputs);
}

/* Shapes, expressions and the truth of a graph that was read. */
static void exercise(gali_graph *graph) {
    gal_error error = {0};
    if (gali_graph_infer(graph, &error) != GAL_OK) {
        return;
    }
    gali_express *x = calloc(1, sizeof *x);
    for (uint32_t i = 0; x && i < graph->node_count; i++) {
        if (gali_node_express(graph, &graph->nodes[i], x, &error) != GAL_OK) {
            break;
        }
    }
    free(x);
    evaluate(graph);
}

static char *printed(const char *text, size_t size, int first) {
    gali_arena arena = {0};
    gali_text out = {0};
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, size, &arena, &error) == GAL_OK) {
        gali_graph_print(graph, &out);
        gali_text_add(&out, "\n"); /* of an empty graph there is text, too */
        if (first) {
            exercise(graph);
        }
    }
    gali_arena_release(&arena);
    return out.bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *once = printed((const char *)data, size, 1);
    char *twice = once ? printed(once, strlen(once), 0) : NULL;
    require(!once || (twice && strlen(once) == strlen(twice)));
    free(once);
    free(twice);
    return 0;
}
