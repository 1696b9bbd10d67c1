/*
 * A player's input over time, from a CSV file.
 *
 * The first line names the columns, in any order: frame, move_x, move_y, run, strafe, crouch, responsive,
 * camera_yaw, jump (gal_input has their units); those that are absent are 0. Each line after it is one frame; with
 * a `frame` column it starts at that frame (ascending, from 0) and holds until the next line's. Empty lines
 * and lines that start with # are passed over.
 */
#ifndef GALI_CLI_DRIVE_SCRIPT_H
#define GALI_CLI_DRIVE_SCRIPT_H

#include "gallop/crowd.h"

enum { GALI_DRIVE_FRAMES_MAX = 216000 }; /* an hour at 60 frames a second */

typedef struct gali_drive_script {
    uint32_t frames;   /* >= 1 */
    gal_input *inputs; /* [frames], owned */
} gali_drive_script;

/* Parses size bytes of text; `name` starts the messages, which give line and column. */
gal_status gali_drive_script_parse(gali_drive_script *out, const char *text, size_t size, const char *name,
                                   gal_error *error);

/* The same from a file of at most 64 MiB; the path "-" is standard input. */
gal_status gali_drive_script_read(gali_drive_script *out, const char *path, gal_error *error);

/*
 * Makes the script `frames` long, 1..GALI_DRIVE_FRAMES_MAX: its last line holds until then, or it is cut off. GAL_NO_MEMORY
 * leaves it as it was.
 */
gal_status gali_drive_script_resize(gali_drive_script *script, uint32_t frames, gal_error *error);

void gali_drive_script_release(gali_drive_script *script);

#endif
