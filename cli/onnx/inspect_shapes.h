/* What `gallop inspect --shapes` prints: every shape, what of them is known before a run, and why the rest is not. */
#ifndef GALI_CLI_INSPECT_SHAPES_H
#define GALI_CLI_INSPECT_SHAPES_H

#include "graph/graph.h"

void gali_inspect_shapes(const gali_graph *graph);

#endif
