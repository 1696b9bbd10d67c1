/* Precisions of a layer's arithmetic: which one it runs in, and what that is called. */
#ifndef GALI_NETWORK_PRECISION_H
#define GALI_NETWORK_PRECISION_H

#include "gallop/network.h"
#include "kernels/narrow.h"
#include "network/layer.h"

enum {
    GALI_BLOCK_INT8 = 32, /* where none is asked for */
    GALI_BLOCK_INT16 = 96,
    GALI_BLOCK_LEAST = GALI_NARROW_BLOCK,
    GALI_BLOCK_MOST = 512, /* sums of bytes over it are exact in float32, those with int16 fit into int32 */
    GALI_PRECISION_TEXT = 24,
};

/* What a layer runs in; zero is float32. block: the inputs that share a scale, of integers; int8-dot with one for all of them: 0. */
typedef struct gali_precision {
    gal_precision precision;
    uint32_t block;
} gali_precision;

/* Whether weights are int8, or int8 or int16. */
int gali_precision_has_bytes(gal_precision precision);
int gali_precision_has_integers(gal_precision precision);

/* Whether a block of a desc or a file may be. */
int gali_precision_block_fits(uint32_t block);

/* GAL_BAD_ARGUMENT, unless the desc asks for a precision and a block that there are. */
gal_status gali_precision_check(const gal_network_desc *desc, gal_error *error);

/* The layer's: what the desc asks for, else what its weights are stored as. Layers without panels are float32. */
gali_precision gali_precision_of(const gal_network_desc *desc, const gali_model_layer *layer);

/* Whether it is another than float32, which zero means, too. */
int gali_precision_is_narrow(gali_precision precision);

/* The block that a precision gets where a desc's is 0 or GAL_BLOCK_ROW or a number. */
uint32_t gali_precision_block(gal_precision precision, uint32_t block);

/* The kernels of a precision other than float32. */
gali_narrow_kind gali_precision_kind(gali_precision precision);

/* Bytes of a packed weight. */
size_t gali_precision_bytes(gali_precision precision);

/* "f32", "int16 block 96", "int8-dot row", ...: as plans have it. */
void gali_precision_text(gali_precision precision, char text[GALI_PRECISION_TEXT]);

#endif
