/* Where rules hold: patterns of the list as trees, met with a graph's nodes, and the conditions on what they stand for. */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/rewriting.h"
#include "graph/rule.h"

const gali_patterns *gali_patterns_make(gali_arena *arena) {
    gali_patterns *p = gali_arena_take(arena, sizeof *p);
    for (int rule = 0; p && rule < GALI_REWRITE_COUNT; rule++) {
        const gali_rewrite_facts *facts = &gali_rewrite_list[rule];
        if (!facts->before) {
            continue;
        }
        gali_pattern *before = &p->before[rule];
        if (!gali_pattern_parse(before, facts->before) || !gali_pattern_parse(&p->after[rule], facts->after)) {
            return NULL;
        }
        for (uint32_t i = 0; i < before->count; i++) {
            if (before->nodes[i].kind == GALI_PATTERN_OP) {
                p->known[before->nodes[i].op] = 1;
            }
        }
    }
    return p;
}

/* ---- what a pattern stands for ---- */

typedef struct matching {
    gali_rewriting *r;
    const gali_pattern *pattern;
    uint32_t swaps; /* bits of operators whose operands change places */
    uint32_t letter[GALI_PATTERN_LETTERS];
    uint32_t node[GALI_PATTERN_NODES_MAX]; /* of operators of the pattern */
} matching;

static size_t count_of(const gali_value *value) {
    size_t count = 1;
    for (int d = 0; d < value->type.rank; d++) {
        count *= (size_t)value->type.shape[d];
    }
    return count;
}

static int is_number(const gali_value *value, double number) {
    return value->data && count_of(value) == 1 && gali_element_list[value->type.element].kind == GALI_REAL &&
           gali_constant_real(value, 0) == number && (number != 0 || !signbit(gali_constant_real(value, 0)));
}

static int is_value(matching *m, uint32_t index, uint32_t value);

static int is_operator(matching *m, uint32_t index, uint32_t number) {
    const gali_pattern_node *p = &m->pattern->nodes[index];
    gali_node *node = &m->r->graph->nodes[number];
    if (node->op != p->op || !gali_pattern_fits(node, p->operand_count)) {
        return 0;
    }
    gali_rewriting_renew(m->r, node);
    int swapped = (p->swap & m->swaps) != 0, is = 1;
    m->node[index] = number;
    for (uint32_t k = 0; is && k < p->operand_count; k++) {
        is = is_value(m, p->operands[k], node->operands[swapped ? 1 - k : k]);
    }
    return is;
}

static int is_value(matching *m, uint32_t index, uint32_t value) {
    const gali_pattern_node *p = &m->pattern->nodes[index];
    if (p->kind == GALI_PATTERN_NUMBER) {
        return is_number(&m->r->graph->values[value], p->number);
    }
    if (p->kind == GALI_PATTERN_LETTER) {
        uint32_t own = m->letter[p->letter];
        m->letter[p->letter] = value;
        return own == GALI_NONE || own == value;
    }
    uint32_t maker = m->r->graph->values[value].node;
    return maker != GALI_NONE && is_operator(m, index, maker);
}

/* ---- what is proven ---- */

static int is_positive(const gali_rewriting *r, uint32_t number, int depth);

static int are_positive(const gali_rewriting *r, const gali_node *node, int depth) {
    int all = 1;
    for (uint32_t k = 0; all && k < node->operand_count; k++) {
        all = is_positive(r, gali_rewriting_value(r, node->operands[k]), depth - 1);
    }
    return all;
}

/* Not negative whatever the inputs are; it may be no number. */
static int is_positive(const gali_rewriting *r, uint32_t number, int depth) {
    enum { ELEMENTS_MOST = 4096 };
    const gali_value *value = &r->graph->values[number];
    if (value->data) {
        size_t count = count_of(value);
        int all = count <= ELEMENTS_MOST && gali_element_list[value->type.element].kind == GALI_REAL;
        for (size_t i = 0; all && i < count; i++) {
            all = gali_constant_real(value, i) >= 0;
        }
        return all;
    }
    const gali_node *node = value->node == GALI_NONE || depth == 0 ? NULL : &r->graph->nodes[value->node];
    switch (node ? node->op : GALI_OP_COUNT) {
    case GALI_OP_Abs:
    case GALI_OP_Relu:
    case GALI_OP_Exp:
    case GALI_OP_Sigmoid:
    case GALI_OP_Softplus:
    case GALI_OP_HardSigmoid:
    case GALI_OP_Sqrt:
    case GALI_OP_Softmax:
    case GALI_OP_ReduceL1:
    case GALI_OP_ReduceL2:
    case GALI_OP_ReduceSumSquare:
        return 1;
    case GALI_OP_Mul:
        return gali_rewriting_value(r, node->operands[0]) == gali_rewriting_value(r, node->operands[1]) ||
               are_positive(r, node, depth);
    case GALI_OP_Add:
    case GALI_OP_Div:
        return are_positive(r, node, depth);
    case GALI_OP_ReduceMean:
    case GALI_OP_ReduceSum:
        return is_positive(r, gali_rewriting_value(r, node->operands[0]), depth - 1);
    default:
        return 0;
    }
}

/* Computed for one reader, elements of it perhaps moved in between: what is done to it may be done there. */
static int is_made(const gali_rewriting *r, uint32_t value) {
    while (!r->constant[value]) {
        uint32_t maker = r->graph->values[value].node;
        const gali_node *node = maker == GALI_NONE ? NULL : &r->graph->nodes[maker];
        if (!node || r->uses[value] != 1 || node->operand_count == 0 || node->result_count != 1) {
            return 0;
        }
        switch (node->op) {
        case GALI_OP_Identity:
        case GALI_OP_Reshape:
        case GALI_OP_Transpose:
        case GALI_OP_Squeeze:
        case GALI_OP_Unsqueeze:
            value = gali_rewriting_value(r, node->operands[0]);
            break;
        default:
            return gali_op_list[node->op].mapping == GALI_ONE_TO_ONE || node->op == GALI_OP_MatMul ||
                   node->op == GALI_OP_Gemm || node->op == GALI_OP_Conv;
        }
    }
    return 1;
}

static int is_power_of_two(double number) {
    enum { EXPONENT_MOST = 100 };
    int exponent;
    double part = frexp(number, &exponent);
    return isfinite(number) && fabs(part) == 0.5 && exponent > -EXPONENT_MOST && exponent < EXPONENT_MOST;
}

static int are_powers(const gali_value *value) {
    size_t count = value->data ? count_of(value) : 0;
    int all = count > 0 && gali_element_list[value->type.element].kind == GALI_REAL;
    for (size_t i = 0; all && i < count; i++) {
        all = is_power_of_two(gali_constant_real(value, i));
    }
    return all;
}

/* Whether the first `axes` extents are 1. */
static int has_ones(const gali_type *type, int axes) {
    int all = type->rank >= 0;
    for (int d = 0; all && d < axes; d++) {
        all = type->shape[d] == 1;
    }
    return all;
}

static int holds(const matching *m, const char *word, size_t size, uint32_t letter) {
    const gali_value *value = letter < GALI_PATTERN_LETTERS && m->letter[letter] != GALI_NONE
                                  ? &m->r->graph->values[m->letter[letter]]
                                  : NULL;
    enum { DEPTH_MOST = 4 };
    if (size == 4 && memcmp(word, "left", size) == 0) {
        int left = 1;
        for (uint32_t i = 0; i < m->pattern->count; i++) {
            const gali_node *node =
                m->pattern->nodes[i].op == GALI_OP_BitShift && m->pattern->nodes[i].kind == GALI_PATTERN_OP
                    ? &m->r->graph->nodes[m->node[i]]
                    : NULL;
            left &= !node || gali_node_is(node, "direction", "LEFT");
        }
        return left;
    }
    if (!value) {
        return 0;
    }
    switch (word[0]) {
    case 'c': /* constant */
        return m->r->constant[m->letter[letter]];
    case 's': /* single */
        return has_ones(&value->type, value->type.rank);
    case 'r': /* row */
        return m->r->constant[m->letter[letter]] && has_ones(&value->type, value->type.rank - 1);
    case 'm': /* made */
        return is_made(m->r, m->letter[letter]);
    case 'p':
        return word[2] == 'w' ? are_powers(value) : is_positive(m->r, m->letter[letter], DEPTH_MOST);
    default:
        return 0;
    }
}

/* Whether all that a rule is used for holds. */
static int all_hold(const matching *m, const gali_rewrite_facts *facts, const gali_type *root) {
    int real = gali_element_list[root->element].kind == GALI_REAL;
    const char *at = facts->where;
    while (*at) {
        size_t size = strcspn(at, " ,");
        uint32_t letter = at[size] == ' ' ? (uint32_t)(at[size + 1] - 'a') : GALI_PATTERN_LETTERS;
        int any = (size == 3 && memcmp(at, "any", size) == 0) || (size == 4 && memcmp(at, "left", size) == 0);
        real |= any;
        if (size != 3 && !holds(m, at, size, letter)) {
            return 0;
        }
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    return real;
}

/* ---- what it becomes ---- */

typedef struct making {
    const matching *m;
    gali_fitting *f;
    const gali_pattern *after;
    gali_work added;
} making;

static int reduces(gali_op op) {
    return strcmp(gali_op_list[op].family, "reduce") == 0;
}

/* The node of `before` that an operator of `after` takes its attributes of; all that could be it must have the same. */
static int find_like(const making *g, gali_op op, uint32_t *like) {
    const matching *m = g->m;
    *like = GALI_NONE;
    for (uint32_t i = 0; i < m->pattern->count; i++) {
        const gali_pattern_node *p = &m->pattern->nodes[i];
        if (p->kind != GALI_PATTERN_OP || (p->op != op && !(reduces(op) && reduces(p->op)))) {
            continue;
        }
        if (*like != GALI_NONE && *like != m->node[i] &&
            !gali_node_has_same_attributes(&m->r->graph->nodes[*like], &m->r->graph->nodes[m->node[i]])) {
            return 0;
        }
        *like = m->node[i];
    }
    return 1;
}

/* Fills operands of a node that is to be made: those of the pattern, and those behind that a reduction has. */
static uint32_t operands_of(const making *g, const gali_pattern_node *p, uint32_t like, uint32_t *operands,
                            const gali_type **types, const gali_extent **known, uint8_t *constant) {
    const gali_graph *graph = g->m->r->graph;
    const gali_node *node = like == GALI_NONE ? NULL : &graph->nodes[like];
    uint32_t count = node && node->operand_count > p->operand_count ? node->operand_count : p->operand_count;
    for (uint32_t k = 0; k < count && k < GALI_REWRITE_NODES; k++) {
        const gali_fitted *of = k < p->operand_count ? &g->f->made[p->operands[k]] : NULL;
        uint32_t value = of ? of->value : node->operands[k];
        operands[k] = value;
        types[k] = of ? &of->type : value == GALI_NONE ? NULL : &graph->values[value].type;
        known[k] = value == GALI_NONE ? NULL : graph->values[value].known;
        constant[k] = (uint8_t)(of ? of->constant : value == GALI_NONE || g->m->r->constant[value]);
    }
    return count < GALI_REWRITE_NODES ? count : GALI_REWRITE_NODES;
}

/* A node of `before` that is the same; GALI_NONE. */
static uint32_t same_node(const making *g, const gali_node *node) {
    const matching *m = g->m;
    for (uint32_t i = 0; i + 1 < m->pattern->count; i++) {
        const gali_node *own =
            m->pattern->nodes[i].kind == GALI_PATTERN_OP ? &m->r->graph->nodes[m->node[i]] : NULL;
        if (own && own->op == node->op && own->operand_count == node->operand_count &&
            memcmp(own->operands, node->operands, node->operand_count * sizeof *node->operands) == 0 &&
            gali_node_has_same_attributes(own, node)) {
            return m->node[i];
        }
    }
    return GALI_NONE;
}

static int make_operator(making *g, uint32_t index) {
    const gali_pattern_node *p = &g->after->nodes[index];
    gali_rewriting *r = g->m->r;
    gali_fitted *made = &g->f->made[index];
    uint32_t operands[GALI_REWRITE_NODES];
    const gali_type *types[GALI_REWRITE_NODES];
    const gali_extent *known[GALI_REWRITE_NODES], *result_known = NULL;
    const void *data[GALI_REWRITE_NODES] = {NULL};
    const double *real[GALI_REWRITE_NODES] = {NULL};
    uint8_t constant[GALI_REWRITE_NODES];
    if (!find_like(g, p->op, &made->like)) {
        return 0;
    }
    gali_node node = {.op = p->op, .name = "", .operands = operands, .result_count = 1};
    node.operand_count = operands_of(g, p, made->like, operands, types, known, constant);
    if (made->like != GALI_NONE) {
        const gali_node *like = &r->graph->nodes[made->like];
        node.attributes = like->attributes;
        node.attribute_count = like->attribute_count;
        if (reduces(p->op) && !gali_type_equal(types[0], &r->graph->values[like->operands[0]].type)) {
            return 0;
        }
    }
    gal_error error = {0};
    gali_type type = {.rank = -1};
    gali_rule rule = {.graph = r->graph,
                      .node = &node,
                      .operand = types,
                      .known = known,
                      .constant = data,
                      .result = &type,
                      .result_known = &result_known,
                      .error = &error,
                      .real = real};
    if (gali_op_list[p->op].rule(&rule) != GAL_OK || type.rank < 0) {
        return 0;
    }
    uint32_t same = same_node(g, &node);
    made->value = same == GALI_NONE ? GALI_NONE : r->graph->nodes[same].results[0];
    made->type = type;
    made->constant = 1;
    for (uint32_t k = 0; k < node.operand_count; k++) {
        made->constant &= constant[k];
    }
    if (made->value == GALI_NONE) {
        gali_work work = gali_node_work(r->graph->extents, r->sizes, &node, types, constant, &type);
        g->added.steps += work.steps;
        g->added.reads += work.reads;
    }
    return 1;
}

static int make_all(making *g, const gali_type *root) {
    for (uint32_t i = 0; i < g->after->count; i++) {
        const gali_pattern_node *p = &g->after->nodes[i];
        gali_fitted *made = &g->f->made[i];
        *made = (gali_fitted){.value = GALI_NONE, .like = GALI_NONE, .constant = 1};
        if (p->kind == GALI_PATTERN_NUMBER) {
            made->type.element = root->element;
        } else if (p->kind == GALI_PATTERN_LETTER) {
            made->value = g->m->letter[p->letter];
            made->type = g->m->r->graph->values[made->value].type;
            made->constant = g->m->r->constant[made->value];
        } else if (!make_operator(g, i)) {
            return 0;
        }
    }
    return gali_type_equal(&g->f->made[g->after->count - 1].type, root);
}

/* ---- what it saves ---- */

/* Whether a value is read by what is made. */
static int is_kept(const making *g, uint32_t value) {
    for (uint32_t i = 0; i < g->after->count; i++) {
        if (g->f->made[i].value == value) {
            return 1;
        }
    }
    return 0;
}

/* The work of the nodes that nobody reads any more: the whole, then those that are read by such alone. */
static gali_work work_gone(const making *g) {
    const matching *m = g->m;
    const gali_graph *graph = m->r->graph;
    uint8_t gone[GALI_PATTERN_NODES_MAX] = {0};
    gali_work all = {0};
    for (uint32_t i = m->pattern->count; i-- > 0;) {
        if (m->pattern->nodes[i].kind != GALI_PATTERN_OP) {
            continue;
        }
        uint32_t value = graph->nodes[m->node[i]].results[0], reads = 0;
        int twice = 0;
        for (uint32_t k = i + 1; k < m->pattern->count; k++) {
            const gali_node *reader = gone[k] ? &graph->nodes[m->node[k]] : NULL;
            twice |= reader && m->node[k] == m->node[i];
            for (uint32_t o = 0; reader && o < reader->operand_count; o++) {
                reads += reader->operands[o] == value;
            }
        }
        int whole = i + 1 == m->pattern->count;
        gone[i] = (uint8_t)(!twice && (whole || (reads == m->r->uses[value] && !is_kept(g, value))));
        if (gone[i]) {
            gali_work work = gali_rewriting_work(m->r, m->node[i]);
            all.steps += work.steps;
            all.reads += work.reads;
        }
    }
    return all;
}

int gali_work_is_more(gali_work a, gali_work b) {
    return a.steps > b.steps || (a.steps == b.steps && a.reads > b.reads);
}

static void fit(const matching *m, const gali_pattern *after, gali_rewrite rule, uint32_t number,
                gali_fitting *best) {
    const gali_graph *graph = m->r->graph;
    uint32_t result = graph->nodes[number].results[0];
    const gali_value *root = &graph->values[result];
    gali_fitting fitting = {.rule = rule, .node = number};
    making g = {.m = m, .f = &fitting, .after = after};
    if (root->told || !all_hold(m, &gali_rewrite_list[rule], &root->type) || !make_all(&g, &root->type)) {
        return;
    }
    if (fitting.made[after->count - 1].value != GALI_NONE && m->r->output[result]) {
        return;
    }
    gali_work before = work_gone(&g);
    fitting.saved = (gali_work){before.steps - g.added.steps, before.reads - g.added.reads};
    if (gali_work_is_more(fitting.saved, best->saved)) {
        *best = fitting;
    }
}

void gali_rewrite_fit(gali_rewriting *r, const gali_patterns *patterns, gali_rewrite rule, uint32_t node,
                      gali_fitting *best) {
    matching m = {.r = r, .pattern = &patterns->before[rule]};
    uint32_t whole = m.pattern->count - 1;
    if (m.pattern->nodes[whole].op != r->graph->nodes[node].op) {
        return;
    }
    for (m.swaps = 0; m.swaps < 1u << m.pattern->swaps; m.swaps++) {
        memset(m.letter, 0xff, sizeof m.letter);
        if (is_operator(&m, whole, node)) {
            fit(&m, &patterns->after[rule], rule, node, best);
        }
    }
}

/* ---- its use ---- */

static uint32_t add_number(gali_rewriting *r, const gali_fitted *made, double number) {
    enum { ELEMENT_BYTES = 8 };
    unsigned char *data = gali_arena_take(r->graph->arena, ELEMENT_BYTES);
    if (!data) {
        return GALI_NONE;
    }
    gali_element_store(made->type.element, number, 0, data);
    uint32_t value = gali_graph_constant(r->graph, "", &made->type, data);
    if (value != GALI_NONE) {
        r->constant[value] = 1;
    }
    return value;
}

/* The node of an operator of `after`; result: that it makes, GALI_NONE: a new value. Returns the value. */
static uint32_t add_operator(gali_rewriting *r, const gali_pattern_node *p, const gali_fitting *f,
                             const gali_fitted *made, const uint32_t *values, uint32_t result) {
    const gali_node *root = &r->graph->nodes[f->node];
    const gali_node *like = made->like == GALI_NONE ? NULL : &r->graph->nodes[made->like];
    uint32_t operands[GALI_REWRITE_NODES];
    uint32_t value = result == GALI_NONE ? gali_rewriting_add_value(r, &made->type, made->constant) : result;
    gali_node node = {.op = p->op,
                      .name = root->name,
                      .source = root->source,
                      .operand_count = p->operand_count,
                      .result_count = 1,
                      .operands = operands,
                      .results = &value};
    for (uint32_t k = 0; k < p->operand_count; k++) {
        operands[k] = values[p->operands[k]];
    }
    if (like) {
        node.attributes = like->attributes;
        node.attribute_count = like->attribute_count;
        for (; node.operand_count < like->operand_count && node.operand_count < GALI_REWRITE_NODES;
             node.operand_count++) {
            operands[node.operand_count] = like->operands[node.operand_count];
        }
    }
    return value == GALI_NONE || gali_rewriting_add_node(r, &node, f->node) == GALI_NONE ? GALI_NONE : value;
}

void gali_rewrite_apply(gali_rewriting *r, const gali_patterns *patterns, const gali_fitting *f) {
    const gali_pattern *after = &patterns->after[f->rule];
    uint32_t values[GALI_PATTERN_NODES_MAX], result = r->graph->nodes[f->node].results[0];
    for (uint32_t i = 0; i < after->count; i++) {
        const gali_pattern_node *p = &after->nodes[i];
        const gali_fitted *made = &f->made[i];
        values[i] = made->value != GALI_NONE ? made->value
                    : p->kind == GALI_PATTERN_NUMBER
                        ? add_number(r, made, p->number)
                        : add_operator(r, p, f, made, values, i + 1 == after->count ? result : GALI_NONE);
        if (values[i] == GALI_NONE) {
            return;
        }
    }
    if (values[after->count - 1] != result) {
        gali_rewriting_replace(r, result, values[after->count - 1]);
    }
    gali_rewriting_drop(r, f->node);
}
