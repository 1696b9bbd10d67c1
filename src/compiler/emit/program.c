#include "compiler/emit/program_emission.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"
#include "compiler/lower/lower.h"
#include "compiler/program/winograd.h"

enum { WORDS_A_LINE = 16 };

/* ---- names ---- */

void gali_emission_size_name(const gali_emission *e, gali_text *to, uint32_t symbol) {
    const char *name = gali_extent_symbol_name(e->p->graph->extents, symbol);
    gali_text word = {0};
    gali_text_add_word(&word, name, 40);
    const char *as = word.bytes ? word.bytes : "";
    int whole = strcmp(as, name) == 0 && strcmp(as, "t") != 0; /* size_t is a name of C's own */
    if (whole) {
        gali_text_add(to, "size_%s", as);
    } else { /* others may come down to the same word */
        gali_text_add(to, "size%u_%s", symbol, as);
    }
    to->failed |= word.failed;
    gali_text_release(&word);
}

void gali_emission_port(gali_text *to, const char *stem, uint32_t number, const char *name) {
    gali_text_add(to, "%s%u_", stem, number);
    gali_text_add_word(to, name, 40);
}

void gali_emission_type(const gali_emission *e, gali_text *to, const gali_type *type) {
    gali_text text = {0};
    gali_type_print(e->p->graph->extents, type, &text);
    for (size_t i = 0; i < text.size; i++) {
        gali_text_add_bytes(to, text.bytes[i] == '/' ? "." : &text.bytes[i], 1);
    }
    to->failed |= text.failed;
    gali_text_release(&text);
}

/* ---- extents as C ---- */

static void add_atom(const gali_emission *e, gali_text *to, uint32_t atom) {
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(e->p->graph->extents, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        gali_text_add(to, "(int64_t)");
        gali_emission_size_name(e, to, symbol);
        return;
    }
    static const char *const functions[] = {
        [GALI_EXTENT_QUOTIENT] = "quotient", [GALI_EXTENT_LEAST] = "least", [GALI_EXTENT_MOST] = "most"};
    gali_text_add(to, "gali_size_%s(", functions[kind]);
    gali_emission_extent(e, to, operand[0]);
    gali_text_add(to, ", ");
    gali_emission_extent(e, to, operand[1]);
    gali_text_add(to, ")");
}

void gali_emission_extent(const gali_emission *e, gali_text *to, gali_extent extent) {
    const gali_extents *x = e->p->graph->extents;
    uint32_t count = gali_extent_term_count(x, extent);
    gali_text_add(to, count == 0 ? "0" : "");
    for (uint32_t i = 0; i < count; i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_text_add(to, "%s%lld", i ? " + " : "", (long long)term.scale);
        for (uint32_t k = 0; k < term.count; k++) {
            gali_text_add(to, " * ");
            add_atom(e, to, term.atoms[k]);
        }
    }
}

/* ---- the signature ---- */

uint32_t gali_emit_sizes(const gali_graph *graph, uint32_t *number) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0 && !number[symbol]) {
                number[symbol] = ++count;
            }
        }
    }
    return count;
}

uint32_t gali_emit_told(const gali_graph *graph, uint32_t *number, uint32_t count) {
    uint32_t symbols = gali_extent_symbols(graph->extents);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_type *type = &graph->values[graph->outputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            for (uint32_t s = 0; s < symbols; s++) {
                if (!number[s] && gali_extent_has(graph->extents, type->shape[d], s)) {
                    number[s] = ++count;
                }
            }
        }
    }
    return count;
}

uint32_t gali_emission_lanes(const gali_emission *e) {
    return e->p->target && e->p->target->lanes > 1 ? e->p->target->lanes : 0;
}

static int is_given(const gali_emission *e, uint32_t symbol) {
    return e->symbol[symbol] && e->symbol[symbol] <= e->given;
}

void gali_emission_sizes(const gali_emission *e, gali_text *to, int given, const char *before,
                         const char *after) {
    uint32_t symbols = gali_extent_symbols(e->p->graph->extents);
    uint32_t first = given ? 1 : e->given + 1, last = given ? e->given : e->numbered;
    for (uint32_t number = first; number <= last; number++) {
        for (uint32_t i = 0; i < symbols; i++) {
            if (e->symbol[i] == number) {
                gali_text_add(to, "%s", before);
                gali_emission_size_name(e, to, i);
                gali_text_add(to, "%s", after);
            }
        }
    }
}

static void add_type(gali_text *to, const gali_type *type, const char *before) {
    gali_text_add(to, "%s%s *", before, gali_element_list[type->element].c);
}

static void add_signature(const gali_emission *e, gali_text *to, int threads) {
    const gali_graph *graph = e->p->graph;
    gali_text_add(to, "int gali_run%s(", threads ? "_threads" : "");
    gali_emission_sizes(e, to, 1, "uint32_t ", ", ");
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_value *v = &graph->values[graph->inputs[i]];
        add_type(to, &v->type, "const ");
        gali_emission_port(to, "in", i, v->name);
        gali_text_add(to, ", ");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_value *v = &graph->values[graph->outputs[i]];
        add_type(to, &v->type, "");
        gali_emission_port(to, "out", i, v->name);
        gali_text_add(to, ", ");
    }
    gali_emission_sizes(e, to, 0, "uint32_t *told_", ", ");
    gali_text_add(to, "const void *weights, void *workspace%s)",
                  threads ? ", const struct gali_parallel *parallel" : "");
}

/* gali_run is gali_run_threads without threads. */
static void add_plain_run(const gali_emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    add_signature(e, to, 0);
    gali_text_add(to, " {\n    return gali_run_threads(");
    gali_emission_sizes(e, to, 1, "", ", ");
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_emission_port(to, "in", i, graph->values[graph->inputs[i]].name);
        gali_text_add(to, ", ");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        gali_emission_port(to, "out", i, graph->values[graph->outputs[i]].name);
        gali_text_add(to, ", ");
    }
    gali_emission_sizes(e, to, 0, "told_", ", ");
    gali_text_add(to, "weights, workspace, NULL);\n}\n\n");
}

static void add_workspace_signature(const gali_emission *e, gali_text *to) {
    gali_text sizes = {0};
    gali_emission_sizes(e, &sizes, 1, "uint32_t ", ", ");
    gali_text_add(to, "size_t gali_workspace(%.*s)", (int)(sizes.size ? sizes.size - 2 : 4),
                  sizes.size ? sizes.bytes : "void");
    gali_text_end(&sizes, to);
}

static void add_ports(const gali_emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    for (uint32_t i = 0; i < gali_extent_symbols(graph->extents); i++) {
        if (e->symbol[i]) {
            gali_text_add(to, is_given(e, i) ? " *     " : " *     told_");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, "  %lld..%lld\n", (long long)e->p->least[i], (long long)e->p->most[i]);
        }
    }
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        int output = i >= graph->input_count;
        uint32_t number = output ? i - graph->input_count : i;
        const gali_value *v = &graph->values[output ? graph->outputs[number] : graph->inputs[number]];
        gali_text_add(to, " *     ");
        gali_emission_port(to, output ? "out" : "in", number, v->name);
        gali_text_add(to, "  ");
        gali_emission_type(e, to, &v->type);
        gali_text_add(to, "\n");
    }
}

/* Whether the run finds sizes out. */
static int has_told(const gali_emission *e) {
    int told = 0;
    for (uint32_t i = 0; i < e->p->told_count; i++) {
        told |= e->p->told[i] == GALI_TOLD_BY_STEP;
    }
    return told;
}

/* What made it, for what, and how it is compiled; the guard; the weights. */
static void add_head(const gali_emission *e, gali_text *to) {
    gali_text_add(to, "/*\n * %s as plain C, made by gallop %s: ", e->desc->origin, gal_version());
    gali_text_add(to, "%u groups of %u operators, for %s.\n", e->p->group_count - gali_program_stretches(e->p),
                  e->p->graph->node_count, gali_emission_lanes(e) ? e->p->target->name : "any machine");
    if (e->versioned) {
        gali_text_add(to, " * %u of the groups are there in versions for ranges of sizes, %u in all.\n",
                      e->versioned, e->versions);
    }
    gali_text_add(to, " *     cc -std=c11 -O3 %s -ffp-contract=off -c %s.c\n */\n",
                  gali_emission_lanes(e) ? e->p->target->flags : "-march=native", e->desc->name);
    gali_text_add(to, "#ifndef GALI_H\n#define GALI_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
                      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    gali_text_add(to, "enum { GALI_WEIGHTS = %zu }; /* bytes */\n\n", e->weights.size);
    if (e->desc->weights_blob) {
        gali_text_add(to, "/* CRC-32 (zlib's) of the weights file. */\n#define GALI_WEIGHTS_CRC32 0x%08xu\n\n",
                      gali_crc32(e->weights.bytes ? e->weights.bytes : "", e->weights.size));
    } else {
        gali_text_add(to, "extern const unsigned char *const gali_weights; /* [GALI_WEIGHTS] */\n\n");
    }
}

/* The run by itself: its workspace, what it takes and what it returns. */
static void add_run(const gali_emission *e, gali_text *to) {
    gali_emission_limits(e, to);
    gali_text_add(to, "/* Bytes that a run with these sizes needs. */\n");
    add_workspace_signature(e, to);
    gali_text_add(to, ";\n\n/*\n * Tensors are row-major; f16 and bf16 are their bits, bool is 0 or 1.\n *\n");
    add_ports(e, to);
    gali_text_add(
        to,
        " *     weights    [GALI_WEIGHTS] %s, at a multiple of 8 bytes\n"
        " *     workspace  gali_workspace(..) bytes, at a multiple of 64; holds nothing between runs\n *\n"
        " * Returns 0, or -1 and does nothing where a size_ is out of its range, or where two do not fit%s. "
        "Keeps\n"
        " * nothing, neither locks nor allocates: any number of threads may run at once, each with a workspace "
        "of its own.\n",
        e->desc->weights_blob ? "the weights file in memory" : "gali_weights",
        e->given ? ": gali_refusal says which" : "");
    if (e->numbered > e->given) {
        gali_text_add(
            to, " *\n * What only running tells is written to told_size_. An output has room for the most of "
                "them.\n");
    }
    if (has_told(e)) {
        gali_text_add(to,
                      " * Returns -2, with outputs undefined, where a size that only running tells leaves its "
                      "range,\n * or does not fit another.\n");
    }
    gali_text_add(to, " */\n");
    add_signature(e, to, 0);
    gali_text_add(to, ";\n\n");
}

/* The run on the host's threads, and both by numbers. */
static void add_other_runs(const gali_emission *e, gali_text *to) {
    gali_text_add(
        to, "/* The host's threads. The same as the runtime's gal_parallel. */\nstruct gali_parallel {\n"
            "    /* Calls task(argument, i) once for each i in [0, count), in any order, on any threads; "
            "returns when all "
            "are done. */\n"
            "    void (*parallel_for)(void *context, void (*task)(void *argument, uint32_t index), void "
            "*argument,\n"
            "                         uint32_t count);\n    void *context;\n"
            "    uint32_t threads; /* how many tasks may run at once; >= 1 */\n};\n\n"
            "/* The same with ranges of the loops of large functions given out to threads; NULL: none. Results "
            "are the same "
            "bits. */\n");
    add_signature(e, to, 1);
    gali_text_add(to,
                  ";\n\n/* The same by numbers: sizes in the order of gali_run's, those that it "
                  "writes too; inputs, outputs. */\n"
                  "int gali_call(uint32_t *sizes, const void *const *inputs, void *const *outputs, "
                  "const void *weights,\n              void *workspace);\n"
                  "int gali_call_threads(uint32_t *sizes, const void *const *inputs, void *const *outputs,\n"
                  "                      const void *weights, void *workspace, const struct gali_parallel "
                  "*parallel);\nsize_t gali_call_workspace(const uint32_t *sizes);\n\n#ifdef "
                  "__cplusplus\n}\n#endif\n#endif\n");
}

static void make_header(const gali_emission *e, gali_text *to) {
    add_head(e, to);
    add_run(e, to);
    add_other_runs(e, to);
}

/* ---- the source ---- */

void gali_emission_size_functions(gali_text *to, const char *body) {
    static const char *const functions[][2] = {{"quotient", "b <= 0 ? 0 : a / b - (a % b < 0)"},
                                               {"least", "a < b ? a : b"},
                                               {"most", "a > b ? a : b"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char name[32];
        snprintf(name, sizeof name, "gali_size_%s(", functions[i][0]);
        if (strstr(body, name)) {
            gali_text_add(to, "static inline int64_t %sint64_t a, int64_t b) {\n    return %s;\n}\n\n", name,
                          functions[i][1]);
        }
    }
    if (strstr(body, "gali_size_set(")) {
        gali_text_add(to, "static inline int gali_size_set(uint32_t *size, int64_t value, int64_t most) {\n"
                          "    *size = value >= 0 && value <= most ? (uint32_t)value : 0;\n"
                          "    return value >= 0 && value <= most;\n}\n\n");
    }
}

/* Gives a function's loop out: a thread has at least so many steps that it is worth to wake it. */
static const char share[] =
    "struct gali_range {\n    void (*work)(const void *arguments, uint32_t first, uint32_t last);\n"
    "    const void *arguments;\n    uint64_t turns;\n    uint32_t parts;\n};\n\n"
    "static void gali_do_range(void *argument, uint32_t part) {\n"
    "    const struct gali_range *r = (const struct gali_range *)argument;\n"
    "    r->work(r->arguments, (uint32_t)(r->turns * part / r->parts), (uint32_t)(r->turns * (part + 1) / "
    "r->parts));\n}\n\n"
    "static void gali_share(const struct gali_parallel *parallel, int64_t turns, int64_t steps,\n"
    "                       void (*work)(const void *arguments, uint32_t first, uint32_t last), const void "
    "*arguments) {\n"
    "    const int64_t worth = steps / 16384 + 1, most = turns < worth ? turns : worth;\n"
    "    struct gali_range r = {work, arguments, (uint64_t)turns, 1};\n"
    "    if (parallel && most > 1) {\n"
    "        r.parts = parallel->threads < most ? parallel->threads : (uint32_t)most;\n    }\n"
    "    if (r.parts > 1) {\n"
    "        parallel->parallel_for(parallel->context, gali_do_range, &r, r.parts);\n"
    "    } else {\n        work(arguments, 0, (uint32_t)turns);\n    }\n}\n\n";

void gali_emission_place(const gali_emission *e, gali_text *to, const gali_program_slot *slot,
                         const char *begin) {
    gali_text_add(to, "%s", begin);
    for (uint32_t i = 0; i + 1 < slot->count; i++) {
        gali_text_add(to, "gali_size_most(");
    }
    gali_text_add(to, slot->count == 0 ? "0" : "");
    for (uint32_t i = 0; i < slot->count; i++) {
        const gali_program_slot *under = &e->p->slots[slot->ends[i].slot];
        gali_text_add(to, i ? ", " : "");
        if (under->count) {
            gali_text_add(to, "at%u + ", slot->ends[i].slot);
        }
        gali_emission_extent(e, to, slot->ends[i].bytes);
        gali_text_add(to, i ? ")" : "");
    }
    gali_text_add(to, ";\n");
}

/* Whether the workspace's end is computed of places: then of all, since each lies below it. Not where places are numbers. */
static int is_above_others(const gali_program *p) {
    int above = 0;
    for (uint32_t i = 0; i < p->top.count; i++) {
        above |= p->slots[p->top.ends[i].slot].count > 0;
    }
    return above;
}

void gali_emission_places(const gali_emission *e, gali_text *to, int all) {
    const gali_program *p = e->p;
    const uint32_t count = all || is_above_others(p) ? p->slot_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        char begin[64];
        snprintf(begin, sizeof begin, "    const int64_t at%u = ", i);
        if (p->slots[i].count) {
            gali_emission_place(e, to, &p->slots[i], begin);
        }
    }
}

static void add_slots(const gali_emission *e, gali_text *to) {
    gali_emission_places(e, to, 1);
    for (uint32_t i = 0; i < e->p->slot_count; i++) {
        gali_text_add(to,
                      e->p->slots[i].count
                          ? "    unsigned char *const slot%u = (unsigned char *)workspace + at%u;\n"
                          : "    unsigned char *const slot%u = (unsigned char *)workspace;\n",
                      i, i);
    }
}

static void add_bodies(const gali_emission *e, gali_text *to) {
    add_workspace_signature(e, to);
    gali_text_add(to, " {\n    int64_t bytes = 0;\n");
    gali_emission_sizes(e, to, 1, "    (void)", ";\n");
    gali_emission_places(e, to, 0);
    gali_emission_place(e, to, &e->p->top, "    bytes = ");
    gali_text_add(to, "    return (size_t)bytes;\n}\n\n");
    gali_text_add(to, "%s", e->shares ? share : "");
    gali_emission_refusal(e, to);
    add_signature(e, to, 1);
    gali_text_add(
        to,
        " {\n    const unsigned char *const constants = (const unsigned char *)weights;\n    (void)constants;\n"
        "    (void)workspace;\n    (void)parallel;\n");
    for (uint32_t i = 0; i < e->p->graph->input_count; i++) {
        gali_text_add(to, "    (void)");
        gali_emission_port(to, "in", i, e->p->graph->values[e->p->graph->inputs[i]].name);
        gali_text_add(to, ";\n");
    }
    gali_emission_ask(e, to);
    add_slots(e, to);
    for (uint32_t i = 0; i < e->p->told_count; i++) {
        if (e->p->told[i] == GALI_TOLD_BY_STEP) {
            gali_text_add(to, "    uint32_t ");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, " = 0;\n    (void)");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, ";\n");
        }
    }
    gali_text_add_bytes(to, e->calls.bytes ? e->calls.bytes : "", e->calls.size);
    for (uint32_t i = 0; i < gali_extent_symbols(e->p->graph->extents); i++) {
        if (e->symbol[i] > e->given) {
            gali_text_add(to, "    *told_");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, " = ");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, ";\n");
        }
    }
    gali_text_add(to, "    return 0;\n}\n\n");
    add_plain_run(e, to);
}

static void add_call(const gali_emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    gali_text_add(
        to,
        "int gali_call_threads(uint32_t *sizes, const void *const *inputs, void *const *outputs,\n"
        "                      const void *weights, void *workspace, const struct gali_parallel *parallel) {\n"
        "    (void)sizes;\n    (void)inputs;\n    return gali_run_threads(");
    for (uint32_t i = 0; i < e->given; i++) {
        gali_text_add(to, "sizes[%u], ", i);
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_text_add(to, "(const %s *)inputs[%u], ",
                      gali_element_list[graph->values[graph->inputs[i]].type.element].c, i);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        gali_text_add(to, "(%s *)outputs[%u], ",
                      gali_element_list[graph->values[graph->outputs[i]].type.element].c, i);
    }
    for (uint32_t i = e->given; i < e->numbered; i++) {
        gali_text_add(to, "&sizes[%u], ", i);
    }
    gali_text_add(
        to,
        "weights, workspace, parallel);\n}\n\n"
        "int gali_call(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,\n"
        "              void *workspace) {\n"
        "    return gali_call_threads(sizes, inputs, outputs, weights, workspace, NULL);\n}\n");
    gali_text_add(to, "\nsize_t gali_call_workspace(const uint32_t *sizes) {\n"
                      "    (void)sizes;\n    return gali_workspace(");
    for (uint32_t i = 0; i < e->given; i++) {
        gali_text_add(to, "%ssizes[%u]", i ? ", " : "", i);
    }
    gali_text_add(to, ");\n}\n");
}

void gali_emission_weights(const gali_emission *e, gali_text *to) {
    size_t words = (e->weights.size + 7) / 8;
    gali_text_add(
        to,
        "\n/* As little-endian words; at a multiple of 64 bytes no vector lies across two lines of cache. */\n"
        "_Alignas(64) static const uint64_t gali_words[%zu] = {",
        words ? words : 1);
    for (size_t i = 0; i < words; i++) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8 && 8 * i + b < e->weights.size; b++) {
            word |= (uint64_t)(unsigned char)e->weights.bytes[8 * i + b] << (8 * b);
        }
        gali_text_add(to, "%s0x%llx,", i % WORDS_A_LINE ? "" : "\n", (unsigned long long)word);
    }
    gali_text_add(to, "%s};\nconst unsigned char *const gali_weights = (const unsigned char *)gali_words;\n",
                  words ? "\n" : "0");
}

static void make_source(const gali_emission *e, gali_text *to) {
    gali_text body = {0};
    gali_text_add_bytes(&body, e->functions.bytes ? e->functions.bytes : "", e->functions.size);
    gali_text_add(to, "/* %s.h tells what this is. */\n", e->desc->name);
    gali_text_add(
        to,
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"
        "#pragma GCC optimize(\"fp-contract=off\", \"no-math-errno\", \"no-trapping-math\")\n#endif\n\n"
        "#include \"%s.h\"\n\n",
        e->desc->name);
    gali_vocabulary_add_library(to, e->p->target);
    if (e->p->regions && e->p->regions->bytes) {
        gali_text_add_bytes(to, e->p->regions->bytes, e->p->regions->size);
    }
    if (gali_emission_lanes(e)) {
        gali_vocabulary_includes(to, e->p->target);
        gali_text_add(to, "\n");
        gali_vocabulary_add(to, e->p->target, body.bytes ? body.bytes : "");
    }
    gali_text words = {0};
    gali_text_add_bytes(&words, body.bytes ? body.bytes : "", body.size);
    gali_text_add_bytes(&words, e->calls.bytes ? e->calls.bytes : "", e->calls.size);
    gali_vocabulary_add_plain(to, words.bytes ? words.bytes : "");
    gali_text_end(&words, to);
    gali_text_add_bytes(to, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, to);
    add_bodies(e, &body);
    gali_emission_size_functions(to, body.bytes ? body.bytes : "");
    gali_text_add_bytes(to, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, to);
    add_call(e, to);
    if (!e->desc->weights_blob) {
        gali_emission_weights(e, to);
    }
}

gal_status gali_emit_program(gali_program *p, const gali_emit_desc *desc,
                             gali_text parts[GAL_COMPILED_PART_COUNT], gal_error *error) {
    gali_emission e = {.p = p, .desc = desc, .error = error};
    gali_text ours = {0};
    e.symbol = gali_arena_take(p->arena, (gali_extent_symbols(p->graph->extents) + 1) * sizeof *e.symbol);
    gal_status status = e.symbol ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to emit");
    if (status == GAL_OK) {
        e.given = gali_emit_sizes(p->graph, e.symbol);
        e.numbered = gali_emit_told(p->graph, e.symbol, e.given);
    }
    status = status == GAL_OK ? gali_emission_groups(&e) : status;
    if (status == GAL_OK) {
        make_header(&e, &ours);
        gali_vocabulary_end(&ours, &parts[GAL_COMPILED_HEADER], desc->name);
        make_source(&e, &ours);
        gali_vocabulary_end(&ours, &parts[GAL_COMPILED_SOURCE], desc->name);
    }
    if (status == GAL_OK && desc->weights_blob) {
        gali_text_add_bytes(&parts[GAL_COMPILED_WEIGHTS], e.weights.bytes ? e.weights.bytes : "",
                            e.weights.size);
    }
    int failed = e.functions.failed || e.calls.failed || e.weights.failed;
    gali_text_release(&e.functions);
    gali_text_release(&e.calls);
    gali_text_release(&e.weights);
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        failed |= parts[i].failed;
    }
    return status == GAL_OK && failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to emit") : status;
}
