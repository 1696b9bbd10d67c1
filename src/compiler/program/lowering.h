/*
 * What the files that lower a group share: what is known while its function is made, and what each of them does.
 *
 *     lower.c        the function, its parameters
 *     lower_size.c   extents as indices; bounds of variables, which tell that an index stays inside
 *     lower_value.c  scalars as values
 *     lower_stage.c  stages as loops
 */
#ifndef GALI_COMPILER_PROGRAM_LOWERING_H
#define GALI_COMPILER_PROGRAM_LOWERING_H

#include "compiler/program/lower.h"

enum {
    GALI_LOWER_LETS_MAX = 64,
    GALI_LOWER_SHARED_MAX = 32, /* scalars of one statement that are computed once for several uses */
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
    const gali_loop_value *self;
    gali_loop_statement **tail; /* where the next statement goes */
    gali_lower_shared list[GALI_LOWER_SHARED_MAX];
    gali_lower_known_let let[GALI_LOWER_LETS_MAX]; /* of the statement that is being made */
    uint32_t let_count;
    uint32_t shared_count, names;
    const char *why; /* the first failure */
} gali_lowering;

/* ---- lower.c ---- */

void gali_lower_fail(gali_lowering *l, const char *why);
void gali_lower_append(gali_lowering *l, gali_loop_statement *s);
void gali_lower_name(gali_lowering *l, const char *stem, char name[GALI_LOOP_NAME_MAX]);
const gali_loop_variable *gali_lower_variable(gali_lowering *l, const char *stem);

/* The parameter that a tensor is; NULL: none. */
const gali_loop_buffer *gali_lower_parameter(const gali_lowering *l, uint32_t tensor);

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

const gali_loop_value *gali_lower_value(gali_lowering *l, const gali_scalar *a);

/* to = a, with what it needs before it. */
void gali_lower_store(gali_lowering *l, const gali_loop_access *to, const gali_scalar *a);

/* ---- lower_stage.c ---- */

/* Appends the loops of a stage to the function. */
void gali_lower_stage(gali_lowering *l, const gali_program_stage *stage);

/* Opens a loop; what follows goes inside of it. */
gali_loop_index gali_lower_open(gali_lowering *l, const char *stem, const gali_loop_index *extent);

/* The stage's axis that is dimension d of its tensor in memory; reduced ones come behind them. */
uint32_t gali_lower_axis(const gali_lowering *l, uint32_t d);

/* Loops over the stage's dimensions in memory, and over what it reduces. */
void gali_lower_open_axes(gali_lowering *l, uint32_t first, uint32_t last);

/* The element of the stage's tensor at its axes. */
gali_loop_access gali_lower_result(gali_lowering *l);

#endif
