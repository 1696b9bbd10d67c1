/* Scan (control.h). */
#include "graph/ops/control.h"

static int64_t listed(const gali_node *node, const char *name, uint32_t i) {
    const gali_attribute *list = gali_node_attribute(node, name);
    return list && i < list->count ? list->ints[i] : 0;
}

static gal_status scan_shape(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = gali_trips_carried(node);
    int64_t scanned = gali_node_int(node, "num_scan_inputs");
    gal_status status = gali_control_expect(rule, "bodies", node->body_count, 1);
    if (status == GAL_OK &&
        (scanned < 1 || scanned > 65536 || carried + (uint32_t)scanned > node->operand_count ||
         carried > node->result_count)) {
        status = gali_rule_fail(rule, "%u carried values and %lld scanned inputs of %u operands", carried,
                                (long long)scanned, node->operand_count);
    }
    if (status == GAL_OK) {
        status =
            gali_control_expect(rule, "inputs of its body", node->bodies[0]->input_count, node->operand_count);
    }
    return status == GAL_OK ? gali_control_expect(rule, "outputs of its body", node->bodies[0]->output_count,
                                                  node->result_count)
                            : status;
}

/* The slice's type of scanned input i, and the trips that its axis says. */
static gal_status slice_type(gali_rule *rule, uint32_t carried, uint32_t i, gali_type *slice,
                             gali_extent *count) {
    const gali_type *type = rule->operand[carried + i];
    int axis;
    if (!type) {
        return gali_rule_fail(rule, "scanned input %u is not given", i + 1);
    }
    *slice = (gali_type){.element = type->element, .rank = -1};
    if (type->rank < 0) {
        return GAL_OK;
    }
    gal_status status = gali_rule_axis(rule, listed(rule->node, "scan_input_axes", i), type->rank, &axis);
    for (int d = 0; status == GAL_OK && d < type->rank; d++) {
        if (d != axis) {
            slice->shape[d - (d > axis)] = type->shape[d];
        }
    }
    slice->rank = status == GAL_OK ? type->rank - 1 : -1;
    return status == GAL_OK ? gali_rule_same(rule, *count, type->shape[axis], count) : status;
}

gal_status gali_rule_scan(gali_rule *rule) {
    const gali_node *node = rule->node;
    uint32_t carried = gali_trips_carried(node);
    gali_extent count = GALI_EXTENT_UNKNOWN;
    gal_status status = scan_shape(rule);
    if (status != GAL_OK || gali_control_is_running(rule)) {
        return status;
    }
    gali_graph *body = node->bodies[0];
    uint32_t scanned = (uint32_t)gali_node_int(node, "num_scan_inputs");
    gali_type *types = gali_arena_take(rule->graph->arena, (carried + 1) * sizeof *types);
    if (!types) {
        return gali_rule_fail(rule, "no memory");
    }
    for (uint32_t i = 0; status == GAL_OK && i < scanned; i++) {
        gali_type slice;
        status = slice_type(rule, carried, i, &slice, &count);
        gali_control_give(body, carried + i, &slice, NULL);
    }
    if (status == GAL_OK) {
        status = gali_control_give_captured(rule, body, carried + scanned, carried + scanned);
    }
    if (status == GAL_OK) {
        status = gali_trips_begin_types(rule, 0, carried, types);
    }
    if (status == GAL_OK) {
        status = gali_trips_infer(rule, body, 0, 0, carried, types);
    }
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        if (i < carried) {
            rule->result[i] = types[i];
        } else {
            status = gali_trips_stacked(rule, &gali_control_output(body, i)->type,
                                        listed(node, "scan_output_axes", i - carried), count, &rule->result[i]);
        }
    }
    status = status == GAL_OK ? gali_control_hide_inner(rule) : status;
    for (uint32_t i = 0; status == GAL_OK && i < carried; i++) {
        gali_trips_bound(body, rule->operand[i], &types[i], &gali_control_output(body, i)->type, count);
        gali_control_bound_result(rule, i, &types[i], &types[i]);
    }
    return status;
}

/* Slice `at` along the axis of a scanned input, into y, which has been made. */
static void take_slice(const gali_tensor *x, uint32_t axis, int64_t at, gali_tensor *y) {
    size_t inner = 1, n = (size_t)x->shape[axis];
    for (uint32_t d = axis + 1; d < x->rank; d++) {
        inner *= (size_t)x->shape[d];
    }
    for (size_t e = 0; e < y->count; e++) {
        gali_tensor_move(y, e, x, (e / inner * n + (size_t)at) * inner + e % inner);
    }
}

/* Makes the slices of one trip. */
static gal_status make_slices(gali_run *run, const gali_node *node, const gali_tensor *const *scanned,
                              uint32_t count, int64_t trip, gali_tensor *slices) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        const gali_tensor *x = scanned[i];
        int64_t named = listed(node, "scan_input_axes", i), shape[GALI_RANK_MAX] = {0};
        uint32_t axis = (uint32_t)(named < 0 ? named + x->rank : named);
        for (uint32_t d = 0; d < x->rank; d++) {
            if (d != axis) {
                shape[d - (d > axis)] = x->shape[d];
            }
        }
        int reversed = listed(node, "scan_input_directions", i) != 0;
        status = gali_tensor_make(run, &slices[i], x->element, x->rank - 1, shape);
        if (status == GAL_OK) {
            take_slice(x, axis, reversed ? x->shape[axis] - 1 - trip : trip, &slices[i]);
        }
    }
    return status;
}

gal_status gali_truth_scan(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                           gali_tensor *results) {
    const gali_graph *body = node->bodies[0];
    uint32_t scanned = (uint32_t)gali_node_int(node, "num_scan_inputs");
    gali_trips t = {.carried = gali_trips_carried(node)};
    t.scanned = node->result_count - t.carried;
    const gali_tensor *const *inputs = operands + t.carried;
    int64_t axis = listed(node, "scan_input_axes", 0);
    int64_t count = inputs[0]->shape[axis < 0 ? axis + inputs[0]->rank : axis];
    gal_status status = gali_trips_begin(run, node, operands, &t);
    gali_tensor *slices = gali_arena_take(&t.arena, scanned * sizeof *slices);
    status = status == GAL_OK && !slices ? gali_trips_no_memory(run, node) : status;
    for (int64_t trip = 0; status == GAL_OK && trip < count; trip++) {
        status = make_slices(run, node, inputs, scanned, trip, slices);
        for (uint32_t i = 0; i < body->input_count; i++) {
            t.inputs[i] = i < t.carried             ? &t.values[i]
                          : i < t.carried + scanned ? &slices[i - t.carried]
                                                    : operands[i];
        }
        if (status == GAL_OK) {
            status = gali_trips_make(run, node, 0, &t);
        }
        for (uint32_t i = 0; i < scanned; i++) {
            gali_tensor_release(run, &slices[i]);
        }
    }
    if (status == GAL_OK) {
        status = gali_trips_finish(run, node, 0, gali_node_attribute(node, "scan_output_axes"),
                                   gali_node_attribute(node, "scan_output_directions"), &t, results);
    }
    gali_trips_end(run, &t);
    return status;
}
