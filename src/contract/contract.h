/*
 * The controller contract: what the numbers of x and y mean (docs/format.md, "CNTR"), parsed.
 *
 * A contract is one allocation: names and arrays live behind the struct. It is immutable after parsing.
 * Invariant: input and output blocks are in feature order, start at their `offset`, and add up to `inputs`
 * and `outputs`; every index (joint, gait) in it is in range.
 */
#ifndef GALI_CONTRACT_CONTRACT_H
#define GALI_CONTRACT_CONTRACT_H

#include "gallop/crowd.h"

enum {
    GALI_JOINTS_MAX = 256,
    GALI_LEGS_MAX = 8,
    GALI_HINGES_MAX = 128,
    GALI_GAITS_MAX = 16,
    GALI_SAMPLES_MAX = 64, /* of `samples` and of `future` */
    GALI_WINDOW_MAX = 600, /* frames before and after now */
    GALI_BLOCKS_MAX = 512, /* inputs and outputs together */
    GALI_CONTACTS_MAX = 16,
    GALI_NAME_MAX = 64, /* bytes, terminator included */
};

typedef enum gali_gait_role {
    GALI_GAIT_NONE = 0,
    GALI_GAIT_STAND,
    GALI_GAIT_WALK,
    GALI_GAIT_RUN,
    GALI_GAIT_CROUCH,
    GALI_GAIT_JUMP,
    GALI_GAIT_ROLE_COUNT
} gali_gait_role;

/* Block kinds, from the one list in blocks.def. */
typedef enum gali_block_kind {
#define BLOCK(id, name, side, argument, features) GALI_BLOCK_##id,
#include "blocks.def"
#undef BLOCK
    GALI_BLOCK_KIND_COUNT
} gali_block_kind;

typedef struct gali_block {
    gali_block_kind kind;
    uint32_t offset;          /* first feature */
    uint32_t count;           /* features */
    uint32_t index;           /* gait or joint, where the block has one; first of a memory's in all memory */
    float value;              /* `constant`'s value, `trajectory.height`'s side */
    char name[GALI_NAME_MAX]; /* of `memory` and `opaque`, else empty */
} gali_block;

typedef struct gali_joint {
    char name[GALI_NAME_MAX];
    int32_t parent;     /* -1: the root joint */
    gal_transform rest; /* in the parent's frame */
    int32_t hinge;      /* -1: it does not turn by itself */
    int32_t leg;        /* that it is part of; -1: none */
    float lever;        /* longest chain of bones below, in a leg the next one; see measure_levers */
} gali_joint;

/* A joint that turns about one axis of its rest frame. */
typedef struct gali_hinge {
    uint32_t joint;
    gal_vec3 axis;           /* unit */
    float least, most, rest; /* radians */
} gali_hinge;

/* The first joint of a hinged skeleton over the root point, or the change of that in a frame. */
typedef struct gali_posture {
    float height, pitch, roll; /* units; radians about +x, then about +z */
} gali_posture;

typedef struct gali_leg {
    uint32_t hip, knee, heel, toe; /* joints */
} gali_leg;

typedef struct gali_gait {
    char name[GALI_NAME_MAX];
    gali_gait_role role;
} gali_gait;

/* The motion rules' constants, one float each, from the one list in rules.def. */
typedef struct gali_rules {
#define RULE(name, value, least, most, meaning) float name;
#include "rules.def"
#undef RULE
} gali_rules;

typedef struct gali_contract {
    char name[GALI_NAME_MAX];
    float rate;
    float unit;
    uint32_t past, future; /* window, frames */
    uint32_t joint_count, leg_count, hinge_count, gait_count, sample_count, future_count, contact_count;
    uint32_t input_block_count, output_block_count;
    uint32_t inputs, outputs; /* features */
    uint32_t memory_count;    /* features that are fed back as they are */
    gali_leg legs[GALI_LEGS_MAX];
    gali_hinge hinges[GALI_HINGES_MAX];
    gali_posture posture; /* rest pose of a hinged skeleton */
    gali_gait gaits[GALI_GAITS_MAX];
    int32_t gait_of_role[GALI_GAIT_ROLE_COUNT]; /* gait index or -1 */
    int32_t samples[GALI_SAMPLES_MAX];          /* ascending frame offsets from now */
    int32_t futures[GALI_SAMPLES_MAX];          /* ascending, from the updated now */
    uint32_t contact_joints[GALI_CONTACTS_MAX]; /* joints of the `contact` outputs, in order */
    gali_rules rules;
    const gali_joint *joints;        /* [joint_count] */
    const gali_block *input_blocks;  /* [input_block_count] */
    const gali_block *output_blocks; /* [output_block_count] */
    size_t memory;                   /* bytes of the allocation */
} gali_contract;

/*
 * Parses size bytes of contract text. *out is released with gali_contract_release. Every error names the
 * line and what was expected. Blocks of a kind that may stand once are refused a second time.
 */
gal_status gali_contract_parse(gali_contract **out, const char *text, size_t size,
                               const gal_allocator *allocator, gal_error *error);

void gali_contract_release(gali_contract *contract, const gal_allocator *allocator);

/*
 * Whether a crowd can walk by it: no opaque features, and all that a step needs is there (phase.advance only
 * where gate is a phase gate). Else GAL_BAD_DATA, and error names the first missing thing.
 */
gal_status gali_contract_complete(const gali_contract *contract, gal_gate_kind gate, gal_error *error);

/* The first input or output block of that kind, or NULL. */
const gali_block *gali_contract_find(const gali_contract *contract, gali_block_kind kind);

/* The feature's name as docs/format.md spells it ("joint.position.LeftFoot.y"), into text. */
void gali_contract_input_name(const gali_contract *contract, uint32_t feature, char *text, size_t size);
void gali_contract_output_name(const gali_contract *contract, uint32_t feature, char *text, size_t size);

#endif
