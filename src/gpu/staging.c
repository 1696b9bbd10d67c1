#include "gpu/staging.h"

#include <string.h>

enum { COPIED_ROWS = 64 }; /* of a task */

/* Rows from one place to another, COPIED_ROWS of them in a task. */
typedef struct copying {
    float *to;
    const float *from;
    size_t to_stride, from_stride, width, count;
} copying;

static void copy_some(void *argument, uint32_t index) {
    const copying *c = argument;
    size_t first = (size_t)index * COPIED_ROWS,
           end = first + COPIED_ROWS < c->count ? first + COPIED_ROWS : c->count;
    if (c->to_stride == c->width && c->from_stride == c->width) {
        memcpy(c->to + first * c->width, c->from + first * c->width, (end - first) * c->width * sizeof *c->to);
        return;
    }
    for (size_t row = first; row < end; row++) {
        memcpy(c->to + row * c->to_stride, c->from + row * c->from_stride, c->width * sizeof *c->to);
    }
}

static void copy_rows(copying rows, const gal_parallel *parallel) {
    uint32_t tasks = (uint32_t)((rows.count + COPIED_ROWS - 1) / COPIED_ROWS);
    if (parallel && tasks > 1) {
        parallel->parallel_for(parallel->context, copy_some, &rows, tasks);
        return;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        copy_some(&rows, i);
    }
}

/* Rows of a piece. */
static uint32_t step_of(size_t width, uint32_t count) {
    size_t rows = GALI_STAGING_PIECE / (width * sizeof(float)),
           least = (count + GALI_STAGING_PIECES - 1) / GALI_STAGING_PIECES;
    rows = rows > least ? rows : least;
    return rows < 1 ? 1 : (uint32_t)rows;
}

void gali_staging_open(gali_staging *staging, gali_gpu_run *run, const uint32_t inputs[GALI_STAGING_INPUTS],
                       uint32_t output, size_t floats) {
    size_t first = gali_gpu_at(run, output), end = first;
    for (uint32_t i = 0; i < GALI_STAGING_INPUTS; i++) {
        if (inputs[i] != GALI_NONE && gali_gpu_at(run, inputs[i]) < first) {
            first = gali_gpu_at(run, inputs[i]);
        }
    }
    *staging = (gali_staging){.memory = gali_cl_pinned(&run->cl, end - first + floats * sizeof(float))};
    if (staging->memory) {
        staging->outputs = (float *)(void *)(staging->memory + (end - first));
    }
}

/* Where the first of the inputs lies on the device, and its number. */
static size_t first_of(const gali_gpu_run *run, const gali_rows *inputs, uint32_t given) {
    size_t first = gali_gpu_at(run, inputs[0].tensor);
    for (uint32_t i = 1; i < given; i++) {
        size_t at = gali_gpu_at(run, inputs[i].tensor);
        first = at < first ? at : first;
    }
    return first;
}

/* An input, a piece on its way while the next is copied. */
static void send_pieces(gali_gpu_run *run, const gali_rows *rows, unsigned char *here, uint32_t count,
                        const gal_parallel *parallel) {
    uint32_t step = step_of(rows->width, count);
    size_t row = rows->width * sizeof(float), there = gali_gpu_at(run, rows->tensor);
    if (!parallel && rows->stride == rows->width) {
        gali_cl_write(&run->cl, run->tensors, there, rows->from, count * row);
        return;
    }
    for (uint32_t first = 0; first < count; first += step) {
        uint32_t some = count - first < step ? count - first : step;
        float *to = (float *)(void *)(here + first * row);
        copy_rows(
            (copying){to, rows->from + first * rows->stride, rows->width, rows->stride, rows->width, some},
            parallel);
        gali_cl_send(&run->cl, run->tensors, there + first * row, to, some * row);
        gali_cl_flush(&run->cl);
    }
}

void gali_staging_send(gali_staging *staging, gali_gpu_run *run, const gali_rows *inputs, uint32_t given,
                       uint32_t count, const gal_parallel *parallel) {
    size_t base = first_of(run, inputs, given), end = 0;
    int large = 0;
    for (uint32_t i = 0; i < given; i++) {
        size_t bytes = count * inputs[i].width * sizeof(float), at = gali_gpu_at(run, inputs[i].tensor) - base;
        large |= bytes > GALI_STAGING_PIECE;
        end = at + bytes > end ? at + bytes : end;
    }
    for (uint32_t i = 0; i < given; i++) {
        unsigned char *here = staging->memory + (gali_gpu_at(run, inputs[i].tensor) - base);
        if (large) {
            send_pieces(run, &inputs[i], here, count, parallel);
        } else {
            copy_rows((copying){(float *)(void *)here, inputs[i].from, inputs[i].width, inputs[i].stride,
                                inputs[i].width, count},
                      parallel);
        }
    }
    if (!large) {
        gali_cl_send(&run->cl, run->tensors, base, staging->memory, end);
    }
}

void gali_staging_fetch(gali_staging *staging, gali_gpu_run *run, uint32_t tensor, size_t width, uint32_t count,
                        float *straight) {
    size_t row = width * sizeof(float);
    staging->there = gali_gpu_at(run, tensor);
    staging->straight = count * row > GALI_STAGING_PIECE ? straight : NULL;
    staging->step = step_of(width, count);
    staging->count = count;
    staging->width = width;
    staging->pieces = 0;
    for (uint32_t first = 0; first < count && !staging->straight; first += staging->step) {
        uint32_t some = count - first < staging->step ? count - first : staging->step;
        staging->arrived[staging->pieces++] = gali_cl_fetch(
            &run->cl, run->tensors, staging->there + first * row, staging->outputs + first * width, some * row);
    }
    gali_cl_flush(&run->cl);
}

void gali_staging_take(gali_staging *staging, gali_gpu_run *run, float *to, size_t stride,
                       const gal_parallel *parallel) {
    if (to && staging->straight) {
        gali_cl_read(&run->cl, run->tensors, staging->there, to, staging->count * staging->width * sizeof *to);
    }
    staging->straight = NULL;
    for (uint32_t i = 0; i < staging->pieces; i++) {
        uint32_t first = i * staging->step, left = staging->count - first;
        gali_cl_await(&run->cl, staging->arrived[i]);
        if (to && gali_cl_good(&run->cl)) {
            copy_rows((copying){to + first * stride, staging->outputs + first * staging->width, stride,
                                staging->width, staging->width, left < staging->step ? left : staging->step},
                      parallel);
        }
    }
    staging->pieces = 0;
}
