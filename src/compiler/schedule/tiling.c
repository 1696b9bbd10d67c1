#include "compiler/schedule/tiling.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { NUMBER_MOST = 4096 };

static const char *const images[] = {"none", "left", "right", "both"};

int gali_tiling_same(const gali_tiling *a, const gali_tiling *b) {
    return a->rows == b->rows && a->outputs == b->outputs && a->depth == b->depth &&
           a->row_registers == b->row_registers && a->output_registers == b->output_registers &&
           a->parts == b->parts && a->images == b->images;
}

void gali_tiling_print(const gali_tiling *t, gali_text *text) {
    if (t->depth) {
        gali_text_add(text, "tile %u %u %u; item %u %u; parts %u; images %s", t->rows, t->outputs, t->depth,
                      t->row_registers, t->output_registers, t->parts, images[t->images & 3]);
    } else {
        gali_text_add(text, "few %u; parts %u", t->rows, t->parts);
    }
}

static int is_number(uint32_t number) {
    return number > 0 && number <= NUMBER_MOST;
}

static int parse(gali_tiling *t, const char *text) {
    char word[8] = "";
    int end = 0;
    *t = (gali_tiling){.rows = 0};
    if (sscanf(text, "few %4u; parts %4u%n", &t->rows, &t->parts, &end) == 2 && end && !text[end]) {
        return is_number(t->rows) && is_number(t->parts);
    }
    *t = (gali_tiling){.rows = 0};
    if (sscanf(text, "tile %4u %4u %4u; item %4u %4u; parts %4u; images %7s%n", &t->rows, &t->outputs,
               &t->depth, &t->row_registers, &t->output_registers, &t->parts, word, &end) != 7 ||
        text[end]) {
        return 0;
    }
    while (t->images < 4 && strcmp(word, images[t->images]) != 0) {
        t->images++;
    }
    return t->images < 4 && is_number(t->rows) && is_number(t->outputs) && is_number(t->depth) &&
           is_number(t->row_registers) && is_number(t->output_registers) && is_number(t->parts);
}

gal_status gali_tiling_parse(gali_tiling *tiling, const char *text, gal_error *error) {
    return parse(tiling, text)
               ? GAL_OK
               : gali_fail(error, GAL_BAD_DATA,
                           "\"%.100s\" is no tiling, as \"tile 64 128 8; item 8 8; parts 2; images "
                           "none\" or \"few 8; parts 128\" is one",
                           text);
}
