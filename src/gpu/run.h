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
    void **kernels;   /* [launches], in its arena */
    uint32_t *at;     /* [tensors of the program] where they begin with the sizes of the last launch or put */
    int64_t *symbols; /* those */
    void *tensors, *weights; /* the two pieces of memory */
    void **images;           /* [images of the plan] */
    uint8_t *fresh;          /* [images] 1: of this launch's tensor, or a constant's */
    size_t *items;           /* [launches] with the sizes that are set; 0: it is not for them */
    int is_passed;           /* kernels have their arguments for the sizes that are set */
    size_t memory;           /* bytes of all */
} gali_gpu_run;

/* Zero: the default. */
typedef struct gali_gpu_choice {
    /* Tilings, as gali_device_limits.choose; NULL: by rules. */
    uint32_t (*choose)(void *context, const gali_device_task *task, gali_device_chosen *chosen);
    void *context;
    int prefers_images, divided_addresses, half_weights; /* as of gali_device_limits */
} gali_gpu_choice;

/*
 * Opens device `number` for a program that is fused and has ranges; most[symbol] is the largest value of each size.
 * choice: NULL, the default. The program, which is changed, and its arena must stay. Errors: as
 * gal_gpu_open. On failure there is nothing to end.
 */
gal_status gali_gpu_start(gali_gpu_run *run, gali_program *program, uint32_t number, const int64_t *most,
                          const gali_gpu_choice *choice, gal_error *error);
void gali_gpu_end(gali_gpu_run *run);

/* Sets the sizes, each at most as at the start, that all below is for. */
void gali_gpu_set_sizes(gali_gpu_run *run, const int64_t *symbols);

/* Writes and reads the first `size` bytes of an input or output. */
void gali_gpu_put(gali_gpu_run *run, uint32_t tensor, const void *from, size_t size);
void gali_gpu_get(gali_gpu_run *run, uint32_t tensor, void *to, size_t size);

/* Where a tensor begins in run->tensors with the sizes that are set, in bytes. */
size_t gali_gpu_at(const gali_gpu_run *run, uint32_t tensor);

/* Starts all kernels. nanoseconds: NULL, or [launches] gets what each took (0: it is not for these sizes). */
void gali_gpu_launch(gali_gpu_run *run, double *nanoseconds);

gal_status gali_gpu_failure(const gali_gpu_run *run, gal_error *error);

#endif
