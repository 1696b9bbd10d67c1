#include "recognise/allowance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gali_allowance_chunk {
    gali_allowance_chunk *next;
    size_t size, used;
};

enum { CHUNK_SIZE = 1 << 18, CHUNK_HEADER = (sizeof(gali_allowance_chunk) + 15) / 16 * 16 };

int gali_allowance_fail(gali_allowance *allowance, gal_status status, const char *format, ...) {
    char text[sizeof allowance->error->message];
    if (allowance->status != GAL_OK) {
        return 0;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    allowance->status = gali_fail(allowance->error, status, "%s", text);
    return 0;
}

static gali_allowance_chunk *add_chunk(gali_allowance *allowance, size_t size) {
    size_t whole = CHUNK_HEADER + (size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE);
    gali_allowance_chunk *chunk = whole > allowance->memory_left ? NULL : calloc(1, whole);
    if (!chunk) {
        return NULL;
    }
    chunk->size = whole - CHUNK_HEADER;
    allowance->memory_left -= whole;
    if (allowance->chunks && size > CHUNK_SIZE / 4) { /* the open one stays first */
        chunk->next = allowance->chunks->next;
        allowance->chunks->next = chunk;
    } else {
        chunk->next = allowance->chunks;
        allowance->chunks = chunk;
    }
    return chunk;
}

void *gali_allowance_take(gali_allowance *allowance, size_t size) {
    gali_allowance_chunk *chunk = allowance->chunks;
    if (size > SIZE_MAX / 2) {
        gali_allowance_fail(allowance, GAL_BAD_DATA, "the graph asks for too much memory");
        return NULL;
    }
    size = (size + 15) / 16 * 16;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = add_chunk(allowance, size);
    }
    if (!chunk) {
        gali_allowance_fail(allowance, GAL_NO_MEMORY,
                            "the graph asks for more memory than a file of its size may");
        return NULL;
    }
    void *taken = (char *)chunk + CHUNK_HEADER + chunk->used;
    chunk->used += size;
    return taken;
}

void gali_allowance_release(gali_allowance *allowance) {
    while (allowance->chunks) {
        gali_allowance_chunk *next = allowance->chunks->next;
        free(allowance->chunks);
        allowance->chunks = next;
    }
}

int gali_allowance_work(gali_allowance *allowance, double multiplications) {
    allowance->work_left -= multiplications;
    return allowance->work_left >= 0 ||
           gali_allowance_fail(allowance, GAL_BAD_DATA,
                               "the graph asks for more arithmetic than a file of its size may");
}

int gali_allowance_spend(gali_allowance *allowance, size_t size) {
    if (size > allowance->memory_left) {
        return gali_allowance_fail(allowance, GAL_NO_MEMORY,
                                   "the graph asks for more memory than a file of its size may");
    }
    allowance->memory_left -= size;
    return 1;
}
