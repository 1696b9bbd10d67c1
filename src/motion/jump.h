/*
 * A jump: asked for by the input, begun where the character is fast enough, and then told to the network as an
 * amount of the jump gait along the path, behind and ahead, until the path has forgotten it. From its first
 * sign until it has landed a character takes no other command. Off where the contract has no gait of role jump
 * or no rule jump_time.
 */
#ifndef GALI_MOTION_JUMP_H
#define GALI_MOTION_JUMP_H

#include "motion/character.h"

/* Whether the controller has jumps. */
int gali_jump_possible(const gali_contract *contract);

/* None under way, none behind. */
void gali_jump_reset(gali_character *character, const gali_contract *contract);

/* A frame of it: goes on with a jump or begins one. 1 while the character takes no command. */
int gali_jump_follow(gali_character *character, const gali_contract *contract);

/* Writes the amounts of the jump gait over the whole path. */
void gali_jump_lay(gali_character *character, const gali_contract *contract);

#endif
