/* How many words of code the packets of a block take: what decides where the code after it lies. */
#ifndef GALI_COMPILER_PACKER_WORDS_H
#define GALI_COMPILER_PACKER_WORDS_H

#include "compiler/packer/pack.h"

/*
 * The words of a block, whose last packet the assembler fills up to `least` with nops; -1 where it might let two
 * instructions share a word. packing NULL: as it was found. packets: how many there are.
 */
int32_t gali_count_words(const gali_block_graph *graph, const gali_packing *packing, uint32_t packets,
                         int32_t least);

/* How many nops a packet, counted from the block's end, surely has room for. */
int32_t gali_packet_room(const gali_block_graph *graph, const gali_packing *packing, uint32_t packet);

#endif
