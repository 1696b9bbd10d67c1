/*
 * Reads a model file out of memory. Nothing in it is believed: header, section table, each section, each
 * value are checked, in that order, and each failed check says where and what was expected. Sizes that
 * come from the file meet size.h before they are added or multiplied; nothing is allocated, so what a
 * hostile file can cost is one pass over its own bytes.
 *
 * Invariant: a section is looked at only after the whole table was found sound, so its bytes lie within the
 * file and its checksum holds. `at` in the functions below is an offset within a section.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/size.h"
#include "base/utf8.h"
#include "network/model_reader.h"
#include "network/quantise.h"
#include "network/sparse.h"

uint32_t gali_model_u32(const void *array, size_t i) {
    const unsigned char *b = (const unsigned char *)array + 4 * i;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float gali_model_f32(const void *array, size_t i) {
    return float_of_bits(gali_model_u32(array, i));
}

static uint32_t u16_at(const void *array, size_t i) {
    const unsigned char *b = (const unsigned char *)array + 2 * i;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

/* Exact: every float16 is a float32. Subnormals are value * 2^-24. */
static float widen_f16(uint32_t half) {
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 0x3FFu;
    if (exponent == 0) {
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return float_of_bits(sign | wide << 23 | fraction << 13);
}

/* Weight i as it is stored, of integers. Every weight of a file comes by here when it is opened, so it is no call. */
static inline int16_t stored_integer(const gali_model_layer *layer, size_t i) {
    if (layer->weight_type == GALI_WEIGHT_INT8) {
        return (int8_t)((const unsigned char *)layer->weights)[i];
    }
    return (int16_t)u16_at(layer->weights, i);
}

/* The same of the others. */
static inline float stored_float(const gali_model_layer *layer, size_t i) {
    switch (layer->weight_type) {
    case GALI_WEIGHT_F16:
        return widen_f16(u16_at(layer->weights, i));
    case GALI_WEIGHT_BF16:
        return float_of_bits(u16_at(layer->weights, i) << 16);
    default:
        return gali_model_f32(layer->weights, i);
    }
}

/* Where weight i of [E][N][K] of a sparse layer is stored, GALI_SIZE_BAD: nowhere. */
static size_t place_of_weight(const gali_model_layer *layer, size_t i) {
    return gali_sparse_place(layer, i / layer->inputs, (uint32_t)(i % layer->inputs));
}

int16_t gali_model_integer(const gali_model_layer *layer, size_t i) {
    const size_t place = layer->kind == GALI_LAYER_SPARSE ? place_of_weight(layer, i) : i;
    return place == GALI_SIZE_BAD ? 0 : stored_integer(layer, place);
}

uint16_t gali_model_scale(const gali_model_layer *layer, size_t row, uint32_t block) {
    return (uint16_t)u16_at(layer->scales, row * gali_layer_blocks(layer) + block);
}

static float widen_integer(const gali_model_layer *layer, size_t i) {
    size_t row = i / layer->inputs;
    uint32_t block = layer->block ? (uint32_t)(i % layer->inputs) / layer->block : 0;
    return gali_quantise_scale(gali_model_scale(layer, row, block)) * (float)gali_model_integer(layer, i);
}

static int stores_integers(const gali_model_layer *layer) {
    return layer->weight_type == GALI_WEIGHT_INT8 || layer->weight_type == GALI_WEIGHT_INT16;
}

static float sparse_weight(const gali_model_layer *layer, size_t i) {
    const size_t place = place_of_weight(layer, i);
    if (place == GALI_SIZE_BAD) {
        return 0;
    }
    return stores_integers(layer) ? widen_integer(layer, i) : stored_float(layer, place);
}

float gali_model_weight(const gali_model_layer *layer, size_t i) {
    if (layer->kind == GALI_LAYER_SPARSE) {
        return sparse_weight(layer, i);
    }
    return stores_integers(layer) ? widen_integer(layer, i) : stored_float(layer, i);
}

float gali_model_stored(const gali_model_layer *layer, size_t i) {
    return stores_integers(layer) ? (float)stored_integer(layer, i) : stored_float(layer, i);
}

gali_source gali_model_source(const gali_model_layer *layer, uint32_t i) {
    return (gali_source){gali_model_u32(layer->sources, 3 * (size_t)i),
                         gali_model_u32(layer->sources, 3 * (size_t)i + 1),
                         gali_model_u32(layer->sources, 3 * (size_t)i + 2)};
}

uint64_t gali_reader_u64(const void *array) {
    return gali_model_u32(array, 0) | (uint64_t)gali_model_u32(array, 1) << 32;
}

gal_status gali_reader_bad(const gali_reader *r, const char *format, ...) {
    char text[sizeof r->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gali_fail(r->error, GAL_BAD_DATA, "%s", text);
}

gal_status gali_reader_finite(const gali_reader *r, const char *tag, const char *what, const void *array,
                              size_t count, size_t at) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(gali_model_f32(array, i))) {
            return gali_reader_bad(r, "%s: offset %zu: %s[%zu] is not finite", tag, at + 4 * i, what, i);
        }
    }
    return GAL_OK;
}

/* ---- header and table ---- */

/* Whether it begins as ONNX does: field 1, a small number (the version), then a field that has bytes. */
static int begins_as_onnx(const unsigned char *bytes) {
    return bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 32 && (bytes[2] & 7) == 2;
}

static gal_status read_header(const gali_reader *r, uint32_t *count) {
    if (r->size < GALI_HEADER_SIZE) {
        return gali_reader_bad(r, "header: %zu bytes, expected at least %d", r->size, GALI_HEADER_SIZE);
    }
    if (memcmp(r->bytes, GALI_MAGIC, 8) != 0) {
        return gali_reader_bad(r, "header: offset 0: not a Gallop model, expected \"GALLOP\\r\\n\"%s",
                               begins_as_onnx(r->bytes)
                                   ? "; it looks like ONNX, which gallop import, inspect and compile read"
                                   : "");
    }
    uint32_t version = gali_model_u32(r->bytes, 2);
    if (version != GALI_FORMAT_VERSION) {
        return gali_reader_bad(r, "header: offset 8: version %u, expected %d", version, GALI_FORMAT_VERSION);
    }
    *count = gali_model_u32(r->bytes, 3);
    if (*count < 1 || *count > GALI_TABLE_MAX) {
        return gali_reader_bad(r, "header: offset 12: %u sections, expected 1..%d", *count, GALI_TABLE_MAX);
    }
    uint64_t size = gali_reader_u64(r->bytes + 16);
    if (size != r->size) {
        return gali_reader_bad(r, "header: offset 16: file size %llu, but there are %zu bytes",
                               (unsigned long long)size, r->size);
    }
    if (size > GALI_FILE_MAX) {
        return gali_reader_bad(r, "header: offset 16: file size %llu, expected at most %llu",
                               (unsigned long long)size, (unsigned long long)GALI_FILE_MAX);
    }
    uint32_t zero = gali_model_u32(r->bytes, 7);
    return zero ? gali_reader_bad(r, "header: offset 28: %u, expected 0", zero) : GAL_OK;
}

static gal_status check_table(const gali_reader *r, uint32_t count) {
    size_t size = (size_t)count * GALI_ENTRY_SIZE;
    if (size > r->size - GALI_HEADER_SIZE) {
        return gali_reader_bad(r, "table: %u sections need %zu bytes at offset %d, the file has %zu", count,
                               size, GALI_HEADER_SIZE, r->size - GALI_HEADER_SIZE);
    }
    uint32_t stated = gali_model_u32(r->bytes, 6), actual = gali_crc32(r->bytes + GALI_HEADER_SIZE, size);
    if (stated != actual) {
        return gali_reader_bad(r, "table: checksum %08x, expected %08x (header, offset 24)", actual, stated);
    }
    return GAL_OK;
}

/* Index of the tag, or GALI_SECTION_COUNT. */
static uint32_t find_tag(const unsigned char *tag) {
    uint32_t i = 0;
    while (i < GALI_SECTION_COUNT && memcmp(tag, gali_section_tags[i], 4) != 0) {
        i++;
    }
    return i;
}

static gal_status check_gap(const gali_reader *r, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (r->bytes[i]) {
            return gali_reader_bad(r, "file: offset %zu, between sections: byte %u, expected 0", i,
                                   r->bytes[i]);
        }
    }
    return GAL_OK;
}

/* One table entry whose section must start at *end or later; moves *end behind it. */
static gal_status read_entry(gali_reader *r, uint32_t i, size_t *end) {
    size_t place = GALI_HEADER_SIZE + (size_t)i * GALI_ENTRY_SIZE;
    const unsigned char *entry = r->bytes + place;
    uint32_t which = find_tag(entry);
    if (which == GALI_SECTION_COUNT) {
        return gali_reader_bad(r, "table: offset %zu: unknown tag %02x %02x %02x %02x", place, entry[0],
                               entry[1], entry[2], entry[3]);
    }
    const char *tag = gali_section_tags[which];
    gali_reader_section *s = &r->sections[which];
    uint64_t offset = gali_reader_u64(entry + 8), size = gali_reader_u64(entry + 16);
    if (s->bytes) {
        return gali_reader_bad(r, "table: offset %zu: %s a second time", place, tag);
    }
    if (gali_reader_u64(entry + 24) != 0) {
        return gali_reader_bad(r, "table: offset %zu: %s: the last field is not 0", place, tag);
    }
    if (offset % GALI_SECTION_ALIGNMENT != 0) {
        return gali_reader_bad(r, "table: offset %zu: %s at %llu, expected a multiple of %d", place, tag,
                               (unsigned long long)offset, GALI_SECTION_ALIGNMENT);
    }
    if (offset < *end) {
        return gali_reader_bad(
            r, "table: offset %zu: %s at %llu, expected %zu or more (where the one before it ends)", place, tag,
            (unsigned long long)offset, *end);
    }
    if (offset > r->size || size > r->size - offset) {
        return gali_reader_bad(r, "table: offset %zu: %s: %llu bytes at %llu, the file ends at %zu", place, tag,
                               (unsigned long long)size, (unsigned long long)offset, r->size);
    }
    gal_status status = check_gap(r, *end, (size_t)offset);
    *s = (gali_reader_section){r->bytes + offset, (size_t)offset, (size_t)size};
    *end = s->offset + s->size;
    return status;
}

static gal_status check_crc(const gali_reader *r, uint32_t i) {
    const unsigned char *entry = r->bytes + GALI_HEADER_SIZE + (size_t)i * GALI_ENTRY_SIZE;
    const gali_reader_section *s = &r->sections[find_tag(entry)];
    uint32_t stated = gali_model_u32(entry, 1), actual = gali_crc32(s->bytes, s->size);
    if (stated != actual) {
        return gali_reader_bad(r, "%.4s: checksum %08x of %zu bytes at offset %zu, expected %08x",
                               (const char *)entry, actual, s->size, s->offset, stated);
    }
    return GAL_OK;
}

static gal_status read_table(gali_reader *r) {
    uint32_t count = 0;
    gal_status status = read_header(r, &count);
    if (status == GAL_OK) {
        status = check_table(r, count);
    }
    size_t end = GALI_HEADER_SIZE + (size_t)count * GALI_ENTRY_SIZE;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        status = read_entry(r, i, &end);
    }
    if (status == GAL_OK && end != r->size) {
        status =
            gali_reader_bad(r, "file: %zu bytes, expected %zu (where the last section ends)", r->size, end);
    }
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        status = check_crc(r, i);
    }
    for (uint32_t i = 0; i < GALI_SECTIONS_REQUIRED && status == GAL_OK; i++) {
        if (!r->sections[i].bytes) {
            status = gali_reader_bad(r, "table: no section %s", gali_section_tags[i]);
        }
    }
    return status;
}

/* ---- sections ---- */

/* The section must have exactly this size. */
static gal_status check_size(const gali_reader *r, const char *tag, size_t size, size_t expected) {
    if (size == expected) {
        return GAL_OK;
    }
    if (expected == GALI_SIZE_BAD) {
        return gali_reader_bad(r, "%s: its counts are more than any file holds", tag);
    }
    return gali_reader_bad(r, "%s: %zu bytes, expected %zu", tag, size, expected);
}

static gal_status check_positive(const gali_reader *r, const char *what, const void *array, size_t count,
                                 size_t at) {
    for (size_t i = 0; i < count; i++) {
        float value = gali_model_f32(array, i);
        if (!(value > 0) || !isfinite(value)) {
            return gali_reader_bad(r, "NORM: offset %zu: %s[%zu] is %g, expected finite and > 0", at + 4 * i,
                                   what, i, (double)value);
        }
    }
    return GAL_OK;
}

static gal_status read_gate(const gali_reader *r) {
    static const uint32_t least[GAL_GATE_COUNT] = {[GAL_GATE_CALLER] = 1,
                                                   [GAL_GATE_CUBIC] = 4,
                                                   [GAL_GATE_LINEAR] = 2,
                                                   [GAL_GATE_CONSTANT] = 1,
                                                   [GAL_GATE_NETWORK] = 1};
    const gali_reader_section *s = &r->sections[GALI_SECTION_GATE];
    if (s->size < GALI_GATE_SIZE) {
        return gali_reader_bad(r, "GATE: %zu bytes, expected at least %d", s->size, GALI_GATE_SIZE);
    }
    uint32_t kind = gali_model_u32(s->bytes, 0), experts = gali_model_u32(s->bytes, 1);
    if (kind >= GAL_GATE_COUNT) {
        return gali_reader_bad(r, "GATE: offset 0: kind %u, expected 0..%d", kind, GAL_GATE_COUNT - 1);
    }
    if (experts < least[kind] || experts > GALI_EXPERTS_MAX) {
        return gali_reader_bad(r, "GATE: offset 4: %u experts, expected %u..%d", experts, least[kind],
                               GALI_EXPERTS_MAX);
    }
    uint32_t top = gali_model_u32(s->bytes, 2);
    if (top > (kind == GAL_GATE_NETWORK ? experts : 0)) {
        return gali_reader_bad(r, "GATE: offset 8: top %u, expected at most %u", top,
                               kind == GAL_GATE_NETWORK ? experts : 0);
    }
    if (gali_model_u32(s->bytes, 3) != 0) {
        return gali_reader_bad(r, "GATE: offset 12: not 0");
    }
    if (kind != GAL_GATE_NETWORK && s->size != GALI_GATE_SIZE) {
        return gali_reader_bad(r, "GATE: %zu bytes, expected %d", s->size, GALI_GATE_SIZE);
    }
    r->model->gating.top = top;
    r->model->gate = (gal_gate_kind)kind;
    r->model->experts = experts;
    return GAL_OK;
}

/* States in range, constants finite and 0 where there is none. */
static gal_status check_states(const gali_reader *r, size_t at) {
    const gali_model *m = r->model;
    for (size_t i = 0; i < m->inputs; i++) {
        uint32_t state = gali_model_u32(m->input_state, i);
        float constant = gali_model_f32(m->input_constant, i);
        size_t where = at + 4 * i;
        if (state >= GALI_INPUT_STATE_COUNT) {
            return gali_reader_bad(r, "NORM: offset %zu: state[%zu] is %u, expected 0..%d", where, i, state,
                                   GALI_INPUT_STATE_COUNT - 1);
        }
        if (state != GALI_INPUT_CONSTANT && constant != 0) {
            return gali_reader_bad(r,
                                   "NORM: offset %zu: input_constant[%zu] is %g, expected 0 (its state is %u)",
                                   where + 4 * (size_t)m->inputs, i, (double)constant, state);
        }
    }
    return gali_reader_finite(r, "NORM", "input_constant", m->input_constant, m->inputs,
                              at + 4 * (size_t)m->inputs);
}

static gal_status read_norm(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_NORM];
    gali_model *m = r->model;
    if (s->size < 8) {
        return gali_reader_bad(r, "NORM: %zu bytes, expected at least 8", s->size);
    }
    uint32_t inputs = gali_model_u32(s->bytes, 0), outputs = gali_model_u32(s->bytes, 1);
    if (inputs != m->inputs) {
        return gali_reader_bad(r, "NORM: offset 0: %u inputs, expected %u (LAYR's)", inputs, m->inputs);
    }
    if (outputs != m->outputs) {
        return gali_reader_bad(r, "NORM: offset 4: %u outputs, expected %u (layer %u's)", outputs, m->outputs,
                               m->layer_count - 1);
    }
    gal_status status = check_size(r, "NORM", s->size, gali_norm_size(m));
    if (status != GAL_OK) {
        return status;
    }
    gali_norm_place(m, s->bytes);
    size_t k = 4 * (size_t)inputs, n = 4 * (size_t)outputs;
    status = gali_reader_finite(r, "NORM", "input_mean", m->input_mean, inputs, 8);
    if (status == GAL_OK) {
        status = check_positive(r, "input_std", m->input_std, inputs, 8 + k);
    }
    if (status == GAL_OK) {
        status = gali_reader_finite(r, "NORM", "output_mean", m->output_mean, outputs, 8 + 2 * k);
    }
    if (status == GAL_OK) {
        status = check_positive(r, "output_std", m->output_std, outputs, 8 + 2 * k + n);
    }
    return status == GAL_OK ? check_states(r, 8 + 2 * k + 2 * n) : status;
}

static gal_status read_golden_header(const gali_reader *r, const unsigned char *h) {
    gali_model *m = r->model;
    uint32_t frames = gali_model_u32(h, 0), inputs = gali_model_u32(h, 1), outputs = gali_model_u32(h, 2);
    uint32_t width = gali_model_u32(h, 3), expected = m->gate == GAL_GATE_CALLER ? m->experts : 1;
    float tolerance = gali_model_f32(h, 4);
    if (frames < 1 || frames > GALI_GOLDEN_MAX) {
        return gali_reader_bad(r, "GOLD: offset 0: %u frames, expected 1..%d", frames, GALI_GOLDEN_MAX);
    }
    if (inputs != m->inputs) {
        return gali_reader_bad(r, "GOLD: offset 4: %u inputs, expected %u (LAYR's)", inputs, m->inputs);
    }
    if (outputs != m->outputs) {
        return gali_reader_bad(r, "GOLD: offset 8: %u outputs, expected %u (layer %u's)", outputs, m->outputs,
                               m->layer_count - 1);
    }
    if (width != expected) {
        return gali_reader_bad(r, "GOLD: offset 12: blend of %u values, expected %u (%s)", width, expected,
                               m->gate == GAL_GATE_CALLER ? "one per expert" : "the phase, or 0");
    }
    if (!(tolerance > 0) || !isfinite(tolerance)) {
        return gali_reader_bad(r, "GOLD: offset 16: tolerance %g, expected finite and > 0", (double)tolerance);
    }
    if (gali_model_u32(h, 5) || gali_model_u32(h, 6) || gali_model_u32(h, 7)) {
        return gali_reader_bad(r, "GOLD: offset 20: not 0");
    }
    m->golden = (gali_golden){frames, width, tolerance, NULL, NULL, NULL};
    return GAL_OK;
}

static gal_status read_golden(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_GOLD];
    gali_model *m = r->model;
    gali_golden *g = &m->golden;
    if (!s->bytes) {
        return GAL_OK;
    }
    if (s->size < GALI_GOLDEN_HEADER_SIZE) {
        return gali_reader_bad(r, "GOLD: %zu bytes, expected at least %d", s->size, GALI_GOLDEN_HEADER_SIZE);
    }
    gal_status status = read_golden_header(r, s->bytes);
    if (status == GAL_OK) {
        status = check_size(r, "GOLD", s->size, gali_golden_size(m));
    }
    if (status != GAL_OK) {
        return status;
    }
    gali_golden_place(m, s->bytes);
    size_t x = (size_t)g->frames * m->inputs, blend = (size_t)g->frames * g->blend_width;
    status = gali_reader_finite(r, "GOLD", "x", g->x, x, GALI_GOLDEN_HEADER_SIZE);
    if (status == GAL_OK) {
        status = gali_reader_finite(r, "GOLD", "blend", g->blend, blend, GALI_GOLDEN_HEADER_SIZE + 4 * x);
    }
    if (status == GAL_OK) {
        status = gali_reader_finite(r, "GOLD", "y", g->y, (size_t)g->frames * m->outputs,
                                    GALI_GOLDEN_HEADER_SIZE + 4 * (x + blend));
    }
    return status;
}

static gal_status read_contract(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_CNTR];
    if (s->size > GALI_CONTRACT_MAX) {
        return gali_reader_bad(r, "CNTR: %zu bytes, expected at most %d", s->size, GALI_CONTRACT_MAX);
    }
    r->model->contract = (const char *)s->bytes;
    r->model->contract_size = s->size;
    return GAL_OK;
}

/* `key: value` lines up to the first empty line; what follows it is the licence's text. */
static gal_status check_keys(const gali_reader *r, const char *text, size_t size) {
    uint32_t line = 1;
    for (size_t at = 0; at < size && text[at] != '\n'; line++) {
        size_t key = at;
        while (at < size && text[at] >= 'a' && text[at] <= 'z') {
            at++;
        }
        if (at == key || size - at < 2 || text[at] != ':' || text[at + 1] != ' ') {
            return gali_reader_bad(r, "PROV: line %u, offset %zu: expected 'key: value'", line, key);
        }
        while (at < size && text[at] != '\n') {
            at++;
        }
        at += at < size;
    }
    return GAL_OK;
}

static gal_status read_provenance(const gali_reader *r) {
    const gali_reader_section *s = &r->sections[GALI_SECTION_PROV];
    if (s->size > GALI_PROVENANCE_MAX) {
        return gali_reader_bad(r, "PROV: %zu bytes, expected at most %d", s->size, GALI_PROVENANCE_MAX);
    }
    size_t wrong = gali_utf8_check(s->bytes, s->size);
    if (wrong != s->size) {
        return gali_reader_bad(r, "PROV: offset %zu: byte %02x, expected UTF-8 text", wrong, s->bytes[wrong]);
    }
    for (size_t i = 0; i < s->size; i++) { /* a terminal would obey them */
        unsigned char c = s->bytes[i];
        if ((c < 32 && c != '\n' && c != '\t') || c == 127) {
            return gali_reader_bad(r, "PROV: offset %zu: control character %02x, expected text", i, c);
        }
    }
    r->model->provenance = (const char *)s->bytes;
    r->model->provenance_size = s->size;
    return check_keys(r, r->model->provenance, s->size);
}

gal_status gali_model_read(gali_model *model, const void *data, size_t size, gal_error *error) {
    static gal_status (*const steps[])(const gali_reader *) = {
        read_gate,   gali_reader_layers, gali_reader_gating, read_norm,
        read_golden, read_contract,      read_provenance};
    *model = (gali_model){0};
    gali_reader r = {.bytes = data, .size = size, .model = model, .error = error};
    gal_status status = read_table(&r);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == GAL_OK; i++) {
        status = steps[i](&r);
    }
    if (status != GAL_OK) {
        *model = (gali_model){0};
    }
    return status;
}
