/*
 * ONNX's own node tests through the graph: each model is read, its shapes are inferred, and its outputs are computed by
 * the truth and, operator by operator, by the expressions, and compared with those that ONNX ships.
 *
 *     onnx_nodes [--every N] [--device] [--c WORK [--cross TARGET COMPILER EMULATOR]] FOLDER [NAME...]    FOLDER/test_NAME/model.onnx, test_data_set_N/{input,output}_I.pb
 *
 * With --every one of N models is run, for builds in which each takes long.
 * With --device those that run as loops run as kernels on the first OpenCL device, too.
 * With --cross the C is for another machine and runs there, or in its emulator.
 * With --c those that run as loops are emitted as C into the folder WORK, too, built and run. Prints a line for each model that is refused or wrong, and the counts. Ends with 1 if an accepted model is wrong.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/evaluate.h"
#include "graph/express_run.h"
#include "import/emitted.h"
#include "import/on_device.h"
#include "import/onnx/read.h"
#include "import/onnx/tensor.h"
#include "import/onnx/wire.h"
#include "program_run.h"

enum { TESTS_MAX = 4096, PORTS_MAX = 64, PATH_MAX_BYTES = 1024, FILE_MOST = 1 << 28 };

static int expressed_nodes; /* of the model that is being run */

typedef struct counts {
    int passed, expressed, looped, refused, wrong;
    int emitted; /* right as C */
    int there;   /* right on a device */
} counts;

/* What is run as C when all have been emitted. The file's bytes and message stay, since constants lie in them. */
typedef struct kept {
    char *folder, *name;
    gali_arena arena;
    gali_program *program;
    gali_tensor *inputs;
} kept;

typedef struct nodes {
    counts c;
    emitted *c_sources;    /* NULL: no C is asked for */
    int device;            /* it is */
    gali_program *program; /* of the test that is being run, emitted as the last */
    gali_tensor *inputs;
    kept list[TESTS_MAX];
} nodes;

static int load(const char *path, void **bytes, size_t *size) {
    gal_error error;
    return gali_file_read(path, FILE_MOST, NULL, bytes, size, &error) == GAL_OK;
}

/* A TensorProto's file as a tensor; 0 if it is none that graphs have. ONNX ships bf16 as the u16 of the same bits. */
static int load_tensor(gali_run *run, const char *path, gali_element element, gali_tensor *tensor) {
    void *bytes;
    size_t size;
    gali_arena arena = {0};
    gali_value value = {.name = ""};
    if (!load(path, &bytes, &size)) {
        return 0;
    }
    Onnx__TensorProto *proto = onnx__tensor_proto__unpack(NULL, size, bytes);
    int good =
        proto && gali_onnx_tensor_read(proto, &arena, path, &value.type, &value.data, run->error) == GAL_OK;
    if (good && element == GALI_bf16 && value.type.element == GALI_u16) {
        value.type.element = GALI_bf16;
    }
    good = good && gali_tensor_of(run, &value, tensor) == GAL_OK;
    if (proto) {
        onnx__tensor_proto__free_unpacked(proto, NULL);
    }
    gali_arena_release(&arena);
    gali_release(NULL, bytes, size);
    return good;
}

static double tolerance_of(gali_element element) {
    return element == GALI_f16 ? 2e-3 : element == GALI_bf16 ? 2e-2 : 1e-4;
}

static int close_enough(const gali_tensor *got, const gali_tensor *expected) {
    int same =
        got->element == expected->element && got->rank == expected->rank && got->count == expected->count;
    for (uint32_t i = 0; same && i < got->rank; i++) {
        same = got->shape[i] == expected->shape[i];
    }
    double tolerance = tolerance_of(expected->element);
    for (size_t i = 0; same && i < got->count; i++) {
        if (!got->real) {
            same = got->whole[i] == expected->whole[i];
            continue;
        }
        double a = gali_element_round(got->element, got->real[i]), b = expected->real[i];
        same = isnan(b) ? isnan(a) : isinf(b) ? a == b : fabs(a - b) <= tolerance * (1 + fabs(b));
    }
    return same;
}

/* Compares outputs with the files of a data set. NULL if all are right. */
static const char *compare(gali_run *run, const char *folder, const gali_graph *graph,
                           const gali_tensor *outputs) {
    static char why[64];
    for (uint32_t i = 0; i < graph->output_count; i++) {
        char path[PATH_MAX_BYTES + 128];
        gali_tensor expected;
        snprintf(path, sizeof path, "%s/output_%u.pb", folder, i);
        if (!load_tensor(run, path, graph->values[graph->outputs[i]].type.element, &expected)) {
            snprintf(why, sizeof why, "output %u cannot be read", i);
            return why;
        }
        int good = close_enough(&outputs[i], &expected);
        gali_tensor_release(run, &expected);
        if (!good) {
            snprintf(why, sizeof why, "output %u is another", i);
            return why;
        }
    }
    return NULL;
}

/* A node by its expression, with numbers for all extents; one without, or whose shapes only running tells, by its truth. */
static gal_status by_expression(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    gali_arena arena = {0};
    gali_type types[PORTS_MAX], made[PORTS_MAX];
    const gali_type *operand[PORTS_MAX] = {NULL};
    const gali_extent *known[PORTS_MAX] = {NULL};
    const double *real[PORTS_MAX] = {NULL};
    int few = node->operand_count <= PORTS_MAX && node->result_count <= PORTS_MAX;
    for (uint32_t i = 0; few && i < node->operand_count; i++) {
        if (operands[i]) {
            types[i] = (gali_type){.element = operands[i]->element, .rank = (int)operands[i]->rank};
            memcpy(types[i].shape, operands[i]->shape, sizeof types[i].shape);
            operand[i] = &types[i];
            known[i] = operands[i]->count <= GALI_GRAPH_KNOWN_MAX ? operands[i]->whole : NULL;
            real[i] = operands[i]->count <= GALI_GRAPH_KNOWN_MAX ? operands[i]->real : NULL;
        }
    }
    for (uint32_t i = 0; few && i < node->result_count; i++) {
        int shaped = results[i].real || results[i].whole;
        made[i] = (gali_type){.element = results[i].element, .rank = shaped ? (int)results[i].rank : -1};
        memcpy(made[i].shape, results[i].shape, sizeof made[i].shape);
        few &= shaped;
    }
    gali_express x = {.arena = &arena,
                      .extents = gali_extents_make(&arena),
                      .node = node,
                      .operand = operand,
                      .known = known,
                      .real = real,
                      .result = made,
                      .none = !few};
    if (few) {
        gali_op_list[node->op].express(&x);
    }
    gal_status status = GAL_OK;
    if (x.none) {
        status = gali_op_list[node->op].truth(run, node, operands, results);
    } else {
        for (uint32_t i = 0; i < node->result_count; i++) {
            gali_tensor_release(run, &results[i]);
        }
        status = gali_express_verify(&x, run->error);
        status = status == GAL_OK ? gali_express_run(run, &x, NULL, operands, results) : status;
        expressed_nodes++;
    }
    gali_arena_release(&arena);
    return status;
}

/*
 * Lists of integers (axes, shapes, counts) as constants: what is compiled is a model for these. The graph keeps the
 * others as its inputs; inputs[] follow.
 */
static gal_status fix_lists(gali_graph *graph, gali_tensor *inputs, gal_error *error) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_tensor *input = &inputs[i];
        int list = input->rank <= 1 && input->count <= GALI_GRAPH_KNOWN_MAX && input->whole &&
                   input->element == GALI_i64;
        if (!list) {
            graph->inputs[left] = graph->inputs[i];
            gali_tensor swap = inputs[left];
            inputs[left++] = inputs[i];
            inputs[i] = swap;
            continue;
        }
        unsigned char *data = gali_arena_take(graph->arena, 8 * input->count + 1);
        gali_extent *known = gali_arena_take(graph->arena, 8 * input->count + 8);
        for (size_t k = 0; data && known && k < input->count; k++) {
            gali_element_store(GALI_i64, 0, input->whole[k], data + 8 * k);
            known[k] = gali_extent_is_number(input->whole[k]) ? input->whole[k] : GALI_EXTENT_LARGEST;
        }
        gali_value *value = &graph->values[graph->inputs[i]];
        value->data = data;
        value->known = known;
        value->type.rank = (int)input->rank;
        memcpy(value->type.shape, input->shape, sizeof input->shape);
    }
    graph->input_count = left;
    return gali_graph_infer(graph, error);
}

/*
 * Tests whose data is not what runtimes agreed on. Products of integers saturate; NumPy's cast, which made the data, wraps.
 * A mean with padding counts what the padded input has (PyTorch, ONNX Runtime's pull request 16752); the data counts
 * places of the kernel past it.
 */
static int is_contradicted(const char *name) {
    return (strncmp(name, "test_qlinearmatmul_", 19) == 0 && strstr(name, "_int8_")) ||
           strcmp(name, "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True") == 0;
}

typedef enum way { BY_TRUTH, BY_EXPRESSIONS, BY_LOOPS } way;

/* Emits what has run as loops; its inputs, which become the nodes', are kept. */
static gal_status emit(nodes *n, gali_run *run, gali_graph *graph, gali_tensor *inputs) {
    n->inputs = malloc(PORTS_MAX * sizeof *inputs);
    gal_status status = program_make(run, graph, n->c_sources->target, gali_program_layout, &n->program);
    status = status == GAL_OK ? emitted_add(n->c_sources, n->program, run->error) : status;
    if (status != GAL_OK) {
        n->program = NULL;
        free(n->inputs);
        return status;
    }
    memcpy(n->inputs, inputs, PORTS_MAX * sizeof *inputs);
    memset(inputs, 0, PORTS_MAX * sizeof *inputs);
    return GAL_OK;
}

static void report(const char *name, const char *what, const char *why) {
    printf("%-10s %s: %s\n", what, name, why ? why : "");
}

/* What ran as loops, as kernels. */
static void run_there(nodes *n, gali_run *run, const char *folder, const gali_graph *graph,
                      const gali_tensor *inputs) {
    gali_tensor outputs[PORTS_MAX] = {{0}};
    *run->error = (gal_error){0};
    gal_status status = on_device_run(run, graph, inputs, outputs);
    const char *why = status == GAL_OK ? compare(run, folder, graph, outputs) : run->error->message;
    if (why) {
        report(folder, status == GAL_UNSUPPORTED ? "no kernels" : "DEVICE", why);
    }
    n->c.there += !why;
    n->c.wrong += why && status != GAL_UNSUPPORTED;
    for (uint32_t k = 0; k < PORTS_MAX; k++) {
        gali_tensor_release(run, &outputs[k]);
    }
}

/* One data set. 1: right, 0: wrong, -1: refused. */
static int run_set(nodes *n, const char *folder, gali_graph *graph, way by, const char **why) {
    static gal_error error;
    error = (gal_error){0};
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    run.compute = by == BY_EXPRESSIONS ? by_expression : NULL;
    gali_tensor inputs[PORTS_MAX] = {{0}}, outputs[PORTS_MAX] = {{0}};
    int verdict = 1;
    for (uint32_t i = 0; verdict == 1 && i < graph->input_count; i++) {
        char path[PATH_MAX_BYTES + 128];
        snprintf(path, sizeof path, "%s/input_%u.pb", folder, i);
        verdict = load_tensor(&run, path, graph->values[graph->inputs[i]].type.element, &inputs[i]) ? 1 : -1;
        *why = "an input that is no tensor";
    }
    if (verdict == 1 && by == BY_LOOPS && fix_lists(graph, inputs, &error) != GAL_OK) {
        *why = error.message;
        verdict = 0;
    }
    for (uint32_t i = 0; verdict == 1 && i <= (by == BY_LOOPS ? gali_target_count : 0); i++) {
        const gali_target *target = i ? &gali_targets[i - 1] : NULL; /* any, then lanes of 1, 4, 8 and 16 */
        if (target && target->simd >= GALI_SIMD_HVX) {
            continue; /* loops are not for it */
        }
        gal_status status = by == BY_LOOPS ? program_run(&run, graph, target, inputs, outputs)
                                           : gali_graph_evaluate(&run, graph, inputs, outputs);
        *why = error.message;
        verdict = status == GAL_OK ? 1 : by == BY_LOOPS && status == GAL_UNSUPPORTED ? -1 : 0;
        if (verdict == 1) {
            *why = compare(&run, folder, graph, outputs);
            verdict = *why ? 0 : 1;
        }
        for (uint32_t k = 0; k < PORTS_MAX; k++) {
            gali_tensor_release(&run, &outputs[k]);
        }
    }
    if (verdict == 1 && by == BY_LOOPS && n->device) {
        run_there(n, &run, folder, graph, inputs);
    }
    if (verdict == 1 && by == BY_LOOPS && n->c_sources && emit(n, &run, graph, inputs) != GAL_OK) {
        *why = error.message;
        verdict = 0;
    }
    for (uint32_t i = 0; i < PORTS_MAX; i++) {
        gali_tensor_release(&run, &inputs[i]);
    }
    return verdict;
}

static int exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
    }
    return file != NULL;
}

static void run_model(const char *folder, const char *name, gali_graph *graph, nodes *n) {
    counts *c = &n->c;
    int verdict = 1, looped = 1, sets = 0;
    for (int set = 0; verdict == 1; set++) {
        char path[PATH_MAX_BYTES + 64], probe[PATH_MAX_BYTES + 128];
        const char *why = NULL;
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, set);
        snprintf(probe, sizeof probe, "%s/output_0.pb", path);
        if (!exists(probe)) {
            break;
        }
        verdict = run_set(n, path, graph, BY_TRUTH, &why);
        if (verdict != 1) {
            report(name, verdict == 0 ? "WRONG" : "refused", why);
            break;
        }
        sets++;
        expressed_nodes = 0;
        verdict = run_set(n, path, graph, BY_EXPRESSIONS, &why);
        if (verdict != 1) {
            report(name, "EXPRESSION", why);
            break;
        }
    }
    if (verdict == 1 && sets) {
        char path[PATH_MAX_BYTES + 64];
        const char *why = NULL;
        snprintf(path, sizeof path, "%s/test_data_set_0", folder);
        looped = run_set(n, path, graph, BY_LOOPS, &why);
        if (looped != 1) {
            report(name, looped == 0 ? "LOOPS" : "no loops", why);
        }
        verdict = looped == 0 ? 0 : verdict;
    }
    c->expressed += verdict == 1 && expressed_nodes;
    c->looped += verdict == 1 && looped == 1;
    c->passed += verdict == 1;
    c->wrong += verdict == 0;
    c->refused += verdict == -1;
}

static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void run_test(const char *root, const char *name, nodes *n) {
    counts *c = &n->c;
    if (is_contradicted(name)) {
        report(name, "refused", "its data contradicts ONNX's text");
        c->refused++;
        return;
    }
    char folder[PATH_MAX_BYTES], path[PATH_MAX_BYTES + 16];
    void *bytes;
    size_t size;
    gal_error error = {0};
    gali_arena arena = {0};
    gali_onnx_wire wire;
    Onnx__ModelProto *model = NULL;
    gali_graph *graph = NULL;
    snprintf(folder, sizeof folder, "%s/%s", root, name);
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    if (!load(path, &bytes, &size)) {
        return;
    }
    gal_status status = gali_onnx_wire_read(&wire, bytes, size, &model, &error);
    status = status == GAL_OK ? gali_onnx_read(&graph, model, NULL, &arena, &error) : status;
    if (status == GAL_OK && (graph->input_count > PORTS_MAX || graph->output_count > PORTS_MAX)) {
        status = GAL_UNSUPPORTED;
    }
    if (status == GAL_OK) {
        n->program = NULL;
        run_model(folder, name, graph, n);
    } else {
        report(name, "refused", error.message);
        c->refused++;
    }
    if (status == GAL_OK && n->program) {
        n->list[n->c_sources->count - 1] = (kept){copy_of(folder), copy_of(name), arena, n->program, n->inputs};
        return;
    }
    gali_onnx_wire_release(&wire, model);
    gali_arena_release(&arena);
    gali_release(NULL, bytes, size);
}

/* What was kept, as C: the first data set, which the loops had. */
static void run_emitted(nodes *n) {
    if (!emitted_build(n->c_sources)) {
        printf("C          cannot be built\n");
        n->c.wrong++;
        return;
    }
    for (uint32_t i = 0; i < n->c_sources->count; i++) {
        char path[PATH_MAX_BYTES + 64];
        gal_error error = {0};
        gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
        gali_tensor outputs[PORTS_MAX] = {{0}};
        const kept *k = &n->list[i];
        gal_status status = emitted_call(n->c_sources, i, k->program, &run, k->inputs, outputs);
        snprintf(path, sizeof path, "%s/test_data_set_0", k->folder);
        const char *why = status == GAL_OK ? compare(&run, path, k->program->graph, outputs) : error.message;
        if (why) {
            report(k->name, "C", why);
        }
        n->c.emitted += !why;
        n->c.wrong += why != NULL;
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_wanted(const char *name, int count, char **wanted) {
    int good = count == 0;
    for (int i = 0; i < count; i++) {
        good |= strstr(name, wanted[i]) != NULL;
    }
    return good && strncmp(name, "test_", 5) == 0;
}

/* The wanted models of a folder, in alphabetical order. Returns 0 where there is no such folder. */
static int list_models(const char *root, int wanted_count, char **wanted, char *names[TESTS_MAX],
                       size_t *count) {
    DIR *folder = opendir(root);
    if (!folder) {
        return 0;
    }
    for (struct dirent *entry = readdir(folder); entry && *count < TESTS_MAX; entry = readdir(folder)) {
        if (is_wanted(entry->d_name, wanted_count, wanted) && (names[*count] = copy_of(entry->d_name))) {
            ++*count;
        }
    }
    closedir(folder);
    qsort(names, *count, sizeof *names, by_name);
    return 1;
}

int main(int argc, char **argv) {
    enum { SKIP = 77 };
    static char *names[TESTS_MAX];
    static nodes n;
    size_t count = 0, every = 1, run = 0;
    emitted sources = {.target = gali_target_find("native", NULL), .compiler = "cc"};
    if (argc > 2 && strcmp(argv[1], "--every") == 0) {
        every = strtoul(argv[2], NULL, 10);
        every += every == 0;
        argv += 2;
        argc -= 2;
    }
    if (argc > 1 && strcmp(argv[1], "--device") == 0) {
        n.device = 1;
        argv++;
        argc--;
    }
    if (argc > 2 && strcmp(argv[1], "--c") == 0) {
        sources.folder = argv[2];
        n.c_sources = &sources;
        argv += 2;
        argc -= 2;
    }
    if (n.c_sources && argc > 4 && strcmp(argv[1], "--cross") == 0) {
        gal_error error = {0};
        sources.target = gali_target_find(argv[2], &error);
        sources.compiler = argv[3];
        sources.emulator = argv[4];
        argv += 4;
        argc -= 4;
        if (!sources.target) {
            printf("onnx_nodes: %s\n", error.message);
            return 1;
        }
    }
    if (argc < 2 || !list_models(argv[1], argc - 2, argv + 2, names, &count)) {
        printf("onnx_nodes: no folder of node tests\n");
        return SKIP;
    }
    for (size_t i = 0; i < count; i++) {
        if (i % every == 0) {
            run_test(argv[1], names[i], &n);
            run++;
        }
        free(names[i]);
    }
    if (n.c_sources) {
        run_emitted(&n);
    }
    printf("%zu models: %d passed, of these %d by expressions, %d by loops, ", run, n.c.passed, n.c.expressed,
           n.c.looped);
    if (n.c_sources) {
        printf("%d as C, ", n.c.emitted);
    }
    if (n.device) {
        printf("%d as kernels, ", n.c.there);
    }
    printf("%d refused, %d wrong\n", n.c.refused, n.c.wrong);
    return n.c.wrong != 0;
}
