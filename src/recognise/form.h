/*
 * A graph in linear form: rewritten so that what is linear is spelled by seven operators alone.
 *
 *     Reshape, Transpose, Expand, Slice along one axis, Concat     move numbers
 *     Add of equal shapes                                          adds
 *     Einsum of one or two operands, Mul of equal ranks            multiplies, and sums over axes
 *
 * All else (activations, comparisons, roundings) stays the operator that it was. spell.c rewrites.
 *
 * The form is a graph (graph/graph.h) in which every extent is a number, the batch too, and every real is f64: what is
 * computed is not rounded. Numbers of constants stay where the file has them; those of small constants that follow from
 * others are computed as soon as they are made. Values stand in the order in which they are made.
 */
#ifndef GALI_RECOGNISE_FORM_H
#define GALI_RECOGNISE_FORM_H

#include "graph/evaluate.h"
#include "recognise/allowance.h"
#include "recognise/array.h"

enum {
    GALI_LABELS_MAX = 16,
    GALI_PORTS_MAX = 16, /* inputs of the graph, and outputs */
    GALI_FORM_NODES_MAX = 100000,
    GALI_FORM_FOLD_MAX = 4096, /* constants up to this many numbers are computed as they are made */
};

/* What is known of a value beside its type. */
typedef struct gali_form_value {
    int constant;      /* depends on no input */
    int spelled;       /* made by one of the seven operators; else by a node that is kept as it was */
    gali_array array;  /* a constant's numbers, once they are there */
    const char *place; /* "node 3 "name" (Op)" of the source that it was made for, for messages */
} gali_form_value;

/* An input or output of the graph: [batch][width], whatever its rank. */
typedef struct gali_port {
    const char *name;
    uint32_t value;
    size_t width;
} gali_port;

typedef struct gali_form {
    gali_allowance *allowance;
    gali_graph *graph;
    gali_form_value *values; /* [graph->value_count] */
    uint32_t capacity;
    const char *place; /* that values are being made for */
    uint32_t batch;    /* rows of every input and output */
    uint32_t input_count, output_count;
    gali_port inputs[GALI_PORTS_MAX], outputs[GALI_PORTS_MAX];
} gali_form;

/* An empty form in the arena. 0 if it failed. */
int gali_form_make(gali_form *form, gali_allowance *allowance, gali_arena *arena, uint32_t batch);

/* ---- building: each returns the value that is made, or GALI_NONE (and the form has failed) ---- */

uint32_t gali_form_given(gali_form *form, uint32_t rank, const int64_t *shape);
/* A constant of that element whose numbers are array's; reals of the form are f64, whatever the array holds. */
uint32_t gali_form_constant(gali_form *form, const gali_type *type, gali_array array);
uint32_t gali_form_scalar(gali_form *form, double value);
/* A node as it is: op and attributes of *node, results[node->result_count] to be filled; operands are the form's. */
int gali_form_node(gali_form *form, const gali_node *node, const uint32_t *operands, uint32_t *results);
/* An operator of one operand without attributes. */
uint32_t gali_form_apply(gali_form *form, gali_op op, uint32_t a);

uint32_t gali_form_reshape(gali_form *form, uint32_t a, int rank, const int64_t *shape);
uint32_t gali_form_permute(gali_form *form, uint32_t a, const int64_t *axes);
uint32_t gali_form_expand(gali_form *form, uint32_t a, int rank, const int64_t *shape);
uint32_t gali_form_slice(gali_form *form, uint32_t a, uint32_t axis, int64_t start, int64_t stride,
                         int64_t count);
uint32_t gali_form_concat(gali_form *form, uint32_t axis, const uint32_t *operands, uint32_t count);
/* b may be GALI_NONE. Labels are letters; out says which axes the result has: "bk,kn" and "bn". */
uint32_t gali_form_product(gali_form *form, uint32_t a, const char *a_labels, uint32_t b, const char *b_labels,
                           const char *out);
/* Of reals, broadcast to one shape as ONNX has it. */
uint32_t gali_form_sum(gali_form *form, uint32_t a, uint32_t b);
uint32_t gali_form_times(gali_form *form, uint32_t a, uint32_t b);
uint32_t gali_form_scaled(gali_form *form, uint32_t a, double factor);
uint32_t gali_form_shifted(gali_form *form, uint32_t a, double term);

/* Fails at the place that values are being made for; returns GALI_NONE. */
GALI_PRINTF(2, 3) uint32_t gali_form_refuse(gali_form *form, const char *format, ...);

/* ---- asking ---- */

static inline const gali_type *gali_form_type(const gali_form *form, uint32_t value) {
    return &form->graph->values[value].type;
}

size_t gali_form_count(const gali_form *form, uint32_t value);
int gali_form_is_real(const gali_form *form, uint32_t value);
const char *gali_form_place(const gali_form *form, uint32_t value);

typedef enum gali_maker_kind {
    GALI_MAKER_GIVEN = 0,
    GALI_MAKER_CONSTANT,
    GALI_MAKER_RESHAPE, /* row-major order kept */
    GALI_MAKER_PERMUTE, /* axis i of the result is the operand's axes[i] */
    GALI_MAKER_EXPAND,  /* axes of size 1 repeated; ranks are equal */
    GALI_MAKER_SLICE,   /* axis, start, stride */
    GALI_MAKER_CONCAT,  /* axis */
    GALI_MAKER_PRODUCT, /* of one or two operands, labelled axes; labels that are not put out are summed over */
    GALI_MAKER_ADD,     /* of equal shapes */
    GALI_MAKER_OTHER,   /* not linear: a node that is kept */
} gali_maker_kind;

/* What makes a value, read off its node. */
typedef struct gali_maker {
    gali_maker_kind kind;
    int constant;
    uint32_t rank;
    uint32_t shape[GALI_RANK_MAX];
    size_t count;
    uint32_t operand_count;
    const uint32_t *operands; /* those that numbers come from */
    uint32_t axis;
    uint32_t axes[GALI_RANK_MAX];
    int64_t start, stride;
    int8_t labels[2][GALI_RANK_MAX]; /* of a product's operands, by axis: 0..GALI_LABELS_MAX - 1 */
    int8_t out[GALI_RANK_MAX];       /* of its result */
} gali_maker;

gali_maker gali_maker_of(const gali_form *form, uint32_t value);

int gali_maker_is_linear(const gali_maker *maker);

/* A list of whole numbers that is a constant, at most `most`. 0 if it failed: it is none. */
int gali_form_list(gali_form *form, uint32_t value, int64_t *list, uint32_t most, uint32_t *count);

/* ---- evaluating (form_run.c): by the operators' truths ---- */

/*
 * Computes `target` into values[its count], row-major, where `base` has the numbers `given`; of a constant base is
 * GALI_NONE. 0 if it failed.
 */
int gali_form_run(gali_form *form, uint32_t base, const double *given, uint32_t target, double *values);

/* Any graph within the allowance: gali_graph_evaluate. 0 if it failed; outputs are released with gali_form_release. */
int gali_form_evaluate(gali_allowance *allowance, const gali_graph *graph, const gali_tensor *inputs,
                       gali_tensor *outputs);
void gali_form_release(gali_tensor *tensor);

/* The numbers of a constant, computed once. NULL data if it failed. */
gali_array gali_form_numbers(gali_form *form, uint32_t value);

#endif
