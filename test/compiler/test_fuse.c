/* Fusion: into how many groups graphs go, and that they compute what they did, by the operators' definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/program/look.h"
#include "program_run.h"

typedef struct fuse_case {
    const char *name, *text;
    uint32_t groups, stages; /* 0 is not asked */
} fuse_case;

#define NORM                                                                                                   \
    "%3: f32[b, s, 1] = ReduceMean (%0, %1)\n"                                                                 \
    "%4: f32[b, s, 16] = Sub (%0, %3)\n"                                                                       \
    "%5: f32[b, s, 16] = Mul (%4, %4)\n"                                                                       \
    "%6: f32[b, s, 1] = ReduceMean (%5, %1)\n"                                                                 \
    "%7: f32[b, s, 1] = Add (%6, %2)\n"                                                                        \
    "%8: f32[b, s, 1] = Sqrt (%7)\n"                                                                           \
    "%9: f32[b, s, 16] = Div (%4, %8)\n"
#define ROWS "symbol b 1..4\nsymbol s 1..9\ninput %0 \"x\": f32[b, s, 16]\n"
#define WEIGHT "constant %1: f32[4, 4] = 1 2 -1 0.5 0.25 -2 1 1 3 -1 0 2 1 1 -0.5 0.75\n"

/* Rows that only look back: a mask of their number is added to the product. */
#define MASK                                                                                                   \
    "%3: i64[...] = Shape (%0) start:int=1 end:int=2\n%4: i64[...] = Concat (%3, %3) axis:int=0\n"             \
    "constant %5: f32[] = -9\n%6: f32[...] = Expand (%5, %4)\nconstant %7: i64[] = 1\n"                        \
    "%8: f32[...] = Trilu (%6, %7) upper:int=1\n"
#define MASKED                                                                                                 \
    "%1: f32[...] = Transpose (%0) perm:ints=0,2,1\n%2: f32[...] = MatMul (%0, %1)\n" MASK                     \
    "%9: f32[...] = Add (%2, %8)\noutput %9\n"

static const fuse_case cases[] = {
    {"a mask that sizes only cut is a constant of the largest", ROWS MASKED, 2, 2},
    {"one of too many elements is made once for all of a batch",
     "symbol b 1..4\nsymbol s 1..900\ninput %0 \"x\": f32[b, s, 16]\n" MASKED, 3, 3},
    {"one whose elements another size changes, too",
     ROWS "%1: f32[...] = Transpose (%0) perm:ints=0,2,1\n%2: f32[...] = MatMul (%0, %1)\n" MASK
          "%9: f32[...] = Cast (%3) to:int=1\n%10: f32[...] = Sub (%8, %9)\n"
          "%11: f32[...] = Exp (%10)\n%12: f32[...] = Add (%2, %11)\noutput %12\n",
     3, 3},
    {"one that is multiplied with, on its rows and on its columns",
     ROWS "%1: f32[...] = Transpose (%0) perm:ints=0,2,1\n"
          "%2: f32[...] = Relu (%0)\n" MASK "%9: f32[...] = MatMul (%1, %8)\n%10: f32[...] = MatMul (%8, %2)\n"
          "%11: f32[...] = MatMul (%9, %10)\noutput %11\n",
     0, 0},
    {"of sizes that are numbers it is a constant", "input %0 \"x\": f32[3, 4, 16]\n" MASKED, 2, 2},
    {"a layer norm of single operators is one function",
     ROWS "constant %1: i64[1] = -1\nconstant %2: f32[] = 0.001\n" NORM "output %9\n", 1, 4},
    {"so is what follows it row by row",
     ROWS "constant %1: i64[1] = -1\nconstant %2: f32[] = 0.001\n" NORM
          "%10: f32[b, s, 16] = Softmax (%9)\noutput %10\n",
     1, 0},
    {"but not a product of it",
     ROWS "constant %1: i64[1] = -1\nconstant %2: f32[] = 0.001\n" NORM
          "constant %10: f32[16, 16]\n%11: f32[b, s, 16] = MatMul (%9, %10)\noutput %11\n",
     2, 0},
    {"what follows a product finishes it, also behind a reshape and a transpose",
     ROWS WEIGHT "constant %2: i64[4] = 0 0 4 4\n"
                 "constant %3: f32[4] = 1 2 3 4\n"
                 "%4: f32[b, s, 4, 4] = Reshape (%0, %2)\n"
                 "%5: f32[b, s, 4, 4] = MatMul (%4, %1)\n"
                 "%6: f32[b, 4, s, 4] = Transpose (%5) perm:ints=0,2,1,3\n"
                 "%7: f32[b, 4, s, 4] = Add (%6, %3)\n"
                 "%8: f32[b, 4, s, 4] = Sigmoid (%7)\n"
                 "%9: f32[b, s, 4, 4] = Transpose (%8) perm:ints=0,2,1,3\n"
                 "constant %10: i64[3] = 0 0 16\n"
                 "%11: f32[b, s, 16] = Reshape (%9, %10)\n"
                 "%12: f32[b, s, 16] = Relu (%11)\n"
                 "output %12\n",
     2, 2}, /* an output lies as it is: the last one moves */
    {"reshape, transpose and back come to nothing",
     ROWS "constant %1: i64[4] = 0 0 4 4\nconstant %2: i64[3] = 0 0 16\n"
          "%3: f32[b, s, 4, 4] = Reshape (%0, %1)\n"
          "%4: f32[b, 4, s, 4] = Transpose (%3) perm:ints=0,2,1,3\n"
          "%5: f32[b, s, 4, 4] = Transpose (%4) perm:ints=0,2,1,3\n"
          "%6: f32[b, s, 16] = Reshape (%5, %2)\n"
          "%7: f32[b, s, 16] = Relu (%6)\noutput %7\n",
     1, 1},
    {"what is there twice is computed once, and what nobody reads not at all",
     ROWS "constant %1: i64[1] = -1\n"
          "%2: f32[b, s, 1] = ReduceSum (%0, %1)\n"
          "%3: f32[b, s, 1] = ReduceSum (%0, %1)\n"
          "%4: f32[b, s, 1] = ReduceMax (%0, %1)\n"
          "%5: i64[3] = Shape (%0)\n"
          "%6: f32[b, s, 1] = Add (%2, %3)\noutput %6\n",
     1, 1},
    {"a sum with several readers is stored for them",
     ROWS WEIGHT "constant %2: i64[4] = 0 0 4 4\n"
                 "%3: f32[b, s, 4, 4] = Reshape (%0, %2)\n"
                 "%4: f32[b, s, 4, 4] = MatMul (%3, %1)\n"
                 "%5: f32[b, s, 4, 4] = MatMul (%4, %1)\n"
                 "%6: f32[b, s, 4, 4] = Add (%4, %5)\noutput %6\n",
     2, 2},
    {"a pool of a pad of a depthwise convolution, plane by plane",
     "symbol h 3..9\ninput %0 \"x\": f32[1, 2, h, 5]\n"
     "constant %1: f32[2, 1, 3, 3] = 1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7 -8 -9\n"
     "constant %2: i64[8] = 0 0 1 1 0 0 1 1\n"
     "%3: f32[1, 2, h + 2, 7] = Pad (%0, %2)\n"
     "%4: f32[1, 2, h, 5] = Conv (%3, %1) group:int=2\n"
     "%5: f32[1, 2, h, 5] = Relu (%4)\n"
     "%6: f32[1, 2, 1, 1] = GlobalAveragePool (%5)\noutput %6\n",
     1, 2},
    {"one multiplication goes into a product of few results, whose tiles read each element once",
     ROWS "constant %1: f32[16, 24]\n%2: f32[b, s, 16] = Mul (%0, %0)\n%3: f32[b, s, 24] = MatMul (%2, %1)\n"
          "output %3\n",
     1, 1},
    {"but not into one of many",
     ROWS "constant %1: f32[16, 48]\n%2: f32[b, s, 16] = Mul (%0, %0)\n%3: f32[b, s, 48] = MatMul (%2, %1)\n"
          "output %3\n",
     2, 2},
    {"nor a division, of which a tile would make each by itself",
     ROWS "constant %1: f32[16, 24]\n%2: f32[b, s, 16] = Div (%0, %0)\n%3: f32[b, s, 24] = MatMul (%2, %1)\n"
          "output %3\n",
     2, 2},
    {"nor into windows, which read it at many places",
     "symbol h 3..9\ninput %0 \"x\": f32[1, 2, h, 5]\nconstant %1: f32[3, 2, 3, 3]\n"
     "%2: f32[1, 2, h, 5] = Mul (%0, %0)\n%3: f32[1, 3, h, 5] = Conv (%2, %1) pads:ints=1,1,1,1\noutput %3\n",
     2, 2},
    {"two products are two functions",
     ROWS "constant %1: f32[16, 16]\n"
          "%2: f32[b, s, 16] = MatMul (%0, %1)\n"
          "%3: f32[b, s, 16] = MatMul (%2, %1)\noutput %3\n",
     2, 2},
};

static gali_graph *parsed(const char *text, gali_arena *arena) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, strlen(text), arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static uint32_t stages_of(const gali_program *p) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        count += !p->stages[i].gone;
    }
    return count;
}

static void check_groups(const fuse_case *c) {
    gali_arena arena = {0};
    gali_program *p;
    gal_error error = {0};
    gali_graph *graph = parsed(c->text, &arena);
    if (gali_program_make(&p, graph, &arena, &error) != GAL_OK || gali_program_fuse(p, &error) != GAL_OK) {
        fail_msg("%s: %s", c->name, error.message);
    }
    if ((c->groups && p->group_count != c->groups) || (c->stages && stages_of(p) != c->stages)) {
        fail_msg("%s: %u groups of %u stages, expected %u of %u", c->name, p->group_count, stages_of(p),
                 c->groups, c->stages);
    }
    gali_arena_release(&arena);
}

static void test_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_groups(&cases[i]);
    }
}

/* The largest sizes make the smallest of it. No operator makes such an extent, and loops have none. */
static void test_a_mask_that_shrinks_is_no_constant(void **state) {
    static const fuse_case shrinking = {
        "one of fewer elements at larger sizes",
        "symbol b 1..4\nsymbol s 1..9\ninput %0 \"x\": f32[b, quotient(s, -2) + 9, s]\n" MASKED, 3, 3};
    (void)state;
    check_groups(&shrinking);
}

/* Input 0 with every symbol at `size`. */
static void fill(gali_run *run, const gali_graph *graph, int64_t size, gali_tensor *x) {
    int64_t symbols[8], shape[GALI_RANK_MAX];
    const gali_type *type = &graph->values[graph->inputs[0]].type;
    for (uint32_t i = 0; i < 8; i++) {
        symbols[i] = size;
    }
    for (int d = 0; d < type->rank; d++) {
        shape[d] = gali_extent_value(graph->extents, type->shape[d], symbols);
    }
    assert_int_equal(gali_tensor_make(run, x, type->element, (uint32_t)type->rank, shape), GAL_OK);
    for (size_t i = 0; i < x->count; i++) {
        x->real[i] = (double)(float)(0.37 * (double)(i * 7919 % 23) - 3.1);
    }
}

/* Number by number, or in a target's vectors. */
static void check_results(const fuse_case *c, int64_t size, const gali_target *target) {
    gali_arena arena = {0};
    gal_error error = {0};
    gali_graph *graph = parsed(c->text, &arena);
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor x, truth, y;
    fill(&run, graph, size, &x);
    if (gali_graph_evaluate(&run, graph, &x, &truth) != GAL_OK ||
        program_run(&run, graph, target, &x, &y) != GAL_OK) {
        fail_msg("%s: %s", c->name, error.message);
    }
    assert_int_equal(truth.count, y.count);
    for (size_t k = 0; k < y.count; k++) {
        if (!(fabs(truth.real[k] - y.real[k]) <= 1e-5 * (1 + fabs(truth.real[k])))) {
            fail_msg("%s: element %zu is %g, expected %g", c->name, k, y.real[k], truth.real[k]);
        }
    }
    gali_tensor_release(&run, &x);
    gali_tensor_release(&run, &truth);
    gali_tensor_release(&run, &y);
    gali_arena_release(&arena);
}

static void test_results(void **state) {
    (void)state;
    gal_error error;
    const gali_target *vectors = gali_target_find("wasm32+simd128", &error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int64_t size = 3; size <= 4; size++) {
            check_results(&cases[i], size, NULL);
            check_results(&cases[i], size, vectors);
        }
    }
}

/* "input %0 .. %2 = OP (%1)": so many, one after the other; op NULL: doubled and halved in turns. */
static void write_chain(char *text, size_t size, const char *op, int count) {
    size_t at = (size_t)snprintf(text, size, "input %%0: f32[2, 32]\nconstant %%1: f32[1] = 0.5\n");
    for (int i = 2; i < count + 2; i++) {
        const int from = i == 2 ? 0 : i - 1;
        if (!op) {
            at += (size_t)snprintf(text + at, size - at,
                                   i % 2 ? "%%%d: f32[2, 32] = Mul (%%%d, %%1)\n"
                                         : "%%%d: f32[2, 32] = Add (%%%d, %%%d)\n",
                                   i, from, from);
        } else {
            at += (size_t)snprintf(text + at, size - at, "%%%d: f32[2, 32] = %s (%%%d)\n", i, op, from);
        }
    }
    snprintf(text + at, size - at, "output %%%d\n", count + 1);
}

/* As a tree what is used twice again and again doubles each time, and who looks through scalars walks trees. */
static void test_doubling_ends(void **state) {
    (void)state;
    static char text[1 << 13];
    gali_arena arena = {0};
    gali_program *p;
    gal_error error = {0};
    write_chain(text, sizeof text, NULL, 90);
    gali_graph *graph = parsed(text, &arena);
    assert_int_equal(gali_program_make(&p, graph, &arena, &error), GAL_OK);
    assert_int_equal(gali_program_fuse(p, &error), GAL_OK);
    for (uint32_t i = 0; i < p->stage_count; i++) {
        gali_look look;
        assert_true(p->stages[i].gone || gali_program_look(&p->stages[i], &look));
        assert_true(p->stages[i].gone || look.tree <= (double)(1 << 18));
    }
    gali_arena_release(&arena);
}

/* What is used twice is kept in a local: a function of many such statements is not past the limit of locals. */
static void test_long_chains(void **state) {
    (void)state;
    static char text[1 << 13];
    static const char *const ops[] = {NULL, "silu", "Mish"};
    gal_error error;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        write_chain(text, sizeof text, ops[i], 90);
        const fuse_case chain = {ops[i] ? ops[i] : "Add", text, 0, 0};
        check_results(&chain, 1, NULL);
        check_results(&chain, 1, gali_target_find("wasm32+simd128", &error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups), cmocka_unit_test(test_doubling_ends), cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_a_mask_that_shrinks_is_no_constant), cmocka_unit_test(test_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
