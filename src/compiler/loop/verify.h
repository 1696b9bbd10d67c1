/*
 * What the verifier's files share: the walk's state, and what each of them checks.
 *
 *     verify.c        statements, parameters, the function
 *     verify_value.c  what a statement reads and writes: indices, accesses, values
 */
#ifndef GALI_COMPILER_LOOP_VERIFY_H
#define GALI_COMPILER_LOOP_VERIFY_H

#include "compiler/loop/prove.h"

enum { GALI_LOOP_ELEMENTS_MAX = 1 << 30 }; /* of one buffer, and the largest variable */

typedef struct gali_loop_checker {
    const gali_loop_function *function;
    gali_loop_known known;
    unsigned char made[GALI_LOOP_BUFFERS_MAX];
    uint32_t visits, depth, loops; /* loops around */
    uint32_t locals;               /* made here or around */
    const gali_loop_statement *at;
    gal_status status;
    gal_error *error;
} gali_loop_checker;

/* Fails at the statement that is being looked at, where nothing has before. 0. */
int gali_loop_refuse(gali_loop_checker *c, const char *message, const char *name);

/* The interval of an index; 0 and a failure where it is too large, or not defined here. */
int gali_loop_check_bound(gali_loop_checker *c, const gali_loop_index *index, gali_interval *result);

/* Whether an index of that interval is never negative. */
int gali_loop_check_sign(gali_loop_checker *c, const gali_loop_index *index, const gali_interval *value);

/* Whether all that is accessed is inside, in lanes that lie side by side. */
int gali_loop_check_access(gali_loop_checker *c, const gali_loop_access *access);

/* Whether a value in that many lanes, that deep in a statement's, has operands that are there and fit. */
int gali_loop_check_value(gali_loop_checker *c, const gali_loop_value *value, uint32_t lanes, uint32_t depth);

#endif
