/* From messages to a program: names, inputs, constants; and what the lowering of single nodes shares. */
#ifndef GALI_IMPORT_ONNX_GRAPH_H
#define GALI_IMPORT_ONNX_GRAPH_H

#include "import/onnx_program.h"
#include "onnx.pb-c.h"

enum { GALI_ONNX_OPSET_LEAST = 11, GALI_ONNX_OPSET_MOST = 22 };

/* Rows of the graph's inputs: *batch as the file fixes it, or 0 where any number will do. 0 if it failed. */
int gali_onnx_batch(gali_onnx *onnx, const Onnx__ModelProto *model, uint32_t *batch);

/*
 * Builds *program (zero before) with `batch` rows where the file leaves them free. The numbers of constants stay in
 * the messages, which must outlive the program. 0 if it failed.
 */
int gali_onnx_build(gali_onnx_program *program, gali_onnx *onnx, const Onnx__ModelProto *model, uint32_t batch);

/* The constant of a tensor message; GALI_ONNX_NONE if it failed. what: for messages. */
int gali_onnx_tensor(gali_onnx_program *program, Onnx__TensorProto *tensor, const char *what);

/* ---- one node being lowered ---- */

typedef struct gali_onnx_node {
    const Onnx__NodeProto *proto;
    const char *place; /* "node 3 "name" (Op)" */
    int64_t opset;
    uint32_t input_count, output_count;
    const int *inputs; /* [input_count] steps; GALI_ONNX_NONE where the name is empty */
    int *outputs;      /* [output_count] to be filled */
} gali_onnx_node;

/* Step of input i, or GALI_ONNX_NONE where it is not given. */
int gali_onnx_input(const gali_onnx_node *node, uint32_t i);

/* Fails with the node's place; returns GALI_ONNX_NONE. */
GALI_PRINTF(3, 4)
int gali_onnx_refuse(gali_onnx_program *program, const gali_onnx_node *node, const char *format, ...);

/* Attributes; the default where there is none. */
int64_t gali_onnx_attribute_whole(const gali_onnx_node *node, const char *name, int64_t missing);
double gali_onnx_attribute_number(const gali_onnx_node *node, const char *name, double missing);
const Onnx__AttributeProto *gali_onnx_attribute(const gali_onnx_node *node, const char *name);

/*
 * A list of whole numbers that opsets have as input i or as an attribute (NULL: never), at most `most`. *count is
 * GALI_ONNX_NONE where neither is given. 0 if it failed: the input is no constant.
 */
int gali_onnx_whole_list(gali_onnx_program *program, const gali_onnx_node *node, uint32_t i,
                         const char *attribute, int64_t *list, uint32_t most, int *count);

/* -rank..rank-1 to 0..rank-1, or GALI_ONNX_NONE (and failed). */
int gali_onnx_axis(gali_onnx_program *program, const gali_onnx_node *node, int64_t axis, uint32_t rank);

/* ---- operators: the one list is in onnx_ops.c ---- */

typedef int gali_onnx_lower(gali_onnx_program *program, gali_onnx_node *node, int argument);

typedef struct gali_onnx_operator {
    const char *name;
    gali_onnx_lower *lower; /* returns the step of the first output */
    int argument;           /* of lower */
    uint32_t least, most;   /* inputs */
} gali_onnx_operator;

/* NULL if it is not supported. */
const gali_onnx_operator *gali_onnx_operator_find(const char *name);

/* onnx_ops_shape.c */
gali_onnx_lower gali_onnx_lower_reshape, gali_onnx_lower_flatten, gali_onnx_lower_squeeze,
    gali_onnx_lower_unsqueeze, gali_onnx_lower_transpose, gali_onnx_lower_expand, gali_onnx_lower_tile,
    gali_onnx_lower_concat, gali_onnx_lower_split, gali_onnx_lower_slice, gali_onnx_lower_gather,
    gali_onnx_lower_gather_nd, gali_onnx_lower_shape, gali_onnx_lower_filled, gali_onnx_lower_range,
    gali_onnx_lower_constant, gali_onnx_lower_one_hot;

#endif
