#include "import/onnx/scope.h"

#include <string.h>

#include "base/error.h"
#include "graph/onnx_types.h"
#include "graph/propagate.h"
#include "import/onnx/tensor.h"

enum { SHOWN = 80, DEPTH_MAX = GALI_GRAPH_DEPTH_MAX };

typedef struct reader {
    const Onnx__ModelProto *model;
    gali_arena *arena;
    gal_error *error;
    int64_t opset;
    const gali_onnx_sizes *sizes;
} reader;

static gal_status no_memory(reader *r) {
    return gali_fail(r->error, GAL_NO_MEMORY, "no memory to read the graph, or more than %d nodes in it",
                     GALI_GRAPH_NODES_MAX);
}

static gal_status add_name(reader *r, gali_scope *s, const char *name, uint32_t value) {
    return gali_scope_add(s, name, value) ? GAL_OK : no_memory(r);
}

/* ---- types of inputs ---- */

/* A size that the file leaves open: a symbol of at least 1, unless 0 is asked for, or the number that is asked for. */
static gali_extent open_size(reader *r, const gali_graph *graph, const char *name) {
    gali_extents *x = graph->extents;
    gali_extent symbol = name[0] ? gali_extent_symbol(x, name, 1, GALI_EXTENT_LARGEST)
                                 : gali_extent_fresh(x, "size", 1, GALI_EXTENT_LARGEST);
    int number = gali_extent_as_symbol(x, symbol);
    for (uint32_t i = 0; number >= 0 && i < r->sizes->count; i++) {
        const gali_onnx_size *asked = &r->sizes->list[i];
        if (strcmp(asked->name, gali_extent_symbol_name(x, (uint32_t)number)) == 0) {
            gali_extent_set_range(x, symbol, asked->least, asked->most);
            return asked->least == asked->most ? asked->least : symbol;
        }
    }
    return symbol;
}

static gal_status no_such_size(reader *r, const gali_extents *x, const char *name) {
    gali_text names = {0};
    for (uint32_t i = 0; i < gali_extent_symbols(x); i++) {
        gali_text_add(&names, "%s%.60s", i ? ", " : "", gali_extent_symbol_name(x, i));
    }
    gal_status status =
        gali_extent_symbols(x)
            ? gali_fail(r->error, GAL_BAD_ARGUMENT, "no size \"%.60s\": the file leaves open %.150s", name,
                        names.bytes ? names.bytes : "others")
            : gali_fail(r->error, GAL_BAD_ARGUMENT, "no size \"%.60s\": the file leaves none open", name);
    gali_text_release(&names);
    return status;
}

/* Every size that is asked for is one of the file's, or one that only running tells. */
static gal_status check_sizes(reader *r, const gali_extents *x) {
    for (uint32_t i = 0; i < r->sizes->count; i++) {
        uint32_t symbol = 0;
        while (symbol < gali_extent_symbols(x) &&
               strcmp(gali_extent_symbol_name(x, symbol), r->sizes->list[i].name) != 0) {
            symbol++;
        }
        if (symbol == gali_extent_symbols(x)) {
            return no_such_size(r, x, r->sizes->list[i].name);
        }
    }
    return GAL_OK;
}

static gal_status read_dimension(reader *r, const gali_graph *graph, const Onnx__ValueInfoProto *info,
                                 int place, gali_extent *extent) {
    const Onnx__TensorShapeProto__Dimension *d = info->type->tensor_type->shape->dim[place];
    switch (d->value_case) {
    case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE:
        *extent = d->dim_value;
        return d->dim_value >= 0 && d->dim_value <= GALI_EXTENT_LARGEST
                   ? GAL_OK
                   : gali_fail(
                         r->error, GAL_BAD_DATA,
                         "input \"%.*s\": dimension %d is %lld, expected 0..%lld, or a name where it is open",
                         SHOWN, info->name, place, (long long)d->dim_value, (long long)GALI_EXTENT_LARGEST);
    case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM:
        *extent = open_size(r, graph, d->dim_param);
        return GAL_OK;
    default:
        *extent = open_size(r, graph, "");
        return GAL_OK;
    }
}

static gal_status read_type(reader *r, const gali_graph *graph, const Onnx__ValueInfoProto *info,
                            gali_type *type) {
    const Onnx__TypeProto *t = info->type;
    *type = (gali_type){.rank = -1};
    if (!t || t->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
        return gali_fail(r->error, GAL_BAD_DATA, "input \"%.*s\": not a tensor", SHOWN, info->name);
    }
    type->element = gali_onnx_element(t->tensor_type->elem_type);
    if (type->element == GALI_ELEMENT_COUNT) {
        return gali_fail(r->error, GAL_BAD_DATA, "input \"%.*s\": elements of type %s are not supported", SHOWN,
                         info->name, gali_onnx_type_name(t->tensor_type->elem_type));
    }
    const Onnx__TensorShapeProto *shape = t->tensor_type->shape;
    if (shape && shape->n_dim > GALI_RANK_MAX) {
        return gali_fail(r->error, GAL_BAD_DATA, "input \"%.*s\": rank %zu, %d is the most", SHOWN, info->name,
                         shape->n_dim, GALI_RANK_MAX);
    }
    type->rank = shape ? (int)shape->n_dim : -1;
    gal_status status = GAL_OK;
    for (int i = 0; status == GAL_OK && i < type->rank; i++) {
        status = read_dimension(r, graph, info, i, &type->shape[i]);
    }
    return status;
}

/* ---- constants ---- */

static gal_status read_constant(reader *r, gali_graph *graph, const Onnx__TensorProto *t, const char *name,
                                uint32_t *value) {
    char what[SHOWN + 32];
    gali_type type;
    const void *data;
    size_t size = strlen(name) < SHOWN ? strlen(name) : SHOWN;
    memcpy(what, "constant \"", 10);
    memcpy(what + 10, name, size);
    memcpy(what + 10 + size, "\"", 2);
    gal_status status = gali_onnx_tensor_read(t, r->arena, what, &type, &data, r->error);
    if (status == GAL_OK) {
        *value = gali_graph_constant(graph, name, &type, data);
        status = *value == GALI_NONE ? no_memory(r) : GAL_OK;
    }
    return status;
}

static gal_status read_initialisers(reader *r, gali_scope *s, const Onnx__GraphProto *proto) {
    gal_status status = GAL_OK;
    if (proto->n_sparse_initializer) {
        return gali_fail(r->error, GAL_BAD_DATA, "sparse constants are not supported");
    }
    for (size_t i = 0; status == GAL_OK && i < proto->n_initializer; i++) {
        const char *name = proto->initializer[i]->name ? proto->initializer[i]->name : "";
        uint32_t value = GALI_NONE;
        status = read_constant(r, s->graph, proto->initializer[i], name, &value);
        status = status == GAL_OK ? add_name(r, s, name, value) : status;
    }
    return status;
}

/* ---- nodes ---- */

static gal_status read_graph(reader *r, gali_scope *s, const Onnx__GraphProto *proto);

/* The value of a Constant node. */
static gal_status read_constant_node(reader *r, gali_scope *s, gali_onnx_reading *n) {
    const Onnx__AttributeProto *a = n->proto->n_attribute == 1 ? n->proto->attribute[0] : NULL;
    const char *name = n->proto->n_output == 1 ? n->proto->output[0] : "";
    uint32_t value = GALI_NONE;
    if (!a || !a->name || n->proto->n_output != 1) {
        return gali_onnx_reading_refuse(n, "one value expected");
    }
    if (strcmp(a->name, "value") == 0 && a->t) {
        gal_status status = read_constant(r, s->graph, a->t, name, &value);
        return status == GAL_OK ? add_name(r, s, name, value) : status;
    }
    gali_attribute list;
    gal_status status = gali_onnx_attribute_read(n, a, &list);
    if (status != GAL_OK || list.kind == GALI_WORD) {
        return status != GAL_OK ? status : gali_onnx_reading_refuse(n, "words are not supported");
    }
    float *floats = gali_arena_take(r->arena, (list.count + 1) * sizeof *floats);
    for (uint32_t i = 0; floats && list.numbers && i < list.count; i++) {
        floats[i] = (float)list.numbers[i];
    }
    int scalar = list.kind == GALI_INT || list.kind == GALI_NUMBER;
    gali_type type = {.element = list.ints ? GALI_i64 : GALI_f32, .rank = !scalar, .shape = {list.count}};
    value = floats ? gali_graph_constant(s->graph, name, &type, list.ints ? (const void *)list.ints : floats)
                   : GALI_NONE;
    return add_name(r, s, name, value);
}

/* ConstantOfShape: its value, spread. */
static gal_status spread_value(reader *r, gali_scope *s, gali_onnx_reading *n) {
    static const float zero[1];
    const Onnx__AttributeProto *a = gali_onnx_attribute_of(n->proto, "value");
    gali_type type = {.element = GALI_f32, .rank = 0};
    uint32_t value = GALI_NONE;
    gal_status status = GAL_OK;
    if (n->node.operand_count != 1 || (a && !a->t)) {
        return gali_onnx_reading_refuse(n, "one operand and a tensor expected");
    }
    if (a) {
        status = read_constant(r, s->graph, a->t, "", &value);
    } else {
        value = gali_graph_constant(s->graph, "", &type, zero);
    }
    if (status == GAL_OK && value == GALI_NONE) {
        return no_memory(r);
    }
    uint32_t *operands = gali_arena_take(r->arena, 2 * sizeof *operands);
    if (status == GAL_OK && operands) {
        operands[0] = value;
        operands[1] = n->node.operands[0];
        n->node.operands = operands;
        n->node.operand_count = 2;
        n->op = "Expand";
    }
    return status == GAL_OK && !operands ? no_memory(r) : status;
}

static uint32_t *values_of(reader *r, size_t count) {
    return gali_arena_take(r->arena, (count + 1) * sizeof(uint32_t));
}

static gal_status read_operands(reader *r, gali_scope *s, gali_onnx_reading *n) {
    const Onnx__NodeProto *proto = n->proto;
    n->node.operands = values_of(r, proto->n_input);
    n->node.results = values_of(r, proto->n_output);
    if (!n->node.operands || !n->node.results) {
        return no_memory(r);
    }
    for (size_t i = 0; i < proto->n_input; i++) {
        uint32_t value = proto->input[i][0] ? gali_scope_find(s, proto->input[i]) : GALI_NONE;
        if (value == GALI_NONE && gali_scope_find_sequence(s, proto->input[i])) {
            int own =
                gali_onnx_is_of_sequences(n->op) && gali_onnx_sequence_find(s->sequences, proto->input[i]);
            if (!own) {
                return gali_fail(
                    r->error, GAL_UNSUPPORTED,
                    "%s: \"%.*s\" is a sequence, or one from outside of a body: not supported there", n->place,
                    SHOWN, proto->input[i]);
            }
        } else if (proto->input[i][0] && value == GALI_NONE) {
            return gali_fail(r->error, GAL_BAD_DATA, "%s: nothing before it makes \"%.*s\"", n->place, SHOWN,
                             proto->input[i]);
        }
        n->node.operands[i] = value;
    }
    n->node.operand_count = (uint32_t)proto->n_input;
    while (n->node.operand_count && n->node.operands[n->node.operand_count - 1] == GALI_NONE) {
        n->node.operand_count--;
    }
    return GAL_OK;
}

static gal_status make_results(reader *r, gali_scope *s, gali_onnx_reading *n) {
    const Onnx__NodeProto *proto = n->proto;
    gal_status status = GAL_OK;
    for (size_t i = 0; status == GAL_OK && i < proto->n_output; i++) {
        n->node.results[i] = GALI_NONE;
        if (proto->output[i][0]) {
            if (gali_scope_find_here(s, proto->output[i]) != GALI_NONE) {
                return gali_fail(r->error, GAL_BAD_DATA, "%s: \"%.*s\" is made twice", n->place, SHOWN,
                                 proto->output[i]);
            }
            n->node.results[i] = gali_graph_value(s->graph, proto->output[i], &(gali_type){.rank = -1});
            status = add_name(r, s, proto->output[i], n->node.results[i]);
        }
    }
    n->node.result_count = (uint32_t)proto->n_output;
    while (n->node.result_count && n->node.results[n->node.result_count - 1] == GALI_NONE) {
        n->node.result_count--;
    }
    return status;
}

/* ---- bodies ---- */

static uint32_t place_in(const uint32_t *list, uint32_t count, uint32_t value) {
    uint32_t i = 0;
    while (i < count && list[i] != value) {
        i++;
    }
    return i;
}

/* What both bodies use of outside, once each, as operands of the node and inputs of each body. */
static gal_status hand_in(reader *r, gali_onnx_reading *n, gali_scope *bodies, uint32_t count) {
    uint32_t all = n->node.operand_count;
    for (uint32_t b = 0; b < count; b++) {
        all += bodies[b].capture_count;
    }
    uint32_t *operands = values_of(r, all), own = n->node.operand_count, total = own;
    if (!operands) {
        return no_memory(r);
    }
    memcpy(operands, n->node.operands, own * sizeof *operands);
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t i = 0; i < bodies[b].capture_count; i++) {
            uint32_t at = own + place_in(operands + own, total - own, bodies[b].captured[i]);
            operands[at] = bodies[b].captured[i];
            total += at == total;
        }
    }
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t k = own; k < total; k++) {
            uint32_t i = place_in(bodies[b].captured, bodies[b].capture_count, operands[k]);
            uint32_t inner = i < bodies[b].capture_count
                                 ? bodies[b].inner[i]
                                 : gali_graph_value(bodies[b].graph, "", &(gali_type){.rank = -1});
            if (inner == GALI_NONE) {
                return no_memory(r);
            }
            gali_graph_input(bodies[b].graph, inner);
        }
    }
    n->node.operands = operands;
    n->node.operand_count = total;
    return GAL_OK;
}

/* Loop: behind the count and the condition; Scan: before what is scanned. */
static gal_status add_carried(reader *r, gali_onnx_reading *n) {
    int64_t others = strcmp(n->op, "Loop") == 0 ? 2 : 0;
    for (uint32_t i = 0; !others && i < n->node.attribute_count; i++) {
        const gali_attribute *a = &n->node.attributes[i];
        others = strcmp(a->name, "num_scan_inputs") == 0 && a->ints ? a->ints[0] : 0;
    }
    gali_attribute *more = gali_arena_take(r->arena, (n->node.attribute_count + 1) * sizeof *more);
    int64_t *carried = gali_arena_take(r->arena, sizeof *carried);
    if (!more || !carried || others < 1 || others > n->node.operand_count) {
        return !more || !carried ? no_memory(r)
                                 : gali_onnx_reading_refuse(n, "fewer operands than its attributes say");
    }
    memcpy(more, n->node.attributes, n->node.attribute_count * sizeof *more);
    *carried = n->node.operand_count - others;
    more[n->node.attribute_count++] =
        (gali_attribute){.name = "carried", .kind = GALI_INT, .count = 1, .ints = carried};
    n->node.attributes = more;
    return GAL_OK;
}

/* Opset 8's Scan had a batch in each operand, and the lengths of its sequences before them. */
static int is_scan_of_batches(const gali_onnx_reading *n) {
    return strcmp(n->op, "Scan") == 0 && n->opset < 9;
}

static gal_status read_bodies(reader *r, gali_scope *s, gali_onnx_reading *n) {
    static const char *const names[][2] = {
        {"If", "then_branch"}, {"If", "else_branch"}, {"Loop", "body"}, {"Scan", "body"}};
    gali_scope bodies[2] = {{.outer = NULL}, {.outer = NULL}};
    gal_status status = GAL_OK;
    if (is_scan_of_batches(n)) {
        return gali_onnx_reading_refuse(n,
                                        "opset 8's form, of batches, is not supported: "
                                        "onnx.version_converter.convert_version brings the model to opset 9");
    }
    n->node.bodies = gali_arena_take(r->arena, 2 * sizeof(gali_graph *));
    for (size_t i = 0; status == GAL_OK && i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], n->op) != 0) {
            continue;
        }
        const Onnx__AttributeProto *a = gali_onnx_attribute_of(n->proto, names[i][1]);
        gali_scope *body = &bodies[n->node.body_count];
        if (!a || !a->g || s->graph->depth >= DEPTH_MAX) {
            return gali_onnx_reading_refuse(n, a && a->g ? "bodies in bodies too deep" : "its body is missing");
        }
        if (!n->node.bodies || !gali_scope_open(body, s, gali_graph_body(s->graph), r->arena, a->g->n_node)) {
            return no_memory(r);
        }
        status = read_graph(r, body, a->g);
        n->node.bodies[n->node.body_count++] = body->graph;
    }
    if (status == GAL_OK && strcmp(n->op, "Loop") == 0) {
        if (n->node.operand_count < 2) { /* neither count nor condition: both are there as none */
            uint32_t *two = values_of(r, 2);
            if (!two) {
                return no_memory(r);
            }
            two[0] = n->node.operand_count ? n->node.operands[0] : GALI_NONE;
            two[1] = GALI_NONE;
            n->node.operands = two;
            n->node.operand_count = 2;
        }
    }
    if (status == GAL_OK && (strcmp(n->op, "Loop") == 0 || strcmp(n->op, "Scan") == 0)) {
        status = add_carried(r, n);
    }
    return status == GAL_OK && n->node.body_count ? hand_in(r, n, bodies, n->node.body_count) : status;
}

/* A node that makes or takes sequences: its result is a list of values, or a value. */
static gal_status read_sequence_node(reader *r, gali_scope *s, gali_onnx_reading *n) {
    const gali_onnx_sequence **of = gali_arena_take(r->arena, (n->proto->n_input + 1) * sizeof *of);
    gali_onnx_sequence *made;
    uint32_t value;
    for (size_t i = 0; of && i < n->proto->n_input; i++) {
        of[i] = gali_onnx_sequence_find(s->sequences, n->proto->input[i]);
    }
    gal_status status = of ? gali_onnx_sequence_read(n, of, &made, &value) : no_memory(r);
    if (status != GAL_OK) {
        return status;
    }
    const char *name = n->proto->output[0];
    if (gali_scope_find_here(s, name) != GALI_NONE || gali_onnx_sequence_find(s->sequences, name)) {
        return gali_fail(r->error, GAL_BAD_DATA, "%s: \"%.*s\" is made twice", n->place, SHOWN, name);
    }
    if (!made) {
        return add_name(r, s, name, value);
    }
    made->name = name;
    made->next = s->sequences;
    s->sequences = made;
    return GAL_OK;
}

static const char *place_of(reader *r, const Onnx__NodeProto *proto, size_t number) {
    gali_text text = {0};
    gali_text_add(&text, "node %zu \"%.*s\" (%.*s)", number, SHOWN, proto->name ? proto->name : "", SHOWN,
                  proto->op_type ? proto->op_type : "");
    const char *place = text.failed ? NULL : gali_arena_copy(r->arena, text.bytes, text.size);
    gali_text_release(&text);
    return place ? place : "a node";
}

static gal_status read_node(reader *r, gali_scope *s, const Onnx__NodeProto *proto, size_t number) {
    gali_onnx_reading n = {
        .graph = s->graph, .arena = r->arena, .error = r->error, .opset = r->opset, .proto = proto};
    n.place = place_of(r, proto, number);
    n.op = proto->op_type ? proto->op_type : "";
    n.node.name = proto->name;
    n.node.source = (uint32_t)number + 1;
    if (proto->domain && proto->domain[0] && strcmp(proto->domain, "ai.onnx") != 0) {
        return gali_fail(r->error, GAL_UNSUPPORTED, "%s: operators of \"%.*s\" are not supported", n.place,
                         SHOWN, proto->domain);
    }
    if (!r->opset) {
        return gali_fail(r->error, GAL_UNSUPPORTED, "%s: the file imports no opset of ONNX's own operators",
                         n.place);
    }
    if (strcmp(n.op, "Constant") == 0) {
        return read_constant_node(r, s, &n);
    }
    gal_status status = read_operands(r, s, &n);
    if (status == GAL_OK && strcmp(n.op, "ConstantOfShape") == 0) {
        status = spread_value(r, s, &n);
    } else if (status == GAL_OK) {
        status = gali_onnx_attributes_read(&n);
    }
    if (status == GAL_OK && gali_onnx_is_of_sequences(n.op)) {
        return read_sequence_node(r, s, &n);
    }
    status = status == GAL_OK ? make_results(r, s, &n) : status;
    status = status == GAL_OK ? read_bodies(r, s, &n) : status;
    status = status == GAL_OK ? gali_onnx_upgrade(&n) : status;
    if (status != GAL_OK) {
        return status;
    }
    n.node.op = gali_op_find(n.op, strlen(n.op));
    if (n.node.op == GALI_OP_COUNT ||
        n.node.op == GALI_OP_region) { /* regions name functions of the C: none of a file's */
        return gali_fail(r->error, GAL_UNSUPPORTED, "%s: this operator is not supported", n.place);
    }
    return gali_graph_node(s->graph, &n.node) == GALI_NONE ? no_memory(r) : GAL_OK;
}

/* ---- graphs ---- */

static gal_status read_inputs(reader *r, gali_scope *s, const Onnx__GraphProto *proto) {
    gal_status status = GAL_OK;
    for (size_t i = 0; status == GAL_OK && i < proto->n_input; i++) {
        const char *name = proto->input[i]->name ? proto->input[i]->name : "";
        gali_type type = {.rank = -1};
        if (gali_scope_find_here(s, name) != GALI_NONE) { /* an initialiser: a default that nobody changes */
            if (s->outer) {
                return gali_fail(r->error, GAL_BAD_DATA, "input \"%.*s\" of a body is a constant", SHOWN, name);
            }
            continue;
        }
        if (!s->outer) { /* of bodies the node's rule says the types */
            status = read_type(r, s->graph, proto->input[i], &type);
        }
        uint32_t value = status == GAL_OK ? gali_graph_value(s->graph, name, &type) : GALI_NONE;
        status = status == GAL_OK ? add_name(r, s, name, value) : status;
        if (status == GAL_OK) {
            gali_graph_input(s->graph, value);
        }
    }
    return status;
}

static gal_status read_outputs(reader *r, gali_scope *s, const Onnx__GraphProto *proto) {
    for (size_t i = 0; i < proto->n_output; i++) {
        const char *name = proto->output[i]->name ? proto->output[i]->name : "";
        uint32_t value = gali_scope_find(s, name);
        if (value == GALI_NONE) {
            return gali_scope_find_sequence(s, name)
                       ? gali_fail(r->error, GAL_UNSUPPORTED, "output \"%.*s\" is a sequence", SHOWN, name)
                       : gali_fail(r->error, GAL_BAD_DATA, "output \"%.*s\": nothing makes it", SHOWN, name);
        }
        gali_graph_output(s->graph, value);
    }
    return r->arena->failed ? no_memory(r) : GAL_OK;
}

static gal_status read_graph(reader *r, gali_scope *s, const Onnx__GraphProto *proto) {
    gal_status status = read_initialisers(r, s, proto);
    status = status == GAL_OK ? read_inputs(r, s, proto) : status;
    for (size_t i = 0; status == GAL_OK && i < proto->n_node; i++) {
        status = read_node(r, s, proto->node[i], i);
    }
    return status == GAL_OK ? read_outputs(r, s, proto) : status;
}

/* A file that imports other domains alone has opset 0: its first node says which. */
static gal_status read_opset(reader *r) {
    int others = 0;
    for (size_t i = 0; i < r->model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = r->model->opset_import[i];
        if (!set->domain || !set->domain[0] || strcmp(set->domain, "ai.onnx") == 0) {
            r->opset = set->version;
        } else {
            others = 1;
        }
    }
    int others_alone = r->opset == 0 && others;
    return others_alone || (r->opset >= GALI_ONNX_OLDEST && r->opset <= GALI_ONNX_NEWEST)
               ? GAL_OK
               : gali_fail(
                     r->error, GAL_UNSUPPORTED,
                     "opset %lld, %d..%d expected: onnx.version_converter.convert_version brings a model to "
                     "one of them",
                     (long long)r->opset, GALI_ONNX_OLDEST, GALI_ONNX_NEWEST);
}

gal_status gali_onnx_read(gali_graph **out, const Onnx__ModelProto *model, const gali_onnx_sizes *sizes,
                          gali_arena *arena, gal_error *error) {
    const gali_onnx_sizes none = {.count = 0};
    reader r = {.model = model, .arena = arena, .error = error, .sizes = sizes ? sizes : &none};
    gali_scope s;
    *out = NULL;
    if (!model->graph) {
        return gali_fail(error, GAL_BAD_DATA, "no graph in the file");
    }
    gal_status status = read_opset(&r);
    if (status == GAL_OK && model->n_functions) {
        status = gali_fail(error, GAL_UNSUPPORTED, "functions of the model's own are not supported");
    }
    if (status == GAL_OK && !gali_scope_open(&s, NULL, gali_graph_make(arena), arena, model->graph->n_node)) {
        status = no_memory(&r);
    }
    for (uint32_t i = 0; status == GAL_OK && i < r.sizes->count; i++) {
        gali_extent_ask(s.graph->extents, r.sizes->list[i].name, r.sizes->list[i].most);
    }
    status = status == GAL_OK ? read_graph(&r, &s, model->graph) : status;
    status = status == GAL_OK ? gali_graph_verify(s.graph, error) : status;
    status = status == GAL_OK ? gali_graph_propagate(s.graph, error) : status;
    status = status == GAL_OK ? check_sizes(&r, s.graph->extents) : status;
    *out = status == GAL_OK ? s.graph : NULL;
    return status;
}
