/*
 * A plan (compiler/emit/opencl/plan.h) on an open device: its kernels built, memory for its tensors at the largest sizes.
 * Any program has one, controllers as other models.
 *
 * The first failure of the device sticks (opencl/opencl.h): what follows does nothing, and gali_gpu_failure says it.
 */
#ifndef GALI_GPU_RUN_H
#define GALI_GPU_RUN_H

#include "compiler/emit/opencl/plan.h"
#include "opencl/opencl.h"

typedef struct gali_gpu_run {
    gali_cl cl;
    gali_device_plan plan;
    void **kernels, **tensors,
        **packed;  /* [launches], [tensors of the program] or NULL, [packed]; in its arena */
    size_t memory; /* bytes of the device */
} gali_gpu_run;

/*
 * Opens device `number` for a program that is fused and has ranges; most[symbol] is the largest value of each size.
 * tiling: of all products, NULL by rules. The program, which is changed, and its arena must stay. Errors: as
 * gal_gpu_open. On failure there is nothing to end.
 */
gal_status gali_gpu_start(gali_gpu_run *run, gali_program *program, uint32_t number, const int64_t *most,
                          const gali_tiling *tiling, gal_error *error);
void gali_gpu_end(gali_gpu_run *run);

/* Writes and reads the first `size` bytes of a tensor that has memory. */
void gali_gpu_put(gali_gpu_run *run, uint32_t tensor, const void *from, size_t size);
void gali_gpu_get(gali_gpu_run *run, uint32_t tensor, void *to, size_t size);

/* Starts all kernels for these sizes, each at most as at the start. nanoseconds: NULL, or [launches] gets what each took (0:
 * it is not for these sizes). */
void gali_gpu_launch(gali_gpu_run *run, const int64_t *symbols, double *nanoseconds);

gal_status gali_gpu_failure(const gali_gpu_run *run, gal_error *error);

#endif
