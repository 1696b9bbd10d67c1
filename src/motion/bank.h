/*
 * A bank: the state of sixteen characters of one controller, number by number.
 *
 * Number n of lane l stands at state[n * GALI_BANK + l], so that the step computes as many characters at a time as a
 * vector has lanes. A bank has the same sixteen lanes on every machine: neither memory nor snapshots nor bits depend
 * on the instruction set. A lane that no character has holds numbers of no meaning. Which number is which says
 * state.def, of how many a contract has, the layout.
 *
 * What is read by whole frames stands by lane: history[lane][past][record], a ring of the path behind now of which
 * head[lane] is the oldest frame, and poses[lane][3][pose_row], of which pose[lane], before[lane] and bridge[lane] say which
 * is which.
 */
#ifndef GALI_MOTION_BANK_H
#define GALI_MOTION_BANK_H

#include "contract/contract.h"
#include "gallop/crowd.h"
#include "motion/vec.h"

enum {
    GALI_BANK = 16,    /* lanes */
    GALI_ROW_STEP = 4, /* rows are read and written by so many floats */
    GALI_POSES = 3,
    GALI_FRAMES_MAX = 8, /* most that one evaluation stands for, and most that a newcomer waits */
};

/*
 * How large a number of the state may be. Places have room for a body, and a walk, beyond what spawns and teleports may ask
 * for; what is seen from the character is replaced by the next predictions or dies away by a share a frame; what goes by a
 * small step a frame (the motions of the shown pose, the frames of a jump) would last for as long as it is large; an
 * evaluation stands for a few frames.
 */
typedef enum gali_bound {
    GALI_BOUND_PLACE,
    GALI_BOUND_NUMBER,
    GALI_BOUND_STEPPED,
    GALI_BOUND_FRAMES
} gali_bound;

static inline float gali_bound_of(gali_bound bound) {
    static const float most[] = {[GALI_BOUND_PLACE] = 2 * GAL_PLACE_MOST,
                                 [GALI_BOUND_NUMBER] = 65536,
                                 [GALI_BOUND_STEPPED] = 2048,
                                 [GALI_BOUND_FRAMES] = GALI_FRAMES_MAX};
    return most[bound];
}

/* Numbers that a field of each kind has. */
enum {
    GALI_FIELD_POINT = 3,
    GALI_FIELD_VECTOR = 3,
    GALI_FIELD_SPOT = 2,
    GALI_FIELD_FLAT = 2,
    GALI_FIELD_HEIGHT = 1,
    GALI_FIELD_PLAIN = 1,
};

/* A record of the history, in this order; gaits follow. */
enum { GALI_RECORD_PLACE = 0, GALI_RECORD_FACING = 3, GALI_RECORD_VELOCITY = 5, GALI_RECORD_GAIT = 7 };

/* Up to x_row it is equal for controllers whose characters can go on as each other's. */
typedef struct gali_layout {
#define FIELD(name, kind, bound, count) uint32_t name;
#include "motion/state.def"
#undef FIELD
    uint32_t numbers;  /* of a character's state */
    uint32_t record;   /* floats of a frame of history, a multiple of GALI_ROW_STEP */
    uint32_t pose_row; /* floats of a pose, likewise */
    uint32_t inert;    /* joints whose turns have inertia */
    /* predicted: the first joint, two a leg; as shown: it, three a leg; 0 without inertia */
    uint32_t inert_places;
    uint32_t grounded; /* 1 where the ground around the root is followed, else 0 */
    uint32_t knots;    /* of the predicted path: the root, where it is not predicted, and futures */
    int32_t knot[GALI_SAMPLES_MAX + 1]; /* their offsets, ascending from 0 */
    /* rows of the work: pose [joints][7], before the network samples [GALI_RECORD_GAIT + gaits][samples], after it, in
     * their place, the pose in the parents' frames [joints][7] and how far joints swing [joints][3], and room for a row
     * that goes nowhere */
    uint32_t pose, samples, local, swings, nowhere;
    uint32_t x_row; /* floats of features, a multiple of GALI_ROW_STEP */
    uint32_t work;  /* rows in all */
} gali_layout;

typedef struct gali_bank {
    uint32_t head[GALI_BANK];
    uint8_t pose[GALI_BANK]; /* of its last evaluation; once it is due again, what the caller sees (bridge.h) */
    uint8_t before[GALI_BANK]; /* what the caller saw before the last step */
    uint8_t bridge[GALI_BANK]; /* what the caller sees until it is due (bridge.h) */
    float *state;              /* [numbers][GALI_BANK] */
    float *history;            /* [GALI_BANK][past][record] */
    float *poses;              /* [GALI_BANK][GALI_POSES][pose_row] */
    float *work;               /* [work][GALI_BANK] of one phase of the step, for the next */
} gali_bank;

/* Where everything is for characters of a contract. */
gali_layout gali_layout_make(const gali_contract *contract);

/* The knots that a sample ahead of now lies between, and how far from the first: over 1 past the last. */
typedef struct gali_knots {
    uint32_t from, to;
    float share;
} gali_knots;

gali_knots gali_layout_knots(const gali_layout *is, int32_t offset);

/* A number of a lane: its place in memory, and i of a field. */
static inline float *gali_bank_at(const gali_bank *bank, uint32_t number, uint32_t lane) {
    return bank->state + (size_t)number * GALI_BANK + lane;
}

static inline float gali_bank_get(const gali_bank *bank, uint32_t number, uint32_t lane) {
    return *gali_bank_at(bank, number, lane);
}

static inline void gali_bank_set(gali_bank *bank, uint32_t number, uint32_t lane, float value) {
    *gali_bank_at(bank, number, lane) = value;
}

static inline gali_vec2 gali_bank_get2(const gali_bank *bank, uint32_t number, uint32_t lane) {
    return (gali_vec2){gali_bank_get(bank, number, lane), gali_bank_get(bank, number + 1, lane)};
}

static inline void gali_bank_set2(gali_bank *bank, uint32_t number, uint32_t lane, gali_vec2 v) {
    gali_bank_set(bank, number, lane, v.x);
    gali_bank_set(bank, number + 1, lane, v.z);
}

static inline gal_vec3 gali_bank_get3(const gali_bank *bank, uint32_t number, uint32_t lane) {
    const float *at = gali_bank_at(bank, number, lane);
    return (gal_vec3){at[0], at[GALI_BANK], at[2 * GALI_BANK]};
}

static inline void gali_bank_set3(gali_bank *bank, uint32_t number, uint32_t lane, gal_vec3 v) {
    float *at = gali_bank_at(bank, number, lane);
    at[0] = v.x;
    at[GALI_BANK] = v.y;
    at[2 * GALI_BANK] = v.z;
}

/* The record of `back` frames ago, 1..past. */
static inline float *gali_bank_record(const gali_bank *bank, const gali_contract *contract,
                                      const gali_layout *is, uint32_t lane, uint32_t back) {
    uint32_t at = bank->head[lane] + contract->past - back;
    at = at < contract->past ? at : at - contract->past;
    return bank->history + ((size_t)lane * contract->past + at) * is->record;
}

static inline gal_transform *gali_bank_pose_at(const gali_bank *bank, const gali_layout *is, uint32_t lane,
                                               uint32_t which) {
    return (gal_transform *)(void *)(bank->poses + (GALI_POSES * (size_t)lane + which) * is->pose_row);
}

/* The poses [joints] of a lane. */
static inline gal_transform *gali_bank_pose(const gali_bank *bank, const gali_layout *is, uint32_t lane) {
    return gali_bank_pose_at(bank, is, lane, bank->pose[lane]);
}

static inline gal_transform *gali_bank_pose_before(const gali_bank *bank, const gali_layout *is,
                                                   uint32_t lane) {
    return gali_bank_pose_at(bank, is, lane, bank->before[lane]);
}

static inline gal_transform *gali_bank_pose_bridge(const gali_bank *bank, const gali_layout *is,
                                                   uint32_t lane) {
    return gali_bank_pose_at(bank, is, lane, bank->bridge[lane]);
}

/* A lane's history and poses from their beginnings on. */
static inline void gali_bank_start(gali_bank *bank, uint32_t lane) {
    bank->head[lane] = 0;
    bank->pose[lane] = 0;
    bank->before[lane] = 1;
    bank->bridge[lane] = 2;
}

/* The poses change their roles, by their places in `poses`. */
static inline void gali_bank_swap(uint8_t *one, uint8_t *other) {
    uint8_t kept = *one;
    *one = *other;
    *other = kept;
}

#endif
