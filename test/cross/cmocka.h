/*
 * The words of cmocka that the kernels' tests use, for cross builds, which have no cmocka: the first check that fails ends the
 * program.
 */
#ifndef TEST_CROSS_CMOCKA_H
#define TEST_CROSS_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define fail_msg(...)                                                                                          \
    (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define assert_true(what) ((what) ? (void)0 : fail_msg("%s", #what))
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_null(a) assert_true((a) == NULL)
#define assert_non_null(a) assert_true((a) != NULL)
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(function) {#function, function}

static inline int run_group_tests(const struct CMUnitTest *tests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%s\n", tests[i].name);
        tests[i].run(NULL);
    }
    return 0;
}

#define cmocka_run_group_tests(tests, setup, teardown) run_group_tests(tests, sizeof(tests) / sizeof(tests)[0])

#endif
