/*
 * The checks of `gallop check`. Each prints one line with its verdict, and below it what is wrong, worst
 * first; the report counts what failed. As JSON: an object a check, in the array that is open.
 */
#ifndef GALI_CLI_CHECK_REPORT_H
#define GALI_CLI_CHECK_REPORT_H

#include "base/error.h"
#include "frames.h"
#include "json.h"
#include "model_file.h"

typedef struct gali_check_report {
    uint32_t failed, warned;
    uint32_t most;   /* lines of detail for one check */
    gali_json *json; /* NULL: lines of text on standard output */
    int open;        /* json: whether a check's object is open, for details */
} gali_check_report;

typedef enum gali_verdict { GALI_PASS, GALI_WARN, GALI_FAIL, GALI_SKIP } gali_verdict;

/* "PASS  name: message"; what is said after it of the same check are details. */
GALI_PRINTF(4, 5)
void gali_check_say(gali_check_report *report, gali_verdict verdict, const char *name, const char *format, ...);

/* A line of detail of the last check. */
GALI_PRINTF(2, 3) void gali_check_detail(gali_check_report *report, const char *format, ...);

/* Ends the last check, whose details stood open as JSON. */
void gali_check_end(gali_check_report *report);

/*
 * Frames against y [count][outputs], what the runtime makes of them; returns whether they pass. Each feature is compared in
 * its own spread: over the frames its root mean square error must keep to the tolerance, and so must each frame's over
 * the features.
 */
int gali_check_frames(gali_check_report *report, const gali_model_file *file, const gali_frames *frames,
                      const float *y);

/* Whether the frames' inputs lie where the normalisation expects them, and its deviations are sane. */
void gali_check_normalisation(gali_check_report *report, const gali_model_file *file,
                              const gali_frames *frames);

/* Bones of the frames' outputs against the skeleton at rest; returns whether they pass. */
int gali_check_bones(gali_check_report *report, const gali_model_file *file, const gali_frames *frames);

/* Rotations of the frames' outputs: valid, and pointing the bones where the positions say; the same. */
int gali_check_rotations(gali_check_report *report, const gali_model_file *file, const gali_frames *frames);

#endif
