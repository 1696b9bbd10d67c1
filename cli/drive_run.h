/* One character driven by a script over a terrain: the part that drive and export share. */
#ifndef GALI_CLI_DRIVE_RUN_H
#define GALI_CLI_DRIVE_RUN_H

#include "drive_script.h"
#include "options.h"
#include "precision_option.h"
#include "show/recording.h"

enum { GALI_DRIVE_OPTIONS = 12 };

typedef struct gali_drive_run {
    const char *model, *input, *terrain, *start; /* as given; NULL where not */
    double terrain_scale, terrain_offset, terrain_cell;
    double seconds; /* 0: as long as the script */
    int no_foot_lock;
    gali_precision_option precision;
    gal_network_desc desc;
    gal_controller *controller;
    gali_drive_script script;
    float *heights; /* [rows][columns] of `field`, owned */
    gal_height_field field;
    gal_spawn spawn;
    gali_recording recording;
} gali_drive_run;

/* The shared options' text for help, and their table, whose values point into *run. Sets the defaults. */
#define GALI_DRIVE_USAGE                                                                                       \
    "--input FILE.csv [--terrain FILE.npy [--terrain-scale S] [--terrain-offset O] [--terrain-cell C]]\n"      \
    "       [--start X,Z,FACING] [--seconds S] [--no-foot-lock] " GALI_PRECISION_USAGE
#define GALI_DRIVE_HELP                                                                                        \
    "The CSV's first line names its columns, in any order: frame, move_x, move_y, run, strafe, crouch,\n"      \
    "responsive, camera_yaw, jump; absent ones are 0. With `frame`, a line holds until the next line's "       \
    "frame.\n"                                                                                                 \
    "`--input -` reads it from standard input, `-o -` writes to standard output.\n\n"                          \
    "  --terrain FILE.npy   ground, float32 [x][z], origin at cell [rows / 2][columns / 2];\n"                 \
    "                       height = scale * (value - offset), bilinear, clamped at the borders\n"             \
    "  --terrain-scale S    1\n"                                                                               \
    "  --terrain-offset O   0\n"                                                                               \
    "  --terrain-cell C     width of a cell in the model's units: 3.937007874\n"                               \
    "  --start X,Z,FACING   where the character starts: units and radians (0,0,0)\n"                           \
    "  --seconds S          how long in all; the last line holds until then (else it is one frame)\n"          \
    "  --no-foot-lock       poses as predicted, without foot locking\n" GALI_PRECISION_HELP
void gali_drive_run_options(gali_drive_run *run, gali_option options[GALI_DRIVE_OPTIONS]);

/* gali_command_spare of the files that a run reads. */
int gali_drive_run_spare(const gali_drive_run *run, const char *command, const char *out);

/* Opens, drives and records. Prints what is wrong for `command`; returns the exit status. */
int gali_drive_run_make(gali_drive_run *run, const char *command);

void gali_drive_run_release(gali_drive_run *run);

#endif
