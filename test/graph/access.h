/*
 * The mapping type of a node, read off what each element of its results is computed of (DNNFusion, table 3.2). One operand
 * after another:
 *
 *     some element is of several of the operand's                       many-to-many
 *     each place along an axis is of one place along the operand's      it lies as the result, repeated along axes that it
 *     own axis, axes aligned at their ends                              has not
 *     else, no two elements are of the same one                         moved: reorganized where the order is kept, or shuffled
 *     else                                                              one-to-many; so is what stands where elements say
 *
 * Then all together: many-to-many where one is; one-to-one where those that lie as the result have all of its axes, whatever
 * parameters there are beside them; else the class of the others, or one-to-many.
 */
#ifndef GALI_TEST_GRAPH_ACCESS_H
#define GALI_TEST_GRAPH_ACCESS_H

#include <stdlib.h>
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express_run.h"

enum { ACCESS_OPERANDS = 12, ACCESS_DIRECT = 1, ACCESS_LOOKED_UP = 2 };

typedef struct access {
    const gali_express *x;
    const gali_tensor *const *operands;
    size_t units, first[ACCESS_OPERANDS]; /* elements of all operands, one operand behind the other */
    size_t elements[GALI_STAGES_MAX];     /* of stages */
    int64_t shape[GALI_STAGES_MAX][GALI_RANK_MAX];
    unsigned char *of[GALI_STAGES_MAX]; /* [elements][units]: how the element is of the unit */
} access;

static void access_tell(void *who, const gali_read *read) {
    access *a = who;
    unsigned char *to = a->of[read->stage] + read->element * a->units;
    unsigned char how = read->looked_up ? ACCESS_LOOKED_UP : ACCESS_DIRECT;
    if (!read->of_stage) {
        to[a->first[read->source] + read->at] |= how;
        return;
    }
    const unsigned char *from = a->of[read->source] + read->at * a->units;
    for (size_t u = 0; u < a->units; u++) {
        to[u] |= from[u] ? (unsigned char)(from[u] | how) : 0;
    }
}

/* Operands of x are numbers of shapes; released by access_end. */
static void access_begin(access *a, const gali_express *x, const gali_tensor *const *operands) {
    *a = (access){.x = x, .operands = operands};
    for (uint32_t i = 0; i < x->node->operand_count; i++) {
        a->first[i] = a->units;
        a->units += operands[i] ? operands[i]->count : 0;
    }
    for (uint32_t s = 0; s < x->stage_count; s++) {
        a->elements[s] = 1;
        for (uint32_t d = 0; d < x->stages[s].rank; d++) {
            a->shape[s][d] = gali_extent_value(x->extents, x->stages[s].extent[d], NULL);
            a->elements[s] *= (size_t)a->shape[s][d];
        }
        a->of[s] = calloc(a->elements[s] * a->units + 1, 1);
    }
}

static void access_end(access *a) {
    for (uint32_t s = 0; s < a->x->stage_count; s++) {
        free(a->of[s]);
    }
}

enum { ACCESS_NONE = -1, ACCESS_MANY = -2, ACCESS_UNKNOWN = -3 };

/* The one element of the operand that an element of a stage is of; NONE, MANY, or UNKNOWN: as some element says. */
static int64_t access_one(const access *a, uint32_t stage, size_t element, uint32_t operand) {
    const unsigned char *of = a->of[stage] + element * a->units + a->first[operand];
    int64_t one = ACCESS_NONE;
    int looked_up = 0;
    for (size_t u = 0; u < a->operands[operand]->count; u++) {
        if (of[u]) {
            one = one == ACCESS_NONE ? (int64_t)u : ACCESS_MANY;
            looked_up |= of[u] & ACCESS_LOOKED_UP;
        }
    }
    return one >= 0 && looked_up ? ACCESS_UNKNOWN : one;
}

typedef struct access_map {
    int read, many, unknown;
    int repeated;     /* some element is read for two */
    int ordered;      /* in the operand's order, all of it */
    int aligned;      /* axis by axis */
    uint32_t covered; /* bits of the result's axes that it has */
} access_map;

static void access_index(size_t at, const int64_t *shape, uint32_t rank, int64_t *index) {
    for (uint32_t d = rank; d-- > 0;) {
        index[d] = (int64_t)at % shape[d];
        at /= (size_t)shape[d];
    }
}

/* Places of the operand's axis d by those of the result's axis. 0 where they are no function of them. */
static int access_axis(const access *a, uint32_t stage, uint32_t operand, uint32_t d, uint32_t axis,
                       int *covers) {
    enum { EXTENT_MOST = 1024 };
    const gali_tensor *o = a->operands[operand];
    uint32_t rank = a->x->stages[stage].rank;
    int64_t place[EXTENT_MOST], index[GALI_RANK_MAX], own[GALI_RANK_MAX];
    unsigned char taken[EXTENT_MOST] = {0};
    memset(place, 0xff, sizeof place);
    *covers = 1;
    for (size_t e = 0; e < a->elements[stage]; e++) {
        int64_t at = access_one(a, stage, e, operand);
        if (at < 0) {
            continue;
        }
        access_index(e, a->shape[stage], rank, index);
        access_index((size_t)at, o->shape, o->rank, own);
        int64_t *known = &place[index[axis]];
        if (*known < 0) {
            *covers &= !taken[own[d]];
            taken[own[d]] = 1;
        }
        if (*known >= 0 && *known != own[d]) {
            return 0;
        }
        *known = own[d];
    }
    return 1;
}

static access_map access_map_of(const access *a, uint32_t stage, uint32_t operand) {
    const gali_tensor *o = a->operands[operand];
    uint32_t rank = a->x->stages[stage].rank;
    access_map m = {.ordered = 1, .aligned = o->rank <= rank};
    unsigned char *taken = calloc(o->count + 1, 1);
    for (size_t e = 0; e < a->elements[stage]; e++) {
        int64_t at = access_one(a, stage, e, operand);
        m.read |= at != ACCESS_NONE;
        m.many |= at == ACCESS_MANY;
        m.unknown |= at == ACCESS_UNKNOWN;
        m.ordered &= at == (int64_t)e;
        if (at >= 0) {
            m.repeated |= taken[at];
            taken[at] = 1;
        }
    }
    free(taken);
    for (uint32_t d = 0; m.read && !m.many && !m.unknown && m.aligned && d < o->rank; d++) {
        uint32_t axis = d + rank - o->rank;
        int covers = 0;
        m.aligned = access_axis(a, stage, operand, d, axis, &covers);
        m.covered |= (uint32_t)(covers && o->shape[d] > 1) << axis;
    }
    m.aligned &= !m.many && !m.unknown;
    return m;
}

static gali_mapping access_larger(gali_mapping a, gali_mapping b) {
    static const int rank[] = {[GALI_ONE_TO_ONE] = 0,  [GALI_REORGANIZE] = 1,   [GALI_SHUFFLE] = 2,
                               [GALI_ONE_TO_MANY] = 3, [GALI_MANY_TO_MANY] = 4, [GALI_OPAQUE] = 5};
    return rank[a] < rank[b] ? b : a;
}

/* The class of one result. *reads: whether it is of any operand. */
static gali_mapping access_of_stage(const access *a, uint32_t stage, int *reads) {
    uint32_t covered = 0, all = 0;
    gali_mapping others = GALI_ONE_TO_ONE;
    *reads = 0;
    for (uint32_t d = 0; d < a->x->stages[stage].rank; d++) {
        all |= (uint32_t)(a->shape[stage][d] > 1) << d;
    }
    for (uint32_t i = 0; i < a->x->node->operand_count; i++) {
        access_map m = a->operands[i] ? access_map_of(a, stage, i) : (access_map){.read = 0};
        *reads |= m.read;
        if (m.many) {
            return GALI_MANY_TO_MANY;
        }
        if (m.read && m.aligned) {
            covered |= m.covered;
        } else if (m.read) {
            others = access_larger(others, m.unknown || m.repeated ? GALI_ONE_TO_MANY
                                           : m.ordered             ? GALI_REORGANIZE
                                                                   : GALI_SHUFFLE);
        }
    }
    return (covered & all) == all ? GALI_ONE_TO_ONE : others != GALI_ONE_TO_ONE ? others : GALI_ONE_TO_MANY;
}

/* The class of a node: the most complex of its results', of those that are of operands if any is. */
static gali_mapping access_class(const access *a) {
    gali_mapping class = GALI_ONE_TO_ONE, constant = GALI_ONE_TO_ONE;
    int any = 0;
    for (uint32_t s = 0; s < a->x->stage_count; s++) {
        int reads;
        if (a->x->stages[s].result < 0 || a->elements[s] == 0) {
            continue;
        }
        gali_mapping own = access_of_stage(a, s, &reads);
        class = reads ? access_larger(class, own) : class;
        constant = access_larger(constant, own);
        any |= reads;
    }
    return any ? class : constant;
}

#endif
