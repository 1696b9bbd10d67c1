/*
 * Controllers for Hexagon with HVX: int8-dot alone, with the bits of the runtime's, as a header and a source of C with intrinsics.
 *
 *     controller.c   the run, layer by layer, as network/run.c has it
 *     weights.c      weights in the layouts of forms, out of an opened network
 *     cost.c         what a layer takes in each form, from counts of packets (costs.def)
 *     select.c       forms of a whole graph whose tensors have layouts
 *     body/          what is not printed
 *
 * A controller's inputs are words and its weights are what lies in vectors, so no tensor has a layout to change: each layer's form
 * is the one that takes the fewest packets.
 */
#ifndef GALI_COMPILER_EMIT_HVX_CONTROLLER_H
#define GALI_COMPILER_EMIT_HVX_CONTROLLER_H

#include "compiler/compilation.h"
#include "compiler/emit/hvx/cost.h"
#include "network/network.h"

/* Fills c->parts of a compilation whose model, target and range of characters are set. Errors: GAL_UNSUPPORTED (layers that are not
 * dense, normalisation by itself, weights as a blob, the blend form), GAL_BAD_DATA, GAL_NO_MEMORY. */
gal_status gali_hvx_compile(gali_compilation *c, gal_error *error);

/* ---- for controller.c ---- */

/* Appends the constants of layer `index` and the struct gali_layer<index> that names them. */
void gali_hvx_add_layer(gali_text *text, const gal_network *network, uint32_t index, gali_hvx_form form);

/* The same of a layer in float32. */
void gali_hvx_add_whole_layer(gali_text *text, const gal_network *network, uint32_t index);

/* An array of floats, as their bits. */
void gali_hvx_add_floats(gali_text *text, const char *name, const float *values, uint32_t count);

/* Outputs of a layer, whole vectors of them in the form. */
uint32_t gali_hvx_height(uint32_t outputs, gali_hvx_form form);

#endif
