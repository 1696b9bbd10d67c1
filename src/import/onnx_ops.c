/* The list of operators, and those that compute: each node becomes a few steps. Movers are in onnx_ops_shape.c. */
#include <math.h>
#include <string.h>

#include "import/onnx_graph.h"

/* ---- number by number ---- */

static int lower_map(gali_onnx_program *p, gali_onnx_node *node, int function) {
    double missing = function == GALI_ONNX_LEAKY ? (double)0.01f : 1;
    double alpha = gali_onnx_attribute_number(node, "alpha", missing);
    return gali_onnx_map(p, (gali_onnx_function)function, alpha, node->inputs[0], gali_onnx_input(node, 1),
                         gali_onnx_input(node, 2));
}

/* Sum, Min, Max, Add: any number of operands. */
static int lower_many(gali_onnx_program *p, gali_onnx_node *node, int function) {
    int result = node->inputs[0];
    for (uint32_t i = 1; i < node->input_count; i++) {
        result = function == GALI_ONNX_NONE ? gali_onnx_sum(p, result, node->inputs[i])
                                            : gali_onnx_map(p, (gali_onnx_function)function, 0, result,
                                                            node->inputs[i], GALI_ONNX_NONE);
    }
    return result;
}

static int scaled(gali_onnx_program *p, int a, double factor) {
    return factor == 1 ? a : gali_onnx_times(p, a, gali_onnx_scalar(p, factor));
}

static int shifted(gali_onnx_program *p, int a, double term) {
    return gali_onnx_sum(p, a, gali_onnx_scalar(p, term));
}

static int map_one(gali_onnx_program *p, gali_onnx_function function, int a) {
    return gali_onnx_map(p, function, 0, a, GALI_ONNX_NONE, GALI_ONNX_NONE);
}

static int lower_sub(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)argument;
    return gali_onnx_sum(p, node->inputs[0], scaled(p, node->inputs[1], -1));
}

static int lower_neg(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)argument;
    return scaled(p, node->inputs[0], -1);
}

static int lower_mul(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)argument;
    return gali_onnx_times(p, node->inputs[0], node->inputs[1]);
}

static int lower_div(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], b = node->inputs[1];
    (void)argument;
    if (p->steps[a].whole && p->steps[b].whole) {
        return gali_onnx_map(p, GALI_ONNX_DIVIDE_WHOLE, 0, a, b, GALI_ONNX_NONE);
    }
    return gali_onnx_times(p, a, map_one(p, GALI_ONNX_RECIPROCAL, b));
}

static int lower_mod(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)argument;
    int function = gali_onnx_attribute_whole(node, "fmod", 0) ? GALI_ONNX_REMAINDER : GALI_ONNX_MODULO;
    return lower_map(p, node, function);
}

static int lower_clip(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int result = node->inputs[0], least = gali_onnx_input(node, 1), most = gali_onnx_input(node, 2);
    (void)argument;
    if (least != GALI_ONNX_NONE) {
        result = gali_onnx_map(p, GALI_ONNX_MOST, 0, result, least, GALI_ONNX_NONE);
    }
    if (most != GALI_ONNX_NONE) {
        result = gali_onnx_map(p, GALI_ONNX_LEAST, 0, result, most, GALI_ONNX_NONE);
    }
    return result;
}

/* relu(x) - slope relu(-x) */
static int lower_prelu(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)argument;
    int negative = map_one(p, GALI_ONNX_RELU, scaled(p, node->inputs[0], -1));
    return gali_onnx_sum(p, map_one(p, GALI_ONNX_RELU, node->inputs[0]),
                         scaled(p, gali_onnx_times(p, negative, node->inputs[1]), -1));
}

static int lower_gelu(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const Onnx__AttributeProto *kind = gali_onnx_attribute(node, "approximate");
    int x = node->inputs[0];
    (void)argument;
    if (kind && kind->s.len == 4 && memcmp(kind->s.data, "tanh", 4) == 0) {
        return map_one(p, GALI_ONNX_GELU_TANH, x);
    }
    int bell = shifted(p, map_one(p, GALI_ONNX_ERF, scaled(p, x, sqrt(0.5))), 1);
    return gali_onnx_times(p, scaled(p, x, 0.5), bell);
}

/* Identity of values; between floats and whole numbers they change. */
static int lower_cast(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t to = gali_onnx_attribute_whole(node, "to", 0);
    int a = node->inputs[0];
    (void)argument;
    int real = to == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT || to == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
    int whole = to == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 || to == ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    if (to == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL) {
        return map_one(p, GALI_ONNX_NOT, map_one(p, GALI_ONNX_NOT, a));
    }
    if (!real && !whole) {
        return gali_onnx_refuse(p, node, "to type %lld; float, double, int32, int64 and bool are supported",
                                (long long)to);
    }
    if (whole == p->steps[a].whole) {
        return a;
    }
    int truncated = map_one(p, GALI_ONNX_TRUNCATE, a);
    if (truncated != GALI_ONNX_NONE) {
        p->steps[truncated].whole = whole;
    }
    return truncated;
}

static int lower_identity(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    (void)p;
    (void)argument;
    return node->inputs[0];
}

static int lower_dropout(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int64_t training = 0;
    int count;
    (void)argument;
    if (!gali_onnx_whole_list(p, node, 2, NULL, &training, 1, &count)) {
        return GALI_ONNX_NONE;
    }
    return count > 0 && training ? gali_onnx_refuse(p, node, "in training mode") : node->inputs[0];
}

/* ---- sums over axes ---- */

static const char letters[] = "abcdefgh";

/* Sum over marked axes, which stay with size 1. */
static int sum_axes(gali_onnx_program *p, int a, const int *marked) {
    uint32_t rank = p->steps[a].rank, kept = 0, shape[GALI_ONNX_RANK_MAX];
    char in[GALI_ONNX_RANK_MAX + 1] = "", out[GALI_ONNX_RANK_MAX + 1] = "";
    for (uint32_t i = 0; i < rank; i++) {
        in[i] = letters[i];
        shape[i] = marked[i] ? 1 : p->steps[a].shape[i];
        if (!marked[i]) {
            out[kept++] = letters[i];
        }
    }
    int sum = gali_onnx_product(p, a, in, GALI_ONNX_NONE, NULL, out);
    return gali_onnx_reshape(p, sum, rank, shape);
}

/* Marks the axes of a reduction; GALI_ONNX_NONE if it failed, else how many numbers each sum has. */
static int64_t mark_axes(gali_onnx_program *p, const gali_onnx_node *node, int *marked) {
    const gali_onnx_step *a = &p->steps[node->inputs[0]];
    int64_t axes[GALI_ONNX_RANK_MAX], product = 1;
    int count, as_input = gali_onnx_input(node, 1) != GALI_ONNX_NONE;
    if (!gali_onnx_whole_list(p, node, 1, as_input ? NULL : "axes", axes, GALI_ONNX_RANK_MAX, &count)) {
        return GALI_ONNX_NONE;
    }
    int all = count <= 0 && !gali_onnx_attribute_whole(node, "noop_with_empty_axes", 0);
    for (uint32_t i = 0; i < a->rank; i++) {
        marked[i] = all;
    }
    for (int i = 0; i < count; i++) {
        int axis = gali_onnx_axis(p, node, axes[i], a->rank);
        if (axis == GALI_ONNX_NONE) {
            return GALI_ONNX_NONE;
        }
        marked[axis] = 1;
    }
    for (uint32_t i = 0; i < a->rank; i++) {
        product *= marked[i] ? a->shape[i] : 1;
    }
    return product;
}

/* Drops the marked axes, of size 1, unless the node keeps them. */
static int drop_axes(gali_onnx_program *p, const gali_onnx_node *node, int a, const int *marked) {
    uint32_t shape[GALI_ONNX_RANK_MAX], rank = 0;
    if (a == GALI_ONNX_NONE || gali_onnx_attribute_whole(node, "keepdims", 1)) {
        return a;
    }
    for (uint32_t i = 0; i < p->steps[a].rank; i++) {
        if (!marked[i]) {
            shape[rank++] = p->steps[a].shape[i];
        }
    }
    return gali_onnx_reshape(p, a, rank, shape);
}

static int lower_reduce(gali_onnx_program *p, gali_onnx_node *node, int mean) {
    int marked[GALI_ONNX_RANK_MAX] = {0};
    int64_t product = mark_axes(p, node, marked);
    if (product == GALI_ONNX_NONE) {
        return GALI_ONNX_NONE;
    }
    int sum = sum_axes(p, node->inputs[0], marked);
    return drop_axes(p, node, mean ? scaled(p, sum, 1 / (double)product) : sum, marked);
}

/* Moves an axis to the end, or (back) the last one to its place. */
static int move_axis(gali_onnx_program *p, int a, uint32_t axis, int back) {
    uint32_t rank = a == GALI_ONNX_NONE ? 0 : p->steps[a].rank, axes[GALI_ONNX_RANK_MAX];
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = back ? (i < axis    ? i
                          : i == axis ? rank - 1
                                      : i - 1)
                       : (i < axis       ? i
                          : i + 1 < rank ? i + 1
                                         : axis);
    }
    return gali_onnx_permute(p, a, axes);
}

static int lower_reduce_max(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int marked[GALI_ONNX_RANK_MAX] = {0}, result = node->inputs[0];
    (void)argument;
    if (mark_axes(p, node, marked) == GALI_ONNX_NONE) {
        return GALI_ONNX_NONE;
    }
    for (uint32_t i = 0; i < p->steps[node->inputs[0]].rank; i++) {
        if (marked[i]) {
            result = move_axis(p, gali_onnx_rows(p, GALI_ONNX_MAXIMUM, move_axis(p, result, i, 0)), i, 1);
        }
    }
    return drop_axes(p, node, result, marked);
}

/* ---- rows ---- */

static size_t product_of(const uint32_t *shape, uint32_t from, uint32_t to) {
    size_t product = 1;
    for (uint32_t i = from; i < to; i++) {
        product *= shape[i];
    }
    return product;
}

/* As a matrix: axes before `axis`, axes from there on. */
static int flatten_at(gali_onnx_program *p, int a, uint32_t axis) {
    const gali_onnx_step *step = &p->steps[a];
    uint32_t shape[2] = {(uint32_t)product_of(step->shape, 0, axis),
                         (uint32_t)product_of(step->shape, axis, step->rank)};
    return gali_onnx_reshape(p, a, 2, shape);
}

static int lower_softmax(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0];
    const gali_onnx_step from = p->steps[a];
    (void)argument;
    int axis =
        gali_onnx_axis(p, node, gali_onnx_attribute_whole(node, "axis", node->opset < 13 ? 1 : -1), from.rank);
    if (axis == GALI_ONNX_NONE) {
        return axis;
    }
    if (node->opset < 13) {
        int rows = gali_onnx_rows(p, GALI_ONNX_SOFTMAX, flatten_at(p, a, (uint32_t)axis));
        return gali_onnx_reshape(p, rows, from.rank, from.shape);
    }
    return move_axis(p, gali_onnx_rows(p, GALI_ONNX_SOFTMAX, move_axis(p, a, (uint32_t)axis, 0)),
                     (uint32_t)axis, 1);
}

/* (x - mean) / sqrt(variance + epsilon) over the axes from one on. */
static int lower_layer_norm(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0];
    const gali_onnx_step from = p->steps[a];
    (void)argument;
    int axis = gali_onnx_axis(p, node, gali_onnx_attribute_whole(node, "axis", -1), from.rank);
    double epsilon = gali_onnx_attribute_number(node, "epsilon", (double)1e-5f);
    if (axis == GALI_ONNX_NONE) {
        return axis;
    }
    double share = 1 / (double)product_of(from.shape, (uint32_t)axis, from.rank);
    int rows = flatten_at(p, a, (uint32_t)axis), last[GALI_ONNX_RANK_MAX] = {0, 1};
    if (rows == GALI_ONNX_NONE) {
        return rows;
    }
    int mean = scaled(p, sum_axes(p, rows, last), share);
    int off = gali_onnx_sum(p, rows, scaled(p, mean, -1));
    int square = gali_onnx_times(p, off, off);
    if (square == GALI_ONNX_NONE) {
        return square;
    }
    int deviation =
        map_one(p, GALI_ONNX_SQRT, shifted(p, scaled(p, sum_axes(p, square, last), share), epsilon));
    int result = gali_onnx_times(p, off, map_one(p, GALI_ONNX_RECIPROCAL, deviation));
    result = gali_onnx_times(p, gali_onnx_reshape(p, result, from.rank, from.shape), node->inputs[1]);
    int bias = gali_onnx_input(node, 2);
    return bias == GALI_ONNX_NONE ? result : gali_onnx_sum(p, result, bias);
}

/* x scale / sqrt(variance + epsilon) + ...: of constants, along axis 1. */
static int lower_batch_norm(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    const gali_onnx_step from = p->steps[node->inputs[0]];
    uint32_t shape[GALI_ONNX_RANK_MAX] = {0};
    int wide[4];
    (void)argument;
    if (gali_onnx_attribute_whole(node, "training_mode", 0) || from.rank < 2) {
        return gali_onnx_refuse(p, node, "in training mode, or not of rows of features");
    }
    for (uint32_t i = 0; i + 1 < from.rank; i++) {
        shape[i] = i == 0 ? from.shape[1] : 1;
    }
    for (int i = 0; i < 4; i++) {
        wide[i] = gali_onnx_reshape(p, node->inputs[1 + i], from.rank - 1, shape);
        if (wide[i] == GALI_ONNX_NONE) {
            return wide[i];
        }
    }
    double epsilon = gali_onnx_attribute_number(node, "epsilon", (double)1e-5f);
    int inverse = map_one(p, GALI_ONNX_RECIPROCAL, map_one(p, GALI_ONNX_SQRT, shifted(p, wide[3], epsilon)));
    int off = gali_onnx_sum(p, node->inputs[0], scaled(p, wide[2], -1));
    return gali_onnx_sum(p, gali_onnx_times(p, off, gali_onnx_times(p, wide[0], inverse)), wide[1]);
}

/* ---- products ---- */

/* One matrix of a product, of a vector too: letters of its batch axes, then its own two. */
static void matrix_labels(uint32_t rank, const char *own, char *labels) {
    uint32_t batch = rank > 2 ? rank - 2 : 0;
    for (uint32_t i = 0; i < batch; i++) {
        labels[i] = (char)('A' + GALI_ONNX_RANK_MAX - batch + i);
    }
    strcpy(labels + batch, own);
}

static int lower_matmul(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], b = node->inputs[1];
    uint32_t a_rank = p->steps[a].rank, b_rank = p->steps[b].rank;
    char a_labels[16], b_labels[16], out[16];
    (void)argument;
    if (a_rank == 0 || b_rank == 0) {
        return gali_onnx_refuse(p, node, "a single number as a matrix");
    }
    uint32_t wider = a_rank > b_rank ? a_rank : b_rank;
    if (p->steps[a].shape[a_rank - 1] != p->steps[b].shape[b_rank > 1 ? b_rank - 2 : 0]) {
        return gali_onnx_refuse(p, node, "shapes do not fit each other");
    }
    matrix_labels(a_rank, a_rank > 1 ? "mk" : "k", a_labels);
    matrix_labels(b_rank, b_rank > 1 ? "kn" : "k", b_labels);
    matrix_labels(wider, a_rank > 1 && b_rank > 1 ? "mn" : a_rank > 1 ? "m" : b_rank > 1 ? "n" : "", out);
    return gali_onnx_product(p, a, a_labels, b, b_labels, out);
}

static int lower_gemm(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    int a = node->inputs[0], b = node->inputs[1], c = gali_onnx_input(node, 2);
    int a_turned = gali_onnx_attribute_whole(node, "transA", 0) != 0;
    int b_turned = gali_onnx_attribute_whole(node, "transB", 0) != 0;
    (void)argument;
    if (p->steps[a].rank != 2 || p->steps[b].rank != 2 ||
        p->steps[a].shape[!a_turned] != p->steps[b].shape[b_turned]) {
        return gali_onnx_refuse(p, node, "shapes do not fit each other");
    }
    int result = gali_onnx_product(p, a, a_turned ? "km" : "mk", b, b_turned ? "nk" : "kn", "mn");
    result = scaled(p, result, gali_onnx_attribute_number(node, "alpha", 1));
    double beta = gali_onnx_attribute_number(node, "beta", 1);
    return c == GALI_ONNX_NONE ? result : gali_onnx_sum(p, result, scaled(p, c, beta));
}

/* The next operand's letters of "bk,enk->ben", without spaces; NULL if they are none. */
static const char *read_letters(const char *text, const char *end, char *letters_of) {
    uint32_t rank = 0;
    for (; text < end && *text != ',' && *text != '-'; text++) {
        int letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        if (*text != ' ' && (!letter || rank == GALI_ONNX_RANK_MAX)) {
            return NULL;
        }
        if (letter) {
            letters_of[rank++] = *text;
        }
    }
    letters_of[rank] = 0;
    return text;
}

enum { EINSUM_MAX = 8 };

typedef struct einsum {
    char operands[EINSUM_MAX][GALI_ONNX_RANK_MAX + 1];
    char out[GALI_ONNX_RANK_MAX + 1];
} einsum;

static int read_einsum(const gali_onnx_node *node, einsum *e) {
    const Onnx__AttributeProto *equation = gali_onnx_attribute(node, "equation");
    if (!equation || !equation->s.data) {
        return 0;
    }
    const char *at = (const char *)equation->s.data, *end = at + equation->s.len;
    for (uint32_t i = 0; i < node->input_count; i++) {
        at = read_letters(at, end, e->operands[i]);
        if (!at || (i + 1 < node->input_count && (at == end || *at++ != ','))) {
            return 0;
        }
    }
    if (end - at < 2 || at[0] != '-' || at[1] != '>') {
        return 0;
    }
    return read_letters(at + 2, end, e->out) == end;
}

/* Letters of a and b that the result or a later operand still needs. */
static int kept_letters(const einsum *e, uint32_t next, uint32_t count, const char *a, const char *b,
                        char *kept) {
    uint32_t rank = 0;
    for (const char *part = a; part; part = part == a ? b : NULL) {
        for (const char *c = part; *c; c++) {
            int needed = strchr(e->out, *c) != NULL;
            for (uint32_t i = next; i < count && !needed; i++) {
                needed = strchr(e->operands[i], *c) != NULL;
            }
            if (needed && !memchr(kept, *c, rank)) {
                if (rank == GALI_ONNX_RANK_MAX) {
                    return 0;
                }
                kept[rank++] = *c;
            }
        }
    }
    kept[rank] = 0;
    return 1;
}

/* Two operands at a time, from the left. */
static int lower_einsum(gali_onnx_program *p, gali_onnx_node *node, int argument) {
    einsum e = {0};
    char have[GALI_ONNX_RANK_MAX + 1], kept[GALI_ONNX_RANK_MAX + 1];
    int result = node->inputs[0];
    (void)argument;
    if (!read_einsum(node, &e)) {
        return gali_onnx_refuse(p, node, "an equation that is not like \"bk,enk->ben\"");
    }
    strcpy(have, e.operands[0]);
    for (uint32_t i = 1; i < node->input_count; i++) {
        int last = i + 1 == node->input_count;
        if (last) {
            strcpy(kept, e.out);
        } else if (!kept_letters(&e, i + 1, node->input_count, have, e.operands[i], kept)) {
            return gali_onnx_refuse(p, node, "too many axes");
        }
        result = gali_onnx_product(p, result, have, node->inputs[i], e.operands[i], kept);
        strcpy(have, kept);
    }
    return node->input_count > 1 ? result : gali_onnx_product(p, result, have, GALI_ONNX_NONE, NULL, e.out);
}

/* ---- the list ---- */

const gali_onnx_operator *gali_onnx_operator_find(const char *name) {
    static const gali_onnx_operator list[] = {
        {"Abs", lower_map, GALI_ONNX_ABS, 1, 1},
        {"Add", lower_many, GALI_ONNX_NONE, 2, 2},
        {"And", lower_map, GALI_ONNX_AND, 2, 2},
        {"BatchNormalization", lower_batch_norm, 0, 5, 5},
        {"Cast", lower_cast, 0, 1, 1},
        {"Ceil", lower_map, GALI_ONNX_CEIL, 1, 1},
        {"Clip", lower_clip, 0, 1, 3},
        {"Concat", gali_onnx_lower_concat, 0, 1, GALI_ONNX_FOLD_MAX},
        {"Constant", gali_onnx_lower_constant, 0, 0, 0},
        {"ConstantOfShape", gali_onnx_lower_filled, 0, 1, 1},
        {"Cos", lower_map, GALI_ONNX_COS, 1, 1},
        {"Div", lower_div, 0, 2, 2},
        {"Dropout", lower_dropout, 0, 1, 3},
        {"Einsum", lower_einsum, 0, 1, EINSUM_MAX},
        {"Elu", lower_map, GALI_ONNX_ELU, 1, 1},
        {"Equal", lower_map, GALI_ONNX_EQUAL, 2, 2},
        {"Erf", lower_map, GALI_ONNX_ERF, 1, 1},
        {"Exp", lower_map, GALI_ONNX_EXP, 1, 1},
        {"Expand", gali_onnx_lower_expand, 0, 2, 2},
        {"Flatten", gali_onnx_lower_flatten, 0, 1, 1},
        {"Floor", lower_map, GALI_ONNX_FLOOR, 1, 1},
        {"Gather", gali_onnx_lower_gather, 0, 2, 2},
        {"GatherND", gali_onnx_lower_gather_nd, 0, 2, 2},
        {"Gelu", lower_gelu, 0, 1, 1},
        {"Gemm", lower_gemm, 0, 2, 3},
        {"Greater", lower_map, GALI_ONNX_GREATER, 2, 2},
        {"Identity", lower_identity, 0, 1, 1},
        {"LayerNormalization", lower_layer_norm, 0, 2, 3},
        {"LeakyRelu", lower_map, GALI_ONNX_LEAKY, 1, 1},
        {"Less", lower_map, GALI_ONNX_LESS, 2, 2},
        {"Log", lower_map, GALI_ONNX_LOG, 1, 1},
        {"MatMul", lower_matmul, 0, 2, 2},
        {"Max", lower_many, GALI_ONNX_MOST, 1, 16},
        {"Min", lower_many, GALI_ONNX_LEAST, 1, 16},
        {"Mod", lower_mod, 0, 2, 2},
        {"Mul", lower_mul, 0, 2, 2},
        {"Neg", lower_neg, 0, 1, 1},
        {"Not", lower_map, GALI_ONNX_NOT, 1, 1},
        {"OneHot", gali_onnx_lower_one_hot, 0, 3, 3},
        {"Or", lower_map, GALI_ONNX_OR, 2, 2},
        {"PRelu", lower_prelu, 0, 2, 2},
        {"Pow", lower_map, GALI_ONNX_POWER, 2, 2},
        {"Range", gali_onnx_lower_range, 0, 3, 3},
        {"Reciprocal", lower_map, GALI_ONNX_RECIPROCAL, 1, 1},
        {"ReduceMax", lower_reduce_max, 0, 1, 2},
        {"ReduceMean", lower_reduce, 1, 1, 2},
        {"ReduceSum", lower_reduce, 0, 1, 2},
        {"Relu", lower_map, GALI_ONNX_RELU, 1, 1},
        {"Reshape", gali_onnx_lower_reshape, 0, 2, 2},
        {"Shape", gali_onnx_lower_shape, 0, 1, 1},
        {"Sigmoid", lower_map, GALI_ONNX_SIGMOID, 1, 1},
        {"Sin", lower_map, GALI_ONNX_SIN, 1, 1},
        {"Slice", gali_onnx_lower_slice, 0, 3, 5},
        {"Softmax", lower_softmax, 0, 1, 1},
        {"Split", gali_onnx_lower_split, 0, 1, 2},
        {"Sqrt", lower_map, GALI_ONNX_SQRT, 1, 1},
        {"Squeeze", gali_onnx_lower_squeeze, 0, 1, 2},
        {"Sub", lower_sub, 0, 2, 2},
        {"Sum", lower_many, GALI_ONNX_NONE, 1, 512},
        {"Tanh", lower_map, GALI_ONNX_TANH, 1, 1},
        {"Tile", gali_onnx_lower_tile, 0, 2, 2},
        {"Transpose", gali_onnx_lower_transpose, 0, 1, 1},
        {"Unsqueeze", gali_onnx_lower_unsqueeze, 0, 1, 2},
        {"Where", lower_map, GALI_ONNX_WHERE, 3, 3},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}
