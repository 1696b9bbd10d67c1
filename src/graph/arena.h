/* Memory of one compilation: taken piece by piece, released together. A failure sticks, so that makers of large
 * things check once, at the end. */
#ifndef GALI_GRAPH_ARENA_H
#define GALI_GRAPH_ARENA_H

#include <stddef.h>

typedef struct gali_arena {
    struct gali_arena_block *last; /* zero-initialise */
    int failed;                    /* some piece was not to be had */
} gali_arena;

/* size zeroed bytes, aligned to 64, until the arena is released; NULL (and failed) if there are none. */
void *gali_arena_take(gali_arena *arena, size_t size);

/* A copy of size bytes of text, terminated. */
char *gali_arena_copy(gali_arena *arena, const char *text, size_t size);

/* Releases every piece; the arena may be used again. */
void gali_arena_release(gali_arena *arena);

#endif
