/*
 * Snapshots of a crowd: bytes from which it goes on bit for bit.
 *
 * A snapshot is a snapshot_head, a snapshot_group for each group, then generation uint32[the saved crowd's places], then
 * for each character in order its handle, its pace and its words, all in this machine's byte order. A character's words are the
 * fields of its state, floats and flags of 32 bits, in the order of walk_character; how many of each, its group says.
 * Nothing in them is an index or a place in memory, so that all that can be wrong with them is a number that is too large
 * or none.
 *
 * The invariant: every number of a character in a crowd is within its kind's bound, whatever its network, its ground and
 * its host did. So a crowd takes back what it saved, and nothing that a snapshot brings lasts.
 */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "motion/crowd_parts.h"
#include "motion/snapshot.h"

/*
 * What a number of the state is of. Places have room for a body, and a walk, beyond what spawns and teleports may ask for;
 * what is seen from the character is replaced by the next predictions or dies away by a share a frame; what goes by a small
 * step a frame (the motions of the shown pose, the frames of a jump) would last for as long as it is large; an evaluation
 * stands for a few frames; flags and counts may be anything.
 */
typedef enum span_kind { PLACES, NUMBERS, STEPPED, FRAMES, OTHERS } span_kind;

/* Going through the state: each span of words is given to `take`, in order. */
typedef struct walk walk;
struct walk {
    void (*take)(walk *self, span_kind kind, void *values, size_t count);
    unsigned char *words; /* the next of them */
    size_t count;         /* words so far */
    int in_range;
};

static void places(walk *w, void *values, size_t count) {
    w->take(w, PLACES, values, count);
}

static void stepped(walk *w, void *values, size_t count) {
    w->take(w, STEPPED, values, count);
}

static void numbers(walk *w, void *values, size_t count) {
    w->take(w, NUMBERS, values, count);
}

static void other(walk *w, void *value) {
    w->take(w, OTHERS, value, 1);
}

static void walk_path(walk *w, gali_trajectory *path, const gali_contract *contract) {
    size_t window = contract->past + contract->future;
    places(w, path->position, 3 * window);
    numbers(w, path->direction, 2 * window);
    numbers(w, path->velocity, 2 * window);
    numbers(w, path->gait, window * contract->gait_count);
    places(w, &path->height, 1);
    places(w, &path->height_before, 1);
}

static void walk_hinged(walk *w, gali_hinged *hinged, const gali_contract *contract) {
    numbers(w, hinged->angle, contract->hinge_count);
    numbers(w, hinged->rate, contract->hinge_count);
    numbers(w, &hinged->posture, 3);
    numbers(w, &hinged->posture_rate, 3);
    numbers(w, hinged->motion, 3);
    numbers(w, hinged->foot, 3 * (size_t)contract->leg_count);
    numbers(w, hinged->foot_velocity, 3 * (size_t)contract->leg_count);
    numbers(w, hinged->phase, 2 * (size_t)contract->leg_count);
    numbers(w, hinged->turns, contract->leg_count);
}

static void walk_foot(walk *w, gali_foot *foot) {
    numbers(w, &foot->lock, 1);
    other(w, &foot->released);
    numbers(w, &foot->lifted, 1);
    places(w, &foot->held, 3);
    places(w, foot->ground, 2);
}

static void walk_inertia(walk *w, gali_character *c, const gali_contract *contract) {
    size_t joints = contract->rules.inertia_jump > 0 ? contract->joint_count : 0;
    size_t feet = joints > 0 ? contract->leg_count : 0;
    places(w, c->local, 7 * joints);
    stepped(w, c->turn_shown, 9 * joints);
    stepped(w, &c->place_shown, joints > 0 ? 9 : 0);
    for (size_t i = 0; i < feet; i++) {
        numbers(w, &c->foot_shown[i].predicted, 6);
        stepped(w, &c->foot_shown[i].toe, 9);
        stepped(w, &c->foot_shown[i].sole, 9);
    }
}

static void walk_input(walk *w, gal_input *input) {
    numbers(w, &input->move_x, 1);
    numbers(w, &input->move_y, 1);
    numbers(w, &input->run, 1);
    numbers(w, &input->strafe, 1);
    numbers(w, &input->crouch, 1);
    numbers(w, &input->camera_yaw, 1);
    other(w, &input->responsive);
    other(w, &input->jump);
}

static void walk_joints(walk *w, gali_character *c, size_t joints) {
    places(w, c->position, 3 * joints);
    numbers(w, c->velocity, 3 * joints);
    places(w, c->pose, 7 * joints);
    places(w, c->pose_before, 7 * joints);
    places(w, c->pose_bridge, 7 * joints);
}

/* Every field of the state but the handle. One that is forgotten here fails test/motion/test_snapshot.c. */
static void walk_character(walk *w, gali_character *c, const gali_contract *contract) {
    walk_input(w, &c->input);
    other(w, &c->foot_lock);
    walk_path(w, &c->path, contract);
    walk_joints(w, c, contract->joint_count);
    walk_inertia(w, c, contract);
    numbers(w, c->memory, contract->memory_count);
    numbers(w, &c->velocity_wanted, 2);
    numbers(w, &c->direction_wanted, 2);
    numbers(w, &c->turning, 1);
    numbers(w, &c->strafe, 1);
    numbers(w, &c->crouch, 1);
    numbers(w, &c->phase, 1);
    numbers(w, &c->speed_factor, 1);
    numbers(w, &c->speed, 1);
    numbers(w, &c->step, 1);
    numbers(w, c->contact, contract->contact_count);
    places(w, c->toe_at, 3 * (size_t)contract->leg_count);
    places(w, c->contact_at, 3 * (size_t)contract->contact_count);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        walk_foot(w, &c->feet[i]);
    }
    walk_hinged(w, &c->hinged, contract);
    numbers(w, &c->command, 4);
    numbers(w, &c->breath, 1);
    other(w, &c->age);
    stepped(w, &c->jump_top, 1);
    w->take(w, FRAMES, &c->frames, 1);
    numbers(w, &c->phase_step, 1);
    places(w, &c->height_bridge, 1);
    numbers(w, c->contact_before, contract->contact_count);
}

static void count_words(walk *w, span_kind kind, void *values, size_t count) {
    (void)kind;
    (void)values;
    w->count += count;
}

static void put_words(walk *w, span_kind kind, void *values, size_t count) {
    (void)kind;
    if (count > 0) { /* an array of none has no place */
        memcpy(w->words, values, count * sizeof(uint32_t));
    }
    w->words += count * sizeof(uint32_t);
}

static void get_words(walk *w, span_kind kind, void *values, size_t count) {
    (void)kind;
    if (count > 0) {
        memcpy(values, w->words, count * sizeof(uint32_t));
    }
    w->words += count * sizeof(uint32_t);
}

/* By their bits, which grow with the number's size and are largest where it is none: a loop that compilers widen. */
static int are_within(const void *values, size_t count, float bound) {
    uint32_t most = 0, bound_bits;
    memcpy(&bound_bits, &bound, sizeof bound_bits);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const unsigned char *)values + i * sizeof bits, sizeof bits);
        bits &= 0x7fffffffu;
        most = bits > most ? bits : most;
    }
    return most <= bound_bits;
}

static int are_allowed(span_kind kind, const void *values, size_t count) {
    static const float bound[] = {[PLACES] = 2 * GAL_PLACE_MOST, [NUMBERS] = 65536, [STEPPED] = 2048};
    if (kind == FRAMES) {
        uint32_t frames;
        memcpy(&frames, values, sizeof frames);
        return frames >= 1 && frames <= GALI_FRAMES_MAX;
    }
    return kind == OTHERS || are_within(values, count, bound[kind]);
}

static void check_words(walk *w, span_kind kind, void *values, size_t count) {
    (void)values;
    w->in_range &= are_allowed(kind, w->words, count);
    w->words += count * sizeof(uint32_t);
}

static void check_state(walk *w, span_kind kind, void *values, size_t count) {
    w->in_range &= are_allowed(kind, values, count);
}

static void clear_state(walk *w, span_kind kind, void *values, size_t count) {
    (void)w;
    (void)kind;
    if (count > 0) {
        memset(values, 0, count * sizeof(uint32_t));
    }
}

static void bound_state(walk *w, span_kind kind, void *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char *number = (unsigned char *)values + i * sizeof(float);
        if (!are_allowed(kind, number, 1)) {
            clear_state(w, kind, number, 1);
        }
    }
}

static size_t snapshot_words(const gali_contract *contract) {
    gali_character none = {0};
    walk w = {.take = count_words};
    walk_character(&w, &none, contract);
    return w.count;
}

static void write_character(const gali_character *character, const gali_contract *contract, void *words) {
    gali_character source = *character; /* its arrays are the character's, and are only read */
    walk w = {.take = put_words, .words = words};
    walk_character(&w, &source, contract);
}

static int words_are_in_range(const gali_contract *contract, const void *words) {
    gali_character none = {0};
    walk w = {.take = check_words, .words = (unsigned char *)words, .in_range = 1};
    walk_character(&w, &none, contract);
    return w.in_range;
}

int gali_snapshot_is_in_range(const gali_character *character, const gali_contract *contract) {
    gali_character source = *character; /* only read */
    walk w = {.take = check_state, .in_range = 1};
    walk_character(&w, &source, contract);
    return w.in_range;
}

void gali_snapshot_clear(gali_character *character, const gali_contract *contract) {
    walk w = {.take = clear_state};
    walk_character(&w, character, contract);
}

void gali_snapshot_bound(gali_character *character, const gali_contract *contract) {
    walk w = {.take = bound_state};
    walk_character(&w, character, contract);
}

static void read_character(gali_character *character, const gali_contract *contract, const void *words) {
    walk w = {.take = get_words, .words = (unsigned char *)words};
    walk_character(&w, character, contract);
}

/* FNV-1a, 32 bits: short texts, every frame. */
static uint32_t hash_on(uint32_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

/* Equal for contracts whose characters are of the same words. */
static uint32_t snapshot_kind(const gali_contract *contract) {
    const uint32_t counts[] = {contract->past,        contract->future,       contract->joint_count,
                               contract->hinge_count, contract->gait_count,   contract->memory_count,
                               contract->leg_count,   contract->contact_count};
    uint32_t hash = hash_on(2166136261u, counts, sizeof counts);
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        hash = hash_on(hash, contract->joints[i].name, strlen(contract->joints[i].name) + 1);
    }
    for (uint32_t i = 0; i < contract->gait_count; i++) {
        hash = hash_on(hash, contract->gaits[i].name, strlen(contract->gaits[i].name) + 1);
    }
    return hash;
}

int gali_snapshot_fits(const gali_contract *one, const gali_contract *other) {
    return snapshot_kind(one) == snapshot_kind(other) && snapshot_words(one) == snapshot_words(other);
}

enum { SNAPSHOT_MAGIC = 0x53474c47, SNAPSHOT_VERSION = 2 }; /* "GLGS" in little-endian bytes */

typedef struct snapshot_head {
    uint32_t magic, version;
    uint32_t group_count, count; /* groups, characters */
    uint64_t resets;
    double owed;
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
                                     .owed = crowd->owed}};
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gali_group *group = &crowd->groups[g];
        const gali_contract *contract = group->levels[0]->contract;
        front.groups[g] = (snapshot_group){.kind = snapshot_kind(contract),
                                           .words = (uint32_t)snapshot_words(contract),
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
        const gali_character *character = &crowd->characters[place];
        const snapshot_record record = {character->handle, crowd->paces[place]};
        memcpy(at, &record, sizeof record);
        write_character(character, gali_crowd_controller(crowd, place)->contract, at + sizeof record);
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
    return status;
}

static int pace_fits(const gal_crowd *crowd, uint32_t place, gali_pace pace) {
    const gali_group *group = &crowd->groups[gali_crowd_group(crowd, place)];
    return pace.left < GALI_FRAMES_MAX && pace.left < group->levels[0]->contract->past &&
           pace.level < group->level_count && pace.fixed_level < group->level_count &&
           pace.fixed_frames <= GALI_FRAMES_MAX;
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
    return words_are_in_range(gali_crowd_controller(crowd, place)->contract, record + sizeof front)
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
        crowd->characters[i].handle = 0;
    }
    for (uint32_t i = 0; i < front->head.count; i++) {
        snapshot_record saved;
        memcpy(&saved, record, sizeof saved);
        uint32_t place = (saved.handle & 0xffffu) - 1;
        gali_character *character = &crowd->characters[place];
        crowd->order[i] = place;
        crowd->paces[place] = saved.pace;
        character->handle = saved.handle;
        read_character(character, gali_crowd_controller(crowd, place)->contract, record + sizeof saved);
        record += record_bytes(&front->groups[gali_crowd_group(crowd, place)]);
    }
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        crowd->groups[g].count = front->groups[g].count;
    }
    crowd->count = front->head.count;
    crowd->resets = front->head.resets;
    crowd->owed = front->head.owed;
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
