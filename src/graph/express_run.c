#include "graph/express_run.h"

#include <string.h>

#include "base/error.h"
#include "graph/scalar.h"

/* ---- verifying ---- */

typedef struct check {
    const gali_express *x;
    const gali_stage_of *stage;
    int in_value; /* self may be used */
} check;

static int is_truth_op(gali_scalar_op op) {
    return strncmp(gali_scalar_list[op].meaning, "truth:", 6) == 0;
}

static const char *wrong_scalar(const check *c, const gali_scalar *s);

static const char *wrong_index(const check *c, const gali_scalar *s, int rank) {
    for (int i = 0; i < rank; i++) {
        const char *wrong = !s->index[i]                       ? "an index is missing"
                            : s->index[i]->element != GALI_i64 ? "an index is no i64"
                                                               : wrong_scalar(c, s->index[i]);
        if (wrong) {
            return wrong;
        }
    }
    return NULL;
}

static const char *wrong_leaf(const check *c, const gali_scalar *s) {
    uint32_t number = (uint32_t)(c->stage - c->x->stages);
    switch (s->op) {
    case GALI_SCALAR_axis:
        return s->source < c->stage->rank + (c->in_value ? c->stage->reduced : 0) ? NULL : "no such axis";
    case GALI_SCALAR_self:
        return c->in_value && c->stage->reduced && s->element == c->stage->element ? NULL
                                                                                   : "self where none is";
    case GALI_SCALAR_load:
        if (s->source >= c->x->node->operand_count || !c->x->operand[s->source]) {
            return "it loads of no operand";
        }
        return s->element == c->x->operand[s->source]->element
                   ? wrong_index(c, s, c->x->operand[s->source]->rank)
                   : "a load is not of its operand's element";
    case GALI_SCALAR_stage:
        if (s->source >= number) {
            return "it reads a stage that comes later";
        }
        return s->element == c->x->stages[s->source].element
                   ? wrong_index(c, s, (int)c->x->stages[s->source].rank)
                   : "a stage is read as another element";
    default:
        return NULL;
    }
}

static const char *wrong_scalar(const check *c, const gali_scalar *s) {
    uint32_t arity = gali_scalar_list[s->op].arity;
    if (arity == 0) {
        return wrong_leaf(c, s);
    }
    for (uint32_t i = 0; i < arity; i++) {
        const char *wrong = s->operand[i] ? wrong_scalar(c, s->operand[i]) : "an operand is missing";
        if (wrong) {
            return wrong;
        }
    }
    if (s->op == GALI_SCALAR_cast) {
        return NULL;
    }
    const gali_scalar *const *v = s->operand;
    if (s->op == GALI_SCALAR_select) {
        return v[0]->element == GALI_truth && v[1]->element == v[2]->element && s->element == v[1]->element
                   ? NULL
                   : "select of other elements";
    }
    if ((arity > 1 && v[1]->element != v[0]->element) || (arity > 2 && v[2]->element != v[0]->element)) {
        return "operands of two elements";
    }
    if (!gali_scalar_has(s->op, v[0]->element)) {
        return "an operator has not that element";
    }
    return s->element == (is_truth_op(s->op) ? GALI_truth : v[0]->element) ? NULL
                                                                           : "a result of another element";
}

static const char *wrong_stage(const gali_express *x, const gali_stage_of *stage) {
    check c = {x, stage, 0};
    if (!stage->value || (stage->reduced != 0) != (stage->start != NULL)) {
        return "no value, or a start without a reduction";
    }
    if (stage->rank > GALI_RANK_MAX || stage->rank + stage->reduced > GALI_AXES_MAX) {
        return "too many axes";
    }
    if (stage->value->element != stage->element || (stage->start && stage->start->element != stage->element)) {
        return "its value is of another element";
    }
    const char *wrong = stage->start ? wrong_scalar(&c, stage->start) : NULL;
    c.in_value = 1;
    return wrong ? wrong : wrong_scalar(&c, stage->value);
}

gal_status gali_express_verify(const gali_express *x, gal_error *error) {
    for (uint32_t i = 0; i < x->stage_count; i++) {
        const char *wrong = wrong_stage(x, &x->stages[i]);
        if (wrong) {
            return gali_fail(error, GAL_BAD_DATA, "%s: stage %u (%s): %s", gali_op_list[x->node->op].name, i,
                             x->stages[i].name, wrong);
        }
    }
    return GAL_OK;
}

/* ---- running ---- */

typedef struct machine {
    gali_run *run;
    const gali_express *x;
    const int64_t *symbols;
    const gali_tensor *const *operands;
    gali_tensor made[GALI_STAGES_MAX];
    uint32_t stage;               /* that is computed now */
    int64_t index[GALI_AXES_MAX]; /* of its axes */
    size_t element;
    gali_number self;
    gal_status status;                              /* the first failure */
    void (*tell)(void *who, const gali_read *read); /* NULL: nobody wants to know */
    void *who;
    int in_index;   /* of so many loads */
    uint32_t loads; /* that were done, of another element for another place, those in indices too */
} machine;

static gali_number compute(machine *m, const gali_scalar *s);

static int has_axis(const gali_scalar *s) {
    int has = s->op == GALI_SCALAR_axis, loads = s->op == GALI_SCALAR_load || s->op == GALI_SCALAR_stage;
    for (uint32_t i = 0; !has && i < gali_scalar_list[s->op].arity; i++) {
        has = has_axis(s->operand[i]);
    }
    for (uint32_t i = 0; !has && loads && i < GALI_RANK_MAX && s->index[i]; i++) {
        has = has_axis(s->index[i]);
    }
    return has;
}

static gali_number element_at(machine *m, const gali_scalar *s, const gali_tensor *tensor) {
    int64_t at = 0;
    uint32_t before = m->loads;
    m->in_index++;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        int64_t index = compute(m, s->index[i]).whole;
        if (m->status == GAL_OK && (index < 0 || index >= tensor->shape[i])) {
            m->status = gali_fail(m->run->error, GAL_BAD_DATA,
                                  "%s: stage %u reads %s %u outside: index %u is %lld of %lld",
                                  gali_op_list[m->x->node->op].name, m->stage, gali_scalar_list[s->op].name,
                                  s->source, i, (long long)index, (long long)tensor->shape[i]);
        }
        at = at * tensor->shape[i] + index;
    }
    m->in_index--;
    if (m->status != GAL_OK) {
        return (gali_number){0};
    }
    if (m->tell && !m->in_index) {
        m->tell(m->who, &(gali_read){.stage = m->stage,
                                     .element = m->element,
                                     .of_stage = s->op == GALI_SCALAR_stage,
                                     .source = s->source,
                                     .at = (size_t)at,
                                     .looked_up = m->loads != before});
    }
    m->loads += m->tell && has_axis(s);
    return tensor->real ? (gali_number){.real = tensor->real[at]} : (gali_number){.whole = tensor->whole[at]};
}

static gali_number apply(machine *m, const gali_scalar *s) {
    gali_number v[3] = {{0}};
    if (s->op == GALI_SCALAR_select) {
        return compute(m, compute(m, s->operand[0]).whole ? s->operand[1] : s->operand[2]);
    }
    for (uint32_t i = 0; i < gali_scalar_list[s->op].arity; i++) {
        v[i] = compute(m, s->operand[i]);
    }
    return s->op == GALI_SCALAR_cast ? gali_number_cast(s->operand[0]->element, s->element, v[0])
                                     : gali_scalar_compute(s->op, s->operand[0]->element, v);
}

static gali_number compute(machine *m, const gali_scalar *s) {
    if (m->status != GAL_OK) {
        return (gali_number){0};
    }
    switch (s->op) {
    case GALI_SCALAR_number:
        return (gali_number){s->real, s->whole};
    case GALI_SCALAR_axis:
        return (gali_number){.whole = m->index[s->source]};
    case GALI_SCALAR_extent:
        return (gali_number){.whole = gali_extent_value(m->x->extents, s->extent, m->symbols)};
    case GALI_SCALAR_load:
        return element_at(m, s, m->operands[s->source]);
    case GALI_SCALAR_stage:
        return element_at(m, s, &m->made[s->source]);
    case GALI_SCALAR_self:
        return m->self;
    default:
        return apply(m, s);
    }
}

static gali_number reduce(machine *m, const gali_stage_of *stage, const int64_t *extent) {
    int64_t *index = m->index + stage->rank, work = 1;
    if (!stage->reduced) {
        return compute(m, stage->value);
    }
    m->self = compute(m, stage->start);
    for (uint32_t i = 0; i < stage->reduced; i++) {
        index[i] = 0;
        work *= extent[stage->rank + i];
    }
    if (m->status == GAL_OK) {
        m->status = gali_run_work(m->run, (double)work);
    }
    for (int64_t i = 0; i < work && m->status == GAL_OK; i++) {
        m->self = compute(m, stage->value);
        gali_index_next(index, extent + stage->rank, stage->reduced);
    }
    return m->self;
}

static void run_stage(machine *m, const gali_stage_of *stage, gali_tensor *tensor) {
    int64_t extent[GALI_AXES_MAX];
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        extent[i] = gali_extent_value(m->x->extents, stage->extent[i], m->symbols);
    }
    m->status = gali_tensor_make(m->run, tensor, stage->element, stage->rank, extent);
    if (m->status == GAL_OK) {
        m->status = gali_run_work(m->run, (double)tensor->count);
    }
    memset(m->index, 0, sizeof m->index);
    for (size_t e = 0; m->status == GAL_OK && e < tensor->count; e++) {
        m->element = e;
        gali_number y = reduce(m, stage, extent);
        if (tensor->real) {
            tensor->real[e] = y.real;
        } else {
            tensor->whole[e] = gali_element_wrap(stage->element, y.whole);
        }
        gali_index_next(m->index, extent, stage->rank);
    }
}

gal_status gali_express_trace(gali_run *run, const gali_express *x, const int64_t *symbols,
                              const gali_tensor *const *operands, gali_tensor *results,
                              void (*tell)(void *who, const gali_read *read), void *who) {
    machine m = {.run = run, .x = x, .symbols = symbols, .operands = operands, .tell = tell, .who = who};
    m.status = gali_express_verify(x, run->error);
    for (uint32_t i = 0; m.status == GAL_OK && i < x->stage_count; i++) {
        m.stage = i;
        run_stage(&m, &x->stages[i], &m.made[i]);
    }
    for (uint32_t i = 0; i < x->stage_count; i++) {
        if (m.status == GAL_OK && x->stages[i].result >= 0) {
            results[x->stages[i].result] = m.made[i];
        } else {
            gali_tensor_release(run, &m.made[i]);
        }
    }
    return m.status;
}

gal_status gali_express_run(gali_run *run, const gali_express *x, const int64_t *symbols,
                            const gali_tensor *const *operands, gali_tensor *results) {
    return gali_express_trace(run, x, symbols, operands, results, NULL, NULL);
}
