/* Each instruction is tried in each slot and on each set of HVX units that can take it. */
#include "compiler/packer/packet.h"

/* The units that vector instructions compute on, a bit each. */
enum { MULTIPLY_0 = 1, MULTIPLY_1 = 2, SHIFT_UNIT = 4, PERMUTE_UNIT = 8 };

typedef enum vector_use {
    USE_NONE,
    USE_ANY,           /* one unit of the four */
    USE_MULTIPLY,      /* one multiplier */
    USE_MULTIPLY_BOTH, /* both */
    USE_PAIR,          /* both multipliers, or shift and permute */
    USE_SHIFT,
    USE_PERMUTE,
    USE_SHIFT_PERMUTE,
    USE_COUNT
} vector_use;

static const uint8_t uses[] = {
#define PACKER_UNIT(name, slots, vector, latency) USE_##vector,
#include "compiler/packer/units.def"
#undef PACKER_UNIT
};

/* The sets of units of which one is taken, ended by 0; USE_NONE takes none. */
static const uint8_t choices[USE_COUNT][5] = {
    [USE_ANY] = {MULTIPLY_0, MULTIPLY_1, SHIFT_UNIT, PERMUTE_UNIT},
    [USE_MULTIPLY] = {MULTIPLY_0, MULTIPLY_1},
    [USE_MULTIPLY_BOTH] = {MULTIPLY_0 | MULTIPLY_1},
    [USE_PAIR] = {MULTIPLY_0 | MULTIPLY_1, SHIFT_UNIT | PERMUTE_UNIT},
    [USE_SHIFT] = {SHIFT_UNIT},
    [USE_PERMUTE] = {PERMUTE_UNIT},
    [USE_SHIFT_PERMUTE] = {SHIFT_UNIT | PERMUTE_UNIT},
};

static int is_unaligned(gali_packer_unit unit) {
    return unit == GALI_PACKER_vector_load_unaligned || unit == GALI_PACKER_vector_store_unaligned;
}

static unsigned slots_of(const gali_packet_entry *entry) {
    const unsigned slots = gali_packer_slots(entry->instruction->unit);
    return entry->forms & GALI_PACKER_FORM_NEW_VALUE ? slots & 1 : slots;
}

static int place_slots(const gali_packet_entry *entries, uint32_t count, unsigned taken) {
    if (!count) {
        return 1;
    }
    const unsigned both = is_unaligned(entries->instruction->unit) ? 2 : 0; /* it keeps slot 1 empty */
    for (unsigned slot = 1; slot < 16; slot <<= 1) {
        const unsigned needs = slot | both;
        if ((slots_of(entries) & slot) && !(taken & needs) &&
            place_slots(entries + 1, count - 1, taken | needs)) {
            return 1;
        }
    }
    return 0;
}

/* A vector's store of what the packet makes needs no unit to read it. */
static vector_use use_of(const gali_packet_entry *entry) {
    return entry->forms & GALI_PACKER_FORM_NEW_VALUE ? USE_NONE : (vector_use)uses[entry->instruction->unit];
}

static int place_units(const gali_packet_entry *entries, uint32_t count, unsigned taken) {
    if (!count) {
        return 1;
    }
    const vector_use use = use_of(entries);
    if (use == USE_NONE) {
        return place_units(entries + 1, count - 1, taken);
    }
    for (const uint8_t *choice = choices[use]; *choice; choice++) {
        if (!(taken & *choice) && place_units(entries + 1, count - 1, taken | *choice)) {
            return 1;
        }
    }
    return 0;
}

int gali_packet_holds(const gali_packet_entry *entries, uint32_t count) {
    uint32_t words = 0, vector_loads = 0, vector_stores = 0, stores = 0, new_values = 0, jumps = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gali_instruction *instruction = entries[i].instruction;
        words += instruction->words + (uint32_t)(entries[i].is_far && instruction->words == 1);
        vector_loads += instruction->is_load && instruction->is_vector;
        vector_stores += instruction->is_store && instruction->is_vector;
        stores += instruction->is_store;
        new_values += (entries[i].forms & GALI_PACKER_FORM_NEW_VALUE) != 0;
        jumps += instruction->is_jump;
    }
    return count <= GALI_PACKET_MAX && words <= GALI_PACKET_MAX && vector_loads <= 1 && vector_stores <= 1 &&
           jumps <= 1 && (!new_values || stores == 1) && place_slots(entries, count, 0) &&
           place_units(entries, count, 0);
}

uint32_t gali_packet_units(const gali_instruction *instruction) {
    uint32_t units = 0;
    for (unsigned choice = choices[uses[instruction->unit]][0]; choice; choice >>= 1) {
        units += choice & 1;
    }
    return instruction->is_store ? 0 : units;
}
