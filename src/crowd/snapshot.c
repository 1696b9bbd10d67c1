/*
 * Snapshots of a crowd: bytes from which it goes on bit for bit.
 *
 * A snapshot is a snapshot_head, a snapshot_group for each group, then generation uint32[the saved crowd's places], then
 * for each character in order its handle, its pace and its words, all in this machine's byte order. How many
 * words (motion/state.h), its group says.
 */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "crowd/crowd_parts.h"
#include "motion/state.h"

enum { SNAPSHOT_MAGIC = 0x53474c47, SNAPSHOT_VERSION = 14 }; /* "GLGS" in little-endian bytes */

typedef struct snapshot_head {
    uint32_t magic, version;
    uint32_t group_count, count; /* groups, characters */
    uint64_t resets;
    double owed;
    uint32_t bar, unused; /* the budget's; 0 */
} snapshot_head;

typedef struct snapshot_group {
    uint32_t kind, words; /* gali_state_kind, gali_state_words */
    uint32_t capacity, count;
} snapshot_group;

/* What stands before the generations. */
typedef struct snapshot_front {
    snapshot_head head;
    snapshot_group groups[GAL_GROUPS_MAX]; /* [head.group_count] */
} snapshot_front;

/* What stands before a character's words. */
typedef struct snapshot_record {
    gal_character handle;
    gali_pace pace;
} snapshot_record;

static size_t record_bytes(const snapshot_group *group) {
    return gali_size_add(sizeof(snapshot_record), gali_size_mul(group->words, sizeof(uint32_t)));
}

static size_t front_bytes(const snapshot_front *front) {
    return sizeof front->head + front->head.group_count * sizeof front->groups[0];
}

static uint32_t places_of(const snapshot_front *front) {
    uint32_t places = 0;
    for (uint32_t g = 0; g < front->head.group_count; g++) {
        places += front->groups[g].capacity;
    }
    return places;
}

/* Bytes of a snapshot with such a front, whose capacities are not above the most. */
static size_t snapshot_bytes(const snapshot_front *front) {
    size_t bytes = front_bytes(front) + places_of(front) * sizeof(uint32_t);
    for (uint32_t g = 0; g < front->head.group_count; g++) {
        bytes = gali_size_add(bytes, gali_size_mul(front->groups[g].count, record_bytes(&front->groups[g])));
    }
    return bytes;
}

static snapshot_front snapshot_front_of(const gal_crowd *crowd) {
    snapshot_front front = {.head = {.magic = SNAPSHOT_MAGIC,
                                     .version = SNAPSHOT_VERSION,
                                     .group_count = crowd->group_count,
                                     .count = crowd->count,
                                     .resets = crowd->resets,
                                     .owed = crowd->owed,
                                     .bar = crowd->budget.bar}};
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gali_group *group = &crowd->groups[g];
        front.groups[g] = (snapshot_group){.kind = gali_state_kind(group->levels[0]),
                                           .words = (uint32_t)gali_state_words(group->levels[0]),
                                           .capacity = group->capacity,
                                           .count = group->count};
    }
    return front;
}

size_t gal_crowd_snapshot_size(const gal_crowd *crowd) {
    snapshot_front front = snapshot_front_of(crowd);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        front.groups[g].count = front.groups[g].capacity;
    }
    return snapshot_bytes(&front);
}

gal_status gal_crowd_save(const gal_crowd *crowd, void *data, size_t size, size_t *used) {
    const snapshot_front front = snapshot_front_of(crowd);
    size_t bytes = snapshot_bytes(&front), generations = crowd->capacity * sizeof *crowd->generation;
    if (used) {
        *used = bytes;
    }
    if (!data || size < bytes) {
        return GAL_NO_MEMORY;
    }
    unsigned char *at = data;
    memcpy(at, &front, front_bytes(&front));
    at += front_bytes(&front);
    memcpy(at, crowd->generation, generations);
    at += generations;
    for (uint32_t i = 0; i < crowd->count; i++) {
        uint32_t place = crowd->order[i];
        const gali_one one = gali_crowd_one(crowd, place);
        const snapshot_record record = {crowd->handle[place], crowd->paces[place]};
        memcpy(at, &record, sizeof record);
        gali_state_write(one.lanes.bank, one.lanes.controller, one.lane, at + sizeof record);
        at += record_bytes(&front.groups[gali_crowd_group(crowd, place)]);
    }
    return GAL_OK;
}

/* A group of a snapshot against the crowd's; all but the last must have its places where the crowd has them. */
static gal_status check_group(const snapshot_group *group, const snapshot_group *own, int last,
                              gal_error *error) {
    if (group->kind != own->kind || group->words != own->words) {
        return gali_fail(
            error, GAL_BAD_DATA,
            "snapshot: of a controller with other joints, hinges, gaits, window, memory or inertia: %u "
            "numbers a character, %u here",
            group->words, own->words);
    }
    if (group->capacity > GALI_CROWD_CAPACITY_MOST || group->count > group->capacity) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %u characters in %u places", group->count,
                         group->capacity);
    }
    if (!last && group->capacity != own->capacity) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: a group of %u places, the crowd's has %u",
                         group->capacity, own->capacity);
    }
    return GAL_OK;
}

static gal_status check_groups_of(const snapshot_front *front, const snapshot_front *own, gal_error *error) {
    uint32_t count = 0;
    gal_status status = GAL_OK;
    for (uint32_t g = 0; g < own->head.group_count && status == GAL_OK; g++) {
        status = check_group(&front->groups[g], &own->groups[g], g + 1 == own->head.group_count, error);
        count += front->groups[g].count;
    }
    if (status == GAL_OK && (count != front->head.count || places_of(front) > GALI_CROWD_CAPACITY_MOST)) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %u characters, %u in its groups' %u places",
                         front->head.count, count, places_of(front));
    }
    return status;
}

/* Reads and checks what stands before the generations. */
static gal_status read_front(const gal_crowd *crowd, const void *data, size_t size, snapshot_front *front,
                             gal_error *error) {
    const snapshot_front own = snapshot_front_of(crowd);
    *front = own;
    memcpy(&front->head, data, sizeof front->head);
    if (front->head.magic != own.head.magic || front->head.version != own.head.version) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: not one of this version and byte order");
    }
    if (front->head.group_count != own.head.group_count || size < front_bytes(&own)) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: of %u groups in %zu bytes, the crowd has %u",
                         front->head.group_count, size, own.head.group_count);
    }
    memcpy(front, data, front_bytes(&own));
    gal_status status = check_groups_of(front, &own, error);
    if (status == GAL_OK && snapshot_bytes(front) != size) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %zu bytes for %u characters in %u places", size,
                         front->head.count, places_of(front));
    }
    /* Of the slowest rate a frame; less than 0 after one that was run a little early (gal_crowd_advance). */
    if (status == GAL_OK && !(fabs(front->head.owed) <= 1)) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: its clock is not a time");
    }
    if (status == GAL_OK && front->head.bar > GALI_BAR_MOST) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: its budget's bar is %u, at most %d", front->head.bar,
                         GALI_BAR_MOST);
    }
    return status;
}

static int pace_fits(const gal_crowd *crowd, uint32_t place, gali_pace pace) {
    const gali_group *group = &crowd->groups[gali_crowd_group(crowd, place)];
    return pace.left < GALI_FRAMES_MAX && pace.left < group->levels[0]->contract->past &&
           pace.level < group->level_count && pace.fixed_level < group->level_count &&
           pace.fixed_frames <= GALI_FRAMES_MAX && pace.fixed_frames <= group->levels[0]->contract->past &&
           pace.waited <= GALI_FRAMES_MAX && pace.rung <= GALI_RUNGS && pace.urgent <= 1 && pace.unused == 0 &&
           !(pace.waited > 0 && pace.left > 0) && /* it would stand for ever */
           isfinite(pace.priority) && pace.priority >= 0;
}

/* The character at `record`, of a snapshot with these generations; *left says how many more each group may have. */
static gal_status check_record(const gal_crowd *crowd, uint32_t places, const unsigned char *generations,
                               const unsigned char *record, uint32_t index, uint32_t *left, gal_error *error) {
    snapshot_record front;
    uint32_t generation = 0;
    memcpy(&front, record, sizeof front);
    uint32_t place = (front.handle & 0xffffu) - 1;
    if (place < places) {
        memcpy(&generation, generations + place * sizeof generation, sizeof generation);
    }
    if (generation == 0 || generation != front.handle >> 16) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u has handle %u, which is none", index,
                         front.handle);
    }
    if (place >= crowd->capacity) {
        return gali_fail(error, GAL_FULL, "snapshot: character %u is in place %u of %u", index, place + 1,
                         crowd->capacity);
    }
    if (crowd->lost[place]) { /* not in a step: a mark of the places taken here */
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u is there twice", index);
    }
    crowd->lost[place] = 1;
    if (left[gali_crowd_group(crowd, place)]-- == 0) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u is one too many for its group", index);
    }
    if (!pace_fits(crowd, place, front.pace)) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u has a pace that this crowd has not",
                         index);
    }
    const gali_one one = gali_crowd_one(crowd, place);
    return gali_state_words_are_in_range(one.lanes.bank, one.lanes.controller, one.lane, record + sizeof front)
               ? GAL_OK
               : gali_fail(error, GAL_BAD_DATA, "snapshot: character %u has a number that is out of range",
                           index);
}

/* So many of each group in all that, after the last record, the data is at its end. */
static gal_status check_records(const gal_crowd *crowd, const snapshot_front *front,
                                const unsigned char *generations, gal_error *error) {
    const unsigned char *record = generations + places_of(front) * sizeof(uint32_t);
    uint32_t left[GAL_GROUPS_MAX];
    gal_status status = GAL_OK;
    for (uint32_t g = 0; g < front->head.group_count; g++) {
        left[g] = front->groups[g].count;
    }
    memset(crowd->lost, 0, crowd->capacity);
    for (uint32_t i = 0; i < front->head.count && status == GAL_OK; i++) {
        status = check_record(crowd, places_of(front), generations, record, i, left, error);
        if (status == GAL_OK) {
            gal_character handle;
            memcpy(&handle, record, sizeof handle);
            record += record_bytes(&front->groups[gali_crowd_group(crowd, (handle & 0xffffu) - 1)]);
        }
    }
    return status;
}

static void take_snapshot(gal_crowd *crowd, const snapshot_front *front, const unsigned char *generations) {
    const unsigned char *record = generations + places_of(front) * sizeof(uint32_t);
    uint32_t places = places_of(front) < crowd->capacity ? places_of(front) : crowd->capacity;
    gali_away_forget_all(crowd);
    memset(crowd->generation, 0, crowd->capacity * sizeof *crowd->generation);
    memcpy(crowd->generation, generations, places * sizeof *crowd->generation);
    for (uint32_t i = 0; i < crowd->capacity; i++) {
        crowd->generation[i] &= 0xffffu;
        crowd->handle[i] = 0;
    }
    for (uint32_t i = 0; i < front->head.count; i++) {
        snapshot_record saved;
        memcpy(&saved, record, sizeof saved);
        uint32_t place = (saved.handle & 0xffffu) - 1;
        const gali_one one = gali_crowd_one(crowd, place);
        crowd->order[i] = place;
        crowd->paces[place] = saved.pace;
        crowd->handle[place] = saved.handle;
        gali_state_read(one.lanes.bank, one.lanes.controller, one.lane, record + sizeof saved);
        record += record_bytes(&front->groups[gali_crowd_group(crowd, place)]);
    }
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        crowd->groups[g].count = front->groups[g].count;
    }
    crowd->count = front->head.count;
    crowd->resets = front->head.resets;
    crowd->owed = front->head.owed;
    crowd->budget.bar = front->head.bar;
}

gal_status gal_crowd_restore(gal_crowd *crowd, const void *data, size_t size, gal_error *error) {
    snapshot_front front;
    if (!data || size < sizeof front.head) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %zu bytes, expected at least %zu", size,
                         sizeof front.head);
    }
    gal_status status = read_front(crowd, data, size, &front, error);
    if (status != GAL_OK) {
        return status;
    }
    const unsigned char *generations = (const unsigned char *)data + front_bytes(&front);
    status = check_records(crowd, &front, generations, error);
    if (status == GAL_OK) {
        take_snapshot(crowd, &front, generations);
        gali_record_restore(&crowd->recorder, data, size);
    }
    return status;
}
