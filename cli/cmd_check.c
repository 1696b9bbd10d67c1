/* gallop check: is the model file right, and does this build run it right? */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/size.h"
#include "check_report.h"
#include "commands.h"
#include "options.h"

typedef struct check {
    const char *path;
    gali_model_file file;
    gali_check_report report;
} check;

/* Float32 copies of the golden arrays, aligned as a run wants them. */
static float *copy(const void *values, size_t count) {
    float *out = malloc(gali_size_mul(count, sizeof *out));
    for (size_t i = 0; out && i < count; i++) {
        out[i] = gali_model_f32(values, i);
    }
    return out;
}

static gal_status run_golden(const gali_model_file *file, const gal_network *network, float *y,
                             gal_error *error) {
    const gali_model *model = &file->model;
    uint32_t frames = model->golden.frames;
    size_t size = gal_network_workspace_size(network, frames);
    float *x = copy(model->golden.x, (size_t)frames * model->inputs);
    float *blend = copy(model->golden.blend, (size_t)frames * model->golden.blend_width);
    void *workspace = gali_allocate(NULL, size);
    int caller = model->gate == GAL_GATE_CALLER, phase = !caller && model->gate != GAL_GATE_NETWORK;
    gal_network_batch batch = {
        .count = frames, .x = x, .phase = phase ? blend : NULL, .blend = caller ? blend : NULL, .y = y};
    gal_status status = !x || !blend || (size > 0 && !workspace)
                            ? gali_fail(error, GAL_NO_MEMORY, "no memory for %u golden frames", frames)
                            : gal_network_run(network, &batch, workspace, size, error);
    gali_release(NULL, workspace, size);
    free(x);
    free(blend);
    return status;
}

static void check_golden(check *self) {
    gal_error error = {0};
    const gali_model *model = &self->file.model;
    if (model->golden.frames == 0) {
        gali_check_say(&self->report, GALI_SKIP, "golden frames", "the file has none");
        return;
    }
    gal_network *network = NULL;
    float *y = calloc((size_t)model->golden.frames * model->outputs, sizeof *y);
    gal_status status = y ? gal_network_open_memory(&network, self->file.bytes, self->file.size, NULL, &error)
                          : gali_fail(&error, GAL_NO_MEMORY, "no memory");
    if (status == GAL_OK) {
        status = run_golden(&self->file, network, y, &error);
    }
    if (status == GAL_OK) {
        gali_check_golden(&self->report, &self->file, y);
        gali_check_normalisation(&self->report, &self->file);
    } else {
        gali_check_say(&self->report, GALI_FAIL, "golden frames", "%s", error.message);
    }
    gal_network_close(network);
    free(y);
}

static void check_contract(check *self) {
    gal_error error = {0};
    const gali_contract *contract = self->file.contract;
    if (!contract) {
        gali_check_say(&self->report, GALI_SKIP, "contract",
                       "the file has none: the network runs, nothing walks");
        return;
    }
    if (contract->inputs != self->file.model.inputs || contract->outputs != self->file.model.outputs) {
        gali_check_say(&self->report, GALI_FAIL, "contract",
                       "its blocks add up to %u inputs and %u outputs, the network has %u and %u",
                       contract->inputs, contract->outputs, self->file.model.inputs, self->file.model.outputs);
        return;
    }
    if (gali_contract_complete(contract, self->file.model.gate, &error) != GAL_OK) {
        gali_check_say(&self->report, GALI_FAIL, "contract", "cannot walk: %s", error.message);
    } else {
        gali_check_say(&self->report, GALI_PASS, "contract", "%u inputs, %u outputs, %u joints; complete",
                       contract->inputs, contract->outputs, contract->joint_count);
    }
    if (self->file.model.golden.frames > 0) {
        gali_check_bones(&self->report, &self->file);
        gali_check_rotations(&self->report, &self->file);
    }
}

static int run(int argc, char **argv) {
    check self = {.report = {.most = 12}};
    gal_error error = {0};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        {"--most", GALI_OPTION_COUNT, &self.report.most, 1, 100000},
    };
    int result = gali_options_read("check", argc, argv, options, sizeof options / sizeof options[0]);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (gali_model_file_open(&self.file, self.path, &error) != GAL_OK) {
        return gali_command_bad("check", "%s", error.message);
    }
    gali_check_say(&self.report, GALI_PASS, "file", "%zu bytes, every section whole, every weight finite",
                   self.file.size);
    check_contract(&self);
    check_golden(&self);
    gali_model_file_close(&self.file);
    if (self.report.failed > 0) {
        fflush(stdout);
        return gali_command_bad("check", "%s: FAIL, %u of the checks above", self.path, self.report.failed);
    }
    printf("PASS%s\n", self.report.warned > 0 ? ", with warnings" : "");
    return GALI_EXIT_OK;
}

const gali_command gali_command_check = {
    "check", "golden frames and contract: names the feature or joint that is wrong",
    "usage: gallop check MODEL [--most 12]\n\n"
    "Checks the file, that the contract fits the network and is complete, runs the golden frames through this\n"
    "build and compares, and looks at them as poses: bone lengths, rotations, normalisation. Features and\n"
    "joints that are wrong are named, largest first. Exit status 1 if anything fails.\n\n"
    "  --most N   lines of detail for each check (12)\n",
    run};
