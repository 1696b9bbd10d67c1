/* What reader and writer of recordings share (record.c has the layout). All structs are words of 32 bits. */
#ifndef GALI_CROWD_RECORD_LAYOUT_H
#define GALI_CROWD_RECORD_LAYOUT_H

#include "contract/contract.h"
#include "crowd/record.h"

#define GALI_RECORD_MAGIC "GALREC\r\n"

enum { GALI_RECORD_VERSION = 1, GALI_RECORD_WORDS_MAX = 9 };

enum { GALI_GROUND_FLAT, GALI_GROUND_FIELD, GALI_GROUND_OWN };

typedef struct gali_recorded_head {
    char magic[8];
    uint32_t version, groups, ground;
} gali_recorded_head;

typedef struct gali_recorded_field {
    uint32_t rows, columns;
    float cell, origin_x, origin_z;
} gali_recorded_field;

typedef struct gali_recorded_add {
    gal_spawn spawn;
    gal_character handle;
} gali_recorded_add;

typedef struct gali_recorded_input {
    gal_character handle;
    gal_input input;
} gali_recorded_input;

typedef struct gali_recorded_teleport {
    gal_character handle;
    float x, z, facing;
} gali_recorded_teleport;

typedef struct gali_recorded_priority {
    gal_character handle;
    float priority;
} gali_recorded_priority;

typedef struct gali_recorded_budget {
    uint32_t budgeted;
    float microseconds;
} gali_recorded_budget;

static const uint32_t gali_record_words[GALI_RECORD_EVENT_COUNT] = {
#define EVENT(id, words) words,
    GALI_RECORD_EVENTS(EVENT)
#undef EVENT
};

_Static_assert(sizeof(gali_recorded_add) == 6 * 4 && sizeof(gali_recorded_input) == 9 * 4 &&
                   sizeof(gali_recorded_teleport) == 4 * 4,
               "a recorded call is as many words as GALI_RECORD_EVENTS says");
_Static_assert(sizeof(((gal_replay_group *)0)->controller) == GALI_NAME_MAX, "a controller's name fits");

#endif
