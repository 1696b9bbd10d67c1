/*
 * Einsum: letters name axes. y at the letters behind the arrow is the sum, over all other letters, of the product of the
 * operands at theirs. An ellipsis stands for axes without letters, which are broadcast.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"
#include "graph/scalar.h"

enum { OPERANDS_MAX = 16, LETTERS = 128, DOTS = LETTERS, LABELS = LETTERS + GALI_RANK_MAX };

/* Labels are letters, or DOTS + i for the i-th of an ellipsis's axes from their end. */
typedef struct equation {
    uint32_t operands;
    int ranks[OPERANDS_MAX + 1]; /* the last is the result's */
    int labels[OPERANDS_MAX + 1][GALI_RANK_MAX];
    int dots;                    /* axes of the longest ellipsis */
    int axes[2 * GALI_RANK_MAX]; /* labels: the result's, then those that are summed over */
    int axis_count;
} equation;

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* One operand's letters, of that rank; what is wrong, or NULL. *at is moved to its end. */
static const char *read_term(const char **at, int rank, int *labels, int *dots) {
    int letters = 0, count = 0, open = 0;
    for (const char *c = *at; is_letter(*c) || *c == ' ' || *c == '.'; c++) {
        letters += is_letter(*c);
        open |= *c == '.';
    }
    int hidden = open ? rank - letters : 0;
    if (hidden < 0 || letters + hidden != rank) {
        return "an operand has more or fewer axes than letters";
    }
    for (; is_letter(**at) || **at == ' ' || **at == '.'; ++*at) {
        if (strncmp(*at, "...", 3) == 0) {
            for (int i = hidden; i-- > 0;) {
                labels[count++] = DOTS + i;
            }
            *at += 2;
        } else if (is_letter(**at)) {
            labels[count++] = **at;
        } else if (**at == '.') {
            return "a dot that is no ellipsis";
        }
    }
    *dots = hidden > *dots ? hidden : *dots;
    return count == rank ? NULL : "two ellipses";
}

static int uses_of(const equation *e, int label) {
    int uses = 0;
    for (uint32_t i = 0; i < e->operands; i++) {
        for (int d = 0; d < e->ranks[i]; d++) {
            uses += e->labels[i][d] == label;
        }
    }
    return uses;
}

/* Without an arrow: the ellipsis, then letters that stand once, by the alphabet. */
static const char *implied(equation *e) {
    int count = 0, *labels = e->labels[e->operands];
    for (int i = e->dots; i-- > 0;) {
        labels[count++] = DOTS + i;
    }
    for (int letter = 0; letter < LETTERS; letter++) {
        if (uses_of(e, letter) == 1) {
            if (count == GALI_RANK_MAX) {
                return "too many axes";
            }
            labels[count++] = letter;
        }
    }
    e->ranks[e->operands] = count;
    return NULL;
}

static const char *read_result(equation *e, const char *at) {
    int count = 0, *labels = e->labels[e->operands];
    for (; *at; at++) {
        if (strncmp(at, "...", 3) == 0) {
            for (int i = e->dots; i-- > 0 && count < GALI_RANK_MAX;) {
                labels[count++] = DOTS + i;
            }
            at += 2;
        } else if (is_letter(*at) && count < GALI_RANK_MAX && uses_of(e, *at)) {
            labels[count++] = *at;
        } else if (*at != ' ') {
            return "what is behind the arrow is no letter of an operand";
        }
    }
    e->ranks[e->operands] = count;
    return NULL;
}

static const char *order_axes(equation *e) {
    e->axis_count = 0;
    for (int i = 0; i < e->ranks[e->operands]; i++) {
        e->axes[e->axis_count++] = e->labels[e->operands][i];
    }
    for (int label = 0; label < LABELS; label++) {
        int known = 0;
        for (int i = 0; i < e->axis_count; i++) {
            known |= e->axes[i] == label;
        }
        if (!known && uses_of(e, label)) {
            if (e->axis_count == 2 * GALI_RANK_MAX) {
                return "too many letters";
            }
            e->axes[e->axis_count++] = label;
        }
    }
    return NULL;
}

/* What is wrong, or NULL. */
static const char *read_equation(equation *e, const gali_node *node, const int *ranks) {
    const char *at = gali_node_word(node, "equation"), *wrong = NULL;
    *e = (equation){.operands = node->operand_count};
    for (uint32_t i = 0; !wrong && i < e->operands; i++) {
        e->ranks[i] = ranks[i];
        wrong = i >= OPERANDS_MAX ? "too many operands" : read_term(&at, ranks[i], e->labels[i], &e->dots);
        int more = i + 1 < e->operands;
        if (!wrong && more != (*at == ',')) {
            wrong = "as many terms as operands expected";
        }
        at += *at == ',';
    }
    if (!wrong) {
        wrong = strncmp(at, "->", 2) == 0 ? read_result(e, at + 2)
                : *at                     ? "a letter or an arrow expected"
                                          : implied(e);
    }
    return wrong ? wrong : order_axes(e);
}

static int place_of(const equation *e, int label) {
    int at = 0;
    while (e->axes[at] != label) {
        at++;
    }
    return at;
}

/* ---- the rule ---- */

/* The extent of a label that has one in another operand: a number 1 gives way; an ellipsis's axes are broadcast. */
static gali_extent joined(gali_extents *x, int label, gali_extent all, gali_extent own) {
    return label >= DOTS                                          ? gali_extent_broadcast(x, all, own)
           : all == 1 || (gali_extent_is_number(own) && own != 1) ? own
                                                                  : all;
}

/* The extents of all labels, in the order of axes. */
static void extents_of(const equation *e, gali_extents *x, const gali_type *const *operand,
                       gali_extent *extents) {
    for (int i = 0; i < e->axis_count; i++) {
        extents[i] = 1;
    }
    for (uint32_t i = 0; i < e->operands; i++) {
        for (int d = 0; d < e->ranks[i]; d++) {
            gali_extent *all = &extents[place_of(e, e->labels[i][d])];
            *all = joined(x, e->labels[i][d], *all, operand[i]->shape[d]);
        }
    }
}

/* All axes of a letter are the same, but for those that are the number 1. */
static gal_status check_extents(gali_rule *rule, const equation *e, const gali_extent *extents) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < e->operands; i++) {
        for (int d = 0; status == GAL_OK && d < e->ranks[i]; d++) {
            gali_extent own = rule->operand[i]->shape[d], all = extents[place_of(e, e->labels[i][d])], unused;
            status = e->labels[i][d] >= DOTS ? gali_rule_broadcast_extents(rule, own, all, &unused)
                     : own == 1              ? GAL_OK
                                             : gali_rule_same(rule, own, all, &unused);
        }
    }
    return status;
}

gal_status gali_rule_einsum(gali_rule *rule) {
    int ranks[OPERANDS_MAX] = {0};
    equation e;
    gal_status status = gali_rule_all_given(rule);
    rule->result[0].element = rule->operand[0]->element;
    if (status == GAL_OK && rule->operand[0]->element == GALI_truth) {
        return gali_rule_fail(rule, "not for bool");
    }
    if (status != GAL_OK || !gali_rule_ranks_known(rule)) {
        return status;
    }
    for (uint32_t i = 0; i < rule->node->operand_count && i < OPERANDS_MAX; i++) {
        ranks[i] = rule->operand[i]->rank;
        if (rule->operand[i]->element != rule->operand[0]->element) {
            return gali_rule_fail(rule, "operands are of two elements");
        }
    }
    gali_extent extents[2 * GALI_RANK_MAX];
    const char *wrong = read_equation(&e, rule->node, ranks);
    if (wrong) {
        return gali_rule_fail(rule, "equation \"%.60s\": %s", gali_node_word(rule->node, "equation"), wrong);
    }
    extents_of(&e, rule->graph->extents, rule->operand, extents);
    status = check_extents(rule, &e, extents);
    rule->result[0].rank = e.ranks[e.operands];
    for (int i = 0; i < rule->result[0].rank; i++) {
        rule->result[0].shape[i] = extents[i];
    }
    return status;
}

/* ---- the truth ---- */

static size_t offset_of(const equation *e, uint32_t operand, const gali_tensor *tensor, const int64_t *index) {
    size_t at = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        int64_t own = tensor->shape[d] == 1 ? 0 : index[place_of(e, e->labels[operand][d])];
        at = at * (size_t)tensor->shape[d] + (size_t)own;
    }
    return at;
}

static gali_number product_at(const equation *e, const gali_tensor *const *operands, const int64_t *index) {
    gali_number v[3] = {gali_tensor_at(operands[0], offset_of(e, 0, operands[0], index))};
    for (uint32_t i = 1; i < e->operands; i++) {
        v[1] = gali_tensor_at(operands[i], offset_of(e, i, operands[i], index));
        v[0] = gali_scalar_compute(GALI_SCALAR_mul, operands[0]->element, v);
    }
    return v[0];
}

gal_status gali_truth_einsum(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                             gali_tensor *results) {
    int ranks[OPERANDS_MAX] = {0};
    int64_t shape[2 * GALI_RANK_MAX], index[2 * GALI_RANK_MAX] = {0};
    equation e;
    double sums = 1;
    for (uint32_t i = 0; i < node->operand_count && i < OPERANDS_MAX; i++) {
        ranks[i] = (int)operands[i]->rank;
    }
    const char *wrong = read_equation(&e, node, ranks);
    if (wrong) {
        return gali_run_fail(run, node, "%s", wrong);
    }
    for (int i = 0; i < e.axis_count; i++) {
        shape[i] = 1;
    }
    for (uint32_t i = 0; i < e.operands; i++) {
        for (int d = 0; d < e.ranks[i]; d++) {
            int64_t *all = &shape[place_of(&e, e.labels[i][d])];
            *all = operands[i]->shape[d] != 1 ? operands[i]->shape[d] : *all;
        }
    }
    uint32_t rank = results[0].rank, reduced = (uint32_t)e.axis_count - rank;
    for (uint32_t i = 0; i < reduced; i++) {
        sums *= (double)shape[rank + i];
    }
    gal_status status = gali_run_work(run, sums * (double)results[0].count * e.operands);
    for (size_t y = 0; status == GAL_OK && y < results[0].count; y++, gali_index_next(index, shape, rank)) {
        gali_number v[3] = {{0}};
        int more = sums > 0;
        while (more) {
            v[1] = product_at(&e, operands, index);
            v[0] = gali_scalar_compute(GALI_SCALAR_add, results[0].element, v);
            more = gali_index_next(index + rank, shape + rank, reduced);
        }
        gali_tensor_put(&results[0], y, v[0]);
    }
    return status;
}

/* ---- the expression ---- */

void gali_express_einsum(gali_express *x) {
    int ranks[OPERANDS_MAX] = {0};
    gali_extent extents[2 * GALI_RANK_MAX];
    equation e;
    for (uint32_t i = 0; i < x->node->operand_count && i < OPERANDS_MAX; i++) {
        ranks[i] = x->operand[i]->rank;
    }
    gali_stage_of *y = gali_x_result(x, 0);
    if (!y || read_equation(&e, x->node, ranks)) {
        x->none = 1;
        return;
    }
    extents_of(&e, x->extents, x->operand, extents);
    for (int i = (int)y->rank; i < e.axis_count; i++) {
        gali_x_reduce(y, extents[i]);
    }
    const gali_scalar *factors[OPERANDS_MAX] = {NULL};
    for (uint32_t i = 0; i < e.operands; i++) {
        const gali_scalar *index[GALI_RANK_MAX];
        for (int d = 0; d < e.ranks[i]; d++) {
            int at = place_of(&e, e.labels[i][d]);
            index[d] = gali_x_repeated(x, gali_x_axis(x, (uint32_t)at), x->operand[i]->shape[d], extents[at]);
        }
        factors[i] = gali_x_load(x, i, index);
    }
    const gali_scalar *product = factors[0];
    for (uint32_t i = 1; i < e.operands - (e.operands > 1); i++) {
        product = gali_x_mul(x, product, factors[i]);
    }
    y->start = y->reduced ? gali_x_number(x, y->element, 0) : NULL;
    if (e.operands > 1) {
        const gali_scalar *last = factors[e.operands - 1];
        y->value = y->reduced ? gali_x_accumulate(x, y, product, last) : gali_x_mul(x, product, last);
    } else {
        gali_x_sum(x, y, product);
    }
}
