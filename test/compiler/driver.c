/*
 * Runs an emitted module, net.h, over recorded calls: net_driver CALLS WEIGHTS writes the outputs to standard output.
 * CALLS is, for each call, uint32 count, x[count][NET_INPUTS], gate[count][GATE], as this machine lays them out. Built
 * by test_emit.c for each target, with GATE as its gate wants it (0: none).
 */
#include <stdio.h>
#include <stdlib.h>

#include "net.h"

static float *read_floats(FILE *file, size_t count) {
    float *values = malloc((count ? count : 1) * sizeof *values);
    return values && fread(values, sizeof *values, count, file) == count ? values : NULL;
}

int main(int argc, char **argv) {
    FILE *calls = argc > 2 ? fopen(argv[1], "rb") : NULL, *file = calls ? fopen(argv[2], "rb") : NULL;
    float *weights = file ? read_floats(file, NET_WEIGHTS) : NULL;
    uint32_t count;
    if (!weights) {
        return 1;
    }
    while (fread(&count, sizeof count, 1, calls) == 1) {
        float *x = read_floats(calls, (size_t)count * NET_INPUTS),
              *gate = read_floats(calls, (size_t)count * GATE);
        float *y = malloc(((size_t)count * NET_OUTPUTS + 1) * sizeof *y);
        float *workspace = malloc(((size_t)count * NET_WORKSPACE + 1) * sizeof *workspace);
        if (!x || !gate || !y || !workspace) {
            return 1;
        }
        y[(size_t)count * NET_OUTPUTS] = 42;
        workspace[(size_t)count * NET_WORKSPACE] = 42;
#if GATE
        int failed = net_run(count, x, gate, y, weights, workspace);
#else
        int failed = net_run(count, x, y, weights, workspace);
#endif
        if (failed || y[(size_t)count * NET_OUTPUTS] < 42 || workspace[(size_t)count * NET_WORKSPACE] < 42) {
            return 2;
        }
        fwrite(y, sizeof *y, (size_t)count * NET_OUTPUTS, stdout);
        free(x);
        free(gate);
        free(y);
        free(workspace);
    }
    return fclose(file) | fclose(calls) ? 1 : 0;
}
