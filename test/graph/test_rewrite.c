/*
 * Rules of rewriting: the list is walked, and each rule is used on graphs made of its own pattern, at random numbers; coded
 * rules, and what must not be rewritten, have cases. Always the graph computes what it did.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/evaluate.h"
#include "graph/rewriting.h"

typedef struct rewrite_case {
    gali_rewrite rule;
    uint32_t times; /* 0: it must not be used */
    const char *text;
} rewrite_case;

#define CONV                                                                                                   \
    "input %0 \"x\": f32[2, 2, 4, 3]\nconstant %1: f32[3, 2, 1, 2] = 1 2 3 4 5 6 -1 -2 0.5 0.25 3 7\n"         \
    "constant %2: f32[3] = 1 0.5 -2\nconstant %3: f32[3] = 0.1 0.2 0.3\n"                                      \
    "constant %4: f32[3] = 4 0.5 0.01\nconstant %5: f32[3, 1, 1] = 2 3 -5\nconstant %6: f32[] = 0.3\n"
#define X "input %0 \"x\": f32[4, 5]\n"

static const rewrite_case cases[] = {
    {GALI_REWRITE_fold_normalisation, 1,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %3, %4)\noutput %8\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1, %3)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %2, %4) epsilon:number=0.5\noutput %8\n"},
    {GALI_REWRITE_fold_normalisation, 0, /* the convolution is read by others, too */
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%8: f32[2, 3, 4, 2] = BatchNormalization (%7, %2, %3, %3, %4)\n"
          "%9: f32[2, 3, 4, 2] = Add (%8, %7)\noutput %9\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     "input %0 \"x\": f32[4, 2]\nconstant %1: f32[2, 3] = 1 2 3 4 5 6\nconstant %2: f32[3] = 1 0.5 -2\n"
     "constant %3: f32[3] = 4 0.5 0.01\n%4: f32[4, 3] = Gemm (%0, %1, %2)\n"
     "%5: f32[4, 3] = BatchNormalization (%4, %2, %2, %3, %3)\noutput %5\n"},
    {GALI_REWRITE_fold_normalisation, 0, /* as many biases as columns, but one for each row */
     "input %0 \"x\": f32[3, 2]\nconstant %1: f32[2, 3] = 1 2 3 4 5 6\nconstant %2: f32[3, 1] = 1 0.5 -2\n"
     "constant %3: f32[3] = 4 0.5 0.01\n%4: f32[3, 3] = Gemm (%0, %1, %2)\n"
     "%5: f32[3, 3] = BatchNormalization (%4, %3, %3, %3, %3)\noutput %5\n"},
    {GALI_REWRITE_fold_normalisation, 1,
     "input %0 \"x\": f32[1, 2, 2, 2]\nconstant %1: f32[2, 3, 1, 2] = 1 2 3 4 5 6 -1 -2 0.5 0.25 3 7\n"
     "constant %2: f32[3] = 1 0.5 -2\nconstant %3: f32[3] = 4 0.5 0.01\n"
     "%4: f32[1, 3, 2, 3] = ConvTranspose (%0, %1)\n"
     "%5: f32[1, 3, 2, 3] = BatchNormalization (%4, %2, %2, %3, %3)\noutput %5\n"},
    {GALI_REWRITE_fold_scale, 2,
     CONV "%7: f32[2, 3, 4, 2] = Conv (%0, %1)\n%8: f32[2, 3, 4, 2] = Mul (%7, %5)\n"
          "%9: f32[2, 3, 4, 2] = Add (%6, %8)\noutput %9\n"},
    {GALI_REWRITE_fold_scale, 0, /* along another axis */
     CONV "constant %7: f32[4, 1] = 1 2 3 4\n%8: f32[2, 3, 4, 2] = Conv (%0, %1)\n"
          "%9: f32[2, 3, 4, 2] = Mul (%8, %7)\noutput %9\n"},
    /* in bodies: of constants that are captured, too, but not of what a loop begins with */
    {GALI_REWRITE_times_one, 3,
     X "constant %1: bool[] = 1\nconstant %2: f32[] = 1\nconstant %3: i64[] = 2\n"
       "%4: f32[4, 5] = If (%1, %0, %2, %3)\nbody\ninput %0: f32[4, 5]\ninput %1: f32[]\ninput %2: i64[]\n"
       "%3: f32[4, 5] = Mul (%0, %1)\n%4: f32[4, 5] = Neg (%3)\n"
       "%5: f32[4, 5] = Loop (%2, -, %4, %1) carried:int=1\n"
       "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[4, 5]\ninput %3: f32[]\n"
       "%4: f32[4, 5] = Mul (%2, %3)\n%5: f32[4, 5] = Exp (%4)\noutput %1\noutput %5\nend\noutput %5\nend\n"
       "body\ninput %0: f32[4, 5]\ninput %1: f32[]\ninput %2: i64[]\nconstant %3: f32[1] = 1\n"
       "%4: f32[4, 5] = Mul (%0, %3)\n%5: f32[4, 5] = Neg (%4)\noutput %5\nend\noutput %4\n"},
    {GALI_REWRITE_times_one, 0,
     X "constant %1: f32[] = 1\nconstant %2: i64[] = 2\n"
       "%3: f32[], %4: f32[2, 4, 5] = Loop (%2, -, %1, %0, %1) carried:int=1\n"
       "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: f32[]\ninput %3: f32[4, 5]\ninput %4: f32[]\n"
       "%5: f32[4, 5] = Mul (%3, %2)\n%6: f32[4, 5] = Neg (%5)\n%7: f32[] = Add (%2, %4)\n"
       "output %1\noutput %7\noutput %6\nend\noutput %4\n"},
    {GALI_REWRITE_square, 1, X "constant %1: f32[1] = 2\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_square, 0, X "constant %1: f32[] = 3\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_cube, 1, X "constant %1: f32[] = 3\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_cube, 0, X "constant %1: f32[] = 4\n%2: f32[4, 5] = Pow (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_power_of_two, 1, X "constant %1: f32[] = 8\n%2: f32[4, 5] = Div (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_power_of_two, 0, X "constant %1: f32[] = 7\n%2: f32[4, 5] = Div (%0, %1)\noutput %2\n"},
    {GALI_REWRITE_times_one, 1,
     X "constant %1: f32[] = 1\nconstant %2: f32[1, 1] = 0\n%3: f32[4, 5] = Mul (%0, %1)\n"
       "%4: f32[4, 5] = Div (%3, %1)\n%5: f32[4, 5] = Sub (%4, %2)\n%6: f32[4, 5] = Identity (%5)\n"
       "%7: f32[4, 5] = Relu (%6)\noutput %7\n"},
    {GALI_REWRITE_times_one, 0, /* it makes a shape, or an output */
     X "constant %1: f32[1, 1, 1] = 1\nconstant %2: f32[] = 1\n%3: f32[1, 4, 5] = Mul (%0, %1)\n"
       "%4: f32[1, 4, 5] = Mul (%3, %2)\noutput %4\n"},
    {GALI_REWRITE_sqrt_squared, 0, /* of what may be negative, which is no number */
     X "%1: f32[4, 5] = Sqrt (%0)\n%2: f32[4, 5] = Mul (%1, %1)\n%3: f32[4, 5] = Neg (%2)\noutput %3\n"},
    {GALI_REWRITE_sqrt_squared, 1,
     X "%1: f32[4, 5] = Softplus (%0)\n%2: f32[4, 5] = Add (%1, %1)\n%3: f32[4, 5] = Sqrt (%2)\n"
       "%4: f32[4, 5] = Mul (%3, %3)\n%5: f32[4, 5] = Neg (%4)\noutput %5\n"},
    {GALI_REWRITE_sum_scaled, 0, /* the factor differs along what is summed */
     X "constant %1: f32[5] = 1 2 3 4 5\nconstant %2: i64[1] = 1\n%3: f32[4, 5] = Mul (%0, %1)\n"
       "%4: f32[4, 1] = ReduceSum (%3, %2)\noutput %4\n"},
    {GALI_REWRITE_log_exp, 0, /* what is inside is read by others, too: nothing is saved */
     X "%1: f32[4, 5] = Exp (%0)\n%2: f32[4, 5] = Neg (%1)\n%3: f32[4, 5] = Sin (%2)\noutput %3\n"},
    {GALI_REWRITE_abs_abs, 1, /* what is there twice is one first */
     X
     "%1: f32[4, 5] = Neg (%0)\n%2: f32[4, 5] = Abs (%1)\n%3: f32[4, 5] = Exp (%0)\n%4: f32[4, 5] = Abs (%3)\n"
     "%5: f32[4, 5] = Mul (%2, %4)\noutput %5\n"},
};

static gali_graph *parsed(const char *text, gali_arena *arena) {
    gali_graph *graph;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, strlen(text), arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return graph;
}

static void evaluate(gali_graph *graph, gali_tensor *y) {
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    const gali_type *type = &graph->values[graph->inputs[0]].type;
    gali_tensor x;
    assert_int_equal(gali_tensor_make(&run, &x, type->element, (uint32_t)type->rank, type->shape), GAL_OK);
    for (size_t i = 0; i < x.count; i++) {
        x.real[i] = (double)(float)(0.37 * (double)(i * 7919 % 23) - 3.1);
    }
    if (gali_graph_verify(graph, &error) != GAL_OK || gali_graph_evaluate(&run, graph, &x, y) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_tensor_release(&run, &x);
}

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gali_arena arena = {0};
        gali_graph *before = parsed(cases[i].text, &arena), *after = parsed(cases[i].text, &arena);
        uint32_t counts[GALI_REWRITE_COUNT] = {0}, slow[GALI_REWRITE_COUNT] = {0};
        gal_error error = {0};
        gali_tensor truth, y;
        gali_run run = {.memory_left = GALI_RUN_MEMORY, .error = &error};
        assert_int_equal(gali_graph_rewrite(after, 1, counts, &error), GAL_OK);
        if (counts[cases[i].rule] != cases[i].times) {
            fail_msg("case %zu: %s is used %u times, expected %u", i, gali_rewrite_list[cases[i].rule].name,
                     counts[cases[i].rule], cases[i].times);
        }
        evaluate(before, &truth);
        evaluate(after, &y);
        assert_int_equal(truth.count, y.count);
        int rounds = 0;
        for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
            rounds |= counts[rule] && gali_rewrite_list[rule].rounds;
        }
        for (size_t k = 0; k < y.count; k++) {
            double most = rounds ? 1e-6 * (1 + fabs(truth.real[k])) : 0;
            if (truth.real[k] != y.real[k] && !(isnan(truth.real[k]) && isnan(y.real[k])) &&
                !(fabs(truth.real[k] - y.real[k]) <= most)) {
                fail_msg("case %zu: element %zu is %g, expected %g", i, k, y.real[k], truth.real[k]);
            }
        }
        assert_int_equal(gali_graph_rewrite(before, 0, slow, &error), GAL_OK);
        for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
            assert_true(!gali_rewrite_list[rule].fast || slow[rule] == 0);
        }
        gali_tensor_release(&run, &truth);
        gali_tensor_release(&run, &y);
        gali_arena_release(&arena);
    }
}

/* Every coded rule is in some case. */
static void test_coded_are_tried(void **state) {
    (void)state;
    for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
        int tried = gali_rewrite_list[rule].before != NULL;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            tried |= cases[i].times && (int)cases[i].rule == rule;
        }
        if (!tried) {
            fail_msg("no case of %s", gali_rewrite_list[rule].name);
        }
    }
}

/* ---- graphs of patterns ---- */

enum { MODES = 4, LETTERS_MOST = 3, VARIATIONS = MODES * MODES * MODES };

typedef struct building {
    gali_graph *graph;
    const gali_rewrite_facts *facts;
    uint32_t variation; /* 0..VARIATIONS-1: which of its shapes each letter has */
    uint32_t letters;   /* that are there already */
    uint32_t random;
} building;

static double next_number(uint32_t *random) {
    *random = *random * 1664525u + 1013904223u;
    double size = 0.2 + 1.8 * (double)(*random >> 8) / (double)(1u << 24);
    return (double)(float)(*random >> 7 & 1 ? -size : size);
}

static int has_op(const gali_pattern *p, gali_op op) {
    int has = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        has |= p->nodes[i].kind == GALI_PATTERN_OP && p->nodes[i].op == op;
    }
    return has;
}

static int is_weights(const gali_pattern *p, uint32_t index) {
    int is = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        is |= p->nodes[i].kind == GALI_PATTERN_OP && p->nodes[i].op == GALI_OP_Conv &&
              p->nodes[i].operands[1] == index;
    }
    return is;
}

/* Whether the rule says so of the letter. */
static int is_said(const building *b, const char *word, char letter) {
    char text[32];
    snprintf(text, sizeof text, "%s %c", word, letter);
    return strstr(b->facts->where, text) != NULL;
}

static gali_type type_of_letter(const building *b, const gali_pattern *p, uint32_t index, uint32_t mode) {
    static const gali_extent plain[MODES][2] = {{3, 4}, {1, 4}, {3, 4}, {1, 1}};
    static const gali_extent matrix[MODES][2] = {{2, 9}, {9, 2}, {9, 9}, {9, 9}};
    char letter = (char)('a' + p->nodes[index].letter);
    gali_type type = {.element = GALI_f32, .rank = 2};
    memcpy(type.shape, has_op(p, GALI_OP_MatMul) ? matrix[mode] : plain[mode], sizeof plain[mode]);
    if (has_op(p, GALI_OP_BitShift)) {
        type.element = GALI_u32;
    }
    if (has_op(p, GALI_OP_Conv)) {
        type = is_weights(p, index) ? (gali_type){.element = GALI_f32, .rank = 3, .shape = {3, 2, 2}}
                                    : (gali_type){.element = GALI_f32, .rank = 3, .shape = {1, 2, 5}};
    }
    if (is_said(b, "single", letter)) {
        type.shape[0] = type.shape[1] = 1;
    } else if (is_said(b, "row", letter)) {
        type.shape[0] = 1;
    }
    return type;
}

static uint32_t add_constant(building *b, const gali_type *type, int powers) {
    size_t count = 1;
    for (int d = 0; d < type->rank; d++) {
        count *= (size_t)type->shape[d];
    }
    size_t bytes = gali_element_list[type->element].bytes;
    unsigned char *data = gali_arena_take(b->graph->arena, count * bytes + 1);
    for (size_t i = 0; i < count; i++) {
        double number = powers ? ldexp(i % 2 ? -1 : 1, (int)(i % 7) - 3) : next_number(&b->random);
        gali_element_store(type->element, number, (int64_t)(i % 5), data + i * bytes);
    }
    return gali_graph_constant(b->graph, "", type, data);
}

static uint32_t add_node(building *b, gali_op op, uint32_t count, const uint32_t *operands) {
    const gali_attribute left = {.name = "direction", .kind = GALI_WORD, .count = 4, .word = "LEFT"};
    uint32_t own[3] = {operands[0], count > 1 ? operands[1] : GALI_NONE, GALI_NONE};
    uint32_t result = gali_graph_value(b->graph, "", &(gali_type){.rank = -1});
    static const unsigned char axis[8] = {1};
    if (strcmp(gali_op_list[op].family, "reduce") == 0) {
        gali_type type = {.element = GALI_i64, .rank = 1, .shape = {1}};
        own[count++] = gali_graph_constant(b->graph, "", &type, axis);
    }
    gali_node node = {
        .op = op, .name = "", .operand_count = count, .operands = own, .result_count = 1, .results = &result};
    node.attributes = (gali_attribute *)&left;
    node.attribute_count = op == GALI_OP_BitShift;
    return gali_graph_node(b->graph, &node) == GALI_NONE ? GALI_NONE : result;
}

static uint32_t add_letter(building *b, const gali_pattern *p, uint32_t index) {
    char letter = (char)('a' + p->nodes[index].letter), name[2] = {letter, 0};
    uint32_t mode = b->variation;
    for (uint32_t i = 0; i < b->letters; i++) {
        mode /= MODES;
    }
    mode %= MODES;
    b->letters++;
    gali_type type = type_of_letter(b, p, index, mode);
    int powers = is_said(b, "power", letter);
    if (powers || is_said(b, "constant", letter) || is_said(b, "row", letter) || mode >= 2) {
        uint32_t constant = add_constant(b, &type, powers);
        return is_said(b, "positive", letter) ? add_node(b, GALI_OP_Abs, 1, &constant) : constant;
    }
    uint32_t value = gali_graph_value(b->graph, name, &type);
    gali_graph_input(b->graph, value);
    return is_said(b, "positive", letter) ? add_node(b, GALI_OP_Abs, 1, &value)
           : is_said(b, "made", letter)   ? add_node(b, GALI_OP_Neg, 1, &value)
                                          : value;
}

/* The rule's pattern as a graph; NULL where its shapes do not fit one another. */
static gali_graph *graph_of(const gali_rewrite_facts *facts, const gali_pattern *p, uint32_t variation,
                            gali_arena *arena) {
    building b = {.graph = gali_graph_make(arena), .facts = facts, .variation = variation, .random = variation};
    uint32_t values[GALI_PATTERN_NODES_MAX];
    gal_error error = {0};
    for (uint32_t i = 0; i < p->count; i++) {
        const gali_pattern_node *n = &p->nodes[i];
        unsigned char number[4];
        gali_element_store(GALI_f32, n->number, 0, number);
        uint32_t operands[2] = {values[n->operands[0]], values[n->operands[1]]};
        unsigned char *data = gali_arena_take(arena, sizeof number);
        memcpy(data, number, sizeof number);
        values[i] = n->kind == GALI_PATTERN_LETTER ? add_letter(&b, p, i)
                    : n->kind == GALI_PATTERN_NUMBER
                        ? gali_graph_constant(b.graph, "", &(gali_type){.element = GALI_f32}, data)
                        : add_node(&b, n->op, n->operand_count, operands);
    }
    assert_true(b.letters <= LETTERS_MOST);
    /* Neutral rules make their operand stand in, which no output lets them do. */
    uint32_t whole = values[p->count - 1];
    int shifts = has_op(p, GALI_OP_BitShift);
    gali_graph_output(b.graph, add_node(&b, shifts ? GALI_OP_BitwiseNot : GALI_OP_Erf, 1, &whole));
    return gali_graph_infer(b.graph, &error) == GAL_OK ? b.graph : NULL;
}

static void evaluate_at(gali_graph *graph, int special, gali_tensor *y) {
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 3e30, -1e-30, 1};
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor x[LETTERS_MOST];
    uint32_t random = 7;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        assert_int_equal(gali_tensor_make(&run, &x[i], type->element, (uint32_t)type->rank, type->shape),
                         GAL_OK);
        for (size_t k = 0; k < x[i].count; k++) {
            double number = next_number(&random);
            if (x[i].real) {
                x[i].real[k] =
                    special ? specials[(random >> 9) % (sizeof specials / sizeof *specials)] : number;
            } else {
                x[i].whole[k] = (int64_t)(random >> (k % 2 ? 28 : 0));
            }
        }
    }
    if (gali_graph_verify(graph, &error) != GAL_OK || gali_graph_infer(graph, &error) != GAL_OK ||
        gali_graph_evaluate(&run, graph, x, y) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_tensor_release(&run, &x[i]);
    }
}

static void compare(gali_graph *before, gali_graph *after, const gali_rewrite_facts *facts, int special) {
    gali_tensor truth, y;
    gali_run run = {.memory_left = GALI_RUN_MEMORY};
    evaluate_at(before, special, &truth);
    evaluate_at(after, special, &y);
    assert_int_equal(truth.count, y.count);
    for (size_t k = 0; k < y.count; k++) {
        if (!y.real) {
            assert_int_equal(truth.whole[k], y.whole[k]);
            continue;
        }
        double most = facts->rounds ? 1e-9 * (1 + fabs(truth.real[k])) : 0;
        int same = truth.real[k] == y.real[k] || (isnan(truth.real[k]) && isnan(y.real[k]));
        if (!same && !(fabs(truth.real[k] - y.real[k]) <= most)) {
            fail_msg("%s: element %zu is %.17g, expected %.17g", facts->name, k, y.real[k], truth.real[k]);
        }
    }
    gali_tensor_release(&run, &truth);
    gali_tensor_release(&run, &y);
}

/* The rule alone, at the first node where it saves anything; whether there is one. */
static int use(gali_graph *graph, const gali_patterns *patterns, gali_rewrite rule, gali_work *saved) {
    gali_rewriting r;
    gali_fitting best = {.node = GALI_NONE};
    assert_true(gali_rewriting_begin(&r, graph, 1, gali_work_sizes(graph->extents, graph->arena)));
    for (uint32_t i = 0; i < graph->node_count && best.node == GALI_NONE; i++) {
        gali_rewrite_fit(&r, patterns, rule, i, &best);
    }
    if (best.node != GALI_NONE) {
        gali_rewrite_apply(&r, patterns, &best);
    }
    gali_rewriting_end(&r);
    *saved = best.saved;
    return best.node != GALI_NONE;
}

/* Every pattern, at every mix of shapes and constants in which it saves anything. */
static void test_patterns(void **state) {
    (void)state;
    gali_arena arena = {0};
    const gali_patterns *patterns = gali_patterns_make(&arena);
    assert_non_null(patterns);
    for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
        const gali_rewrite_facts *facts = &gali_rewrite_list[rule];
        uint32_t used = 0;
        for (uint32_t v = 0; facts->before && v < VARIATIONS; v++) {
            gali_arena own = {0};
            gali_graph *before = graph_of(facts, &patterns->before[rule], v, &own);
            gali_graph *after = graph_of(facts, &patterns->before[rule], v, &own);
            gali_work saved;
            if (before && use(after, patterns, (gali_rewrite)rule, &saved)) {
                used++;
                assert_true(gali_graph_work(before) - gali_graph_work(after) == saved.steps);
                compare(before, after, facts, 0);
                if (strcmp(facts->holds, "all") == 0) {
                    compare(before, after, facts, 1);
                }
            }
            gali_arena_release(&own);
        }
        if (facts->before && !used) {
            fail_msg("%s is never used", facts->name);
        }
    }
    gali_arena_release(&arena);
}

/*
 * What rounds otherwise, or holds for finite numbers alone, is for speed alone, but for what was spelled, whose results are
 * as near to the truth, and normalisation, which was folded always.
 */
static void test_fast(void **state) {
    (void)state;
    for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
        const gali_rewrite_facts *facts = &gali_rewrite_list[rule];
        int near = facts->rounds || strcmp(facts->holds, "all") != 0;
        int always = rule == GALI_REWRITE_fold_normalisation || facts->property == GALI_SPELLED;
        if ((always ? 0 : near) != facts->fast) {
            fail_msg("%s: rounds %d, holds for %s, but fast is %d", facts->name, facts->rounds, facts->holds,
                     facts->fast);
        }
    }
}

/* ---- the choice ---- */

#define OVERLAP                                                                                                \
    "input %0 \"a\": f32[30, 4]\ninput %1 \"b\": f32[4]\ninput %2 \"c\": f32[4]\ninput %3 \"d\": f32[4]\n"     \
    "%4: f32[30, 4] = Mul (%0, %2)\n%5: f32[4] = Mul (%1, %2)\n%6: f32[30, 4] = Add (%4, %5)\n"                \
    "%7: f32[30, 4] = Add (%6, %3)\noutput %7\n"

/*
 * (a c + b c) + d with a large a: the first sum is (a + b) c, which saves a product of 4; the second one is
 * a c + (b c + d), which saves a sum of 120 and costs one of 4. Each use takes the other's place.
 */
static void test_greedy(void **state) {
    (void)state;
    gali_arena arena = {0};
    const gali_patterns *patterns = gali_patterns_make(&arena);
    gali_graph *first = parsed(OVERLAP, &arena), *best = parsed(OVERLAP, &arena);
    uint32_t counts[GALI_REWRITE_COUNT] = {0};
    double work = gali_graph_work(first);
    gali_work saved;
    gal_error error = {0};
    assert_true(use(first, patterns, GALI_REWRITE_mul_add_mul, &saved));
    assert_true(saved.steps == 4 && work - gali_graph_work(first) == 4);
    assert_false(use(first, patterns, GALI_REWRITE_add_add, &saved));
    assert_int_equal(gali_graph_rewrite(best, 1, counts, &error), GAL_OK);
    assert_true(work - gali_graph_work(best) == 116);
    assert_int_equal(counts[GALI_REWRITE_add_add], 1);
    assert_int_equal(counts[GALI_REWRITE_mul_add_mul], 0);
    gali_arena_release(&arena);
}

/* Nodes that are the same become one, constants' bytes compared, before any rule is looked for. */
static void test_common(void **state) {
    (void)state;
    gali_arena arena = {0};
    gali_graph *graph = parsed(X "constant %1: f32[1] = 5\nconstant %2: f32[1] = 5\nconstant %3: f32[1] = 4\n"
                                 "%4: f32[4, 5] = Pow (%0, %1)\n%5: f32[4, 5] = Pow (%0, %2)\n"
                                 "%6: f32[4, 5] = Pow (%0, %3)\n%7: f32[4, 5] = Sub (%4, %5)\n"
                                 "%8: f32[4, 5] = Sub (%7, %6)\noutput %8\n",
                               &arena);
    uint32_t counts[GALI_REWRITE_COUNT] = {0};
    gal_error error = {0};
    assert_int_equal(gali_graph_rewrite(graph, 0, counts, &error), GAL_OK);
    assert_int_equal(graph->node_count, 4);
    gali_arena_release(&arena);
}

/* A chain of 4,000 products is cut to partitions: time grows with its length. */
static void test_long(void **state) {
    (void)state;
    enum { LENGTH = 4000 };
    gali_arena arena = {0};
    gali_graph *graph = gali_graph_make(&arena);
    gali_type type = {.element = GALI_f32, .rank = 1, .shape = {8}};
    uint32_t counts[GALI_REWRITE_COUNT] = {0}, first = gali_graph_value(graph, "x", &type);
    uint32_t last = first, two = gali_graph_constant(graph, "", &(gali_type){.element = GALI_f32}, "\0\0\0@");
    gal_error error = {0};
    gali_graph_input(graph, first);
    for (int i = 0; i < LENGTH; i++) {
        uint32_t operands[2] = {last, two}, made = gali_graph_value(graph, "", &type);
        gali_graph_node(graph, &(gali_node){.op = GALI_OP_Mul,
                                            .name = "",
                                            .operand_count = 2,
                                            .operands = operands,
                                            .result_count = 1,
                                            .results = &made});
        last = made;
    }
    gali_graph_output(graph, last);
    assert_int_equal(gali_graph_rewrite(graph, 1, counts, &error), GAL_OK);
    assert_int_equal(gali_graph_verify(graph, &error), GAL_OK);
    assert_true(counts[GALI_REWRITE_mul_mul] > LENGTH / 2);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules),    cmocka_unit_test(test_coded_are_tried),
                                       cmocka_unit_test(test_patterns), cmocka_unit_test(test_fast),
                                       cmocka_unit_test(test_greedy),   cmocka_unit_test(test_common),
                                       cmocka_unit_test(test_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
