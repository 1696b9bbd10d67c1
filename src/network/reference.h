/*
 * The truth that fast runs are judged by: float64, unfused, straight from the formula and from the model's
 * own weights, with nothing folded or packed. Slow, allocates.
 */
#ifndef GALI_NETWORK_REFERENCE_H
#define GALI_NETWORK_REFERENCE_H

#include "network/model.h"

/*
 * y[count][outputs] from raw features x[count][inputs] and gate[count][1] (phases, radians) or
 * gate[count][experts] (a caller's blend); gate is not read with a gating network. GAL_BAD_ARGUMENT for a gate value that is
 * not finite, GAL_NO_MEMORY.
 */
gal_status gali_reference_run(const gali_model *model, uint32_t count, const float *x, const float *gate,
                              double *y, gal_error *error);

/* The whole blend[experts] of one character, from x[inputs] and its gate, as there. */
gal_status gali_reference_blend(const gali_model *model, const float *x, const float *gate, double *blend,
                                gal_error *error);

#endif
