/* What operators and changes of layout take on HVX: packets, measured under qemu-hexagon at two sizes each and carried to others. */
#ifndef GALI_COMPILER_EMIT_HVX_COST_H
#define GALI_COMPILER_EMIT_HVX_COST_H

#include "gallop/base.h"

/* The forms of products, and with them layouts of 1, 2 and 4 columns (body/product.inc). */
typedef enum gali_hvx_form { GALI_HVX_VMPY, GALI_HVX_VMPA, GALI_HVX_VRMPY, GALI_HVX_FORMS } gali_hvx_form;

/* Columns of a group of the form's layout. */
uint32_t gali_hvx_columns(gali_hvx_form form);

typedef enum gali_hvx_operator {
#define HVX_COST(NAME, ...) GALI_HVX_##NAME,
#include "compiler/emit/hvx/costs.def"
#undef HVX_COST
    GALI_HVX_OPERATORS
} gali_hvx_operator;

/* Sizes of an operator on rows x from -> rows x columns; taps: of a window, else 1. Those without a sum take `from` as 1. */
typedef struct gali_hvx_size {
    uint32_t rows, columns, from, taps;
} gali_hvx_size;

/* Packets of an operator in a form, padding included. A lower bound of cycles. */
int64_t gali_hvx_cost(gali_hvx_operator which, gali_hvx_form form, gali_hvx_size size);

/* Packets of a tensor's way from one layout to another; 0 to itself. */
int64_t gali_hvx_change_cost(gali_hvx_form from, gali_hvx_form to, uint32_t rows, uint32_t columns);

/* Packets of a frame of `lines` lines of `pitch` places for each group of `channels` columns. */
int64_t gali_hvx_frame_cost(gali_hvx_form form, uint32_t channels, uint32_t lines, uint32_t pitch);

/* The form of the least cost. */
gali_hvx_form gali_hvx_cheapest(gali_hvx_operator which, gali_hvx_size size);

#endif
