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

#include "ours.h"

const gal_compile_desc compiled_a_kernel = {.name = "net", .least = 1, .most = 1024, .weights_blob = 1};
const gal_compile_desc compiled_a = {
    .name = "net", .least = 1, .most = 1024, .weights_blob = 1, .plain_loops = 1};
const gal_compile_desc compiled_b = {
    .name = "net", .least = 1, .most = 1024, .weights_blob = 1, .form = GAL_FORM_BLEND};

typedef int net_run(uint32_t count, const float *x, const float *gate, float *y, const float *weights,
                    void *workspace);

typedef struct compiled {
    void *object, *workspace;
    float *weights;
    net_run *run;
    uint32_t floats; /* of the workspace, a character */
} compiled;

static void die(const char *what, const char *message) {
    fprintf(stderr, "bench: %s: %s\n", what, message);
    exit(1);
}

const char *compiled_unavailable(const engine *self) {
    (void)self;
    return system("${CC:-cc} --version >/dev/null 2>&1") == 0 ? NULL : "no C compiler";
}

static void write_part(const gal_compiled *made, gal_compiled_part part, const char *folder, const char *name) {
    char path[256];
    size_t size;
    const char *bytes = gal_compiled_bytes(made, part, &size);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        die(path, "cannot be written");
    }
}

/* The flags are in the source's head, behind "-ffp-contract=off". */
static void build(compiled *c, const gal_compiled *made) {
    char folder[] = "/tmp/gallop-bench-XXXXXX", line[1024];
    if (!mkdtemp(folder)) {
        die("compiled", "no temporary folder");
    }
    write_part(made, GAL_COMPILED_HEADER, folder, "net.h");
    write_part(made, GAL_COMPILED_SOURCE, folder, "net.c");
    snprintf(
        line, sizeof line,
        "cd %s && ${CC:-cc} -std=c11 -O3 -march=native -ffp-contract=off -shared -fPIC net.c -o net.so -lm",
        folder);
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
    size_t size;
    const char *at = strstr(gal_compiled_bytes(made, GAL_COMPILED_HEADER, &size), "NET_WORKSPACE = ");
    return at ? (uint32_t)strtoul(at + strlen("NET_WORKSPACE = "), NULL, 10) : 0;
}

void *compiled_prepare(const engine *self, const bench_network *network, uint32_t capacity) {
    compiled *c = bench_alloc(sizeof *c);
    size_t size;
    void *bytes = ours_bytes(network, &size);
    gal_compiled *made;
    gal_error error = {GAL_OK, ""};
    if (gal_compile(&made, bytes, size, self->context, &error) != GAL_OK) {
        die("gal_compile", error.message);
    }
    bench_free(bytes);
    build(c, made);
    const char *weights = gal_compiled_bytes(made, GAL_COMPILED_WEIGHTS, &size);
    c->weights = bench_alloc(size);
    memcpy(c->weights, weights, size);
    c->workspace = bench_alloc((size_t)capacity * workspace_of(made) * sizeof(float));
    gal_compiled_free(made);
    return c;
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
    dlclose(c->object);
    bench_free(c->weights);
    bench_free(c->workspace);
    bench_free(c);
}
