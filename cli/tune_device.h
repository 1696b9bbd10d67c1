/* `gallop tune --target opencl`: tilings of a model's sums of products, measured on a device (gpu/tune.h). */
#ifndef GALI_CLI_TUNE_DEVICE_H
#define GALI_CLI_TUNE_DEVICE_H

#include <stdio.h>

#include "compiler/log/log.h"

typedef struct gali_tune_device_desc {
    const char *model, *external, *sizes; /* the last two of an ONNX model */
    int is_onnx, fast;
    uint32_t device;        /* of gallop probe --list */
    const char *probe_path; /* a file of gallop probe, to prune by; NULL: none */
    int everything;         /* nothing is pruned */
    double seconds;         /* for each count of characters, and about */
    const uint32_t *counts; /* [count] of characters, of a controller */
    uint32_t count;
    const gali_log *log;         /* what is known */
    FILE *file;                  /* where records go; NULL: nowhere */
    int (*watch)(void *context); /* other than 0 ends the search */
    void *context;
} gali_tune_device_desc;

/* Searches and prints the winners. *stopped: watch ended it. Errors name the file. */
gal_status gali_tune_device(const gali_tune_device_desc *desc, int *stopped, gal_error *error);

#endif
