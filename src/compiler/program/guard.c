#include "compiler/program/guard.h"

#include <math.h>

/* ---- affine ---- */

static int scaled(const gali_program *p, const gali_scalar *a, const gali_scalar *by, gali_affine *out) {
    int good = by->op == GALI_SCALAR_number && gali_program_affine(p, a, out);
    if (good) {
        out->constant = gali_extent_mul(p->graph->extents, out->constant, by->whole);
        for (uint32_t i = 0; i < GALI_AXES_MAX; i++) {
            out->scale[i] *= by->whole;
        }
    }
    return good;
}

static int added(const gali_program *p, const gali_scalar *a, gali_affine *out) {
    gali_extents *x = p->graph->extents;
    int64_t sign = a->op == GALI_SCALAR_add ? 1 : -1;
    gali_affine right;
    if (!gali_program_affine(p, a->operand[0], out) || !gali_program_affine(p, a->operand[1], &right)) {
        return 0;
    }
    out->constant = sign > 0 ? gali_extent_add(x, out->constant, right.constant)
                             : gali_extent_sub(x, out->constant, right.constant);
    for (uint32_t i = 0; i < GALI_AXES_MAX; i++) {
        out->scale[i] += sign * right.scale[i];
    }
    return 1;
}

int gali_program_affine(const gali_program *p, const gali_scalar *a, gali_affine *out) {
    *out = (gali_affine){.constant = 0};
    if (a->element != GALI_i64) {
        return 0;
    }
    switch (a->op) {
    case GALI_SCALAR_number:
        out->constant = a->whole;
        return a->whole <= GALI_LOOP_EXTENT_MAX && a->whole >= -GALI_LOOP_EXTENT_MAX;
    case GALI_SCALAR_axis:
        out->scale[a->source] = 1;
        return 1;
    case GALI_SCALAR_extent:
        out->constant = a->extent;
        return 1;
    case GALI_SCALAR_add:
    case GALI_SCALAR_sub:
        return added(p, a, out);
    case GALI_SCALAR_mul:
        return scaled(p, a->operand[0], a->operand[1], out) || scaled(p, a->operand[1], a->operand[0], out);
    default:
        return 0;
    }
}

/* ---- guards ---- */

/* Of scalars that may not be kept yet; loads are the same as themselves alone. */
static int is_same(const gali_scalar *a, const gali_scalar *b) {
    if (a == b || !a || !b) {
        return a == b;
    }
    int same = a->op == b->op && a->element == b->element && a->whole == b->whole && a->extent == b->extent &&
               a->source == b->source && a->op != GALI_SCALAR_load;
    for (int i = 0; same && i < 3; i++) {
        same = is_same(a->operand[i], b->operand[i]);
    }
    return same;
}

/* Whether an index is affine for sure: others are kept inside by a clamp, and so tell nothing. */
static int is_straight(const gali_scalar *a) {
    switch (a->op) {
    case GALI_SCALAR_number:
    case GALI_SCALAR_axis:
    case GALI_SCALAR_extent:
        return 1;
    case GALI_SCALAR_add:
    case GALI_SCALAR_sub:
        return is_straight(a->operand[0]) && is_straight(a->operand[1]);
    case GALI_SCALAR_mul:
        return (a->operand[0]->op == GALI_SCALAR_number || a->operand[1]->op == GALI_SCALAR_number) &&
               is_straight(a->operand[0]) && is_straight(a->operand[1]);
    default:
        return 0;
    }
}

/* The axes of which a condition says that the load's indices are inside, as bits; 0 where it says anything else, too. */
static uint32_t said_inside(const gali_program *p, const gali_scalar *truth, const gali_scalar *load) {
    const gali_type *type = &p->tensors[load->source].type;
    const gali_scalar *a = truth->operand[0], *b = truth->operand[1];
    if (truth->op == GALI_SCALAR_and) {
        uint32_t left = said_inside(p, a, load), right = said_inside(p, b, load);
        return left && right ? left | right : 0;
    }
    for (int i = 0; i < type->rank; i++) {
        gali_extent end = b && b->op == GALI_SCALAR_number   ? b->whole
                          : b && b->op == GALI_SCALAR_extent ? b->extent
                                                             : -1;
        int above = truth->op == GALI_SCALAR_less_equal && a->op == GALI_SCALAR_number && a->whole == 0 &&
                    is_same(b, load->index[i]);
        int below = truth->op == GALI_SCALAR_less && end == type->shape[i] && is_same(a, load->index[i]);
        if ((above || below) && is_straight(load->index[i])) {
            return 1u << i;
        }
    }
    return 0;
}

uint32_t gali_program_guarded_axes(const gali_program *p, const gali_scalar *a) {
    const gali_scalar *load = a->op == GALI_SCALAR_select ? a->operand[1] : NULL,
                      *pad = load ? a->operand[2] : NULL;
    int zero = load && load->op == GALI_SCALAR_load && pad->op == GALI_SCALAR_number &&
               (gali_element_list[pad->element].kind == GALI_REAL
                    ? !(pad->real < 0 || pad->real > 0) && !signbit(pad->real)
                    : pad->whole == 0);
    return zero ? said_inside(p, a->operand[0], load) : 0;
}

const gali_scalar *gali_program_guarded(const gali_program *p, const gali_scalar *a) {
    return gali_program_guarded_axes(p, a) ? a->operand[1] : NULL;
}
