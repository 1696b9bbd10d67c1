/*
 * ONNX files on their way to C: what is read becomes a graph with inferred shapes, a program, loops of each group, and C for
 * two targets, or is refused with a message. Loops are verified where they are made.
 */
#include "compiler/emit/program.h"
#include "compiler/program/patterns.h"
#include "compiler/program/winograd.h"
#include "compiler/target.h"
#include "fuzz.h"
#include "import/onnx/file.h"

static gal_status make_program(gali_program **program, const gali_graph *graph, gali_arena *arena,
                               gal_error *error) {
    gal_status status = gali_program_make(program, graph, arena, error);
    status = status == GAL_OK ? gali_program_patterns(*program, NULL, error) : status;
    status = status == GAL_OK ? gali_program_winograd(*program, error) : status;
    status = status == GAL_OK ? gali_program_fuse(*program, error) : status;
    status = status == GAL_OK ? gali_program_range(*program, error) : status;
    status = status == GAL_OK ? gali_program_layout(*program, error) : status;
    status = status == GAL_OK ? gali_program_order(*program, error) : status;
    return status == GAL_OK ? gali_program_place(*program, error) : status;
}

static void compile(const gali_onnx_file *file, const char *target) {
    static const gali_emit_desc how = {"model", "model.onnx", 1};
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *program;
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gal_error error = {0};
    gal_status status = gali_onnx_graph(&graph, file, NULL, &arena, &error);
    status = status == GAL_OK ? make_program(&program, graph, &arena, &error) : status;
    if (status == GAL_OK) {
        program->target = gali_target_find(target, &error);
        status = gali_emit_program(program, &how, parts, &error);
    }
    require(status == GAL_OK || error.message[0] != 0);
    require(status != GAL_OK || parts[GAL_COMPILED_SOURCE].size > 0);
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        gali_text_release(&parts[part]);
    }
    gali_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_onnx_file *file = NULL;
    gal_error error = {0};
    if (gali_onnx_open(&file, &(gali_onnx_bytes){.data = data, .size = size}, &error) != GAL_OK) {
        require(!file && error.message[0] != 0);
        return 0;
    }
    compile(file, "scalar");
    compile(file, "x86-64-v4");
    gali_onnx_close(file);
    return 0;
}
