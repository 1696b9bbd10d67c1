/* Inertialisation: what the predicted pose jumps by is kept from the shown one, and made up for in time. */
#ifndef GALI_MOTION_INERTIA_H
#define GALI_MOTION_INERTIA_H

#include "motion/character.h"

/* The shown pose is the predicted one from here on: after the character was added or set back. */
void gali_inertia_reset(gali_character *character, const gali_contract *contract);

/* Makes the predicted pose the shown one; touches nothing without the rule, or long after the last jump. */
void gali_inertia_apply(gali_character *character, const gali_contract *contract);

#endif
