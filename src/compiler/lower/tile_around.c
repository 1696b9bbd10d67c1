/*
 * Which axes go around a tile's panels. Panels of constants go around all rows where nothing else is said: each is read once
 * and stays near. But then all that it is multiplied with is read once per panel; where that lies in far memory (the frames
 * of a clip, a large picture), it is dearer than to read all panels again for a part of it that stays near.
 *
 *     for y { for panels { for t { for row tiles of x { .. } } } }
 *
 * What is no more than a few second caches hold is left alone: there either way is as fast. Else
 * counted are bytes that the second cache does not hold, those that come from beyond a few of it FAR times. Axes of which a
 * window reads neighbours, as a convolution along time does, go inside of the other ones, so that what two of its turns have
 * in common is still near.
 */
#include "compiler/lower/tile.h"

#define FAR 3.0  /* what a byte costs from beyond FAR_FROM second caches, beside one from less far */
#define GAIN 0.7 /* what is left of the cost has to be less than this */

enum { FAR_FROM = 16, EXTENT_GUESS = 64 };

typedef struct traffic {
    const gali_lowering *l;
    const gali_sum_tile *t;
    uint32_t around;  /* bits of axes */
    double panels;    /* how many */
    double constants; /* bytes of all */
} traffic;

static double count_of(const gali_lowering *l, gali_extent extent) {
    int64_t typical =
        l->p->typical ? gali_extent_value(l->p->graph->extents, extent, l->p->typical) : EXTENT_GUESS;
    return gali_extent_is_number(extent) ? (double)extent : typical > 0 ? (double)typical : 1;
}

/* How many places of a dimension an index walks while the axes around stand still. */
static double span_of(const traffic *r, const gali_scalar *index, double extent) {
    const gali_program_stage *stage = r->l->stage;
    double span = 1;
    for (uint32_t axis = 0; axis < stage->rank + stage->reduced; axis++) {
        int64_t step;
        if (r->around >> axis & 1) {
            continue;
        }
        if (!gali_lower_steps(index, axis, &step)) {
            return extent;
        }
        span += (double)(step < 0 ? -step : step) * (count_of(r->l, stage->extent[axis]) - 1);
    }
    return span < extent ? span : extent;
}

/* Bytes that all loads which are the same in lanes read while the axes around stand still. */
static double bytes_of_part(const traffic *r) {
    double bytes = 0;
    for (uint32_t i = 0; i < r->t->load_count; i++) {
        const gali_scalar *load = r->t->load[i];
        const gali_program_tensor *tensor = &r->l->p->tensors[load->source];
        double elements = r->t->is[i] == GALI_LOWER_SAME ? gali_element_list[tensor->type.element].bytes : 0;
        for (int d = 0; d < tensor->type.rank; d++) {
            elements *= span_of(r, load->index[d], count_of(r->l, tensor->type.shape[d]));
        }
        bytes += elements;
    }
    return bytes;
}

/* What it costs to read bytes once more that are so many. */
static double cost_again(const gali_lowering *l, double bytes) {
    double l2 = l->p->target->l2;
    return bytes <= l2 ? 0 : bytes <= (double)FAR_FROM * l2 ? bytes : FAR * bytes;
}

/* Whether a window reads neighbours along the axis: an index walks with it and with what is summed over. */
static int has_window(const gali_lowering *l, const gali_sum_tile *t, uint32_t axis) {
    int window = 0;
    for (uint32_t i = 0; i < t->load_count; i++) {
        for (int d = 0; d < l->p->tensors[t->load[i]->source].type.rank; d++) {
            const gali_scalar *index = t->load[i]->index[d];
            window |= gali_lower_uses(index, axis) && gali_tile_depth(l, index) > 0;
        }
    }
    return window;
}

/* Bytes that turns of windows read, over those that are read at all: what two turns have in common is lost on the way from
 * one to the next where the second cache does not hold a turn. */
static double overlap_of(const traffic *r) {
    const gali_lowering *l = r->l;
    double overlap = 1, part = bytes_of_part(r);
    for (uint32_t axis = 0; axis < l->stage->rank; axis++) {
        traffic turn = *r;
        turn.around |= 1u << axis;
        double bytes = bytes_of_part(&turn);
        if (!(r->around >> axis & 1) && bytes > l->p->target->l2 && has_window(l, r->t, axis)) {
            overlap *= count_of(l, l->stage->extent[axis]) * bytes / part;
        }
    }
    return overlap;
}

static double cost_of(const traffic *r) {
    const gali_program_stage *stage = r->l->stage;
    traffic whole = *r;
    double turns = 1, part = bytes_of_part(r);
    whole.around = 0;
    for (uint32_t axis = 0; axis < stage->rank; axis++) {
        turns *= r->around >> axis & 1 ? count_of(r->l, stage->extent[axis]) : 1;
    }
    double first = overlap_of(r) * cost_again(r->l, bytes_of_part(&whole));
    double again = cost_again(r->l, part), constants = cost_again(r->l, part + r->constants);
    return first + turns * (r->panels - 1) * again +
           (turns - 1) * (constants > 0 ? r->constants * constants / (part + r->constants) : 0);
}

/* Constants in lanes, computed ones along them: only the former are panels that are read again for nothing else. */
static int begin(traffic *r) {
    const gali_program_stage *stage = r->l->stage;
    double vectors = r->t->vectors * (double)r->l->p->target->lanes;
    r->panels = (double)(int64_t)((count_of(r->l, stage->extent[r->t->vector]) + vectors - 1) / vectors);
    for (uint32_t i = 0; i < r->t->load_count; i++) {
        const gali_scalar *load = r->t->load[i];
        const gali_program_tensor *tensor = &r->l->p->tensors[load->source];
        if (r->t->is[i] == GALI_LOWER_SAME) {
            continue;
        }
        if (tensor->role != GALI_TENSOR_CONSTANT) {
            return 0;
        }
        double bytes = gali_element_list[tensor->type.element].bytes;
        for (int d = 0; d < tensor->type.rank; d++) {
            bytes *= span_of(r, load->index[d], count_of(r->l, tensor->type.shape[d]));
        }
        r->constants += bytes;
    }
    return 1;
}

/* The axis that costs least around the others that are; GALI_NONE: none makes it less. */
static uint32_t next_axis(traffic *r, double *least) {
    const gali_lowering *l = r->l;
    uint32_t best = GALI_NONE, around = r->around;
    for (uint32_t d = l->shared; d < l->stage->rank; d++) {
        uint32_t axis = gali_lower_axis(l, d);
        if ((around >> axis & 1) || !gali_tile_is_inside(r->t, axis) ||
            count_of(l, l->stage->extent[axis]) < 2) {
            continue;
        }
        r->around = around | 1u << axis;
        double cost = cost_of(r);
        if (cost < *least) {
            *least = cost;
            best = axis;
        }
    }
    r->around = around;
    return best;
}

void gali_tile_choose_around(const gali_lowering *l, gali_sum_tile *t) {
    traffic r = {.l = l, .t = t};
    if (t->row == GALI_NONE || t->outer || t->block || t->rows_outside || !begin(&r) ||
        bytes_of_part(&r) <= (double)FAR_FROM * l->p->target->l2) {
        return;
    }
    double before = cost_of(&r), least = before;
    for (uint32_t axis; (axis = next_axis(&r, &least)) != GALI_NONE;) {
        r.around |= 1u << axis;
    }
    if (least >= GAIN * before) {
        return;
    }
    for (int window = 0; window < 2; window++) {
        for (uint32_t d = l->shared; d < l->stage->rank; d++) {
            uint32_t axis = gali_lower_axis(l, d);
            if ((r.around >> axis & 1) && has_window(l, t, axis) == window) {
                t->around[t->around_count++] = axis;
            }
        }
    }
}
