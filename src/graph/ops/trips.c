/* What Loop and Scan share: types of carried values to a fixed point, and the truth's trips (control.h). */
#include <string.h>

#include "graph/ops/control.h"

/* Trips a fixed point may take: each makes at least one extent or rank of a carried value unknown. */
enum { ROUNDS_MOST = GALI_RANK_MAX + 4 };

uint32_t gali_trips_carried(const gali_node *node) {
    int64_t carried = gali_node_int(node, "carried");
    return carried < 0 || carried > 65536 ? UINT32_MAX / 4 : (uint32_t)carried;
}

/* Unknown extents of a carried value: the symbols that the input had before, or new ones. */
static void settle(gali_graph *body, uint32_t input, gali_type *type) {
    const gali_type *before = &body->values[body->inputs[input]].type;
    for (int d = 0; d < type->rank; d++) {
        int symbol = before->rank == type->rank ? gali_extent_as_symbol(body->extents, before->shape[d]) : -1;
        const char *name = symbol >= 0 ? gali_extent_symbol_name(body->extents, (uint32_t)symbol) : "";
        if (type->shape[d] == GALI_EXTENT_UNKNOWN) {
            type->shape[d] = strncmp(name, "carried_", 8) == 0
                                 ? before->shape[d]
                                 : gali_extent_fresh(body->extents, "carried", 0, GALI_EXTENT_LARGEST);
        }
    }
}

gal_status gali_trips_infer(gali_rule *rule, gali_graph *body, uint32_t first, uint32_t output, uint32_t count,
                            gali_type *types) {
    gal_status status = GAL_OK;
    int changed = 1;
    for (int round = 0; status == GAL_OK && changed; round++) {
        for (uint32_t i = 0; i < count; i++) {
            settle(body, first + i, &types[i]);
            gali_control_give(body, first + i, &types[i], NULL);
        }
        status = gali_graph_infer(body, rule->error);
        changed = 0;
        for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
            gali_type made = types[i];
            if (!gali_control_meet(&made, &gali_control_output(body, output + i)->type)) {
                return gali_rule_fail(rule, "carried value %u changes its element", i + 1);
            }
            settle(body, first + i, &made); /* what was a symbol of its own stays it */
            int same = gali_type_equal(&made, &types[i]);
            if (!same && round >= ROUNDS_MOST) {
                made.rank = -1;
                same = types[i].rank < 0;
            }
            changed |= !same;
            types[i] = made;
        }
    }
    return status;
}

gal_status gali_trips_begin_types(gali_rule *rule, uint32_t first, uint32_t count, gali_type *types) {
    for (uint32_t i = 0; i < count; i++) {
        if (!rule->operand[first + i]) {
            return gali_rule_fail(rule, "carried value %u is not given", i + 1);
        }
        types[i] = *rule->operand[first + i];
    }
    return GAL_OK;
}

void gali_trips_bound(gali_graph *body, const gali_type *before, const gali_type *type, const gali_type *after,
                      gali_extent count) {
    gali_extents *x = body->extents;
    for (int d = 0; d < type->rank; d++) {
        int symbol = gali_extent_as_symbol(x, type->shape[d]);
        if (symbol < 0 || type->shape[d] == before->shape[d]) {
            continue;
        }
        gali_extent more = gali_extent_most(x, 0, gali_extent_sub(x, after->shape[d], type->shape[d]));
        gali_extent most = gali_extent_add(x, before->shape[d], gali_extent_mul(x, more, count));
        if (!gali_extent_has(x, after->shape[d], (uint32_t)symbol)) {
            most = gali_extent_most(x, before->shape[d], after->shape[d]);
        } else if (gali_extent_has(x, more, (uint32_t)symbol)) {
            most = GALI_EXTENT_UNKNOWN;
        }
        gali_extent_set_bound(x, (uint32_t)symbol, most);
    }
}

gal_status gali_trips_stacked(gali_rule *rule, const gali_type *type, int64_t axis, gali_extent extent,
                              gali_type *out) {
    *out = (gali_type){.element = type->element, .rank = -1};
    if (type->rank < 0) {
        return GAL_OK;
    }
    int at;
    gal_status status = gali_rule_axis(rule, axis, type->rank + 1, &at);
    if (status != GAL_OK || type->rank == GALI_RANK_MAX) {
        return status == GAL_OK ? gali_rule_fail(rule, "rank %d is the most", GALI_RANK_MAX) : status;
    }
    out->rank = type->rank + 1;
    for (int d = 0; d < out->rank; d++) {
        out->shape[d] = d == at ? extent : type->shape[d - (d > at)];
    }
    return GAL_OK;
}

static gal_status copy(gali_run *run, const gali_tensor *from, gali_tensor *to) {
    gal_status status = gali_tensor_make(run, to, from->element, from->rank, from->shape);
    for (size_t e = 0; status == GAL_OK && e < from->count; e++) {
        gali_tensor_move(to, e, from, e);
    }
    return status;
}

gal_status gali_trips_no_memory(gali_run *run, const gali_node *node) {
    (void)gali_run_fail(run, node, "no memory");
    return GAL_NO_MEMORY;
}

gal_status gali_trips_begin(gali_run *run, const gali_node *node, const gali_tensor *const *carried,
                            gali_trips *t) {
    const gali_graph *body = node->bodies[0];
    t->inputs = gali_arena_take(&t->arena, (body->input_count + 1) * sizeof *t->inputs);
    t->values = gali_arena_take(&t->arena, (t->carried + 1) * sizeof *t->values);
    t->outputs = gali_arena_take(&t->arena, (body->output_count + 1) * sizeof *t->outputs);
    t->slices = gali_arena_take(&t->arena, (t->scanned + 1) * sizeof *t->slices);
    gal_status status = t->arena.failed ? gali_trips_no_memory(run, node) : GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        status = copy(run, carried[i], &t->values[i]);
    }
    return status;
}

gal_status gali_trips_make(gali_run *run, const gali_node *node, uint32_t first, gali_trips *t) {
    if (t->trip == t->capacity) {
        uint32_t more = t->capacity ? 2 * t->capacity : 16;
        for (uint32_t i = 0; i < t->scanned; i++) {
            gali_tensor *list = gali_arena_take(&t->arena, more * sizeof *list);
            if (!list) {
                return gali_trips_no_memory(run, node);
            }
            if (t->trip) {
                memcpy(list, t->slices[i], t->trip * sizeof *list);
            }
            t->slices[i] = list;
        }
        t->capacity = more;
    }
    gal_status status = gali_control_run(run, node->bodies[0], t->inputs, t->outputs);
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        gali_tensor_release(run, &t->values[i]);
        t->values[i] = t->outputs[first + i];
    }
    for (uint32_t i = 0; status == GAL_OK && i < t->scanned; i++) {
        t->slices[i][t->trip] = t->outputs[first + t->carried + i];
    }
    t->trip += status == GAL_OK;
    return status;
}

/* The slices of one scanned output as one tensor, with the trips along `axis`, the last first if reversed. */
static gal_status stack(gali_run *run, const gali_node *node, const gali_trips *t, uint32_t which, int64_t axis,
                        int reversed, const gali_type *type, gali_tensor *y) {
    int64_t shape[GALI_RANK_MAX];
    uint32_t rank = t->trip ? t->slices[which][0].rank : type->rank < 0 ? 0 : (uint32_t)type->rank;
    axis += axis < 0 ? rank + 1 : 0;
    if (rank == GALI_RANK_MAX || axis < 0 || axis > rank) {
        return gali_run_fail(run, node, "scanned output %u: rank %u, or its axis", which + 1, rank);
    }
    int64_t inner = 1;
    for (uint32_t d = 0; d <= rank; d++) {
        uint32_t of = d > axis ? d - 1 : d;
        int number = t->trip || (type->rank > (int)of && gali_extent_is_number(type->shape[of]));
        shape[d] = d == axis ? t->trip : t->trip ? t->slices[which][0].shape[of] : number ? type->shape[of] : 0;
        inner *= d > axis ? shape[d] : 1;
    }
    gal_status status = gali_tensor_make(run, y, type->element, rank + 1, shape);
    for (uint32_t trip = 0; status == GAL_OK && trip < t->trip; trip++) {
        const gali_tensor *slice = &t->slices[which][trip];
        int64_t place = reversed ? (int64_t)(t->trip - 1 - trip) : trip;
        if (slice->rank != rank || memcmp(slice->shape, t->slices[which][0].shape, rank * sizeof *shape) != 0) {
            return gali_run_fail(run, node, "scanned output %u changes its shape", which + 1);
        }
        for (size_t e = 0; e < slice->count; e++) {
            size_t outer = e / (size_t)inner, rest = e % (size_t)inner;
            size_t to = (outer * t->trip + (size_t)place) * (size_t)inner + rest;
            gali_tensor_move(y, to, slice, e);
        }
    }
    return status;
}

void gali_trips_end(gali_run *run, gali_trips *t) {
    for (uint32_t i = 0; t->values && i < t->carried; i++) {
        gali_tensor_release(run, &t->values[i]);
    }
    for (uint32_t i = 0; t->slices && i < t->scanned; i++) {
        for (uint32_t trip = 0; trip < t->trip; trip++) {
            gali_tensor_release(run, &t->slices[i][trip]);
        }
    }
    gali_arena_release(&t->arena);
}

gal_status gali_trips_finish(gali_run *run, const gali_node *node, uint32_t first, const gali_attribute *axes,
                             const gali_attribute *directions, gali_trips *t, gali_tensor *results) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < t->carried; i++) {
        status = copy(run, &t->values[i], &results[i]);
    }
    for (uint32_t i = 0; status == GAL_OK && i < t->scanned; i++) {
        const gali_type *type = &gali_control_output(node->bodies[0], first + t->carried + i)->type;
        int64_t axis = axes && i < axes->count ? axes->ints[i] : 0;
        int reversed = directions && i < directions->count && directions->ints[i] != 0;
        status = stack(run, node, t, i, axis, reversed, type, &results[t->carried + i]);
    }
    return status;
}
