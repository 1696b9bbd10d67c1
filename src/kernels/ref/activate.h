/* The truth that activate_f32 is judged by: float64, straight from the formula. */
#ifndef GALI_KERNELS_REF_ACTIVATE_H
#define GALI_KERNELS_REF_ACTIVATE_H

#include "kernels/kernels.h"

/* y[count] = act(y) in place, the row of one layer's outputs; count >= 1. */
void gali_activate_truth(gali_activation activation, double slope, double *y, uint32_t count);

#endif
