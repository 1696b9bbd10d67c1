/*
 * Cases of ops_cases.h as operands and graphs, for the tests that run them. cmocka.h comes before it.
 */
#ifndef GALI_TEST_GRAPH_OPS_READING_H
#define GALI_TEST_GRAPH_OPS_READING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/graph.h"
#include "ops_cases.h"

enum { OPERANDS_MAX = 12, RESULTS_MAX = 4, BYTES_MAX = 4096 };

/* ---- reading a case ---- */

typedef struct operand {
    int given, constant;
    gali_type type;                 /* numbers */
    gali_tensor tensor;             /* of `numbers` or `wholes` */
    unsigned char bytes[BYTES_MAX]; /* of a constant */
} operand;

typedef struct reading {
    const ops_case *of;
    uint32_t operand_count, attribute_count;
    operand operands[OPERANDS_MAX];
    gali_attribute attributes[16];
    int64_t ints[16][64];
    double numbers[16][64];
    char words[16][64];
} reading;

static uint32_t random_state = 1;

/* 0..below-1 */
static uint32_t random_below(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static gali_element element_of(const char *word, size_t size) {
    for (int i = 0; i < GALI_ELEMENT_COUNT; i++) {
        if (strlen(gali_element_list[i].word) == size && memcmp(gali_element_list[i].word, word, size) == 0) {
            return (gali_element)i;
        }
    }
    fail_msg("no element %.*s", (int)size, word);
    return GALI_f32;
}

static void put_bytes(operand *o, size_t i) {
    uint32_t bytes = gali_element_list[o->type.element].bytes;
    float f32 = o->tensor.real ? (float)o->tensor.real[i] : 0;
    assert_true((i + 1) * bytes <= BYTES_MAX);
    const void *from = !o->tensor.real ? (const void *)&o->tensor.whole[i]
                       : bytes == 4    ? (const void *)&f32
                                       : (const void *)&o->tensor.real[i];
    memcpy(o->bytes + i * bytes, from, bytes);
}

/* "=1,2.5": elements in order; "@-1:2": random ones of that range, eighths if they are reals. */
static void fill(operand *o, const char *at) {
    double low = -2, high = 2;
    if (*at == '@') {
        sscanf(at, "@%lf:%lf", &low, &high);
    }
    for (size_t i = 0; i < o->tensor.count; i++) {
        double value = low + random_below((uint32_t)((high - low) * 8) + 1) / 8.0;
        if (*at == '=' || *at == ',') {
            char *end;
            value = strtod(at + 1, &end);
            at = end;
        }
        if (o->tensor.real) {
            o->tensor.real[i] = value;
        } else {
            o->tensor.whole[i] = gali_element_wrap(o->type.element, (int64_t)floor(value));
        }
        if (o->constant) {
            put_bytes(o, i);
        }
    }
}

/* "f32[2,3]" with "=..." (a constant) or "@..." behind it; "-" is not given. Returns what follows. */
static const char *read_operand(operand *o, const char *at) {
    size_t size = strcspn(at, "[-");
    const char *end = at + strcspn(at, " ");
    o->given = *at != '-';
    if (!o->given) {
        return end;
    }
    o->type.element = element_of(at, size);
    o->tensor = (gali_tensor){.element = o->type.element, .count = 1};
    for (at += size + 1; *at != ']'; at += *at == ',') {
        char *after;
        o->type.shape[o->type.rank] = strtoll(at, &after, 10);
        o->tensor.shape[o->type.rank] = o->type.shape[o->type.rank];
        o->tensor.count *= (size_t)o->type.shape[o->type.rank++];
        at = after;
    }
    o->tensor.rank = (uint32_t)o->type.rank;
    o->constant = at[1] == '=';
    double *memory = calloc(o->tensor.count + 1, sizeof *memory);
    if (gali_tensor_is_real(&o->tensor)) {
        o->tensor.real = memory;
    } else {
        o->tensor.whole = (int64_t *)memory;
    }
    fill(o, at + 1);
    return end;
}

/* "axis=1": of the kind that the operator's row says. */
static void read_attribute(reading *r, const char *at) {
    uint32_t i = r->attribute_count++;
    gali_attribute *a = &r->attributes[i];
    static char names[16][32];
    gali_op op = gali_op_find(r->of->op, strlen(r->of->op));
    size_t size = strcspn(at, "=");
    snprintf(names[i], sizeof names[i], " %.*s:", (int)size, at);
    char row[1024];
    snprintf(row, sizeof row, " %s", gali_op_list[op].attributes);
    const char *kind = strstr(row, names[i]);
    if (!kind) {
        fail_msg("%s has no attribute %.*s", r->of->op, (int)size, at);
        return;
    }
    kind += size + 2;
    names[i][size + 1] = 0;
    *a = (gali_attribute){.name = names[i] + 1, .ints = r->ints[i]};
    a->kind = strncmp(kind, "ints", 4) == 0      ? GALI_INTS
              : strncmp(kind, "int", 3) == 0     ? GALI_INT
              : strncmp(kind, "numbers", 7) == 0 ? GALI_NUMBERS
              : strncmp(kind, "number", 6) == 0  ? GALI_NUMBER
                                                 : GALI_WORD;
    at += size + 1;
    if (a->kind == GALI_WORD) {
        a->count = (uint32_t)strcspn(at, " ");
        snprintf(r->words[i], sizeof r->words[i], "%.*s", (int)a->count, at);
        a->word = r->words[i];
        a->ints = NULL;
        return;
    }
    for (; *at && *at != ' '; at += *at == ',') {
        char *end;
        r->numbers[i][a->count] = strtod(at, &end);
        r->ints[i][a->count] = (int64_t)r->numbers[i][a->count];
        a->count++;
        at = end;
    }
    if (a->kind == GALI_NUMBER || a->kind == GALI_NUMBERS) {
        a->numbers = r->numbers[i];
        a->ints = NULL;
    }
}

static reading *read_case(const ops_case *of) {
    reading *r = calloc(1, sizeof *r);
    r->of = of;
    for (const char *at = of->operands; *at; at += *at == ' ') {
        assert_true(r->operand_count < OPERANDS_MAX);
        at = read_operand(&r->operands[r->operand_count++], at);
    }
    for (const char *at = of->attributes; *at; at += strcspn(at, " "), at += *at == ' ') {
        read_attribute(r, at);
    }
    return r;
}

static void release(reading *r) {
    for (uint32_t i = 0; i < r->operand_count; i++) {
        free(r->operands[i].tensor.real);
        free(r->operands[i].tensor.whole);
    }
    free(r);
}

/* ---- a graph of one node ---- */

enum { APART = -1 };

/*
 * Extents of `symbols` and more, of what is no constant, are symbols, equal ones the same; 0: none are. APART: those of 2 and
 * more are, each its own. A symbol's name tells its value behind the s.
 */
static gali_graph *make_graph(const reading *r, int symbols, gali_arena *arena) {
    gali_graph *graph = gali_graph_make(arena);
    uint32_t operands[OPERANDS_MAX], results[RESULTS_MAX];
    for (uint32_t i = 0; i < r->operand_count; i++) {
        const operand *o = &r->operands[i];
        gali_type type = o->type;
        char name[32];
        for (int d = 0; symbols && !o->constant && d < type.rank; d++) {
            snprintf(name, sizeof name, symbols == APART ? "s%d_%u_%d" : "s%d", (int)o->type.shape[d], i, d);
            type.shape[d] = type.shape[d] >= (symbols == APART ? 2 : symbols)
                                ? gali_extent_symbol(graph->extents, name, 0, 100)
                                : type.shape[d];
        }
        snprintf(name, sizeof name, "x%u", i);
        operands[i] = !o->given     ? GALI_NONE
                      : o->constant ? gali_graph_constant(graph, name, &type, o->bytes)
                                    : gali_graph_value(graph, name, &type);
        if (o->given && !o->constant) {
            gali_graph_input(graph, operands[i]);
        }
    }
    uint32_t result_count = r->of->results ? r->of->results : 1;
    for (uint32_t i = 0; i < result_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "y%u", i);
        results[i] = gali_graph_value(graph, name, &(gali_type){.rank = -1});
    }
    gali_node node = {.op = gali_op_find(r->of->op, strlen(r->of->op)),
                      .operand_count = r->operand_count,
                      .result_count = result_count,
                      .operands = operands,
                      .results = results,
                      .attribute_count = r->attribute_count,
                      .attributes = (gali_attribute *)r->attributes};
    assert_true(node.op < GALI_OP_COUNT);
    gali_graph_node(graph, &node);
    for (uint32_t i = 0; i < result_count; i++) {
        gali_graph_output(graph, results[i]);
    }
    return graph;
}

/* Those of the operands that are no constants. */
static void take_inputs(const reading *r, gali_tensor inputs[OPERANDS_MAX]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->operand_count; i++) {
        if (r->operands[i].given && !r->operands[i].constant) {
            inputs[count++] = r->operands[i].tensor;
        }
    }
}

#endif
