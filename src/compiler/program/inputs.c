/* Copies of inputs that sums over windows read outside of them, for margin.c. */
#include <string.h>

#include "base/error.h"
#include "compiler/program/convolution.h"
#include "compiler/program/guard.h"
#include "compiler/program/margin.h"
#include "compiler/program/scalars.h"

/* Of the sum for an element that is copied: tests against numbers cost less than those against sizes. */
#define STEPS_LEAST 16.0
#define STEPS_LEAST_OPEN 4.0

enum { SIZE_GUESS = 32 /* of one that is open */ };

typedef struct copying {
    gali_replacing r;
    gali_scalars *scalars;
    const gali_program_stage *stage; /* that reads */
    uint32_t *copy;                  /* [tensors as they were] of inputs; GALI_NONE: none yet */
    int64_t *sizes;                  /* [symbols] that are guessed */
} copying;

static int is_worth_it(const copying *c, uint32_t input) {
    const gali_program *p = c->r.p;
    const gali_type *type = &p->tensors[input].type;
    double steps = 1, elements = 1, least = STEPS_LEAST;
    for (uint32_t i = 0; i < c->stage->rank + c->stage->reduced; i++) {
        steps *= (double)gali_extent_value(p->graph->extents, c->stage->extent[i], c->sizes);
    }
    for (int d = 0; d < type->rank; d++) {
        elements *= (double)gali_extent_value(p->graph->extents, type->shape[d], c->sizes);
        least = d > 0 && !gali_extent_is_number(type->shape[d]) ? STEPS_LEAST_OPEN : least;
    }
    return steps >= least * elements;
}

/* The stage that copies an input, and its tensor. */
static uint32_t add_copy(copying *c, uint32_t input) {
    gali_program_tensor t = c->r.p->tensors[input];
    const gali_scalar *at[GALI_RANK_MAX];
    t.role = GALI_TENSOR_MADE;
    t.data = NULL;
    t.block = c->stage->block;
    gali_program_stage *stage = &c->r.stages[c->r.stage_count++];
    *stage =
        (gali_program_stage){.tensor = gali_replacing_tensor(&c->r, &t),
                             .node = c->stage->node,
                             .group = c->stage->group,
                             .block = t.block,
                             .stays = 1,
                             .stretch = UINT8_MAX, /* a function of its own, which is none of the model's */
                             .rank = (uint32_t)t.type.rank};
    for (int d = 0; d < t.type.rank; d++) {
        at[d] = gali_x_axis(&c->r.x, (uint32_t)d);
        stage->extent[d] = t.type.shape[d];
    }
    stage->value = gali_replacing_load(&c->r, input, at);
    return stage->tensor;
}

/* The guarded load of an input is of its copy, or needs no guard. */
static const gali_scalar *copied(void *who, const gali_scalar *a) {
    copying *c = who;
    gali_program *p = c->r.p;
    uint32_t axes = gali_program_guarded_axes(p, a), input = axes ? a->operand[1]->source : GALI_NONE;
    if (!axes || p->tensors[input].role != GALI_TENSOR_INPUT || p->tensors[input].type.element != GALI_f32) {
        return a;
    }
    if (gali_program_reads_inside(p, c->stage, a)) { /* patches of a picture, say */
        return a->operand[1];
    }
    if (!(axes >> (p->tensors[input].type.rank - 1) & 1) || !is_worth_it(c, input)) {
        return a;
    }
    if (c->copy[input] == GALI_NONE) {
        c->copy[input] = add_copy(c, input);
    }
    gali_scalar load = *a->operand[1], guarded = *a;
    load.source = c->copy[input];
    guarded.operand[1] = gali_scalars_keep(c->scalars, &load);
    return guarded.operand[1] ? gali_scalars_keep(c->scalars, &guarded) : NULL;
}

/* The stage behind the copies that it reads. */
static void add_stage(copying *c, const gali_program_stage *stage) {
    gali_arena arena = {0};
    gali_scalar_maker maker = {.scalars = c->scalars,
                               .arena = &arena,
                               .axes = {stage->extent, stage->rank + stage->reduced},
                               .replace = copied,
                               .who = c};
    c->stage = stage;
    const gali_scalar *value = stage->reduced && !stage->block && !stage->patterns
                                   ? gali_scalar_make(&maker, stage->value)
                                   : stage->value;
    c->r.p->arena->failed |= !value || arena.failed;
    c->r.stages[c->r.stage_count] = *stage;
    c->r.stages[c->r.stage_count++].value = value ? value : stage->value;
    gali_arena_release(&arena);
}

gal_status gali_program_copy_inputs(gali_program *program, gal_error *error) {
    static const char what[] = "copies of inputs";
    gali_arena *arena = program->arena;
    uint32_t symbols = gali_extent_symbols(program->graph->extents);
    copying c = {.scalars = gali_scalars_make(arena, program->graph->extents),
                 .copy = gali_arena_take(arena, (program->tensor_count + 1) * sizeof *c.copy),
                 .sizes = gali_arena_take(arena, (symbols + 1) * sizeof *c.sizes)};
    if (arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %s", what);
    }
    for (uint32_t i = 0; i < symbols; i++) {
        c.sizes[i] = SIZE_GUESS;
    }
    memset(c.copy, 0xff, (program->tensor_count + 1) * sizeof *c.copy);
    gal_status status = gali_replacing_begin(&c.r, program, 1 + program->graph->input_count, what, error);
    for (uint32_t i = 0; status == GAL_OK && !arena->failed && i < program->stage_count; i++) {
        c.r.place[i] = c.r.stage_count;
        add_stage(&c, &program->stages[i]);
    }
    return status == GAL_OK ? gali_replacing_end(&c.r, what, error) : status;
}
