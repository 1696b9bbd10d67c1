/* RNN, GRU and LSTM: what their nodes say, and the same as graphs of other operators. */
#ifndef GALI_GRAPH_OPS_RECURRENT_H
#define GALI_GRAPH_OPS_RECURRENT_H

#include "graph/graph.h"

/* Operands; from B on they may be left out. */
enum {
    GALI_RECURRENT_X,
    GALI_RECURRENT_W,
    GALI_RECURRENT_R,
    GALI_RECURRENT_B,
    GALI_RECURRENT_LENGTHS,
    GALI_RECURRENT_H,
    GALI_RECURRENT_C,
    GALI_RECURRENT_P,
    GALI_RECURRENT_OPERANDS
};

typedef enum gali_recurrent_function {
    GALI_RECURRENT_RELU,
    GALI_RECURRENT_TANH,
    GALI_RECURRENT_SIGMOID,
    GALI_RECURRENT_AFFINE,
    GALI_RECURRENT_LEAKY_RELU,
    GALI_RECURRENT_THRESHOLDED_RELU,
    GALI_RECURRENT_SCALED_TANH,
    GALI_RECURRENT_HARD_SIGMOID,
    GALI_RECURRENT_ELU,
    GALI_RECURRENT_SOFTSIGN,
    GALI_RECURRENT_SOFTPLUS,
    GALI_RECURRENT_FUNCTION_COUNT /* none of them */
} gali_recurrent_function;

/* Rows of W and R for each element of the state. */
int64_t gali_recurrent_gates(gali_op op);
int gali_recurrent_directions(const gali_node *node);

/* What direction d's gate functions are: three for LSTM, two for GRU, one for RNN. */
gali_recurrent_function gali_recurrent_function_of(const gali_node *node, int d, int which);

/* The function's alpha or beta (name: activation_alpha, activation_beta), or its default. */
double gali_recurrent_parameter(const gali_node *node, const char *name, int d, int which);

/*
 * The node of an inferred graph as a graph of other operators, inferred: its inputs are the node's operands that are given,
 * its outputs the results. X W of all steps is one product; a Scan over it has the rest, for each direction. In the arena of
 * the graph. GAL_NO_MEMORY; errors of inference.
 */
gal_status gali_recurrent_graph(gali_graph **out, const gali_graph *graph, const gali_node *node,
                                gal_error *error);

#endif
