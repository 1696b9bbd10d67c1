/* Inputs of graphs whose nodes have bodies, and a loop that ends itself: for their truth and for programs made of them. */
#ifndef TEST_GRAPH_BODIES_H
#define TEST_GRAPH_BODIES_H

#include "graph/evaluate.h"

static double numbers[] = {1, 2, 3, 4, 5, 6};

static inline gali_tensor matrix(void) {
    return (gali_tensor){.element = GALI_f32, .rank = 2, .shape = {3, 2}, .count = 6, .real = numbers};
}

static inline gali_tensor scalar(gali_element element, int64_t *value) {
    return (gali_tensor){.element = element, .count = 1, .whole = value};
}

/* x doubled until the trips are over, or it is 16; each trip's number is kept. The condition is that x < 16. */
static const char *const doubling =
    "input %0: i64[]\ninput %1: i64[1]\nconstant %2: bool[] = 1\nconstant %3: i64[1] = 16\n"
    "%4: i64[...], %5: i64[...] = Loop (%0, %2, %1, %3) carried:int=1\n"
    "body\ninput %0: i64[]\ninput %1: bool[]\ninput %2: i64[1]\ninput %3: i64[1]\nconstant %4: i64[0] =\n"
    "%5: i64[1] = Add (%2, %2)\n%6: bool[1] = Less (%5, %3)\n%7: bool[] = Reshape (%6, %4)\n"
    "output %7\noutput %5\noutput %0\nend\noutput %4\noutput %5\n";

#endif
