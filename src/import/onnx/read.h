/*
 * ONNX files as graphs. The reader knows names, scopes, attributes and opsets; what operators mean it does not.
 *
 *     read.c       graphs, their bodies, nodes
 *     scope.c      names
 *     sequence.c   sequences, which vanish here
 *     attribute.c  attributes
 *     upgrade.c    nodes of older opsets in the form of the newest
 *     tensor.c     tensors
 */
#ifndef GALI_IMPORT_ONNX_READ_H
#define GALI_IMPORT_ONNX_READ_H

#include "graph/graph.h"
#include "import/onnx/sizes.h"
#include "onnx.pb-c.h"

enum {
    /* before it operands are broadcast by an attribute, a slope is of a channel, and norms train unless an attribute says no */
    GALI_ONNX_OLDEST = 7,
    GALI_ONNX_NEWEST = 25,
};

/*
 * The model's graph, verified, with inferred types, in the arena. Dimensions with a name are symbols, those without get
 * one of their own; what `sizes` says of them (NULL: nothing) holds from the start, so that shapes are as simple as it
 * allows. Constants stay in the message, which must outlive the graph. Errors: GAL_BAD_DATA with the node or tensor:
 * operators that the graph has not are refused by name; GAL_BAD_ARGUMENT for a size that the model has not; GAL_NO_MEMORY.
 */
gal_status gali_onnx_read(gali_graph **out, const Onnx__ModelProto *model, const gali_onnx_sizes *sizes,
                          gali_arena *arena, gal_error *error);

/* ---- one node being read ---- */

typedef struct gali_onnx_reading {
    gali_graph *graph; /* that the node goes into */
    gali_arena *arena;
    gal_error *error;
    int64_t opset;
    const char *place; /* "node 3 "name" (Op)" */
    const Onnx__NodeProto *proto;
    gali_node node; /* op, operands and attributes to be mended; its arrays are the arena's */
    const char *op; /* name of the operator, to be mended before node.op is looked up */
} gali_onnx_reading;

/* Brings the node to the newest opset's form. It may add nodes before it, and after it (by giving it another result). */
gal_status gali_onnx_upgrade(gali_onnx_reading *r);

/* GAL_BAD_DATA with the place. */
gal_status gali_onnx_reading_refuse(gali_onnx_reading *r, const char *why);

/* ---- attribute.c ---- */

/* The node's attribute of that name; NULL: it has none. */
const Onnx__AttributeProto *gali_onnx_attribute_of(const Onnx__NodeProto *node, const char *name);

/* Numbers, words: in the reading's arena. A kind that no operator has is refused. */
gal_status gali_onnx_attribute_read(gali_onnx_reading *r, const Onnx__AttributeProto *a, gali_attribute *out);

/* Gives the node all of the message's, but bodies. */
gal_status gali_onnx_attributes_read(gali_onnx_reading *r);

#endif
