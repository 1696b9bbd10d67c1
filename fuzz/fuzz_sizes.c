/*
 * What `gallop compile` and `run` are told of an ONNX file: text of --sizes, and behind a line's end that of --target. Sizes
 * that are read stand in the graph of a file of the corpus, or are refused.
 */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "compiler/target.h"
#include "fuzz.h"
#include "import/onnx/file.h"
#include "onnx/sizes.h"

static void use(const gali_onnx_sizes *sizes, gali_arena *arena) {
    static const char path[] = GALLOP_SOURCE_DIR "/fuzz/corpus/onnx_graph/attention";
    gali_onnx_file *file = NULL;
    gali_graph *graph;
    void *data = NULL;
    size_t size = 0;
    gal_error error = {0};
    require(gali_file_read(path, 1 << 20, NULL, &data, &size, &error) == GAL_OK);
    require(gali_onnx_open(&file, &(gali_onnx_bytes){.data = data, .size = size}, &error) == GAL_OK);
    gal_status status = gali_onnx_graph(&graph, file, sizes, arena, &error);
    require(status == GAL_OK || error.message[0] != 0);
    gali_onnx_close(file);
    gali_release(NULL, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_onnx_sizes sizes;
    gal_error error = {0};
    char *text = gali_arena_copy(&arena, (const char *)data, size), *target = strchr(text, '\n');
    if (target) {
        *target++ = 0;
        require(gali_target_find(target, &error) || error.message[0] != 0);
    }
    error = (gal_error){0};
    if (gali_onnx_sizes_read(&sizes, &arena, text, &error) == GAL_OK) {
        for (uint32_t i = 0; i < sizes.count; i++) {
            const gali_onnx_size *s = &sizes.list[i];
            require(s->name[0] && s->least > 0 && s->least <= s->most && s->most <= GALI_SIZE_LARGEST);
        }
        use(&sizes, &arena);
    } else {
        require(error.message[0] != 0);
    }
    gali_arena_release(&arena);
    return 0;
}
