/*
 * Gates: from a phase to the experts a character uses and their coefficients (docs/format.md, "GATE").
 *
 * Computed in float64 with exact operations only (fmod, floor, + - x /), then rounded, so the blend has the
 * same bits on every machine.
 */
#ifndef GALI_NETWORK_GATE_H
#define GALI_NETWORK_GATE_H

#include "gallop/network.h"

enum { GALI_SPLINE_SLOTS = 4 };

/* Experts that one character uses at a time: 4, 2 or 1 for the phase gates, all of them otherwise. */
uint32_t gali_gate_slots(gal_gate_kind kind, uint32_t experts);

/* The phase in [0, 2 pi); NaN for NaN and infinities. */
double gali_gate_wrap(float phase);

/*
 * Experts and coefficients of a phase gate, gali_gate_slots of each, experts ascending. The phase is finite;
 * kind is not GAL_GATE_CALLER.
 */
void gali_gate_phase(gal_gate_kind kind, uint32_t experts, float phase, uint32_t *expert, double *weight);

#endif
