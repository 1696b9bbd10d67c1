/*
 * A chain of indices through a range of memory: each place holds the next one's. Who follows it waits for every read, and
 * no prefetcher knows where it goes.
 */
#ifndef GALI_PROBE_CHAIN_H
#define GALI_PROBE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

/*
 * A cycle through `size` bytes: blocks of `block` bytes in random order, the same one each time, in each block the places
 * 0, stride, 2 stride ... Indices count units of `unit` bytes; a unit's index stands `lanes` words after the one before:
 * next[size / unit][lanes]. size, block and stride are multiples of what follows them. Given back with free; NULL: no
 * memory.
 */
uint32_t *gali_chain_make(size_t size, size_t block, size_t stride, size_t unit, size_t lanes);

#endif
