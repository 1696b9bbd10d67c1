/* Reads the text form, line by line; what a line means is checked by the rules and the verifier. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "compiler/net/attributes.h"

typedef struct reader {
    gali_net *graph;
    const char *at, *end; /* of the line */
    uint32_t line;        /* from 1 */
    uint32_t read;        /* lines with something on them so far */
    gal_error *error;
} reader;

/* A word: [at, at + size). */
typedef struct word {
    const char *at;
    size_t size;
} word;

static gal_status expected(const reader *r, const char *what) {
    int size = r->end - r->at > 24 ? 24 : (int)(r->end - r->at);
    return gali_fail(r->error, GAL_BAD_DATA, "graph, line %u: expected %s at \"%.*s\"", r->line, what, size,
                     r->at);
}

static void skip_spaces(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) {
        r->at++;
    }
}

/* Whether `text` comes next; then it is read. */
static int take(reader *r, const char *text) {
    skip_spaces(r);
    size_t size = strlen(text);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0) {
        return 0;
    }
    r->at += size;
    return 1;
}

static word take_word(reader *r) {
    skip_spaces(r);
    word w = {r->at, 0};
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-')) {
        r->at++;
    }
    w.size = (size_t)(r->at - w.at);
    return w;
}

/* An attribute's value: as a word, with the point and the signs of numbers. */
static word take_value(reader *r) {
    word w = {r->at, 0};
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || strchr("_-+.", *r->at))) {
        r->at++;
    }
    w.size = (size_t)(r->at - w.at);
    return w;
}

static int is(word w, const char *name) {
    return w.size == strlen(name) && memcmp(w.at, name, w.size) == 0;
}

/* Decimal digits, at most nine of them. */
static int number_of(word w, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < w.size; i++) {
        if (w.at[i] < '0' || w.at[i] > '9' || i == 9) {
            return 0;
        }
        *value = *value * 10 + (uint32_t)(w.at[i] - '0');
    }
    return w.size > 0;
}

static int take_number(reader *r, uint32_t *value) {
    return number_of(take_word(r), value);
}

static gal_status read_type(reader *r, gali_net_type *type) {
    word element = take_word(r);
    uint32_t e = 0;
    while (e < GALI_NET_ELEMENT_COUNT && !is(element, gali_net_element_names[e])) {
        e++;
    }
    if (e == GALI_NET_ELEMENT_COUNT || !take(r, "[")) {
        return expected(r, "a type: f32[C, 4]");
    }
    *type = (gali_net_type){.element = (gali_net_element)e};
    do {
        word w = take_word(r);
        uint32_t size = 0;
        if (type->rank == GALI_NET_RANK_MAX || (!is(w, "C") && (!number_of(w, &size) || size == 0))) {
            return expected(r, "at most three dimensions, C or a number");
        }
        type->shape[type->rank++] = size;
    } while (take(r, ","));
    return take(r, "]") ? GAL_OK : expected(r, "]");
}

static gal_status read_operands(reader *r, gali_net_node *node) {
    if (!take(r, "(")) {
        return expected(r, "(");
    }
    if (take(r, ")")) {
        return GAL_OK;
    }
    do {
        word w = take_word(r);
        uint32_t index = gali_net_find(r->graph, w.at, w.size);
        if (index == GALI_NET_NO_NODE || node->operand_count == GALI_NET_OPERANDS_MAX) {
            r->at = w.at;
            return expected(r, index == GALI_NET_NO_NODE ? "an earlier value" : "fewer operands");
        }
        node->operands[node->operand_count++] = index;
    } while (take(r, ","));
    return take(r, ")") ? GAL_OK : expected(r, ", or )");
}

static int value_of(gali_net_attribute_kind kind, word w, uint32_t *value) {
    double number;
    if (kind == GALI_NET_KIND_COUNT) {
        return number_of(w, value);
    }
    if (kind == GALI_NET_KIND_REAL) {
        int good = gali_number_read(w.at, w.size, &number) && fabs(number) <= (double)FLT_MAX;
        float real = good ? (float)number : 0;
        memcpy(value, &real, sizeof real);
        return good;
    }
    for (*value = 0; gali_net_attribute_word(kind, *value); ++*value) {
        if (is(w, gali_net_attribute_word(kind, *value))) {
            return 1;
        }
    }
    return 0;
}

static gal_status read_attribute(reader *r, gali_net_node *node) {
    word name = take_word(r);
    for (uint32_t i = 0; i < GALI_NET_ATTRIBUTE_COUNT; i++) {
        if (!is(name, gali_net_attribute_list[i].name)) {
            continue;
        }
        if (!take(r, "=") || !value_of(gali_net_attribute_list[i].kind, take_value(r), &node->attributes[i])) {
            return expected(r, "a value of the attribute");
        }
        return GAL_OK;
    }
    r->at = name.at;
    return expected(r, "an attribute or :");
}

static gal_status read_op(reader *r, gali_net_node *node) {
    word name = take_word(r);
    for (uint32_t i = 0; i < GALI_NET_OP_COUNT; i++) {
        if (is(name, gali_net_op_list[i].name)) {
            node->op = (gali_net_op)i;
            return GAL_OK;
        }
    }
    r->at = name.at;
    return expected(r, "an operator");
}

/* Adds the node; what its rule says is said with the line. */
static gal_status add_node(reader *r, gali_net_node *node, word name) {
    char copy[GALI_NET_NAME_MAX + 1];
    gal_error inner = {0};
    const gali_net_op_facts *facts = &gali_net_op_list[node->op];
    memcpy(copy, name.at, name.size);
    copy[name.size] = 0;
    node->name = copy;
    if (gali_net_find(r->graph, name.at, name.size) != GALI_NET_NO_NODE) {
        return gali_fail(r->error, GAL_BAD_DATA, "graph, line %u: the name %s is taken", r->line, copy);
    }
    if (node->operand_count < facts->least || node->operand_count > facts->most) {
        return gali_fail(r->error, GAL_BAD_DATA, "graph, line %u: %s takes %u operands, got %u", r->line,
                         facts->name, facts->least, node->operand_count);
    }
    gali_net_type type = node->type;
    uint32_t index = gali_net_add(r->graph, node, &inner);
    if (index == GALI_NET_NO_NODE) {
        return gali_fail(r->error, inner.status, "graph, line %u: %.200s", r->line, inner.message);
    }
    if (!gali_net_type_equal(&type, &r->graph->nodes[index].type)) {
        return gali_fail(r->error, GAL_BAD_DATA, "graph, line %u: the type is not what the operands make",
                         r->line);
    }
    return GAL_OK;
}

static gal_status read_node(reader *r, word name) {
    gali_net_node node = {0};
    if (name.size == 0 || name.size > GALI_NET_NAME_MAX || !isalpha((unsigned char)*name.at) ||
        memchr(name.at, '-', name.size)) {
        r->at = name.at;
        return expected(r, "a name of at most 31 letters, digits and _");
    }
    if (!take(r, "=")) {
        return expected(r, "=");
    }
    gal_status status = read_op(r, &node);
    if (status == GAL_OK) {
        status = read_operands(r, &node);
    }
    while (status == GAL_OK && !take(r, ":")) {
        status = read_attribute(r, &node);
    }
    if (status == GAL_OK) {
        status = read_type(r, &node.type);
    }
    return status == GAL_OK ? add_node(r, &node, name) : status;
}

static gal_status read_output(reader *r) {
    word w = take_word(r);
    r->graph->output = gali_net_find(r->graph, w.at, w.size);
    return r->graph->output == GALI_NET_NO_NODE ? expected(r, "the output's name") : GAL_OK;
}

static gal_status read_characters(reader *r) {
    gali_net *g = r->graph;
    int good = take(r, "characters") && take_number(r, &g->least) && take(r, "..") && take_number(r, &g->most);
    return good ? GAL_OK : expected(r, "\"characters LEAST..MOST\"");
}

static gal_status read_content(reader *r) {
    if (r->read == 0) {
        return take(r, "gallop graph 1") ? GAL_OK : expected(r, "\"gallop graph 1\"");
    }
    if (r->read == 1) {
        return read_characters(r);
    }
    word name = take_word(r);
    return is(name, "output") ? read_output(r) : read_node(r, name);
}

/* Empty lines and lines that start with # are passed over. */
static gal_status read_line(reader *r) {
    skip_spaces(r);
    if (r->at == r->end || *r->at == '#') {
        return GAL_OK;
    }
    gal_status status = read_content(r);
    r->read++;
    skip_spaces(r);
    return status == GAL_OK && r->at < r->end ? expected(r, "the end of the line") : status;
}

gal_status gali_net_parse(gali_net **out, const char *text, size_t size, gali_arena *arena, gal_error *error) {
    *out = NULL;
    reader r = {.graph = gali_net_make(arena, 1, 1), .error = error};
    if (!r.graph) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a graph");
    }
    const char *end = text + size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        r.at = text;
        r.end = newline ? newline : end;
        r.line++;
        gal_status status = read_line(&r);
        if (status != GAL_OK) {
            return status;
        }
        text = newline ? newline + 1 : end;
    }
    gal_status status = gali_net_verify(r.graph, error);
    if (status == GAL_OK) {
        *out = r.graph;
    }
    return status;
}
