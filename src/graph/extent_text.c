/*
 * The text of extents:
 *
 *     sum := [-] product {(+ | -) product}     product := atom {* atom}
 *     atom := number | symbol | ? | (quotient | min | max)(sum, sum)
 */
#include <string.h>

#include "graph/extent.h"

static const char *const words[] = {
    [GALI_EXTENT_QUOTIENT] = "quotient", [GALI_EXTENT_LEAST] = "min", [GALI_EXTENT_MOST] = "max"};

/* ---- printing ---- */

static void print_atom(const gali_extents *x, uint32_t atom, gali_text *text) {
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(x, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        gali_text_add(text, "%s", gali_extent_symbol_name(x, symbol));
        return;
    }
    gali_text_add(text, "%s(", words[kind]);
    gali_extent_print(x, operand[0], text);
    gali_text_add(text, ", ");
    gali_extent_print(x, operand[1], text);
    gali_text_add(text, ")");
}

static void print_term(const gali_extents *x, const gali_extent_term *t, int first, gali_text *text) {
    int64_t scale = t->scale < 0 ? -t->scale : t->scale;
    gali_text_add(text, "%s", t->scale < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    if (scale != 1 || t->count == 0) {
        gali_text_add(text, "%lld", (long long)scale);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        gali_text_add(text, "%s", i || scale != 1 ? "*" : "");
        print_atom(x, t->atoms[i], text);
    }
}

void gali_extent_print(const gali_extents *x, gali_extent a, gali_text *text) {
    uint32_t count = gali_extent_term_count(x, a);
    if (count == 0) {
        gali_text_add(text, "%s", a == 0 ? "0" : a == GALI_EXTENT_UNKNOWN ? "?" : "bad");
        return;
    }
    gali_extent_term first = gali_extent_term_at(x, a, 0);
    int number = first.count == 0; /* is printed last: batch + 2 */
    for (uint32_t i = (uint32_t)number; i < count; i++) {
        gali_extent_term t = gali_extent_term_at(x, a, i);
        print_term(x, &t, i == (uint32_t)number, text);
    }
    if (number) {
        print_term(x, &first, count == 1, text);
    }
}

/* ---- parsing ---- */

/* A hostile text nests no deeper than this. */
enum { PARSE_DEPTH = 32 };

static gali_extent parse_sum(gali_extents *x, const char **at, int depth);

static void skip(const char **at) {
    while (**at == ' ') {
        ++*at;
    }
}

static int eat(const char **at, char c) {
    skip(at);
    int found = **at == c;
    *at += found;
    return found;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static gali_extent parse_pair(gali_extents *x, const char **at, const char *word, int depth) {
    gali_extent a = parse_sum(x, at, depth), b = eat(at, ',') ? parse_sum(x, at, depth) : GALI_EXTENT_BAD;
    if (!eat(at, ')')) {
        return GALI_EXTENT_BAD;
    }
    return strcmp(word, "quotient") == 0 ? gali_extent_quotient(x, a, b)
           : strcmp(word, "min") == 0    ? gali_extent_least(x, a, b)
           : strcmp(word, "max") == 0    ? gali_extent_most(x, a, b)
                                         : GALI_EXTENT_BAD;
}

static gali_extent parse_atom(gali_extents *x, const char **at, int depth) {
    char word[64];
    size_t size = 0;
    skip(at);
    if (**at >= '0' && **at <= '9') {
        int64_t number = 0;
        for (; **at >= '0' && **at <= '9'; ++*at) {
            number = number > GALI_EXTENT_LARGEST / 10 ? GALI_EXTENT_LARGEST : 10 * number + (**at - '0');
        }
        return number >= GALI_EXTENT_LARGEST ? GALI_EXTENT_BAD : number;
    }
    for (; is_letter(**at) || (size && **at >= '0' && **at <= '9'); ++*at) {
        if (size + 1 == sizeof word) {
            return GALI_EXTENT_BAD;
        }
        word[size++] = **at;
    }
    word[size] = 0;
    if (size == 0) {
        return eat(at, '?') ? GALI_EXTENT_UNKNOWN : GALI_EXTENT_BAD;
    }
    return eat(at, '(') ? parse_pair(x, at, word, depth) : gali_extent_symbol(x, word, 0, GALI_EXTENT_LARGEST);
}

static gali_extent parse_sum(gali_extents *x, const char **at, int depth) {
    if (depth == PARSE_DEPTH) {
        return GALI_EXTENT_BAD;
    }
    gali_extent total = 0;
    int sign = eat(at, '-') ? -1 : 1;
    for (;;) {
        gali_extent product = parse_atom(x, at, depth + 1);
        while (product != GALI_EXTENT_BAD && eat(at, '*')) {
            product = gali_extent_mul(x, product, parse_atom(x, at, depth + 1));
        }
        total = gali_extent_add(x, total, gali_extent_mul(x, product, sign));
        if (total == GALI_EXTENT_BAD) {
            return total;
        }
        if (eat(at, '+')) {
            sign = 1;
        } else if (eat(at, '-')) {
            sign = -1;
        } else {
            return total;
        }
    }
}

gali_extent gali_extent_parse(gali_extents *x, const char **at) {
    return parse_sum(x, at, 0);
}
