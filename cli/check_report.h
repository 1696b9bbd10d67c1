/*
 * The checks of `gallop check`. Each prints one line with its verdict, and below it what is wrong, worst
 * first; the report counts what failed.
 */
#ifndef GALI_CLI_CHECK_REPORT_H
#define GALI_CLI_CHECK_REPORT_H

#include "base/error.h"
#include "model_file.h"

typedef struct gali_check_report {
    uint32_t failed, warned;
    uint32_t most; /* lines of detail for one check */
} gali_check_report;

typedef enum gali_verdict { GALI_PASS, GALI_WARN, GALI_FAIL, GALI_SKIP } gali_verdict;

/* "PASS  name: message" */
__attribute__((format(printf, 4, 5))) void gali_check_say(gali_check_report *report, gali_verdict verdict,
                                                          const char *name, const char *format, ...);

/* Golden frames: y is float32 [frames][outputs], what the runtime makes of them. */
void gali_check_golden(gali_check_report *report, const gali_model_file *file, const float *y);

/* Whether the golden inputs lie where the normalisation expects them, and its deviations are sane. */
void gali_check_normalisation(gali_check_report *report, const gali_model_file *file);

/* Bones of the golden outputs against the skeleton at rest. */
void gali_check_bones(gali_check_report *report, const gali_model_file *file);

/* Rotations of the golden outputs: valid, and pointing the bones where the positions say. */
void gali_check_rotations(gali_check_report *report, const gali_model_file *file);

#endif
