/* What a precision costs and saves: errors layer by layer, drift and feet in closed loop, sizes, times. */
#ifndef GALI_CLI_QUANTIZE_REPORT_H
#define GALI_CLI_QUANTIZE_REPORT_H

#include "model_file.h"
#include "network/precision.h"

typedef struct gali_quantize_report {
    const gali_model_file *from, *to; /* as given, and quantised */
    gali_precision precision;
    double seconds; /* of each script in closed loop */
} gali_quantize_report;

/* Prints it; says in its lines what it cannot measure. */
gal_status gali_quantize_report_print(const gali_quantize_report *report, gal_error *error);

#endif
