/*
 * What `gallop check` must not let pass: a walker's network of which one small feature is wrong. Beside positions in
 * centimetres such a feature is nothing; in its own spread it is all there is.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/check_report.h"

typedef struct subject {
    gali_model_file file;
    gali_frames frames;
    float *y; /* [frames][outputs] of a right network */
} subject;

static subject open_walker(void) {
    subject s = {0};
    gal_error error = {0};
    assert_int_equal(gali_model_file_open(&s.file, GALLOP_SOURCE_DIR "/models/walker.gallop", &error), GAL_OK);
    assert_int_equal(gali_frames_golden(&s.frames, &s.file.model, &error), GAL_OK);
    size_t size = (size_t)s.frames.count * s.file.model.outputs * sizeof *s.y;
    s.y = malloc(size);
    memcpy(s.y, s.frames.y, size);
    return s;
}

static void close_walker(subject *s) {
    free(s->y);
    gali_frames_release(&s->frames);
    gali_model_file_close(&s->file);
}

static float *feature(subject *s, uint32_t frame, gali_block_kind kind, uint32_t i) {
    const gali_block *block = gali_contract_find(s->file.contract, kind);
    assert_non_null(block);
    return s->y + (size_t)frame * s->file.model.outputs + block->offset + i;
}

static void zero(subject *s, gali_block_kind kind) {
    for (uint32_t f = 0; f < s->frames.count; f++) {
        *feature(s, f, kind, 0) = 0;
    }
}

static int passes(subject *s, float tolerance) {
    gali_check_report report = {.most = 3};
    s->frames.tolerance = tolerance;
    int right = gali_check_frames(&report, &s->file, &s->frames, s->y);
    assert_int_equal(right, report.failed == 0);
    return right;
}

/* What golden frames allow an exact network, and one in int8. */
static const float exact = 1e-4f, eight_bits = 0.3f;

static void lets_a_right_network_pass(void **state) {
    (void)state;
    subject s = open_walker();
    assert_true(passes(&s, exact));
    close_walker(&s);
}

static void sees_a_phase_that_stands_still(void **state) {
    (void)state;
    subject s = open_walker();
    zero(&s, GALI_BLOCK_PHASE_ADVANCE);
    assert_false(passes(&s, exact));
    assert_false(passes(&s, eight_bits));
    close_walker(&s);
}

static void sees_a_root_that_does_not_turn(void **state) {
    (void)state;
    subject s = open_walker();
    zero(&s, GALI_BLOCK_ROOT_TURN);
    assert_false(passes(&s, eight_bits));
    close_walker(&s);
}

static void sees_a_turn_the_other_way(void **state) {
    (void)state;
    subject s = open_walker();
    for (uint32_t f = 0; f < s.frames.count; f++) {
        *feature(&s, f, GALI_BLOCK_ROOT_TURN, 0) *= -1;
    }
    assert_false(passes(&s, eight_bits));
    close_walker(&s);
}

static void sees_contacts_of_the_other_foot(void **state) {
    (void)state;
    subject s = open_walker();
    for (uint32_t f = 0; f < s.frames.count; f++) {
        for (uint32_t i = 0; i < 2; i++) { /* the left heel and toe, and the right ones */
            float *left = feature(&s, f, GALI_BLOCK_CONTACT, 0) + i, *right = left + 2, kept = *left;
            *left = *right;
            *right = kept;
        }
    }
    assert_false(passes(&s, eight_bits));
    close_walker(&s);
}

static void sees_one_frame_that_is_off(void **state) {
    (void)state;
    subject s = open_walker();
    for (uint32_t i = 0; i < s.file.model.outputs; i++) {
        s.y[5 * (size_t)s.file.model.outputs + i] = s.y[i];
    }
    assert_false(passes(&s, eight_bits));
    close_walker(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_a_right_network_pass),       cmocka_unit_test(sees_a_phase_that_stands_still),
        cmocka_unit_test(sees_a_root_that_does_not_turn),  cmocka_unit_test(sees_a_turn_the_other_way),
        cmocka_unit_test(sees_contacts_of_the_other_foot), cmocka_unit_test(sees_one_frame_that_is_off),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
