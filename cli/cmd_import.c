/* gallop import: model files from what others publish. The path's kind says which importer it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/system.h"
#include "commands.h"
#include "directory.h"
#include "import/pfnn_folder.h"
#include "onnx/import_onnx.h"
#include "options.h"

typedef struct wishes {
    const char *path, *out, *gate, *samples, *skeleton, *contract, *external;
    uint32_t sets;
    int f16;
} wishes;

static const char *const gate_names[] = {NULL, "cubic", "linear", "constant"}; /* by gal_gate_kind */

/* "0,12,25,37"; 0 if it is not four numbers of stored sets. */
static int read_samples(const char *text, uint32_t samples[GALI_PFNN_POINTS]) {
    for (int i = 0; i < GALI_PFNN_POINTS; i++) {
        size_t length = strcspn(text, ",");
        double value = 0;
        if (length == 0 || strspn(text, "0123456789") != length || !gali_number_read(text, length, &value) ||
            value >= (double)GALI_PFNN_SETS || (i > 0 && (uint32_t)value <= samples[i - 1])) {
            return 0;
        }
        samples[i] = (uint32_t)value;
        text += length + (text[length] == ',' && i + 1 < GALI_PFNN_POINTS);
    }
    return *text == 0;
}

/* The options together; prints what does not fit. */
static int make_desc(const wishes *w, gali_pfnn_desc *desc) {
    desc->gate = GAL_GATE_CUBIC;
    for (int gate = 1; gate <= GAL_GATE_CONSTANT && w->gate; gate++) {
        desc->gate = strcmp(w->gate, gate_names[gate]) == 0 ? (gal_gate_kind)gate : desc->gate;
    }
    if (w->gate && strcmp(w->gate, gate_names[desc->gate]) != 0) {
        return gali_command_usage("import", "--gate %s: cubic, linear or constant expected", w->gate);
    }
    if (w->samples && desc->gate != GAL_GATE_CUBIC) {
        return gali_command_usage("import", "--samples goes with --gate cubic");
    }
    if (w->samples && !read_samples(w->samples, desc->samples)) {
        return gali_command_usage("import",
                                  "--samples %s: four ascending sets from 0 to %d expected, as 0,12,25,37",
                                  w->samples, GALI_PFNN_SETS - 1);
    }
    if (w->sets && desc->gate != GAL_GATE_LINEAR) {
        return gali_command_usage("import", "--sets goes with --gate linear");
    }
    if (w->sets && GALI_PFNN_SETS % w->sets != 0) {
        return gali_command_usage("import", "--sets %u: 2, 5, 10, 25 or 50 expected", w->sets);
    }
    desc->use_samples = w->samples != NULL;
    desc->sets = w->sets;
    desc->weight_type = w->f16 ? GALI_WEIGHT_F16 : GALI_WEIGHT_F32;
    return GALI_EXIT_OK;
}

static void print_report(const wishes *w, const gali_pfnn_report *report, size_t size) {
    const uint32_t *n = report->widths;
    printf("%s: %u -> %u -> %u -> %u; inputs masked: %u, constant: %u\n", w->path, n[0], n[1], n[2], n[3],
           report->masked, report->constant);
    if (report->recovered) {
        printf("gate cubic: %u control points recovered from %d sets; residual of the weights' rms: "
               "rms %.2g (%s), max %.2g\n",
               report->experts, GALI_PFNN_SETS, report->residual_rms, report->residual_worst,
               report->residual_max);
    } else {
        printf("gate %s: %u stored sets\n", gate_names[report->gate], report->experts);
    }
    printf("%s: %.1f MB, %u golden frames; research only, not for distribution\n", w->out, (double)size / 1e6,
           report->golden_frames);
    if (!report->known_features) {
        fprintf(stderr,
                "gallop import: warning: not 342 inputs and 311 outputs: the contract calls them opaque, so "
                "the network runs and a controller does not\n");
    } else if (!report->skeleton_found) {
        fprintf(stderr,
                "gallop import: warning: no character_parents.bin and character_xforms.bin in %s: joints have "
                "names, but no lengths (--skeleton DIR)\n",
                w->path);
    }
    if (report->recovered && !w->f16 && report->residual_rms > 1e-5) {
        fprintf(stderr, "gallop import: warning: the sets are no samples of a cubic spline: --gate constant is "
                        "exact\n");
    }
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A path that is neither of the two kinds is told so, rather than that it lacks Xmean.bin. */
static int is_folder(const char *path) {
    return gali_system_path_kind(path) == GALI_PATH_FOLDER;
}

static int import_folder(const wishes *w, gali_pfnn_desc *desc) {
    if (gali_system_path_kind(w->path) == GALI_PATH_NOTHING) {
        return gali_command_bad("import", "%s: no such file or folder", w->path);
    }
    if (!is_folder(w->path)) {
        return gali_command_bad("import", "%s: neither a folder of weights nor a file that ends in .onnx",
                                w->path);
    }
    gali_files weights = gali_files_folder(w->path), skeleton = {0};
    desc->weights = &weights;
    if (w->skeleton) {
        skeleton = gali_files_folder(w->skeleton);
        desc->skeleton = &skeleton;
    }
    void *image = NULL;
    size_t size = 0;
    gali_pfnn_report report;
    gal_error error = {0};
    if (gali_pfnn_import(desc, &image, &size, &report, &error) != GAL_OK) {
        return gali_command_bad("import", "%s: %s", w->path, error.message);
    }
    gal_status status = gali_file_write(w->out, image, size, &error);
    gali_release(NULL, image, size);
    if (status != GAL_OK) {
        return gali_command_bad("import", "%s", error.message);
    }
    print_report(w, &report, size);
    return GALI_EXIT_OK;
}

static int import_pfnn(const wishes *w) {
    gali_pfnn_desc desc = {0};
    int result = w->contract || w->external
                     ? gali_command_usage("import", "--contract and --external go with MODEL.onnx")
                     : make_desc(w, &desc);
    return result == GALI_EXIT_OK ? import_folder(w, &desc) : result;
}

static int import_onnx(const wishes *w) {
    if (w->gate || w->samples || w->sets || w->skeleton || w->f16) {
        return gali_command_usage("import", "--gate, --samples, --sets, --skeleton and --f16 go with a folder");
    }
    return gali_import_onnx(w->path, w->external, w->out, w->contract);
}

static int run(int argc, char **argv) {
    wishes w = {0};
    const gali_option options[] = {
        {"PATH", GALI_OPTION_WORD, &w.path, 1, 0},
        {"-o", GALI_OPTION_TEXT, &w.out, 0, 0},
        {"--contract", GALI_OPTION_TEXT, &w.contract, 0, 0},
        {"--external", GALI_OPTION_TEXT, &w.external, 0, 0},
        {"--gate", GALI_OPTION_TEXT, &w.gate, 0, 0},
        {"--samples", GALI_OPTION_TEXT, &w.samples, 0, 0},
        {"--sets", GALI_OPTION_COUNT, &w.sets, 2, GALI_PFNN_SETS},
        {"--skeleton", GALI_OPTION_TEXT, &w.skeleton, 0, 0},
        {"--f16", GALI_OPTION_FLAG, &w.f16, 0, 0},
    };
    int result = gali_options_read("import", argc, argv, options, sizeof options / sizeof options[0]);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (!w.out) {
        return gali_command_usage("import", "-o FILE is missing");
    }
    gal_error error = {0};
    if (strcmp(w.out, "-") == 0) {
        return gali_command_usage("import", "-o -: a file expected, standard output has the report");
    }
    const char *const read[] = {w.path, w.external, w.contract};
    result = gali_command_spare("import", w.out, read, sizeof read / sizeof read[0]);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (gali_directory_make_for(w.out, &error) != GAL_OK) {
        return gali_command_bad("import", "%s", error.message);
    }
    return ends_with(w.path, ".onnx") ? import_onnx(&w) : import_pfnn(&w);
}

const gali_command gali_command_import = {
    "import", "a model file from an ONNX file or the published PFNN weights",
    "usage: gallop import MODEL.onnx -o FILE [--external FILE] [--contract TEXT]\n"
    "       gallop import DIR -o FILE [--gate cubic|linear|constant] [--samples A,B,C,D] [--sets N]\n"
    "                     [--skeleton DIR] [--f16]\n\n"
    "Reads a network out of an ONNX file, or the folder of the SIGGRAPH '17 weights (Xmean.bin .. "
    "b2_049.bin).\n"
    "Of ONNX it takes layers that the runtime has; gallop compile and gallop run take any model.\n\n"
    "  --external FILE      ONNX: where the weights are, if not in MODEL.onnx (MODEL.onnx.data, if it is "
    "there)\n"
    "  --contract TEXT      ONNX: what the features mean (docs/format.md, CNTR); else they are opaque\n"
    "  --gate cubic         recover the four control points from the fifty sets (the default)\n"
    "  --gate linear        take sets at equal phases\n"
    "  --gate constant      keep all fifty\n"
    "  --samples A,B,C,D    cubic: these sets as control points, as the original's 0,12,25,37\n"
    "  --sets N             linear: how many, a divisor of 50 (10)\n"
    "  --skeleton DIR       where character_parents.bin and character_xforms.bin are (DIR of the weights)\n"
    "  --f16                store weights as float16\n",
    run};
