/*
 * A graph as a program: tensors, and stages that make them, fused.
 *
 *     build.c    every node's expression (graph/express.h), its loads turned to tensors of the whole graph
 *     fuse.c     stages inlined into those that read them, reductions joined with what follows them: groups
 *     range.c    which sizes it can run with
 *     layout.c   in which order the axes of tensors lie in memory
 *     reads.c    what a stage reads, and how
 *     place.c    where tensors lie in the workspace
 *     lower.c    a group as a function of loops (loop/loop.h); lowering.h tells of its parts
 *
 * A tensor is a value of the graph or a stage's temporary. A stage makes one tensor; a stage that is fused away makes
 * none. Groups are the stages of one function of C; their number is what fusion is measured by.
 *
 * Invariant: stages stand in an order in which each reads tensors that earlier ones make, inputs and constants.
 */
#ifndef GALI_COMPILER_PROGRAM_PROGRAM_H
#define GALI_COMPILER_PROGRAM_PROGRAM_H

#include "compiler/loop/loop.h"
#include "compiler/target.h"
#include "graph/express.h"
#include "graph/graph.h"

typedef enum gali_tensor_role {
    GALI_TENSOR_MADE,
    GALI_TENSOR_INPUT,
    GALI_TENSOR_CONSTANT,
    GALI_TENSOR_OUTPUT
} gali_tensor_role;

typedef struct gali_program_tensor {
    const char *name;
    gali_type type;
    gali_tensor_role role;
    uint32_t value;               /* of the graph; GALI_NONE: a temporary */
    uint32_t port;                /* of an input or output: its number */
    const void *data;             /* of a constant */
    uint32_t stage;               /* that makes it; GALI_NONE: none does */
    uint32_t readers;             /* stages that read it, outputs counted */
    uint32_t last;                /* the last stage that reads it, or its own; GALI_NONE: none */
    uint32_t slot;                /* place.c: where it lies in the workspace; GALI_NONE: it has no place */
    uint8_t order[GALI_RANK_MAX]; /* dimension d in memory, outermost first, is axis order[d] of the type */
} gali_program_tensor;

/* In scalars of a program a load's source is a tensor, and there are no loads of stages. */
typedef struct gali_program_stage {
    uint32_t tensor;
    uint32_t node; /* that the group is named of; GALI_NONE: a copy */
    uint32_t group;
    int gone; /* fused into others */
    uint32_t rank, reduced;
    gali_extent extent[GALI_AXES_MAX];
    const gali_scalar *start, *value; /* as in express.h */
    const gali_scalar *finish;        /* of a reduction, what is stored, of `self`; NULL: self */
} gali_program_stage;

typedef struct gali_program {
    const gali_graph *graph;
    gali_arena *arena;
    uint32_t tensor_count, stage_count, group_count;
    gali_program_tensor *tensors; /* those of the graph's values come first, by their numbers */
    gali_program_stage *stages;
    int64_t *least, *most;     /* [symbols of the graph's extents] range.c */
    const gali_target *target; /* that it is lowered for; NULL: any, number by number */
    uint32_t slot_count;
    gali_extent *slots; /* bytes of each, multiples of 64; they lie one behind the other */
} gali_program;

/*
 * The program of an inferred graph; nodes that depend on constants alone are computed. Errors: GAL_UNSUPPORTED with the
 * node that has no expression, or a shape that only running tells; GAL_NO_MEMORY.
 */
gal_status gali_program_make(gali_program **out, const gali_graph *graph, gali_arena *arena, gal_error *error);

/* Fuses stages and numbers the groups. */
gal_status gali_program_fuse(gali_program *program, gal_error *error);

/* Finds the range that each size may have. GAL_UNSUPPORTED where a tensor is empty or too large whatever they are. */
gal_status gali_program_range(gali_program *program, gal_error *error);

/* Chooses the order of tensors in memory, of a fused program with ranges. */
gal_status gali_program_layout(gali_program *program, gal_error *error);

/* The tensor's data, of a constant, to its order in memory. to: as many bytes. */
void gali_program_lay(const gali_program *program, uint32_t tensor, void *to);

/* A constant as a lowered function's buffer has it: in memory's order, and packed if that is. Returns 0 without memory. */
size_t gali_program_constant_bytes(const gali_program *program, uint32_t tensor,
                                   const gali_loop_buffer *buffer);
int gali_program_constant(const gali_program *program, uint32_t tensor, const gali_loop_buffer *buffer,
                          void *to);

/* Gives every tensor that is stored in between a place. */
gal_status gali_program_place(gali_program *program, gal_error *error);

#endif
