/*
 * Where extents are kept, for extent.c and extent_operation.c alone: each sum and each atom once, found through a hash. A
 * handle is GALI_EXTENT_FIRST and the number of its sum.
 */
#ifndef GALI_GRAPH_EXTENT_TABLE_H
#define GALI_GRAPH_EXTENT_TABLE_H

#include "graph/extent.h"
#include "graph/interval.h"

enum { GALI_EXTENT_TERMS_MAX = 12, GALI_EXTENT_BUCKETS = 4096 };
#define GALI_EXTENT_FIRST ((gali_extent)1 << 61)

/* An atom. */
typedef struct gali_extent_entry {
    gali_extent_kind kind;
    const char *name; /* GALI_EXTENT_SYMBOL */
    gali_interval range;
    uint32_t weight;        /* atoms in it, itself counted: what evaluating it costs */
    uint32_t symbol;        /* GALI_EXTENT_SYMBOL: its number */
    gali_extent operand[2]; /* the others */
    uint32_t number, next;  /* of it; of the next one in its bucket, counted from 1 */
} gali_extent_entry;

typedef struct gali_extent_sum {
    uint32_t count;
    /* ascending by their atoms, which ascend; the number, if any, first */
    gali_extent_term terms[GALI_EXTENT_TERMS_MAX];
    uint32_t next; /* in its bucket, counted from 1 */
} gali_extent_sum;

/* What gali_extent_ask said. */
typedef struct gali_extent_asked {
    const char *name;
    int64_t most;
    const struct gali_extent_asked *next;
} gali_extent_asked;

struct gali_extents {
    gali_arena *arena;
    const gali_extent_sum **sums;
    gali_extent_entry **atoms;
    const gali_extent_entry **symbols; /* those of the atoms that are */
    uint32_t sum_count, sum_capacity, atom_count, atom_capacity, symbol_count, symbol_capacity, fresh;
    gali_extent *bounds; /* [bound_count] of symbols; UNKNOWN past them */
    uint32_t bound_count;
    const gali_extent_asked *asked;
    uint32_t buckets[GALI_EXTENT_BUCKETS],
        atom_buckets[GALI_EXTENT_BUCKETS]; /* the last of that hash, counted from 1 */
};

static inline int gali_extent_is_handle(gali_extent a) {
    return a >= GALI_EXTENT_FIRST;
}

/* By their atoms: below, at or above 0. */
int gali_extent_term_order(const gali_extent_term *a, const gali_extent_term *b);

/* The sum that an extent is; its handle, where terms are in order and none is 0. */
void gali_extent_open(const gali_extents *x, gali_extent a, gali_extent_sum *s);
gali_extent gali_extent_keep(gali_extents *x, const gali_extent_sum *s);

/* Adds a term in its place. 0 where there are too many, or a number is too large (*bad). */
int gali_extent_add_term(gali_extent_sum *s, const gali_extent_term *t, int *bad);

/* What sticks: BAD before UNKNOWN; 0 if neither is either. */
gali_extent gali_extent_sticks(gali_extent a, gali_extent b);

/* The atom of two operands as an extent. */
gali_extent gali_extent_operation(gali_extents *x, gali_extent_kind kind, gali_extent a, gali_extent b);

/* Between which numbers an extent is. */
gali_interval gali_extent_interval(const gali_extents *x, gali_extent a);

#endif
