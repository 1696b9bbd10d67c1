/* Attributes of nodes, but for bodies. */
#include <string.h>

#include "base/error.h"
#include "import/onnx/read.h"

enum { SHOWN = 80 };

const Onnx__AttributeProto *gali_onnx_attribute_of(const Onnx__NodeProto *node, const char *name) {
    for (size_t i = 0; i < node->n_attribute; i++) {
        if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0) {
            return node->attribute[i];
        }
    }
    return NULL;
}

/* Words one after another with spaces between: a list of words is one. */
static const char *joined(gali_arena *arena, const Onnx__AttributeProto *a, uint32_t *size) {
    size_t whole = 1;
    for (size_t i = 0; i < a->n_strings; i++) {
        whole += a->strings[i].len + 1;
    }
    char *text = gali_arena_take(arena, whole);
    size_t at = 0;
    for (size_t i = 0; text && i < a->n_strings; i++) {
        if (i) {
            text[at++] = ' ';
        }
        if (a->strings[i].len) {
            memcpy(text + at, a->strings[i].data, a->strings[i].len);
        }
        at += a->strings[i].len;
    }
    *size = (uint32_t)at;
    return text;
}

gal_status gali_onnx_attribute_read(gali_onnx_reading *n, const Onnx__AttributeProto *a, gali_attribute *out) {
    *out = (gali_attribute){.name = a->name, .count = 1};
    double *numbers = gali_arena_take(n->arena, (a->n_floats + 1) * sizeof *numbers);
    int64_t *ints = gali_arena_take(n->arena, (a->n_ints + 1) * sizeof *ints);
    if (!numbers || !ints || a->n_floats > UINT32_MAX || a->n_ints > UINT32_MAX) {
        return gali_fail(n->error, GAL_NO_MEMORY, "no memory to read the graph");
    }
    out->numbers = a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT ||
                           a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
                       ? numbers
                       : NULL;
    out->ints = a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT ||
                        a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
                    ? ints
                    : NULL;
    switch (a->type) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        out->kind = GALI_INT;
        ints[0] = a->i;
        return GAL_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        out->kind = GALI_NUMBER;
        numbers[0] = (double)a->f;
        return GAL_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        out->kind = GALI_INTS;
        out->count = (uint32_t)a->n_ints;
        memcpy(ints, a->ints ? a->ints : ints, a->n_ints * sizeof *ints);
        return GAL_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
        out->kind = GALI_NUMBERS;
        out->count = (uint32_t)a->n_floats;
        for (size_t i = 0; i < a->n_floats; i++) {
            numbers[i] = (double)a->floats[i];
        }
        return GAL_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
        out->kind = GALI_WORD;
        out->count = (uint32_t)a->s.len;
        out->word = gali_arena_copy(n->arena, a->s.data ? (const char *)a->s.data : "", a->s.len);
        return GAL_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
        out->kind = GALI_WORD;
        out->word = joined(n->arena, a, &out->count);
        return GAL_OK;
    default:
        return gali_fail(n->error, GAL_BAD_DATA, "%s: attribute \"%.*s\" is of a kind that is not supported",
                         n->place, SHOWN, a->name);
    }
}

static int is_graph(const Onnx__AttributeProto *a) {
    return a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
}

gal_status gali_onnx_attributes_read(gali_onnx_reading *n) {
    gali_attribute *list = gali_arena_take(n->arena, (n->proto->n_attribute + 1) * sizeof *list);
    gal_status status = list ? GAL_OK : gali_fail(n->error, GAL_NO_MEMORY, "no memory to read the graph");
    n->node.attributes = list;
    for (size_t i = 0; status == GAL_OK && i < n->proto->n_attribute; i++) {
        const Onnx__AttributeProto *a = n->proto->attribute[i];
        if (!a->name || (a->ref_attr_name && a->ref_attr_name[0])) {
            return gali_onnx_reading_refuse(n, "an attribute without a name, or of a function");
        }
        if (!is_graph(a)) {
            status = gali_onnx_attribute_read(n, a, &list[n->node.attribute_count++]);
        }
    }
    return status;
}
