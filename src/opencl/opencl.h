/*
 * An OpenCL device, reached through whatever loader the system has, found when it is asked for: nothing of OpenCL is
 * needed to build.
 *
 *     gali_cl_list      what devices there are
 *     gali_cl_open      one of them: a context and a queue
 *     kernels, memory   made of it, and given back with it
 *
 * The first failure sticks: calls after it do nothing, times are NAN, and gali_cl.failure says what it was. So a run
 * of measurements needs one check, at its end. No thread may share a device.
 */
#ifndef GALI_OPENCL_OPENCL_H
#define GALI_OPENCL_OPENCL_H

#include <stddef.h>
#include <stdint.h>

#include "gallop/base.h"

enum { GALI_CL_NAME_MAX = 128, GALI_CL_HELD_MAX = 1024, GALI_CL_PINNED_MAX = 4 };

typedef struct gali_cl_image_format {
    uint32_t order, type;
} gali_cl_image_format;

/* Khronos' cl_image_desc. */
typedef struct gali_cl_image_size {
    uint32_t kind;
    size_t width, height, depth, array, row, slice;
    uint32_t levels, samples;
    void *buffer;
} gali_cl_image_size;

typedef struct gali_cl_calls {
    void *library;
#define CALL(returns, name, arguments) returns(*name) arguments;
#include "opencl/opencl.def"
#undef CALL
} gali_cl_calls;

/* What a device says of itself. Bytes, but for the lengths of images. */
typedef struct gali_cl_facts {
    char name[GALI_CL_NAME_MAX], vendor[GALI_CL_NAME_MAX], version[GALI_CL_NAME_MAX], driver[GALI_CL_NAME_MAX];
    char platform[GALI_CL_NAME_MAX];
    int cpu, images, half;
    uint32_t units, clock_mhz;
    uint64_t memory, allocation_most, local_size, constant_size;
    size_t group_most, image_width, image_height;
} gali_cl_facts;

typedef struct gali_cl {
    gali_cl_calls call;
    gali_cl_facts facts;
    void *device, *context, *queue;
    void *timer;       /* a queue with timers, for gali_cl_time alone: they make every launch dearer */
    gal_error failure; /* status GAL_OK: none yet */
    uint32_t held;     /* memory, to be given back */
    void *memory[GALI_CL_HELD_MAX];
    uint32_t pinned; /* pieces of memory here, each with the device's handle of it */
    struct {
        void *handle, *at;
    } pin[GALI_CL_PINNED_MAX];
} gali_cl;

/*
 * The facts of all devices, platform after platform, at most `room`; *count says how many there are. No loader is no
 * error: *count is 0 and `why` (NULL allowed) says so.
 */
void gali_cl_list(gali_cl_facts *facts, uint32_t room, uint32_t *count, gal_error *why);

/* Device `number` of that list. Errors: GAL_UNSUPPORTED (no loader, no such device), GAL_IO (it does not open). */
gal_status gali_cl_open(gali_cl *cl, uint32_t number, gal_error *error);
void gali_cl_close(gali_cl *cl);

/* Whether all went well so far. */
int gali_cl_good(const gali_cl *cl);

/* The program of a text; NULL where it does not build: the failure has the compiler's first words. Released with
 * gali_cl_release_program; NULL is allowed there. */
void *gali_cl_build(gali_cl *cl, const char *text);
/* What the driver made of a program for its only device, PTX or machine code; free() gives it back. NULL after a failure. */
void *gali_cl_binary(gali_cl *cl, void *program, size_t *size);
void gali_cl_release_program(gali_cl *cl, void *program);
void *gali_cl_kernel(gali_cl *cl, void *program, const char *name);
void gali_cl_release_kernel(gali_cl *cl, void *kernel);

/* Memory, filled where `from` is given, held until gali_cl_free. */
void *gali_cl_buffer(gali_cl *cl, size_t size, const void *from);
/* An image of RGBA, each a u32 (whole) or f32; from[height][width][4], or NULL. */
void *gali_cl_image(gali_cl *cl, size_t width, size_t height, int whole, const void *from);
void gali_cl_free(gali_cl *cl, void *memory);

/* Arguments: a handle of memory, or a number. */
void gali_cl_pass_memory(gali_cl *cl, void *kernel, uint32_t number, void *memory);
void gali_cl_pass_u32(gali_cl *cl, void *kernel, uint32_t number, uint32_t value);
void gali_cl_pass_f32(gali_cl *cl, void *kernel, uint32_t number, float value);

/* Largest group that the kernel can run in; 0 after a failure. */
size_t gali_cl_group_most(gali_cl *cl, void *kernel);

/*
 * Copies `texels` of 16 bytes from byte `first` of a buffer on to an image, row by row from its first. Queued; or, with
 * nanoseconds, waited for, and how long it took is added to those.
 */
void gali_cl_copy_image(gali_cl *cl, void *buffer, size_t first, void *image, size_t width, size_t texels,
                        double *nanoseconds);

/* Runs the kernel over `items` in groups of `group`, which divides it; nanoseconds by the device's own clock. */
double gali_cl_time(gali_cl *cl, void *kernel, size_t items, size_t group);

/* Queues a run and does not wait. */
void gali_cl_start(gali_cl *cl, void *kernel, size_t items, size_t group);
void gali_cl_wait(gali_cl *cl);

/* The buffer's bytes from `first` on. */
void gali_cl_read(gali_cl *cl, void *buffer, size_t first, void *to, size_t size);
void gali_cl_write(gali_cl *cl, void *buffer, size_t first, const void *from, size_t size);

/*
 * Memory here that the device's bus reaches by itself (CL_MEM_ALLOC_HOST_PTR, mapped for good), until the device is closed:
 * copies from and to it run while the host goes on. NULL after a failure.
 */
void *gali_cl_pinned(gali_cl *cl, size_t size);

/*
 * Queued copies, which return at once: the memory here must stay as it is until a later gali_cl_wait, or until the event that
 * gali_cl_fetch returns was awaited, which must be done once (NULL, of a failure, is allowed). gali_cl_flush: the device
 * begins with what is queued.
 */
void gali_cl_send(gali_cl *cl, void *buffer, size_t first, const void *from, size_t size);
void *gali_cl_fetch(gali_cl *cl, void *buffer, size_t first, void *to, size_t size);
void gali_cl_await(gali_cl *cl, void *event);
void gali_cl_flush(gali_cl *cl);

#endif
