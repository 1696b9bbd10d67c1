/*
 * Operators that put elements in order, choose some of them, or put them where integers say as calls of functions of emitted C
 * (emit/body/select.inc), which say what their operands, results and sizes are.
 */
#include "base/error.h"
#include "compiler/program/build.h"

enum { PORTS_MAX = GALI_PROGRAM_PORTS_MAX, SIZES_MAX = 5 + 2 * GALI_RANK_MAX };

typedef struct making {
    gali_builder *b;
    const gali_scope *scope;
    const gali_node *node;
    const gali_type *x; /* of the first operand */
    gali_program_call call;
} making;

static void add_size(making *m, gali_extent size) {
    m->call.sizes[m->call.size_count++] = size;
}

/* Kind and bytes, as the functions have them. */
static void add_element(making *m) {
    const gali_element_facts *facts = &gali_element_list[m->x->element];
    add_size(m, facts->kind == GALI_REAL ? 2 : facts->kind != GALI_SIGNED);
    add_size(m, facts->bytes);
}

/* Elements before an axis, along it, and behind it; of all of them as one list where there is no axis. */
static void add_lines(making *m, int has_axis) {
    gali_extents *x = m->b->program->graph->extents;
    int64_t axis = has_axis ? gali_node_int(m->node, "axis") : 0;
    gali_extent outer = 1, inner = 1;
    axis += axis < 0 ? m->x->rank : 0;
    for (int d = 0; d < m->x->rank && has_axis; d++) {
        outer = d < axis ? gali_extent_mul(x, outer, m->x->shape[d]) : outer;
        inner = d > axis ? gali_extent_mul(x, inner, m->x->shape[d]) : inner;
    }
    add_size(m, outer);
    add_size(m, has_axis ? m->x->shape[axis] : gali_type_count(x, m->x));
    add_size(m, inner);
}

/* Scratch of so many i64, behind the results. */
static gal_status add_scratch(making *m, uint32_t results, gali_extent count) {
    gali_type type = {.element = GALI_i64, .rank = 1, .shape = {count}};
    m->call.result_count = results + 1;
    return gali_program_add_inside(m->b, "scratch", &type, GALI_NONE, 0, &m->call.results[results]);
}

static gal_status make_top_k(making *m) {
    gali_extents *x = m->b->program->graph->extents;
    int64_t axis = gali_node_int(m->node, "axis");
    uint32_t value = m->node->results[0] != GALI_NONE ? m->node->results[0] : m->node->results[1];
    axis += axis < 0 ? m->x->rank : 0;
    m->call.function = "top_k";
    m->call.operand_count = 1;
    add_element(m);
    add_lines(m, 1);
    add_size(m, m->scope->graph->values[value].type.shape[axis]);
    add_size(m, gali_node_int(m->node, "largest") != 0);
    return add_scratch(m, 2, gali_extent_mul(x, m->x->shape[axis], 2));
}

static gal_status make_non_zero(making *m) {
    m->call.function = "non_zero";
    add_element(m);
    add_size(m, gali_type_count(m->b->program->graph->extents, m->x));
    add_size(m, m->x->rank);
    for (int d = 0; d < m->x->rank; d++) {
        add_size(m, m->x->shape[d]);
    }
    return GAL_OK;
}

static gal_status make_compress(making *m) {
    const gali_graph *graph = m->scope->graph;
    m->call.function = "compress";
    add_size(m, gali_element_list[m->x->element].bytes);
    add_lines(m, gali_node_attribute(m->node, "axis") != NULL);
    add_size(m, gali_type_count(graph->extents, &graph->values[m->node->operands[1]].type));
    return GAL_OK;
}

static gal_status make_unique(making *m) {
    m->call.function = "unique";
    add_element(m);
    add_lines(m, gali_node_attribute(m->node, "axis") != NULL);
    add_size(m, gali_node_int(m->node, "sorted") != 0);
    return add_scratch(m, 4, gali_extent_mul(m->b->program->graph->extents, m->call.sizes[3], 4));
}

static gal_status make_non_max_suppression(making *m) {
    const gali_graph *graph = m->scope->graph;
    const gali_type *scores = &graph->values[m->node->operands[1]].type;
    for (uint32_t i = 2; i < m->node->operand_count; i++) { /* the function reads what ONNX says */
        const gali_value *value =
            m->node->operands[i] == GALI_NONE ? NULL : &graph->values[m->node->operands[i]];
        if (value && (value->type.element != (i == 2 ? GALI_i64 : GALI_f32) ||
                      gali_type_count(graph->extents, &value->type) != 1)) {
            return gali_fail(m->b->error, GAL_UNSUPPORTED, "%s: operand %u is not one number of %s",
                             gali_node_place(graph, m->node), i + 1, i == 2 ? "i64" : "f32");
        }
    }
    m->call.function = "non_max_suppression";
    m->call.operand_count = 5;
    for (int d = 0; d < 3; d++) {
        add_size(m, scores->shape[d]);
    }
    add_size(m, gali_node_int(m->node, "center_point_box") != 0);
    return add_scratch(m, 1, gali_extent_mul(graph->extents, scores->shape[2], 2));
}

static const gali_type *operand_type(const making *m, uint32_t i) {
    return &m->scope->graph->values[m->node->operands[i]].type;
}

static gal_status make_scatter_elements(making *m) {
    int64_t axis = gali_node_int(m->node, "axis");
    const gali_type *indices = operand_type(m, 1);
    m->call.function = "scatter_elements";
    add_size(m, gali_element_list[m->x->element].bytes);
    add_size(m, gali_element_list[indices->element].bytes);
    add_size(m, axis + (axis < 0 ? m->x->rank : 0));
    add_size(m, m->x->rank);
    for (int d = 0; d < m->x->rank; d++) {
        add_size(m, m->x->shape[d]);
    }
    for (int d = 0; d < m->x->rank; d++) {
        add_size(m, indices->shape[d]);
    }
    return GAL_OK;
}

static gal_status make_scatter_nd(making *m) {
    gali_extents *x = m->b->program->graph->extents;
    const gali_type *indices = operand_type(m, 1);
    gali_extent lists = 1, slice = 1;
    int64_t deep = indices->shape[indices->rank - 1]; /* is_call has seen that it is a number */
    for (int d = 0; d + 1 < indices->rank; d++) {
        lists = gali_extent_mul(x, lists, indices->shape[d]);
    }
    for (int d = (int)deep; d < m->x->rank; d++) {
        slice = gali_extent_mul(x, slice, m->x->shape[d]);
    }
    m->call.function = "scatter_nd";
    add_size(m, gali_element_list[m->x->element].bytes);
    add_size(m, gali_element_list[indices->element].bytes);
    add_size(m, lists);
    add_size(m, deep);
    add_size(m, slice);
    for (int d = 0; d < (int)deep; d++) {
        add_size(m, m->x->shape[d]);
    }
    return GAL_OK;
}

/* A function that a back end gives. Its results are known by their numbers. */
static gal_status make_region(making *m) {
    m->call.function = gali_node_word(m->node, "function");
    return add_scratch(m, m->node->result_count, (gali_node_int(m->node, "scratch") + 7) / 8);
}

/* The size that the call returns: what the first result has of its own. */
static gal_status tell(making *m, gali_program_step *step) {
    gali_extents *x = m->b->program->graph->extents;
    const gali_type *type = &m->scope->graph->values[m->node->results[0]].type;
    for (int d = 0; d < type->rank; d++) {
        int symbol = gali_extent_as_symbol(x, type->shape[d]);
        if (symbol >= 0 && gali_program_told(m->b->program, (uint32_t)symbol) == GALI_TOLD_BY_NONE) {
            step->symbol = (uint32_t)symbol;
            return gali_program_tell(m->b, step->symbol, GALI_TOLD_BY_STEP);
        }
    }
    return GAL_OK;
}

static gal_status make(making *m) {
    switch (m->node->op) {
    case GALI_OP_TopK:
        return make_top_k(m);
    case GALI_OP_NonZero:
        return make_non_zero(m);
    case GALI_OP_Compress:
        return make_compress(m);
    case GALI_OP_Unique:
        return make_unique(m);
    case GALI_OP_ScatterElements:
        return make_scatter_elements(m);
    case GALI_OP_ScatterND:
        return make_scatter_nd(m);
    case GALI_OP_region:
        return make_region(m);
    default:
        return make_non_max_suppression(m);
    }
}

/* Updates that replace: those that are added are sums, of expressions. */
static int is_scatter(const gali_graph *graph, const gali_node *node) {
    int scatter = node->op == GALI_OP_ScatterElements || node->op == GALI_OP_ScatterND;
    const gali_type *indices = scatter ? &graph->values[node->operands[1]].type : NULL;
    return scatter && gali_node_is(node, "reduction", "none") && indices->rank > 0 &&
           (indices->element == GALI_i64 || indices->element == GALI_i32) &&
           (node->op == GALI_OP_ScatterElements || gali_extent_is_number(indices->shape[indices->rank - 1]));
}

int gali_program_is_call(const gali_graph *graph, const gali_node *node) {
    return node->op == GALI_OP_TopK || node->op == GALI_OP_NonZero || node->op == GALI_OP_Compress ||
           node->op == GALI_OP_Unique || node->op == GALI_OP_NonMaxSuppression || node->op == GALI_OP_region ||
           is_scatter(graph, node);
}

/* Constants of several axes may lie in another order than their type's: the call gets a copy. */
static gal_status store_constant(gali_builder *b, uint32_t *tensor) {
    const gali_program_tensor *t = &b->program->tensors[*tensor];
    const gali_type type = t->type;
    uint32_t from = *tensor;
    if (t->role != GALI_TENSOR_CONSTANT || type.rank < 2) {
        return GAL_OK;
    }
    gal_status status = gali_program_add_inside(b, t->name, &type, GALI_NONE, 0, tensor);
    return status == GAL_OK ? gali_program_add_copy(b, *tensor, from, NULL) : status;
}

gal_status gali_program_add_call(gali_builder *b, const gali_scope *scope, const gali_node *node) {
    uint32_t *ports = gali_arena_take(b->program->arena, 2 * PORTS_MAX * sizeof *ports);
    gali_extent *sizes = gali_arena_take(b->program->arena, SIZES_MAX * sizeof *sizes);
    gali_program_call *call = gali_arena_take(b->program->arena, sizeof *call);
    making m = {b, scope, node, &scope->graph->values[node->operands[0]].type, {.function = NULL}};
    gali_program_step step = {
        .kind = GALI_CONTROL_CALL, .tensor = GALI_NONE, .test = GALI_NONE, .symbol = GALI_NONE, .call = call};
    if (!ports || !sizes || !call) {
        return gali_program_no_memory(b);
    }
    if (node->operand_count > PORTS_MAX || node->result_count >= PORTS_MAX) {
        return gali_fail(b->error, GAL_UNSUPPORTED, "%s: %u operands and %u results: at most %d",
                         gali_node_place(scope->graph, node), node->operand_count, node->result_count,
                         PORTS_MAX);
    }
    m.call = (gali_program_call){.operand_count = node->operand_count,
                                 .result_count = node->result_count,
                                 .operands = ports,
                                 .results = ports + PORTS_MAX,
                                 .sizes = sizes};
    for (uint32_t i = 0; i < PORTS_MAX; i++) {
        int taken = i < node->operand_count && node->operands[i] != GALI_NONE;
        int made = i < node->result_count && node->results[i] != GALI_NONE;
        ports[i] = taken ? scope->tensor[node->operands[i]] : GALI_NONE;
        ports[PORTS_MAX + i] = made ? scope->tensor[node->results[i]] : GALI_NONE;
    }
    gal_status status = make(&m);
    for (uint32_t i = 0; status == GAL_OK && i < PORTS_MAX; i++) {
        status = ports[i] == GALI_NONE ? GAL_OK : store_constant(b, &ports[i]);
    }
    for (uint32_t i = 0; i < PORTS_MAX; i++) {
        if (ports[i] != GALI_NONE) {
            gali_program_keep(b, ports[i]);
        }
        if (ports[PORTS_MAX + i] != GALI_NONE) {
            gali_program_keep(b, ports[PORTS_MAX + i]);
        }
    }
    *call = m.call;
    status = status == GAL_OK ? tell(&m, &step) : status;
    return status == GAL_OK ? gali_program_add_step(b, &step) : status;
}
