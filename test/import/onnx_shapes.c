/*
 * What is inferred of an ONNX model's shapes against what the reference evaluator makes, at random sizes:
 *
 *     onnx_shapes MODEL.onnx COUNT [NAME=LEAST..MOST:STEP]... [INPUT@LEAST..MOST]...
 *
 * NAME is a size that the file leaves open, drawn from LEAST, LEAST + STEP, ..; INPUT@ says of which range an input's whole
 * numbers are (0..1 without). Every result of every node, those of bodies too, must have the rank and the extents that its
 * type says; a size that only running tells is taken from the first result that has it, must be within its bound, and hold for
 * all others. Ends with 1 where one is contradicted, with 2 where a model cannot be read or run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "graph/evaluate.h"
#include "graph/propagate.h"
#include "import/onnx/file.h"

enum { DRAWN_MAX = 32 };

typedef struct drawn {
    char name[128];
    int64_t least, most, step;
    int of_input;
} drawn;

static struct {
    int64_t *symbols;
    uint64_t compared, wrong;
} seen;

static uint32_t random_state = 1;

static int64_t random_of(const drawn *d) {
    random_state = random_state * 1664525u + 1013904223u;
    return d->least + (int64_t)(random_state >> 8) % ((d->most - d->least) / d->step + 1) * d->step;
}

/* ---- what nodes make ---- */

static const gali_graph *graph_of(const gali_graph *graph, const gali_node *node) {
    if (node >= graph->nodes && node < graph->nodes + graph->node_count) {
        return graph;
    }
    const gali_graph *found = NULL;
    for (uint32_t i = 0; !found && i < graph->node_count; i++) {
        for (uint32_t k = 0; !found && k < graph->nodes[i].body_count; k++) {
            found = graph_of(graph->nodes[i].bodies[k], node);
        }
    }
    return found;
}

static void fail(const gali_graph *graph, const gali_node *node, uint32_t result, const gali_tensor *made) {
    gali_text type = {0};
    gali_type_print(graph->extents, &graph->values[node->results[result]].type, &type);
    printf("%s: result %u is %s, and [", gali_node_place(graph, node), result, type.bytes);
    for (uint32_t d = 0; d < made->rank; d++) {
        printf("%s%lld", d ? ", " : "", (long long)made->shape[d]);
    }
    printf("] when it runs\n");
    gali_text_release(&type);
    seen.wrong++;
}

/* Whether the extent is, or may be, that number; a symbol that nothing has told yet is told. In loops it changes. */
static int holds(const gali_graph *graph, gali_extent extent, int64_t found) {
    int symbol = gali_extent_as_symbol(graph->extents, extent);
    if (extent == GALI_EXTENT_UNKNOWN) {
        return 1;
    }
    if (symbol >= 0 && (seen.symbols[symbol] == GALI_EXTENT_UNKNOWN || graph->depth > 0)) {
        int64_t bound = gali_extent_value(graph->extents, gali_extent_bound(graph->extents, (uint32_t)symbol),
                                          seen.symbols);
        int given = graph->depth > 0 &&
                    gali_extent_bound(graph->extents, (uint32_t)symbol) == GALI_EXTENT_UNKNOWN &&
                    seen.symbols[symbol] != GALI_EXTENT_UNKNOWN;
        if (!given) {
            seen.symbols[symbol] = found;
            return !gali_extent_is_number(bound) || found <= bound;
        }
    }
    int64_t value = gali_extent_value(graph->extents, extent, seen.symbols);
    return value == found || value == GALI_EXTENT_UNKNOWN;
}

static const gali_graph *whole;

static gal_status compute(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results) {
    gal_status status = gali_op_list[node->op].truth(run, node, operands, results);
    const gali_graph *graph = graph_of(whole, node);
    for (uint32_t i = 0; graph && status == GAL_OK && i < node->result_count; i++) {
        const gali_type *type = node->results[i] == GALI_NONE ? NULL : &graph->values[node->results[i]].type;
        int same = !type || type->rank < 0 || type->rank == (int)results[i].rank;
        for (int d = 0; same && type && d < type->rank; d++) {
            same = holds(graph, type->shape[d], results[i].shape[d]);
        }
        if (!same) {
            fail(graph, node, i, &results[i]);
        }
        seen.compared += type != NULL;
    }
    return status;
}

/* ---- runs ---- */

static const drawn *find(const drawn *list, int count, const char *name, int of_input) {
    for (int i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0 && list[i].of_input == of_input) {
            return &list[i];
        }
    }
    return NULL;
}

static void fill(gali_tensor *tensor, const drawn *range) {
    static const drawn truths = {.least = 0, .most = 1, .step = 1},
                       reals = {.least = -1000, .most = 1000, .step = 1};
    for (size_t i = 0; i < tensor->count; i++) {
        if (tensor->real) {
            tensor->real[i] = range ? (double)random_of(range) : (double)random_of(&reals) / 1000;
        } else {
            tensor->whole[i] = random_of(range ? range : &truths);
        }
    }
}

static gal_status run_once(const gali_graph *graph, const drawn *list, int count, gal_error *error) {
    gali_run run = {
        .graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = error, .compute = compute};
    gali_tensor *inputs = calloc(graph->input_count + 1, sizeof *inputs);
    gali_tensor *outputs = calloc(graph->output_count + 1, sizeof *outputs);
    gal_status status = inputs && outputs ? GAL_OK : GAL_NO_MEMORY;
    for (uint32_t s = 0; s < gali_extent_symbols(graph->extents); s++) {
        const drawn *d = find(list, count, gali_extent_symbol_name(graph->extents, s), 0);
        seen.symbols[s] = d ? random_of(d) : GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->input_count; i++) {
        const gali_value *v = &graph->values[graph->inputs[i]];
        int64_t shape[GALI_RANK_MAX] = {0};
        for (int d = 0; d < v->type.rank; d++) {
            shape[d] = gali_extent_value(graph->extents, v->type.shape[d], seen.symbols);
            status = gali_extent_is_number(shape[d])
                         ? status
                         : gali_run_fail(&run, graph->nodes, "input %s: no size is said", v->name);
        }
        status = status == GAL_OK && v->type.rank >= 0
                     ? gali_tensor_make(&run, &inputs[i], v->type.element, (uint32_t)v->type.rank, shape)
                     : status;
        if (status == GAL_OK) {
            fill(&inputs[i], find(list, count, v->name, 1));
        }
    }
    status = status == GAL_OK ? gali_graph_evaluate(&run, graph, inputs, outputs) : status;
    for (uint32_t i = 0; i < graph->output_count && status == GAL_OK; i++) {
        gali_tensor_release(&run, &outputs[i]);
    }
    for (uint32_t i = 0; inputs && i < graph->input_count; i++) {
        gali_tensor_release(&run, &inputs[i]);
    }
    free(inputs);
    free(outputs);
    return status;
}

static int read_drawn(const char *text, drawn *d) {
    size_t size = strcspn(text, "=@");
    long long least, most, step = 1;
    *d = (drawn){.of_input = text[size] == '@'};
    if (!text[size] || size >= sizeof d->name) {
        return 0;
    }
    memcpy(d->name, text, size);
    int count = sscanf(text + size + 1, "%lld..%lld:%lld", &least, &most, &step);
    d->least = least;
    d->most = most;
    d->step = step;
    return count >= 2 && least <= most && step > 0;
}

int main(int argc, char **argv) {
    drawn list[DRAWN_MAX];
    gal_error error = {0};
    gali_onnx_bytes bytes = {0};
    void *data = NULL;
    gali_onnx_file *file = NULL;
    gali_arena arena = {0};
    gali_graph *graph = NULL;
    if (argc < 3 || argc - 3 > DRAWN_MAX) {
        return 77; /* as a test without a model: skipped */
    }
    for (int i = 3; i < argc; i++) {
        if (!read_drawn(argv[i], &list[i - 3])) {
            fprintf(stderr, "%s: NAME=LEAST..MOST:STEP or INPUT@LEAST..MOST expected\n", argv[i]);
            return 2;
        }
    }
    gal_status status = gali_file_read(argv[1], INT64_MAX / 4, NULL, &data, &bytes.size, &error);
    bytes.data = data;
    status = status == GAL_OK ? gali_onnx_open(&file, &bytes, &error) : status;
    status = status == GAL_OK ? gali_onnx_graph(&graph, file, NULL, &arena, &error) : status;
    whole = graph;
    seen.symbols = graph ? calloc(gali_extent_symbols(graph->extents) + 1, sizeof *seen.symbols) : NULL;
    for (int i = 0; status == GAL_OK && seen.symbols && i < atoi(argv[2]); i++) {
        status = run_once(graph, list, argc - 3, &error);
    }
    if (status == GAL_OK) {
        printf("%llu shapes compared, %llu contradicted\n", (unsigned long long)seen.compared,
               (unsigned long long)seen.wrong);
    } else {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
    }
    gali_onnx_close(file);
    gali_arena_release(&arena);
    free(seen.symbols);
    free(data);
    return status != GAL_OK ? 2 : seen.wrong > 0;
}
