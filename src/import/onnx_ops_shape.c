/* Operators that move numbers, say shapes, or make constants. */
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "import/onnx_graph.h"

enum { RUNS_MAX = GALI_ONNX_FOLD_MAX };

/* ---- shapes ---- */

/* A target shape with 0 (as it is) and -1 (what is left); 0 if it failed. */
static int resolve_shape(gali_onnx_program *p, const gali_onnx_node *node, const int64_t *list, uint32_t rank,
                         uint32_t *shape) {
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    int keep_zero = gali_onnx_attribute_whole(node, "allowzero", 0) != 0, open = GALI_ONNX_NONE;
    size_t known = 1;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = list[i] == 0 && !keep_zero && i < from->rank ? from->shape[i] : list[i];
        if (size == -1 && open == GALI_ONNX_NONE) {
            open = (int)i;
            size = 1;
        }
        if (size < 0 || size > INT32_MAX) {
            gali_onnx_refuse(p, node, "dimension %u is %lld", i, (long long)list[i]);
            return 0;
        }
        shape[i] = (uint32_t)size;
        known = gali_size_mul(known, shape[i]);
    }
    if (open != GALI_ONNX_NONE) {
        shape[open] = known && known <= from->count ? (uint32_t)(from->count / known) : 0;
    }
    return 1;
}

int gali_onnx_lower_reshape(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t list[GALI_ONNX_RANK_MAX];
    uint32_t shape[GALI_ONNX_RANK_MAX];
    int rank;
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, NULL, list, GALI_ONNX_RANK_MAX, &rank) ||
        !resolve_shape(p, node, list, (uint32_t)rank, shape)) {
        return GALI_ONNX_NONE;
    }
    return gali_onnx_reshape(p, node->inputs[0], (uint32_t)rank, shape);
}

int gali_onnx_lower_flatten(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    int64_t axis = gali_onnx_attribute_whole(node, "axis", 1);
    uint32_t shape[2] = {1, 1};
    (void)argument;
    axis = axis < 0 ? axis + from->rank : axis;
    if (axis < 0 || axis > from->rank) {
        return gali_onnx_refuse(p, node, "axis %lld of %u", (long long)axis, from->rank);
    }
    for (uint32_t i = 0; i < from->rank; i++) {
        shape[i >= (uint32_t)axis] *= from->shape[i];
    }
    return gali_onnx_reshape(p, node->inputs[0], 2, shape);
}

/* Axes as input 1 or attribute, marked out of `rank`; how many are listed, or GALI_ONNX_NONE with *failed. */
static int mark_axes(gali_onnx_program *p, const gali_onnx_node *node, uint32_t rank, int *marked,
                     int *failed) {
    int64_t axes[GALI_ONNX_RANK_MAX];
    int count;
    const char *attribute = gali_onnx_input(node, 1) == GALI_ONNX_NONE ? "axes" : NULL;
    *failed = !gali_onnx_whole_list(p, node, 1, attribute, axes, GALI_ONNX_RANK_MAX, &count);
    rank += rank == 0 && count > 0 ? (uint32_t)count : 0;
    for (int i = 0; i < count && !*failed; i++) {
        int axis = gali_onnx_axis(p, node, axes[i], rank);
        *failed = axis == GALI_ONNX_NONE || marked[axis];
        if (!*failed) {
            marked[axis] = 1;
        }
    }
    if (*failed) {
        gali_onnx_refuse(p, node, "an axis twice");
    }
    return *failed ? GALI_ONNX_NONE : count;
}

int gali_onnx_lower_squeeze(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    int marked[GALI_ONNX_RANK_MAX] = {0}, failed, count = mark_axes(p, node, from->rank, marked, &failed);
    uint32_t shape[GALI_ONNX_RANK_MAX], rank = 0;
    (void)argument;
    from = &p->steps[node->inputs[0]];
    for (uint32_t i = 0; i < from->rank; i++) {
        int drop = count == GALI_ONNX_NONE ? from->shape[i] == 1 : marked[i];
        if (drop && from->shape[i] != 1) {
            return gali_onnx_refuse(p, node, "axis %u has size %u", i, from->shape[i]);
        }
        if (!drop) {
            shape[rank++] = from->shape[i];
        }
    }
    return failed ? GALI_ONNX_NONE : gali_onnx_reshape(p, node->inputs[0], rank, shape);
}

int gali_onnx_lower_unsqueeze(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t axes[GALI_ONNX_RANK_MAX];
    int count, marked[2 * GALI_ONNX_RANK_MAX] = {0};
    uint32_t shape[GALI_ONNX_RANK_MAX], next = 0;
    const char *attribute = gali_onnx_input(node, 1) == GALI_ONNX_NONE ? "axes" : NULL;
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, attribute, axes, GALI_ONNX_RANK_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    uint32_t rank = from->rank + (count > 0 ? (uint32_t)count : 0);
    if (count < 0 || rank > GALI_ONNX_RANK_MAX) {
        return gali_onnx_refuse(p, node, "no axes, or more than %d in all", GALI_ONNX_RANK_MAX);
    }
    for (int i = 0; i < count; i++) {
        int axis = gali_onnx_axis(p, node, axes[i], rank);
        if (axis == GALI_ONNX_NONE || marked[axis]) {
            return gali_onnx_refuse(p, node, "an axis twice");
        }
        marked[axis] = 1;
    }
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = marked[i] ? 1 : from->shape[next++];
    }
    return gali_onnx_reshape(p, node->inputs[0], rank, shape);
}

int gali_onnx_lower_transpose(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    uint32_t rank = p->steps[node->inputs[0]].rank, axes[GALI_ONNX_RANK_MAX];
    int64_t list[GALI_ONNX_RANK_MAX];
    int count, marked[GALI_ONNX_RANK_MAX] = {0};
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, "perm", list, GALI_ONNX_RANK_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    if (count != GALI_ONNX_NONE && (uint32_t)count != rank) {
        return gali_onnx_refuse(p, node, "%d axes of %u", count, rank);
    }
    for (uint32_t i = 0; i < rank; i++) {
        int axis = count == GALI_ONNX_NONE ? (int)(rank - 1 - i) : gali_onnx_axis(p, node, list[i], rank);
        if (axis == GALI_ONNX_NONE || marked[axis]) {
            return gali_onnx_refuse(p, node, "an axis twice");
        }
        marked[axis] = 1;
        axes[i] = (uint32_t)axis;
    }
    return gali_onnx_permute(p, node->inputs[0], axes);
}

/* Both ways: axes of size 1 of the shape take the operand's size. */
int gali_onnx_lower_expand(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t list[GALI_ONNX_RANK_MAX];
    uint32_t shape[GALI_ONNX_RANK_MAX];
    int count;
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, NULL, list, GALI_ONNX_RANK_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    uint32_t rank = (uint32_t)count > from->rank ? (uint32_t)count : from->rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t own = i + from->rank >= rank ? from->shape[i + from->rank - rank] : 1;
        int64_t asked = i + (uint32_t)count >= rank ? list[i + (uint32_t)count - rank] : 1;
        if (asked < 0 || asked > INT32_MAX) {
            return gali_onnx_refuse(p, node, "dimension %u is %lld", i, (long long)asked);
        }
        shape[i] = asked == 1 ? own : (uint32_t)asked;
    }
    return gali_onnx_expand(p, node->inputs[0], rank, shape);
}

/* [.. d ..] repeated r times along an axis is [.. 1 d ..] expanded to [.. r d ..]. */
static int repeat(gali_onnx_program *p, int a, uint32_t axis, uint32_t times) {
    if (a == GALI_ONNX_NONE) {
        return a;
    }
    const gali_onnx_step from = p->steps[a];
    uint32_t shape[GALI_ONNX_RANK_MAX + 1];
    for (uint32_t i = 0; i < from.rank; i++) {
        shape[i + (i >= axis)] = from.shape[i];
    }
    shape[axis] = 1;
    a = gali_onnx_reshape(p, a, from.rank + 1, shape);
    shape[axis] = times;
    a = gali_onnx_expand(p, a, from.rank + 1, shape);
    memcpy(shape, from.shape, sizeof from.shape);
    size_t whole = gali_size_mul(shape[axis], times);
    shape[axis] = whole <= INT32_MAX ? (uint32_t)whole : 0;
    return gali_onnx_reshape(p, a, from.rank, shape);
}

int gali_onnx_lower_tile(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t times[GALI_ONNX_RANK_MAX];
    int result = node->inputs[0], count;
    uint32_t rank = p->steps[result].rank;
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, NULL, times, GALI_ONNX_RANK_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    if ((uint32_t)count != rank || rank == GALI_ONNX_RANK_MAX) {
        return gali_onnx_refuse(p, node, "%d repeats of %u axes", count, rank);
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (times[i] < 1 || times[i] > INT32_MAX) {
            return gali_onnx_refuse(p, node, "%lld repeats", (long long)times[i]);
        }
        result = times[i] == 1 ? result : repeat(p, result, i, (uint32_t)times[i]);
    }
    return result;
}

/* ---- parts ---- */

int gali_onnx_lower_concat(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int axis =
        gali_onnx_axis(p, node, gali_onnx_attribute_whole(node, "axis", 0), p->steps[node->inputs[0]].rank);
    uint32_t *parts = gali_onnx_take(p->onnx, node->input_count * sizeof *parts);
    (void)argument;
    for (uint32_t i = 0; parts && i < node->input_count; i++) {
        if (node->inputs[i] == GALI_ONNX_NONE) {
            return gali_onnx_refuse(p, node, "input %u is missing", i);
        }
        parts[i] = (uint32_t)node->inputs[i];
    }
    return axis == GALI_ONNX_NONE || !parts ? GALI_ONNX_NONE
                                            : gali_onnx_concat(p, (uint32_t)axis, parts, node->input_count);
}

int gali_onnx_lower_split(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], count;
    int axis = gali_onnx_axis(p, node, gali_onnx_attribute_whole(node, "axis", 0), p->steps[a].rank);
    int64_t *sizes = gali_onnx_take(p->onnx, node->output_count * sizeof *sizes), start = 0;
    (void)argument;
    const char *attribute = gali_onnx_input(node, 1) == GALI_ONNX_NONE ? "split" : NULL;
    if (axis == GALI_ONNX_NONE || !sizes ||
        !gali_onnx_whole_list(p, node, 1, attribute, sizes, node->output_count, &count)) {
        return GALI_ONNX_NONE;
    }
    int64_t whole = p->steps[a].shape[axis], each = (whole + node->output_count - 1) / node->output_count;
    for (uint32_t i = 0; i < node->output_count; i++) {
        int64_t size = (int)i < count            ? sizes[i]
                       : count == GALI_ONNX_NONE ? (whole - start < each ? whole - start : each)
                                                 : -1;
        if (size < 0 || size > whole - start) {
            return gali_onnx_refuse(p, node, "parts that do not add up to %lld", (long long)whole);
        }
        node->outputs[i] = gali_onnx_slice(p, a, (uint32_t)axis, start, 1, (uint32_t)size);
        start += size;
    }
    return node->outputs[0];
}

/* start and end as ONNX clamps them, then how many there are. */
static uint32_t clamp_range(int64_t size, int64_t *start, int64_t end, int64_t stride) {
    int64_t least = stride > 0 ? 0 : -1, most = stride > 0 ? size : size - 1;
    int64_t from = *start < 0 ? *start + size : *start,
            to = end < 0 ? (end <= INT64_MIN + size ? INT64_MIN : end + size) : end;
    from = from < 0 ? 0 : from > most ? most : from;
    to = to < least ? least : to > most ? most : to;
    *start = from;
    int64_t room = stride > 0 ? to - from : from - to, pace = stride > 0 ? stride : -stride;
    return room <= 0 ? 0 : (uint32_t)((room - 1) / pace + 1);
}

int gali_onnx_lower_slice(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t lists[4][GALI_ONNX_RANK_MAX]; /* starts, ends, axes, strides */
    int counts[4], result = node->inputs[0];
    uint32_t rank = p->steps[result].rank;
    (void)argument;
    for (uint32_t i = 0; i < 4; i++) {
        if (!gali_onnx_whole_list(p, node, i + 1, NULL, lists[i], GALI_ONNX_RANK_MAX, &counts[i])) {
            return GALI_ONNX_NONE;
        }
    }
    for (int i = 0; i < counts[0]; i++) {
        int axis = gali_onnx_axis(p, node, i < counts[2] ? lists[2][i] : i, rank);
        int64_t start = lists[0][i], stride = i < counts[3] ? lists[3][i] : 1;
        if (axis == GALI_ONNX_NONE || i >= counts[1] || stride == 0 || stride > INT32_MAX ||
            stride < -INT32_MAX) {
            return gali_onnx_refuse(p, node, "starts, ends and steps do not fit each other");
        }
        uint32_t count = clamp_range(p->steps[result].shape[axis], &start, lists[1][i], stride);
        result = gali_onnx_slice(p, result, (uint32_t)axis, count ? start : 0, stride, count);
        if (result == GALI_ONNX_NONE) {
            break;
        }
    }
    return result;
}

/* Chosen places of an axis: even runs are slices. */
static int choose(gali_onnx_program *p, const gali_onnx_node *node, int a, uint32_t axis, const int64_t *index,
                  uint32_t count) {
    uint32_t *parts = gali_onnx_take(p->onnx, (count + 1) * sizeof *parts), made = 0;
    for (uint32_t i = 0; parts && i < count;) {
        uint32_t run = 1;
        int64_t stride = i + 1 < count ? index[i + 1] - index[i] : 1;
        while (stride != 0 && i + run < count && index[i + run] - index[i + run - 1] == stride) {
            run++;
        }
        int part = gali_onnx_slice(p, a, axis, index[i], run > 1 ? stride : 1, run);
        if (part == GALI_ONNX_NONE) {
            return part;
        }
        parts[made++] = (uint32_t)part;
        i += run;
    }
    if (!parts || made == 0) {
        return gali_onnx_refuse(p, node, "no indices");
    }
    return gali_onnx_concat(p, axis, parts, made);
}

/* Negative indices count from the end. */
static int count_from_front(gali_onnx_program *p, const gali_onnx_node *node, int64_t *index, uint32_t size) {
    *index += *index < 0 ? size : 0;
    if (*index < 0 || *index >= size) {
        gali_onnx_refuse(p, node, "index %lld of %u", (long long)*index, size);
        return 0;
    }
    return 1;
}

int gali_onnx_lower_gather(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], b = node->inputs[1], count;
    const gali_onnx_step from = p->steps[a], chosen = p->steps[b];
    int axis = gali_onnx_axis(p, node, gali_onnx_attribute_whole(node, "axis", 0), from.rank);
    uint32_t shape[2 * GALI_ONNX_RANK_MAX], rank = 0;
    (void)argument;
    if (axis == GALI_ONNX_NONE) {
        return axis;
    }
    if (!chosen.constant) {
        return axis == 0 ? gali_onnx_gather(p, a, b)
                         : gali_onnx_refuse(p, node, "indices that depend on the graph's inputs");
    }
    int64_t *index = gali_onnx_take(p->onnx, RUNS_MAX * sizeof *index);
    if (!index || !gali_onnx_whole_list(p, node, 1, NULL, index, RUNS_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    for (int i = 0; i < count; i++) {
        if (!count_from_front(p, node, &index[i], from.shape[axis])) {
            return GALI_ONNX_NONE;
        }
    }
    if (from.rank + chosen.rank > GALI_ONNX_RANK_MAX + 1) {
        return gali_onnx_refuse(p, node, "too many axes");
    }
    for (uint32_t i = 0; i < from.rank; i++) {
        for (uint32_t j = 0; i == (uint32_t)axis && j < chosen.rank; j++) {
            shape[rank++] = chosen.shape[j];
        }
        if (i != (uint32_t)axis) {
            shape[rank++] = from.shape[i];
        }
    }
    return gali_onnx_reshape(p, choose(p, node, a, (uint32_t)axis, index, (uint32_t)count), rank, shape);
}

/* The first axes, as many as an index has numbers, become one; then it is a Gather along that. */
int gali_onnx_lower_gather_nd(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], b = node->inputs[1], count;
    const gali_onnx_step from = p->steps[a], chosen = p->steps[b];
    const uint32_t depth = chosen.rank ? chosen.shape[chosen.rank - 1] : 0;
    uint32_t shape[2 * GALI_ONNX_RANK_MAX] = {1}, rank = 1;
    (void)argument;
    if (gali_onnx_attribute_whole(node, "batch_dims", 0) != 0 || !chosen.constant) {
        return gali_onnx_refuse(p, node, "batch_dims, or indices that depend on the graph's inputs");
    }
    if (depth == 0 || depth > from.rank || chosen.rank - 1 + from.rank - depth > GALI_ONNX_RANK_MAX) {
        return gali_onnx_refuse(p, node, "indices of %u numbers into %u axes", depth, from.rank);
    }
    int64_t *index = gali_onnx_take(p->onnx, RUNS_MAX * sizeof *index);
    if (!index || !gali_onnx_whole_list(p, node, 1, NULL, index, RUNS_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    for (int i = 0; i < count; i++) {
        const uint32_t axis = (uint32_t)i % depth;
        if (!count_from_front(p, node, &index[i], from.shape[axis])) {
            return GALI_ONNX_NONE;
        }
        const int64_t before = axis ? index[i / (int)depth] * from.shape[axis] : 0;
        index[i / (int)depth] = before + index[i];
    }
    for (uint32_t i = 0; i < depth; i++) {
        shape[0] *= from.shape[i];
    }
    for (uint32_t i = depth; i < from.rank; i++) {
        shape[rank++] = from.shape[i];
    }
    int picked = choose(p, node, gali_onnx_reshape(p, a, rank, shape), 0, index, (uint32_t)count / depth);
    memmove(shape + chosen.rank - 1, shape + 1, (rank - 1) * sizeof *shape);
    memcpy(shape, chosen.shape, (chosen.rank - 1) * sizeof *shape);
    return gali_onnx_reshape(p, picked, chosen.rank - 1 + rank - 1, shape);
}

/* ---- constants ---- */

/* A list of whole numbers, or count equal ones. */
static int add_whole(gali_onnx_program *p, const int64_t *list, uint32_t count) {
    double *numbers = gali_onnx_take(p->onnx, (count + 1) * sizeof *numbers);
    for (uint32_t i = 0; numbers && i < count; i++) {
        numbers[i] = (double)list[i];
    }
    return numbers ? gali_onnx_constant(p, 1, &count, (gali_onnx_array){GALI_ONNX_F64, numbers}, 1)
                   : GALI_ONNX_NONE;
}

int gali_onnx_lower_shape(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const gali_onnx_step *from = &p->steps[node->inputs[0]];
    int64_t list[GALI_ONNX_RANK_MAX], start = gali_onnx_attribute_whole(node, "start", 0);
    (void)argument;
    for (uint32_t i = 0; i < from->rank; i++) {
        list[i] = from->shape[i];
    }
    uint32_t count = clamp_range(from->rank, &start, gali_onnx_attribute_whole(node, "end", INT64_MAX), 1);
    return add_whole(p, list + (count ? start : 0), count);
}

int gali_onnx_lower_filled(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t list[GALI_ONNX_RANK_MAX];
    uint32_t shape[GALI_ONNX_RANK_MAX];
    int rank, whole = 0;
    const Onnx__AttributeProto *value = gali_onnx_attribute(node, "value");
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 0, NULL, list, GALI_ONNX_RANK_MAX, &rank)) {
        return GALI_ONNX_NONE;
    }
    for (int i = 0; i < rank; i++) {
        if (list[i] < 0 || list[i] > INT32_MAX) {
            return gali_onnx_refuse(p, node, "dimension %d is %lld", i, (long long)list[i]);
        }
        shape[i] = (uint32_t)list[i];
    }
    int number = value && value->t ? gali_onnx_tensor(p, value->t, node->place) : gali_onnx_scalar(p, 0);
    if (number == GALI_ONNX_NONE) {
        return number;
    }
    whole = p->steps[number].whole;
    number = gali_onnx_expand(p, gali_onnx_reshape(p, number, 0, NULL), (uint32_t)rank, shape);
    if (number != GALI_ONNX_NONE) {
        p->steps[number].whole = whole;
    }
    return number;
}

int gali_onnx_lower_range(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    double ends[3], *numbers;
    (void)argument;
    for (uint32_t i = 0; i < 3; i++) {
        const gali_onnx_step *end = &p->steps[node->inputs[i]];
        if (!end->constant || end->count != 1) {
            return gali_onnx_refuse(p, node, "its ends must be constant numbers");
        }
        gali_onnx_array array = gali_onnx_numbers(p, (uint32_t)node->inputs[i]);
        if (!array.data) {
            return GALI_ONNX_NONE;
        }
        gali_onnx_load(&array, 0, 1, 1, &ends[i]);
    }
    double room = (ends[1] - ends[0]) / ends[2];
    if (!(room <= (double)GALI_ONNX_FOLD_MAX)) {
        return gali_onnx_refuse(p, node, "more than %d numbers", GALI_ONNX_FOLD_MAX);
    }
    uint32_t count = room > 0 ? (uint32_t)room + (room > (double)(uint32_t)room) : 0;
    numbers = gali_onnx_take(p->onnx, (count + 1) * sizeof *numbers);
    for (uint32_t i = 0; numbers && i < count; i++) {
        numbers[i] = ends[0] + i * ends[2];
    }
    return numbers ? gali_onnx_constant(p, 1, &count, (gali_onnx_array){GALI_ONNX_F64, numbers},
                                        p->steps[node->inputs[0]].whole)
                   : GALI_ONNX_NONE;
}

int gali_onnx_lower_constant(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const Onnx__AttributeProto *tensor = gali_onnx_attribute(node, "value");
    const Onnx__AttributeProto *whole = gali_onnx_attribute(node, "value_int");
    const Onnx__AttributeProto *wholes = gali_onnx_attribute(node, "value_ints");
    const Onnx__AttributeProto *number = gali_onnx_attribute(node, "value_float");
    const Onnx__AttributeProto *numbers = gali_onnx_attribute(node, "value_floats");
    (void)argument;
    if (tensor && tensor->t) {
        return gali_onnx_tensor(p, tensor->t, node->place);
    }
    if (whole) {
        return gali_onnx_reshape(p, add_whole(p, &whole->i, 1), 0, NULL);
    }
    if (wholes && wholes->n_ints <= GALI_ONNX_FOLD_MAX) {
        return add_whole(p, wholes->ints, (uint32_t)wholes->n_ints);
    }
    if (number) {
        return gali_onnx_scalar(p, (double)number->f);
    }
    if (numbers && numbers->n_floats <= INT32_MAX) {
        uint32_t count = (uint32_t)numbers->n_floats;
        return gali_onnx_constant(p, 1, &count, (gali_onnx_array){GALI_ONNX_FLOAT, numbers->floats}, 0);
    }
    return gali_onnx_refuse(p, node, "a value of numbers expected");
}

/* off + (on - off) [index = place]: the new axis is the last one. */
int gali_onnx_lower_one_hot(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t depth = 0;
    int count, index = node->inputs[0];
    const gali_onnx_step from = p->steps[index];
    uint32_t shape[GALI_ONNX_RANK_MAX + 1];
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 1, NULL, &depth, 1, &count)) {
        return GALI_ONNX_NONE;
    }
    int64_t axis = gali_onnx_attribute_whole(node, "axis", -1);
    if (count != 1 || depth < 1 || depth > GALI_ONNX_FOLD_MAX || from.rank == GALI_ONNX_RANK_MAX ||
        (axis != -1 && axis != from.rank) || p->steps[node->inputs[2]].count != 2) {
        return gali_onnx_refuse(p, node, "a depth of 1..%d along a new last axis expected", GALI_ONNX_FOLD_MAX);
    }
    double *numbers = gali_onnx_take(p->onnx, (size_t)depth * sizeof *numbers);
    for (int64_t i = 0; numbers && i < depth; i++) {
        numbers[i] = (double)i;
    }
    if (!numbers) {
        return GALI_ONNX_NONE;
    }
    uint32_t places = (uint32_t)depth;
    int place = gali_onnx_constant(p, 1, &places, (gali_onnx_array){GALI_ONNX_F64, numbers}, 1);
    memcpy(shape, from.shape, sizeof from.shape);
    shape[from.rank] = 1;
    index = gali_onnx_reshape(p, index, from.rank + 1, shape);
    int hot = gali_onnx_map(
        p, GALI_ONNX_EQUAL, 0,
        gali_onnx_map(p, GALI_ONNX_MODULO, 0, index, gali_onnx_scalar(p, (double)depth), GALI_ONNX_NONE), place,
        GALI_ONNX_NONE);
    int values = gali_onnx_reshape(p, node->inputs[2], 1, (uint32_t[]){2});
    int off = gali_onnx_slice(p, values, 0, 0, 1, 1), on = gali_onnx_slice(p, values, 0, 1, 1, 1);
    int result = gali_onnx_map(p, GALI_ONNX_WHERE, 0, hot, on, off);
    if (result != GALI_ONNX_NONE) {
        p->steps[result].whole = p->steps[node->inputs[2]].whole;
    }
    return result;
}
