/* Older opsets' forms in the newest one's: lists that were attributes become operands, operators that were renamed get
 * their new names. One line in the table for each change; operators that are not in it have not changed. */
#include <string.h>

#include "base/error.h"
#include "import/onnx/read.h"

gal_status gali_onnx_reading_refuse(gali_onnx_reading *r, const char *why) {
    return gali_fail(r->error, GAL_BAD_DATA, "%s: %s", r->place, why);
}

static uint32_t constant(gali_onnx_reading *r, const gali_type *type, const void *data) {
    return gali_graph_constant(r->graph, "", type, data);
}

/* The attribute taken out of the node; its name is "" where there is none. */
static gali_attribute take(gali_onnx_reading *r, const char *name) {
    gali_node *node = &r->node;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            gali_attribute found = node->attributes[i];
            node->attributes[i] = node->attributes[--node->attribute_count];
            return found;
        }
    }
    return (gali_attribute){.name = ""};
}

/* Sets operand i; those before it that are not given are GALI_NONE. */
static gal_status set_operand(gali_onnx_reading *r, uint32_t i, uint32_t value) {
    uint32_t count = r->node.operand_count > i ? r->node.operand_count : i + 1;
    uint32_t *operands = gali_arena_take(r->arena, count * sizeof *operands);
    if (!operands || value == GALI_NONE) {
        return gali_fail(r->error, GAL_NO_MEMORY, "no memory to read a node");
    }
    for (uint32_t k = 0; k < count; k++) {
        operands[k] = k < r->node.operand_count ? r->node.operands[k] : GALI_NONE;
    }
    operands[i] = value;
    r->node.operands = operands;
    r->node.operand_count = count;
    return GAL_OK;
}

/* Attribute `name` as operand i: whole numbers as a list of i64, or as one (scalar). */
static gal_status list_to_operand(gali_onnx_reading *r, const char *name, uint32_t i, int scalar) {
    gali_attribute a = take(r, name);
    if (!a.name[0]) {
        return GAL_OK;
    }
    if (a.kind != GALI_INT && a.kind != GALI_INTS) {
        return gali_onnx_reading_refuse(r, "a list of whole numbers expected");
    }
    gali_type type = {.element = GALI_i64, .rank = scalar ? 0 : 1, .shape = {a.count}};
    return set_operand(r, i, constant(r, &type, a.ints));
}

/* A real attribute as operand i, of the element f32: what older opsets' models are of. */
static gal_status number_to_operand(gali_onnx_reading *r, const char *name, uint32_t i, int list) {
    gali_attribute a = take(r, name);
    if (!a.name[0]) {
        return GAL_OK;
    }
    float *data = a.numbers ? gali_arena_take(r->arena, (a.count + 1) * sizeof *data) : NULL;
    for (uint32_t k = 0; data && k < a.count; k++) {
        data[k] = (float)a.numbers[k];
    }
    gali_type type = {.element = GALI_f32, .rank = list, .shape = {a.count}};
    return data ? set_operand(r, i, constant(r, &type, data))
                : gali_onnx_reading_refuse(r, "a number expected");
}

static gal_status axes(gali_onnx_reading *r) {
    return list_to_operand(r, "axes", 1, 0);
}

static gal_status split(gali_onnx_reading *r) {
    return list_to_operand(r, "split", 1, 0);
}

static gal_status top_k(gali_onnx_reading *r) {
    return list_to_operand(r, "k", 1, 0);
}

static gal_status slice(gali_onnx_reading *r) {
    gal_status status = list_to_operand(r, "starts", 1, 0);
    status = status == GAL_OK ? list_to_operand(r, "ends", 2, 0) : status;
    return status == GAL_OK ? list_to_operand(r, "axes", 3, 0) : status;
}

static gal_status pad(gali_onnx_reading *r) {
    gal_status status = list_to_operand(r, "pads", 1, 0);
    return status == GAL_OK ? number_to_operand(r, "value", 2, 0) : status;
}

static gal_status clip(gali_onnx_reading *r) {
    gal_status status = number_to_operand(r, "min", 1, 0);
    return status == GAL_OK ? number_to_operand(r, "max", 2, 0) : status;
}

static gal_status dropout(gali_onnx_reading *r) {
    take(r, "ratio"); /* of training */
    return GAL_OK;
}

/* 1: a mean for each channel, as it has always been since. */
static gal_status spatial(gali_onnx_reading *r) {
    gali_attribute a = take(r, "spatial");
    return a.ints && a.ints[0] == 0 ? gali_onnx_reading_refuse(r, "spatial=0 is not supported") : GAL_OK;
}

static gal_status scatter(gali_onnx_reading *r) {
    r->op = "ScatterElements";
    return GAL_OK;
}

static gal_status add_word(gali_onnx_reading *r, const char *name, const char *word) {
    gali_attribute *more = gali_arena_take(r->arena, (r->node.attribute_count + 1) * sizeof *more);
    if (!more) {
        return gali_fail(r->error, GAL_NO_MEMORY, "no memory to read a node");
    }
    for (uint32_t i = 0; i < r->node.attribute_count; i++) {
        more[i] = r->node.attributes[i];
    }
    more[r->node.attribute_count++] =
        (gali_attribute){.name = name, .kind = GALI_WORD, .count = (uint32_t)strlen(word), .word = word};
    r->node.attributes = more;
    return GAL_OK;
}

/* Upsample and Resize of opset 10, (x, scales): pixels of the output start where those of the input do. */
static gal_status resize(gali_onnx_reading *r) {
    gal_status status = number_to_operand(r, "scales", 1, 1);
    if (status != GAL_OK || r->node.operand_count != 2) {
        return status != GAL_OK ? status : gali_onnx_reading_refuse(r, "two operands expected");
    }
    uint32_t scales = r->node.operands[1];
    r->op = "Resize";
    status = set_operand(r, 2, scales);
    r->node.operands[1] = GALI_NONE;
    status = status == GAL_OK ? add_word(r, "coordinate_transformation_mode", "asymmetric") : status;
    return status == GAL_OK ? add_word(r, "nearest_mode", "floor") : status;
}

static uint32_t open_value(gali_onnx_reading *r) {
    return gali_graph_value(r->graph, "", &(gali_type){.rank = -1});
}

static gal_status add(gali_onnx_reading *r, gali_node node) {
    for (uint32_t i = 0; i < node.result_count; i++) {
        if (node.results[i] == GALI_NONE) {
            return gali_fail(r->error, GAL_NO_MEMORY, "no memory to read a node");
        }
    }
    node.name = r->node.name;
    node.source = r->node.source;
    return gali_graph_node(r->graph, &node) == GALI_NONE
               ? gali_fail(r->error, GAL_NO_MEMORY, "no memory to read a node")
               : GAL_OK;
}

/* Softmax and its kind, before opset 13: over all axes from `axis` on. Flattened, done over the last one, shaped back. */
static gal_status coerced(gali_onnx_reading *r) {
    gali_attribute a = take(r, "axis");
    int64_t axis = a.ints ? a.ints[0] : 1, *last = gali_arena_take(r->arena, 2 * sizeof *last);
    uint32_t shape = open_value(r), flat = open_value(r), done = open_value(r);
    if (!last || r->node.operand_count != 1 || r->node.result_count != 1) {
        return gali_onnx_reading_refuse(r, "one operand expected");
    }
    last[0] = -1;
    last[1] = axis;
    gali_attribute from = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = &last[1]};
    gal_status status = add(r, (gali_node){.op = gali_op_find("Shape", 5),
                                           .operand_count = 1,
                                           .result_count = 1,
                                           .operands = r->node.operands,
                                           .results = &shape});
    if (status == GAL_OK) {
        status = add(r, (gali_node){.op = gali_op_find("Flatten", 7),
                                    .operand_count = 1,
                                    .result_count = 1,
                                    .operands = r->node.operands,
                                    .results = &flat,
                                    .attributes = &from,
                                    .attribute_count = 1});
    }
    gali_attribute over = {.name = "axis", .kind = GALI_INT, .count = 1, .ints = last};
    if (status == GAL_OK) {
        status = add(r, (gali_node){.op = gali_op_find(r->op, strlen(r->op)),
                                    .operand_count = 1,
                                    .result_count = 1,
                                    .operands = &flat,
                                    .results = &done,
                                    .attributes = &over,
                                    .attribute_count = 1});
    }
    r->op = "Reshape";
    r->node.attribute_count = 0;
    r->node.operand_count = 0;
    status = status == GAL_OK ? set_operand(r, 0, done) : status;
    return status == GAL_OK ? set_operand(r, 1, shape) : status;
}

/* Its axis was an attribute, 1 without. */
static gal_status dft(gali_onnx_reading *r) {
    static const int64_t one = 1;
    gali_attribute a = take(r, "axis");
    gali_type type = {.element = GALI_i64};
    return set_operand(r, 2, constant(r, &type, a.ints ? a.ints : &one));
}

static gal_status group_normalization(gali_onnx_reading *r) {
    return gali_onnx_reading_refuse(r, "opset 18's form, with a scale for each group, is not supported");
}

/* ops that changed: in opsets below `below`. */
static const struct change {
    const char *op;
    int64_t below;
    gal_status (*mend)(gali_onnx_reading *r);
} changes[] = {
    {"Squeeze", 13, axes},
    {"Unsqueeze", 13, axes},
    {"ReduceSum", 13, axes},
    {"ReduceMean", 18, axes},
    {"ReduceMax", 18, axes},
    {"ReduceMin", 18, axes},
    {"ReduceProd", 18, axes},
    {"ReduceL1", 18, axes},
    {"ReduceL2", 18, axes},
    {"ReduceLogSum", 18, axes},
    {"ReduceLogSumExp", 18, axes},
    {"ReduceSumSquare", 18, axes},
    {"Split", 13, split},
    {"TopK", 10, top_k},
    {"Slice", 10, slice},
    {"Pad", 11, pad},
    {"Clip", 11, clip},
    {"Dropout", 12, dropout},
    {"BatchNormalization", 9, spatial},
    {"Scatter", 11, scatter},
    {"Upsample", 11, resize},
    {"Resize", 11, resize},
    {"Softmax", 13, coerced},
    {"LogSoftmax", 13, coerced},
    {"Hardmax", 13, coerced},
    {"DFT", 20, dft},
    {"GroupNormalization", 21, group_normalization},
};

gal_status gali_onnx_upgrade(gali_onnx_reading *r) {
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(changes[i].op, r->op) == 0 && r->opset < changes[i].below) {
            return changes[i].mend(r);
        }
    }
    return GAL_OK;
}
