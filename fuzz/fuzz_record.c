/*
 * Recordings from anywhere, played on a crowd: what is refused says why, what is played leaves a crowd that goes on. The
 * frames of one input are bounded.
 */
#define _POSIX_C_SOURCE 200112L
#include "gallop/record.h"

#include "exercise.h"

enum { CAPACITY = 2, FRAMES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gal_crowd *crowd;
    crowd = crowd ? crowd : exercise_crowd_of(GALLOP_SOURCE_DIR "/models/walker-small.gallop", CAPACITY);
    gal_replay replay;
    gal_error error = {0};
    void *aligned = exercise_block(size);
    memcpy(aligned, data, size);
    gal_status status = gal_replay_open(&replay, aligned, size, &error);
    if (status == GAL_OK) {
        status = gal_replay_begin(&replay, crowd, &error);
    }
    for (int frame = 0; frame < FRAMES && status == GAL_OK; frame++) {
        status = gal_replay_step(&replay, crowd, NULL, &error);
    }
    require(status == GAL_OK || status == GAL_NOT_FOUND || error.message[0]);
    gal_crowd_step(crowd);
    exercise_poses(crowd);
    exercise_snapshot(crowd);
    free(aligned);
    return 0;
}
