/* The header and the source, put together of their parts. */
#include <ctype.h>
#include <string.h>

#include "base/crc32.h"
#include "compiler/emit/emission.h"
#include "compiler/emit/vocabulary.h"

/* The gate's input, beside x: phase, given, or none. */
static const gali_value *gate_input(const gali_graph *graph) {
    return graph->input_count > 1 ? &graph->values[graph->inputs[1]] : NULL;
}

static uint32_t gate_width(const gali_graph *graph) {
    return gali_row_width(graph, graph->inputs[1]);
}

static uint32_t input_width(const gali_graph *graph) {
    return gali_row_width(graph, graph->inputs[0]);
}

static uint32_t output_width(const gali_graph *graph) {
    return gali_row_width(graph, graph->outputs[0]);
}

static void add_origin(const gali_compilation *c, gali_text *text) {
    const char *flags = c->target->flags;
    gali_text_add(
        text,
        " * Made by gallop %s for %s, %u to %u characters a call. Any C11 compiler that knows __attribute__:\n"
        " *     cc -std=c11 -O2 -ffp-contract=off%s%s -c %s.c\n",
        gal_version(), c->target->name, c->least, c->most, *flags ? " " : "", flags, c->name);
}

/* Text in a comment: its own ends and starts of comments are parted. */
static void add_commented(gali_text *text, const char *at, size_t size) {
    for (size_t i = 0; i < size; i++) {
        int parted = i + 1 < size && ((at[i] == '*' && at[i + 1] == '/') || (at[i] == '/' && at[i + 1] == '*'));
        gali_text_add_bytes(text, &at[i], 1);
        gali_text_add(text, "%s", parted ? " " : "");
    }
}

void gali_emit_provenance(const gali_compilation *c, gali_text *text) {
    const char *at = c->model.provenance, *end = at ? at + c->model.provenance_size : at;
    gali_text_add(text, at ? " *\n * The weights:\n" : "");
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((newline ? newline : end) - at);
        gali_text_add(text, size ? " *     " : " *");
        add_commented(text, at, size);
        gali_text_add(text, "\n");
        at += size + 1;
    }
}

static void add_memory_plan(const gali_compilation *c, gali_text *text) {
    gali_text_add(
        text,
        " * The workspace: a value of `at` floats and width w takes [at * count, (at + w) * count), a row of "
        "w\n"
        " * floats a character, rounded up to 16; values share a place that do not live at the same time.\n"
        " *        at  value\n");
    for (uint32_t i = 0; i < c->graph->value_count; i++) {
        const gali_value *value = &c->graph->values[i];
        if (c->offset[i]) {
            gali_text_add(text, " *     %5u  %s ", (c->offset[i] - 1) * GALI_ROW_UNIT, value->name);
            gali_type_print(c->graph->extents, &value->type, text);
            gali_text_add(text, "\n");
        }
    }
}

static void add_run(const gali_compilation *c, gali_text *text) {
    const gali_value *gate = gate_input(c->graph);
    gali_text_add(text, "int gali_run(uint32_t count, const float *x, ");
    if (gate) {
        gali_text_add(text, "const float *%s, ", gate->name);
    }
    gali_text_add(text, "float *y, const float *weights,\n             void *workspace)");
}

static void add_run_comment(const gali_compilation *c, gali_text *text) {
    const gali_value *gate = gate_input(c->graph);
    gali_text_add(text,
                  "/*\n"
                  " * Runs the network for count characters, GALI_CHARACTERS_LEAST to GALI_CHARACTERS_MOST. "
                  "Keeps nothing; any "
                  "number of\n"
                  " * threads may run at once, each with a workspace of its own. Returns 0, or -1 and leaves y "
                  "alone if count is "
                  "out of\n"
                  " * range%s.\n *\n"
                  " *     x          [count][GALI_INPUTS], features as the model file has them\n",
                  gate ? " or a value of the gate is not finite" : "");
    if (gate && gate->type.rank == 1) {
        gali_text_add(text, " *     phase      [count], radians, any finite value\n");
    } else if (gate) {
        gali_text_add(text, " *     given      [count][%u], finite coefficients of the experts\n",
                      gate_width(c->graph));
    }
    gali_text_add(text, " *     y          [count][GALI_OUTPUTS], apart from x\n");
    gali_text_add(text,
                  c->weights_blob ? " *     weights    [GALI_WEIGHTS], the file %s.weights in memory: "
                                    "little-endian float32 in the order in which this "
                                    "source\n"
                                    " *                reads them, another one for other targets and options\n"
                                  : " *     weights    gali_weights.values\n",
                  c->name);
    gali_text_add(text,
                  " *     workspace  [GALI_WORKSPACE * count] floats; holds nothing between calls\n *\n"
                  " * No pointer is NULL; all are aligned as floats are, and y overlaps nothing. Weights and "
                  "workspace are "
                  "fastest\n * where they start at a multiple of 64 bytes. A run neither locks nor allocates; "
                  "NaN and Inf in x are\n * computed with.\n */\n");
}

static void make_header(const gali_compilation *c, const gali_emission *e, gali_text *text) {
    gali_text_add(text, "/*\n * %s: a neural character controller as plain C.\n *\n", c->name);
    add_origin(c, text);
    gali_emit_provenance(c, text);
    gali_text_add(text, " *\n");
    add_memory_plan(c, text);
    gali_text_add(
        text,
        " */\n#ifndef GALI_H\n#define GALI_H\n\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "enum {\n    GALI_INPUTS = %u,\n    GALI_OUTPUTS = %u,\n"
        "    GALI_CHARACTERS_LEAST = %u,\n    GALI_CHARACTERS_MOST = %u,\n"
        "    GALI_WORKSPACE = %u, /* floats a character */\n    GALI_WEIGHTS = %zu,  /* floats */\n};\n\n",
        input_width(c->graph), output_width(c->graph), c->least, c->most, c->workspace,
        e->weights.size / sizeof(float));
    if (!c->weights_blob) {
        gali_text_add(text, "/* The weights: values, stored as their bits. */\n"
                            "extern const union gali_weights {\n    uint32_t bits[GALI_WEIGHTS];\n"
                            "    float values[GALI_WEIGHTS];\n} gali_weights;\n\n");
    }
    if (c->weights_blob) {
        gali_text_add(
            text,
            "/* CRC-32 (zlib's) of the weights file: a file of another target may have the same size. */\n"
            "#define GALI_WEIGHTS_CRC32 0x%08xu\n\n",
            gali_crc32(e->weights.bytes, e->weights.size));
    }
    add_run_comment(c, text);
    add_run(c, text);
    gali_text_add(text, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* "    float *const NAME = (float *)workspace + 48 * (size_t)count;" */
static void add_place(gali_text *text, const char *type, const char *name, uint32_t at) {
    gali_text_add(text, "    %s *const %s = (%s *)workspace", type, name, type);
    if (at) {
        gali_text_add(text, " + %u * (size_t)count", at);
    }
    gali_text_add(text, ";\n");
}

/* Local pointers of the run: a value's rows. */
static void add_places(const gali_compilation *c, gali_text *text) {
    for (uint32_t i = 0; i < c->graph->value_count; i++) {
        const gali_value *value = &c->graph->values[i];
        if (c->offset[i]) {
            add_place(text, gali_element_list[value->type.element].c, value->name,
                      (c->offset[i] - 1) * GALI_ROW_UNIT);
        }
    }
}

/* Gate values that are not finite are refused before anything is written. */
static void add_check_of_gate(const gali_graph *graph, gali_text *text) {
    uint32_t width = gate_width(graph);
    gali_text_add(text, "    for (uint32_t i = 0; i < count");
    if (width > 1) {
        gali_text_add(text, " * %u", width);
    }
    gali_text_add(text, "; i++) {\n        if (!isfinite(%s[i])) {\n            return -1;\n        }\n    }\n",
                  gate_input(graph)->name);
}

static void make_run(const gali_compilation *c, const gali_emission *e, gali_text *text) {
    const gali_graph *graph = c->graph;
    uint32_t width = output_width(graph), result = graph->outputs[0];
    add_run(c, text);
    gali_text_add(text, " {\n");
    add_places(c, text);
    gali_text_add(text, "    if (count < %u || count > %u) {\n        return -1;\n    }\n", c->least, c->most);
    if (gate_input(graph)) {
        add_check_of_gate(graph, text);
    }
    gali_text_add_bytes(text, e->calls.bytes, e->calls.size);
    gali_text_add(text, "    for (uint32_t c = 0; c < count; c++) {\n        memcpy(y + (size_t)c * %u, ",
                  width);
    gali_emit_pointer(text, graph, result);
    gali_text_add(text, " + (size_t)c * %u, %u * sizeof *y);\n    }\n    return 0;\n}\n",
                  gali_emit_stride(graph, result), width);
}

static void add_weights(const gali_emission *e, gali_text *text) {
    gali_text_add(text, "\n_Alignas(64) const union gali_weights gali_weights = {{");
    const unsigned char *at = (const unsigned char *)e->weights.bytes;
    for (size_t i = 0; i < e->weights.size; i += 4) {
        uint32_t bits =
            at[i] | (uint32_t)at[i + 1] << 8 | (uint32_t)at[i + 2] << 16 | (uint32_t)at[i + 3] << 24;
        gali_text_add(text, "%s0x%x,", i % 40 ? "" : "\n", bits);
    }
    gali_text_add(text, "\n}};\n");
}

/* In place of math.h and string.h, which a bare wasm32 compiler has not; the linker or the page gives the functions. */
static const char without_libc[] =
    "\nvoid *memcpy(void *restrict to, const void *restrict from, size_t size);\n"
    "void *memset(void *to, int value, size_t size);\n"
    "double floor(double x);\n"
    "double fmod(double x, double y);\n"
    "double sqrt(double x);\n"
    "float sqrtf(float x);\n"
    "#define isfinite(x) __builtin_isfinite(x)\n"
    "#define NAN __builtin_nanf(\"\")\n";

/* All of the source but its weights, with our names. */
static void make_source(const gali_compilation *c, const gali_emission *e, gali_text *text) {
    gali_text body = {0};
    gali_text_add_bytes(&body, e->functions.bytes ? e->functions.bytes : "", e->functions.size);
    make_run(c, e, &body);
    gali_text_add(text, "/*\n * %s.h tells what this is.\n *\n", c->name);
    add_origin(c, text);
    gali_text_add(text, " */\n");
    /* scheduled ahead of registers, gcc's NEON loops copy accumulators: 13.1 cycles for 12 (neoverse-n1) */
    const char *order = c->target->simd == GALI_SIMD_NEON ? ", \"no-schedule-insns\"" : "";
    gali_text_add(text,
                  "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"
                  "#pragma GCC optimize(\"fp-contract=off\"%s)\n#endif\n\n",
                  order);
    gali_text_add(text, "#include \"%s.h\"\n\n#include <stddef.h>\n", c->name);
    gali_text_add(text, "%s\n",
                  c->target->simd == GALI_SIMD_WASM ? without_libc
                                                    : "#include <math.h>\n#include <string.h>\n");
    gali_vocabulary_includes(text, c->target);
    gali_text_add(text, "\n");
    gali_vocabulary_add(text, c->target, body.bytes ? body.bytes : "");
    gali_text_add_bytes(text, e->lists.bytes ? e->lists.bytes : "", e->lists.size);
    gali_text_add_bytes(text, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, text);
}

void gali_emit_module(gali_compilation *c, const gali_emission *e) {
    gali_text ours = {0};
    make_header(c, e, &ours);
    gali_vocabulary_end(&ours, &c->parts[GAL_COMPILED_HEADER], c->name);
    make_source(c, e, &ours);
    if (!c->weights_blob) {
        add_weights(e, &ours);
    } else {
        gali_text_add_bytes(&c->parts[GAL_COMPILED_WEIGHTS], e->weights.bytes, e->weights.size);
    }
    gali_vocabulary_end(&ours, &c->parts[GAL_COMPILED_SOURCE], c->name);
}
