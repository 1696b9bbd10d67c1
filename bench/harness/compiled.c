/* Emitted C: the network's model file goes through gal_compile for this machine. Like ours, a run starts from raw features
 * and phases. */
#define _XOPEN_SOURCE 700
#include "compiled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "built.h"
#include "ours.h"

enum { CHARACTERS_MOST = 1024, PATH_BYTES = 512 };

typedef struct compiled {
    const compiled_how *how;
    void *bytes; /* of the model file */
    size_t size;
    uint32_t capacity, count; /* count: of characters that it was compiled for; 0: any */
    void *workspace;
    built built;
} compiled;

static void die(const char *what, const char *message) {
    fprintf(stderr, "bench: %s: %s\n", what, message);
    exit(1);
}

/* The way's log, or "" where there are none. */
static const char *log_path(const compiled_how *how, char path[PATH_BYTES]) {
    const char *folder = getenv("GALLOP_BENCH_LOGS");
    snprintf(path, PATH_BYTES, folder ? "%s/tune-%s.jsonl" : "", folder, how->way);
    return path;
}

const char *compiled_unavailable(const engine *self) {
    const compiled_how *how = self->context;
    char path[PATH_BYTES];
    if (how->way && access(log_path(how, path), R_OK) != 0) {
        return "no log of gallop tune (--logs)";
    }
    return system("${CC:-cc} --version >/dev/null 2>&1") == 0 ? NULL : "no C compiler";
}

/* A row named after a search must not show the written schedules. */
static void check_logged(const gal_compiled *made) {
    uint32_t logged;
    if (gal_compiled_layers(made, &logged) != logged) {
        die("compiled", "the log lacks a layer of this network: gallop tune it for this count of characters");
    }
}

static void unload(compiled *c) {
    built_release(&c->built);
    bench_free(c->workspace);
    c->workspace = NULL;
}

/* count: 0 for any. */
static void load(compiled *c, uint32_t count) {
    char path[PATH_BYTES];
    gal_compile_desc desc = {.name = "net",
                             .target = c->how->target,
                             .least = count ? count : 1,
                             .most = count ? count : CHARACTERS_MOST,
                             .weights_blob = 1,
                             .form = c->how->blend ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT,
                             .plain_loops = !c->how->kernel,
                             .log = c->how->way ? log_path(c->how, path) : NULL};
    gal_compiled *made;
    gal_error error = {GAL_OK, ""};
    if (gal_compile(&made, c->bytes, c->size, &desc, &error) != GAL_OK) {
        die("gal_compile", error.message);
    }
    if (c->how->way) {
        check_logged(made);
    }
    unload(c);
    c->built = built_make(made);
    c->workspace = bench_alloc((size_t)c->capacity * c->built.workspace * sizeof(float));
    c->count = count;
    gal_compiled_free(made);
}

void *compiled_prepare(const engine *self, const bench_network *network, uint32_t capacity) {
    compiled *c = bench_alloc(sizeof *c);
    *c = (compiled){.how = self->context, .capacity = capacity};
    c->bytes = ours_bytes(network, &c->size);
    if (!c->how->way) {
        load(c, 0);
    }
    return c;
}

void compiled_ready(void *state, const bench_batch *batch) {
    compiled *c = state;
    if (c->how->way && c->count != batch->count) {
        load(c, batch->count);
    }
}

void compiled_run(void *state, const bench_batch *batch) {
    const compiled *c = state;
    const float *gate = batch->phase ? batch->phase : batch->blend;
    if (c->built.run(batch->count, batch->x_masked, gate, batch->y, c->built.weights, c->workspace) != 0) {
        die("net_run", "refused");
    }
}

void compiled_release(void *state) {
    compiled *c = state;
    unload(c);
    bench_free(c->bytes);
    bench_free(c);
}
