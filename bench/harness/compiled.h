/*
 * What the compiler makes of a network, as an engine of the bench: compiled, built as its header tells, and loaded when
 * it is prepared; where a log of `gallop tune` chooses the schedules, anew for each count of characters.
 *
 * Logs are GALLOP_BENCH_LOGS/tune-template.jsonl and tune-auto.jsonl (bench_network --logs); without them those engines
 * are skipped.
 */
#ifndef GALLOP_BENCH_COMPILED_H
#define GALLOP_BENCH_COMPILED_H

#include "../peers/peer.h"

/* The engine's context. */
typedef struct compiled_how {
    const char *way;    /* of `gallop tune`; NULL: the written schedules */
    const char *target; /* NULL: the best that this machine runs */
    int blend;          /* InterpB, the form blend; else InterpA, per-expert */
    int kernel;         /* with the embedded inner kernel */
} compiled_how;

void *compiled_prepare(const engine *self, const bench_network *network, uint32_t capacity);
void compiled_ready(void *state, const bench_batch *batch);
void compiled_run(void *state, const bench_batch *batch);
void compiled_release(void *state);
const char *compiled_unavailable(const engine *self);

#define COMPILED_ENGINE(title, roof_name, ...)                                                                 \
    {.name = title,                                                                                            \
     .roof = roof_name,                                                                                        \
     .context = &(const compiled_how){__VA_ARGS__},                                                            \
     .unavailable = compiled_unavailable,                                                                      \
     .prepare = compiled_prepare,                                                                              \
     .ready = compiled_ready,                                                                                  \
     .run = compiled_run,                                                                                      \
     .release = compiled_release}

/* All of an instruction set; prefix is "compiled" or "compiled avx2". */
#define COMPILED_ENGINES(prefix, roof_name, name)                                                              \
    COMPILED_ENGINE(prefix " InterpA+K", roof_name, .target = name, .kernel = 1),                              \
        COMPILED_ENGINE(prefix " InterpA", roof_name, .target = name),                                         \
        COMPILED_ENGINE(prefix " InterpB", roof_name, .target = name, .blend = 1),                             \
        COMPILED_ENGINE(prefix " template InterpA", roof_name, .target = name, .way = "template"),             \
        COMPILED_ENGINE(prefix " template InterpB", roof_name, .target = name, .way = "template", .blend = 1), \
        COMPILED_ENGINE(prefix " auto InterpA", roof_name, .target = name, .way = "auto"),                     \
        COMPILED_ENGINE(prefix " auto InterpB", roof_name, .target = name, .way = "auto", .blend = 1)

#endif
