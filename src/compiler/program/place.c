/*
 * Where tensors lie in the workspace: each that is stored between stages has memory from what makes it to what reads it last;
 * one that a loop reads and that is made before it, to the loop's end. The arrangement is found at middling sizes
 * (arrange.h), and of it is kept which tensor lies above which, of all that live at the same time: each begins behind the
 * highest end of those below it, which the run computes from its sizes. So no two meet whatever the sizes are. Sizes that
 * only running tells are at their bounds.
 */
#include <stdlib.h>

#include "base/error.h"
#include "compiler/program/lives.h"
#include "compiler/program/program.h"

enum { ALIGNMENT = 64 };

/* The stages that a tensor's memory is used from and to. */
typedef struct life {
    uint32_t first, last; /* first is GALI_NONE: never */
} life;

/* At most, where only running tells it. */
static gali_extent bytes_of(const gali_program *p, const gali_type *type) {
    gali_extents *x = p->graph->extents;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    return gali_program_bound(p, bytes, 1);
}

static gali_extent aligned(gali_extents *x, gali_extent bytes) {
    gali_extent lines = gali_extent_quotient(x, gali_extent_add(x, bytes, ALIGNMENT - 1), ALIGNMENT);
    return gali_extent_mul(x, lines, ALIGNMENT);
}

static uint32_t root_of(const gali_program *p, uint32_t tensor) {
    while (p->tensors[tensor].home != GALI_NONE) {
        tensor = p->tensors[tensor].home;
    }
    return tensor;
}

static int is_within(const gali_program *p, uint32_t block, uint32_t outer) {
    while (block != outer && block != GALI_NONE) {
        block = p->blocks[block].parent;
    }
    return block == outer;
}

/* The first stage of a block, or of one inside of it. */
static uint32_t begin_of(const gali_program *p, uint32_t block) {
    uint32_t first = 0;
    while (first < p->stage_count && !is_within(p, p->stages[first].block, block)) {
        first++;
    }
    return first;
}

/*
 * The tensor's memory is used before or by `stage`, in the block. Of what is made outside of a loop, from the loop's first
 * stage to its end: another turn must find what the one before left.
 */
static void use(const gali_program *p, life *lives, uint32_t tensor, uint32_t stage, uint32_t block) {
    uint32_t root = root_of(p, tensor), own = p->tensors[root].block, first = stage, last = stage;
    life *l = &lives[root];
    for (; block != GALI_NONE && !is_within(p, own, block); block = p->blocks[block].parent) {
        if (p->blocks[block].repeats) {
            uint32_t begin = begin_of(p, block);
            first = begin < first ? begin : first;
            last = p->blocks[block].end > last ? p->blocks[block].end : last;
        }
    }
    l->first = l->first == GALI_NONE || first < l->first ? first : l->first;
    l->last = l->last > last ? l->last : last;
}

static life *lives_of(const gali_program *p) {
    life *lives = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *lives);
    for (uint32_t i = 0; lives && i < p->tensor_count; i++) {
        lives[i].first = GALI_NONE;
    }
    for (uint32_t i = 0; lives && i < p->stage_count; i++) {
        if (!p->stages[i].gone) {
            use(p, lives, p->stages[i].tensor, i, p->stages[i].block);
        }
    }
    for (uint32_t i = 0; lives && i < p->tensor_count; i++) {
        uint32_t last = p->tensors[i].last;
        if (last != GALI_NONE && !p->stages[last].gone) {
            use(p, lives, i, last, p->stages[last].block);
        }
    }
    for (uint32_t i = 0; lives && i < p->step_count; i++) {
        const gali_program_step *step = &p->steps[i];
        if (step->tensor != GALI_NONE) {
            use(p, lives, step->tensor, step->before, step->block);
        }
        if (step->test != GALI_NONE) {
            use(p, lives, step->test, step->before, step->block);
        }
        const gali_program_call *call = step->call;
        for (uint32_t k = 0; call && k < call->operand_count + call->result_count; k++) {
            uint32_t tensor =
                k < call->operand_count ? call->operands[k] : call->results[k - call->operand_count];
            if (tensor != GALI_NONE) {
                use(p, lives, tensor, step->before, step->block);
            }
        }
    }
    return lives;
}

/* ---- tensors as blocks ---- */

typedef struct placing {
    gali_program *p;
    uint32_t count;
    gali_block *blocks; /* [count] at typical sizes */
    uint32_t *tensor;   /* [count] */
    gali_extent *bytes; /* [count] multiples of 64 */
    uint32_t *low;      /* [count] blocks, the lowest first */
    uint32_t *rank;     /* [count] where each stands there */
    const gali_lives *lives;
    gali_program_end *ends; /* [count] room for those of one slot */
    uint32_t *below;        /* [count] room for ranks */
    uint32_t *kept;         /* [count] room for blocks */
    uint32_t *taken; /* [stage_count + 1] the last rank, plus one, of which a kept block lives at that time */
} placing;

static int64_t typical_of(const gali_program *p, gali_extent size) {
    const int64_t *symbols = p->typical ? p->typical : p->most;
    return gali_extent_value(p->graph->extents, size, symbols);
}

static int is_known(gali_extent size) {
    return size != GALI_EXTENT_UNKNOWN && size != GALI_EXTENT_BAD;
}

static gal_status measure(placing *g, gal_error *error) {
    gali_program *p = g->p;
    const life *lives = lives_of(p);
    for (uint32_t i = 0; lives && i < p->tensor_count; i++) {
        gali_program_tensor *t = &p->tensors[i];
        int stored = t->role == GALI_TENSOR_MADE || t->role == GALI_TENSOR_KEPT;
        t->slot = GALI_NONE;
        if (!stored || t->home != GALI_NONE || lives[i].first == GALI_NONE) {
            continue;
        }
        gali_extent bytes = aligned(p->graph->extents, bytes_of(p, &t->type));
        if (!is_known(bytes)) {
            return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": its size has too many terms", t->name);
        }
        g->tensor[g->count] = i;
        g->bytes[g->count] = bytes;
        g->blocks[g->count++] =
            (gali_block){.first = lives[i].first, .last = lives[i].last, .bytes = typical_of(p, bytes)};
    }
    return lives ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory");
}

/* ---- who lies above whom ---- */

typedef struct height {
    int64_t at, end;
    uint32_t block;
} height;

static int compare(const void *a, const void *b) {
    const height *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    if (x->end != y->end) { /* what is empty, first */
        return x->end < y->end ? -1 : 1;
    }
    return x->block < y->block ? -1 : x->block > y->block;
}

static int sort(placing *g, gali_arena *arena) {
    height *room = gali_arena_take(arena, (g->count + 1) * sizeof *room);
    for (uint32_t i = 0; room && i < g->count; i++) {
        room[i] = (height){g->blocks[i].at, g->blocks[i].at + g->blocks[i].bytes, i};
    }
    if (room) {
        qsort(room, g->count, sizeof *room, compare);
    }
    for (uint32_t i = 0; room && i < g->count; i++) {
        g->low[i] = room[i].block;
        g->rank[room[i].block] = i;
    }
    return room != NULL;
}

/* Adds an end that a slot lies behind, once; of two behind one slot the larger, where that is known. */
static uint32_t add_end(placing *g, uint32_t count, gali_program_end end) {
    gali_extents *x = g->p->graph->extents;
    for (uint32_t i = 0; i < count; i++) {
        int64_t least, most;
        gali_extent_range(x, gali_extent_sub(x, g->ends[i].bytes, end.bytes), &least, &most);
        if (g->ends[i].slot == end.slot && (least >= 0 || most <= 0)) {
            g->ends[i].bytes = least >= 0 ? g->ends[i].bytes : end.bytes;
            return count;
        }
    }
    g->ends[count] = end;
    return count + 1;
}

static int compare_ranks(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Ranks below this one into g->below, the highest first: of blocks that live with its own, and maybe of others. */
static uint32_t find_below(placing *g, uint32_t rank) {
    const gali_block *own = rank < g->count ? &g->blocks[g->low[rank]] : NULL;
    uint32_t found =
        own ? gali_lives_find(g->lives, own->first, own->last, g->below, rank / GALI_LIVES_FEW) : GALI_NONE;
    uint32_t count = 0;
    for (uint32_t i = 0; found != GALI_NONE && i < found; i++) {
        if (g->rank[g->below[i]] < rank) {
            g->below[count++] = g->rank[g->below[i]];
        }
    }
    if (found != GALI_NONE) {
        qsort(g->below, count, sizeof *g->below, compare_ranks);
        return count;
    }
    for (uint32_t i = rank; i-- > 0;) {
        g->below[count++] = i;
    }
    return count;
}

/* What of the block's life is within that of block g->low[rank]: three lives of which each two meet have a time in common. */
static gali_block within(const placing *g, const gali_block *block, uint32_t rank) {
    gali_block part = *block;
    if (rank < g->count) {
        const gali_block *own = &g->blocks[g->low[rank]];
        part.first = own->first > part.first ? own->first : part.first;
        part.last = own->last < part.last ? own->last : part.last;
    }
    return part;
}

/*
 * Whether that part lives with one of those that were kept for this rank. They live apart from each other, so either they
 * are asked or the times are, whichever are fewer.
 */
static int is_hidden(const placing *g, const gali_block *part, uint32_t kept, uint32_t rank) {
    int hidden = 0;
    if (kept <= part->last - part->first) {
        for (uint32_t k = 0; !hidden && k < kept; k++) {
            hidden = gali_blocks_meet(part, &g->blocks[g->kept[k]]);
        }
        return hidden;
    }
    for (uint32_t t = part->first; !hidden && t <= part->last; t++) {
        hidden = g->taken[t] == rank + 1;
    }
    return hidden;
}

static void keep(placing *g, uint32_t number, const gali_block *part, uint32_t kept, uint32_t rank) {
    g->kept[kept] = number;
    for (uint32_t t = part->first; t <= part->last; t++) {
        g->taken[t] = rank + 1;
    }
}

/*
 * The ends that block g->low[rank] lies behind; rank g->count: what is behind all. One that lies behind another end of them
 * is left out.
 */
static uint32_t find_ends(placing *g, uint32_t rank) {
    uint32_t below = find_below(g, rank), kept = 0, count = 0;
    for (uint32_t i = 0; i < below; i++) {
        uint32_t number = g->low[g->below[i]], slot = g->p->tensors[g->tensor[number]].slot;
        const gali_block part = within(g, &g->blocks[number], rank);
        if (part.first <= part.last && !is_hidden(g, &part, kept, rank)) {
            keep(g, number, &part, kept++, rank);
            count = add_end(g, count, (gali_program_end){slot, g->bytes[number]});
        }
    }
    return count;
}

static int are_ends(const placing *g, const gali_program_slot *slot, uint32_t count) {
    int same = slot->count == count;
    for (uint32_t i = 0; same && i < count; i++) {
        same = slot->ends[i].slot == g->ends[i].slot && slot->ends[i].bytes == g->ends[i].bytes;
    }
    return same;
}

static gali_program_slot make_slot(placing *g, uint32_t count) {
    gali_program_slot slot = {.count = count,
                              .ends = gali_arena_take(g->p->arena, (count + 1) * sizeof *slot.ends)};
    for (uint32_t i = 0; slot.ends && i < count; i++) {
        slot.ends[i] = g->ends[i];
    }
    return slot;
}

/* The slot behind those ends, an earlier one if there is one. */
static uint32_t take_slot(placing *g, uint32_t count) {
    gali_program *p = g->p;
    for (uint32_t s = 0; s < p->slot_count; s++) {
        if (are_ends(g, &p->slots[s], count)) {
            return s;
        }
    }
    p->slots[p->slot_count] = make_slot(g, count);
    return p->slot_count++;
}

/* Where all sizes are numbers, a slot is where the arrangement has it. */
static uint32_t fixed_end(placing *g, int64_t at) {
    g->ends[0] = (gali_program_end){.bytes = at};
    return at > 0;
}

static void make_slots(placing *g) {
    gali_program *p = g->p;
    int fixed = 1;
    for (uint32_t i = 0; i < g->count; i++) {
        fixed &= gali_extent_is_number(g->bytes[i]);
    }
    for (uint32_t rank = 0; rank < g->count && !p->arena->failed; rank++) {
        uint32_t block = g->low[rank];
        uint32_t count = fixed ? fixed_end(g, g->blocks[block].at) : find_ends(g, rank);
        p->tensors[g->tensor[block]].slot = take_slot(g, count);
    }
    p->top = make_slot(g, fixed ? fixed_end(g, p->planned) : find_ends(g, g->count));
}

int64_t gali_program_slot_at(const gali_program *p, const gali_program_slot *slot, const int64_t *at,
                             const int64_t *symbols) {
    int64_t most = 0;
    for (uint32_t i = 0; i < slot->count; i++) {
        int64_t end =
            at[slot->ends[i].slot] + gali_extent_value(p->graph->extents, slot->ends[i].bytes, symbols);
        most = end > most ? end : most;
    }
    return most;
}

gal_status gali_program_place(gali_program *p, gal_error *error) {
    gali_arena arena = {0};
    size_t count = p->tensor_count + 1u;
    placing g = {.p = p,
                 .blocks = gali_arena_take(&arena, count * sizeof *g.blocks),
                 .tensor = gali_arena_take(&arena, count * sizeof *g.tensor),
                 .bytes = gali_arena_take(&arena, count * sizeof *g.bytes),
                 .low = gali_arena_take(&arena, count * sizeof *g.low),
                 .rank = gali_arena_take(&arena, count * sizeof *g.rank),
                 .ends = gali_arena_take(&arena, count * sizeof *g.ends),
                 .below = gali_arena_take(&arena, count * sizeof *g.below),
                 .kept = gali_arena_take(&arena, count * sizeof *g.kept),
                 .taken = gali_arena_take(&arena, (p->stage_count + 1u) * sizeof *g.taken)};
    p->slots = gali_arena_take(p->arena, (count + 1) * sizeof *p->slots);
    p->slot_count = 0;
    gal_status status = arena.failed || p->arena->failed
                            ? gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory")
                            : measure(&g, error);
    if (status == GAL_OK) {
        p->alive = gali_blocks_alive(g.blocks, g.count, &arena);
        p->planned = gali_blocks_arrange(g.blocks, g.count, &arena);
        g.lives = gali_lives_make(g.blocks, g.count, &arena);
        if (g.lives && sort(&g, &arena)) {
            make_slots(&g);
        }
        status = arena.failed || p->arena->failed
                     ? gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory")
                     : GAL_OK;
    }
    gali_arena_release(&arena);
    return status;
}
