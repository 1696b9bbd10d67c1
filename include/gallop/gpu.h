/*
 * Networks on a GPU, through OpenCL 1.2 (docs/gpu.md). Of a library of its own, gallop_gpu, which holds the compiler:
 * kernels are made of the model when it is opened, and built by the device's driver. The OpenCL loader is looked for then.
 *
 * Results are those of gal_network_run to about 1e-5 of the largest, not to the bit, and differ from device to device; with
 * half_weights to about 1e-3.
 */
#ifndef GALLOP_GPU_H
#define GALLOP_GPU_H

#include "crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gal_gpu gal_gpu;

/* How to open a network on a device. Zero-initialise; zero means the default. */
typedef struct gal_gpu_desc {
    uint32_t struct_size;  /* sizeof(gal_gpu_desc), or 0 for this version's */
    uint32_t device;       /* its number in `gallop probe --list` */
    uint32_t capacity;     /* characters that the device has memory for at a time, 1..1000000; 0: 4096 */
    uint32_t half_weights; /* 1: weights of products are stored as float16; sums and all else stay float32 */
    /* 1: its runner is pipelined (network.h): the device works from step to step, and a crowd shows the last step's result.
     * 0: a step waits for the device and shows its own. One crowd, or one group of it, for each open network. */
    uint32_t pipelined;
    /* A file of `gallop tune --target opencl`: the tilings that were fastest on this device, from each count of characters on
     * that was tuned until the rules take another. NULL: by rules. */
    const char *log;
} gal_gpu_desc;

/*
 * Opens the network of a model file's `size` bytes at data, which are not needed afterwards. *out is owned by the caller;
 * NULL on failure. desc and error may be NULL. Errors: GAL_BAD_ARGUMENT (the capacity), GAL_UNSUPPORTED (no OpenCL, no such device, a layer that has no
 * kernel, half_weights with a weight past float16's range), GAL_BAD_DATA (the model, the log), GAL_NO_MEMORY (here or there), GAL_IO (the log; a kernel does not build: the message has the
 * driver's first words).
 */
gal_status gal_gpu_open(gal_gpu **out, const void *data, size_t size, const gal_gpu_desc *desc,
                        gal_error *error);

/* Gives back the device's memory. NULL is allowed. No crowd may have it as a runner. */
void gal_gpu_close(gal_gpu *gpu);

/*
 * Runs the network: arguments as gal_network_run's; more characters than the capacity go one part after the other. Returns
 * when y is there. GAL_BAD_ARGUMENT as there; GAL_IO if the device fails, and from then on always. One thread at a time.
 */
gal_status gal_gpu_run(gal_gpu *gpu, const gal_network_batch *batch, gal_error *error);

/* The same for gal_crowd_set_runner; for as long as gpu is open. */
gal_network_runner gal_gpu_runner(gal_gpu *gpu);

/* Facts of an open network; name lives as long as it does. */
typedef struct gal_gpu_info {
    const char *name;  /* of the device */
    uint32_t capacity; /* characters */
    uint32_t kernels;  /* started in a run */
    size_t memory;     /* bytes of the device */
} gal_gpu_info;

gal_gpu_info gal_gpu_get_info(const gal_gpu *gpu);

#ifdef __cplusplus
}
#endif
#endif
