/* A region as C: its constants in the layouts of its forms, then a function that takes its steps. */
#include <stdio.h>

#include "base/error.h"
#include "compiler/emit/hvx/plan.h"

enum { WORDS_A_LINE = 12, VECTOR = 128, COLUMNS = 4 };

typedef struct printer {
    const gali_hvx_plan *plan;
    uint32_t number; /* of the region */
    gali_text constants, steps;
} printer;

static const char *const form_names[] = {"vmpy", "vmpa", "vrmpy"};

static uint32_t padded(uint32_t count, uint32_t to) {
    return (count + to - 1) / to * to;
}

/* ---- arrays ---- */

static void begin_array(printer *p, const char *type, const char *name, uint32_t unit) {
    gali_text_add(&p->constants, "static const _Alignas(128) %s gali_%s%u_%u[] = {", type, name, p->number,
                  unit);
}

static void add_number(printer *p, size_t at, int64_t number) {
    gali_text_add(&p->constants, "%s%lld,", at % WORDS_A_LINE ? "" : "\n    ", (long long)number);
}

static void end_array(printer *p) {
    gali_text_add(&p->constants, "\n};\n\n");
}

/* The weight of a tap; 0 of channels that are there to fill groups, and of a tap that makes their number even. */
static int32_t weight_at(const gali_hvx_unit *unit, uint32_t to, uint32_t from, uint32_t tap) {
    const int alone = unit->kind == GALI_HVX_UNIT_DEPTHWISE;
    const uint32_t taps = unit->window.high * unit->window.wide, inputs = alone ? 1 : unit->from[0].channels;
    const int there = to < unit->to.channels && from < inputs && tap < taps;
    return there ? unit->weights[((size_t)to * inputs + from) * taps + tap] : 0;
}

static int64_t word_of(const int32_t bytes[4]) {
    uint32_t word = 0;
    for (uint32_t b = 0; b < 4; b++) {
        word |= (uint32_t)(uint8_t)bytes[b] << 8 * b;
    }
    return (int32_t)word;
}

/* [taps][groups][columns of the result]: a layer's words. */
static void add_layer_words(printer *p, uint32_t number, uint32_t each) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    const uint32_t taps = unit->window.high * unit->window.wide, columns = padded(unit->to.channels, COLUMNS);
    size_t at = 0;
    begin_array(p, "int32_t", "words", number);
    for (uint32_t t = 0; t < taps; t++) {
        for (uint32_t g = 0; g < padded(unit->from[0].channels, COLUMNS) / each; g++) {
            for (uint32_t c = 0; c < columns; c++) {
                int32_t bytes[4];
                for (uint32_t b = 0; b < 4; b++) {
                    bytes[b] = weight_at(unit, c, g * each + b % each, t);
                }
                add_number(p, at++, word_of(bytes));
            }
        }
    }
    end_array(p);
}

/* [groups][taps, an even number]: those of channels by themselves. */
static void add_depthwise_words(printer *p, uint32_t number, uint32_t each, uint32_t taps) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    size_t at = 0;
    begin_array(p, "int32_t", "words", number);
    for (uint32_t g = 0; g < padded(unit->to.channels, COLUMNS) / each; g++) {
        for (uint32_t t = 0; t < taps; t++) {
            int32_t bytes[4];
            for (uint32_t b = 0; b < 4; b++) {
                bytes[b] = weight_at(unit, g * each + b % each, 0, t);
            }
            add_number(p, at++, word_of(bytes));
        }
    }
    end_array(p);
}

static int32_t start_of(const gali_hvx_unit *unit, uint32_t channel) {
    return channel < unit->to.channels ? unit->scaling.start[channel] : 0;
}

static int32_t multiplier_of(const gali_hvx_unit *unit, uint32_t channel) {
    return channel < unit->to.channels ? unit->scaling.multipliers[channel] : 0;
}

/* What sums start at: of each column, or, for columns by themselves, of a word's bytes in each group. */
static void add_starts(printer *p, uint32_t number, uint32_t each, int by_bytes) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    const uint32_t columns = padded(unit->to.channels, COLUMNS);
    begin_array(p, "int32_t", "start", number);
    for (uint32_t i = 0; i < (by_bytes ? columns / each * 4 : columns); i++) {
        add_number(p, i, start_of(unit, by_bytes ? i / 4 * each + i % 4 % each : i));
    }
    end_array(p);
}

/* [groups][2]: see gali_hvx_scale. */
static void add_multipliers(printer *p, uint32_t number, uint32_t each) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    begin_array(p, "int32_t", "multipliers", number);
    for (uint32_t i = 0; i < padded(unit->to.channels, COLUMNS) / each * 2; i++) {
        const uint32_t half = i % 2, group = i / 2;
        const int32_t a = multiplier_of(unit, group * each + half % each),
                      b = multiplier_of(unit, group * each + (half + 2) % each);
        add_number(p, i, (int32_t)((uint32_t)a | (uint32_t)b << 16));
    }
    end_array(p);
}

/* ---- flat ones: rows in the order of flat sums (body/region.inc) ---- */

static uint32_t flat_channel(uint32_t row) {
    static const uint32_t byte[] = {0, 2, 1, 3};
    return row / VECTOR * VECTOR + row % 32 * 4 + byte[row / 32 % 4];
}

static void add_flat_words(printer *p, uint32_t number, uint32_t each) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    const uint32_t height = padded(unit->to.channels, VECTOR);
    size_t at = 0;
    begin_array(p, "uint8_t", "words", number);
    for (uint32_t g = 0; g < padded(unit->from[0].channels, COLUMNS) / each; g++) {
        for (uint32_t i = 0; i < height * each; i++) {
            add_number(p, at++, weight_at(unit, flat_channel(i / each), g * each + i % each, 0) + 128);
        }
    }
    end_array(p);
}

/* What is added to a flat sum; a dense layer's inputs are 128 too small there. */
static void add_flat_scaling(printer *p, uint32_t number) {
    const gali_hvx_unit *unit = &p->plan->region->units[number];
    const uint32_t height = padded(unit->to.channels, VECTOR);
    begin_array(p, "int32_t", "start", number);
    for (uint32_t i = 0; i < height; i++) {
        const uint32_t channel = flat_channel(i);
        int32_t start = start_of(unit, channel);
        for (uint32_t k = 0; unit->kind == GALI_HVX_UNIT_DENSE && k < unit->from[0].channels; k++) {
            start += 128 * weight_at(unit, channel, k, 0);
        }
        add_number(p, i, start);
    }
    end_array(p);
    begin_array(p, "int16_t", "multipliers", number);
    for (uint32_t i = 0; i < height; i++) {
        add_number(p, i, multiplier_of(unit, i / VECTOR * VECTOR + i % 64 * 2 + i / 64 % 2));
    }
    end_array(p);
}

/* ---- steps ---- */

static const gali_hvx_image *image(const printer *p, uint32_t number) {
    return &p->plan->images[number];
}

/* "memory + 128" */
static void add_place(printer *p, uint32_t number) {
    gali_text_add(&p->steps, "memory + %zu", image(p, number)->at);
}

static void add_words_at(printer *p, size_t at) {
    gali_text_add(&p->steps, "(int32_t *)(void *)(memory + %zu)", at);
}

/* Vectors that a picture's rows take of a group. */
static uint32_t vectors_of(const gali_hvx_image *picture) {
    return padded(picture->lines * picture->pitch, VECTOR >> picture->form) / (VECTOR >> picture->form);
}

/* Vectors of all bytes of an image. */
static size_t all_vectors(const gali_hvx_image *of, const gali_hvx_bytes *bytes) {
    return of->step ? (size_t)of->step * of->groups / VECTOR : padded(bytes->channels, VECTOR) / VECTOR;
}

static int flip_of(const gali_hvx_bytes *bytes) {
    return bytes->is_signed ? 128 : 0;
}

/* The description of a value, of the unit that makes or reads it. */
static const gali_hvx_bytes *bytes_of(const gali_hvx_region *region, uint32_t value) {
    for (uint32_t i = 0; i < region->unit_count; i++) {
        const gali_hvx_unit *unit = &region->units[i];
        if (unit->to.value == value) {
            return &unit->to;
        }
        for (uint32_t k = 0; k < unit->from_count; k++) {
            if (unit->from[k].value == value) {
                return &unit->from[k];
            }
        }
    }
    return NULL;
}

static void print_enter(printer *p, const gali_hvx_step *step) {
    const gali_hvx_bytes *bytes = bytes_of(p->plan->region, p->plan->region->given[step->port]);
    if (gali_hvx_is_flat(bytes)) {
        gali_text_add(&p->steps, "    gali_hvx_copy((const uint8_t *)in[%u], %u, %d, ", step->port,
                      bytes->channels, flip_of(bytes));
    } else {
        gali_text_add(&p->steps, "    gali_hvx_enter(in[%u], %u, %u, %u, %d, ", step->port, bytes->channels,
                      bytes->lines * bytes->width, image(p, step->to)->step, flip_of(bytes));
    }
    add_place(p, step->to);
    gali_text_add(&p->steps, ");\n");
}

/* A picture, or a flat tensor, as rows of bytes at `to`. */
static void print_rows(printer *p, uint32_t from, const gali_hvx_bytes *bytes, int flip, const char *to) {
    const gali_hvx_image *picture = image(p, from);
    gali_text_add(&p->steps, gali_hvx_is_flat(bytes) ? "    gali_hvx_copy(" : "    gali_hvx_leave(");
    add_place(p, from);
    if (gali_hvx_is_flat(bytes)) {
        gali_text_add(&p->steps, ", %u, %d, (uint8_t *)%s);\n", bytes->channels, flip, to);
    } else {
        gali_text_add(&p->steps, ", %u, %u, %u, %u, %u, %d, %s);\n", picture->step, bytes->channels,
                      bytes->lines, bytes->width, picture->pitch, flip, to);
    }
}

static void print_leave(printer *p, const gali_hvx_step *step) {
    const gali_hvx_bytes *bytes = bytes_of(p->plan->region, p->plan->region->made[step->port]);
    char to[24];
    snprintf(to, sizeof to, "out[%u]", step->port);
    print_rows(p, step->from[0], bytes, flip_of(bytes), to);
}

static void print_list(printer *p, const gali_hvx_step *step) {
    char to[48];
    snprintf(to, sizeof to, "(memory + %zu)", image(p, step->to)->at);
    print_rows(p, step->from[0], &p->plan->region->units[step->unit].from[0], 0, to);
}

static void print_change(printer *p, const gali_hvx_step *step) {
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    const int joins = step->kind == GALI_HVX_STEP_JOIN;
    const gali_hvx_image *fine = joins ? from : to;
    gali_text_add(&p->steps, "    gali_hvx_%s(memory + %zu, %u, %u, %u, memory + %zu);\n",
                  joins ? "join" : "part", from->at, fine->step, 1u << fine->form, fine->groups, to->at);
}

/* The places of each plane's lines: those of q + across * i - left that are in the picture. */
static void print_parts(printer *p, const gali_hvx_planes *planes, uint32_t width, uint32_t across,
                        uint32_t left) {
    gali_text_add(&p->steps, "        static const gali_hvx_slice parts[] = {");
    for (uint32_t q = 0; q < planes->across; q++) {
        const uint32_t first = left > q ? (left - q + across - 1) / across : 0;
        const uint32_t before = first < planes->pitch ? first : planes->pitch;
        const uint32_t at = first * across + q - left;
        const uint32_t all = at < width ? (width - at + across - 1) / across : 0;
        const uint32_t count = all < planes->pitch - before ? all : planes->pitch - before;
        gali_text_add(&p->steps, "{%u, %u, %u}, ", before, count ? at : 0, count);
    }
    gali_text_add(&p->steps, "};\n");
}

static void print_frame(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    const int plain = step->port == 1 || unit->kind == GALI_HVX_UNIT_MEAN;
    const gali_hvx_window *w = &unit->window;
    const gali_hvx_planes planes =
        plain ? (gali_hvx_planes){1, 1, to->lines, to->pitch, 0} : gali_hvx_planes_of(unit);
    const uint32_t across = plain ? 1 : w->across, left = plain ? 0 : w->left;
    gali_text_add(&p->steps, "    {\n");
    print_parts(p, &planes, from->width, across, left);
    gali_text_add(
        &p->steps,
        "        static const gali_hvx_frame frame = {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, "
        "%u, parts};\n        gali_hvx_make_frame(&frame, %u, %u, memory + %zu, memory + %zu);\n    }\n",
        from->lines, from->pitch, from->step, plain ? 0 : w->top, plain ? 1 : w->down, across,
        plain ? 0 : w->fill, planes.down, planes.across, planes.lines, planes.pitch,
        to->step / (planes.down * planes.across), to->step, gali_hvx_columns(from->form), from->groups,
        from->at, to->at);
}

/* ---- units ---- */

/* Where taps are in a frame, in bytes; one more where an even number is wanted. */
static void print_shifts(printer *p, const gali_hvx_unit *unit, const gali_hvx_image *frame, uint32_t taps) {
    const gali_hvx_planes planes = gali_hvx_planes_of(unit);
    const gali_hvx_window *w = &unit->window;
    const uint32_t plane = frame->step / (planes.down * planes.across);
    gali_text_add(&p->steps, "        static const int32_t shifts[] = {");
    for (uint32_t t = 0; t < taps; t++) {
        const uint32_t tap = t < w->high * w->wide ? t : 0;
        const uint32_t y = tap / w->wide * w->apart_down, x = tap % w->wide * w->apart_across;
        const uint32_t which = y % w->down * planes.across + x % w->across;
        gali_text_add(&p->steps, "%s%u", t ? ", " : "",
                      which * plane + ((y / w->down * planes.pitch + x / w->across) << frame->form));
    }
    gali_text_add(&p->steps, "};\n");
}

static void print_scale(printer *p, uint32_t number, const char *multipliers) {
    const gali_hvx_scaling *s = &p->plan->region->units[number].scaling;
    gali_text_add(&p->steps, "        const gali_hvx_scale scale = {");
    if (multipliers) {
        gali_text_add(&p->steps, "gali_%s%u_%u", multipliers, p->number, number);
    } else {
        gali_text_add(&p->steps, "NULL");
    }
    gali_text_add(&p->steps, ", %d, %d, %d};\n", s->shift, s->zero, s->least);
}

static void print_layer(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    const uint32_t each = gali_hvx_columns(to->form), taps = unit->window.high * unit->window.wide;
    const int framed = gali_hvx_has_frame(unit);
    add_layer_words(p, step->unit, each);
    add_starts(p, step->unit, each, 0);
    add_multipliers(p, step->unit, each);
    gali_text_add(&p->steps, "    {\n");
    if (framed) {
        print_shifts(p, unit, from, taps);
    }
    print_scale(p, step->unit, "multipliers");
    gali_text_add(
        &p->steps,
        "        const gali_hvx_product product = {memory + %zu, %u, %u, %u, %s, gali_words%u_%u, %u, "
        "gali_start%u_%u};\n        gali_hvx_layer_%s(&product, &scale, %u, %u, memory + %zu, %u);\n    }\n",
        from->at, from->step, from->groups, taps, framed ? "shifts" : "NULL", p->number, step->unit,
        padded(unit->to.channels, COLUMNS), p->number, step->unit, form_names[to->form], to->groups,
        vectors_of(to), to->at, to->step);
}

static void print_depthwise(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    const uint32_t each = gali_hvx_columns(to->form), taps = padded(unit->window.high * unit->window.wide, 2);
    add_depthwise_words(p, step->unit, each, taps);
    add_starts(p, step->unit, each, 1);
    add_multipliers(p, step->unit, each);
    gali_text_add(&p->steps, "    {\n");
    print_shifts(p, unit, from, taps);
    print_scale(p, step->unit, "multipliers");
    gali_text_add(
        &p->steps,
        "        for (uint32_t g = 0; g < %u; g++) {\n"
        "            gali_hvx_depthwise(memory + %zu + g * %u, shifts, %u, gali_words%u_%u + g * %u, "
        "gali_start%u_%u + g * 4, &scale, g, %u,\n                               memory + %zu + g * %u);\n"
        "        }\n    }\n",
        to->groups, from->at, from->step, taps, p->number, step->unit, taps, p->number, step->unit,
        vectors_of(to), to->at, to->step);
}

static void print_largest(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    const uint32_t taps = unit->window.high * unit->window.wide;
    gali_text_add(&p->steps, "    {\n");
    print_shifts(p, unit, from, taps);
    gali_text_add(
        &p->steps,
        "        for (uint32_t g = 0; g < %u; g++) {\n"
        "            gali_hvx_largest(memory + %zu + g * %u, shifts, %u, %u, memory + %zu + g * %u);\n"
        "        }\n    }\n",
        to->groups, from->at, from->step, taps, vectors_of(to), to->at, to->step);
}

static void print_sum(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *a = image(p, step->from[0]), *b = image(p, step->from[1]), *to = image(p, step->to);
    const int flat = gali_hvx_is_flat(&unit->to);
    gali_text_add(
        &p->steps,
        "    {\n        const gali_hvx_two two = {%d, %d, %d, %d, %d};\n"
        "        for (uint32_t g = 0; g < %u; g++) {\n"
        "            gali_hvx_add(memory + %zu + g * %u, memory + %zu + g * %u, &two, %u, memory + %zu + g * "
        "%u);\n        }\n    }\n",
        unit->factors[0], unit->factors[1], unit->constant, unit->scaling.shift, unit->scaling.least,
        to->groups, a->at, a->step, b->at, b->step,
        flat ? padded(unit->to.channels, VECTOR) / VECTOR : vectors_of(to), to->at, to->step);
}

/* The values in the order in which they are looked up. */
static void print_table(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *to = image(p, step->to);
    begin_array(p, "uint8_t", "table", step->unit);
    for (uint32_t i = 0; i < 256; i++) {
        add_number(p, i, unit->values[i / 128 * 128 + i % 128 / 2 + i % 2 * 64]);
    }
    end_array(p);
    gali_text_add(&p->steps, "    gali_hvx_look_up(gali_table%u_%u, memory + %zu, %zu, memory + %zu);\n",
                  p->number, step->unit, from->at, all_vectors(to, &unit->to), to->at);
}

static void print_mean(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *from = image(p, step->from[0]), *extra = image(p, step->extra);
    add_flat_scaling(p, step->unit);
    gali_text_add(&p->steps, "    {\n");
    print_scale(p, step->unit, NULL);
    gali_text_add(&p->steps, "        int32_t *sums = ");
    add_words_at(p, extra->at);
    gali_text_add(
        &p->steps,
        ";\n        gali_hvx_totals(memory + %zu, %u, %u, %u, sums);\n"
        "        gali_hvx_narrow_flat(sums, gali_start%u_%u, gali_multipliers%u_%u, &scale, %u, memory + "
        "%zu);\n    }\n",
        from->at, from->step, from->groups, vectors_of(from), p->number, step->unit, p->number, step->unit,
        padded(unit->to.channels, VECTOR) / VECTOR, image(p, step->to)->at);
}

static void print_dense(printer *p, const gali_hvx_step *step) {
    const gali_hvx_unit *unit = &p->plan->region->units[step->unit];
    const gali_hvx_image *extra = image(p, step->extra);
    const gali_hvx_form form = (gali_hvx_form)p->plan->forms[step->unit];
    const uint32_t inputs = padded(unit->from[0].channels, COLUMNS);
    add_flat_words(p, step->unit, gali_hvx_columns(form));
    add_flat_scaling(p, step->unit);
    gali_text_add(&p->steps, "    {\n");
    print_scale(p, step->unit, NULL);
    gali_text_add(&p->steps,
                  "        const gali_hvx_flat dense = {%u, %u, gali_words%u_%u, gali_start%u_%u, "
                  "gali_multipliers%u_%u};\n        gali_hvx_flat_%s(&dense, &scale, memory + %zu, ",
                  inputs / 4, padded(unit->to.channels, VECTOR), p->number, step->unit, p->number, step->unit,
                  p->number, step->unit, form_names[form], image(p, step->from[0])->at);
    add_words_at(p, extra->at);
    gali_text_add(&p->steps, ", ");
    add_words_at(p, extra->at + padded(5 * inputs * 4, VECTOR));
    gali_text_add(&p->steps, ", memory + %zu);\n    }\n", image(p, step->to)->at);
}

static void print_unit(printer *p, const gali_hvx_step *step) {
    static void (*const prints[])(printer *, const gali_hvx_step *) = {
        [GALI_HVX_UNIT_LAYER] = print_layer,     [GALI_HVX_UNIT_DEPTHWISE] = print_depthwise,
        [GALI_HVX_UNIT_LARGEST] = print_largest, [GALI_HVX_UNIT_SUM] = print_sum,
        [GALI_HVX_UNIT_TABLE] = print_table,     [GALI_HVX_UNIT_MEAN] = print_mean,
        [GALI_HVX_UNIT_DENSE] = print_dense,
    };
    prints[p->plan->region->units[step->unit].kind](p, step);
}

static void print_step(printer *p, const gali_hvx_step *step) {
    switch (step->kind) {
    case GALI_HVX_STEP_ENTER:
        print_enter(p, step);
        break;
    case GALI_HVX_STEP_LEAVE:
        print_leave(p, step);
        break;
    case GALI_HVX_STEP_LIST:
        print_list(p, step);
        break;
    case GALI_HVX_STEP_FRAME:
        print_frame(p, step);
        break;
    case GALI_HVX_STEP_RUN:
        print_unit(p, step);
        break;
    default:
        print_change(p, step);
    }
}

gal_status gali_hvx_print_region(const gali_hvx_region *region, uint32_t number, gali_hvx_form choice,
                                 gali_text *text, size_t *scratch, gal_error *error) {
    gali_hvx_plan plan;
    printer p = {.plan = &plan, .number = number};
    gal_status status = gali_hvx_make_plan(region, choice, &plan, error);
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < plan.step_count; i++) {
        print_step(&p, &plan.steps[i]);
    }
    gali_text_add_bytes(text, p.constants.bytes ? p.constants.bytes : "", p.constants.size);
    gali_text_add(
        text,
        "static void gali_one_hvx_%u(const void *const *in, void *const *out, const int64_t *sizes) {\n"
        "    uint8_t *memory = (uint8_t *)(((uintptr_t)out[%u] + 127) / 128 * 128);\n"
        "    (void)in;\n    (void)sizes;\n",
        number, region->made_count);
    gali_text_add_bytes(text, p.steps.bytes ? p.steps.bytes : "", p.steps.size);
    gali_text_add(text, "}\n\n");
    gali_text_end(&p.constants, text);
    gali_text_end(&p.steps, text);
    *scratch = plan.bytes + VECTOR;
    return GAL_OK;
}
