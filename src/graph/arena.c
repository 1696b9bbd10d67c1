#include "graph/arena.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"

enum { BLOCK = 1 << 16 };

/* Head of a block; its bytes follow, aligned. */
struct gali_arena_block {
    struct gali_arena_block *before;
    size_t size, used; /* bytes, the head's included */
};

static int add_block(gali_arena *arena, size_t size) {
    size_t whole = gali_size_add(size, GALI_ALIGNMENT);
    whole = whole < BLOCK ? BLOCK : whole;
    struct gali_arena_block *block = gali_allocate(NULL, whole);
    if (!block) {
        arena->failed = 1;
        return 0;
    }
    *block = (struct gali_arena_block){.before = arena->last, .size = whole, .used = GALI_ALIGNMENT};
    arena->last = block;
    return 1;
}

void *gali_arena_take(gali_arena *arena, size_t size) {
    size = gali_size_align(size, GALI_ALIGNMENT);
    struct gali_arena_block *block = arena->last;
    if ((!block || size > block->size - block->used) && !add_block(arena, size)) {
        return NULL;
    }
    block = arena->last;
    void *piece = (unsigned char *)block + block->used;
    block->used += size;
    return memset(piece, 0, size);
}

char *gali_arena_copy(gali_arena *arena, const char *text, size_t size) {
    char *copy = gali_arena_take(arena, gali_size_add(size, 1));
    return copy ? memcpy(copy, text, size) : NULL;
}

void gali_arena_release(gali_arena *arena) {
    for (struct gali_arena_block *block = arena->last; block;) {
        struct gali_arena_block *before = block->before;
        gali_release(NULL, block, block->size);
        block = before;
    }
    *arena = (gali_arena){0};
}
