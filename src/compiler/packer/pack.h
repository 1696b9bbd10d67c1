/* Packets of one block: algorithm 1 of the chapter. */
#ifndef GALI_COMPILER_PACKER_PACK_H
#define GALI_COMPILER_PACKER_PACK_H

#include "compiler/packer/graph.h"
#include "compiler/packer/packet.h"

typedef struct gali_packing {
    uint32_t *packet; /* [count]: the packet of each instruction, counted from the block's end */
    uint8_t *forms;   /* [count] gali_packer_form */
    uint32_t packets;
    uint32_t cost; /* of soft dependences within packets, by gali_dependence_penalty */
} gali_packing;

/*
 * Packs a graph's block by a weight of equation 4.4 (0..1: how much order and predecessors count beside latencies) and a
 * share of the penalties (0: the score does not see soft dependences). Returns 0 where memory ran out.
 */
int gali_pack(const gali_block_graph *graph, double weight, double penalty, gali_packing *packing,
              gali_arena *arena);

/*
 * The same by the best of some weights and, where `penalise`, of some shares of the penalties: the fewest packets, then,
 * where `penalise`, the least cost, then the first.
 */
int gali_pack_best(const gali_block_graph *graph, int penalise, gali_packing *packing, gali_arena *arena);

/* What no packing of the graph goes below: its longest chain, and what slots and units hold. 0 where memory ran out. */
int gali_pack_bound(const gali_block_graph *graph, gali_arena *arena, uint32_t *packets);

/* An instruction as it stands in its packing: its form's text, its offset by the steps that now stand before it. */
void gali_packing_text(const gali_block_graph *graph, const gali_packing *packing, uint32_t instruction,
                       gali_text *text);

#endif
