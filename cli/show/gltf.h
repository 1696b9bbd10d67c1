/*
 * Motion as binary glTF 2.0: a skeleton, a body of capsules that is skinned to it, and one animation.
 *
 * glTF's space is the poses' own (right-handed, y up, z forward), in metres. The skeleton stands in its bind pose: the
 * contract's rest pose, or the first frame where the contract has no lengths. Every joint's rotation and translation
 * is animated, so that the poses are met as they are, with bones that a network stretches a little.
 */
#ifndef GALI_CLI_GLTF_H
#define GALI_CLI_GLTF_H

#include "contract/contract.h"

/* poses: [frames][joints], world; frames >= 1. GAL_IO, GAL_NO_MEMORY. */
gal_status gali_gltf_write(const char *path, const gali_contract *contract, const gal_transform *poses,
                           uint32_t frames, gal_error *error);

#endif
