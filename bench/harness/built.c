/* As the module's header tells, in a folder of its own. */
#define _XOPEN_SOURCE 700
#include "built.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../peers/peer.h"

enum { PATH_BYTES = 512 };

static void die(const char *what, const char *message) {
    fprintf(stderr, "bench: %s: %s\n", what, message);
    exit(1);
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

static void load_object(built *b, const gal_compiled *made) {
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
    b->object = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    void *symbol = b->object ? dlsym(b->object, "net_run") : NULL;
    if (!symbol) {
        die("compiled", "the built object does not load");
    }
    memcpy(&b->run, &symbol, sizeof symbol); /* POSIX: a pointer to an object that is one to a function */
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

built built_make(const gal_compiled *made) {
    built b = {.workspace = workspace_of(made)};
    size_t size;
    const char *weights = gal_compiled_bytes(made, GAL_COMPILED_WEIGHTS, &size);
    load_object(&b, made);
    b.weights = bench_alloc(size);
    memcpy(b.weights, weights, size);
    return b;
}

void built_release(built *b) {
    if (b->object) {
        dlclose(b->object);
    }
    bench_free(b->weights);
    *b = (built){0};
}
