#include "onnx/sizes.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* size bytes of text as one of the list, if they are one. */
static int read_size(gali_arena *arena, const char *text, size_t size, gali_onnx_size *out) {
    char *copy = gali_arena_copy(arena, text, size), *equals = copy ? strrchr(copy, '=') : NULL;
    char end;
    unsigned least, most;
    if (!equals || equals == copy || equals[1] < '0' || equals[1] > '9') {
        return 0;
    }
    *equals = 0;
    int count = sscanf(equals + 1, "%9u..%9u%c", &least, &most, &end);
    if (count != 2) {
        count = sscanf(equals + 1, "%9u%c", &least, &end) == 1 ? 2 : 0;
        most = least;
    }
    *out = (gali_onnx_size){copy, least, most};
    return count == 2 && least > 0 && least <= most && most <= GALI_SIZE_LARGEST;
}

static int is_told(const gali_onnx_sizes *sizes, const char *name) {
    int told = 0;
    for (uint32_t i = 0; i < sizes->count; i++) {
        told |= strcmp(sizes->list[i].name, name) == 0;
    }
    return told;
}

gal_status gali_onnx_sizes_read(gali_onnx_sizes *sizes, gali_arena *arena, const char *text, gal_error *error) {
    gali_onnx_size *list = gali_arena_take(arena, (strlen(text) / 2 + 1) * sizeof *list);
    *sizes = (gali_onnx_sizes){list, 0};
    for (const char *at = text; list && *at;) {
        size_t size = strcspn(at, ",");
        gali_onnx_size *next = &list[sizes->count];
        if (!read_size(arena, at, size, next)) {
            return gali_fail(error, GAL_BAD_ARGUMENT,
                             "--sizes %.*s: expected NAME=N or NAME=LEAST..MOST, from 1 to %d",
                             (int)(size < 100 ? size : 100), at, GALI_SIZE_LARGEST);
        }
        if (is_told(sizes, next->name)) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "--sizes: \"%.80s\" is told twice", next->name);
        }
        sizes->count++;
        at += size + (at[size] == ',');
    }
    return list ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for sizes");
}
