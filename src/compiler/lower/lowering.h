/*
 * What the files that lower a group share: what is known while its function is made, and what each of them does.
 *
 *     lower.c        the function, its parameters
 *     lower_size.c   extents as indices; bounds of variables, which tell that an index stays inside
 *     lower_value.c  scalars as values
 *     lower_stage.c  stages as loops, number by number
 *     lower_pieces.c stages that are several, one behind the other
 *     lower_vector.c stages in vectors, and what may be
 *     lower_tile.c   sums in register tiles of vectors; tile.h
 *     tile_around.c  which axes go around panels, by what comes from far memory
 *     tile_schedule.c  a tile as a schedule
 *     lower_patterns.c  sums over kernels that pruning left
 *     lower_columns.c, lower_fields.c  between pictures and tiles of those: of columns, in fields
 *     lower_parallel.c  the loop that threads share
 *     lower_lanes.c  sums along the contiguous axis, in partial sums
 *     recorded.c     which schedules a log has for groups
 */
#ifndef GALI_COMPILER_LOWER_LOWERING_H
#define GALI_COMPILER_LOWER_LOWERING_H

#include "compiler/lower/lower.h"

enum {
    GALI_LOWER_LETS_MAX = 64,
    GALI_LOWER_VIEWS_MAX = 4,
    GALI_LOWER_GATHERED_MAX = 8,
    GALI_LOWER_SHARED_MAX = 32, /* scalars of one statement that are computed once for several uses */
    GALI_LOWER_KEPT_MAX = GALI_LOOP_BUFFERS_MAX,
    GALI_LOWER_SYMBOLS_MAX = GALI_EXTENT_ATOMS_MAX * 8,
};

/* What is known of a variable. */
typedef struct gali_lower_bounds {
    const gali_loop_variable *variable;
    int64_t least, most;   /* over all values of the symbols */
    gali_loop_index below; /* variable < below, where affine; else count of terms and constant are 0 */
} gali_lower_bounds;

typedef struct gali_lower_shared {
    const gali_scalar *scalar;
    const gali_loop_value *value;
} gali_lower_shared;

/* A local that a statement keeps a scalar in; later ones may keep another in it. */
typedef struct gali_lower_kept {
    const gali_loop_buffer *local;
    gali_loop_statement *make; /* the last one */
    uint32_t statement;        /* the last that kept something in it */
} gali_lower_kept;

/* How a scalar depends on the axis of the vectors. */
typedef enum gali_lower_lanes {
    GALI_LOWER_SAME,     /* not at all */
    GALI_LOWER_IN_LANES, /* a number for each lane; of loads: contiguous */
    GALI_LOWER_PACKED,   /* a load of a constant that would be, laid out anew */
    GALI_LOWER_NO_LANES,
} gali_lower_lanes;

/* Rows that a load reads, pointed at: load's last dimension in memory is theirs. */
typedef struct gali_lower_view {
    const gali_scalar *load;
    const gali_loop_buffer *buffer; /* [rows][elements] */
    gali_loop_index row;            /* of the statement that is being made */
} gali_lower_view;

/* How far the summed axes are open: those before `axis`, and of it `part` elements from `base` on; part 0: nothing of it. */
typedef struct gali_lower_span {
    uint32_t axis, part;
    gali_loop_index base;
} gali_lower_span;

typedef struct gali_lower_known_let {
    gali_loop_let let;
    gali_loop_index a, b, is;
} gali_lower_known_let;

typedef struct gali_lowering {
    gali_program *p;
    gali_arena *arena;
    gali_lowered *out;
    gali_loop_function *f;
    const gali_program_stage *stage;
    const gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX]; /* of parameter i */
    const gali_loop_variable *symbol[GALI_LOWER_SYMBOLS_MAX];
    struct {
        gali_extent extent;
        gali_loop_index index;
    } sizes[GALI_LOOP_VARIABLES_MAX]; /* extents that were asked for */
    uint32_t size_count;
    gali_lower_bounds bound[GALI_LOOP_VARIABLES_MAX];
    uint32_t bound_count;
    gali_loop_index axis[GALI_AXES_MAX]; /* of the stage */
    uint32_t piece; /* the axis of which the stage is a piece, and where that begins; GALI_NONE: it is whole */
    int64_t piece_first;
    int blocked; /* the stage's sum is taken in blocks */
    gali_sum_blocks blocks;
    uint32_t shared;              /* leading dimensions whose loops all stages of the group share */
    gali_loop_statement **inside; /* where stages stand */
    struct {
        uint32_t axis;
        gali_loop_index below; /* where the axis is a sum of variables: axis < below */
    } known[2];
    uint32_t known_count;
    gali_lower_view view[GALI_LOWER_VIEWS_MAX];
    uint32_t view_count;
    gali_lower_shared gathered[GALI_LOWER_GATHERED_MAX]; /* scalars whose lanes lie in locals */
    uint32_t gathered_count;
    int plain; /* without vectors, which came to nothing */
    int items; /* each element of the group's one stage is an item of a device */
    uint32_t lanes,
        vector; /* of the statement that is being made, and their axis; 1 and GALI_NONE: one number */
    const gali_loop_value *self;
    gali_loop_statement **tail; /* where the next statement goes */
    gali_lower_shared list[GALI_LOWER_SHARED_MAX];
    gali_lower_known_let let[GALI_LOWER_LETS_MAX]; /* of the statement that is being made */
    uint32_t let_count;
    gali_lower_kept kept[GALI_LOWER_KEPT_MAX];
    uint32_t kept_count, statement; /* its number */
    uint32_t counted, reads;        /* loads of that tensor */
    uint32_t shared_count, names;
    const gali_program_stage *largest; /* the sum that the group's schedule is of; NULL: it has none */
    const gali_schedule *schedule;     /* NULL: by rules */
    gali_extent parallel;              /* turns of the loop that the schedule gives to threads; 0: by rule */
    int in_row; /* turns along the last dimension write what later ones write again: threads share none of them */
    char refusal[256]; /* of the schedule */
    const char *why;   /* the first failure */
} gali_lowering;

/* ---- lower.c ---- */

void gali_lower_fail(gali_lowering *l, const char *why);

/* Fails with the schedule's entry `at`, or, behind the last, with all of it; 0. */
int gali_lower_refuse(gali_lowering *l, const gali_schedule *schedule, uint32_t at, const char *message);

/* Tells of the stage, which is the group's largest sum, what does not depend on how it runs (lower.h). */
void gali_lower_tell(gali_lowering *l);

void gali_lower_append(gali_lowering *l, gali_loop_statement *s);

/* to = value; the lowering has failed where that is NULL. */
void gali_lower_put(gali_lowering *l, const gali_loop_access *to, const gali_loop_value *value);

/* What follows goes to the end of a block: out of the loops that were opened since the tail was in it. */
void gali_lower_close(gali_lowering *l, gali_loop_statement **block);

void gali_lower_name(gali_lowering *l, const char *stem, char name[GALI_LOOP_NAME_MAX]);
const gali_loop_variable *gali_lower_variable(gali_lowering *l, const char *stem);

/* A new local [extents[0]][..]; NULL, and the lowering has failed, without memory or past the limit of loops. */
gali_loop_buffer *gali_lower_local(gali_lowering *l, const char *stem, gali_element element, uint32_t rank,
                                   const uint32_t *extents);

/* The parameter that a tensor is; NULL: none. */
const gali_loop_buffer *gali_lower_parameter(const gali_lowering *l, uint32_t tensor);

/* Loads of a tensor in the group's stages. */
uint32_t gali_lower_reads(gali_lowering *l, uint32_t tensor);

/* ---- lower_size.c ---- */

/* NULL: nothing is known. */
gali_lower_bounds *gali_lower_bounds_of(gali_lowering *l, const gali_loop_variable *variable);

/* below: NULL where no affine bound is known. */
void gali_lower_set_bounds(gali_lowering *l, const gali_loop_variable *variable, int64_t least, int64_t most,
                           const gali_loop_index *below);

/* Least and most of an index over all values of its variables. */
void gali_lower_range(gali_lowering *l, const gali_loop_index *index, int64_t *least, int64_t *most);

/* Whether 0 <= index < extent, as far as bounds tell. */
int gali_lower_is_inside(gali_lowering *l, const gali_loop_index *index, const gali_loop_index *extent);

/* The axis is `at`, which is below `below`. */
void gali_lower_set_known(gali_lowering *l, uint32_t axis, gali_loop_index at, const gali_loop_index *below);

/* length / by, rounded up. */
gali_loop_index gali_lower_rounds(gali_lowering *l, const gali_loop_index *length, uint32_t by);

/* An extent as constant + sum of scale * variable, of symbols and sizes. */
gali_loop_index gali_lower_extent(gali_lowering *l, gali_extent extent);

/* Makes the symbols in an extent, to that depth, symbols of the function. */
void gali_lower_add_symbols(gali_lowering *l, gali_extent extent, uint32_t depth);

/* ---- lower_value.c ---- */

/* A let of the statement that is being made, or the same one that it has already. */
gali_loop_index gali_lower_let(gali_lowering *l, gali_loop_let let, gali_loop_index a, gali_loop_index b,
                               int64_t least, int64_t most, const gali_loop_index *below);

/* An integer at the stage's axes as constant + sum of scale * variable; 0 where it is none. */
int gali_lower_affine(gali_lowering *l, const gali_scalar *a, gali_loop_index *out);

/* The same operation in loops. */
gali_loop_op gali_lower_op(gali_scalar_op op);

/* Where a load stands in memory at the statement's axes; 0 where lanes of it may leave their row. */
int gali_lower_access(gali_lowering *l, const gali_scalar *load, gali_loop_access *access);

const gali_loop_value *gali_lower_value(gali_lowering *l, const gali_scalar *a);

/* to = a, with what it needs before it. */
void gali_lower_store(gali_lowering *l, const gali_loop_access *to, const gali_scalar *a);

/* ---- lower_stage.c ---- */

/* Opens the loops that all stages of the group share, `first` the first of them. */
void gali_lower_nest(gali_lowering *l, const gali_program_stage *first, uint32_t count);

/* Appends the loops of a stage to the function. */
void gali_lower_stage(gali_lowering *l, const gali_program_stage *stage);

/* The same of the function's only stage for devices: each element is an item. */
void gali_lower_items(gali_lowering *l, const gali_program_stage *stage);

/* The loops of a stage without a sum, in vectors where it has some. */
void gali_lower_elements(gali_lowering *l);

/* Opens a loop; what follows goes inside of it. */
gali_loop_index gali_lower_open(gali_lowering *l, const char *stem, const gali_loop_index *extent);

/* The stage's axis that is dimension d of its tensor in memory; reduced ones come behind them. */
uint32_t gali_lower_axis(const gali_lowering *l, uint32_t d);

/* Loops over the stage's dimensions in memory, but those that are shared, and over what it reduces. */
void gali_lower_open_axes(gali_lowering *l, uint32_t first, uint32_t last);

/* Opens loops over summed axes until those before `axis` are open and, with a part, so much of it. */
void gali_lower_open_summed(gali_lowering *l, gali_lower_span *open, uint32_t axis, uint32_t part);

/* a + b, of one element. */
const gali_loop_value *gali_lower_added(gali_lowering *l, const gali_loop_access *a, const gali_loop_access *b);

/* The element of the stage's tensor at its axes. */
gali_loop_access gali_lower_result(gali_lowering *l);

/* ---- lower_vector.c ---- */

/* Whether a scalar's value, or an index in it, depends on a stage's axis. */
int gali_lower_uses(const gali_scalar *a, uint32_t axis);

/* Whether an index is step * axis + what does not depend on it. */
int gali_lower_steps(const gali_scalar *a, uint32_t axis, int64_t *step);

gali_lower_lanes gali_lower_load_lanes(const gali_lowering *l, const gali_scalar *load, uint32_t axis);

/* Whether a scalar of f32 can be computed in lanes along the axis; NULL can. */
int gali_lower_has_lanes(const gali_lowering *l, const gali_scalar *a, uint32_t axis);

/* What follows is in lanes of the axis, which starts at `at` and ends before `below`; lanes 1: in numbers again. */
void gali_lower_set_lanes(gali_lowering *l, uint32_t axis, uint32_t lanes, gali_loop_index at,
                          const gali_loop_index *below);

/* The stage, which computes no sum, in vectors; 0 where it has none. */
int gali_lower_vectors(gali_lowering *l);

/* ---- lower_pieces.c ---- */

/* The stage, which computes no sum, in pieces; 0 where it is one. */
int gali_lower_pieces(gali_lowering *l);

/* ---- lower_tile.c ---- */

/* The stage, a sum, in register tiles; 0 where that is not possible. */
int gali_lower_tile(gali_lowering *l);

/* ---- lower_parallel.c ---- */

/* Marks the loop of the function, which is made of that many stages, that threads may share. */
void gali_lower_parallel(gali_lowering *l, uint32_t stages);

/* ---- lower_patterns.c ---- */

/* The stage, which has patterns; 0 where it is lowered as any other. */
int gali_lower_patterns(gali_lowering *l);

/* ---- lower_lanes.c ---- */

/* The stage, whose sum is parted. */
void gali_lower_parts(gali_lowering *l);

#endif
