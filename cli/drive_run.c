#include "drive_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "commands.h"
#include "model_file.h"
#include "npy.h"

static const double CELL = 3.937007874; /* of the terrains published with PFNN */

void gali_drive_run_options(gali_drive_run *run, gali_option options[GALI_DRIVE_OPTIONS]) {
    *run = (gali_drive_run){.terrain_scale = 1, .terrain_cell = CELL};
    const gali_option table[GALI_DRIVE_OPTIONS] = {
        {"MODEL", GALI_OPTION_WORD, &run->model, 1, 0},
        {"--input", GALI_OPTION_TEXT, &run->input, 0, 0},
        {"--terrain", GALI_OPTION_TEXT, &run->terrain, 0, 0},
        {"--terrain-scale", GALI_OPTION_NUMBER, &run->terrain_scale, -1e9, 1e9},
        {"--terrain-offset", GALI_OPTION_NUMBER, &run->terrain_offset, -1e9, 1e9},
        {"--terrain-cell", GALI_OPTION_NUMBER, &run->terrain_cell, 1e-6, 1e6},
        {"--start", GALI_OPTION_TEXT, &run->start, 0, 0},
        {"--seconds", GALI_OPTION_NUMBER, &run->seconds, 1e-3, 3600},
        {"--no-foot-lock", GALI_OPTION_FLAG, &run->no_foot_lock, 0, 0},
        {"-i", GALI_OPTION_TEXT, &run->input, 0, 0},
        GALI_PRECISION_TABLE(run->precision),
    };
    memcpy(options, table, sizeof table);
}

/* "X,Z,FACING" */
static int read_start(gali_drive_run *run) {
    double values[3] = {0, 0, 0};
    char cell[64];
    const char *at = run->start;
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof cell || at[length] != (i < 2 ? ',' : '\0')) {
            return 0;
        }
        memcpy(cell, at, length);
        cell[length] = '\0';
        if (!gali_options_number(cell, &values[i])) {
            return 0;
        }
        at += length + (i < 2);
    }
    if (!(fabs(values[0]) <= (double)GAL_PLACE_MOST) || !(fabs(values[1]) <= (double)GAL_PLACE_MOST)) {
        return 0;
    }
    run->spawn = (gal_spawn){.x = (float)values[0], .z = (float)values[1], .facing = (float)values[2]};
    return 1;
}

/* The file has rows along x; a height field wants them along z. */
static gal_status read_terrain(gali_drive_run *run, gal_error *error) {
    float *values = NULL;
    size_t shape[2];
    gal_status status = gali_npy_read_f32(run->terrain, 2, &values, shape, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t along_x = shape[0], along_z = shape[1];
    run->heights = malloc(along_x * along_z * sizeof(float) + 1);
    if (along_x < 2 || along_z < 2 || along_x > INT32_MAX || along_z > INT32_MAX || !run->heights) {
        free(values);
        return gali_fail(error, GAL_BAD_DATA, "%s: %zu x %zu heights, at least 2 x 2 expected", run->terrain,
                         along_x, along_z);
    }
    for (size_t i = 0; i < along_x * along_z; i++) {
        size_t x = i / along_z, z = i % along_z;
        float height = (float)(run->terrain_scale * ((double)values[i] - run->terrain_offset));
        if (!isfinite(height)) {
            gali_fail(error, GAL_BAD_DATA, "%s: [%zu][%zu] is %g: not a finite height", run->terrain, x, z,
                      (double)values[i]);
            free(values);
            return GAL_BAD_DATA;
        }
        run->heights[z * along_x + x] = height;
    }
    free(values);
    float cell = (float)run->terrain_cell;
    run->field = (gal_height_field){.heights = run->heights,
                                    .rows = (uint32_t)along_z,
                                    .columns = (uint32_t)along_x,
                                    .cell = cell,
                                    .origin_x = -cell * (float)(along_x / 2),
                                    .origin_z = -cell * (float)(along_z / 2)};
    return GAL_OK;
}

static void play(void *context, uint32_t character, uint32_t frame, const gal_character_state *state,
                 gal_input *input) {
    const gali_drive_run *run = context;
    (void)character;
    (void)state;
    *input = run->script.inputs[frame];
}

/* --seconds, in frames of the controller. */
static gal_status set_length(gali_drive_run *run, gal_error *error) {
    double frames = run->seconds * (double)gal_controller_get_info(run->controller).rate;
    if (run->seconds == 0) {
        return GAL_OK;
    }
    if (frames > (double)GALI_DRIVE_FRAMES_MAX) {
        return gali_fail(error, GAL_BAD_DATA, "--seconds %g: more than %d frames", run->seconds,
                         GALI_DRIVE_FRAMES_MAX);
    }
    return gali_drive_script_resize(&run->script, frames < 1 ? 1 : (uint32_t)(frames + 0.5), error);
}

/* Says what the script asks for that this controller never does; else it would be passed over in silence. */
static void say_ignored(const gali_drive_run *run, const char *command) {
    const gal_controller_info info = gal_controller_get_info(run->controller);
    int crouches = 0, jumps = 0;
    for (uint32_t i = 0; i < run->script.frames; i++) {
        crouches |= run->script.inputs[i].crouch > 0;
        jumps |= run->script.inputs[i].jump != 0;
    }
    if (crouches && !info.can_crouch) {
        fprintf(stderr, "gallop %s: %s cannot crouch: the column crouch is ignored\n", command, run->model);
    }
    if (jumps && !info.can_jump) {
        fprintf(stderr, "gallop %s: %s cannot jump: the column jump is ignored\n", command, run->model);
    }
}

static gal_status record(gali_drive_run *run, gal_error *error) {
    gali_recording_desc desc = {.controller = run->controller,
                                .characters = 1,
                                .frames = run->script.frames,
                                .spawns = &run->spawn,
                                .ground = run->heights ? gal_height_field_ground : NULL,
                                .ground_context = &run->field,
                                .player = play,
                                .player_context = run,
                                .no_foot_lock = run->no_foot_lock};
    return gali_recording_make(&run->recording, &desc, error);
}

int gali_drive_run_spare(const gali_drive_run *run, const char *command, const char *out) {
    const char *const read[] = {run->model, run->input, run->terrain};
    return gali_command_spare(command, out, read, sizeof read / sizeof read[0]);
}

int gali_drive_run_make(gali_drive_run *run, const char *command) {
    gal_error error = {0};
    if (!run->input) {
        return gali_command_usage(command, "--input is missing");
    }
    if (!run->terrain && (run->terrain_scale != 1 || run->terrain_offset != 0 || run->terrain_cell != CELL)) {
        return gali_command_usage(command, "--terrain-scale, -offset and -cell go with --terrain");
    }
    if (run->start && !read_start(run)) {
        return gali_command_usage(command, "--start %s: three numbers X,Z,FACING expected, X and Z within %g",
                                  run->start, (double)GAL_PLACE_MOST);
    }
    int result = gali_precision_option_read(&run->precision, command, &run->desc);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    gal_status status = gali_drive_script_read(&run->script, run->input, &error);
    if (status == GAL_OK && run->terrain) {
        status = read_terrain(run, &error);
    }
    if (status == GAL_OK) {
        status = gal_controller_open(&run->controller, run->model, &run->desc, &error);
    }
    if (status == GAL_OK) {
        status = set_length(run, &error);
    }
    if (status == GAL_OK) {
        say_ignored(run, command);
        status = record(run, &error);
    }
    if (status != GAL_OK) {
        return gali_command_bad(command, "%s", error.message);
    }
    if (run->recording.resets > 0) {
        return gali_command_bad(command, "%s: the character became non-finite %llu times", run->model,
                                (unsigned long long)run->recording.resets);
    }
    return GALI_EXIT_OK;
}

void gali_drive_run_release(gali_drive_run *run) {
    gali_recording_release(&run->recording);
    gal_controller_close(run->controller);
    gali_drive_script_release(&run->script);
    free(run->heights);
    run->heights = NULL;
    run->controller = NULL;
}
