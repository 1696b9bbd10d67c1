#include "onnx/sizes.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* "N" or "LEAST..MOST" at *at, which is moved past it. */
static int read_part(const char **at, int64_t part[2]) {
    unsigned least, most;
    int end = 0;
    if (**at < '0' || **at > '9' || sscanf(*at, "%9u%n", &least, &end) != 1) {
        return 0;
    }
    *at += end;
    most = least;
    if (strncmp(*at, "..", 2) == 0) {
        if ((*at)[2] < '0' || (*at)[2] > '9' || sscanf(*at + 2, "%9u%n", &most, &end) != 1) {
            return 0;
        }
        *at += 2 + end;
    }
    part[0] = least;
    part[1] = most;
    return least > 0 && least <= most && most <= GALI_SIZE_LARGEST;
}

/* size bytes of text as one of the list, if they are one. */
static int read_size(gali_arena *arena, const char *text, size_t size, gali_onnx_size *out) {
    char *copy = gali_arena_copy(arena, text, size), *equals = copy ? strrchr(copy, '=') : NULL;
    if (!equals || equals == copy) {
        return 0;
    }
    *equals = 0;
    *out = (gali_onnx_size){.name = copy};
    const char *at = equals;
    do {
        uint32_t count = out->part_count++;
        at++;
        if (count == GALI_ONNX_PARTS_MAX || !read_part(&at, out->parts[count]) ||
            (count && out->parts[count][0] != out->parts[count - 1][1] + 1)) {
            return 0;
        }
    } while (*at == '+');
    out->least = out->parts[0][0];
    out->most = out->parts[out->part_count - 1][1];
    return *at == 0;
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
                             "--sizes %.*s: expected NAME=N or NAME=LEAST..MOST, from 1 to %d, or up to %d of "
                             "them joined by + "
                             "without gaps, as 1..8+9..64",
                             (int)(size < 100 ? size : 100), at, GALI_SIZE_LARGEST, GALI_ONNX_PARTS_MAX);
        }
        if (is_told(sizes, next->name)) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "--sizes: \"%.80s\" is told twice", next->name);
        }
        sizes->count++;
        at += size + (at[size] == ',');
    }
    return list ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for sizes");
}
