/* The raw network, without any controller: one run for three characters, each with its own phase. */
#include <stdio.h>
#include <stdlib.h>

#include <gallop/network.h>

static int run(const gal_network *network) {
    enum { COUNT = 3 };
    gal_network_info info = gal_network_get_info(network);
    size_t size = gal_network_workspace_size(network, COUNT);
    char *memory = malloc(size + 63); /* of which the workspace starts at a multiple of 64 */
    void *workspace = memory ? memory + (64 - (uintptr_t)memory % 64) % 64 : NULL;
    float *x = calloc((size_t)COUNT * info.inputs, sizeof *x);
    float *y = calloc((size_t)COUNT * info.outputs, sizeof *y);
    const float phase[COUNT] = {0, 1, 2};
    gal_network_batch batch = {.count = COUNT, .x = x, .phase = phase, .y = y};
    gal_error error = {.message = "no memory"};
    int good = workspace && x && y && gal_network_run(network, &batch, workspace, size, &error) == GAL_OK;
    if (!good) {
        fprintf(stderr, "%s\n", error.message);
    }
    for (uint32_t c = 0; good && c < COUNT; c++) {
        printf("phase %.0f: %g %g %g ...\n", (double)phase[c], (double)y[c * info.outputs],
               (double)y[c * info.outputs + 1], (double)y[c * info.outputs + 2]);
    }
    free(y);
    free(x);
    free(memory);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_network *network;
    if (gal_network_open(&network, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    gal_network_info info = gal_network_get_info(network);
    printf("%u inputs (%u live), %u outputs, %u layers of %u experts, %zu bytes, %s kernels\n", info.inputs,
           info.live_inputs, info.outputs, info.layers, info.experts, info.memory, gal_isa_name(info.isa));
    if (info.gate == GAL_GATE_CALLER) {
        fprintf(stderr, "this network wants a blend with each run; the sample has phases\n");
        gal_network_close(network);
        return 1;
    }
    int status = run(network);
    gal_network_close(network);
    return status;
}
