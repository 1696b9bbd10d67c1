/*
 * Recordings (gallop/record.h): writing.
 *
 * Layout, all of it words of 32 bits in this machine's byte order: head; groups, each gal_replay_group; of a height
 * field its five numbers and its heights; the snapshot's size and bytes, filled up to whole words; then the calls, each
 * its number in GALI_RECORD_EVENTS and its words.
 */
#include "crowd/record.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "crowd/crowd_parts.h"
#include "crowd/record_layout.h"

static uint64_t hash_words(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t gal_crowd_hash(const gal_crowd *crowd) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        gal_character handle = gal_crowd_at(crowd, i);
        gal_character_state state = {0};
        uint32_t joints;
        const gal_transform *pose = gal_crowd_pose(crowd, handle, &joints);
        gal_crowd_state(crowd, handle, &state);
        hash = hash_words(hash, &handle, sizeof handle);
        hash = hash_words(hash, &state, sizeof state);
        hash = hash_words(hash, pose, joints * sizeof *pose);
    }
    return hash;
}

void gali_record_call(const gali_recorder *recorder, gali_record_event event, const void *words) {
    if (recorder->write) {
        uint32_t call[1 + GALI_RECORD_WORDS_MAX] = {(uint32_t)event};
        memcpy(call + 1, words, gali_record_words[event] * sizeof *call);
        recorder->write(recorder->context, call, (1 + gali_record_words[event]) * sizeof *call);
    }
}

void gali_record_add(const gali_recorder *recorder, const gal_spawn *spawn, gal_character handle) {
    const gali_recorded_add add = {*spawn, handle};
    gali_record_call(recorder, GALI_RECORD_ADD, &add);
}

void gali_record_input(const gali_recorder *recorder, gal_character handle, const gal_input *input) {
    const gali_recorded_input all = {handle, *input};
    gali_record_call(recorder, GALI_RECORD_INPUT, &all);
}

void gali_record_teleport(const gali_recorder *recorder, gal_character handle, float x, float z, float facing) {
    const gali_recorded_teleport teleport = {handle, x, z, facing};
    gali_record_call(recorder, GALI_RECORD_TELEPORT, &teleport);
}

void gali_record_pace(const gali_recorder *recorder, gal_character handle, const gal_pace *pace) {
    const uint32_t words[3] = {handle, pace->frames, pace->level};
    gali_record_call(recorder, GALI_RECORD_PACE, words);
}

void gali_record_priority(const gali_recorder *recorder, gal_character handle, float priority) {
    const gali_recorded_priority words = {handle, priority};
    gali_record_call(recorder, GALI_RECORD_PRIORITY, &words);
}

void gali_record_budget(const gali_recorder *recorder, const gal_budget *budget) {
    const gali_recorded_budget words = {budget != NULL, budget ? budget->microseconds : 0};
    gali_record_call(recorder, GALI_RECORD_BUDGET, &words);
}

/* Bytes and what fills them up to whole words. */
static void write_bytes(const gali_recorder *recorder, const void *data, size_t size) {
    static const unsigned char zeros[4];
    recorder->write(recorder->context, data, size);
    if (size % 4) {
        recorder->write(recorder->context, zeros, 4 - size % 4);
    }
}

void gali_record_restore(const gali_recorder *recorder, const void *snapshot, size_t size) {
    if (recorder->write) {
        const uint32_t bytes = (uint32_t)size;
        gali_record_call(recorder, GALI_RECORD_RESTORE, &bytes);
        write_bytes(recorder, snapshot, size);
    }
}

void gali_record_step(const gali_recorder *recorder, const gal_crowd *crowd) {
    if (recorder->write) {
        const uint64_t hash = gal_crowd_hash(crowd);
        const uint32_t words[2] = {(uint32_t)hash, (uint32_t)(hash >> 32)};
        gali_record_call(recorder, GALI_RECORD_STEP, words);
    }
}

static const gal_height_field *field_of(const gal_crowd *crowd) {
    return crowd->ground.height == gal_height_field_ground ? crowd->ground.context : NULL;
}

static void write_field(const gali_recorder *recorder, const gal_height_field *field) {
    const gali_recorded_field head = {field->rows, field->columns, field->cell, field->origin_x,
                                      field->origin_z};
    recorder->write(recorder->context, &head, sizeof head);
    recorder->write(recorder->context, field->heights,
                    (size_t)field->rows * field->columns * sizeof *field->heights);
}

static void write_head(const gali_recorder *recorder, const gal_crowd *crowd) {
    gali_recorded_head head = {.version = GALI_RECORD_VERSION, .groups = crowd->group_count};
    memcpy(head.magic, GALI_RECORD_MAGIC, sizeof head.magic);
    head.ground = field_of(crowd)        ? GALI_GROUND_FIELD
                  : crowd->ground.height ? GALI_GROUND_OWN
                                         : GALI_GROUND_FLAT;
    recorder->write(recorder->context, &head, sizeof head);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gali_contract *contract = crowd->groups[g].levels[0]->contract;
        gal_replay_group group = {.capacity = crowd->groups[g].capacity, .joints = contract->joint_count};
        memcpy(group.controller, contract->name, sizeof group.controller);
        recorder->write(recorder->context, &group, sizeof group);
    }
    if (field_of(crowd)) {
        write_field(recorder, field_of(crowd));
    }
}

gal_status gal_crowd_record(gal_crowd *crowd, gal_record_fn write, void *context, gal_error *error) {
    crowd->recorder = (gali_recorder){0};
    if (!write) {
        return GAL_OK;
    }
    if (crowd->clock) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "what a budget by a clock chooses cannot be played again");
    }
    const gali_recorder recorder = {write, context};
    size_t size = gal_crowd_snapshot_size(crowd), used = 0;
    void *snapshot = gali_allocate(&crowd->allocator, size);
    if (!snapshot || gal_crowd_save(crowd, snapshot, size, &used) != GAL_OK) {
        gali_release(&crowd->allocator, snapshot, size);
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a snapshot of %zu bytes", size);
    }
    const uint32_t bytes = (uint32_t)used;
    const gal_budget budget = {.microseconds = crowd->microseconds};
    write_head(&recorder, crowd);
    recorder.write(context, &bytes, sizeof bytes);
    write_bytes(&recorder, snapshot, used);
    gali_release(&crowd->allocator, snapshot, size);
    crowd->recorder = recorder;
    if (crowd->budgeted) {
        gali_record_budget(&crowd->recorder, &budget);
    }
    return GAL_OK;
}
