/* Drive scripts: columns in any order, held lines, and errors that name line and column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drive_script.h"

static gali_drive_script parse(const char *text) {
    gali_drive_script script;
    gal_error error = {0};
    if (gali_drive_script_parse(&script, text, strlen(text), "a.csv", &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return script;
}

static void expect_error(const char *text, const char *message) {
    gali_drive_script script;
    gal_error error = {0};
    gal_status status = gali_drive_script_parse(&script, text, strlen(text), "a.csv", &error);
    if (status != GAL_BAD_DATA || strncmp(error.message, "a.csv", 5) != 0 || !strstr(error.message, message)) {
        fail_msg("%s: status %d \"%s\", expected \"%s\"", text, status, error.message, message);
    }
    assert_null(script.inputs);
}

static void reads_a_line_a_frame(void **state) {
    (void)state;
    gali_drive_script script =
        parse("move_y, run ,camera_yaw,responsive\r\n1,0.5,-3e-1,1\r\n\n# rest\n0,0,0,0");
    assert_int_equal(script.frames, 2);
    assert_true(script.inputs[0].move_y == 1 && script.inputs[0].run == 0.5f && script.inputs[0].move_x == 0);
    assert_true(script.inputs[0].camera_yaw == -0.3f && script.inputs[0].responsive == 1);
    assert_true(script.inputs[1].move_y == 0);
    gali_drive_script_release(&script);
}

static void passes_over_a_byte_order_mark(void **state) {
    (void)state;
    gali_drive_script script = parse("\xef\xbb\xbfmove_x\r\n0.5\r\n");
    assert_int_equal(script.frames, 1);
    assert_true(script.inputs[0].move_x == 0.5f);
    gali_drive_script_release(&script);
}

static void holds_lines_between_frames(void **state) {
    (void)state;
    gali_drive_script script = parse("move_x,frame\n1,2\n-1,4\n0.5,9\n");
    assert_int_equal(script.frames, 10);
    const float expected[10] = {0, 0, 1, 1, -1, -1, -1, -1, -1, 0.5f};
    for (int i = 0; i < 10; i++) {
        assert_true(script.inputs[i].move_x == expected[i]);
    }
    gali_drive_script_release(&script);
}

static void reads_all_columns(void **state) {
    (void)state;
    gali_drive_script script = parse(
        "frame,move_x,move_y,run,strafe,crouch,responsive,camera_yaw,jump\n0,0.1,0.2,0.3,0.4,0.5,1,0.7,1\n");
    gal_input in = script.inputs[0];
    assert_true(in.move_x == 0.1f && in.move_y == 0.2f && in.run == 0.3f && in.strafe == 0.4f);
    assert_true(in.crouch == 0.5f && in.responsive == 1 && in.camera_yaw == 0.7f && in.jump == 1);
    gali_drive_script_release(&script);
}

static void names_what_is_wrong(void **state) {
    (void)state;
    expect_error("", "empty");
    expect_error("\n\n# x\n", "empty");
    expect_error("move_x\n", "no frames");
    expect_error("move_x,leap\n0,0\n", "line 1: unknown column \"leap\"; expected some of frame, move_x");
    expect_error("move_x,\n0\n", "line 1: unknown column \"\"");
    expect_error("move_x,run,move_x\n0,0,0\n", "line 1: column move_x stands twice");
    expect_error("move_x,run\n0,0\n\n0\n", "line 4: 1 cells, 2 expected");
    expect_error("move_x,run\n0,0,0\n", "line 2: 3 cells, 2 expected");
    expect_error("move_x,run\n0,fast\n", "line 2, column run: \"fast\" is not a number");
    expect_error("move_x,run\n0,\n", "line 2, column run: \"\" is not a number");
    expect_error("move_x\nnan\n", "column move_x: \"nan\" is not a number");
    expect_error("move_x\ninf\n", "is not a number");
    expect_error("move_x\n0x1p3\n", "is not a number");
    expect_error("move_x\n1e999\n", "is not a number");
    expect_error("move_x\n1.5\n", "line 2, column move_x: 1.5 is not in -1..1");
    expect_error("run\n-0.1\n", "is not in 0..1");
    expect_error("frame,run\n3,0\n2,0\n", "line 3, column frame: 2; a whole number from 4 expected");
    expect_error("frame,run\n1.5,0\n", "line 2, column frame: 1.5; a whole number");
    expect_error("frame,run\n999999999,0\n", "column frame: 999999999 is not in");
}

static void takes_no_more_than_the_bytes(void **state) {
    (void)state;
    const char *text = "move_x\n1\n0.25";
    gali_drive_script script;
    gal_error error = {0};
    assert_int_equal(gali_drive_script_parse(&script, text, strlen(text) - 3, "a", &error), GAL_OK);
    assert_int_equal(script.frames, 2);
    assert_true(script.inputs[1].move_x == 0);
    gali_drive_script_release(&script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_line_a_frame),       cmocka_unit_test(passes_over_a_byte_order_mark),
        cmocka_unit_test(holds_lines_between_frames), cmocka_unit_test(reads_all_columns),
        cmocka_unit_test(names_what_is_wrong),        cmocka_unit_test(takes_no_more_than_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
