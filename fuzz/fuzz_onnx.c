/*
 * The ONNX importer on a file, and on it as its own external data. What it makes must be a model file and a contract, and it must be the same a second
 * time.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/onnx/file.h"
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

static image import_file(const gali_onnx_file *file) {
    image made = {0};
    gali_recognise_report report;
    gal_error error = {0};
    gali_arena arena = {0};
    gali_graph *graph;
    const gali_recognise_desc desc = {.source_size = gali_onnx_file_bytes(file)};
    gal_status status = gali_onnx_graph(&graph, file, NULL, &arena, &error);
    if (status == GAL_OK) {
        status = gali_recognise_model(graph, &desc, &made.bytes, &made.size, &report, &error);
    }
    gali_arena_release(&arena);
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

static void import_bytes(const gali_onnx_bytes *bytes) {
    gali_onnx_file *file = NULL;
    gal_error error = {0};
    if (gali_onnx_open(&file, bytes, &error) != GAL_OK) {
        require(!file && error.message[0] != 0);
        return;
    }
    image first = import_file(file);
    if (first.bytes) {
        check(&first);
        image second = import_file(file);
        require(second.bytes && second.size == first.size &&
                memcmp(first.bytes, second.bytes, first.size) == 0);
        gali_release(NULL, second.bytes, second.size);
    }
    gali_release(NULL, first.bytes, first.size);
    gali_onnx_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    import_bytes(&(gali_onnx_bytes){.data = data, .size = size});
    import_bytes(&(gali_onnx_bytes){.data = data, .size = size, .external = data, .external_size = size});
    return 0;
}
