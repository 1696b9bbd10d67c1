/*
 * The binary side of glTF 2.0: arrays on their way into a .glb, each with its accessor, and the file around them.
 *
 * Arrays follow each other, little-endian, each at a multiple of 4 bytes and with a buffer view of its own; accessor i is
 * the i-th that was added. The caller writes the rest of the JSON.
 */
#ifndef GALI_CLI_GLB_H
#define GALI_CLI_GLB_H

#include "gallop/base.h"
#include "json.h"

typedef enum gali_glb_kind {
    GALI_GLB_SCALAR, /* float32 */
    GALI_GLB_VEC3,
    GALI_GLB_VEC4,
    GALI_GLB_MAT4,   /* column by column */
    GALI_GLB_JOINTS, /* uint16[4] */
    GALI_GLB_CORNERS /* uint32 */
} gali_glb_kind;

typedef struct gali_glb_accessor {
    gali_glb_kind kind;
    int of_vertices; /* whether it is of a mesh's vertices or corners */
    size_t offset, count;
    float least[3], most[3]; /* of float32 scalars and VEC3 */
} gali_glb_accessor;

/* Zero-initialise; released with gali_glb_release. */
typedef struct gali_glb {
    unsigned char *data;
    size_t size, capacity;
    gali_glb_accessor *accessors;
    uint32_t accessor_count, accessor_capacity;
    int failed; /* out of memory: what was added since is not there */
} gali_glb;

/* Adds values [count] of a kind and returns the accessor's number. */
uint32_t gali_glb_add(gali_glb *glb, gali_glb_kind kind, int of_vertices, const void *values, size_t count);

/* Writes "accessors", "bufferViews" and "buffers". */
void gali_glb_describe(const gali_glb *glb, gali_json *json);

/* Writes the file: `text`, the whole JSON, from its start, then the data. GAL_IO, GAL_NO_MEMORY. */
gal_status gali_glb_write(const gali_glb *glb, FILE *text, const char *path, gal_error *error);

void gali_glb_release(gali_glb *glb);

#endif
