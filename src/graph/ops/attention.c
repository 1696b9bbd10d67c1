/*
 * Attention, whose operands are tensors of heads (heads.h):
 *
 *     scores         scale times (queries times keys), then limited to (-softcap, softcap)
 *     logits         scores plus mask, -infinity where a query may not see a key
 *     probabilities  softmax of logits along the keys; 0 of a query that may see none
 *     y              probabilities times values
 *
 * Keys and values of the past come before the new ones. Query i stands at place i + offset among the keys, where offset is
 * how many keys were there before the queries. A causal query sees no key behind its place, a window leaves the keys near
 * it. Query heads share key heads in groups of neighbours.
 */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/ops/heads.h"
#include "graph/rule.h"

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, FILLED, OPERANDS };
enum { Y, PRESENT_KEY, PRESENT_VALUE, SCORES };
enum { SCALED, CAPPED, MASKED, PROBABILITIES }; /* qk_matmul_output_mode */
enum { BATCH = GALI_HEADS_BATCH, HEAD, PLACE, SIZE, AXES };

/* ---- its sizes ---- */

typedef struct attention {
    const gali_node *node;
    gali_heads query, key, value; /* key and value: the new ones */
    gali_extent past, total;      /* keys of the past; all keys */
    gali_extent sharing;          /* query heads for each key head */
    int has[OPERANDS];
    int64_t left, right; /* windows; -1: none */
    int causal;
    double softcap;
} attention;

static attention attention_of(const gali_node *node, gali_extents *extents, const gali_type *const *operand) {
    int64_t queries = gali_node_int(node, "q_num_heads"), keys = gali_node_int(node, "kv_num_heads");
    attention a = {.node = node,
                   .query = gali_heads_of(extents, operand[QUERY], queries),
                   .key = gali_heads_of(extents, operand[KEY], keys),
                   .value = gali_heads_of(extents, operand[VALUE], keys),
                   .left = gali_node_int(node, "left_window_size"),
                   .right = gali_node_int(node, "right_window_size"),
                   .causal = gali_node_int(node, "is_causal") != 0,
                   .softcap = gali_node_number(node, "softcap")};
    for (uint32_t i = 0; i < OPERANDS; i++) {
        a.has[i] = i < node->operand_count && operand[i];
    }
    a.past = a.has[PAST_KEY] ? operand[PAST_KEY]->shape[PLACE] : 0;
    a.total = gali_extent_add(extents, a.past, a.key.shape[PLACE]);
    a.sharing = a.query.shape[HEAD] == a.key.shape[HEAD]
                    ? 1
                    : gali_extent_quotient(extents, a.query.shape[HEAD], a.key.shape[HEAD]);
    return a;
}

/* The attribute; without it 1 / sqrt(size of a head), 0 where that is not known. */
static double scale_of(const attention *a) {
    const gali_attribute *given = gali_node_attribute(a->node, "scale");
    gali_extent size = a->query.shape[SIZE];
    return given ? given->numbers[0] : gali_extent_is_number(size) && size > 0 ? 1 / sqrt((double)size) : 0;
}

/* ---- rule ---- */

static gali_type type_of(gali_element element, gali_extent batch, gali_extent head, gali_extent place,
                         gali_extent size) {
    return (gali_type){.element = element, .rank = AXES, .shape = {batch, head, place, size}};
}

static const char *check_past(gali_rule *rule) {
    const gali_type *key = gali_rule_operand(rule, PAST_KEY), *value = gali_rule_operand(rule, PAST_VALUE);
    if (!key != !value) {
        return "past_key and past_value are given together or not at all";
    }
    if (key && gali_rule_operand(rule, FILLED)) {
        return "a past and nonpad_kv_seqlen do not go together";
    }
    return key && (key->rank != AXES || value->rank != AXES || key->element != rule->operand[KEY]->element ||
                   value->element != key->element ||
                   !gali_heads_equal(rule, key->shape[PLACE], value->shape[PLACE]))
               ? "a past is [batch, heads, length, size], of its keys' and values' element"
               : NULL;
}

/* The past of keys or values has their heads. */
static int has_heads(gali_rule *rule, const gali_type *past, const gali_heads *h) {
    return !past || (gali_heads_equal(rule, past->shape[BATCH], h->shape[BATCH]) &&
                     gali_heads_equal(rule, past->shape[HEAD], h->shape[HEAD]) &&
                     gali_heads_equal(rule, past->shape[SIZE], h->shape[SIZE]));
}

/* A mask is broadcast to [batch, heads, queries, keys], but may end before the last key. */
static gal_status check_mask(gali_rule *rule, const attention *a) {
    const gali_type *mask = gali_rule_operand(rule, MASK);
    const gali_extent *q = a->query.shape;
    gali_type scores = type_of(GALI_f32, q[BATCH], q[HEAD], q[PLACE], a->total);
    if (mask) {
        scores.shape[SIZE] = mask->shape[mask->rank - 1];
    }
    return gali_rule_broadcast_to(rule, MASK, &scores);
}

static const char *check_attention(gali_rule *rule) {
    const gali_type *const *operand = rule->operand, *mask = gali_rule_operand(rule, MASK);
    const gali_type *filled = gali_rule_operand(rule, FILLED);
    int64_t queries = gali_node_int(rule->node, "q_num_heads"),
            keys = gali_node_int(rule->node, "kv_num_heads");
    const char *wrong = gali_heads_check(rule, operand[QUERY], queries);
    wrong = wrong ? wrong : gali_heads_check(rule, operand[KEY], keys);
    wrong = wrong ? wrong : gali_heads_check(rule, operand[VALUE], keys);
    wrong = wrong ? wrong : check_past(rule);
    if (wrong) {
        return wrong;
    }
    if (mask && ((mask->element != GALI_truth && mask->element != operand[QUERY]->element) || mask->rank < 1 ||
                 mask->rank > AXES)) {
        return "a mask is of truth values or of the queries' element, and has 1 to 4 axes";
    }
    if (filled && (filled->element != GALI_i64 || filled->rank != 1)) {
        return "nonpad_kv_seqlen is a list of i64";
    }
    attention a = attention_of(rule->node, rule->graph->extents, operand);
    if (!gali_heads_equal(rule, a.query.shape[SIZE], a.key.shape[SIZE]) ||
        !gali_heads_equal(rule, a.key.shape[PLACE], a.value.shape[PLACE]) ||
        !gali_heads_equal(rule, a.key.shape[HEAD], a.value.shape[HEAD]) ||
        !gali_heads_equal(rule, a.query.shape[BATCH], a.key.shape[BATCH]) ||
        !gali_heads_equal(rule, a.query.shape[BATCH], a.value.shape[BATCH]) ||
        !has_heads(rule, gali_rule_operand(rule, PAST_KEY), &a.key) ||
        !has_heads(rule, gali_rule_operand(rule, PAST_VALUE), &a.value) ||
        (filled && !gali_heads_equal(rule, filled->shape[0], a.query.shape[BATCH]))) {
        return "queries, keys and values do not fit";
    }
    if (operand[KEY]->element != operand[QUERY]->element ||
        operand[VALUE]->element != operand[QUERY]->element) {
        return "queries, keys and values are of different elements";
    }
    gali_extent asking = a.query.shape[HEAD], shared = a.key.shape[HEAD];
    if (shared == 0 || !gali_heads_divides(rule, shared, asking)) {
        return "query heads are not a multiple of key heads";
    }
    return a.left < -1 || a.right < -1 ? "a window is -1 or more" : NULL;
}

gal_status gali_rule_attention(gali_rule *rule) {
    gali_element element = rule->operand[QUERY]->element;
    for (uint32_t i = 0; i < rule->node->result_count; i++) {
        rule->result[i] = (gali_type){.element = element, .rank = -1};
    }
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    const char *wrong = check_attention(rule);
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    attention a = attention_of(rule->node, rule->graph->extents, rule->operand);
    gal_status status = check_mask(rule, &a);
    const gali_extent *q = a.query.shape, *k = a.key.shape, *v = a.value.shape;
    gali_type made[] = {type_of(element, q[BATCH], q[HEAD], q[PLACE], v[SIZE]),
                        type_of(element, k[BATCH], k[HEAD], a.total, k[SIZE]),
                        type_of(element, v[BATCH], v[HEAD], a.total, v[SIZE]),
                        type_of(element, q[BATCH], q[HEAD], q[PLACE], a.total)};
    if (a.query.folded) {
        gali_extent wide = gali_extent_mul(rule->graph->extents, q[HEAD], v[SIZE]);
        made[Y] = (gali_type){.element = element, .rank = 3, .shape = {q[BATCH], q[PLACE], wide}};
    }
    memcpy(rule->result, made, rule->node->result_count * sizeof *made);
    return status;
}

/* ---- truth ---- */

/* Operands as heads; of the present that a tensor has the past and the new. */
typedef struct given {
    attention a;
    const gali_tensor *const *operands;
    double scale;
} given;

static double present(const given *g, int which, const int64_t *index) {
    const gali_heads *h = which == KEY ? &g->a.key : &g->a.value;
    gali_heads past = *h;
    past.folded = 0;
    past.shape[PLACE] = g->a.past;
    int64_t own[AXES] = {index[BATCH], index[HEAD], index[PLACE], index[SIZE]};
    if (own[PLACE] < g->a.past) {
        return g->operands[which == KEY ? PAST_KEY : PAST_VALUE]->real[gali_heads_offset(&past, own)];
    }
    own[PLACE] -= g->a.past;
    return g->operands[which]->real[gali_heads_offset(h, own)];
}

/* Whether the query at index may see key t. */
static int is_seen(const given *g, const int64_t *index, int64_t t) {
    int64_t filled = g->a.has[FILLED] ? g->operands[FILLED]->whole[index[BATCH]] : g->a.total;
    int64_t offset = g->a.has[FILLED] ? filled - g->a.query.shape[PLACE] : g->a.past;
    int64_t place = index[PLACE] + offset;
    return t < filled && !(g->a.causal && t > place) && !(g->a.left >= 0 && t < place - g->a.left) &&
           !(g->a.right >= 0 && t > place + g->a.right);
}

/* What the mask adds; a key behind its end is not seen. */
static double mask_at(const given *g, const int64_t *index, int64_t t) {
    const gali_tensor *mask = g->operands[MASK];
    if (t >= mask->shape[mask->rank - 1]) {
        return -(double)INFINITY;
    }
    int64_t at[AXES] = {index[BATCH], index[HEAD], index[PLACE], t};
    gali_number n = gali_tensor_at(mask, gali_tensor_offset(mask, AXES, at));
    return mask->element != GALI_truth ? n.real : n.whole ? 0 : -(double)INFINITY;
}

static double score(const given *g, const int64_t *index, int64_t t) {
    double sum = 0;
    for (int64_t d = 0; d < g->a.query.shape[SIZE]; d++) {
        int64_t q[AXES] = {index[BATCH], index[HEAD], index[PLACE], d};
        int64_t k[AXES] = {index[BATCH], index[HEAD] / g->a.sharing, t, d};
        sum += g->operands[QUERY]->real[gali_heads_offset(&g->a.query, q)] * present(g, KEY, k);
    }
    return g->scale * sum;
}

/* Probabilities of a query; stored: what the fourth result asks for, or NULL. */
static void attend(const given *g, const int64_t *index, double *p, double *stored) {
    int64_t mode = gali_node_int(g->a.node, "qk_matmul_output_mode");
    double most = -(double)INFINITY, sum = 0, cap = g->a.softcap;
    for (int64_t t = 0; t < g->a.total; t++) {
        double own = score(g, index, t);
        double capped = cap > 0 ? cap * tanh(own / cap) : own;
        double bias = g->a.has[MASK] ? mask_at(g, index, t) : 0;
        p[t] = is_seen(g, index, t) && bias > -(double)INFINITY ? capped + bias : -(double)INFINITY;
        if (stored) {
            stored[t] = mode == SCALED ? own : mode == CAPPED ? capped : p[t];
        }
        most = p[t] > most ? p[t] : most;
    }
    for (int64_t t = 0; t < g->a.total; t++) {
        p[t] = most > -(double)INFINITY ? exp(p[t] - most) : 0;
        sum += p[t];
    }
    for (int64_t t = 0; t < g->a.total; t++) {
        p[t] = sum == 0 ? 0 : p[t] / sum;
    }
    if (stored && mode == PROBABILITIES) {
        memcpy(stored, p, (size_t)g->a.total * sizeof *p);
    }
}

static void store_present(const given *g, int which, gali_tensor *y) {
    int64_t index[AXES] = {0};
    for (size_t e = 0; e < y->count; e++, gali_index_next(index, y->shape, AXES)) {
        y->real[e] = present(g, which, index);
    }
}

gal_status gali_truth_attention(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    gali_type types[OPERANDS];
    const gali_type *operand[OPERANDS] = {NULL};
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (operands[i]) {
            types[i] = (gali_type){.element = operands[i]->element, .rank = (int)operands[i]->rank};
            memcpy(types[i].shape, operands[i]->shape, sizeof types[i].shape);
            operand[i] = &types[i];
        }
    }
    given g = {.a = attention_of(node, run->graph->extents, operand), .operands = operands};
    const gali_extent *q = g.a.query.shape;
    gali_heads made = {g.a.query.folded, {q[BATCH], q[HEAD], q[PLACE], g.a.value.shape[SIZE]}};
    gali_tensor p;
    g.scale = scale_of(&g.a);
    for (int i = PRESENT_KEY; i <= PRESENT_VALUE && i < (int)node->result_count; i++) {
        if (results[i].real) {
            store_present(&g, i == PRESENT_KEY ? KEY : VALUE, &results[i]);
        }
    }
    double sizes = (double)(q[SIZE] + made.shape[SIZE] + 4), count = (double)(q[BATCH] * q[HEAD] * q[PLACE]);
    gal_status status = gali_run_work(run, count * (double)g.a.total * sizes);
    status = status == GAL_OK ? gali_tensor_make(run, &p, GALI_f64, 1, &g.a.total) : status;
    if (status != GAL_OK) {
        return status;
    }
    int64_t index[AXES] = {0}, shape[] = {q[BATCH], q[HEAD], q[PLACE]};
    int stored = node->result_count > SCORES && results[SCORES].real;
    size_t row = 0;
    do {
        index[SIZE] = 0;
        if (count <= 0) {
            break;
        }
        attend(&g, index, p.real, stored ? results[SCORES].real + row++ * (size_t)g.a.total : NULL);
        for (; index[SIZE] < made.shape[SIZE]; index[SIZE]++) {
            double sum = 0;
            for (int64_t t = 0; t < g.a.total; t++) {
                int64_t v[AXES] = {index[BATCH], index[HEAD] / g.a.sharing, t, index[SIZE]};
                sum += p.real[t] * present(&g, VALUE, v);
            }
            results[Y].real[gali_heads_offset(&made, index)] = sum;
        }
    } while (gali_index_next(index, shape, 3));
    gali_tensor_release(run, &p);
    return GAL_OK;
}

/* ---- expression ---- */

typedef const gali_scalar scalar;

/* A result of that number if somebody wants it, or else a temporary. */
static gali_stage_of *result_or(gali_express *x, uint32_t result, const char *name, const gali_extent *shape) {
    return gali_x_wants(x, result) ? gali_x_result(x, result)
                                   : gali_x_temporary(x, name, x->operand[QUERY]->element, AXES, shape);
}

static scalar *minus_infinity(gali_express *x, gali_element element) {
    return gali_x_number(x, element, -(double)INFINITY);
}

/* Keys or values with those of the past; NULL where the operand itself will do. */
static gali_stage_of *express_present(gali_express *x, const attention *a, int which) {
    const gali_heads *h = which == KEY ? &a->key : &a->value;
    uint32_t result = which == KEY ? PRESENT_KEY : PRESENT_VALUE;
    gali_extent shape[AXES] = {h->shape[BATCH], h->shape[HEAD], a->total, h->shape[SIZE]};
    if (!a->has[PAST_KEY] && !gali_x_wants(x, result)) {
        return NULL;
    }
    gali_stage_of *y = result_or(x, result, which == KEY ? "keys" : "values", shape);
    scalar *own[AXES], *index[AXES], *past = gali_x_extent(x, a->past);
    gali_x_axes(x, AXES, own);
    scalar *place = own[PLACE], *of_past = NULL;
    if (a->has[PAST_KEY]) {
        of_past = gali_x_load(x, which == KEY ? PAST_KEY : PAST_VALUE, own);
        own[PLACE] = gali_x_sub(x, place, past);
    }
    gali_heads_index(x, h, own, index);
    scalar *new = gali_x_load(x, (uint32_t)which, index);
    if (y) {
        y->value = of_past ? gali_x_select(x, gali_x_less(x, place, past), of_past, new) : new;
    }
    return y;
}

/* Element (batch, key head of the query head, place, size) of keys or values. */
static scalar *read_present(gali_express *x, const attention *a, int which, const gali_stage_of *stage,
                            scalar *const query[AXES]) {
    scalar *own[AXES] = {query[BATCH], query[HEAD], query[PLACE], query[SIZE]}, *index[AXES];
    if (a->sharing != 1) {
        own[HEAD] = gali_x_apply(x, GALI_SCALAR_quotient, own[HEAD], gali_x_extent(x, a->sharing), NULL);
    }
    if (a->has[PAST_KEY]) {
        return gali_x_read(x, stage, own);
    }
    gali_heads_index(x, which == KEY ? &a->key : &a->value, own, index);
    return gali_x_load(x, (uint32_t)which, index);
}

static gali_stage_of *express_products(gali_express *x, const attention *a, const gali_stage_of *keys) {
    const gali_extent *q = a->query.shape;
    gali_extent shape[AXES] = {q[BATCH], q[HEAD], q[PLACE], a->total};
    gali_stage_of *y = gali_x_temporary(x, "products", x->operand[QUERY]->element, AXES, shape);
    if (y) {
        scalar *own[AXES], *index[AXES];
        gali_x_axes(x, AXES, own);
        scalar *key = own[SIZE];
        own[SIZE] = gali_x_axis(x, gali_x_reduce(y, q[SIZE]));
        gali_heads_index(x, &a->query, own, index);
        scalar *query = gali_x_load(x, QUERY, index);
        own[PLACE] = key;
        y->start = gali_x_number(x, y->element, 0);
        y->value = gali_x_accumulate(x, y, query, read_present(x, a, KEY, keys, own));
    }
    return y;
}

/* The product at the axes, scaled, and limited if asked. */
static scalar *express_score(gali_express *x, const attention *a, const gali_stage_of *products, int capped) {
    gali_element element = x->operand[QUERY]->element;
    double known = scale_of(a);
    scalar *index[AXES], *one = gali_x_number(x, element, 1);
    gali_x_axes(x, AXES, index);
    scalar *size = gali_x_cast(x, element, gali_x_extent(x, a->query.shape[SIZE]));
    scalar *scale = known > 0 || known < 0 || gali_node_attribute(a->node, "scale")
                        ? gali_x_number(x, element, known)
                        : gali_x_div(x, one, gali_x_of(x, GALI_SCALAR_sqrt, size));
    scalar *score = gali_x_mul(x, gali_x_read(x, products, index), scale);
    scalar *cap = gali_x_number(x, element, a->softcap);
    return capped && a->softcap > 0
               ? gali_x_mul(x, gali_x_of(x, GALI_SCALAR_tanh, gali_x_div(x, score, cap)), cap)
               : score;
}

/* Whether the query may see the key at the axes; NULL: always. */
static scalar *express_seen(gali_express *x, const attention *a) {
    scalar *index[AXES], *seen = NULL;
    gali_x_axes(x, AXES, index);
    scalar *key = index[SIZE], *filled = a->has[FILLED] ? gali_x_load(x, FILLED, index) : NULL;
    scalar *offset =
        filled ? gali_x_sub(x, filled, gali_x_extent(x, a->query.shape[PLACE])) : gali_x_extent(x, a->past);
    scalar *place = gali_x_add(x, index[PLACE], offset);
    scalar *limits[4][2] = {{NULL}};
    if (filled) {
        limits[0][0] = gali_x_add(x, key, gali_x_int(x, 1));
        limits[0][1] = filled;
    }
    if (a->causal) {
        limits[1][0] = key;
        limits[1][1] = place;
    }
    if (a->left >= 0) {
        limits[2][0] = gali_x_sub(x, place, gali_x_int(x, a->left));
        limits[2][1] = key;
    }
    if (a->right >= 0) {
        limits[3][0] = key;
        limits[3][1] = gali_x_add(x, place, gali_x_int(x, a->right));
    }
    for (int i = 0; i < 4; i++) {
        if (limits[i][0]) {
            scalar *own = gali_x_apply(x, GALI_SCALAR_less_equal, limits[i][0], limits[i][1], NULL);
            seen = seen ? gali_x_and(x, seen, own) : own;
        }
    }
    return seen;
}

/* The logit with the mask's number at the axes. */
static scalar *express_mask(gali_express *x, const attention *a, scalar *logit) {
    const gali_type *mask = x->operand[MASK];
    const gali_extent *q = a->query.shape, whole[AXES] = {q[BATCH], q[HEAD], q[PLACE], a->total};
    gali_element element = x->operand[QUERY]->element;
    scalar *index[AXES], *own[AXES];
    int missing = AXES - mask->rank;
    gali_x_axes(x, AXES, index);
    for (int i = 0; i + 1 < mask->rank; i++) {
        own[i] = gali_x_repeated(x, index[missing + i], mask->shape[i], whole[missing + i]);
    }
    gali_extent last = mask->shape[mask->rank - 1];
    own[mask->rank - 1] = index[SIZE];
    scalar *value = gali_x_load(x, MASK, own);
    scalar *y = mask->element == GALI_truth ? gali_x_select(x, value, logit, minus_infinity(x, element))
                                            : gali_x_add(x, logit, value);
    return last == a->total ? y
                            : gali_x_select(x, gali_x_less(x, index[SIZE], gali_x_extent(x, last)), y,
                                            minus_infinity(x, element));
}

static scalar *express_logit(gali_express *x, const attention *a, const gali_stage_of *products) {
    scalar *logit = express_score(x, a, products, 1), *seen = express_seen(x, a);
    logit = a->has[MASK] ? express_mask(x, a, logit) : logit;
    return seen ? gali_x_select(x, seen, logit, minus_infinity(x, x->operand[QUERY]->element)) : logit;
}

/* Softmax along the keys; where a query may see none, 0. */
static gali_stage_of *express_probabilities(gali_express *x, const attention *a,
                                            const gali_stage_of *products) {
    const gali_extent *q = a->query.shape;
    gali_element element = x->operand[QUERY]->element;
    gali_type type = type_of(element, q[BATCH], q[HEAD], q[PLACE], a->total);
    const uint32_t along = 1u << SIZE;
    int hidden = a->has[MASK] || a->has[FILLED] || a->causal || a->left >= 0 || a->right >= 0;
    scalar *index[AXES], *lowest = minus_infinity(x, element), *none = gali_x_number(x, element, 0);
    gali_stage_of *logits = gali_x_temporary(x, "logits", element, AXES, type.shape);
    if (logits) {
        logits->value = express_logit(x, a, products);
    }
    gali_stage_of *most = gali_x_over(x, "most", element, &type, along, index);
    gali_x_fold(x, most, GALI_SCALAR_most, lowest, gali_x_read(x, logits, index));
    gali_stage_of *power = gali_x_temporary(x, "power", element, AXES, type.shape);
    gali_x_axes(x, AXES, index);
    scalar *top = gali_x_read_over(x, most, along, index);
    top = hidden ? gali_x_select(x, gali_x_equal(x, top, lowest), none, top) : top;
    if (power) {
        power->value = gali_x_of(x, GALI_SCALAR_exp, gali_x_sub(x, gali_x_read(x, logits, index), top));
    }
    gali_stage_of *sum = gali_x_over(x, "sum", element, &type, along, index);
    gali_x_sum(x, sum, gali_x_read(x, power, index));
    int kept = gali_x_wants(x, SCORES) && gali_node_int(a->node, "qk_matmul_output_mode") == PROBABILITIES;
    gali_stage_of *y =
        kept ? gali_x_result(x, SCORES) : gali_x_temporary(x, "probabilities", element, AXES, type.shape);
    gali_x_axes(x, AXES, index);
    scalar *whole = gali_x_read_over(x, sum, along, index);
    scalar *share = gali_x_div(x, gali_x_read(x, power, index), whole);
    if (y) {
        y->value = hidden ? gali_x_select(x, gali_x_equal(x, whole, none), none, share) : share;
    }
    return y;
}

static void express_y(gali_express *x, const attention *a, const gali_stage_of *probabilities,
                      const gali_stage_of *values) {
    const gali_extent *q = a->query.shape;
    gali_heads made = {a->query.folded, {q[BATCH], q[HEAD], q[PLACE], a->value.shape[SIZE]}};
    gali_element element = x->operand[QUERY]->element;
    gali_stage_of *sum =
        made.folded ? gali_x_temporary(x, "sums", element, AXES, made.shape) : gali_x_result(x, Y);
    if (!sum) {
        return;
    }
    scalar *own[AXES], *index[AXES];
    gali_x_axes(x, AXES, own);
    memcpy(index, own, sizeof index);
    scalar *key = gali_x_axis(x, gali_x_reduce(sum, a->total));
    index[SIZE] = key;
    own[PLACE] = key;
    sum->start = gali_x_number(x, element, 0);
    sum->value =
        gali_x_accumulate(x, sum, gali_x_read(x, probabilities, index), read_present(x, a, VALUE, values, own));
    gali_stage_of *y = made.folded ? gali_x_result(x, Y) : NULL;
    if (y) {
        gali_heads_axes(x, &made, own);
        y->value = gali_x_read(x, sum, own);
    }
}

void gali_express_attention(gali_express *x) {
    attention a = attention_of(x->node, x->extents, x->operand);
    int64_t mode = gali_node_int(x->node, "qk_matmul_output_mode");
    gali_stage_of *keys = express_present(x, &a, KEY), *values = express_present(x, &a, VALUE);
    gali_stage_of *products = express_products(x, &a, keys);
    gali_stage_of *scores = gali_x_wants(x, SCORES) && mode != PROBABILITIES ? gali_x_result(x, SCORES) : NULL;
    if (scores) {
        scores->value =
            mode == MASKED ? express_logit(x, &a, products) : express_score(x, &a, products, mode == CAPPED);
    }
    gali_stage_of *probabilities = express_probabilities(x, &a, products);
    express_y(x, &a, probabilities, values);
}
