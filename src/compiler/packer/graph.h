/*
 * The dependences of a block. Hard: the later instruction needs a later packet. Soft: it may share the earlier one's packet,
 * but not come before it. What is soft on Hexagon, and its price in the score:
 *
 *   current    a vector's load and its reader: .cur; the reader waits for memory
 *   new value  an operation and the store of its result: .new
 *   new test   a comparison and what it decides: .new
 *   before     a packet reads before it writes: a reader and a later writer of its register, or of memory
 *   end        everything and the jump that ends the block
 *   address    a step of an address and an access by it: the access's offset takes the step up, so the two may stand in
 *              any order; as hard where soft dependencies are hard, else none at all
 */
#ifndef GALI_COMPILER_PACKER_GRAPH_H
#define GALI_COMPILER_PACKER_GRAPH_H

#include "compiler/packer/instruction.h"
#include "compiler/packer/packer.h"
#include "graph/arena.h"

typedef enum gali_dependence {
    GALI_DEPENDENCE_NONE,
    GALI_DEPENDENCE_END,
    GALI_DEPENDENCE_BEFORE,
    GALI_DEPENDENCE_NEW_VALUE,
    GALI_DEPENDENCE_NEW_TEST,
    GALI_DEPENDENCE_CURRENT,
    GALI_DEPENDENCE_HARD,
    GALI_DEPENDENCE_COUNT
} gali_dependence;

enum { GALI_BLOCK_MAX = 1024 }; /* instructions of one block; longer ones stay as they are */

typedef struct gali_block_graph {
    const gali_instruction *const *instructions; /* in an order in which they could run one by one */
    uint32_t count;
    uint8_t *edges;     /* [count][count] gali_dependence of the earlier (row) and the later (column) */
    uint8_t *is_folded; /* [count]: its offset follows the steps of its base, wherever it comes to stand */
    uint32_t *order;    /* [count]: latency of the longest path from the entry to it */
    uint32_t *before;   /* [count]: how many it depends on */
} gali_block_graph;

/* Makes the graph of count (at most GALI_BLOCK_MAX) instructions out of the arena. Returns 0 where memory ran out. */
int gali_block_graph_make(gali_block_graph *graph, const gali_instruction *const *instructions, uint32_t count,
                          gali_packer_soft soft, gali_arena *arena);

static inline gali_dependence gali_block_edge(const gali_block_graph *graph, uint32_t earlier, uint32_t later) {
    return (gali_dependence)graph->edges[(size_t)earlier * graph->count + later];
}

/* What the score loses by a soft dependence within the packet: packets that are lost, by estimate. */
int gali_dependence_penalty(gali_dependence dependence);

/* The least packets of the longest chain: each hard dependence begins another. Returns 0 where memory ran out. */
int gali_block_chain(const gali_block_graph *graph, gali_arena *arena, uint32_t *packets);

#endif
