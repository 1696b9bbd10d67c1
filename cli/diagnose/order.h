/* Orders of recorded columns: a reading's columns moved about. */
#ifndef GALI_CLI_DIAGNOSE_ORDER_H
#define GALI_CLI_DIAGNOSE_ORDER_H

#include "sense.h"

/* Column i then is what column from[i] was, for all i in [first, first + count); from counts from first. */
void gali_order_apply(gali_columns *columns, uint32_t first, uint32_t count, const uint32_t *from);

/* Blocks of x or of y, and how many there are. */
const gali_block *gali_order_blocks(const gali_case *self, gali_side side, uint32_t *count);

gali_columns *gali_order_columns(gali_reading *reading, gali_side side);

/* "joint.velocity", "trajectory.gait.walk": the block's first feature's name without what differs inside. */
void gali_order_block_name(const gali_case *self, gali_side side, const gali_block *block, char *text,
                           size_t size);

#endif
