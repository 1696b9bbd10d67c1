/*
 * Feet on the ground: a planted toe is held where it came down, no foot goes through the ground, and the leg
 * is bent by two-bone inverse kinematics so that both hold. Changes the pose alone, never what is fed back.
 */
#ifndef GALI_MOTION_FEET_H
#define GALI_MOTION_FEET_H

#include "motion/character.h"

/* Forgets all locks: after a reset, and whenever locking is switched on. */
void gali_feet_reset(gali_character *character, const gal_controller *controller, const gali_ground *ground);

/* Moves the legs of the pose, after gali_codec_decode. */
void gali_feet_lock(gali_character *character, const gal_controller *controller, const gali_ground *ground);

/* Contact i of the pose, 0..1: as predicted, and less the higher locking lifts its foot in a step. */
float gali_feet_contact(const gali_character *character, const gali_contract *contract, uint32_t i);

#endif
