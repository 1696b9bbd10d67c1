/*
 * A dense layer's terms are   scale * constants * blend[e] * row[k]   for output n: e, k and n are linear in the term's
 * axes, so filling a layer's weights is running through them. It goes expert by expert and in tiles of outputs, which
 * are summed in float64 and rounded once.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "recognise/draft.h"

enum { TILE = 1 << 17, RUN = 256, OWN = GALI_OWN_MAX, AXES = GALI_OWN_MAX + GALI_INNER_MAX };

/* One expert's outputs first..first + rows, summed up: [rows][inputs], then a column of biases. */
typedef struct tile {
    const gali_draft *draft;
    const gali_part *part;
    uint32_t expert, inputs;
    int32_t low, high;     /* of the outermost own axis that is no batch */
    uint32_t outer, first; /* that axis; the first output */
    double *sums;
    int32_t **columns; /* by leaf: column of each element */
} tile;

/* A term within a tile: sizes and what moves along each axis. */
typedef struct loops {
    uint32_t count;
    int32_t size[AXES];
    int64_t row[AXES], source[AXES], constant[GALI_FACTORS_MAX][AXES];
    int64_t row_at, source_at, constant_at[GALI_FACTORS_MAX];
    const gali_array *arrays[GALI_FACTORS_MAX];
    uint32_t constants;
    const int32_t *columns; /* NULL: a bias */
    double scale;
} loops;

static int64_t stride_of(const gali_factor *factor, uint32_t axis) {
    return axis < OWN ? factor->own[axis] : factor->inner[axis - OWN];
}

/* Range of an axis of the term in the tile. */
static void range_of(const tile *t, const gali_term *term, uint32_t axis, int32_t *low, int32_t *high) {
    if (axis >= OWN) {
        *low = 0;
        *high = term->inner[axis - OWN];
        return;
    }
    *low = term->low[axis];
    *high = term->high[axis];
    if (axis == t->outer) {
        *low = *low > t->low ? *low : t->low;
        *high = *high < t->high ? *high : t->high;
    }
}

static int has_axis(const gali_sum *v, const gali_term *term, uint32_t axis) {
    return axis < OWN ? axis < v->own_count && !v->batch[axis] : axis - OWN < term->inner_count;
}

/*
 * The axis that chooses the expert, its place for this one. GALI_ABSENT: none does and *there says whether the term
 * is this expert's; AXES: several do.
 */
static int expert_axis(const tile *t, const gali_term *term, const gali_factor *blend, int64_t *place,
                       int *there) {
    int chosen = GALI_ABSENT;
    *there = 1;
    for (uint32_t i = 0; i < AXES; i++) {
        if (has_axis(t->part->value, term, i) && stride_of(blend, i) != 0) {
            chosen = chosen == GALI_ABSENT ? (int)i : AXES;
        }
    }
    int64_t off = (int64_t)t->expert - blend->at;
    if (chosen == GALI_ABSENT) {
        *there = off == 0;
    } else if (chosen < AXES) {
        *there = off % stride_of(blend, (uint32_t)chosen) == 0;
        *place = off / stride_of(blend, (uint32_t)chosen);
    }
    return chosen;
}

/* Sets up the loops; 0 where the term has nothing in the tile. */
static int make_loops(const tile *t, const gali_term *term, const gali_factor *source, int fixed, int64_t place,
                      loops *l) {
    const gali_sum *v = t->part->value;
    int64_t row_stride[AXES] = {0}, stride = 1;
    *l = (loops){.scale = term->scale, .row_at = -(int64_t)t->first};
    for (uint32_t i = v->own_count; i-- > 0;) {
        row_stride[i] = v->batch[i] ? 0 : stride;
        stride *= v->batch[i] ? 1 : v->size[i];
    }
    l->columns = source ? t->columns[source->leaf] : NULL;
    l->source_at = source ? source->at : 0;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        if (!gali_draft_leaf(t->draft, &term->factors[f])->row) {
            l->arrays[l->constants] = &gali_draft_leaf(t->draft, &term->factors[f])->array;
            l->constant_at[l->constants++] = term->factors[f].at;
        }
    }
    for (uint32_t i = 0; i < AXES; i++) {
        int32_t low, high;
        uint32_t constants = 0;
        if (!has_axis(v, term, i)) {
            continue;
        }
        range_of(t, term, i, &low, &high);
        if (fixed == (int)i) {
            if (place < low || place >= high) {
                return 0;
            }
            low = (int32_t)place;
            high = low + 1;
        }
        if (low >= high) {
            return 0;
        }
        l->size[l->count] = high - low;
        l->row[l->count] = row_stride[i];
        l->row_at += low * row_stride[i];
        l->source[l->count] = source ? stride_of(source, i) : 0;
        l->source_at += low * l->source[l->count];
        for (uint32_t f = 0; f < term->factor_count; f++) {
            if (!gali_draft_leaf(t->draft, &term->factors[f])->row) {
                l->constant[constants][l->count] = stride_of(&term->factors[f], i);
                l->constant_at[constants] += low * l->constant[constants][l->count];
                constants++;
            }
        }
        l->count += high - low > 1;
    }
    return 1;
}

/* The innermost loop is the one along which the constants lie closest. */
static void choose_inner(loops *l) {
    uint32_t best = l->count ? l->count - 1 : 0;
    int64_t nearest = INT64_MAX;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t distance = 0;
        for (uint32_t c = 0; c < l->constants; c++) {
            distance += l->constant[c][i] < 0 ? -l->constant[c][i] : l->constant[c][i];
        }
        if (distance > 0 && distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    uint32_t last = l->count ? l->count - 1 : 0;
    loops was = *l;
    l->size[last] = was.size[best];
    l->size[best] = was.size[last];
    l->row[last] = was.row[best];
    l->row[best] = was.row[last];
    l->source[last] = was.source[best];
    l->source[best] = was.source[last];
    for (uint32_t c = 0; c < l->constants; c++) {
        l->constant[c][last] = was.constant[c][best];
        l->constant[c][best] = was.constant[c][last];
    }
}

/* Adds a run along the innermost axis to the tile. */
static void add_run(const tile *t, const loops *l, int64_t row, int64_t source, const int64_t *at) {
    uint32_t inner = l->count - 1;
    double product[RUN], numbers[RUN];
    for (int32_t start = 0; start < l->size[inner]; start += RUN) {
        size_t count = (size_t)(l->size[inner] - start < RUN ? l->size[inner] - start : RUN);
        for (size_t i = 0; i < count; i++) {
            product[i] = l->scale;
        }
        for (uint32_t c = 0; c < l->constants; c++) {
            gali_array_load(l->arrays[c], at[c] + start * l->constant[c][inner], l->constant[c][inner], count,
                            numbers);
            for (size_t i = 0; i < count; i++) {
                product[i] *= numbers[i];
            }
        }
        for (size_t i = 0; i < count; i++) {
            int64_t n = row + (start + (int64_t)i) * l->row[inner],
                    k = source + (start + (int64_t)i) * l->source[inner];
            t->sums[n * (t->inputs + 1) + (l->columns ? l->columns[k] : (int32_t)t->inputs)] += product[i];
        }
    }
}

static int run_loops(const tile *t, loops *l) {
    int32_t index[AXES] = {0};
    int64_t row = l->row_at, source = l->source_at, at[GALI_FACTORS_MAX] = {0};
    double work = 1;
    memcpy(at, l->constant_at, sizeof at);
    if (l->count == 0) {
        l->size[0] = 1;
        l->count = 1;
    }
    choose_inner(l);
    for (uint32_t i = 0; i < l->count; i++) {
        work *= l->size[i];
    }
    if (!gali_allowance_work(t->draft->network->algebra.allowance, work)) {
        return 0;
    }
    for (;;) {
        add_run(t, l, row, source, at);
        uint32_t axis = l->count - 1;
        for (;;) {
            if (axis-- == 0) {
                return 1;
            }
            int more = ++index[axis] < l->size[axis];
            int64_t steps = more ? 1 : 1 - (int64_t)l->size[axis];
            row += steps * l->row[axis];
            source += steps * l->source[axis];
            for (uint32_t c = 0; c < l->constants; c++) {
                at[c] += steps * l->constant[c][axis];
            }
            if (more) {
                break;
            }
            index[axis] = 0;
        }
    }
}

static int add_term(const tile *t, const gali_term *term) {
    const gali_factor *blend = NULL, *source = NULL;
    int64_t place = 0;
    int there = 1, fixed = GALI_ABSENT;
    loops l;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        const gali_factor *factor = &term->factors[f];
        if (gali_draft_is_blend(t->draft, factor)) {
            there &= blend == NULL;
            blend = factor;
        } else if (gali_draft_leaf(t->draft, factor)->row) {
            there &= source == NULL;
            source = factor;
        }
    }
    if (!there) {
        return gali_draft_fail(t->draft, t->part, "a product of more than a blend and a row");
    }
    if (blend) {
        fixed = expert_axis(t, term, blend, &place, &there);
    }
    if (fixed == AXES) {
        return gali_draft_fail(t->draft, t->part, "an arrangement of experts that is too irregular");
    }
    for (uint32_t i = 0; i < OWN; i++) {
        for (uint32_t f = 0; f < term->factor_count && i < t->part->value->own_count; f++) {
            const gali_factor *factor = &term->factors[f];
            int32_t want =
                gali_draft_leaf(t->draft, factor)->row ? (int32_t)gali_draft_leaf(t->draft, factor)->width : 0;
            if (t->part->value->batch[i] && factor->own[i] != want) {
                return gali_draft_fail(t->draft, t->part, "constants that differ from row to row of the batch");
            }
        }
    }
    return !there || !make_loops(t, term, source, fixed, place, &l) || run_loops(t, &l);
}

/* Rounds the tile into the layer. */
static int store_tile(const tile *t, const gali_model_layer *layer, uint32_t rows) {
    for (uint32_t r = 0; r < rows; r++) {
        size_t n = (size_t)t->expert * layer->outputs + t->first + r;
        const double *sums = t->sums + (size_t)r * (t->inputs + 1);
        for (uint32_t k = 0; k <= t->inputs; k++) {
            if (!(fabs(sums[k]) <= (double)FLT_MAX)) {
                return gali_draft_fail(t->draft, t->part, "a weight that is not finite");
            }
            if (k < t->inputs) {
                gali_put_f32(layer->weights, n * t->inputs + k, (float)sums[k]);
            } else {
                gali_put_f32(layer->biases, n, (float)sums[k]);
            }
        }
    }
    return 1;
}

/* For each row that the part reads, the column of each of its elements. */
static int make_columns(const gali_draft *draft, const gali_draft_list *list, const gali_part *part,
                        int32_t ***columns) {
    const gali_algebra *a = &draft->network->algebra;
    int32_t column = 0;
    *columns = gali_allowance_take(a->allowance, a->leaf_count * sizeof **columns);
    for (uint32_t s = 0; *columns && s < part->slice_count; s++) {
        const gali_row_slice *slice = &part->slices[s];
        int32_t **of_leaf = &(*columns)[slice->leaf];
        if (!*of_leaf) {
            *of_leaf = gali_allowance_take(a->allowance, a->leaves[slice->leaf].width * sizeof **of_leaf);
        }
        int chosen = slice->leaf == draft->network->x && list->feature_count < a->leaves[slice->leaf].width;
        uint32_t start = chosen ? list->element[slice->first] : slice->first;
        for (uint32_t k = 0; *of_leaf && k < slice->count; k++) {
            (*of_leaf)[chosen ? list->features[start + k] : start + k] = column++;
        }
    }
    return a->allowance->status == GAL_OK;
}

static int fill_expert(tile *t, const gali_model_layer *layer) {
    const gali_sum *v = t->part->value;
    uint32_t outer = 0;
    while (outer < v->own_count && v->batch[outer]) {
        outer++;
    }
    int32_t size = outer < v->own_count ? v->size[outer] : 1;
    uint32_t block = layer->outputs / (uint32_t)size;
    size_t per_step = (size_t)block * (t->inputs + 1);
    int32_t steps = per_step < TILE ? (int32_t)(TILE / per_step) : 1;
    t->outer = outer;
    for (int32_t low = 0; low < size; low += steps) {
        t->low = low;
        t->high = low + steps < size ? low + steps : size;
        t->first = (uint32_t)low * block;
        uint32_t rows = (uint32_t)(t->high - low) * block;
        memset(t->sums, 0, rows * (size_t)(t->inputs + 1) * sizeof *t->sums);
        for (uint32_t i = 0; i < v->term_count; i++) {
            if (!add_term(t, &v->terms[i])) {
                return 0;
            }
        }
        if (!store_tile(t, layer, rows)) {
            return 0;
        }
    }
    return 1;
}

static int fill_dense(const gali_draft *draft, const gali_draft_list *list, const gali_part *part,
                      const gali_model_layer *layer) {
    const gali_sum *v = part->value;
    tile t = {.draft = draft, .part = part, .inputs = layer->inputs};
    int32_t size = 1;
    for (uint32_t i = v->own_count; i-- > 0;) {
        size = v->batch[i] ? size : v->size[i];
    }
    size_t per_step = (size_t)layer->outputs / (size_t)size * (layer->inputs + (size_t)1);
    int filled = make_columns(draft, list, part, &t.columns);
    t.sums = filled ? malloc((per_step < TILE ? TILE : per_step) * sizeof *t.sums) : NULL;
    if (filled && !t.sums) {
        filled = gali_allowance_fail(draft->network->algebra.allowance, GAL_NO_MEMORY,
                                     "no memory for a layer's sums");
    }
    for (t.expert = 0; filled && t.expert < layer->experts; t.expert++) {
        filled = fill_expert(&t, layer);
    }
    free(t.sums);
    return filled;
}

static void fill_norm_layer(const gali_part *part, const gali_model_layer *layer) {
    for (uint32_t i = 0; i < part->width; i++) {
        gali_put_f32(layer->weights, i, part->gamma ? (float)part->gamma[i] : 1);
        gali_put_f32(layer->biases, i, part->beta ? (float)part->beta[i] : 0);
    }
}

static int fill_list(const gali_draft *draft, const gali_draft_list *list, const gali_model_layer *layers) {
    for (uint32_t i = 0; i < list->count; i++) {
        const gali_part *part = &list->parts[i];
        if (part->kind == GALI_LAYER_LAYER_NORM) {
            fill_norm_layer(part, &layers[i]);
        } else if (part->kind == GALI_LAYER_DENSE && !fill_dense(draft, list, part, &layers[i])) {
            return 0;
        }
    }
    return 1;
}

int gali_draft_fill(gali_draft *draft, const gali_model *placed) {
    const gali_recognised *n = draft->network;
    for (uint32_t k = 0; k < placed->inputs; k++) {
        gali_put_f32(placed->input_mean, k, (float)n->input_mean[k]);
        gali_put_f32(placed->input_std, k, (float)n->input_std[k]);
        gali_put_u32(placed->input_state, k, GALI_INPUT_LIVE);
        gali_put_f32(placed->input_constant, k, 0);
    }
    for (uint32_t k = 0; k < placed->outputs; k++) {
        gali_put_f32(placed->output_mean, k, (float)n->output_mean[k]);
        gali_put_f32(placed->output_std, k, (float)n->output_std[k]);
    }
    return fill_list(draft, &draft->main, placed->layers) &&
           (placed->gate != GAL_GATE_NETWORK || fill_list(draft, &draft->gating, placed->gating.layers));
}
