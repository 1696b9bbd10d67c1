/* Recognition on any graph that has a text. */
#include "recognised.h"

typedef struct source {
    const gali_graph *graph;
    size_t size;
} source;

static recognised recognise_source(const void *input) {
    const source *s = input;
    return recognise_graph(s->graph, s->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, (const char *)data, size, &arena, &error) == GAL_OK &&
        gali_graph_infer(graph, &error) == GAL_OK) {
        check_recognised(recognise_source, &(source){graph, size});
    }
    gali_arena_release(&arena);
    return 0;
}
