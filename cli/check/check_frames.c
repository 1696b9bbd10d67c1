/* Frames against what the network makes of them, and normalisation: which features are wrong. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/check_report.h"

enum { LINE_MOST = 1024 };

/* What happened to one feature. */
typedef struct fault {
    uint32_t feature, frame; /* the frame in which it was worst */
    double unit;             /* its own spread: what its errors are measured in */
    double size, mean;       /* the worst error, and their root mean square over the frames */
    double expected, got;    /* in the worst frame */
} fault;

void gali_check_say(gali_check_report *report, gali_verdict verdict, const char *name, const char *format,
                    ...) {
    static const char *const words[] = {"PASS", "WARN", "FAIL", "SKIP"};
    char message[LINE_MOST];
    va_list arguments;
    report->failed += verdict == GALI_FAIL;
    report->warned += verdict == GALI_WARN;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!report->json) {
        printf("%s  %-14s %s\n", words[verdict], name, message);
        return;
    }
    gali_check_end(report);
    gali_json_open(report->json, NULL, '{');
    gali_json_text(report->json, "verdict", words[verdict]);
    gali_json_text(report->json, "check", name);
    gali_json_text(report->json, "message", message);
    gali_json_open(report->json, "details", '[');
    report->open = 1;
}

void gali_check_detail(gali_check_report *report, const char *format, ...) {
    char line[LINE_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (report->json) {
        gali_json_text(report->json, NULL, line);
    } else {
        printf("        %s\n", line);
    }
}

void gali_check_end(gali_check_report *report) {
    if (report->open) {
        gali_json_close(report->json, ']');
        gali_json_close(report->json, '}');
        report->open = 0;
    }
}

static int larger(const void *a, const void *b) {
    double one = ((const fault *)a)->mean, other = ((const fault *)b)->mean; /* may be infinite */
    return (other > one) - (other < one);
}

static void name_of(const gali_model_file *file, int output, uint32_t feature, char *text, size_t size) {
    if (!file->contract) {
        snprintf(text, size, "%c[%u]", output ? 'y' : 'x', feature);
    } else if (output) {
        gali_contract_output_name(file->contract, feature, text, size);
    } else {
        gali_contract_input_name(file->contract, feature, text, size);
    }
}

static void print_faults(gali_check_report *report, const gali_model_file *file, const fault *faults,
                         uint32_t count) {
    char name[160];
    for (uint32_t i = 0; i < count && i < report->most && faults[i].size > 0; i++) {
        name_of(file, 1, faults[i].feature, name, sizeof name);
        gali_check_detail(report, "%-36s expected %12.6g  got %12.6g  frame %u, %.3g of its spread off", name,
                          faults[i].expected, faults[i].got, faults[i].frame, faults[i].size);
    }
}

/* From so many frames on their spread is believed; with fewer it is the normalisation's. */
enum { SPREAD_FRAMES = 8 };

/* A feature that hardly moves in the frames is measured by this share of the normalisation's deviation. */
static const double least_spread = 0.1;

/*
 * A feature's own spread: the standard deviation over the frames. So an amount of a turn weighs as much as a length in
 * centimetres, by which a frame's own size is ruled.
 */
static double spread_of(const gali_model *model, const gali_frames *frames, uint32_t feature) {
    double deviation = (double)gali_model_f32(model->output_std, feature), mean = 0, squares = 0;
    if (frames->count < SPREAD_FRAMES) {
        return deviation;
    }
    for (uint32_t f = 0; f < frames->count; f++) {
        mean += (double)frames->y[(size_t)f * model->outputs + feature] / frames->count;
    }
    for (uint32_t f = 0; f < frames->count; f++) {
        double d = (double)frames->y[(size_t)f * model->outputs + feature] - mean;
        squares += d * d / frames->count;
    }
    return fmax(sqrt(squares), least_spread * deviation);
}

static double finite_or_worst(double error) {
    return isfinite(error) ? error : INFINITY;
}

/* All features of one frame: notes what is worst of each, and returns their root mean square. */
static double take_frame(const gali_model *model, const gali_frames *frames, uint32_t frame, const float *y,
                         fault *faults) {
    double sum = 0;
    for (uint32_t i = 0; i < model->outputs; i++) {
        double expected = (double)frames->y[(size_t)frame * model->outputs + i];
        double got = (double)y[(size_t)frame * model->outputs + i];
        double size = finite_or_worst(fabs(got - expected) / faults[i].unit);
        sum += size * size;
        faults[i].mean += size * size / frames->count;
        if (size > faults[i].size) {
            faults[i].frame = frame;
            faults[i].size = size;
            faults[i].expected = expected;
            faults[i].got = got;
        }
    }
    return sqrt(sum / model->outputs);
}

/* What the frames came to: how many features and frames are off, and the worst of each. */
typedef struct outcome {
    uint32_t wrong_features, wrong_frames, worst_frame;
    double worst, worst_feature;
} outcome;

static outcome compare(const gali_model *model, const gali_frames *frames, const float *y, fault *faults) {
    outcome out = {0};
    double bound = (double)frames->tolerance;
    for (uint32_t i = 0; i < model->outputs; i++) {
        faults[i] = (fault){.feature = i, .unit = spread_of(model, frames, i)};
    }
    for (uint32_t f = 0; f < frames->count; f++) {
        double error = take_frame(model, frames, f, y, faults);
        out.wrong_frames += !(error <= bound);
        if (error > out.worst) {
            out.worst = error;
            out.worst_frame = f;
        }
    }
    for (uint32_t i = 0; i < model->outputs; i++) {
        faults[i].mean = sqrt(faults[i].mean);
        out.wrong_features += !(faults[i].mean <= bound);
        out.worst_feature = fmax(out.worst_feature, faults[i].mean);
    }
    return out;
}

int gali_check_frames(gali_check_report *report, const gali_model_file *file, const gali_frames *frames,
                      const float *y) {
    const gali_model *model = &file->model;
    fault *faults = calloc(model->outputs, sizeof *faults);
    if (!faults) {
        gali_check_say(report, GALI_FAIL, frames->name, "no memory");
        return 1;
    }
    outcome out = compare(model, frames, y, faults);
    int right = out.wrong_frames == 0 && out.wrong_features == 0;
    qsort(faults, model->outputs, sizeof *faults, larger);
    if (right) {
        char name[160];
        name_of(file, 1, faults[0].feature, name, sizeof name);
        gali_check_say(report, GALI_PASS, frames->name,
                       "%u frames, each feature within %.2g of its own spread, tolerance %g; the worst is %s",
                       frames->count, out.worst_feature, (double)frames->tolerance, name);
    } else {
        gali_check_say(report, GALI_FAIL, frames->name,
                       "%u of %u features and %u of %u frames off, worst frame %u by %.3g of the features' "
                       "spreads, tolerance %g; largest first:",
                       out.wrong_features, model->outputs, out.wrong_frames, frames->count, out.worst_frame,
                       out.worst, (double)frames->tolerance);
        print_faults(report, file, faults, model->outputs);
    }
    free(faults);
    return right;
}

/* How far an input may lie from its mean before the normalisation is doubted, in deviations. */
static const double far_input = 100;

/* How large inputs may be that nobody normalised. */
static const double far_plain = 20;

static int check_deviations(gali_check_report *report, const gali_model_file *file, int output) {
    const gali_model *model = &file->model;
    const void *means = output ? model->output_mean : model->input_mean;
    const void *deviations = output ? model->output_std : model->input_std;
    uint32_t count = output ? model->outputs : model->inputs, lines = 0;
    char name[160];
    for (uint32_t i = 0; i < count && lines < report->most; i++) {
        double mean = fabs((double)gali_model_f32(means, i)), deviation = (double)gali_model_f32(deviations, i);
        if (!output && gali_model_u32(model->input_state, i) != GALI_INPUT_LIVE) {
            continue;
        }
        if (!(deviation > 1e-8 && deviation < 1e8) || mean > 1e5 * deviation) {
            name_of(file, output, i, name, sizeof name);
            if (lines++ == 0) {
                gali_check_say(report, GALI_WARN, "normalisation", "deviations that lose all precision:");
            }
            gali_check_detail(report, "%-36s mean %g, standard deviation %g", name, mean, deviation);
        }
    }
    return lines > 0;
}

static int check_inputs(gali_check_report *report, const gali_model_file *file, const gali_frames *frames) {
    const gali_model *model = &file->model;
    uint32_t lines = 0;
    char name[160];
    for (uint32_t i = 0; i < model->inputs && lines < report->most; i++) {
        double mean = (double)gali_model_f32(model->input_mean, i),
               deviation = (double)gali_model_f32(model->input_std, i);
        double most = 0, value = 0;
        for (uint32_t f = 0; f < frames->count; f++) {
            double x = (double)frames->x[(size_t)f * model->inputs + i];
            if (fabs(x - mean) / deviation > most) {
                most = fabs(x - mean) / deviation;
                value = x;
            }
        }
        if (gali_model_u32(model->input_state, i) == GALI_INPUT_LIVE && most > far_input) {
            name_of(file, 0, i, name, sizeof name);
            if (lines++ == 0) {
                gali_check_say(report, GALI_WARN, "normalisation", "inputs far from what it expects:");
            }
            gali_check_detail(report, "%-36s %g, mean %g, standard deviation %g", name, value, mean, deviation);
        }
    }
    return lines > 0;
}

/* Whether the file leaves inputs as they are although they are far from mean 0 and deviation 1. */
static int check_plain(gali_check_report *report, const gali_model_file *file, const gali_frames *frames) {
    const gali_model *model = &file->model;
    double most = 0;
    for (uint32_t i = 0; i < model->inputs; i++) {
        if (gali_model_f32(model->input_mean, i) != 0 || gali_model_f32(model->input_std, i) != 1) {
            return 0;
        }
    }
    for (size_t i = 0; i < (size_t)frames->count * model->inputs; i++) {
        most = fabs((double)frames->x[i]) > most ? fabs((double)frames->x[i]) : most;
    }
    if (most <= far_plain) {
        return 0;
    }
    gali_check_say(report, GALI_WARN, "normalisation",
                   "mean 0 and deviation 1 for every input, which are up to %.3g: is it missing?", most);
    return 1;
}

void gali_check_normalisation(gali_check_report *report, const gali_model_file *file,
                              const gali_frames *frames) {
    int wrong = check_deviations(report, file, 0);
    wrong |= check_deviations(report, file, 1);
    wrong |= check_inputs(report, file, frames);
    wrong |= check_plain(report, file, frames);
    if (!wrong) {
        gali_check_say(report, GALI_PASS, "normalisation", "means and standard deviations fit %s",
                       frames->name);
    }
}
