/* A convolution for tests of what the compiler makes of it: its graph, and what truth, loops and targets must agree on. */
#ifndef TEST_COMPILER_CONVOLUTION_H
#define TEST_COMPILER_CONVOLUTION_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/target.h"
#include "program_run.h"

typedef struct convolution {
    const char *symbols;         /* whole lines; "" */
    const char *input, *weights; /* extents: "1, 20, 9, 14" */
    const char *attributes;
    int64_t maps, weight_count;
    float (*weight)(const void *of, int64_t i);
    const void *of;
    int adds_input;     /* whose shape is the result's */
    const char *before; /* what the input goes through: "Relu (%0)"; NULL: nothing */
} convolution;

/* Relu(Conv(x, w, bias)), or Relu(Conv(x, w, bias) + x), its shapes inferred; x the input, or what `before` makes of it. */
static gali_graph *convolution_graph(const convolution *c, gali_arena *arena) {
    gali_text text = {0};
    gali_graph *graph;
    gal_error error = {0};
    gali_text_add(&text, "%sinput %%0 \"x\": f32[%s]\nconstant %%1: f32[%s] =", c->symbols, c->input,
                  c->weights);
    for (int64_t i = 0; i < c->weight_count; i++) {
        gali_text_add(&text, " %.9g", (double)c->weight(c->of, i));
    }
    gali_text_add(&text, "\nconstant %%2: f32[%lld] =", (long long)c->maps);
    for (int64_t i = 0; i < c->maps; i++) {
        gali_text_add(&text, " %.6g", (double)(i % 7) - 3);
    }
    gali_text_add(&text, "\n");
    unsigned x = 0, last = 2; /* the convolution's input; the value that was made last */
    if (c->before) {
        x = ++last;
        gali_text_add(&text, "%%%u \"z\": f32[...] = %s\n", x, c->before);
    }
    gali_text_add(&text, "%%%u \"y\": f32[...] = Conv (%%%u, %%1, %%2) %s\n", last + 1, x, c->attributes);
    last++;
    if (c->adds_input) {
        gali_text_add(&text, "%%%u \"s\": f32[...] = Add (%%%u, %%%u)\n", last + 1, last, x);
        last++;
    }
    gali_text_add(&text, "%%%u \"r\": f32[...] = Relu (%%%u)\noutput %%%u\n", last + 1, last, last + 1);
    if (gali_graph_parse(&graph, text.bytes, text.size, arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_release(&text);
    return graph;
}

static uint64_t convolution_hash(uint64_t hash, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++) { /* FNV-1a */
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    }
    return hash;
}

/* Of all that a run of the target's program reads but its input: loops and constants. Equal ones need not be run twice. */
static uint64_t convolution_program(gali_run *run, const gali_graph *graph, const gali_target *target,
                                    program_layout *layout) {
    gali_program *program;
    uint64_t hash = 0xcbf29ce484222325u;
    assert_int_equal(program_make(run, graph, target, layout, &program), GAL_OK);
    for (uint32_t i = 0; i < program->group_count; i++) {
        gali_text text = {0};
        gali_lowered lowered;
        assert_int_equal(gali_program_lower(program, i, program->arena, &lowered, run->error), GAL_OK);
        gali_loop_print(lowered.function, &text);
        hash = convolution_hash(hash, text.bytes, text.size);
        gali_text_release(&text);
    }
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        const gali_program_tensor *t = &program->tensors[i];
        if (t->role == GALI_TENSOR_CONSTANT) {
            const program_memory sizes = {.program = program};
            const size_t bytes = program_bytes(&sizes, i);
            unsigned char *data = calloc(bytes + 64, 1);
            gali_program_lay(program, i, data);
            hash = convolution_hash(hash, data, bytes);
            free(data);
        }
    }
    return hash;
}

/* What is asked of a target's program beside its bits; y is what its loops made. */
typedef void convolution_more(gali_run *run, const gali_graph *graph, const gali_target *target,
                              const gali_tensor *x, const gali_tensor *y);

static void convolution_run(gali_run *run, const gali_graph *graph, const gali_target *target,
                            const gali_tensor *x, const gali_tensor *expected, program_layout *layout) {
    gali_tensor y;
    if (program_run_by(run, graph, target, x, &y, layout) != GAL_OK) {
        fail_msg("%s: %s", target->name, run->error->message);
    }
    assert_memory_equal(y.real, expected->real, y.count * sizeof *y.real);
    gali_tensor_release(run, &y);
}

/*
 * Runs the graph at x's shape, which this fills: by truth, by loops without a target, which are near, and by each target's,
 * which have the same bits, where they are not those of an earlier one. layout: the pass of that name, perhaps with an eye on
 * the program; more may be NULL.
 */
static void convolution_check(const gali_graph *graph, gali_tensor x, program_layout *layout,
                              convolution_more *more) {
    gal_error error = {0};
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = 1e12, .error = &error};
    gali_tensor truth, plain;
    double largest = 0, off = 0;
    x.element = GALI_f32;
    x.count = 1;
    for (uint32_t d = 0; d < x.rank; d++) {
        x.count *= (size_t)x.shape[d];
    }
    x.real = malloc(x.count * sizeof *x.real);
    for (size_t i = 0; i < x.count; i++) {
        x.real[i] = (double)(float)((double)(i * 7907 % 2011) / 1005 - 1);
    }
    assert_int_equal(gali_graph_evaluate(&run, graph, &x, &truth), GAL_OK);
    if (program_run_by(&run, graph, NULL, &x, &plain, layout) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < truth.count; i++) {
        largest = fmax(largest, fabs(truth.real[i]));
        off = fmax(off, fabs(truth.real[i] - plain.real[i]));
    }
    if (!(off <= 5e-6 * largest)) {
        fail_msg("%g off of %g", off, largest);
    }
    uint64_t *programs = calloc(gali_target_count + 1, sizeof *programs);
    programs[0] = convolution_program(&run, graph, NULL, layout);
    for (uint32_t t = 0; t < gali_target_count; t++) {
        uint32_t same = 0;
        programs[t + 1] = convolution_program(&run, graph, &gali_targets[t], layout);
        while (programs[same] != programs[t + 1]) {
            same++;
        }
        if (same == t + 1) {
            convolution_run(&run, graph, &gali_targets[t], &x, &plain, layout);
        }
        if (more) {
            more(&run, graph, &gali_targets[t], &x, &plain);
        }
    }
    free(programs);
    gali_tensor_release(&run, &truth);
    gali_tensor_release(&run, &plain);
    free(x.real);
}

#endif
