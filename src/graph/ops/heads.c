#include "graph/ops/heads.h"

#include <string.h>

enum { BATCH = GALI_HEADS_BATCH, HEAD, PLACE, SIZE, AXES };

gali_heads gali_heads_of(gali_extents *extents, const gali_type *type, gali_extent count) {
    gali_heads h = {.folded = type->rank == 3};
    if (h.folded) {
        h.shape[BATCH] = type->shape[0];
        h.shape[HEAD] = count;
        h.shape[PLACE] = type->shape[1];
        h.shape[SIZE] = gali_extent_quotient(extents, type->shape[2], count);
    } else {
        memcpy(h.shape, type->shape, sizeof h.shape);
    }
    return h;
}

int gali_heads_equal(gali_rule *rule, gali_extent a, gali_extent b) {
    gali_rule_demand_same(rule, a, b);
    return !gali_extent_is_number(a) || !gali_extent_is_number(b) || a == b;
}

int gali_heads_divides(gali_rule *rule, gali_extent a, gali_extent b) {
    gali_extents *x = rule->graph->extents;
    return gali_heads_equal(rule, gali_extent_mul(x, gali_extent_quotient(x, b, a), a), b);
}

const char *gali_heads_check(gali_rule *rule, const gali_type *type, int64_t count) {
    int folded = type->rank == 3;
    if (gali_element_list[type->element].kind != GALI_REAL || (type->rank != 3 && type->rank != 4)) {
        return "reals [batch, heads, length, size] or [batch, length, heads times size] expected";
    }
    return folded && (count < 1 || !gali_heads_divides(rule, count, type->shape[2]))
               ? "its last extent is not a whole number of heads"
               : NULL;
}

size_t gali_heads_offset(const gali_heads *h, const int64_t index[AXES]) {
    int64_t at = h->folded ? ((index[BATCH] * h->shape[PLACE] + index[PLACE]) * h->shape[HEAD] + index[HEAD])
                           : ((index[BATCH] * h->shape[HEAD] + index[HEAD]) * h->shape[PLACE] + index[PLACE]);
    return (size_t)(at * h->shape[SIZE] + index[SIZE]);
}

void gali_heads_index(gali_express *x, const gali_heads *h, const gali_scalar *const own[AXES],
                      const gali_scalar *index[AXES]) {
    if (!h->folded) {
        memcpy(index, own, AXES * sizeof *index);
        return;
    }
    index[0] = own[BATCH];
    index[1] = own[PLACE];
    index[2] = gali_x_add(x, gali_x_mul(x, own[HEAD], gali_x_extent(x, h->shape[SIZE])), own[SIZE]);
}

void gali_heads_axes(gali_express *x, const gali_heads *h, const gali_scalar *own[AXES]) {
    gali_x_axes(x, h->folded ? 3 : 4, own);
    if (h->folded) {
        const gali_scalar *last = own[2], *size = gali_x_extent(x, h->shape[SIZE]);
        own[PLACE] = own[1];
        own[HEAD] = gali_x_apply(x, GALI_SCALAR_quotient, last, size, NULL);
        own[SIZE] = gali_x_apply(x, GALI_SCALAR_mod, last, size, NULL);
    }
}
