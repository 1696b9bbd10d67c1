/*
 * The graph: any network as tensor operators (ops.def). Importers fill it, recognition rewrites it, the compiler makes
 * C of it.
 *
 *     value   a tensor: element type, shape of extents; made by a node, given, or a constant
 *     node    an operator with its operands and results, which are values, and its attributes
 *     body    a graph inside a node (If, Loop, Scan). It is closed: what it uses of outside are operands of the node
 *
 * Nodes stand in an order in which each uses earlier values only. A value has one maker. Operators are those of the
 * newest supported opset of ONNX, under its names, and our own in lower case; what older opsets say otherwise, importers
 * bring to that form. An operand that is not given is GALI_NONE.
 *
 * Everything lives in the arena that the graph was made in. Data of constants is never changed, and may be the file's:
 * little-endian, unaligned.
 */
#ifndef GALI_GRAPH_GRAPH_H
#define GALI_GRAPH_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "gallop/base.h"
#include "graph/element.h"
#include "graph/extent.h"

enum {
    GALI_RANK_MAX = 8,
    GALI_GRAPH_NODES_MAX = 200000, /* of a graph and its bodies */
    GALI_GRAPH_VALUES_MAX = 400000,
    GALI_GRAPH_DEPTH_MAX = 16,   /* bodies in bodies */
    GALI_GRAPH_KNOWN_MAX = 1024, /* integers of a value that extents are known for */
};

#define GALI_NONE 0xffffffffu

typedef struct gali_type {
    gali_element element;
    int rank; /* 0..GALI_RANK_MAX; -1: not known yet */
    gali_extent shape[GALI_RANK_MAX];
} gali_type;

typedef enum gali_op {
#define OP(name, family, ...) GALI_OP_##name,
#include "graph/ops.def"
#undef OP
    GALI_OP_COUNT
} gali_op;

/* How results lie over operands (DNNFusion, table 3.2): whether to fuse. */
typedef enum gali_mapping {
    GALI_ONE_TO_ONE,
    GALI_ONE_TO_MANY,
    GALI_MANY_TO_MANY,
    GALI_REORGANIZE,
    GALI_SHUFFLE,
    GALI_OPAQUE, /* no expression: a function of its own */
} gali_mapping;

/*
 * What the shape of a result follows from: the four classes of SOD2 (Niu 2023, section 5.3), from the least dynamic on.
 * Its table 5.2 has ConstantOfShape in the first; here the shape that it reads is an element of an operand, so the third.
 */
typedef enum gali_dynamism {
    GALI_ALL_FROM_SHAPE, /* from operands' shapes, and its elements do, too (Shape) */
    GALI_FROM_SHAPE,     /* from operands' shapes (Conv) */
    GALI_FROM_VALUE,     /* from elements of some operand, too (Reshape) */
    GALI_FROM_RUN,       /* from the result itself: known when it has been computed (NonZero) */
} gali_dynamism;

typedef enum gali_attribute_kind {
    GALI_INT,
    GALI_NUMBER,
    GALI_INTS,
    GALI_NUMBERS,
    GALI_WORD
} gali_attribute_kind;

typedef struct gali_attribute {
    const char *name;
    gali_attribute_kind kind;
    uint32_t count;      /* 1 but for lists; of a word its bytes */
    const int64_t *ints; /* of a node: numbers that extents may be (gali_extent_of) */
    const double *numbers;
    const char *word; /* terminated */
} gali_attribute;

struct gali_graph;

/* What a node's shapes demand of extents that are not known to be the same. */
typedef enum gali_demand_kind {
    GALI_DEMAND_SAME, /* a is b */
    GALI_DEMAND_FITS, /* a is b, or one of them is 1: they are broadcast */
    GALI_DEMAND_MOST, /* a is b at most */
    GALI_DEMAND_RANK, /* operand `operand`, whose rank is not known, has rank a */
} gali_demand_kind;

typedef struct gali_demand {
    gali_demand_kind kind;
    uint32_t operand;
    gali_extent a, b;
    const struct gali_demand *next;
} gali_demand;

typedef struct gali_node {
    gali_op op;
    const char *name; /* of the file, for messages and emitted code; may be empty */
    uint32_t source;  /* one more than its number in the file, for messages; 0: it is the graph's own */
    uint32_t operand_count, result_count, attribute_count, body_count;
    uint32_t *operands, *results;
    gali_attribute *attributes;
    struct gali_graph **bodies; /* If: then, else; Loop, Scan: one */
    const gali_demand *demands; /* by inference, as types are; NULL: none */
} gali_node;

typedef struct gali_value {
    const char *name; /* for people: of the file, UTF-8; may be empty, or another value's too */
    gali_type type;
    uint32_t node;    /* its maker, or GALI_NONE: given, or a constant */
    const void *data; /* a constant's elements, row-major; NULL: no constant */
    /* elements of a small tensor of integers as extents, row-major; NULL: not known */
    const gali_extent *known;
    /* elements of a small tensor of reals that follow from numbers, or, once asked for, of a constant; NULL: not known */
    const double *reals;
    /* where a rule wants them and nobody knows them: a symbol for each that is not known, which only running
     * tells. Then `known` is the same; NULL: none does */
    const gali_extent *told;
} gali_value;

/* A size of inputs that follows from others: the node demands it (propagate.h). */
typedef struct gali_found_size {
    uint32_t symbol; /* which no type has any more */
    gali_extent is;
    uint32_t node;
    const struct gali_found_size *next;
} gali_found_size;

typedef struct gali_graph {
    gali_arena *arena;
    gali_extents *extents; /* shared with bodies */
    uint32_t depth;        /* 0; of a body one more than the graph that it is in */
    uint32_t node_count, node_capacity, value_count, value_capacity, input_count, output_count;
    gali_node *nodes;
    gali_value *values;
    uint32_t *inputs, *outputs; /* values */
    const gali_found_size *found;
} gali_graph;

/* ---- operators ---- */

struct gali_rule;
struct gali_run;
struct gali_tensor;
struct gali_express;

typedef struct gali_op_facts {
    const char *name, *family;
    uint32_t least, most;                 /* operands */
    uint32_t results_least, results_most; /* results */
    gali_mapping mapping;
    gali_dynamism dynamism;
    gal_status (*rule)(struct gali_rule *rule); /* rule.h */
    gal_status (*truth)(struct gali_run *run, const gali_node *node, const struct gali_tensor *const *operands,
                        struct gali_tensor *results); /* evaluate.h */
    void (*express)(struct gali_express *x);          /* express.h; NULL: none */
    const char *attributes; /* "axis:int=0 perm:ints? mode:word=constant": kind, default; ? none is allowed */
    const char *meaning;
} gali_op_facts;

extern const gali_op_facts gali_op_list[GALI_OP_COUNT];

/* GALI_OP_COUNT if there is none of that name, size bytes long. */
gali_op gali_op_find(const char *name, size_t size);

/* ---- making: without memory the arena fails, and what is returned is NULL or GALI_NONE ---- */

gali_graph *gali_graph_make(gali_arena *arena);

/* An empty body for a node of the graph. */
gali_graph *gali_graph_body(const gali_graph *graph);

/* A value of that type (of rank -1 if not known); the name is copied. */
uint32_t gali_graph_value(gali_graph *graph, const char *name, const gali_type *type);

/* A constant, whose data stays the caller's; integers of up to GALI_GRAPH_KNOWN_MAX become known. */
uint32_t gali_graph_constant(gali_graph *graph, const char *name, const gali_type *type, const void *data);

void gali_graph_input(gali_graph *graph, uint32_t value);
void gali_graph_output(gali_graph *graph, uint32_t value);

/* Appends a node; arrays of *node and its attributes are copied, results get it as their maker. Returns its index. */
uint32_t gali_graph_node(gali_graph *graph, const gali_node *node);

/* ---- asking ---- */

/* "node 3 "name" (Op)", by the file's number where it has one: for messages, in the arena. */
const char *gali_node_place(const gali_graph *graph, const gali_node *node);

/* The node's attribute or NULL; then, of ints, numbers and words, the node's or else the default of ops.def. */
const gali_attribute *gali_node_attribute(const gali_node *node, const char *name);
int64_t gali_node_int(const gali_node *node, const char *name);
double gali_node_number(const gali_node *node, const char *name);
/* Of a default, what is behind it in the row follows: to compare, ask gali_node_is. */
const char *gali_node_word(const gali_node *node, const char *name);
/* Whether two nodes were given the same attributes. */
int gali_node_has_same_attributes(const gali_node *a, const gali_node *b);
/* Whether the word is that one. */
int gali_node_is(const gali_node *node, const char *name, const char *word);

/* Elements of a shape of numbers; GALI_EXTENT_UNKNOWN, GALI_EXTENT_BAD, or an expression. */
gali_extent gali_type_count(gali_extents *extents, const gali_type *type);
int gali_type_equal(const gali_type *a, const gali_type *b);
void gali_type_print(const gali_extents *extents, const gali_type *type, gali_text *text); /* f32[batch, 64] */

/* Element i of a constant as a double or an int64 (reals are cut). */
double gali_constant_real(const gali_value *constant, size_t i);
int64_t gali_constant_whole(const gali_value *constant, size_t i);
/*
 * The elements of at most GALI_GRAPH_KNOWN_MAX reals that are constant or follow from what is, in the arena, where the value
 * keeps them: many nodes may ask. NULL if they do not.
 */
const double *gali_value_reals(const gali_graph *graph, gali_value *value);

/* ---- the whole ---- */

/* Checks what this header and ops.def promise; the error names the node. */
gal_status gali_graph_verify(const gali_graph *graph, gal_error *error);

/* Types and known integers of all values from those of inputs and constants, node by node (rule.h). The error names the node. */
gal_status gali_graph_infer(gali_graph *graph, gal_error *error);

/* The same of one node, whose operands have theirs. */
gal_status gali_graph_infer_node(gali_graph *graph, uint32_t node, gal_error *error);

/*
 * The text form (docs/graph.md). Values are numbered anew, in the order of the text; constants of up to 16 elements are
 * printed with their elements, others without.
 */
void gali_graph_print(const gali_graph *graph, gali_text *text);

/* size bytes of text as a verified graph, whose types are the text's; errors name the line. Constants without elements are 0. */
gal_status gali_graph_parse(gali_graph **out, const char *text, size_t size, gali_arena *arena,
                            gal_error *error);

#endif
