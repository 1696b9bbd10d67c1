/*
 * Snapshots of a crowd: bytes from which it goes on bit for bit.
 *
 * A snapshot is a snapshot_head, a snapshot_group for each group, then generation uint32[the saved crowd's places], then
 * for each character in order its handle, its pace and its words, all in this machine's byte order. A character's words are
 * float32, in the order of walk_lane: its state, the path behind it from the oldest frame on, its poses; how many, its group
 * says. Nothing in them is an index or a place in memory, so that all that can be wrong with them is a number that is too large
 * or none.
 *
 * The invariant: every number of a character in a crowd is within its kind's bound, whatever its network, its ground and
 * its host did. So a crowd takes back what it saved, and nothing that a snapshot brings lasts.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "motion/crowd_parts.h"
#include "motion/snapshot.h"

/* Going through what a lane holds: each span of numbers, `stride` apart, is given to `take`, in order. */
typedef struct walk walk;
struct walk {
    void (*take)(walk *self, gali_bound bound, float *numbers, size_t stride, size_t count);
    unsigned char *words; /* the next of them */
    int in_range;
};

static void walk_lane(walk *w, const gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    const gali_contract *c = controller->contract;
    const gali_layout *is = &controller->layout;
#define FIELD(name, kind, bound, count)                                                                        \
    w->take(w, GALI_BOUND_##bound, gali_bank_at(bank, is->name, lane), GALI_BANK,                              \
            GALI_FIELD_##kind *(size_t)(count));
#include "motion/state.def"
#undef FIELD
    for (uint32_t back = c->past; back > 0; back--) {
        float *record = gali_bank_record(bank, c, is, lane, back);
        w->take(w, GALI_BOUND_PLACE, record, 1, GALI_RECORD_FACING);
        w->take(w, GALI_BOUND_NUMBER, record + GALI_RECORD_FACING, 1,
                GALI_RECORD_GAIT - GALI_RECORD_FACING + (size_t)c->gait_count);
    }
    const uint8_t poses[GALI_POSES] = {bank->pose[lane], bank->before[lane], bank->bridge[lane]};
    for (uint32_t i = 0; i < GALI_POSES; i++) {
        float *pose = (float *)(void *)gali_bank_pose_at(bank, is, lane, poses[i]);
        w->take(w, GALI_BOUND_PLACE, pose, 1, 7 * (size_t)c->joint_count);
    }
}

static size_t snapshot_words(const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    size_t record = GALI_RECORD_GAIT + (size_t)contract->gait_count;
    return controller->layout.numbers + contract->past * record +
           GALI_POSES * 7 * (size_t)contract->joint_count;
}

static void put_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)bound;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        memcpy(w->words, numbers + i * stride, sizeof *numbers);
    }
}

static void get_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)bound;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        memcpy(numbers + i * stride, w->words, sizeof *numbers);
    }
}

/* NaN is within no bound; an evaluation stands for one frame at least, and no part of one. */
static int is_allowed(gali_bound bound, float number) {
    return fabsf(number) <= gali_bound_of(bound) &&
           (bound != GALI_BOUND_FRAMES || (number >= 1 && number == floorf(number)));
}

static void check_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)numbers;
    (void)stride;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        float number;
        memcpy(&number, w->words, sizeof number);
        w->in_range &= is_allowed(bound, number);
    }
}

static void check_state(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++) {
        w->in_range &= is_allowed(bound, numbers[i * stride]);
    }
}

static void bound_state(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)w;
    for (size_t i = 0; i < count; i++) {
        numbers[i * stride] = is_allowed(bound, numbers[i * stride]) ? numbers[i * stride] : 0;
    }
}

static void write_character(const gali_one *one, unsigned char *words) {
    walk w = {.take = put_words, .words = words};
    walk_lane(&w, one->lanes.bank, one->lanes.controller, one->lane);
}

static void read_character(const gali_one *one, const unsigned char *words) {
    walk w = {.take = get_words, .words = (unsigned char *)(uintptr_t)words}; /* only read */
    gali_bank_start(one->lanes.bank, one->lane);
    walk_lane(&w, one->lanes.bank, one->lanes.controller, one->lane);
}

/* The lane says where numbers would be, and is not touched. */
static int words_are_in_range(const gali_one *one, const unsigned char *words) {
    walk w = {.take = check_words, .words = (unsigned char *)(uintptr_t)words, .in_range = 1};
    walk_lane(&w, one->lanes.bank, one->lanes.controller, one->lane);
    return w.in_range;
}

int gali_snapshot_is_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    walk w = {.take = check_state, .in_range = 1};
    walk_lane(&w, bank, controller, lane);
    return w.in_range;
}

void gali_snapshot_bound(gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    walk w = {.take = bound_state};
    walk_lane(&w, bank, controller, lane);
}

/* FNV-1a, 32 bits: short texts, every frame. */
static uint32_t hash_on(uint32_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

/* Equal for controllers whose characters are of the same words. */
static uint32_t snapshot_kind(const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    const uint32_t window[] = {contract->past, contract->future};
    uint32_t hash = hash_on(2166136261u, window, sizeof window);
    hash = hash_on(hash, &controller->layout, offsetof(gali_layout, x_row));
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        hash = hash_on(hash, contract->joints[i].name, strlen(contract->joints[i].name) + 1);
    }
    for (uint32_t i = 0; i < contract->gait_count; i++) {
        hash = hash_on(hash, contract->gaits[i].name, strlen(contract->gaits[i].name) + 1);
    }
    return hash;
}

int gali_snapshot_fits(const gal_controller *one, const gal_controller *other) {
    return snapshot_kind(one) == snapshot_kind(other) && snapshot_words(one) == snapshot_words(other);
}

enum { SNAPSHOT_MAGIC = 0x53474c47, SNAPSHOT_VERSION = 5 }; /* "GLGS" in little-endian bytes */

typedef struct snapshot_head {
    uint32_t magic, version;
    uint32_t group_count, count; /* groups, characters */
    uint64_t resets;
    double owed;
    uint32_t bar, unused; /* the budget's; 0 */
} snapshot_head;

typedef struct snapshot_group {
    uint32_t kind, words; /* snapshot_kind, snapshot_words */
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
        front.groups[g] = (snapshot_group){.kind = snapshot_kind(group->levels[0]),
                                           .words = (uint32_t)snapshot_words(group->levels[0]),
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
        write_character(&one, at + sizeof record);
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
            "snapshot: of a controller with other joints, hinges, gaits, window, memory or inertia");
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
           pace.waited <= GALI_FRAMES_MAX && pace.rung <= GALI_RUNGS && pace.urgent <= 1 &&
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
    return words_are_in_range(&one, record + sizeof front)
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
        read_character(&one, record + sizeof saved);
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
