/* A graph in text run by truth, by loops and by C of the system's compiler, which must agree. */
#ifndef TEST_COMPILER_PROGRAM_CHECK_H
#define TEST_COMPILER_PROGRAM_CHECK_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_build.h"
#include "program_run.h"

enum { PORTS_MAX = 8, ROOM = 1 << 16, WORKSPACE = 1 << 22 };

typedef struct fixture {
    gali_arena arena;
    gali_graph *graph;
    gali_run run;
    gal_error error;
} fixture;

static void open_text(fixture *f, const char *text) {
    *f = (fixture){.graph = NULL};
    f->run = (gali_run){.memory_left = GALI_RUN_MEMORY, .work_left = 1e9, .error = &f->error};
    gal_status status = gali_graph_parse(&f->graph, text, strlen(text), &f->arena, &f->error);
    status = status == GAL_OK ? gali_graph_infer(f->graph, &f->error) : status;
    if (status != GAL_OK) {
        fail_msg("%s", f->error.message);
    }
}

static void compare(const gali_tensor *got, const gali_tensor *expected, const char *how) {
    if (got->rank != expected->rank || got->count != expected->count ||
        memcmp(got->shape, expected->shape, got->rank * sizeof *got->shape) != 0) {
        fail_msg("%s: another shape, of %zu elements, not %zu", how, got->count, expected->count);
    }
    for (size_t i = 0; i < got->count; i++) {
        double a = got->real ? got->real[i] : (double)got->whole[i];
        double b = got->real ? expected->real[i] : (double)expected->whole[i];
        if (!(fabs(a - b) <= 1e-5 * (1 + fabs(b)))) {
            fail_msg("%s: element %zu is %g, not %g", how, i, a, b);
        }
    }
}

/* ---- by C ---- */

typedef int call(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,
                 void *workspace);

/* The symbols' values in the order in which the run takes them, then room for those that it tells. */
static void bind(const gali_graph *graph, const gali_tensor *inputs, uint32_t *sizes, int64_t *symbols) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0 && symbols[symbol] < 0) {
                symbols[symbol] = inputs[i].shape[d];
                sizes[count++] = (uint32_t)inputs[i].shape[d];
            }
        }
    }
}

/* Whatever a run returns, it has written nothing behind an output, which has room for the most that these sizes may make. */
static void expect_untouched(const gali_program *program, const int64_t *symbols, unsigned char (*out)[ROOM]) {
    const gali_graph *graph = program->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_type *type = &graph->values[graph->outputs[i]].type;
        int64_t room = gali_element_list[type->element].bytes;
        for (int d = 0; d < type->rank; d++) {
            gali_extent most = gali_program_bound(program, type->shape[d], 1);
            room *= gali_extent_value(graph->extents, most, symbols);
        }
        for (int64_t k = room < 0 ? ROOM : room; k < ROOM; k++) {
            assert_int_equal(out[i][k], 0xff);
        }
    }
}

/* Runs the C; returns what it returns. Outputs of a size that it tells have `expected`'s. */
static int run_c(fixture *f, gali_program *program, const gali_tensor *inputs, const gali_tensor *expected,
                 gali_tensor *outputs) {
    const gali_graph *graph = f->graph;
    static unsigned char in[PORTS_MAX][ROOM], out[PORTS_MAX][ROOM];
    const void *given[PORTS_MAX];
    void *made[PORTS_MAX];
    uint32_t sizes[2 * PORTS_MAX] = {0};
    int64_t symbols[64];
    for (int i = 0; i < 64; i++) {
        symbols[i] = -1;
    }
    bind(graph, inputs, sizes, symbols);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        program_fill(&inputs[i], in[i]);
        given[i] = in[i];
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        made[i] = out[i];
    }
    static _Alignas(64) unsigned char workspace[WORKSPACE];
    memset(workspace, 0xff, sizeof workspace); /* as reals no numbers: what is read before it is made shows */
    memset(out, 0xff, sizeof out);
    void *library = program_build(program);
    call *run;
    *(void **)&run = dlsym(library, "model_call");
    const unsigned char *const *weights = dlsym(library, "model_weights");
    int result = run(sizes, given, made, *weights, workspace);
    expect_untouched(program, symbols, out);
    for (uint32_t i = 0; result == 0 && i < graph->output_count; i++) {
        gali_value value = {.type = {.element = expected[i].element, .rank = (int)expected[i].rank},
                            .data = out[i]};
        memcpy(value.type.shape, expected[i].shape, sizeof value.type.shape);
        assert_int_equal(gali_tensor_of(&f->run, &value, &outputs[i]), GAL_OK);
    }
    dlclose(library);
    return result;
}

/* ---- cases ---- */

/* Runs a graph by truth, by loops and, if asked, by C. Returns how many groups ran. */
static uint32_t check_by(const char *text, const gali_tensor *inputs, int by_c) {
    fixture f;
    gali_tensor expected[PORTS_MAX] = {{0}}, looped[PORTS_MAX] = {{0}}, compiled[PORTS_MAX] = {{0}};
    uint32_t calls = 0;
    gali_program *program;
    open_text(&f, text);
    assert_int_equal(gali_graph_evaluate(&f.run, f.graph, inputs, expected), GAL_OK);
    if (program_run_counted(&f.run, f.graph, NULL, gali_program_layout, inputs, looped, &calls) != GAL_OK) {
        fail_msg("%s", f.error.message);
    }
    if (by_c) {
        assert_int_equal(program_make(&f.run, f.graph, NULL, gali_program_layout, &program), GAL_OK);
        assert_int_equal(run_c(&f, program, inputs, expected, compiled), 0);
    }
    for (uint32_t i = 0; i < f.graph->output_count; i++) {
        compare(&looped[i], &expected[i], "loops");
        if (by_c) {
            compare(&compiled[i], &expected[i], "C");
        }
        gali_tensor_release(&f.run, &expected[i]);
        gali_tensor_release(&f.run, &looped[i]);
        gali_tensor_release(&f.run, &compiled[i]);
    }
    gali_arena_release(&f.arena);
    return calls;
}

static inline uint32_t check(const char *text, const gali_tensor *inputs) {
    return check_by(text, inputs, 1);
}

#endif
