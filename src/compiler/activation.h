/* The kernels' activations as operators of the graph, and back. */
#ifndef GALI_COMPILER_ACTIVATION_H
#define GALI_COMPILER_ACTIVATION_H

#include "graph/graph.h"
#include "kernels/kernels.h"

/* The node that applies the activation, without operands and results; its attributes are in the arena. */
gali_node gali_activation_node(gali_arena *arena, gali_activation activation, float slope);

/* Which activation of single values a node applies to its operand, with its slope; GALI_ACTIVATION_NONE if it is none. */
gali_activation gali_activation_of(const gali_node *node, float *slope);

/* "relu": its name in activations.def. */
const char *gali_activation_name(gali_activation activation);

#endif
