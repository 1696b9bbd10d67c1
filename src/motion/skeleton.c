#include "motion/skeleton.h"

#include "motion/vec.h"

/* Parents stand before their children, so the walk ends. */
int gali_skeleton_is_below(const gali_contract *contract, uint32_t k, uint32_t j) {
    int32_t at = (int32_t)k;
    while (at > (int32_t)j) {
        at = contract->joints[at].parent;
    }
    return at == (int32_t)j;
}

int gali_is_inert(const gali_contract *contract, uint32_t j) {
    return contract->joints[j].leg < 0 || contract->hinge_count == 0;
}

void gali_skeleton_local(const gali_contract *contract, const gal_transform *pose, gal_transform *local) {
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        int32_t parent = contract->joints[j].parent;
        local[j] = parent < 0 ? pose[j] : gali_transform_within(pose[parent], pose[j]);
    }
}
