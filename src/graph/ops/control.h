/*
 * Nodes with bodies (control.c, loop.c, scan.c, and trips.c, which Loop and Scan share). A body is closed: what it uses of outside are operands of the node and inputs of the body.
 *
 *     If     operands: condition, captured...      bodies: then, else; inputs captured...
 *            results: the outputs of the branch that is taken
 *     Loop   operands: most trips or none, first condition or none, carried..., captured...
 *            inputs: trip, condition, carried..., captured...; outputs: condition, carried..., scanned...
 *            results: carried..., then each scanned output's values one after another on a new first axis
 *     Scan   operands: carried..., scanned inputs..., captured...
 *            inputs: carried..., a slice of each scanned input, captured...; outputs: carried..., scanned...
 *            results: carried..., then each scanned output's values one after another on its axis
 *     region operands: captured...       body: inputs captured...
 *            results: its outputs; a target's function computes them, as exactly as it says
 *
 * `carried` is how many are carried. Shape rules infer the bodies in place: carried types to a fixed point, where an
 * extent that changes from trip to trip becomes a symbol.
 */
#ifndef GALI_GRAPH_OPS_CONTROL_H
#define GALI_GRAPH_OPS_CONTROL_H

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

/* ---- control.c ---- */

/* What is said of both: extents that differ are unknown, as are ranks. 0 where elements differ. */
int gali_control_meet(gali_type *a, const gali_type *b);

/* Gives a body's input a type and what is known of it. */
void gali_control_give(gali_graph *body, uint32_t input, const gali_type *type, const gali_extent *known);

/* Gives the inputs from `first` on the operands from `operand` on; all of them must be given. */
gal_status gali_control_give_captured(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t operand);

const gali_value *gali_control_output(const gali_graph *body, uint32_t output);

gal_status gali_control_expect(gali_rule *rule, const char *what, uint32_t found, uint32_t expected);

/*
 * Results say nothing by symbols that are the body's own: a size that changes from trip to trip, or that only running the
 * body tells. Others stand in some value outside.
 */
gal_status gali_control_hide_inner(gali_rule *rule);

/* Extents of result i that nothing is known of become sizes that are at most those of both types. */
void gali_control_bound_result(gali_rule *rule, uint32_t i, const gali_type *a, const gali_type *b);

/* Whether the truth asks, with numbers alone: it runs bodies, which stay as they are. */
int gali_control_is_running(const gali_rule *rule);

/* Runs a body on inputs that stay the caller's; outputs are released by the caller, on success. */
gal_status gali_control_run(gali_run *run, const gali_graph *body, const gali_tensor *const *inputs,
                            gali_tensor *outputs);

/* ---- trips.c ---- */

/* The truth's state: carried values, and the slices of each scanned output. */
typedef struct gali_trips {
    gali_arena arena;
    uint32_t carried, scanned, input_count;
    const gali_tensor **inputs; /* [input_count] of the body */
    gali_tensor *values;        /* [carried] */
    gali_tensor *outputs;       /* [output_count] of the body */
    gali_tensor **slices;       /* [scanned][capacity] */
    uint32_t trip, capacity;
} gali_trips;

uint32_t gali_trips_carried(const gali_node *node);

/*
 * Infers the body until what it makes of the carried values, inputs first.., are the types that went in, or less was
 * said of them. types[count] are the operands' at first, the fixed point's at the end.
 */
gal_status gali_trips_infer(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t output, uint32_t count,
                            gali_type *types);

/* Types of the carried values before the first trip. */
gal_status gali_trips_begin_types(gali_rule *rule, uint32_t first, uint32_t count, gali_type *types);

/* What carried value i, of that type, grows to in so many trips; where it changes otherwise, nothing is said. */
void gali_trips_bound(gali_graph *body, const gali_type *before, const gali_type *type, const gali_type *after,
                      gali_extent count);

/* An output's type with one more axis of `extent`, at `axis`. */
gal_status gali_trips_stacked(gali_rule *rule, const gali_type *type, int64_t axis, gali_extent extent,
                              gali_type *out);

gal_status gali_trips_no_memory(gali_run *run, const gali_node *node);

gal_status gali_trips_begin(gali_run *run, const gali_node *node, const gali_tensor *const *carried,
                            gali_trips *t);

/* One trip: carried values are replaced, slices kept. `first` outputs come before the carried ones. */
gal_status gali_trips_make(gali_run *run, const gali_node *node, uint32_t first, gali_trips *t);

void gali_trips_end(gali_run *run, gali_trips *t);

/* Carried results and stacked ones; axes and directions NULL: the first axis, forwards. */
gal_status gali_trips_finish(gali_run *run, const gali_node *node, uint32_t first, const gali_attribute *axes,
                             const gali_attribute *directions, gali_trips *t, gali_tensor *results);

#endif
