/* A value's own axes (sums.h): splitting, joining, aligning them without changing what the value is. */
#ifndef GALI_RECOGNISE_AXES_H
#define GALI_RECOGNISE_AXES_H

#include "recognise/sums.h"

/* Own axis of size s becomes two, of s / inner and inner. NULL if it failed. */
gali_sum *gali_axis_split(gali_algebra *algebra, const gali_sum *v, uint32_t own, int32_t inner);

/* Whether own axes own and own + 1 step through every factor as one would. */
int gali_axis_can_join(const gali_sum *v, uint32_t own);

/* Makes one of own axes own and own + 1, which can join, in place. */
void gali_axis_join(gali_sum *v, uint32_t own);

/* Takes an own axis out of the value and its terms, in place. */
void gali_axis_remove(gali_sum *v, uint32_t own);

/* Makes an axis of the shape of one own axis at most; v itself where it is so. NULL if it failed. */
gali_sum *gali_axis_flatten(gali_algebra *algebra, gali_sum *v, uint32_t axis);

/* Splits the own axes of axis i of *v and axis j of *w, of the same size, until they are the same. 0 if it failed. */
int gali_axis_align(gali_algebra *algebra, gali_sum **v, uint32_t i, gali_sum **w, uint32_t j);

#endif
