/*
 * The contract as text: lines, words, names and numbers. After gali_parser_scan has passed, every line is
 * well-formed UTF-8 without control characters, and short enough.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "contract/contract_parse.h"

gal_status gali_parser_fail(const gali_parser *parser, const char *format, ...) {
    char text[sizeof parser->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gali_fail(parser->error, GAL_BAD_DATA, "contract line %u: %s", parser->line, text);
}

int gali_word_is(gali_word word, const char *text) {
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

int gali_word_shown(gali_word word) {
    size_t shown = word.size < 40 ? word.size : 40;
    while (shown > 0 && shown < word.size && ((unsigned char)word.text[shown] & 0xC0) == 0x80) {
        shown--;
    }
    return (int)shown;
}

/* Bytes of the line at `at`, without its newline; size_t -1 if it has none. */
static size_t line_size(const gali_parser *p) {
    const char *start = p->text + p->at;
    const char *end = p->at < p->size ? memchr(start, '\n', p->size - p->at) : NULL;
    return end ? (size_t)(end - start) : SIZE_MAX;
}

/* Splits a line up to its comment into words; words past the last place are only counted. */
static void split(gali_parser *p, const char *text, size_t size) {
    const char *comment = memchr(text, '#', size);
    size = comment ? (size_t)(comment - text) : size;
    p->word_count = 0;
    for (size_t at = 0; at < size;) {
        size_t start = at;
        while (at < size && text[at] != ' ') {
            at++;
        }
        if (at > start) {
            if (p->word_count < GALI_WORDS_MAX) {
                p->words[p->word_count] = (gali_word){text + start, at - start};
            }
            p->word_count++;
        }
        at += at < size;
    }
}

/* Takes the line at `at`, which must have a newline. */
static void take_line(gali_parser *p, size_t size) {
    split(p, p->text + p->at, size);
    p->at += size + 1;
    p->line++;
}

int gali_parser_next(gali_parser *parser) {
    while (parser->at < parser->size) {
        take_line(parser, line_size(parser));
        if (parser->word_count > 0) {
            return 1;
        }
    }
    return 0;
}

void gali_parser_rewind(gali_parser *parser) {
    parser->at = 0;
    parser->line = 0;
    take_line(parser, line_size(parser));
}

/* The line at `at`: newline, length, bytes. The parser's line number is still that of the line before. */
static gal_status check_line(gali_parser *p) {
    size_t size = line_size(p);
    const char *text = p->text + p->at;
    p->line++;
    if (size == SIZE_MAX) {
        return gali_parser_fail(p, "no newline at its end");
    }
    if (size > GALI_LINE_MAX) {
        return gali_parser_fail(p, "%zu bytes, expected at most %d", size, GALI_LINE_MAX);
    }
    size_t wrong = gali_utf8_check(text, size);
    if (wrong != size) {
        return gali_parser_fail(p, "byte %zu is %02x, expected UTF-8 text", wrong + 1,
                                (unsigned)(unsigned char)text[wrong]);
    }
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            return gali_parser_fail(p, "byte %zu is the control character %02x, expected words and spaces",
                                    i + 1, (unsigned)text[i]);
        }
    }
    p->line--;
    return GAL_OK;
}

static gal_status check_first(const gali_parser *p) {
    if (p->word_count != 2 || !gali_word_is(p->words[0], "gallop-contract")) {
        return gali_parser_fail(p, "expected 'gallop-contract 1'");
    }
    if (!gali_word_is(p->words[1], "1")) {
        return gali_parser_fail(p, "version '%.*s', expected 1", gali_word_shown(p->words[1]),
                                p->words[1].text);
    }
    return GAL_OK;
}

static gal_status count_line(gali_parser *p) {
    if (p->word_count == 0) {
        return GAL_OK;
    }
    p->joint_lines += (uint32_t)gali_word_is(p->words[0], "joint");
    p->leg_lines += (uint32_t)gali_word_is(p->words[0], "leg");
    p->hinge_lines += (uint32_t)gali_word_is(p->words[0], "hinge");
    p->input_lines += (uint32_t)gali_word_is(p->words[0], "input");
    p->output_lines += (uint32_t)gali_word_is(p->words[0], "output");
    if (p->joint_lines > GALI_JOINTS_MAX) {
        return gali_parser_fail(p, "joint: more than %d joints", GALI_JOINTS_MAX);
    }
    if (p->input_lines + p->output_lines > GALI_BLOCKS_MAX) {
        return gali_parser_fail(p, "more than %d input and output blocks", GALI_BLOCKS_MAX);
    }
    return GAL_OK;
}

gal_status gali_parser_scan(gali_parser *parser) {
    if (parser->size == 0 || parser->size > GALI_CONTRACT_SIZE_MAX) {
        return gali_fail(parser->error, GAL_BAD_DATA, "contract: %zu bytes, expected 1..%d", parser->size,
                         GALI_CONTRACT_SIZE_MAX);
    }
    gal_status status = GAL_OK;
    while (parser->at < parser->size && status == GAL_OK) {
        status = check_line(parser);
        if (status == GAL_OK) {
            take_line(parser, line_size(parser));
            status = parser->line == 1 ? check_first(parser) : count_line(parser);
        }
    }
    if (status == GAL_OK) {
        gali_parser_rewind(parser);
    }
    return status;
}

static int is_name_byte(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.:-", c) != NULL);
}

gal_status gali_parser_name(const gali_parser *parser, gali_word word, char name[GALI_NAME_MAX]) {
    size_t good = 0;
    while (good < word.size && is_name_byte(word.text[good])) {
        good++;
    }
    if (good < word.size || word.size >= GALI_NAME_MAX) {
        return gali_parser_fail(parser, "%.*s: name '%.*s', expected 1..%d characters of A-Z a-z 0-9 _ . : -",
                                gali_word_shown(parser->words[0]), parser->words[0].text, gali_word_shown(word),
                                word.text, GALI_NAME_MAX - 1);
    }
    memcpy(name, word.text, word.size);
    name[word.size] = 0;
    return GAL_OK;
}

gal_status gali_parser_float(const gali_parser *parser, gali_word word, float *value) {
    double number = 0;
    if (!gali_number_read(word.text, word.size, &number) || fabs(number) > (double)FLT_MAX) {
        return gali_parser_fail(parser, "%.*s: '%.*s', expected a finite decimal number",
                                gali_word_shown(parser->words[0]), parser->words[0].text, gali_word_shown(word),
                                word.text);
    }
    *value = (float)number;
    return GAL_OK;
}

gal_status gali_parser_integer(const gali_parser *parser, gali_word word, int32_t least, int32_t most,
                               int32_t *value) {
    size_t at = word.size > 1 && (word.text[0] == '-' || word.text[0] == '+');
    int64_t number = 0;
    int good = word.size <= 8;
    for (; good && at < word.size; at++) {
        good = word.text[at] >= '0' && word.text[at] <= '9';
        number = 10 * number + (word.text[at] - '0');
    }
    number = word.text[0] == '-' ? -number : number;
    if (!good || number < least || number > most) {
        return gali_parser_fail(parser, "%.*s: '%.*s', expected a whole number %d..%d",
                                gali_word_shown(parser->words[0]), parser->words[0].text, gali_word_shown(word),
                                word.text, least, most);
    }
    *value = (int32_t)number;
    return GAL_OK;
}

int32_t gali_parser_joint(const gali_parser *parser, gali_word word) {
    for (uint32_t i = 0; i < parser->contract->joint_count; i++) {
        if (gali_word_is(word, parser->joints[i].name)) {
            return (int32_t)i;
        }
    }
    return -1;
}
