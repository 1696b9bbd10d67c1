/*
 * Whether an index is never negative, for all values of the variables: what the verifier asks where intervals alone do not
 * tell. `i < n - 2` inside of `for i in n - 2` is n - 3 - i >= 0: variables are replaced by what bounds them, the last
 * defined first, until only symbols are left, in polynomials, since sizes are products:
 *
 *     for b in batch { for t in length { .. y[at + t] ..     at = product(b, length), y[rows], rows = product(batch, length)
 *     rows - 1 - at - t = batch length - 1 - b length - t >= batch length - b length - length >= 0
 *
 * A quotient is bounded after all is multiplied by what it is divided by.
 */
#ifndef GALI_COMPILER_LOOP_PROVE_H
#define GALI_COMPILER_LOOP_PROVE_H

#include "compiler/loop/loop.h"
#include "graph/interval.h"

enum { GALI_PROVE_FACTS_MAX = 16 };

/* What is known at a place of a function. */
typedef struct gali_loop_known {
    gali_interval value[GALI_LOOP_VARIABLES_MAX];
    unsigned char defined[GALI_LOOP_VARIABLES_MAX];
    /* the loop or let that defined it; NULL of a symbol */
    const gali_loop_statement *by[GALI_LOOP_VARIABLES_MAX];
    uint32_t order[GALI_LOOP_VARIABLES_MAX], orders; /* a variable follows those that define it */
    gali_loop_index fact[GALI_PROVE_FACTS_MAX];      /* that are not negative here, by the selects around */
    uint32_t facts, variables;
} gali_loop_known;

/* Whether index >= 0; 0 also where that is not found out. All its variables are defined. */
int gali_loop_prove(const gali_loop_known *known, const gali_loop_index *index);

#endif
