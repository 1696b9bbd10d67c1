/*
 * Nodes come in order: what a node reads was made by an input, a constant or an earlier node, else the file is
 * refused. Tensors are checked to hold as many numbers as their dimensions claim, and their numbers to be finite,
 * before anything points to them.
 */
#include "import/onnx_graph.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

enum { PLACE_MAX = 128, SHOWN = 64 }; /* bytes of a place, of a name in messages */

/* ---- names ---- */

typedef struct names {
    const char **keys; /* NULL: free */
    int *steps;
    uint32_t size; /* a power of two, more than twice the names */
} names;

static uint32_t slot_of(const names *n, const char *name) {
    uint32_t hash = 2166136261u;
    for (const char *at = name; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    }
    uint32_t slot = hash & (n->size - 1);
    while (n->keys[slot] && strcmp(n->keys[slot], name) != 0) {
        slot = (slot + 1) & (n->size - 1);
    }
    return slot;
}

static int find(const names *n, const char *name) {
    uint32_t slot = slot_of(n, name);
    return n->keys[slot] ? n->steps[slot] : GALI_ONNX_NONE;
}

static int define(gali_onnx *onnx, names *n, const char *name, int step) {
    uint32_t slot = slot_of(n, name);
    if (n->keys[slot]) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "\"%.*s\" is made twice", SHOWN, name);
    }
    n->keys[slot] = name;
    n->steps[slot] = step;
    return 1;
}

static int make_names(gali_onnx *onnx, names *n, size_t count) {
    n->size = 16;
    while (n->size < 2 * count + 2) {
        n->size *= 2;
    }
    n->keys = gali_onnx_take(onnx, n->size * sizeof *n->keys);
    n->steps = gali_onnx_take(onnx, n->size * sizeof *n->steps);
    return n->keys && n->steps;
}

/* ---- tensors ---- */

static int count_dims(gali_onnx *onnx, const Onnx__TensorProto *t, const char *what, uint32_t *shape,
                      size_t *count) {
    *count = 1;
    if (t->n_dims > GALI_ONNX_RANK_MAX) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "%s: %zu dimensions, at most %d expected", what, t->n_dims,
                              GALI_ONNX_RANK_MAX);
    }
    for (size_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i] < 0 || t->dims[i] > INT32_MAX) {
            return gali_onnx_fail(onnx, GAL_BAD_DATA, "%s: dimension %zu is %lld", what, i,
                                  (long long)t->dims[i]);
        }
        shape[i] = (uint32_t)t->dims[i];
        *count = gali_size_mul(*count, shape[i]);
    }
    return *count <= INT32_MAX || gali_onnx_fail(onnx, GAL_BAD_DATA, "%s: more than 2^31 numbers", what);
}

/* Where a tensor's numbers are: as its raw bytes, or in the field of its type. */
typedef struct source {
    const void *data;
    size_t have; /* bytes of raw data, or numbers */
    size_t size; /* bytes of a number of raw data */
    int raw;
} source;

static int find_source(const Onnx__TensorProto *t, source *s) {
    *s = (source){.data = t->raw_data.data, .have = t->raw_data.len, .raw = t->has_raw_data};
    switch (t->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        s->size = 4;
        *s = s->raw ? *s : (source){.data = t->float_data, .have = t->n_float_data};
        return 1;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        s->size = 8;
        *s = s->raw ? *s : (source){.data = t->double_data, .have = t->n_double_data};
        return 1;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        s->size = 8;
        *s = s->raw ? *s : (source){.data = t->int64_data, .have = t->n_int64_data};
        return 1;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
        s->size = 4;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
        s->size = 2;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
        s->size = 1;
        break;
    default:
        return 0;
    }
    *s = s->raw ? *s : (source){.data = t->int32_data, .have = t->n_int32_data};
    return 1;
}

static uint64_t little(const unsigned char *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/* Half precision that came in a field of whole numbers. */
static double half_number(const Onnx__TensorProto *t, size_t i) {
    unsigned char bytes[2] = {(unsigned char)t->int32_data[i], (unsigned char)(t->int32_data[i] >> 8)};
    int half = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    gali_onnx_array array = {half ? GALI_ONNX_F16 : GALI_ONNX_BF16, bytes};
    double number;
    gali_onnx_load(&array, 0, 1, 1, &number);
    return number;
}

/* Number i of a tensor whose numbers are widened one by one. */
static double wide_number(const Onnx__TensorProto *t, const source *s, size_t i) {
    uint64_t bits = s->raw ? little((const unsigned char *)s->data + i * s->size, s->size) : 0;
    double number;
    memcpy(&number, &bits, sizeof number);
    switch (t->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        return s->raw ? number : t->double_data[i];
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        return (double)(s->raw ? (int64_t)bits : t->int64_data[i]);
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
        return (double)(s->raw ? (int32_t)(uint32_t)bits : t->int32_data[i]);
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
        return half_number(t, i);
    default:
        return (double)(s->raw ? (int64_t)bits : t->int32_data[i]);
    }
}

static int is_half(const Onnx__TensorProto *t) {
    return t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16 ||
           t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16;
}

/* The array of a type that stays as it is; NULL data for those that are widened. */
static gali_onnx_array narrow_array(const Onnx__TensorProto *t, const source *s) {
    gali_onnx_array array = {GALI_ONNX_F64, NULL};
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) {
        array = (gali_onnx_array){s->raw ? GALI_ONNX_F32 : GALI_ONNX_FLOAT, s->data};
    } else if (is_half(t) && s->raw) {
        int half = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
        array = (gali_onnx_array){half ? GALI_ONNX_F16 : GALI_ONNX_BF16, s->data};
    }
    return array;
}

static int check_finite(gali_onnx *onnx, const gali_onnx_array *array, size_t count, const char *what) {
    enum { RUN = 512 };
    double run[RUN];
    for (size_t first = 0; first < count; first += RUN) {
        size_t part = count - first < RUN ? count - first : RUN;
        gali_onnx_load(array, (int64_t)first, 1, part, run);
        for (size_t i = 0; i < part; i++) {
            if (!isfinite(run[i])) {
                return gali_onnx_fail(onnx, GAL_BAD_DATA, "%s: number %zu is not finite", what, first + i);
            }
        }
    }
    return 1;
}

int gali_onnx_tensor(gali_onnx_program *p, Onnx__TensorProto *t, const char *what) {
    uint32_t shape[GALI_ONNX_RANK_MAX] = {0};
    size_t count;
    source s;
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: its numbers are in another file", what);
        return GALI_ONNX_NONE;
    }
    if (!count_dims(p->onnx, t, what, shape, &count)) {
        return GALI_ONNX_NONE;
    }
    if (!find_source(t, &s) || t->segment) {
        gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: numbers of type %d are not supported", what, t->data_type);
        return GALI_ONNX_NONE;
    }
    size_t need = count * (s.raw ? s.size : 1);
    if (s.have != need) {
        gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: %zu %s, its dimensions ask for %zu", what, s.have,
                       s.raw ? "bytes" : "numbers", need);
        return GALI_ONNX_NONE;
    }
    gali_onnx_array array = narrow_array(t, &s);
    if (!array.data && count) {
        double *wide = gali_onnx_take(p->onnx, count * sizeof *wide);
        for (size_t i = 0; wide && i < count; i++) {
            wide[i] = wide_number(t, &s, i);
        }
        array.data = wide;
    }
    int whole = t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
                t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE && !is_half(t);
    if (count && (!array.data || (!whole && !check_finite(p->onnx, &array, count, what)))) {
        return GALI_ONNX_NONE;
    }
    return gali_onnx_constant(p, (uint32_t)t->n_dims, shape, array, whole);
}

/* ---- the graph's inputs ---- */

static int is_initialiser(const Onnx__GraphProto *graph, const char *name) {
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const char *other = graph->initializer[i]->name;
        if (other && strcmp(other, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Dimensions of an input of numbers, 0 where the file leaves them free. */
static int read_shape(gali_onnx *onnx, const Onnx__ValueInfoProto *value, uint32_t *rank, uint32_t *shape) {
    const char *name = value->name ? value->name : "";
    const Onnx__TypeProto *type = value->type;
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type->shape) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "input \"%.*s\": a tensor with a shape expected", SHOWN,
                              name);
    }
    if (type->tensor_type->elem_type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
        type->tensor_type->elem_type != ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "input \"%.*s\": numbers of type %d, float expected", SHOWN,
                              name, type->tensor_type->elem_type);
    }
    const Onnx__TensorShapeProto *dims = type->tensor_type->shape;
    if (dims->n_dim > GALI_ONNX_RANK_MAX) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "input \"%.*s\": %zu dimensions", SHOWN, name, dims->n_dim);
    }
    *rank = (uint32_t)dims->n_dim;
    for (uint32_t i = 0; i < *rank; i++) {
        const Onnx__TensorShapeProto__Dimension *d = dims->dim[i];
        int fixed = d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        int64_t size = fixed ? d->dim_value : 0;
        if (fixed && (size < 1 || size > INT32_MAX)) {
            return gali_onnx_fail(onnx, GAL_BAD_DATA, "input \"%.*s\": dimension %u is %lld", SHOWN, name, i,
                                  (long long)size);
        }
        if (!fixed && i > 0) {
            return gali_onnx_fail(onnx, GAL_BAD_DATA,
                                  "input \"%.*s\": dimension %u is no number; only the first may be free",
                                  SHOWN, name, i);
        }
        shape[i] = (uint32_t)size;
    }
    return 1;
}

int gali_onnx_batch(gali_onnx *onnx, const Onnx__ModelProto *model, uint32_t *batch) {
    const Onnx__GraphProto *graph = model->graph;
    int found = 0;
    *batch = 1;
    if (!graph) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "no graph in the file");
    }
    if (!gali_onnx_work(onnx, (double)graph->n_input * (double)graph->n_initializer)) {
        return 0;
    }
    for (size_t i = 0; i < graph->n_input; i++) {
        uint32_t rank, shape[GALI_ONNX_RANK_MAX];
        if (is_initialiser(graph, graph->input[i]->name ? graph->input[i]->name : "")) {
            continue;
        }
        if (!read_shape(onnx, graph->input[i], &rank, shape)) {
            return 0;
        }
        if (rank >= 2 || (rank == 1 && shape[0] == 0)) {
            *batch = found && shape[0] ? *batch : shape[0];
            found = 1;
        }
    }
    return *batch <= 1024 ||
           gali_onnx_fail(onnx, GAL_BAD_DATA, "a batch of %u rows, at most 1024 expected", *batch);
}

static int add_input(gali_onnx_program *p, names *n, const Onnx__ValueInfoProto *value) {
    gali_onnx_step step = {.kind = GALI_ONNX_INPUT};
    if (!value->name || !value->name[0]) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "an input without a name");
    }
    if (p->input_count == GALI_ONNX_INPUTS_MAX) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "more than %d inputs", GALI_ONNX_INPUTS_MAX);
    }
    if (!read_shape(p->onnx, value, &step.rank, step.shape)) {
        return 0;
    }
    int batched = step.rank >= 2 || (step.rank == 1 && (step.shape[0] == 0 || step.shape[0] == p->batch));
    if (batched && step.shape[0] == 0) {
        step.shape[0] = p->batch;
    }
    if ((batched && step.shape[0] != p->batch) || (!batched && p->batch != 1)) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "input \"%.*s\": %u rows, the batch has %u", SHOWN,
                              value->name, batched ? step.shape[0] : 1, p->batch);
    }
    int made = gali_onnx_add(p, &step, NULL);
    if (made == GALI_ONNX_NONE) {
        return 0;
    }
    p->inputs[p->input_count++] =
        (gali_onnx_port){value->name, (uint32_t)made, p->steps[made].count / p->batch};
    return define(p->onnx, n, value->name, made);
}

static int add_initialiser(gali_onnx_program *p, names *n, Onnx__TensorProto *t) {
    char what[PLACE_MAX];
    if (!t->name) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "a constant without a name");
    }
    snprintf(what, sizeof what, "constant \"%.*s\"", SHOWN, t->name);
    int step = gali_onnx_tensor(p, t, what);
    return step != GALI_ONNX_NONE && define(p->onnx, n, t->name, step);
}

/* ---- nodes ---- */

static int is_standard(const char *domain) {
    return !domain || !domain[0] || strcmp(domain, "ai.onnx") == 0;
}

static int64_t opset_of(const Onnx__ModelProto *model) {
    for (size_t i = 0; i < model->n_opset_import; i++) {
        if (is_standard(model->opset_import[i]->domain)) {
            return model->opset_import[i]->version;
        }
    }
    return 0;
}

static int read_inputs(gali_onnx_program *p, const names *n, gali_onnx_node *node, int *inputs) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        const char *name = node->proto->input[i];
        inputs[i] = name[0] ? find(n, name) : GALI_ONNX_NONE;
        if (name[0] && inputs[i] == GALI_ONNX_NONE) {
            return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: reads \"%.*s\", which nothing before it makes",
                                  node->place, SHOWN, name);
        }
    }
    return 1;
}

static int lower_node(gali_onnx_program *p, names *n, const Onnx__NodeProto *proto, int64_t opset) {
    gali_onnx_node node = {.proto = proto,
                           .place = p->node_names[p->node],
                           .opset = opset,
                           .input_count = (uint32_t)proto->n_input,
                           .output_count = (uint32_t)proto->n_output};
    int *inputs = gali_onnx_take(p->onnx, (proto->n_input + proto->n_output + 1) * sizeof *inputs);
    if (!inputs || !read_inputs(p, n, &node, inputs)) {
        return 0;
    }
    node.inputs = inputs;
    node.outputs = inputs + proto->n_input;
    for (uint32_t i = 0; i < node.output_count; i++) {
        node.outputs[i] = GALI_ONNX_NONE;
    }
    const gali_onnx_operator *operator= is_standard(proto->domain) && proto->op_type
        ? gali_onnx_operator_find(proto->op_type)
        : NULL;
    if (!operator|| node.output_count == 0) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: this operator is not supported", node.place);
    }
    if (node.input_count < operator->least || node.input_count> operator->most) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: %u inputs", node.place, node.input_count);
    }
    for (uint32_t i = 0; i < operator->least; i++) {
        if (inputs[i] == GALI_ONNX_NONE) {
            return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: input %u is missing", node.place, i);
        }
    }
    node.outputs[0] = operator->lower(p, &node, operator->argument);
    if (p->onnx->status != GAL_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        const char *name = proto->output[i];
        if (name[0] && node.outputs[i] != GALI_ONNX_NONE && !define(p->onnx, n, name, node.outputs[i])) {
            return 0;
        }
    }
    return 1;
}

static int name_nodes(gali_onnx_program *p, const Onnx__GraphProto *graph) {
    p->node_names = gali_onnx_take(p->onnx, (graph->n_node + 1) * sizeof *p->node_names);
    for (size_t i = 0; p->node_names && i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        char *text = gali_onnx_take(p->onnx, PLACE_MAX);
        if (!text) {
            return 0;
        }
        snprintf(text, PLACE_MAX, "node %zu \"%.*s\" (%.*s)", i, SHOWN, node->name ? node->name : "", 24,
                 node->op_type ? node->op_type : "");
        p->node_names[i] = text;
    }
    if (p->node_names) {
        p->node_names[graph->n_node] = "graph";
    }
    return p->node_names != NULL;
}

static int check_model(gali_onnx *onnx, const Onnx__ModelProto *model, int64_t opset) {
    const Onnx__GraphProto *graph = model->graph;
    if (opset < GALI_ONNX_OPSET_LEAST || opset > GALI_ONNX_OPSET_MOST) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "opset %lld, %d..%d expected", (long long)opset,
                              GALI_ONNX_OPSET_LEAST, GALI_ONNX_OPSET_MOST);
    }
    if (graph->n_node > GALI_ONNX_NODES_MAX || graph->n_initializer > GALI_ONNX_NODES_MAX) {
        return gali_onnx_fail(onnx, GAL_BAD_DATA, "%zu nodes and %zu constants, at most %d expected",
                              graph->n_node, graph->n_initializer, GALI_ONNX_NODES_MAX);
    }
    return !graph->n_sparse_initializer ||
           gali_onnx_fail(onnx, GAL_BAD_DATA, "sparse constants are not supported");
}

static int add_output(gali_onnx_program *p, const names *n, const Onnx__ValueInfoProto *value) {
    const char *name = value->name ? value->name : "";
    int step = find(n, name);
    if (step == GALI_ONNX_NONE) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "output \"%.*s\" is made by nothing", SHOWN, name);
    }
    const gali_onnx_step *made = &p->steps[step];
    if (made->constant) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "output \"%.*s\" depends on no input", SHOWN, name);
    }
    if (p->batch > 1 && (made->rank == 0 || made->shape[0] != p->batch)) {
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "output \"%.*s\" has not a row for each row of the input",
                              SHOWN, name);
    }
    p->outputs[p->output_count++] = (gali_onnx_port){name, (uint32_t)step, made->count / p->batch};
    return 1;
}

int gali_onnx_build(gali_onnx_program *p, gali_onnx *onnx, const Onnx__ModelProto *model, uint32_t batch) {
    const Onnx__GraphProto *graph = model->graph;
    int64_t opset = opset_of(model);
    names n = {0};
    size_t defined = graph->n_initializer + graph->n_input;
    *p = (gali_onnx_program){.onnx = onnx, .batch = batch};
    if (!check_model(onnx, model, opset) || !name_nodes(p, graph)) {
        return 0;
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        defined += graph->node[i]->n_output;
    }
    p->node = (uint32_t)graph->n_node;
    int good = make_names(onnx, &n, defined);
    for (size_t i = 0; good && i < graph->n_initializer; i++) {
        good = add_initialiser(p, &n, graph->initializer[i]);
    }
    for (size_t i = 0; good && i < graph->n_input; i++) {
        if (!is_initialiser(graph, graph->input[i]->name ? graph->input[i]->name : "")) {
            good = add_input(p, &n, graph->input[i]);
        }
    }
    for (size_t i = 0; good && i < graph->n_node; i++) {
        p->node = (uint32_t)i;
        good = lower_node(p, &n, graph->node[i], opset);
    }
    p->node = (uint32_t)graph->n_node;
    if (good && (graph->n_output == 0 || graph->n_output > GALI_ONNX_INPUTS_MAX)) {
        good = gali_onnx_fail(onnx, GAL_BAD_DATA, "%zu outputs, 1..%d expected", graph->n_output,
                              GALI_ONNX_INPUTS_MAX);
    }
    for (size_t i = 0; good && i < graph->n_output; i++) {
        good = add_output(p, &n, graph->output[i]);
    }
    return good;
}

/* ---- what the lowering of nodes shares ---- */

int gali_onnx_input(const gali_onnx_node *node, uint32_t i) {
    return i < node->input_count ? node->inputs[i] : GALI_ONNX_NONE;
}

int gali_onnx_refuse(gali_onnx_program *p, const gali_onnx_node *node, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: %s", node->place, text);
    return GALI_ONNX_NONE;
}

const Onnx__AttributeProto *gali_onnx_attribute(const gali_onnx_node *node, const char *name) {
    for (size_t i = 0; i < node->proto->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->proto->attribute[i];
        if (attribute->name && strcmp(attribute->name, name) == 0) {
            return attribute;
        }
    }
    return NULL;
}

int64_t gali_onnx_attribute_whole(const gali_onnx_node *node, const char *name, int64_t missing) {
    const Onnx__AttributeProto *attribute = gali_onnx_attribute(node, name);
    return attribute && attribute->has_i ? attribute->i : missing;
}

double gali_onnx_attribute_number(const gali_onnx_node *node, const char *name, double missing) {
    const Onnx__AttributeProto *attribute = gali_onnx_attribute(node, name);
    return attribute && attribute->has_f ? (double)attribute->f : missing;
}

static int64_t whole_of(double number) {
    return number >= 9e18 ? INT64_MAX : number <= -9e18 ? INT64_MIN : (int64_t)number;
}

int gali_onnx_whole_list(gali_onnx_program *p, const gali_onnx_node *node, uint32_t i, const char *attribute,
                         int64_t *list, uint32_t most, int *count) {
    const Onnx__AttributeProto *given = attribute ? gali_onnx_attribute(node, attribute) : NULL;
    int input = gali_onnx_input(node, i);
    *count = GALI_ONNX_NONE;
    if (input == GALI_ONNX_NONE && !given) {
        return 1;
    }
    size_t length = given ? given->n_ints : p->steps[input].count;
    if (!given && !p->steps[input].constant) {
        gali_onnx_refuse(p, node, "input %u depends on the graph's inputs, a constant expected", i);
        return 0;
    }
    if (length > most) {
        gali_onnx_refuse(p, node, "a list of %zu numbers, at most %u expected", length, most);
        return 0;
    }
    *count = (int)length;
    for (size_t at = 0; given && at < length; at++) {
        list[at] = given->ints[at];
    }
    if (given || length == 0) {
        return 1;
    }
    gali_onnx_array numbers = gali_onnx_numbers(p, (uint32_t)input);
    for (size_t at = 0; numbers.data && at < length; at++) {
        double number;
        gali_onnx_load(&numbers, (int64_t)at, 1, 1, &number);
        list[at] = whole_of(number);
    }
    return numbers.data != NULL;
}

int gali_onnx_axis(gali_onnx_program *p, const gali_onnx_node *node, int64_t axis, uint32_t rank) {
    int64_t from_start = axis < 0 ? axis + rank : axis;
    return from_start >= 0 && from_start < rank
               ? (int)from_start
               : gali_onnx_refuse(p, node, "axis %lld of %u", (long long)axis, rank);
}
