/*
 * What the operators of scalars.def do to numbers: reals in double, integers and truth values in int64 (u64: its bits),
 * wrapped to their element. Truths and the interpreter of expressions share it.
 */
#ifndef GALI_GRAPH_SCALAR_H
#define GALI_GRAPH_SCALAR_H

#include "graph/evaluate.h"
#include "graph/express.h"

/* An operator with operands but cast, on operands of that element (select: of its second). */
gali_number gali_scalar_compute(gali_scalar_op op, gali_element element, const gali_number v[3]);

/* The operator cast: to an integer cut, then wrapped, 0 for what int64 cannot hold; to a real rounded to it. */
gali_number gali_number_cast(gali_element from, gali_element to, gali_number a);

/* Whether scalars.def has the operator for operands of that element. */
int gali_scalar_has(gali_scalar_op op, gali_element element);

/* The largest and the smallest number of an element; reals: the infinities. */
gali_number gali_element_largest(gali_element element);
gali_number gali_element_smallest(gali_element element);

#endif
