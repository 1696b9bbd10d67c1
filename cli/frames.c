#include "frames.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "npy.h"

static float *copy(const void *values, size_t count) {
    float *out = malloc(gali_size_add(gali_size_mul(count, sizeof *out), 1));
    for (size_t i = 0; out && i < count; i++) {
        out[i] = gali_model_f32(values, i);
    }
    return out;
}

gal_status gali_frames_golden(gali_frames *out, const gali_model *model, gal_error *error) {
    const gali_golden *golden = &model->golden;
    int gated = model->gate != GAL_GATE_NETWORK;
    *out = (gali_frames){
        .name = "golden frames",
        .count = golden->frames,
        .tolerance = golden->tolerance,
        .x = copy(golden->x, (size_t)golden->frames * model->inputs),
        .gate = gated ? copy(golden->blend, (size_t)golden->frames * golden->blend_width) : NULL,
        .y = copy(golden->y, (size_t)golden->frames * model->outputs),
    };
    if (!out->x || !out->y || (gated && !out->gate)) {
        gali_frames_release(out);
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %u golden frames", golden->frames);
    }
    return GAL_OK;
}

/* An array of `count` rows (any, where count is 0) of `width` values; width 0: a plain row of values. */
static gal_status read_rows(const char *path, size_t count, uint32_t width, const char *what, float **values,
                            size_t *rows, gal_error *error) {
    size_t shape[2] = {0, 0};
    gal_status status = gali_npy_read_f32(path, width ? 2 : 1, values, shape, error);
    if (status != GAL_OK) {
        return status;
    }
    if ((width && shape[1] != width) || shape[0] > UINT32_MAX) {
        return gali_fail(error, GAL_BAD_DATA, "%s: rows of %zu values, the model has %u %s", path, shape[1],
                         width, what);
    }
    if (rows) {
        *rows = shape[0];
    } else if (shape[0] != count) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %zu rows, x has %zu", path, shape[0], count);
    }
    return GAL_OK;
}

/* The blend of one expert, where none was given. */
static gal_status fill_ones(float **values, size_t count, gal_error *error) {
    *values = malloc(count * sizeof **values + 1);
    for (size_t i = 0; *values && i < count; i++) {
        (*values)[i] = 1;
    }
    return *values ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for %zu rows", count);
}

gal_status gali_frames_read(gali_frames *out, const gali_model *model, const char *x, const char *gate,
                            const char *y, gal_error *error) {
    size_t count = 0;
    *out = (gali_frames){.name = "your frames", .tolerance = 1e-3f};
    gal_status status = read_rows(x, 0, model->inputs, "inputs", &out->x, &count, error);
    if (status == GAL_OK && model->gate != GAL_GATE_NETWORK) {
        uint32_t width = model->gate == GAL_GATE_CALLER ? model->experts : 0;
        status = gate ? read_rows(gate, count, width, "experts", &out->gate, NULL, error)
                      : fill_ones(&out->gate, count, error);
    }
    if (status == GAL_OK && y) {
        status = read_rows(y, count, model->outputs, "outputs", &out->y, NULL, error);
    }
    out->count = (uint32_t)count;
    if (status != GAL_OK) {
        gali_frames_release(out);
    }
    return status;
}

const char *gali_frames_gate_option(const gali_model *model) {
    if (model->gate == GAL_GATE_CALLER) {
        return model->experts > 1 ? "--blend" : NULL;
    }
    return model->gate == GAL_GATE_NETWORK ? NULL : "--phase";
}

const char *gali_frames_gate_refused(const gali_model *model, const char *phase, const char *blend) {
    int by_phase = model->gate != GAL_GATE_CALLER && model->gate != GAL_GATE_NETWORK;
    if (phase && !by_phase) {
        return "--phase";
    }
    return blend && model->gate != GAL_GATE_CALLER ? "--blend" : NULL;
}

void gali_frames_release(gali_frames *frames) {
    free(frames->x);
    free(frames->gate);
    free(frames->y);
    *frames = (gali_frames){0};
}

gal_status gali_frames_run(const gali_frames *frames, const gal_network *network, float *y, gal_error *error) {
    int caller = gal_network_get_info(network).gate == GAL_GATE_CALLER;
    size_t size = gal_network_workspace_size(network, frames->count);
    void *workspace = size > 0 ? gali_allocate(NULL, size) : NULL;
    if (!workspace && size > 0) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the workspace of %zu bytes", size);
    }
    gal_network_batch batch = {.count = frames->count,
                               .x = frames->x,
                               .phase = caller ? NULL : frames->gate,
                               .blend = caller ? frames->gate : NULL,
                               .y = y};
    gal_status status = gal_network_run(network, &batch, workspace, size, error);
    gali_release(NULL, workspace, size);
    return status;
}
