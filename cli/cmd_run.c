/* gallop run: an ONNX model on arrays, by way of the C that gallop compile makes of it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands.h"
#include "gpu/space.h"
#include "onnx/built_model.h"
#include "onnx/device_model.h"
#include "onnx/run_ports.h"

typedef struct job {
    gali_built_desc desc;
    const char *output;
    uint32_t device;        /* of gallop probe --list */
    int is_there;           /* on it */
    int times;              /* of its kernels are printed */
    const char *probe_path; /* a file of gallop probe of it */
    gali_log log;           /* of its tilings */
    gali_device_logged logged;
    gali_gpu_choice choice;
    gali_option_list files;
    gali_profile profile;
    gali_onnx_model model;
    gali_run_ports ports;
    gali_built_model built;
} job;

static void print_wanted(const job *self) {
    const gali_graph *graph = self->model.graph;
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        int output = i >= graph->input_count;
        const gali_value *value =
            &graph->values[output ? graph->outputs[i - graph->input_count] : graph->inputs[i]];
        gali_text type = {0};
        gali_run_type_print(graph, &value->type, &type);
        printf("%s  %s  %s\n", output ? "output" : "input ", value->name, type.bytes ? type.bytes : "");
        gali_text_release(&type);
    }
    printf("\ngallop run %s", self->desc.path);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        printf(" --input %s=X.npy", graph->values[graph->inputs[i]].name);
    }
    printf(" -o %s\n", graph->output_count == 1 ? "Y.npy" : "DIR");
}

/* The sizes were refused: which is out of its range. */
static gal_status refuse_sizes(job *self, gal_error *error) {
    const gali_extents *x = self->model.graph->extents;
    gal_status status = self->model.program ? GAL_OK : gali_onnx_model_program(&self->model, error);
    for (uint32_t s = 0; status == GAL_OK && s < gali_extent_symbols(x); s++) {
        int64_t least = self->model.program->least[s], most = self->model.program->most[s];
        if (self->ports.number[s] && self->ports.number[s] <= self->ports.given &&
            (self->ports.symbols[s] < least || self->ports.symbols[s] > most)) {
            const char *name = gali_extent_symbol_name(x, s);
            return gali_fail(error, GAL_BAD_DATA,
                             "size %.60s is %lld, but may be %lld to %lld (--sizes asks for other ranges)",
                             name, (long long)self->ports.symbols[s], (long long)least, (long long)most);
        }
    }
    return status == GAL_OK ? gali_fail(error, GAL_BAD_DATA, "the model refuses these sizes") : status;
}

static gal_status call(job *self, void *workspace, gal_error *error) {
    static const char nothing[64];
    int answer =
        self->built.call(self->ports.sizes, (const void *const *)self->ports.inputs, self->ports.outputs,
                         self->built.weights ? self->built.weights : nothing, workspace);
    if (answer == -1) {
        return refuse_sizes(self, error);
    }
    return answer == 0
               ? GAL_OK
               : gali_fail(error, GAL_BAD_DATA,
                           "a size that only running tells leaves its range, or does not fit the others "
                           "(gallop inspect --shapes names them)");
}

static gal_status compute(job *self, gal_error *error) {
    size_t size = self->built.workspace(self->ports.sizes);
    gal_status status = gali_run_ports_make_outputs(&self->ports, error);
    void *workspace = status == GAL_OK ? gali_allocate(NULL, size + 1) : NULL;
    if (status == GAL_OK && !workspace) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for a workspace of %zu bytes", size);
    }
    status = status == GAL_OK ? call(self, workspace, error) : status;
    gali_release(NULL, workspace, size + 1);
    if (status == GAL_OK) {
        gali_run_ports_tell(&self->ports);
    }
    return status;
}

/* Outputs whose sizes only running tells have room for the most, which the program knows. */
static gal_status find_sizes(job *self, gal_error *error) {
    gal_error why = {0};
    gal_status status =
        gali_run_ports_follow(self->model.graph) ? GAL_OK : gali_onnx_model_program(&self->model, &why);
    self->ports.program = self->model.program;
    self->ports.graph = self->model.program ? self->model.program->graph : self->model.graph;
    return status == GAL_OK ? GAL_OK : gali_fail_in_file(error, self->desc.path, &why);
}

static gal_status run_here(job *self, gal_error *error, gal_error *why) {
    gal_status status = gali_built_model_open(&self->built, &self->model, &self->desc, error);
    return status == GAL_OK ? compute(self, why) : status;
}

/* What a log knows of the device, and a probe. Errors name their file. */
static gal_status read_choice(job *self, gal_error *error) {
    gali_device device = {.levels = 0};
    gal_status status = self->desc.log ? gali_log_read(&self->log, self->desc.log, error) : GAL_OK;
    if (status == GAL_OK && self->probe_path) {
        status = gali_device_read(&device, self->probe_path, "", error);
    }
    self->choice.choose = self->desc.log ? gali_device_choose_logged : NULL;
    self->logged.log = &self->log;
    self->choice.context = &self->logged;
    self->choice.prefers_images = gali_gpu_prefers_images(&device);
    return status;
}

static gal_status run_there(job *self, gal_error *error, gal_error *why) {
    gal_status status = read_choice(self, error);
    status = status == GAL_OK ? gali_run_ports_make_outputs(&self->ports, why) : status;
    if (status == GAL_OK) {
        status =
            gali_device_model_run(&self->model, &self->ports, self->device, &self->choice, self->times, why);
    }
    gali_log_release(&self->log);
    return status;
}

static gal_status run_opened(job *self, gal_error *error) {
    gal_error why = {0};
    gal_status status = self->output ? gali_run_ports_fit(self->model.graph, self->output, error) : GAL_OK;
    status = status == GAL_OK ? find_sizes(self, error) : status;
    status = status == GAL_OK ? gali_run_ports_read(&self->ports, &self->files, error) : status;
    if (status == GAL_OK && self->output) {
        const char *const read[] = {self->desc.path, self->desc.external, self->desc.log, self->desc.profile,
                                    self->probe_path};
        status = gali_run_ports_spare(&self->ports, self->output, read, sizeof read / sizeof read[0], error);
    }
    if (status == GAL_OK) {
        status = self->is_there ? run_there(self, error, &why) : run_here(self, error, &why);
        status = why.status == GAL_OK ? status : gali_fail_in_file(error, self->desc.path, &why);
    }
    if (status == GAL_OK && self->output) {
        return gali_run_ports_write(&self->ports, self->output, error);
    }
    if (status == GAL_OK) {
        gali_run_ports_print(&self->ports);
    }
    return status;
}

static gal_status run_model(job *self, gal_error *error) {
    gal_status status = GAL_OK;
    if (self->desc.profile) {
        status = gali_onnx_profile_read(&self->profile, self->desc.profile, error);
        self->model.profile = &self->profile;
    }
    status = status == GAL_OK ? gali_onnx_model_open(&self->model, self->desc.path, self->desc.external,
                                                     self->desc.sizes, error)
                              : status;
    self->desc.external = self->model.external;
    if (status == GAL_OK && !self->files.count && !self->output && self->model.graph->input_count > 0) {
        print_wanted(self);
        return GAL_OK;
    }
    return status == GAL_OK ? run_opened(self, error) : status;
}

static int read_words(job *self) {
    gal_error error = {0};
    const gali_target *target = gali_target_find(self->desc.target, &error);
    self->is_there = target && target->simd == GALI_SIMD_OPENCL;
    if (!target) {
        return gali_command_usage("run", "%s", error.message);
    }
    if (!self->is_there && !gali_target_runs_here(target)) {
        return gali_command_bad(
            "run", "target %s: its code does not run on this machine; gallop compile makes it", target->name);
    }
    if (self->is_there && self->desc.keep) {
        return gali_command_usage("run", "target %s has no files to keep", target->name);
    }
    if ((self->device || self->times || self->probe_path) && !self->is_there) {
        return gali_command_usage("run", "%s is for --target opencl",
                                  self->times        ? "--times"
                                  : self->probe_path ? "--probe"
                                                     : "--device");
    }
    self->model.target = self->is_there ? target : NULL;
    return GALI_EXIT_OK;
}

static int run(int argc, char **argv) {
    job self = {.desc = {.target = "native"}};
    const gali_option options[] = {{"MODEL.onnx", GALI_OPTION_WORD, &self.desc.path, 1, 0},
                                   {"--input", GALI_OPTION_LIST, &self.files, 0, 0},
                                   {"-i", GALI_OPTION_LIST, &self.files, 0, 0},
                                   {"-o", GALI_OPTION_TEXT, &self.output, 0, 0},
                                   {"--output", GALI_OPTION_TEXT, &self.output, 0, 0},
                                   {"--sizes", GALI_OPTION_TEXT, &self.desc.sizes, 0, 0},
                                   {"--target", GALI_OPTION_TEXT, &self.desc.target, 0, 0},
                                   {"--device", GALI_OPTION_COUNT, &self.device, 0, 1023},
                                   {"--times", GALI_OPTION_FLAG, &self.times, 0, 0},
                                   {"--probe", GALI_OPTION_TEXT, &self.probe_path, 0, 0},
                                   {"--external", GALI_OPTION_TEXT, &self.desc.external, 0, 0},
                                   {"--log", GALI_OPTION_TEXT, &self.desc.log, 0, 0},
                                   {"--profile", GALI_OPTION_TEXT, &self.desc.profile, 0, 0},
                                   {"--keep", GALI_OPTION_TEXT, &self.desc.keep, 0, 0}};
    gal_error error = {0};
    int result = gali_options_read("run", argc, argv, options, sizeof options / sizeof options[0]);
    result = result == GALI_EXIT_OK ? read_words(&self) : result;
    if (result != GALI_EXIT_OK) {
        return result;
    }
    gal_status status = run_model(&self, &error);
    gali_built_model_release(&self.built);
    gali_run_ports_release(&self.ports);
    gali_onnx_model_release(&self.model);
    return status == GAL_OK             ? GALI_EXIT_OK
           : status == GAL_BAD_ARGUMENT ? gali_command_usage("run", "%s", error.message)
                                        : gali_command_bad("run", "%s", error.message);
}

const gali_command gali_command_run = {
    "run", "an ONNX model on arrays: compiled to C, built, run",
    "usage: gallop run MODEL.onnx [--input [NAME=]X.npy ...] [-o OUT.npy|DIR] [--sizes NAME=N,...]\n"
    "       [--target native|opencl] [--device N] [--times] [--probe device.json] [--log FILE] [--profile "
    "FILE] [--external FILE] "
    "[--keep "
    "DIR]\n\n"
    "Compiles the model as gallop compile does, builds it with the system's C compiler (CC, or cc, gcc, "
    "clang), "
    "runs it on\n"
    "NumPy arrays and writes its outputs. What was built is kept in $XDG_CACHE_HOME/gallop (~/.cache/gallop), "
    "so "
    "that the\n"
    "next run of the same model starts at once; the folder may be removed at any time. Without inputs it "
    "prints "
    "what the\n"
    "model wants.\n\n"
    "  --input     an array, for the input of that name or the next one in the model's order\n"
    "  -o          OUT.npy: the only output; DIR: each output as DIR/NAME.npy; without it their first elements "
    "are "
    "printed\n"
    "  --sizes     what sizes are that the model leaves open: batch=1,length=8..512; larger than 1024 only so\n"
    "  --target    as of gallop compile; opencl: on a GPU, its kernels built by the driver, nothing kept\n"
    "  --device    then: its number in gallop probe --list (0)\n"
    "  --times     then: runs the model eleven times more and prints what each kernel takes\n"
    "  --probe     then: a file of gallop probe of it: where images are much faster, operands are read so\n"
    "  --log       a log of gallop tune: its schedules for the groups that it has run\n"
    "  --profile   what fusing pairs of classes of operators took, in place of what is built in\n"
    "  --external  the file in which the model keeps its weights (MODEL.onnx.data, if it is there)\n"
    "  --keep      builds anew, in that folder, and leaves model.h, model.c, model.weights and model.so "
    "there\n",
    run};
