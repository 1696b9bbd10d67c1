/*
 * What the list of a character's state (state.def) is used for beside the step.
 *
 * The invariant: every number of a character in a crowd is within its kind's bound, whatever its network, its ground and its
 * host did. So a crowd takes back what it saved, and nothing that a snapshot brings lasts.
 */
#ifndef GALI_MOTION_STATE_H
#define GALI_MOTION_STATE_H

#include "motion/controller.h"

/* How many words the state of a character has. */
size_t gali_state_words(const gal_controller *controller);

/* A hash of what the words mean: equal for controllers whose characters are of the same words. */
uint32_t gali_state_kind(const gal_controller *controller);

/*
 * Whether the one's characters can go on as the other's: joints and gaits of the same names, the same knots of the predicted
 * path, and as much of all else.
 */
int gali_state_fits(const gal_controller *one, const gal_controller *other);

/* What two controllers' characters have another number of; what is NULL where the numbers are the same. */
typedef struct gali_state_difference {
    const char *what;
    uint32_t one, other;
} gali_state_difference;

/* The first such; where there is none, names or futures may still keep the one's from going on as the other's. */
gali_state_difference gali_state_compare(const gal_controller *one, const gal_controller *other);

/* Between a lane and words[gali_state_words] of 4 bytes at any address, in this machine's byte order. */
void gali_state_write(const gali_bank *bank, const gal_controller *controller, uint32_t lane,
                      unsigned char *words);
void gali_state_read(gali_bank *bank, const gal_controller *controller, uint32_t lane,
                     const unsigned char *words);

/* Whether a lane may hold these words; it says where numbers would be, and is not touched. */
int gali_state_words_are_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane,
                                  const unsigned char *words);

/* Whether every number of a lane is within its bound. */
int gali_state_is_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane);

/* Makes the numbers that are out of range 0. */
void gali_state_bound(gali_bank *bank, const gal_controller *controller, uint32_t lane);

#endif
