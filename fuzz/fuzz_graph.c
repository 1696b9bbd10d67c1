/* The graph's text form on any bytes: what parses prints text that parses to the same text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/net/net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const char *text, size_t size) {
    gali_arena arena = {0};
    gali_text out = {0};
    gali_net *graph;
    gal_error error = {0};
    if (gali_net_parse(&graph, text, size, &arena, &error) == GAL_OK) {
        gali_net_print(graph, &out);
    }
    gali_arena_release(&arena);
    return out.bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *once = printed((const char *)data, size);
    char *twice = once ? printed(once, strlen(once)) : NULL;
    if (once && (!twice || strcmp(once, twice) != 0)) {
        abort();
    }
    free(once);
    free(twice);
    return 0;
}
