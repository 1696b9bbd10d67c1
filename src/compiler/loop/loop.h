/*
 * The loop IR: one function of loops over buffers, as near to C as a schedule needs and no nearer.
 *
 *     loop doubled(characters in 1..64) {
 *       input x[characters][1032]
 *       output y[characters][1032]
 *       for c in characters {
 *         for n.o in 17 {
 *           let n.first = first(65, 17, n.o)
 *           let n.size = size(65, 17, n.o) in 3..4 cases
 *           local sum[4][16]
 *           for n.i in n.size unroll {
 *             sum[n.i][0:16] = mul(x[c][16*n.first + 16*n.i:16], 2)
 *           }
 *           for n.i in n.size unroll {
 *             y[c][16*n.first + 16*n.i:16] = sum[n.i][0:16]
 *           }
 *         }
 *       }
 *     }
 *
 *     loop pooled(batch in 1..8, length in 1..512) dense {
 *       size rows = product(batch, length)
 *       input ids[rows]: i64
 *       constant table[30522][64]: f16
 *       output y[rows][64]
 *       for r in rows {
 *         let id = clamp(ids[r], 0, 30521)
 *         for k in 64 {
 *           y[r][k] = add(table[id][k], table[id][?k - 1] else 0)
 *         }
 *       }
 *     }
 *
 * Variables are integers that are never negative: symbols (the function's parameters), sizes, which are lets that
 * extents of buffers may name, loop variables and lets. An index, an extent and a bound is constant + sum of
 * scale * variable, where constants and scales may be negative; what is not affine gets its own variable by a let.
 *
 * Values are trees of ops.def over loads, each of one element (graph/elements.def): f16 and bf16 are storage, a load
 * makes an f32 of them and a store rounds; all else is computed in what it is stored in. An access [.., i:L] is L
 * elements from i of the last dimension; elements past its end are neither read (they are 0) nor written, so a last vector
 * may be partial. A store to [.., i:N/L] is of the first N of L lanes, all of them before the end. Only float32 has lanes,
 * and truth values that come of comparing it; of the operations those that have a word in vectors. What has no load of
 * several elements is the same in all lanes, and may be of any kind.
 *
 * An index marked `?` may leave its dimension (of several elements none of the last): then a load is what stands behind `else`, and a store does nothing.
 *
 * A view has rows, of a constant number of elements, that lie in a parameter: `point row[r][0] at x[n][?i][0]` makes row r
 * the elements from there on, and zeros where a marked index leaves its dimension. So sums over a window's row have no test
 * inside of them:
 *
 *     loop window(length in 1..32) dense {
 *       input x[length][64]
 *       constant weights[3][64]
 *       output y[length]
 *       for i in length {
 *         local sum
 *         sum = 0
 *         for k in 3 {
 *           view row[1][64]
 *           point row[0][0] at x[?i + k - 1][0]
 *           for c in 64 {
 *             sum = fma(row[0][c], weights[k][c], sum)
 *           }
 *         }
 *         y[i] = sum
 *       }
 *     }
 *
 * A dimension that does not divide is cut into nearly equal parts: part i of `count` of `total` starts at
 * first(total, count, i) = total i / count, rounded up, and ends where the next one starts. A let marked `cases` has
 * so few values that all that follows it is meant to be compiled once for each; a lookup's range is the caller's word.
 *
 * Invariant (gali_loop_verify): a name is used inside the block that made it, elements, ranks and lanes agree, no
 * variable is negative, and no index but a marked one leaves its dimension for any value of the symbols. Everything
 * lives in the arena that it was made in.
 */
#ifndef GALI_COMPILER_LOOP_LOOP_H
#define GALI_COMPILER_LOOP_LOOP_H

#include "gallop/base.h"
#include "graph/arena.h"
#include "graph/element.h"
#include "graph/text.h"

enum {
    GALI_LOOP_NAME_MAX = 32, /* bytes of a name, terminator included */
    GALI_LOOP_RANK_MAX = 8,
    GALI_LOOP_TERMS_MAX = 8,
    GALI_LOOP_VARIABLES_MAX = 384,
    GALI_LOOP_BUFFERS_MAX = 64,
    GALI_LOOP_DEPTH_MAX = 64,       /* of nested blocks, and of a value's tree */
    GALI_LOOP_EXTENT_MAX = 1 << 28, /* of a dimension, a loop, a scale */
    GALI_LOOP_LANES_MAX = 64,       /* elements of one access */
    GALI_LOOP_VIEW_MAX = 4096,      /* elements of a view's row: as many zeros as there are */
    GALI_LOOP_CASES_MAX = 64,       /* values of a let marked so */
};

/* A named integer. */
typedef struct gali_loop_variable {
    char name[GALI_LOOP_NAME_MAX];
    uint32_t id;          /* its place in the function's list */
    uint32_t least, most; /* declared range of a symbol, of cases and of a lookup, inclusive; else 0, 0 */
} gali_loop_variable;

typedef struct gali_loop_term {
    int64_t scale; /* not 0 */
    const gali_loop_variable *variable;
} gali_loop_term;

/* constant + sum of scale * variable. */
typedef struct gali_loop_index {
    int64_t constant;
    uint32_t count;
    gali_loop_term term[GALI_LOOP_TERMS_MAX];
} gali_loop_index;

typedef enum gali_loop_role {
    GALI_LOOP_INPUT,    /* of the caller */
    GALI_LOOP_CONSTANT, /* known when compiled: float32 may be laid out anew */
    GALI_LOOP_OUTPUT,
    GALI_LOOP_TEMPORARY, /* memory that the caller lends; it holds nothing before and after */
    GALI_LOOP_LOCAL,     /* made by a statement, gone with its block */
    GALI_LOOP_VIEW,      /* the same, but its rows are pointed at */
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
    gali_element element;
    uint32_t rank;
    gali_loop_index extent[GALI_LOOP_RANK_MAX]; /* the canonical form, which a caller has */
    uint32_t packed_rank;                       /* 0: as it is; else accesses go by the layout */
    gali_loop_packed packed[GALI_LOOP_RANK_MAX];
} gali_loop_buffer;

/* Elements of a buffer: `lanes` of them along the last dimension. */
typedef struct gali_loop_access {
    const gali_loop_buffer *buffer;
    uint32_t lanes;
    uint32_t first;  /* > 0: of a store, so many of the lanes alone, the first */
    uint32_t tested; /* bits of the dimensions whose index may leave them */
    gali_loop_index index[GALI_LOOP_RANK_MAX];
} gali_loop_access;

/* GALI_VALUE_NONE + a is activation a of the kernels. */
typedef enum gali_loop_op {
#define OP(id, name, arity, kinds, result, vector, plain, meaning) GALI_VALUE_##id,
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
    gali_element element;                     /* never f16 or bf16 */
    const struct gali_loop_value *operand[3]; /* of a load with marked indices: [0] stands behind `else` */
    union {
        double real;           /* CONSTANT of a real */
        int64_t whole;         /* CONSTANT of an integer or a truth value */
        gali_loop_index at;    /* AT */
        gali_loop_access load; /* LOAD: scalar in a statement of several lanes: the same in all */
    };
} gali_loop_value;

typedef enum gali_loop_kind {
    GALI_LOOP_FOR,
    GALI_LOOP_LET, /* seen by the rest of the block */
    GALI_LOOP_MAKE,
    GALI_LOOP_STORE,
    GALI_LOOP_CALL,
    GALI_LOOP_POINT, /* the row `to` of a view is the row of `from` from there on, or zeros where that is outside */
} gali_loop_kind;

typedef enum gali_loop_let {
    GALI_LOOP_QUOTIENT,  /* a / b, rounded down; a >= 0 */
    GALI_LOOP_REMAINDER, /* a % b; a >= 0 */
    GALI_LOOP_ROUNDS,    /* a / b, rounded up; a >= 0 */
    GALI_LOOP_FIRST,     /* of part c of b of a */
    GALI_LOOP_SIZE,      /* of part c of b of a */
    GALI_LOOP_LOOKUP,    /* an element of a buffer of integers */
    GALI_LOOP_PRODUCT,   /* a b */
    GALI_LOOP_SUM,       /* a: an index by a name */
    GALI_LOOP_LEAST,     /* the smaller of a and b */
    GALI_LOOP_MOST,      /* the larger of a and b */
    GALI_LOOP_CLAMP,     /* a value of integers, made a if it is less and b if it is more; a <= b */
    GALI_LOOP_LET_COUNT
} gali_loop_let;

/* How a loop is meant to be compiled; never what it computes. */
typedef enum gali_loop_mark {
    GALI_LOOP_PLAIN,
    GALI_LOOP_UNROLL,   /* by `factor`, 0: wholly */
    GALI_LOOP_PARALLEL, /* the caller may run any range of it; all that are so marked have one extent */
    GALI_LOOP_ITEM, /* its turns may run at once; those around it are so marked, too, and hold nothing else */
    /* of 4 turns, around one of 4: a square of numbers that is read by rows and stored by columns, or the other way; C in
     * vectors has a word for it, where it is that (print_c_transpose.c) */
    GALI_LOOP_TRANSPOSE,
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
    /* STORE and POINT */
    gali_loop_access to;
    gali_loop_access from;        /* POINT: of f32, marked indices allowed in all dimensions but the last */
    const gali_loop_value *value; /* and of LET by GALI_LOOP_CLAMP */
    /* CALL */
    gali_loop_tile tile;
} gali_loop_statement;

typedef struct gali_loop_function {
    char name[GALI_LOOP_NAME_MAX];
    gali_arena *arena;
    int dense; /* rows of parameters lie back to back; else those of two dimensions, constants apart, are a
                           stride apart that the caller gives */
    uint32_t symbols;   /* the first of the variables */
    uint32_t variables; /* all, by id */
    gali_loop_variable *variable[GALI_LOOP_VARIABLES_MAX];
    uint32_t parameters; /* the first of the buffers, in the order in which the function takes them */
    uint32_t buffers;
    gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX];
    gali_loop_statement *sizes; /* lets, before the buffers */
    gali_loop_statement *body;
} gali_loop_function;

/* What ops.def says of an operation; arity and kinds of activations, too. */
typedef struct gali_loop_op_facts {
    const char *name;
    uint32_t arity;
    const char *kinds;
    int truth;                  /* the result is a truth value */
    const char *vector, *plain; /* "" where there is none */
} gali_loop_op_facts;

extern const gali_loop_op_facts gali_loop_ops[GALI_VALUE_COUNT];

/* Making (loop.c). NULL where the arena or a limit is at its end: then `arena->failed` is set. */
gali_loop_function *gali_loop_make(gali_arena *arena, const char *name);
gali_loop_variable *gali_loop_add_variable(gali_loop_function *function, const char *name);
gali_loop_buffer *gali_loop_add_buffer(gali_loop_function *function, const char *name, gali_loop_role role);
gali_loop_statement *gali_loop_add_statement(gali_arena *arena, gali_loop_kind kind);

/* Appends a size, let(a, b); b is not looked at where the let has one operand. */
const gali_loop_variable *gali_loop_add_size(gali_loop_function *function, const char *name, gali_loop_let let,
                                             const gali_loop_index *a, const gali_loop_index *b);

/*
 * Values. An operation has the element of its operands, or a truth value (ops.def); whether operands agree is for
 * gali_loop_verify to say.
 *
 *     gali_loop_constant   a float32
 *     gali_loop_real       a real, rounded to its element (f16 and bf16: to f32)
 *     gali_loop_whole      an integer or a truth value
 *     gali_loop_at         an index
 *     gali_loop_load       an element; where access->tested and an index leaves its dimension `otherwise`, else NULL
 *     gali_loop_cast       to another element; to f16 and bf16: rounded to one, as f32
 */
gali_loop_value *gali_loop_constant(gali_arena *arena, float constant);
gali_loop_value *gali_loop_real(gali_arena *arena, gali_element element, double number);
gali_loop_value *gali_loop_whole(gali_arena *arena, gali_element element, int64_t number);
gali_loop_value *gali_loop_at(gali_arena *arena, const gali_loop_index *index);
gali_loop_value *gali_loop_load(gali_arena *arena, const gali_loop_access *access,
                                const gali_loop_value *otherwise);
gali_loop_value *gali_loop_cast(gali_arena *arena, gali_element element, const gali_loop_value *a);
gali_loop_value *gali_loop_apply(gali_arena *arena, gali_loop_op op, const gali_loop_value *a,
                                 const gali_loop_value *b, const gali_loop_value *c);

/* Whether a value is the same in all lanes: it has no load of several. */
int gali_loop_is_uniform(const gali_loop_value *value);

/* Operands of a value: a load's is what stands behind `else`. */
uint32_t gali_loop_arity(const gali_loop_value *value);

/* The element that values have which are stored as `element`: itself, but f32 of f16 and bf16. */
gali_element gali_loop_computed(gali_element element);

/* The operation of that name, "" apart; GALI_VALUE_COUNT if there is none. */
gali_loop_op gali_loop_find_op(const char *name);

gali_loop_index gali_loop_number(int64_t constant);
gali_loop_index gali_loop_of(const gali_loop_variable *variable);

/* The number of an index without terms, which is no negative one: an extent's size. */
static inline uint32_t gali_loop_size(const gali_loop_index *index) {
    return (uint32_t)index->constant;
}

/* to += scale * from; terms that cancel vanish. Returns 0 where that has too many terms or a number of it leaves
 * +-GALI_LOOP_EXTENT_MAX. */
int gali_loop_index_add(gali_loop_index *to, const gali_loop_index *from, int64_t scale);

int gali_loop_index_same(const gali_loop_index *a, const gali_loop_index *b);
int gali_loop_index_uses(const gali_loop_index *index, const gali_loop_variable *variable);

/* scale of the variable, 0 where the index has none of it. */
int64_t gali_loop_index_scale(const gali_loop_index *index, const gali_loop_variable *variable);

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

/* A loop that is marked parallel; NULL: there is none. */
const gali_loop_statement *gali_loop_parallel(const gali_loop_statement *block);

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
