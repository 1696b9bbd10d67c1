/*
 * The graph: a network as tensor operators (ops.def), for any number of characters within a range.
 *
 * Nodes stand in an order in which each uses earlier ones only; a node is one operator and its one value. Shapes
 * are known but for C, the number of characters, which stays a symbol. The text form (docs/compiler.md) prints and
 * parses everything but the constants' values: a failing case is a text file.
 *
 * Memory is the arena's. Passes make a new graph or change nodes in place; data of constants is never changed.
 */
#ifndef GALI_COMPILER_NET_NET_H
#define GALI_COMPILER_NET_NET_H

#include "gallop/network.h"
#include "graph/arena.h"
#include "graph/text.h"
#include "kernels/kernels.h"

enum {
    GALI_NET_RANK_MAX = 3,
    GALI_NET_OPERANDS_MAX = 16,
    GALI_NET_NODES_MAX = 4096,
    GALI_NET_NAME_MAX = 31,
    GALI_NET_CHARACTERS_MAX = 1024,
    GALI_NET_DIMENSION_MAX = 1 << 24,
};

#define GALI_NET_NO_NODE 0xffffffffu /* an index of no node */

/* A dimension: a number, or the symbol C; ANY is for messages and rules alone. */
typedef uint32_t gali_net_dimension;
#define GALI_NET_DIMENSION_C 0u
#define GALI_NET_DIMENSION_ANY 0xffffffffu

typedef enum gali_net_element {
    GALI_NET_F32,
    GALI_NET_U32,
    GALI_NET_BLEND,
    GALI_NET_ELEMENT_COUNT
} gali_net_element;

/* f32[C, 231]; blend[C, S, E]: for each character S pairs of expert (of E, ascending) and coefficient. */
typedef struct gali_net_type {
    gali_net_element element;
    uint32_t rank; /* 1..GALI_NET_RANK_MAX */
    gali_net_dimension shape[GALI_NET_RANK_MAX];
} gali_net_type;

typedef enum gali_net_op {
#define OP(name, least, most, rule, attributes, meaning) GALI_NET_OP_##name,
#include "compiler/net/ops.def"
#undef OP
    GALI_NET_OP_COUNT
} gali_net_op;

typedef enum gali_net_attribute {
#define ATTRIBUTE(name, kind, meaning) GALI_NET_ATTRIBUTE_##name,
#include "compiler/net/attributes.def"
#undef ATTRIBUTE
    GALI_NET_ATTRIBUTE_COUNT
} gali_net_attribute;

typedef struct gali_net_node {
    gali_net_op op;
    const char *name; /* of its value: a letter, then letters, digits and _; unique in the graph */
    uint32_t operand_count;
    uint32_t operands[GALI_NET_OPERANDS_MAX]; /* earlier nodes */
    uint32_t attributes[GALI_NET_ATTRIBUTE_COUNT];
    gali_net_type type;
    const void *data; /* a constant's values, float or uint32_t; NULL: not known (a parsed graph) */
} gali_net_node;

typedef struct gali_net {
    gali_arena *arena;
    uint32_t least, most;   /* characters, 1 <= least <= most <= GALI_NET_CHARACTERS_MAX */
    uint32_t count, output; /* output: the node whose value is y, or GALI_NET_NO_NODE */
    gali_net_node *nodes;   /* [GALI_NET_NODES_MAX] */
} gali_net;

/* What ops.def says of an operator. */
typedef struct gali_net_op_facts {
    const char *name;
    uint32_t least, most;
    /* *type of the node's value from its operands' types; an error names the node and the rule broken. */
    gal_status (*rule)(const gali_net *graph, const gali_net_node *node, gali_net_type *type, gal_error *error);
    uint32_t attributes; /* bit per gali_net_attribute */
    const char *meaning;
} gali_net_op_facts;

extern const gali_net_op_facts gali_net_op_list[GALI_NET_OP_COUNT];

/* An empty graph in the arena; NULL (and the arena failed) without memory. */
gali_net *gali_net_make(gali_arena *arena, uint32_t least, uint32_t most);

/* Appends a node with the type that its rule gives (for input and constant: node->type). Returns its index, or
 * GALI_NET_NO_NODE with an error. The name is copied; NULL: one is made of the operator and the index. */
uint32_t gali_net_add(gali_net *graph, const gali_net_node *node, gal_error *error);

/* The node of that name, size bytes long; GALI_NET_NO_NODE if there is none. */
uint32_t gali_net_find(const gali_net *graph, const char *name, size_t size);

/* How many operands are the node's value, the output counted. */
uint32_t gali_net_uses(const gali_net *graph, uint32_t node);

/* Checks everything that this header and ops.def promise; the error names the node. */
gal_status gali_net_verify(const gali_net *graph, gal_error *error);

/* The text form. */
void gali_net_print(const gali_net *graph, gali_text *text);

/* size bytes of text as a verified graph in the arena; errors name the line. Constants have no values. */
gal_status gali_net_parse(gali_net **out, const char *text, size_t size, gali_arena *arena, gal_error *error);

int gali_net_type_equal(const gali_net_type *a, const gali_net_type *b);
void gali_net_type_print(const gali_net_type *type, gali_text *text);

/* Values of a type without C, of element f32 or u32; GALI_SIZE_BAD if that overflows. */
size_t gali_net_type_count(const gali_net_type *type);

#endif
