/*
 * Where tensors lie in the workspace: each that is stored between stages has a slot from what makes it to what reads it last;
 * one that a loop reads and that is made before it, to the loop's end. A slot that is free again goes to the next tensor that
 * fits: of the same size expression, or, among numbers, the smallest that is large enough. Slots lie one behind the other:
 * where they start is computed by the run, since the sum of many sizes is no expression that anybody wants to read. Sizes
 * that only running tells are at their bounds.
 */
#include "base/error.h"
#include "compiler/program/program.h"

enum { ALIGNMENT = 64 };

/* The stages that a tensor's memory is used from and to. */
typedef struct life {
    uint32_t first, last; /* first is GALI_NONE: never */
} life;

static gali_extent bytes_of(gali_program *p, const gali_type *type) {
    gali_extents *x = p->graph->extents;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    gali_extent lines =
        gali_extent_quotient(x, gali_extent_add(x, gali_program_bound(p, bytes, 1), ALIGNMENT - 1), ALIGNMENT);
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

/* The tensor's memory is used before or by `stage`, in the block. */
static void use(const gali_program *p, life *lives, uint32_t tensor, uint32_t stage, uint32_t block) {
    uint32_t root = root_of(p, tensor), own = p->tensors[root].block, last = stage;
    life *l = &lives[root];
    for (; block != GALI_NONE && !is_within(p, own, block); block = p->blocks[block].parent) {
        last = p->blocks[block].repeats && p->blocks[block].end > last ? p->blocks[block].end : last;
    }
    l->first = l->first == GALI_NONE || stage < l->first ? stage : l->first;
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

/* The free slot that a tensor of that size, made at `stage`, takes; GALI_NONE if there is none. */
static uint32_t free_slot(const gali_program *p, const uint32_t *until, gali_extent size, uint32_t stage) {
    uint32_t best = GALI_NONE;
    for (uint32_t i = 0; i < p->slot_count; i++) {
        gali_extent own = p->slots[i];
        int numbers =
            gali_extent_is_number(size) && gali_extent_is_number(own) && own >= size && own / 2 <= size;
        if (until[i] < stage && (own == size || numbers)) {
            best = best == GALI_NONE || (numbers && own < p->slots[best]) ? i : best;
        }
    }
    return best;
}

static gal_status place(gali_program *p, uint32_t *until, uint32_t tensor, const life *l, gal_error *error) {
    gali_program_tensor *t = &p->tensors[tensor];
    gali_extent size = bytes_of(p, &t->type);
    if (size == GALI_EXTENT_UNKNOWN || size == GALI_EXTENT_BAD) {
        return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": its size has too many terms", t->name);
    }
    t->slot = free_slot(p, until, size, l->first);
    if (t->slot == GALI_NONE) {
        t->slot = p->slot_count++;
        p->slots[t->slot] = size;
    }
    until[t->slot] = l->last;
    return GAL_OK;
}

/* Tensors that have a slot, by their first use: a list for each stage. */
static uint32_t *queue(gali_program *p, const life *lives, uint32_t *next) {
    uint32_t *first = gali_arena_take(p->arena, (p->stage_count + 2) * sizeof *first);
    for (uint32_t i = 0; first && i < p->stage_count + 2; i++) {
        first[i] = GALI_NONE;
    }
    for (uint32_t i = p->tensor_count; first && i-- > 0;) {
        const gali_program_tensor *t = &p->tensors[i];
        int stored = t->role == GALI_TENSOR_MADE || t->role == GALI_TENSOR_KEPT;
        if (stored && t->home == GALI_NONE && lives[i].first != GALI_NONE) {
            next[i] = first[lives[i].first];
            first[lives[i].first] = i;
        }
    }
    return first;
}

gal_status gali_program_place(gali_program *p, gal_error *error) {
    life *lives = lives_of(p);
    uint32_t *until = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *until); /* slots' last use */
    uint32_t *next = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *next);
    uint32_t *first = lives && next ? queue(p, lives, next) : NULL;
    p->slots = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *p->slots);
    p->slot_count = 0;
    gal_status status =
        until && first && p->slots ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory");
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        p->tensors[i].slot = GALI_NONE;
    }
    for (uint32_t i = 0; status == GAL_OK && i <= p->stage_count; i++) {
        for (uint32_t t = first[i]; status == GAL_OK && t != GALI_NONE; t = next[t]) {
            status = place(p, until, t, &lives[t], error);
        }
    }
    return status;
}
