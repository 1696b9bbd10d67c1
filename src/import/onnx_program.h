/*
 * An ONNX graph as a program of few primitive steps: what the importer's parts work on.
 *
 *     onnx_wire.c      bytes -> messages              limits on depth and memory, by protobuf-c
 *     onnx_graph.c     messages -> program            names, inputs, constants, order
 *     onnx_ops*.c      one node -> a few steps        shapes are known numbers; small constants are computed at once
 *     onnx_evaluate.c  program -> float64             the truth: knows no layers, no experts
 *     onnx_sums.c      values as sums of products     the algebra in which all spellings of a layer look alike
 *     onnx_axes.c      the axes of a value            split, joined, aligned
 *     onnx_products.c  products of values             sums that no row takes part in are carried out
 *     onnx_identify.c  what a nonlinear part computes told by its values, not by its spelling
 *     onnx_recognise.c program -> layers              linear parts by the algebra, the others by their values
 *     onnx_parts.c     values -> layers               which layer makes a value
 *     onnx_model.c     layers -> model without weights
 *     onnx_weights.c   dense layers' weights
 *     onnx_import.c    bytes -> model file            checked against the evaluator before anything is returned
 *
 * Invariant: a step reads earlier steps alone. Every dimension is a number; a batch of free size is given one by
 * whoever builds the program.
 */
#ifndef GALI_IMPORT_ONNX_PROGRAM_H
#define GALI_IMPORT_ONNX_PROGRAM_H

#include <stdint.h>

#include "base/error.h"

enum {
    GALI_ONNX_RANK_MAX = 8,
    GALI_ONNX_LABELS_MAX = 16,
    GALI_ONNX_NODES_MAX = 20000,
    GALI_ONNX_STEPS_MAX = 100000,
    GALI_ONNX_INPUTS_MAX = 16,      /* of the graph, and outputs */
    GALI_ONNX_FOLD_MAX = 4096,      /* constants up to this many numbers are computed while building */
    GALI_ONNX_FUSE_LEAST = 1 << 18, /* a product of more numbers is not made where it is summed at once */
    GALI_ONNX_NONE = -1,
};

/* ---- what all parts share: memory that is freed together, the error, the work that is left ---- */

typedef struct gali_onnx_chunk gali_onnx_chunk;

typedef struct gali_onnx {
    gali_onnx_chunk *chunks;
    size_t memory_left; /* bytes that may still be taken */
    double work_left;   /* multiplications that may still be done: a small file cannot ask for hours */
    gal_status status;  /* of the first failure; sticks */
    gal_error *error;
} gali_onnx;

/* Zeroed memory that lives until gali_onnx_release; NULL (and failed) past the limit. */
void *gali_onnx_take(gali_onnx *onnx, size_t size);
void gali_onnx_release(gali_onnx *onnx);

/* Sets the error unless there is one; returns 0. Bytes of the message that are not printable become '?'. */
GALI_PRINTF(3, 4) int gali_onnx_fail(gali_onnx *onnx, gal_status status, const char *format, ...);

/* Counts work; 0 (and failed) when there is none left. */
int gali_onnx_work(gali_onnx *onnx, double multiplications);

/* ---- numbers ---- */

typedef enum gali_onnx_type {
    GALI_ONNX_F64 = 0, /* native doubles, whole numbers and truth values too */
    GALI_ONNX_FLOAT,   /* native floats */
    GALI_ONNX_F32,     /* little-endian, possibly unaligned, as are the next two: where the file has them */
    GALI_ONNX_F16,
    GALI_ONNX_BF16,
} gali_onnx_type;

typedef struct gali_onnx_array {
    gali_onnx_type type;
    const void *data; /* NULL: none */
} gali_onnx_array;

/* to[i] = array[at + i * stride], i < count. */
void gali_onnx_load(const gali_onnx_array *array, int64_t at, int64_t stride, size_t count, double *to);

/* ---- the program ---- */

typedef enum gali_onnx_kind {
    GALI_ONNX_INPUT = 0, /* of the graph */
    GALI_ONNX_CONSTANT,  /* array */
    GALI_ONNX_RESHAPE,   /* row-major order kept */
    GALI_ONNX_PERMUTE,   /* output axis i is input axis axes[i] */
    GALI_ONNX_EXPAND,    /* axes of size 1 repeated; ranks are equal */
    GALI_ONNX_SLICE,     /* axis, start, stride */
    GALI_ONNX_CONCAT,    /* axis */
    GALI_ONNX_PRODUCT, /* of one or two operands, labelled axes; labels that are not put out are summed over */
    GALI_ONNX_ADD,     /* of equal shapes */
    GALI_ONNX_MAP,     /* function of one operand, or of two or three of equal shapes, number by number */
    GALI_ONNX_SOFTMAX, /* over the last axis */
    GALI_ONNX_MAXIMUM, /* over the last axis, which becomes 1 */
    GALI_ONNX_GATHER,  /* rows of the first operand by numbers of the second, which are no constants */
} gali_onnx_kind;

/* Functions of GALI_ONNX_MAP. */
typedef enum gali_onnx_function {
    GALI_ONNX_RECIPROCAL = 0,
    GALI_ONNX_SQRT,
    GALI_ONNX_EXP,
    GALI_ONNX_LOG,
    GALI_ONNX_ABS,
    GALI_ONNX_FLOOR,
    GALI_ONNX_CEIL,
    GALI_ONNX_TRUNCATE,
    GALI_ONNX_SIN,
    GALI_ONNX_COS,
    GALI_ONNX_TANH,
    GALI_ONNX_ERF,
    GALI_ONNX_SIGMOID,
    GALI_ONNX_RELU,
    GALI_ONNX_ELU,   /* alpha */
    GALI_ONNX_LEAKY, /* alpha */
    GALI_ONNX_GELU_TANH,
    GALI_ONNX_NOT,
    GALI_ONNX_POWER,     /* two operands from here on */
    GALI_ONNX_MODULO,    /* sign of the divisor */
    GALI_ONNX_REMAINDER, /* sign of the dividend */
    GALI_ONNX_DIVIDE_WHOLE,
    GALI_ONNX_LEAST,
    GALI_ONNX_MOST,
    GALI_ONNX_EQUAL,
    GALI_ONNX_LESS,
    GALI_ONNX_GREATER,
    GALI_ONNX_AND,
    GALI_ONNX_OR,
    GALI_ONNX_WHERE, /* three */
} gali_onnx_function;

typedef struct gali_onnx_step {
    gali_onnx_kind kind;
    gali_onnx_function function;
    int constant;  /* depends on no input */
    int whole;     /* whole numbers or truth values: division truncates */
    uint32_t node; /* of the graph that it was made for, for messages */
    uint32_t rank;
    uint32_t shape[GALI_ONNX_RANK_MAX];
    size_t count;
    uint32_t operand_count;
    const uint32_t *operands;
    uint32_t axis;
    uint32_t axes[GALI_ONNX_RANK_MAX];
    int64_t start, stride;
    int8_t labels[2][GALI_ONNX_RANK_MAX]; /* of a product's operands, by axis: 0..15 */
    int8_t out[GALI_ONNX_RANK_MAX];       /* of its result */
    double alpha;
    gali_onnx_array array; /* of a constant; of any constant step once it is computed */
} gali_onnx_step;

/* An input or output of the graph: [batch][width], whatever its rank. */
typedef struct gali_onnx_port {
    const char *name;
    uint32_t step;
    size_t width;
} gali_onnx_port;

typedef struct gali_onnx_program {
    gali_onnx *onnx;
    gali_onnx_step *steps; /* [count], moves as the program grows */
    uint32_t count, capacity;
    uint32_t node;           /* that steps are being made for */
    const char **node_names; /* [nodes] "node 3 \"name\" (Op)" */
    uint32_t batch;          /* rows of every input and output */
    uint32_t input_count, output_count;
    gali_onnx_port inputs[GALI_ONNX_INPUTS_MAX], outputs[GALI_ONNX_INPUTS_MAX];
} gali_onnx_program;

/* "node 3 "name" (Op)" of a step. */
const char *gali_onnx_place(const gali_onnx_program *program, uint32_t step);

/* ---- building: each returns the new step, or GALI_ONNX_NONE (and the program has failed) ---- */

int gali_onnx_add(gali_onnx_program *program, const gali_onnx_step *step, const uint32_t *operands);
int gali_onnx_constant(gali_onnx_program *program, uint32_t rank, const uint32_t *shape, gali_onnx_array array,
                       int whole);
int gali_onnx_scalar(gali_onnx_program *program, double value);
int gali_onnx_reshape(gali_onnx_program *program, int a, uint32_t rank, const uint32_t *shape);
int gali_onnx_permute(gali_onnx_program *program, int a, const uint32_t *axes);
int gali_onnx_expand(gali_onnx_program *program, int a, uint32_t rank, const uint32_t *shape);
int gali_onnx_slice(gali_onnx_program *program, int a, uint32_t axis, int64_t start, int64_t stride,
                    uint32_t count);
int gali_onnx_concat(gali_onnx_program *program, uint32_t axis, const uint32_t *operands, uint32_t count);
/* b may be GALI_ONNX_NONE. Labels are letters; out says which axes the result has: "bk,kn" and "bn". */
int gali_onnx_product(gali_onnx_program *program, int a, const char *a_labels, int b, const char *b_labels,
                      const char *out);
/* Operands are broadcast to one shape as ONNX has it; b and c may be GALI_ONNX_NONE. */
int gali_onnx_sum(gali_onnx_program *program, int a, int b);
int gali_onnx_times(gali_onnx_program *program, int a, int b);
int gali_onnx_map(gali_onnx_program *program, gali_onnx_function function, double alpha, int a, int b, int c);
/* Softmax or maximum of the last axis. */
int gali_onnx_rows(gali_onnx_program *program, gali_onnx_kind kind, int a);
int gali_onnx_gather(gali_onnx_program *program, int a, int indices);

/* ---- evaluating ---- */

/*
 * Computes step `target` into values[its count], row-major. given[i] are the numbers of step steps[i], row-major;
 * what depends on no input needs none. 0 if it failed.
 */
int gali_onnx_evaluate(gali_onnx_program *program, uint32_t given_count, const uint32_t *steps,
                       const double *const *given, uint32_t target, double *values);

/* The numbers of a constant step, computed once. NULL data if it failed. */
gali_onnx_array gali_onnx_numbers(gali_onnx_program *program, uint32_t step);

#endif
