/* The recorder inside a crowd: each call that changes a crowd says so here once it went well. */
#ifndef GALI_CROWD_RECORD_H
#define GALI_CROWD_RECORD_H

#include "gallop/record.h"

/* EVENT(id, words): a call in a recording, its arguments in words of 32 bits (of RESTORE a snapshot comes after them). */
#define GALI_RECORD_EVENTS(EVENT)                                                                              \
    EVENT(STEP, 2)      /* the hash after it, low word first */                                                \
    EVENT(ADD, 6)       /* gal_spawn, handle */                                                                \
    EVENT(REMOVE, 1)    /* handle */                                                                           \
    EVENT(INPUT, 9)     /* handle, gal_input */                                                                \
    EVENT(FOOT_LOCK, 2) /* handle, on */                                                                       \
    EVENT(TELEPORT, 4)  /* handle, x, z, facing */                                                             \
    EVENT(RESTORE, 1)   /* bytes of the snapshot */                                                            \
    EVENT(PACE, 3)      /* handle, frames (0: the budget's), level */                                          \
    EVENT(PRIORITY, 2)  /* handle, priority */                                                                 \
    EVENT(BUDGET, 2)    /* whether there is one, its microseconds */

typedef enum gali_record_event {
#define EVENT(id, words) GALI_RECORD_##id,
    GALI_RECORD_EVENTS(EVENT)
#undef EVENT
        GALI_RECORD_EVENT_COUNT
} gali_record_event;

/* Where a crowd's recording goes; write NULL: it is not recorded. */
typedef struct gali_recorder {
    gal_record_fn write;
    void *context;
} gali_recorder;

/* Records a call whose arguments are the words at `words`. */
void gali_record_call(const gali_recorder *recorder, gali_record_event event, const void *words);

void gali_record_add(const gali_recorder *recorder, const gal_spawn *spawn, gal_character handle);
void gali_record_input(const gali_recorder *recorder, gal_character handle, const gal_input *input);
void gali_record_teleport(const gali_recorder *recorder, gal_character handle, float x, float z, float facing);
void gali_record_pace(const gali_recorder *recorder, gal_character handle, const gal_pace *pace);
void gali_record_priority(const gali_recorder *recorder, gal_character handle, float priority);
void gali_record_budget(const gali_recorder *recorder, const gal_budget *budget);
void gali_record_restore(const gali_recorder *recorder, const void *snapshot, size_t size);
void gali_record_step(const gali_recorder *recorder, const gal_crowd *crowd);

#endif
