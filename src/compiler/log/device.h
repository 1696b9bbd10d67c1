/*
 * What `gallop probe` measured of this machine or of a device (device.json, docs/probe.md), as far as it is used: for a
 * roofline the most that arithmetic and memory allow, which times are held against; of an OpenCL device what tilings are pruned
 * by, and whether reads through images are the faster ones.
 */
#ifndef GALI_COMPILER_LOG_DEVICE_H
#define GALI_COMPILER_LOG_DEVICE_H

#include "gallop/base.h"

enum { GALI_DEVICE_LEVELS_MAX = 16 };

typedef struct gali_device {
    char name[128];
    double peak;                         /* multiply-adds of float32 a second */
    uint32_t levels;                     /* caches and, last, memory */
    double size[GALI_DEVICE_LEVELS_MAX]; /* bytes; of memory infinite */
    double rate[GALI_DEVICE_LEVELS_MAX]; /* bytes a second that come from there */
    /* Of an OpenCL device, in the probe's units; 0: not known. */
    double registers, alus, cores, warp, local_rate;
    double image_rate; /* of the nearest level of images */
} gali_device;

/*
 * Reads a device.json; the peak is that of an instruction set by the runtime's name for it ("avx2"), or, of a file that names
 * none, as those of OpenCL devices, the one that it has. Errors, with path: GAL_IO; GAL_BAD_DATA where it is none, or has no
 * peak of float32 or no rate of buffers; GAL_UNSUPPORTED without jansson.
 */
gal_status gali_device_read(gali_device *device, const char *path, const char *isa, gal_error *error);

/* The same of a file's size bytes at text; path is for messages. */
gal_status gali_device_parse(gali_device *device, const char *text, size_t size, const char *path,
                             const char *isa, gal_error *error);

/* The least seconds that so many multiply-adds on so many bytes, which lie where `room` bytes fit, take; *by_memory: bytes
 * decide. */
double gali_device_least(const gali_device *device, double multiply_adds, double bytes, double room,
                         int *by_memory);

#endif
