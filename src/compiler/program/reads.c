#include "compiler/program/reads.h"

#include <string.h>

enum { BUCKETS = 64 };

typedef struct steps {
    uint8_t by[GALI_AXES_MAX];
} steps;

typedef struct known {
    const gali_scalar *scalar;
    steps is;
    struct known *next;
} known;

typedef struct reading {
    gali_arena *arena;
    known *seen[BUCKETS];
    gali_program_read *first, **last;
    int outside, self; /* the part is no sum's; a reduction so far was met */
} reading;

static steps all_other(void) {
    steps s;
    memset(s.by, GALI_STEP_OTHER, sizeof s.by);
    return s;
}

/* a + b, or a - b: what moves by one goes on doing so where the other stands still. */
static steps added(const steps *a, const steps *b, int minus, int below) {
    steps sum;
    for (uint32_t i = 0; i < GALI_AXES_MAX; i++) {
        uint8_t moving = a->by[i] == GALI_STEP_NONE ? b->by[i] : a->by[i];
        int both = a->by[i] != GALI_STEP_NONE && b->by[i] != GALI_STEP_NONE;
        int backwards = minus && b->by[i] != GALI_STEP_NONE;
        sum.by[i] = moving == GALI_STEP_NONE                         ? GALI_STEP_NONE
                    : both || backwards || moving == GALI_STEP_OTHER ? GALI_STEP_OTHER
                    : below || moving == GALI_STEP_EDGE              ? GALI_STEP_EDGE
                                                                     : GALI_STEP_ONE;
    }
    return sum;
}

static int stands(uint8_t step) {
    return step == GALI_STEP_NONE;
}

/* Of operations that are no sums: what moves, moves nobody knows how. */
static steps mixed(const steps *a, const steps *b) {
    steps result;
    for (uint32_t i = 0; i < GALI_AXES_MAX; i++) {
        result.by[i] = stands(a->by[i]) && stands(b->by[i]) ? GALI_STEP_NONE : GALI_STEP_OTHER;
    }
    return result;
}

static steps steps_of(reading *r, const gali_scalar *a);

/* Whether a sum may stand before 0 where its first vector does not: not by whole vectors. */
static int is_below(const gali_scalar *a) {
    int below = a->op == GALI_SCALAR_sub;
    for (int i = 0; i < 2; i++) {
        const gali_scalar *of = a->operand[i];
        int number = of->op == GALI_SCALAR_number;
        below |= number && of->whole < 0;
        if (number && of->whole % GALI_SUM_PARTS == 0 && (i == 1 || a->op == GALI_SCALAR_add)) {
            return 0;
        }
    }
    return below;
}

static steps make_steps(reading *r, const gali_scalar *a) {
    steps own = {{GALI_STEP_NONE}};
    if (a->op == GALI_SCALAR_self) {
        r->self = 1;
        return all_other();
    }
    if (a->op == GALI_SCALAR_axis) {
        own.by[a->source] = GALI_STEP_SAME;
        return own;
    }
    for (int i = 0; i < 3 && a->operand[i]; i++) {
        steps operand = steps_of(r, a->operand[i]);
        int sum = i == 1 && (a->op == GALI_SCALAR_add || a->op == GALI_SCALAR_sub);
        int minus = a->op == GALI_SCALAR_sub;
        own = i == 0 && (a->op == GALI_SCALAR_add || minus) ? operand
              : sum                                         ? added(&own, &operand, minus, is_below(a))
                                                            : mixed(&own, &operand);
    }
    for (int i = 0; i < GALI_RANK_MAX && a->op == GALI_SCALAR_load && a->index[i]; i++) {
        steps index = steps_of(r, a->index[i]);
        own = mixed(&own, &index);
    }
    return own;
}

static void note_read(reading *r, const gali_scalar *load) {
    gali_program_read *read = gali_arena_take(r->arena, sizeof *read);
    if (!read) {
        return;
    }
    read->tensor = load->source;
    read->outside = r->outside;
    for (int i = 0; i < GALI_RANK_MAX && load->index[i]; i++) {
        steps index = steps_of(r, load->index[i]);
        memcpy(read->step[i], index.by, sizeof index.by);
    }
    *r->last = read;
    r->last = &read->next;
}

static steps steps_of(reading *r, const gali_scalar *a) {
    known **bucket = &r->seen[((uintptr_t)a >> 6) % BUCKETS];
    for (const known *k = *bucket; k; k = k->next) {
        if (k->scalar == a) {
            return k->is;
        }
    }
    steps is = make_steps(r, a);
    known *k = gali_arena_take(r->arena, sizeof *k);
    if (k) {
        *k = (known){a, is, *bucket};
        *bucket = k;
        if (a->op == GALI_SCALAR_load) {
            note_read(r, a);
        }
    }
    return is;
}

const gali_program_read *gali_program_reads(const gali_program_stage *stage, gali_arena *arena) {
    reading r = {.arena = arena};
    r.last = &r.first;
    const gali_scalar *parts[] = {stage->value, stage->start, stage->finish};
    for (int i = 0; i < 3; i++) {
        r.outside = i > 0;
        if (parts[i]) {
            steps_of(&r, parts[i]);
        }
    }
    return r.first;
}

static int has_self(const gali_scalar *a) {
    gali_arena arena = {0};
    reading r = {.arena = &arena};
    r.last = &r.first;
    steps_of(&r, a);
    gali_arena_release(&arena);
    return r.self || arena.failed;
}

gali_scalar_op gali_program_sum_op(const gali_program_stage *stage) {
    const gali_scalar *a = stage->value;
    int selves = 0, terms = 0;
    for (int i = 0; i < 3 && a->operand[i]; i++) {
        int self = a->operand[i]->op == GALI_SCALAR_self;
        selves += self;
        terms += !self && !has_self(a->operand[i]);
    }
    int sum = a->op == GALI_SCALAR_add || a->op == GALI_SCALAR_most || a->op == GALI_SCALAR_least;
    if (a->op == GALI_SCALAR_fma) {
        sum = a->operand[2] && a->operand[2]->op == GALI_SCALAR_self;
    }
    if (!sum || a->element != GALI_f32 || selves != 1 || terms != (a->op == GALI_SCALAR_fma ? 2 : 1)) {
        return GALI_SCALAR_COUNT;
    }
    return a->op == GALI_SCALAR_fma ? GALI_SCALAR_add : a->op;
}

static int64_t largest_divisor(int64_t of, int64_t most) {
    int64_t divisor = most;
    while (of % divisor) {
        divisor--;
    }
    return divisor;
}

gali_sum_blocks gali_program_sum_blocks(const gali_program_stage *stage) {
    const gali_extent *extent = stage->extent + stage->rank;
    gali_sum_blocks blocks = {.outer = stage->reduced}, none = {0, 0};
    int64_t terms = 1, most = stage->fine || stage->reduced > 1 ? GALI_BLOCK_TERMS_FINE : GALI_BLOCK_TERMS;
    for (uint32_t i = 0; i < stage->reduced; i++) {
        if (!gali_extent_is_number(extent[i]) || extent[i] < 1) {
            return none;
        }
    }
    if (stage->parted || !stage->reduced || gali_program_sum_op(stage) != GALI_SCALAR_add) {
        return none;
    }
    while (blocks.outer > 0 && terms * extent[blocks.outer - 1] <= most) {
        terms *= extent[--blocks.outer];
    }
    if (blocks.outer == 0) {
        return none;
    }
    int64_t part = largest_divisor(extent[blocks.outer - 1], most / terms);
    if (part > 1 || terms < GALI_BLOCK_TERMS_LEAST) {
        blocks.outer--;
        blocks.part = part * terms < GALI_BLOCK_TERMS_LEAST ? 0 : (uint32_t)part;
    }
    return blocks;
}
