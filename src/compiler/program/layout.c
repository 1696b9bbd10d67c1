/*
 * The order of a tensor's axes in memory: which of them is contiguous; the others keep their order. And which sums are
 * taken in parts, along what is contiguous in what they read. Inputs and outputs of
 * the graph lie as they are, all else as the stages that make and read it like best. (DNNFusion, section 4.4.3: the
 * dominant operator of a group chooses. Here what costs most does, which is the same.)
 *
 * Cost of a stage: it runs by vectors of LANES elements along the contiguous axis of what it makes, or along the innermost
 * axis that it reduces, whose GALI_SUM_PARTS lanes are then added by a tree of TREE steps. Each load is one for all lanes (it does not
 * move), a row (the axis is contiguous in what it reads, too), or LANES of single elements. So a convolution likes its
 * maps last (of x it reads one element for all maps, of the weights a row) whatever x is like, a depthwise one and a pool
 * want the channels last on both sides, and a product of matrices its columns.
 *
 * Sizes that are open are compared as if they were 100, which leaves some lanes of the last vector idle, and vectors along
 * them cost OPEN times as much: multiples of 16 are the better bet. Those that stand first in every input that tells them are batches, and compared as 1.
 *
 * Search: axes that are the same through stages (what adds, pools and depthwise convolutions carry from tensor to tensor)
 * are one class. A move makes the axis of one class the contiguous one in all its tensors, or changes one tensor; it
 * is kept if the sum of costs falls. Sweeps of moves end when none is kept, at the latest after SWEEPS_MOST. They start
 * where everything lies as in the file; where each stage has its way as if all it reads would follow, since a convolution
 * alone between others that are not yet moved is no gain; there with constants that have followed; and where axis 1 of all,
 * the channels of images, is the contiguous one, without and with constants that have followed: before they have, any other
 * axis seems cheaper to a product, and two products beside a depthwise convolution keep each other there. The cheapest end
 * is taken.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compiler/program/program.h"
#include "compiler/program/reads.h"
#include "compiler/program/split.h"

#define OTHERWISE 1.15 /* a gain is worth another order than the file's from here on */
#define PARTS 1.5      /* of sums in parts no tile of results shares what it loads */
#define OPEN 1.5       /* of vectors along an open size the last is tested for, and few addresses are numbers */

enum { LANES = GALI_SUM_PARTS, SWEEPS_MOST = 4, SIZE_TYPICAL = 100, TREE = 5 };

typedef struct touch {
    uint32_t stage;
    struct touch *next;
} touch;

typedef struct layout {
    gali_program *p;
    gali_arena *arena;               /* for the choosing alone */
    const gali_program_read **reads; /* [stage_count] */
    touch **touches;                 /* [tensor_count] stages that make or read it, once each */
    uint8_t *file, *best;            /* [tensor_count] as in the file; the cheapest choice so far */
    uint8_t *last, *before;          /* [tensor_count] the axis that is contiguous; as it was before a move */
    uint32_t *class;                 /* [tensor_count * GALI_RANK_MAX] parent, of a class's root itself */
    uint32_t *member;                /* [same] the next axis of the class, in a ring */
    uint8_t *may_part;               /* [stage_count] */
    uint32_t *stamp, now;            /* [stage_count] moves in which the stage was looked at */
    int wishing;                     /* all that is free is where it is wanted */
    int64_t *typical;                /* [symbols] sizes to compare with */
} layout;

/* ---- cost ---- */

static double count_of(const layout *l, gali_extent extent) {
    int64_t count = gali_extent_value(l->p->graph->extents, extent, l->typical);
    return count > 0 ? (double)count : 1;
}

/* Results by patterns have their columns last: vectors are along these. */
static int is_free(const layout *l, uint32_t tensor) {
    const gali_program_tensor *t = &l->p->tensors[tensor];
    int by_patterns = t->stage != GALI_NONE && l->p->stages[t->stage].patterns;
    return (t->role == GALI_TENSOR_MADE && !by_patterns) || t->role == GALI_TENSOR_CONSTANT;
}

/* Whether elements one after another in the axis of the stage are that in what it reads, too; or could be. */
static int is_row(const layout *l, const gali_program_read *r, uint32_t axis) {
    int last = l->wishing && is_free(l, r->tensor) ? -1 : l->last[r->tensor];
    uint32_t moving = 0, rows = 0;
    for (int d = 0; d < l->p->tensors[r->tensor].type.rank; d++) {
        uint8_t step = r->step[d][axis];
        moving += step != GALI_STEP_NONE;
        rows += (step == GALI_STEP_SAME || step == GALI_STEP_ONE) && (d == last || last < 0);
    }
    return moving == rows && rows < 2;
}

static uint32_t sum_axis(const gali_program_stage *stage) {
    return stage->rank + stage->reduced - 1;
}

static int is_moving(const layout *l, const gali_program_read *r, uint32_t axis) {
    int moves = 0;
    for (int d = 0; d < l->p->tensors[r->tensor].type.rank; d++) {
        moves |= r->step[d][axis] != GALI_STEP_NONE;
    }
    return moves;
}

/*
 * Loads of one step. Rows of a constant are a little cheaper than others: they can be packed for who reads them. What is the
 * same for all lanes is read along the sum, and costs twice where it does not lie so.
 */
static double loads_of(const layout *l, const gali_program_stage *stage, const gali_program_read *r,
                       uint32_t axis, double extent, double vectors) {
    int constant = l->p->tensors[r->tensor].role == GALI_TENSOR_CONSTANT;
    if (is_moving(l, r, axis)) {
        return !is_row(l, r, axis) ? extent : constant ? vectors : vectors * 1.02;
    }
    int along =
        !stage->reduced || constant || !is_moving(l, r, sum_axis(stage)) || is_row(l, r, sum_axis(stage));
    return along ? vectors : 2 * vectors;
}

/* Vector loads and stores of one step of the stage where `axis` is that of vectors; `steps` of its sum make an element. */
static double cost_along(const layout *l, const gali_program_stage *stage, uint32_t axis, double steps) {
    double extent = count_of(l, stage->extent[axis]);
    double vectors = (double)(((int64_t)extent + LANES - 1) / LANES);
    double cost = (axis < stage->rank ? vectors : (double)TREE * extent) / steps;
    for (const gali_program_read *r = l->reads[stage - l->p->stages]; r; r = r->next) {
        cost += loads_of(l, stage, r, axis, extent, vectors) / (r->outside ? steps : 1);
    }
    return cost / extent * (gali_extent_is_number(stage->extent[axis]) ? 1 : OPEN);
}

/* Whether a sum may be taken in parts along the last axis that it reduces. */
static int may_part(const gali_program_stage *stage) {
    gali_extent extent = stage->reduced ? stage->extent[sum_axis(stage)] : 1;
    return stage->reduced && (!gali_extent_is_number(extent) || extent >= GALI_SUM_PARTS) &&
           gali_program_sum_op(stage) != GALI_SCALAR_COUNT;
}

/* Of the stage; *parted whether its sum is the cheaper in parts. */
static double cost_of(const layout *l, uint32_t number, int *parted) {
    const gali_program_stage *stage = &l->p->stages[number];
    double elements = 1, steps = 1;
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        *(i < stage->rank ? &elements : &steps) *= count_of(l, stage->extent[i]);
    }
    double cost = stage->rank ? cost_along(l, stage, l->last[stage->tensor], steps) : 2;
    double by_parts = l->may_part[number] ? PARTS * cost_along(l, stage, sum_axis(stage), steps) : cost;
    *parted = by_parts < cost;
    cost = *parted ? by_parts : cost;
    int own = !stage->rank || l->last[stage->tensor] + 1u == stage->rank;
    return elements * steps * cost * (own ? 1 : OTHERWISE);
}

/* ---- classes of axes ---- */

static uint32_t root_of(layout *l, uint32_t axis) {
    while (l->class[axis] != axis) {
        axis = l->class[axis] = l->class[l->class[axis]];
    }
    return axis;
}

static void join(layout *l, uint32_t a, uint32_t b) {
    uint32_t first = root_of(l, a), second = root_of(l, b);
    if (first != second) {
        uint32_t next = l->member[first];
        l->class[second] = first;
        l->member[first] = l->member[second];
        l->member[second] = next;
    }
}

static void join_axes(layout *l, uint32_t number) {
    const gali_program_stage *stage = &l->p->stages[number];
    for (const gali_program_read *r = l->reads[number]; r; r = r->next) {
        for (int d = 0; d < l->p->tensors[r->tensor].type.rank; d++) {
            for (uint32_t i = 0; i < stage->rank; i++) {
                if (r->step[d][i] == GALI_STEP_SAME) {
                    join(l, stage->tensor * GALI_RANK_MAX + i, r->tensor * GALI_RANK_MAX + (uint32_t)d);
                }
            }
        }
    }
}

/* ---- moves ---- */

/* Adds the costs of the stages that touch the tensor, but of those that were looked at in this round. */
static double cost_around(layout *l, uint32_t tensor) {
    double cost = 0;
    for (const touch *t = l->touches[tensor]; t; t = t->next) {
        if (l->stamp[t->stage] != l->now) {
            l->stamp[t->stage] = l->now;
            int parted;
            cost += cost_of(l, t->stage, &parted);
        }
    }
    return cost;
}

static double cost_of_class(layout *l, uint32_t root) {
    double cost = 0;
    uint32_t at = root;
    l->now++;
    do {
        cost += cost_around(l, at / GALI_RANK_MAX);
        at = l->member[at];
    } while (at != root);
    return cost;
}

static int is_less(double after, double before) {
    return after < before * (1 - 1e-9);
}

static int move_class(layout *l, uint32_t root) {
    double before = cost_of_class(l, root);
    uint32_t at = root;
    do {
        uint32_t tensor = at / GALI_RANK_MAX;
        l->before[tensor] = l->last[tensor];
        at = l->member[at];
    } while (at != root);
    do {
        uint32_t tensor = at / GALI_RANK_MAX;
        l->last[tensor] = is_free(l, tensor) ? (uint8_t)(at % GALI_RANK_MAX) : l->last[tensor];
        at = l->member[at];
    } while (at != root);
    if (is_less(cost_of_class(l, root), before)) {
        return 1;
    }
    do {
        l->last[at / GALI_RANK_MAX] = l->before[at / GALI_RANK_MAX];
        at = l->member[at];
    } while (at != root);
    return 0;
}

static int move_tensor(layout *l, uint32_t tensor) {
    uint8_t best = l->last[tensor];
    l->now++;
    double least = cost_around(l, tensor), first = least;
    for (int d = 0; d < l->p->tensors[tensor].type.rank; d++) {
        l->last[tensor] = (uint8_t)d;
        l->now++;
        double cost = cost_around(l, tensor);
        if (is_less(cost, least)) {
            least = cost;
            best = (uint8_t)d;
        }
    }
    l->last[tensor] = best;
    return is_less(least, first);
}

static int sweep(layout *l) {
    int moved = 0;
    for (uint32_t t = 0; t < l->p->tensor_count; t++) {
        for (uint32_t d = 0; l->touches[t] && d < (uint32_t)l->p->tensors[t].type.rank; d++) {
            uint32_t axis = t * GALI_RANK_MAX + d;
            if (root_of(l, axis) == axis) {
                moved |= move_class(l, axis);
            }
        }
    }
    for (uint32_t t = 0; t < l->p->tensor_count; t++) {
        if (l->touches[t] && is_free(l, t)) {
            moved |= move_tensor(l, t);
        }
    }
    return moved;
}

static double cost_of_all(const layout *l) {
    double cost = 0;
    for (uint32_t i = 0; i < l->p->stage_count; i++) {
        int parted;
        cost += l->p->stages[i].gone ? 0 : cost_of(l, i, &parted);
    }
    return cost;
}

static void sweep_all(layout *l) {
    for (int i = 0; i < SWEEPS_MOST && sweep(l); i++) {
    }
}

/* What each stage makes, as it likes it best. */
static void wish(layout *l) {
    l->wishing = 1;
    for (uint32_t i = 0; i < l->p->stage_count; i++) {
        const gali_program_stage *stage = &l->p->stages[i];
        if (stage->gone || !is_free(l, stage->tensor)) {
            continue;
        }
        uint8_t best = l->last[stage->tensor];
        int parted;
        double least = cost_of(l, i, &parted);
        for (uint8_t d = 0; d < stage->rank; d++) {
            l->last[stage->tensor] = d;
            double cost = cost_of(l, i, &parted);
            best = is_less(cost, least) ? d : best;
            least = is_less(cost, least) ? cost : least;
        }
        l->last[stage->tensor] = best;
    }
    l->wishing = 0;
}

/* Constants lie as those want who read them. */
static void follow(layout *l) {
    for (uint32_t t = 0; t < l->p->tensor_count; t++) {
        if (l->p->tensors[t].role == GALI_TENSOR_CONSTANT && l->touches[t]) {
            move_tensor(l, t);
        }
    }
}

static void wish_constants(layout *l) {
    wish(l);
    follow(l);
}

/* Axis 1 of all, the channels of images, is the contiguous one. */
static void put_channels_last(layout *l) {
    for (uint32_t t = 0; t < l->p->tensor_count; t++) {
        if (is_free(l, t) && l->p->tensors[t].type.rank > 2) {
            l->last[t] = 1;
        }
    }
}

static void put_channels_last_constants(layout *l) {
    put_channels_last(l);
    follow(l);
}

static void keep(layout *l) {
    (void)l;
}

static void choose(layout *l) {
    static void (*const starts[])(layout *) = {keep, wish, wish_constants, put_channels_last,
                                               put_channels_last_constants};
    size_t size = l->p->tensor_count;
    double least = -1;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        memcpy(l->last, l->file, size);
        starts[i](l);
        sweep_all(l);
        double cost = cost_of_all(l);
        if (least < 0 || is_less(cost, least)) {
            least = cost;
            memcpy(l->best, l->last, size);
        }
    }
    memcpy(l->last, l->best, size);
}

/* ---- all ---- */

static void touch_tensor(layout *l, uint32_t tensor, uint32_t stage) {
    touch *t = gali_arena_take(l->arena, sizeof *t);
    int there = l->touches[tensor] && l->touches[tensor]->stage == stage; /* stages come one after another */
    if (t && !there) {
        *t = (touch){stage, l->touches[tensor]};
        l->touches[tensor] = t;
    }
}

static int begin(layout *l) {
    const gali_program *p = l->p;
    size_t axes = (size_t)p->tensor_count * GALI_RANK_MAX;
    uint32_t symbols = gali_extent_symbols(p->graph->extents);
    l->reads = gali_arena_take(l->arena, (p->stage_count + 1) * sizeof *l->reads);
    l->touches = gali_arena_take(l->arena, (p->tensor_count + 1) * sizeof *l->touches);
    l->last = gali_arena_take(l->arena, p->tensor_count + 1);
    l->before = gali_arena_take(l->arena, p->tensor_count + 1);
    l->file = gali_arena_take(l->arena, p->tensor_count + 1);
    l->best = gali_arena_take(l->arena, p->tensor_count + 1);
    l->class = gali_arena_take(l->arena, (axes + 1) * sizeof *l->class);
    l->member = gali_arena_take(l->arena, (axes + 1) * sizeof *l->member);
    l->may_part = gali_arena_take(l->arena, p->stage_count + 1);
    l->stamp = gali_arena_take(l->arena, (p->stage_count + 1) * sizeof *l->stamp);
    l->typical = l->p->typical = gali_arena_take(p->arena, (symbols + 1) * sizeof *l->typical);
    if (l->arena->failed || !l->typical) {
        return 0;
    }
    for (uint32_t i = 0; i < symbols; i++) {
        int64_t least = p->least[i], most = p->most[i],
                size = gali_program_is_batch(p->graph, i) ? 1 : SIZE_TYPICAL;
        l->typical[i] = size < least ? least : size > most ? most : size;
    }
    for (uint32_t i = 0; i < axes; i++) {
        l->class[i] = l->member[i] = i;
    }
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        l->file[i] = l->last[i] = (uint8_t)(p->tensors[i].type.rank > 0 ? p->tensors[i].type.rank - 1 : 0);
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (p->stages[i].gone) {
            continue;
        }
        l->may_part[i] = (uint8_t)may_part(&p->stages[i]);
        l->reads[i] = gali_program_reads(&p->stages[i], l->arena);
        touch_tensor(l, p->stages[i].tensor, i);
        for (const gali_program_read *r = l->reads[i]; r; r = r->next) {
            uint32_t maker = p->tensors[r->tensor].stage;
            touch_tensor(l, r->tensor, i);
            l->may_part[i] &= maker == GALI_NONE || !p->stages[maker].stays; /* a copy changes no bit */
        }
    }
    return !l->arena->failed;
}

/* The axis last, the others in their order. */
static void set_order(gali_program_tensor *t, uint8_t last) {
    uint32_t at = 0;
    for (uint8_t d = 0; d < t->type.rank; d++) {
        if (d != last) {
            t->order[at++] = d;
        }
    }
    if (t->type.rank > 0) {
        t->order[at] = last;
    }
}

gal_status gali_program_layout(gali_program *program, gal_error *error) {
    gali_arena arena = {0};
    layout l = {.p = program, .arena = &arena};
    int good = begin(&l);
    for (uint32_t i = 0; good && i < program->stage_count; i++) {
        if (!program->stages[i].gone) {
            join_axes(&l, i);
        }
    }
    if (good) {
        choose(&l);
    }
    for (uint32_t i = 0; good && i < program->stage_count; i++) {
        if (!program->stages[i].gone) {
            cost_of(&l, i, &program->stages[i].parted);
            program->stages[i].blocks = gali_program_sum_blocks(&program->stages[i]);
        }
    }
    for (uint32_t i = 0; good && i < program->tensor_count; i++) {
        uint8_t last = (uint8_t)(program->tensors[i].type.rank > 0 ? program->tensors[i].type.rank - 1 : 0);
        set_order(&program->tensors[i], program->without & GALI_WITHOUT_LAYOUT ? last : l.last[i]);
    }
    gali_arena_release(&arena);
    return good ? gali_program_split_sums(program, error)
                : gali_fail(error, GAL_NO_MEMORY, "no memory for the layout of tensors");
}

/* ---- constants ---- */

/* One step of an odometer over a tensor's dimensions in memory; `from` moves by the axes' strides in the file. */
static void step(int64_t *index, const int64_t *extent, const size_t *stride, int rank, size_t *from) {
    for (int d = rank; d-- > 0;) {
        *from += stride[d];
        if (++index[d] < extent[d]) {
            return;
        }
        *from -= (size_t)extent[d] * stride[d];
        index[d] = 0;
    }
}

void gali_program_lay(const gali_program *program, uint32_t tensor, void *to) {
    const gali_program_tensor *t = &program->tensors[tensor];
    int rank = t->type.rank;
    size_t bytes = gali_element_list[t->type.element].bytes, count = 1, from = 0;
    size_t own[GALI_RANK_MAX], stride[GALI_RANK_MAX];
    int64_t index[GALI_RANK_MAX] = {0}, extent[GALI_RANK_MAX];
    for (int i = rank; i-- > 0;) {
        own[i] = count * bytes;
        count *= (size_t)t->type.shape[i];
    }
    for (int d = 0; d < rank; d++) {
        stride[d] = own[t->order[d]];
        extent[d] = t->type.shape[t->order[d]];
    }
    for (size_t i = 0; i < count; i++) {
        memcpy((unsigned char *)to + i * bytes, (const unsigned char *)t->data + from, bytes);
        step(index, extent, stride, rank, &from);
    }
}

size_t gali_program_constant_bytes(const gali_program *program, uint32_t tensor,
                                   const gali_loop_buffer *buffer) {
    const gali_type *type = &program->tensors[tensor].type;
    size_t bytes = gali_element_list[type->element].bytes;
    for (int i = 0; i < type->rank; i++) {
        bytes *= (size_t)type->shape[i];
    }
    return buffer->packed_rank ? gali_loop_pack_floats(buffer) * sizeof(float) : bytes;
}

int gali_program_constant(const gali_program *program, uint32_t tensor, const gali_loop_buffer *buffer,
                          void *to) {
    gali_loop_buffer plain = *buffer;
    if (!buffer->packed_rank) {
        gali_program_lay(program, tensor, to);
        return 1;
    }
    plain.packed_rank = 0;
    float *whole = gali_allocate(NULL, gali_program_constant_bytes(program, tensor, &plain));
    if (whole) {
        gali_program_lay(program, tensor, whole);
        gali_loop_pack(buffer, whole, to);
    }
    gali_release(NULL, whole, gali_program_constant_bytes(program, tensor, &plain));
    return whole != NULL;
}
