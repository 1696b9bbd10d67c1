#include "onnx/onnx_model.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "compiler/lower/recorded.h"
#include "compiler/program/versions.h"
#include "compiler/regions.h"
#include "network/model_layout.h"
#include "onnx/sizes.h"

int gali_onnx_is_path(const char *path) {
    size_t size = strlen(path);
    return size >= 5 && strcmp(path + size - 5, ".onnx") == 0;
}

/* Reads and unpacks path and, unless it is NULL, the file that it keeps weights in. Errors name the file. */
static gal_status open_file(gali_onnx_file **file, const char *path, const char *external, gal_error *error) {
    void *data = NULL, *more = NULL;
    gali_onnx_bytes bytes = {0};
    gal_error why = {0};
    gal_status status = gali_file_read(path, GALI_FILE_MAX, NULL, &data, &bytes.size, error);
    *file = NULL;
    if (status == GAL_OK && external) {
        status = gali_file_read(external, GALI_FILE_MAX, NULL, &more, &bytes.external_size, error);
    }
    if (status == GAL_OK && bytes.size >= strlen(GALI_MAGIC) &&
        memcmp(data, GALI_MAGIC, strlen(GALI_MAGIC)) == 0) {
        status = gali_fail(error, GAL_BAD_DATA, "%s: a model of Gallop, not ONNX: gallop info %s looks into it",
                           path, path);
    }
    if (status == GAL_OK) {
        bytes.data = data;
        bytes.external = more;
        status = gali_onnx_open(file, &bytes, &why);
        if (status != GAL_OK) {
            gali_fail_in_file(error, path, &why);
        }
    }
    gali_release(NULL, data, bytes.size);
    gali_release(NULL, more, bytes.external_size);
    return status;
}

/* Where exporters put weights that are not in PATH: its name comes from the caller, not out of the model. NULL: not there. */
static const char *find_external(const char *path, gali_arena *arena) {
    static const char *const endings[] = {".data", "_data"}; /* PyTorch's, and ONNX Runtime's tools' */
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t size = strlen(path) + strlen(endings[i]) + 1;
        char *beside = gali_arena_take(arena, size);
        if (beside) {
            snprintf(beside, size, "%s%s", path, endings[i]);
        }
        if (beside && gali_system_path_kind(beside) == GALI_PATH_FILE) {
            return beside;
        }
    }
    return NULL;
}

gal_status gali_onnx_model_open(gali_onnx_model *model, const char *path, const char *external,
                                const char *sizes, gal_error *error) {
    gal_error why = {0};
    gal_status status = gali_onnx_sizes_read(&model->sizes, &model->arena, sizes ? sizes : "", error);
    model->external = external;
    status = status == GAL_OK ? open_file(&model->file, path, external, error) : status;
    if (status == GAL_NOT_FOUND && !external) {
        model->external = find_external(path, &model->arena);
        status = model->external ? open_file(&model->file, path, model->external, error) : status;
    }
    if (status == GAL_OK) {
        status = gali_onnx_graph(&model->graph, model->file, &model->sizes, &model->arena, &why);
        status = status == GAL_OK ? GAL_OK : gali_fail_in_file(error, path, &why);
    }
    return status;
}

int gali_onnx_read_without(const char *text, uint32_t *without) {
    static const char *const words[] = {"rewrite", "fuse",  "layout",  "tile",
                                        "reorder", "reuse", "patterns"}; /* bits of GALI_WITHOUT_, by rising */
    const uint32_t count = sizeof words / sizeof *words;
    size_t size;
    for (*without = 0; *text; text += size + (text[size] == ',')) {
        uint32_t i = 0;
        size = strcspn(text, ",");
        while (i < count && (strlen(words[i]) != size || memcmp(words[i], text, size) != 0)) {
            i++;
        }
        if (i == count) {
            return 0;
        }
        *without |= 1u << i;
    }
    return 1;
}

/* Versions of groups for the ranges that matter. */
static gal_status add_versions(gali_onnx_model *model, gal_error *error) {
    uint32_t count = model->sizes.count;
    gali_size_parts *list = gali_arena_take(&model->arena, (count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) {
        const gali_onnx_size *size = &model->sizes.list[i];
        list[i] = (gali_size_parts){size->name, size->part_count, size->parts};
    }
    return list ? gali_program_add_versions(model->program, list, count, error)
                : gali_fail(error, GAL_NO_MEMORY, "no memory for sizes");
}

static int is_for_device(const gali_onnx_model *model) {
    return model->target && model->target->simd == GALI_SIMD_OPENCL;
}

gal_status gali_onnx_model_program(gali_onnx_model *model, gal_error *error) {
    gal_status status = gali_regions_take(model->target, model->graph, &model->regions, error);
    if (status == GAL_OK && !(model->without & GALI_WITHOUT_REWRITE)) {
        status = gali_graph_rewrite(model->graph, model->fast, model->rewritten, error);
    }
    status = status == GAL_OK ? gali_program_make(&model->program, model->graph, &model->arena, error) : status;
    if (status != GAL_OK) {
        return status;
    }
    model->program->regions = &model->regions;
    model->program->without = model->without;
    model->program->profile = model->profile;
    if (is_for_device(model)) {
        return gali_program_for_device(model->program, error);
    }
    model->program->target = model->target;
    status = gali_program_for_cpu(model->program, model->exact, error);
    return status == GAL_OK ? add_versions(model, error) : status;
}

gal_status gali_onnx_profile_read(gali_profile *profile, const char *path, gal_error *error) {
    void *text;
    size_t size;
    gal_status status = gali_file_read(path, GALI_FILE_MAX, NULL, &text, &size, error);
    if (status == GAL_OK) {
        status = gali_profile_parse(profile, text, size, path, error);
        gali_release(NULL, text, size);
    }
    return status;
}

gal_status gali_onnx_model_use_log(gali_onnx_model *model, const char *log, uint32_t *groups, uint32_t *logged,
                                   gal_error *error) {
    gali_log records = {.count = 0};
    gal_status status = gali_log_read(&records, log, error);
    if (status == GAL_OK) {
        status = gali_program_use_log(model->program, &records, log, groups, logged, error);
    }
    gali_log_release(&records);
    return status;
}

void gali_onnx_model_release(gali_onnx_model *model) {
    gali_arena_release(&model->arena);
    gali_text_release(&model->regions);
    gali_onnx_close(model->file);
    *model = (gali_onnx_model){.file = NULL};
}
