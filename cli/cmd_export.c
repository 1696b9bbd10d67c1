/* gallop export: a driven run as BVH or glTF, for animation programs and engines. */
#include <string.h>

#include "commands.h"
#include "directory.h"
#include "drive_run.h"
#include "motion/controller.h"
#include "show/bvh.h"
#include "show/gltf.h"

enum { OWN_OPTIONS = 2 };

/* By the file's name; anything else is BVH. */
static int is_gltf(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".glb") == 0;
}

static int write(const gali_drive_run *drive, const char *path) {
    gal_error error = {0};
    const gali_contract *contract = drive->controller->contract;
    const gali_recording *recording = &drive->recording;
    gal_status status = is_gltf(path)
                            ? gali_gltf_write(path, contract, recording->poses, recording->frames, &error)
                            : gali_bvh_write(path, contract, recording->poses, recording->frames, &error);
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
        result = gali_command_usage("export", "%s: a name that ends in .bvh or .glb expected", path);
    }
    if (result == GALI_EXIT_OK) {
        result = gali_drive_run_spare(&drive, "export", path);
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

const gali_command gali_command_export = {"export", "a driven run as BVH or glTF",
                                          "usage: gallop export MODEL " GALI_DRIVE_USAGE "\n"
                                          "       -o FILE.bvh|FILE.glb\n\n"
                                          "Drives one character by a script and writes its motion. FILE.glb: "
                                          "binary glTF 2.0, in metres, of the model's\n"
                                          "skeleton with a body of capsules skinned to it, each joint's "
                                          "rotation and translation animated. Else BVH: the\n"
                                          "skeleton, root position, and rotations Z X Y in degrees for each "
                                          "joint, in the model's unit of length.\n\n" GALI_DRIVE_HELP,
                                          run};
