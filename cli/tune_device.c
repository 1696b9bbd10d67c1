#include "tune_device.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "compiler/emit/opencl/emit.h"
#include "gpu/tune.h"
#include "onnx/onnx_model.h"

enum { TASKS_MAX = 1024 };

/* The program that is tuned, made anew for each round. */
typedef struct source {
    const gali_tune_device_desc *desc;
    gali_onnx_model onnx;
    gali_arena arena; /* of an ONNX model's program */
    void *data;       /* of a controller */
    size_t size;
    uint32_t characters;
    gali_compilation compilation;
    int64_t *sizes;
    const gali_gpu_tuned *failed; /* a record of it could not be written */
    gal_error *error;
} source;

static gal_status choose_sizes(source *s, const gali_program *program, gali_arena *arena, gal_error *error) {
    const gali_extents *x = program->graph->extents;
    uint32_t count = gali_extent_symbols(x);
    s->sizes = gali_arena_take(arena, (count + 1) * sizeof *s->sizes);
    for (uint32_t i = 0; s->sizes && i < count; i++) {
        s->sizes[i] = gali_device_size(program, i, s->characters);
    }
    return s->sizes ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to tune");
}

static gal_status make_onnx(source *s, gali_program **program, gal_error *error) {
    gali_arena_release(&s->arena);
    s->arena = (gali_arena){0};
    gal_status status = gali_program_make(program, s->onnx.graph, &s->arena, error);
    status = status == GAL_OK ? gali_program_for_device(*program, error) : status;
    return status == GAL_OK ? choose_sizes(s, *program, &s->arena, error) : status;
}

static gal_status make_controller(source *s, gali_program **program, gal_error *error) {
    gali_compilation *c = &s->compilation;
    gali_compilation_release(c);
    *c = (gali_compilation){
        .name = "gpu", .least = 1, .most = s->characters, .target = gali_target_find("opencl", error)};
    gal_status status = gali_model_read(&c->model, s->data, s->size, error);
    status = status == GAL_OK ? gali_opencl_program(c, program, error) : status;
    return status == GAL_OK ? choose_sizes(s, *program, &c->arena, error) : status;
}

static gal_status make(void *context, gali_program **program, const int64_t **sizes, gal_error *error) {
    source *s = context;
    gal_status status = s->desc->is_onnx ? make_onnx(s, program, error) : make_controller(s, program, error);
    *sizes = s->sizes;
    return status;
}

static int record(void *context, const gali_gpu_tuned *of, const gali_tiling *tiling, double nanoseconds,
                  uint32_t pairs) {
    source *s = context;
    gali_text text = {0};
    gali_tiling_print(tiling, &text);
    gali_log_record r = {.pairs = pairs, .schedule = text.bytes ? text.bytes : ""};
    double rules = of->by_rules > 0 ? of->by_rules : nanoseconds;
    r.measured.ratio = nanoseconds > 0 ? nanoseconds / rules : 0;
    r.measured.seconds = nanoseconds / 1e9;
    snprintf(r.measured.failure, sizeof r.measured.failure, "the device refused it, or it took no time");
    int failed =
        s->desc->file && !text.failed && gali_log_write(s->desc->file, &of->task.name, &r, s->error) != GAL_OK;
    gali_text_release(&text);
    s->failed = failed ? of : s->failed;
    return failed || (s->desc->watch && s->desc->watch(s->desc->context));
}

static void print_tuned(const gali_gpu_tuned *t) {
    gali_text text = {0};
    gali_tiling_print(&t->best, &text);
    printf("%s", t->task.name.layer);
    if (t->task.product) {
        printf(", %u rows", t->task.rows);
    }
    printf(", %u time%s: ", t->stages, t->stages == 1 ? "" : "s");
    if (t->nanoseconds > 0 && t->by_rules > 0) {
        double operations =
            2. * t->task.batches * t->task.rows * t->task.experts * t->task.inputs * t->task.outputs;
        printf("%.3f of the tiling by rules, %.1f us, %.2f TFLOP/s (", t->by_rules / t->nanoseconds,
               t->nanoseconds / 1e3, operations / t->nanoseconds / 1e3);
        if (t->from_log) {
            printf("from the log)\n");
        } else {
            printf("%u measured, %u of %u kept)\n", t->measured, t->kept, t->space);
        }
        printf("    %s\n", text.bytes ? text.bytes : "");
    } else {
        printf("nothing measured\n");
    }
    gali_text_release(&text);
}

/* All tasks together, each as often as there are stages of it. */
static void print_sum(const source *s, const gali_gpu_tuned *tuned, uint32_t count, double seconds) {
    double best = 0, rules = 0;
    uint32_t measured = 0;
    for (uint32_t i = 0; i < count; i++) {
        best += tuned[i].nanoseconds * tuned[i].stages;
        rules += tuned[i].by_rules * tuned[i].stages;
        measured += tuned[i].measured;
    }
    printf("%s", s->desc->model);
    if (s->characters) {
        printf(", %u characters", s->characters);
    }
    printf(": sums of products %.1f us, %.3f times as fast as by rules; %u measurements in %.0f s\n",
           best / 1e3, best > 0 ? rules / best : 1, measured, seconds);
    fflush(stdout);
}

static gal_status tune_one(source *s, const gali_gpu_facts *facts, int *stopped, gal_error *error) {
    const gali_tune_device_desc *d = s->desc;
    const gali_gpu_tune_desc desc = {.device = d->device,
                                     .facts = facts,
                                     .seconds = d->seconds,
                                     .everything = d->everything,
                                     .log = d->log,
                                     .make = make,
                                     .record = record,
                                     .context = s};
    uint32_t count;
    double start = gali_clock_seconds();
    gali_gpu_tuned *tuned = calloc(TASKS_MAX, sizeof *tuned);
    gal_status status = tuned ? gali_gpu_tune(&desc, tuned, TASKS_MAX, &count, error)
                              : gali_fail(error, GAL_NO_MEMORY, "no memory to tune");
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        print_tuned(&tuned[i]);
    }
    if (status == GAL_OK) {
        print_sum(s, tuned, count, gali_clock_seconds() - start);
    }
    free(tuned);
    *stopped = d->watch && d->watch(d->context);
    return s->failed ? s->error->status : status;
}

/* A record that could not be written is not the model's fault, and has been told. */
static gal_status blame_model(const source *s, gal_status status, const gal_error *why) {
    return status == GAL_OK || s->failed ? status : gali_fail_in_file(s->error, s->desc->model, why);
}

static gal_status tune_onnx(source *s, const gali_gpu_facts *facts, int *stopped, gal_error *error) {
    gal_error why = {0};
    s->onnx.fast = s->desc->fast;
    gal_status status =
        gali_onnx_model_open(&s->onnx, s->desc->model, s->desc->external, s->desc->sizes, error);
    if (status == GAL_OK) {
        status = gali_graph_rewrite(s->onnx.graph, s->onnx.fast, s->onnx.rewritten, &why);
        status = status == GAL_OK ? tune_one(s, facts, stopped, &why) : status;
        status = blame_model(s, status, &why);
    }
    gali_arena_release(&s->arena);
    gali_onnx_model_release(&s->onnx);
    return status;
}

static gal_status tune_controller(source *s, const gali_gpu_facts *facts, int *stopped, gal_error *error) {
    gal_error why = {0};
    gal_status status = gali_file_read(s->desc->model, GALI_FILE_MAX, NULL, &s->data, &s->size, error);
    for (uint32_t i = 0; i < s->desc->count && status == GAL_OK && !*stopped; i++) {
        s->characters = s->desc->counts[i];
        status = tune_one(s, facts, stopped, &why);
        status = blame_model(s, status, &why);
    }
    gali_compilation_release(&s->compilation);
    gali_release(NULL, s->data, s->size);
    return status;
}

gal_status gali_tune_device(const gali_tune_device_desc *desc, int *stopped, gal_error *error) {
    source s = {.desc = desc, .error = error};
    gali_device device = {.levels = 0};
    gal_status status = desc->probe_path ? gali_device_read(&device, desc->probe_path, "", error) : GAL_OK;
    const gali_gpu_facts facts = gali_gpu_facts_of(&device);
    *stopped = 0;
    return status != GAL_OK ? status
           : desc->is_onnx  ? tune_onnx(&s, &facts, stopped, error)
                            : tune_controller(&s, &facts, stopped, error);
}
