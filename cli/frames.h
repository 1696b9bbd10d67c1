/*
 * Frames that a network is judged by: raw features in, gate values, raw features out. They come from the model
 * file (golden frames) or from the user's arrays.
 */
#ifndef GALI_CLI_FRAMES_H
#define GALI_CLI_FRAMES_H

#include "network/model.h"

typedef struct gali_frames {
    const char *name; /* "golden frames" or "your frames" */
    uint32_t count;
    float tolerance; /* root mean square error that is allowed, of each feature's own spread */
    float *x;        /* [count][inputs] */
    float *gate;     /* [count] phases or [count][experts] blends; NULL with a gating network */
    float *y;        /* [count][outputs]; NULL where only inputs were read */
} gali_frames;

/* The file's golden frames; there must be some. Released with gali_frames_release; zero after a failure. */
gal_status gali_frames_golden(gali_frames *out, const gali_model *model, gal_error *error);

/*
 * Frames of float32 .npy files: x[count][inputs]; gate: [count] phases, or [count][experts] where the gate is the
 * caller (not read with a gating network; may be NULL for one expert, then 1); y[count][outputs], or NULL. tolerance is
 * left at 1e-3.
 */
gal_status gali_frames_read(gali_frames *out, const gali_model *model, const char *x, const char *gate,
                            const char *y, gal_error *error);

/* The option without which the model's gate is not known, "--phase" or "--blend"; NULL where none is needed. */
const char *gali_frames_gate_option(const gali_model *model);

/* The one of the two options, as given (NULL: not), that the model's gate does not take; NULL where there is none. */
const char *gali_frames_gate_refused(const gali_model *model, const char *phase, const char *blend);

void gali_frames_release(gali_frames *frames);

/* y[count][outputs] of an open network for x and gate. */
gal_status gali_frames_run(const gali_frames *frames, const gal_network *network, float *y, gal_error *error);

#endif
