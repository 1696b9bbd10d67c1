/* Products of values (sums.h), summed over the axes that are not put out. */
#ifndef GALI_RECOGNISE_PRODUCTS_H
#define GALI_RECOGNISE_PRODUCTS_H

#include "recognise/sums.h"

/* What a maker of kind GALI_MAKER_PRODUCT makes of its one or two operands. NULL if it failed. */
gali_sum *gali_sum_product(gali_algebra *algebra, const gali_form *form, const gali_maker *maker,
                           gali_sum *const *operands);

#endif
