/*
 * The feature codec: a character's state to the network's input, the network's output to a pose, block by
 * block as the contract lists them.
 */
#ifndef GALI_MOTION_CODEC_H
#define GALI_MOTION_CODEC_H

#include "motion/character.h"

/* x[contract->inputs] from the state, after gali_trajectory_predict. */
void gali_codec_encode(const gali_character *character, const gali_contract *contract,
                       const gali_ground *ground, float *x);

/*
 * Pose, fed-back joints and contacts from y[contract->outputs], in the root frame of now. smooth is the share
 * of the last position plus velocity in what is fed back (rules.joint_smooth, 0 on a reset).
 */
void gali_codec_decode(gali_character *character, const gal_controller *controller, const float *y,
                       float smooth);

/* Keeps the outputs that are memory; the next encode gives them back. */
void gali_codec_remember(gali_character *character, const gali_contract *contract, const float *y);

#endif
