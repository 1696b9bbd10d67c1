/*
 * Gates: from a phase to the experts a character uses and their coefficients (docs/format.md, "GATE").
 *
 * Computed in float64 with exact operations only (fmod, floor, + - x /), then rounded, so the blend has the
 * same bits on every machine. Compiled networks get these functions out of the text of gate.c, in which all that they use
 * is named gali_ (src/compiler/emit/vocabulary.h).
 */
#ifndef GALI_NETWORK_GATE_H
#define GALI_NETWORK_GATE_H

#include "gallop/network.h"

enum { GALI_SPLINE_SLOTS = 4 };

/* Experts that one character uses at a time: 4, 2 or 1 for the phase gates, all of them otherwise (a gating
 * network may keep fewer). */
uint32_t gali_gate_slots(gal_gate_kind kind, uint32_t experts);

/* The phase in [0, 2 pi); NaN for NaN and infinities. */
double gali_gate_wrap(float phase);

/*
 * Experts and coefficients of a phase gate, gali_gate_slots of each, experts ascending. The phase is finite;
 * kind is a phase gate.
 */
void gali_gate_phase(gal_gate_kind kind, uint32_t experts, float phase, uint32_t *expert, double *weight);

/*
 * The `top` largest of a blend[experts] (the lower index wins a tie), experts ascending, divided by their
 * sum; all of them, as they are, where top == experts. A blend with a NaN gives NaN.
 */
void gali_gate_top(const float *blend, uint32_t experts, uint32_t top, uint32_t *expert, float *weight);

#endif
