/* Recordings: what was done to a crowd, played again, gives the same hashes; what is damaged says so. */
#include "crowd/record_layout.h"
#include "motion/mannequin.h"

enum { FRAMES = 90, PLACES = 4, MOST = 1 << 22 };

typedef struct tape {
    uint64_t words[MOST / 8];
    size_t size;
} tape;

static void write_tape(void *context, const void *data, size_t size) {
    tape *to = context;
    assert_true(to->size + size <= MOST);
    memcpy((unsigned char *)to->words + to->size, data, size);
    to->size += size;
}

static gal_controller *walker(void) {
    gal_controller *controller;
    assert_int_equal(gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/walker.gallop", NULL, NULL),
                     GAL_OK);
    return controller;
}

static const float bumps[] = {0, 20, 5, 0, 10, 40, 0, 30, 0};
static const gal_height_field field = {bumps, 3, 3, 300, -300, -300};

static gal_crowd *on_field(const gal_controller *controller, const gal_height_field *ground) {
    gal_crowd *crowd;
    const gal_crowd_desc desc = {.controller = controller,
                                 .capacity = PLACES,
                                 .ground = gal_height_field_ground,
                                 .ground_context = (void *)ground};
    assert_int_equal(gal_crowd_create(&crowd, &desc, NULL), GAL_OK);
    return crowd;
}

/* All kinds of calls, among steps; a rollback, too. */
static void live(gal_crowd *crowd) {
    static unsigned char kept[1 << 17];
    size_t used;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        gal_character who = gal_crowd_at(crowd, frame % gal_crowd_count(crowd)), added;
        gal_input input = {.move_y = 0.91f, .move_x = 0.137f * (float)(frame % 17), .run = (float)(frame % 3)};
        assert_int_equal(gal_crowd_set_input(crowd, who, &input), GAL_OK);
        if (frame % 20 == 5) {
            gal_crowd_add(crowd, &(gal_spawn){.x = (float)frame, .phase = 1}, &added);
        } else if (frame % 20 == 15) {
            assert_int_equal(gal_crowd_remove(crowd, who), GAL_OK);
        } else if (frame == 30) {
            assert_int_equal(gal_crowd_teleport(crowd, who, -50, 60, 2), GAL_OK);
        } else if (frame == 31 || frame == 50) {
            assert_int_equal(gal_crowd_set_foot_lock(crowd, who, frame == 50), GAL_OK);
        } else if (frame == 40) {
            assert_int_equal(gal_crowd_save(crowd, kept, sizeof kept, &used), GAL_OK);
        } else if (frame == 48) {
            assert_int_equal(gal_crowd_restore(crowd, kept, used, NULL), GAL_OK);
        }
        if (frame % 25 == 20) {
            gal_crowd_set_pace(crowd, gal_crowd_at(crowd, 0), frame % 2 ? &(gal_pace){4, 0} : NULL);
        }
        gal_crowd_step(crowd);
    }
}

static const tape *recorded(gal_controller *controller) {
    static tape made;
    gal_crowd *crowd = on_field(controller, &field);
    crowd_add(crowd, (gal_spawn){0});
    crowd_add(crowd, (gal_spawn){.x = 100});
    gal_crowd_step(crowd);
    made.size = 0;
    assert_int_equal(gal_crowd_record(crowd, write_tape, &made, NULL), GAL_OK);
    live(crowd);
    size_t size = made.size;
    assert_int_equal(gal_crowd_record(crowd, NULL, NULL, NULL), GAL_OK);
    gal_crowd_step(crowd);
    assert_int_equal(made.size, size);
    gal_crowd_destroy(crowd);
    return &made;
}

/* Plays to the end; returns the frame after which the hashes part, FRAMES + 1 if they never do. */
static uint64_t play(const tape *from, const gal_controller *controller, const gal_height_field *ground) {
    gal_replay replay;
    uint64_t hash, parted = FRAMES + 1;
    gal_status status;
    assert_int_equal(gal_replay_open(&replay, from->words, from->size, NULL), GAL_OK);
    assert_int_equal(replay.group_count, 1);
    assert_string_equal(replay.groups[0].controller, "walker");
    gal_crowd *crowd = on_field(controller, ground ? ground : &replay.field);
    assert_int_equal(gal_replay_begin(&replay, crowd, NULL), GAL_OK);
    while ((status = gal_replay_step(&replay, crowd, &hash, NULL)) == GAL_OK) {
        if (hash != gal_crowd_hash(crowd) && parted > FRAMES) {
            parted = replay.frame;
        }
    }
    assert_int_equal(status, GAL_NOT_FOUND);
    assert_int_equal(replay.frame, FRAMES);
    gal_crowd_destroy(crowd);
    return parted;
}

static void a_recording_plays_bit_for_bit(void **unused) {
    (void)unused;
    gal_controller *controller = walker();
    const tape *from = recorded(controller);
    assert_int_equal(play(from, controller, NULL), FRAMES + 1);
    float other[9];
    memcpy(other, bumps, sizeof other);
    other[4] += 1; /* the middle, where they are */
    const gal_height_field higher = {other, 3, 3, 300, -300, -300};
    assert_true(play(from, controller, &higher) <= 2);
    gal_controller_close(controller);
}

static void a_recording_that_breaks_off_is_good_to_its_last_step(void **unused) {
    (void)unused;
    gal_controller *controller = walker();
    tape *cut = malloc(sizeof *cut);
    *cut = *recorded(controller);
    gal_replay replay;
    gal_crowd *crowd = on_field(controller, &field);
    cut->size -= 7;
    assert_int_equal(gal_replay_open(&replay, cut->words, cut->size, NULL), GAL_OK);
    assert_int_equal(gal_replay_begin(&replay, crowd, NULL), GAL_OK);
    while (gal_replay_step(&replay, crowd, NULL, NULL) == GAL_OK) {
    }
    assert_int_equal(replay.frame, FRAMES - 1);
    assert_int_equal(gal_replay_step(&replay, crowd, NULL, NULL), GAL_NOT_FOUND);
    for (size_t size = 0; size < replay.start; size += 1 + size / 16) {
        gal_error error = {0};
        cut->size = size;
        assert_int_equal(gal_replay_open(&replay, cut->words, size, &error), GAL_BAD_DATA);
        assert_non_null(strstr(error.message, "recording"));
    }
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    free(cut);
}

static void damage_is_named(void **unused) {
    (void)unused;
    gal_controller *controller = walker();
    tape *bad = malloc(sizeof *bad);
    gal_replay replay;
    gal_error error = {0};
    gal_crowd *crowd = on_field(controller, &field);
    *bad = *recorded(controller);
    assert_int_equal(gal_replay_open(&replay, bad->words, bad->size, NULL), GAL_OK);
    uint32_t *first = (uint32_t *)(void *)((unsigned char *)bad->words + replay.start), kept = *first;
    *first = 99;
    assert_int_equal(gal_replay_begin(&replay, crowd, NULL), GAL_OK);
    assert_int_equal(gal_replay_step(&replay, crowd, NULL, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "an unknown call"));
    *first = kept;
    first[1] ^= 0x40000; /* the handle of the first input */
    assert_int_equal(gal_replay_begin(&replay, crowd, NULL), GAL_OK);
    assert_int_equal(gal_replay_step(&replay, crowd, NULL, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "a call fails here"));
    assert_int_equal(gal_replay_open(&replay, (unsigned char *)bad->words + 1, 8, NULL), GAL_BAD_ARGUMENT);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    free(bad);
}

/* Every block that is out, and how many were asked for. */
typedef struct counted {
    int calls, out;
} counted;

static void *counted_allocate(void *context, size_t size, size_t alignment) {
    counted *c = context;
    c->calls++;
    c->out++;
    return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

static void counted_release(void *context, void *memory, size_t size, size_t alignment) {
    counted *c = context;
    (void)size;
    (void)alignment;
    c->out--;
    free(memory);
}

/* Also of a crowd in the host's memory. */
static void recording_takes_the_crowds_allocator(void **unused) {
    (void)unused;
    counted count = {0, 0};
    const gal_allocator allocator = {counted_allocate, counted_release, &count};
    gal_controller *controller = walker();
    const gal_crowd_desc desc = {.controller = controller, .capacity = PLACES, .allocator = &allocator};
    const size_t size = gal_crowd_size(&desc);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    gal_crowd *crowd;
    tape *made = calloc(1, sizeof *made);
    assert_int_equal(gal_crowd_init(&crowd, memory, size, &desc, NULL), GAL_OK);
    assert_int_equal(count.calls, 0);
    assert_int_equal(gal_crowd_record(crowd, write_tape, made, NULL), GAL_OK);
    assert_int_equal(count.calls, 1);
    assert_int_equal(count.out, 0);
    free(memory);
    free(made);
    gal_controller_close(controller);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_plays_bit_for_bit),
        cmocka_unit_test(a_recording_that_breaks_off_is_good_to_its_last_step),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(recording_takes_the_crowds_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
