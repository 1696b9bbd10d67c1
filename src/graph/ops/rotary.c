/*
 * RotaryEmbedding: pairs of a head's numbers (heads.h) turned by angles that their place gives. Cosines and sines come as a
 * line of half as many numbers for each place, or as a table whose lines operand 4 chooses.
 */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/ops/heads.h"
#include "graph/rule.h"

typedef const gali_scalar scalar;

enum { BATCH = GALI_HEADS_BATCH, HEAD, PLACE, SIZE, AXES };
enum { COSINE = 1, SINE, POSITIONS };

typedef struct rotary {
    gali_heads x;
    gali_extent size, half; /* numbers that are turned, of each head */
    int interleaved;        /* pairs are neighbours; or else one of each half */
} rotary;

static rotary rotary_of(const gali_node *node, gali_extents *extents, const gali_type *type) {
    int64_t size = gali_node_int(node, "rotary_embedding_dim");
    rotary r = {.x = gali_heads_of(extents, type, gali_node_int(node, "num_heads")),
                .interleaved = gali_node_int(node, "interleaved") != 0};
    r.size = size ? size : r.x.shape[SIZE];
    r.half = gali_extent_quotient(extents, r.size, 2);
    return r;
}

gal_status gali_rule_rotary_embedding(gali_rule *rule) {
    const gali_type *x = rule->operand[0], *positions = gali_rule_operand(rule, POSITIONS);
    rule->result[0] = *x;
    if (!gali_rule_ranks_known(rule)) {
        return GAL_OK;
    }
    const char *wrong = gali_heads_check(rule, x, gali_node_int(rule->node, "num_heads"));
    if (wrong) {
        return gali_rule_fail(rule, "%s", wrong);
    }
    rotary r = rotary_of(rule->node, rule->graph->extents, x);
    int64_t asked = gali_node_int(rule->node, "rotary_embedding_dim");
    gali_extent size = r.x.shape[SIZE];
    int numbers = gali_extent_is_number(size);
    if (asked < 0 || (numbers && asked > size) || !gali_heads_divides(rule, 2, r.size)) {
        return gali_rule_fail(rule, "an even number of a head's numbers is turned");
    }
    gali_rule_demand_most(rule, asked, size);
    for (uint32_t i = COSINE; i <= SINE; i++) {
        const gali_type *table = rule->operand[i];
        int rank = positions ? 2 : 3;
        if (table->element != x->element || table->rank != rank ||
            !gali_heads_equal(rule, table->shape[rank - 1], r.half) ||
            (!positions && (!gali_heads_equal(rule, table->shape[0], r.x.shape[BATCH]) ||
                            !gali_heads_equal(rule, table->shape[1], r.x.shape[PLACE])))) {
            return gali_rule_fail(rule, "operand %u is not of half the numbers that are turned", i + 1);
        }
        gal_status status = positions ? gali_rule_some(rule, table->shape[0]) : GAL_OK;
        if (status != GAL_OK) {
            return status;
        }
    }
    if (positions && (positions->element != GALI_i64 || positions->rank != 2 ||
                      !gali_heads_equal(rule, positions->shape[0], r.x.shape[BATCH]) ||
                      !gali_heads_equal(rule, positions->shape[1], r.x.shape[PLACE]))) {
        return gali_rule_fail(rule, "positions are i64 [batch, length]");
    }
    return GAL_OK;
}

gal_status gali_truth_rotary_embedding(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                       gali_tensor *results) {
    gali_type type = {.element = operands[0]->element, .rank = (int)operands[0]->rank};
    memcpy(type.shape, operands[0]->shape, sizeof type.shape);
    rotary r = rotary_of(node, run->graph->extents, &type);
    const gali_tensor *positions = node->operand_count > POSITIONS ? operands[POSITIONS] : NULL;
    int64_t index[AXES] = {0};
    gal_status status = gali_run_work(run, 4 * (double)operands[0]->count);
    for (size_t e = 0; status == GAL_OK && e < operands[0]->count;
         e++, gali_index_next(index, r.x.shape, AXES)) {
        int64_t d = index[SIZE], other[AXES] = {index[BATCH], index[HEAD], index[PLACE], 0};
        size_t at = gali_heads_offset(&r.x, index);
        if (d >= r.size) {
            results[0].real[at] = operands[0]->real[at];
            continue;
        }
        int second = r.interleaved ? d % 2 == 1 : d >= r.half;
        int64_t pair = r.interleaved ? d / 2 : second ? d - r.half : d;
        other[SIZE] = r.interleaved ? d + (second ? -1 : 1) : d + (second ? -r.half : r.half);
        int64_t line = index[BATCH] * r.x.shape[PLACE] + index[PLACE];
        line = positions ? positions->whole[line] : line;
        if (line < 0 || (positions && line >= operands[COSINE]->shape[0]) ||
            (positions && line >= operands[SINE]->shape[0])) {
            return gali_run_fail(run, node, "position %lld is none of the table's", (long long)line);
        }
        double c = operands[COSINE]->real[line * r.half + pair], s = operands[SINE]->real[line * r.half + pair];
        double turned = s * operands[0]->real[gali_heads_offset(&r.x, other)];
        results[0].real[at] = c * operands[0]->real[at] + (second ? turned : -turned);
    }
    return status;
}

/* The cosine or sine for a pair; a position outside of the table is cut to it. */
static scalar *express_table(gali_express *x, uint32_t table, scalar *const own[AXES], scalar *pair) {
    scalar *index[] = {own[BATCH], own[PLACE], pair};
    if (x->operand[table]->rank == 3) {
        return gali_x_load(x, table, index);
    }
    scalar *last = gali_x_sub(x, gali_x_extent(x, x->operand[table]->shape[0]), gali_x_int(x, 1));
    scalar *place = gali_x_least(x, gali_x_load(x, POSITIONS, index), last);
    scalar *line[] = {gali_x_most(x, place, gali_x_int(x, 0)), pair};
    return gali_x_load(x, table, line);
}

void gali_express_rotary_embedding(gali_express *x) {
    rotary r = rotary_of(x->node, x->extents, x->operand[0]);
    gali_stage_of *y = gali_x_result(x, 0);
    scalar *own[AXES], *index[AXES], *second, *pair, *other;
    if (!y) {
        return;
    }
    gali_heads_axes(x, &r.x, own);
    scalar *d = own[SIZE], *half = gali_x_extent(x, r.half), *one = gali_x_int(x, 1);
    if (r.interleaved) {
        scalar *two = gali_x_int(x, 2);
        second = gali_x_equal(x, gali_x_apply(x, GALI_SCALAR_mod, d, two, NULL), one);
        pair = gali_x_apply(x, GALI_SCALAR_quotient, d, two, NULL);
        other = gali_x_select(x, second, gali_x_sub(x, d, one), gali_x_add(x, d, one));
    } else {
        second = gali_x_apply(x, GALI_SCALAR_less_equal, half, d, NULL);
        pair = gali_x_select(x, second, gali_x_sub(x, d, half), d);
        other = gali_x_select(x, second, pair, gali_x_add(x, d, half));
    }
    gali_heads_index(x, &r.x, own, index);
    scalar *a = gali_x_load(x, 0, index);
    own[SIZE] = other;
    gali_heads_index(x, &r.x, own, index);
    scalar *turned = gali_x_mul(x, express_table(x, SINE, own, pair), gali_x_load(x, 0, index));
    scalar *kept = gali_x_mul(x, express_table(x, COSINE, own, pair), a);
    y->value = gali_x_select(x, second, gali_x_add(x, kept, turned), gali_x_sub(x, kept, turned));
    if (r.size != r.x.shape[SIZE]) {
        y->value = gali_x_select(x, gali_x_less(x, d, gali_x_extent(x, r.size)), y->value, a);
    }
}
