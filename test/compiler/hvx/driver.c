/*
 * Runs an emitted controller, net.h, on bare Hexagon: from standard input, for each call, uint32 count, x[count][NET_INPUTS] and
 * gate[count][GATE]; to standard output y[count][NET_OUTPUTS]; at the end, to standard error, packets for a character.
 */
#include "bare.h"

#include "arithmetic.h"

#include "net.h"

enum { MOST = NET_CHARACTERS_MOST };

/* GATE 0: the network makes its gate itself. */
#if GATE
#define GIVEN gate,
#else
#define GIVEN
#endif

static float x[MOST * NET_INPUTS], gate[MOST * GATE + 1], y[MOST * NET_OUTPUTS];
static _Alignas(128) uint8_t workspace[NET_WORKSPACE];

int main(void) {
    uint32_t count, packets = 0, characters = 0;
    while (gali_system_read(0, &count, sizeof count) == sizeof count) {
        if (count > MOST || gali_system_read(0, x, count * sizeof x / MOST) != count * sizeof x / MOST ||
            gali_system_read(0, gate, count * GATE * sizeof *gate) != count * GATE * sizeof *gate) {
            return 2;
        }
        const uint32_t before = gali_system_packets();
        if (net_run(count, x, GIVEN y, workspace) != 0) {
            return 3;
        }
        packets += gali_system_packets() - before;
        characters += count;
        gali_system_write(1, y, count * sizeof y / MOST);
    }
    print_to(2, "%u packets for each of %u characters\n", characters ? packets / characters : 0, characters);
    return 0;
}
