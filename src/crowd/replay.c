/* Recordings (gallop/record.h): reading and playing. The bytes may come from anywhere. */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "crowd/crowd_parts.h"
#include "crowd/record_layout.h"

/* The next size bytes, or NULL with the replay as it was. */
static const void *next_bytes(gal_replay *replay, size_t size) {
    if (replay->size - replay->at < size) {
        return NULL;
    }
    const void *at = replay->data + replay->at;
    replay->at += size;
    return at;
}

static gal_status damaged(const gal_replay *replay, gal_error *error, const char *what) {
    return gali_fail(error, GAL_BAD_DATA, "recording, byte %zu: %s", replay->at, what);
}

static gal_status read_groups(gal_replay *replay, uint32_t count, gal_error *error) {
    if (count == 0 || count > GAL_GROUPS_MAX) {
        return damaged(replay, error, "a number of groups from 1 to 8 expected");
    }
    for (uint32_t g = 0; g < count; g++) {
        const void *group = next_bytes(replay, sizeof replay->groups[g]);
        if (!group) {
            return damaged(replay, error, "it ends in its head");
        }
        memcpy(&replay->groups[g], group, sizeof replay->groups[g]);
        replay->groups[g].controller[sizeof replay->groups[g].controller - 1] = '\0';
    }
    replay->group_count = count;
    return GAL_OK;
}

static gal_status read_field(gal_replay *replay, gal_error *error) {
    gali_recorded_field field;
    const void *head = next_bytes(replay, sizeof field);
    if (!head) {
        return damaged(replay, error, "it ends in its height field");
    }
    memcpy(&field, head, sizeof field); /* its heights are behind it */
    replay->field =
        (gal_height_field){head, field.rows, field.columns, field.cell, field.origin_x, field.origin_z};
    if (!gali_is_field(&replay->field)) {
        return damaged(replay, error, "a height field of 2 x 2 heights or more and a finite cell expected");
    }
    size_t size = gali_size_mul(gali_size_mul(field.rows, field.columns), sizeof(float));
    const void *heights = size == GALI_SIZE_BAD ? NULL : next_bytes(replay, size);
    if (!heights) {
        return damaged(replay, error, "it ends in its height field");
    }
    replay->field.heights = heights;
    return GAL_OK;
}

/* A snapshot after its size; *start and *size get its place. */
static gal_status read_snapshot(gal_replay *replay, uint32_t bytes, size_t *start, size_t *size) {
    *start = replay->at;
    *size = bytes;
    return next_bytes(replay, gali_size_align(bytes, 4)) ? GAL_OK : GAL_NOT_FOUND;
}

static gal_status read_head(gal_replay *replay, gal_error *error) {
    gali_recorded_head head;
    const void *bytes = next_bytes(replay, sizeof head);
    if (!bytes || memcmp(bytes, GALI_RECORD_MAGIC, sizeof head.magic) != 0) {
        return damaged(replay, error, "this is no recording");
    }
    memcpy(&head, bytes, sizeof head);
    if (head.version != GALI_RECORD_VERSION) {
        return gali_fail(error, GAL_BAD_DATA, "recording: version %u, expected %d", head.version,
                         GALI_RECORD_VERSION);
    }
    if (head.ground > GALI_GROUND_OWN) {
        return damaged(replay, error, "an unknown kind of ground");
    }
    replay->ground = (int)head.ground;
    gal_status status = read_groups(replay, head.groups, error);
    return status == GAL_OK && head.ground == GALI_GROUND_FIELD ? read_field(replay, error) : status;
}

gal_status gal_replay_open(gal_replay *replay, const void *data, size_t size, gal_error *error) {
    *replay = (gal_replay){.data = data, .size = size};
    if ((uintptr_t)data % 8) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "a recording in memory aligned to 8 bytes expected");
    }
    gal_status status = read_head(replay, error);
    if (status != GAL_OK) {
        return status;
    }
    uint32_t bytes = 0;
    const void *at = next_bytes(replay, sizeof bytes);
    if (at) {
        memcpy(&bytes, at, sizeof bytes);
    }
    if (!at || read_snapshot(replay, bytes, &replay->snapshot, &replay->snapshot_size) != GAL_OK) {
        return damaged(replay, error, "it ends before its first frame");
    }
    replay->start = replay->at;
    return GAL_OK;
}

gal_status gal_replay_begin(gal_replay *replay, gal_crowd *crowd, gal_error *error) {
    replay->at = replay->start;
    replay->frame = 0;
    return gal_crowd_restore(crowd, replay->data + replay->snapshot, replay->snapshot_size, error);
}

static gal_status play_add(gal_crowd *crowd, const void *words) {
    gali_recorded_add add;
    gal_character handle;
    memcpy(&add, words, sizeof add);
    gal_status status = gal_crowd_add(crowd, &add.spawn, &handle);
    return status == GAL_OK && handle != add.handle ? GAL_NOT_FOUND : status;
}

static gal_status play_input(gal_crowd *crowd, const void *words) {
    gali_recorded_input all;
    memcpy(&all, words, sizeof all);
    return gal_crowd_set_input(crowd, all.handle, &all.input);
}

static gal_status play_teleport(gal_crowd *crowd, const void *words) {
    gali_recorded_teleport to;
    memcpy(&to, words, sizeof to);
    return gal_crowd_teleport(crowd, to.handle, to.x, to.z, to.facing);
}

static gal_status play_pace(gal_crowd *crowd, const void *words) {
    uint32_t all[3];
    memcpy(all, words, sizeof all);
    return gal_crowd_set_pace(crowd, all[0],
                              all[1] > 0 ? &(gal_pace){.frames = all[1], .level = all[2]} : NULL);
}

static gal_status play_priority(gal_crowd *crowd, const void *words) {
    gali_recorded_priority all;
    memcpy(&all, words, sizeof all);
    return gal_crowd_set_priority(crowd, all.handle, all.priority);
}

static gal_status play_budget(gal_crowd *crowd, const void *words) {
    gali_recorded_budget all;
    memcpy(&all, words, sizeof all);
    return gal_crowd_set_budget(crowd, all.budgeted ? &(gal_budget){.microseconds = all.microseconds} : NULL);
}

/* A call but STEP and RESTORE. */
static gal_status play_call(gal_crowd *crowd, gali_record_event event, const void *words) {
    uint32_t word[2] = {0, 0};
    memcpy(word, words, gali_record_words[event] < 2 ? sizeof word[0] : sizeof word);
    switch (event) {
    case GALI_RECORD_ADD:
        return play_add(crowd, words);
    case GALI_RECORD_REMOVE:
        return gal_crowd_remove(crowd, word[0]);
    case GALI_RECORD_INPUT:
        return play_input(crowd, words);
    case GALI_RECORD_FOOT_LOCK:
        return gal_crowd_set_foot_lock(crowd, word[0], word[1] != 0);
    case GALI_RECORD_PACE:
        return play_pace(crowd, words);
    case GALI_RECORD_PRIORITY:
        return play_priority(crowd, words);
    case GALI_RECORD_BUDGET:
        return play_budget(crowd, words);
    default:
        return play_teleport(crowd, words);
    }
}

static gal_status play_restore(gal_replay *replay, gal_crowd *crowd, const void *words, gal_error *error) {
    uint32_t bytes;
    size_t start, size;
    memcpy(&bytes, words, sizeof bytes);
    gal_status status = read_snapshot(replay, bytes, &start, &size);
    return status == GAL_OK ? gal_crowd_restore(crowd, replay->data + start, size, error) : status;
}

/* The next call's number and words; GAL_NOT_FOUND where the recording ends or breaks off. */
static gal_status next_call(gal_replay *replay, gali_record_event *event, const void **words,
                            gal_error *error) {
    uint32_t number;
    const void *at = next_bytes(replay, sizeof number);
    if (!at) {
        return GAL_NOT_FOUND;
    }
    memcpy(&number, at, sizeof number);
    if (number >= GALI_RECORD_EVENT_COUNT) {
        replay->at -= sizeof number;
        return damaged(replay, error, "an unknown call");
    }
    *event = (gali_record_event)number;
    *words = next_bytes(replay, gali_record_words[number] * sizeof number);
    return *words ? GAL_OK : GAL_NOT_FOUND;
}

static gal_status play_step(gal_replay *replay, gal_crowd *crowd, const void *words, uint64_t *recorded) {
    uint32_t hash[2];
    memcpy(hash, words, sizeof hash);
    gal_crowd_step(crowd);
    replay->frame++;
    if (recorded) {
        *recorded = (uint64_t)hash[1] << 32 | hash[0];
    }
    return GAL_OK;
}

gal_status gal_replay_step(gal_replay *replay, gal_crowd *crowd, uint64_t *recorded, gal_error *error) {
    for (;;) {
        size_t at = replay->at;
        gali_record_event event = GALI_RECORD_STEP;
        const void *words = NULL;
        gal_status status = next_call(replay, &event, &words, error);
        if (status == GAL_OK && event == GALI_RECORD_STEP) {
            return play_step(replay, crowd, words, recorded);
        }
        if (status == GAL_OK && event == GALI_RECORD_RESTORE) {
            status = play_restore(replay, crowd, words, error);
        } else if (status == GAL_OK && play_call(crowd, event, words) != GAL_OK) {
            replay->at = at;
            return damaged(replay, error, "a call fails here that went well when it was recorded");
        }
        if (status != GAL_OK) {
            replay->at = at;
            return status;
        }
    }
}
