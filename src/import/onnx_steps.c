/*
 * Building programs: every step knows its shape from its operands', small constants are computed as soon as they
 * are added, and steps that change nothing are not added at all.
 */
#include <string.h>

#include "base/size.h"
#include "import/onnx_program.h"

const char *gali_onnx_place(const gali_onnx_program *program, uint32_t step) {
    return program->node_names[program->steps[step].node];
}

static int fail_here(gali_onnx_program *p, const char *why) {
    gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: %s", p->node_names[p->node], why);
    return GALI_ONNX_NONE;
}

static int grow(gali_onnx_program *p) {
    uint32_t capacity = p->capacity ? 2 * p->capacity : 256;
    gali_onnx_step *steps = gali_onnx_take(p->onnx, capacity * sizeof *steps);
    if (!steps) {
        return 0;
    }
    if (p->count) {
        memcpy(steps, p->steps, p->count * sizeof *steps);
    }
    p->steps = steps;
    p->capacity = capacity;
    return 1;
}

static int set_count(gali_onnx_program *p, gali_onnx_step *step) {
    step->count = 1;
    for (uint32_t i = 0; i < step->rank; i++) {
        step->count = gali_size_mul(step->count, step->shape[i]);
    }
    return step->count <= INT32_MAX ? 1 : fail_here(p, "a tensor of more than 2^31 numbers") != GALI_ONNX_NONE;
}

int gali_onnx_add(gali_onnx_program *p, const gali_onnx_step *made, const uint32_t *operands) {
    gali_onnx_step step = *made;
    uint32_t *list = gali_onnx_take(p->onnx, (step.operand_count + 1) * sizeof *list);
    if (!list || !set_count(p, &step) || (p->count == p->capacity && !grow(p))) {
        return GALI_ONNX_NONE;
    }
    if (p->count == GALI_ONNX_STEPS_MAX) {
        return fail_here(p, "too many steps");
    }
    int ready = 1;
    step.constant = step.kind != GALI_ONNX_INPUT;
    for (uint32_t i = 0; i < step.operand_count; i++) {
        list[i] = operands[i];
        step.constant &= p->steps[operands[i]].constant;
        ready &= p->steps[operands[i]].array.data != NULL;
    }
    step.operands = list;
    step.node = p->node;
    p->steps[p->count++] = step;
    /* An expanded constant stays one: its numbers are the same in every row. */
    if (step.constant && ready && step.kind != GALI_ONNX_EXPAND && step.count <= GALI_ONNX_FOLD_MAX &&
        !gali_onnx_numbers(p, p->count - 1).data) {
        return GALI_ONNX_NONE;
    }
    return (int)p->count - 1;
}

int gali_onnx_constant(gali_onnx_program *p, uint32_t rank, const uint32_t *shape, gali_onnx_array array,
                       int whole) {
    static const double none = 0;
    gali_onnx_step step = {.kind = GALI_ONNX_CONSTANT, .rank = rank, .array = array, .whole = whole};
    if (rank) {
        memcpy(step.shape, shape, rank * sizeof *shape);
    }
    if (!step.array.data) { /* no numbers at all */
        step.array = (gali_onnx_array){GALI_ONNX_F64, &none};
    }
    return gali_onnx_add(p, &step, NULL);
}

int gali_onnx_scalar(gali_onnx_program *p, double value) {
    double *number = gali_onnx_take(p->onnx, sizeof *number);
    if (!number) {
        return GALI_ONNX_NONE;
    }
    *number = value;
    return gali_onnx_constant(p, 0, NULL, (gali_onnx_array){GALI_ONNX_F64, number}, 0);
}

/* A step of one operand with its shape. */
static gali_onnx_step like(const gali_onnx_program *p, gali_onnx_kind kind, int a) {
    gali_onnx_step step = {
        .kind = kind, .rank = p->steps[a].rank, .operand_count = 1, .whole = p->steps[a].whole};
    memcpy(step.shape, p->steps[a].shape, sizeof step.shape);
    return step;
}

static int add_unary(gali_onnx_program *p, const gali_onnx_step *step, int a) {
    uint32_t operand = (uint32_t)a;
    return gali_onnx_add(p, step, &operand);
}

static int same_shape(const gali_onnx_step *step, uint32_t rank, const uint32_t *shape) {
    return step->rank == rank && (rank == 0 || memcmp(step->shape, shape, rank * sizeof *shape) == 0);
}

int gali_onnx_reshape(gali_onnx_program *p, int a, uint32_t rank, const uint32_t *shape) {
    if (a == GALI_ONNX_NONE || same_shape(&p->steps[a], rank, shape)) {
        return a;
    }
    gali_onnx_step step = like(p, GALI_ONNX_RESHAPE, a);
    size_t count = 1;
    step.rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        step.shape[i] = shape[i];
        count = gali_size_mul(count, shape[i]);
    }
    return count == p->steps[a].count ? add_unary(p, &step, a)
                                      : fail_here(p, "the new shape has another count of numbers");
}

int gali_onnx_permute(gali_onnx_program *p, int a, const uint32_t *axes) {
    if (a == GALI_ONNX_NONE) {
        return a;
    }
    gali_onnx_step step = like(p, GALI_ONNX_PERMUTE, a);
    int moved = 0;
    for (uint32_t i = 0; i < step.rank; i++) {
        step.axes[i] = axes[i];
        step.shape[i] = p->steps[a].shape[axes[i]];
        moved |= axes[i] != i;
    }
    return moved ? add_unary(p, &step, a) : a;
}

/* Axes of size 1 in front, up to a rank. */
static int raise(gali_onnx_program *p, int a, uint32_t rank) {
    uint32_t shape[GALI_ONNX_RANK_MAX] = {0}, missing = rank - p->steps[a].rank;
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = i < missing ? 1 : p->steps[a].shape[i - missing];
    }
    return gali_onnx_reshape(p, a, rank, shape);
}

int gali_onnx_expand(gali_onnx_program *p, int a, uint32_t rank, const uint32_t *shape) {
    if (a == GALI_ONNX_NONE || same_shape(&p->steps[a], rank, shape)) {
        return a;
    }
    a = p->steps[a].rank <= rank ? raise(p, a, rank) : GALI_ONNX_NONE;
    if (a == GALI_ONNX_NONE || same_shape(&p->steps[a], rank, shape)) {
        return a == GALI_ONNX_NONE ? fail_here(p, "shapes do not fit each other") : a;
    }
    gali_onnx_step step = like(p, GALI_ONNX_EXPAND, a);
    for (uint32_t i = 0; i < rank; i++) {
        if (step.shape[i] != shape[i] && step.shape[i] != 1) {
            return fail_here(p, "shapes do not fit each other");
        }
        step.shape[i] = shape[i];
    }
    return add_unary(p, &step, a);
}

int gali_onnx_slice(gali_onnx_program *p, int a, uint32_t axis, int64_t start, int64_t stride, uint32_t count) {
    if (a == GALI_ONNX_NONE || (start == 0 && stride == 1 && count == p->steps[a].shape[axis])) {
        return a;
    }
    gali_onnx_step step = like(p, GALI_ONNX_SLICE, a);
    int64_t last = start + stride * ((int64_t)count - 1), size = step.shape[axis];
    if (count > 0 && (start < 0 || start >= size || last < 0 || last >= size)) {
        return fail_here(p, "a slice past the end of an axis");
    }
    step.axis = axis;
    step.start = start;
    step.stride = stride;
    step.shape[axis] = count;
    return add_unary(p, &step, a);
}

int gali_onnx_concat(gali_onnx_program *p, uint32_t axis, const uint32_t *operands, uint32_t count) {
    if (count == 1) {
        return (int)operands[0];
    }
    gali_onnx_step step = like(p, GALI_ONNX_CONCAT, (int)operands[0]);
    size_t whole = step.shape[axis];
    step.axis = axis;
    step.operand_count = count;
    for (uint32_t i = 1; i < count; i++) {
        const gali_onnx_step *part = &p->steps[operands[i]];
        int fits = part->rank == step.rank;
        for (uint32_t d = 0; fits && d < step.rank; d++) {
            fits = d == axis || part->shape[d] == step.shape[d];
        }
        if (!fits) {
            return fail_here(p, "shapes do not fit each other");
        }
        whole = gali_size_add(whole, part->shape[axis]);
    }
    if (whole > INT32_MAX) {
        return fail_here(p, "a tensor of more than 2^31 numbers");
    }
    step.shape[axis] = (uint32_t)whole;
    return gali_onnx_add(p, &step, operands);
}

/* Labels of one operand, and the sizes that they get by it: broadcasting makes 1 anything. */
static int read_labels(gali_onnx_program *p, int a, const char *text, int8_t *labels, uint32_t size[256]) {
    const gali_onnx_step *step = &p->steps[a];
    if (strlen(text) != step->rank) {
        return fail_here(p, "an operand's rank does not fit");
    }
    for (uint32_t i = 0; i < step->rank; i++) {
        unsigned char letter = (unsigned char)text[i];
        if (size[letter] > 1 && step->shape[i] > 1 && size[letter] != step->shape[i]) {
            return fail_here(p, "shapes do not fit each other");
        }
        if (strchr(text, letter) != text + i) {
            return fail_here(p, "an axis twice in one operand");
        }
        size[letter] = size[letter] == 0 || size[letter] == 1 ? step->shape[i] : size[letter];
        labels[i] = (int8_t)letter;
    }
    return 1;
}

/* Letters to numbers in the order of their first use. */
static int number_labels(int8_t *labels, uint32_t rank, int8_t numbers[128], int *used) {
    for (uint32_t i = 0; i < rank; i++) {
        int8_t *number = &numbers[labels[i] & 127];
        if (*number < 0) {
            *number = (int8_t)(*used)++;
        }
        labels[i] = *number;
    }
    return *used <= GALI_ONNX_LABELS_MAX;
}

/* A sum over axes of a product is one product: the tensor in between, as large as all weights, is never made. */
static int sum_of_product(gali_onnx_program *p, int a, const char *labels, const char *out) {
    const gali_onnx_step *inner = &p->steps[a];
    gali_onnx_step step = *inner;
    step.rank = (uint32_t)strlen(out);
    step.array.data = NULL;
    for (uint32_t i = 0; i < step.rank; i++) {
        const char *letter = strchr(labels, out[i]);
        if (!letter) {
            return fail_here(p, "an axis of the result that no operand has");
        }
        size_t axis = (size_t)(letter - labels);
        step.out[i] = inner->out[axis];
        step.shape[i] = inner->shape[axis];
    }
    return gali_onnx_add(p, &step, inner->operands);
}

int gali_onnx_product(gali_onnx_program *p, int a, const char *a_labels, int b, const char *b_labels,
                      const char *out) {
    uint32_t size[256] = {0};
    int8_t numbers[128];
    int used = 0, two = b_labels != NULL;
    if (a == GALI_ONNX_NONE || (two && b == GALI_ONNX_NONE)) {
        return GALI_ONNX_NONE;
    }
    gali_onnx_step step = like(p, GALI_ONNX_PRODUCT, a);
    step.operand_count = two ? 2 : 1;
    if (read_labels(p, a, a_labels, step.labels[0], size) == GALI_ONNX_NONE ||
        (two && read_labels(p, b, b_labels, step.labels[1], size) == GALI_ONNX_NONE)) {
        return GALI_ONNX_NONE;
    }
    if (!two && p->steps[a].kind == GALI_ONNX_PRODUCT && p->steps[a].operand_count == 2 &&
        p->steps[a].count > GALI_ONNX_FUSE_LEAST) {
        return sum_of_product(p, a, a_labels, out);
    }
    step.rank = (uint32_t)strlen(out);
    step.whole = step.whole && (!two || p->steps[b].whole);
    for (uint32_t i = 0; i < step.rank; i++) {
        step.out[i] = out[i];
        step.shape[i] = size[(unsigned char)out[i]];
    }
    memset(numbers, -1, sizeof numbers);
    if (!number_labels(step.labels[0], p->steps[a].rank, numbers, &used) ||
        (two && !number_labels(step.labels[1], p->steps[b].rank, numbers, &used))) {
        return fail_here(p, "too many axes");
    }
    for (uint32_t i = 0; i < step.rank; i++) {
        step.out[i] = numbers[out[i] & 127];
        if (step.out[i] < 0) {
            return fail_here(p, "an axis of the result that no operand has");
        }
    }
    uint32_t operands[2] = {(uint32_t)a, (uint32_t)b};
    return gali_onnx_add(p, &step, operands);
}

/* The shape that operands are broadcast to; 0 if there is none. */
static int common_shape(gali_onnx_program *p, const int *operands, uint32_t count, uint32_t *rank,
                        uint32_t *shape) {
    *rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        *rank = p->steps[operands[i]].rank > *rank ? p->steps[operands[i]].rank : *rank;
    }
    for (uint32_t d = 0; d < *rank; d++) {
        shape[d] = 1;
        for (uint32_t i = 0; i < count; i++) {
            const gali_onnx_step *step = &p->steps[operands[i]];
            uint32_t missing = *rank - step->rank, size = d < missing ? 1 : step->shape[d - missing];
            if (size != 1 && shape[d] != 1 && size != shape[d]) {
                fail_here(p, "shapes do not fit each other");
                return 0;
            }
            shape[d] = size == 1 ? shape[d] : size;
        }
    }
    return 1;
}

int gali_onnx_map(gali_onnx_program *p, gali_onnx_function function, double alpha, int a, int b, int c) {
    int operands[3] = {a, b, c};
    uint32_t count = function < GALI_ONNX_POWER ? 1 : function < GALI_ONNX_WHERE ? 2 : 3;
    uint32_t rank, shape[GALI_ONNX_RANK_MAX] = {0}, list[3];
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i] == GALI_ONNX_NONE) {
            return GALI_ONNX_NONE;
        }
    }
    if (!common_shape(p, operands, count, &rank, shape)) {
        return GALI_ONNX_NONE;
    }
    int whole = 1;
    for (uint32_t i = 0; i < count; i++) {
        int wide = gali_onnx_expand(p, operands[i], rank, shape);
        if (wide == GALI_ONNX_NONE) {
            return wide;
        }
        whole &= p->steps[wide].whole;
        list[i] = (uint32_t)wide;
    }
    gali_onnx_step step = like(p, GALI_ONNX_MAP, (int)list[0]);
    step.function = function;
    step.alpha = alpha;
    step.operand_count = count;
    step.whole = whole || (function >= GALI_ONNX_EQUAL && function <= GALI_ONNX_OR);
    return gali_onnx_add(p, &step, list);
}

int gali_onnx_sum(gali_onnx_program *p, int a, int b) {
    int operands[2] = {a, b};
    uint32_t rank, shape[GALI_ONNX_RANK_MAX] = {0};
    if (a == GALI_ONNX_NONE || b == GALI_ONNX_NONE || !common_shape(p, operands, 2, &rank, shape)) {
        return GALI_ONNX_NONE;
    }
    int wide_a = gali_onnx_expand(p, a, rank, shape), wide_b = gali_onnx_expand(p, b, rank, shape);
    if (wide_a == GALI_ONNX_NONE || wide_b == GALI_ONNX_NONE) {
        return GALI_ONNX_NONE;
    }
    gali_onnx_step step = like(p, GALI_ONNX_ADD, wide_a);
    uint32_t list[2] = {(uint32_t)wide_a, (uint32_t)wide_b};
    step.operand_count = 2;
    step.whole = step.whole && p->steps[wide_b].whole;
    return gali_onnx_add(p, &step, list);
}

int gali_onnx_times(gali_onnx_program *p, int a, int b) {
    static const char letters[] = "abcdefgh";
    if (a == GALI_ONNX_NONE || b == GALI_ONNX_NONE) {
        return GALI_ONNX_NONE;
    }
    uint32_t rank = p->steps[a].rank > p->steps[b].rank ? p->steps[a].rank : p->steps[b].rank;
    const char *all = letters + GALI_ONNX_RANK_MAX - rank;
    a = raise(p, a, rank);
    b = a == GALI_ONNX_NONE ? a : raise(p, b, rank);
    return gali_onnx_product(p, a, all, b, all, all);
}

int gali_onnx_rows(gali_onnx_program *p, gali_onnx_kind kind, int a) {
    if (a == GALI_ONNX_NONE) {
        return a;
    }
    if (p->steps[a].rank == 0) {
        return fail_here(p, "a single number, an axis expected");
    }
    gali_onnx_step step = like(p, kind, a);
    step.shape[step.rank - 1] = kind == GALI_ONNX_MAXIMUM ? 1 : step.shape[step.rank - 1];
    return add_unary(p, &step, a);
}

int gali_onnx_gather(gali_onnx_program *p, int a, int indices) {
    if (a == GALI_ONNX_NONE || indices == GALI_ONNX_NONE) {
        return GALI_ONNX_NONE;
    }
    gali_onnx_step step = like(p, GALI_ONNX_GATHER, indices);
    uint32_t list[2] = {(uint32_t)a, (uint32_t)indices}, rest = p->steps[a].rank - 1;
    if (step.rank + rest > GALI_ONNX_RANK_MAX) {
        return fail_here(p, "too many axes");
    }
    for (uint32_t i = 0; i < rest; i++) {
        step.shape[step.rank++] = p->steps[a].shape[1 + i];
    }
    step.operand_count = 2;
    step.whole = p->steps[a].whole;
    return gali_onnx_add(p, &step, list);
}
