/* The profile database: its text, what is built in, and that a row decides what is fused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/program/profile.h"
#include "compiler/program/program.h"

static gali_profile profile_of(const char *text) {
    gali_profile profile = {{0}, {0}};
    gal_error error = {0};
    if (gali_profile_parse(&profile, text, strlen(text), "a test", &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return profile;
}

/* Of a product whose result is an output and read, too; profile: NULL: the one that is built in. */
static uint32_t groups_with(const gali_profile *profile) {
    static const char text[] = "input %0 \"x\": f32[32, 64]\ninput %1 \"w\": f32[64, 64]\n"
                               "%2 \"p\": f32[32, 64] = MatMul (%0, %1)\n%3 \"y\": f32[32, 64] = Tanh (%2)\n"
                               "output %2\noutput %3\n";
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *p = NULL;
    gal_error error = {0};
    if (gali_graph_parse(&graph, text, strlen(text), &arena, &error) != GAL_OK ||
        gali_graph_infer(graph, &error) != GAL_OK || gali_program_make(&p, graph, &arena, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    p->profile = profile;
    assert_int_equal(gali_program_fuse(p, &error), GAL_OK);
    uint32_t groups = p->group_count;
    gali_arena_release(&arena);
    return groups;
}

static void a_row_decides(void **unused) {
    (void)unused;
    gali_profile none = profile_of(""), fused = profile_of("product compute 1 2 a machine\n"),
                 apart = profile_of("product compute 2 1 a machine\n"),
                 other = profile_of("product fold 1 2 a machine\n"),
                 both = profile_of("product compute 1 2 one\nproduct compute 3 1 another\n");
    assert_int_equal(groups_with(&fused), 1);
    assert_int_equal(groups_with(&apart), 2);
    assert_int_equal(groups_with(&none), 2); /* the rule */
    assert_int_equal(groups_with(&other), 2);
    assert_int_equal(groups_with(&both), 2); /* in the geometric mean slower */
}

static void what_is_built_in_has_rows_of_all_pairs(void **unused) {
    (void)unused;
    gali_profile profile = {{0}, {0}};
    gal_error error = {0};
    if (gali_profile_built_in(&profile, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < GALI_PAIR_COUNT; i++) {
        assert_true(profile.rows[i] > 0);
    }
    assert_int_equal(groups_with(NULL), groups_with(&profile));
}

static void wrong_rows_are_refused_with_their_line(void **unused) {
    (void)unused;
    static const char *const bad[][2] = {
        {"# fine\n\nproduct compute 1 2\n", "a test, line 3: expected FIRST SECOND FUSED APART MACHINE"},
        {"product compute 1 2 m\nproduct product 1 2 m\n", "a test, line 2: no such pair of classes"},
        {"product fold 0 2 m", "a test, line 1: a time is no positive number"},
        {"product fold nan 2 m", "a test, line 1: a time is no positive number"},
        {"product fold 1 inf m", "a test, line 1: a time is no positive number"},
        {"product fold 0x1 2 m", "a test, line 1: a time is no positive number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gali_profile profile = {{0}, {0}};
        gal_error error = {0};
        assert_int_equal(gali_profile_parse(&profile, bad[i][0], strlen(bad[i][0]), "a test", &error),
                         GAL_BAD_DATA);
        assert_string_equal(error.message, bad[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_decides),
        cmocka_unit_test(what_is_built_in_has_rows_of_all_pairs),
        cmocka_unit_test(wrong_rows_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
