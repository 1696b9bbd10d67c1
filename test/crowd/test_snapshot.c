/* Saving and restoring crowds (snapshot.c), and characters put elsewhere (teleport.c). */
#include "crowd/crowd_parts.h"
#include "motion/mannequin.h"
#include "motion/state.h"

enum { PLACES = 5, BEFORE = 70, AFTER = 40 };

static const mannequin_desc biped = {
    .wobble = 0.4f, .step_z = 1.2f, .phase = 0.02f, .contact = 0.7f, .seed = 5};

static gal_controller *controller_of(const char *model) {
    gal_controller *controller;
    gal_error error = {0};
    char path[256];
    if (!model) {
        return mannequin_open(&biped);
    }
    snprintf(path, sizeof path, GALLOP_SOURCE_DIR "/models/%s.gallop", model);
    if (gal_controller_open(&controller, path, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return controller;
}

/* Everybody's input of a frame: changing, each its own, with all that an input has. */
static void play(gal_crowd *crowd, uint32_t frame) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        float t = 0.05f * (float)frame + (float)i;
        gal_input input = {.move_x = sinf(t),
                           .move_y = 0.5f + 0.5f * cosf(t),
                           .run = i == 1 ? 1.0f : 0.5f,
                           .strafe = i == 2 ? 0.7f : 0,
                           .crouch = i == 3 ? 0.8f : 0,
                           .camera_yaw = 0.3f * t,
                           .responsive = i == 2,
                           .jump = i == 1};
        assert_int_equal(gal_crowd_set_input(crowd, gal_crowd_at(crowd, i), &input), GAL_OK);
    }
    gal_crowd_step(crowd);
}

/* A crowd that has seen additions and removals, with a free place and handles of several generations. */
static gal_crowd *lived_in(const gal_controller *controller) {
    gal_crowd *crowd = crowd_of(controller, PLACES, hills);
    gal_character first = crowd_add(crowd, (gal_spawn){0});
    for (uint32_t i = 1; i < PLACES; i++) {
        crowd_add(crowd, (gal_spawn){.x = 120 * (float)i, .facing = (float)i, .phase = (float)i});
    }
    gal_crowd_set_pace(crowd, gal_crowd_at(crowd, 2), &(gal_pace){.frames = 8});
    for (uint32_t frame = 0; frame < BEFORE; frame++) {
        play(crowd, frame);
        if (frame == 10) {
            assert_int_equal(gal_crowd_remove(crowd, first), GAL_OK);
            crowd_add(crowd, (gal_spawn){.z = 300});
        }
    }
    gal_crowd_set_foot_lock(crowd, gal_crowd_at(crowd, 0), 0);
    const gali_one one = gali_crowd_one(crowd, crowd->order[2]);
    uint32_t legs = one.lanes.controller->contract->leg_count; /* rare, and as good as any state */
    if (legs) {
        gali_bank_set(one.lanes.bank, one.lanes.controller->layout.foot_released, one.lane, 1);
    }
    assert_int_equal(gal_crowd_remove(crowd, gal_crowd_at(crowd, 1)), GAL_OK);
    gal_crowd_advance(crowd, 0.3f / 60, 0, NULL);
    return crowd;
}

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes save(const gal_crowd *crowd) {
    size_t used = 0;
    bytes b = {.size = gal_crowd_snapshot_size(crowd)};
    b.data = malloc(b.size);
    assert_int_equal(gal_crowd_save(crowd, NULL, 0, &used), GAL_NO_MEMORY);
    assert_int_equal(gal_crowd_save(crowd, b.data, used - 1, NULL), GAL_NO_MEMORY);
    assert_int_equal(gal_crowd_save(crowd, b.data, b.size, &b.size), GAL_OK);
    assert_int_equal(b.size, used);
    return b;
}

static void expect_equal(const gal_crowd *a, const gal_crowd *b) {
    bytes x = save(a), y = save(b);
    assert_int_equal(gal_crowd_count(a), gal_crowd_count(b));
    for (uint32_t i = 0; i < gal_crowd_count(a); i++) {
        assert_int_equal(gal_crowd_at(a, i), gal_crowd_at(b, i));
    }
    if (a->capacity == b->capacity) {
        assert_int_equal(x.size, y.size);
        assert_memory_equal(x.data, y.data, x.size);
    }
    free(x.data);
    free(y.data);
}

/* The state itself, by its memory: what no snapshot has would differ. */
static void expect_equal_fields(const gal_crowd *a, const gal_crowd *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        const gali_one x = gali_crowd_one(a, a->order[i]), y = gali_crowd_one(b, b->order[i]);
        const gali_contract *contract = x.lanes.controller->contract;
        const gali_layout *is = &x.lanes.controller->layout;
        for (uint32_t n = 0; n < is->numbers; n++) {
            assert_memory_equal(gali_bank_at(x.lanes.bank, n, x.lane), gali_bank_at(y.lanes.bank, n, y.lane),
                                sizeof(float));
        }
        for (uint32_t back = 1; back <= contract->past; back++) {
            assert_memory_equal(gali_bank_record(x.lanes.bank, contract, is, x.lane, back),
                                gali_bank_record(y.lanes.bank, contract, is, y.lane, back),
                                (GALI_RECORD_GAIT + contract->gait_count) * sizeof(float));
        }
        assert_memory_equal(gali_bank_pose_before(x.lanes.bank, is, x.lane),
                            gali_bank_pose_before(y.lanes.bank, is, y.lane),
                            contract->joint_count * sizeof(gal_transform));
        assert_memory_equal(gali_bank_pose_bridge(x.lanes.bank, is, x.lane),
                            gali_bank_pose_bridge(y.lanes.bank, is, y.lane),
                            contract->joint_count * sizeof(gal_transform));
    }
}

/* Into itself, into a new crowd, into one that is larger and has a life of its own: all go on in the same bits. */
static void goes_on_bit_for_bit(void **unused) {
    (void)unused;
    static const char *const models[] = {NULL, "walker", "dog"};
    for (size_t m = 0; m < 3; m++) {
        gal_controller *controller = controller_of(models[m]);
        gal_crowd *crowd = lived_in(controller), *empty = crowd_of(controller, PLACES, hills),
                  *larger = crowd_of(controller, PLACES + 3, hills);
        for (uint32_t i = 0; i < PLACES + 3; i++) {
            crowd_add(larger, (gal_spawn){.x = 9});
        }
        bytes saved = save(crowd);
        assert_int_equal(gal_crowd_restore(empty, saved.data, saved.size, NULL), GAL_OK);
        assert_int_equal(gal_crowd_restore(larger, saved.data, saved.size, NULL), GAL_OK);
        expect_equal(crowd, empty);
        expect_equal_fields(crowd, empty);
        for (uint32_t frame = 0; frame < AFTER; frame++) {
            play(crowd, BEFORE + frame);
            play(empty, BEFORE + frame);
            play(larger, BEFORE + frame);
        }
        assert_int_equal(crowd_add(crowd, (gal_spawn){0}), crowd_add(empty, (gal_spawn){0}));
        assert_int_equal(gal_crowd_at(crowd, PLACES - 1), crowd_add(larger, (gal_spawn){0}));
        assert_true(gal_crowd_advance(crowd, 0.75f / 60, 0, NULL) == 1);
        assert_true(gal_crowd_advance(empty, 0.75f / 60, 0, NULL) == 1);
        expect_equal(crowd, empty);
        expect_equal(crowd, larger);
        bytes after = save(crowd); /* rolled back and played again */
        assert_int_equal(gal_crowd_restore(crowd, saved.data, saved.size, NULL), GAL_OK);
        for (uint32_t frame = 0; frame < AFTER; frame++) {
            play(crowd, BEFORE + frame);
        }
        crowd_add(crowd, (gal_spawn){0});
        gal_crowd_advance(crowd, 0.75f / 60, 0, NULL);
        bytes again = save(crowd);
        assert_int_equal(after.size, again.size);
        assert_memory_equal(after.data, again.data, after.size);
        free(saved.data);
        free(after.data);
        free(again.data);
        gal_crowd_destroy(crowd);
        gal_crowd_destroy(empty);
        gal_crowd_destroy(larger);
        gal_controller_close(controller);
    }
}

static void expect_refused(gal_crowd *crowd, const void *data, size_t size, gal_status status,
                           const char *why) {
    gal_error error = {0};
    bytes before = save(crowd);
    assert_int_equal(gal_crowd_restore(crowd, data, size, &error), status);
    if (!strstr(error.message, why)) {
        fail_msg("\"%s\", expected \"%s\"", error.message, why);
    }
    bytes after = save(crowd);
    assert_memory_equal(before.data, after.data, before.size);
    free(before.data);
    free(after.data);
}

/*
 * Words of a snapshot of PLACES: head (magic, version, groups, count, resets 2, owed 2, bar 2), group (kind, words, capacity,
 * count), generations.
 */
enum {
    MAGIC = 0,
    GROUPS = 2,
    COUNT = 3,
    OWED = 7,
    BAR = 8,
    KIND = 10,
    WORDS = 11,
    CAPACITY = 12,
    GROUP_COUNT = 13,
    GENERATIONS = 14,
    HANDLE = GENERATIONS + PLACES
};

static const struct {
    uint32_t word, value;
    const char *why;
} damages[] = {{MAGIC, 7, "not one of this version"},
               {MAGIC + 1, 2, "not one of this version"},
               {GROUPS, 0, "of 0 groups"},
               {GROUPS, 2, "of 2 groups"},
               {KIND, 7, "of a controller with other joints"},
               {WORDS, 7, "of a controller with other joints"},
               {CAPACITY, 0xffffffff, "characters in"},
               {CAPACITY, 3, "4 characters in 3 places"},
               {CAPACITY, 4, "for 4 characters in 4 places"},
               {COUNT, 5, "5 characters, 4 in its groups' 5 places"},
               {GROUP_COUNT, 3, "4 characters, 3 in its groups' 5 places"},
               {GROUP_COUNT, 0xffffffff, "characters in 5 places"},
               {OWED, 0x7ff80000, "its clock"},
               {OWED, 0xbff00000, "its clock"},
               {HANDLE, 0, "character 0 has handle 0, which is none"},
               {HANDLE, 0x20006, "character 0 has handle 131078, which is none"},
               {HANDLE, 0x70002, "which is none"},
               {BAR, 7000, "its budget's bar is 7000"},
               {HANDLE + 1, 0x7fc00000, "a pace that this crowd has not"},
               {HANDLE + 1, 0xbf800000, "a pace that this crowd has not"},
               {HANDLE + 2, 8, "a pace that this crowd has not"},
               {HANDLE + 2, 1 << 8, "a pace that this crowd has not"},
               {HANDLE + 2, 9 << 16, "a pace that this crowd has not"},
               {HANDLE + 2, 1 << 24, "a pace that this crowd has not"},
               {HANDLE + 3, 6, "a pace that this crowd has not"},
               {HANDLE + 3, 9 << 8, "a pace that this crowd has not"},
               {HANDLE + 3, 2 << 16, "a pace that this crowd has not"},
               {HANDLE + 3, 1 << 24, "a pace that this crowd has not"},
               {HANDLE + 15, 0x7fc00000, "character 0 has a number that is out of range"}};

static void damage_is_refused(void **unused) {
    (void)unused;
    gal_controller *controller = controller_of(NULL);
    gal_crowd *crowd = lived_in(controller);
    bytes good = save(crowd);
    uint32_t *words = malloc(good.size);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        memcpy(words, good.data, good.size);
        words[damages[i].word] = damages[i].value;
        expect_refused(crowd, words, good.size, GAL_BAD_DATA, damages[i].why);
    }
    memcpy(words, good.data, good.size);
    words[HANDLE + 2] = 3; /* frames until it is due, of one that waits to be due at all */
    words[HANDLE + 3] = GALI_RUNGS | 1 << 8;
    expect_refused(crowd, words, good.size, GAL_BAD_DATA, "a pace that this crowd has not");
    memcpy(words, good.data, good.size);
    words[HANDLE + 4 + words[WORDS]] = words[HANDLE];
    expect_refused(crowd, words, good.size, GAL_BAD_DATA, "character 1 is there twice");
    expect_refused(crowd, good.data, good.size - 1, GAL_BAD_DATA, "bytes for 4 characters");
    expect_refused(crowd, good.data, 39, GAL_BAD_DATA, "39 bytes, expected at least");
    expect_refused(crowd, NULL, 0, GAL_BAD_DATA, "0 bytes");
    gal_crowd *small = crowd_of(controller, 2, NULL);
    expect_refused(small, good.data, good.size, GAL_FULL, "of 2");
    free(words);
    free(good.data);
    gal_crowd_destroy(small);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* Bytes from anywhere: whatever is taken can be stepped, and saves what can be taken again. */
static void hostile_bytes_do_no_harm(void **unused) {
    (void)unused;
    uint64_t seed = 3;
    uint32_t taken = 0;
    gal_controller *controller = controller_of(NULL);
    gal_crowd *crowd = lived_in(controller);
    bytes good = save(crowd);
    unsigned char *bad = malloc(good.size);
    for (int round = 0; round < 400; round++) {
        memcpy(bad, good.data, good.size);
        size_t reach = round % 2 ? good.size : 100; /* every other one where the structure is */
        for (int k = 0; k < 1 + round % 8; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bad[(seed >> 33) % reach] ^= (unsigned char)(seed >> 20);
        }
        if (gal_crowd_restore(crowd, bad, good.size, NULL) == GAL_OK) {
            taken++;
            play(crowd, 1);
            bytes again = save(crowd);
            assert_int_equal(gal_crowd_restore(crowd, again.data, again.size, NULL), GAL_OK);
            free(again.data);
        }
    }
    assert_true(taken > 50);
    free(bad);
    free(good.data);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* Trained anew, the same skeleton: characters stay where they are. Another skeleton: not these characters. */
static void a_controller_may_be_exchanged(void **unused) {
    (void)unused;
    mannequin_desc trained_anew = biped;
    trained_anew.seed = 6;
    gal_controller *old = mannequin_open(&biped), *new = mannequin_open(&trained_anew),
                   *dog = controller_of("dog");
    gal_crowd *crowd = lived_in(old), *next = crowd_of(new, PLACES, hills),
              *other = crowd_of(dog, PLACES, hills);
    bytes saved = save(crowd);
    assert_int_equal(gal_crowd_restore(next, saved.data, saved.size, NULL), GAL_OK);
    play(next, BEFORE);
    play(crowd, BEFORE);
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        gal_character_state a, b;
        assert_int_equal(gal_crowd_state(crowd, gal_crowd_at(crowd, i), &a), GAL_OK);
        assert_int_equal(gal_crowd_state(next, gal_crowd_at(crowd, i), &b), GAL_OK);
        assert_true(distance(a.root, b.root) < 5);
    }
    char words[64];
    snprintf(words, sizeof words, "%u numbers a character, %u here", (uint32_t)gali_state_words(old),
             (uint32_t)gali_state_words(dog));
    expect_refused(other, saved.data, saved.size, GAL_BAD_DATA, "of a controller with other joints");
    expect_refused(other, saved.data, saved.size, GAL_BAD_DATA, words);
    free(saved.data);
    gal_crowd_destroy(crowd);
    gal_crowd_destroy(next);
    gal_crowd_destroy(other);
    gal_controller_close(old);
    gal_controller_close(new);
    gal_controller_close(dog);
}

/* The largest distance between joints of a and of b, a seen from its root. */
static float apart(const gal_crowd *a, gal_character x, const gal_crowd *b, gal_character y) {
    gal_character_state from, to;
    uint32_t joints;
    float most = 0;
    const gal_transform *p = gal_crowd_pose(a, x, &joints), *q = gal_crowd_pose(b, y, NULL);
    assert_int_equal(gal_crowd_state(a, x, &from), GAL_OK);
    assert_int_equal(gal_crowd_state(b, y, &to), GAL_OK);
    gali_vec2 f = gali_facing_from_angle(from.facing), t = gali_facing_from_angle(to.facing);
    for (uint32_t j = 0; j < joints; j++) {
        gal_vec3 here = gali_vec3_unturn(f, gali_vec3_sub(p[j].position, from.root));
        gal_vec3 there = gali_vec3_unturn(t, gali_vec3_sub(q[j].position, to.root));
        most = fmaxf(most, distance(here, there));
        most =
            fmaxf(most, fabsf(gali_quat_mul(gali_quat_conjugate(gali_quat_from_facing(f)), p[j].rotation).w -
                              gali_quat_mul(gali_quat_conjugate(gali_quat_from_facing(t)), q[j].rotation).w));
    }
    return most;
}

static float plateau(void *context, float x, float z) {
    (void)context;
    (void)z;
    return x < -300 ? 80 : 0;
}

/* One walks on, one elsewhere and higher with the camera turned as much: the same motion, to rounding. */
static void teleported_walks_on(void **unused) {
    (void)unused;
    static const char *const models[] = {"walker", "dog"};
    const float turn = 2;
    for (size_t m = 0; m < 2; m++) {
        gal_controller *controller = controller_of(models[m]);
        gal_crowd *crowd = crowd_of(controller, 2, plateau);
        gal_character stays = crowd_add(crowd, (gal_spawn){.x = 50}),
                      goes = crowd_add(crowd, (gal_spawn){.x = 50});
        gal_character_state here, there;
        gal_input input = {.move_y = 1, .run = 0.3f};
        for (uint32_t frame = 0; frame < 90; frame++) {
            gal_crowd_set_input(crowd, stays, &input);
            input.camera_yaw = frame < 60 ? 0 : turn;
            gal_crowd_set_input(crowd, goes, &input);
            input.camera_yaw = 0;
            if (frame == 60) {
                gal_crowd_state(crowd, stays, &here);
                assert_int_equal(gal_crowd_teleport(crowd, goes, -700, 30, here.facing + turn), GAL_OK);
                gal_crowd_state(crowd, goes, &there);
                assert_true(there.root.x == -700 && there.root.z == 30 && there.phase == here.phase);
                assert_true(fabsf(sinf(there.facing - here.facing - turn)) < 1e-5f);
                assert_true(apart(crowd, stays, crowd, goes) < 1e-3f);
                gal_transform between[64];
                assert_int_equal(gal_crowd_pose_between(crowd, goes, 0, between), GAL_OK);
                assert_true(fabsf(between[0].position.x + 700) < 50);
            }
            gal_crowd_step(crowd);
            assert_true(apart(crowd, stays, crowd, goes) < 0.1f);
        }
        gal_crowd_destroy(crowd);
        gal_controller_close(controller);
    }
}

/* Heights follow the ground; what cannot be is refused. */
static void teleported_stands_on_the_ground(void **unused) {
    (void)unused;
    gal_controller *controller = controller_of(NULL);
    gal_crowd *crowd = crowd_of(controller, 1, hills);
    gal_character who = crowd_add(crowd, (gal_spawn){0});
    gal_character_state before, after;
    play(crowd, 0);
    gal_crowd_state(crowd, who, &before);
    float hips = gal_crowd_pose(crowd, who, NULL)[0].position.y;
    float rise = hills(NULL, 143, 0) - hills(NULL, before.root.x, before.root.z);
    assert_true(fabsf(rise) > 5);
    assert_int_equal(gal_crowd_teleport(crowd, who, 143, 0, 0), GAL_OK);
    gal_crowd_state(crowd, who, &after);
    assert_true(fabsf(after.root.y - before.root.y - rise) < 1e-3f);
    assert_true(fabsf(gal_crowd_pose(crowd, who, NULL)[0].position.y - hips - rise) < 1e-3f);
    assert_int_equal(gal_crowd_teleport(crowd, who, NAN, 0, 0), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_teleport(crowd, who, 0, INFINITY, 0), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_teleport(crowd, who + 1, 0, 0, 0), GAL_NOT_FOUND);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* Words of a lone character's state in its snapshot, which stand at its end, behind its handle and its pace. */
static uint32_t words_of(const gal_controller *controller) {
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    bytes none = save(crowd);
    crowd_add(crowd, (gal_spawn){0});
    bytes one = save(crowd);
    const uint32_t words = (uint32_t)((one.size - none.size - sizeof(gali_pace)) / sizeof(uint32_t)) - 1;
    free(none.data);
    free(one.data);
    gal_crowd_destroy(crowd);
    return words;
}

/* Whether all joints are about as far from the root as those of a rest pose. */
static int is_itself(const gal_crowd *crowd, gal_character who, float reach) {
    gal_character_state state;
    uint32_t joints;
    const gal_transform *pose = gal_crowd_pose(crowd, who, &joints);
    assert_int_equal(gal_crowd_state(crowd, who, &state), GAL_OK);
    int near = 1;
    for (uint32_t j = 0; j < joints; j++) {
        near &= distance(pose[j].position, state.root) < 2 * reach;
    }
    return near;
}

/*
 * Any word of a state as large as it may be: what is taken leaves a character that comes to itself, whose crowd takes back
 * what it saves; that after a teleport, too.
 */
static void nothing_large_lasts(void **unused) {
    (void)unused;
    static const struct {
        const char *model;
        float value;
        uint32_t stride; /* of the words that are tried */
    } cases[] = {{"walker", 1e30f, 1}, {"walker", 2e7f, 31}, {"walker", 65536, 3}, {"walker", -2000, 31},
                 {"dog", 1e30f, 1},    {"dog", 65536, 3}}; /* 3: a component of every vector */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gal_controller *controller = controller_of(cases[i].model);
        gal_crowd *crowd = crowd_of(controller, 1, NULL);
        gal_character who = crowd_add(crowd, (gal_spawn){0});
        const uint32_t words = words_of(controller);
        for (uint32_t frame = 0; frame < BEFORE; frame++) {
            play(crowd, frame);
        }
        bytes good = save(crowd);
        unsigned char *bad = malloc(good.size);
        uint32_t taken = 0;
        for (uint32_t word = 0; word < words; word += cases[i].stride) {
            memcpy(bad, good.data, good.size);
            memcpy(bad + good.size - (words - word) * sizeof(float), &cases[i].value, sizeof(float));
            if (gal_crowd_restore(crowd, bad, good.size, NULL) != GAL_OK) {
                continue;
            }
            taken++;
            if (word % 2) {
                assert_int_equal(gal_crowd_teleport(crowd, who, 10, 20, 1), GAL_OK);
            }
            bytes back = save(crowd);
            assert_int_equal(gal_crowd_restore(crowd, back.data, back.size, NULL), GAL_OK);
            free(back.data);
            for (uint32_t frame = 0; frame < 600 && (frame < 8 || !is_itself(crowd, who, 200)); frame++) {
                play(crowd, frame);
            }
            if (!is_itself(crowd, who, 200)) {
                fail_msg("%s: word %u of %g lasts", cases[i].model, word, (double)cases[i].value);
            }
        }
        print_message("%s, %g: %u of %u words taken\n", cases[i].model, (double)cases[i].value, taken, words);
        assert_true(cases[i].value < 1e29f || taken <= 10); /* flags, counts */
        free(bad);
        free(good.data);
        gal_crowd_destroy(crowd);
        gal_controller_close(controller);
    }
}

/* Whoever had a place before, and whatever was done to it there: who comes next is the same, and its snapshot. */
static void a_place_does_not_remember(void **unused) {
    (void)unused;
    static const char *const models[] = {NULL, "walker", "dog"};
    for (size_t m = 0; m < 3; m++) {
        gal_controller *controller = controller_of(models[m]);
        gal_crowd *used = crowd_of(controller, PLACES, hills), *fresh = crowd_of(controller, PLACES, hills);
        gal_character who = crowd_add(used, (gal_spawn){.x = GAL_PLACE_MOST});
        for (uint32_t frame = 0; frame < BEFORE; frame++) {
            play(used, frame);
        }
        gal_crowd_set_foot_lock(used, who, 0);
        assert_int_equal(gal_crowd_teleport(used, who, -GAL_PLACE_MOST, GAL_PLACE_MOST, 2), GAL_OK);
        play(used, 0);
        assert_int_equal(gal_crowd_remove(used, who), GAL_OK);
        who = crowd_add(used, (gal_spawn){.z = -GAL_PLACE_MOST});
        assert_int_equal(gal_crowd_teleport(used, who, 0, 0, 0), GAL_OK);
        assert_int_equal(gal_crowd_remove(used, who), GAL_OK);
        assert_int_equal(gal_crowd_resets(used), 0);
        crowd_add(fresh, (gal_spawn){0});
        gal_crowd_remove(fresh, gal_crowd_at(fresh, 0));
        crowd_add(fresh, (gal_spawn){0});
        gal_crowd_remove(fresh, gal_crowd_at(fresh, 0));
        crowd_add(used, (gal_spawn){.x = 7, .facing = 1, .phase = 2});
        crowd_add(fresh, (gal_spawn){.x = 7, .facing = 1, .phase = 2});
        for (uint32_t frame = 0; frame < AFTER; frame++) {
            expect_equal(used, fresh);
            expect_equal_fields(used, fresh);
            play(used, frame);
            play(fresh, frame);
        }
        gal_crowd_destroy(used);
        gal_crowd_destroy(fresh);
        gal_controller_close(controller);
    }
}

static float cliff(void *context, float x, float z) {
    (void)context;
    (void)z;
    return x > 50 ? 1e30f : x < -50 ? -3e38f : 0;
}

/* Beyond the border nothing is put, the ground is not, and a crowd takes back what it saved, whatever its ground says. */
static void places_are_bounded(void **unused) {
    (void)unused;
    gal_controller *controller = controller_of("walker");
    gal_crowd *crowd = crowd_of(controller, 2, cliff);
    gal_character who = crowd_add(crowd, (gal_spawn){.x = 60}), none;
    const float beyond = nextafterf(GAL_PLACE_MOST, INFINITY);
    const gal_spawn bad[] = {{.x = beyond}, {.z = -beyond},       {.x = 3e38f, .z = -3e38f},
                             {.x = NAN},    {.facing = INFINITY}, {.phase = NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gal_crowd_add(crowd, &bad[i], &none), GAL_BAD_ARGUMENT);
        assert_int_equal(none, 0);
    }
    assert_int_equal(gal_crowd_teleport(crowd, who, beyond, 0, 0), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_teleport(crowd, who, 0, -beyond, 0), GAL_BAD_ARGUMENT);
    assert_int_equal(gal_crowd_teleport(crowd, who, 0, 0, NAN), GAL_BAD_ARGUMENT);
    for (uint32_t frame = 0; frame < 120; frame++) {
        gal_input input = {
            .move_x = frame < 60 ? 1.0f : -1.0f, .run = 1, .camera_yaw = frame % 2 ? 3e38f : -1e9f};
        assert_int_equal(gal_crowd_set_input(crowd, who, &input), GAL_OK);
        gal_crowd_step(crowd);
        bytes saved = save(crowd);
        assert_int_equal(gal_crowd_restore(crowd, saved.data, saved.size, NULL), GAL_OK);
        free(saved.data);
    }
    assert_int_equal(gal_crowd_resets(crowd), 0);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* A frame run a thousandth early leaves less than nothing owed, which is as good a time as any. */
static void a_clock_ahead_is_taken_back(void **unused) {
    (void)unused;
    gal_controller *controller = controller_of(NULL);
    gal_crowd *crowd = crowd_of(controller, 1, NULL);
    assert_int_equal(gal_crowd_advance(crowd, 0.9995f / 60, 0, NULL), 1);
    bytes saved = save(crowd);
    assert_int_equal(gal_crowd_restore(crowd, saved.data, saved.size, NULL), GAL_OK);
    free(saved.data);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_bit_for_bit),      cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(hostile_bytes_do_no_harm), cmocka_unit_test(a_controller_may_be_exchanged),
        cmocka_unit_test(teleported_walks_on),      cmocka_unit_test(teleported_stands_on_the_ground),
        cmocka_unit_test(nothing_large_lasts),      cmocka_unit_test(a_place_does_not_remember),
        cmocka_unit_test(places_are_bounded),       cmocka_unit_test(a_clock_ahead_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
