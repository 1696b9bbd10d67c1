/*
 * A soak: characters join, leave, are teleported, get wild input on wild ground and change their pace, crowds are saved,
 * taken back and made where memory fails, all by a fixed seed. Every pose is finite, a bystander's bits are those that it
 * has alone, a twin made by a snapshot stays equal byte for byte, and the memory around a crowd is untouched.
 *
 * GALLOP_SOAK_FRAMES says how many frames of each model; without it, a second's worth.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gallop/crowd.h"
#include "synthetic.h"

enum { FRAMES = 400, CAPACITY = 12, GUARD = 4096, GUARD_BYTE = 0xa7, BETWEEN_SNAPSHOTS = 37 };

/* A crowd in memory of exactly its size, between guards. */
typedef struct guarded {
    unsigned char *block; /* [GUARD], the crowd, [GUARD] */
    size_t size;
    gal_crowd *crowd;
} guarded;

/* Hills with pits that are no numbers, and walls that are too large for one. */
static float wild_ground(void *context, float x, float z) {
    (void)context;
    const float hill = 12 * sinf(0.01f * x) * cosf(0.013f * z);
    const long cell =
        lrintf(fminf(fmaxf(x / 150, -1e6f), 1e6f)) + 3 * lrintf(fminf(fmaxf(z / 150, -1e6f), 1e6f));
    switch (cell % 17) {
    case 3:
        return NAN;
    case 7:
        return INFINITY;
    case 11:
        return -3e38f;
    case 13:
        return 400; /* a cliff */
    default:
        return hill;
    }
}

static guarded guarded_make(const gal_controller *controller, uint32_t capacity) {
    const gal_crowd_desc desc = {.controller = controller, .capacity = capacity, .ground = wild_ground};
    guarded g = {.size = gal_crowd_size(&desc)};
    g.block = aligned_alloc(64, 2 * GUARD + ((g.size + 63) & ~(size_t)63));
    assert_non_null(g.block);
    memset(g.block, GUARD_BYTE, 2 * GUARD + g.size);
    assert_int_equal(gal_crowd_init(&g.crowd, g.block + GUARD, g.size, &desc, NULL), GAL_OK);
    return g;
}

static void check_guards(const guarded *g) {
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(g->block[i], GUARD_BYTE);
        assert_int_equal(g->block[GUARD + g->size + i], GUARD_BYTE);
    }
}

static void check_poses(const gal_crowd *crowd) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        uint32_t joints;
        const gal_transform *pose = gal_crowd_pose(crowd, gal_crowd_at(crowd, i), &joints);
        for (size_t k = 0; k < joints * sizeof *pose / sizeof(float); k++) {
            float number;
            memcpy(&number, (const unsigned char *)pose + k * sizeof number, sizeof number);
            assert_true(isfinite(number));
        }
    }
}

static uint32_t random_below(uint64_t *seed, uint32_t count) {
    return (uint32_t)(synthetic_bits(seed) % count);
}

/* Mostly a stick or a place; now and then what no host should give. */
static float random_number(uint64_t *seed, float scale) {
    static const float wild[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 1e-42f, -0.0f, 1e9f};
    const uint32_t which = random_below(seed, 40);
    return which < sizeof wild / sizeof wild[0] ? wild[which] : scale * synthetic_uniform(seed);
}

/* The same for places that are taken: anywhere, and the border. */
static float random_place(uint64_t *seed) {
    static const float far[] = {GAL_PLACE_MOST, -GAL_PLACE_MOST, 1e6f, 1e-42f};
    const uint32_t which = random_below(seed, 20);
    return which < sizeof far / sizeof far[0] ? far[which] : 900 * synthetic_uniform(seed);
}

static gal_input random_input(uint64_t *seed) {
    gal_input input = {.move_x = random_number(seed, 1), .move_y = random_number(seed, 1)};
    input.run = random_number(seed, 1);
    input.strafe = random_number(seed, 1);
    input.crouch = random_number(seed, 1);
    input.camera_yaw = random_number(seed, 4);
    input.responsive = (int)random_below(seed, 2);
    input.jump = (int)random_below(seed, 2);
    return input;
}

/* One thing that happens to a crowd but for its bystander; the same seed is the same thing. */
static void happen(gal_crowd *crowd, gal_character bystander, uint64_t *seed) {
    const uint32_t what = random_below(seed, 16);
    const gal_character who = gal_crowd_at(crowd, random_below(seed, gal_crowd_count(crowd)));
    gal_character new = 0;
    if (what < 4) {
        gal_spawn spawn = {.x = random_place(seed), .z = random_place(seed)};
        spawn.facing = random_number(seed, 4);
        spawn.phase = random_number(seed, 7);
        const gal_status status = gal_crowd_add(crowd, &spawn, &new);
        assert_true((status == GAL_OK) == (new != 0));
    } else if (what < 6) {
        const float x = random_number(seed, 500), z = random_number(seed, 500);
        const gal_status status = gal_crowd_teleport(crowd, who == bystander ? 0 : who, x, z, 1);
        assert_true(status != GAL_OK || (fabsf(x) <= GAL_PLACE_MOST && fabsf(z) <= GAL_PLACE_MOST));
    } else if (who == bystander) {
        return;
    } else if (what < 8) {
        assert_int_equal(gal_crowd_teleport(crowd, who, random_place(seed), random_place(seed), 2), GAL_OK);
    } else if (what < 9) {
        assert_int_equal(gal_crowd_remove(crowd, who), GAL_OK);
    } else if (what < 10) {
        assert_int_equal(gal_crowd_set_foot_lock(crowd, who, (int)random_below(seed, 2)), GAL_OK);
    } else if (what < 11) {
        const gal_pace pace = {.frames = 1 + random_below(seed, 8)};
        assert_int_equal(gal_crowd_set_pace(crowd, who, &pace), GAL_OK);
    } else {
        const gal_input input = random_input(seed);
        assert_int_equal(gal_crowd_set_input(crowd, who, &input), GAL_OK);
    }
}

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes save(const gal_crowd *crowd) {
    bytes b = {NULL, 0};
    gal_crowd_save(crowd, NULL, 0, &b.size);
    b.data = malloc(b.size);
    assert_int_equal(gal_crowd_save(crowd, b.data, b.size, NULL), GAL_OK);
    return b;
}

static void expect_equal(const gal_crowd *a, const gal_crowd *b) {
    bytes x = save(a), y = save(b);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    free(x.data);
    free(y.data);
}

static void *no_memory(void *context, size_t size, size_t alignment) {
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static void never_released(void *context, void *memory, size_t size, size_t alignment) {
    (void)context;
    (void)memory;
    (void)size;
    (void)alignment;
    fail();
}

/* A crowd that cannot be made is none, and the others do not notice. */
static void fail_to_make(const gal_controller *controller) {
    const gal_allocator none = {no_memory, never_released, NULL};
    gal_crowd *crowd;
    assert_int_equal(
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .allocator = &none}, NULL),
        GAL_NO_MEMORY);
    assert_null(crowd);
}

/* What the bystander does, in the crowd and alone. */
static gal_input stroll(uint32_t frame) {
    return (gal_input){
        .move_x = sinf(0.02f * (float)frame), .move_y = 0.8f, .run = frame % 200 < 80 ? 0.7f : 0};
}

static void expect_same_pose(const gal_crowd *a, gal_character x, const gal_crowd *b, gal_character y) {
    uint32_t joints;
    const gal_transform *p = gal_crowd_pose(a, x, &joints), *q = gal_crowd_pose(b, y, NULL);
    assert_true(joints > 0);
    assert_memory_equal(p, q, joints * sizeof *p);
}

/* All that is asserted, over so many frames; returns how often a character was set back. */
static uint64_t soak(const gal_controller *controller, uint32_t frames, uint64_t seed) {
    guarded many = guarded_make(controller, CAPACITY), twin = guarded_make(controller, CAPACITY),
            alone = guarded_make(controller, 1);
    const gal_spawn start = {.x = 20, .z = -30, .facing = 0.5f, .phase = 1};
    gal_character bystander, lone;
    assert_int_equal(gal_crowd_add(many.crowd, &start, &bystander), GAL_OK);
    assert_int_equal(gal_crowd_add(alone.crowd, &start, &lone), GAL_OK);
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (frame % BETWEEN_SNAPSHOTS == 0) {
            bytes saved = save(many.crowd);
            assert_int_equal(gal_crowd_restore(many.crowd, saved.data, saved.size, NULL), GAL_OK);
            assert_int_equal(gal_crowd_restore(twin.crowd, saved.data, saved.size, NULL), GAL_OK);
            free(saved.data);
            fail_to_make(controller);
        }
        const gal_input input = stroll(frame);
        gal_crowd_set_input(many.crowd, bystander, &input);
        gal_crowd_set_input(twin.crowd, bystander, &input);
        gal_crowd_set_input(alone.crowd, lone, &input);
        for (int i = 0; i < 3; i++) {
            uint64_t again = seed;
            happen(many.crowd, bystander, &seed);
            happen(twin.crowd, bystander, &again);
        }
        gal_crowd_step(many.crowd);
        gal_crowd_step(twin.crowd);
        gal_crowd_step(alone.crowd);
        check_poses(many.crowd);
        expect_same_pose(many.crowd, bystander, alone.crowd, lone);
        expect_equal(many.crowd, twin.crowd);
    }
    const uint64_t resets = gal_crowd_resets(many.crowd);
    check_guards(&many);
    check_guards(&twin);
    check_guards(&alone);
    free(many.block);
    free(twin.block);
    free(alone.block);
    return resets;
}

static void soaks(void **model) {
    const char *frames = getenv("GALLOP_SOAK_FRAMES");
    gal_controller *controller;
    assert_int_equal(gal_controller_open(&controller, *model, NULL, NULL), GAL_OK);
    const uint32_t count = frames ? (uint32_t)strtoul(frames, NULL, 10) : FRAMES;
    const uint64_t resets = soak(controller, count, 2026);
    print_message("%u frames, %llu characters set back\n", count, (unsigned long long)resets);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(soaks, GALLOP_SOURCE_DIR "/models/walker.gallop"),
        cmocka_unit_test_prestate(soaks, GALLOP_SOURCE_DIR "/models/dog.gallop"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
