/*
 * What is run: networks by name, a batch of inputs, and the float64 truth to hold every engine against.
 *
 * Names: paper 912-256-256-1032, mirror 1032-256-256-908, holden 342-512-512-311, holden-live (the same, of
 * whose 342 inputs 258 are live: peers are handed the smaller network and packed inputs, ours the whole
 * file and raw rows), mann 468-512-512-363 with 8 experts blended by the caller, walker and dog (the
 * shapes and weights of models/walker.gallop and models/dog.gallop). name.1, name.2, ...: one layer.
 */
#ifndef GALLOP_BENCH_PROBLEM_H
#define GALLOP_BENCH_PROBLEM_H

#include "../peers/peer.h"

typedef struct problem {
    bench_network network;
    bench_batch batch; /* of the greatest count; fewer characters are its first ones */
    float *weights[BENCH_LAYERS_MAX], *biases[BENCH_LAYERS_MAX];
    double *truth; /* [capacity][outputs] */
    uint32_t capacity, inputs, outputs;
    double weight_bytes, fma; /* of the whole network; FMAs for one character */
} problem;

/* Makes the named network with random weights and a batch of capacity characters. 0: made; -1: no such name;
 * 1: not there (a model without its file). */
int problem_make(problem *p, const char *name, uint32_t capacity);
void problem_free(problem *p);

/* The batch of the first count characters, outputs poisoned with NaN. */
bench_batch problem_batch(problem *p, uint32_t count);

/* Greatest |error| over a character's outputs relative to their root mean square, over the first count
 * characters; infinite where a value is not finite. */
double problem_error(const problem *p, uint32_t count);

#endif
