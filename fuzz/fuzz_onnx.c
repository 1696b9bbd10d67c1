/* The ONNX importer on a file, and on it as its own external data. */
#include "import/onnx/file.h"
#include "recognised.h"

static recognised import_file(const void *input) {
    const gali_onnx_file *file = input;
    recognised made = {0};
    gal_error error = {0};
    gali_arena arena = {0};
    gali_graph *graph;
    if (gali_onnx_graph(&graph, file, NULL, &arena, &error) == GAL_OK) {
        made = recognise_graph(graph, gali_onnx_file_bytes(file));
    } else {
        require(error.message[0] != 0);
    }
    gali_arena_release(&arena);
    return made;
}

static void import_bytes(const gali_onnx_bytes *bytes) {
    gali_onnx_file *file = NULL;
    gal_error error = {0};
    if (gali_onnx_open(&file, bytes, &error) != GAL_OK) {
        require(!file && error.message[0] != 0);
        return;
    }
    check_recognised(import_file, file);
    gali_onnx_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    import_bytes(&(gali_onnx_bytes){.data = data, .size = size});
    import_bytes(&(gali_onnx_bytes){.data = data, .size = size, .external = data, .external_size = size});
    return 0;
}
