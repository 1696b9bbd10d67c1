/* gallop eval: the bare network on rows of features. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "commands.h"
#include "directory.h"
#include "frames.h"
#include "model_file.h"
#include "network/reference.h"
#include "npy.h"
#include "options.h"
#include "precision_option.h"

typedef struct job {
    const char *model, *x_path, *phase_path, *blend_path, *y_path;
    gali_precision_option precision;
    gal_network_desc desc;
    int wide; /* the float64 reference */
    gali_model_file file;
    gali_frames frames; /* x and gate */
    void *y;            /* [rows][outputs], float32 or float64 */
    gal_error error;
} job;

static gal_status run_runtime(job *self) {
    gal_network *network = NULL;
    gal_status status =
        gal_network_open_memory(&network, self->file.bytes, self->file.size, &self->desc, &self->error);
    if (status == GAL_OK) {
        status = gali_frames_run(&self->frames, network, self->y, &self->error);
    }
    gal_network_close(network);
    return status;
}

static gal_status evaluate(job *self, int wide) {
    uint32_t item = wide ? sizeof(double) : sizeof(float);
    size_t shape[2] = {self->frames.count, self->file.model.outputs};
    size_t bytes = gali_size_mul(gali_size_mul(shape[0], shape[1]), item);
    self->y = bytes == GALI_SIZE_BAD ? NULL : malloc(bytes + 1);
    if (!self->y) {
        return gali_fail(&self->error, GAL_NO_MEMORY, "no memory for %u rows", self->frames.count);
    }
    gal_status status = wide ? gali_reference_run(&self->file.model, self->frames.count, self->frames.x,
                                                  self->frames.gate, self->y, &self->error)
                             : run_runtime(self);
    gali_element element = wide ? GALI_f64 : GALI_f32;
    return status == GAL_OK ? gali_npy_write(self->y_path, self->y, element, 2, shape, &self->error) : status;
}

static const char *gate_path(const job *self) {
    return self->file.model.gate == GAL_GATE_CALLER ? self->blend_path : self->phase_path;
}

static int usage(const job *self, int opened) {
    if (!self->x_path || !self->y_path) {
        return gali_command_usage("eval", "%s is missing", self->x_path ? "-o" : "--x");
    }
    const char *const read[] = {self->x_path, self->phase_path, self->blend_path, self->model};
    const int spared = gali_command_spare("eval", self->y_path, read, sizeof read / sizeof read[0]);
    if (spared != GALI_EXIT_OK || !opened) {
        return spared;
    }
    const char *refused = gali_frames_gate_refused(&self->file.model, self->phase_path, self->blend_path);
    if (refused) {
        return gali_command_usage("eval", "%s does not go with this model: its gate is \"%s\"", refused,
                                  gali_model_file_gate_name(self->file.model.gate));
    }
    const char *needed = gali_frames_gate_option(&self->file.model);
    if (needed && !gate_path(self)) {
        return gali_command_usage("eval", "%s is missing: the model's gate is \"%s\"", needed,
                                  gali_model_file_gate_name(self->file.model.gate));
    }
    return GALI_EXIT_OK;
}

static int run_opened(job *self) {
    int result = usage(self, 1);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    gal_status status =
        gali_frames_read(&self->frames, &self->file.model, self->x_path, gate_path(self), NULL, &self->error);
    if (status == GAL_OK) {
        status = gali_directory_make_for(self->y_path, &self->error);
    }
    if (status == GAL_OK) {
        status = evaluate(self, self->wide);
    }
    gali_frames_release(&self->frames);
    free(self->y);
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("eval", "%s", self->error.message);
}

static int run(int argc, char **argv) {
    job self = {0};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.model, 1, 0},
        {"--x", GALI_OPTION_TEXT, &self.x_path, 0, 0},
        {"--phase", GALI_OPTION_TEXT, &self.phase_path, 0, 0},
        {"--blend", GALI_OPTION_TEXT, &self.blend_path, 0, 0},
        {"-o", GALI_OPTION_TEXT, &self.y_path, 0, 0},
        {"--output", GALI_OPTION_TEXT, &self.y_path, 0, 0},
        GALI_PRECISION_TABLE(self.precision),
    };
    int result = gali_options_read("eval", argc, argv, options, sizeof options / sizeof options[0]);
    self.wide = self.precision.name && strcmp(self.precision.name, "f64") == 0;
    if (result == GALI_EXIT_OK && !self.wide) {
        result = gali_precision_option_read(&self.precision, "eval", &self.desc);
    }
    if (result == GALI_EXIT_OK) {
        result = usage(&self, 0);
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (gali_model_file_open(&self.file, self.model, &self.error) != GAL_OK) {
        return gali_command_bad("eval", "%s", self.error.message);
    }
    result = run_opened(&self);
    gali_model_file_close(&self.file);
    return result;
}

const gali_command gali_command_eval = {
    "eval", "run the bare network on rows of features",
    "usage: gallop eval MODEL --x X.npy --phase P.npy -o Y.npy " GALI_PRECISION_USAGE "\n\n"
    "X is float32 [rows][inputs], raw features; P is float32 [rows], phases in radians; Y gets "
    "[rows][outputs]; `-o -` is standard output.\n\n"
    "  --blend W.npy        instead of --phase, for a model whose gate is the caller: float32\n"
    "                       [rows][experts]; a gating network takes neither\n" GALI_PRECISION_HELP
    "  --precision f64      the float64 reference, straight from the formula: Y is float64\n",
    run};
