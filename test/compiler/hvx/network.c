/*
 * Runs an emitted program of one input and one output, net.h, on bare Hexagon: from standard input again and again INPUT bytes, to
 * standard output OUTPUT bytes each; at the end, to standard error, packets of a run.
 */
#include "bare.h"

#include "arithmetic.h"

#include "net.h"

static _Alignas(128) uint8_t input[INPUT], output[OUTPUT], workspace[1 << 24];

int main(void) {
    uint32_t packets = 0, runs = 0;
    const void *const inputs[] = {input};
    void *const outputs[] = {output};
    if (net_call_workspace(NULL) > sizeof workspace) {
        return 2;
    }
    for (; gali_system_read(0, input, sizeof input) == sizeof input; runs++) {
        const uint32_t before = gali_system_packets();
        if (net_call(NULL, inputs, outputs, net_weights, workspace) != 0) {
            return 3;
        }
        packets += gali_system_packets() - before;
        gali_system_write(1, output, sizeof output);
    }
    print_to(2, "%u packets of each of %u runs\n", runs ? packets / runs : 0, runs);
    return 0;
}
