/* What the compiler makes of a network, as an engine of the bench: compiled, built and loaded when it is prepared. */
#ifndef GALLOP_BENCH_COMPILED_H
#define GALLOP_BENCH_COMPILED_H

#include "../peers/peer.h"

#include "gallop/compiler.h"

/* The engine's context: InterpA is the form per-expert, InterpB the form blend; K: with the embedded inner kernel. */
extern const gal_compile_desc compiled_a_kernel, compiled_a, compiled_b;

void *compiled_prepare(const engine *self, const bench_network *network, uint32_t capacity);
void compiled_run(void *state, const bench_batch *batch);
void compiled_release(void *state);
const char *compiled_unavailable(const engine *self);

#define COMPILED_ENGINE(title, desc)                                                                           \
    {.name = title,                                                                                            \
     .context = &desc,                                                                                         \
     .unavailable = compiled_unavailable,                                                                      \
     .prepare = compiled_prepare,                                                                              \
     .run = compiled_run,                                                                                      \
     .release = compiled_release}

#endif
