/*
 * A crowd run frame by frame with every pose kept: what drive, export and demo write out.
 *
 * Layout: character-major, so that one character's frames are one array. Frame f holds the state after
 * step f + 1, made with the input of frame f.
 */
#ifndef GALI_CLI_RECORDING_H
#define GALI_CLI_RECORDING_H

#include "gallop/crowd.h"

/* What a character's player does at a frame; state is that after the last step (before the first: at the spawn). */
typedef void (*gali_player_fn)(void *context, uint32_t character, uint32_t frame,
                               const gal_character_state *state, gal_input *input);

typedef struct gali_recording_desc {
    const gal_controller *controller;
    uint32_t characters, frames; /* >= 1 */
    const gal_spawn *spawns;     /* [characters] */
    gal_ground_fn ground;        /* NULL: flat */
    void *ground_context;
    gali_player_fn player;
    void *player_context;
    int no_foot_lock;
} gali_recording_desc;

typedef struct gali_recording {
    uint32_t characters, frames, joints, samples; /* samples: of the trajectory */
    gal_transform *poses;                         /* [characters][frames][joints], world */
    gal_vec3 *fed_back;                           /* [characters][frames][joints], what the network sees next */
    gal_character_state *states;                  /* [characters][frames] */
    gal_input *inputs;                            /* [characters][frames] */
    gal_vec3 *trajectory;                         /* [characters][frames][samples] */
    float *trajectory_facing;                     /* [characters][frames][samples] */
    double *step_seconds;                         /* [frames] wall time of each step */
    double zone_seconds[GAL_ZONE_COUNT];          /* of all steps */
    uint64_t resets;                              /* characters set back because they became non-finite */
    size_t crowd_bytes;
} gali_recording;

/* *out is released with gali_recording_release also after a failure. */
gal_status gali_recording_make(gali_recording *out, const gali_recording_desc *desc, gal_error *error);

void gali_recording_release(gali_recording *recording);

/* Joints of one character at one frame. */
static inline const gal_transform *gali_recording_pose(const gali_recording *recording, uint32_t character,
                                                       uint32_t frame) {
    return recording->poses + ((size_t)character * recording->frames + frame) * recording->joints;
}

static inline const gal_character_state *gali_recording_state(const gali_recording *recording,
                                                              uint32_t character, uint32_t frame) {
    return recording->states + (size_t)character * recording->frames + frame;
}

#endif
