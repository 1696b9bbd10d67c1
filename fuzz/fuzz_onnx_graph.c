/*
 * ONNX files on their way to C: what is read becomes a graph with inferred shapes, a program, loops of each group, and C for
 * three targets, one of which has regions of its own, and as kernels of a device, or is refused with a message; for one of them with versions of groups for ranges of its first sizes, those
 * that only running tells among them. Loops are verified where they are made.
 */
#include <string.h>

#include "compiler/emit/opencl/emit.h"
#include "compiler/emit/program.h"
#include "compiler/program/versions.h"
#include "compiler/regions.h"
#include "compiler/target.h"
#include "fuzz.h"
#include "import/onnx/file.h"

enum { SIZES = 3 };

static const gali_emit_desc how = {"model", "model.onnx", 1};

/* The graph's first sizes, each 1 or 2..8; they lie in the arena. */
static gali_onnx_sizes sizes_of(const gali_onnx_file *file, gali_arena *arena) {
    static const int64_t parts[][2] = {{1, 1}, {2, 8}};
    gali_onnx_size *list = gali_arena_take(arena, SIZES * sizeof *list);
    gali_onnx_sizes sizes = {list, 0};
    gali_graph *graph;
    gal_error ignored = {0};
    if (!list || gali_onnx_graph(&graph, file, NULL, arena, &ignored) != GAL_OK) {
        return sizes;
    }
    for (uint32_t s = 0; s < gali_extent_symbols(graph->extents) && s < SIZES; s++) {
        gali_onnx_size *size = &list[sizes.count++];
        *size = (gali_onnx_size){.name = gali_extent_symbol_name(graph->extents, s),
                                 .least = parts[0][0],
                                 .most = parts[1][1],
                                 .part_count = 2};
        memcpy(size->parts, parts, sizeof parts);
    }
    return sizes;
}

static gal_status add_versions(gali_program *program, const gali_onnx_sizes *sizes, gal_error *error) {
    gali_size_parts list[SIZES];
    for (uint32_t i = 0; i < sizes->count; i++) {
        const gali_onnx_size *size = &sizes->list[i];
        list[i] = (gali_size_parts){size->name, size->part_count, size->parts};
    }
    return gali_program_add_versions(program, list, sizes->count, error);
}

/* As C for the target, with versions. */
static gal_status emit_c(gali_program *program, const char *target, const gali_onnx_sizes *sizes,
                         gali_text *parts, gal_error *error) {
    program->target = gali_target_find(target, error);
    gal_status status = gali_program_for_cpu(program, 0, error);
    status = status == GAL_OK ? add_versions(program, sizes, error) : status;
    return status == GAL_OK ? gali_emit_program(program, &how, parts, error) : status;
}

/* As kernels, and the C that drives them. */
static gal_status emit_kernels(gali_program *program, gali_text *parts, gal_error *error) {
    gal_status status = gali_program_for_device(program, error);
    return status == GAL_OK ? gali_opencl_emit(program, &how, &gali_device_least_limits, parts, error) : status;
}

/* target: NULL for a device. with_sizes: of ranges that are asked for, with versions. */
static void compile(const gali_onnx_file *file, const char *target, int with_sizes) {
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *program;
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}}, regions = {0};
    gal_error error = {0};
    gali_onnx_sizes sizes = {NULL, 0};
    if (with_sizes) {
        sizes = sizes_of(file, &arena);
    }
    gal_status status = gali_onnx_graph(&graph, file, &sizes, &arena, &error);
    if (status == GAL_OK && target) {
        status = gali_regions_take(gali_target_find(target, &error), graph, &regions, &error);
    }
    status = status == GAL_OK ? gali_program_make(&program, graph, &arena, &error) : status;
    if (status == GAL_OK) {
        program->regions = &regions;
        status = target ? emit_c(program, target, &sizes, parts, &error) : emit_kernels(program, parts, &error);
    }
    require(status == GAL_OK || error.message[0] != 0);
    require(status != GAL_OK || parts[GAL_COMPILED_SOURCE].size > 0);
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        gali_text_release(&parts[part]);
    }
    gali_text_release(&regions);
    gali_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_onnx_file *file = NULL;
    gal_error error = {0};
    if (gali_onnx_open(&file, &(gali_onnx_bytes){.data = data, .size = size}, &error) != GAL_OK) {
        require(!file && error.message[0] != 0);
        return 0;
    }
    compile(file, "scalar", 0);
    compile(file, "x86-64-v4", 1);
    compile(file, "hexagonv66+hvx", 0);
    compile(file, NULL, 0);
    gali_onnx_close(file);
    return 0;
}
