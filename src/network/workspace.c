#include "network/workspace.h"

#include "base/memory.h"
#include "base/size.h"

/* Whether any layer runs in the blend form. */
static size_t uses_blend(const gal_network *network) {
    size_t any = 0;
    for (uint32_t i = 0; i < network->layer_count; i++) {
        any |= network->layers[i].form == GAL_FORM_BLEND;
    }
    return any;
}

/* The next count * width elements of some bytes each; NULL where there is no memory. */
static void *take(unsigned char *memory, size_t *at, size_t count, size_t width, size_t bytes) {
    size_t start = *at;
    size_t size = gali_size_mul(gali_size_mul(count, width), bytes);
    *at = gali_size_align(gali_size_add(start, size), GALI_ALIGNMENT);
    return memory && *at != GALI_SIZE_BAD ? memory + start : NULL;
}

size_t gali_workspace_carve(const gal_network *network, uint32_t capacity, unsigned char *memory,
                            gali_workspace *parts) {
    size_t at = 0, slots = network->slots;
    for (uint32_t b = 0; b < network->wiring.buffer_count; b++) {
        parts->values[b] = take(memory, &at, capacity, network->wiring.width[b], sizeof(float));
    }
    parts->joined = take(memory, &at, capacity, network->joined, sizeof(float));
    parts->rows = take(memory, &at, capacity, slots, sizeof(gali_row));
    parts->plain = take(memory, &at, capacity, 1, sizeof(gali_row));
    parts->blend = take(memory, &at, capacity, uses_blend(network), sizeof(gali_blend_row));
    size_t narrow = network->prepared > 0;
    parts->prepared = take(memory, &at, capacity, network->prepared, 1);
    parts->narrow_plain = take(memory, &at, capacity, narrow, sizeof(gali_narrow_row));
    parts->narrow_rows = take(memory, &at, capacity, narrow * slots, sizeof(gali_narrow_row));
    parts->who = take(memory, &at, capacity, slots, sizeof(uint32_t));
    parts->expert = take(memory, &at, capacity, slots, sizeof(uint32_t));
    parts->weight = take(memory, &at, capacity, slots, sizeof(float));
    return at;
}

size_t gal_network_workspace_size(const gal_network *network, uint32_t capacity) {
    gali_workspace parts;
    size_t size = gali_workspace_carve(network, capacity, NULL, &parts);
    return size == GALI_SIZE_BAD ? 0 : size;
}

gali_workspace gali_workspace_part(const gal_network *network, const gali_workspace *whole, uint32_t first) {
    size_t slot = (size_t)first * network->slots;
    gali_workspace part = {
        .joined = whole->joined + (size_t)first * network->joined,
        .rows = whole->rows + slot,
        .plain = whole->plain + first,
        .blend = whole->blend + first * uses_blend(network),
        .prepared = whole->prepared + (size_t)first * network->prepared,
        .narrow_plain = whole->narrow_plain + (network->prepared ? first : 0),
        .narrow_rows = whole->narrow_rows + (network->prepared ? slot : 0),
        .who = whole->who + slot,
        .expert = whole->expert + slot,
        .weight = whole->weight + slot,
    };
    for (uint32_t b = 0; b < network->wiring.buffer_count; b++) {
        part.values[b] = whole->values[b] + (size_t)first * network->wiring.width[b];
    }
    return part;
}
