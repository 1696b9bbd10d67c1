/* This library as an engine of the bench: through its public API, from a model file made in memory. */
#ifndef GALLOP_BENCH_OURS_H
#define GALLOP_BENCH_OURS_H

#include "../peers/peer.h"

#include "gallop/network.h"

/* The engine's context: how the network is opened. */
extern const gal_network_desc ours_int16, ours_int8, ours_int8_dot, ours_int8_row, ours_bf16, ours_bf16_dot,
    ours_fp16;
extern const gal_network_desc ours_tuned_int16, ours_tuned_int8, ours_tuned_int8_row;
extern const gal_network_desc ours_avx2_int16, ours_avx2_int8;
extern const gal_network_desc ours_default, ours_tuned, ours_blend, ours_avx2, ours_scalar;

/* The network as a model file of *size bytes, released by bench_free. */
void *ours_bytes(const bench_network *network, size_t *size);

const char *ours_unavailable(const engine *self);
void *ours_prepare(const engine *self, const bench_network *network, uint32_t capacity);
void ours_run(void *state, const bench_batch *batch);
void ours_release(void *state);

/* Of reduced precision: held against the same roof, that of exact float32, which it may pass. */
#define OURS_NARROW(title, desc, limit)                                                                        \
    {.name = title,                                                                                            \
     .error_limit = limit,                                                                                     \
     .context = &desc,                                                                                         \
     .unavailable = ours_unavailable,                                                                          \
     .prepare = ours_prepare,                                                                                  \
     .run = ours_run,                                                                                          \
     .release = ours_release}

#define OURS_ENGINE(title, desc, roof_name)                                                                    \
    {.name = title,                                                                                            \
     .roof = roof_name,                                                                                        \
     .context = &desc,                                                                                         \
     .unavailable = ours_unavailable,                                                                          \
     .prepare = ours_prepare,                                                                                  \
     .run = ours_run,                                                                                          \
     .release = ours_release}

#endif
