/* In place of the ONNX importer where its packages were not there when this was built. */
#include "base/error.h"
#include "import/onnx/file.h"

static gal_status say(gal_error *error) {
    return gali_fail(error, GAL_UNSUPPORTED,
                     "this build cannot read ONNX: protobuf-c and onnx.proto were not there (on Debian: "
                     "libprotobuf-c-dev, protobuf-c-compiler, libonnx-dev)");
}

gal_status gali_onnx_open(gali_onnx_file **file, const gali_onnx_bytes *bytes, gal_error *error) {
    (void)bytes;
    *file = NULL;
    return say(error);
}

void gali_onnx_close(gali_onnx_file *file) {
    (void)file;
}

gal_status gali_onnx_graph(gali_graph **out, const gali_onnx_file *file, const gali_onnx_sizes *sizes,
                           gali_arena *arena, gal_error *error) {
    (void)file;
    (void)sizes;
    (void)arena;
    *out = NULL;
    return say(error);
}

size_t gali_onnx_file_bytes(const gali_onnx_file *file) {
    (void)file;
    return 0;
}

size_t gali_onnx_provenance(const gali_onnx_file *file, char *text, size_t size) {
    (void)file;
    (void)text;
    (void)size;
    return 0;
}
