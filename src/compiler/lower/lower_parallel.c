/*
 * Which loop of a group's function is given out in ranges to the caller's threads.
 *
 * Loops that have nothing but loops (and lets) around them walk axes of results: what is summed is walked behind the making
 * of a sum. So their turns are independent within a stage, but for those along a row that is made in pieces
 * (lower_pieces.c); within a group of several, those of the loops that the stages share. Of these the outermost with enough
 * turns is marked, in every nest that the function is made of; it need not be the outermost loop of all: each thread runs
 * what is around it, and its own range of it.
 */
#include <stdio.h>

#include "compiler/lower/lowering.h"

enum { CHOICES_MAX = 16, TURNS_ENOUGH = 16 };

typedef struct choices {
    gali_extent extent[CHOICES_MAX]; /* outermost first */
    uint32_t count;
} choices;

/* The graph's extent that a loop's is; GALI_EXTENT_UNKNOWN where it is none. */
static gali_extent extent_of(const gali_lowering *l, const gali_loop_index *index) {
    if (!index->count) {
        return index->constant;
    }
    for (uint32_t i = 0; i < l->size_count; i++) {
        if (gali_loop_index_same(&l->sizes[i].index, index)) {
            return l->sizes[i].extent;
        }
    }
    return GALI_EXTENT_UNKNOWN;
}

static int has(const choices *c, gali_extent extent) {
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->extent[i] == extent) {
            return 1;
        }
    }
    return 0;
}

static void add(choices *c, gali_extent extent) {
    if (c->count < CHOICES_MAX && extent != GALI_EXTENT_UNKNOWN && !has(c, extent)) {
        c->extent[c->count++] = extent;
    }
}

/* Extents of which there is a loop in each nest of the block, at most `depth` loops deep. */
static choices find(const gali_lowering *l, const gali_loop_statement *block, uint32_t depth) {
    choices all = {.count = 0};
    int first = 1;
    for (const gali_loop_statement *s = block; s; s = s->next) {
        if (s->kind != GALI_LOOP_FOR && s->kind != GALI_LOOP_LET) {
            return (choices){.count = 0};
        }
    }
    for (const gali_loop_statement *s = block; s && depth; s = s->next) {
        if (s->kind != GALI_LOOP_FOR) {
            continue;
        }
        choices own = {.count = 0}, inner = find(l, s->body, depth - 1), both = {.count = 0};
        add(&own, extent_of(l, &s->extent));
        for (uint32_t i = 0; i < inner.count; i++) {
            add(&own, inner.extent[i]);
        }
        for (uint32_t i = 0; i < own.count; i++) {
            if (first || has(&all, own.extent[i])) {
                add(&both, own.extent[i]);
            }
        }
        all = both;
        first = 0;
    }
    return all;
}

static void mark(const gali_lowering *l, gali_loop_statement *block, gali_extent extent) {
    for (gali_loop_statement *s = block; s; s = s->next) {
        if (s->kind == GALI_LOOP_FOR && extent_of(l, &s->extent) == extent) {
            s->mark = GALI_LOOP_PARALLEL;
        } else if (s->kind == GALI_LOOP_FOR) {
            mark(l, s->body, extent);
        }
    }
}

void gali_lower_parallel(gali_lowering *l, uint32_t stages) {
    uint32_t alone = l->in_row ? l->stage->rank - 1 : CHOICES_MAX;
    choices c = find(l, l->f->body, stages > 1 ? l->shared : alone);
    int64_t most = 1;
    gali_extent best = GALI_EXTENT_UNKNOWN;
    for (uint32_t i = 0; l->p->typical && i < c.count && most < TURNS_ENOUGH; i++) {
        int64_t turns = gali_extent_value(l->p->graph->extents, c.extent[i], l->p->typical);
        if (turns > most) {
            most = turns;
            best = c.extent[i];
        }
    }
    if (l->parallel && has(&c, l->parallel)) {
        best = l->parallel;
    } else if (l->parallel && !*l->refusal) {
        snprintf(l->refusal, sizeof l->refusal,
                 "schedule: not all of the function is in a loop over its parallel axis");
    }
    if (best != GALI_EXTENT_UNKNOWN) {
        mark(l, l->f->body, best);
        l->out->parallel = best;
        l->out->is_parallel = 1;
    }
}
