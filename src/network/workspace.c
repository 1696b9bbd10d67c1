#include "network/workspace.h"

#include "base/memory.h"
#include "base/size.h"

/* Elements of each part that a character has: for what the whole takes and for where a part of it starts. */
typedef struct shares {
    size_t joined, slots, blend, prepared, narrow_plain, narrow_rows;
} shares;

/* A part is there where some layer runs in the way that writes it (run_layer.c), whatever that layer's size. */
static shares shares_of(const gal_network *network) {
    shares each = {.joined = network->joined, .slots = network->slots, .prepared = network->prepared};
    for (uint32_t i = 0; i < network->layer_count; i++) {
        const gali_packed_layer *layer = &network->layers[i];
        each.blend |= layer->form == GAL_FORM_BLEND;
        each.narrow_plain |= gali_precision_is_narrow(layer->precision) != 0;
    }
    each.narrow_rows = each.narrow_plain * each.slots;
    return each;
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
    const shares each = shares_of(network);
    size_t at = 0;
    for (uint32_t b = 0; b < network->wiring.buffer_count; b++) {
        parts->values[b] = take(memory, &at, capacity, network->wiring.width[b], sizeof(float));
    }
    parts->joined = take(memory, &at, capacity, each.joined, sizeof(float));
    parts->rows = take(memory, &at, capacity, each.slots, sizeof(gali_row));
    parts->plain = take(memory, &at, capacity, 1, sizeof(gali_row));
    parts->blend = take(memory, &at, capacity, each.blend, sizeof(gali_blend_row));
    parts->prepared = take(memory, &at, capacity, each.prepared, 1);
    parts->narrow_plain = take(memory, &at, capacity, each.narrow_plain, sizeof(gali_narrow_row));
    parts->narrow_rows = take(memory, &at, capacity, each.narrow_rows, sizeof(gali_narrow_row));
    parts->who = take(memory, &at, capacity, each.slots, sizeof(uint32_t));
    parts->expert = take(memory, &at, capacity, each.slots, sizeof(uint32_t));
    parts->weight = take(memory, &at, capacity, each.slots, sizeof(float));
    return at;
}

size_t gal_network_workspace_size(const gal_network *network, uint32_t capacity) {
    gali_workspace parts;
    size_t size = gali_workspace_carve(network, capacity, NULL, &parts);
    return size == GALI_SIZE_BAD ? 0 : size;
}

gali_workspace gali_workspace_part(const gal_network *network, const gali_workspace *whole, uint32_t first) {
    const shares each = shares_of(network);
    const size_t from = first;
    gali_workspace part = {
        .joined = whole->joined + from * each.joined,
        .rows = whole->rows + from * each.slots,
        .plain = whole->plain + from,
        .blend = whole->blend + from * each.blend,
        .prepared = whole->prepared + from * each.prepared,
        .narrow_plain = whole->narrow_plain + from * each.narrow_plain,
        .narrow_rows = whole->narrow_rows + from * each.narrow_rows,
        .who = whole->who + from * each.slots,
        .expert = whole->expert + from * each.slots,
        .weight = whole->weight + from * each.slots,
    };
    for (uint32_t b = 0; b < network->wiring.buffer_count; b++) {
        part.values[b] = whole->values[b] + (size_t)first * network->wiring.width[b];
    }
    return part;
}
