/*
 * A jump: asked for by the input, begun where the character is fast enough, and then told to the network as an
 * amount of the jump gait along the path, behind and ahead, until the path has forgotten it. From its first
 * sign until it has landed a character takes no other command. Off where the contract has no gait of role jump
 * or no rule jump_time. The step does it (body/path.inc, body/advance.inc); here is what others must know of it.
 */
#ifndef GALI_MOTION_JUMP_H
#define GALI_MOTION_JUMP_H

#include "contract/contract.h"

/* Whether the controller has jumps. */
static inline int gali_jump_possible(const gali_contract *contract) {
    return contract->rules.jump_time > 0 && contract->gait_of_role[GALI_GAIT_JUMP] >= 0;
}

/* jump_top of a character whose last jump, if there was one, no sample of the path shows any more. */
static inline float gali_jump_forgotten(const gali_contract *contract) {
    return -(float)contract->past - contract->rules.jump_time;
}

#endif
