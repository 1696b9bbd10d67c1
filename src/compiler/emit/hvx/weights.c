/*
 * Weights as HVX reads them, out of a network that was opened with plain C's tables: the very integers and scales that the
 * runtime runs on. A panel's rows are [vectors * 1] words of four bytes there (kernels/narrow.h).
 */
#include <stdio.h>
#include <string.h>

#include "compiler/emit/hvx/controller.h"

/* One output of one expert in its panel. */
typedef struct source {
    const unsigned char *head; /* its word of the panel's first row */
    size_t stride;             /* bytes from a row to the next */
    uint32_t groups, span;
} source;

static source source_of(const gal_network *network, const gali_packed_layer *layer, uint32_t expert,
                        uint32_t output) {
    uint32_t panel = 0;
    while (panel + 1 < layer->panels && gali_pack_panel_start(layer, panel + 1) <= output) {
        panel++;
    }
    const gali_narrow_panel at = gali_pack_narrow_panel(layer, panel, expert, network->narrow);
    const size_t word = (size_t)(output - at.first) * GALI_NARROW_GROUP;
    return (source){(const unsigned char *)at.weights + word, (size_t)at.vectors * GALI_NARROW_GROUP, at.groups,
                    at.span};
}

/* The word of a row. */
static uint32_t word_at(const source *from, size_t row) {
    uint32_t word;
    memcpy(&word, from->head + row * from->stride, sizeof word);
    return word;
}

/* The row of a group of four inputs: behind the heads, and a word before each block's. */
static size_t row_of_group(const source *from, uint32_t group) {
    return GALI_NARROW_HEAD + group + (from->span ? group / from->span + 1 : 0);
}

uint32_t gali_hvx_height(uint32_t outputs, gali_hvx_form form) {
    const uint32_t rows = 128 / gali_hvx_columns(form);
    return (outputs + rows - 1) / rows * rows;
}

static void add_word(gali_text *text, size_t *at, uint32_t word) {
    gali_text_add(text, "%s0x%x,", (*at)++ % 12 ? "" : "\n    ", word);
}

/* [expert][group of the form][height][columns]: four bytes of it from `at` on, of one expert's group. */
static uint32_t bytes_at(const gal_network *network, const gali_packed_layer *layer, uint32_t expert,
                         uint32_t group, gali_hvx_form form, uint32_t at) {
    const uint32_t each = gali_hvx_columns(form);
    uint32_t word = 0;
    for (uint32_t byte = 0; byte < 4; byte++) {
        const uint32_t output = (at + byte) / each, input = group * each + (at + byte) % each;
        int8_t weight = 0;
        if (output < layer->outputs) {
            const source from = source_of(network, layer, expert, output);
            weight = (int8_t)(word_at(&from, row_of_group(&from, input / 4)) >> 8 * (input % 4));
        }
        word |= (uint32_t)(uint8_t)(weight + 128) << 8 * byte;
    }
    return word;
}

static void add_bytes(gali_text *text, const gal_network *network, uint32_t index, gali_hvx_form form) {
    const gali_packed_layer *layer = &network->layers[index];
    const uint32_t each = gali_hvx_columns(form), height = gali_hvx_height(layer->outputs, form);
    size_t at = 0;
    gali_text_add(text, "static const _Alignas(128) uint32_t gali_weights%u[] = {", index);
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (uint32_t g = 0; g < layer->groups * 4 / each; g++) {
            for (uint32_t i = 0; i < height * each; i += 4) {
                add_word(text, &at, bytes_at(network, layer, e, g, form, i));
            }
        }
    }
    gali_text_add(text, "\n};\n\n");
}

/* An array of words of `rows` rows for each expert, [expert][row][output]; blocks: of the words before blocks, whose upper half
 * is the scale. */
static void add_rows(gali_text *text, const gal_network *network, uint32_t index, const char *name,
                     uint32_t first, uint32_t rows, int blocks) {
    const gali_packed_layer *layer = &network->layers[index];
    size_t at = 0;
    gali_text_add(text, "static const uint32_t gali_%s%u[] = {", name, index);
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t n = 0; n < layer->outputs; n++) {
                const source from = source_of(network, layer, e, n);
                const size_t row = blocks ? GALI_NARROW_HEAD + (size_t)r * (layer->span + 1) : first + r;
                add_word(text, &at, word_at(&from, row) & (blocks ? 0xffff0000u : 0xffffffffu));
            }
        }
    }
    gali_text_add(text, "\n};\n\n");
}

void gali_hvx_add_floats(gali_text *text, const char *name, const float *values, uint32_t count) {
    size_t at = 0;
    gali_text_add(text, "static const uint32_t %s[] = {", name);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        add_word(text, &at, bits);
    }
    gali_text_add(text, "\n};\n\n");
}

static void add_inputs(gali_text *text, const gali_packed_layer *layer, uint32_t index) {
    char name[32];
    snprintf(name, sizeof name, "gali_shift%u", index);
    gali_hvx_add_floats(text, name, layer->shift, layer->inputs);
    snprintf(name, sizeof name, "gali_factor%u", index);
    gali_hvx_add_floats(text, name, layer->factor, layer->inputs);
}

/* "(const float *)gali_heads0, ", or NULL. */
static void add_pointer(gali_text *text, const char *type, const char *name, uint32_t index, int there) {
    if (there) {
        gali_text_add(text, "    .%s = (const %s *)(const void *)gali_%s%u,\n", name, type, name, index);
    }
}

void gali_hvx_add_layer(gali_text *text, const gal_network *network, uint32_t index, gali_hvx_form form) {
    const gali_packed_layer *layer = &network->layers[index];
    const int blocks = layer->span != 0;
    add_bytes(text, network, index, form);
    add_rows(text, network, index, "heads", 0, 2, 0);
    if (blocks) {
        add_rows(text, network, index, "scales", 0, gali_narrow_blocks(layer->groups, layer->span), 1);
    } else {
        add_rows(text, network, index, "sums", GALI_NARROW_HEAD - 1, 1, 0);
    }
    if (layer->shift) {
        add_inputs(text, layer, index);
    }
    gali_text_add(text,
                  "static const gali_hvx_dense gali_layer%u = {\n    .inputs = %u,\n    .outputs = %u,\n"
                  "    .experts = %u,\n    .height = %u,\n    .groups = %u,\n    .span = %u,\n",
                  index, layer->inputs, layer->outputs, layer->experts, gali_hvx_height(layer->outputs, form),
                  layer->groups, layer->span);
    add_pointer(text, "uint8_t", "weights", index, 1);
    add_pointer(text, "float", "heads", index, 1);
    add_pointer(text, "float", "scales", index, blocks);
    add_pointer(text, "int32_t", "sums", index, !blocks);
    add_pointer(text, "float", "shift", index, layer->shift != NULL);
    add_pointer(text, "float", "factor", index, layer->shift != NULL);
    gali_text_add(text, "};\n\n");
}

/* The float of a panel's row, of a layer that is in float32: row 0 has the biases. */
static float whole_at(const gal_network *network, const gali_packed_layer *layer, uint32_t expert, uint32_t row,
                      uint32_t output) {
    uint32_t panel = 0;
    while (panel + 1 < layer->panels && gali_pack_panel_start(layer, panel + 1) <= output) {
        panel++;
    }
    const gali_panel at = gali_pack_panel(layer, panel, expert, network->kernels);
    return at.weights[(size_t)row * at.vectors * network->kernels->lanes + (output - at.first)];
}

void gali_hvx_add_whole_layer(gali_text *text, const gal_network *network, uint32_t index) {
    const gali_packed_layer *layer = &network->layers[index];
    size_t at = 0;
    gali_text_add(text, "static const uint32_t gali_whole%u[] = {", index);
    for (uint32_t e = 0; e < layer->experts; e++) {
        for (uint32_t row = 0; row <= layer->inputs; row++) {
            for (uint32_t n = 0; n < layer->outputs; n++) {
                const float value = whole_at(network, layer, e, row, n);
                uint32_t bits;
                memcpy(&bits, &value, sizeof bits);
                add_word(text, &at, bits);
            }
        }
    }
    gali_text_add(text,
                  "\n};\n\nstatic const gali_hvx_whole gali_layer%u = {%u, %u, %u, (const float *)(const void "
                  "*)gali_whole%u};\n\n",
                  index, layer->inputs, layer->outputs, layer->experts, index);
}
