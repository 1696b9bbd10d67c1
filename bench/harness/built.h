/* Emitted C of a controller, built by the environment's C compiler (CC, else cc) and loaded; for benches, which it ends with
 * a word where that fails. */
#ifndef GALLOP_BENCH_BUILT_H
#define GALLOP_BENCH_BUILT_H

#include "gallop/compiler.h"

/* NAME_run of a module named "net" (gallop/compiler.h). */
typedef int net_run(uint32_t count, const float *x, const float *gate, float *y, const float *weights,
                    void *workspace);

typedef struct built {
    void *object;
    float *weights;
    uint32_t workspace; /* floats a character */
    net_run *run;
} built;

/* Builds a module named "net" with its weights as a blob, as its header tells, in a folder that is gone then. */
built built_make(const gal_compiled *made);

/* Does nothing to a zeroed one. */
void built_release(built *b);

#endif
