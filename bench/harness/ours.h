/* This library as an engine of the bench: through its public API, from a model file made in memory. */
#ifndef GALLOP_BENCH_OURS_H
#define GALLOP_BENCH_OURS_H

#include "../peers/peer.h"

#include "gallop/network.h"

/* The engine's context is a gal_isa. */
extern const gal_isa ours_isa[GAL_ISA_COUNT];

const char *ours_unavailable(const engine *self);
void *ours_prepare(const engine *self, const bench_network *network, uint32_t capacity);
void ours_run(void *state, const bench_batch *batch);
void ours_release(void *state);

#define OURS_ENGINE(title, isa, roof_name)                                                                     \
    {.name = title,                                                                                            \
     .roof = roof_name,                                                                                        \
     .context = &ours_isa[isa],                                                                                \
     .unavailable = ours_unavailable,                                                                          \
     .prepare = ours_prepare,                                                                                  \
     .run = ours_run,                                                                                          \
     .release = ours_release}

#endif
