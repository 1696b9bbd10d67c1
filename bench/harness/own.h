/* The shapes and weights of a model file, as a bench network. */
#ifndef GALLOP_BENCH_OWN_H
#define GALLOP_BENCH_OWN_H

#include "../peers/peer.h"

/*
 * Reads models/NAME.gallop (or the file named by GALLOP_BENCH_MODEL) and keeps the weights of its live inputs; its
 * normalisation is left out, since it changes no time, and so is a gate other than the cubic one: then everybody,
 * ours too, is handed the blend. weights and biases receive the arrays, owned by the caller. 0 if the file is not
 * there or not usable here.
 */
int own_load(const char *name, bench_network *network, float **weights, float **biases);

#endif
