#include "onnx/inspect_shapes.h"

#include <stdio.h>
#include <string.h>

#include "graph/propagate.h"

static void print_extent(const gali_graph *graph, gali_extent extent) {
    gali_text text = {0};
    gali_extent_print(graph->extents, extent, &text);
    printf("%s", text.bytes ? text.bytes : "?");
    gali_text_release(&text);
}

/* ---- nodes ---- */

static void print_results(const gali_graph *graph, const gali_node *node) {
    for (uint32_t k = 0; k < node->result_count; k++) {
        if (node->results[k] != GALI_NONE) {
            gali_text type = {0};
            gali_type_print(graph->extents, &graph->values[node->results[k]].type, &type);
            printf("%s %s %s", k ? "," : "", graph->values[node->results[k]].name,
                   type.bytes ? type.bytes : "?");
            gali_text_release(&type);
        }
    }
}

static void print_nodes(const gali_graph *graph, int indent) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        printf("%*s%s \"%s\":", indent, "", gali_op_list[node->op].name, node->name);
        print_results(graph, node);
        printf("\n");
        for (uint32_t k = 0; k < node->body_count; k++) {
            print_nodes(node->bodies[k], indent + 4);
        }
    }
}

/* ---- how many are known ---- */

static void count_known(const gali_graph *graph, const int64_t *given,
                        uint32_t counts[GALI_SHAPE_KNOWN_COUNT]) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (node->results[k] != GALI_NONE) {
                counts[gali_shape_is_known(graph->extents, &graph->values[node->results[k]].type, given)]++;
            }
        }
        for (uint32_t k = 0; k < node->body_count; k++) {
            count_known(node->bodies[k], given, counts);
        }
    }
}

/* ---- why not ---- */

/* The node that tells a symbol: the first with a result that has it for an extent, or whose elements are told. */
typedef struct maker {
    const gali_graph *graph;
    const gali_node *node; /* NULL: none */
    const gali_value *value;
    int by_elements; /* the symbol is an element of the value; else an extent */
} maker;

static int has_alone(const gali_graph *graph, const gali_extent *list, gali_extent count, uint32_t symbol) {
    for (gali_extent i = 0; i < count; i++) {
        if (gali_extent_as_symbol(graph->extents, list[i]) == (int)symbol) {
            return 1;
        }
    }
    return 0;
}

/* Whether the value is where the symbol comes from; what is around a body sees its results later than the body. */
static int tells(const gali_graph *graph, const gali_value *value, uint32_t symbol, maker *found) {
    gali_extent count = value->told ? gali_type_count(graph->extents, &value->type) : 0;
    int by_elements = value->told && has_alone(graph, value->told, count, symbol);
    if (!by_elements && !has_alone(graph, value->type.shape, value->type.rank, symbol)) {
        return 0;
    }
    const gali_node *node = value->node == GALI_NONE ? NULL : &graph->nodes[value->node];
    *found = (maker){graph, node, value, by_elements};
    return 1;
}

static int find_maker(const gali_graph *graph, uint32_t symbol, maker *found) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (tells(graph, &graph->values[graph->inputs[i]], symbol, found)) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->body_count; k++) {
            if (find_maker(node->bodies[k], symbol, found)) {
                return 1;
            }
        }
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (node->results[k] != GALI_NONE &&
                tells(graph, &graph->values[node->results[k]], symbol, found)) {
                return 1;
            }
        }
    }
    return 0;
}

static void print_why(const maker *found) {
    if (found->by_elements) {
        printf("an element of %s, which is %s", found->value->name, found->node ? "computed by " : "an input");
    } else if (!found->node) {
        printf("what a loop carries in %s changes its size from trip to trip", found->value->name);
        return;
    } else if (found->node->op == GALI_OP_If) {
        printf("branches differ in it: ");
    } else if (found->node->op == GALI_OP_Loop || found->node->op == GALI_OP_Scan) {
        printf("trips decide it: ");
    } else {
        printf("elements decide it: ");
    }
    printf("%s", found->node ? gali_node_place(found->graph, found->node) : "");
}

static void print_told(const gali_graph *graph, const int64_t *given) {
    int first = 1;
    for (uint32_t s = 0; s < gali_extent_symbols(graph->extents); s++) {
        maker found;
        if (given[s] == 1 || !find_maker(graph, s, &found)) {
            continue;
        }
        gali_extent bound = gali_extent_bound(graph->extents, s);
        printf("%s  %-12s ", first ? "\nsizes that only running tells\n" : "",
               gali_extent_symbol_name(graph->extents, s));
        if (bound == GALI_EXTENT_UNKNOWN) {
            printf("bounded by nothing, 1024 at most");
        } else {
            printf("at most ");
            print_extent(graph, bound);
        }
        printf("; ");
        print_why(&found);
        printf("\n");
        first = 0;
    }
}

/* The first operand for which nothing can be said of a result. */
static void print_unknown(const gali_graph *graph) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->values[graph->inputs[i]].type.rank < 0) {
            printf("  %s: the file says no rank of this input\n", graph->values[graph->inputs[i]].name);
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        int unknown = 0, from = 0;
        for (uint32_t k = 0; k < node->result_count; k++) {
            unknown |= node->results[k] != GALI_NONE && graph->values[node->results[k]].type.rank < 0;
        }
        for (uint32_t k = 0; unknown && k < node->operand_count; k++) {
            from |= node->operands[k] != GALI_NONE && graph->values[node->operands[k]].type.rank < 0;
        }
        if (unknown && !from) {
            printf("  %s: how many axes its result has depends on what it reads\n",
                   gali_node_place(graph, node));
        }
        for (uint32_t k = 0; k < node->body_count; k++) {
            print_unknown(node->bodies[k]);
        }
    }
}

static void print_found(const gali_graph *graph) {
    for (const gali_found_size *f = graph->found; f; f = f->next) {
        printf("%s  %-12s is ", f == graph->found ? "\nsizes that follow from others\n" : "",
               gali_extent_symbol_name(graph->extents, f->symbol));
        print_extent(graph, f->is);
        printf(": %s\n", gali_node_place(graph, &graph->nodes[f->node]));
    }
}

void gali_inspect_shapes(const gali_graph *graph) {
    static const char *const words[GALI_SHAPE_KNOWN_COUNT] = {
        "numbers", "sizes of inputs", "expressions of them", "told by running", "unknown"};
    uint32_t counts[GALI_SHAPE_KNOWN_COUNT] = {0}, all = 0;
    gali_arena arena = {0};
    const int64_t *given = gali_graph_given(graph, &arena);
    print_nodes(graph, 0);
    if (given) {
        count_known(graph, given, counts);
        for (int i = 0; i < GALI_SHAPE_KNOWN_COUNT; i++) {
            all += counts[i];
        }
        printf("\nshapes of %u results: ", all);
        for (int i = 0; i < GALI_SHAPE_KNOWN_COUNT; i++) {
            printf("%s%u %s", i ? ", " : "", counts[i], words[i]);
        }
        printf("\n");
        print_found(graph);
        print_told(graph, given);
        if (counts[GALI_SHAPE_UNKNOWN]) {
            printf("\nunknown ranks\n");
            print_unknown(graph);
        }
    }
    gali_arena_release(&arena);
}
