/*
 * Packing of Hexagon assembly that knows soft dependencies (chapter 4 of GCD2: section 4.4.3, algorithm 1, equation 4.4).
 *
 * The text is what clang -S writes for HVX v66 with vectors of 128 bytes. Each block of packets between labels and jumps is
 * taken apart, packed anew from its end upwards, and written back where that takes fewer packets. All else stays as it was,
 * byte for byte.
 */
#ifndef GALI_COMPILER_PACKER_PACKER_H
#define GALI_COMPILER_PACKER_PACKER_H

#include <stdint.h>

#include "gallop/base.h"
#include "graph/text.h"

/*
 * What becomes of soft dependencies: two instructions that depend on each other and may still share a packet, since the
 * later one can take what the earlier one makes (.cur, .new), has an address to which a constant can be added, or writes
 * what the earlier one reads.
 */
typedef enum gali_packer_soft {
    GALI_PACKER_SOFT_PAPER, /* they may share a packet, at a penalty in the score */
    GALI_PACKER_SOFT_HARD,  /* they may not: what compilers without the idea do */
    GALI_PACKER_SOFT_NONE,  /* they may, and the score does not see it */
    GALI_PACKER_SOFT_COUNT
} gali_packer_soft;

extern const char *const gali_packer_soft_names[GALI_PACKER_SOFT_COUNT]; /* "paper", "hard", "none" */

typedef struct gali_packer_options {
    gali_packer_soft soft;
    int keep_registers; /* no result of a block gets another register (rename.h) */
    int always;         /* packs a block anew even where that takes as many packets or more: for comparisons */
} gali_packer_options;

/* A block as it was read and as it was written; bound is what no order of its instructions can go below: the longest
 * chain of hard dependencies, or what slots and units hold. */
typedef struct gali_packer_block {
    char label[48]; /* the last label before it; "" without one */
    uint32_t line, instructions, before, packed, written, bound;
    int is_loop; /* ends with :endloop0 */
} gali_packer_block;

typedef struct gali_packer_report {
    uint32_t blocks; /* of packets */
    uint32_t left;   /* with an instruction that the packer does not know: as they were */
    uint32_t kept;   /* that came out longer than they were: as they were */
    /* that came out shorter before an alignment that may cost more: as they were (changes.h) */
    uint32_t unpaid;
    uint32_t fewer;          /* that take fewer packets now */
    uint32_t packets_before; /* of the whole text */
    uint32_t packets_after;
    /* blocks that were packed, `listed` of them; gali_packer_report_release gives them back */
    gali_packer_block *list;
    uint32_t listed, room;
} gali_packer_report;

/*
 * Packs size bytes of assembly into *out (empty before; the caller's to release, also on failure). *report is filled
 * (zero-initialised by the callee). Errors: GAL_BAD_DATA with the line (what is no instruction, a packet without end, one in
 * another, a line past what can be), GAL_NO_MEMORY.
 */
gal_status gali_packer_run(const char *text, size_t size, const gali_packer_options *options, gali_text *out,
                           gali_packer_report *report, gal_error *error);

void gali_packer_report_release(gali_packer_report *report);

#endif
