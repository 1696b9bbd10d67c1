/* What tools may see of a network on a GPU beyond the public interface. */
#ifndef GALI_GPU_GPU_H
#define GALI_GPU_GPU_H

#include "compiler/compilation.h"
#include "gallop/gpu.h"
#include "gpu/run.h"
#include "gpu/staging.h"

struct gal_gpu {
    gali_compilation compilation; /* whose arena has the program and the plan */
    gali_gpu_run run;
    uint32_t capacity, inputs, outputs, experts; /* experts: of a blend that the caller gives */
    uint32_t x, y, phase, blend;                 /* tensors; GALI_NONE: the network has none */
    uint32_t symbol;                             /* the number of characters */
    int64_t *symbols;
    gali_staging staging;
    int pipelined;
    float *awaited; /* y of the batch that is under way; NULL: none is. Of it the rows from `first` on: */
    uint32_t first;
};

/* gal_gpu_open with choices of its products; whether weights are halves is the desc's. choice: NULL, the default. */
gal_status gali_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                         const gali_gpu_choice *choice, gal_error *error);

/* A choice of the tiling that `context` points at, for all products. */
uint32_t gali_gpu_choose_one(void *context, const gali_device_task *task, gali_device_chosen *chosen);

#endif
