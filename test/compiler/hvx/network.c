/*
 * Runs an emitted program of one input and one output, net.h, on bare Hexagon: from standard input again and again INPUT bytes, to
 * standard output OUTPUT bytes each; at the end, to standard error, packets of a run. A program that writes past its workspace
 * fails.
 */
#include "bare.h"

#include "arithmetic.h"

#include "net.h"

enum { BEHIND = 1 << 16, CANARY = 0xa5 };

static _Alignas(128) uint8_t input[INPUT], output[OUTPUT], workspace[1 << 24];

/* Nothing but canaries behind the workspace's end. */
static int is_kept(const uint8_t *end) {
    uint32_t i = 0;
    while (i < BEHIND && end[i] == CANARY) {
        i++;
    }
    return i == BEHIND;
}

int main(void) {
    uint32_t packets = 0, runs = 0;
    const void *const inputs[] = {input};
    void *const outputs[] = {output};
    const size_t size = net_call_workspace(NULL);
    if (size > sizeof workspace - BEHIND) {
        return 2;
    }
    memset(workspace + size, CANARY, BEHIND);
    for (; gali_system_read(0, input, sizeof input) == sizeof input; runs++) {
        const uint32_t before = gali_system_packets();
        if (net_call(NULL, inputs, outputs, net_weights, workspace) != 0) {
            return 3;
        }
        packets += gali_system_packets() - before;
        gali_system_write(1, output, sizeof output);
    }
    if (!is_kept(workspace + size)) {
        return 4;
    }
    print_to(2, "%u packets of each of %u runs\n", runs ? packets / runs : 0, runs);
    return 0;
}
