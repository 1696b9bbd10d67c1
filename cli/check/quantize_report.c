#include "check/quantize_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "frames.h"
#include "judge/measure.h"
#include "judge/stages.h"
#include "motion/controller.h"
#include "network/quantise_model.h"
#include "network/reference.h"

enum { TIMES = 101, RUNS_COUNTS = 2, ROWS_MOST = 64 };

static const uint32_t timed_counts[RUNS_COUNTS] = {1, 8};
static const double drift_seconds[2] = {10, 60};

/* The golden frames, their true outputs, and room for a run's. */
typedef struct trial {
    gali_frames golden;
    uint32_t outputs;
    float *y;
    double *truth;
} trial;

static void release_trial(trial *t) {
    gali_frames_release(&t->golden);
    free(t->y);
    free(t->truth);
}

static gal_status make_trial(trial *t, const gali_model *model, gal_error *error) {
    gal_status status = gali_frames_golden(&t->golden, model, error);
    const size_t count = (size_t)t->golden.count * model->outputs;
    t->outputs = model->outputs;
    t->y = malloc(count * sizeof *t->y + 1);
    t->truth = malloc(count * sizeof *t->truth + 1);
    if (status == GAL_OK && (!t->y || !t->truth)) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for %u golden frames", t->golden.count);
    }
    return status == GAL_OK
               ? gali_reference_run(model, t->golden.count, t->golden.x, t->golden.gate, t->truth, error)
               : status;
}

/* Runs count of the frames `times` times; returns the median time. */
static double run_frames(const trial *t, const gal_network *network, uint32_t count, int times,
                         gal_status *status, gal_error *error) {
    const gal_gate_kind gate = gal_network_get_info(network).gate;
    const size_t size = gal_network_workspace_size(network, count);
    void *workspace = gali_allocate(NULL, size);
    double took[TIMES];
    const gal_network_batch batch = {
        .count = count,
        .x = t->golden.x,
        .phase = gate == GAL_GATE_CALLER || gate == GAL_GATE_NETWORK ? NULL : t->golden.gate,
        .blend = gate == GAL_GATE_CALLER ? t->golden.gate : NULL,
        .y = t->y};
    for (int i = 0; i < times && *status == GAL_OK; i++) {
        const double start = gali_clock_seconds();
        *status = gal_network_run(network, &batch, workspace, size, error);
        took[i] = gali_clock_seconds() - start;
        for (int j = i; j > 0 && took[j] < took[j - 1]; j--) { /* sorted as they come */
            const double swap = took[j];
            took[j] = took[j - 1];
            took[j - 1] = swap;
        }
    }
    gali_release(NULL, workspace, size);
    return *status == GAL_OK ? took[times / 2] : NAN;
}

/* Root mean square over all frames, relative to the truth's, in deviations of each output. */
static double error_of(const trial *t, const gali_model *model) {
    double off = 0, all = 0;
    for (uint32_t frame = 0; frame < t->golden.count; frame++) {
        for (uint32_t n = 0; n < t->outputs; n++) {
            const size_t i = (size_t)frame * t->outputs + n;
            const double std = (double)gali_model_f32(model->output_std, n);
            const double mean = (double)gali_model_f32(model->output_mean, n);
            off += ((double)t->y[i] - t->truth[i]) * ((double)t->y[i] - t->truth[i]) / (std * std);
            all += (t->truth[i] - mean) * (t->truth[i] - mean) / (std * std);
        }
    }
    return sqrt(off / (all > 0 ? all : 1));
}

static gal_status run_file(const trial *t, const void *bytes, size_t size, double *error_got,
                           const gali_model *model, gal_error *error) {
    gal_network *network = NULL;
    gal_status status = gal_network_open_memory(&network, bytes, size, NULL, error);
    if (status == GAL_OK) {
        run_frames(t, network, t->golden.count, 1, &status, error);
        *error_got = error_of(t, model);
    }
    gal_network_close(network);
    return status;
}

/* The network with one layer in the precision. */
static gal_status print_layer(const gali_quantize_report *r, const trial *t, uint32_t layer, gal_error *error) {
    const gali_model *model = &r->from->model;
    const size_t size = gali_quantise_model_size(model, r->precision, layer);
    unsigned char *bytes = malloc(size);
    double got = NAN;
    gal_status status = bytes ? gali_quantise_model(model, r->precision, layer, bytes, error)
                              : gali_fail(error, GAL_NO_MEMORY, "no memory for a layer");
    if (status == GAL_OK) {
        status = run_file(t, bytes, size, &got, model, error);
        printf("  layer %-2u %5u -> %-5u %10.2e\n", layer, model->layers[layer].inputs,
               model->layers[layer].outputs, got);
    }
    free(bytes);
    return status;
}

static gal_status print_errors(const gali_quantize_report *r, const trial *t, gal_error *error) {
    double whole = NAN;
    gal_status status = GAL_OK;
    printf("error of the outputs against float64, of their rms, %u golden frames; a layer alone, then all of "
           "them:\n",
           t->golden.count);
    for (uint32_t i = 0; i < r->from->model.layer_count && status == GAL_OK; i++) {
        if (gali_layer_has_panels(r->from->model.layers[i].kind)) {
            status = print_layer(r, t, i, error);
        }
    }
    if (status == GAL_OK) {
        status = run_file(t, r->to->bytes, r->to->size, &whole, &r->from->model, error);
        printf("  all %28.2e\n", whole);
    }
    return status;
}

/* Files of integers run in them by themselves; files of short floats in float32 unless told. */
static gal_network_desc desc_of(const gali_quantize_report *r, int quantised) {
    const int floats =
        r->precision.precision == GAL_PRECISION_FP16 || r->precision.precision == GAL_PRECISION_BF16;
    return (gal_network_desc){.precision = quantised && floats ? r->precision.precision : GAL_PRECISION_STORED};
}

static gal_status print_times(const gali_quantize_report *r, const trial *t, gal_error *error) {
    gal_network *networks[2] = {NULL, NULL};
    const gali_model_file *files[2] = {r->from, r->to};
    gal_status status = GAL_OK;
    for (int i = 0; i < 2 && status == GAL_OK; i++) {
        const gal_network_desc desc = desc_of(r, i);
        status = gal_network_open_memory(&networks[i], files[i]->bytes, files[i]->size, &desc, error);
    }
    for (int c = 0; c < RUNS_COUNTS && status == GAL_OK; c++) {
        const uint32_t count = timed_counts[c] < t->golden.count ? timed_counts[c] : t->golden.count;
        double took[2];
        for (int i = 0; i < 2; i++) {
            took[i] = run_frames(t, networks[i], count, TIMES, &status, error);
        }
        printf("  %u character%s: %.1f us, before %.1f us: %.2f times as fast\n", count, count == 1 ? "" : "s",
               1e6 * took[1], 1e6 * took[0], took[0] / took[1]);
    }
    gal_network_close(networks[0]);
    gal_network_close(networks[1]);
    return status;
}

/* Closed loops of both files: bare predictions, with and without locking. */
typedef struct loops {
    gal_controller *controllers[2];
    gali_judge_stage stages[2];
} loops;

static gal_status run_loops(const gali_quantize_report *r, loops *l, gal_error *error) {
    const gali_model_file *files[2] = {r->from, r->to};
    gal_status status = GAL_OK;
    for (int i = 0; i < 2 && status == GAL_OK; i++) {
        const gal_network_desc desc = desc_of(r, i);
        status = gal_controller_open_memory(&l->controllers[i], files[i]->bytes, files[i]->size, &desc, error);
        if (status == GAL_OK) { /* not in use yet: its rules may still be changed */
            gali_contract *contract = l->controllers[i]->contract;
            contract->rules.anchor = 0;
            contract->rules.pose_rigid = 0;
            contract->rules.inertia_jump = 0;
            const uint32_t count = (uint32_t)(r->seconds * (double)contract->rate);
            status = gali_judge_stage_make(&l->stages[i], l->controllers[i], count, GALI_GROUND_FLAT,
                                           GALI_JUDGE_FREE | GALI_JUDGE_LOCKED, error);
        }
        if (status == GAL_OK) {
            status = gali_judge_stages_run(&(gali_judge_stage *){&l->stages[i]}, 1, 1, error);
        }
    }
    return status;
}

static int ascending(const void *a, const void *b) {
    const double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* Distance of the roots of two runs of a script after so many seconds, centimetres; NaN where they are shorter. */
static double drift_of(const loops *l, const gali_judge_script *script, double seconds) {
    const gali_contract *contract = l->controllers[0]->contract;
    const uint32_t frame = (uint32_t)(seconds * (double)contract->rate) - 1;
    const gali_judge_trace *a = gali_judge_stage_find(&l->stages[0], script, 0);
    const gali_judge_trace *b = gali_judge_stage_find(&l->stages[1], script, 0);
    if (frame >= l->stages[0].frames) {
        return NAN;
    }
    const gal_vec3 d = {a->frames[frame].root.x - b->frames[frame].root.x, 0,
                        a->frames[frame].root.z - b->frames[frame].root.z};
    return sqrt((double)(d.x * d.x + d.z * d.z)) * (double)contract->unit * 100;
}

static gali_judge_figures figures_of(const loops *l, int i, const gali_judge_script *script) {
    const gali_judge_stage *stage = &l->stages[i];
    const gali_judge_trace *free_trace = gali_judge_stage_find(stage, script, 0);
    return gali_judge_measure(l->controllers[i]->contract, stage->frames, stage->feet, free_trace, free_trace,
                              gali_judge_stage_find(stage, script, 1));
}

/* Right-aligned in ten columns; "-" where there is nothing to tell: a script that is too short, no toe on the ground. */
static void print_cell(double value) {
    if (isfinite(value)) {
        printf("%10.2f", value);
    } else {
        printf("%10s", "-");
    }
}

/* What a script tells: how far the roots are apart, and how toes skate. */
typedef struct loop_row {
    double drift[2], before, after;
} loop_row;

static loop_row row_of(const loops *l, const gali_judge_script *script, uint32_t *finite) {
    const gali_judge_figures before = figures_of(l, 0, script), after = figures_of(l, 1, script);
    *finite &= (uint32_t)after.finite;
    return (loop_row){{drift_of(l, script, drift_seconds[0]), drift_of(l, script, drift_seconds[1])},
                      before.skate,
                      after.skate};
}

static double median_of(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, ascending);
    return count ? values[count / 2] : NAN;
}

/* The medians; of a script in which toes hardly move, what its skate is multiplied by says nothing. */
static void print_medians(const loop_row *rows, uint32_t count) {
    const double hardly = 0.1; /* cm/s */
    double values[ROWS_MOST];
    printf("  %-18s", "median");
    for (int i = 0; i < 2; i++) {
        uint32_t some = 0;
        for (uint32_t s = 0; s < count; s++) {
            if (isfinite(rows[s].drift[i])) {
                values[some++] = rows[s].drift[i];
            }
        }
        print_cell(median_of(values, some));
    }
    uint32_t some = 0;
    double sum[2] = {0, 0};
    for (uint32_t s = 0; s < count; s++) {
        if (isfinite(rows[s].after) && rows[s].before > hardly) {
            values[some++] = rows[s].after / rows[s].before;
            sum[0] += rows[s].before;
            sum[1] += rows[s].after;
        }
    }
    if (some) {
        printf("   skate %.2f of what it was, all together %.2f", median_of(values, some), sum[1] / sum[0]);
    }
}

static void print_loops(const gali_quantize_report *r, const loops *l) {
    loop_row rows[ROWS_MOST];
    uint32_t count = 0, finite = 1;
    printf("closed loop, %g s a script on flat ground: distance of the roots from those of the file as it was, "
           "cm, and\n"
           "skate of toes on the ground without anchor and locking, cm/s\n  %-18s%10s%10s%10s%10s\n",
           r->seconds, "script", "10 s", "60 s", "skate", "before");
    for (uint32_t s = 0; s < gali_judge_script_count && count < ROWS_MOST; s++) {
        const gali_judge_script *script = &gali_judge_scripts[s];
        if (script->ground != GALI_GROUND_FLAT || !gali_judge_applies(script, l->controllers[0]->contract)) {
            continue;
        }
        const loop_row *row = &rows[count];
        rows[count++] = row_of(l, script, &finite);
        printf("  %-18s", script->name);
        print_cell(row->drift[0]);
        print_cell(row->drift[1]);
        print_cell(row->after);
        print_cell(row->before);
        printf("\n");
    }
    print_medians(rows, count);
    printf("\n  poses finite: %s; set back %llu times, before %llu\n", finite ? "yes" : "NO",
           (unsigned long long)l->stages[1].cost.resets, (unsigned long long)l->stages[0].cost.resets);
}

gal_status gali_quantize_report_print(const gali_quantize_report *r, gal_error *error) {
    trial t = {0};
    loops l = {0};
    gal_status status = GAL_OK;
    printf("size: %zu bytes, %.3f of %zu\n", r->to->size, (double)r->to->size / (double)r->from->size,
           r->from->size);
    if (r->from->model.golden.frames == 0) {
        printf("no golden frames in the file: no errors and times\n");
    } else {
        status = make_trial(&t, &r->from->model, error);
        status = status == GAL_OK ? print_errors(r, &t, error) : status;
        printf("time of a call, hot:\n");
        status = status == GAL_OK ? print_times(r, &t, error) : status;
    }
    if (!r->from->contract || gali_contract_complete(r->from->contract, r->from->model.gate, NULL) != GAL_OK) {
        printf("no complete contract in the file: nothing walks, no closed loop\n");
    } else if (status == GAL_OK) {
        status = run_loops(r, &l, error);
        if (status == GAL_OK) {
            print_loops(r, &l);
        }
        for (int i = 0; i < 2; i++) {
            gali_judge_stage_release(&l.stages[i]);
            gal_controller_close(l.controllers[i]);
        }
    }
    release_trial(&t);
    return status;
}
