/*
 * The blocks of a text that came out shorter, held back until it is known what alignments make of them.
 *
 * The assembler fills the bytes before an aligned label with packets of nops. How many, depends on all that stands before:
 * a shorter block may cost a packet there that a loop runs more often than the block. So before an alignment each way to it
 * must have saved as many packets as it may cost; else the blocks since the last alignment that is as coarse are as they
 * were, but for those that take as many words as before, which shorter ones often do: their packets are fuller. A shorter
 * block since the last alignment pays, too, if it is in a loop within the loops that this alignment is in: it is taken to
 * run more often than it is left. So do hardware loops at least as deep as the alignment, if a loop is taken to turn eight times and
 * what they save then is more than what the alignment may cost: a way around them may take those packets more.
 */
#ifndef GALI_COMPILER_PACKER_CHANGES_H
#define GALI_COMPILER_PACKER_CHANGES_H

#include <stdint.h>

#include "graph/text.h"

enum { GALI_CHANGE_NOT_SURE = INT32_MIN, GALI_ALIGNMENTS = 10 };

typedef struct gali_change {
    const char *begin, *end; /* what it replaces */
    size_t text, size;       /* by what, in the changes' text */
    uint32_t row, saved;     /* of the report; packets, 0 where it is no shorter */
    int32_t moved;           /* words that it has more; GALI_CHANGE_NOT_SURE */
    uint32_t depth;          /* in how many loops it stands */
    uint32_t least_depth;    /* of it and all blocks after it */
    int is_loop;             /* it is a hardware loop's only one */
    int is_undone;
} gali_change;

typedef struct gali_changes { /* zero-initialise */
    gali_change *list;
    uint32_t count, room;
    gali_text text;
    uint32_t depth; /* of the block that was begun last */
    uint32_t paid;  /* packets saved by whoever comes here from above; UINT32_MAX: nobody comes */
    uint32_t since[GALI_ALIGNMENTS]; /* [power of two]: the first change after the last alignment as coarse */
} gali_changes;

/* Puts a change at the end; its text was appended to self->text, least_depth is filled in. Returns 0 where memory ran out. */
int gali_changes_add(gali_changes *self, const gali_change *change);

/* Another way may lead here: what was saved above was saved on one of them only. */
void gali_changes_label(gali_changes *self);

/* A block begins that stands in so many loops. */
void gali_changes_enter(gali_changes *self, uint32_t depth);

/* Nothing comes here from above: a jump without condition. */
void gali_changes_leave(gali_changes *self);

/* What follows is aligned by 2^power bytes. */
void gali_changes_align(gali_changes *self, uint32_t power);

/* Writes the text from begin to end with what is changed in it. */
void gali_changes_write(const gali_changes *self, const char *begin, const char *end, gali_text *out);

void gali_changes_release(gali_changes *self);

#endif
