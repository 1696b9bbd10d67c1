/* What the list of a character's state (snapshot.c) is used for beside snapshots. */
#ifndef GALI_MOTION_SNAPSHOT_H
#define GALI_MOTION_SNAPSHOT_H

#include "motion/character.h"

/* Whether every number of the state is within what a snapshot may hold. */
int gali_snapshot_is_in_range(const gali_character *character, const gali_contract *contract);

/* Makes the whole state 0. */
void gali_snapshot_clear(gali_character *character, const gali_contract *contract);

/* Makes the numbers that are out of range 0. */
void gali_snapshot_bound(gali_character *character, const gali_contract *contract);

/* Whether the one's characters can go on as the other's: joints and gaits of the same names, and as much of all else. */
int gali_snapshot_fits(const gali_contract *one, const gali_contract *other);

#endif
