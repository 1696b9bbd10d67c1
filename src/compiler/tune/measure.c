#define _DEFAULT_SOURCE
#include "compiler/tune/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/loop/print_c.h"
#include "compiler/tune/object.h"

enum {
    WARM = 3,     /* calls before the first that counts */
    HOPELESS = 5, /* pairs after which a candidate that is only looked at may be given up */
    BLOCK = GALI_MEASURE_QUICK,
    PAIRS_MAX = 1024,
};
static const double hopeless = 1.6; /* at this ratio */

typedef void candidate(const gali_scene_call *call);

/* A candidate while it is timed. */
typedef struct timed {
    candidate *run;
    const gali_loop_buffer *layout; /* of its weights */
    gali_measured *result;
    uint32_t done; /* pairs */
    int given_up;
    double ratio[PAIRS_MAX], seconds[PAIRS_MAX];
} timed;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double least(const double *values, uint32_t count) {
    double value = values[0];
    for (uint32_t i = 1; i < count; i++) {
        value = values[i] < value ? values[i] : value;
    }
    return value;
}

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

/* Some more pairs of calls for one candidate. quick: it is given up if even the best of its first pairs is hopeless. */
static gal_status time_block(gali_scene *s, timed *one, uint32_t pairs, int quick, gal_error *error) {
    for (uint32_t i = 0; i < pairs + WARM && !one->given_up; i++) {
        gali_scene_call call = call_of(s, one->layout);
        if (!call.weights) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory for a layer's weights");
        }
        double start = gali_clock_seconds();
        gali_scene_reference_run(s);
        double between = gali_clock_seconds();
        one->run(&call);
        double end = gali_clock_seconds();
        if (i < WARM) {
            continue;
        }
        one->seconds[one->done] = end - between;
        one->ratio[one->done++] = (end - between) / (between - start);
        one->given_up = quick && one->done == HOPELESS && least(one->ratio, one->done) > hopeless;
    }
    return GAL_OK;
}

/* All candidates in turns, block by block: what slows the machine down for a while meets them all. */
static gal_status time_blocks(gali_scene *s, timed *of, uint32_t count, uint32_t pairs, gal_error *error) {
    gal_status status = GAL_OK;
    pairs = pairs < PAIRS_MAX ? pairs : PAIRS_MAX;
    for (uint32_t done = 0; done < pairs && status == GAL_OK; done += BLOCK) {
        uint32_t some = pairs - done < BLOCK ? pairs - done : BLOCK;
        for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
            status = time_block(s, &of[i], some, pairs <= BLOCK, error);
        }
    }
    return status;
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
    } else if (text->bytes) {
        text->size = before;
        text->bytes[before] = 0;
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

/* The i-th candidate of a shared object, if its bits are right. */
static gal_status find_one(gali_scene *s, const gali_object *object, const gali_loop_function *function,
                           uint32_t i, timed *one, int *right, gal_error *error) {
    char name[32];
    snprintf(name, sizeof name, "candidate_%u", i);
    void *address = gali_object_find(object, name);
    if (!address) {
        return gali_fail(error, GAL_IO, "a compiled candidate is not in its library");
    }
    one->layout = function->buffer[0];
    one->done = 0;
    one->given_up = 0;
    memcpy(&one->run, &address, sizeof one->run); /* dlsym's way to give a function */
    return check_one(s, one->run, one->layout, right, error);
}

static gal_status time_all(gali_scene *s, const gali_object *object, gali_loop_function *const *functions,
                           uint32_t count, uint32_t pairs, gali_measured *results, gal_error *error) {
    timed *of = malloc(count * sizeof *of);
    uint32_t some = 0;
    gal_status status = of ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to time %u candidates", count);
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        int right = 0;
        if (functions[i]) {
            status = find_one(s, object, functions[i], i, &of[some], &right, error);
            of[some].result = &results[i];
            some += right != 0;
            if (!right) {
                snprintf(results[i].failure, sizeof results[i].failure, "its bits are not the runtime's");
            }
        }
    }
    status = status == GAL_OK ? time_blocks(s, of, some, pairs, error) : status;
    for (uint32_t i = 0; i < some && status == GAL_OK; i++) {
        of[i].result->ratio = median(of[i].ratio, of[i].done);
        of[i].result->seconds = median(of[i].seconds, of[i].done);
    }
    free(of);
    return status;
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
        status = gali_object_make(&object, text.bytes, scene->target, error);
    }
    if (status == GAL_OK) {
        status = time_all(scene, &object, functions, count, pairs, results, error);
    }
    gali_object_release(&object);
    gali_text_release(&text);
    gali_arena_release(&arena);
    return status;
}
