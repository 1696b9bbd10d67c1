/* The usual orders of a skeleton's joints. */
#ifndef GALI_CLI_DIAGNOSE_JOINT_ORDERS_H
#define GALI_CLI_DIAGNOSE_JOINT_ORDERS_H

#include "contract/contract.h"

typedef enum gali_joint_order {
    GALI_ORDER_DEPTH,      /* a joint, then its first child's branch, ... */
    GALI_ORDER_DEPTH_LAST, /* the last child's branch first */
    GALI_ORDER_BREADTH,    /* by distance from the first joint */
    GALI_ORDER_ALPHABET,
    GALI_ORDER_BACKWARDS,
    GALI_ORDER_SIDES, /* the contract's, left and right exchanged */
    GALI_ORDER_COUNT
} gali_joint_order;

/* at[place] = joint, [joint_count]: each joint once. */
void gali_joint_order_make(const gali_contract *contract, gali_joint_order order, uint32_t *at);

/* "depth first" */
const char *gali_joint_order_name(gali_joint_order order);

#endif
