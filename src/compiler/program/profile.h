/*
 * The profile database of fusion's yellow cells (DNNFusion, section 4.3.2): pairs of classes that may be fused, where only
 * measurements tell whether that is faster. A row is what a pair took fused and apart on one machine; profile.txt holds those
 * of the machines that were measured, and is built in.
 *
 * A pair is fused where that is faster in the geometric mean of its rows. So it is one decision for all targets: what is emitted
 * for one is the same program as for another. Where there is no row a pair stays apart, which is the rule.
 */
#ifndef GALI_COMPILER_PROGRAM_PROFILE_H
#define GALI_COMPILER_PROGRAM_PROFILE_H

#include "gallop/base.h"

/* PAIR(id, first, second, meaning) */
#define GALI_PROFILE_PAIRS                                                                                     \
    PAIR(MOVE_PRODUCT, "move", "product", "what moves, into a sum that then cannot run along rows")            \
    PAIR(COMPUTE_PRODUCT, "compute", "product", "what is computed, row by row, in a product's function")       \
    PAIR(PRODUCT_FOLD, "product", "fold", "a sum of each row behind a product of many rows")                   \
    PAIR(PRODUCT_COMPUTE, "product", "compute", "what follows a product, and does not finish it")

typedef enum gali_profile_pair {
#define PAIR(id, first, second, meaning) GALI_PAIR_##id,
    GALI_PROFILE_PAIRS
#undef PAIR
        GALI_PAIR_COUNT
} gali_profile_pair;

typedef struct gali_profile {
    uint32_t rows[GALI_PAIR_COUNT];
    double gain[GALI_PAIR_COUNT]; /* sum over rows of log(apart / fused) */
} gali_profile;

/*
 * Adds a text's rows: FIRST SECOND FUSED APART MACHINE a line, times in any one unit, the machine's name to the line's end; empty
 * lines, and those that start with #, are passed over. GAL_BAD_DATA with name and line.
 */
gal_status gali_profile_parse(gali_profile *profile, const char *text, size_t size, const char *name,
                              gal_error *error);

/* The one that is built in. */
gal_status gali_profile_built_in(gali_profile *profile, gal_error *error);

int gali_profile_fuses(const gali_profile *profile, gali_profile_pair pair);

#endif
