/* The scripts by which a walker is judged: what the player does in each, frame by frame. */
#ifndef GALI_CLI_JUDGE_SCRIPT_H
#define GALI_CLI_JUDGE_SCRIPT_H

#include "contract/contract.h"
#include "judge/ground.h"

typedef enum gali_judge_way {
    GALI_WAY_STEADY,  /* heading + turn * t */
    GALI_WAY_EIGHT,   /* a full circle one way, a full circle the other */
    GALI_WAY_SIDES,   /* heading, and the other side of the facing after each pause */
    GALI_WAY_SPIN,    /* no stick; the camera, and so the wanted facing, turns */
    GALI_WAY_REVERSE, /* turned about every 4 seconds */
    GALI_WAY_FLICK,   /* thrown over every third of a second */
    GALI_WAY_RANDOM,  /* new heading, amount and gait every 1.25 seconds */
} gali_judge_way;

typedef struct gali_judge_script {
    const char *name;
    gali_judge_way way;
    float heading; /* radians from the facing at the start */
    float turn;    /* radians a second */
    float run, strafe, crouch;
    float on, off; /* seconds of stick and of none, again and again; off 0: always on */
    float jump;    /* seconds from a jump asked for to the next; 0: none */
    int still;     /* no stick at all */
    gali_judge_ground_kind ground;
} gali_judge_script;

extern const gali_judge_script gali_judge_scripts[];
extern const uint32_t gali_judge_script_count;

/* Whether a controller can do what the script asks for: jumps and crouching need a contract that has them. */
int gali_judge_applies(const gali_judge_script *script, const gali_contract *contract);

/* Whether a character moves on and on as the stick says, with nothing to react to. */
int gali_judge_is_steady(const gali_judge_script *script);

/* What the player does `seconds` into the script. */
gal_input gali_judge_input(const gali_judge_script *script, float seconds);

/* Speed (units a second) and world heading (radians) that this input asks for; heading is NaN without a stick. */
void gali_judge_wanted(const gali_judge_script *script, const gali_contract *contract, float seconds,
                       float *speed, float *heading);

#endif
