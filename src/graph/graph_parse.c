/*
 * Text as a graph: docs/graph.md. A line is a declaration or a node; values are numbered in the order in which they
 * are declared, so a number is at once the value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/size.h"
#include "graph/evaluate.h"
#include "graph/graph.h"

enum { LIST_MAX = 65536, ZEROS_MAX = 1 << 26 }; /* of a node's operands, results, integers; bytes */

typedef struct parser {
    const char *at, *end;
    int line;
    gali_arena *arena;
    const void *zeros; /* of all constants without elements */
    size_t zeros_size;
    uint32_t *list; /* [LIST_MAX] */
    gal_error *error;
} parser;

static gal_status fail(parser *p, const char *what) {
    size_t size = 0;
    while (p->at + size < p->end && p->at[size] != '\n' && size < 40) {
        size++;
    }
    return gali_fail(p->error, GAL_BAD_DATA, "graph line %d: %s at \"%.*s\"", p->line, what, (int)size, p->at);
}

static gal_status no_memory(parser *p) {
    return gali_fail(p->error, GAL_NO_MEMORY, "graph line %d: no memory, or too much of it", p->line);
}

/* ---- words and numbers ---- */

static void skip_spaces(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) {
        p->at++;
    }
}

static int eat(parser *p, char c) {
    skip_spaces(p);
    int found = p->at < p->end && *p->at == c;
    p->at += found;
    return found;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word of letters, digits and underscores; its size, 0 if there is none. */
static size_t word(parser *p, const char **begin) {
    skip_spaces(p);
    *begin = p->at;
    while (p->at < p->end && is_letter(*p->at)) {
        p->at++;
    }
    return (size_t)(p->at - *begin);
}

static int is_word(const char *begin, size_t size, const char *expected) {
    return size == strlen(expected) && memcmp(begin, expected, size) == 0;
}

/* [-]digits. 0 if there is none, or it is past int64. */
static int whole(parser *p, int64_t *value) {
    int minus = eat(p, '-');
    const char *begin = p->at;
    uint64_t number = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        uint64_t digit = (uint64_t)(*p->at - '0');
        if (number > (((uint64_t)1 << 63) - digit) / 10) {
            return 0;
        }
        number = 10 * number + digit;
    }
    if (p->at == begin || (!minus && number == (uint64_t)1 << 63)) {
        return 0;
    }
    *value = (int64_t)(minus ? 0 - number : number);
    return 1;
}

/* A decimal, or the sixteen hexadecimal digits of a double's bits. */
static int real(parser *p, double *value) {
    skip_spaces(p);
    const char *begin = p->at;
    while (p->at < p->end && !strchr(" ,\n", *p->at)) {
        p->at++;
    }
    size_t size = (size_t)(p->at - begin);
    if (size != 18 || begin[0] != '0' || begin[1] != 'x') {
        return gali_number_read(begin, size, value);
    }
    uint64_t bits = 0;
    for (size_t i = 2; i < size; i++) {
        const char *digits = "0123456789abcdef", *digit = begin[i] ? strchr(digits, begin[i]) : NULL;
        if (!digit) {
            return 0;
        }
        bits = bits << 4 | (uint64_t)(digit - digits);
    }
    memcpy(value, &bits, sizeof bits);
    return 1;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "..." with \xHH in it; NULL if there is none, or it holds a 0. */
static const char *quoted(parser *p) {
    if (!eat(p, '"')) {
        return NULL;
    }
    const char *close = p->at;
    while (close < p->end && *close != '"' && *close != '\n') {
        close++;
    }
    char *made =
        close < p->end && *close == '"' ? gali_arena_take(p->arena, (size_t)(close - p->at) + 1) : NULL;
    for (size_t size = 0; made && p->at < close; size++) {
        made[size] = *p->at++;
        if (made[size] == '\\') {
            int high = close - p->at >= 3 ? hex_digit(p->at[1]) : -1;
            int low = high < 0 || p->at[0] != 'x' ? -1 : hex_digit(p->at[2]);
            if (low < 0) {
                return NULL;
            }
            made[size] = (char)(high * 16 + low);
            p->at += 3;
        }
        if (!made[size]) {
            return NULL;
        }
    }
    p->at += made != NULL;
    return made;
}

/* ---- types and values ---- */

static gal_status parse_type(parser *p, const gali_graph *graph, gali_type *type) {
    const char *begin;
    size_t size = word(p, &begin);
    int element = 0;
    while (element < GALI_ELEMENT_COUNT && !is_word(begin, size, gali_element_list[element].word)) {
        element++;
    }
    if (element == GALI_ELEMENT_COUNT || !eat(p, '[')) {
        return fail(p, "a type expected, like f32[n, 3],");
    }
    *type = (gali_type){.element = (gali_element)element, .rank = 0};
    if (p->end - p->at >= 3 && memcmp(p->at, "...", 3) == 0) {
        p->at += 3;
        type->rank = -1;
    }
    while (!eat(p, ']')) {
        if (type->rank < 0 || type->rank == GALI_RANK_MAX || (type->rank > 0 && !eat(p, ','))) {
            return fail(p, "a closing bracket expected");
        }
        gali_extent extent = gali_extent_parse(graph->extents, &p->at);
        if (extent == GALI_EXTENT_BAD) {
            return fail(p, "an extent expected");
        }
        type->shape[type->rank++] = extent;
    }
    return gali_type_count(graph->extents, type) == GALI_EXTENT_BAD ? fail(p, "more than 2^60 elements")
                                                                    : GAL_OK;
}

/* %3 "name": f32[n], whose number must be the next. */
static gal_status declare(parser *p, gali_graph *graph, uint32_t *value) {
    int64_t number;
    gali_type type;
    if (!eat(p, '%') || !whole(p, &number) || number != (int64_t)graph->value_count) {
        return fail(p, "the next value's number expected before this");
    }
    skip_spaces(p);
    const char *name = p->at < p->end && *p->at == '"' ? quoted(p) : "";
    if (!name || !eat(p, ':')) {
        return fail(p, "a name or a colon expected");
    }
    gal_status status = parse_type(p, graph, &type);
    if (status == GAL_OK) {
        *value = gali_graph_value(graph, name, &type);
        status = *value == GALI_NONE ? no_memory(p) : GAL_OK;
    }
    return status;
}

/* A value that was declared, or "-". */
static gal_status use(parser *p, const gali_graph *graph, int none_allowed, uint32_t *value) {
    int64_t number;
    *value = GALI_NONE;
    if (none_allowed && eat(p, '-')) {
        return GAL_OK;
    }
    if (!eat(p, '%') || !whole(p, &number) || number < 0 || number >= (int64_t)graph->value_count) {
        return fail(p, "an earlier value expected before this");
    }
    *value = (uint32_t)number;
    return GAL_OK;
}

/* ---- constants ---- */

/* The bits of a number that a half holds exactly. */
static uint64_t half_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 63 << 15;
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023 + 15;
    uint64_t fraction = bits >> 42 & 0x3ff;
    if (value != value || exponent > 30) {
        return sign | 0x7c00 | (value != value ? 0x200 : 0);
    }
    return exponent > 0     ? sign | (uint64_t)exponent << 10 | fraction
           : exponent > -11 ? sign | (fraction | 0x400) >> (1 - exponent)
                            : sign;
}

static uint64_t real_bits(gali_element element, double value) {
    uint64_t wide;
    uint32_t narrow;
    float single = (float)value;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &single, sizeof narrow);
    return element == GALI_f64    ? wide
           : element == GALI_f32  ? narrow
           : element == GALI_bf16 ? narrow >> 16
                                  : half_bits(value);
}

static gal_status parse_elements(parser *p, gali_element element, size_t count, unsigned char *data) {
    uint32_t bytes = gali_element_list[element].bytes;
    for (size_t i = 0; i < count; i++) {
        double value = 0;
        int64_t number = 0;
        int is_real = gali_element_list[element].kind == GALI_REAL;
        if (is_real ? !real(p, &value) : !whole(p, &number) || gali_element_wrap(element, number) != number) {
            return fail(p, "a number of the constant's element expected before this");
        }
        uint64_t bits = is_real ? real_bits(element, gali_element_round(element, value)) : (uint64_t)number;
        for (uint32_t b = 0; b < bytes; b++) {
            data[i * bytes + b] = (unsigned char)(bits >> (8 * b));
        }
    }
    return GAL_OK;
}

/* Zeroed bytes that all constants without elements share. */
static const void *zeros(parser *p, size_t size) {
    if (size > p->zeros_size) {
        p->zeros = size <= ZEROS_MAX ? gali_arena_take(p->arena, size) : NULL;
        p->zeros_size = p->zeros ? size : 0;
    }
    return p->zeros;
}

static gal_status parse_constant(parser *p, gali_graph *graph) {
    uint32_t value;
    gal_status status = declare(p, graph, &value);
    if (status != GAL_OK) {
        return status;
    }
    gali_type type = graph->values[value].type;
    const char *name = graph->values[value].name;
    gali_extent count = gali_type_count(graph->extents, &type);
    size_t size = gali_extent_is_number(count)
                      ? gali_size_mul((size_t)count, gali_element_list[type.element].bytes)
                      : GALI_SIZE_BAD;
    if (size > ZEROS_MAX || count < 0) {
        return fail(p, "a constant's shape must be numbers, and not too large,");
    }
    const void *data;
    if (eat(p, '=')) {
        unsigned char *elements =
            (size_t)count <= (size_t)(p->end - p->at) ? gali_arena_take(p->arena, size + 1) : NULL;
        status = elements ? parse_elements(p, type.element, (size_t)count, elements) : no_memory(p);
        data = elements;
    } else {
        data = zeros(p, size + 1);
        status = data ? GAL_OK : no_memory(p);
    }
    graph->value_count--; /* made again, as the constant that it is */
    return status == GAL_OK && gali_graph_constant(graph, name, &type, data) == GALI_NONE ? no_memory(p)
                                                                                          : status;
}

/* ---- nodes ---- */

static gal_status parse_numbers(parser *p, gali_attribute *attribute) {
    size_t room = 1;
    for (const char *at = p->at; at < p->end && *at != ' ' && *at != '\n'; at++) {
        room += *at == ',';
    }
    int is_int = attribute->kind == GALI_INT || attribute->kind == GALI_INTS;
    int64_t *ints = gali_arena_take(p->arena, room * sizeof *ints);
    double *numbers = gali_arena_take(p->arena, room * sizeof *numbers);
    if (p->arena->failed) {
        return no_memory(p);
    }
    int empty = p->at == p->end || *p->at == ' ' || *p->at == '\n';
    while (!empty && attribute->count < room) {
        uint32_t i = attribute->count++;
        if (is_int ? !whole(p, &ints[i]) : !real(p, &numbers[i])) {
            return fail(p, "a number expected before this");
        }
        if (p->at == p->end || *p->at != ',') {
            break;
        }
        p->at++;
    }
    attribute->ints = is_int ? ints : NULL;
    attribute->numbers = is_int ? NULL : numbers;
    int single = attribute->kind == GALI_INT || attribute->kind == GALI_NUMBER;
    return single && attribute->count != 1 ? fail(p, "one number expected before this") : GAL_OK;
}

/* name:kind=value */
static gal_status parse_attribute(parser *p, gali_attribute *attribute) {
    static const char *const kinds[] = {"int", "number", "ints", "numbers", "word"};
    const char *begin;
    size_t size = word(p, &begin);
    *attribute = (gali_attribute){.name = gali_arena_copy(p->arena, begin, size)};
    if (size == 0 || !eat(p, ':')) {
        return fail(p, "an attribute expected, like axis:int=1,");
    }
    size = word(p, &begin);
    int kind = 0;
    while (kind < 5 && !is_word(begin, size, kinds[kind])) {
        kind++;
    }
    if (kind == 5 || !eat(p, '=')) {
        return fail(p, "int, number, ints, numbers or word expected before this");
    }
    attribute->kind = (gali_attribute_kind)kind;
    if (kind != GALI_WORD) {
        return parse_numbers(p, attribute);
    }
    attribute->word = quoted(p);
    attribute->count = attribute->word ? (uint32_t)strlen(attribute->word) : 0;
    return attribute->word ? GAL_OK : fail(p, "a quoted word expected");
}

static int at_line_end(parser *p) {
    skip_spaces(p);
    return p->at == p->end || *p->at == '\n' || *p->at == '#';
}

enum { ATTRIBUTES_MAX = 64, BODIES_MAX = 2 };

static gal_status parse_results(parser *p, gali_graph *graph, gali_node *node) {
    gal_status status = GAL_OK;
    do {
        if (node->result_count == LIST_MAX) {
            return fail(p, "too many results");
        }
        uint32_t *result = &p->list[node->result_count++];
        *result = GALI_NONE;
        status = eat(p, '-') ? GAL_OK : declare(p, graph, result);
    } while (status == GAL_OK && eat(p, ','));
    node->results =
        status == GAL_OK ? gali_arena_take(p->arena, node->result_count * sizeof *node->results) : NULL;
    if (node->results) {
        memcpy(node->results, p->list, node->result_count * sizeof *node->results);
    }
    return status;
}

static gal_status parse_operands(parser *p, const gali_graph *graph, gali_node *node) {
    gal_status status = eat(p, '(') ? GAL_OK : fail(p, "operands in parentheses expected");
    int more = status == GAL_OK && !eat(p, ')');
    while (more && status == GAL_OK) {
        if (node->operand_count == LIST_MAX) {
            return fail(p, "too many operands");
        }
        status = use(p, graph, 1, &p->list[node->operand_count++]);
        more = eat(p, ',');
        if (status == GAL_OK && !more && !eat(p, ')')) {
            status = fail(p, "a comma or a parenthesis expected");
        }
    }
    node->operands = gali_arena_take(p->arena, (node->operand_count + 1) * sizeof *node->operands);
    if (node->operands) {
        memcpy(node->operands, p->list, node->operand_count * sizeof *node->operands);
    }
    return status == GAL_OK && !node->operands ? no_memory(p) : status;
}

static gal_status parse_graph(parser *p, gali_graph *graph);

/* Whether the line is this word alone, or begins with it; it is passed over. */
static int eat_word(parser *p, const char *expected) {
    const char *begin, *before = p->at;
    size_t size = word(p, &begin);
    if (!is_word(begin, size, expected)) {
        p->at = before;
        return 0;
    }
    return 1;
}

static gal_status end_line(parser *p) {
    if (!at_line_end(p)) {
        return fail(p, "the end of the line expected");
    }
    const char *next = memchr(p->at, '\n', (size_t)(p->end - p->at));
    p->line += next != NULL;
    p->at = next ? next + 1 : p->end;
    return GAL_OK;
}

/* body ... end, after the node's line, or nothing. */
static gal_status parse_bodies(parser *p, const gali_graph *graph, gali_node *node) {
    gal_status status = GAL_OK;
    node->bodies = gali_arena_take(p->arena, BODIES_MAX * sizeof *node->bodies);
    while (status == GAL_OK && eat_word(p, "body")) {
        gali_graph *body = gali_graph_body(graph);
        if (!body || !node->bodies) {
            return no_memory(p);
        }
        if (node->body_count == BODIES_MAX || body->depth > GALI_GRAPH_DEPTH_MAX) {
            return fail(p, "too many bodies, or too deep, before this");
        }
        node->bodies[node->body_count++] = body;
        status = end_line(p);
        if (status == GAL_OK) {
            status = parse_graph(p, body);
        }
        if (status == GAL_OK) {
            status = eat_word(p, "end") ? end_line(p) : fail(p, "the end of a body expected");
        }
    }
    return status;
}

static gal_status parse_node(parser *p, gali_graph *graph) {
    gali_attribute attributes[ATTRIBUTES_MAX];
    gali_node node = {.name = "", .attributes = attributes};
    gal_status status = parse_results(p, graph, &node);
    const char *begin;
    size_t size = status == GAL_OK && eat(p, '=') ? word(p, &begin) : 0;
    if (status != GAL_OK || size == 0) {
        return status == GAL_OK ? fail(p, "= and an operator expected") : status;
    }
    node.op = gali_op_find(begin, size);
    skip_spaces(p);
    if (node.op == GALI_OP_COUNT) {
        return fail(p, "no such operator before this");
    }
    node.name = p->at < p->end && *p->at == '"' ? quoted(p) : "";
    status = node.name ? parse_operands(p, graph, &node) : fail(p, "a name without its end");
    while (status == GAL_OK && !at_line_end(p)) {
        status = node.attribute_count < ATTRIBUTES_MAX ? parse_attribute(p, &attributes[node.attribute_count++])
                                                       : fail(p, "too many attributes");
    }
    if (status == GAL_OK) {
        status = end_line(p);
    }
    if (status == GAL_OK) {
        status = parse_bodies(p, graph, &node);
    }
    if (status == GAL_OK && p->arena->failed) {
        status = no_memory(p);
    }
    return status == GAL_OK && gali_graph_node(graph, &node) == GALI_NONE ? no_memory(p) : status;
}

/* ---- lines ---- */

/* symbol n 1..512 */
static gal_status parse_symbol(parser *p, const gali_graph *graph) {
    const char *begin;
    size_t size = word(p, &begin);
    int64_t least, most;
    if (size == 0 || size > 63 || (*begin >= '0' && *begin <= '9') || !whole(p, &least) || !eat(p, '.') ||
        !eat(p, '.') || !whole(p, &most) || least < 0 || least > most || most > GALI_EXTENT_LARGEST) {
        return fail(p, "a symbol and its range expected before this, like n 1..512");
    }
    const char *name = gali_arena_copy(p->arena, begin, size);
    uint32_t before = gali_extent_symbols(graph->extents);
    if (!name || gali_extent_symbol(graph->extents, name, least, most) == GALI_EXTENT_UNKNOWN) {
        return no_memory(p);
    }
    return gali_extent_symbols(graph->extents) == before ? fail(p, "a symbol twice before this") : GAL_OK;
}

static gal_status parse_put(parser *p, gali_graph *graph, int is_input) {
    uint32_t value;
    gal_status status = is_input ? declare(p, graph, &value) : use(p, graph, 0, &value);
    if (status == GAL_OK && is_input) {
        gali_graph_input(graph, value);
    } else if (status == GAL_OK) {
        gali_graph_output(graph, value);
    }
    return status;
}

static gal_status parse_line(parser *p, gali_graph *graph) {
    gal_status status;
    if (graph->depth == 0 && eat_word(p, "symbol")) {
        status = parse_symbol(p, graph);
    } else if (eat_word(p, "input")) {
        status = parse_put(p, graph, 1);
    } else if (eat_word(p, "output")) {
        status = parse_put(p, graph, 0);
    } else if (eat_word(p, "constant")) {
        status = parse_constant(p, graph);
    } else {
        return at_line_end(p) ? GAL_OK : parse_node(p, graph);
    }
    return status;
}

/* Lines up to "end" or the text's end. */
static gal_status parse_graph(parser *p, gali_graph *graph) {
    gal_status status = GAL_OK;
    while (status == GAL_OK && p->at < p->end) {
        const char *before = p->at;
        if (eat_word(p, "end")) {
            p->at = before;
            break;
        }
        uint32_t nodes = graph->node_count;
        status = parse_line(p, graph);
        if (status == GAL_OK && nodes == graph->node_count) { /* a node has ended its line */
            status = end_line(p);
        }
    }
    return status;
}

gal_status gali_graph_parse(gali_graph **out, const char *text, size_t size, gali_arena *arena,
                            gal_error *error) {
    parser p = {.line = 1, .arena = arena, .error = error};
    p.at = memchr(text, 0, size) ? NULL : gali_arena_copy(arena, text, size); /* extents want a terminator */
    p.list = gali_arena_take(arena, LIST_MAX * sizeof *p.list);
    gali_graph *graph = gali_graph_make(arena);
    if (arena->failed || !graph) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a graph's text");
    }
    if (!p.at) {
        return gali_fail(error, GAL_BAD_DATA, "graph: a byte of 0 in the text");
    }
    p.end = p.at + size;
    gal_status status = parse_graph(&p, graph);
    if (status == GAL_OK && p.at < p.end) {
        status = fail(&p, "no body that ends here");
    }
    if (status == GAL_OK) {
        status = gali_graph_verify(graph, error);
    }
    if (status == GAL_OK) {
        *out = graph;
    }
    return status;
}
