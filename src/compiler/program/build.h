/* Making a program's tensors, stages and steps, node by node: what build.c, known.c, control.c and call.c share. */
#ifndef GALI_COMPILER_PROGRAM_BUILD_H
#define GALI_COMPILER_PROGRAM_BUILD_H

#include "compiler/program/program.h"

typedef struct gali_builder {
    gali_program *program;
    gal_error *error;
    uint32_t block; /* that stages and steps are put into */
    uint32_t tensor_capacity, stage_capacity, step_capacity, block_capacity, node_capacity, told_capacity;
} gali_builder;

/* A graph, or a body, that is being built. */
typedef struct gali_scope {
    const gali_graph *graph;
    uint32_t *tensor; /* [value_count] */
    uint32_t first;   /* the program's number of its first node */
} gali_scope;

/* All nodes of a graph whose inputs have their tensors; makes those of the other values. */
gal_status gali_program_add_graph(gali_builder *b, gali_scope *scope, const uint32_t *inputs);

/* Whether all operands of a node without bodies are constants; whether all its results are. */
int gali_program_is_constant(const gali_builder *b, const gali_scope *scope, const gali_node *node);
int gali_program_is_known(const gali_builder *b, const gali_scope *scope, const gali_node *node);

/* Makes the value's tensor a constant where all its integers are known: it needs no node. */
gal_status gali_program_take_known(gali_builder *b, const gali_graph *graph, const gali_value *v,
                                   uint32_t tensor);

/* Computes a node whose operands are constants: its results are, too. */
gal_status gali_program_fold(gali_builder *b, const gali_scope *scope, const gali_node *node);

/* If, Loop, Scan, RNN, GRU or LSTM, whose results have their tensors. */
gal_status gali_program_add_control(gali_builder *b, const gali_scope *scope, const gali_node *node);

/* Whether the node is a call, and the call; its results' sizes are told by it. */
int gali_program_is_call(const gali_graph *graph, const gali_node *node);
gal_status gali_program_add_call(gali_builder *b, const gali_scope *scope, const gali_node *node);

gal_status gali_program_add_tensor(gali_builder *b, const gali_program_tensor *tensor, uint32_t *number);
gal_status gali_program_add_stage(gali_builder *b, const gali_program_stage *stage);
/* before and block are the builder's. */
gal_status gali_program_add_step(gali_builder *b, const gali_program_step *step);

/* to[..] = from[..], of the same shape; the stage makes `to`. perm: axis i of `to` is axis perm[i] of `from`; NULL: i. */
gal_status gali_program_add_copy(gali_builder *b, uint32_t to, uint32_t from, const uint32_t *perm);

/* A tensor of that type inside of home's memory, at its row. */
gal_status gali_program_add_inside(gali_builder *b, const char *name, const gali_type *type, uint32_t home,
                                   gali_extent row, uint32_t *number);

/* What follows runs behind what went before: it uses memory as another tensor (home), which no reading tells. */
gal_status gali_program_add_fence(gali_builder *b);

/* A block inside of the parent; the builder is in it from here on. */
gal_status gali_program_add_block(gali_builder *b, uint32_t parent, int repeats);

/* Who tells a symbol, if no one did so far. */
gal_status gali_program_tell(gali_builder *b, uint32_t symbol, gali_told by);

/* symbol = extent, from here on. */
gal_status gali_program_add_size(gali_builder *b, uint32_t symbol, gali_extent extent);

/* Steps may read it from here on: it is stored whatever is fused. */
void gali_program_keep(gali_builder *b, uint32_t tensor);

gal_status gali_program_no_memory(gali_builder *b);

#endif
