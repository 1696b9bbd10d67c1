#include "motion/bank.h"

#include "motion/skeleton.h"

static uint32_t row_of(uint32_t floats) {
    return (floats + GALI_ROW_STEP - 1) / GALI_ROW_STEP * GALI_ROW_STEP;
}

/* The predicted path begins at the root, unless what is at offset 0 is predicted, too. */
static void place_knots(gali_layout *is, const gali_contract *c) {
    is->knots = 0;
    if (c->future_count == 0 || c->futures[0] > 0) {
        is->knot[is->knots++] = 0;
    }
    for (uint32_t i = 0; i < c->future_count; i++) {
        is->knot[is->knots++] = c->futures[i];
    }
}

static void count_inert(gali_layout *is, const gali_contract *c) {
    for (uint32_t j = 0; c->rules.inertia_jump > 0 && j < c->joint_count; j++) {
        is->inert += gali_is_inert(c, j) ? 1u : 0u;
    }
    is->inert_places = c->rules.inertia_jump > 0 ? 2 + 5 * c->leg_count : 0;
}

static uint32_t longest_row(const gali_layout *is) {
    uint32_t longest = is->x_row > is->pose_row ? is->x_row : is->pose_row;
    return longest > is->record ? longest : is->record;
}

gali_layout gali_layout_make(const gali_contract *contract) {
    const gali_contract *c = contract;
    gali_layout made = {0}, *is = &made;
    uint32_t at = 0;
    place_knots(is, c);
    count_inert(is, c);
    is->grounded = c->rules.ground_reach > 0;
#define FIELD(name, kind, bound, count)                                                                        \
    is->name = at;                                                                                             \
    at += (uint32_t)GALI_FIELD_##kind * (count);
#include "motion/state.def"
#undef FIELD
    is->numbers = at;
    is->record = row_of(GALI_RECORD_GAIT + c->gait_count);
    is->pose_row = row_of(7 * c->joint_count);
    is->x_row = row_of(c->inputs);
    is->pose = 0;
    is->samples = is->local = 7 * c->joint_count;
    uint32_t samples = (GALI_RECORD_GAIT + c->gait_count) * c->sample_count;
    is->swings = is->local + 7 * c->joint_count;
    is->nowhere = is->samples + (samples > 10 * c->joint_count ? samples : 10 * c->joint_count);
    is->work = is->nowhere + (longest_row(is) + GALI_BANK - 1) / GALI_BANK;
    return made;
}

gali_knots gali_layout_knots(const gali_layout *is, int32_t offset) {
    uint32_t k = 0;
    while (k + 2 < is->knots && is->knot[k + 1] < offset) {
        k++;
    }
    if (k + 1 >= is->knots) {
        return (gali_knots){k, k, 0};
    }
    float way = (float)(is->knot[k + 1] - is->knot[k]);
    return (gali_knots){k, k + 1, (float)(offset - is->knot[k]) / way};
}
