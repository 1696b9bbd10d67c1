/* Drive, export and eval on the shipped models: streams in place of files, lengths, folders, what a model cannot do. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_line.h"
#include "npy.h"

#define WALKER GALLOP_SOURCE_DIR "/models/walker.gallop"
#define DOG GALLOP_SOURCE_DIR "/models/dog.gallop"

/* Runs the rest of the line as a shell would, %s of it the folder; returns the exit status. */
static int shell(const char *format) {
    char command[2048], line[1024];
    snprintf(line, sizeof line, format, place, place, place, place);
    snprintf(command, sizeof command, "set -e; gallop() { \"%s\" \"$@\"; }; %s", GALLOP_COMMAND, line);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t frames_of(const char *name) {
    float *values;
    size_t shape[3] = {0, 0, 0};
    gal_error error = {0};
    if (gali_npy_read_f32(place_of(name), 3, &values, shape, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    free(values);
    return shape[0];
}

static int setup(void **state) {
    int result = place_make(state);
    if (result == 0) {
        spill_text(place_of("walk.csv"), "frame,move_y\n0,1\n9,0\n");
        spill_text(place_of("leap.csv"), "move_y,run,crouch,jump\n1,1,1,1\n");
    }
    return result;
}

static void reads_and_writes_streams(void **state) {
    (void)state;
    assert_int_equal(shell("gallop drive " WALKER " --input %s/walk.csv -o %s/file.npy"), 0);
    assert_int_equal(shell("cat %s/walk.csv | gallop drive " WALKER " --input - -o - | cat >%s/piped.npy"), 0);
    assert_int_equal(shell("cmp %s/file.npy %s/piped.npy"), 0);
    assert_int_equal(shell("gallop export " WALKER " --input - -o - <%s/walk.csv | grep -q 'Frames: 10'"), 0);
    assert_int_equal(shell("test ! -e ./-"), 0);
    assert_int_equal(shell("printf 'leap\\n1\\n' | gallop drive " WALKER " -i - -o - 2>&1 | grep -q "
                           "'standard input, line 1: unknown column \"leap\"'"),
                     0);
}

static void drives_as_long_as_asked(void **state) {
    (void)state;
    assert_int_equal(shell("gallop drive " WALKER " --input %s/walk.csv --seconds 0.5 -o %s/long.npy"), 0);
    assert_int_equal(frames_of("long.npy"), 30);
    assert_int_equal(shell("gallop drive " WALKER " --input %s/walk.csv --seconds 0.05 -o %s/long.npy"), 0);
    assert_int_equal(frames_of("long.npy"), 3);
    expect_bad(gallop("drive a -i b -o c --seconds 0"), 2, "--seconds 0: a number from");
}

static void makes_the_folder_of_a_file(void **state) {
    (void)state;
    assert_int_equal(shell("gallop drive " WALKER " --input %s/walk.csv -o %s/deep/er/y.npy"), 0);
    assert_int_equal(frames_of("deep/er/y.npy"), 10);
    assert_int_equal(shell("rm -r %s/deep"), 0);
}

static void refuses_a_ground_with_holes(void **state) {
    (void)state;
    char line[512];
    float heights[6] = {0, 1, 2, 3, NAN, 5};
    gal_error error;
    assert_int_equal(gali_npy_write(place_of("ground.npy"), heights, GALI_f32, 2, (size_t[]){2, 3}, &error),
                     GAL_OK);
    snprintf(line, sizeof line, "drive " WALKER " --input %s/walk.csv --terrain %s/ground.npy -o %s/y.npy",
             place, place, place);
    expect_bad(gallop(line), 1, "ground.npy: [1][1] is nan: not a finite height");
    snprintf(line, sizeof line,
             "drive " WALKER
             " --input %s/walk.csv --terrain %s/ground.npy --states .//%s/ground.npy -o %s/y.npy",
             place, place, place, place);
    expect_bad(gallop(line), 2, "ground.npy: a file that is read");
}

static void says_what_is_ignored(void **state) {
    (void)state;
    char line[512];
    snprintf(line, sizeof line, "drive " WALKER " --input %s/leap.csv -o %s/y.npy", place, place);
    const said *s = gallop(line);
    assert_int_equal(s->status, 0);
    expect_text(s->err, "walker.gallop cannot crouch: the column crouch is ignored\n");
    expect_text(s->err, "walker.gallop cannot jump: the column jump is ignored\n");
    snprintf(line, sizeof line, "drive " DOG " --input %s/leap.csv -o %s/y.npy", place, place);
    s = gallop(line);
    expect_text(s->err, "cannot crouch");
    assert_null(strstr(s->err, "cannot jump"));
    snprintf(line, sizeof line, "drive " WALKER " --input %s/walk.csv -o %s/y.npy", place, place);
    expect_good(gallop(line));
    expect_text(gallop("info " WALKER)->out, "cannot crouch, cannot jump\n");
    expect_text(gallop("info " DOG)->out, "cannot crouch, jumps\n");
}

/* A gate that the model does not have is refused, before the file is looked at. */
static void refuses_another_gate(void **state) {
    (void)state;
    expect_bad(gallop("eval " DOG " --x x --phase p -o y"), 2,
               "--phase does not go with this model: its gate is");
    expect_bad(gallop("eval " DOG " --x x --blend p -o y"), 2, "--blend does not go with this model");
    expect_bad(gallop("eval " WALKER " --x x --phase p --blend w -o y"), 2,
               "--blend does not go with this model");
    expect_bad(gallop("check " DOG " --x x --phase p --y y"), 2, "--phase does not go with this model");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_streams),   cmocka_unit_test(drives_as_long_as_asked),
        cmocka_unit_test(makes_the_folder_of_a_file), cmocka_unit_test(says_what_is_ignored),
        cmocka_unit_test(refuses_another_gate),       cmocka_unit_test(refuses_a_ground_with_holes),
    };
    return cmocka_run_group_tests(tests, setup, place_remove);
}
