/*
 * What a search chooses from: knobs, each with a number of settings, and a way to write a schedule for one setting of
 * each. A search sees the knobs alone.
 *
 * `template`: the knobs that people would turn, for a form of a dense layer: tile, order, where experts run, unrolling.
 * `auto`: knobs derived from the expression by rules that hold for any: vectors along the last axis of the output; every
 * axis may be tiled; the sums' axes go anywhere between the tiles; a stage that is summed up is computed in any loop of
 * its consumer, one that is not, inline or there; constants are packed or not; innermost loops are unrolled.
 */
#ifndef GALI_COMPILER_TUNE_SPACE_H
#define GALI_COMPILER_TUNE_SPACE_H

#include "compiler/log/log.h"

enum { GALI_KNOBS_MAX = 24, GALI_SETTINGS_MAX = 16 };

typedef struct gali_knob {
    const char *name;
    uint32_t settings;
    int tile; /* its setting is a side of the output's tile: good ones fit each other, so they are changed together */
} gali_knob;

/* A setting of each knob. */
typedef struct gali_point {
    unsigned char setting[GALI_KNOBS_MAX];
} gali_point;

typedef struct gali_space {
    gali_search_way way;
    const gali_target *target;
    double work; /* multiply-adds of whole vectors that every schedule has to do, number by number */
    uint32_t knobs;
    gali_knob knob[GALI_KNOBS_MAX];
    void (*write)(const struct gali_space *space, const gali_point *point, gali_schedule *schedule);
    gal_status (*apply)(const struct gali_space *space, const gali_schedule *schedule, gali_arena *arena,
                        gali_loop_function **function, gal_error *error);
    gali_dense dense;                    /* of a layer's space */
    const gali_expression *expression;   /* the same */
    const struct gali_tune_group *group; /* of a program's group's (groups.h) */
} gali_space;

/* way is template or auto. The expression's memory is the arena's. */
gal_status gali_space_make(gali_space *space, gali_search_way way, const gali_dense *dense,
                           const gali_target *target, gali_arena *arena, gal_error *error);

/* Adds a knob with so many settings, GALI_SETTINGS_MAX at most; tile: as gali_knob has it. */
void gali_space_add(gali_space *space, const char *name, uint32_t settings, int tile);

/* The schedule of a point. Returns 0 where the settings contradict each other. */
int gali_space_write(const gali_space *space, const gali_point *point, gali_schedule *schedule);

#endif
