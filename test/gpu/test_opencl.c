/* A device's calls that fail, by a table of calls that a driver did not make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "opencl/opencl.h"

enum { BINARY_SIZES = 0x1165, BINARIES = 0x1166, BYTES = 5, OUT_OF_RESOURCES = -5 };

/* Of a program that is an int: what asking for its bytes returns. */
static int32_t get_program_info(void *program, uint32_t what, size_t room, void *to, size_t *size) {
    const int32_t *status = program;
    (void)room, (void)size;
    if (what == BINARY_SIZES) {
        *(size_t *)to = BYTES;
        return 0;
    }
    assert_int_equal(what, BINARIES);
    if (*status == 0) {
        memset(*(void **)to, 7, BYTES);
    }
    return *status;
}

static void a_binary_is_whole_or_none(void **state) {
    (void)state;
    int32_t good = 0, bad = OUT_OF_RESOURCES;
    size_t size;
    gali_cl cl = {.held = 0};
    cl.call.GetProgramInfo = get_program_info;
    unsigned char *bytes = gali_cl_binary(&cl, &good, &size);
    assert_non_null(bytes);
    assert_int_equal(size, BYTES);
    assert_int_equal(bytes[BYTES - 1], 7);
    free(bytes);
    bytes = gali_cl_binary(&cl, &bad, &size);
    assert_null(bytes);
    assert_int_equal(size, 0);
    assert_int_equal(cl.failure.status, GAL_IO);
    assert_non_null(strstr(cl.failure.message, "clGetProgramInfo: OpenCL error -5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_binary_is_whole_or_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
