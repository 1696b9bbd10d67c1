/* Operators that move numbers. Shapes are those of the operators' rules; here it is said which numbers go where. */
#include <string.h>

#include "recognise/spell.h"

enum { RUNS_MAX = GALI_FORM_FOLD_MAX };

static int done(gali_spelling *s, uint32_t value) {
    s->results[0] = value;
    return value != GALI_NONE;
}

/* -rank..rank-1 to 0..rank-1: that it is one the rule has seen to. */
static uint32_t axis_of(const gali_spelling *s, int64_t axis, uint32_t operand) {
    int rank = gali_form_type(s->form, s->operands[operand])->rank;
    return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* The result's type by the rule: the node is made and not used. */
static int result_type(gali_spelling *s, gali_type *type) {
    int good = gali_spell_kept(s);
    if (good) {
        *type = *gali_form_type(s->form, s->results[0]);
    }
    return good;
}

/* Whether the node as it is has its numbers already: a small constant. */
static int is_settled(const gali_spelling *s) {
    return s->form->values[s->results[0]].array.data != NULL;
}

/* Flatten, Squeeze, Unsqueeze and Reshape: row-major order is kept, so the shape says all. */
int gali_spell_reshape(gali_spelling *s) {
    gali_type type;
    return result_type(s, &type) &&
           (is_settled(s) || done(s, gali_form_reshape(s->form, s->operands[0], type.rank, type.shape)));
}

int gali_spell_transpose(gali_spelling *s) {
    const gali_attribute *perm = gali_node_attribute(s->node, "perm");
    int rank = gali_form_type(s->form, s->operands[0])->rank;
    int64_t axes[GALI_RANK_MAX];
    if (perm && perm->count != (uint32_t)rank) {
        return gali_spell_kept(s); /* its rule refuses it */
    }
    for (int i = 0; i < rank; i++) {
        axes[i] = perm ? perm->ints[i] : rank - 1 - i;
    }
    return done(s, gali_form_permute(s->form, s->operands[0], axes));
}

int gali_spell_expand(gali_spelling *s) {
    gali_type type;
    return result_type(s, &type) && done(s, gali_form_expand(s->form, s->operands[0], type.rank, type.shape));
}

/* [.. d ..] repeated r times along an axis is [.. 1 d ..] expanded to [.. r d ..]. */
static uint32_t repeat(gali_form *f, uint32_t a, uint32_t axis, int64_t times) {
    if (a == GALI_NONE) {
        return a;
    }
    gali_type from = *gali_form_type(f, a);
    int64_t shape[GALI_RANK_MAX + 1];
    for (uint32_t i = 0; i < (uint32_t)from.rank; i++) {
        shape[i + (i >= axis)] = from.shape[i];
    }
    shape[axis] = 1;
    a = gali_form_reshape(f, a, from.rank + 1, shape);
    shape[axis] = times;
    a = a == GALI_NONE ? a : gali_form_expand(f, a, from.rank + 1, shape);
    from.shape[axis] *= times;
    return gali_form_reshape(f, a, from.rank, from.shape);
}

int gali_spell_tile(gali_spelling *s) {
    int64_t times[GALI_RANK_MAX];
    uint32_t result = s->operands[0], count, rank = (uint32_t)gali_form_type(s->form, result)->rank;
    gali_type type;
    if (!result_type(s, &type) || !gali_form_list(s->form, s->operands[1], times, GALI_RANK_MAX, &count)) {
        return 0;
    }
    if (rank == GALI_RANK_MAX || gali_form_count(s->form, s->results[0]) == 0) {
        return 1; /* as it is */
    }
    for (uint32_t i = 0; i < rank; i++) {
        result = times[i] == 1 ? result : repeat(s->form, result, i, times[i]);
    }
    return done(s, result);
}

int gali_spell_concat(gali_spelling *s) {
    return done(s, gali_form_concat(s->form, axis_of(s, gali_node_int(s->node, "axis"), 0), s->operands,
                                    s->node->operand_count));
}

int gali_spell_split(gali_spelling *s) {
    uint32_t axis = axis_of(s, gali_node_int(s->node, "axis"), 0);
    int64_t start = 0;
    if (!gali_spell_kept(s)) {
        return 0;
    }
    for (uint32_t i = 0; i < s->node->result_count; i++) {
        int64_t size = gali_form_type(s->form, s->results[i])->shape[axis];
        s->results[i] = gali_form_slice(s->form, s->operands[0], axis, start, 1, size);
        start += size;
        if (s->results[i] == GALI_NONE) {
            return 0;
        }
    }
    return 1;
}

/* Where a slice along an axis starts, as ONNX counts and clamps. */
static int64_t start_of(int64_t size, int64_t start, int64_t stride) {
    int64_t most = stride > 0 ? size : size - 1, from = start < 0 ? start + size : start;
    return from < 0 ? 0 : from > most ? most : from;
}

/* One axis after another; how many numbers are left is the rule's. */
int gali_spell_slice(gali_spelling *s) {
    int64_t starts[GALI_RANK_MAX], axes[GALI_RANK_MAX], strides[GALI_RANK_MAX];
    uint32_t count, listed = 0, strided = 0, result = s->operands[0];
    uint32_t axis_list = gali_spelling_operand(s, 3), stride_list = gali_spelling_operand(s, 4);
    gali_form *f = s->form;
    gali_type type;
    if (!result_type(s, &type) || !gali_form_list(f, s->operands[1], starts, GALI_RANK_MAX, &count) ||
        (axis_list != GALI_NONE && !gali_form_list(f, axis_list, axes, GALI_RANK_MAX, &listed)) ||
        (stride_list != GALI_NONE && !gali_form_list(f, stride_list, strides, GALI_RANK_MAX, &strided))) {
        return 0;
    }
    for (uint32_t i = 0; i < count && result != GALI_NONE; i++) {
        uint32_t axis = axis_of(s, i < listed ? axes[i] : i, 0);
        int64_t stride = i < strided ? strides[i] : 1, size = gali_form_type(f, result)->shape[axis];
        if (stride == 0 || stride > INT32_MAX || stride < -INT32_MAX) {
            gali_form_refuse(f, "a step of %lld", (long long)stride);
            return 0;
        }
        int64_t kept = type.shape[axis];
        result = gali_form_slice(f, result, axis, kept ? start_of(size, starts[i], stride) : 0, stride, kept);
    }
    return done(s, result);
}

/* Chosen places of an axis: even runs are slices. */
static uint32_t choose(gali_form *f, uint32_t a, uint32_t axis, const int64_t *index, uint32_t count) {
    uint32_t *parts = gali_allowance_take(f->allowance, (count + 1) * sizeof *parts), made = 0;
    for (uint32_t i = 0; parts && i < count;) {
        uint32_t run = 1;
        int64_t stride = i + 1 < count ? index[i + 1] - index[i] : 1;
        while (stride != 0 && i + run < count && index[i + run] - index[i + run - 1] == stride) {
            run++;
        }
        uint32_t part = gali_form_slice(f, a, axis, index[i], run > 1 ? stride : 1, run);
        if (part == GALI_NONE) {
            return part;
        }
        parts[made++] = part;
        i += run;
    }
    return parts && made ? gali_form_concat(f, axis, parts, made) : gali_form_refuse(f, "no indices");
}

/* Negative indices count from the end. */
static int count_from_front(gali_form *f, int64_t *index, int64_t size) {
    *index += *index < 0 ? size : 0;
    return (*index >= 0 && *index < size) ||
           gali_form_refuse(f, "index %lld of %lld", (long long)*index, (long long)size) != GALI_NONE;
}

int gali_spell_gather(gali_spelling *s) {
    gali_form *f = s->form;
    uint32_t a = s->operands[0], axis = axis_of(s, gali_node_int(s->node, "axis"), 0), count;
    gali_type type;
    if (!f->values[s->operands[1]].constant) {
        return gali_spell_kept(s);
    }
    int64_t *index = gali_allowance_take(f->allowance, RUNS_MAX * sizeof *index);
    if (!index || !gali_form_list(f, s->operands[1], index, RUNS_MAX, &count)) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!count_from_front(f, &index[i], gali_form_type(f, a)->shape[axis])) {
            return 0;
        }
    }
    return result_type(s, &type) &&
           (is_settled(s) ||
            done(s, gali_form_reshape(f, choose(f, a, axis, index, count), type.rank, type.shape)));
}

/* The first axes, as many as an index has numbers, become one; then it is a Gather along that. */
int gali_spell_gather_nd(gali_spelling *s) {
    gali_form *f = s->form;
    gali_type from = *gali_form_type(f, s->operands[0]), chosen = *gali_form_type(f, s->operands[1]), type;
    int64_t depth = chosen.rank ? chosen.shape[chosen.rank - 1] : 0, shape[GALI_RANK_MAX] = {1};
    uint32_t count;
    int rank = 1;
    if (!f->values[s->operands[1]].constant || gali_node_int(s->node, "batch_dims") != 0 || depth < 1 ||
        depth > from.rank) {
        return gali_spell_kept(s);
    }
    int64_t *index = gali_allowance_take(f->allowance, RUNS_MAX * sizeof *index);
    if (!index || !gali_form_list(f, s->operands[1], index, RUNS_MAX, &count)) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t axis = i % (uint32_t)depth, to = i / (uint32_t)depth;
        if (!count_from_front(f, &index[i], from.shape[axis])) {
            return 0;
        }
        index[to] = (axis ? index[to] * from.shape[axis] : 0) + index[i];
    }
    for (int i = 0; i < from.rank; i++) {
        if (i < depth) {
            shape[0] *= from.shape[i];
        } else {
            shape[rank++] = from.shape[i];
        }
    }
    uint32_t flat = gali_form_reshape(f, s->operands[0], rank, shape);
    return flat != GALI_NONE && result_type(s, &type) &&
           done(s, gali_form_reshape(f, choose(f, flat, 0, index, count / (uint32_t)depth), type.rank,
                                     type.shape));
}
