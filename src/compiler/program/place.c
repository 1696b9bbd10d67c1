/*
 * Where tensors lie in the workspace: each that is stored between stages has a slot from the stage that makes it to the
 * last that reads it. A slot that is free again goes to the next tensor that fits: of the same size expression, or, among
 * numbers, the smallest that is large enough. The workspace is the sum of the slots, an expression of the symbols.
 */
#include "base/error.h"
#include "compiler/program/program.h"

enum { ALIGNMENT = 64 };

typedef struct slot {
    gali_extent size, offset;
    uint32_t until; /* the last stage that reads its tensor */
} slot;

static gali_extent bytes_of(gali_program *p, const gali_type *type) {
    gali_extents *x = p->graph->extents;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    gali_extent lines = gali_extent_quotient(x, gali_extent_add(x, bytes, ALIGNMENT - 1), ALIGNMENT);
    return gali_extent_mul(x, lines, ALIGNMENT);
}

/* The free slot that a tensor of that size, made at `stage`, takes; NULL if there is none. */
static slot *free_slot(slot *slots, uint32_t count, gali_extent size, uint32_t stage) {
    slot *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        slot *s = &slots[i];
        int numbers = gali_extent_is_number(size) && gali_extent_is_number(s->size) && s->size >= size;
        if (s->until < stage && (s->size == size || (numbers && s->size / 2 <= size))) {
            best = !best || (numbers && s->size < best->size) ? s : best;
        }
    }
    return best;
}

gal_status gali_program_place(gali_program *p, gal_error *error) {
    gali_extents *x = p->graph->extents;
    slot *slots = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *slots);
    uint32_t count = 0;
    p->workspace = 0;
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        p->tensors[i].offset = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; slots && i < p->stage_count; i++) {
        gali_program_tensor *t = &p->tensors[p->stages[i].tensor];
        if (p->stages[i].gone || t->role != GALI_TENSOR_MADE) {
            continue;
        }
        gali_extent size = bytes_of(p, &t->type);
        slot *s = free_slot(slots, count, size, i);
        if (!s) {
            s = &slots[count++];
            *s = (slot){.size = size, .offset = p->workspace};
            p->workspace = gali_extent_add(x, p->workspace, size);
        }
        s->until = t->last;
        t->offset = s->offset;
        if (t->offset == GALI_EXTENT_UNKNOWN || t->offset == GALI_EXTENT_BAD) {
            return gali_fail(error, GAL_UNSUPPORTED, "value \"%.100s\": too many sizes for a plan of memory",
                             t->name);
        }
    }
    return slots ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for a plan of memory");
}
