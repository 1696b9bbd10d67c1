/*
 * C under construction. Parts are written with the gali_ names of the vocabulary and renamed when the module is put
 * together (module.c):
 *
 *     operators.c   calls of the operators that are not dense layers, whose functions are body/operators.inc
 *     layer.c       functions of dense layers: scheduled loops
 *     constants.c   weights in the order in which a run reads them
 *     module.c      header, source
 */
#ifndef GALI_COMPILER_EMIT_EMISSION_H
#define GALI_COMPILER_EMIT_EMISSION_H

#include "compiler/compilation.h"

typedef struct gali_emission {
    gali_compilation *c;
    gali_text lists;     /* constant index lists, as C arrays */
    gali_text functions; /* of layers, in the order of their definition */
    gali_text calls;     /* the statements of the run, in order */
    gali_text weights;   /* bytes of float32, each constant at a multiple of 64 bytes */
} gali_emission;

/* Appends the call that makes the value of a node that is not a dense layer. */
gal_status gali_emit_operator(gali_emission *e, uint32_t node, gal_error *error);

/* Appends a dense layer's function and its call. */
gal_status gali_emit_layer(gali_emission *e, uint32_t node, gal_error *error);

/* Appends a loop that applies the node's activation to rows of `width` floats in place. */
void gali_emit_activation(gali_text *text, const gali_net_node *node, const char *rows, uint32_t stride,
                          uint32_t width);

/* Appends a constant of float32 to the weights; returns where it starts, in floats. */
size_t gali_emit_floats(gali_emission *e, const float *values, size_t count);

/* Floats between the rows of a node's value: of an input as the caller has them, else whole cache lines. */
uint32_t gali_emit_stride(const gali_net *graph, uint32_t node);

/* Whether characters use fewer experts than there are, so that the blend has a list of them. */
int gali_emit_sparse(const gali_net_type *blend);

/* Puts header, source and weights together into c->parts. */
void gali_emit_module(gali_compilation *c, const gali_emission *e);

#endif
