#include "import/onnx/scope.h"

#include <string.h>

typedef struct gali_scope_entry {
    const char *name;
    uint32_t value;
    struct gali_scope_entry *next;
} gali_scope_entry;

static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

int gali_scope_open(gali_scope *s, gali_scope *outer, gali_graph *graph, gali_arena *arena, size_t names) {
    *s = (gali_scope){.outer = outer, .graph = graph, .arena = arena, .bucket_count = 64};
    while (s->bucket_count < names && s->bucket_count < 1u << 18) {
        s->bucket_count *= 2;
    }
    s->buckets = graph ? gali_arena_take(arena, s->bucket_count * sizeof *s->buckets) : NULL;
    return s->buckets != NULL;
}

uint32_t gali_scope_find_here(const gali_scope *s, const char *name) {
    for (const gali_scope_entry *e = s->buckets[hash_of(name) % s->bucket_count]; e; e = e->next) {
        if (strcmp(e->name, name) == 0) {
            return e->value;
        }
    }
    return GALI_NONE;
}

int gali_scope_add(gali_scope *s, const char *name, uint32_t value) {
    gali_scope_entry *e = gali_arena_take(s->arena, sizeof *e);
    if (!e || value == GALI_NONE) {
        return 0;
    }
    gali_scope_entry **bucket = &s->buckets[hash_of(name) % s->bucket_count];
    *e = (gali_scope_entry){name, value, *bucket};
    *bucket = e;
    return 1;
}

/* Room for one more value that the node will hand in; 0 without memory. */
static int grow(gali_scope *s) {
    uint32_t more = s->capture_capacity ? 2 * s->capture_capacity : 8;
    uint32_t *captured = gali_arena_take(s->arena, more * sizeof *captured);
    uint32_t *inside = gali_arena_take(s->arena, more * sizeof *inside);
    if (!captured || !inside) {
        return 0;
    }
    if (s->capture_count) {
        memcpy(captured, s->captured, s->capture_count * sizeof *captured);
        memcpy(inside, s->inner, s->capture_count * sizeof *inside);
    }
    s->captured = captured;
    s->inner = inside;
    s->capture_capacity = more;
    return 1;
}

/* A value of the outer graph as one of this: constants as they are, others as an input that the node will hand in. */
static uint32_t capture(gali_scope *s, const char *name, uint32_t outer) {
    const gali_value *from = &s->outer->graph->values[outer];
    uint32_t inner = from->data ? gali_graph_constant(s->graph, name, &from->type, from->data)
                                : gali_graph_value(s->graph, name, &(gali_type){.rank = -1});
    if (inner == GALI_NONE || !gali_scope_add(s, name, inner)) {
        return GALI_NONE;
    }
    if (!from->data) {
        if (s->capture_count == s->capture_capacity && !grow(s)) {
            return GALI_NONE;
        }
        s->captured[s->capture_count] = outer;
        s->inner[s->capture_count++] = inner;
    }
    return inner;
}

uint32_t gali_scope_find(gali_scope *s, const char *name) {
    uint32_t value = gali_scope_find_here(s, name);
    if (value != GALI_NONE || !s->outer) {
        return value;
    }
    uint32_t outer = gali_scope_find(s->outer, name);
    return outer == GALI_NONE ? GALI_NONE : capture(s, name, outer);
}

const gali_onnx_sequence *gali_scope_find_sequence(const gali_scope *s, const char *name) {
    const gali_onnx_sequence *found = NULL;
    for (; s && name[0] && !found; s = s->outer) {
        found = gali_onnx_sequence_find(s->sequences, name);
    }
    return found;
}
