/*
 * gal_compile where the n-th allocation fails, for each n: it says GAL_NO_MEMORY, or the result is whole, byte for byte
 * (a library may have another way); nothing leaks. The same of the plan of a region for HVX.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/hvx/plan.h"
#include "gallop/compiler.h"
#include "graph/graph.h"
#include "synthetic.h"

static struct {
    long calls, fail_at; /* fail_at < 0: none */
    long held;           /* allocations not yet freed */
    int on;
} memory;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **got, size_t alignment, size_t size);
void __real_free(void *old);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **got, size_t alignment, size_t size);
void __wrap_free(void *old);

static int fails(void) {
    return memory.on && memory.calls++ == memory.fail_at;
}

static void *held(void *got) {
    memory.held += memory.on && got;
    return got;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : held(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : held(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : old ? __real_realloc(old, size) : held(__real_realloc(old, size));
}

int __wrap_posix_memalign(void **got, size_t alignment, size_t size) {
    if (fails()) {
        return ENOMEM;
    }
    const int status = __real_posix_memalign(got, alignment, size);
    held(status == 0 ? *got : NULL);
    return status;
}

void __wrap_free(void *old) {
    memory.held -= memory.on && old;
    __real_free(old);
}

typedef struct compiled {
    gal_status status;
    gal_error error;
    gal_compiled *result;
    long held; /* by the result */
} compiled;

static compiled compile(const synthetic *s, const gal_compile_desc *desc, long fail_at) {
    compiled c = {GAL_OK, {0}, NULL, 0};
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    memory.calls = memory.held = 0;
    memory.fail_at = fail_at;
    memory.on = 1;
    c.status = gal_compile(&c.result, bytes, size, desc, &c.error);
    memory.on = 0;
    c.held = memory.held;
    free(bytes);
    return c;
}

static void release(compiled *c) {
    memory.held = c->held;
    memory.on = 1;
    gal_compiled_free(c->result);
    memory.on = 0;
    assert_int_equal(memory.held, 0);
}

static void expect_whole(const compiled *c, const compiled *whole) {
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        size_t size, expected;
        const char *bytes = gal_compiled_bytes(c->result, (gal_compiled_part)part, &size);
        const char *all = gal_compiled_bytes(whole->result, (gal_compiled_part)part, &expected);
        assert_int_equal(size, expected);
        assert_memory_equal(bytes, all, size);
    }
}

static void starve(const synthetic *s, gal_compile_desc desc, long step) {
    compiled whole = compile(s, &desc, -1);
    const long calls = memory.calls;
    assert_int_equal(whole.status, GAL_OK);
    for (long n = 0; n < calls; n += n < 40 ? 1 : step) {
        compiled c = compile(s, &desc, n);
        assert_true(memory.calls > n);
        assert_true((c.result != NULL) == (c.status == GAL_OK));
        if (c.status == GAL_OK) {
            print_message("allocation %ld of %ld is not needed\n", n, calls);
            expect_whole(&c, &whole);
        } else if (c.status != GAL_NO_MEMORY || c.error.status != GAL_NO_MEMORY ||
                   !strstr(c.error.message, "no memory")) {
            fail_msg("allocation %ld of %ld: status %d, \"%s\"", n, calls, (int)c.status, c.error.message);
        }
        release(&c);
    }
    print_message("%ld allocations\n", calls);
    release(&whole);
}

static const synthetic_desc chain = {.gate = GAL_GATE_CUBIC,
                                     .experts = 4,
                                     .layers = 3,
                                     .width = {13, 17, 9, 5},
                                     .normalised = 1,
                                     .masked = 5,
                                     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
                                     .seed = 3};
static const synthetic_desc gated = {.gate = GAL_GATE_NETWORK,
                                     .experts = 4,
                                     .top = 2,
                                     .layers = 2,
                                     .width = {12, 8, 6},
                                     .plain = {1, 0},
                                     .activation = {GALI_ACTIVATION_ELU},
                                     .seed = 4};

static void compiling_says_no_memory(void **unused) {
    (void)unused;
    synthetic s = synthetic_make(&chain), g = synthetic_make(&gated);
    starve(&s, (gal_compile_desc){.target = "scalar", .most = 4, .least = 1, .dump = "all"}, 1);
    starve(&s, (gal_compile_desc){.target = "x86-64-v3", .plain_loops = 1, .weights_blob = 1}, 3);
    starve(&s, (gal_compile_desc){.target = "armv8-a", .form = GAL_FORM_BLEND, .dump = "schedule"}, 5);
    starve(&g, (gal_compile_desc){.target = "x86-64-v4"}, 3);
    synthetic_free(&s);
    synthetic_free(&g);
}

/* Two functions of bytes one behind the other: a region. */
static const char bytes_text[] =
    "constant %0: f32[] = 0.05\nconstant %1: u8[] = 128\ninput %2: u8[1, 8, 2, 2]\n"
    "%3: f32[1, 8, 2, 2] = DequantizeLinear (%2, %0, %1)\n"
    "%4: f32[1, 8, 2, 2] = Tanh (%3)\n"
    "%5: u8[1, 8, 2, 2] = QuantizeLinear (%4, %0, %1)\n"
    "%6: f32[1, 8, 2, 2] = DequantizeLinear (%5, %0, %1)\n"
    "%7: f32[1, 8, 2, 2] = Relu (%6)\n"
    "%8: u8[1, 8, 2, 2] = QuantizeLinear (%7, %0, %1)\noutput %8\n";

/* What lies below the stack is no zeros then, as it often is by chance. */
static void litter_stack(void) {
    volatile unsigned char below[1 << 14];
    for (size_t i = 0; i < sizeof below; i++) {
        below[i] = 0x5a;
    }
}

/* A region's plan says no memory, too, and then no costs. */
static void plans_of_regions_say_no_memory(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_graph *graph;
    gali_hvx_region region;
    gal_error error = {0};
    assert_int_equal(gali_graph_parse(&graph, bytes_text, sizeof bytes_text - 1, &arena, &error), GAL_OK);
    assert_int_equal(gali_graph_infer(graph, &error), GAL_OK);
    assert_int_equal(gali_hvx_first_region(graph, &region, &error), GAL_OK);
    assert_int_equal(region.unit_count, 2);
    gal_status status = GAL_NO_MEMORY;
    for (long n = 0; status != GAL_OK; n++) {
        gali_arena own = {0};
        gali_hvx_plan plan;
        region.arena = &own;
        memory.calls = memory.held = 0;
        memory.fail_at = n;
        litter_stack();
        memory.on = 1;
        status = gali_hvx_make_plan(&region, GALI_HVX_FORMS, &plan, &error);
        memory.on = 0;
        assert_true(memory.calls > n || status == GAL_OK);
        assert_true(status == GAL_NO_MEMORY || status == GAL_OK);
        assert_true((plan.cost > 0) == (status == GAL_OK));
        gali_arena_release(&own);
    }
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_of_regions_say_no_memory),
                                       cmocka_unit_test(compiling_says_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
