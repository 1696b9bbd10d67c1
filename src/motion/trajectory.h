/*
 * The trajectory rules: what the player wants becomes a future path before the network runs, and the
 * network's answer moves the root and the path afterwards (PFNN, SIGGRAPH 2017, section 6, and the
 * constants of docs/controller.md).
 */
#ifndef GALI_MOTION_TRAJECTORY_H
#define GALI_MOTION_TRAJECTORY_H

#include "motion/character.h"

/* The whole path at a point, facing one way, gaits 0. */
void gali_trajectory_reset(gali_character *character, const gali_contract *contract, const gali_ground *ground,
                           float x, float z, gali_vec2 facing);

/* Input to wanted velocity and facing, gait now, and the future samples; then ground heights. */
void gali_trajectory_predict(gali_character *character, const gali_contract *contract,
                             const gali_ground *ground);

/*
 * Frames without the network, before gali_trajectory_predict: the input is followed, the root goes on by the step and turn
 * of the last evaluation and takes the future with it.
 */
void gali_trajectory_bridge(gali_character *character, const gali_contract *contract, const gali_ground *ground,
                            uint32_t frames);

/* Share of the network's step that is taken, 0..1: (1 - stand)^stand_damping, none when standing still. */
float gali_trajectory_share(const gali_character *character, const gali_contract *contract);

/*
 * After the network: the past shifts by a frame, the root takes its step and turn, the future becomes the
 * predicted one, the phase advances. y is the network's output.
 */
void gali_trajectory_advance(gali_character *character, const gal_controller *controller, const float *y);

#endif
