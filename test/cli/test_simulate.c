/* simulate and replay: the same bytes however a simulation is cut and stopped; builds that part are told apart. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_line.h"
#include "npy.h"

#define WALKER GALLOP_SOURCE_DIR "/models/walker-small.gallop"
#define DOG GALLOP_SOURCE_DIR "/models/dog.gallop"

/* `gallop ...` whose lines on stderr are progress. */
static const said *run(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return gallop(line);
}

static void expect_done(const said *s) {
    if (s->status != 0) {
        fail_msg("status %d, \"%s\"", s->status, s->err);
    }
}

static float *shard(const char *name, uint32_t number, size_t *shape) {
    char path[256];
    float *values;
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/%s-shard-%05u.npy", place, name, number);
    if (gali_npy_read_f32(path, 3, &values, shape, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return values;
}

/* The shards of a folder, beside it under its name: folders of tests are one level deep. */
static void move_out(const char *name) {
    char line[512];
    snprintf(line, sizeof line, "cd %s && for f in %s/*; do mv $f %s-${f#%s/}; done && rmdir %s", place, name,
             name, name, name);
    assert_int_equal(system(line), 0);
}

static void a_shard_is_the_same_however_the_whole_is_cut(void **unused) {
    (void)unused;
    size_t one[3], two[3];
    expect_done(run("simulate %s %s -o %s/a --count 6 --shard 6 --seconds 5 --seed 3", WALKER, DOG, place));
    expect_done(
        run("simulate %s %s -o %s/b --count 6 --shard 2 --seconds 5 --seed 3 --part 2/3", WALKER, DOG, place));
    move_out("a");
    move_out("b");
    float *whole = shard("a", 0, one), *part = shard("b", 1, two); /* characters 2 and 3 */
    assert_int_equal(one[0], 5);
    assert_int_equal(one[1], 6);
    assert_int_equal(two[1], 2);
    for (size_t frame = 0; frame < 5; frame++) {
        assert_memory_equal(whole + (frame * 6 + 2) * 6, part + frame * 2 * 6, 2 * 6 * sizeof *whole);
    }
    assert_memory_not_equal(whole, whole + 4 * 36, 6 * sizeof *whole); /* they wander */
    free(whole);
    free(part);
}

static void a_killed_simulation_goes_on_to_the_same_bytes(void **unused) {
    (void)unused;
    char line[1024];
    size_t shape[3], bytes;
    expect_done(run("simulate %s -o %s/c --count 2 --seconds 60", WALKER, place));
    snprintf(line, sizeof line,
             "\"%s\" simulate %s -o %s/d --count 2 --seconds 60 --save-every 0 2>/dev/null & p=$!; "
             "while [ ! -f %s/d/shard-00000.part ] && kill -0 $p; do sleep 0.01; done; kill -9 $p; wait $p "
             "2>/dev/null; true",
             GALLOP_COMMAND, WALKER, place, place);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "%s/d/shard-00000.npy", place);
    assert_null(fopen(line, "rb")); /* it was stopped in the middle */
    expect_bad(run("simulate %s -o %s/d --count 2 --seconds 60 --seed 5", WALKER, place), 1,
               "it is of another simulation");
    expect_done(run("simulate %s -o %s/d --count 2 --seconds 60", WALKER, place));
    move_out("c");
    move_out("d");
    float *whole = shard("c", 0, shape), *stopped = shard("d", 0, shape);
    bytes = shape[0] * shape[1] * shape[2] * sizeof *whole;
    assert_int_equal(bytes, 60 * 2 * 6 * 4);
    assert_memory_equal(whole, stopped, bytes);
    free(whole);
    free(stopped);
}

/* A file of other frames or characters is not taken for a finished shard; what was saved is kept until its shard is. */
static void what_is_there_is_looked_at(void **unused) {
    (void)unused;
    expect_done(run("simulate %s -o %s/g --count 2 --seconds 5", WALKER, place));
    expect_good(run("simulate %s -o %s/g --count 2 --seconds 5", WALKER, place));
    expect_bad(run("simulate %s -o %s/g --count 2 --seconds 6", WALKER, place), 1,
               "shard-00000.npy: it is of another simulation, not 6 frames of 2; remove it");
    expect_bad(run("simulate %s -o %s/g --count 3 --seconds 5", WALKER, place), 1, "not 5 frames of 3");
    spill_text(place_of("g/shard-00000.npy"), "not an array");
    expect_bad(run("simulate %s -o %s/g --count 2 --seconds 5", WALKER, place), 1, "not a .npy file");
    move_out("g");
    assert_int_equal(mkdir(place_of("h"), 0777), 0);
    assert_int_equal(mkdir(place_of("h/shard-00000.npy.part"), 0777), 0); /* it is in the way of the file */
    const said *s = run("simulate %s -o %s/h --count 2 --seconds 1 --save-every 0", WALKER, place);
    assert_int_equal(s->status, 1);
    expect_text(s->err, "Is a directory");
    assert_int_equal(rmdir(place_of("h/shard-00000.npy.part")), 0);
    FILE *saved = fopen(place_of("h/shard-00000.part"), "rb");
    assert_non_null(saved);
    fclose(saved);
    expect_text(run("simulate %s -o %s/h --count 2 --seconds 1", WALKER, place)->err, " 0 frames");
    move_out("h");
}

static void a_replay_tells_builds_apart(void **unused) {
    (void)unused;
    char line[1024], script[512];
    expect_done(run("simulate %s -o %s/e --count 2 --seconds 4 --record %s/tape", WALKER, place, place));
    move_out("e");
    expect_text(run("replay %s/tape %s", place, WALKER)->out, "240 frames, the same bits");
    const said *other = run("replay %s/tape %s --precision int8", place, WALKER);
    assert_int_equal(other->status, 1);
    expect_text(other->out, "frame 1 of 240 is the first that differs");
    snprintf(script, sizeof script, "#!/bin/sh\nexec \"%s\" \"$@\" --precision int16\n", GALLOP_COMMAND);
    snprintf(line, sizeof line, "%s/other", place);
    spill_text(line, script);
    assert_int_equal(chmod(line, 0755), 0);
    other = run("replay %s/tape %s --bisect %s/other", place, WALKER, place);
    assert_int_equal(other->status, 1);
    expect_text(other->out, "the builds part in frame 1");
    expect_text(other->out, "numbers differ");
    other = run("replay %s/tape %s --bisect \"%s\"", place, WALKER, GALLOP_COMMAND);
    assert_int_equal(other->status, 0);
    expect_text(other->out, "240 frames, the same bits in both builds");
    other = run("replay %s/tape %s --bisect \"%s\" --precision int16", place, WALKER, GALLOP_COMMAND);
    expect_text(other->out, "240 frames, the same bits in both builds");
    expect_bad(run("replay %s/tape %s --bisect 'x$y'", place, WALKER), 1, "have one of \" $ `");
    expect_bad(run("replay %s/tape %s --bisect 'x\\'", place, WALKER), 1, "or end in \\");
}

/* The tape with a word of it replaced. */
static void write_damaged(size_t at, uint32_t word) {
    static char bytes[1 << 20];
    FILE *file = fopen(place_of("tape"), "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    memcpy(bytes + at, &word, sizeof word);
    spill(place_of("damaged"), bytes, size);
}

static void a_replay_that_cannot_be_says_why(void **unused) {
    (void)unused;
    enum { GROUND = 16, GROUP = 20, SNAPSHOT = GROUP + 72 }; /* bytes before them: record_layout.h */
    char script[512];
    uint32_t snapshot = 0;
    write_damaged(GROUND, 2);
    expect_bad(run("replay %s/damaged %s", place, WALKER), 1, "its ground is a function of the host");
    write_damaged(GROUP, 0x21212121);
    expect_bad(run("replay %s/damaged %s %s", place, WALKER, DOG), 1, "which none of the models is");
    FILE *file = fopen(place_of("tape"), "rb");
    assert_non_null(file);
    assert_true(fseek(file, SNAPSHOT, SEEK_SET) == 0 && fread(&snapshot, sizeof snapshot, 1, file) == 1);
    fclose(file);
    write_damaged(SNAPSHOT + 4 + snapshot, 99);
    expect_bad(run("replay %s/damaged %s", place, WALKER), 1, "damaged: recording, byte ");
    expect_bad(run("replay %s/tape %s --numbers 241", place, WALKER), 1, "--numbers 241: it has 240 frames");
    snprintf(script, sizeof script,
             "#!/bin/sh\ncase \"$*\" in *--numbers*) exit 1;; esac\nexec \"%s\" \"$@\" --precision int16\n",
             GALLOP_COMMAND);
    spill_text(place_of("half"), script);
    assert_int_equal(chmod(place_of("half"), 0755), 0);
    expect_bad(run("replay %s/tape %s --bisect %s/half", place, WALKER, place), 1,
               "half: the other build does not play it");
    expect_bad(run("simulate %s -o %s/s --count 1 --seconds 1 --record %s/tape/tape", WALKER, place, place), 1,
               "/tape: Not a directory");
    assert_int_not_equal(access(place_of("s"), F_OK), 0);
    expect_bad(run("simulate %s -o %s/s --count 1 --seconds 1 --record %s", WALKER, place, place), 1,
               ": Is a directory");
    assert_int_not_equal(access(place_of("s"), F_OK), 0); /* nothing was begun */
    expect_done(run("simulate %s -o %s/s --count 1 --seconds 1 --record %s/new/tape", WALKER, place, place));
    move_out("s");
    move_out("new");
}

/* What is made already is not recorded, and what is read is not written over. */
static void a_recording_that_cannot_be_is_refused(void **unused) {
    (void)unused;
    expect_done(run("simulate %s -o %s/r --count 2 --seconds 1", WALKER, place));
    expect_bad(run("simulate %s -o %s/r --count 2 --seconds 1 --record %s/late", WALKER, place, place), 1,
               "late: the first shard is made already");
    move_out("r");
    char line[1024];
    snprintf(line, sizeof line, "cp \"%s\" %s/own.gallop", WALKER, place);
    assert_int_equal(system(line), 0);
    assert_int_equal(symlink("own.gallop", place_of("link.gallop")), 0);
    expect_bad(run("simulate %s/own.gallop -o %s/r --record %s/link.gallop", place, place, place), 2,
               "link.gallop: a file that is read");
}

static void wrong_words_are_named(void **unused) {
    (void)unused;
    spill_text(place_of("no"), "no recording at all, but long enough to be one, as far as its size goes");
    expect_bad(run("replay %s/no %s", place, WALKER), 1, "/no: recording, byte 20: this is no recording");
    expect_bad(run("replay %s/tape %s/nothing", place, place), 1, "/nothing: No such file or directory");
    assert_null(strstr(run("replay %s/tape %s/nothing", place, place)->err, "/tape"));
    expect_bad(run("simulate %s", WALKER), 2, "-o is missing");
    expect_bad(run("simulate %s -o %s/x --part 5/4", WALKER, place), 2, "--part 5/4");
    expect_bad(run("simulate %s -o %s/x --part 1/4x", WALKER, place), 2, "--part 1/4x");
    expect_bad(run("simulate %s -o %s/x --part 1/4294967295", WALKER, place), 2, "--part 1/4294967295");
    expect_bad(run("simulate %s/no -o %s/x", place, place), 1, "no:");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_is_the_same_however_the_whole_is_cut),
        cmocka_unit_test(a_killed_simulation_goes_on_to_the_same_bytes),
        cmocka_unit_test(what_is_there_is_looked_at),
        cmocka_unit_test(a_replay_tells_builds_apart),
        cmocka_unit_test(a_replay_that_cannot_be_says_why),
        cmocka_unit_test(a_recording_that_cannot_be_is_refused),
        cmocka_unit_test(wrong_words_are_named),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
