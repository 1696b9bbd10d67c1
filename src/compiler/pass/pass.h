/*
 * The passes: a model becomes a graph, the graph is changed step by step, C is made of it. They run in the order of
 * passes.def, and the graph is verified after each.
 */
#ifndef GALI_COMPILER_PASS_PASS_H
#define GALI_COMPILER_PASS_PASS_H

#include "compiler/compilation.h"

/* The i-th pass's name, NULL past the last. */
const char *gali_pass_name(uint32_t i);

/*
 * Runs the passes on a compilation whose model, target, form and range of characters are set, up to the one called `last`;
 * NULL: all. The graph after the pass called `dump`, or after each if that is "all", is added to the part for it.
 */
gal_status gali_pass_run(gali_compilation *c, const char *last, const char *dump, gal_error *error);

/* Each pass leaves a graph that verifies, or fails with a message. */
#define PASS(name, meaning) gal_status gali_pass_##name(gali_compilation *c, gal_error *error);
#include "compiler/pass/passes.def"
#undef PASS

#endif
