/*
 * Where tensors lie in the workspace: each that is stored between stages has a slot from the stage that makes it to the
 * last that reads it. A slot that is free again goes to the next tensor that fits: of the same size expression, or, among
 * numbers, the smallest that is large enough. Slots lie one behind the other: where they start is computed by the run, since
 * the sum of many sizes is no expression that anybody wants to read.
 */
#include "base/error.h"
#include "compiler/program/program.h"

enum { ALIGNMENT = 64 };

static gali_extent bytes_of(gali_program *p, const gali_type *type) {
    gali_extents *x = p->graph->extents;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    gali_extent lines = gali_extent_quotient(x, gali_extent_add(x, bytes, ALIGNMENT - 1), ALIGNMENT);
    return gali_extent_mul(x, lines, ALIGNMENT);
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

gal_status gali_program_place(gali_program *p, gal_error *error) {
    uint32_t *until =
        gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *until); /* the last stage that reads it */
    p->slots = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *p->slots);
    p->slot_count = 0;
    if (!until || !p->slots) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory");
    }
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        p->tensors[i].slot = GALI_NONE;
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        gali_program_tensor *t = &p->tensors[p->stages[i].tensor];
        if (p->stages[i].gone || t->role != GALI_TENSOR_MADE) {
            continue;
        }
        gali_extent size = bytes_of(p, &t->type);
        if (size == GALI_EXTENT_UNKNOWN || size == GALI_EXTENT_BAD) {
            return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": its size has too many terms", t->name);
        }
        t->slot = free_slot(p, until, size, i);
        if (t->slot == GALI_NONE) {
            t->slot = p->slot_count++;
            p->slots[t->slot] = size;
        }
        until[t->slot] = t->last;
    }
    return GAL_OK;
}
