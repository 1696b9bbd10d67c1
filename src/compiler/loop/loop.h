/*
 * The loop IR: one function of loops over float32 buffers, as near to C as a schedule needs and no nearer.
 *
 *     loop dense(characters in 1..64)
 *       constant weights[4][913][1032] as [2*16: 65/17][0: 4][1: 913][2*16: part][2: 16]
 *       input x[characters][912]
 *       output y[characters][1032]
 *     for n.o in 17 {
 *       let n.first = first(65, 17, n.o)
 *       let n.size = size(65, 17, n.o) in 3..4 cases
 *       local sum[4][16]
 *       for n.i in n.size unroll {
 *         sum[n.i][0:16] = 0
 *       }
 *       ...
 *
 * Everything is an integer or a float32. Integers are variables: symbols (the function's parameters), loop variables
 * and lets; an index, an extent and a bound is constant + sum of scale * variable, and what is not affine gets its
 * own variable by a let. Floats are values: trees of ops.def over loads. An access [.., i:L] is L elements from i of
 * the last dimension; elements past its end are neither read (they are 0) nor written, so a last vector may be partial.
 *
 * A dimension that does not divide is cut into nearly equal parts: part i of `count` of `total` starts at
 * first(total, count, i) = total i / count, rounded up, and ends where the next one starts. A let marked `cases` has
 * so few values that all that follows it is meant to be compiled once for each; a lookup's range is the caller's word.
 *
 * Invariant (gali_loop_verify): a name is used inside the block that made it, ranks and lanes agree, and no index
 * leaves its dimension for any value of the symbols. Everything lives in the arena that it was made in.
 */
#ifndef GALI_COMPILER_LOOP_LOOP_H
#define GALI_COMPILER_LOOP_LOOP_H

#include "gallop/base.h"
#include "graph/arena.h"
#include "graph/text.h"

enum {
    GALI_LOOP_NAME_MAX = 32, /* bytes of a name, terminator included */
    GALI_LOOP_RANK_MAX = 6,
    GALI_LOOP_TERMS_MAX = 6,
    GALI_LOOP_VARIABLES_MAX = 128,
    GALI_LOOP_BUFFERS_MAX = 48,
    GALI_LOOP_DEPTH_MAX = 40,       /* of nested blocks, and of a value's tree */
    GALI_LOOP_EXTENT_MAX = 1 << 20, /* of a dimension, a loop, a scale */
    GALI_LOOP_LANES_MAX = 64,       /* elements of one access */
    GALI_LOOP_CASES_MAX = 64,       /* values of a let marked so */
};

/* A named integer. */
typedef struct gali_loop_variable {
    char name[GALI_LOOP_NAME_MAX];
    uint32_t id;          /* its place in the function's list */
    uint32_t least, most; /* declared range of a symbol, of cases and of a lookup, inclusive; else 0, 0 */
} gali_loop_variable;

typedef struct gali_loop_term {
    uint32_t scale;
    const gali_loop_variable *variable;
} gali_loop_term;

/* constant + sum of scale * variable. */
typedef struct gali_loop_index {
    uint32_t constant, count;
    gali_loop_term term[GALI_LOOP_TERMS_MAX];
} gali_loop_index;

typedef enum gali_loop_role {
    GALI_LOOP_INPUT,    /* floats of the caller, rows `stride` apart */
    GALI_LOOP_CONSTANT, /* floats known when compiled: may be laid out anew */
    GALI_LOOP_INTEGERS, /* uint32 of the caller */
    GALI_LOOP_OUTPUT,
    GALI_LOOP_LOCAL, /* made by a statement, gone with its block */
} gali_loop_role;

/* A dimension of a constant's layout: it walks the dimension `of` of the canonical form by steps of `scale`. */
typedef struct gali_loop_packed {
    uint32_t of, scale;
    uint32_t extent; /* elements; for parts their number; for the inner part the largest part */
    uint32_t total;  /* > 0: the parts of so many, nearly equal and back to back: the layout is ragged */
    int part;        /* inside of the dimension with `total`: as many as the part has */
} gali_loop_packed;

typedef struct gali_loop_buffer {
    char name[GALI_LOOP_NAME_MAX];
    uint32_t id;
    gali_loop_role role;
    uint32_t rank;
    gali_loop_index extent[GALI_LOOP_RANK_MAX]; /* the canonical form, which a caller has */
    uint32_t packed_rank;                       /* 0: as it is; else accesses go by the layout */
    gali_loop_packed packed[GALI_LOOP_RANK_MAX];
} gali_loop_buffer;

/* Elements of a buffer: `lanes` of them along the last dimension. */
typedef struct gali_loop_access {
    const gali_loop_buffer *buffer;
    uint32_t lanes;
    gali_loop_index index[GALI_LOOP_RANK_MAX];
} gali_loop_access;

/* GALI_VALUE_NONE + a is activation a of the kernels. */
typedef enum gali_loop_op {
#define OP(id, name, arity, meaning) GALI_VALUE_##id,
#include "compiler/loop/ops.def"
#undef OP
#define ACTIVATION(id, name, onnx, formula) GALI_VALUE_##id,
#define ROW_ACTIVATION(id, name, onnx, formula)
#include "kernels/activations.def"
#undef ACTIVATION
    GALI_VALUE_COUNT
} gali_loop_op;

typedef struct gali_loop_value {
    gali_loop_op op;
    float constant;
    gali_loop_access load; /* scalar in a statement of several lanes: the same in all */
    const struct gali_loop_value *operand[3];
} gali_loop_value;

typedef enum gali_loop_kind {
    GALI_LOOP_FOR,
    GALI_LOOP_LET, /* seen by the rest of the block */
    GALI_LOOP_MAKE,
    GALI_LOOP_STORE,
    GALI_LOOP_CALL,
} gali_loop_kind;

typedef enum gali_loop_let {
    GALI_LOOP_QUOTIENT,  /* a / b, rounded down */
    GALI_LOOP_REMAINDER, /* a % b */
    GALI_LOOP_ROUNDS,    /* a / b, rounded up */
    GALI_LOOP_FIRST,     /* of part c of b of a */
    GALI_LOOP_SIZE,      /* of part c of b of a */
    GALI_LOOP_LOOKUP,    /* an element of a buffer of integers */
    GALI_LOOP_LET_COUNT
} gali_loop_let;

/* How a loop is meant to be compiled; never what it computes. */
typedef enum gali_loop_mark {
    GALI_LOOP_PLAIN,
    GALI_LOOP_UNROLL,   /* by `factor`, 0: wholly */
    GALI_LOOP_PARALLEL, /* the caller may run any range of it: the outermost loop, all alone */
} gali_loop_mark;

/*
 * An inner kernel over accumulators sum[experts][rows][vectors][lanes]: for all experts e, rows r and vectors v
 *     sum[e][r][v] = 0, then sum[e][r][v] = fma(weights[e][1 + k][v], x[r][k], sum[e][r][v]) for k < inputs, ascending
 * weights[experts][1 + inputs][vectors][lanes] are contiguous. Of a single expert sum may lack that dimension. In C it is
 * emit/body/tile.inc, made of the runtime's own steps.
 */
typedef struct gali_loop_tile {
    gali_loop_access sum, x, weights; /* their first elements */
    gali_loop_index inputs, rows, vectors, experts;
} gali_loop_tile;

typedef struct gali_loop_statement {
    gali_loop_kind kind;
    struct gali_loop_statement *next;
    gali_loop_variable *variable; /* FOR, LET */
    /* FOR */
    gali_loop_index extent;
    gali_loop_mark mark;
    uint32_t factor;
    struct gali_loop_statement *body;
    /* LET */
    gali_loop_let let;
    gali_loop_index operand[3];
    int cases;
    gali_loop_access lookup;
    /* MAKE */
    gali_loop_buffer *local;
    /* STORE */
    gali_loop_access to;
    const gali_loop_value *value;
    /* CALL */
    gali_loop_tile tile;
} gali_loop_statement;

typedef struct gali_loop_function {
    char name[GALI_LOOP_NAME_MAX];
    gali_arena *arena;
    uint32_t symbols;   /* the first of the variables */
    uint32_t variables; /* all, by id */
    gali_loop_variable *variable[GALI_LOOP_VARIABLES_MAX];
    uint32_t parameters; /* the first of the buffers, in the order in which the function takes them */
    uint32_t buffers;
    gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX];
    gali_loop_statement *body;
} gali_loop_function;

/* Making (loop.c). NULL where the arena or a limit is at its end: then `arena->failed` is set. */
gali_loop_function *gali_loop_make(gali_arena *arena, const char *name);
gali_loop_variable *gali_loop_add_variable(gali_loop_function *function, const char *name);
gali_loop_buffer *gali_loop_add_buffer(gali_loop_function *function, const char *name, gali_loop_role role);
gali_loop_statement *gali_loop_add_statement(gali_arena *arena, gali_loop_kind kind);
gali_loop_value *gali_loop_constant(gali_arena *arena, float constant);
gali_loop_value *gali_loop_load(gali_arena *arena, const gali_loop_access *access);
gali_loop_value *gali_loop_apply(gali_arena *arena, gali_loop_op op, const gali_loop_value *a,
                                 const gali_loop_value *b, const gali_loop_value *c);

gali_loop_index gali_loop_number(uint32_t constant);
gali_loop_index gali_loop_of(const gali_loop_variable *variable);

/* to += scale * from. Returns 0 where that has too many terms or leaves 32 bits. */
int gali_loop_index_add(gali_loop_index *to, const gali_loop_index *from, uint32_t scale);

int gali_loop_index_same(const gali_loop_index *a, const gali_loop_index *b);
int gali_loop_index_uses(const gali_loop_index *index, const gali_loop_variable *variable);

/* Dimensions that accesses go by, and the d-th's extent (a ragged part's: the largest). */
uint32_t gali_loop_rank(const gali_loop_buffer *buffer);
gali_loop_index gali_loop_extent(const gali_loop_buffer *buffer, uint32_t d);

/*
 * First element of part `index` of `count` nearly equal parts of `total`; count > 0. The larger ones come early: the
 * first tile of a panel waits for its weights, and hides that the better the more it does with them.
 */
static inline uint32_t gali_loop_first(uint32_t total, uint32_t count, uint32_t index) {
    return (uint32_t)(((uint64_t)total * index + count - 1) / count);
}

/*
 * Floats of a constant as it is laid out, and the laying out of canonical[extent]...: elements that only the layout
 * has are 0. The buffer is a constant whose extents are numbers.
 */
size_t gali_loop_pack_floats(const gali_loop_buffer *buffer);
void gali_loop_pack(const gali_loop_buffer *buffer, const float *canonical, float *packed);

/* The text form, and back. Errors: GAL_BAD_DATA with the line, GAL_NO_MEMORY. A parsed function is verified. */
void gali_loop_print(const gali_loop_function *function, gali_text *text);
gal_status gali_loop_parse(gali_loop_function **out, const char *text, size_t size, gali_arena *arena,
                           gal_error *error);

/* GAL_BAD_DATA, with the statement, if the invariant does not hold. */
gal_status gali_loop_verify(const gali_loop_function *function, gal_error *error);

/* Makes unrolled nests of activations plain loops where that costs nothing (roll.c). */
void gali_loop_roll(gali_loop_function *function);

/* Makes loads that do not change in an innermost nest of unrolled loops once, before it (hoist.c). */
gal_status gali_loop_hoist(gali_loop_function *function, gal_error *error);

#endif
