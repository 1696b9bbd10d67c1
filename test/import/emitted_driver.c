/*
 * Runs one emitted graph in a process of its own, on whatever machine that is: emitted_driver NUMBER IN OUT. IN has a count of
 * sizes and the sizes, a count of inputs and each one's bytes, a count of outputs, how many bytes each has room for and how many
 * of them are wanted; OUT gets what the call returned, the sizes and what is wanted of the outputs. Counts are uint32_t.
 * table.inc is made with the graphs: their functions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
    int (*call)(uint32_t *sizes, const void *const *inputs, void *const *outputs, const void *weights,
                void *workspace);
    size_t (*workspace)(const uint32_t *sizes);
    const unsigned char *const *weights;
} graph;

#include "table.inc"

enum { PORTS_MAX = 256 };

static uint32_t read_count(FILE *file) {
    uint32_t count = 0;
    if (fread(&count, sizeof count, 1, file) != 1) {
        exit(2);
    }
    return count;
}

static void *read_bytes(FILE *file, size_t size) {
    void *memory = malloc(size + 1);
    if (!memory || fread(memory, 1, size, file) != size) {
        exit(2);
    }
    return memory;
}

int main(int argc, char **argv) {
    FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL, *out = in ? fopen(argv[3], "wb") : NULL;
    void *inputs[PORTS_MAX], *outputs[PORTS_MAX];
    size_t wanted[PORTS_MAX];
    if (!out) {
        return 2;
    }
    const graph *g = &graphs[atoi(argv[1])];
    uint32_t size_count = read_count(in);
    uint32_t *sizes = read_bytes(in, size_count * sizeof *sizes);
    for (uint32_t i = 0, count = read_count(in); i < count; i++) {
        inputs[i] = read_bytes(in, read_count(in));
    }
    uint32_t output_count = read_count(in);
    for (uint32_t i = 0; i < output_count; i++) {
        outputs[i] = calloc((size_t)read_count(in) + 1, 1);
        wanted[i] = read_count(in);
    }
    size_t bytes = (g->workspace(sizes) + 127) / 64 * 64;
    void *workspace = aligned_alloc(64, bytes);
    memset(workspace, 0xa5, bytes);
    int32_t status = g->call(sizes, (const void *const *)inputs, outputs, *g->weights, workspace);
    fwrite(&status, sizeof status, 1, out);
    fwrite(sizes, sizeof *sizes, size_count, out);
    for (uint32_t i = 0; i < output_count; i++) {
        fwrite(outputs[i], 1, wanted[i], out);
    }
    return fclose(out) != 0;
}
