#include "compiler/packer/words.h"

#include <string.h>

/*
 * Whether it may share a word with another of its packet (a duplex): the short forms of loads, stores, sums, extensions and
 * constants have r0 to r7, r16 to r23, r29 and r31 alone, and small numbers. is_folded: its offset may still change.
 */
static int may_share_word(const gali_instruction *it, int is_folded) {
    static const uint64_t others = 0x5f00ff00;
    static const char *const words[] = {"add(", "and(", "sxt", "zxt", "combine(", "cmp.eq(", "#", "r"};
    if (it->is_vector || it->unit == GALI_PACKER_loop || ((it->reads.scalar | it->writes.scalar) & others)) {
        return 0;
    }
    if (it->is_load || it->is_store) {
        const int is_near = it->offset >= 0 && it->offset < (it->base == 29 ? 256 : 64);
        return it->address == GALI_PACKER_ADDRESS_OFFSET && (is_folded || is_near);
    }
    if (it->step_register != GALI_PACKER_NO_REGISTER) {
        return it->step >= -64 && it->step < 64;
    }
    const char *equals = it->is_jump ? NULL : gali_find_equals(it->text, strlen(it->text));
    int found = !equals;
    for (size_t i = 0; equals && i < sizeof words / sizeof words[0]; i++) {
        found |= strncmp(equals + 2, words[i], strlen(words[i])) == 0;
    }
    return found;
}

static int is_in(const gali_block_graph *graph, const gali_packing *packing, uint32_t packet, uint32_t i) {
    return (packing ? packing->packet[i] : graph->instructions[i]->found_at) == packet;
}

static int32_t packet_words(const gali_block_graph *graph, const gali_packing *packing, uint32_t packet) {
    int32_t words = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        words += is_in(graph, packing, packet, i) ? graph->instructions[i]->words : 0;
    }
    return words;
}

int32_t gali_count_words(const gali_block_graph *graph, const gali_packing *packing, uint32_t packets,
                         int32_t least) {
    int32_t words = 0;
    for (uint32_t p = 0; p < packets; p++) {
        const int32_t own = packet_words(graph, packing, p);
        uint32_t sharing = 0;
        for (uint32_t i = 0; i < graph->count; i++) {
            const int is_folded = packing && graph->is_folded[i];
            sharing += is_in(graph, packing, p, i) && may_share_word(graph->instructions[i], is_folded);
        }
        if (sharing > 1) {
            return -1;
        }
        words += p == 0 && own < least ? least : own;
    }
    return words;
}

int32_t gali_packet_room(const gali_block_graph *graph, const gali_packing *packing, uint32_t packet) {
    for (uint32_t i = 0; i < graph->count; i++) {
        const gali_packer_unit unit = graph->instructions[i]->unit;
        if (packing->packet[i] == packet &&
            (unit == GALI_PACKER_vector_load_unaligned || unit == GALI_PACKER_vector_store_unaligned)) {
            return 0; /* it keeps a slot empty */
        }
    }
    return GALI_PACKET_MAX - packet_words(graph, packing, packet);
}
