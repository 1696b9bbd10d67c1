/* The lists of units and of instructions. */
#include <string.h>

#include "compiler/packer/instruction.h"

static const struct {
    uint8_t slots, latency;
} units[] = {
#define PACKER_UNIT(name, slots, vector, latency) {slots, latency},
#include "compiler/packer/units.def"
#undef PACKER_UNIT
};

static const struct {
    const char *word, *form;
    gali_packer_unit unit;
} operations[] = {
#define PACKER_OPERATION(word, form, unit, sample) {word, form, GALI_PACKER_##unit},
#include "compiler/packer/operations.def"
#undef PACKER_OPERATION
};

static int fits(const char *row, const char *form) {
    while (*row && *row != '*' && *row == *form) {
        row++, form++;
    }
    return *row == '*' || *row == *form;
}

gali_packer_unit gali_packer_find_unit(const char *word, const char *form) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(operations[i].word, word) == 0 && fits(operations[i].form, form)) {
            return operations[i].unit;
        }
    }
    return GALI_PACKER_UNIT_COUNT;
}

unsigned gali_packer_slots(gali_packer_unit unit) {
    return units[unit].slots;
}

int gali_packer_latency(gali_packer_unit unit) {
    return units[unit].latency;
}
