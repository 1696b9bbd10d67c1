/*
 * A dense layer reads of each row the runs of elements that its terms read; rows that lie far apart cost a source each,
 * so many short runs become one with columns of zeros in between. Weights are weights.c's.
 */
#include "recognise/draft.h"

#include <string.h>

#include "base/little_endian.h"
#include "network/layer.h"

enum { OWN = GALI_OWN_MAX, AXES = GALI_OWN_MAX + GALI_INNER_MAX };

int gali_draft_fail(const gali_draft *draft, const gali_part *part, const char *why) {
    return gali_allowance_fail(draft->network->algebra.allowance, GAL_BAD_DATA, "%s: %s", part->place, why);
}

const gali_leaf *gali_draft_leaf(const gali_draft *draft, const gali_factor *factor) {
    return &draft->network->algebra.leaves[factor->leaf];
}

int gali_draft_is_blend(const gali_draft *draft, const gali_factor *factor) {
    return draft->network->gate_leaf == (int)factor->leaf;
}

/* A row that a layer reads as it is. */
static int is_source(const gali_draft *draft, const gali_factor *factor) {
    return gali_draft_leaf(draft, factor)->row && !gali_draft_is_blend(draft, factor);
}

/* ---- the gate ---- */

/* Every row that multiplies another must be one and the same blend. */
static int find_blend(gali_draft *draft) {
    gali_recognised *n = draft->network;
    for (uint32_t i = 0; i < n->part_count; i++) {
        const gali_part *part = &n->parts[i];
        for (uint32_t t = 0; part->value && t < part->value->term_count; t++) {
            const gali_term *term = &part->value->terms[t];
            uint32_t rows = 0;
            int gate = GALI_ABSENT;
            for (uint32_t f = 0; f < term->factor_count; f++) {
                rows += (uint32_t)gali_draft_leaf(draft, &term->factors[f])->row;
                gate = gali_draft_leaf(draft, &term->factors[f])->gate ? (int)term->factors[f].leaf : gate;
            }
            if (rows > 1 && n->gate_leaf != GALI_ABSENT && gate != n->gate_leaf) {
                return gali_draft_fail(draft, part, "blended by another gate than the layers before it");
            }
            if (rows > 1 && n->gate_leaf == GALI_ABSENT) {
                n->gate_leaf = gate;
                n->gate = GAL_GATE_NETWORK;
            }
        }
    }
    n->experts = n->gate_leaf == GALI_ABSENT ? 1 : n->algebra.leaves[n->gate_leaf].width;
    return n->experts <= GALI_EXPERTS_MAX ||
           gali_allowance_fail(n->algebra.allowance, GAL_BAD_DATA, "%u experts, at most %d expected",
                               n->experts, GALI_EXPERTS_MAX);
}

/* ---- lists ---- */

/* Marks the parts that a part reads. */
static void mark_read(const gali_draft *draft, const gali_part *part, unsigned char *needed) {
    const gali_leaf *leaves = draft->network->algebra.leaves;
    for (uint32_t s = 0; s < part->slice_count; s++) {
        int read = leaves[part->slices[s].leaf].part;
        if (read != GALI_ABSENT) {
            needed[read] = 1;
        }
    }
    for (uint32_t t = 0; part->value && t < part->value->term_count; t++) {
        const gali_term *term = &part->value->terms[t];
        for (uint32_t f = 0; f < term->factor_count; f++) {
            int read = gali_draft_leaf(draft, &term->factors[f])->part;
            if (is_source(draft, &term->factors[f]) && read != GALI_ABSENT) {
                needed[read] = 1;
            }
        }
    }
}

/* The parts that `last` depends on, in order. */
static int make_list(gali_draft *draft, gali_draft_list *list, uint32_t last, uint32_t most) {
    gali_recognised *n = draft->network;
    unsigned char needed[GALI_PARTS_MAX] = {0};
    list->value_of_part =
        gali_allowance_take(n->algebra.allowance, n->part_count * sizeof *list->value_of_part);
    if (!list->value_of_part) {
        return 0;
    }
    needed[last] = 1;
    for (uint32_t i = last + 1; i-- > 0;) {
        if (needed[i]) {
            mark_read(draft, &n->parts[i], needed);
        }
    }
    for (uint32_t i = 0; i < n->part_count; i++) {
        list->value_of_part[i] = i <= last && needed[i] ? (int)++list->count : GALI_ABSENT;
        if (list->count > most) {
            return gali_draft_fail(draft, &n->parts[i], "too many layers");
        }
        if (i <= last && needed[i]) {
            list->parts[list->count - 1] = n->parts[i];
        }
    }
    return 1;
}

/* ---- sources ---- */

/* Value and first element of a row in a list. GALI_ABSENT (and failed): it is not there. */
static int value_of(const gali_draft *draft, const gali_draft_list *list, const gali_part *part,
                    uint32_t leaf) {
    const gali_leaf *row = &draft->network->algebra.leaves[leaf];
    if (leaf == draft->network->x) {
        return 0;
    }
    if (row->part != GALI_ABSENT && list->value_of_part[row->part] != GALI_ABSENT) {
        return list->value_of_part[row->part];
    }
    gali_draft_fail(draft, part, "reads the blend itself as a feature");
    return GALI_ABSENT;
}

/* Calls visit for each element of a row that a factor reads in its term. */
typedef void visitor(void *context, uint32_t element);

static void visit_elements(const gali_sum *v, const gali_term *term, const gali_factor *factor, visitor *visit,
                           void *context) {
    int32_t size[AXES], stride[AXES], index[AXES] = {0};
    int64_t at = factor->at;
    uint32_t count = 0;
    for (uint32_t i = 0; i < AXES; i++) {
        int inner = i >= OWN;
        uint32_t axis = inner ? i - OWN : i;
        int32_t step = inner ? factor->inner[axis] : factor->own[axis];
        int there = inner ? axis < term->inner_count : axis < v->own_count && !v->batch[axis];
        if (there && step != 0) {
            size[count] = inner ? term->inner[axis] : term->high[axis] - term->low[axis];
            stride[count++] = step;
            at += inner ? 0 : (int64_t)term->low[axis] * step;
        }
    }
    for (uint32_t d = 0; d != UINT32_MAX;) {
        visit(context, (uint32_t)at);
        for (d = count - 1; d != UINT32_MAX; d--) {
            at += stride[d];
            if (++index[d] < size[d]) {
                break;
            }
            at -= (int64_t)size[d] * stride[d];
            index[d] = 0;
        }
    }
}

static void mark_element(void *context, uint32_t element) {
    ((unsigned char *)context)[element] = 1;
}

/* Marks the elements of a row that a dense part reads; 0 if it reads none. */
static int mark_elements(const gali_draft *draft, const gali_part *part, uint32_t leaf, unsigned char *marks) {
    int reads = 0;
    for (uint32_t t = 0; t < part->value->term_count; t++) {
        const gali_term *term = &part->value->terms[t];
        for (uint32_t f = 0; f < term->factor_count; f++) {
            if (term->factors[f].leaf == leaf && is_source(draft, &term->factors[f])) {
                visit_elements(part->value, term, &term->factors[f], mark_element, marks);
                reads = 1;
            }
        }
    }
    return reads;
}

/* Adds the runs of marked elements as sources, or all from the first to the last where there are many. */
static uint32_t add_runs(const unsigned char *marks, uint32_t leaf, uint32_t width, gali_row_slice *slices,
                         uint32_t count, uint32_t most) {
    uint32_t start = count, first = width, last = 0, runs = 0;
    for (uint32_t k = 0; k < width; k++) {
        runs += marks[k] && (k == 0 || !marks[k - 1]);
        first = marks[k] && k < first ? k : first;
        last = marks[k] ? k : last;
    }
    if (runs > most) {
        slices[count++] = (gali_row_slice){leaf, first, last + 1 - first};
        return count;
    }
    for (uint32_t k = 0; k < width; k++) {
        if (marks[k] && (k == 0 || !marks[k - 1])) {
            slices[count++] = (gali_row_slice){leaf, k, 0};
        }
        if (marks[k]) {
            slices[count - 1].count++;
        }
    }
    return count > start ? count : start;
}

/* The elements of x that a list's layers read: all for the network, those that are read for the gate. */
static int find_features(const gali_draft *draft, gali_draft_list *list, int all) {
    gali_recognised *n = draft->network;
    uint32_t width = n->algebra.leaves[n->x].width;
    unsigned char *marks = gali_allowance_take(n->algebra.allowance, width);
    list->features = gali_allowance_take(n->algebra.allowance, width * sizeof *list->features);
    list->element = gali_allowance_take(n->algebra.allowance, width * sizeof *list->element);
    if (!marks || !list->features || !list->element) {
        return 0;
    }
    memset(marks, all, width);
    for (uint32_t i = 0; i < list->count; i++) {
        const gali_part *part = &list->parts[i];
        if (part->value) {
            mark_elements(draft, part, n->x, marks);
        }
        for (uint32_t s = 0; s < part->slice_count; s++) {
            if (part->slices[s].leaf == n->x) {
                memset(marks + part->slices[s].first, 1, part->slices[s].count);
            }
        }
    }
    for (uint32_t k = 0; k < width; k++) {
        if (marks[k]) {
            list->element[k] = list->feature_count;
            list->features[list->feature_count++] = k;
        }
    }
    return list->feature_count > 0 ||
           gali_allowance_fail(n->algebra.allowance, GAL_BAD_DATA, "a gate that depends on no feature");
}

/* Runs of a row are worth sources of their own up to this many; more, and its columns in between are zeros. */
enum { RUNS_MAX = 4 };

/* The slices that a dense part reads, rows in the order of their leaves; of the gate's x all its features. */
static int find_slices(const gali_draft *draft, const gali_draft_list *list, gali_part *part) {
    const gali_recognised *n = draft->network;
    const gali_algebra *a = &n->algebra;
    for (uint32_t leaf = 0; leaf < a->leaf_count; leaf++) {
        uint32_t width = a->leaves[leaf].width;
        if (!a->leaves[leaf].row || width == 0) {
            continue;
        }
        unsigned char *marks = gali_allowance_take(a->allowance, width);
        if (!marks) {
            return 0;
        }
        if (!mark_elements(draft, part, leaf, marks)) {
            continue;
        }
        if (part->slice_count + RUNS_MAX > GALI_SLICES_MAX) {
            return gali_draft_fail(draft, part, "reads too many layers at once");
        }
        if (leaf == n->x && list->feature_count < width) {
            part->slices[part->slice_count++] = (gali_row_slice){leaf, list->features[0], list->feature_count};
        } else {
            part->slice_count = add_runs(marks, leaf, width, part->slices, part->slice_count, RUNS_MAX);
        }
    }
    if (part->slice_count == 0) { /* it depends on the blend alone, or on nothing */
        part->slices[part->slice_count++] = (gali_row_slice){n->x, list->features[0], 1};
    }
    return 1;
}

/* ---- the model without its weights ---- */

/* How many experts a dense part has; 0 if it failed: parts beside the blended ones need blends that add up to 1. */
static uint32_t part_experts(const gali_draft *draft, const gali_part *part) {
    const gali_recognised *n = draft->network;
    int blended = 0, plain = 0;
    for (uint32_t t = 0; part->value && t < part->value->term_count; t++) {
        const gali_term *term = &part->value->terms[t];
        int blend = 0;
        for (uint32_t f = 0; f < term->factor_count; f++) {
            blend |= gali_draft_is_blend(draft, &term->factors[f]);
        }
        blended |= blend;
        plain |= !blend;
    }
    if (blended && plain && n->gate == GAL_GATE_CALLER) {
        gali_draft_fail(
            draft, part,
            "a part that is not blended beside parts that are: right only for blends that add up to 1");
        return 0;
    }
    return blended ? n->experts : 1;
}

static int describe_layer(const gali_draft *draft, const gali_draft_list *list, const gali_part *part,
                          gali_model_layer *layer) {
    uint32_t *sources =
        gali_allowance_take(draft->network->algebra.allowance, part->slice_count * sizeof(gali_source));
    uint32_t experts = part_experts(draft, part);
    if (!sources || !experts) {
        return 0;
    }
    *layer = (gali_model_layer){.kind = part->kind,
                                .activation = part->activation,
                                .experts = experts,
                                .outputs = part->width,
                                .slope = (float)part->slope,
                                .epsilon = part->kind == GALI_LAYER_LAYER_NORM ? (float)part->epsilon : 0,
                                .source_count = part->slice_count,
                                .sources = sources};
    for (uint32_t s = 0; s < part->slice_count; s++) {
        const gali_row_slice *slice = &part->slices[s];
        int value = value_of(draft, list, part, slice->leaf);
        if (value == GALI_ABSENT) {
            return 0;
        }
        gali_put_u32(sources, 3 * s, (uint32_t)value);
        gali_put_u32(sources, 3 * s + 1, value == 0 ? list->element[slice->first] : slice->first);
        gali_put_u32(sources, 3 * s + 2, slice->count);
        layer->inputs += slice->count;
    }
    return layer->inputs <= GALI_WIDTH_MAX || gali_draft_fail(draft, part, "reads too many features");
}

/* A layer that reads the value before it, whole, names no source. */
static void chain_layer(const gali_layer_list *list, gali_model_layer *layer, uint32_t index) {
    if (layer->source_count == 1) {
        gali_source source = gali_model_source(layer, 0);
        if (source.value == index && source.first == 0 && source.count == gali_layer_value_width(list, index)) {
            layer->source_count = 0;
            layer->sources = NULL;
        }
    }
}

static int describe_list(const gali_draft *draft, gali_draft_list *list, gali_model_layer *layers) {
    gali_allowance *allowance = draft->network->algebra.allowance;
    for (uint32_t i = 0; i < list->count; i++) {
        gali_part *part = &list->parts[i];
        if ((part->value && !find_slices(draft, list, part)) ||
            !describe_layer(draft, list, part, &layers[i])) {
            return 0;
        }
        gali_layer_list made = {.tag = "layers",
                                .layers = layers,
                                .count = i + 1,
                                .width = list->feature_count,
                                .experts = draft->network->experts};
        chain_layer(&made, &layers[i], i);
        gal_error error = {0};
        if (gali_layer_check(&made, i, 0, &error) != GAL_OK) {
            return gali_draft_fail(draft, part, error.message);
        }
    }
    return allowance->status == GAL_OK;
}

static int describe_gating(gali_draft *draft) {
    const gali_recognised *n = draft->network;
    gali_gating *gating = &draft->model.gating;
    uint32_t last = (uint32_t)n->algebra.leaves[n->gate_leaf].part;
    if (!make_list(draft, &draft->gating, last, GALI_GATING_LAYERS_MAX) ||
        !find_features(draft, &draft->gating, 0)) {
        return 0;
    }
    draft->gating.parts[draft->gating.count - 1].activation =
        GALI_ACTIVATION_NONE; /* the gate has a softmax itself */
    uint32_t *features =
        gali_allowance_take(n->algebra.allowance, draft->gating.feature_count * sizeof *features);
    for (uint32_t i = 0; features && i < draft->gating.feature_count; i++) {
        gali_put_u32(features, i, draft->gating.features[i]);
    }
    gating->features = features;
    gating->input_count = draft->gating.feature_count;
    gating->layer_count = draft->gating.count;
    return features && describe_list(draft, &draft->gating, gating->layers);
}

int gali_draft_make(gali_draft *draft, gali_recognised *n) {
    *draft = (gali_draft){.network = n};
    gali_model *m = &draft->model;
    if (!find_blend(draft) || !make_list(draft, &draft->main, n->output, GALI_LAYERS_MAX) ||
        !find_features(draft, &draft->main, 1)) {
        return 0;
    }
    m->gate = n->gate;
    m->experts = n->experts;
    m->inputs = n->algebra.leaves[n->x].width;
    m->outputs = n->parts[n->output].width;
    m->layer_count = draft->main.count;
    return (n->gate != GAL_GATE_NETWORK || describe_gating(draft)) &&
           describe_list(draft, &draft->main, m->layers);
}
