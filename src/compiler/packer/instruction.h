/* One instruction of Hexagon assembly: what it is, which registers and memory it reads and writes, what it takes of a packet. */
#ifndef GALI_COMPILER_PACKER_INSTRUCTION_H
#define GALI_COMPILER_PACKER_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

typedef enum gali_packer_unit {
#define PACKER_UNIT(name, slots, vector, latency) GALI_PACKER_##name,
#include "compiler/packer/units.def"
#undef PACKER_UNIT
    GALI_PACKER_UNIT_COUNT
} gali_packer_unit;

/* A set of registers: bits 0..31 of each are r and v; 32..35 p and q; of scalar 36, 37 m, 38, 39 the loops' own. */
typedef struct gali_registers {
    uint64_t scalar, vector;
} gali_registers;

enum { GALI_PACKER_P = 32, GALI_PACKER_Q = 32, GALI_PACKER_M = 36, GALI_PACKER_LOOP = 38 };
enum { GALI_PACKER_TEXT_MAX = 200, GALI_PACKER_NO_REGISTER = -1 };

typedef enum gali_packer_address {
    GALI_PACKER_ADDRESS_NONE,
    GALI_PACKER_ADDRESS_OFFSET, /* [base + offset] */
    GALI_PACKER_ADDRESS_AFTER,  /* [base], and base += offset */
    GALI_PACKER_ADDRESS_OTHER,  /* anywhere */
} gali_packer_address;

typedef struct gali_instruction {
    char text[GALI_PACKER_TEXT_MAX]; /* plain: without .new and .cur, but in a comparison that jumps */
    gali_packer_unit unit;
    gali_registers reads, writes; /* one that is conditional reads what it writes */
    gali_registers new_reads;     /* of those that the text, as it was found, takes from its own packet */
    int8_t predicate;             /* 0..3: p of the condition; GALI_PACKER_NO_REGISTER */
    int8_t value;                 /* a store: the r or v that it stores; GALI_PACKER_NO_REGISTER */
    int8_t base;                  /* of its address */
    uint8_t is_conditional, is_vector, is_pair;     /* is_pair: writes two registers by one name */
    uint8_t is_load, is_store, is_jump, is_current; /* is_current: was found as .cur */
    uint8_t is_comparison;                          /* makes a predicate that .new can take */
    uint8_t is_update; /* its result is made of what was there, too: by a sign like +=, or as a half */
    uint8_t words;     /* of the packet's four: 2 with a constant past its field */
    uint32_t found_at; /* which packet of its block it was found in, counted from the end */
    gali_packer_address address;
    int32_t offset, width; /* bytes */
    int8_t step_register;  /* register that it adds step to, and does no more to; GALI_PACKER_NO_REGISTER */
    int32_t step;
} gali_instruction;

/* A register in a text. */
typedef struct gali_operand {
    char kind;  /* r, d (a pair of those), v, w (a pair of those), p, q, m; 0: none */
    int number; /* of a pair the first that is spelled, the odd one */
    gali_registers bits;
    size_t size;         /* of its text, with .ub and the like */
    int is_new, is_part; /* it ends with .new; with anything else */
} gali_operand;

/* The register that begins at text; kind 0 where none does. */
gali_operand gali_operand_read(const char *text, size_t size);

/* Whether a character may be part of a word, a register with its part included. */
int gali_is_name(char c);

/* Where the sign = of a result, or of a store, stands in a text; NULL. */
const char *gali_find_equals(const char *text, size_t size);

/*
 * Reads one instruction, of size bytes without line end and comment. Returns 0 for one that is not known: then nothing of
 * *instruction counts.
 */
int gali_instruction_read(const char *text, size_t size, gali_instruction *instruction);

/* The unit of a word ("vadd") in a form ("v=vv", operations.def); GALI_PACKER_UNIT_COUNT where there is no such row. */
gali_packer_unit gali_packer_find_unit(const char *word, const char *form);

/* What it takes: slots, a bit each; packets to its result. */
unsigned gali_packer_slots(gali_packer_unit unit);
int gali_packer_latency(gali_packer_unit unit);

static inline int gali_registers_meet(gali_registers a, gali_registers b) {
    return (a.scalar & b.scalar) || (a.vector & b.vector);
}

static inline int gali_registers_hold(gali_registers a, int is_vector, int number) {
    return (int)((is_vector ? a.vector : a.scalar) >> number & 1);
}

static inline void gali_registers_add(gali_registers *to, gali_registers other) {
    to->scalar |= other.scalar;
    to->vector |= other.vector;
}

#endif
