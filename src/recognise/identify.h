/* What a nonlinear part of a form computes, told by its values: it may be spelled in any way. */
#ifndef GALI_RECOGNISE_IDENTIFY_H
#define GALI_RECOGNISE_IDENTIFY_H

#include "gallop/network.h"
#include "kernels/kernels.h"
#include "recognise/form.h"

typedef enum gali_what {
    GALI_WHAT_UNKNOWN = 0,
    GALI_WHAT_ACTIVATION, /* number by number, or softmax over the last axis */
    GALI_WHAT_LAYER_NORM, /* (x - mean) / sqrt(variance + epsilon) over the last axis */
    GALI_WHAT_PHASE_GATE, /* the blend of a phase in radians, an input of the graph */
} gali_what;

typedef struct gali_identity {
    gali_what what;
    uint32_t base; /* the value that it is a function of, and of nothing else */
    gali_activation activation;
    double slope, epsilon;
    gal_gate_kind gate;
    uint32_t experts;
} gali_identity;

/* Of a value that depends on an input. 0 if it failed; what is GALI_WHAT_UNKNOWN if it is none of these. */
int gali_identify(gali_form *form, uint32_t value, gali_identity *identity);

#endif
