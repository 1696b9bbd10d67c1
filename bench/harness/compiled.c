/*
 * Emitted C. The network's model file goes through gal_compile for this machine, the C compiler of the environment (CC,
 * else cc) makes a shared object of it in a folder of its own, which is gone once it is loaded. Like ours, a run starts
 * from raw features and phases.
 */
#define _XOPEN_SOURCE 700
#include "compiled.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gallop/compiler.h"
#include "ours.h"

enum { CHARACTERS_MOST = 1024, PATH_BYTES = 512 };

typedef int net_run(uint32_t count, const float *x, const float *gate, float *y, const float *weights,
                    void *workspace);

typedef struct compiled {
    const compiled_how *how;
    void *bytes; /* of the model file */
    size_t size;
    uint32_t capacity, count; /* count: of characters that it was compiled for; 0: any */
    void *object, *workspace;
    float *weights;
    net_run *run;
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

static const char *part_of(const gal_compiled *made, gal_compiled_part part) {
    size_t size;
    return gal_compiled_bytes(made, part, &size);
}

static void write_part(const gal_compiled *made, gal_compiled_part part, const char *folder, const char *name) {
    char path[PATH_BYTES];
    size_t size;
    const char *bytes = gal_compiled_bytes(made, part, &size);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        die(path, "cannot be written");
    }
}

/* The flags that the header tells to build with: between "cc" and "-c". */
static void flags_of(const gal_compiled *made, char flags[PATH_BYTES]) {
    const char *header = part_of(made, GAL_COMPILED_HEADER), *from = strstr(header, "     cc ");
    const char *to = from ? strstr(from, " -c ") : NULL;
    if (!to) {
        die("compiled", "the header tells no flags");
    }
    snprintf(flags, PATH_BYTES, "%.*s", (int)(to - from - 8), from + 8);
}

static void build(compiled *c, const gal_compiled *made) {
    char folder[] = "/tmp/gallop-bench-XXXXXX", line[3 * PATH_BYTES], flags[PATH_BYTES];
    if (!mkdtemp(folder)) {
        die("compiled", "no temporary folder");
    }
    write_part(made, GAL_COMPILED_HEADER, folder, "net.h");
    write_part(made, GAL_COMPILED_SOURCE, folder, "net.c");
    flags_of(made, flags);
    snprintf(line, sizeof line, "cd %s && ${CC:-cc} %s -shared -fPIC net.c -o net.so -lm", folder, flags);
    if (system(line) != 0) {
        die("compiled", "the emitted C does not build");
    }
    snprintf(line, sizeof line, "%s/net.so", folder);
    c->object = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    void *symbol = c->object ? dlsym(c->object, "net_run") : NULL;
    if (!symbol) {
        die("compiled", "the built object does not load");
    }
    memcpy(&c->run, &symbol, sizeof symbol); /* POSIX: a pointer to an object that is one to a function */
    snprintf(line, sizeof line, "rm -r %s", folder);
    if (system(line) != 0) {
        die(folder, "cannot be removed");
    }
}

/* GALI_WORKSPACE of the header: "NET_WORKSPACE = N". */
static uint32_t workspace_of(const gal_compiled *made) {
    const char *at = strstr(part_of(made, GAL_COMPILED_HEADER), "NET_WORKSPACE = ");
    return at ? (uint32_t)strtoul(at + strlen("NET_WORKSPACE = "), NULL, 10) : 0;
}

/* A row named after a search must not show the written schedules. */
static void check_logged(const gal_compiled *made) {
    uint32_t logged;
    if (gal_compiled_layers(made, &logged) != logged) {
        die("compiled", "the log lacks a layer of this network: gallop tune it for this count of characters");
    }
}

static void unload(compiled *c) {
    if (c->object) {
        dlclose(c->object);
    }
    bench_free(c->weights);
    bench_free(c->workspace);
    c->object = c->workspace = c->weights = NULL;
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
    size_t size;
    if (gal_compile(&made, c->bytes, c->size, &desc, &error) != GAL_OK) {
        die("gal_compile", error.message);
    }
    if (c->how->way) {
        check_logged(made);
    }
    unload(c);
    build(c, made);
    const char *weights = gal_compiled_bytes(made, GAL_COMPILED_WEIGHTS, &size);
    c->weights = bench_alloc(size);
    memcpy(c->weights, weights, size);
    c->workspace = bench_alloc((size_t)c->capacity * workspace_of(made) * sizeof(float));
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
    if (c->run(batch->count, batch->x_masked, gate, batch->y, c->weights, c->workspace) != 0) {
        die("net_run", "refused");
    }
}

void compiled_release(void *state) {
    compiled *c = state;
    unload(c);
    bench_free(c->bytes);
    bench_free(c);
}
