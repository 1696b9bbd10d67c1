/* gallop export: a driven run as BVH, for animation programs. */
#include <string.h>

#include "bvh.h"
#include "commands.h"
#include "directory.h"
#include "drive_run.h"
#include "motion/controller.h"

enum { OWN_OPTIONS = 2 };

static int write(const gali_drive_run *drive, const char *path) {
    gal_error error = {0};
    const gali_contract *contract = drive->controller->contract;
    gal_status status = gali_bvh_write(path, contract, drive->recording.poses, drive->recording.frames, &error);
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("export", "%s", error.message);
}

static int run(int argc, char **argv) {
    gali_drive_run drive;
    gali_option options[GALI_DRIVE_OPTIONS + OWN_OPTIONS];
    const char *path = NULL;
    gal_error error = {0};
    const gali_option own[OWN_OPTIONS] = {{"-o", GALI_OPTION_TEXT, &path, 0, 0},
                                          {"--output", GALI_OPTION_TEXT, &path, 0, 0}};
    gali_drive_run_options(&drive, options);
    memcpy(options + GALI_DRIVE_OPTIONS, own, sizeof own);
    int result = gali_options_read("export", argc, argv, options, GALI_DRIVE_OPTIONS + OWN_OPTIONS);
    if (result == GALI_EXIT_OK && !path) {
        result = gali_command_usage("export", "-o is missing");
    }
    if (result == GALI_EXIT_OK && !gali_directory_name_fits(path, ".bvh", ".glb")) {
        result = gali_command_usage("export", "%s: a name that ends in .bvh expected", path);
    }
    if (result == GALI_EXIT_OK && gali_directory_make_for(path, &error) != GAL_OK) {
        result = gali_command_bad("export", "%s", error.message);
    }
    if (result == GALI_EXIT_OK) {
        result = gali_drive_run_make(&drive, "export");
    }
    if (result == GALI_EXIT_OK) {
        result = write(&drive, path);
    }
    gali_drive_run_release(&drive);
    return result;
}

const gali_command gali_command_export = {
    "export", "a driven run as BVH",
    "usage: gallop export MODEL " GALI_DRIVE_USAGE "\n"
    "       -o FILE.bvh\n\n"
    "Drives one character by a script and writes its motion as BVH: the model's skeleton, root position, and\n"
    "rotations Z X Y in degrees for each joint, in the model's unit of length.\n\n" GALI_DRIVE_HELP,
    run};
