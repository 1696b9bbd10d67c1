/*
 * The state of a character as a walk through state.def: written to words, read from them, checked and bounded.
 *
 * Words are float32 in the order of walk_lane: the numbers of the lane, the path behind it from the oldest frame on, its
 * poses. Nothing in them is an index or a place in memory, so that all that can be wrong with them is a number that is too
 * large or none.
 */
#include "motion/state.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Going through what a lane holds: each span of numbers, `stride` apart, is given to `take`, in order. */
typedef struct walk walk;
struct walk {
    void (*take)(walk *self, gali_bound bound, float *numbers, size_t stride, size_t count);
    unsigned char *words; /* the next of them */
    int in_range;
};

static void walk_lane(walk *w, const gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    const gali_contract *c = controller->contract;
    const gali_layout *is = &controller->layout;
#define FIELD(name, kind, bound, count)                                                                        \
    w->take(w, GALI_BOUND_##bound, gali_bank_at(bank, is->name, lane), GALI_BANK,                              \
            GALI_FIELD_##kind *(size_t)(count));
#include "motion/state.def"
#undef FIELD
    for (uint32_t back = c->past; back > 0; back--) {
        float *record = gali_bank_record(bank, c, is, lane, back);
        w->take(w, GALI_BOUND_PLACE, record, 1, GALI_RECORD_FACING);
        w->take(w, GALI_BOUND_NUMBER, record + GALI_RECORD_FACING, 1,
                GALI_RECORD_GAIT - GALI_RECORD_FACING + (size_t)c->gait_count);
    }
    const uint8_t poses[GALI_POSES] = {bank->pose[lane], bank->before[lane], bank->bridge[lane]};
    for (uint32_t i = 0; i < GALI_POSES; i++) {
        float *pose = (float *)(void *)gali_bank_pose_at(bank, is, lane, poses[i]);
        w->take(w, GALI_BOUND_PLACE, pose, 1, 7 * (size_t)c->joint_count);
    }
}

size_t gali_state_words(const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    size_t record = GALI_RECORD_GAIT + (size_t)contract->gait_count;
    return controller->layout.numbers + contract->past * record +
           GALI_POSES * 7 * (size_t)contract->joint_count;
}

static void put_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)bound;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        memcpy(w->words, numbers + i * stride, sizeof *numbers);
    }
}

static void get_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)bound;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        memcpy(numbers + i * stride, w->words, sizeof *numbers);
    }
}

/* NaN is within no bound; an evaluation stands for one frame at least, and no part of one. */
static int is_allowed(gali_bound bound, float number) {
    return fabsf(number) <= gali_bound_of(bound) &&
           (bound != GALI_BOUND_FRAMES || (number >= 1 && number == floorf(number)));
}

static void check_words(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)numbers;
    (void)stride;
    for (size_t i = 0; i < count; i++, w->words += sizeof *numbers) {
        float number;
        memcpy(&number, w->words, sizeof number);
        w->in_range &= is_allowed(bound, number);
    }
}

static void check_state(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++) {
        w->in_range &= is_allowed(bound, numbers[i * stride]);
    }
}

static void bound_state(walk *w, gali_bound bound, float *numbers, size_t stride, size_t count) {
    (void)w;
    for (size_t i = 0; i < count; i++) {
        numbers[i * stride] = is_allowed(bound, numbers[i * stride]) ? numbers[i * stride] : 0;
    }
}

void gali_state_write(const gali_bank *bank, const gal_controller *controller, uint32_t lane,
                      unsigned char *words) {
    walk w = {.take = put_words, .words = words};
    walk_lane(&w, bank, controller, lane);
}

void gali_state_read(gali_bank *bank, const gal_controller *controller, uint32_t lane,
                     const unsigned char *words) {
    walk w = {.take = get_words, .words = (unsigned char *)(uintptr_t)words}; /* only read */
    gali_bank_start(bank, lane);
    walk_lane(&w, bank, controller, lane);
}

int gali_state_words_are_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane,
                                  const unsigned char *words) {
    walk w = {.take = check_words, .words = (unsigned char *)(uintptr_t)words, .in_range = 1};
    walk_lane(&w, bank, controller, lane);
    return w.in_range;
}

int gali_state_is_in_range(const gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    walk w = {.take = check_state, .in_range = 1};
    walk_lane(&w, bank, controller, lane);
    return w.in_range;
}

void gali_state_bound(gali_bank *bank, const gal_controller *controller, uint32_t lane) {
    walk w = {.take = bound_state};
    walk_lane(&w, bank, controller, lane);
}

/* FNV-1a, 32 bits: short texts, every frame. */
static uint32_t hash_on(uint32_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

/* Equal for controllers whose characters are of the same words. */
uint32_t gali_state_kind(const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    const uint32_t window[] = {contract->past, contract->future};
    uint32_t hash = hash_on(2166136261u, window, sizeof window);
    hash = hash_on(hash, &controller->layout, offsetof(gali_layout, x_row));
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        hash = hash_on(hash, contract->joints[i].name, strlen(contract->joints[i].name) + 1);
    }
    for (uint32_t i = 0; i < contract->gait_count; i++) {
        hash = hash_on(hash, contract->gaits[i].name, strlen(contract->gaits[i].name) + 1);
    }
    return hash;
}

int gali_state_fits(const gal_controller *one, const gal_controller *other) {
    return gali_state_kind(one) == gali_state_kind(other) && gali_state_words(one) == gali_state_words(other);
}

gali_state_difference gali_state_compare(const gal_controller *one, const gal_controller *other) {
    const gali_contract *a = one->contract, *b = other->contract;
    const gali_state_difference numbers[] = {
        {"joints", a->joint_count, b->joint_count},
        {"hinges", a->hinge_count, b->hinge_count},
        {"gaits", a->gait_count, b->gait_count},
        {"legs", a->leg_count, b->leg_count},
        {"contacts", a->contact_count, b->contact_count},
        {"frames of the window before now", a->past, b->past},
        {"frames of the window after now", a->future, b->future},
        {"knots of the predicted path", one->layout.knots, other->layout.knots},
        {"joints with inertia", one->layout.inert, other->layout.inert},
        {"numbers of a state", one->layout.numbers, other->layout.numbers},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].one != numbers[i].other) {
            return numbers[i];
        }
    }
    return (gali_state_difference){.what = NULL};
}
