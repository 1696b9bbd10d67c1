#include "compiler/program/split.h"

#include <string.h>

#include "base/error.h"
#include "compiler/program/look.h"
#include "compiler/program/reads.h"
#include "compiler/program/scalars.h"

enum { PARTS_MOST = 5 };

typedef struct splitting {
    gali_program *p;
    gali_scalars *scalars;
    gali_program_stage to; /* the stage with its axis in parts */
    uint32_t axis;         /* that is split */
    uint32_t count;        /* of its parts */
    gali_extent stride[PARTS_MOST];
    gali_scalar_axes axes; /* of `to` */
} splitting;

/* ---- which parts ---- */

static gali_extent number_of(const gali_scalar *a) {
    return a->op == GALI_SCALAR_number && a->element == GALI_i64 ? a->whole
           : a->op == GALI_SCALAR_extent                         ? a->extent
                                                                 : GALI_EXTENT_UNKNOWN;
}

/* a / b where b divides a whatever the sizes; else UNKNOWN. */
static gali_extent exactly(gali_extents *x, gali_extent a, gali_extent b) {
    gali_extent by = gali_extent_quotient(x, a, b);
    return by != GALI_EXTENT_UNKNOWN && by != GALI_EXTENT_BAD && gali_extent_mul(x, by, b) == a
               ? by
               : GALI_EXTENT_UNKNOWN;
}

/* Enters a stride in its place, from the largest; 0 where one does not divide the other. */
static int add_stride(splitting *s, gali_extent stride) {
    gali_extents *x = s->p->graph->extents;
    uint32_t i = 0;
    for (; i < s->count && exactly(x, s->stride[i], stride) != GALI_EXTENT_UNKNOWN; i++) {
        if (s->stride[i] == stride) {
            return 1;
        }
    }
    if (s->count == PARTS_MOST || (i < s->count && exactly(x, stride, s->stride[i]) == GALI_EXTENT_UNKNOWN)) {
        return 0;
    }
    memmove(s->stride + i + 1, s->stride + i, (s->count - i) * sizeof *s->stride);
    s->stride[i] = stride;
    s->count++;
    return 1;
}

/* Strides of all quotients and remainders of the axis itself. */
static int find_strides(splitting *s, const gali_scalar *a) {
    if (!a || !gali_look_has_axis(a, s->axis)) {
        return 1;
    }
    int divides = a->element == GALI_i64 && (a->op == GALI_SCALAR_quotient || a->op == GALI_SCALAR_mod) &&
                  a->operand[0]->op == GALI_SCALAR_axis && a->operand[0]->source == s->axis;
    if (divides) {
        gali_extent stride = number_of(a->operand[1]);
        return stride != GALI_EXTENT_UNKNOWN && add_stride(s, stride);
    }
    int good = 1;
    for (int i = 0; i < 3 && good; i++) {
        good = find_strides(s, a->operand[i]);
    }
    for (int i = 0; i < GALI_RANK_MAX && good; i++) {
        good = find_strides(s, a->index[i]);
    }
    return good;
}

/* How many terms the axes inside of that one have. Sums in blocks have no open ones. */
static gali_extent inner_terms(const gali_program_stage *stage, uint32_t axis) {
    gali_extent terms = 1;
    for (uint32_t i = axis + 1; i < stage->rank + stage->reduced; i++) {
        terms *= stage->extent[i];
    }
    return terms;
}

/*
 * Where blocks of the sum begin by the parts' axes: as many whole parts as go into a block and leave none over. 0 where that
 * makes blocks that are not worth it.
 */
static int place_blocks(splitting *s, const gali_program_stage *stage, uint32_t part_count) {
    gali_sum_blocks blocks = stage->blocks, *to = &s->to.blocks;
    uint32_t own = s->axis - stage->rank;
    if (blocks.outer != own || !blocks.part) {
        to->outer += blocks.outer > own ? part_count - 1 : 0;
        return 1;
    }
    uint32_t i = 0;
    while (i + 1 < part_count && s->stride[i] > blocks.part) {
        i++;
    }
    gali_extent part = blocks.part / s->stride[i];
    while (part > 1 && s->to.extent[s->axis + i] % part != 0) {
        part--;
    }
    *to = (gali_sum_blocks){own + i, (uint32_t)part};
    return part * s->stride[i] * inner_terms(stage, s->axis) >= GALI_BLOCK_TERMS_LEAST;
}

/* The stage's axes with the parts in the axis' place. */
static int set_axes(splitting *s, const gali_program_stage *stage) {
    gali_extents *x = s->p->graph->extents;
    uint32_t all = stage->rank + stage->reduced;
    gali_extent whole = stage->extent[s->axis];
    if (!add_stride(s, 1) || s->count < 2 || all + s->count - 1 > GALI_AXES_MAX) {
        return 0;
    }
    s->to = *stage;
    s->to.reduced += s->count - 1;
    memcpy(s->to.extent + s->axis + s->count, stage->extent + s->axis + 1,
           (all - s->axis - 1) * sizeof *stage->extent);
    for (uint32_t i = 0; i < s->count; i++) {
        s->to.extent[s->axis + i] = exactly(x, i ? s->stride[i - 1] : whole, s->stride[i]);
        if (s->to.extent[s->axis + i] == GALI_EXTENT_UNKNOWN) {
            return 0;
        }
    }
    s->axes = (gali_scalar_axes){s->to.extent, s->to.rank + s->to.reduced};
    return place_blocks(s, stage, s->count);
}

/* ---- the stage anew ---- */

static const gali_scalar *simple(splitting *s, gali_scalar_op op, const gali_scalar *a, const gali_scalar *b) {
    return a && b ? gali_scalars_simple(s->scalars, &s->axes,
                                        &(gali_scalar){.op = op, .element = GALI_i64, .operand = {a, b}})
                  : NULL;
}

static const gali_scalar *axis_at(splitting *s, uint32_t axis) {
    return gali_scalars_keep(s->scalars,
                             &(gali_scalar){.op = GALI_SCALAR_axis, .element = GALI_i64, .source = axis});
}

static const gali_scalar *extent_scalar(splitting *s, gali_extent extent) {
    gali_scalar content = {.op = GALI_SCALAR_number, .element = GALI_i64, .whole = extent};
    if (!gali_extent_is_number(extent)) {
        content = (gali_scalar){.op = GALI_SCALAR_extent, .element = GALI_i64, .extent = extent};
    }
    return gali_scalars_keep(s->scalars, &content);
}

/* The axis is the sum of its parts by their strides; those behind it have moved. */
static const gali_scalar *replaced(void *who, const gali_scalar *a) {
    splitting *s = who;
    if (a->op != GALI_SCALAR_axis || a->source < s->axis) {
        return a;
    }
    if (a->source > s->axis) {
        return axis_at(s, a->source + s->count - 1);
    }
    const gali_scalar *sum = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const gali_scalar *own =
            simple(s, GALI_SCALAR_mul, axis_at(s, s->axis + i), extent_scalar(s, s->stride[i]));
        sum = i ? simple(s, GALI_SCALAR_add, sum, own) : own;
    }
    return sum;
}

/* Whether a part is still found by division, or all parts together are an index. */
static int divides(const splitting *s, const gali_scalar *a) {
    int has = 0;
    for (uint32_t i = 0; a && i < s->count; i++) {
        has |= gali_look_has_axis(a, s->axis + i);
    }
    int does = has && a->element == GALI_i64 && (a->op == GALI_SCALAR_quotient || a->op == GALI_SCALAR_mod);
    for (int i = 0; has && !does && i < 3; i++) {
        does = divides(s, a->operand[i]);
    }
    for (int i = 0; has && !does && i < GALI_RANK_MAX; i++) {
        does = divides(s, a->index[i]);
    }
    return does;
}

static int split_axis(gali_program *p, gali_scalars *scalars, gali_program_stage *stage, uint32_t axis) {
    splitting s = {.p = p, .scalars = scalars, .axis = axis};
    gali_arena arena = {0};
    if (!find_strides(&s, stage->value) || !s.count || !set_axes(&s, stage)) {
        return 0;
    }
    gali_scalar_maker maker = {
        .scalars = scalars, .arena = &arena, .axes = s.axes, .replace = replaced, .who = &s};
    s.to.value = gali_scalar_make(&maker, stage->value);
    p->arena->failed |= !s.to.value || arena.failed;
    int good = s.to.value && !divides(&s, s.to.value);
    if (good) {
        *stage = s.to;
    }
    gali_arena_release(&arena);
    return good;
}

gal_status gali_program_split_sums(gali_program *p, gal_error *error) {
    gali_scalars *scalars = gali_scalars_make(p->arena, p->graph->extents);
    for (uint32_t i = 0; i < p->stage_count && !p->arena->failed; i++) {
        gali_program_stage *stage = &p->stages[i];
        for (uint32_t k = stage->reduced; !stage->gone && !stage->parted && !stage->patterns && k-- > 0;) {
            split_axis(p, scalars, stage, stage->rank + k);
        }
    }
    return p->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to split sums") : GAL_OK;
}
