#include "network/precision.h"

#include <stdio.h>

#include "base/error.h"

const char *gal_precision_name(gal_precision precision) {
    static const char *const names[GAL_PRECISION_COUNT] = {
        [GAL_PRECISION_STORED] = "stored",     [GAL_PRECISION_F32] = "f32",
        [GAL_PRECISION_FP16] = "fp16",         [GAL_PRECISION_BF16] = "bf16",
        [GAL_PRECISION_BF16_DOT] = "bf16-dot", [GAL_PRECISION_INT16] = "int16",
        [GAL_PRECISION_INT8] = "int8",         [GAL_PRECISION_INT8_DOT] = "int8-dot",
    };
    return (unsigned)precision < GAL_PRECISION_COUNT ? names[precision] : "unknown";
}

int gali_precision_has_bytes(gal_precision precision) {
    return precision == GAL_PRECISION_INT8 || precision == GAL_PRECISION_INT8_DOT;
}

int gali_precision_has_integers(gal_precision precision) {
    return gali_precision_has_bytes(precision) || precision == GAL_PRECISION_INT16;
}

int gali_precision_block_fits(uint32_t block) {
    return block >= GALI_BLOCK_LEAST && block <= GALI_BLOCK_MOST && block % GALI_BLOCK_LEAST == 0;
}

gal_status gali_precision_check(const gal_network_desc *desc, gal_error *error) {
    if ((unsigned)desc->precision >= GAL_PRECISION_COUNT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "precision %d: not a precision", (int)desc->precision);
    }
    if (desc->block && !gali_precision_has_integers(desc->precision)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "block %u: for integers alone", desc->block);
    }
    if (desc->block == GAL_BLOCK_ROW && desc->precision == GAL_PRECISION_INT16) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "one scale for a row: for int8 and int8-dot alone");
    }
    if (desc->block && desc->block != GAL_BLOCK_ROW && !gali_precision_block_fits(desc->block)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "block %u: expected a multiple of %d up to %d", desc->block,
                         GALI_BLOCK_LEAST, GALI_BLOCK_MOST);
    }
    return GAL_OK;
}

int gali_precision_is_narrow(gali_precision precision) {
    return precision.precision > GAL_PRECISION_F32;
}

uint32_t gali_precision_block(gal_precision precision, uint32_t block) {
    if (block == GAL_BLOCK_ROW || !gali_precision_has_integers(precision)) {
        return 0;
    }
    return block ? block : precision == GAL_PRECISION_INT16 ? GALI_BLOCK_INT16 : GALI_BLOCK_INT8;
}

/* Whether the layer's weights are stored as the precision's integers. */
static int has_integers_of(const gali_model_layer *layer, gal_precision precision) {
    return layer->weight_type == GALI_WEIGHT_INT8    ? gali_precision_has_bytes(precision)
           : layer->weight_type == GALI_WEIGHT_INT16 ? precision == GAL_PRECISION_INT16
                                                     : 0;
}

gali_precision gali_precision_of(const gal_network_desc *desc, const gali_model_layer *layer) {
    static const gal_precision stored[GALI_WEIGHT_TYPE_COUNT] = {
        [GALI_WEIGHT_F32] = GAL_PRECISION_F32,     [GALI_WEIGHT_F16] = GAL_PRECISION_F32,
        [GALI_WEIGHT_BF16] = GAL_PRECISION_F32,    [GALI_WEIGHT_INT8] = GAL_PRECISION_INT8,
        [GALI_WEIGHT_INT16] = GAL_PRECISION_INT16,
    };
    if (!gali_layer_has_panels(layer->kind)) {
        return (gali_precision){GAL_PRECISION_F32, 0};
    }
    gali_precision precision = {desc->precision, gali_precision_block(desc->precision, desc->block)};
    if (!desc->block && has_integers_of(layer, desc->precision)) {
        precision.block = layer->block;
    }
    if (desc->precision == GAL_PRECISION_STORED) {
        precision = (gali_precision){stored[layer->weight_type], layer->block};
    }
    if (precision.precision == GAL_PRECISION_INT8 && !precision.block) {
        precision.precision = GAL_PRECISION_INT8_DOT;
    }
    return precision;
}

gali_narrow_kind gali_precision_kind(gali_precision precision) {
    switch (precision.precision) {
    case GAL_PRECISION_FP16:
        return GALI_NARROW_F16;
    case GAL_PRECISION_BF16:
        return GALI_NARROW_BF16;
    case GAL_PRECISION_BF16_DOT:
        return GALI_NARROW_BF16_DOT;
    case GAL_PRECISION_INT8:
        return GALI_NARROW_I8_I16;
    case GAL_PRECISION_INT8_DOT:
        return precision.block ? GALI_NARROW_I8_BLOCKS : GALI_NARROW_I8_ROW;
    default:
        return GALI_NARROW_I16_BLOCKS;
    }
}

size_t gali_precision_bytes(gali_precision precision) {
    switch (precision.precision) {
    case GAL_PRECISION_STORED:
    case GAL_PRECISION_F32:
        return 4;
    case GAL_PRECISION_INT8:
    case GAL_PRECISION_INT8_DOT:
        return 1;
    default:
        return 2;
    }
}

void gali_precision_text(gali_precision precision, char text[GALI_PRECISION_TEXT]) {
    const int narrow = gali_precision_is_narrow(precision);
    const char *name = gal_precision_name(narrow ? precision.precision : GAL_PRECISION_F32);
    if (precision.block) {
        snprintf(text, GALI_PRECISION_TEXT, "%s block %u", name, precision.block);
    } else {
        snprintf(text, GALI_PRECISION_TEXT, "%s%s", name,
                 gali_precision_has_bytes(precision.precision) ? " row" : "");
    }
}
