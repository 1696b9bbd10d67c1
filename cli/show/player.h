/*
 * The player page: one HTML file with a recorded run in it that needs nothing else (cli/player/).
 * The page's data format is described at the top of cli/player/data.js.
 */
#ifndef GALI_CLI_PLAYER_H
#define GALI_CLI_PLAYER_H

#include "show/figure.h"
#include "show/recording.h"

typedef struct gali_player_desc {
    const char *title, *subtitle;
    const gali_contract *contract;
    const gali_figure *figure;
    const gali_recording *recording;
    const char *const *names; /* [characters] what each does */
    gal_ground_fn ground;     /* NULL: flat */
    void *ground_context;
} gali_player_desc;

gal_status gali_player_write(const char *path, const gali_player_desc *desc, gal_error *error);

#endif
