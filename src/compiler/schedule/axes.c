#include "compiler/schedule/axes.h"

#include <stdio.h>
#include <string.h>

static int is_one(const gali_axis_node *node) {
    return node->most == 1 && node->least == 1;
}

/* A new leaf; GALI_NO_AXIS where there is no room. */
static uint32_t add_node(gali_axes *axes, const char *name, uint32_t roots, uint32_t parent) {
    gali_loop_variable *variable = gali_loop_add_variable(axes->function, name);
    if (axes->nodes == GALI_AXIS_NODES_MAX || !variable) {
        axes->function->arena->failed = 1;
        return GALI_NO_AXIS;
    }
    gali_axis_node *node = &axes->node[axes->nodes];
    *node = (gali_axis_node){.roots = roots, .variable = variable, .parent = parent};
    snprintf(node->name, sizeof node->name, "%s", name);
    return axes->nodes++;
}

static void set_extent(gali_axis_node *node, uint32_t extent) {
    node->extent = gali_loop_number(extent);
    node->least = node->most = extent;
}

void gali_axes_begin(gali_axes *axes, const gali_expression *expression, gali_loop_function *function) {
    *axes = (gali_axes){.expression = expression, .function = function, .vector = GALI_NO_AXIS, .lanes = 1};
    for (uint32_t i = 0; i < expression->axes; i++) {
        const gali_axis *axis = &expression->axis[i];
        uint32_t n = add_node(axes, axis->variable->name, 1u << i, GALI_NO_AXIS);
        if (n == GALI_NO_AXIS) {
            return;
        }
        set_extent(&axes->node[n], gali_loop_size(&axis->extent));
        if (axis->extent.count) {
            const gali_loop_variable *symbol = function->variable[axis->extent.term[0].variable->id];
            axes->node[n].extent = gali_loop_of(symbol);
            axes->node[n].least = symbol->least;
            axes->node[n].most = symbol->most;
        }
        if (!axis->lookup) {
            axes->order[axes->leaves++] = n;
        }
    }
    for (uint32_t s = 0; s < expression->stages; s++) {
        for (uint32_t i = 0; i < expression->stage[s].reduced; i++) {
            axes->reduced |= 1u << gali_axes_root(axes, expression->stage[s].reduce[i]);
        }
    }
}

uint32_t gali_axes_root(const gali_axes *axes, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < axes->expression->axes; i++) {
        if (axes->expression->axis[i].variable == variable) {
            return i;
        }
    }
    return GALI_NO_AXIS;
}

uint32_t gali_axes_find(const gali_axes *axes, const char *name) {
    for (uint32_t i = 0; i < axes->leaves; i++) {
        if (strcmp(axes->node[axes->order[i]].name, name) == 0) {
            return axes->order[i];
        }
    }
    return GALI_NO_AXIS;
}

static uint32_t place_of(const gali_axes *axes, uint32_t leaf) {
    uint32_t i = 0;
    while (axes->order[i] != leaf) {
        i++;
    }
    return i;
}

static void remove_leaf(gali_axes *axes, uint32_t place) {
    axes->leaves--;
    memmove(axes->order + place, axes->order + place + 1, (axes->leaves - place) * sizeof *axes->order);
}

static void insert_leaf(gali_axes *axes, uint32_t place, uint32_t leaf) {
    memmove(axes->order + place + 1, axes->order + place, (axes->leaves - place) * sizeof *axes->order);
    axes->order[place] = leaf;
    axes->leaves++;
}

/* name = base + end; returns 0 if that is too long. */
static int join(char name[GALI_LOOP_NAME_MAX], const char *base, const char *end) {
    return snprintf(name, GALI_LOOP_NAME_MAX, "%s%s", base, end) < GALI_LOOP_NAME_MAX;
}

static gali_loop_variable *add_let(gali_axes *axes, const char *base, const char *end) {
    char name[GALI_LOOP_NAME_MAX];
    return join(name, base, end) ? gali_loop_add_variable(axes->function, name) : NULL;
}

static uint32_t rounds(uint32_t total, uint32_t factor) {
    return total / factor + (total % factor != 0);
}

/* Extents of an uneven split's children, over all totals that the node may have. */
static int split_unevenly(gali_axes *axes, gali_axis_node *node, gali_axis_node *outer, gali_axis_node *inner,
                          uint32_t factor) {
    outer->least = rounds(node->least, factor);
    outer->most = rounds(node->most, factor);
    inner->least = factor;
    inner->most = 1;
    for (uint32_t total = node->least; total <= node->most; total++) {
        uint32_t parts = rounds(total, factor);
        uint32_t small = total / parts, large = rounds(total, parts);
        inner->least = small < inner->least ? small : inner->least;
        inner->most = large > inner->most ? large : inner->most;
    }
    outer->extent = gali_loop_number(outer->most);
    inner->extent = gali_loop_number(inner->most);
    node->first = add_let(axes, inner->name, ".first");
    if (outer->least != outer->most) {
        node->count = add_let(axes, outer->name, ".count");
        outer->extent = node->count ? gali_loop_of(node->count) : outer->extent;
    }
    if (inner->least != inner->most) {
        node->size = add_let(axes, inner->name, ".size");
        inner->extent = node->size ? gali_loop_of(node->size) : inner->extent;
        if (node->size) {
            node->size->least = inner->least;
            node->size->most = inner->most;
        }
    }
    return node->first && (outer->least == outer->most || node->count) &&
           (inner->least == inner->most || node->size);
}

const char *gali_axes_split(gali_axes *axes, uint32_t leaf, uint32_t factor) {
    char outer_name[GALI_LOOP_NAME_MAX], inner_name[GALI_LOOP_NAME_MAX];
    gali_axis_node *node = &axes->node[leaf];
    if (node->mark != GALI_LOOP_PLAIN) {
        return "it is marked already: split it first";
    }
    if (node->least == 0) {
        return "its extent may be 0";
    }
    if (node->most - node->least > GALI_DENSE_CHARACTERS_MAX) {
        return "its extent has too wide a range";
    }
    if (!join(outer_name, node->name, ".o") || !join(inner_name, node->name, ".i")) {
        return "its name becomes too long";
    }
    uint32_t o = add_node(axes, outer_name, node->roots, leaf),
             i = add_node(axes, inner_name, node->roots, leaf);
    if (i == GALI_NO_AXIS || o == GALI_NO_AXIS) {
        return "too many loops";
    }
    gali_axis_node *outer = &axes->node[o], *inner = &axes->node[i];
    node->state = GALI_AXIS_SPLIT;
    node->outer = o;
    node->inner = i;
    node->factor = factor;
    if (node->least == node->most && node->most % factor == 0) {
        set_extent(outer, node->most / factor);
        set_extent(inner, factor);
    } else if (!split_unevenly(axes, node, outer, inner, factor)) {
        return "too many loops";
    }
    uint32_t place = place_of(axes, leaf);
    axes->order[place] = o;
    insert_leaf(axes, place + 1, i);
    return NULL;
}

/* Whether `node` is the leaf, one of the two it was fused from, or above one of those. */
static int stands_above(const gali_axes *axes, uint32_t node, uint32_t leaf) {
    for (uint32_t i = 0; i < axes->nodes; i++) {
        int part = i == leaf || (axes->node[i].state == GALI_AXIS_FUSED && axes->node[i].inner == leaf);
        for (uint32_t at = part ? i : GALI_NO_AXIS; at != GALI_NO_AXIS; at = axes->node[at].parent) {
            if (at == node) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether some stage sums over root `a` outside of root `b`. */
static int sums_over(const gali_axes *axes, uint32_t a, uint32_t b) {
    for (uint32_t s = 0; s < axes->expression->stages; s++) {
        const gali_stage *stage = &axes->expression->stage[s];
        uint32_t outer = 0;
        for (uint32_t i = 0; i < stage->reduced; i++) {
            uint32_t root = gali_axes_root(axes, stage->reduce[i]);
            if (root == b && outer) {
                return 1;
            }
            outer |= root == a;
        }
    }
    return 0;
}

/* Whether a must stay outside of b: b's size or place depends on it, or a sum runs over both in this order. */
static int must_enclose(const gali_axes *axes, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < axes->nodes; i++) {
        const gali_axis_node *split = &axes->node[i];
        int binds = split->state == GALI_AXIS_SPLIT && (split->first || (split->roots & axes->reduced));
        if (binds && stands_above(axes, split->outer, a) && stands_above(axes, split->inner, b)) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < axes->expression->axes; i++) {
        for (uint32_t k = 0; k < axes->expression->axes; k++) {
            if ((axes->node[a].roots >> i & 1) && (axes->node[b].roots >> k & 1) && sums_over(axes, i, k)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether the order of the leaves keeps what must_enclose asks. */
int gali_axes_order_holds(const gali_axes *axes) {
    for (uint32_t i = 0; i < axes->leaves; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (must_enclose(axes, axes->order[i], axes->order[k])) {
                return 0;
            }
        }
    }
    return 1;
}

const char *gali_axes_reorder(gali_axes *axes, uint32_t leaf, uint32_t before) {
    uint32_t order[GALI_AXIS_NODES_MAX];
    if (leaf == before) {
        return "an axis cannot stand outside of itself";
    }
    memcpy(order, axes->order, sizeof order);
    remove_leaf(axes, place_of(axes, leaf));
    insert_leaf(axes, place_of(axes, before), leaf);
    if (!gali_axes_order_holds(axes)) {
        memcpy(axes->order, order, sizeof order);
        return "that would change the order of a sum, or part a loop from the one that says how long it is";
    }
    return NULL;
}

const char *gali_axes_fuse(gali_axes *axes, uint32_t outer, uint32_t inner) {
    char name[GALI_LOOP_NAME_MAX];
    uint32_t place = place_of(axes, outer);
    if (place + 1 == axes->leaves || axes->order[place + 1] != inner) {
        return "the second is not just inside of the first";
    }
    if ((axes->node[outer].roots | axes->node[inner].roots) & axes->reduced) {
        return "a sum runs over one of them";
    }
    if (axes->node[outer].mark || axes->node[inner].mark) {
        return "one is marked already: fuse them first";
    }
    if (must_enclose(axes, outer, inner)) {
        return "the first says how long the second is";
    }
    if (axes->node[outer].extent.count && axes->node[inner].extent.count) {
        return "neither has a constant extent";
    }
    uint64_t most = (uint64_t)axes->node[outer].most * axes->node[inner].most;
    if (snprintf(name, sizeof name, "%s.%s", axes->node[outer].name, axes->node[inner].name) >=
            (int)sizeof name ||
        most > GALI_LOOP_EXTENT_MAX) {
        return "it becomes too large";
    }
    uint32_t fused = add_node(axes, name, axes->node[outer].roots | axes->node[inner].roots, GALI_NO_AXIS);
    if (fused == GALI_NO_AXIS) {
        return "too many loops";
    }
    gali_axis_node *a = &axes->node[outer], *b = &axes->node[inner], *f = &axes->node[fused];
    gali_loop_index none = gali_loop_number(0);
    f->extent = none;
    gali_loop_index_add(&f->extent, a->extent.count ? &a->extent : &b->extent,
                        a->extent.count ? b->extent.constant : a->extent.constant);
    f->least = a->least * b->least;
    f->most = (uint32_t)most;
    a->state = b->state = GALI_AXIS_FUSED;
    a->inner = b->inner = fused;
    b->remainder = 1;
    axes->order[place] = fused;
    remove_leaf(axes, place + 1);
    return NULL;
}

const char *gali_axes_vectorize(gali_axes *axes, uint32_t leaf, uint32_t lanes) {
    gali_axis_node *node = &axes->node[leaf];
    if (node->parent != GALI_NO_AXIS || leaf >= axes->expression->axes) {
        return "only a whole axis counts vectors: vectorize before split and fuse";
    }
    if (axes->vector != GALI_NO_AXIS) {
        return "another axis counts vectors already";
    }
    if (node->roots & axes->reduced) {
        return "that would change the order of a sum";
    }
    if (node->extent.count || lanes > GALI_LOOP_LANES_MAX) {
        return "its extent is no number, or the vector is too wide";
    }
    if (lanes > 1) {
        axes->vector = leaf;
        axes->lanes = lanes;
        set_extent(node, rounds(node->most, lanes));
    }
    return NULL;
}

const char *gali_axes_mark(gali_axes *axes, uint32_t leaf, gali_loop_mark mark, uint32_t turns) {
    gali_axis_node *node = &axes->node[leaf];
    if (node->mark != GALI_LOOP_PLAIN) {
        return "it is marked already";
    }
    if (mark == GALI_LOOP_PARALLEL && (axes->order[0] != leaf || (node->roots & axes->reduced))) {
        return "it is not the outermost loop, or a sum runs over it";
    }
    if (turns > GALI_LOOP_LANES_MAX) {
        return "more than 64 turns";
    }
    node->mark = mark;
    node->turns = turns;
    return NULL;
}

int gali_axes_position(const gali_axes *axes, uint32_t at, gali_loop_index *position) {
    const gali_axis_node *node = &axes->node[at];
    *position = gali_loop_number(0);
    if (node->state != GALI_AXIS_SPLIT) {
        gali_loop_index own = gali_loop_of(node->variable);
        return node->zero || is_one(node) || gali_loop_index_add(position, &own, 1);
    }
    gali_loop_index outer, inner;
    if (!gali_axes_position(axes, node->outer, &outer) || !gali_axes_position(axes, node->inner, &inner)) {
        return 0;
    }
    if (node->first) {
        gali_loop_index first = gali_loop_of(node->first);
        return (is_one(&axes->node[node->outer]) || gali_loop_index_add(position, &first, 1)) &&
               gali_loop_index_add(position, &inner, 1);
    }
    return gali_loop_index_add(position, &outer, node->factor) && gali_loop_index_add(position, &inner, 1);
}

uint32_t gali_axes_scale(const gali_axes *axes, uint32_t at) {
    const gali_axis_node *node = &axes->node[at];
    if (node->parent == GALI_NO_AXIS) {
        return at == axes->vector ? axes->lanes : 1;
    }
    const gali_axis_node *parent = &axes->node[node->parent];
    uint32_t scale = gali_axes_scale(axes, node->parent);
    return parent->state == GALI_AXIS_SPLIT && parent->outer == at && !parent->first ? scale * parent->factor
                                                                                     : scale;
}

int gali_axes_translate(const gali_axes *axes, const gali_loop_index *from, gali_loop_index *to) {
    *to = gali_loop_number(from->constant);
    for (uint32_t i = 0; i < from->count; i++) {
        const gali_loop_term *term = &from->term[i];
        uint32_t root = gali_axes_root(axes, term->variable);
        gali_loop_index part;
        if (root == GALI_NO_AXIS) {
            part = gali_loop_of(axes->function->variable[term->variable->id]);
        } else if (!gali_axes_position(axes, root, &part)) {
            return 0;
        }
        if (!gali_loop_index_add(to, &part, term->scale * (root == axes->vector ? axes->lanes : 1))) {
            return 0;
        }
    }
    return 1;
}
