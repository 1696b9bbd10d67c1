/* Where schedules of a group are measured: memory for its parameters, candidates built and called, results compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"
#include "compiler/tune/groups.h"
#include "compiler/tune/measure.h"
#include "compiler/tune/object.h"
#include "compiler/tune/timing.h"
#include "graph/evaluate.h"

enum { COPIES_BYTES = 4 << 20, COPIES_MAX = 15, FAR_BYTES = 64 << 20, ALL = GALI_MEASURE_BATCH_MAX + 1 };

/* Called by every candidate's wrapper: pointers of the parameters, in their order. */
typedef void run(const uint32_t *symbols, void *const *buffers, uint32_t turns);

/* A constant in one layout. */
typedef struct laid {
    uint32_t parameter, count; /* copies */
    const gali_loop_buffer *layout;
    size_t bytes; /* of a copy, up to the next */
    unsigned char *copies;
} laid;

/* A schedule's function, as it is called. */
typedef struct candidate {
    gali_lowered lowered;
    run *run;
    uint32_t function; /* candidate_N of the text: one that is as the rules write it is the first */
    uint32_t turns;    /* of the loop that threads share */
    const laid *laid[GALI_LOOP_BUFFERS_MAX]; /* of the parameters that are constants */
} candidate;

struct gali_group_scene {
    const gali_tune_group *group;
    uint32_t parameters, symbols[GALI_EXTENT_ATOMS_MAX * 8], turn;
    gali_loop_role role[GALI_LOOP_BUFFERS_MAX];
    void *memory[GALI_LOOP_BUFFERS_MAX]; /* of those that are no constants */
    size_t bytes[GALI_LOOP_BUFFERS_MAX];
    unsigned char *expected[GALI_LOOP_BUFFERS_MAX]; /* of outputs */
    candidate of[ALL];                              /* of a batch; the first is the reference */
    laid *laid;                                     /* [laid_count] of a batch */
    uint32_t laid_count;
};

static int64_t value_of(const gali_program *p, gali_extent extent) {
    return gali_extent_value(p->graph->extents, extent, p->typical);
}

/* Reals in -1..1, whole numbers 0 and 1: indices of whatever they are inside of. */
static void fill(void *memory, gali_element element, size_t count) {
    size_t each = gali_element_list[element].bytes;
    uint32_t random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u; /* Numerical Recipes' generator */
        gali_element_store(element, (double)(random >> 8) / (1 << 23) - 1, random >> 31,
                           (unsigned char *)memory + i * each);
    }
}

static gal_status make_memory(gali_group_scene *s, const gali_lowered *lowered, gal_error *error) {
    const gali_program *p = s->group->program;
    s->parameters = lowered->function->parameters;
    for (uint32_t i = 0; i < lowered->function->symbols; i++) {
        s->symbols[i] = (uint32_t)p->typical[lowered->symbols[i]];
    }
    for (uint32_t i = 0; i < s->parameters; i++) {
        const gali_type *type = &p->tensors[lowered->tensors[i]].type;
        int64_t count = value_of(p, gali_type_count(p->graph->extents, type));
        s->role[i] = lowered->function->buffer[i]->role;
        if (s->role[i] == GALI_LOOP_CONSTANT) {
            continue;
        }
        s->bytes[i] = (size_t)(count > 0 ? count : 1) * gali_element_list[type->element].bytes;
        s->memory[i] = gali_allocate(NULL, s->bytes[i] + 64);
        if (!s->memory[i]) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory for a group's tensors");
        }
        fill(s->memory[i], type->element, count > 0 ? (size_t)count : 1);
    }
    return GAL_OK;
}

gal_status gali_group_scene_open(gali_group_scene **scene, const gali_tune_group *group, gal_error *error) {
    gali_arena arena = {0};
    gali_lowered lowered;
    gali_group_scene *s = *scene = calloc(1, sizeof *s);
    if (!s) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to measure a group");
    }
    s->group = group;
    gal_status status = gali_program_lower_by(group->program, group->number, NULL, &arena, &lowered, error);
    status = status == GAL_OK ? make_memory(s, &lowered, error) : status;
    gali_arena_release(&arena);
    if (status != GAL_OK) {
        gali_group_scene_close(s);
        *scene = NULL;
    }
    return status;
}

static void forget_constants(gali_group_scene *s) {
    for (uint32_t i = 0; i < s->laid_count; i++) {
        gali_release(NULL, s->laid[i].copies, s->laid[i].bytes * s->laid[i].count);
    }
    free(s->laid);
    s->laid = NULL;
    s->laid_count = 0;
}

void gali_group_scene_close(gali_group_scene *s) {
    if (!s) {
        return;
    }
    forget_constants(s);
    for (uint32_t i = 0; i < s->parameters; i++) {
        gali_release(NULL, s->memory[i], s->bytes[i] + 64);
        free(s->expected[i]);
    }
    free(s);
}

/* ---- candidates ---- */

static int same_layout(const gali_loop_buffer *a, const gali_loop_buffer *b) {
    return (!a->packed_rank && !b->packed_rank) || gali_layout_same(a, b);
}

/*
 * An odd number: reference and candidate, which take turns, then meet all copies, each of which the system may have put into
 * faster pages or slower ones. One where no cache holds it anyway.
 */
static uint32_t copies_of(size_t bytes) {
    size_t count = bytes == 0 || bytes >= FAR_BYTES ? 1 : (COPIES_BYTES / bytes + 2) | 1;
    return count < COPIES_MAX ? (uint32_t)count : COPIES_MAX;
}

/* The constant as the function reads it, made where no candidate of the batch reads it so. NULL without memory. */
static const laid *lay(gali_group_scene *s, const gali_lowered *lowered, uint32_t parameter) {
    const gali_loop_buffer *buffer = lowered->function->buffer[parameter];
    gali_program *p = s->group->program;
    for (uint32_t i = 0; i < s->laid_count; i++) {
        if (s->laid[i].parameter == parameter && same_layout(s->laid[i].layout, buffer)) {
            return &s->laid[i];
        }
    }
    uint32_t tensor = lowered->tensors[parameter];
    size_t bytes = (gali_program_constant_bytes(p, tensor, buffer) + 63) / 64 * 64;
    laid *l = &s->laid[s->laid_count];
    *l = (laid){parameter, copies_of(bytes), buffer, bytes, NULL};
    l->copies = gali_allocate(NULL, bytes * l->count);
    if (!l->copies) {
        return NULL;
    }
    s->laid_count++;
    if (!gali_program_constant(p, tensor, buffer, l->copies)) {
        return NULL;
    }
    for (uint32_t i = 1; i < l->count; i++) {
        memcpy(l->copies + i * bytes, l->copies, bytes);
    }
    return l;
}

/* A function with the same arguments around each candidate. */
static void add_wrapper(const gali_lowered *lowered, uint32_t i, gali_text *text) {
    const gali_loop_function *f = lowered->function;
    gali_text_add(text,
                  "void candidate_%u(const uint32_t *s, void *const *b, uint32_t turns);\n"
                  "void candidate_%u(const uint32_t *s, void *const *b, uint32_t turns) {\n"
                  "    (void)s, (void)turns;\n    k%u(",
                  i, i, i);
    for (uint32_t k = 0; k < f->symbols; k++) {
        gali_text_add(text, "%ss[%u]", k ? ", " : "", k);
    }
    for (uint32_t k = 0; k < f->parameters; k++) {
        gali_text_add(text, "%sb[%u]", k || f->symbols ? ", " : "", k);
    }
    gali_text_add(text, "%s);\n}\n\n", lowered->is_parallel ? ", 0, turns" : "");
}

/* The function of a schedule in the text; a failure of its own is *result's. */
static gal_status add_candidate(gali_group_scene *s, const gali_schedule *schedule, uint32_t number,
                                gali_arena *arena, gali_text *text, gali_measured *result, gal_error *error) {
    gali_program *p = s->group->program;
    candidate *one = &s->of[number];
    char name[16];
    gal_error why = {0};
    size_t before = text->size;
    if (number && gali_schedule_same(schedule, &s->group->sum.schedule)) {
        *one = s->of[0];
        return GAL_OK;
    }
    one->function = number;
    snprintf(name, sizeof name, "k%u", number);
    gal_status status = gali_program_lower_by(p, s->group->number, schedule, arena, &one->lowered, &why);
    if (status == GAL_OK) {
        status = gali_loop_print_c(one->lowered.function, name, p->target->lanes, text, &why);
    }
    if (status != GAL_OK) {
        gali_text_cut(text, before);
        snprintf(result->failure, sizeof result->failure, "%.95s", why.message);
        return status == GAL_NO_MEMORY ? gali_fail(error, status, "%s", why.message) : GAL_OK;
    }
    add_wrapper(&one->lowered, number, text);
    one->turns = one->lowered.is_parallel ? (uint32_t)value_of(p, one->lowered.parallel) : 0;
    for (uint32_t i = 0; i < s->parameters; i++) {
        int constant = s->role[i] == GALI_LOOP_CONSTANT;
        one->laid[i] = constant ? lay(s, &one->lowered, i) : NULL;
        if (constant && !one->laid[i]) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory for a group's constants");
        }
    }
    return GAL_OK;
}

static gal_status make_text(gali_group_scene *s, const gali_schedule *schedules, uint32_t count,
                            gali_arena *arena, gali_text *text, gali_measured *results, gal_error *error) {
    const gali_target *target = s->group->program->target;
    gali_text body = {0};
    gali_measured reference = {0};
    s->laid = calloc((count + 1) * GALI_LOOP_BUFFERS_MAX, sizeof *s->laid);
    gal_status status = s->laid ? add_candidate(s, NULL, 0, arena, &body, &reference, error) : GAL_NO_MEMORY;
    if (status == GAL_OK && *reference.failure) {
        status = gali_fail(error, GAL_UNSUPPORTED, "%s", reference.failure);
    }
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        results[i] = (gali_measured){.ratio = 0};
        status = add_candidate(s, &schedules[i], i + 1, arena, &body, &results[i], error);
    }
    if (status == GAL_OK) {
        gali_text_add(text,
                      "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n");
        gali_vocabulary_includes(text, target);
        gali_vocabulary_add(text, target, body.bytes ? body.bytes : "");
        gali_vocabulary_add_plain(text, body.bytes ? body.bytes : "");
        gali_text_add(text, "\n%s", body.bytes ? body.bytes : "");
    }
    int failed = body.failed || text->failed || status == GAL_NO_MEMORY;
    gali_text_release(&body);
    return failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to print %u candidates", count) : status;
}

/* ---- calls ---- */

static void call(gali_group_scene *s, const candidate *one) {
    void *buffers[GALI_LOOP_BUFFERS_MAX];
    s->turn++; /* the copy that was used longest ago, also where reference and candidate share a layout */
    for (uint32_t i = 0; i < s->parameters; i++) {
        const laid *l = one->laid[i];
        buffers[i] = l ? l->copies + s->turn % l->count * l->bytes : s->memory[i];
    }
    one->run(s->symbols, buffers, one->turns);
}

static gal_status prepare(void *context, uint32_t number, gal_error *error) {
    (void)context, (void)number, (void)error;
    return GAL_OK;
}

static void run_reference(void *context) {
    gali_group_scene *s = context;
    call(s, &s->of[0]);
}

static void run_candidate(void *context, uint32_t number) {
    gali_group_scene *s = context;
    call(s, &s->of[number + 1]);
}

/* Runs a candidate; whether it wrote what the reference wrote. The reference's own results are kept. */
static int is_right(gali_group_scene *s, uint32_t number) {
    int same = 1;
    for (uint32_t i = 0; i < s->parameters; i++) {
        if (s->role[i] == GALI_LOOP_OUTPUT) {
            memset(s->memory[i], 0xFF, s->bytes[i]);
        }
    }
    call(s, &s->of[number]);
    for (uint32_t i = 0; i < s->parameters; i++) {
        if (s->role[i] != GALI_LOOP_OUTPUT) {
            continue;
        }
        if (!number && !s->expected[i]) {
            s->expected[i] = malloc(s->bytes[i]);
        }
        if (!number && s->expected[i]) {
            memcpy(s->expected[i], s->memory[i], s->bytes[i]);
        }
        same &= s->expected[i] && memcmp(s->expected[i], s->memory[i], s->bytes[i]) == 0;
    }
    return same;
}

static gal_status find_all(gali_group_scene *s, const gali_object *object, uint32_t count,
                           gali_measured *results, gal_error *error) {
    for (uint32_t i = 0; i <= count; i++) {
        char name[32];
        if (i && *results[i - 1].failure) {
            continue;
        }
        snprintf(name, sizeof name, "candidate_%u", s->of[i].function);
        void *address = gali_object_find(object, name);
        if (!address) {
            return gali_fail(error, GAL_IO, "a compiled candidate is not in its library");
        }
        memcpy(&s->of[i].run, &address, sizeof s->of[i].run); /* dlsym's way to give a function */
        if (!is_right(s, i) && i) {
            snprintf(results[i - 1].failure, sizeof results[i - 1].failure,
                     "its bits are not those of the schedule by rules");
        }
    }
    return GAL_OK;
}

gal_status gali_group_measure(gali_group_scene *s, const gali_schedule *schedules, uint32_t count,
                              uint32_t pairs, gali_measured *results, gal_error *error) {
    gali_arena arena = {0};
    gali_text text = {0};
    gali_object object = {0};
    const gali_timing timing = {s, prepare, run_reference, run_candidate};
    if (count == 0 || count > GALI_MEASURE_BATCH_MAX) {
        return count ? gali_fail(error, GAL_BAD_ARGUMENT, "%u schedules in one batch", count) : GAL_OK;
    }
    gal_status status = make_text(s, schedules, count, &arena, &text, results, error);
    if (status == GAL_OK) {
        status = gali_object_make(&object, text.bytes, s->group->program->target, "-O3",
                                  error); /* as the header says */
    }
    status = status == GAL_OK ? find_all(s, &object, count, results, error) : status;
    status = status == GAL_OK ? gali_timing_run(&timing, count, pairs, results, error) : status;
    gali_object_release(&object);
    gali_text_release(&text);
    forget_constants(s);
    gali_arena_release(&arena);
    return status;
}
