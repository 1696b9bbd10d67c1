/*
 * Recordings from anywhere, played on a crowd: what is refused says why, what is played leaves a crowd that goes on. The
 * frames of one input are bounded.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gallop/record.h"

enum { CAPACITY = 2, FRAMES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

/* Opened once, kept until the end. */
static gal_crowd *crowd_of_walkers(void) {
    static gal_crowd *crowd;
    gal_controller *controller;
    if (!crowd) {
        require(gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/walker-small.gallop", NULL, NULL) ==
                GAL_OK);
        gal_crowd_desc desc = {.controller = controller, .capacity = CAPACITY};
        require(gal_crowd_create(&crowd, &desc, NULL) == GAL_OK);
    }
    return crowd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gal_crowd *crowd = crowd_of_walkers();
    gal_replay replay;
    gal_error error = {0};
    uint64_t *aligned = malloc(size + 8);
    require(aligned != NULL);
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
    free(aligned);
    return 0;
}
