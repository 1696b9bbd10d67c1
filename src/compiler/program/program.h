/*
 * A graph as a program: tensors, and stages that make them, fused.
 *
 *     passes.c   all of them in their order
 *     build.c    every node's expression (graph/express.h), its loads turned to tensors of the whole graph
 *     control.c  nodes with bodies: their stages in blocks, between steps
 *     call.c     what puts elements in order or chooses some: calls between stages
 *     patterns.c convolutions whose weights have holes in patterns, stored by fkw.c
 *     winograd.c convolutions of 3x3 windows by transforms and a product
 *     convolution.c  what these two share
 *     sweep.c    scalars made simple, stages that are there twice or for nobody
 *     fuse.c     stages put into those that read them, sums finished by what follows them
 *     profile.c  which pairs of classes were faster fused
 *     group.c    stages that share rows joined to groups
 *     range.c    which sizes it can run with
 *     layout.c   in which order the axes of tensors lie in memory
 *     reads.c    what a stage reads, and how
 *     split.c    summed axes that are read in parts, as those
 *     margin.c   zeros around tensors, for sums over windows, by what guard.c finds; inputs.c copies what has no room for them
 *     order.c    in which order groups run
 *     nest.c     which loops the stages of a group share
 *     place.c    where tensors lie in the workspace, arranged by arrange.c
 *     versions.c which groups have functions of their own for some sizes, of programs that narrow.c makes
 *
 * compiler/lower makes loops of its groups.
 *
 * A tensor is a value of the graph or a stage's temporary. A stage makes one tensor; a stage that is fused away makes
 * none. Groups are the stages of one function of C; their number is what fusion is measured by.
 *
 * Stages compute, steps steer: which stages run, how often, and what sizes are that only running tells; some call
 * functions that are no stages. Stages and steps
 * of a body stand in a block of their own, between the steps that begin and end it. Bodies see the tensors around them.
 *
 * Invariant: stages stand in an order in which each reads tensors that earlier ones make, inputs and constants.
 */
#ifndef GALI_COMPILER_PROGRAM_PROGRAM_H
#define GALI_COMPILER_PROGRAM_PROGRAM_H

#include "compiler/loop/loop.h"
#include "compiler/target.h"
#include "graph/express.h"
#include "graph/graph.h"
#include "graph/text.h"

enum { GALI_SUM_PARTS = 16, GALI_ELEMENTS_MOST = 1 << 29 /* of a tensor */ };

typedef enum gali_tensor_role {
    GALI_TENSOR_MADE,
    GALI_TENSOR_KEPT, /* made, and stored whatever is fused, in the order of its type: steps know where it lies */
    GALI_TENSOR_INPUT,
    GALI_TENSOR_CONSTANT,
    GALI_TENSOR_OUTPUT
} gali_tensor_role;

/* Where the run has a size from. */
typedef enum gali_told { GALI_TOLD_BY_NONE, GALI_TOLD_BY_INPUT, GALI_TOLD_BY_STEP } gali_told;

typedef struct gali_program_tensor {
    const char *name;
    gali_type type;
    gali_tensor_role role;
    uint32_t value;   /* of the graph; GALI_NONE: a temporary */
    uint32_t port;    /* of an input or output: its number */
    const void *data; /* of a constant */
    uint32_t stage;   /* that makes it; GALI_NONE: none does */
    uint32_t readers; /* stages that read it, outputs counted */
    uint32_t last;    /* the last stage that reads it, or its own; GALI_NONE: none */
    uint32_t slot;    /* place.c: where it lies in the workspace; GALI_NONE: it has no place */
    uint32_t block;   /* that it belongs to */
    uint32_t
        home; /* the tensor in whose memory it lies, at element `row` times its own count; GALI_NONE: in its own */
    gali_extent row;
    uint8_t order[GALI_RANK_MAX]; /* dimension d in memory, outermost first, is axis order[d] of the type */
    int64_t before
        [GALI_RANK_MAX]; /* zeros before its elements, of each axis; shapes count its whole margin (margin.h) */
} gali_program_tensor;

/* What may be left out, to measure what it is worth; results stay right, bits but for rewriting too. */
enum {
    GALI_WITHOUT_REWRITE = 1,   /* the graph as the file has it */
    GALI_WITHOUT_FUSE = 2,      /* a function for each operator */
    GALI_WITHOUT_LAYOUT = 4,    /* tensors in the order of their axes */
    GALI_WITHOUT_TILE = 8,      /* sums in strips, not in register tiles */
    GALI_WITHOUT_REORDER = 16,  /* pruned filters in their own order */
    GALI_WITHOUT_REUSE = 32,    /* of pruned convolutions: what a tap reads loaded for it alone */
    GALI_WITHOUT_PATTERNS = 64, /* pruned convolutions as CSR: places of taps are looked up */
};

/*
 * A long sum is taken in blocks: each is summed by itself from 0, in ascending order, and is then added to the sum, so that
 * an error of rounding grows with the terms of a block and with the blocks, not with all terms. It has `part` of the summed
 * axis `outer` (0: nothing) and all of those inside; axes before are outside. 0, 0: one ascending sum.
 */
typedef struct gali_sum_blocks {
    uint32_t outer, part;
} gali_sum_blocks;

/* Terms of a block, at most: as fast, as exact as blocks can be; at least: shorter ones are not worth it. */
enum { GALI_BLOCK_TERMS = 512, GALI_BLOCK_TERMS_FINE = 128, GALI_BLOCK_TERMS_LEAST = 32 };

/* In scalars of a program a load's source is a tensor, and there are no loads of stages. */
typedef struct gali_program_stage {
    uint32_t tensor;
    uint32_t node; /* of the program, that the group is named of; GALI_NONE: a copy */
    uint32_t group, block;
    int gone;  /* fused into others, or nobody needs it; its group is any with which groups ascend */
    int stays; /* fused into nobody */
    uint32_t rank, reduced;
    uint8_t stretch; /* of its node: those of one are one group */
    int parted; /* the sum is GALI_SUM_PARTS partial ones along the last axis (layout.c says, lower_lanes.c how) */
    int fine; /* blocks of its sum are of GALI_BLOCK_TERMS_FINE; of sums over several axes they always are */
    gali_sum_blocks blocks; /* of the sum (layout.c says, for all versions of the stage) */
    gali_extent extent[GALI_AXES_MAX];
    const gali_scalar *start, *value;     /* as in express.h */
    const gali_scalar *finish;            /* of a reduction, what is stored, of `self`; NULL: self */
    const struct gali_patterns *patterns; /* it is of a convolution by patterns (patterns.h); NULL */
    uint32_t rows; /* axes that all stages of the group share: what they read of each other is in one row */
    uint8_t row[GALI_RANK_MAX]; /* [rows] which of this stage's axes they are, in the group's order */
} gali_program_stage;

typedef enum gali_control_kind {
    GALI_CONTROL_IF,   /* what follows runs if the tensor's one element is not 0 */
    GALI_CONTROL_ELSE, /* or else this */
    GALI_CONTROL_END_IF,
    GALI_CONTROL_LOOP, /* symbol = 0, 1, .. below extent (UNKNOWN: the tensor's element, or, NONE, without end), if `test` */
    GALI_CONTROL_END_LOOP, /* again, if `test` */
    GALI_CONTROL_SIZE,     /* symbol = extent */
    GALI_CONTROL_READ,     /* symbol = element `extent` of the tensor */
    GALI_CONTROL_CALL,     /* the call, which returns the symbol, if there is one */
    GALI_CONTROL_CHECK,    /* the demand, of sizes of which some were told before */
    GALI_CONTROL_FENCE, /* does nothing, but what follows uses memory as another tensor than what went before */
} gali_control_kind;

enum { GALI_PROGRAM_PORTS_MAX = 64 /* operands of a call; its results are fewer */ };

/* A function of emitted C (emit/body/select.inc) that makes tensors. */
typedef struct gali_program_call {
    const char *function; /* gali_<function> */
    uint32_t operand_count, result_count, size_count;
    uint32_t *operands, *results; /* tensors; GALI_NONE: not given */
    gali_extent *sizes;
} gali_program_call;

typedef struct gali_program_step {
    gali_control_kind kind;
    uint32_t before; /* the stage; stage_count: behind the last */
    uint32_t block;  /* that it stands in: of IF and LOOP the outer one, of ELSE and what ends the inner one */
    uint32_t tensor, test; /* test: a tensor of one truth value; GALI_NONE: true */
    uint32_t symbol;
    gali_extent extent;
    const gali_program_call *call;
    const gali_demand *demand;
} gali_program_step;

/* Block 0 is the program's own. */
typedef struct gali_program_block {
    uint32_t parent;
    int repeats;
    uint32_t end; /* the stage that it ends before */
} gali_program_block;

/* A node of the graph or of a body. */
typedef struct gali_program_node {
    const gali_graph *graph;
    const gali_node *node;
} gali_program_node;

/* What one group stores and another reads. */
typedef struct gali_program_edge {
    uint32_t tensor;
    uint32_t reader; /* a group */
    const char *why; /* they are not one */
} gali_program_edge;

/* How the order of groups was found: pieces between cuts, those of which all orders were looked at, groups of the largest. */
typedef struct gali_program_order_facts {
    uint32_t pieces, searched, largest;
} gali_program_order_facts;

/* So many bytes behind the beginning of a slot. */
typedef struct gali_program_end {
    uint32_t slot;
    gali_extent bytes; /* a multiple of 64 */
} gali_program_end;

/*
 * Sizes where `symbol`, which an input tells, is least..most, within its range in the program; or where it is the size `other`.
 * Of two sizes that are broadcast `other` is the other one in any case: the range is for groups that have both.
 */
typedef struct gali_size_range {
    uint32_t symbol, other; /* other: GALI_NONE where there is none */
    int same;
    int64_t least, most;
} gali_size_range;

enum { GALI_PROGRAM_VERSION_SIZES_MAX = 4, GALI_PROGRAM_VERSIONS_MAX = 8 };

/* Sizes for which groups have functions of their own; versions.h. */
typedef struct gali_program_version {
    uint32_t count;
    gali_size_range range[GALI_PROGRAM_VERSION_SIZES_MAX];
    struct gali_program *narrow; /* the program for these sizes; narrow.h */
} gali_program_version;

/* A place in the workspace: behind all of these ends, which are of earlier slots; without any its beginning. */
typedef struct gali_program_slot {
    uint32_t count;
    gali_program_end *ends;
} gali_program_slot;

typedef struct gali_program {
    const gali_graph *graph;
    gali_arena *arena;
    uint32_t tensor_count, stage_count, group_count, step_count, block_count, node_count;
    gali_program_step *steps; /* in their order */
    gali_program_block *blocks;
    gali_program_node *nodes;     /* those of the graph come first, by their numbers */
    gali_program_tensor *tensors; /* those of the graph's values come first, by their numbers */
    gali_program_stage *stages;   /* fused: group by group, what is gone among the stages that took it in */
    uint32_t edge_count;
    gali_program_edge *edges;   /* between groups */
    const gali_demand *demands; /* of sizes of inputs alone: checked before anything runs */
    uint32_t told_count;
    gali_told *told;                    /* [told_count] of symbols of the graph's extents; BY_NONE past them */
    int64_t *least, *most;              /* [symbols of the graph's extents] range.c */
    int64_t *typical;                   /* [same] sizes to choose by; layout.c */
    const struct gali_profile *profile; /* of yellow pairs; NULL: the one that is built in */
    uint32_t without;                   /* bits of GALI_WITHOUT_ */
    const gali_target *target;          /* that it is lowered for; NULL: any, number by number */
    const gali_text *regions;           /* functions of the graph's regions (compiler/regions.h); NULL: none */
    const struct gali_schedule **schedules; /* [group_count] NULL, or of one: by rules; lower.h */
    uint32_t version_count;
    /* no call fits two of them, each fits one; 0: groups have one function each */
    gali_program_version *versions;
    double steps_typical; /* of all groups at typical sizes, where there are versions (versions.c) */
    gali_program_order_facts order_facts;
    uint32_t slot_count;
    gali_program_slot *slots; /* places in the workspace at which tensors begin */
    gali_program_slot top;    /* the place behind all: the workspace's bytes */
    int64_t planned, alive;   /* at typical sizes: bytes of the workspace, and of what lives at once at most */
} gali_program;

/*
 * The program of an inferred graph; nodes that depend on constants alone are computed. Errors: GAL_UNSUPPORTED with the
 * node that has no expression, or a shape that only running tells; GAL_NO_MEMORY.
 */
gal_status gali_program_make(gali_program **out, const gali_graph *graph, gali_arena *arena, gal_error *error);

/*
 * All passes, for program->target (NULL: any), without and profile: what the program is lowered from. exact: every sum by its
 * definition, neither by patterns nor by Winograd, in fine blocks. Errors: those of the passes.
 */
gal_status gali_program_for_cpu(gali_program *program, int exact, gal_error *error);

/* The same for kernels of a device, which have an item for each element: neither panels nor orders of axes are for them. */
gal_status gali_program_for_device(gali_program *program, gal_error *error);

gali_told gali_program_told(const gali_program *program, uint32_t symbol);

/* The place of a stage's node, for messages; "a copy" where it has none. */
const char *gali_program_place_of(const gali_program *program, uint32_t node);

/* Fuses stages and numbers the groups. */
gal_status gali_program_fuse(gali_program *program, gal_error *error);

/* Finds the range that each size may have. GAL_UNSUPPORTED where a tensor is empty or too large whatever they are. */
gal_status gali_program_range(gali_program *program, gal_error *error);

/* The largest that a size may be which an input tells: what is asked for, or 1024. */
int64_t gali_program_most_asked(const gali_program *program, uint32_t symbol);

/* Whether the symbol is the first axis, and no other, of the inputs. */
int gali_program_is_batch(const gali_graph *graph, uint32_t symbol);

/* Chooses the order of tensors in memory, and how sums are taken, of a fused program with ranges. */
gal_status gali_program_layout(gali_program *program, gal_error *error);

/* Puts groups in an order in which little memory lives at once, of a program that is laid out. */
gal_status gali_program_order(gali_program *program, gal_error *error);

/*
 * What an extent is at most, or at least, by sizes that inputs tell: those that steps tell at their bounds. UNKNOWN or BAD
 * where it has too many terms.
 */
gali_extent gali_program_bound(const gali_program *program, gali_extent extent, int most);

/* The tensor's data, of a constant, to its order in memory. to: as many bytes. */
void gali_program_lay(const gali_program *program, uint32_t tensor, void *to);

/* A constant as a lowered function's buffer has it: in memory's order, and packed if that is. Returns 0 without memory. */
size_t gali_program_constant_bytes(const gali_program *program, uint32_t tensor,
                                   const gali_loop_buffer *buffer);
int gali_program_constant(const gali_program *program, uint32_t tensor, const gali_loop_buffer *buffer,
                          void *to);

/*
 * The stages of a group of a fused program, in their order, without those that are gone: the first, and the one behind a
 * stage; GALI_NONE: there is none. They stand group by group.
 */
uint32_t gali_program_group_first(const gali_program *program, uint32_t group);
uint32_t gali_program_group_next(const gali_program *program, uint32_t stage);

/* How many leading dimensions in memory the stages of a group walk in the same loops; 0 of a single stage. */
uint32_t gali_program_nest(const gali_program *program, uint32_t group);

/* Gives every tensor that is stored in between a place. */
gal_status gali_program_place(gali_program *program, gal_error *error);

/* The byte that a slot begins at where symbols have those values; at[]: the same of the slots before it. */
int64_t gali_program_slot_at(const gali_program *program, const gali_program_slot *slot, const int64_t *at,
                             const int64_t *symbols);

#endif
