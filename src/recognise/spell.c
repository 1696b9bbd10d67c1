/* The list of operators that the form spells, those that compute, and the graph as a whole. Movers are in spell_move.c. */
#include "recognise/spell.h"

#include <string.h>

enum { SHOWN = 64 }; /* bytes of a name in messages */

uint32_t gali_spelling_operand(const gali_spelling *l, uint32_t i) {
    return i < l->node->operand_count ? l->operands[i] : GALI_NONE;
}

int gali_spell_kept(gali_spelling *l) {
    return gali_form_node(l->form, l->node, l->operands, l->results);
}

static int done(gali_spelling *l, uint32_t value) {
    l->results[0] = value;
    return value != GALI_NONE;
}

/* ---- number by number, of reals: integers keep their operators ---- */

static int spell_alias(gali_spelling *l) {
    return done(l, l->operands[0]);
}

/* Between reals nothing changes; of whole numbers to a real the form's is f64. */
static int spell_cast(gali_spelling *l) {
    int64_t to = gali_element_list[GALI_f64].onnx, asked = gali_node_int(l->node, "to");
    gali_element element = l->node->op == GALI_OP_Cast ? gali_element_of_onnx(asked)
                                                       : gali_form_type(l->form, l->operands[1])->element;
    if (element == GALI_ELEMENT_COUNT || gali_element_list[element].kind != GALI_REAL) {
        return gali_spell_kept(l);
    }
    if (gali_form_is_real(l->form, l->operands[0])) {
        return spell_alias(l);
    }
    gali_attribute attribute = {.name = "to", .kind = GALI_INT, .count = 1, .ints = &to};
    gali_node cast = {.op = GALI_OP_Cast,
                      .name = l->node->name,
                      .operand_count = 1,
                      .result_count = 1,
                      .attributes = &attribute,
                      .attribute_count = 1};
    return gali_form_node(l->form, &cast, l->operands, l->results);
}

/* Add, Sum, Mean: any number of operands. */
static int spell_sum(gali_spelling *l) {
    uint32_t result = l->operands[0], count = l->node->operand_count;
    for (uint32_t i = 1; i < count && result != GALI_NONE; i++) {
        result = gali_form_sum(l->form, result, l->operands[i]);
    }
    return done(l, l->node->op == GALI_OP_Mean && result != GALI_NONE
                       ? gali_form_scaled(l->form, result, 1 / (double)count)
                       : result);
}

static int spell_sub(gali_spelling *l) {
    return done(l, gali_form_sum(l->form, l->operands[0], gali_form_scaled(l->form, l->operands[1], -1)));
}

static int spell_neg(gali_spelling *l) {
    return done(l, gali_form_scaled(l->form, l->operands[0], -1));
}

static int spell_mul(gali_spelling *l) {
    return done(l, gali_form_times(l->form, l->operands[0], l->operands[1]));
}

static int spell_div(gali_spelling *l) {
    return done(l, gali_form_times(l->form, l->operands[0],
                                   gali_form_apply(l->form, GALI_OP_Reciprocal, l->operands[1])));
}

/* relu(x) - slope relu(-x) */
static int spell_prelu(gali_spelling *l) {
    gali_form *f = l->form;
    uint32_t negative = gali_form_apply(f, GALI_OP_Relu, gali_form_scaled(f, l->operands[0], -1));
    uint32_t below = gali_form_times(f, negative, l->operands[1]);
    return below != GALI_NONE && done(l, gali_form_sum(f, gali_form_apply(f, GALI_OP_Relu, l->operands[0]),
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
static int spell_reduce(gali_spelling *l) {
    int64_t axes[GALI_RANK_MAX];
    uint32_t count = 0, given = gali_spelling_operand(l, 1), mask = 0;
    gali_form *f = l->form;
    gali_type type, from = *gali_form_type(f, l->operands[0]);
    if (given != GALI_NONE && !gali_form_list(f, given, axes, GALI_RANK_MAX, &count)) {
        return 0;
    }
    if (!gali_spell_kept(l)) {
        return 0;
    }
    type = *gali_form_type(f, l->results[0]);
    for (uint32_t i = 0; i < count; i++) {
        mask |= 1u << (axes[i] < 0 ? axes[i] + from.rank : axes[i]);
    }
    if (count == 0 && !gali_node_int(l->node, "noop_with_empty_axes")) {
        mask = (1u << from.rank) - 1;
    }
    uint32_t sum = sum_axes(f, l->operands[0], mask);
    if (l->node->op == GALI_OP_ReduceMean && sum != GALI_NONE) {
        sum = gali_form_scaled(f, sum, 1 / product_over(&from, mask));
    }
    return done(l, gali_form_reshape(f, sum, type.rank, type.shape));
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
static int spell_softmax(gali_spelling *l) {
    gali_form *f = l->form;
    int rank = gali_form_type(f, l->operands[0])->rank;
    int64_t axis = gali_node_int(l->node, "axis");
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) {
        return gali_spell_kept(l); /* its rule refuses it */
    }
    uint32_t moved = move_axis(f, l->operands[0], (int)axis, 0);
    return done(l, move_axis(f, gali_form_apply(f, GALI_OP_Softmax, moved), (int)axis, 1));
}

/* (x - mean) / sqrt(variance + epsilon) over the axes from one on, as a matrix. */
static int spell_layer_norm(gali_spelling *l) {
    gali_form *f = l->form;
    gali_type from = *gali_form_type(f, l->operands[0]);
    int64_t axis = gali_node_int(l->node, "axis"), shape[2] = {1, 1};
    axis = axis < 0 ? axis + from.rank : axis;
    if (axis < 0 || axis >= from.rank) {
        return gali_spell_kept(l); /* its rule refuses it */
    }
    for (int i = 0; i < from.rank; i++) {
        shape[i >= axis] *= from.shape[i];
    }
    enum { ROWS = 2 }; /* the bit of the last axis */
    double share = 1 / (double)shape[1];
    uint32_t rows = gali_form_reshape(f, l->operands[0], 2, shape), sum = sum_axes(f, rows, ROWS);
    uint32_t mean = sum == GALI_NONE ? sum : gali_form_scaled(f, sum, share);
    uint32_t off = mean == GALI_NONE ? mean : gali_form_sum(f, rows, gali_form_scaled(f, mean, -1));
    uint32_t squares = sum_axes(f, gali_form_times(f, off, off), ROWS);
    if (squares == GALI_NONE) {
        return 0;
    }
    uint32_t variance = gali_form_scaled(f, squares, share);
    uint32_t deviation =
        gali_form_apply(f, GALI_OP_Sqrt, gali_form_shifted(f, variance, gali_node_number(l->node, "epsilon")));
    uint32_t result = gali_form_times(f, off, gali_form_apply(f, GALI_OP_Reciprocal, deviation));
    result = gali_form_times(f, gali_form_reshape(f, result, from.rank, from.shape), l->operands[1]);
    uint32_t bias = gali_spelling_operand(l, 2);
    return done(l, bias == GALI_NONE ? result : gali_form_sum(f, result, bias));
}

/* x scale / sqrt(variance + epsilon) + ...: of constants, along axis 1. */
static int spell_batch_norm(gali_spelling *l) {
    gali_form *f = l->form;
    gali_type from = *gali_form_type(f, l->operands[0]);
    int64_t shape[GALI_RANK_MAX] = {0};
    uint32_t wide[4];
    if (gali_node_int(l->node, "training_mode") || from.rank < 2) {
        gali_form_refuse(f, "in training mode, or not of rows of features");
        return 0;
    }
    for (int i = 0; i + 1 < from.rank; i++) {
        shape[i] = i == 0 ? from.shape[1] : 1;
    }
    for (int i = 0; i < 4; i++) {
        wide[i] = gali_form_reshape(f, l->operands[1 + i], from.rank - 1, shape);
        if (wide[i] == GALI_NONE) {
            return 0;
        }
    }
    uint32_t deviation =
        gali_form_apply(f, GALI_OP_Sqrt, gali_form_shifted(f, wide[3], gali_node_number(l->node, "epsilon")));
    uint32_t inverse = gali_form_apply(f, GALI_OP_Reciprocal, deviation);
    uint32_t off = gali_form_sum(f, l->operands[0], gali_form_scaled(f, wide[2], -1));
    return done(l, gali_form_sum(f, gali_form_times(f, off, gali_form_times(f, wide[0], inverse)), wide[1]));
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

static int spell_matmul(gali_spelling *l) {
    uint32_t a = l->operands[0], b = l->operands[1];
    int a_rank = gali_form_type(l->form, a)->rank, b_rank = gali_form_type(l->form, b)->rank;
    char a_labels[16], b_labels[16], out[16];
    int64_t inner = a_rank ? gali_form_type(l->form, a)->shape[a_rank - 1] : -1;
    if (b_rank == 0 || inner != gali_form_type(l->form, b)->shape[b_rank > 1 ? b_rank - 2 : 0]) {
        return gali_spell_kept(l); /* its rule refuses it */
    }
    matrix_labels(a_rank, a_rank > 1 ? "mk" : "k", a_labels);
    matrix_labels(b_rank, b_rank > 1 ? "kn" : "k", b_labels);
    matrix_labels(a_rank > b_rank ? a_rank : b_rank,
                  a_rank > 1 && b_rank > 1 ? "mn"
                  : a_rank > 1             ? "m"
                  : b_rank > 1             ? "n"
                                           : "",
                  out);
    return done(l, gali_form_product(l->form, a, a_labels, b, b_labels, out));
}

static int spell_gemm(gali_spelling *l) {
    int a_turned = gali_node_int(l->node, "transA") != 0, b_turned = gali_node_int(l->node, "transB") != 0;
    uint32_t c = gali_spelling_operand(l, 2);
    uint32_t result = gali_form_product(l->form, l->operands[0], a_turned ? "km" : "mk", l->operands[1],
                                        b_turned ? "nk" : "kn", "mn");
    if (result == GALI_NONE) {
        return 0;
    }
    result = gali_form_scaled(l->form, result, gali_node_number(l->node, "alpha"));
    return done(l, c == GALI_NONE
                       ? result
                       : gali_form_sum(l->form, result,
                                       gali_form_scaled(l->form, c, gali_node_number(l->node, "beta"))));
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
static int spell_einsum(gali_spelling *l) {
    einsum e = {.out = ""};
    char have[GALI_RANK_MAX + 1], kept[GALI_RANK_MAX + 1];
    uint32_t result = l->operands[0], count = l->node->operand_count;
    if (!read_einsum(l->node, &e)) {
        return gali_spell_kept(l);
    }
    strcpy(have, e.operands[0]);
    for (uint32_t i = 1; i < count; i++) {
        if (i + 1 == count) {
            strcpy(kept, e.out);
        } else if (!kept_letters(&e, i + 1, count, have, e.operands[i], kept)) {
            return gali_spell_kept(l);
        }
        result = gali_form_product(l->form, result, have, l->operands[i], e.operands[i], kept);
        strcpy(have, kept);
    }
    return done(l, count > 1 ? result : gali_form_product(l->form, result, have, GALI_NONE, NULL, e.out));
}

/* ---- the list: an operator that is not in it stays as it is ---- */

typedef struct row {
    gali_op op;
    int (*spell)(gali_spelling *l);
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

static int spell(gali_spelling *l) {
    int real =
        l->node->operand_count > 0 && l->operands[0] != GALI_NONE && gali_form_is_real(l->form, l->operands[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op == l->node->op && (real || !rows[i].reals)) {
            return rows[i].spell(l);
        }
    }
    return gali_spell_kept(l);
}

/* ---- the graph ---- */

int gali_spell_batch(gali_allowance *allowance, const gali_graph *graph, uint32_t *batch) {
    int found = 0;
    *batch = 1;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_value *input = &graph->values[graph->inputs[i]];
        const gali_type *type = &input->type;
        const char *name = input->name;
        if (type->rank < 0) {
            return gali_allowance_fail(allowance, GAL_BAD_DATA,
                                       "input \"%.*s\": a tensor with a shape expected", SHOWN, name);
        }
        if (type->element != GALI_f32 && type->element != GALI_f64) {
            return gali_allowance_fail(allowance, GAL_BAD_DATA,
                                       "input \"%.*s\": numbers of type %s, float expected", SHOWN, name,
                                       gali_element_list[type->element].word);
        }
        for (int d = 0; d < type->rank; d++) {
            int number = gali_extent_is_number(type->shape[d]);
            if (number && (type->shape[d] < 1 || type->shape[d] > INT32_MAX)) {
                return gali_allowance_fail(allowance, GAL_BAD_DATA, "input \"%.*s\": dimension %d is %lld",
                                           SHOWN, name, d, (long long)type->shape[d]);
            }
            if (!number && d > 0) {
                return gali_allowance_fail(
                    allowance, GAL_BAD_DATA,
                    "input \"%.*s\": dimension %d is no number; only the first may be free", SHOWN, name, d);
            }
        }
        int free_rows = type->rank > 0 && !gali_extent_is_number(type->shape[0]);
        if (type->rank >= 2 || free_rows) {
            *batch = free_rows ? 0 : found ? *batch : (uint32_t)type->shape[0];
            found = 1;
        }
    }
    return *batch <= 1024 ||
           gali_allowance_fail(allowance, GAL_BAD_DATA, "a batch of %u rows, at most 1024 expected", *batch);
}

static int add_input(gali_form *f, const gali_value *input, uint32_t *value) {
    gali_type type = input->type;
    int free_rows = type.rank > 0 && !gali_extent_is_number(type.shape[0]);
    int batched = type.rank >= 2 || free_rows || (type.rank == 1 && type.shape[0] == f->batch);
    if (!input->name[0]) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "an input without a name");
    }
    if (f->input_count == GALI_PORTS_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "more than %d inputs", GALI_PORTS_MAX);
    }
    if (free_rows) {
        type.shape[0] = f->batch;
    }
    if ((batched && type.shape[0] != f->batch) || (!batched && f->batch != 1)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "input \"%.*s\": %lld rows, the batch has %u",
                                   SHOWN, input->name, batched ? (long long)type.shape[0] : 1, f->batch);
    }
    double count = 1;
    for (int i = 0; i < type.rank; i++) {
        count *= (double)type.shape[i];
    }
    if (count > INT32_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "input \"%.*s\": more than 2^31 numbers", SHOWN,
                                   input->name);
    }
    *value = gali_form_given(f, (uint32_t)type.rank, type.shape);
    if (*value == GALI_NONE) {
        return 0;
    }
    f->inputs[f->input_count++] = (gali_port){input->name, *value, gali_form_count(f, *value) / f->batch};
    return 1;
}

static int add_output(gali_form *f, const char *name, uint32_t value) {
    const gali_type *type = value == GALI_NONE ? NULL : gali_form_type(f, value);
    if (!type) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                   "output \"%.*s\" is a result that is not supported", SHOWN, name);
    }
    if (f->values[value].constant) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "output \"%.*s\" depends on no input", SHOWN,
                                   name);
    }
    if (!gali_form_is_real(f, value)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "output \"%.*s\" is not of floats", SHOWN, name);
    }
    if (f->batch > 1 && (type->rank == 0 || type->shape[0] != f->batch)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                   "output \"%.*s\" has not a row for each row of the input", SHOWN, name);
    }
    f->outputs[f->output_count++] = (gali_port){name, value, gali_form_count(f, value) / f->batch};
    return 1;
}

static int check_finite(gali_form *f, const gali_array *array, size_t count, const char *name) {
    enum { RUN = 512 };
    double run[RUN];
    for (size_t first = 0; first < count; first += RUN) {
        size_t part = count - first < RUN ? count - first : RUN;
        gali_array_load(array, (int64_t)first, 1, part, run);
        for (size_t i = 0; i < part; i++) {
            if (!(run[i] - run[i] == 0)) {
                return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                           "constant \"%.*s\": number %zu is not finite", SHOWN, name,
                                           first + i);
            }
        }
    }
    return 1;
}

/* A constant of the graph; one beyond what a tensor here may have is refused. */
static int add_constant(gali_form *f, const gali_graph *graph, const gali_value *from, uint32_t *value) {
    gali_extent count = gali_type_count(graph->extents, &from->type);
    gali_array array = {from->type.element, from->data};
    if (count < 0 || count > INT32_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "constant \"%.*s\": more than 2^31 numbers",
                                   SHOWN, from->name);
    }
    int real = gali_element_list[array.element].kind == GALI_REAL;
    if (real && !check_finite(f, &array, (size_t)count, from->name)) {
        return 0;
    }
    *value = gali_form_constant(f, &from->type, array);
    return *value != GALI_NONE;
}

static int add_node(gali_form *f, const gali_graph *graph, const gali_node *node, uint32_t *of) {
    uint32_t *operands = gali_allowance_take(f->allowance, (node->operand_count + 1) * sizeof *operands);
    uint32_t *results = gali_allowance_take(f->allowance, (node->result_count + 1) * sizeof *results);
    if (!operands || !results) {
        return 0;
    }
    f->place = gali_node_place(graph, node);
    if (node->body_count) {
        gali_form_refuse(f, "control flow is not supported");
        return 0;
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        operands[i] = node->operands[i] == GALI_NONE ? GALI_NONE : of[node->operands[i]];
        if (operands[i] != node->operands[i] &&
            operands[i] == GALI_NONE) { /* of Dropout its first result is spelled */
            gali_form_refuse(f, "operand %u is a result that is not supported", i + 1);
            return 0;
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = GALI_NONE;
    }
    gali_spelling l = {.form = f, .node = node, .operands = operands, .results = results};
    if (!spell(&l)) {
        return 0;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE) {
            of[node->results[i]] = results[i];
        }
    }
    return 1;
}

int gali_spell_graph(gali_form *f, gali_allowance *allowance, gali_arena *arena, const gali_graph *graph,
                     uint32_t batch) {
    uint32_t *of = gali_allowance_take(allowance, (graph->value_count + 1) * sizeof *of);
    int good = of && gali_form_make(f, allowance, arena, batch);
    for (uint32_t i = 0; good && i < graph->value_count; i++) {
        of[i] = GALI_NONE;
        if (graph->values[i].data) {
            good = add_constant(f, graph, &graph->values[i], &of[i]);
        }
    }
    for (uint32_t i = 0; good && i < graph->input_count; i++) {
        good = add_input(f, &graph->values[graph->inputs[i]], &of[graph->inputs[i]]);
    }
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        good = add_node(f, graph, &graph->nodes[i], of);
    }
    f->place = "graph";
    if (good && (graph->output_count == 0 || graph->output_count > GALI_PORTS_MAX)) {
        good = gali_allowance_fail(allowance, GAL_BAD_DATA, "%u outputs, 1..%d expected", graph->output_count,
                                   GALI_PORTS_MAX);
    }
    for (uint32_t i = 0; good && i < graph->output_count; i++) {
        good = add_output(f, graph->values[graph->outputs[i]].name, of[graph->outputs[i]]);
    }
    return good;
}
