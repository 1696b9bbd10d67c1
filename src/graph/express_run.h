/*
 * Expressions computed by brute force, in doubles and int64, element by element: what they say, without a compiler.
 * Tests hold it against the truths of operators.
 */
#ifndef GALI_GRAPH_EXPRESS_RUN_H
#define GALI_GRAPH_EXPRESS_RUN_H

#include "graph/evaluate.h"
#include "graph/express.h"

/*
 * Checks what express.h and scalars.def promise of stages: elements of operands and results, axes, sources, order. GAL_BAD_DATA
 * with the stage.
 */
gal_status gali_express_verify(const gali_express *x, gal_error *error);

/*
 * Computes results[result_count], released by the caller on success, from operands (NULL: not given), where symbol i of
 * the graph's extents is symbols[i] (NULL: there are none). A load or a stage's element that lies outside its tensor is
 * GAL_BAD_DATA, also where it would not change the result.
 */
gal_status gali_express_run(gali_run *run, const gali_express *x, const int64_t *symbols,
                            const gali_tensor *const *operands, gali_tensor *results);

/* An element that is read: of operand `source`, or of an earlier stage. looked_up: where it stands, an element says, another one for
 * another place. */
typedef struct gali_read {
    uint32_t stage; /* that reads it */
    size_t element; /* that is computed, row-major */
    int of_stage;
    uint32_t source;
    size_t at; /* row-major */
    int looked_up;
} gali_read;

/* The same, and every element that values are computed of (those that only say where others stand left out) is told. */
gal_status gali_express_trace(gali_run *run, const gali_express *x, const int64_t *symbols,
                              const gali_tensor *const *operands, gali_tensor *results,
                              void (*tell)(void *who, const gali_read *read), void *who);

#endif
