/*
 * Recordings: what a host did to a crowd, call by call, and a hash of the crowd after every step. Played again with the
 * same controllers and ground they give the same bits, on any machine: for reports of faults, for replays in games, and
 * to find the first frame in which two builds part (`gallop replay --bisect`).
 *
 * A recording is for this version of Gallop and byte order. It holds the controllers' names, not the controllers. A
 * height field (gal_height_field_ground) is held whole; a ground function of the host's own is not, and whoever plays
 * brings it.
 */
#ifndef GALLOP_RECORD_H
#define GALLOP_RECORD_H

#include "crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A 64-bit hash of what the crowd shows: handles in order, states and poses. Equal crowds have equal hashes, on any
 * machine; about a microsecond a character.
 */
GAL_API uint64_t gal_crowd_hash(const gal_crowd *crowd);

/* Takes the next size bytes of a recording. Called on the thread that changes the crowd, also in the middle of its calls. */
typedef void (*gal_record_fn)(void *context, const void *data, size_t size);

/*
 * Records everything that is done to the crowd from now on, beginning with the crowd as it is; write NULL: ends the
 * recording under way, if any. About 40 bytes a call and 12 a step, handed to `write` as they come: a recording that
 * breaks off is good up to its last whole step. Memory for one snapshot is taken from the crowd's allocator for the time
 * of this call. Errors, after which nothing is recorded: GAL_NO_MEMORY, GAL_BAD_ARGUMENT (the crowd has a budget by a clock,
 * whose choices cannot be played again).
 */
GAL_API gal_status gal_crowd_record(gal_crowd *crowd, gal_record_fn write, void *context, gal_error *error);

/* A group of the recorded crowd. */
typedef struct gal_replay_group {
    char controller[64]; /* its controller's name (gal_controller_info.name), cut to fit */
    uint32_t capacity, joints;
} gal_replay_group;

/* A recording that is being played: the caller's memory, filled by gal_replay_open; to be read, not changed. */
typedef struct gal_replay {
    const unsigned char *data; /* the recording, the caller's */
    size_t size, at, start;    /* at: the next call; start: the first */
    uint32_t group_count;
    gal_replay_group groups[GAL_GROUPS_MAX];
    int ground;             /* 0: flat, 1: `field`, 2: the host's own function */
    gal_height_field field; /* its heights stand in data */
    size_t snapshot, snapshot_size;
    uint64_t frame; /* steps played */
} gal_replay;

/*
 * Reads the head of the recording in size bytes at data (aligned to 8; may come from anywhere: it is checked), which
 * must live as long as the replay is used. Errors: GAL_BAD_DATA, GAL_BAD_ARGUMENT (alignment). error may be NULL.
 */
GAL_API gal_status gal_replay_open(gal_replay *replay, const void *data, size_t size, gal_error *error);

/*
 * Makes the crowd what the recorded one was at the start. The crowd has as many groups, of the same kinds of characters
 * and at least as much capacity (gal_crowd_restore), and the recorded ground. Errors: those of gal_crowd_restore.
 */
GAL_API gal_status gal_replay_begin(gal_replay *replay, gal_crowd *crowd, gal_error *error);

/*
 * Does to the crowd what was done up to the end of the next step. *recorded (NULL allowed) gets the hash that the crowd
 * had then; it is gal_crowd_hash's now, or the two differ from here on. GAL_NOT_FOUND: the recording is at its end (also
 * where it breaks off in the middle of a step). GAL_BAD_DATA: it is damaged, or a call fails that went well.
 */
GAL_API gal_status gal_replay_step(gal_replay *replay, gal_crowd *crowd, uint64_t *recorded, gal_error *error);

#ifdef __cplusplus
}
#endif
#endif
