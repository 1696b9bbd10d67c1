/*
 * The tilings that a product may have, and which a device is worth trying: after the criteria of "Romou" (MobiCom '22,
 * table 1), out of what a probe measured (probe/facts.def), before anything is built.
 *
 *     registers  an item's sums, operands and what it has on the way fit its registers; a group's items the core's
 *     local      sums read local memory no faster than it can be read while the ALUs are busy
 *     warp       a group is whole warps, one for each of a core's schedulers at least; a core has two for each
 *     parts      items share an element of the result only where cores have too few warps without
 *     cores      there are tiles for all cores, and the last turn of them is not mostly idle
 *     width      what each item copies at a time is the device's vector
 *     waste      tiles that reach past the last output compute little for nothing
 *     cost       of what is left, the tenth of the whole space whose cores are busiest and read least
 *
 * A product too small for cores, warps and waste is asked for half of them, a quarter, and so on, until one in 25 is kept; some
 * tiling always is.
 *
 * The paper's criterion of L1 is about operands read from it; here they stand in local memory, whose size a tiling fits
 * in any case (gali_tiling_fits). Its criterion of buffers is for devices whose L1 is for images alone: there are none here.
 */
#ifndef GALI_GPU_SPACE_H
#define GALI_GPU_SPACE_H

#include "compiler/emit/opencl/plan.h"
#include "compiler/log/device.h"

/* Of a probe; 0: not known, and then its criterion leaves all in. */
typedef struct gali_gpu_facts {
    double registers; /* values of an item before they spill */
    double alus;      /* items that multiply-add at once on a core */
    double cores;
    double warp;
    double peak;       /* GFLOP/s of float32 */
    double local_rate; /* GB/s of all cores */
} gali_gpu_facts;

enum { GALI_TILINGS_MAX = 2048 };

/* Those of a file of the probe. */
gali_gpu_facts gali_gpu_facts_of(const gali_device *device);

/* Whether reads through images are so much faster that operands are better read so, where nothing was measured. */
int gali_gpu_prefers_images(const gali_device *device);

/* Every tiling that fits the device, through buffers; returns how many, at most GALI_TILINGS_MAX. */
uint32_t gali_gpu_tilings(const gali_device_task *task, const gali_device_limits *device, gali_tiling *list);

/* What a tiling costs beside others of its task, roughly: the less, the sooner it is worth measuring. */
double gali_gpu_cost(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *t);

/*
 * Why each of the `count` tilings of a list is not worth trying, as one of the words above; NULL: it is. Returns how many are:
 * at least one, at most a tenth, rounded up.
 */
uint32_t gali_gpu_prune(const gali_device_task *task, const gali_gpu_facts *facts, const gali_tiling *list,
                        uint32_t count, const char **why);

#endif
