/* gallop drive: one character in closed loop, its poses as arrays. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"
#include "commands.h"
#include "directory.h"
#include "drive_run.h"
#include "npy.h"

enum { STATE_COLUMNS = 6, OWN_OPTIONS = 5 };

static float *rows(const gali_recording *recording, size_t columns, gal_error *error) {
    float *out = malloc(recording->frames * columns * sizeof(float) + 1);
    if (!out) {
        gali_fail(error, GAL_NO_MEMORY, "no memory for %u frames", recording->frames);
    }
    return out;
}

static gal_status write_positions(const gali_recording *recording, const char *path, gal_error *error) {
    size_t shape[3] = {recording->frames, recording->joints, 3}, count = shape[0] * shape[1];
    float *out = rows(recording, shape[1] * 3, error);
    if (!out) {
        return GAL_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out + 3 * i, &recording->poses[i].position, 3 * sizeof(float));
    }
    gal_status status = gali_npy_write(path, out, GALI_f32, 3, shape, error);
    free(out);
    return status;
}

static gal_status write_rotations(const gali_recording *recording, const char *path, gal_error *error) {
    size_t shape[3] = {recording->frames, recording->joints, 4}, count = shape[0] * shape[1];
    float *out = rows(recording, shape[1] * 4, error);
    if (!out) {
        return GAL_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out + 4 * i, &recording->poses[i].rotation, 4 * sizeof(float));
    }
    gal_status status = gali_npy_write(path, out, GALI_f32, 3, shape, error);
    free(out);
    return status;
}

static gal_status write_fed_back(const gali_recording *recording, const char *path, gal_error *error) {
    size_t shape[3] = {recording->frames, recording->joints, 3};
    return gali_npy_write(path, recording->fed_back, GALI_f32, 3, shape, error);
}

static gal_status write_states(const gali_recording *recording, uint32_t contacts, const char *path,
                               gal_error *error) {
    size_t shape[2] = {recording->frames, STATE_COLUMNS + contacts};
    float *out = rows(recording, shape[1], error);
    if (!out) {
        return GAL_NO_MEMORY;
    }
    for (size_t f = 0; f < shape[0]; f++) {
        const gal_character_state *state = gali_recording_state(recording, 0, (uint32_t)f);
        float row[STATE_COLUMNS] = {state->root.x, state->root.y, state->root.z,
                                    state->facing, state->phase,  state->speed};
        memcpy(out + f * shape[1], row, sizeof row);
        memcpy(out + f * shape[1] + STATE_COLUMNS, state->contacts, contacts * sizeof(float));
    }
    gal_status status = gali_npy_write(path, out, GALI_f32, 2, shape, error);
    free(out);
    return status;
}

/* Paths of the arrays asked for; NULL where not. */
typedef struct outputs {
    const char *poses, *rotations, *states, *fed_back;
} outputs;

static int write_all(const gali_drive_run *drive, const outputs *paths) {
    gal_error error = {0};
    uint32_t contacts = gal_controller_get_info(drive->controller).contacts;
    gal_status status = write_positions(&drive->recording, paths->poses, &error);
    if (status == GAL_OK && paths->rotations) {
        status = write_rotations(&drive->recording, paths->rotations, &error);
    }
    if (status == GAL_OK && paths->fed_back) {
        status = write_fed_back(&drive->recording, paths->fed_back, &error);
    }
    if (status == GAL_OK && paths->states) {
        status = write_states(&drive->recording, contacts, paths->states, &error);
    }
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("drive", "%s", error.message);
}

/* Before the work, not after it. */
static int make_folders(const gali_drive_run *drive, const outputs *paths) {
    const char *const all[] = {paths->poses, paths->rotations, paths->states, paths->fed_back};
    gal_error error = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] && !gali_directory_name_fits(all[i], ".npy", ".npy")) {
            return gali_command_usage("drive", "%s: arrays are written as .npy", all[i]);
        }
        const int spared = gali_drive_run_spare(drive, "drive", all[i]);
        if (spared != GALI_EXIT_OK) {
            return spared;
        }
        for (size_t j = 0; all[i] && j < i; j++) {
            if (all[j] && strcmp(all[i], all[j]) == 0 && gali_system_path_kind(all[i]) != GALI_PATH_OTHER) {
                return gali_command_usage("drive", "%s: two arrays in one file", all[i]);
            }
        }
        if (gali_directory_make_for(all[i], &error) != GAL_OK) {
            return gali_command_bad("drive", "%s", error.message);
        }
    }
    return GALI_EXIT_OK;
}

static int run(int argc, char **argv) {
    gali_drive_run drive;
    gali_option options[GALI_DRIVE_OPTIONS + OWN_OPTIONS];
    outputs paths = {0};
    const gali_option own[OWN_OPTIONS] = {{"-o", GALI_OPTION_TEXT, &paths.poses, 0, 0},
                                          {"--output", GALI_OPTION_TEXT, &paths.poses, 0, 0},
                                          {"--rotations", GALI_OPTION_TEXT, &paths.rotations, 0, 0},
                                          {"--fed-back", GALI_OPTION_TEXT, &paths.fed_back, 0, 0},
                                          {"--states", GALI_OPTION_TEXT, &paths.states, 0, 0}};
    gali_drive_run_options(&drive, options);
    memcpy(options + GALI_DRIVE_OPTIONS, own, sizeof own);
    int result = gali_options_read("drive", argc, argv, options, GALI_DRIVE_OPTIONS + OWN_OPTIONS);
    if (result == GALI_EXIT_OK && !paths.poses) {
        result = gali_command_usage("drive", "-o is missing");
    }
    if (result == GALI_EXIT_OK) {
        result = make_folders(&drive, &paths);
    }
    if (result == GALI_EXIT_OK) {
        result = gali_drive_run_make(&drive, "drive");
    }
    if (result == GALI_EXIT_OK) {
        result = write_all(&drive, &paths);
    }
    gali_drive_run_release(&drive);
    return result;
}

const gali_command gali_command_drive = {
    "drive", "one character in closed loop, its poses as arrays",
    "usage: gallop drive MODEL " GALI_DRIVE_USAGE "\n"
    "       -o POSES.npy [--rotations FILE.npy] [--states FILE.npy] [--fed-back FILE.npy]\n\n"
    "Drives one character by a script and writes its world joint positions, float32 "
    "[frames][joints][3].\n\n" GALI_DRIVE_HELP
    "  --rotations FILE.npy   world rotations as quaternions x, y, z, w: [frames][joints][4]\n"
    "  --states FILE.npy      root x, y, z, facing, phase, speed, contacts: [frames][6 + contacts]\n"
    "  --fed-back FILE.npy    joint positions as the network sees them next: [frames][joints][3]\n",
    run};
