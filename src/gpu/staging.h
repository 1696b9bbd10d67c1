/*
 * The way of a batch's rows to a device and back: through memory that the device's bus reaches by itself, piece by piece, so
 * that rows are copied here while those before them are under way. A small batch is one write and one read. One thread copies
 * a large batch more slowly than a driver does from ordinary memory: there rows that lie back to back go without it.
 *
 *     memory    inputs as they lie on the device, one behind the other; then the output's rows
 *
 * Invariant: between gali_staging_fetch and gali_staging_take nothing else may use it, since copies run there.
 */
#ifndef GALI_GPU_STAGING_H
#define GALI_GPU_STAGING_H

#include "gallop/base.h"
#include "gpu/run.h"

enum {
    GALI_STAGING_INPUTS = 3,
    GALI_STAGING_PIECES = 64,     /* most of a batch */
    GALI_STAGING_PIECE = 4 << 20, /* bytes; larger where there would be too many */
};

/* Rows of an input: its tensor, numbers of a row and between rows, the first of them here. */
typedef struct gali_rows {
    uint32_t tensor;
    size_t width, stride;
    const float *from;
} gali_rows;

typedef struct gali_staging {
    unsigned char *memory;
    float *outputs; /* in it */
    /* On their way back: */
    void *arrived[GALI_STAGING_PIECES]; /* an event each */
    uint32_t pieces, count, step;       /* rows in all and of a piece */
    size_t width;
    float *straight; /* where rows go that are not here; NULL: all are */
    size_t there;    /* where those begin on the device */
} gali_staging;

/*
 * Room for these inputs (GALI_NONE: none) at the sizes that are set, and for so many floats of the output, which lies behind
 * them on the device. It is the run's, which has the failure.
 */
void gali_staging_open(gali_staging *staging, gali_gpu_run *run, const uint32_t inputs[GALI_STAGING_INPUTS],
                       uint32_t output, size_t floats);

/* Queues the inputs, given of them, `count` rows each. The batch's memory is free again when this returns. */
void gali_staging_send(gali_staging *staging, gali_gpu_run *run, const gali_rows *inputs, uint32_t given,
                       uint32_t count, const gal_parallel *parallel);

/*
 * Queues the output's way back, and lets the device begin. straight: not NULL, where gali_staging_take will put them, back to
 * back, by this thread: many are read there when they are taken.
 */
void gali_staging_fetch(gali_staging *staging, gali_gpu_run *run, uint32_t tensor, size_t width, uint32_t count,
                        float *straight);

/* Waits for it. `to` NULL: nobody wants it any more. After a failure `to` holds nothing to go by. */
void gali_staging_take(gali_staging *staging, gali_gpu_run *run, float *to, size_t stride,
                       const gal_parallel *parallel);

#endif
