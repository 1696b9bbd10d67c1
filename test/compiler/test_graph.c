/* The graph's text form: what is printed parses back, mistakes are named with their line; the verifier; goldens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compiler/net/net.h"
#include "gallop/compiler.h"
#include "synthetic.h"

/* Parses text and prints it again; NULL with the message in *error if it does not parse. */
static char *again(const char *text, size_t size, gal_error *error) {
    gali_arena arena = {0};
    gali_text printed = {0};
    gali_net *graph;
    if (gali_net_parse(&graph, text, size, &arena, error) == GAL_OK) {
        gali_net_print(graph, &printed);
    }
    gali_arena_release(&arena);
    return printed.bytes;
}

static void expect_round_trip(const char *text, size_t size) {
    gal_error error = {0};
    char *printed = again(text, size, &error);
    if (!printed) {
        fail_msg("%s in\n%.*s", error.message, (int)size, text);
    }
    assert_int_equal(strlen(printed), size);
    assert_memory_equal(printed, text, size);
    free(printed);
}

static const synthetic_desc networks[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 2,
     .width = {6, 5, 3},
     .normalised = 1,
     .masked = 3,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_NONE},
     .seed = 1},
    {.gate = GAL_GATE_CALLER, .experts = 3, .layers = 1, .width = {4, 2}, .constant = 3, .seed = 2},
    {.gate = GAL_GATE_LINEAR, .experts = 7, .layers = 1, .width = {4, 2}, .seed = 3},
    {.gate = GAL_GATE_CONSTANT, .experts = 9, .layers = 1, .width = {4, 2}, .seed = 4},
    {.gate = GAL_GATE_NETWORK,
     .experts = 3,
     .top = 2,
     .layers = 2,
     .width = {8, 5, 4},
     .masked = 4,
     .activation = {GALI_ACTIVATION_RELU, GALI_ACTIVATION_ELU},
     .plain = {0, 1},
     .seed = 5},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* The graph after every pass, for a target that all machines have; freed by the caller. */
static char *dump_of(const synthetic_desc *desc) {
    synthetic s = synthetic_make(desc);
    size_t size, length;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    gal_compiled *compiled;
    gal_compile_desc how = {.target = "scalar", .least = 1, .most = 8, .dump = "all", .weights_blob = 1};
    assert_int_equal(gal_compile(&compiled, bytes, size, &how, NULL), GAL_OK);
    const char *text = gal_compiled_bytes(compiled, GAL_COMPILED_DUMP, &length);
    char *copy = malloc(length + 1);
    memcpy(copy, text, length + 1);
    gal_compiled_free(compiled);
    free(bytes);
    synthetic_free(&s);
    return copy;
}

static void passes_print_what_parses(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        char *dump = dump_of(&networks[i]);
        size_t graphs = 0;
        for (const char *at = strstr(dump, "gallop graph"); at; graphs++) {
            const char *next = strstr(at + 1, "gallop graph");
            const char *end = strstr(at, "# after"); /* before the next graph */
            expect_round_trip(at, end ? (size_t)(end - at) : strlen(at));
            at = next;
        }
        assert_true(gal_compile_pass_name((uint32_t)graphs - 1) && !gal_compile_pass_name((uint32_t)graphs));
        free(dump);
    }
}

/* A random node of the operator; its rule may not accept it. */
static gali_net_node random_node(const gali_net *graph, gali_net_op op, uint64_t *chance) {
    gali_net_node node = {.op = op, .operand_count = gali_net_op_list[op].least};
    for (uint32_t i = 0; i < node.operand_count; i++) {
        node.operands[i] = (uint32_t)(synthetic_bits(chance) % graph->count);
    }
    node.type = (gali_net_type){
        (gali_net_element)(synthetic_bits(chance) % 2), 1 + (uint32_t)(synthetic_bits(chance) % 3), {0}};
    for (uint32_t d = 0; d < node.type.rank; d++) {
        node.type.shape[d] = op == GALI_NET_OP_input && d == 0 ? 0 : 1 + (uint32_t)(synthetic_bits(chance) % 2);
    }
    for (uint32_t i = 0; i < GALI_NET_ATTRIBUTE_COUNT; i++) {
        int has = gali_net_op_list[op].attributes >> i & 1;
        node.attributes[i] = has ? (uint32_t)(synthetic_bits(chance) % 2) : 0;
    }
    node.attributes[GALI_NET_ATTRIBUTE_experts] *= 5;
    node.attributes[GALI_NET_ATTRIBUTE_slope] *= 0x3dcccccd; /* 0.1 */
    return node;
}

/* Adds one of the operator, if chance finds fitting operands. */
static void grow(gali_net *graph, gali_net_op op, uint64_t *chance) {
    for (uint32_t attempt = 0; attempt < 2000; attempt++) {
        gali_net_node node = random_node(graph, op, chance);
        if (gali_net_add(graph, &node, NULL) != GALI_NET_NO_NODE) {
            return;
        }
    }
}

/* What every operator finds operands in. */
static void plant(gali_net *graph) {
    static const char seeds[] =
        "gallop graph 1\ncharacters 1..64\nx = input() : f32[C, 2]\np = input() : f32[C]\n"
        "i = constant() : u32[2]\nb = constant() : f32[2]\nA = constant() : f32[2, 2]\n"
        "E = constant() : f32[2, 2, 2]\nw = blend(x) : blend[C, 2, 2]\nr = input() : f32[C, 7]\nt = input() : "
        "f32[C, 6]\noutput x\n";
    gali_net *planted;
    assert_int_equal(gali_net_parse(&planted, seeds, sizeof seeds - 1, graph->arena, NULL), GAL_OK);
    *graph = *planted;
}

static void random_graphs_parse_back(void **state) {
    (void)state;
    uint64_t chance = 5;
    uint32_t operators = 0;
    for (uint32_t round = 0; round < 30; round++) {
        gali_arena arena = {0};
        gali_text text = {0};
        gali_net *graph = gali_net_make(&arena, 1, 64);
        plant(graph);
        for (uint32_t i = 0; i < 12; i++) {
            grow(graph, (gali_net_op)(synthetic_bits(&chance) % GALI_NET_OP_COUNT), &chance);
        }
        for (uint32_t i = 0; i < graph->count; i++) {
            operators |= 1u << graph->nodes[i].op;
        }
        assert_int_equal(gali_net_verify(graph, NULL), GAL_OK);
        gali_net_print(graph, &text);
        expect_round_trip(text.bytes, text.size);
        gali_text_release(&text);
        gali_arena_release(&arena);
    }
    assert_int_equal(operators, (1u << GALI_NET_OP_COUNT) - 1); /* each came up */
}

#define HEAD "gallop graph 1\ncharacters 1..4\nx = input() : f32[C, 3]\n"

static void mistakes_are_named_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "graph: no output"},
        {"gallop graph 2\n", "graph, line 1: expected \"gallop graph 1\" at \"gallop graph 2\""},
        {"gallop graph 1\ncharacters 0..4\noutput x\n", "graph, line 3: expected the output's name at \"\""},
        {"gallop graph 1\ncharacters 1-4\n", "graph, line 2: expected \"characters LEAST..MOST\""},
        {HEAD, "graph: no output"},
        {HEAD "x = input() : f32[C]\n", "graph, line 4: the name x is taken"},
        {HEAD "y = sum(x) : f32[C, 3]\n", "graph, line 4: expected an operator at \"sum(x) : f32[C, 3]\""},
        {HEAD "y = activate(z) : f32[C, 3]\n",
         "graph, line 4: expected an earlier value at \"z) : f32[C, 3]\""},
        {HEAD "y = activate(x) : f32[C, 4]\n", "graph, line 4: the type is not what the operands make"},
        {HEAD "y = activate(x) colour=1 : f32[C, 3]\n", "graph, line 4: expected an attribute or :"},
        {HEAD "y = activate(x) activation=rule : f32[C, 3]\n",
         "graph, line 4: expected a value of the attribute"},
        {HEAD "y = activate(x, x) : f32[C, 3]\n", "graph, line 4: activate takes 1 operands, got 2"},
        {HEAD "y = activate(x) : f32[C, 0]\n", "graph, line 4: expected at most three dimensions"},
        {HEAD "y = activate(x) : f64[C, 3]\n", "graph, line 4: expected a type"},
        {HEAD "y = activate(x) : f32[C, 3] z\n", "graph, line 4: expected the end of the line at \"z\""},
        {HEAD "i = constant() : u32[2]\ny = gather(i, x) : f32[C, 2]\n",
         "graph, line 5: node y (gather): operand 1: expected f32[C, ?], got u32[2]"},
        {HEAD "w = top(x) top=4 : blend[C, 4, 3]\n",
         "graph, line 4: node w (top): top: not between 1 and the experts"},
        {HEAD "m = constant() : f32[C]\n", "graph, line 4: node m (constant): C in a constant"},
        {HEAD "y = activate(x) top=2 : f32[C, 3]\noutput y\n", "node y: activate has no top"},
        {HEAD "w = blend(x) : blend[C, 3, 3]\noutput w\n", "node w (blend): the output is not f32[C, N]"},
        {"gallop graph 1\ncharacters 4..2\nx = input() : f32[C, 3]\noutput x\n",
         "characters 4..2: not a range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gal_error error = {0};
        assert_null(again(cases[i].text, strlen(cases[i].text), &error));
        if (strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0) {
            fail_msg("expected \"%s\", got \"%s\"", cases[i].message, error.message);
        }
    }
}

static void the_verifier_sees_what_passes_break(void **state) {
    (void)state;
    static const char text[] = HEAD "y = activate(x) activation=relu : f32[C, 3]\noutput y\n";
    gali_arena arena = {0};
    gal_error error = {0};
    gali_net *graph;
    assert_int_equal(gali_net_parse(&graph, text, sizeof text - 1, &arena, NULL), GAL_OK);
    graph->nodes[1].operands[0] = 1;
    assert_int_equal(gali_net_verify(graph, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "node y (activate): uses a value that comes later");
    graph->nodes[1].operands[0] = 0;
    graph->nodes[1].type.shape[1] = 4;
    assert_int_equal(gali_net_verify(graph, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "node y (activate): its type is not what its operands make");
    graph->nodes[1].type.shape[1] = 3;
    graph->nodes[1].attributes[GALI_NET_ATTRIBUTE_activation] = GALI_ACTIVATION_COUNT;
    assert_int_equal(gali_net_verify(graph, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "node y (activate): an attribute's value is unknown");
    graph->nodes[1].attributes[GALI_NET_ATTRIBUTE_activation] = 0;
    graph->nodes[1].name = "x";
    assert_int_equal(gali_net_verify(graph, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "node x (activate): the name is taken");
    gali_arena_release(&arena);
}

/* golden/<name>.txt is `--dump all` of a network above. What was printed instead is left where the test ran. */
static void expect_golden(const synthetic_desc *desc, const char *name) {
    char path[512], *expected = calloc(1, 1 << 16), *dump = dump_of(desc);
    snprintf(path, sizeof path, "%s/test/compiler/golden/%s.txt", GALLOP_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    expected[fread(expected, 1, (1 << 16) - 1, file)] = 0;
    fclose(file);
    if (strcmp(expected, dump) != 0) {
        char other[64];
        snprintf(other, sizeof other, "golden_%s.txt", name);
        file = fopen(other, "wb");
        fwrite(dump, 1, strlen(dump), file);
        fclose(file);
        fail_msg("%s differs from %s", path, other);
    }
    free(expected);
    free(dump);
}

static void dumps_are_as_ever(void **state) {
    (void)state;
    expect_golden(&networks[0], "spline");
    expect_golden(&networks[4], "gating");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_print_what_parses),
        cmocka_unit_test(random_graphs_parse_back),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(the_verifier_sees_what_passes_break),
        cmocka_unit_test(dumps_are_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
