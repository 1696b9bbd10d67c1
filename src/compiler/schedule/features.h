/*
 * A function of loops as numbers: what the hardware cannot hold is refused before anything is compiled, and the cost
 * model learns from the rest.
 */
#ifndef GALI_COMPILER_SCHEDULE_FEATURES_H
#define GALI_COMPILER_SCHEDULE_FEATURES_H

#include "compiler/loop/loop.h"
#include "compiler/target.h"

/* FEATURE(name, meaning); "hot": the innermost loop that most multiply-adds are in. */
#define GALI_FEATURES                                                                                          \
    FEATURE(estimate, "log2 of what a simple model says that it takes, in multiply-adds")                      \
    FEATURE(adds, "log2 of multiply-adds, vectors counting as one")                                            \
    FEATURE(registers, "vectors that the hot loop uses, of the target's registers")                            \
    FEATURE(body, "log2 of the hot loop's unrolled statements")                                                \
    FEATURE(code, "log2 of the statements of all cases, unrolled")                                             \
    FEATURE(turns, "log2 of its turns")                                                                        \
    FEATURE(visits, "log2 of the times it is entered")                                                         \
    FEATURE(vector_loads, "vectors loaded from parameters a multiply-add, hot")                                \
    FEATURE(scalar_loads, "single floats loaded a multiply-add, hot")                                          \
    FEATURE(independent, "multiply-adds a turn that do not wait for each other")                               \
    FEATURE(stream, "floats between the vectors of two turns, 1 where they are neighbours")                    \
    FEATURE(local, "KB of locals, against the nearest cache")                                                  \
    FEATURE(beside, "statements outside of the hot loop a multiply-add")                                       \
    FEATURE(constants, "log2 of floats of constants that are loaded")

enum {
#define FEATURE(name, meaning) GALI_FEATURE_##name,
    GALI_FEATURES
#undef FEATURE
        GALI_FEATURE_COUNT
};

/*
 * Fills features[GALI_FEATURE_COUNT] for the symbols' largest values. Returns NULL if the target can hold it, else why
 * not: more vectors in the hot loop than registers, locals beyond the nearest cache, more code than is worth compiling,
 * scalars where there are vectors, or much more work than `work` multiply-adds.
 */
const char *gali_features_of(const gali_loop_function *function, const gali_target *target, double work,
                             float *features);

#endif
