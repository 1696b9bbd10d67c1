/* What emitted C reads: constants among its weights, and how a value is named and strided in an argument list. */
#include <string.h>

#include "compiler/emit/emission.h"

enum { LINE = 64 }; /* bytes */

static size_t align(gali_emission *e) {
    static const char zeros[LINE];
    gali_text_add_bytes(&e->weights, zeros, (LINE - e->weights.size % LINE) % LINE);
    return e->weights.size / sizeof(float);
}

/* Little-endian whatever this machine is. */
static void add_float(gali_emission *e, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    char bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = (char)(bits >> (8 * i) & 255u);
    }
    gali_text_add_bytes(&e->weights, bytes, sizeof bytes);
}

size_t gali_emit_floats(gali_emission *e, const float *values, size_t count) {
    size_t start = align(e);
    for (size_t i = 0; i < count; i++) {
        add_float(e, values[i]);
    }
    return start;
}

size_t gali_emit_constant(gali_emission *e, const gali_value *constant) {
    size_t start = align(e), count = (size_t)gali_type_count(e->c->graph->extents, &constant->type);
    for (size_t i = 0; i < count; i++) {
        add_float(e, (float)gali_constant_real(constant, i));
    }
    return start;
}

void gali_emit_pointer(gali_text *text, const gali_graph *graph, uint32_t value) {
    gali_row_place place = gali_row_place_of(graph, value);
    gali_text_add(text, place.first ? "%s + %u" : "%s", graph->values[place.value].name, place.first);
}

uint32_t gali_emit_stride(const gali_graph *graph, uint32_t value) {
    uint32_t stored = gali_row_place_of(graph, value).value, width = gali_row_width(graph, stored);
    int given = graph->values[stored].node == GALI_NONE;
    return given ? width : (width + GALI_ROW_UNIT - 1) / GALI_ROW_UNIT * GALI_ROW_UNIT;
}

void gali_emit_argument(gali_emission *e, uint32_t value) {
    gali_text_add(&e->calls, ", ");
    gali_emit_pointer(&e->calls, e->c->graph, value);
    gali_text_add(&e->calls, ", %u", gali_emit_stride(e->c->graph, value));
}
