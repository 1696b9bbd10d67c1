#include "compiler/emit/program.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"
#include "compiler/program/lower.h"

enum { NAME_SIZE = 96, ALIGNMENT = 64, WORDS_A_LINE = 16 };

/* A constant as a function reads it, which starts at `at` in the weights. */
typedef struct constant {
    uint32_t tensor;
    const gali_loop_buffer *buffer;
    size_t at;
    struct constant *next;
} constant;

typedef struct emission {
    gali_program *p;
    const gali_emit_desc *desc;
    gali_text functions, calls, weights;
    constant *constants;
    uint32_t *symbol; /* [symbols] 1 + the number of a size that inputs tell */
    gal_error *error;
} emission;

/* ---- names ---- */

/* Appends the letters and digits of a name, all else as one underline, at most `most`, from its end. */
static void add_word(gali_text *to, const char *name, size_t most) {
    size_t size = strlen(name);
    char last = '_';
    for (const char *at = size > most ? name + size - most : name; *at; at++) {
        int good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        char c = good ? *at : '_';
        if (c != '_' || last != '_') {
            gali_text_add_bytes(to, &c, 1);
        }
        last = c;
    }
}

/* size_t is a name of C's own. */
static void add_size_name(const emission *e, gali_text *to, uint32_t symbol) {
    const char *name = gali_extent_symbol_name(e->p->graph->extents, symbol);
    gali_text_add(to, "size_");
    add_word(to, name, 40);
    gali_text_add(to, "%s", strcmp(name, "t") == 0 ? "_" : "");
}

/* Inputs and outputs may have names that are no C, or the same: their number is part of it. */
static void add_port(gali_text *to, const char *stem, uint32_t number, const char *name) {
    gali_text_add(to, "%s%u_", stem, number);
    add_word(to, name, 40);
}

/* ---- extents as C ---- */

static void add_extent(const emission *e, gali_text *to, gali_extent extent);

static void add_atom(const emission *e, gali_text *to, uint32_t atom) {
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(e->p->graph->extents, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        gali_text_add(to, "(int64_t)");
        add_size_name(e, to, symbol);
        return;
    }
    static const char *const functions[] = {
        [GALI_EXTENT_QUOTIENT] = "quotient", [GALI_EXTENT_LEAST] = "least", [GALI_EXTENT_MOST] = "most"};
    gali_text_add(to, "gali_size_%s(", functions[kind]);
    add_extent(e, to, operand[0]);
    gali_text_add(to, ", ");
    add_extent(e, to, operand[1]);
    gali_text_add(to, ")");
}

static void add_extent(const emission *e, gali_text *to, gali_extent extent) {
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

/* ---- constants ---- */

/* Whether two functions read a constant alike. */
static int same_layout(const gali_loop_buffer *a, const gali_loop_buffer *b) {
    return !a->packed_rank && !b->packed_rank ? 1 : gali_layout_same(a, b);
}

/* Where the constant stands in the weights, in bytes; it is put there when it is first asked for. */
static size_t constant_at(emission *e, uint32_t tensor, const gali_loop_buffer *buffer) {
    static const char zeros[ALIGNMENT];
    for (const constant *c = e->constants; c; c = c->next) {
        if (c->tensor == tensor && same_layout(c->buffer, buffer)) {
            return c->at;
        }
    }
    size_t over = e->weights.size % ALIGNMENT, bytes = gali_program_constant_bytes(e->p, tensor, buffer);
    gali_text_add_bytes(&e->weights, zeros, over ? ALIGNMENT - over : 0);
    size_t at = e->weights.size;
    unsigned char *place = gali_text_reserve(&e->weights, bytes);
    constant *c = gali_arena_take(e->p->arena, sizeof *c);
    if (!place || !c || !gali_program_constant(e->p, tensor, buffer, place)) {
        e->weights.failed = 1;
        return 0;
    }
    *c = (constant){tensor, buffer, at, e->constants};
    e->constants = c;
    return at;
}

/* ---- calls ---- */

/* A pointer to the tensor, as the run has it. */
static void add_pointer(emission *e, gali_text *to, uint32_t tensor, const gali_loop_buffer *buffer) {
    const gali_program_tensor *t = &e->p->tensors[tensor];
    const char *type = gali_element_list[t->type.element].c;
    switch (t->role) {
    case GALI_TENSOR_INPUT:
        add_port(to, "in", t->port, t->name);
        break;
    case GALI_TENSOR_OUTPUT:
        add_port(to, "out", t->port, t->name);
        break;
    case GALI_TENSOR_CONSTANT:
        gali_text_add(to, "(const %s *)(constants + %zu)", type, constant_at(e, tensor, buffer));
        break;
    default:
        gali_text_add(to, "(%s *)slot%u", type, t->slot);
    }
}

static const gali_node *node_of(const gali_program *p, uint32_t group) {
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone && p->stages[i].group == group) {
            return p->stages[i].node == GALI_NONE ? NULL : &p->graph->nodes[p->stages[i].node];
        }
    }
    return NULL;
}

static void add_comment(emission *e, uint32_t group) {
    const gali_program *p = e->p;
    const gali_node *node = node_of(p, group);
    gali_text_add(&e->functions, "/* Group %u", group);
    if (node) {
        gali_text_add(&e->functions, ": %s \"", gali_op_list[node->op].name);
        for (const char *at = node->name; *at; at++) { /* a name may not end the comment */
            gali_text_add_bytes(&e->functions, *at == '*' ? "." : at, 1);
        }
        gali_text_add(&e->functions, "\"");
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone && p->stages[i].group == group) {
            gali_text_add(&e->functions, ", makes ");
            gali_type_print(p->graph->extents, &p->tensors[p->stages[i].tensor].type, &e->functions);
        }
    }
    gali_text_add(&e->functions, ". */\n");
}

/* Lanes of a printed function; 0: plain C. */
static uint32_t vector_lanes(const emission *e) {
    return e->p->target && e->p->target->lanes > 1 ? e->p->target->lanes : 0;
}

static gal_status add_group(emission *e, uint32_t group) {
    gali_lowered lowered;
    gali_text name = {0};
    const gali_node *node = node_of(e->p, group);
    gal_status status = gali_program_lower(e->p, group, &lowered, e->error);
    if (status != GAL_OK) {
        return status;
    }
    gali_text_add(&name, "gali_%u_%s_", group, node ? gali_op_list[node->op].name : "Copy");
    add_word(&name, node ? node->name : "", 40);
    add_comment(e, group);
    status = name.failed
                 ? gali_fail(e->error, GAL_NO_MEMORY, "no memory to emit")
                 : gali_loop_print_c(lowered.function, name.bytes, vector_lanes(e), &e->functions, e->error);
    gali_text_add(&e->functions, "\n");
    gali_text_add(&e->calls, "    %s(", name.bytes ? name.bytes : "");
    uint32_t count = 0;
    for (uint32_t i = 0; status == GAL_OK && i < lowered.function->symbols; i++) {
        gali_text_add(&e->calls, "%s", count++ ? ", " : "");
        add_size_name(e, &e->calls, lowered.symbols[i]);
    }
    for (uint32_t i = 0; status == GAL_OK && i < lowered.function->parameters; i++) {
        gali_text_add(&e->calls, "%s", count++ ? ", " : "");
        add_pointer(e, &e->calls, lowered.tensors[i], lowered.function->buffer[i]);
    }
    gali_text_add(&e->calls, ");\n");
    gali_text_release(&name);
    return status;
}

/* ---- the signature ---- */

/* Sizes that inputs tell, in the order in which they do. */
static void number_symbols(emission *e) {
    const gali_graph *graph = e->p->graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            int symbol = gali_extent_as_symbol(graph->extents, type->shape[d]);
            if (symbol >= 0 && !e->symbol[symbol]) {
                e->symbol[symbol] = ++count;
            }
        }
    }
}

/* Calls what `add` does for each size, in their order. */
static void add_sizes(const emission *e, gali_text *to, const char *before, const char *after) {
    uint32_t symbols = gali_extent_symbols(e->p->graph->extents);
    for (uint32_t number = 1; number <= symbols; number++) {
        for (uint32_t i = 0; i < symbols; i++) {
            if (e->symbol[i] == number) {
                gali_text_add(to, "%s", before);
                add_size_name(e, to, i);
                gali_text_add(to, "%s", after);
            }
        }
    }
}

static void add_type(gali_text *to, const gali_type *type, const char *before) {
    gali_text_add(to, "%s%s *", before, gali_element_list[type->element].c);
}

static void add_signature(const emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    gali_text_add(to, "int gali_run(");
    add_sizes(e, to, "uint32_t ", ", ");
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_value *v = &graph->values[graph->inputs[i]];
        add_type(to, &v->type, "const ");
        add_port(to, "in", i, v->name);
        gali_text_add(to, ", ");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_value *v = &graph->values[graph->outputs[i]];
        add_type(to, &v->type, "");
        add_port(to, "out", i, v->name);
        gali_text_add(to, ", ");
    }
    gali_text_add(to, "const void *weights, void *workspace)");
}

static void add_workspace_signature(const emission *e, gali_text *to) {
    gali_text sizes = {0};
    add_sizes(e, &sizes, "uint32_t ", ", ");
    gali_text_add(to, "size_t gali_workspace(%.*s)", (int)(sizes.size ? sizes.size - 2 : 4),
                  sizes.size ? sizes.bytes : "void");
    gali_text_end(&sizes, to);
}

static void add_ports(const emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    for (uint32_t i = 0; i < gali_extent_symbols(graph->extents); i++) {
        if (e->symbol[i]) {
            gali_text_add(to, " *     ");
            add_size_name(e, to, i);
            gali_text_add(to, "  %lld..%lld\n", (long long)e->p->least[i], (long long)e->p->most[i]);
        }
    }
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        int output = i >= graph->input_count;
        uint32_t number = output ? i - graph->input_count : i;
        const gali_value *v = &graph->values[output ? graph->outputs[number] : graph->inputs[number]];
        gali_text_add(to, " *     ");
        add_port(to, output ? "out" : "in", number, v->name);
        gali_text_add(to, "  ");
        gali_type_print(graph->extents, &v->type, to);
        gali_text_add(to, "\n");
    }
}

static void make_header(const emission *e, gali_text *to) {
    gali_text_add(to, "/*\n * %s as plain C, made by gallop %s: ", e->desc->origin, gal_version());
    gali_text_add(
        to, "%u functions of %u operators, for %s.\n *     cc -std=c11 -O3 %s -ffp-contract=off -c %s.c\n */\n",
        e->p->group_count, e->p->graph->node_count, vector_lanes(e) ? e->p->target->name : "any machine",
        vector_lanes(e) ? e->p->target->flags : "-march=native", e->desc->name);
    gali_text_add(to, "#ifndef GALI_H\n#define GALI_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
                      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    gali_text_add(to, "enum { GALI_WEIGHTS = %zu }; /* bytes */\n\n", e->weights.size);
    if (e->desc->weights_blob) {
        gali_text_add(to, "/* CRC-32 (zlib's) of the weights file. */\n#define GALI_WEIGHTS_CRC32 0x%08xu\n\n",
                      gali_crc32(e->weights.bytes ? e->weights.bytes : "", e->weights.size));
    } else {
        gali_text_add(to, "extern const unsigned char *const gali_weights; /* [GALI_WEIGHTS] */\n\n");
    }
    gali_text_add(to, "/* Bytes that a run with these sizes needs. */\n");
    add_workspace_signature(e, to);
    gali_text_add(to, ";\n\n/*\n * Tensors are row-major; f16 and bf16 are their bits, bool is 0 or 1.\n *\n");
    add_ports(e, to);
    gali_text_add(
        to,
        " *     weights    [GALI_WEIGHTS] %s, at a multiple of 8 bytes\n"
        " *     workspace  gali_workspace(..) bytes, at a multiple of 64; holds nothing between runs\n *\n"
        " * Returns 0, or -1 and does nothing where a size_ is out of its range. Keeps nothing, "
        "neither locks\n"
        " * nor allocates: any number of threads may run at once, each with a workspace of its own.\n */\n",
        e->desc->weights_blob ? "the weights file in memory" : "gali_weights");
    add_signature(e, to);
    gali_text_add(to, ";\n\n/* The same by numbers: sizes in the order of gali_run's, inputs, outputs. */\n"
                      "int gali_call(const uint32_t *sizes, const void *const *inputs, void *const *outputs, "
                      "const void *weights,\n"
                      "              void *workspace);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- the source ---- */

/* What sizes are computed with, each where it is used. */
static void add_size_functions(gali_text *to, const char *body) {
    static const char *const functions[][2] = {
        {"quotient", "a <= 0 || b <= 0 ? 0 : a / b"}, {"least", "a < b ? a : b"}, {"most", "a > b ? a : b"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char name[32];
        snprintf(name, sizeof name, "gali_size_%s(", functions[i][0]);
        if (strstr(body, name)) {
            gali_text_add(to, "static inline int64_t %sint64_t a, int64_t b) {\n    return %s;\n}\n\n", name,
                          functions[i][1]);
        }
    }
}

static void add_bodies(const emission *e, gali_text *to) {
    add_workspace_signature(e, to);
    gali_text_add(to, " {\n    int64_t bytes = 0;\n");
    add_sizes(e, to, "    (void)", ";\n");
    for (uint32_t i = 0; i < e->p->slot_count; i++) {
        gali_text_add(to, "    bytes += ");
        add_extent(e, to, e->p->slots[i]);
        gali_text_add(to, ";\n");
    }
    gali_text_add(to, "    return (size_t)bytes;\n}\n\n");
    add_signature(e, to);
    gali_text_add(
        to,
        " {\n    const unsigned char *const constants = (const unsigned char *)weights;\n    (void)constants;\n"
        "    (void)workspace;\n");
    for (uint32_t i = 0; i < e->p->graph->input_count; i++) {
        gali_text_add(to, "    (void)");
        add_port(to, "in", i, e->p->graph->values[e->p->graph->inputs[i]].name);
        gali_text_add(to, ";\n");
    }
    for (uint32_t i = 0; i < gali_extent_symbols(e->p->graph->extents); i++) {
        if (e->symbol[i]) {
            gali_text_add(to, "    if (");
            add_size_name(e, to, i);
            gali_text_add(to, " < %lld || ", (long long)e->p->least[i]);
            add_size_name(e, to, i);
            gali_text_add(to, " > %lld) {\n        return -1;\n    }\n", (long long)e->p->most[i]);
        }
    }
    for (uint32_t i = 0; i < e->p->slot_count; i++) {
        gali_text_add(to, "    unsigned char *const slot%u = ", i);
        if (i == 0) {
            gali_text_add(to, "(unsigned char *)workspace");
        } else {
            gali_text_add(to, "slot%u + (", i - 1);
            add_extent(e, to, e->p->slots[i - 1]);
            gali_text_add(to, ")");
        }
        gali_text_add(to, ";\n");
    }
    gali_text_add_bytes(to, e->calls.bytes ? e->calls.bytes : "", e->calls.size);
    gali_text_add(to, "    return 0;\n}\n\n");
}

static void add_call(const emission *e, gali_text *to) {
    const gali_graph *graph = e->p->graph;
    uint32_t sizes = 0;
    gali_text_add(
        to, "int gali_call(const uint32_t *sizes, const void *const *inputs, void *const *outputs, const void "
            "*weights,\n"
            "              void *workspace) {\n    (void)sizes;\n    (void)inputs;\n    return gali_run(");
    for (uint32_t i = 0; i < gali_extent_symbols(graph->extents); i++) {
        if (e->symbol[i]) {
            gali_text_add(to, "sizes[%u], ", sizes++);
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_text_add(to, "(const %s *)inputs[%u], ",
                      gali_element_list[graph->values[graph->inputs[i]].type.element].c, i);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        gali_text_add(to, "(%s *)outputs[%u], ",
                      gali_element_list[graph->values[graph->outputs[i]].type.element].c, i);
    }
    gali_text_add(to, "weights, workspace);\n}\n");
}

static void add_weights(const emission *e, gali_text *to) {
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

static void make_source(const emission *e, gali_text *to) {
    gali_text body = {0};
    gali_text_add_bytes(&body, e->functions.bytes ? e->functions.bytes : "", e->functions.size);
    gali_text_add(to, "/* %s.h tells what this is. */\n", e->desc->name);
    gali_text_add(
        to,
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"
        "#pragma GCC optimize(\"fp-contract=off\", \"no-math-errno\", \"no-trapping-math\")\n#endif\n\n"
        "#include \"%s.h\"\n\n#include <math.h>\n#include <string.h>\n\n",
        e->desc->name);
    if (vector_lanes(e)) {
        gali_vocabulary_includes(to, e->p->target);
        gali_text_add(to, "\n");
        gali_vocabulary_add(to, e->p->target, body.bytes ? body.bytes : "");
    }
    gali_vocabulary_add_plain(to, body.bytes ? body.bytes : "");
    gali_text_add_bytes(to, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, to);
    add_bodies(e, &body);
    add_size_functions(to, body.bytes ? body.bytes : "");
    gali_text_add_bytes(to, body.bytes ? body.bytes : "", body.size);
    gali_text_end(&body, to);
    add_call(e, to);
    if (!e->desc->weights_blob) {
        add_weights(e, to);
    }
}

gal_status gali_emit_program(gali_program *p, const gali_emit_desc *desc,
                             gali_text parts[GAL_COMPILED_PART_COUNT], gal_error *error) {
    emission e = {.p = p, .desc = desc, .error = error};
    gali_text ours = {0};
    e.symbol = gali_arena_take(p->arena, (gali_extent_symbols(p->graph->extents) + 1) * sizeof *e.symbol);
    gal_status status = e.symbol ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to emit");
    if (status == GAL_OK) {
        number_symbols(&e);
    }
    for (uint32_t group = 0; status == GAL_OK && group < p->group_count; group++) {
        status = add_group(&e, group);
    }
    if (status == GAL_OK) {
        make_header(&e, &ours);
        gali_vocabulary_rename(&parts[GAL_COMPILED_HEADER], ours.bytes ? ours.bytes : "", desc->name);
        gali_text_end(&ours, &parts[GAL_COMPILED_HEADER]);
        make_source(&e, &ours);
        gali_vocabulary_rename(&parts[GAL_COMPILED_SOURCE], ours.bytes ? ours.bytes : "", desc->name);
        gali_text_end(&ours, &parts[GAL_COMPILED_SOURCE]);
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
