/*
 * The demo's players: eight ways to move, each around a place of its own, so that they can be watched
 * together. Distances are in steps of what the controller walks in a second, so that any controller fits.
 */
#ifndef GALI_CLI_DEMO_CAST_H
#define GALI_CLI_DEMO_CAST_H

#include "contract/contract.h"
#include "show/recording.h"

enum { GALI_CAST_ROLES = 8, GALI_CAST_MAX = 64 };

typedef struct gali_cast {
    uint32_t count;
    float rate;
    float step;          /* units of length */
    int crouches, jumps; /* whether the controller can */
    gal_spawn spawns[GALI_CAST_MAX];
    const char *names[GALI_CAST_MAX];
    uint8_t homeward[GALI_CAST_MAX]; /* the random player's: on its way back from its fence */
} gali_cast;

/* count <= GALI_CAST_MAX; beyond eight the roles come again, further out. */
void gali_cast_make(gali_cast *cast, const gali_contract *contract, uint32_t count);

/* A gali_player_fn; context is a gali_cast. */
void gali_cast_play(void *cast, uint32_t character, uint32_t frame, const gal_character_state *state,
                    gal_input *input);

#endif
