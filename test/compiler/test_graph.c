/*
 * The graph of a controller under the passes: imported it is the network's truth, folded it is near; what the passes print
 * parses; goldens.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compiler/pass/pass.h"
#include "gallop/compiler.h"
#include "graph.h"
#include "graph/evaluate.h"
#include "network/reference.h"

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

/* ---- dumps ---- */

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

/* Comments apart, it is printed again as it was. */
static void expect_round_trip(const char *text, size_t size) {
    gali_arena arena = {0};
    gali_text printed = {0};
    gal_error error = {0};
    gali_graph *parsed;
    if (gali_graph_parse(&parsed, text, size, &arena, &error) != GAL_OK) {
        fail_msg("%s in\n%.*s", error.message, (int)size, text);
    }
    gali_graph_print(parsed, &printed);
    for (size_t i = 0; *text && i < printed.size; i += strcspn(printed.bytes + i, "\n") + 1) {
        while (*text == '#') {
            text += strcspn(text, "\n") + 1;
        }
        size_t line = strcspn(text, "\n") + 1;
        assert_memory_equal(text, printed.bytes + i, line);
        text += line;
    }
    gali_text_release(&printed);
    gali_arena_release(&arena);
}

static void passes_print_what_parses(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        char *dump = dump_of(&networks[i]);
        uint32_t graphs = 0;
        for (char *at = strstr(dump, "# after"); at; graphs++) {
            char *next = strstr(at + 1, "# after"); /* before the next graph */
            expect_round_trip(at, next ? (size_t)(next - at) : strlen(at));
            at = next;
        }
        assert_true(gal_compile_pass_name(graphs - 1) && !gal_compile_pass_name(graphs));
        free(dump);
    }
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

/* A file of the checkout as terminated text. */
static char *read_file(const char *name, size_t *size) {
    enum { MOST = 16 << 20 };
    char path[512], *bytes = calloc(1, MOST);
    snprintf(path, sizeof path, "%s/%s", GALLOP_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *size = fread(bytes, 1, MOST - 1, file);
    fclose(file);
    return bytes;
}

/* The example of docs/compiler.md is what the compiler prints. */
static void the_page_shows_a_dump(void **state) {
    (void)state;
    size_t size, length;
    char *page = read_file("docs/compiler.md", &size), *model = read_file("models/walker-small.gallop", &size);
    gal_compiled *compiled;
    gal_compile_desc how = {.target = "scalar", .dump = "fuse", .stop_after = "fuse"};
    assert_int_equal(gal_compile(&compiled, model, size, &how, NULL), GAL_OK);
    const char *dump = gal_compiled_bytes(compiled, GAL_COMPILED_DUMP, &length);
    if (!strstr(page, dump)) {
        fail_msg("docs/compiler.md lacks\n%s", dump);
    }
    gal_compiled_free(compiled);
    free(page);
    free(model);
}

/* ---- what the graph computes ---- */

enum { ROWS = 7 };

/* The graph of a model after a pass. Released with gali_compilation_release; the bytes with it are the caller's. */
static gali_compilation graph_after(const char *pass, const void *bytes, size_t size, gal_form form) {
    gal_error error = {0};
    gali_compilation c = {.name = "net", .form = form, .least = 1, .most = 64};
    c.target = gali_target_find("scalar", &error);
    if (gali_model_read(&c.model, bytes, size, &error) != GAL_OK ||
        gali_pass_run(&c, pass, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return c;
}

static gali_tensor tensor_of(gali_run *run, const gali_type *type, const float *values) {
    int64_t shape[] = {ROWS, type->shape[1]};
    gali_tensor tensor;
    assert_int_equal(gali_tensor_make(run, &tensor, GALI_f32, (uint32_t)type->rank, shape), GAL_OK);
    for (size_t i = 0; i < tensor.count; i++) {
        tensor.real[i] = (double)values[i];
    }
    return tensor;
}

/* The graph's outputs in float64, beside the reference's y. */
static void expect_outputs(const gali_graph *passed, const float *x, const float *gate, const double *y,
                           double tolerance) {
    gal_error error = {0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor inputs[2], output;
    for (uint32_t i = 0; i < passed->input_count; i++) {
        inputs[i] = tensor_of(&run, &passed->values[passed->inputs[i]].type, i ? gate : x);
    }
    if (gali_graph_evaluate(&run, passed, inputs, &output) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < output.count; i++) {
        if (!(fabs(output.real[i] - y[i]) <= tolerance * (1 + fabs(y[i])))) {
            fail_msg("element %zu is %.17g, the network's is %.17g", i, output.real[i], y[i]);
        }
    }
    gali_tensor_release(&run, &output);
    for (uint32_t i = 0; i < passed->input_count; i++) {
        gali_tensor_release(&run, &inputs[i]);
    }
}

/* As imported it is the network in float64; folded weights are rounded once. */
static void expect_network(const synthetic *s, gal_form form) {
    static const struct {
        const char *pass;
        double tolerance;
    } after[] = {{"import", 1e-11}, {"fold", 1e-4}, {"sweep", 1e-4}};
    size_t size, gates = s->model.gate == GAL_GATE_CALLER ? s->model.experts : 1;
    unsigned char *bytes = synthetic_bytes(s, &size);
    uint64_t random = 9;
    float *x = malloc(ROWS * s->model.inputs * sizeof *x), *gate = malloc(ROWS * gates * sizeof *gate);
    double *y = malloc(ROWS * s->model.outputs * sizeof *y);
    for (size_t i = 0; i < ROWS * s->model.inputs; i++) {
        x[i] = 2 * synthetic_uniform(&random);
    }
    for (size_t i = 0; i < ROWS * gates; i++) {
        gate[i] = (gates == 1 ? 20.0f : 1.0f) * synthetic_uniform(&random);
    }
    assert_int_equal(gali_reference_run(&s->model, ROWS, x, gate, y, NULL), GAL_OK);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        gali_compilation c = graph_after(after[i].pass, bytes, size, form);
        expect_outputs(c.graph, x, gate, y, after[i].tolerance);
        gali_compilation_release(&c);
    }
    free(x);
    free(gate);
    free(y);
    free(bytes);
}

static void graphs_are_networks(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * NETWORKS; i++) {
        synthetic_desc desc = networks[i / 2];
        desc.far = i % 2 ? 100 : 0;
        synthetic s = synthetic_make(&desc);
        expect_network(&s, GAL_FORM_PER_EXPERT);
        if (desc.gate != GAL_GATE_CALLER) {
            expect_network(&s, GAL_FORM_BLEND);
        }
        synthetic_free(&s);
    }
}

/* Sparse layers are dense ones with zeros, to the graph. */
static void graphs_of_sparse_layers(void **state) {
    (void)state;
    uint64_t random = 3;
    for (size_t i = 0; i < NETWORKS; i++) {
        synthetic s = synthetic_make(&networks[i]);
        sparse_make(&s, &s.model.layers[s.model.layer_count - 1], i % 2 ? 128 : 256, &random);
        expect_network(&s, GAL_FORM_PER_EXPERT);
        synthetic_free(&s);
    }
}

static void graphs_of_every_kind_of_layer(void **state) {
    (void)state;
    static const gal_gate_kind gates[] = {GAL_GATE_CUBIC, GAL_GATE_CALLER, GAL_GATE_NETWORK, GAL_GATE_LINEAR};
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < 12; i++) {
        graph_desc desc = {.gate = gates[i % 4],
                           .experts = 4 + i % 4,
                           .inputs = 23,
                           .layers = GRAPH_LAYERS_MAX,
                           .kind = -1,
                           .activation = -1,
                           .seed = 1584 + i};
        graph *g = graph_make(&desc);
        expect_network(&g->s, GAL_FORM_PER_EXPERT);
        for (uint32_t k = 0; k < g->s.model.layer_count; k++) {
            kinds |= 1u << g->s.model.layers[k].kind;
        }
        graph_free(g);
    }
    assert_int_equal(kinds, (1u << GRAPH_KINDS) - 1);
}

/* ---- groups ---- */

/* Every node that moves anything is in a group, whose last node is its own; what others read is made by a last node. */
static void groups_store_what_others_read(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        graph_desc desc = {.gate = GAL_GATE_CUBIC,
                           .experts = 5,
                           .inputs = 23,
                           .layers = GRAPH_LAYERS_MAX,
                           .kind = -1,
                           .activation = -1,
                           .seed = 100 + i};
        graph *g = graph_make(&desc);
        size_t size;
        unsigned char *bytes = synthetic_bytes(&g->s, &size);
        gali_compilation c = graph_after("memory", bytes, size, GAL_FORM_PER_EXPERT);
        for (uint32_t n = 0; n < c.graph->node_count; n++) {
            const gali_node *node = &c.graph->nodes[n];
            assert_int_equal(c.group_of[n] == GALI_NONE, gali_row_is_place(node));
            for (uint32_t o = 0; o < node->operand_count && c.group_of[n] != GALI_NONE; o++) {
                uint32_t value = gali_row_place_of(c.graph, node->operands[o]).value;
                uint32_t maker = c.graph->values[value].node;
                int inside = maker != GALI_NONE && c.group_of[maker] == c.group_of[n];
                assert_true(maker == GALI_NONE || inside || c.offset[value]);
                assert_true(!c.offset[value] || c.groups[c.group_of[maker]].last == maker);
            }
        }
        gali_compilation_release(&c);
        free(bytes);
        graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_print_what_parses), cmocka_unit_test(dumps_are_as_ever),
        cmocka_unit_test(graphs_are_networks),      cmocka_unit_test(graphs_of_every_kind_of_layer),
        cmocka_unit_test(graphs_of_sparse_layers),  cmocka_unit_test(groups_store_what_others_read),
        cmocka_unit_test(the_page_shows_a_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
