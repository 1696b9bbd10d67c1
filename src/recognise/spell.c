/* The list of operators that the form spells, and those that compute; movers are in spell_move.c. */
#include "recognise/spell.h"

#include <string.h>

uint32_t gali_spelling_operand(const gali_spelling *s, uint32_t i) {
    return i < s->node->operand_count ? s->operands[i] : GALI_NONE;
}

int gali_spell_kept(gali_spelling *s) {
    return gali_form_node(s->form, s->node, s->operands, s->results);
}

static int done(gali_spelling *s, uint32_t value) {
    s->results[0] = value;
    return value != GALI_NONE;
}

/* ---- number by number, of reals: integers keep their operators ---- */

static int spell_alias(gali_spelling *s) {
    return done(s, s->operands[0]);
}

/* Between reals nothing changes; of whole numbers to a real the form's is f64. */
static int spell_cast(gali_spelling *s) {
    int64_t to = gali_element_list[GALI_f64].onnx, asked = gali_node_int(s->node, "to");
    gali_element element = s->node->op == GALI_OP_Cast ? gali_element_of_onnx(asked)
                                                       : gali_form_type(s->form, s->operands[1])->element;
    if (element == GALI_ELEMENT_COUNT || gali_element_list[element].kind != GALI_REAL) {
        return gali_spell_kept(s);
    }
    if (gali_form_is_real(s->form, s->operands[0])) {
        return spell_alias(s);
    }
    gali_attribute attribute = {.name = "to", .kind = GALI_INT, .count = 1, .ints = &to};
    gali_node cast = {.op = GALI_OP_Cast,
                      .name = s->node->name,
                      .operand_count = 1,
                      .result_count = 1,
                      .attributes = &attribute,
                      .attribute_count = 1};
    return gali_form_node(s->form, &cast, s->operands, s->results);
}

/* Add, Sum, Mean: any number of operands. */
static int spell_sum(gali_spelling *s) {
    uint32_t result = s->operands[0], count = s->node->operand_count;
    for (uint32_t i = 1; i < count && result != GALI_NONE; i++) {
        result = gali_form_sum(s->form, result, s->operands[i]);
    }
    return done(s, s->node->op == GALI_OP_Mean && result != GALI_NONE
                       ? gali_form_scaled(s->form, result, 1 / (double)count)
                       : result);
}

static int spell_sub(gali_spelling *s) {
    return done(s, gali_form_sum(s->form, s->operands[0], gali_form_scaled(s->form, s->operands[1], -1)));
}

static int spell_neg(gali_spelling *s) {
    return done(s, gali_form_scaled(s->form, s->operands[0], -1));
}

static int spell_mul(gali_spelling *s) {
    return done(s, gali_form_times(s->form, s->operands[0], s->operands[1]));
}

static int spell_div(gali_spelling *s) {
    return done(s, gali_form_times(s->form, s->operands[0],
                                   gali_form_apply(s->form, GALI_OP_Reciprocal, s->operands[1])));
}

/* relu(x) - slope relu(-x) */
static int spell_prelu(gali_spelling *s) {
    gali_form *f = s->form;
    uint32_t negative = gali_form_apply(f, GALI_OP_Relu, gali_form_scaled(f, s->operands[0], -1));
    uint32_t below = gali_form_times(f, negative, s->operands[1]);
    return below != GALI_NONE && done(s, gali_form_sum(f, gali_form_apply(f, GALI_OP_Relu, s->operands[0]),
                                                       gali_form_scaled(f, below, -1)));
}

/* ---- sums over axes ---- */

static const char letters[] = "abcdefgh";

/* Sum over the axes whose bits are set, which stay with size 1. */
static uint32_t sum_axes(gali_form *f, uint32_t a, uint32_t mask) {
    if (a == GALI_NONE) {
        return a;
    }
    gali_type type = *gali_form_type(f, a);
    char in[GALI_RANK_MAX + 1] = "", out[GALI_RANK_MAX + 1] = "";
    for (int i = 0, kept = 0; i < type.rank; i++) {
        in[i] = letters[i];
        type.shape[i] = mask >> i & 1 ? 1 : type.shape[i];
        if (!(mask >> i & 1)) {
            out[kept++] = letters[i];
        }
    }
    return gali_form_reshape(f, gali_form_product(f, a, in, GALI_NONE, NULL, out), type.rank, type.shape);
}

/* How many numbers each sum over those axes has. */
static double product_over(const gali_type *type, uint32_t mask) {
    double product = 1;
    for (int i = 0; i < type->rank; i++) {
        product *= mask >> i & 1 ? (double)type->shape[i] : 1;
    }
    return product;
}

/* ReduceSum and ReduceMean. */
static int spell_reduce(gali_spelling *s) {
    int64_t axes[GALI_RANK_MAX];
    uint32_t count = 0, given = gali_spelling_operand(s, 1), mask = 0;
    gali_form *f = s->form;
    gali_type type, from = *gali_form_type(f, s->operands[0]);
    if (given != GALI_NONE && !gali_form_list(f, given, axes, GALI_RANK_MAX, &count)) {
        return 0;
    }
    if (!gali_spell_kept(s)) {
        return 0;
    }
    type = *gali_form_type(f, s->results[0]);
    for (uint32_t i = 0; i < count; i++) {
        mask |= 1u << (axes[i] < 0 ? axes[i] + from.rank : axes[i]);
    }
    if (count == 0 && !gali_node_int(s->node, "noop_with_empty_axes")) {
        mask = (1u << from.rank) - 1;
    }
    uint32_t sum = sum_axes(f, s->operands[0], mask);
    if (s->node->op == GALI_OP_ReduceMean && sum != GALI_NONE) {
        sum = gali_form_scaled(f, sum, 1 / product_over(&from, mask));
    }
    return done(s, gali_form_reshape(f, sum, type.rank, type.shape));
}

/* ---- rows ---- */

/* Moves an axis to the end, or (back) the last one to its place. */
static uint32_t move_axis(gali_form *f, uint32_t a, int axis, int back) {
    int rank = a == GALI_NONE ? 0 : gali_form_type(f, a)->rank;
    int64_t axes[GALI_RANK_MAX];
    for (int i = 0; i < rank; i++) {
        axes[i] = i < axis ? i : back ? (i == axis ? rank - 1 : i - 1) : (i + 1 < rank ? i + 1 : axis);
    }
    return gali_form_permute(f, a, axes);
}

/* Over the last axis, wherever that was. */
static int spell_softmax(gali_spelling *s) {
    gali_form *f = s->form;
    int rank = gali_form_type(f, s->operands[0])->rank;
    int64_t axis = gali_node_int(s->node, "axis");
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) {
        return gali_spell_kept(s); /* its rule refuses it */
    }
    uint32_t moved = move_axis(f, s->operands[0], (int)axis, 0);
    return done(s, move_axis(f, gali_form_apply(f, GALI_OP_Softmax, moved), (int)axis, 1));
}

/* (x - mean) / sqrt(variance + epsilon) over the axes from one on, as a matrix. */
static int spell_layer_norm(gali_spelling *s) {
    gali_form *f = s->form;
    gali_type from = *gali_form_type(f, s->operands[0]);
    int64_t axis = gali_node_int(s->node, "axis"), shape[2] = {1, 1};
    axis = axis < 0 ? axis + from.rank : axis;
    if (axis < 0 || axis >= from.rank) {
        return gali_spell_kept(s); /* its rule refuses it */
    }
    for (int i = 0; i < from.rank; i++) {
        shape[i >= axis] *= from.shape[i];
    }
    enum { ROWS = 2 }; /* the bit of the last axis */
    double share = 1 / (double)shape[1];
    uint32_t rows = gali_form_reshape(f, s->operands[0], 2, shape), sum = sum_axes(f, rows, ROWS);
    uint32_t mean = sum == GALI_NONE ? sum : gali_form_scaled(f, sum, share);
    uint32_t off = mean == GALI_NONE ? mean : gali_form_sum(f, rows, gali_form_scaled(f, mean, -1));
    uint32_t squares = sum_axes(f, gali_form_times(f, off, off), ROWS);
    if (squares == GALI_NONE) {
        return 0;
    }
    uint32_t variance = gali_form_scaled(f, squares, share);
    uint32_t deviation =
        gali_form_apply(f, GALI_OP_Sqrt, gali_form_shifted(f, variance, gali_node_number(s->node, "epsilon")));
    uint32_t result = gali_form_times(f, off, gali_form_apply(f, GALI_OP_Reciprocal, deviation));
    result = gali_form_times(f, gali_form_reshape(f, result, from.rank, from.shape), s->operands[1]);
    uint32_t bias = gali_spelling_operand(s, 2);
    return done(s, bias == GALI_NONE ? result : gali_form_sum(f, result, bias));
}

/* x scale / sqrt(variance + epsilon) + ...: of constants, along axis 1. */
static int spell_batch_norm(gali_spelling *s) {
    gali_form *f = s->form;
    gali_type from = *gali_form_type(f, s->operands[0]);
    int64_t shape[GALI_RANK_MAX] = {0};
    uint32_t wide[4];
    if (gali_node_int(s->node, "training_mode") || from.rank < 2) {
        gali_form_refuse(f, "in training mode, or not of rows of features");
        return 0;
    }
    for (int i = 0; i + 1 < from.rank; i++) {
        shape[i] = i == 0 ? from.shape[1] : 1;
    }
    for (int i = 0; i < 4; i++) {
        wide[i] = gali_form_reshape(f, s->operands[1 + i], from.rank - 1, shape);
        if (wide[i] == GALI_NONE) {
            return 0;
        }
    }
    uint32_t deviation =
        gali_form_apply(f, GALI_OP_Sqrt, gali_form_shifted(f, wide[3], gali_node_number(s->node, "epsilon")));
    uint32_t inverse = gali_form_apply(f, GALI_OP_Reciprocal, deviation);
    uint32_t off = gali_form_sum(f, s->operands[0], gali_form_scaled(f, wide[2], -1));
    return done(s, gali_form_sum(f, gali_form_times(f, off, gali_form_times(f, wide[0], inverse)), wide[1]));
}

/* ---- products ---- */

/* One matrix of a product, of a vector too: letters of its batch axes, then its own two. */
static void matrix_labels(int rank, const char *own, char *labels) {
    int batch = rank > 2 ? rank - 2 : 0;
    for (int i = 0; i < batch; i++) {
        labels[i] = (char)('A' + GALI_RANK_MAX - batch + i);
    }
    strcpy(labels + batch, own);
}

static int spell_matmul(gali_spelling *s) {
    uint32_t a = s->operands[0], b = s->operands[1];
    int a_rank = gali_form_type(s->form, a)->rank, b_rank = gali_form_type(s->form, b)->rank;
    char a_labels[16], b_labels[16], out[16];
    int64_t inner = a_rank ? gali_form_type(s->form, a)->shape[a_rank - 1] : -1;
    if (b_rank == 0 || inner != gali_form_type(s->form, b)->shape[b_rank > 1 ? b_rank - 2 : 0]) {
        return gali_spell_kept(s); /* its rule refuses it */
    }
    matrix_labels(a_rank, a_rank > 1 ? "mk" : "k", a_labels);
    matrix_labels(b_rank, b_rank > 1 ? "kn" : "k", b_labels);
    matrix_labels(a_rank > b_rank ? a_rank : b_rank,
                  a_rank > 1 && b_rank > 1 ? "mn"
                  : a_rank > 1             ? "m"
                  : b_rank > 1             ? "n"
                                           : "",
                  out);
    return done(s, gali_form_product(s->form, a, a_labels, b, b_labels, out));
}

static int spell_gemm(gali_spelling *s) {
    int a_turned = gali_node_int(s->node, "transA") != 0, b_turned = gali_node_int(s->node, "transB") != 0;
    uint32_t c = gali_spelling_operand(s, 2);
    uint32_t result = gali_form_product(s->form, s->operands[0], a_turned ? "km" : "mk", s->operands[1],
                                        b_turned ? "nk" : "kn", "mn");
    if (result == GALI_NONE) {
        return 0;
    }
    result = gali_form_scaled(s->form, result, gali_node_number(s->node, "alpha"));
    return done(s, c == GALI_NONE
                       ? result
                       : gali_form_sum(s->form, result,
                                       gali_form_scaled(s->form, c, gali_node_number(s->node, "beta"))));
}

enum { EINSUM_MAX = 8 };

typedef struct einsum {
    char operands[EINSUM_MAX][GALI_RANK_MAX + 1];
    char out[GALI_RANK_MAX + 1];
} einsum;

/* The next operand's letters of "bk,enk->ben", without spaces; NULL if they are none. */
static const char *read_letters(const char *text, char *letters_of) {
    uint32_t rank = 0;
    for (; *text && *text != ',' && *text != '-'; text++) {
        int letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        if (*text != ' ' && (!letter || rank == GALI_RANK_MAX || memchr(letters_of, *text, rank))) {
            return NULL;
        }
        if (letter) {
            letters_of[rank++] = *text;
        }
    }
    letters_of[rank] = 0;
    return text;
}

static int read_einsum(const gali_node *node, einsum *e) {
    const char *at = gali_node_word(node, "equation");
    for (uint32_t i = 0; i < node->operand_count && i < EINSUM_MAX; i++) {
        at = read_letters(at, e->operands[i]);
        if (!at || (i + 1 < node->operand_count && *at++ != ',')) {
            return 0;
        }
    }
    if (node->operand_count > EINSUM_MAX || at[0] != '-' || at[1] != '>') {
        return 0;
    }
    at = read_letters(at + 2, e->out);
    return at && !*at;
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
                if (rank == GALI_RANK_MAX) {
                    return 0;
                }
                kept[rank++] = *c;
            }
        }
    }
    kept[rank] = 0;
    return 1;
}

/* Two operands at a time, from the left. What has letters twice in an operand, or an ellipsis, stays as it is. */
static int spell_einsum(gali_spelling *s) {
    einsum e = {.out = ""};
    char have[GALI_RANK_MAX + 1], kept[GALI_RANK_MAX + 1];
    uint32_t result = s->operands[0], count = s->node->operand_count;
    if (!read_einsum(s->node, &e)) {
        return gali_spell_kept(s);
    }
    strcpy(have, e.operands[0]);
    for (uint32_t i = 1; i < count; i++) {
        if (i + 1 == count) {
            strcpy(kept, e.out);
        } else if (!kept_letters(&e, i + 1, count, have, e.operands[i], kept)) {
            return gali_spell_kept(s);
        }
        result = gali_form_product(s->form, result, have, s->operands[i], e.operands[i], kept);
        strcpy(have, kept);
    }
    return done(s, count > 1 ? result : gali_form_product(s->form, result, have, GALI_NONE, NULL, e.out));
}

/* ---- the list: an operator that is not in it stays as it is ---- */

typedef struct row {
    gali_op op;
    int (*spell)(gali_spelling *s);
    int reals; /* of reals alone */
} row;

static const row rows[] = {
    {GALI_OP_Add, spell_sum, 1},
    {GALI_OP_BatchNormalization, spell_batch_norm, 1},
    {GALI_OP_Cast, spell_cast, 0},
    {GALI_OP_CastLike, spell_cast, 0},
    {GALI_OP_Concat, gali_spell_concat, 0},
    {GALI_OP_Div, spell_div, 1},
    {GALI_OP_Dropout, spell_alias, 0},
    {GALI_OP_Einsum, spell_einsum, 1},
    {GALI_OP_Expand, gali_spell_expand, 0},
    {GALI_OP_Flatten, gali_spell_reshape, 0},
    {GALI_OP_Gather, gali_spell_gather, 0},
    {GALI_OP_GatherND, gali_spell_gather_nd, 0},
    {GALI_OP_Gemm, spell_gemm, 1},
    {GALI_OP_Identity, spell_alias, 0},
    {GALI_OP_LayerNormalization, spell_layer_norm, 1},
    {GALI_OP_MatMul, spell_matmul, 1},
    {GALI_OP_Mean, spell_sum, 1},
    {GALI_OP_Mul, spell_mul, 1},
    {GALI_OP_Neg, spell_neg, 1},
    {GALI_OP_PRelu, spell_prelu, 1},
    {GALI_OP_ReduceMean, spell_reduce, 1},
    {GALI_OP_ReduceSum, spell_reduce, 1},
    {GALI_OP_Reshape, gali_spell_reshape, 0},
    {GALI_OP_Slice, gali_spell_slice, 0},
    {GALI_OP_Softmax, spell_softmax, 1},
    {GALI_OP_Split, gali_spell_split, 0},
    {GALI_OP_Squeeze, gali_spell_reshape, 0},
    {GALI_OP_Sub, spell_sub, 1},
    {GALI_OP_Sum, spell_sum, 1},
    {GALI_OP_Tile, gali_spell_tile, 0},
    {GALI_OP_Transpose, gali_spell_transpose, 0},
    {GALI_OP_Unsqueeze, gali_spell_reshape, 0},
};

int gali_spell_node(gali_spelling *s) {
    int real =
        s->node->operand_count > 0 && s->operands[0] != GALI_NONE && gali_form_is_real(s->form, s->operands[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op == s->node->op && (real || !rows[i].reals)) {
            return rows[i].spell(s);
        }
    }
    return gali_spell_kept(s);
}
