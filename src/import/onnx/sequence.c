#include "import/onnx/sequence.h"

#include <string.h>

#include "base/error.h"

enum { LENGTH_MOST = 65536 };

const gali_onnx_sequence *gali_onnx_sequence_find(const gali_onnx_sequence *list, const char *name) {
    while (list && strcmp(list->name, name) != 0) {
        list = list->next;
    }
    return list;
}

/* ---- parts of a node ---- */

static gal_status refuse(gali_onnx_reading *n, const char *why) {
    return gali_fail(n->error, GAL_UNSUPPORTED, "%s: %s", n->place, why);
}

static gal_status no_memory(gali_onnx_reading *n) {
    return gali_fail(n->error, GAL_NO_MEMORY, "no memory to read a sequence");
}

static int64_t attribute(const gali_onnx_reading *n, const char *name, int64_t otherwise) {
    for (uint32_t i = 0; i < n->node.attribute_count; i++) {
        const gali_attribute *a = &n->node.attributes[i];
        if (strcmp(a->name, name) == 0 && a->kind == GALI_INT) {
            return a->ints[0];
        }
    }
    return otherwise;
}

/* The constant that operand i is, of whole numbers; NULL: it is none. */
static const gali_value *constant_at(const gali_onnx_reading *n, uint32_t i) {
    uint32_t operand = i < n->node.operand_count ? n->node.operands[i] : GALI_NONE;
    const gali_value *v = operand == GALI_NONE ? NULL : &n->graph->values[operand];
    return v && v->data && v->type.rank <= 1 && (v->type.element == GALI_i64 || v->type.element == GALI_i32)
               ? v
               : NULL;
}

/* The same of one number, alone or in a list. */
static const gali_value *number_at(const gali_onnx_reading *n, uint32_t i) {
    const gali_value *v = constant_at(n, i);
    return v && (v->type.rank == 0 || v->type.shape[0] == 1) ? v : NULL;
}

static int is_given(const gali_onnx_reading *n, uint32_t i) {
    return i < n->node.operand_count && n->node.operands[i] != GALI_NONE;
}

static uint32_t list_constant(gali_onnx_reading *n, uint32_t rank, int64_t number) {
    int64_t *data = gali_arena_take(n->arena, sizeof *data);
    gali_type type = {.element = GALI_i64, .rank = (int)rank, .shape = {1}};
    if (!data) {
        return GALI_NONE;
    }
    *data = number;
    return gali_graph_constant(n->graph, "", &type, data);
}

/* Adds a node before this one, with an attribute `axis` where it has one. Returns the first of `results` values. */
static gal_status add_node(gali_onnx_reading *n, gali_op op, const uint32_t *operands, uint32_t count,
                           const int64_t *axis, uint32_t *results, uint32_t result_count) {
    gali_node node = {.op = op, .name = n->node.name, .source = n->node.source, .results = results};
    gali_attribute *list = gali_arena_take(n->arena, sizeof *list);
    int64_t *number = gali_arena_take(n->arena, sizeof *number);
    uint32_t *own = gali_arena_take(n->arena, count * sizeof *own);
    if (!list || !number || !own || !results) {
        return no_memory(n);
    }
    for (uint32_t i = 0; i < count; i++) {
        own[i] = operands[i];
        if (own[i] == GALI_NONE) {
            return no_memory(n);
        }
    }
    for (uint32_t i = 0; i < result_count; i++) {
        results[i] = gali_graph_value(n->graph, "", &(gali_type){.rank = -1});
    }
    *number = axis ? *axis : 0;
    *list = (gali_attribute){.name = "axis", .kind = GALI_INT, .count = 1, .ints = number};
    node.attributes = list;
    node.attribute_count = axis != NULL;
    node.operands = own;
    node.operand_count = count;
    node.result_count = result_count;
    return gali_graph_node(n->graph, &node) == GALI_NONE ? no_memory(n) : GAL_OK;
}

/* The same of one result. */
static gal_status add_one(gali_onnx_reading *n, gali_op op, const uint32_t *operands, uint32_t count,
                          const int64_t *axis, uint32_t *value) {
    uint32_t *result = gali_arena_take(n->arena, sizeof *result);
    gal_status status = add_node(n, op, operands, count, axis, result, 1);
    *value = status == GAL_OK ? *result : GALI_NONE;
    return status;
}

/* ---- made ---- */

static gal_status make_list(gali_onnx_reading *n, uint32_t count, gali_onnx_sequence **made,
                            uint32_t **values) {
    *made = gali_arena_take(n->arena, sizeof **made);
    *values = gali_arena_take(n->arena, (count + 1) * sizeof **values);
    if (!*made || !*values) {
        return no_memory(n);
    }
    **made = (gali_onnx_sequence){.count = count, .values = *values};
    return GAL_OK;
}

static gal_status construct(gali_onnx_reading *n, gali_onnx_sequence **made) {
    uint32_t *values;
    gal_status status = make_list(n, n->node.operand_count, made, &values);
    for (uint32_t i = 0; status == GAL_OK && i < n->node.operand_count; i++) {
        values[i] = n->node.operands[i];
        status = values[i] == GALI_NONE ? gali_onnx_reading_refuse(n, "an element that is no tensor") : GAL_OK;
    }
    return status;
}

/* Parts by a list of their sizes: a Split. */
static gal_status split_by_list(gali_onnx_reading *n, const gali_value *sizes, gali_onnx_sequence **made) {
    int64_t axis = attribute(n, "axis", 0), count = sizes->type.shape[0];
    uint32_t *values, operands[2] = {n->node.operands[0], GALI_NONE};
    if (count < 1 || count > LENGTH_MOST) {
        return refuse(n, "a sequence of no parts, or of more than 65,536");
    }
    int64_t *numbers = gali_arena_take(n->arena, (size_t)count * sizeof *numbers);
    for (int64_t i = 0; numbers && i < count; i++) {
        numbers[i] = gali_constant_whole(sizes, (size_t)i);
    }
    gali_type type = {.element = GALI_i64, .rank = 1, .shape = {count}};
    operands[1] = numbers ? gali_graph_constant(n->graph, "", &type, numbers) : GALI_NONE;
    gal_status status = make_list(n, (uint32_t)count, made, &values);
    return status == GAL_OK ? add_node(n, GALI_OP_Split, operands, 2, &axis, values, (uint32_t)count) : status;
}

static gal_status split(gali_onnx_reading *n, gali_onnx_sequence **made) {
    const gali_value *sizes = constant_at(n, 1);
    if (!is_given(n, 0)) {
        return gali_onnx_reading_refuse(n, "nothing to cut");
    }
    if (is_given(n, 1) && !sizes) {
        return refuse(n, "the sizes of a sequence's parts are computed: only constants are supported");
    }
    if (sizes && sizes->type.rank == 1) {
        return split_by_list(n, sizes, made);
    }
    *made = gali_arena_take(n->arena, sizeof **made);
    if (!*made) {
        return no_memory(n);
    }
    **made = (gali_onnx_sequence){.whole = n->node.operands[0],
                                  .axis = attribute(n, "axis", 0),
                                  .part = sizes ? gali_constant_whole(sizes, 0) : 1,
                                  .keeps = sizes || attribute(n, "keepdims", 1)};
    return (*made)->part >= 1 && (*made)->part <= GALI_EXTENT_LARGEST
               ? GAL_OK
               : gali_onnx_reading_refuse(n, "parts of no elements");
}

/* ---- taken ---- */

/* The place that operand i says, counted from 0; of none the end. */
static gal_status place_of(gali_onnx_reading *n, uint32_t i, uint32_t length, uint32_t last, uint32_t *place) {
    const gali_value *v = number_at(n, i);
    int64_t at = v ? gali_constant_whole(v, 0) : last;
    if (is_given(n, i) && !v) {
        return refuse(n, "which element of a sequence: only a constant number is supported");
    }
    at += at < 0 ? length : 0;
    *place = (uint32_t)at;
    return at >= 0 && at <= last ? GAL_OK
                                 : gali_onnx_reading_refuse(n, "there is no such element of the sequence");
}

/* The list with a value more, or without one of it. */
static gal_status change(gali_onnx_reading *n, const gali_onnx_sequence *of, int insert,
                         gali_onnx_sequence **made) {
    uint32_t *values, place, at = 0;
    if (!of->values) {
        return refuse(n, "a sequence of which the length is not known before it runs");
    }
    uint32_t count = insert ? of->count + 1 : of->count - 1;
    if ((!insert && !of->count) || (insert && !is_given(n, 1)) || count > LENGTH_MOST) {
        return gali_onnx_reading_refuse(n, "nothing to take out or to put in, or too long a sequence");
    }
    gal_status status = place_of(n, insert ? 2 : 1, of->count, insert ? of->count : count, &place);
    status = status == GAL_OK ? make_list(n, count, made, &values) : status;
    for (uint32_t i = 0; status == GAL_OK && i < count; i++) {
        at += !insert && i == place;
        values[i] = insert && i == place ? n->node.operands[1] : of->values[at++];
    }
    return status;
}

static gal_status take_part(gali_onnx_reading *n, const gali_onnx_sequence *of, int64_t at, uint32_t *value) {
    if (!of->keeps) {
        const uint32_t operands[] = {of->whole, list_constant(n, 0, at)};
        return add_one(n, GALI_OP_Gather, operands, 2, &of->axis, value);
    }
    if ((at < 0 && of->part > 1) || at > GALI_EXTENT_LARGEST / of->part || at < -GALI_EXTENT_LARGEST) {
        return refuse(n, "an element counted from the end of a sequence of which the length is not known");
    }
    const int64_t first = at * of->part, end = at == -1 ? INT64_MAX : first + of->part;
    const uint32_t operands[] = {of->whole, list_constant(n, 1, first), list_constant(n, 1, end),
                                 list_constant(n, 1, of->axis)};
    return add_one(n, GALI_OP_Slice, operands, 4, NULL, value);
}

static gal_status take_at(gali_onnx_reading *n, const gali_onnx_sequence *of, uint32_t *value) {
    const gali_value *v = number_at(n, 1);
    uint32_t place;
    if (!of->values && v) {
        return take_part(n, of, gali_constant_whole(v, 0), value);
    }
    gal_status status = is_given(n, 1) && of->count ? place_of(n, 1, of->count, of->count - 1, &place)
                                                    : gali_onnx_reading_refuse(n, "no element is asked for");
    *value = status == GAL_OK && of->values ? of->values[place] : GALI_NONE;
    return status;
}

static gal_status join(gali_onnx_reading *n, const gali_onnx_sequence *of, uint32_t *value) {
    int64_t axis = attribute(n, "axis", 0);
    int stack = attribute(n, "new_axis", 0) != 0;
    if (!of->values && of->axis == axis && of->keeps != stack) {
        *value = of->whole;
        return GAL_OK;
    }
    if (!of->values || !of->count) {
        return refuse(n, "a sequence that is empty, or of which the length is not known before it runs");
    }
    uint32_t *parts = gali_arena_take(n->arena, of->count * sizeof *parts);
    gal_status status = parts ? GAL_OK : no_memory(n);
    for (uint32_t i = 0; status == GAL_OK && i < of->count; i++) {
        const uint32_t operands[] = {of->values[i], stack ? list_constant(n, 1, axis) : 0};
        parts[i] = of->values[i];
        status = stack ? add_one(n, GALI_OP_Unsqueeze, operands, 2, NULL, &parts[i]) : GAL_OK;
    }
    return status == GAL_OK ? add_one(n, GALI_OP_Concat, parts, of->count, &axis, value) : status;
}

static gal_status length(gali_onnx_reading *n, const gali_onnx_sequence *of, uint32_t *value) {
    static const int64_t first;
    uint32_t shape;
    if (of->values) {
        *value = list_constant(n, 0, of->count);
        return *value == GALI_NONE ? no_memory(n) : GAL_OK;
    }
    if (of->part != 1) {
        return refuse(n, "the length of a sequence that is not known before it runs");
    }
    gal_status status = add_one(n, GALI_OP_Shape, &of->whole, 1, NULL, &shape);
    const uint32_t operands[] = {shape, list_constant(n, 0, of->axis)};
    return status == GAL_OK ? add_one(n, GALI_OP_Gather, operands, 2, &first, value) : status;
}

/* ---- all ---- */

static const char *const ops[] = {"SequenceEmpty",  "SequenceConstruct", "SplitToSequence",
                                  "SequenceInsert", "SequenceErase",     "SequenceAt",
                                  "SequenceLength", "ConcatFromSequence"};

enum { EMPTY, CONSTRUCT, SPLIT, INSERT, ERASE, AT, LENGTH, CONCAT, OPS };

static int op_of(const char *op) {
    int i = 0;
    while (i < OPS && strcmp(ops[i], op) != 0) {
        i++;
    }
    return i;
}

int gali_onnx_is_of_sequences(const char *op) {
    return op_of(op) < OPS;
}

gal_status gali_onnx_sequence_read(gali_onnx_reading *n, const gali_onnx_sequence *const *of,
                                   gali_onnx_sequence **made, uint32_t *value) {
    int op = op_of(n->op);
    uint32_t first = op >= INSERT; /* operands that are sequences */
    *made = NULL;
    *value = GALI_NONE;
    for (size_t i = 0; i < n->proto->n_input; i++) {
        if ((of[i] != NULL) != (i < first)) {
            return gali_onnx_reading_refuse(n, of[i] ? "a sequence where a tensor is expected"
                                                     : "a tensor where a sequence is expected");
        }
    }
    if (n->proto->n_input < first || n->proto->n_output != 1) {
        return gali_onnx_reading_refuse(n, "a sequence and one result expected");
    }
    switch (op) {
    case EMPTY:
    case CONSTRUCT:
        return construct(n, made);
    case SPLIT:
        return split(n, made);
    case INSERT:
    case ERASE:
        return change(n, of[0], op == INSERT, made);
    case AT:
        return take_at(n, of[0], value);
    case LENGTH:
        return length(n, of[0], value);
    default:
        return join(n, of[0], value);
    }
}
