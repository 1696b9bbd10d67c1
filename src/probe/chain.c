#include "probe/chain.h"

#include <stdlib.h>

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* order[count]: 0 .. count - 1 in random order. */
static void shuffle(uint32_t *order, uint32_t count) {
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t k = (uint32_t)(next_random(&state) % (i + 1)), swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

uint32_t *gali_chain_make(size_t size, size_t block, size_t stride, size_t unit, size_t lanes) {
    uint32_t blocks = (uint32_t)(size / block), places = (uint32_t)(block / stride);
    uint32_t *order = malloc(blocks * sizeof *order);
    uint32_t *next = calloc(size / unit * lanes, sizeof *next);
    if (order && next) {
        shuffle(order, blocks);
        for (uint32_t i = 0; i < blocks; i++) {
            size_t at = order[i] * (block / unit), then = order[(i + 1) % blocks] * (block / unit);
            for (uint32_t k = 0; k < places; k++) {
                size_t from = at + k * (stride / unit);
                next[from * lanes] = (uint32_t)(k + 1 < places ? from + stride / unit : then);
            }
        }
    } else {
        free(next);
        next = NULL;
    }
    free(order);
    return next;
}
