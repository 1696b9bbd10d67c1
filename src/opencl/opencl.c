#include "opencl/opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "opencl/library.h"

/* Khronos' numbers, of cl.h. */
enum {
    CL_SUCCESS = 0,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_IMAGE2D_MAX_WIDTH = 0x1011,
    CL_DEVICE_IMAGE2D_MAX_HEIGHT = 0x1012,
    CL_DEVICE_IMAGE_SUPPORT = 0x1016,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VENDOR = 0x102C,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_TYPE_CPU = 1 << 1,
    CL_QUEUE_PROFILING_ENABLE = 1 << 1,
    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_READ_ONLY = 1 << 2,
    CL_MEM_ALLOC_HOST_PTR = 1 << 4,
    CL_MAP_READ_WRITE = 3,
    CL_RGBA = 0x10B5,
    CL_UNSIGNED_INT32 = 0x10DC,
    CL_FLOAT = 0x10DE,
    CL_MEM_OBJECT_IMAGE2D = 0x10F1,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283,
    PLATFORMS_MAX = 16,
    DEVICES_MAX = 64, /* of one platform */
};
static const uint64_t every_device = 0xFFFFFFFF;

/* The loader first; then a driver by itself, where a phone's vendor ships no loader. */
static const char *const libraries[] = {
#if defined(_WIN32)
    "OpenCL.dll",
#elif defined(__APPLE__)
    "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#else
    "libOpenCL.so.1",  "libOpenCL.so", "/vendor/lib64/libOpenCL.so", "/system/vendor/lib64/libOpenCL.so",
    "libGLES_mali.so", "libPVROCL.so",
#endif
};

static int find_calls(gali_cl_calls *call) {
    int all = 1;
#define CALL(returns, name, arguments)                                                                         \
    call->name = (returns(*) arguments)gali_library_find(call->library, "cl" #name);                           \
    all = all && call->name;
#include "opencl/opencl.def"
#undef CALL
    return all;
}

/* It stays loaded: a driver that was unloaded shows no device any more when it is loaded again. */
static gal_status load(gali_cl_calls *call, gal_error *error) {
    *call = (gali_cl_calls){.library = NULL};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        call->library = gali_library_open(libraries[i]);
        if (call->library && find_calls(call)) {
            return GAL_OK;
        }
        if (call->library) {
            gali_library_close(call->library);
            call->library = NULL;
        }
    }
    return gali_fail(error, GAL_UNSUPPORTED, "no OpenCL 1.2 here: %s was not found, or lacks functions",
                     libraries[0]);
}

/* ---- devices ---- */

static void text_of(const gali_cl_calls *call, void *device, uint32_t what, char *text) {
    if (call->GetDeviceInfo(device, what, GALI_CL_NAME_MAX - 1, text, NULL) != CL_SUCCESS) {
        text[0] = 0;
    }
    text[GALI_CL_NAME_MAX - 1] = 0;
}

static int has_extension(const gali_cl_calls *call, void *device, const char *name) {
    size_t size = 0;
    int has = 0;
    if (call->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) == CL_SUCCESS && size) {
        char *text = calloc(1, size + 1);
        has = text && call->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL) == CL_SUCCESS &&
              strstr(text, name) != NULL;
        free(text);
    }
    return has;
}

static void facts_of(const gali_cl_calls *call, void *platform, void *device, gali_cl_facts *f) {
    uint64_t kind = 0;
    uint32_t images = 0;
    *f = (gali_cl_facts){.units = 0};
    call->GetPlatformInfo(platform, CL_PLATFORM_NAME, GALI_CL_NAME_MAX - 1, f->platform, NULL);
    text_of(call, device, CL_DEVICE_NAME, f->name);
    text_of(call, device, CL_DEVICE_VENDOR, f->vendor);
    text_of(call, device, CL_DEVICE_VERSION, f->version);
    text_of(call, device, CL_DRIVER_VERSION, f->driver);
    const struct {
        uint32_t what;
        size_t size;
        void *value;
    } numbers[] = {
        {CL_DEVICE_TYPE, sizeof kind, &kind},
        {CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images},
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof f->units, &f->units},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof f->clock_mhz, &f->clock_mhz},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof f->memory, &f->memory},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof f->allocation_most, &f->allocation_most},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof f->local_size, &f->local_size},
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof f->constant_size, &f->constant_size},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof f->group_most, &f->group_most},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof f->image_width, &f->image_width},
        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof f->image_height, &f->image_height},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        call->GetDeviceInfo(device, numbers[i].what, numbers[i].size, numbers[i].value, NULL);
    }
    f->cpu = (kind & CL_DEVICE_TYPE_CPU) != 0;
    f->images = images != 0;
    f->half = has_extension(call, device, "cl_khr_fp16");
}

/* Visits the devices; returns how many there are. Device `wanted` is left in *device. */
static uint32_t walk(const gali_cl_calls *call, gali_cl_facts *facts, uint32_t room, uint32_t wanted,
                     void **device) {
    void *platforms[PLATFORMS_MAX], *devices[DEVICES_MAX];
    uint32_t platform_count = 0, all = 0;
    if (call->GetPlatformIDs(PLATFORMS_MAX, platforms, &platform_count) != CL_SUCCESS) {
        return 0;
    }
    for (uint32_t i = 0; i < platform_count && i < PLATFORMS_MAX; i++) {
        uint32_t count = 0;
        if (call->GetDeviceIDs(platforms[i], every_device, DEVICES_MAX, devices, &count) != CL_SUCCESS) {
            continue;
        }
        for (uint32_t k = 0; k < count && k < DEVICES_MAX; k++, all++) {
            if (facts && all < room) {
                facts_of(call, platforms[i], devices[k], &facts[all]);
            }
            if (device && all == wanted) {
                *device = devices[k];
            }
        }
    }
    return all;
}

void gali_cl_list(gali_cl_facts *facts, uint32_t room, uint32_t *count, gal_error *why) {
    gali_cl_calls call;
    *count = 0;
    if (load(&call, why) == GAL_OK) {
        *count = walk(&call, facts, room, 0, NULL);
    }
}

static void blame(gali_cl *cl, const char *what, int32_t status) {
    int memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY ||
                 status == CL_INVALID_BUFFER_SIZE;
    if (status != CL_SUCCESS && cl->failure.status == GAL_OK) {
        gali_fail(&cl->failure, memory ? GAL_NO_MEMORY : GAL_IO, "%s: OpenCL error %d", what, (int)status);
    }
}

gal_status gali_cl_open(gali_cl *cl, uint32_t number, gal_error *error) {
    gali_cl_facts facts[DEVICES_MAX];
    int32_t status = CL_SUCCESS;
    *cl = (gali_cl){.held = 0};
    gal_status loaded = load(&cl->call, error);
    if (loaded != GAL_OK) {
        return loaded;
    }
    uint32_t count = walk(&cl->call, facts, DEVICES_MAX, number, &cl->device);
    if (number >= count || number >= DEVICES_MAX) {
        gali_cl_close(cl);
        return gali_fail(error, GAL_UNSUPPORTED, "no OpenCL device %u: there %s %u", number,
                         count == 1 ? "is" : "are", count);
    }
    cl->facts = facts[number];
    cl->context = cl->call.CreateContext(NULL, 1, &cl->device, NULL, NULL, &status);
    blame(cl, "clCreateContext", status);
    if (gali_cl_good(cl)) {
        cl->queue = cl->call.CreateCommandQueue(cl->context, cl->device, 0, &status);
        blame(cl, "clCreateCommandQueue", status);
    }
    if (gali_cl_good(cl)) {
        cl->timer = cl->call.CreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &status);
        blame(cl, "clCreateCommandQueue", status);
    }
    if (!gali_cl_good(cl)) {
        gal_error failure = cl->failure;
        gali_cl_close(cl);
        return gali_fail(error, GAL_IO, "%s: %.150s", facts[number].name, failure.message);
    }
    return GAL_OK;
}

void gali_cl_close(gali_cl *cl) {
    while (cl->pinned) {
        cl->pinned--;
        cl->call.EnqueueUnmapMemObject(cl->queue, cl->pin[cl->pinned].handle, cl->pin[cl->pinned].at, 0, NULL,
                                       NULL);
    }
    if (cl->queue) { /* copies on their way to memory that is given back here */
        cl->call.Finish(cl->queue);
    }
    while (cl->held) {
        cl->call.ReleaseMemObject(cl->memory[--cl->held]);
    }
    if (cl->queue) {
        cl->call.ReleaseCommandQueue(cl->queue);
    }
    if (cl->timer) {
        cl->call.ReleaseCommandQueue(cl->timer);
    }
    if (cl->context) {
        cl->call.ReleaseContext(cl->context);
    }
    *cl = (gali_cl){.held = 0};
}

int gali_cl_good(const gali_cl *cl) {
    return cl->failure.status == GAL_OK;
}

/* ---- programs ---- */

static void blame_build(gali_cl *cl, void *program, int32_t status) {
    char words[4096] = "";
    size_t size = 0;
    cl->call.GetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof words - 1, words, &size);
    words[sizeof words - 1] = 0;
    size_t start = strspn(words, " \t\r\n");
    gali_fail(&cl->failure, GAL_IO, "a kernel does not build (OpenCL error %d): %.*s", (int)status,
              (int)strcspn(words + start, "\r\n"), words + start);
}

void *gali_cl_build(gali_cl *cl, const char *text) {
    int32_t status = CL_SUCCESS;
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    void *program = cl->call.CreateProgramWithSource(cl->context, 1, &text, NULL, &status);
    blame(cl, "clCreateProgramWithSource", status);
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    status = cl->call.BuildProgram(program, 1, &cl->device, "-cl-std=CL1.2", NULL, NULL);
    if (status != CL_SUCCESS) {
        blame_build(cl, program, status);
        gali_cl_release_program(cl, program);
        return NULL;
    }
    return program;
}

void *gali_cl_binary(gali_cl *cl, void *program, size_t *size) {
    *size = 0;
    if (gali_cl_good(cl)) {
        blame(cl, "clGetProgramInfo",
              cl->call.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    }
    void *bytes = gali_cl_good(cl) && *size ? malloc(*size) : NULL;
    if (bytes) {
        blame(cl, "clGetProgramInfo",
              cl->call.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, (void *)&bytes, NULL));
    }
    if (!gali_cl_good(cl)) {
        free(bytes);
        bytes = NULL;
        *size = 0;
    }
    return bytes;
}

void gali_cl_release_program(gali_cl *cl, void *program) {
    if (program) {
        cl->call.ReleaseProgram(program);
    }
}

void *gali_cl_kernel(gali_cl *cl, void *program, const char *name) {
    int32_t status = CL_SUCCESS;
    void *kernel = gali_cl_good(cl) && program ? cl->call.CreateKernel(program, name, &status) : NULL;
    blame(cl, name, status);
    return kernel;
}

void gali_cl_release_kernel(gali_cl *cl, void *kernel) {
    if (kernel) {
        cl->call.ReleaseKernel(kernel);
    }
}

/* ---- memory ---- */

static void *held(gali_cl *cl, void *memory, const char *what, int32_t status) {
    blame(cl, what, status);
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    if (cl->held == GALI_CL_HELD_MAX) {
        cl->call.ReleaseMemObject(memory);
        gali_fail(&cl->failure, GAL_BAD_ARGUMENT, "more than %d pieces of memory", GALI_CL_HELD_MAX);
        return NULL;
    }
    return cl->memory[cl->held++] = memory;
}

void *gali_cl_buffer(gali_cl *cl, size_t size, const void *from) {
    int32_t status = CL_SUCCESS;
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    void *buffer = cl->call.CreateBuffer(cl->context, CL_MEM_READ_WRITE, size, NULL, &status);
    buffer = held(cl, buffer, "clCreateBuffer", status);
    if (buffer && from) {
        blame(cl, "clEnqueueWriteBuffer",
              cl->call.EnqueueWriteBuffer(cl->queue, buffer, 1, 0, size, from, 0, NULL, NULL));
    }
    return buffer;
}

void *gali_cl_image(gali_cl *cl, size_t width, size_t height, int whole, const void *from) {
    const gali_cl_image_format format = {CL_RGBA, whole ? CL_UNSIGNED_INT32 : CL_FLOAT};
    const gali_cl_image_size size = {.kind = CL_MEM_OBJECT_IMAGE2D, .width = width, .height = height};
    int32_t status = CL_SUCCESS;
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    void *image = cl->call.CreateImage(cl->context, CL_MEM_READ_ONLY, &format, &size, NULL, &status);
    image = held(cl, image, "clCreateImage", status);
    if (image && from) {
        const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
        blame(cl, "clEnqueueWriteImage",
              cl->call.EnqueueWriteImage(cl->queue, image, 1, origin, region, 0, 0, from, 0, NULL, NULL));
    }
    return image;
}

void gali_cl_free(gali_cl *cl, void *memory) {
    for (uint32_t i = 0; memory && i < cl->held; i++) {
        if (cl->memory[i] == memory) {
            cl->call.ReleaseMemObject(memory);
            cl->memory[i] = cl->memory[--cl->held];
            return;
        }
    }
}

void gali_cl_read(gali_cl *cl, void *buffer, size_t first, void *to, size_t size) {
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueReadBuffer",
              cl->call.EnqueueReadBuffer(cl->queue, buffer, 1, first, size, to, 0, NULL, NULL));
    }
}

void gali_cl_write(gali_cl *cl, void *buffer, size_t first, const void *from, size_t size) {
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueWriteBuffer",
              cl->call.EnqueueWriteBuffer(cl->queue, buffer, 1, first, size, from, 0, NULL, NULL));
    }
}

void *gali_cl_pinned(gali_cl *cl, size_t size) {
    int32_t status = CL_SUCCESS;
    if (cl->pinned == GALI_CL_PINNED_MAX && gali_cl_good(cl)) {
        gali_fail(&cl->failure, GAL_BAD_ARGUMENT, "more than %d pieces of pinned memory", GALI_CL_PINNED_MAX);
    }
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    void *handle =
        cl->call.CreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &status);
    handle = held(cl, handle, "clCreateBuffer of pinned memory", status);
    void *at = handle ? cl->call.EnqueueMapBuffer(cl->queue, handle, 1, CL_MAP_READ_WRITE, 0, size, 0, NULL,
                                                  NULL, &status)
                      : NULL;
    blame(cl, "clEnqueueMapBuffer", status);
    if (!gali_cl_good(cl)) {
        return NULL;
    }
    cl->pin[cl->pinned].handle = handle;
    return cl->pin[cl->pinned++].at = at;
}

void gali_cl_send(gali_cl *cl, void *buffer, size_t first, const void *from, size_t size) {
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueWriteBuffer",
              cl->call.EnqueueWriteBuffer(cl->queue, buffer, 0, first, size, from, 0, NULL, NULL));
    }
}

void *gali_cl_fetch(gali_cl *cl, void *buffer, size_t first, void *to, size_t size) {
    void *event = NULL;
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueReadBuffer",
              cl->call.EnqueueReadBuffer(cl->queue, buffer, 0, first, size, to, 0, NULL, &event));
    }
    return event;
}

void gali_cl_await(gali_cl *cl, void *event) {
    if (event) {
        blame(cl, "clWaitForEvents", cl->call.WaitForEvents(1, &event));
        cl->call.ReleaseEvent(event);
    }
}

void gali_cl_flush(gali_cl *cl) {
    if (gali_cl_good(cl)) {
        blame(cl, "clFlush", cl->call.Flush(cl->queue));
    }
}

/* ---- runs ---- */

static void pass(gali_cl *cl, void *kernel, uint32_t number, size_t size, const void *value) {
    if (gali_cl_good(cl)) {
        blame(cl, "clSetKernelArg", cl->call.SetKernelArg(kernel, number, size, value));
    }
}

void gali_cl_pass_memory(gali_cl *cl, void *kernel, uint32_t number, void *memory) {
    pass(cl, kernel, number, sizeof memory, &memory);
}

void gali_cl_pass_u32(gali_cl *cl, void *kernel, uint32_t number, uint32_t value) {
    pass(cl, kernel, number, sizeof value, &value);
}

void gali_cl_pass_f32(gali_cl *cl, void *kernel, uint32_t number, float value) {
    pass(cl, kernel, number, sizeof value, &value);
}

size_t gali_cl_group_most(gali_cl *cl, void *kernel) {
    size_t most = 0;
    if (gali_cl_good(cl)) {
        blame(cl, "clGetKernelWorkGroupInfo",
              cl->call.GetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                              NULL));
    }
    return most;
}

static void enqueue(gali_cl *cl, void *queue, void *kernel, size_t items, size_t group, void **event) {
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueNDRangeKernel",
              cl->call.EnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, event));
    }
}

/* Waits for the timers' queue and returns what the event, which is given back, took. */
static double end_timed(gali_cl *cl, void *event) {
    uint64_t start = 0, end = 0;
    if (gali_cl_good(cl)) {
        blame(cl, "clFinish", cl->call.Finish(cl->timer));
    }
    if (gali_cl_good(cl)) {
        blame(cl, "clGetEventProfilingInfo",
              cl->call.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        blame(cl, "clGetEventProfilingInfo",
              cl->call.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    }
    if (event) {
        cl->call.ReleaseEvent(event);
    }
    return gali_cl_good(cl) ? (double)(end - start) : (double)NAN;
}

double gali_cl_time(gali_cl *cl, void *kernel, size_t items, size_t group) {
    void *event = NULL;
    gali_cl_wait(cl); /* the two queues have no order */
    enqueue(cl, cl->timer, kernel, items, group, &event);
    return end_timed(cl, event);
}

static void copy_rows(gali_cl *cl, void *buffer, size_t first, void *image, const size_t *origin,
                      const size_t *region, double *nanoseconds) {
    void *event = NULL;
    if (gali_cl_good(cl)) {
        blame(cl, "clEnqueueCopyBufferToImage",
              cl->call.EnqueueCopyBufferToImage(nanoseconds ? cl->timer : cl->queue, buffer, image, first,
                                                origin, region, 0, NULL, nanoseconds ? &event : NULL));
    }
    if (nanoseconds) {
        *nanoseconds += end_timed(cl, event);
    }
}

void gali_cl_copy_image(gali_cl *cl, void *buffer, size_t first, void *image, size_t width, size_t texels,
                        double *nanoseconds) {
    enum { TEXEL = 16 };
    const size_t rows = texels / width, rest = texels % width, start[3] = {0, 0, 0},
                 whole[3] = {width, rows, 1}, below[3] = {0, rows, 0}, part[3] = {rest, 1, 1};
    if (nanoseconds) {
        gali_cl_wait(cl);
    }
    if (rows) {
        copy_rows(cl, buffer, first, image, start, whole, nanoseconds);
    }
    if (rest) {
        copy_rows(cl, buffer, first + rows * width * TEXEL, image, below, part, nanoseconds);
    }
}

void gali_cl_start(gali_cl *cl, void *kernel, size_t items, size_t group) {
    enqueue(cl, cl->queue, kernel, items, group, NULL);
}

void gali_cl_wait(gali_cl *cl) {
    if (gali_cl_good(cl)) {
        blame(cl, "clFinish", cl->call.Finish(cl->queue));
    }
}
