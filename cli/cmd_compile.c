/* gallop compile: a model as plain C. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "commands.h"
#include "compiler/emit/opencl/emit.h"
#include "compiler/emit/program.h"
#include "compiler/emit/vocabulary.h"
#include "directory.h"
#include "gallop/compiler.h"
#include "network/model.h"
#include "onnx/import_onnx.h"
#include "onnx/onnx_model.h"
#include "options.h"

enum { PATH_SIZE = 4096 };

typedef struct compile {
    const char *path, *directory, *characters, *weights, *form, *external, *sizes;
    int layers;
    int fast, exact;
    const char *without_words, *profile_path;
    uint32_t without; /* of an ONNX model */
    gal_compile_desc desc;
} compile;

/* "8" or "1..64". */
static int read_characters(compile *self) {
    char end;
    uint32_t least, most;
    if (strchr(self->characters, '-') || strchr(self->characters, '+')) {
        return 0;
    }
    if (sscanf(self->characters, "%7u..%7u%c", &least, &most, &end) == 2) {
        self->desc.least = least;
        self->desc.most = most;
    } else if (sscanf(self->characters, "%7u%c", &least, &end) == 1) {
        self->desc.least = self->desc.most = least;
    } else {
        return 0;
    }
    return self->desc.least > 0 && self->desc.least <= self->desc.most;
}

static int read_words(compile *self) {
    if (self->characters && !read_characters(self)) {
        return gali_command_usage("compile", "--characters %.20s: expected LEAST..MOST, from 1 on",
                                  self->characters);
    }
    if (strcmp(self->weights, "array") != 0 && strcmp(self->weights, "blob") != 0) {
        return gali_command_usage("compile", "--weights %.20s: array or blob", self->weights);
    }
    if (strcmp(self->form, "per-expert") != 0 && strcmp(self->form, "blend") != 0) {
        return gali_command_usage("compile", "--form %.20s: per-expert or blend", self->form);
    }
    if (!self->directory && !self->desc.dump) {
        return gali_command_usage("compile", "-o is missing");
    }
    if (self->desc.stop_after && !self->desc.dump) {
        return gali_command_usage("compile", "--stop-after makes nothing but a dump: --dump is missing");
    }
    if (self->without_words && !gali_onnx_read_without(self->without_words, &self->without)) {
        return gali_command_usage("compile",
                                  "--without %.40s: words of rewrite, fuse, layout, tile, reorder, reuse, "
                                  "patterns, with commas",
                                  self->without_words);
    }
    self->desc.weights_blob = strcmp(self->weights, "blob") == 0;
    self->desc.form = strcmp(self->form, "blend") == 0 ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
    return GALI_EXIT_OK;
}

/* The file's name without folders and extension, as far as it is a C identifier; "model" where nothing of it is. */
static void name_of(const char *path, char name[25]) {
    const char *slash = strrchr(path, '/');
    size_t size = 0;
    for (const char *at = slash ? slash + 1 : path; *at && *at != '.' && size < 24; at++) {
        char c = *at;
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        int letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
        if (letter || (digit && size)) {
            name[size++] = c;
        } else if (size) {
            name[size++] = '_';
        }
    }
    name[size] = 0;
    if (size == 0) {
        memcpy(name, "model", sizeof "model");
    }
}

static const char *const extensions[GAL_COMPILED_PART_COUNT] = {
    [GAL_COMPILED_HEADER] = "h", [GAL_COMPILED_SOURCE] = "c", [GAL_COMPILED_WEIGHTS] = "weights"};

/* DIR/NAME.h and so on of a part that is a file; 0 if that is too long. */
static int name_part(const compile *self, int part, char path[PATH_SIZE]) {
    return snprintf(path, PATH_SIZE, "%s/%s.%s", self->directory, self->desc.name, extensions[part]) <
           PATH_SIZE;
}

static int spare_inputs(const compile *self) {
    const char *const read[] = {self->path, self->external, self->desc.log, self->profile_path};
    char path[PATH_SIZE];
    int result = GALI_EXIT_OK;
    for (int part = 0; self->directory && result == GALI_EXIT_OK && part < GAL_COMPILED_PART_COUNT; part++) {
        if (extensions[part] && name_part(self, part, path)) {
            result = gali_command_spare("compile", path, read, sizeof read / sizeof read[0]);
        }
    }
    return result;
}

static gal_status write_bytes(const compile *self, const char *bytes, size_t size, int part, gal_error *error) {
    char path[PATH_SIZE];
    if (size == 0) {
        return GAL_OK;
    }
    if (!name_part(self, part, path)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "the path is too long");
    }
    gal_status status = gali_file_write(path, bytes, size, error);
    if (status == GAL_OK) {
        printf("%9zu bytes  %s\n", size, path);
    }
    return status;
}

static gal_status write_part(const compile *self, const gal_compiled *compiled, gal_compiled_part part,
                             gal_error *error) {
    size_t size;
    const char *bytes = gal_compiled_bytes(compiled, part, &size);
    return write_bytes(self, bytes, size, (int)part, error);
}

/* How much of the log was of use: a log of another model, target or count of characters says nothing. */
static void print_logged(const compile *self, const gal_compiled *compiled) {
    uint32_t logged, layers = gal_compiled_layers(compiled, &logged);
    if (self->desc.log) {
        printf("%u of %u layers by schedules of %s\n", logged, layers, self->desc.log);
    }
}

static gal_status write_parts(const compile *self, const gal_compiled *compiled, gal_error *error) {
    size_t size;
    fputs(gal_compiled_bytes(compiled, GAL_COMPILED_DUMP, &size), stdout);
    if (!self->directory) {
        return GAL_OK;
    }
    gal_status status = gali_directory_make(self->directory, error);
    if (status == GAL_OK) {
        status = write_part(self, compiled, GAL_COMPILED_HEADER, error);
    }
    if (status == GAL_OK) {
        status = write_part(self, compiled, GAL_COMPILED_SOURCE, error);
    }
    if (status == GAL_OK) {
        print_logged(self, compiled);
    }
    return status == GAL_OK ? write_part(self, compiled, GAL_COMPILED_WEIGHTS, error) : status;
}

/* Errors of files that could not be written or are a log name their file; those of the model's bytes do not. */
static int fail(const compile *self, gal_status status, const gal_error *error) {
    const char *log = self->desc.log;
    if (status == GAL_BAD_ARGUMENT) {
        return gali_command_usage("compile", "%s", error->message);
    }
    if (status == GAL_IO || (log && strncmp(error->message, log, strlen(log)) == 0)) {
        return gali_command_bad("compile", "%s", error->message);
    }
    return gali_command_bad("compile", "%s: %s", self->path, error->message);
}

/* ---- ONNX ---- */

static int refuse_options(const compile *self) {
    const gal_compile_desc *d = &self->desc;
    const char *option = self->characters ? "--characters" : d->form ? "--form" : d->dump ? "--dump" : NULL;
    return option
               ? gali_command_usage("compile", "%s is for controllers, %s is an ONNX model", option, self->path)
               : GALI_EXIT_OK;
}

static gal_status write_program(const compile *self, const gali_text *parts, gal_error *error) {
    gal_status status = gali_directory_make(self->directory, error);
    for (int part = 0; status == GAL_OK && part < GAL_COMPILED_PART_COUNT; part++) {
        if (extensions[part]) {
            status = write_bytes(self, parts[part].bytes, parts[part].size, part, error);
        }
    }
    return status;
}

static gal_status use_log(const compile *self, gali_onnx_model *model, gal_error *error) {
    uint32_t groups = 0, logged = 0;
    gal_status status = gali_onnx_model_use_log(model, self->desc.log, &groups, &logged, error);
    if (status == GAL_OK) {
        printf("%u of %u groups with sums in tiles by schedules of %s\n", logged, groups, self->desc.log);
    }
    return status;
}

/* Kernels, with the tilings of a log. */
static gal_status emit_for_device(const compile *self, const gali_onnx_model *model, const gali_emit_desc *desc,
                                  gali_text *parts, gal_error *error) {
    gali_log log = {.count = 0};
    gali_device_logged logged = {.log = &log};
    gal_status status = self->desc.log ? gali_log_read(&log, self->desc.log, error) : GAL_OK;
    if (status == GAL_OK) {
        const gali_device_limits limits = gali_device_logged_limits(&logged);
        status = gali_opencl_emit(model->program, desc, &limits, parts, error);
    }
    if (status == GAL_OK && self->desc.log) {
        printf("%u of %u sums of products by tilings of %s\n", logged.known, logged.tasks, self->desc.log);
    }
    gali_log_release(&log);
    return status;
}

static gal_status emit_program(const compile *self, gali_onnx_model *model, const gali_emit_desc *desc,
                               gali_text *parts, gal_error *error) {
    if (model->target->simd == GALI_SIMD_OPENCL) {
        return emit_for_device(self, model, desc, parts, error);
    }
    gal_status status = self->desc.log ? use_log(self, model, error) : GAL_OK;
    return status == GAL_OK ? gali_emit_program(model->program, desc, parts, error) : status;
}

static int make_onnx(const compile *self) {
    gali_onnx_model model = {.file = NULL};
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gal_error error = {0};
    const char *slash = strrchr(self->path, '/');
    gali_emit_desc desc = {self->desc.name, slash ? slash + 1 : self->path, self->desc.weights_blob != 0};
    int result = refuse_options(self);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    const gali_target *target = gali_target_find(self->desc.target ? self->desc.target : "native", &error);
    if (!target || gali_vocabulary_check_name(desc.name, &error) != GAL_OK) {
        return gali_command_usage("compile", "%s", error.message);
    }
    gali_profile profile = {{0}, {0}};
    gal_status status = GAL_OK;
    if (self->profile_path) {
        status = gali_onnx_profile_read(&profile, self->profile_path, &error);
        model.profile = &profile;
    }
    status = status == GAL_OK ? gali_onnx_model_open(&model, self->path, self->external, self->sizes, &error)
                              : status;
    if (status == GAL_OK) {
        gal_error why = {0};
        model.fast = self->fast;
        model.exact = self->exact;
        model.without = self->without;
        model.target = target;
        status = gali_onnx_model_program(&model, &why);
        status = status == GAL_OK ? emit_program(self, &model, &desc, parts, &why) : status;
        status = status == GAL_OK ? GAL_OK : gali_fail_in_file(&error, self->path, &why);
    }
    status = status == GAL_OK ? write_program(self, parts, &error) : status;
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        gali_text_release(&parts[part]);
    }
    gali_onnx_model_release(&model);
    return status == GAL_OK             ? GALI_EXIT_OK
           : status == GAL_BAD_ARGUMENT ? gali_command_usage("compile", "%s", error.message)
                                        : gali_command_bad("compile", "%s", error.message);
}

/* ---- controllers, and ONNX networks whose layers are recognised ---- */

static gal_status read_model(const compile *self, void **data, size_t *size, gal_error *error) {
    const gali_recognise_desc desc = {0};
    gali_recognise_report report;
    return self->layers ? gali_onnx_image(self->path, self->external, &desc, data, size, &report, error)
                        : gali_file_read(self->path, GALI_FILE_MAX, NULL, data, size, error);
}

/* Who quantised a model may expect its speed of the C, too. */
static void print_widened(const compile *self, const void *data, size_t size) {
    gali_model model;
    gal_error error = {0};
    const gali_target *target = gali_target_find(self->desc.target ? self->desc.target : "native", &error);
    const int widens = target && target->simd != GALI_SIMD_HVX;
    if (!self->directory || !widens || gali_model_read(&model, data, size, &error) != GAL_OK) {
        return;
    }
    for (uint32_t i = 0; i < model.layer_count; i++) {
        const gali_weight_type type = model.layers[i].weight_type;
        if (type == GALI_WEIGHT_INT8 || type == GALI_WEIGHT_INT16) {
            printf("the C is float32, integers of the file are widened: the runtime computes in them\n");
            return;
        }
    }
}

static int make(compile *self) {
    if (self->layers && (!gali_onnx_is_path(self->path) || self->sizes || self->fast || self->exact)) {
        return gali_command_usage("compile",
                                  "--layers is for ONNX models, without --sizes, --fast and --exact");
    }
    if (gali_onnx_is_path(self->path) && !self->layers) {
        return make_onnx(self);
    }
    if (!self->layers &&
        (self->external || self->sizes || self->fast || self->exact || self->without || self->profile_path)) {
        return gali_command_usage("compile", "%s is for ONNX models",
                                  self->external  ? "--external"
                                  : self->sizes   ? "--sizes"
                                  : self->fast    ? "--fast"
                                  : self->exact   ? "--exact"
                                  : self->without ? "--without"
                                                  : "--profile");
    }
    gal_error error = {0};
    void *data = NULL;
    size_t size = 0;
    gal_compiled *compiled = NULL;
    if (read_model(self, &data, &size, &error) != GAL_OK) {
        return gali_command_bad("compile", "%s", error.message);
    }
    gal_status status = gal_compile(&compiled, data, size, &self->desc, &error);
    if (status == GAL_OK) {
        status = write_parts(self, compiled, &error);
    }
    if (status == GAL_OK) {
        print_widened(self, data, size);
    }
    gal_compiled_free(compiled);
    gali_release(NULL, data, size);
    return status == GAL_OK ? GALI_EXIT_OK : fail(self, status, &error);
}

static int run(int argc, char **argv) {
    char name[25];
    compile self = {.weights = "array", .form = "per-expert"};
    const gali_option options[] = {{"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
                                   {"--target", GALI_OPTION_TEXT, &self.desc.target, 0, 0},
                                   {"--characters", GALI_OPTION_TEXT, &self.characters, 0, 0},
                                   {"--weights", GALI_OPTION_TEXT, &self.weights, 0, 0},
                                   {"--form", GALI_OPTION_TEXT, &self.form, 0, 0},
                                   {"--name", GALI_OPTION_TEXT, &self.desc.name, 0, 0},
                                   {"--dump", GALI_OPTION_TEXT, &self.desc.dump, 0, 0},
                                   {"--stop-after", GALI_OPTION_TEXT, &self.desc.stop_after, 0, 0},
                                   {"--log", GALI_OPTION_TEXT, &self.desc.log, 0, 0},
                                   {"--external", GALI_OPTION_TEXT, &self.external, 0, 0},
                                   {"--fast", GALI_OPTION_FLAG, &self.fast, 0, 0},
                                   {"--exact", GALI_OPTION_FLAG, &self.exact, 0, 0},
                                   {"--sizes", GALI_OPTION_TEXT, &self.sizes, 0, 0},
                                   {"--profile", GALI_OPTION_TEXT, &self.profile_path, 0, 0},
                                   {"--without", GALI_OPTION_TEXT, &self.without_words, 0, 0},
                                   {"--layers", GALI_OPTION_FLAG, &self.layers, 0, 0},
                                   {"-o", GALI_OPTION_TEXT, &self.directory, 0, 0},
                                   {"--output", GALI_OPTION_TEXT, &self.directory, 0, 0}};
    int result = gali_options_read("compile", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = read_words(&self);
    }
    if (result == GALI_EXIT_OK && !self.desc.name) {
        name_of(self.path, name);
        self.desc.name = name;
    }
    if (result == GALI_EXIT_OK) {
        result = spare_inputs(&self);
    }
    return result == GALI_EXIT_OK ? make(&self) : result;
}

const gali_command gali_command_compile = {
    "compile", "a controller, or any ONNX model, as plain C",
    "usage: gallop compile MODEL.onnx [--target native] [--external FILE] [--sizes NAME=N,...] [--fast] "
    "[--exact]\n"
    "       [--weights array|blob] [--name NAME] [--log FILE] [--profile FILE] [--without STEP,...] -o DIR\n"
    "       gallop compile MODEL|MODEL.onnx --layers [--target native] [--characters 1..64] -o DIR\n"
    "       [--weights array|blob] [--form per-expert|blend] [--name NAME] [--dump PASS|all] [--stop-after "
    "PASS]\n\n"
    "Writes NAME.h and NAME.c: C11 that needs memcpy and libm alone. NAME_run computes what the runtime "
    "computes, for\n"
    "any number of characters in the range; the header tells sizes, memory and how to build it. NAME is the "
    "model's\n"
    "file name, or model, unless --name gives one.\n\n"
    "With --layers an ONNX network's layers are recognised, as gallop import does, and compiled as a "
    "controller's.\n"
    "Else of an ONNX model NAME_run takes its sizes, inputs and outputs as the header says them; the other "
    "options "
    "are for\n"
    "controllers.\n\n"
    "  --external    the file in which an ONNX model keeps its weights (MODEL.onnx.data, if it is there)\n"
    "  --layers      an ONNX network as a controller's\n"
    "  --sizes       what sizes are that an ONNX model leaves open: batch=1,length=8..512; batch=1+2..8 makes "
    "a version\n"
    "                of its heavy functions for each of the ranges\n"
    "  --fast        an ONNX model's results may be rounded less well where that is faster (docs/onnx.md)\n"
    "  --exact       an ONNX model's convolutions are all the sums that ONNX says, none by transforms\n"
    "  --profile     what fusing pairs of classes of operators took, in place of what is built in "
    "(docs/onnx.md)\n"
    "  --without     rewrite, fuse, layout or tile, of pruned convolutions reorder, reuse or patterns, several "
    "with\n"
    "                commas: leaves that out of an ONNX model's C, to see what it is worth\n"
    "  --characters  of a call: LEAST..MOST or a number, at most 1024 (1..64)\n"
    "  --target      scalar, x86-64-v3, x86-64-v4, armv8-a, armv8.2-a+dotprod, wasm32+simd128, native, or\n"
    "                opencl: kernels for GPUs and C that drives them (docs/gpu.md), or hexagonv66+hvx: for "
    "phones' DSPs\n"
    "  --weights     array: in NAME.c; blob: in NAME.weights, which the program loads\n"
    "  --form        of layers with several experts (docs/plan.md)\n"
    "  --dump        prints the graph after that pass: import, fold, sweep, fuse, schedule, memory, emit\n"
    "  --stop-after  runs no later pass; writes nothing\n"
    "  --name        prefix of every name in the files, at most 24 lower-case letters, digits and _\n"
    "  --log         a log of gallop tune: its schedules for the layers, or an ONNX model's groups, that it "
    "has\n",
    run};
