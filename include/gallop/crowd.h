/*
 * Controllers and crowds: game input in, poses out.
 *
 * A controller is a model file's contract, network and motion rules: immutable, shared by any number of
 * crowds and threads. A crowd is the state of up to capacity characters of one controller, or of several: a group
 * for each. One thread at a time changes a crowd; what takes it const only reads, and may run on several threads while
 * none changes it. A step is deterministic and a character's motion does not depend on who else is there.
 *
 * Space: right-handed, y up, z forward, lengths in the controller's unit (gal_controller_info.unit_metres),
 * angles in radians, positive turns +z towards +x. Quaternions are x, y, z, w of unit length.
 */
#ifndef GALLOP_CROWD_H
#define GALLOP_CROWD_H

#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gal_controller gal_controller;
typedef struct gal_crowd gal_crowd;

/* A character's handle: stays valid until it is removed, and is not reused for a long time after. 0 is none. */
typedef uint32_t gal_character;

/*
 * The largest coordinate of a place, in units, along x or z and for the ground's height: beyond about 1.7e7 float32 does
 * not tell one unit from the next. Characters are not put farther out; one that gets about twice as far by itself is set
 * back to rest at the border. Worlds that are larger move their origin (gal_crowd_teleport).
 */
#define GAL_PLACE_MOST 1e7f

typedef struct gal_vec3 {
    float x, y, z;
} gal_vec3;

typedef struct gal_quat {
    float x, y, z, w;
} gal_quat;

/* Where a joint is and how it is turned. */
typedef struct gal_transform {
    gal_vec3 position;
    gal_quat rotation;
} gal_transform;

/* Reads contract and network of a model file; arguments, ownership and errors as gal_network_open. */
GAL_API gal_status gal_controller_open(gal_controller **out, const char *path, const gal_network_desc *desc,
                                       gal_error *error);
GAL_API gal_status gal_controller_open_memory(gal_controller **out, const void *data, size_t size,
                                              const gal_network_desc *desc, gal_error *error);

/* Frees the controller; NULL is allowed. No crowd of it may be left. */
GAL_API void gal_controller_close(gal_controller *controller);

/* Facts of a controller; the strings live as long as it does. */
typedef struct gal_controller_info {
    const char *name;
    float rate;        /* frames per second that a step stands for */
    float unit_metres; /* metres in one unit of length */
    uint32_t joints;   /* J */
    uint32_t contacts; /* joints whose ground contact is predicted */
    uint32_t legs;
    float speed_walk; /* units per second at full stick, not running */
    float speed_run;  /* the same, running fully */
    int can_crouch;   /* 0: gal_input.crouch is ignored */
    int can_jump;     /* 0: gal_input.jump is ignored */
} gal_controller_info;

GAL_API gal_controller_info gal_controller_get_info(const gal_controller *controller);

/* The network inside, for gal_network_get_info; owned by the controller. */
GAL_API const gal_network *gal_controller_network(const gal_controller *controller);

/* Name of joint i, 0..J-1; NULL beyond. */
GAL_API const char *gal_controller_joint_name(const gal_controller *controller, uint32_t joint);

/* Parent of joint i (-1: the root joint, or beyond J-1). A parent stands before its children. */
GAL_API int32_t gal_controller_joint_parent(const gal_controller *controller, uint32_t joint);

/* Index of the joint of that name, or -1. */
GAL_API int32_t gal_controller_joint_find(const gal_controller *controller, const char *name);

/* The joint that contact i of gal_character_state touches the ground with, i < contacts; -1 beyond. */
GAL_API int32_t gal_controller_contact_joint(const gal_controller *controller, uint32_t contact);

/* Name of gait i as the contract has it ("stand", "walk", "run", "crouch", "jump"; a dog has stand and jump); NULL beyond. */
GAL_API const char *gal_controller_gait_name(const gal_controller *controller, uint32_t gait);

/* Rest transform of joint i in its parent's frame. */
GAL_API gal_transform gal_controller_joint_rest(const gal_controller *controller, uint32_t joint);

/*
 * Ground height at a point, in world units. Called during a step on the threads that run it, many times a
 * frame, for the characters that are evaluated alone: must be pure and fast. Results that are not finite, or beyond
 * GAL_PLACE_MOST, count as 0.
 */
typedef float (*gal_ground_fn)(void *context, float x, float z);

/*
 * A height field as ground: heights[rows][columns], row r at z = origin_z + r * cell, column c at
 * x = origin_x + c * cell; bilinear between, clamped at the borders. Not owned. Filled before a crowd is made with it,
 * which looks at it; heights may change between steps.
 */
typedef struct gal_height_field {
    const float *heights;   /* not NULL */
    uint32_t rows, columns; /* >= 2 each */
    float cell;             /* > 0 */
    float origin_x, origin_z;
} gal_height_field;

/* A gal_ground_fn whose context is a const gal_height_field. */
GAL_API float gal_height_field_ground(void *height_field, float x, float z);

/* Most groups of a crowd. */
#define GAL_GROUPS_MAX 8

/* Most levels of a group: its controller, level 0, and stand-ins. */
#define GAL_LEVELS_MAX 4

/* The characters of one controller in a crowd. */
typedef struct gal_group_desc {
    const gal_controller *controller; /* required; must outlive the crowd */
    uint32_t capacity;                /* most of them at once; 0: 16 */
    /*
     * Levels 1, 2 and 3, the cheaper the further: the same controller at another precision, or a smaller one of the same body,
     * which is one that snapshots of the controller's characters fit. A character may go from one to another in any
     * frame. NULL ends them; they must outlive the crowd.
     */
    const gal_controller *stand_ins[GAL_LEVELS_MAX - 1];
    uint32_t frames_most; /* most frames that a budget lets one evaluation stand for, 1, 2, 4 or 8; 0: 8 */
} gal_group_desc;

/* How to make a crowd. Zero-initialise; zero means the default. */
typedef struct gal_crowd_desc {
    uint32_t struct_size;             /* sizeof(gal_crowd_desc), or 0 for this version's */
    const gal_controller *controller; /* required, unless groups say which; must outlive the crowd */
    uint32_t capacity;                /* most characters at once, 1..65535; 0: 16 */
    gal_ground_fn ground;             /* NULL: flat at height 0 */
    void *ground_context;             /* must outlive the crowd, as must parallel's and allocator's */
    const gal_parallel *parallel;     /* NULL: the stepping thread; copied */
    const gal_allocator *allocator; /* for gal_crowd_create and gal_crowd_record; NULL: the C library; copied */
    /* [group_count] in place of controller and capacity, where characters are of several controllers, which have one
     * rate and one unit; copied. 65535 characters at most in all of them. */
    const gal_group_desc *groups;
    uint32_t group_count; /* 0: one group, of controller and capacity; at most GAL_GROUPS_MAX */
} gal_crowd_desc;

/* Bytes that gal_crowd_init needs for this desc; 0 if the desc is invalid. */
GAL_API size_t gal_crowd_size(const gal_crowd_desc *desc);

/*
 * Makes a crowd in the caller's memory (aligned to 64, at least gal_crowd_size bytes), which the caller
 * frees when done with it: there is nothing else to release. Errors: GAL_BAD_ARGUMENT (the desc, a height
 * field), GAL_NO_MEMORY, GAL_BAD_DATA (a controller that can run but not walk: opaque features, outputs that a
 * step needs missing, or a blend of several experts that the caller would have to give).
 */
GAL_API gal_status gal_crowd_init(gal_crowd **out, void *memory, size_t size, const gal_crowd_desc *desc,
                                  gal_error *error);

/* The same in memory of desc's allocator; freed by gal_crowd_destroy (NULL allowed). */
GAL_API gal_status gal_crowd_create(gal_crowd **out, const gal_crowd_desc *desc, gal_error *error);
GAL_API void gal_crowd_destroy(gal_crowd *crowd);

/*
 * Lets a runner evaluate the characters of a group that go by its controller, level 0, all that are due in a frame at a time;
 * stand-ins stay here. runner NULL: here again. Copied; its context must outlive its use. Results are the runner's, to its
 * accuracy and not to the bit: replays and lockstep need the same one on all sides.
 *
 * `memory` is the caller's, of at least gal_crowd_runner_size bytes, aligned to 64, for as long as the runner is set; NULL
 * without one. Where a runner fails, the frame is evaluated here; for good, unless that was GAL_BAD_ARGUMENT:
 * gal_crowd_runner_status says so. Errors: GAL_BAD_ARGUMENT (no such group, memory not aligned, one of start and finish
 * without the other), GAL_NO_MEMORY.
 *
 * With a pipelined runner a step waits for no result: it takes that of the last step, moves characters by it, and sends
 * this frame's features. What is seen is a frame late and otherwise the same; a newcomer stands for a frame. What was sent
 * for a character that was removed, or put back by gal_crowd_restore, meanwhile is nobody's. Characters whose evaluation
 * stands for several frames are waited for in their step, as without; one that goes from one of the two to the other skips
 * or repeats a frame, as all do when the runner fails, is taken away or changed. Snapshots do not have what is under way: a
 * crowd goes on from one by sending that frame anew, with smoothed input a frame further.
 */
GAL_API gal_status gal_crowd_set_runner(gal_crowd *crowd, uint32_t group, const gal_network_runner *runner,
                                        void *memory, size_t size, gal_error *error);

/* Bytes that a runner of that group needs; 0: no such group, or more than there can be. */
GAL_API size_t gal_crowd_runner_size(const gal_crowd *crowd, uint32_t group);

/* GAL_OK while the group's runner is in use, else why it is not: GAL_NOT_FOUND if none was set, or how it failed. */
GAL_API gal_status gal_crowd_runner_status(const gal_crowd *crowd, uint32_t group);

/* Where and how a character starts. */
typedef struct gal_spawn {
    float x, z;     /* world position, at most GAL_PLACE_MOST; the height comes from the ground */
    float facing;   /* radians, 0 = +z; finite */
    float phase;    /* radians, start of the gait cycle; finite */
    uint32_t group; /* whose controller it has: an index of gal_crowd_desc.groups; 0 where there are none */
} gal_spawn;

/*
 * What the player wants, kept until it is set again. Values out of range are clamped, NaN counts as 0.
 *
 * A stick (move_x, move_y) of length 0..1 counts as it is: at half its way a character wants half the speed. A longer one, such
 * as the corner of a square gate or two keys at once, is cut to length 1 in its own direction. There is no dead zone: a stick
 * that does not come to rest at 0 wants one of the host's, taken off its length, not off each axis.
 */
typedef struct gal_input {
    float move_x;     /* stick, -1..1, positive = right of the camera; not finite counts as 0 */
    float move_y;     /* stick, -1..1, positive = away from the camera (forward); not finite counts as 0 */
    float run;        /* 0 = walk .. 1 = full run */
    float strafe;     /* 0 = face where you go .. 1 = face where the camera looks */
    float crouch;     /* 0..1; ignored by a controller that cannot (gal_controller_info.can_crouch) */
    float camera_yaw; /* radians, 0 = the camera looks along +z */
    int responsive;   /* non-zero: quicker, less natural turns */
    int jump;         /* non-zero: jumps, as soon as it is fast enough; again and again while it stays so.
                         From the first sign of a jump until it lands nothing else of the input counts.
                         Ignored by a controller that cannot (gal_controller_info.can_jump). */
} gal_input;

/*
 * Adds a character at rest, which is the same whoever had its place before. spawn NULL: all zero. *out is 0 on failure.
 * Errors: GAL_FULL (its group is), GAL_BAD_ARGUMENT (a number of the spawn is out of its range, no such group).
 */
GAL_API gal_status gal_crowd_add(gal_crowd *crowd, const gal_spawn *spawn, gal_character *out);

/* Removes it, at any frame; the others are not touched. GAL_NOT_FOUND if it is not in the crowd. */
GAL_API gal_status gal_crowd_remove(gal_crowd *crowd, gal_character character);

/* Characters in the crowd now. */
GAL_API uint32_t gal_crowd_count(const gal_crowd *crowd);

/* The controller of a character; NULL if there is no such character. */
GAL_API const gal_controller *gal_crowd_controller(const gal_crowd *crowd, gal_character character);

/* Handle of the i-th character, i < count, in an order that changes only when one is removed; 0 beyond. */
GAL_API gal_character gal_crowd_at(const gal_crowd *crowd, uint32_t index);

/* Sets what the player wants from the next step on. GAL_NOT_FOUND. */
GAL_API gal_status gal_crowd_set_input(gal_crowd *crowd, gal_character character, const gal_input *input);

/*
 * Puts a character elsewhere as it is, in the middle of its step: turned and shifted as one body, so that its root is
 * at x, z, on the ground there, and faces `facing` (radians, 0 = +z). It walks on from there; the pose, and the one before
 * it for gal_crowd_pose_between, are there at once. For portals, corrections by a server, worlds whose origin moves;
 * to start anew at rest, remove it and add another. GAL_NOT_FOUND, GAL_BAD_ARGUMENT (x or z beyond GAL_PLACE_MOST, facing
 * not finite).
 */
GAL_API gal_status gal_crowd_teleport(gal_crowd *crowd, gal_character character, float x, float z,
                                      float facing);

/* How a character is evaluated: how often, and by what. */
typedef struct gal_pace {
    /*
     * Frames that one evaluation stands for, 1..8 (and no more than the contract's window has before now): 1, the default, is
     * every frame. Else the character's state is made that many frames ahead at once, and it goes there in a straight
     * line; feet on the ground stay still. It follows its input from the next evaluation on.
     */
    uint32_t frames;
    uint32_t level; /* 0: by its controller; else by that stand-in of its group */
} gal_pace;

/*
 * How a character is evaluated, from its next evaluation on, which is at most 7 frames away. NULL: as the budget decides;
 * without one that is every frame by its controller. GAL_NOT_FOUND, GAL_BAD_ARGUMENT (frames out of range, no such level).
 */
GAL_API gal_status gal_crowd_set_pace(gal_crowd *crowd, gal_character character, const gal_pace *pace);

/* How a character was evaluated last; before its first evaluation every frame by its controller. GAL_NOT_FOUND. */
GAL_API gal_status gal_crowd_pace(const gal_crowd *crowd, gal_character character, gal_pace *out);

/*
 * How much a character matters beside the others, for instance 1 / its distance from the camera. One of half the priority
 * stands a rung lower on gal_crowd_set_budget's ladder. 1 at the start; NaN and less than 0 count as 0. Nothing without a
 * budget. GAL_NOT_FOUND.
 */
GAL_API gal_status gal_crowd_set_priority(gal_crowd *crowd, gal_character character, float priority);

/* What a step may cost. */
typedef struct gal_budget {
    /*
     * With a clock: of this machine. The crowd measures its steps and plans so that about one in a thousand takes more
     * than 0.93 of this. Without: nominal ones, about those of a core with AVX-512. Then every machine decides the same,
     * as lockstep needs.
     */
    float microseconds;
    /* Seconds since any moment; called in steps, on their thread. NULL: nominal microseconds. */
    double (*clock)(void *context);
    void *clock_context; /* must outlive its use */
} gal_budget;

/*
 * Lets the crowd decide how its characters are evaluated, so that a step keeps to a budget; copied. NULL: every frame by their
 * controllers, as at the start. Each stands on a rung, by its priority: every frame by level 0, every frame by 1, every
 * second by 1, every fourth by 2, every eighth by 3 (by the last level of its group, where it has no such). It changes its
 * rung seldom. Each is evaluated once in 8 frames at least, whatever the budget: less cannot be had, and gal_crowd_load
 * says what a step took. A new one stands for up to 8 frames. GAL_BAD_ARGUMENT: NaN, less than 0, or by a clock while the
 * crowd is recorded.
 */
GAL_API gal_status gal_crowd_set_budget(gal_crowd *crowd, const gal_budget *budget);

/* A step, for whoever wants to see what was decided. */
typedef struct gal_load {
    /* What the last step took by the budget's clock; without a clock its nominal cost; 0 without a budget. */
    float microseconds;
    uint32_t evaluated; /* characters evaluated in it, */
    uint32_t bridged;   /* on the way to their last evaluation, */
    uint32_t waiting;   /* and new ones not yet evaluated */
    float bar;          /* priority from which on characters are evaluated in every frame by their controller */
} gal_load;

/* Of the last step; all 0 without a budget. */
GAL_API gal_load gal_crowd_load(const gal_crowd *crowd);

/* Foot locking of one character (on at the start). Does not change how it moves, only the pose. GAL_NOT_FOUND. */
GAL_API gal_status gal_crowd_set_foot_lock(gal_crowd *crowd, gal_character character, int on);

/*
 * One frame of 1 / rate seconds for all characters. Nothing is allocated. Always succeeds for a valid
 * crowd; a character whose state became non-finite, or larger than a snapshot may hold, is set back to rest where it
 * stood and counted in gal_crowd_resets.
 */
GAL_API void gal_crowd_step(gal_crowd *crowd);

/* The parts of a step, for profilers. STEP holds the others; of several groups and levels each part comes several times. */
typedef enum gal_zone {
    GAL_ZONE_STEP,
    GAL_ZONE_BRIDGE,   /* characters that are not evaluated in this frame go on */
    GAL_ZONE_FEATURES, /* inputs and state to features x */
    GAL_ZONE_NETWORK,  /* x to y */
    GAL_ZONE_POSES,    /* y to poses, feet locked, and the next state */
    GAL_ZONE_COUNT
} gal_zone;

/* A zone's name as profilers show it ("gallop network"), a constant; NULL beyond GAL_ZONE_COUNT. */
GAL_API const char *gal_zone_name(gal_zone zone);

/*
 * Where a step tells of its zones, on the stepping thread: begin and end come in pairs, the last begun ends first. They
 * must not call the crowd. docs/game.md has them as zones of Tracy.
 */
typedef struct gal_zones {
    void (*begin)(void *context, gal_zone zone);
    void (*end)(void *context, gal_zone zone);
    void *context;
} gal_zones;

/* Tells of zones from the next step on; NULL, as at the start: of none. Copied. Changes no bit. */
GAL_API void gal_crowd_set_zones(gal_crowd *crowd, const gal_zones *zones);

/*
 * Runs the whole frames due after `seconds` more game time (at most max_frames, 0: 4; the rest is dropped)
 * and returns how many ran: for games whose frame is not 1 / rate. *fraction (NULL allowed) gets the part
 * of a frame left over, 0..1, for gal_crowd_pose_between.
 */
GAL_API uint32_t gal_crowd_advance(gal_crowd *crowd, float seconds, uint32_t max_frames, float *fraction);

/* Times a character was set back to rest since the crowd was made. */
GAL_API uint64_t gal_crowd_resets(const gal_crowd *crowd);

/*
 * The pose after the last step, world space, [J], valid until the next call that changes the crowd.
 * joint_count may be NULL. NULL if there is no such character.
 */
GAL_API const gal_transform *gal_crowd_pose(const gal_crowd *crowd, gal_character character,
                                            uint32_t *joint_count);

/*
 * The pose between the last two steps, for displays whose frames are not 1 / rate: world space, [J] written to
 * out; fraction 0 is the pose before the last step, 1 the pose after it, as gal_crowd_advance returns it (clamped
 * to 0..1, NaN counts as 0). A character just added has stood where it is. GAL_NOT_FOUND.
 */
GAL_API gal_status gal_crowd_pose_between(const gal_crowd *crowd, gal_character character, float fraction,
                                          gal_transform *out);

/*
 * The pose of gal_crowd_pose as each joint's transform in its parent's frame (the root joint: in the world), [J] written
 * to out. GAL_NOT_FOUND.
 */
GAL_API gal_status gal_crowd_pose_local(const gal_crowd *crowd, gal_character character, gal_transform *out);

/* A character's movement, for game logic, sound and tests. */
typedef struct gal_character_state {
    gal_vec3 root; /* where the trajectory is now; y is the mean ground height around it */
    float facing;  /* radians */
    float phase;   /* radians, 0..2 pi */
    float speed;   /* units per second, of the last step */
    /* 0..1, of the joints of gal_controller_contact_joint, 0 beyond; less than predicted while foot locking lifts the foot */
    float contacts[16];
} gal_character_state;

/* GAL_NOT_FOUND leaves *out alone. */
GAL_API gal_status gal_crowd_state(const gal_crowd *crowd, gal_character character, gal_character_state *out);

/*
 * What a character is doing: how much it is in each gait of gal_controller_gait_name, 0..1, smoothed (halfway through a stop
 * walk and stand are both 0.5); a jump's is 1 at its top, 0 before and after. As of its last evaluation: who is evaluated seldom
 * (gal_pace) has them in steps, up to 7 frames early. Writes up to capacity amounts (NULL allowed) and returns how many gaits
 * there are; 0 if there is no such character.
 */
GAL_API uint32_t gal_crowd_gaits(const gal_crowd *crowd, gal_character character, float *amounts,
                                 uint32_t capacity);

/*
 * The trajectory, for drawing: world points and facing angles at the contract's sample offsets. Writes up to
 * capacity entries of each (NULL allowed) and returns how many there are; 0 if there is no such character.
 */
GAL_API uint32_t gal_crowd_trajectory(const gal_crowd *crowd, gal_character character, gal_vec3 *points,
                                      float *facings, uint32_t capacity);

/*
 * Snapshots: all that a crowd goes on from, as bytes, for rollback and saved games. A restored crowd steps on bit for
 * bit as the saved one did, given the same inputs and ground, and its handles mean the same characters.
 *
 * In a snapshot are the characters with their inputs and poses, handles, order, the time owed to gal_crowd_advance and
 * the count of resets; not the controller, ground, parallel and capacity. It fits every crowd whose controller has the
 * same joints and gaits by name, the same `future` offsets, and as many samples, hinges, legs, contacts, memory and frames of
 * window: so a controller can be exchanged for one that was trained anew, under its characters. Of a crowd of several groups it fits those with as many,
 * in the same order, and as much capacity in each but the last. It is for this version of Gallop and byte order.
 */

/* Bytes of the largest snapshot of the crowd, that of `capacity` characters. */
GAL_API size_t gal_crowd_snapshot_size(const gal_crowd *crowd);

/*
 * Writes a snapshot to data[size], any alignment; *used (NULL allowed) is how long it is. Equal states give equal
 * bytes. Nothing is allocated. GAL_NO_MEMORY, with nothing written but *used, if size is less; data may be NULL then.
 */
GAL_API gal_status gal_crowd_save(const gal_crowd *crowd, void *data, size_t size, size_t *used);

/*
 * Makes the crowd what the saved one was, from the size bytes at data (any alignment), which may come from anywhere: they
 * are checked, places to be within twice GAL_PLACE_MOST and all else of a size from which a character comes to itself. What
 * a crowd saved is always taken back. Handles given since are none, and may be given again. Nothing is allocated. Errors, after which the crowd
 * is as it was: GAL_BAD_DATA (no snapshot, damaged, of another kind of character), GAL_FULL (one of its characters is in a
 * place that this crowd, of less capacity, does not have). error may be NULL.
 */
GAL_API gal_status gal_crowd_restore(gal_crowd *crowd, const void *data, size_t size, gal_error *error);

#ifdef __cplusplus
}
#endif
#endif
