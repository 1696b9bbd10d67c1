/* Characters run by scripts in crowds, and of each frame what the measures need. */
#ifndef GALI_CLI_JUDGE_TRACE_H
#define GALI_CLI_JUDGE_TRACE_H

#include "judge/script.h"

enum { GALI_JUDGE_FEET = 4, GALI_JUDGE_BINS = 400 };

typedef struct gali_judge_foot {
    gal_vec3 toe;         /* world */
    float ground;         /* height under the toe */
    float lowest;         /* the least of it within a centimetre */
    float heel_x, heel_z; /* in the root frame */
    float contact;
    float sole; /* degrees between the foot's own up and the ground's, both of its ends planted; else NaN */
} gali_judge_foot;

typedef struct gali_judge_frame {
    gal_vec3 root, hips; /* hips: the first joint */
    float facing, phase;
    float lag;     /* degrees that the body of an animal lags behind the slope, up or down; NaN: people */
    float body;    /* first joint over the ground under the root */
    float head;    /* highest joint over the same */
    float lowest;  /* lowest joint over the ground under itself */
    float moved;   /* mean way of the joints since the last frame */
    float fastest; /* longest way of a joint in the root frame since the last frame */
    float jump;    /* most that such a way, as a vector, differs from the one before */
    float turned;  /* degrees, the largest turn of a joint against what it hangs on since the last frame */
    float twist;   /* degrees, the most that a bone of a leg is twisted about itself, from rest */
    gali_judge_foot feet[GALI_JUDGE_FEET];
} gali_judge_frame;

/* One character's run. */
typedef struct gali_judge_trace {
    const gali_judge_script *script;
    int lock;                        /* foot locking on */
    gali_judge_frame *frames;        /* [frames], owned */
    uint32_t bones[GALI_JUDGE_BINS]; /* how often a bone was off its length by bin / 1000 */
    gal_vec3 *joints;                /* [frames][joints] in the world, owned; NULL where the stage keeps none */
    float span;   /* most that a joint goes up and down against the first one once that counts */
    uint64_t bad; /* joints that were not finite */
} gali_judge_trace;

/* What running took. */
typedef struct gali_judge_cost {
    uint64_t resets;
    double step_seconds; /* of the threads that stepped, summed over all steps */
} gali_judge_cost;

typedef struct gali_judge_stage {
    gal_controller *controller;
    gali_judge_ground ground;
    int keeps_joints; /* of traces with locking; set before it runs */
    uint32_t frames;
    uint32_t feet;     /* legs looked at, <= GALI_JUDGE_FEET */
    uint32_t interval; /* frames that one evaluation stands for */
    uint32_t count;
    gali_judge_trace *traces; /* [count], owned */
    gali_judge_cost cost;     /* of all of them */
} gali_judge_stage;

/* The first frame that counts: steady by then, or half of a shorter run. */
uint32_t gali_judge_settled(uint32_t frames, float rate);

/* Which lock settings a script is run with: bits. */
enum { GALI_JUDGE_FREE = 1, GALI_JUDGE_LOCKED = 2 };

/* Readies a stage for all scripts on a ground, each once for each lock setting asked for; evaluated every frame. */
gal_status gali_judge_stage_make(gali_judge_stage *stage, gal_controller *controller, uint32_t frames,
                                 gali_judge_ground_kind ground, int locks, gal_error *error);

/*
 * Runs `count` of its traces from `first` on, in a crowd of their own, and adds to *cost. Threads may run others of one stage
 * at once.
 */
gal_status gali_judge_stage_run(const gali_judge_stage *stage, uint32_t first, uint32_t count,
                                gali_judge_cost *cost, gal_error *error);

void gali_judge_stage_release(gali_judge_stage *stage);

/* The trace of a script with or without locking; NULL if it is not in this stage. */
const gali_judge_trace *gali_judge_stage_find(const gali_judge_stage *stage, const gali_judge_script *script,
                                              int lock);

#endif
