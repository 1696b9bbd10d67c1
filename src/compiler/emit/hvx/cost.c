#include "compiler/emit/hvx/cost.h"

enum { VECTOR = 128, PART = 256 };

typedef struct cost {
    int64_t start, group;
} cost;

static const cost costs[GALI_HVX_OPERATORS][GALI_HVX_FORMS] = {
#define HVX_COST(NAME, a, b, c, d, e, f, meaning) [GALI_HVX_##NAME] = {{a, b}, {c, d}, {e, f}},
#include "compiler/emit/hvx/costs.def"
#undef HVX_COST
};

uint32_t gali_hvx_columns(gali_hvx_form form) {
    return 1u << form;
}

static int64_t parts(uint32_t count, uint32_t each) {
    return (int64_t)(count / each) + (count % each != 0);
}

int64_t gali_hvx_cost(gali_hvx_operator which, gali_hvx_form form, gali_hvx_size size) {
    const uint32_t each = gali_hvx_columns(form);
    const cost *of = &costs[which][form];
    const int64_t words = which == GALI_HVX_SUMS || which == GALI_HVX_COLUMN;
    const int64_t vectors =
        parts(size.rows, VECTOR / each) * (words ? size.columns : parts(size.columns, each));
    return vectors * (of->start + of->group * parts(size.from, each) * size.taps) / PART;
}

int64_t gali_hvx_change_cost(gali_hvx_form from, gali_hvx_form to, uint32_t rows, uint32_t columns) {
    const gali_hvx_size size = {rows, columns, 1, 1};
    int64_t all = 0;
    for (gali_hvx_form form = from; form < to; form++) {
        all += gali_hvx_cost(GALI_HVX_JOIN, form + 1, size);
    }
    for (gali_hvx_form form = from; form > to; form--) {
        all += gali_hvx_cost(GALI_HVX_PART, form - 1, size);
    }
    return all;
}

int64_t gali_hvx_frame_cost(gali_hvx_form form, uint32_t channels, uint32_t lines, uint32_t pitch) {
    const uint32_t each = gali_hvx_columns(form);
    const cost *of = &costs[GALI_HVX_FRAME_LINE][form];
    return parts(channels, each) * lines * (of->start + of->group * parts(pitch, VECTOR / each)) / PART;
}

gali_hvx_form gali_hvx_cheapest(gali_hvx_operator which, gali_hvx_size size) {
    gali_hvx_form best = GALI_HVX_VMPY;
    for (gali_hvx_form form = GALI_HVX_VMPA; form < GALI_HVX_FORMS; form++) {
        best = gali_hvx_cost(which, form, size) < gali_hvx_cost(which, best, size) ? form : best;
    }
    return best;
}
