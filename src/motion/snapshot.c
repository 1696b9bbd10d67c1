/*
 * Snapshots of a crowd: bytes from which it goes on bit for bit.
 *
 * A snapshot is a snapshot_head, then generation uint32[the saved crowd's capacity], then for each character in order
 * its handle and its words, all in this machine's byte order. A character's words are the fields of its state, floats
 * and flags of 32 bits, in the order of walk_character; how many of each, the contract says. Nothing in them is an
 * index or a place in memory, so that all that can be wrong with them is a number that is not finite.
 */
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "motion/crowd_parts.h"
#include "motion/snapshot.h"

/* Numbers are checked when they come in; flags and counts may be anything. */
typedef enum span_kind { NUMBERS, OTHERS } span_kind;

/* Going through the state: each span of words is given to `take`, in order. */
typedef struct walk walk;
struct walk {
    void (*take)(walk *self, span_kind kind, void *values, size_t count);
    unsigned char *words; /* the next of them */
    size_t count;         /* words so far */
    int finite;
};

static void numbers(walk *w, void *values, size_t count) {
    w->take(w, NUMBERS, values, count);
}

static void other(walk *w, void *value) {
    w->take(w, OTHERS, value, 1);
}

static void walk_path(walk *w, gali_trajectory *path, const gali_contract *contract) {
    size_t window = contract->past + contract->future;
    numbers(w, path->position, 3 * window);
    numbers(w, path->direction, 2 * window);
    numbers(w, path->velocity, 2 * window);
    numbers(w, path->gait, window * contract->gait_count);
    numbers(w, &path->height, 1);
    numbers(w, &path->height_before, 1);
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
}

static void walk_foot(walk *w, gali_foot *foot) {
    numbers(w, &foot->lock, 1);
    other(w, &foot->released);
    numbers(w, &foot->lifted, 1);
    numbers(w, &foot->held, 3);
    numbers(w, foot->ground, 2);
}

static void walk_inertia(walk *w, gali_character *c, const gali_contract *contract) {
    size_t joints = contract->rules.inertia_jump > 0 ? contract->joint_count : 0;
    size_t feet = joints > 0 ? contract->leg_count : 0;
    numbers(w, c->local, 7 * joints);
    numbers(w, c->turn_shown, 9 * joints);
    numbers(w, &c->place_shown, joints > 0 ? 9 : 0);
    for (size_t i = 0; i < feet; i++) {
        numbers(w, &c->foot_shown[i].predicted, 6);
        numbers(w, &c->foot_shown[i].toe, 9);
        numbers(w, &c->foot_shown[i].sole, 9);
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
    numbers(w, c->position, 3 * joints);
    numbers(w, c->velocity, 3 * joints);
    numbers(w, c->pose, 7 * joints);
    numbers(w, c->pose_before, 7 * joints);
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
    numbers(w, c->toe_at, 3 * (size_t)contract->leg_count);
    numbers(w, c->contact_at, 3 * (size_t)contract->contact_count);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        walk_foot(w, &c->feet[i]);
    }
    walk_hinged(w, &c->hinged, contract);
    numbers(w, &c->command, 4);
    numbers(w, &c->breath, 1);
    other(w, &c->age);
    numbers(w, &c->jump_top, 1);
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

/* By their bits, of which the exponent's are all set where a float is not finite: a loop that compilers widen. */
static int are_finite(const void *values, size_t count) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const unsigned char *)values + i * sizeof bits, sizeof bits);
        bits &= 0x7fffffffu;
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000u;
}

static void check_words(walk *w, span_kind kind, void *values, size_t count) {
    (void)values;
    w->finite &= kind == OTHERS || are_finite(w->words, count);
    w->words += count * sizeof(uint32_t);
}

static void check_state(walk *w, span_kind kind, void *values, size_t count) {
    w->finite &= kind == OTHERS || are_finite(values, count);
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

static int words_are_finite(const gali_contract *contract, const void *words) {
    gali_character none = {0};
    walk w = {.take = check_words, .words = (unsigned char *)words, .finite = 1};
    walk_character(&w, &none, contract);
    return w.finite;
}

int gali_snapshot_is_finite(const gali_character *character, const gali_contract *contract) {
    gali_character source = *character; /* only read */
    walk w = {.take = check_state, .finite = 1};
    walk_character(&w, &source, contract);
    return w.finite;
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

enum { SNAPSHOT_MAGIC = 0x53474c47, SNAPSHOT_VERSION = 1 }; /* "GLGS" in little-endian bytes */

typedef struct snapshot_head {
    uint32_t magic, version;
    uint32_t kind, words; /* snapshot_kind, snapshot_words */
    uint32_t capacity, count;
    uint64_t resets;
    double owed;
} snapshot_head;

/* Bytes of a snapshot with such a head. */
static size_t snapshot_bytes(const snapshot_head *head) {
    size_t words = gali_size_mul(head->count, gali_size_add(head->words, 1));
    return gali_size_add(sizeof *head, gali_size_mul(gali_size_add(words, head->capacity), sizeof(uint32_t)));
}

static snapshot_head snapshot_head_of(const gal_crowd *crowd) {
    const gali_contract *contract = crowd->controller->contract;
    return (snapshot_head){.magic = SNAPSHOT_MAGIC,
                           .version = SNAPSHOT_VERSION,
                           .kind = snapshot_kind(contract),
                           .words = (uint32_t)snapshot_words(contract),
                           .capacity = crowd->capacity,
                           .count = crowd->count,
                           .resets = crowd->resets,
                           .owed = crowd->owed};
}

size_t gal_crowd_snapshot_size(const gal_crowd *crowd) {
    snapshot_head head = snapshot_head_of(crowd);
    head.count = head.capacity;
    return snapshot_bytes(&head);
}

gal_status gal_crowd_save(const gal_crowd *crowd, void *data, size_t size, size_t *used) {
    const snapshot_head head = snapshot_head_of(crowd);
    size_t bytes = snapshot_bytes(&head), generations = crowd->capacity * sizeof *crowd->generation;
    if (used) {
        *used = bytes;
    }
    if (!data || size < bytes) {
        return GAL_NO_MEMORY;
    }
    unsigned char *at = data;
    memcpy(at, &head, sizeof head);
    memcpy(at += sizeof head, crowd->generation, generations);
    at += generations;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const gali_character *character = &crowd->characters[crowd->order[i]];
        memcpy(at, &character->handle, sizeof character->handle);
        write_character(character, crowd->controller->contract, at + sizeof character->handle);
        at += (head.words + 1) * sizeof(uint32_t);
    }
    return GAL_OK;
}

static gal_status check_head(const gal_crowd *crowd, const snapshot_head *head, size_t size, gal_error *error) {
    const snapshot_head own = snapshot_head_of(crowd);
    if (head->magic != own.magic || head->version != own.version) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: not one of this version and byte order");
    }
    if (head->kind != own.kind || head->words != own.words) {
        return gali_fail(
            error, GAL_BAD_DATA,
            "snapshot: of a controller with other joints, hinges, gaits, window, memory or inertia");
    }
    if (head->capacity > GALI_CROWD_CAPACITY_MOST || head->count > head->capacity ||
        snapshot_bytes(head) != size) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %zu bytes for %u characters in %u places", size,
                         head->count, head->capacity);
    }
    if (!isfinite(head->owed) || head->owed < 0) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: its clock is not a time");
    }
    return GAL_OK;
}

/* The character at `record` of a snapshot with this head and these generations. */
static gal_status check_record(const gal_crowd *crowd, const snapshot_head *head,
                               const unsigned char *generations, const unsigned char *record, uint32_t index,
                               gal_error *error) {
    gal_character handle;
    uint32_t generation = 0;
    memcpy(&handle, record, sizeof handle);
    uint32_t place = (handle & 0xffffu) - 1;
    if (place < head->capacity) {
        memcpy(&generation, generations + place * sizeof generation, sizeof generation);
    }
    if (generation == 0 || generation != handle >> 16) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u has handle %u, which is none", index,
                         handle);
    }
    if (place >= crowd->capacity) {
        return gali_fail(error, GAL_FULL, "snapshot: character %u is in place %u of %u", index, place + 1,
                         crowd->capacity);
    }
    if (crowd->lost[place]) { /* not in a step: a mark of the places taken here */
        return gali_fail(error, GAL_BAD_DATA, "snapshot: character %u is there twice", index);
    }
    crowd->lost[place] = 1;
    return words_are_finite(crowd->controller->contract, record + sizeof handle)
               ? GAL_OK
               : gali_fail(error, GAL_BAD_DATA, "snapshot: character %u has a number that is not finite",
                           index);
}

static void take_snapshot(gal_crowd *crowd, const snapshot_head *head, const unsigned char *generations,
                          const unsigned char *records) {
    uint32_t places = head->capacity < crowd->capacity ? head->capacity : crowd->capacity;
    memset(crowd->generation, 0, crowd->capacity * sizeof *crowd->generation);
    memcpy(crowd->generation, generations, places * sizeof *crowd->generation);
    for (uint32_t i = 0; i < crowd->capacity; i++) {
        crowd->generation[i] &= 0xffffu;
        crowd->characters[i].handle = 0;
    }
    for (uint32_t i = 0; i < head->count; i++, records += (head->words + 1) * sizeof(uint32_t)) {
        gal_character handle;
        memcpy(&handle, records, sizeof handle);
        crowd->order[i] = (handle & 0xffffu) - 1;
        gali_character *character = &crowd->characters[crowd->order[i]];
        character->handle = handle;
        read_character(character, crowd->controller->contract, records + sizeof handle);
    }
    crowd->count = head->count;
    crowd->resets = head->resets;
    crowd->owed = head->owed;
}

gal_status gal_crowd_restore(gal_crowd *crowd, const void *data, size_t size, gal_error *error) {
    snapshot_head head;
    if (!data || size < sizeof head) {
        return gali_fail(error, GAL_BAD_DATA, "snapshot: %zu bytes, expected at least %zu", size, sizeof head);
    }
    memcpy(&head, data, sizeof head);
    gal_status status = check_head(crowd, &head, size, error);
    if (status != GAL_OK) {
        return status;
    }
    const unsigned char *generations = (const unsigned char *)data + sizeof head;
    const unsigned char *records = generations + head.capacity * sizeof(uint32_t);
    memset(crowd->lost, 0, crowd->capacity);
    for (uint32_t i = 0; i < head.count && status == GAL_OK; i++) {
        const unsigned char *record = records + (size_t)i * (head.words + 1) * sizeof(uint32_t);
        status = check_record(crowd, &head, generations, record, i, error);
    }
    if (status == GAL_OK) {
        take_snapshot(crowd, &head, generations, records);
    }
    return status;
}
