/*
 * Where tensors lie in the workspace: each that is stored between stages has a slot from what makes it to what reads it last;
 * one that a loop reads and that is made before it, to the loop's end. Tensors are placed the largest first, each in the
 * smallest slot that is free while it lives, else in a new one; largest at middling sizes, so a slot is as large as the
 * largest of its tensors turns out to be. Slots lie one behind
 * the other: where they start is computed by the run, since the sum of many sizes is no expression that anybody wants to
 * read. Sizes that only running tells are at their bounds.
 */
#include "base/error.h"
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

/* ---- slots ---- */

typedef struct placing {
    gali_program *p;
    const life *lives;
    gali_extent *size;        /* [tensor_count] */
    int64_t *typical;         /* [tensor_count] the same in numbers, to choose by */
    uint32_t *order, *member; /* [tensor_count] those that are placed, largest first; the next of a slot */
    uint32_t *first;          /* [slot_count] member of a slot: at typical sizes the largest */
    gali_extent *slot_size;   /* [slot_count] bytes, not yet aligned */
    uint32_t count;
    int by_size; /* the order: the largest first; else what is used first */
} placing;

static int64_t typical_of(const gali_program *p, gali_extent size) {
    const int64_t *symbols = p->typical ? p->typical : p->most;
    return gali_extent_value(p->graph->extents, size, symbols);
}

/* Whether the slot's members live at other times. */
static int is_free(const placing *g, uint32_t slot, uint32_t tensor) {
    const life *own = &g->lives[tensor];
    for (uint32_t m = g->first[slot]; m != GALI_NONE; m = g->member[m]) {
        if (g->lives[m].first <= own->last && own->first <= g->lives[m].last) {
            return 0;
        }
    }
    return 1;
}

/* The larger of two sizes, whatever the symbols are. */
static gali_extent larger(const gali_program *p, gali_extent a, gali_extent b) {
    int64_t least, most;
    gali_extent_range(p->graph->extents, gali_extent_sub(p->graph->extents, a, b), &least, &most);
    return a == b || least >= 0 ? a : most <= 0 ? b : gali_extent_most(p->graph->extents, a, b);
}

static int is_known(gali_extent size) {
    return size != GALI_EXTENT_UNKNOWN && size != GALI_EXTENT_BAD;
}

/* Bytes by which a slot is too large for, or would grow by, so many. */
static int64_t apart(const placing *g, uint32_t slot, int64_t size) {
    int64_t own = typical_of(g->p, g->p->slots[slot]);
    return own > size ? own - size : size - own;
}

static void place(placing *g, uint32_t tensor) {
    gali_program *p = g->p;
    gali_extents *x = p->graph->extents;
    uint32_t best = GALI_NONE;
    for (uint32_t s = 0; s < p->slot_count; s++) {
        int64_t own = g->typical[tensor];
        int nearer = best == GALI_NONE || apart(g, s, own) < apart(g, best, own);
        if (nearer && is_free(g, s, tensor) &&
            is_known(aligned(x, larger(p, g->slot_size[s], g->size[tensor])))) {
            best = s;
        }
    }
    if (best == GALI_NONE) {
        best = p->slot_count++;
        g->slot_size[best] = g->size[tensor];
        g->first[best] = tensor;
    } else {
        g->slot_size[best] = larger(p, g->slot_size[best], g->size[tensor]);
        g->member[tensor] = g->member[g->first[best]];
        g->member[g->first[best]] = tensor;
    }
    p->slots[best] = aligned(x, g->slot_size[best]);
    p->tensors[tensor].slot = best;
}

/* Bytes that live at once at most, at typical sizes: no plan needs less. */
static int64_t most_alive(const placing *g) {
    int64_t most = 0, *change = gali_arena_take(g->p->arena, (g->p->stage_count + 2) * sizeof *change), now = 0;
    for (uint32_t i = 0; change && i < g->count; i++) {
        const life *l = &g->lives[g->order[i]];
        change[l->first] += g->typical[g->order[i]];
        change[l->last + 1] -= g->typical[g->order[i]];
    }
    for (uint32_t i = 0; change && i < g->p->stage_count + 2; i++) {
        now += change[i];
        most = now > most ? now : most;
    }
    return most;
}

/* Whether a goes before b: the larger, or the one that is used first. */
static int is_before(const placing *g, uint32_t a, uint32_t b) {
    return g->by_size ? g->typical[a] >= g->typical[b] : g->lives[a].first <= g->lives[b].first;
}

/* Sorts g->order. */
static void sort(placing *g, uint32_t *room, uint32_t first, uint32_t end) {
    uint32_t middle = first + (end - first) / 2, a = first, b = middle;
    if (end - first < 2) {
        return;
    }
    sort(g, room, first, middle);
    sort(g, room, middle, end);
    for (uint32_t i = first; i < end; i++) {
        int left = b == end || (a < middle && is_before(g, g->order[a], g->order[b]));
        room[i] = left ? g->order[a++] : g->order[b++];
    }
    for (uint32_t i = first; i < end; i++) {
        g->order[i] = room[i];
    }
}

static void place_all(placing *g, uint32_t *room, int by_size) {
    gali_program *p = g->p;
    g->by_size = by_size;
    sort(g, room, 0, g->count);
    p->slot_count = 0;
    p->planned = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->member[g->order[i]] = GALI_NONE;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        place(g, g->order[i]);
    }
    for (uint32_t i = 0; i < p->slot_count; i++) {
        p->planned += typical_of(p, p->slots[i]);
    }
}

static gal_status measure(placing *g, gal_error *error) {
    gali_program *p = g->p;
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        gali_program_tensor *t = &p->tensors[i];
        int stored = t->role == GALI_TENSOR_MADE || t->role == GALI_TENSOR_KEPT;
        t->slot = GALI_NONE;
        g->member[i] = GALI_NONE;
        if (!stored || t->home != GALI_NONE || g->lives[i].first == GALI_NONE) {
            continue;
        }
        g->size[i] = bytes_of(p, &t->type);
        gali_extent room = aligned(p->graph->extents, g->size[i]);
        if (!is_known(room)) {
            return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": its size has too many terms", t->name);
        }
        g->typical[i] = typical_of(p, room);
        g->order[g->count++] = i;
    }
    return GAL_OK;
}

gal_status gali_program_place(gali_program *p, gal_error *error) {
    size_t count = p->tensor_count + 1u;
    placing g = {.p = p,
                 .lives = lives_of(p),
                 .size = gali_arena_take(p->arena, count * sizeof *g.size),
                 .typical = gali_arena_take(p->arena, count * sizeof *g.typical),
                 .order = gali_arena_take(p->arena, count * sizeof *g.order),
                 .member = gali_arena_take(p->arena, count * sizeof *g.member),
                 .first = gali_arena_take(p->arena, count * sizeof *g.first),
                 .slot_size = gali_arena_take(p->arena, count * sizeof *g.slot_size)};
    uint32_t *room = gali_arena_take(p->arena, count * sizeof *room);
    p->slots = gali_arena_take(p->arena, count * sizeof *p->slots);
    p->slot_count = 0;
    gal_status status = p->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory")
                                         : measure(&g, error);
    if (status == GAL_OK) {
        p->alive = most_alive(&g);
        place_all(&g, room, 0);
        int64_t by_use = p->planned;
        place_all(&g, room, 1);
        if (by_use < p->planned) {
            place_all(&g, room, 0);
        }
    }
    return status;
}
