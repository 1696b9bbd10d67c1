/* gallop quantize: a model file in fewer bits, and what that costs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "check/quantize_report.h"
#include "commands.h"
#include "directory.h"
#include "network/quantise_model.h"
#include "options.h"
#include "precision_option.h"

typedef struct quantize {
    const char *path, *out;
    gali_precision_option option;
    gali_precision precision;
    double seconds;
    int quiet;
    gali_model_file from, to;
    gal_error error;
} quantize;

/* Writes the file and opens it again. */
static gal_status write_quantised(quantize *self) {
    const size_t size = gali_quantise_model_size(&self->from.model, self->precision, GALI_QUANTISE_ALL);
    unsigned char *bytes = malloc(size + 1);
    if (!size || !bytes) {
        free(bytes);
        return gali_fail(&self->error, GAL_NO_MEMORY, "no memory for %zu bytes", size);
    }
    gal_status status =
        gali_quantise_model(&self->from.model, self->precision, GALI_QUANTISE_ALL, bytes, &self->error);
    if (status == GAL_OK) {
        status = gali_file_write(self->out, bytes, size, &self->error);
    }
    free(bytes);
    return status == GAL_OK ? gali_model_file_open(&self->to, self->out, &self->error) : status;
}

/* Whether files of fewer bits are stored in the precision of this name. */
static int stores(const char *name) {
    static const gal_precision precisions[] = {GAL_PRECISION_INT16, GAL_PRECISION_INT8, GAL_PRECISION_FP16,
                                               GAL_PRECISION_BF16};
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (strcmp(name, gal_precision_name(precisions[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static int usage(quantize *self) {
    gal_network_desc desc = {0};
    if (!self->option.name) {
        return gali_command_usage("quantize", "--precision is missing: int16, int8, fp16 or bf16");
    }
    if (!stores(self->option.name)) {
        return gali_command_usage("quantize", "--precision %s: int16, int8, fp16 or bf16 expected",
                                  self->option.name);
    }
    int result = gali_precision_option_read(&self->option, "quantize", &desc);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (!self->out) {
        return gali_command_usage("quantize", "-o is missing");
    }
    if (strcmp(self->out, "-") == 0) {
        return gali_command_usage("quantize", "-o -: a file expected, standard output has the report");
    }
    self->precision = (gali_precision){desc.precision, gali_precision_block(desc.precision, desc.block)};
    return gali_command_spare("quantize", self->out, &self->path, 1);
}

/* Integers rounded once more lose more, and the report would compare with what is off already. */
static gal_status refuse_integers(quantize *self) {
    const gali_model *model = &self->from.model;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const gali_weight_type type = model->layers[i].weight_type;
        if (type == GALI_WEIGHT_INT8 || type == GALI_WEIGHT_INT16) {
            return gali_fail(&self->error, GAL_BAD_ARGUMENT,
                             "layer %u has %s weights already; quantise the file that it was made from", i,
                             type == GALI_WEIGHT_INT8 ? "int8" : "int16");
        }
    }
    return GAL_OK;
}

static int quantize_opened(quantize *self) {
    const gali_quantize_report report = {&self->from, &self->to, self->precision, self->seconds};
    gal_status status = refuse_integers(self);
    if (status == GAL_OK) {
        status = write_quantised(self);
    }
    if (status == GAL_OK && !self->quiet) {
        status = gali_quantize_report_print(&report, &self->error);
    }
    if (status == GAL_IO) { /* of the new file, which it names */
        return gali_command_bad("quantize", "%s", self->error.message);
    }
    return status == GAL_OK ? GALI_EXIT_OK
                            : gali_command_bad("quantize", "%s: %s", self->path, self->error.message);
}

static int run(int argc, char **argv) {
    quantize self = {.seconds = 60};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        GALI_PRECISION_TABLE(self.option),
        {"-o", GALI_OPTION_TEXT, &self.out, 0, 0},
        {"--output", GALI_OPTION_TEXT, &self.out, 0, 0},
        {"--seconds", GALI_OPTION_NUMBER, &self.seconds, 10, 600},
        {"--no-report", GALI_OPTION_FLAG, &self.quiet, 0, 0},
    };
    int result = gali_options_read("quantize", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = usage(&self);
    }
    if (result == GALI_EXIT_OK && gali_directory_make_for(self.out, &self.error) != GAL_OK) {
        result = gali_command_bad("quantize", "%s", self.error.message);
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    result = gali_model_file_open(&self.from, self.path, &self.error) == GAL_OK
                 ? quantize_opened(&self)
                 : gali_command_bad("quantize", "%s", self.error.message);
    gali_model_file_close(&self.from);
    gali_model_file_close(&self.to);
    return result;
}

const gali_command gali_command_quantize = {
    "quantize", "a model file in fewer bits, with what that costs",
    "usage: gallop quantize MODEL --precision int16|int8|fp16|bf16 [--block N] -o FILE [--seconds 60] "
    "[--no-report]\n\n"
    "Writes the model with its dense layers' weights in the precision. Files of integers then run in it by\n"
    "themselves (int8 with inputs in 16 bits, in 8 where --precision int8-dot or --block row says so), the\n"
    "others in f32 unless --precision (gal_network_desc.precision) says so. A file of integers is refused:\n"
    "quantise the one that it was made from. Prints the size, the error of each layer and of the whole\n"
    "against float64 over the golden frames, times, and in closed loop how far the roots drift from the\n"
    "file's as it was and how the feet skate.\n\n"
    "  --block N      inputs that share a scale, a multiple of 16 up to 512 (int8: 32, or `row`; int16: 96)\n"
    "  --seconds S    of each script in closed loop (60)\n"
    "  --no-report    the file alone\n",
    run};
