#include "compiler/schedule/layout.h"

#include <string.h>

/* How the loads of a buffer index one of its dimensions. */
typedef struct use {
    int bare;      /* all by the same axis alone */
    uint32_t root; /* that axis; or, not bare, one that takes part; GALI_NO_AXIS: a number */
} use;

/* The axis that decides where a dimension stands: of a looked-up one, the innermost axis of its lookup. */
static uint32_t deciding_root(const gali_axes *axes, const gali_loop_variable *variable) {
    uint32_t root = gali_axes_root(axes, variable);
    const gali_loop_access *lookup = root == GALI_NO_AXIS ? NULL : axes->expression->axis[root].lookup;
    return lookup ? gali_axes_root(axes, lookup->index[lookup->buffer->rank - 1].term[0].variable) : root;
}

static void note_index(const gali_axes *axes, const gali_loop_index *index, use *u, int first) {
    uint32_t root = index->count ? deciding_root(axes, index->term[0].variable) : GALI_NO_AXIS;
    int looked_up = index->count && root != gali_axes_root(axes, index->term[0].variable);
    int bare = index->count == 1 && index->term[0].scale == 1 && !index->constant && !looked_up;
    u->bare = bare && (first || (u->bare && u->root == root));
    u->root = root == GALI_NO_AXIS && !first ? u->root : root;
}

/* Returns how many loads were seen so far. */
static uint32_t note_value(const gali_axes *axes, const gali_loop_value *value, const gali_loop_buffer *buffer,
                           use *uses, uint32_t seen) {
    if (value->op == GALI_VALUE_LOAD && value->load.buffer == buffer) {
        for (uint32_t d = 0; d < buffer->rank; d++) {
            note_index(axes, &value->load.index[d], &uses[d], !seen);
        }
        return seen + 1;
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        seen = note_value(axes, value->operand[i], buffer, uses, seen);
    }
    return seen;
}

static uint32_t note_uses(const gali_axes *axes, const gali_loop_buffer *buffer, use *uses) {
    uint32_t seen = 0;
    for (uint32_t s = 0; s < axes->expression->stages; s++) {
        seen = note_value(axes, axes->expression->stage[s].value, buffer, uses, seen);
    }
    return seen;
}

static const char *add_dimension(gali_layout *to, gali_loop_packed packed, uint32_t node) {
    if (to->rank == GALI_LOOP_RANK_MAX) {
        return "it would have too many dimensions";
    }
    to->node[to->rank] = node;
    to->packed[to->rank++] = packed;
    return NULL;
}

static int counts_vectors(const gali_axes *axes, uint32_t leaf) {
    return axes->vector != GALI_NO_AXIS && (axes->node[leaf].roots >> axes->vector & 1);
}

/* The dimension of a leaf; NULL or why not. */
static const char *add_leaf(const gali_axes *axes, uint32_t leaf, uint32_t of, gali_layout *to) {
    const gali_axis_node *node = &axes->node[leaf];
    gali_loop_packed packed = {.of = of, .scale = gali_axes_scale(axes, leaf), .extent = node->most};
    const gali_axis_node *parent = node->parent == GALI_NO_AXIS ? NULL : &axes->node[node->parent];
    for (const gali_axis_node *up = parent; up && up->parent != GALI_NO_AXIS; up = &axes->node[up->parent]) {
        if (up->first || axes->node[up->parent].first) {
            return "a loop that it is read in is cut unevenly and then again";
        }
    }
    if (parent && parent->first) {
        int outer = parent->outer == leaf;
        packed.total = outer ? parent->most : 0;
        packed.part = !outer;
    } else if (node->least != node->most) {
        return "a loop that it is read in has no constant extent";
    } else if (packed.extent == 1 && !counts_vectors(axes, leaf)) {
        return NULL; /* but a panel of one vector stays a panel */
    }
    return add_dimension(to, packed, leaf);
}

/* The dimensions that go where this leaf stands. */
static const char *add_at(const gali_axes *axes, uint32_t leaf, const gali_loop_buffer *from, const use *uses,
                          uint32_t *whole, gali_layout *to) {
    for (uint32_t d = 0; d < from->rank; d++) {
        int here = uses[d].root != GALI_NO_AXIS && (axes->node[leaf].roots >> uses[d].root & 1);
        const char *why = NULL;
        if (here && uses[d].bare) {
            why = add_leaf(axes, leaf, d, to);
        } else if (here && (*whole >> d & 1)) {
            *whole &= ~(1u << d);
            gali_loop_packed packed = {.of = d, .scale = 1, .extent = gali_loop_size(&from->extent[d])};
            why = add_dimension(to, packed, GALI_NO_AXIS);
        }
        if (why) {
            return why;
        }
    }
    return NULL;
}

const char *gali_layout_choose(const gali_axes *axes, const gali_loop_buffer *from, gali_layout *to) {
    use uses[GALI_LOOP_RANK_MAX] = {{0, GALI_NO_AXIS}};
    uint32_t whole = 0, vectors = GALI_LOOP_RANK_MAX;
    *to = (gali_layout){.lanes = 1};
    if (from->role != GALI_LOOP_CONSTANT || !note_uses(axes, from, uses)) {
        return "only a constant that is read is laid out anew";
    }
    for (uint32_t d = 0; d < from->rank; d++) {
        whole |= uses[d].bare ? 0 : 1u << d;
        vectors = uses[d].bare && uses[d].root == axes->vector ? d : vectors;
        if (uses[d].root == GALI_NO_AXIS && from->extent[d].constant != 1) {
            return "a dimension of it is not walked";
        }
    }
    for (uint32_t i = 0; i < axes->leaves; i++) {
        const gali_axis_node *leaf = &axes->node[axes->order[i]];
        for (uint32_t d = 0; d < from->rank && (leaf->roots & (leaf->roots - 1)); d++) {
            if (uses[d].root != GALI_NO_AXIS && (leaf->roots >> uses[d].root & 1)) {
                return "a loop that it is read in is fused";
            }
        }
        const char *why = add_at(axes, axes->order[i], from, uses, &whole, to);
        if (why) {
            return why;
        }
    }
    if (vectors < GALI_LOOP_RANK_MAX) {
        gali_loop_packed lanes = {.of = vectors, .scale = 1, .extent = axes->lanes};
        to->lanes = axes->lanes;
        return add_dimension(to, lanes, GALI_NO_AXIS);
    }
    return to->rank ? NULL : "it has one element";
}

int gali_layout_access(const gali_axes *axes, const gali_loop_access *from, const gali_layout *layout,
                       gali_loop_access *access) {
    access->lanes = layout->lanes;
    for (uint32_t p = 0; p < layout->rank; p++) {
        uint32_t node = layout->node[p];
        int good = 1;
        if (node != GALI_NO_AXIS) {
            good = gali_axes_position(axes, node, &access->index[p]);
        } else if (layout->lanes == 1 || p + 1 < layout->rank) {
            good = gali_axes_translate(axes, &from->index[layout->packed[p].of], &access->index[p]);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}
