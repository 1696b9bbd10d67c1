/*
 * A crowd's snapshots, from a network peer or a saved game: what is refused changes nothing; with what is taken all goes on
 * that may happen to a crowd, whose snapshots are taken again.
 */
#define _POSIX_C_SOURCE 200112L
#include "exercise.h"

enum { CAPACITY = 2 };

static unsigned char *save(const gal_crowd *crowd, size_t *size) {
    unsigned char *bytes = malloc(gal_crowd_snapshot_size(crowd));
    require(bytes && gal_crowd_save(crowd, bytes, gal_crowd_snapshot_size(crowd), size) == GAL_OK);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gal_crowd *crowd;
    crowd = crowd ? crowd : exercise_crowd_of(GALLOP_SOURCE_DIR "/models/walker.gallop", CAPACITY);
    size_t before_size, after_size;
    gal_error error = {0};
    unsigned char *before = save(crowd, &before_size), *after;
    if (gal_crowd_restore(crowd, data, size, &error) == GAL_OK) {
        exercise_snapshot(crowd);
        exercise_crowd(crowd);
    } else {
        after = save(crowd, &after_size);
        require(error.message[0] && after_size == before_size && memcmp(before, after, after_size) == 0);
        free(after);
    }
    free(before);
    return 0;
}
