#include "compiler/tune/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/loop/print_c.h"
#include "compiler/tune/object.h"
#include "compiler/tune/timing.h"

typedef void candidate(const gali_scene_call *call);

/* What is timed: the candidates whose bits are right. */
typedef struct timed {
    gali_scene *scene;
    gali_scene_call call; /* of the next pair */
    candidate *run[GALI_MEASURE_BATCH_MAX];
    const gali_loop_buffer *layout[GALI_MEASURE_BATCH_MAX]; /* of their weights */
} timed;

static gali_scene_call call_of(gali_scene *s, const gali_loop_buffer *layout) {
    const gali_dense *d = &s->dense;
    return (gali_scene_call){
        .characters = d->most,
        .weights = gali_scene_next(s, layout),
        .x = s->x,
        .blend = s->blend,
        .expert = s->expert,
        .y = s->y,
        .x_stride = d->inputs,
        .blend_stride = d->slots,
        .expert_stride = d->slots,
        .y_stride = d->padded ? (d->outputs + 15) / 16 * 16 : d->outputs,
    };
}

static gal_status prepare(void *context, uint32_t one, gal_error *error) {
    timed *t = context;
    t->call = call_of(t->scene, t->layout[one]);
    return t->call.weights ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for a layer's weights");
}

static void run_reference(void *context) {
    gali_scene_reference_run(((timed *)context)->scene);
}

static void run_candidate(void *context, uint32_t one) {
    const timed *t = context;
    t->run[one](&t->call);
}

/* Whether the candidate's bits are the runtime's. */
static gal_status check_one(gali_scene *s, candidate *run, const gali_loop_buffer *layout, int *right,
                            gal_error *error) {
    const gali_dense *d = &s->dense;
    size_t stride = d->padded ? (d->outputs + 15) / 16 * 16 : d->outputs;
    gali_scene_call call = call_of(s, layout);
    if (!call.weights) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a layer's weights");
    }
    memset(s->y, 0xFF, d->most * stride * sizeof(float));
    run(&call);
    *right = gali_scene_is_right(s);
    return GAL_OK;
}

static void say(gali_measured *result, const gal_error *error) {
    snprintf(result->failure, sizeof result->failure, "%.95s", error->message);
}

/* A function with one argument around each candidate, so that all are called alike. */
static void add_wrapper(const gali_dense *d, uint32_t i, gali_text *text) {
    gali_text_add(
        text, "void candidate_%u(const gali_scene_call *a);\nvoid candidate_%u(const gali_scene_call *a) {\n",
        i, i);
    gali_text_add(text, "    k%u(a->characters, a->weights, a->x, a->x_stride, ", i);
    gali_text_add(text, "%s", d->experts > 1 ? "a->blend, a->blend_stride, " : "");
    gali_text_add(text, "%s", d->sparse ? "a->expert, a->expert_stride, " : "");
    gali_text_add(text, "a->y, a->y_stride);\n}\n\n");
}

static gal_status add_candidate(const gali_scene *s, const gali_expression *expression,
                                const gali_schedule *schedule, uint32_t i, gali_loop_function **function,
                                gali_arena *arena, gali_text *text, gal_error *error) {
    char name[16];
    size_t before = text->size;
    snprintf(name, sizeof name, "k%u", i);
    *function = NULL;
    gal_status status = gali_schedule_apply(expression, schedule, arena, function, error);
    if (status == GAL_OK) {
        status = gali_loop_print_c(*function, name, s->target->lanes, text, error);
    }
    if (status == GAL_OK) {
        add_wrapper(&s->dense, i, text);
    } else {
        gali_text_cut(text, before);
        *function = NULL;
    }
    return status;
}

gal_status gali_measure_write(const gali_scene *scene, const gali_schedule *schedules, uint32_t count,
                              gali_loop_function **functions, gali_measured *results, gali_arena *arena,
                              gali_text *text, gal_error *error) {
    static const char call[] = "typedef struct gali_scene_call {\n"
                               "    uint32_t characters;\n"
                               "    const float *weights, *x, *blend;\n"
                               "    const uint32_t *expert;\n"
                               "    float *y;\n"
                               "    size_t x_stride, blend_stride, expert_stride, y_stride;\n"
                               "} gali_scene_call;\n\n";
    gali_expression *expression;
    gali_text body = {0};
    gal_status status = gali_dense_expression(&scene->dense, arena, &expression, error);
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        gal_error why = {0};
        results[i] = (gali_measured){0};
        status = add_candidate(scene, expression, &schedules[i], i, &functions[i], arena, &body, &why);
        if (status == GAL_BAD_DATA) {
            say(&results[i], &why);
            status = GAL_OK;
        }
    }
    if (status == GAL_OK) {
        gali_text_add(text, "#include <stddef.h>\n");
        gali_vocabulary_includes(text, scene->target);
        gali_vocabulary_add(text, scene->target, body.bytes ? body.bytes : "");
        gali_text_add(text, "\n%s%s", call, body.bytes ? body.bytes : "");
    }
    int failed = body.failed || text->failed || arena->failed || status == GAL_NO_MEMORY;
    gali_text_release(&body);
    return failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to print %u candidates", count) : status;
}

/* The i-th candidate of a shared object, and whether its bits are right. */
static gal_status find_one(timed *t, const gali_object *object, const gali_loop_function *function, uint32_t i,
                           int *right, gal_error *error) {
    char name[32];
    snprintf(name, sizeof name, "candidate_%u", i);
    void *address = gali_object_find(object, name);
    if (!address) {
        return gali_fail(error, GAL_IO, "a compiled candidate is not in its library");
    }
    t->layout[i] = function->buffer[0];
    memcpy(&t->run[i], &address, sizeof t->run[i]); /* dlsym's way to give a function */
    return check_one(t->scene, t->run[i], t->layout[i], right, error);
}

static gal_status time_all(gali_scene *s, const gali_object *object, gali_loop_function *const *functions,
                           uint32_t count, uint32_t pairs, gali_measured *results, gal_error *error) {
    timed t = {.scene = s};
    const gali_timing timing = {&t, prepare, run_reference, run_candidate};
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        int right = 0;
        if (functions[i]) {
            status = find_one(&t, object, functions[i], i, &right, error);
            if (!right) {
                snprintf(results[i].failure, sizeof results[i].failure, "its bits are not the runtime's");
            }
        }
    }
    return status == GAL_OK ? gali_timing_run(&timing, count, pairs, results, error) : status;
}

gal_status gali_measure(gali_scene *scene, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                        gali_measured *results, gal_error *error) {
    gali_loop_function *functions[GALI_MEASURE_BATCH_MAX];
    gali_arena arena = {0};
    gali_text text = {0};
    gali_object object = {0};
    if (count == 0 || count > GALI_MEASURE_BATCH_MAX) {
        return count ? gali_fail(error, GAL_BAD_ARGUMENT, "%u schedules in one batch", count) : GAL_OK;
    }
    gal_status status = gali_measure_write(scene, schedules, count, functions, results, &arena, &text, error);
    if (status == GAL_OK) {
        status = gali_object_make(&object, text.bytes, scene->target, "-O2", error);
    }
    if (status == GAL_OK) {
        status = time_all(scene, &object, functions, count, pairs, results, error);
    }
    gali_object_release(&object);
    gali_text_release(&text);
    gali_arena_release(&arena);
    return status;
}
