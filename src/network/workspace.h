/*
 * The memory of one run, carved for `capacity` characters, each part aligned to 64 bytes:
 *     values  float    [buffer][capacity][width]  what layers make and others read (wiring.h)
 *     joined  float    [capacity][joined]         the input of a layer that reads from several places
 *     rows    gali_row [capacity * slots]         sorted by expert, then by character
 *     plain   gali_row [capacity]                 one row a character: for layers that it uses all experts of
 *     blend   gali_blend_row [capacity]           only in the blend form
 *     prepared bytes   [capacity][prepared]       inputs of a layer of reduced precision; none if no input is left of one
 *     narrow_plain, narrow_rows gali_narrow_row   [capacity], [capacity * slots]: plain and rows for such layers, only
 *                                                 with one, if it has inputs or not
 *     who     uint32   [capacity * slots]         character of each row
 *     expert  uint32   [capacity * slots]         slots of each character, in its own order
 *     weight  float    [capacity * slots]
 */
#ifndef GALI_NETWORK_WORKSPACE_H
#define GALI_NETWORK_WORKSPACE_H

#include "network/network.h"

typedef struct gali_workspace {
    float *values[GALI_BUFFERS_MAX], *joined;
    gali_row *rows, *plain;
    gali_blend_row *blend;
    unsigned char *prepared;
    gali_narrow_row *narrow_plain, *narrow_rows;
    uint32_t *who, *expert;
    float *weight;
} gali_workspace;

/* Bytes needed, or GALI_SIZE_BAD; where memory is not NULL, *parts points into it. */
size_t gali_workspace_carve(const gal_network *network, uint32_t capacity, unsigned char *memory,
                            gali_workspace *parts);

/* The part of a whole that belongs to the characters from `first` on. */
gali_workspace gali_workspace_part(const gal_network *network, const gali_workspace *whole, uint32_t first);

#endif
