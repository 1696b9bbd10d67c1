/* A program as C: a header and a source that need libm alone, and the constants. */
#ifndef GALI_COMPILER_EMIT_PROGRAM_H
#define GALI_COMPILER_EMIT_PROGRAM_H

#include "compiler/program/program.h"
#include "gallop/compiler.h"
#include "graph/text.h"

typedef struct gali_emit_desc {
    const char *name;   /* prefix of every name: lower-case letters, digits, _ */
    const char *origin; /* of the header's first comment: the model's file */
    int weights_blob;   /* constants in a part of their own, not in the source */
} gali_emit_desc;

/*
 * Fills header, source and, with weights_blob, weights. The program is fused and placed. Errors: GAL_UNSUPPORTED with the
 * node whose loops pass a limit; GAL_NO_MEMORY.
 */
gal_status gali_emit_program(gali_program *program, const gali_emit_desc *desc,
                             gali_text parts[GAL_COMPILED_PART_COUNT], gal_error *error);

/*
 * The order of NAME_call's sizes: number[symbol], zeroed, becomes 1 and on for those that inputs tell, in the order in which
 * they do. Returns their count.
 */
uint32_t gali_emit_sizes(const gali_graph *graph, uint32_t *number);

/* The same for those behind them: outputs have them, and only running tells them. Returns the count of all. */
uint32_t gali_emit_told(const gali_graph *graph, uint32_t *number, uint32_t count);

#endif
