/*
 * Recognition on any graph that has a text. What it makes must be a model file and a contract, with the graph's counts,
 * and the same a second time.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contract/contract.h"
#include "recognise/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

typedef struct image {
    void *bytes;
    size_t size;
} image;

static image recognise(const gali_graph *graph, size_t source_size) {
    image made = {0};
    gali_recognise_report report;
    gal_error error = {0};
    const gali_recognise_desc desc = {.source_size = source_size};
    gal_status status = gali_recognise_model(graph, &desc, &made.bytes, &made.size, &report, &error);
    require((status == GAL_OK) == (made.bytes != NULL));
    require(status == GAL_OK || error.message[0] != 0);
    return made;
}

static void check(const image *made) {
    gali_model model;
    gali_contract *contract = NULL;
    require(gali_model_read(&model, made->bytes, made->size, NULL) == GAL_OK);
    require(gali_contract_parse(&contract, model.contract, model.contract_size, NULL, NULL) == GAL_OK);
    require(contract->inputs == model.inputs && contract->outputs == model.outputs);
    gali_contract_release(contract, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, (const char *)data, size, &arena, &error) == GAL_OK &&
        gali_graph_infer(graph, &error) == GAL_OK) {
        image first = recognise(graph, size);
        if (first.bytes) {
            check(&first);
            image second = recognise(graph, size);
            require(second.size == first.size && memcmp(first.bytes, second.bytes, first.size) == 0);
            gali_release(NULL, second.bytes, second.size);
        }
        gali_release(NULL, first.bytes, first.size);
    }
    gali_arena_release(&arena);
    return 0;
}
