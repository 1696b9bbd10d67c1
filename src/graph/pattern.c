#include "graph/pattern.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

typedef struct reading {
    gali_pattern *pattern;
    const char *at;
    int failed;
} reading;

/* The node, or an earlier one that is the same. */
static uint32_t add(reading *r, gali_pattern_node node) {
    gali_pattern *p = r->pattern;
    for (uint32_t i = 0; i < p->count; i++) {
        const gali_pattern_node *n = &p->nodes[i];
        if (n->kind == node.kind && n->op == node.op && n->letter == node.letter && n->number == node.number &&
            n->operand_count == node.operand_count && n->operands[0] == node.operands[0] &&
            n->operands[1] == node.operands[1]) {
            return i;
        }
    }
    if (p->count == GALI_PATTERN_NODES_MAX) {
        r->failed = 1;
        return 0;
    }
    int swaps = (node.op == GALI_OP_Add || node.op == GALI_OP_Mul) && node.operand_count == 2 &&
                node.operands[0] != node.operands[1];
    node.swap = swaps ? 1u << p->swaps++ : 0;
    p->nodes[p->count] = node;
    return p->count++;
}

static int skip(reading *r, char expected) {
    while (*r->at == ' ') {
        r->at++;
    }
    int is = *r->at == expected;
    r->at += is;
    return is;
}

static uint32_t read_any(reading *r, int depth);

static uint32_t read_op(reading *r, int depth) {
    size_t size = 0;
    while (isalnum((unsigned char)r->at[size])) {
        size++;
    }
    int square = size == 6 && memcmp(r->at, "Square", 6) == 0;
    gali_pattern_node node = {.kind = GALI_PATTERN_OP, .op = square ? GALI_OP_Mul : gali_op_find(r->at, size)};
    r->at += size;
    r->failed |= node.op == GALI_OP_COUNT || !skip(r, '(') || depth == 0;
    for (int more = !r->failed; more && !r->failed; more = skip(r, ',')) {
        r->failed |= node.operand_count == 2;
        node.operands[node.operand_count++ & 1] = read_any(r, depth - 1);
    }
    r->failed |= !skip(r, ')');
    if (square) {
        node.operands[node.operand_count++ & 1] = node.operands[0];
    }
    return add(r, node);
}

static uint32_t read_any(reading *r, int depth) {
    skip(r, ' ');
    if (islower((unsigned char)*r->at)) {
        return add(r, (gali_pattern_node){.kind = GALI_PATTERN_LETTER, .letter = (uint32_t)(*r->at++ - 'a')});
    }
    if (isdigit((unsigned char)*r->at)) {
        double number = 0;
        size_t length = strspn(r->at, "0123456789.");
        r->failed |= !gali_number_read(r->at, length, &number);
        r->at += length;
        return add(r, (gali_pattern_node){.kind = GALI_PATTERN_NUMBER, .number = number});
    }
    return read_op(r, depth);
}

int gali_pattern_parse(gali_pattern *pattern, const char *text) {
    enum { DEPTH_MOST = 8 };
    reading r = {.pattern = pattern, .at = text};
    memset(pattern, 0, sizeof *pattern);
    uint32_t whole = read_any(&r, DEPTH_MOST);
    return !r.failed && *r.at == 0 && whole + 1 == pattern->count;
}

int gali_pattern_fits(const gali_node *node, uint32_t operand_count) {
    int reduces = strcmp(gali_op_list[node->op].family, "reduce") == 0;
    int fits = node->result_count == 1 && node->results[0] != GALI_NONE && node->operand_count >= operand_count;
    for (uint32_t i = 0; fits && i < node->operand_count; i++) {
        fits = (i >= operand_count && reduces) || (node->operands[i] != GALI_NONE) == (i < operand_count);
    }
    return fits;
}
