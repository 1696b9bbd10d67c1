/* What one packet can hold: four words, slots, HVX units; llvm-mc is the judge that the tests ask. */
#ifndef GALI_COMPILER_PACKER_PACKET_H
#define GALI_COMPILER_PACKER_PACKET_H

#include "compiler/packer/instruction.h"

enum { GALI_PACKET_MAX = 4 };

/* The forms in which an instruction takes part in a packet; a store may have the last two at once. */
typedef enum gali_packer_form {
    GALI_PACKER_FORM_PLAIN = 0,
    GALI_PACKER_FORM_CURRENT = 1,   /* a load whose vector is used in the packet: .cur */
    GALI_PACKER_FORM_NEW_VALUE = 2, /* a store of what the packet makes: .new */
    GALI_PACKER_FORM_NEW_TEST = 4,  /* a condition that the packet makes: .new */
} gali_packer_form;

typedef struct gali_packet_entry {
    const gali_instruction *instruction;
    unsigned forms; /* gali_packer_form */
    int is_far;     /* a label that it names may need a second word */
} gali_packet_entry;

/* Whether count (1..GALI_PACKET_MAX) entries fit one packet by words, slots and units; dependences are not looked at. */
int gali_packet_holds(const gali_packet_entry *entries, uint32_t count);

/* How many of the four units on which vectors are computed the instruction takes; of a store none, which .new spares. */
uint32_t gali_packet_units(const gali_instruction *instruction);

#endif
