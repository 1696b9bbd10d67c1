#include "compiler/program/margin.h"

#include <string.h>

#include "base/error.h"
#include "compiler/program/guard.h"
#include "compiler/program/scalars.h"

#define GROWTH_MOST 3.0 /* of a tensor's elements, at typical sizes */

/* Of a tensor: what its guarded reads want. */
typedef struct wanted {
    int may, wants; /* wants: a sum reads it so */
    int64_t before[GALI_RANK_MAX];
    gali_extent end[GALI_RANK_MAX]; /* behind the last element that is read, or made */
} wanted;

typedef struct margins {
    gali_program *p;
    gali_scalars *scalars;
    wanted *of;                      /* [tensor_count] */
    const gali_program_stage *stage; /* that is looked at, or made anew */
    gali_scalar_replace *replace;
} margins;

/* A part of the stage made anew by `replace`; NULL in, NULL out. */
static const gali_scalar *made(margins *m, const gali_scalar *a) {
    gali_arena arena = {0};
    gali_scalar_maker maker = {.scalars = m->scalars,
                               .arena = &arena,
                               .axes = {m->stage->extent, m->stage->rank + m->stage->reduced},
                               .replace = m->replace,
                               .who = m};
    const gali_scalar *to = gali_scalar_make(&maker, a);
    m->p->arena->failed |= (a && !to) || arena.failed;
    gali_arena_release(&arena);
    return to;
}

/* ---- what reads want ---- */

enum { SCALE_MOST = 1 << 12 };

/* The divisor of an atom that is a quotient by a number, whose dividend is *of; 0: it is none. */
static int64_t divisor_of(gali_extents *x, const gali_extent_term *term, gali_extent *of) {
    gali_extent operand[2] = {0, 0};
    uint32_t symbol;
    int is = term->count == 1 &&
             gali_extent_atom(x, term->atoms[0], &symbol, operand) == GALI_EXTENT_QUOTIENT &&
             gali_extent_is_number(operand[1]);
    *of = operand[0];
    return is ? operand[1] : 0;
}

/* A multiple of all that the extent divides by. */
static int64_t scale_of(gali_extents *x, gali_extent extent, int64_t scale) {
    for (uint32_t i = 0; i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_extent of;
        int64_t by = divisor_of(x, &term, &of);
        scale = by > 0 && by <= SCALE_MOST && scale <= SCALE_MOST && scale % by ? scale * by : scale;
    }
    return scale;
}

/* The least, or the most, that scale times an extent is: n (a / n) is from a - (n - 1) to a. */
static gali_extent bound(gali_extents *x, gali_extent extent, int64_t scale, int most) {
    gali_extent whole = gali_extent_mul(x, extent, scale);
    for (uint32_t i = 0; i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_extent of;
        int64_t by = divisor_of(x, &term, &of), times = scale * term.scale;
        if (by > 0 && term.scale > 0 && times % by == 0) {
            gali_extent quotient = gali_extent_quotient(x, of, by);
            of = most ? of : gali_extent_sub(x, of, by - 1);
            whole = gali_extent_sub(x, whole, gali_extent_mul(x, quotient, times));
            whole = gali_extent_add(x, whole, gali_extent_mul(x, of, times / by));
        }
    }
    return whole;
}

/* Whether it is known of all sizes that a is never above b. */
static int is_never_above(gali_extents *x, gali_extent a, gali_extent b) {
    int64_t scale = scale_of(x, a, scale_of(x, b, 1));
    gali_extent more = gali_extent_sub(x, bound(x, a, scale, 1), bound(x, b, scale, 0));
    return gali_extent_is_number(more) && more <= 0;
}

/* *to is made no less than `end`, and no less than it was; 0 where that is not known of all sizes. */
static int reach(gali_extents *x, gali_extent *to, gali_extent end) {
    gali_extent more = gali_extent_sub(x, end, *to);
    if (gali_extent_is_number(more)) {
        *to = more > 0 ? end : *to;
        return 1;
    }
    if (is_never_above(x, end, *to)) {
        return 1;
    }
    int64_t scale = scale_of(x, end, scale_of(x, *to, 1));
    gali_extent less = gali_extent_sub(x, bound(x, *to, scale, 1), bound(x, end, scale, 0));
    *to = gali_extent_add(x, end, gali_extent_is_number(less) && less > 0 ? less / scale : 0);
    return gali_extent_is_number(less);
}

/* An axis of a guarded load is from `least` to before `end`; 0 where that is no number and an extent. */
static int reach_axis(const margins *m, const gali_scalar *index, int64_t *before, gali_extent *to) {
    gali_extents *x = m->p->graph->extents;
    gali_affine at;
    if (!gali_program_affine(m->p, index, &at) || !gali_extent_is_number(at.constant)) {
        return 0;
    }
    gali_extent end = at.constant + 1;
    for (uint32_t i = 0; i < m->stage->rank + m->stage->reduced; i++) {
        gali_extent last = gali_extent_sub(x, m->stage->extent[i], 1);
        end = gali_extent_add(x, end, gali_extent_mul(x, last, at.scale[i]));
        if (at.scale[i] < 0) {
            return 0;
        }
    }
    *before = at.constant < -*before ? -at.constant : *before;
    return reach(x, to, end);
}

int gali_program_reads_inside(gali_program *program, const gali_program_stage *stage,
                              const gali_scalar *guarded) {
    const margins m = {.p = program, .stage = stage};
    uint32_t axes = gali_program_guarded_axes(program, guarded);
    const gali_scalar *load = guarded->operand[1];
    int inside = axes > 0;
    for (int d = 0; inside && d < program->tensors[load->source].type.rank; d++) {
        gali_extent whole = program->tensors[load->source].type.shape[d], end = whole;
        int64_t before = 0;
        inside =
            !(axes >> d & 1) || (reach_axis(&m, load->index[d], &before, &end) && before == 0 && end == whole);
    }
    return inside;
}

static void keep_out(margins *m, uint32_t tensor) {
    if (tensor != GALI_NONE) {
        m->of[tensor].may = 0;
    }
}

/* Looks at a scalar of a stage. */
static const gali_scalar *look_at(void *who, const gali_scalar *a) {
    margins *m = who;
    uint32_t axes = gali_program_guarded_axes(m->p, a);
    if (m->stage->patterns && a->op == GALI_SCALAR_load) { /* patterns.c says how it is read */
        keep_out(m, a->source);
    }
    if (!axes || !m->of[a->operand[1]->source].may) {
        return a;
    }
    const gali_scalar *load = a->operand[1];
    const gali_program_tensor *t = &m->p->tensors[load->source];
    wanted *w = &m->of[load->source];
    w->may = !(axes >> t->order[t->type.rank - 1] & 1);
    w->wants |= m->stage->reduced > 0;
    for (int d = 0; d < t->type.rank && w->may; d++) {
        w->may = !(axes >> d & 1) || reach_axis(m, load->index[d], &w->before[d], &w->end[d]);
    }
    return a;
}

/* ---- which tensors may ---- */

/* Steps and what they call know where a tensor's elements lie. */
static void keep_out_step(margins *m, const gali_program_step *step) {
    const gali_program_call *call = step->call;
    keep_out(m, step->tensor);
    keep_out(m, step->test);
    for (uint32_t i = 0; call && i < call->operand_count; i++) {
        keep_out(m, call->operands[i]);
    }
    for (uint32_t i = 0; call && i < call->result_count; i++) {
        keep_out(m, call->results[i]);
    }
}

static void begin(margins *m) {
    const gali_program *p = m->p;
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        const gali_program_tensor *t = &p->tensors[i];
        const gali_program_stage *stage = t->stage == GALI_NONE ? NULL : &p->stages[t->stage];
        m->of[i].may = t->role == GALI_TENSOR_MADE && t->home == GALI_NONE && t->type.element == GALI_f32 &&
                       t->type.rank > 1 && stage && !stage->gone && !stage->patterns;
        memcpy(m->of[i].end, t->type.shape, sizeof t->type.shape);
    }
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        keep_out(m, p->tensors[i].home);
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        keep_out_step(m, &p->steps[i]);
    }
}

/* Whether it stays within the limits of tensors. */
static int fits(const gali_program *p, const gali_program_tensor *t, const wanted *w) {
    gali_extents *x = p->graph->extents;
    double most = 1, growth = 1;
    for (int d = 0; d < t->type.rank; d++) {
        gali_extent whole = gali_extent_add(x, w->end[d], w->before[d]);
        most *= (double)gali_extent_value(x, whole, p->most);
        growth *= (double)gali_extent_value(x, whole, p->typical) /
                  (double)gali_extent_value(x, t->type.shape[d], p->typical);
    }
    return most <= (double)GALI_ELEMENTS_MOST && growth <= GROWTH_MOST;
}

/* ---- giving ---- */

/* The load without its guard. */
static const gali_scalar *without_guard(void *who, const gali_scalar *a) {
    const margins *m = who;
    int has = gali_program_guarded_axes(m->p, a) && m->of[a->operand[1]->source].wants;
    return has ? a->operand[1] : a;
}

static const gali_scalar *add_number(margins *m, const gali_scalar *a, int64_t number) {
    const gali_scalar_axes axes = {m->stage->extent, m->stage->rank + m->stage->reduced};
    const gali_scalar *by = gali_scalars_keep(
        m->scalars, &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_i64, .whole = number});
    return by ? gali_scalars_simple(
                    m->scalars, &axes,
                    &(gali_scalar){.op = GALI_SCALAR_add, .element = GALI_i64, .operand = {a, by}})
              : NULL;
}

/* The load at its place behind the margin. */
static const gali_scalar *behind_margin(void *who, const gali_scalar *a) {
    margins *m = who;
    gali_scalar load = *a;
    if (a->op != GALI_SCALAR_load || !m->of[a->source].wants) {
        return a;
    }
    for (int d = 0; d < m->p->tensors[a->source].type.rank; d++) {
        int64_t before = m->of[a->source].before[d];
        load.index[d] = before ? add_number(m, a->index[d], before) : a->index[d];
        if (!load.index[d]) {
            return NULL;
        }
    }
    return gali_scalars_keep(m->scalars, &load);
}

/* All parts of all stages, made anew. */
static void for_stages(margins *m, gali_scalar_replace *replace, int keep) {
    gali_program *p = m->p;
    m->replace = replace;
    for (uint32_t i = 0; i < p->stage_count && !p->arena->failed; i++) {
        gali_program_stage *stage = &p->stages[i];
        const gali_scalar **parts[] = {&stage->start, &stage->value, &stage->finish};
        m->stage = stage;
        for (int k = 0; k < 3 && !stage->gone; k++) {
            const gali_scalar *own = made(m, *parts[k]);
            *parts[k] = keep ? own : *parts[k];
        }
    }
}

static int decide(margins *m) {
    int any = 0;
    for (uint32_t i = 0; i < m->p->tensor_count; i++) {
        wanted *w = &m->of[i];
        w->wants = w->may && w->wants && fits(m->p, &m->p->tensors[i], w);
        any |= w->wants;
    }
    return any;
}

static void give(margins *m) {
    gali_extents *x = m->p->graph->extents;
    for (uint32_t i = 0; i < m->p->tensor_count; i++) {
        gali_program_tensor *t = &m->p->tensors[i];
        for (int d = 0; m->of[i].wants && d < t->type.rank; d++) {
            t->before[d] = m->of[i].before[d];
            t->type.shape[d] = gali_extent_add(x, m->of[i].end[d], t->before[d]);
        }
    }
}

gal_status gali_program_add_margins(gali_program *p, gal_error *error) {
    margins m = {.p = p,
                 .scalars = gali_scalars_make(p->arena, p->graph->extents),
                 .of = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *m.of)};
    if (!p->arena->failed) {
        begin(&m);
        for_stages(&m, look_at, 0);
    }
    if (!p->arena->failed && decide(&m)) {
        for_stages(&m, without_guard, 1);
        for_stages(&m, behind_margin, 1);
        give(&m);
    }
    return p->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for margins") : GAL_OK;
}

gali_margin gali_program_margin(const gali_program *p, uint32_t tensor) {
    const gali_program_tensor *t = &p->tensors[tensor];
    gali_margin margin = {.bytes = gali_element_list[t->type.element].bytes};
    const gali_program_stage *stage = t->stage == GALI_NONE ? NULL : &p->stages[t->stage];
    for (int d = t->type.rank; stage && d-- > 0;) {
        uint32_t axis = t->order[d];
        int has = stage->extent[axis] != t->type.shape[axis];
        margin.rank = has && !margin.rank ? (uint32_t)d + 1 : margin.rank;
        if (!margin.rank) {
            margin.bytes = gali_extent_mul(p->graph->extents, margin.bytes, t->type.shape[axis]);
            continue;
        }
        margin.of[d].before = t->before[axis];
        margin.of[d].made = stage->extent[axis];
        margin.of[d].whole = t->type.shape[axis];
    }
    return margin;
}
