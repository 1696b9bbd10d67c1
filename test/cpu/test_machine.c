/* Memory for weights: aligned for large pages and marked for them where it is large, and only then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "cpu/machine.h"

static const size_t page = (size_t)2 << 20;

/* Whether the kernel's list of mappings flags the one that holds the address: 1, 0, or -1 where it keeps no list. */
static int is_flagged(const void *memory, const char *flag) {
    char line[1024];
    int inside = 0, found = -1;
    FILE *file = fopen("/proc/self/smaps", "r");
    while (file && found < 0 && fgets(line, sizeof line, file)) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx ", &start, &end) == 2) {
            inside = (uintptr_t)memory >= start && (uintptr_t)memory < end;
        }
        if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            found = strstr(line, flag) != NULL;
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static void large_memory_asks_for_large_pages(void **unused) {
    (void)unused;
    unsigned char *memory = gali_machine_allocate(NULL, 3 * page + 100, 0);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % page, 0);
    memory[3 * page + 99] = 1;
    assert_int_not_equal(is_flagged(memory, " hg"), 0);
    assert_int_not_equal(is_flagged(memory + 2 * page, " hg"), 0);
    assert_int_not_equal(is_flagged(memory + 3 * page, " hg"), 1); /* 100 bytes are not worth a page */
    gali_release(NULL, memory, 3 * page + 100);
    memory = gali_machine_allocate(NULL, 5 * page - 100, 0);
    assert_non_null(memory);
    assert_int_not_equal(is_flagged(memory + 4 * page, " hg"), 0);
    gali_release(NULL, memory, 5 * page - 100);
}

static void small_memory_and_small_pages_ask_for_nothing(void **unused) {
    (void)unused;
    unsigned char *memory = gali_machine_allocate(NULL, page - 1, 0);
    assert_non_null(memory);
    assert_int_not_equal(is_flagged(memory, " hg"), 1);
    gali_release(NULL, memory, page - 1);
    memory = gali_machine_allocate(NULL, 6 * page, 1);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % GALI_ALIGNMENT, 0);
    assert_int_not_equal(is_flagged(memory, " hg"), 1);
    gali_release(NULL, memory, 6 * page);
    assert_null(gali_machine_allocate(NULL, GALI_SIZE_BAD, 0));
    assert_null(gali_machine_allocate(NULL, GALI_SIZE_BAD - page, 0));
}

typedef struct request {
    size_t size, alignment;
} request;

static void *allocate(void *context, size_t size, size_t alignment) {
    *(request *)context = (request){size, alignment};
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *memory, size_t size, size_t alignment) {
    const request *made = context;
    assert_int_equal(size, made->size);
    assert_int_equal(alignment, made->alignment);
    free(memory);
}

static void an_allocator_is_asked_for_what_is_needed(void **unused) {
    (void)unused;
    request made = {0, 0};
    gal_allocator allocator = {allocate, release, &made};
    unsigned char *memory = gali_machine_allocate(&allocator, 5 * page + 1, 0);
    assert_non_null(memory);
    assert_int_equal(made.size, 5 * page + 1);
    assert_int_equal(made.alignment, GALI_ALIGNMENT);
    assert_int_not_equal(is_flagged(memory, " hg"), 1);
    gali_release(&allocator, memory, 5 * page + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocator_is_asked_for_what_is_needed),
        cmocka_unit_test(small_memory_and_small_pages_ask_for_nothing),
        cmocka_unit_test(large_memory_asks_for_large_pages),
    };
    return cmocka_run_group_tests_name("cpu machine", tests, NULL, NULL);
}
