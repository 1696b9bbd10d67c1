/*
 * C under construction. Parts are written with the gali_ names of the vocabulary and renamed when the module is put
 * together (module.c):
 *
 *     layer.c       groups with a dense layer: scheduled loops
 *     patches.c     those of sparse layers: panels of the patches that are there
 *     rows.c        groups of operators on single elements: a loop of vectors over each row
 *     kernel.c      other operators: calls of the functions that kernels.def names
 *     constants.c   weights in the order in which a run reads them
 *     module.c      header, source
 */
#ifndef GALI_COMPILER_EMIT_EMISSION_H
#define GALI_COMPILER_EMIT_EMISSION_H

#include "compiler/compilation.h"

typedef struct gali_emission {
    gali_compilation *c;
    gali_text lists;     /* constant index lists, as C arrays */
    gali_text functions; /* of layers and rows, in the order of their definition */
    gali_text calls;     /* the statements of the run, in order */
    gali_text weights;   /* bytes of float32, each constant at a multiple of 64 bytes */
} gali_emission;

/* Append a group's function, where it has one of its own, and its call. */
gal_status gali_emit_layer(gali_emission *e, const gali_group *group, gal_error *error);
gal_status gali_emit_patches(gali_emission *e, const gali_group *group, gal_error *error);
gal_status gali_emit_rows(gali_emission *e, const gali_group *group, gal_error *error);
gal_status gali_emit_kernel(gali_emission *e, const gali_group *group, gal_error *error);

/* Append a constant of float32, or truths as 0 and 1, or `count` floats to the weights; return where it starts, in floats. */
size_t gali_emit_constant(gali_emission *e, const gali_value *constant);
size_t gali_emit_floats(gali_emission *e, const float *values, size_t count);

/* Append a value's rows to the calls as two arguments, where they are and how far apart: ", layer0, 96". */
void gali_emit_argument(gali_emission *e, uint32_t value);

/* "layer0", or of a part of a row "layer0 + 32": where the first row of a value is. */
void gali_emit_pointer(gali_text *text, const gali_graph *graph, uint32_t value);

/* Elements between the rows of a value: of an input as the caller has them, else whole cache lines. */
uint32_t gali_emit_stride(const gali_graph *graph, uint32_t value);

/* Appends, as a comment's lines, whose the weights are, as the model file tells: licences ask that it stays with them. */
void gali_emit_provenance(const gali_compilation *c, gali_text *text);

/* Puts header, source and weights together into c->parts. */
void gali_emit_module(gali_compilation *c, const gali_emission *e);

#endif
