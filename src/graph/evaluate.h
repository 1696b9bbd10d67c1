/*
 * The truth: a graph computed by definition, in float64 and int64, one node after another. Slow and plain; tests and
 * imports are held against it.
 *
 * Reals are doubles and are not rounded to their element type except by Cast and quantisation; integers and truth
 * values are int64 (u64: its bits) and wrap to their element type's range. Shapes are those of the operator's rule
 * with numbers for all extents; what a rule leaves unknown, the truth makes.
 */
#ifndef GALI_GRAPH_EVALUATE_H
#define GALI_GRAPH_EVALUATE_H

#include "base/compiler.h"
#include "graph/graph.h"

typedef struct gali_tensor {
    gali_element element;
    uint32_t rank;
    int64_t shape[GALI_RANK_MAX];
    size_t count;
    double *real;   /* of reals, row-major */
    int64_t *whole; /* of the others */
} gali_tensor;

typedef struct gali_number {
    double real;   /* of a real element */
    int64_t whole; /* of the others */
} gali_number;

typedef struct gali_run {
    const gali_graph *graph;
    size_t memory_left; /* bytes that tensors may still take */
    double work_left;   /* operations that may still be done: a small file cannot ask for hours */
    gal_error *error;
    /* Computes a node's results in place of its truth; they are made already where its rule knows their shape. NULL: the truth. */
    gal_status (*compute)(struct gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                          gali_tensor *results);
} gali_run;

enum { GALI_RUN_MEMORY = 1 << 30 }; /* bytes, and operations, that callers with no better idea allow */
#define GALI_RUN_WORK 2e10

/*
 * Computes the outputs from the inputs, whose shapes must fit the graph's (numbers equal, symbols the same everywhere).
 * outputs[output_count] are released by the caller with gali_tensor_release, on success only. Errors: GAL_BAD_DATA with the
 * node; GAL_NO_MEMORY, also past the limits of *run.
 */
gal_status gali_graph_evaluate(gali_run *run, const gali_graph *graph, const gali_tensor *inputs,
                               gali_tensor *outputs);

/*
 * Results of a node that are small tensors of integers become known where all that it reads is known in numbers: they
 * are computed. What cannot be stays as the rule said.
 */
void gali_evaluate_known(gali_graph *graph, const gali_node *node);

/* A constant's, or a known value's, elements as a tensor; released as any. GAL_BAD_DATA where its shape is no numbers. */
gal_status gali_tensor_of(gali_run *run, const gali_value *value, gali_tensor *tensor);

int gali_tensor_is_real(const gali_tensor *tensor);
/* Fills *tensor with zeroed memory for that shape. */
gal_status gali_tensor_make(gali_run *run, gali_tensor *tensor, gali_element element, uint32_t rank,
                            const int64_t *shape);
void gali_tensor_release(gali_run *run, gali_tensor *tensor);

/* Element i, row-major. */
gali_number gali_tensor_at(const gali_tensor *tensor, size_t i);
/* Sets it; integers wrap to the tensor's element. */
void gali_tensor_put(gali_tensor *tensor, size_t i, gali_number number);
/* Element `index` of a result of that rank, as the tensor has it that is broadcast to it: aligned at the ends. */
size_t gali_tensor_offset(const gali_tensor *tensor, uint32_t rank, const int64_t *index);

/* The same in the tensor of that shape with 1 in place of the axes whose bits are in `mask`. */
size_t gali_index_over(const int64_t *index, const int64_t *shape, uint32_t rank, uint32_t mask);

/*
 * Row-major strides in elements, 0 where the extent is 1 and `like` has more (NULL: never): aligned at the ends. Those of an
 * empty tensor are 0.
 */
void gali_tensor_strides(const gali_tensor *tensor, const gali_tensor *like, int64_t strides[GALI_RANK_MAX]);

/* Moves index[] to the next element of shape, row-major; 0 after the last. */
int gali_index_next(int64_t *index, const int64_t *shape, uint32_t rank);

/* ---- for the truths ---- */

/* Element `at` of y becomes element `from` of x; both are of the same element. */
void gali_tensor_move(gali_tensor *y, size_t at, const gali_tensor *x, size_t from);

/* GAL_BAD_DATA with the node's place. */
GALI_PRINTF(3, 4) gal_status gali_run_fail(gali_run *run, const gali_node *node, const char *format, ...);
/* Counts work; GAL_NO_MEMORY when there is none left. */
gal_status gali_run_work(gali_run *run, double operations);
/* x as an element holds it: wrapped to its bits; a truth value 0 or 1. */
int64_t gali_element_wrap(gali_element element, int64_t x);
/* x rounded to the nearest number of a real element, ties to even. */
double gali_element_round(gali_element element, double x);
/* The element's bytes, little-endian, of a real (rounded) or an integer. */
void gali_element_store(gali_element element, double real, int64_t whole, unsigned char *to);

#endif
