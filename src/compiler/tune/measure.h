/*
 * How fast schedules are: compiled together, many functions in one file, since the compiler's start and its headers
 * cost more than a function; then each timed in turns with the reference kernel, call by call. A schedule's figure is
 * the median of its ratios to the reference's neighbouring call, so what slows the machine down for a while slows both.
 */
#ifndef GALI_COMPILER_TUNE_MEASURE_H
#define GALI_COMPILER_TUNE_MEASURE_H

#include "compiler/log/log.h"
#include "compiler/tune/scene.h"

enum {
    GALI_MEASURE_BATCH_MAX = 64,
    GALI_MEASURE_QUICK = 31,   /* pairs of calls that rank candidates */
    GALI_MEASURE_LONGER = 101, /* that keep an eye on the leaders */
    GALI_MEASURE_SURE = 301,   /* that decide between them */
};

/*
 * Measures `count` schedules for the scene's most characters. One that cannot be applied, or whose result has other
 * bits than the runtime's, has failed, and says why; what fails as a whole (no compiler, no memory) is an error.
 */
gal_status gali_measure(gali_scene *scene, const gali_schedule *schedules, uint32_t count, uint32_t pairs,
                        gali_measured *results, gal_error *error);

/* Appends a C file of the schedules' functions. functions[i] is NULL where one cannot be: results[i] says why. */
gal_status gali_measure_write(const gali_scene *scene, const gali_schedule *schedules, uint32_t count,
                              gali_loop_function **functions, gali_measured *results, gali_arena *arena,
                              gali_text *text, gal_error *error);

#endif
