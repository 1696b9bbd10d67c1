/*
 * Arithmetic with fewer bits than float32, behind one table per instruction set, beside kernels.h.
 *
 * As there, vectors run along the outputs, experts follow one another, and every table has the same bits. Inputs
 * are prepared once per character and layer: x' = (x - shift) factor in float32, then, for the kinds that want
 * integers, x' ~ scale (q - zero):
 *     blocks    scale = max |x'| / most in each block, q = round(x' / scale), zero = 0; most is GALI_I16_MOST, for
 *               int8 inputs GALI_I8_MOST
 *     int8 row  scale = (max(x', 0) - min(x', 0)) / 254, q in -127..127, zero = round(-127 - min / scale)
 *     bf16 dot  x' to nearest even, and to 0 under 2^-55: so no product and no sum is a denormal
 * with ties to even, divisions and products rounded to float32. An input that is not finite makes the result
 * NaN: of integers and bf16 dot by the scale of the inputs, which is NaN then, whichever inputs a panel has; of f16 and
 * bf16 by the sums (or infinite), so that of a sparse panel only the inputs of its patches count.
 *
 * Output n of an expert is f, then value = fma(f scale_of_inputs, scale[n], bias[n]), then y = fma(w, value, y)
 * from 0 on:
 *     blocks                f = 0, then f = fma(float(sum of q w over the block) scale of the block's inputs, scale of
 *                           the block's weights, f), block after block
 *     int8 row              f = float(sum of (q - zero) w over all k), an exact integer
 *     f16, bf16             f = 0, then f = fma(x'[k], w[k], f) for k ascending
 *     bf16 dot              the same with rounded x', each pair of inputs in the order k + 1, k
 * An integer becomes a float32 by rounding to nearest even. No sum leaves an int32: those of int16 because |w| adds up
 * to at most GALI_I16_SUM in a block, those of int8 because 254 x 127 x 65536 < 2^31, those of int8 weights and int16
 * inputs because 127 x GALI_I16_MOST x 512 < 2^31.
 *
 * A group is four bytes of one output: 2 or 4 inputs (narrow.def); missing ones at the end are 0. Weights of a panel,
 * 64-byte aligned, everything of a row [vectors * lanes] outputs wide, for each expert:
 *     float bias[], float scale[], int32 sum[]: int8 row: sum of w; else 0
 *     groups of 4 bytes [groups][]; blocks: before each `span` of them uint32 word[]: the scale as bfloat16 in the upper
 *     half, and in the lower half, for int8 in tables with unsigned bytes, minus the sum of w as int16
 * Of a sparse panel (kernels.h) the groups of its patches alone are there, one patch's behind the other's, and the words of
 * the blocks that have any: what another would add is a 0, of inputs that are finite.
 * Within a vector's groups the table's layout says which byte is whose (gali_narrow_place).
 */
#ifndef GALI_KERNELS_NARROW_H
#define GALI_KERNELS_NARROW_H

#include "kernels/gemm.h"
#include "kernels/kernels.h"

typedef enum gali_narrow_kind {
#define NARROW(name, inputs, unit, panel, prepare, meaning) GALI_NARROW_##name,
#include "kernels/narrow.def"
#undef NARROW
    GALI_NARROW_COUNT
} gali_narrow_kind;

enum {
    GALI_I16_MOST = 11585,                     /* of int16 inputs: 2^13.5 */
    GALI_I16_SUM = 0x7fffffff / GALI_I16_MOST, /* of int16 weights in a block, their sizes added */
    GALI_I8_MOST = 127,
    GALI_NARROW_BLOCK = 16,   /* blocks are multiples of it, or vectors would straddle them */
    GALI_NARROW_ROWS_MAX = 8, /* characters in a tile */
    GALI_NARROW_HEAD = 3,     /* rows before an expert's groups: bias, scale, sum */
    GALI_NARROW_GROUP = 4,    /* bytes */
};

/* Where the inputs of a vector's groups lie; see gali_narrow_place. */
typedef enum gali_narrow_layout {
    GALI_LAYOUT_OUTPUTS, /* [lane][input]: an output's group is one word */
    GALI_LAYOUT_INPUTS,  /* [input][lane] */
    GALI_LAYOUT_PAIRS,   /* [2][lane][2]: bytes alone */
    GALI_LAYOUT_EIGHTS,  /* [lane][8] of two groups together, half of the lanes in each: bytes alone */
} gali_narrow_layout;

/* A block of a sparse panel that has patches: which of the inputs' it is, and how many. */
typedef struct gali_narrow_block {
    uint32_t index, patches;
} gali_narrow_block;

typedef struct gali_narrow_panel {
    const void *weights;   /* of `experts` consecutive experts */
    uint32_t groups, span; /* all of an output, and how many are a block */
    uint32_t vectors;      /* 1..GALI_PANEL_VECTORS_MAX */
    uint32_t rows;         /* characters a tile, at most the table's; 0: the table's */
    uint32_t experts;
    uint32_t first;   /* the layer's output that the panel starts at */
    uint32_t outputs; /* of the panel that exist */
    const uint32_t
        *patches; /* [patch_count] inputs that the patches start at, multiples of 8; NULL: a dense panel */
    const gali_narrow_block
        *blocks; /* [block_count] of a sparse panel of a kind with blocks: those with patches */
    uint32_t patch_count, block_count;
} gali_narrow_panel;

/* A character of a panel call: gali_row with prepared inputs. */
typedef struct gali_narrow_row {
    const void *x;       /* [groups] of the kind's inputs: int8, int16, bfloat16, or float32; 8-byte aligned */
    const float *scales; /* [blocks] of the inputs, for the kinds with blocks */
    float *y;            /* [outputs of the layer] */
    const float *blend;  /* [experts of the panel] */
    uint32_t mode;       /* GALI_ROW_FIRST | GALI_ROW_LAST */
    float scale;         /* of the inputs: int8 row; else 1 */
    int32_t zero;        /* int8 row: as the table's bytes are, zero + 128 where they are unsigned; else 0 */
} gali_narrow_row;

/* What is prepared. */
typedef struct gali_narrow_input {
    const float *x;              /* [count] */
    const float *shift, *factor; /* [count], or both NULL for 0 and 1 */
    uint32_t count;
    uint32_t groups; /* of the result: count padded with zeros */
    uint32_t span;   /* groups of a block, for the kinds with blocks */
} gali_narrow_input;

/* y = or += the panel for some characters; no activation. */
typedef void gali_narrow_run(const gali_narrow_panel *panel, const gali_narrow_row *rows, uint32_t count);

/* Fills [groups] at q and, behind them, the blocks' scales; and x, scales, scale and zero of the row. */
typedef void gali_narrow_prepare(const gali_narrow_input *input, void *q, gali_narrow_row *row);

typedef struct gali_narrow gali_narrow;
struct gali_narrow {
    gal_isa isa;
    const gali_narrow *base; /* has the kinds that this table does not do better; NULL: this one has all */
    uint32_t lanes;          /* floats in a vector, as of the float32 table */
    int signed_bytes;        /* int8 inputs are q; otherwise q + 128 */
    gali_narrow_layout layout[GALI_NARROW_COUNT]; /* this and what follows: of the kinds that it has */
    const uint32_t (*tile_rows)[GALI_PANEL_VECTORS_MAX + 1]; /* [GALI_NARROW_COUNT], by width in vectors */
    gali_narrow_run *panel[GALI_NARROW_COUNT];
    gali_narrow_prepare *prepare[GALI_NARROW_COUNT];
    const gali_gemm_table *gemm; /* products of integer matrices; NULL: the base's */
};

/* The table of an available instruction set, and of it and its bases the one that has the kind. */
const gali_narrow *gali_narrow_get(gal_isa isa);
const gali_narrow *gali_narrow_of(const gali_narrow *table, gali_narrow_kind kind);

/* Its or its bases' tiles of integer products. */
const gali_gemm_table *gali_narrow_gemm(const gali_narrow *table);

/* Inputs in a group: 2 or 4. */
uint32_t gali_narrow_inputs(gali_narrow_kind kind);

/* Groups of so many inputs, as many as every table's layout needs. */
uint32_t gali_narrow_groups(gali_narrow_kind kind, uint32_t inputs);

/* Bytes of a character's prepared inputs. */
size_t gali_narrow_input_size(gali_narrow_kind kind, uint32_t groups, uint32_t span);

/* Whether the kind has a scale per block, and blocks of so many groups. */
int gali_narrow_has_blocks(gali_narrow_kind kind);
uint32_t gali_narrow_blocks(uint32_t groups, uint32_t span);

/* Bytes of one expert of a panel; GALI_SIZE_BAD if that overflows. */
size_t gali_narrow_expert_size(gali_narrow_kind kind, uint32_t groups, uint32_t span, uint32_t width);

/* Offset in bytes of input k of lane `lane` from the start of its vector in group 0, in groups `stride` bytes apart; the table has
 * the kind. */
size_t gali_narrow_place(const gali_narrow *table, gali_narrow_kind kind, uint32_t lane, uint32_t k,
                         size_t stride);

/* float32 to bfloat16 and float16, to nearest even. */
uint16_t gali_bf16_round(float a);
uint16_t gali_f16_round(float a);

extern const gali_narrow gali_narrow_scalar;
extern const gali_narrow gali_narrow_avx2;
extern const gali_narrow gali_narrow_avx2_vnni;
extern const gali_narrow gali_narrow_avx512;
extern const gali_narrow gali_narrow_avx512_vnni;
extern const gali_narrow gali_narrow_avx512_bf16;
extern const gali_narrow gali_narrow_neon;
extern const gali_narrow gali_narrow_neon_dot;
extern const gali_narrow gali_narrow_neon_bf16;
extern const gali_narrow gali_narrow_neon_i8mm;
extern const gali_narrow gali_narrow_wasm;

#endif
