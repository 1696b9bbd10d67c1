/*
 * Operators over tensors of bytes, as quantisers write them into graphs: DequantizeLinear, the operator in float32, perhaps Relu or
 * Clip, QuantizeLinear. All of it is one unit, whose arithmetic is of integers.
 *
 *     unit.c     which nodes are one, what is read of them
 *     scale.c    multipliers and shifts in place of scales
 *     region.c   units that run together become a node
 *     plan.c     a region's forms, copies, memory
 *     print.c    a region as C
 *
 * A byte is unsigned in here: of int8 it is the number and 128.
 *
 * What is rounded, and how: a sum of products is exact; its way back to a byte is that of body/tensor.inc. So is a sum of two tensors'. The
 * result is the real number that the unit stands for, rounded, or the byte beside it.
 */
#ifndef GALI_COMPILER_EMIT_HVX_UNIT_H
#define GALI_COMPILER_EMIT_HVX_UNIT_H

#include "compiler/emit/hvx/cost.h"
#include "graph/graph.h"

/* A tensor that stands for scale (byte - zero): [channels][lines][width]; lines and width are 1 of a flat one. */
typedef struct gali_hvx_bytes {
    uint32_t value; /* of the graph */
    uint32_t channels, lines, width;
    double scale;
    int32_t zero;
    int is_signed; /* the graph has them as int8 */
} gali_hvx_bytes;

int gali_hvx_is_flat(const gali_hvx_bytes *bytes);

typedef enum gali_hvx_kind {
    GALI_HVX_UNIT_LAYER,     /* a convolution over all channels */
    GALI_HVX_UNIT_DEPTHWISE, /* of each channel by itself: a depthwise convolution, means under a window */
    GALI_HVX_UNIT_LARGEST,   /* under a window */
    GALI_HVX_UNIT_SUM,       /* of two tensors */
    GALI_HVX_UNIT_TABLE,     /* a function of a byte */
    GALI_HVX_UNIT_MEAN,      /* of each channel: flat */
    GALI_HVX_UNIT_DENSE,     /* flat to flat */
    GALI_HVX_UNIT_FLAT,      /* the same bytes as one list */
} gali_hvx_kind;

/* down, across: its steps; top, left: rows and columns of padding before the tensor, which counts as `fill`. */
typedef struct gali_hvx_window {
    uint32_t high, wide, down, across, apart_down, apart_across, top, left, fill;
} gali_hvx_window;

/* How sums become bytes; see body/tensor.inc. */
typedef struct gali_hvx_scaling {
    int32_t *start;       /* [channels] of the result: what a sum starts at */
    int16_t *multipliers; /* [channels] */
    int32_t shift, zero, least;
} gali_hvx_scaling;

typedef struct gali_hvx_unit {
    gali_hvx_kind kind;
    uint32_t from_count;
    gali_hvx_bytes from[2], to;
    gali_hvx_window window;
    const int8_t *weights; /* [channels][channels of from, 1 of depthwise][high][wide]; NULL: none */
    gali_hvx_scaling scaling;
    int32_t factors[2], constant; /* of a sum; its shift is scaling's */
    uint8_t values[256];          /* of a table */
} gali_hvx_unit;

/*
 * The unit that ends in a node; 0 where there is none: the node is no QuantizeLinear, or what comes before it is nothing that is known
 * here, has a size that is no number, more than one picture, or scales that 16 bits do not hold. In the graph's arena.
 */
int gali_hvx_read_unit(const gali_graph *graph, uint32_t node, gali_hvx_unit *unit);

/* ---- scale.c ---- */

/* What a result's real numbers are clamped to, and the byte of the lower end. 0: bytes below 255 would have to be clamped, too. */
int gali_hvx_least(const gali_hvx_bytes *to, double least, double most, int32_t *byte);

/*
 * Fills the unit's scaling. ratios[channels], above 0: what a sum is multiplied with to be in steps of the result; bounds: what
 * its magnitude is at most. 0 where 16 bits do not hold it.
 */
int gali_hvx_scale_sums(gali_hvx_unit *unit, const double *ratios, const double *bounds);

/* The same of a sum of two tensors. */
int gali_hvx_scale_two(gali_hvx_unit *unit);

#endif
