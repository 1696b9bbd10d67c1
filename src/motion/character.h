/*
 * One character's state. The arrays live in the crowd's memory (crowd.c lays it out); everything is in
 * world space. The trajectory has past + future samples, one a frame; `contract->past` is the index of now.
 */
#ifndef GALI_MOTION_CHARACTER_H
#define GALI_MOTION_CHARACTER_H

#include "motion/controller.h"
#include "motion/vec.h"

typedef struct gali_trajectory {
    gal_vec3 *position;   /* [past + future] on the ground */
    gali_vec2 *direction; /* [past + future] unit facings */
    gali_vec2 *velocity;  /* [past + future] units per frame */
    float *gait;          /* [past + future][gaits] amounts, 0..1 */
    float height;         /* mean of the used samples' heights: the root's */
    float height_before;  /* the same a frame ago */
} gali_trajectory;

/* The path that the stick commands, which has a velocity and a facing of its own (rules.command_*). */
typedef struct gali_command {
    gali_vec2 velocity; /* units per frame */
    gali_vec2 facing;
} gali_command;

/* State of a hinged skeleton, as the network is fed it: in the root frame, changes per frame. */
typedef struct gali_hinged {
    float *angle, *rate; /* [hinges] */
    gali_posture posture, posture_rate;
    float motion[3]; /* the last root step: x, z, turn, as predicted */
    gal_vec3 foot[GALI_LEGS_MAX], foot_velocity[GALI_LEGS_MAX];
    float phase[GALI_LEGS_MAX][2]; /* amplitude times cosine and sine */
    float turns[GALI_LEGS_MAX];    /* by which that last advanced */
} gali_hinged;

enum { GALI_FRAMES_MAX = 8 }; /* most that one evaluation stands for */

/* How something is shown against its prediction (inertia.c): a place, or a turn as a vector. */
typedef struct gali_inertia {
    gal_vec3 motion; /* a frame, of what is shown, but for the offset's own */
    gal_vec3 offset, rate;
} gali_inertia;

/* A foot in the root frame: where its toe is, and the way from heel to toe. */
typedef struct gali_foot_place {
    gal_vec3 toe, sole;
} gali_foot_place;

/* A foot as last predicted, and how it is shown. */
typedef struct gali_foot_inertia {
    gali_foot_place predicted;
    gali_inertia toe, sole;
} gali_foot_inertia;

/* What a leg's foot lock remembers. */
typedef struct gali_foot {
    float lock;    /* 0 = free .. 1 = held */
    int released;  /* pulled too far: fades out, as a step, before it is taken again */
    float lifted;  /* 0..1, how high that step is just now */
    gal_vec3 held; /* where the toe is held, world */

    float ground[2]; /* smoothed ground height under heel and toe */
} gali_foot;

typedef struct gali_character {
    gal_character handle; /* 0: the place is free */
    gal_input input;
    int foot_lock;
    gali_trajectory path;
    gal_vec3 *position;         /* [J] joint positions fed back */
    gal_vec3 *velocity;         /* [J] per frame, fed back */
    gal_transform *pose;        /* [J] of its last evaluation: what the caller sees, once it is due again */
    gal_transform *pose_before; /* [J] what the caller saw before the last step */
    gal_transform *pose_bridge; /* [J] what the caller sees until it is due (bridge.h) */
    gal_transform *local;       /* [J] as predicted, in the parent's frame; none without inertia */
    gali_inertia *turn_shown;   /* [J] of the joints that are in no leg; none without inertia */
    float *memory;              /* [contract's memory_count] what the network told itself */
    gali_vec2 velocity_wanted;  /* units per frame */
    gali_vec2 direction_wanted; /* unit */
    float turning;              /* radians per frame: how fast the wanted facing turns, smoothed */
    float strafe, crouch, phase;
    float speed_factor; /* the speed integrator's, 1 = none */
    float speed;        /* smoothed, units per frame, for the integrator */
    float step;         /* length of the last root step, units per frame */
    float contact[GALI_CONTACTS_MAX];
    gal_vec3 toe_at[GALI_LEGS_MAX];         /* the same of the legs' toes; 0 where the contract has no hinges */
    gal_vec3 contact_at[GALI_CONTACTS_MAX]; /* the contact joints' predicted places a frame ago */
    gali_foot feet[GALI_LEGS_MAX];
    gali_inertia place_shown; /* of the first joint */
    gali_foot_inertia foot_shown[GALI_LEGS_MAX];
    gali_hinged hinged; /* only where the contract has hinges */
    gali_command command;
    float breath;   /* radians, where in a breath the character began: its spawn's phase */
    uint32_t age;   /* frames since it was added or set back */
    float jump_top; /* frames until the top of the jump under way; after it less than 0 (jump.h) */
    /* Of characters that are not evaluated in every frame (bridge.h): */
    uint32_t frames;                         /* that its last evaluation stood for, 1..GALI_FRAMES_MAX */
    float phase_step;                        /* radians a frame, as last predicted */
    float height_bridge;                     /* what path.height is for pose_bridge */
    float contact_before[GALI_CONTACTS_MAX]; /* before its last evaluation */
} gali_character;

/* Whether a coordinate is one that hosts may give; NaN is none. */
static inline int gali_is_place(float a) {
    return fabsf(a) <= GAL_PLACE_MOST;
}

/* The host's ground; flat at 0 where the function is NULL. */
typedef struct gali_ground {
    gal_ground_fn height;
    void *context;
} gali_ground;

static inline float gali_ground_at(const gali_ground *ground, float x, float z) {
    float height = ground->height ? ground->height(ground->context, x, z) : 0;
    return gali_is_place(height) ? height : 0;
}

/* The frame in which the network sees a trajectory sample: its place at the root's height, and its facing. */
typedef struct gali_frame {
    gal_vec3 origin;
    gali_vec2 facing;
} gali_frame;

static inline gali_frame gali_frame_now(const gali_character *character, const gali_contract *contract) {
    gal_vec3 at = character->path.position[contract->past];
    return (gali_frame){{at.x, character->path.height, at.z}, character->path.direction[contract->past]};
}

static inline gali_frame gali_frame_before(const gali_character *character, const gali_contract *contract) {
    gal_vec3 at = character->path.position[contract->past - 1];
    return (gali_frame){{at.x, character->path.height_before, at.z},
                        character->path.direction[contract->past - 1]};
}

/* Amount of the stand gait now, 0..1; 0 without one. */
static inline float gali_stand_amount(const gali_character *character, const gali_contract *contract) {
    int32_t stand = contract->gait_of_role[GALI_GAIT_STAND];
    const float *gait = character->path.gait + (size_t)contract->past * contract->gait_count;
    return stand < 0 ? 0 : gait[stand];
}

#endif
