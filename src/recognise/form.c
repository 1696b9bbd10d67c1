/* Building the form and reading it back. Values that would change nothing are not made. */
#include "recognise/form.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_COST = 1024 }; /* bytes of a node in the arena, about */

static const char letters[] = "abcdefgh"; /* of axes, as many as a rank has */

uint32_t gali_form_refuse(gali_form *f, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gali_allowance_fail(f->allowance, GAL_BAD_DATA, "%s: %s", f->place, text);
    return GALI_NONE;
}

static uint32_t no_memory(gali_form *f) {
    gali_allowance_fail(f->allowance, GAL_NO_MEMORY, "no memory for the graph");
    return GALI_NONE;
}

int gali_form_make(gali_form *f, gali_allowance *allowance, gali_arena *arena, uint32_t batch) {
    *f = (gali_form){.allowance = allowance, .graph = gali_graph_make(arena), .place = "graph", .batch = batch};
    return f->graph != NULL || no_memory(f) != GALI_NONE;
}

/* ---- asking ---- */

size_t gali_form_count(const gali_form *f, uint32_t value) {
    const gali_type *type = gali_form_type(f, value);
    size_t count = 1;
    for (int i = 0; i < type->rank; i++) {
        count *= (size_t)type->shape[i];
    }
    return count;
}

int gali_form_is_real(const gali_form *f, uint32_t value) {
    return gali_element_list[gali_form_type(f, value)->element].kind == GALI_REAL;
}

const char *gali_form_place(const gali_form *f, uint32_t value) {
    return f->values[value].place;
}

/* ---- values and nodes ---- */

static int grow(gali_form *f) {
    uint32_t capacity = f->capacity ? 2 * f->capacity : 256;
    gali_form_value *values = gali_allowance_take(f->allowance, capacity * sizeof *values);
    if (values && f->capacity) {
        memcpy(values, f->values, f->capacity * sizeof *values);
    }
    f->values = values ? values : f->values;
    f->capacity = values ? capacity : f->capacity;
    return values != NULL;
}

/* What is said of a value that is about to be made. */
static uint32_t note(gali_form *f, uint32_t value) {
    if (value == GALI_NONE) {
        return no_memory(f);
    }
    if (value >= f->capacity && !grow(f)) {
        return GALI_NONE;
    }
    f->values[value] = (gali_form_value){.place = f->place};
    return value;
}

uint32_t gali_form_given(gali_form *f, uint32_t rank, const int64_t *shape) {
    gali_type type = {.element = GALI_f64, .rank = (int)rank};
    memcpy(type.shape, shape, rank * sizeof *shape);
    uint32_t value = note(f, gali_graph_value(f->graph, "", &type));
    if (value != GALI_NONE) {
        gali_graph_input(f->graph, value);
    }
    return value;
}

uint32_t gali_form_constant(gali_form *f, const gali_type *type, gali_array array) {
    static const double none[1];
    gali_type own = *type;
    int real = gali_element_list[type->element].kind == GALI_REAL;
    if (!gali_allowance_spend(f->allowance, NODE_COST)) {
        return GALI_NONE;
    }
    own.element = real ? GALI_f64 : type->element;
    uint32_t value = note(f, gali_graph_constant(f->graph, "", &own, real ? NULL : array.data));
    if (value != GALI_NONE) {
        f->values[value].constant = 1;
        f->values[value].array = array.data ? array : (gali_array){GALI_f64, none}; /* no numbers at all */
    }
    return value;
}

uint32_t gali_form_scalar(gali_form *f, double number) {
    double *data = gali_allowance_take(f->allowance, sizeof *data);
    if (!data) {
        return GALI_NONE;
    }
    *data = number;
    return gali_form_constant(f, &(gali_type){.element = GALI_f64}, (gali_array){GALI_f64, data});
}

/* A constant list of whole numbers: operands of the operators that move. */
static uint32_t whole_list(gali_form *f, uint32_t count, const int64_t *list) {
    int64_t *data = gali_allowance_take(f->allowance, (count + 1) * sizeof *data);
    if (!data) {
        return GALI_NONE;
    }
    memcpy(data, list, count * sizeof *data);
    return gali_form_constant(f, &(gali_type){.element = GALI_i64, .rank = 1, .shape = {count}},
                              (gali_array){GALI_i64, data});
}

/* Infers the newest node; the message of its rule gets our place in front. */
static int infer(gali_form *f) {
    gal_error error = {0};
    uint32_t index = f->graph->node_count - 1;
    gal_status status = gali_graph_infer_node(f->graph, index, &error);
    if (status == GAL_OK) {
        return 1;
    }
    const char *own = gali_node_place(f->graph, &f->graph->nodes[index]), *words = error.message;
    size_t size = strlen(own);
    words += strncmp(words, own, size) == 0 && strncmp(words + size, ": ", 2) == 0 ? size + 2 : 0;
    return gali_allowance_fail(f->allowance, status, "%s: %s", f->place, words);
}

static int check_type(gali_form *f, uint32_t value) {
    const gali_type *type = gali_form_type(f, value);
    double count = 1;
    int numbers = type->rank >= 0;
    for (int i = 0; i < type->rank; i++) {
        numbers &= gali_extent_is_number(type->shape[i]) && type->shape[i] >= 0;
        count *= (double)type->shape[i];
    }
    if (!numbers) {
        return gali_form_refuse(f, "a size that only running tells") != GALI_NONE;
    }
    return count <= INT32_MAX || gali_form_refuse(f, "a tensor of more than 2^31 numbers") != GALI_NONE;
}

/* Integers that inference knows are numbers, of whatever they are made. */
static int take_known(gali_form *f, uint32_t value) {
    const gali_value *of = &f->graph->values[value];
    size_t count = gali_form_count(f, value);
    for (size_t i = 0; of->known && i < count; i++) {
        if (!gali_extent_is_number(of->known[i])) {
            return 0;
        }
    }
    if (of->known) {
        f->values[value].constant = 1;
        f->values[value].array = (gali_array){GALI_i64, of->known};
    }
    return of->known != NULL;
}

/* Whether a result is a constant, and its numbers where that is soon done. An expanded constant stays one: its numbers
 * are the same in every row. */
static int fold(gali_form *f, const gali_node *node, uint32_t value) {
    int constant = node->operand_count > 0, ready = 1;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        const gali_form_value *operand = node->operands[i] == GALI_NONE ? NULL : &f->values[node->operands[i]];
        constant &= !operand || operand->constant;
        ready &= !operand || operand->array.data != NULL;
    }
    if (take_known(f, value)) {
        return 1;
    }
    f->values[value].constant = constant;
    int soon =
        constant && ready && node->op != GALI_OP_Expand && gali_form_count(f, value) <= GALI_FORM_FOLD_MAX;
    return !soon || gali_form_numbers(f, value).data != NULL;
}

int gali_form_node(gali_form *f, const gali_node *node, const uint32_t *operands, uint32_t *results) {
    uint32_t *own = gali_allowance_take(f->allowance, (node->operand_count + 1) * sizeof *own);
    size_t cost = NODE_COST + 64 * ((size_t)node->operand_count + node->result_count);
    if (!own || !gali_allowance_spend(f->allowance, cost)) {
        return 0;
    }
    if (f->graph->node_count >= GALI_FORM_NODES_MAX) {
        return gali_form_refuse(f, "too many operators") != GALI_NONE;
    }
    memcpy(own, operands, node->operand_count * sizeof *own);
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = note(f, gali_graph_value(f->graph, "", &(gali_type){.rank = -1}));
        if (results[i] == GALI_NONE) {
            return 0;
        }
    }
    gali_node made = *node;
    made.operands = own;
    made.results = results;
    uint32_t index = gali_graph_node(f->graph, &made);
    if (index == GALI_NONE) {
        return no_memory(f) != GALI_NONE;
    }
    int good = infer(f);
    for (uint32_t i = 0; good && i < node->result_count; i++) {
        good = check_type(f, results[i]) && fold(f, &f->graph->nodes[index], results[i]);
    }
    return good;
}

/* A node of one result with up to one attribute. */
static uint32_t add(gali_form *f, gali_op op, const uint32_t *operands, uint32_t count,
                    gali_attribute *attribute) {
    uint32_t result = GALI_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i] == GALI_NONE) {
            return GALI_NONE;
        }
    }
    gali_node node = {.op = op,
                      .name = "",
                      .operand_count = count,
                      .result_count = 1,
                      .attributes = attribute,
                      .attribute_count = attribute != NULL};
    if (!gali_form_node(f, &node, operands, &result)) {
        return GALI_NONE;
    }
    f->values[result].spelled = 1;
    return result;
}

uint32_t gali_form_apply(gali_form *f, gali_op op, uint32_t a) {
    return add(f, op, &a, 1, NULL);
}

/* ---- moving ---- */

static int has_shape(const gali_form *f, uint32_t a, int rank, const int64_t *shape) {
    const gali_type *type = gali_form_type(f, a);
    return type->rank == rank && (rank == 0 || memcmp(type->shape, shape, (size_t)rank * sizeof *shape) == 0);
}

uint32_t gali_form_reshape(gali_form *f, uint32_t a, int rank, const int64_t *shape) {
    static const int64_t one = 1;
    if (a == GALI_NONE || has_shape(f, a, rank, shape)) {
        return a;
    }
    gali_attribute zero = {.name = "allowzero", .kind = GALI_INT, .count = 1, .ints = &one};
    uint32_t operands[2] = {a, whole_list(f, (uint32_t)rank, shape)};
    return add(f, GALI_OP_Reshape, operands, 2, &zero);
}

uint32_t gali_form_permute(gali_form *f, uint32_t a, const int64_t *axes) {
    uint32_t rank = a == GALI_NONE ? 0 : (uint32_t)gali_form_type(f, a)->rank;
    int moved = 0;
    for (uint32_t i = 0; i < rank; i++) {
        moved |= axes[i] != i;
    }
    gali_attribute perm = {.name = "perm", .kind = GALI_INTS, .count = rank, .ints = axes};
    return moved ? add(f, GALI_OP_Transpose, &a, 1, &perm) : a;
}

/* Axes of size 1 in front, up to a rank. */
static uint32_t raise(gali_form *f, uint32_t a, int rank) {
    int64_t shape[GALI_RANK_MAX] = {0};
    int missing = a == GALI_NONE ? 0 : rank - gali_form_type(f, a)->rank;
    for (int i = 0; a != GALI_NONE && i < rank; i++) {
        shape[i] = i < missing ? 1 : gali_form_type(f, a)->shape[i - missing];
    }
    return gali_form_reshape(f, a, rank, shape);
}

uint32_t gali_form_expand(gali_form *f, uint32_t a, int rank, const int64_t *shape) {
    a = raise(f, a, rank);
    if (a == GALI_NONE || has_shape(f, a, rank, shape)) {
        return a;
    }
    uint32_t operands[2] = {a, whole_list(f, (uint32_t)rank, shape)};
    return add(f, GALI_OP_Expand, operands, 2, NULL);
}

uint32_t gali_form_slice(gali_form *f, uint32_t a, uint32_t axis, int64_t start, int64_t stride,
                         int64_t count) {
    if (a == GALI_NONE || (start == 0 && stride == 1 && count == gali_form_type(f, a)->shape[axis])) {
        return a;
    }
    int64_t end = start + stride * count, place = axis;
    end = end < 0 ? -GALI_EXTENT_LARGEST : end; /* what is before the first, -1 would be the last */
    uint32_t operands[5] = {a, whole_list(f, 1, &start), whole_list(f, 1, &end), whole_list(f, 1, &place),
                            whole_list(f, 1, &stride)};
    return add(f, GALI_OP_Slice, operands, 5, NULL);
}

uint32_t gali_form_concat(gali_form *f, uint32_t axis, const uint32_t *operands, uint32_t count) {
    int64_t place = axis;
    gali_attribute attribute = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = &place};
    return count == 1 ? operands[0] : add(f, GALI_OP_Concat, operands, count, &attribute);
}

/* ---- adding and multiplying ---- */

uint32_t gali_form_product(gali_form *f, uint32_t a, const char *a_labels, uint32_t b, const char *b_labels,
                           const char *out) {
    char equation[3 * GALI_RANK_MAX + 8];
    uint32_t operands[2] = {a, b};
    int size = snprintf(equation, sizeof equation, "%s%s%s->%s", a_labels, b_labels ? "," : "",
                        b_labels ? b_labels : "", out);
    gali_attribute attribute = {
        .name = "equation", .kind = GALI_WORD, .count = (uint32_t)size, .word = equation};
    return add(f, GALI_OP_Einsum, operands, b_labels ? 2 : 1, &attribute);
}

/* Both in the shape that they are broadcast to; 0 if it failed. */
static int broadcast(gali_form *f, uint32_t *a, uint32_t *b) {
    if (*a == GALI_NONE || *b == GALI_NONE) {
        return 0;
    }
    const gali_type *of[2] = {gali_form_type(f, *a), gali_form_type(f, *b)};
    gali_type type = *of[of[1]->rank > of[0]->rank];
    for (int i = 1; i <= of[0]->rank && i <= of[1]->rank; i++) { /* from the end */
        int64_t left = of[0]->shape[of[0]->rank - i], right = of[1]->shape[of[1]->rank - i];
        if (left != right && left != 1 && right != 1) {
            return gali_form_refuse(f, "shapes do not fit each other") != GALI_NONE;
        }
        type.shape[type.rank - i] = left == 1 ? right : left;
    }
    *a = gali_form_expand(f, *a, type.rank, type.shape);
    *b = gali_form_expand(f, *b, type.rank, type.shape);
    return *a != GALI_NONE && *b != GALI_NONE;
}

uint32_t gali_form_sum(gali_form *f, uint32_t a, uint32_t b) {
    uint32_t operands[2] = {a, b};
    return broadcast(f, &operands[0], &operands[1]) ? add(f, GALI_OP_Add, operands, 2, NULL) : GALI_NONE;
}

uint32_t gali_form_times(gali_form *f, uint32_t a, uint32_t b) {
    if (a == GALI_NONE || b == GALI_NONE) {
        return GALI_NONE;
    }
    int ranks[2] = {gali_form_type(f, a)->rank, gali_form_type(f, b)->rank};
    int rank = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
    uint32_t operands[2] = {raise(f, a, rank), GALI_NONE};
    operands[1] = raise(f, b, rank);
    return add(f, GALI_OP_Mul, operands, 2, NULL);
}

uint32_t gali_form_scaled(gali_form *f, uint32_t a, double factor) {
    return factor == 1 ? a : gali_form_times(f, a, gali_form_scalar(f, factor));
}

uint32_t gali_form_shifted(gali_form *f, uint32_t a, double term) {
    return gali_form_sum(f, a, gali_form_scalar(f, term));
}

/* ---- reading nodes back ---- */

/* Letters to numbers in the order of their first use; 0 where there are too many. */
static int number_labels(const char *text, uint32_t rank, int8_t *labels, int8_t numbers[128], int *used) {
    for (uint32_t i = 0; i < rank; i++) {
        int8_t *number = &numbers[text[i] & 127];
        if (*number < 0) {
            *number = (int8_t)(*used)++;
        }
        labels[i] = *number;
    }
    return *used <= GALI_LABELS_MAX;
}

static int read_equation(const gali_form *f, const gali_node *node, gali_maker *m) {
    const char *at = gali_node_word(node, "equation");
    int8_t numbers[128];
    int used = 0, good = node->operand_count <= 2;
    memset(numbers, -1, sizeof numbers);
    for (uint32_t o = 0; good && o < node->operand_count; o++) {
        uint32_t rank = (uint32_t)gali_form_type(f, node->operands[o])->rank;
        good = number_labels(at, rank, m->labels[o], numbers, &used);
        at += rank + (o + 1 < node->operand_count);
    }
    return good && number_labels(at + 2, m->rank, m->out, numbers, &used); /* behind the arrow */
}

static void read_mul(gali_maker *m) {
    for (uint32_t i = 0; i < m->rank; i++) {
        m->labels[0][i] = m->labels[1][i] = m->out[i] = (int8_t)(letters[i] - letters[0]);
    }
}

static void read_axes(const gali_node *node, gali_maker *m) {
    const gali_attribute *perm = gali_node_attribute(node, "perm");
    for (uint32_t i = 0; i < m->rank; i++) {
        m->axes[i] = perm ? (uint32_t)perm->ints[i] : m->rank - 1 - i;
    }
}

static void read_slice(const gali_form *f, const gali_node *node, gali_maker *m) {
    m->start = f->graph->values[node->operands[1]].known[0];
    m->axis = (uint32_t)f->graph->values[node->operands[3]].known[0];
    m->stride = f->graph->values[node->operands[4]].known[0];
}

static gali_maker_kind kind_of(gali_op op) {
    switch (op) {
    case GALI_OP_Reshape:
        return GALI_MAKER_RESHAPE;
    case GALI_OP_Transpose:
        return GALI_MAKER_PERMUTE;
    case GALI_OP_Expand:
        return GALI_MAKER_EXPAND;
    case GALI_OP_Slice:
        return GALI_MAKER_SLICE;
    case GALI_OP_Concat:
        return GALI_MAKER_CONCAT;
    case GALI_OP_Add:
        return GALI_MAKER_ADD;
    case GALI_OP_Mul:
    case GALI_OP_Einsum:
        return GALI_MAKER_PRODUCT;
    default:
        return GALI_MAKER_OTHER;
    }
}

gali_maker gali_maker_of(const gali_form *f, uint32_t value) {
    const gali_value *of = &f->graph->values[value];
    gali_maker m = {.constant = f->values[value].constant, .rank = (uint32_t)of->type.rank};
    m.count = gali_form_count(f, value);
    for (uint32_t i = 0; i < m.rank; i++) {
        m.shape[i] = (uint32_t)of->type.shape[i];
    }
    if (of->node == GALI_NONE) {
        m.kind = m.constant ? GALI_MAKER_CONSTANT : GALI_MAKER_GIVEN;
        return m;
    }
    const gali_node *node = &f->graph->nodes[of->node];
    m.kind = f->values[value].spelled ? kind_of(node->op) : GALI_MAKER_OTHER;
    int moves = m.kind >= GALI_MAKER_RESHAPE && m.kind <= GALI_MAKER_SLICE;
    m.operands = node->operands;
    m.operand_count = moves ? 1 : node->operand_count;
    switch (m.kind) {
    case GALI_MAKER_PERMUTE:
        read_axes(node, &m);
        break;
    case GALI_MAKER_SLICE:
        read_slice(f, node, &m);
        break;
    case GALI_MAKER_CONCAT:
        m.axis = (uint32_t)gali_node_int(node, "axis");
        break;
    case GALI_MAKER_PRODUCT:
        if (node->op == GALI_OP_Mul) {
            read_mul(&m);
        } else if (!read_equation(f, node, &m)) {
            m.kind = GALI_MAKER_OTHER;
        }
        break;
    default:
        break;
    }
    return m;
}

int gali_maker_is_linear(const gali_maker *m) {
    return m->kind >= GALI_MAKER_RESHAPE && m->kind <= GALI_MAKER_ADD;
}

int gali_form_list(gali_form *f, uint32_t value, int64_t *list, uint32_t most, uint32_t *count) {
    size_t length = gali_form_count(f, value);
    const gali_extent *known = f->graph->values[value].known;
    *count = (uint32_t)length;
    if (!f->values[value].constant) {
        return gali_form_refuse(f, "a list that depends on the graph's inputs, a constant expected") !=
               GALI_NONE;
    }
    if (length > most) {
        return gali_form_refuse(f, "a list of %zu numbers, at most %u expected", length, most) != GALI_NONE;
    }
    gali_array array = known ? (gali_array){GALI_i64, known} : gali_form_numbers(f, value);
    const gali_value whole = {.type = {.element = array.element}, .data = array.data};
    for (size_t i = 0; array.data && i < length; i++) {
        list[i] = gali_constant_whole(&whole, i);
    }
    return array.data != NULL;
}
