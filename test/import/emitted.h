/*
 * Many graphs as emitted C: each is emitted under a name of its own, a hundred make a translation unit, and each unit is
 * built once and loaded. What is asked is whether the C is right, so it is built quickly, for this machine's target; or for
 * another one, whose compiler and emulator are named: then each graph runs in a process of its own (emitted_driver.c).
 */
#ifndef TEST_EMITTED_H
#define TEST_EMITTED_H

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "compiler/emit/program.h"
#include "program_run.h"

enum { EMITTED_A_UNIT = 100, EMITTED_UNITS = 64 };

/* Bytes of an output that come back from a process: where running tells sizes there may be room for gigabytes. */
enum { EMITTED_WANTED_MOST = 1 << 22 };

typedef struct emitted {
    const char *folder; /* that is there, and where all is left */
    const gali_target *target;
    const char *compiler, *emulator; /* emulator: NULL: this machine */
    uint32_t count;
    gali_text unit; /* the lines of the one that is being filled */
    void *units[EMITTED_UNITS];
} emitted;

static void emitted_path(const emitted *e, char path[512], const char *stem, uint32_t number, const char *end) {
    snprintf(path, 512, "%s/%s%u%s", e->folder, stem, number, end);
}

/* Ends the unit of the last graph. */
static gal_status emitted_end_unit(emitted *e, gal_error *error) {
    char path[512];
    gal_status status = GAL_OK;
    if (e->unit.size) {
        emitted_path(e, path, "unit", (e->count - 1) / EMITTED_A_UNIT, ".c");
        status = gali_file_write(path, e->unit.bytes, e->unit.size, error);
    }
    gali_text_release(&e->unit);
    return status;
}

/* Emits a program as number e->count, which is one more then. */
static gal_status emitted_add(emitted *e, gali_program *program, gal_error *error) {
    char name[32], path[512];
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    snprintf(name, sizeof name, "n%u", e->count);
    gal_status status = gali_emit_program(program, &(gali_emit_desc){name, "node.onnx", 0}, parts, error);
    if (status == GAL_OK) {
        emitted_path(e, path, "n", e->count, ".h");
        const gali_text *header = &parts[GAL_COMPILED_HEADER], *source = &parts[GAL_COMPILED_SOURCE];
        status = gali_file_write(path, header->bytes, header->size, error);
        emitted_path(e, path, "n", e->count, ".c");
        status = status == GAL_OK ? gali_file_write(path, source->bytes, source->size, error) : status;
    }
    if (status == GAL_OK) {
        gali_text_add(&e->unit, "#include \"%s.c\"\n", name);
        e->count++;
        status = e->count % EMITTED_A_UNIT ? GAL_OK : emitted_end_unit(e, error);
    }
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        gali_text_release(&parts[part]);
    }
    return status;
}

/* The functions of all graphs, for the driver. */
static int emitted_write_table(const emitted *e) {
    char path[512];
    gali_text text = {0};
    gal_error error = {0};
    for (uint32_t i = 0; i < e->count; i++) {
        gali_text_add(
            &text,
            "int n%u_call(uint32_t *, const void *const *, void *const *, const void *, void *);\n"
            "size_t n%u_call_workspace(const uint32_t *);\nextern const unsigned char *const n%u_weights;\n",
            i, i, i);
    }
    gali_text_add(&text, "static const graph graphs[] = {\n");
    for (uint32_t i = 0; i < e->count; i++) {
        gali_text_add(&text, "    {n%u_call, n%u_call_workspace, &n%u_weights},\n", i, i, i);
    }
    gali_text_add(&text, "};\n");
    snprintf(path, sizeof path, "%s/table.inc", e->folder);
    int good = !text.failed && gali_file_write(path, text.bytes, text.size, &error) == GAL_OK;
    gali_text_release(&text);
    return good;
}

/* Builds and loads all units, or builds them into a driver; 0 where one cannot be. */
static int emitted_build(emitted *e) {
    char line[2048], path[512];
    gal_error error = {0};
    uint32_t units = (e->count + EMITTED_A_UNIT - 1) / EMITTED_A_UNIT;
    int good = units <= EMITTED_UNITS && emitted_end_unit(e, &error) == GAL_OK;
    snprintf(line, sizeof line,
             "cd %s && printf '%%s\\n' unit*.c | xargs -P \"$(nproc)\" -I{} %s -std=c11 -O1 %s -Wall "
             "-Werror %s -ffp-contract=off %s {} %s",
             e->folder, e->compiler, e->target->flags,
             e->emulator ? "-Wno-aggressive-loop-optimizations"
                         : "", /* gcc 12 for AArch64 loses that a part is one */
             e->emulator ? "-c -o {}.o" : "-shared -fPIC -o {}.so", e->emulator ? "" : "-lm");
    good = good && (units == 0 || system(line) == 0);
    if (e->emulator) {
        snprintf(line, sizeof line,
                 "%s -std=c11 -O1 -static -I%s -o %s/driver %s/test/import/emitted_driver.c %s/unit*.o -lm",
                 e->compiler, e->folder, e->folder, GALLOP_SOURCE_DIR, e->folder);
        return good && emitted_write_table(e) && system(line) == 0;
    }
    for (uint32_t i = 0; good && i < units; i++) {
        emitted_path(e, path, "unit", i, ".c.so");
        e->units[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        good = e->units[i] != NULL;
    }
    return good;
}

static void *emitted_find(const emitted *e, uint32_t number, const char *what) {
    char name[64];
    snprintf(name, sizeof name, "n%u_%s", number, what);
    return dlsym(e->units[number / EMITTED_A_UNIT], name);
}

/* What a call takes, with the bytes of each port. */
typedef struct emitted_arguments {
    uint32_t size_count, input_count, output_count;
    uint32_t *sizes;
    void **inputs, **outputs;
    uint32_t *input_bytes, *output_bytes;
} emitted_arguments;

static uint32_t emitted_wanted(const emitted_arguments *a, uint32_t output) {
    return a->output_bytes[output] < EMITTED_WANTED_MOST ? a->output_bytes[output] : EMITTED_WANTED_MOST;
}

static void emitted_add_count(gali_text *text, uint32_t count) {
    gali_text_add_bytes(text, (const char *)&count, sizeof count);
}

/* The same by the driver: through files of the folder. -3 where it dies. */
static int emitted_run_apart(const emitted *e, uint32_t number, const emitted_arguments *a) {
    char in[512], out[512], line[2048];
    gal_error error = {0};
    gali_text text = {0};
    void *bytes = NULL;
    size_t size = 0, at = sizeof(int32_t) + a->size_count * sizeof(uint32_t), whole = at;
    int32_t status = -3;
    emitted_add_count(&text, a->size_count);
    gali_text_add_bytes(&text, (const char *)a->sizes, a->size_count * sizeof *a->sizes);
    emitted_add_count(&text, a->input_count);
    for (uint32_t i = 0; i < a->input_count; i++) {
        emitted_add_count(&text, a->input_bytes[i]);
        gali_text_add_bytes(&text, a->inputs[i], a->input_bytes[i]);
    }
    emitted_add_count(&text, a->output_count);
    for (uint32_t i = 0; i < a->output_count; i++) {
        emitted_add_count(&text, a->output_bytes[i]);
        emitted_add_count(&text, emitted_wanted(a, i));
        whole += emitted_wanted(a, i);
    }
    emitted_path(e, in, "in", 0, "");
    emitted_path(e, out, "out", 0, "");
    snprintf(line, sizeof line, "rm -f %s; %s %s/driver %u %s %s", out, e->emulator, e->folder, number, in,
             out);
    if (!text.failed && gali_file_write(in, text.bytes, text.size, &error) == GAL_OK && system(line) == 0 &&
        gali_file_read(out, 1 << 28, NULL, &bytes, &size, &error) == GAL_OK && size == whole) {
        memcpy(&status, bytes, sizeof status);
        memcpy(a->sizes, (const char *)bytes + sizeof status, a->size_count * sizeof *a->sizes);
        for (uint32_t i = 0; i < a->output_count; i++) {
            memcpy(a->outputs[i], (const char *)bytes + at, emitted_wanted(a, i));
            at += emitted_wanted(a, i);
        }
    }
    gali_release(NULL, bytes, size);
    gali_text_release(&text);
    return status;
}

/* Calls NAME_call with everything in memory of just the size that it needs. The status is that of the call. */
static int emitted_run(const emitted *e, uint32_t number, uint32_t *sizes, void **inputs, void **outputs) {
    int (*call)(uint32_t *, const void *const *, void *const *, const void *, void *);
    size_t (*workspace)(const uint32_t *);
    void *function = emitted_find(e, number, "call"), *other = emitted_find(e, number, "call_workspace");
    void *weights = emitted_find(e, number, "weights");
    memcpy(&call, &function, sizeof call);
    memcpy(&workspace, &other, sizeof workspace);
    size_t size = workspace(sizes);
    void *memory = gali_allocate(NULL, size + 1);
    memset(memory, 0xa5, size);
    int status = call(sizes, (const void *const *)inputs, outputs, *(const void *const *)weights, memory);
    gali_release(NULL, memory, size + 1);
    return status;
}

/* The same on tensors: as gali_graph_evaluate. */
static gal_status emitted_call(const emitted *e, uint32_t number, gali_program *program, gali_run *run,
                               const gali_tensor *inputs, gali_tensor *outputs) {
    const gali_graph *graph = program->graph;
    uint32_t symbols = gali_extent_symbols(graph->extents);
    program_memory m = {.program = program, .symbols = calloc(symbols + 1, sizeof *m.symbols)};
    uint32_t *rank = calloc(symbols + 1, sizeof *rank), *sizes = calloc(symbols + 1, sizeof *sizes);
    void **in = calloc(graph->input_count + 1, sizeof *in),
         **out = calloc(graph->output_count + 1, sizeof *out);
    uint32_t *in_bytes = calloc(graph->input_count + 1, sizeof *in_bytes),
             *out_bytes = calloc(graph->output_count + 1, sizeof *out_bytes);
    program_bind(&m, inputs);
    uint32_t given = gali_emit_sizes(graph, rank), all = gali_emit_told(graph, rank, given);
    for (uint32_t s = 0; s < symbols; s++) {
        if (rank[s] && rank[s] <= given) {
            sizes[rank[s] - 1] = (uint32_t)m.symbols[s];
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        in_bytes[i] = (uint32_t)(inputs[i].count * gali_element_list[inputs[i].element].bytes);
        in[i] = malloc(in_bytes[i] + 1);
        program_fill(&inputs[i], in[i]);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        out_bytes[i] = (uint32_t)program_bytes(&m, graph->outputs[i]);
        out[i] = malloc(out_bytes[i] + 1);
    }
    const emitted_arguments a = {all,      graph->input_count, graph->output_count, sizes, in, out,
                                 in_bytes, out_bytes};
    int returned = e->emulator ? emitted_run_apart(e, number, &a) : emitted_run(e, number, sizes, in, out);
    gal_status status = returned == 0
                            ? GAL_OK
                            : gali_fail(run->error, GAL_BAD_DATA,
                                        returned == -3 ? "the process dies" : "the call refuses its sizes");
    for (uint32_t s = 0; s < symbols && all > given; s++) {
        m.symbols[s] = rank[s] > given ? sizes[rank[s] - 1] : m.symbols[s];
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        gali_value value = {.name = "", .type = graph->values[graph->outputs[i]].type, .data = out[i]};
        for (int d = 0; d < value.type.rank; d++) {
            value.type.shape[d] = program_extent(&m, value.type.shape[d]);
        }
        status = status == GAL_OK ? gali_tensor_of(run, &value, &outputs[i]) : status;
        free(out[i]);
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        free(in[i]);
    }
    free(in);
    free(out);
    free(in_bytes);
    free(out_bytes);
    free(sizes);
    free(rank);
    free(m.symbols);
    return status;
}

#endif
