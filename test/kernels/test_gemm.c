/*
 * Integer products, on every instruction set of this machine and by every strategy, against the sum written out: sizes 0, 1, around the
 * tiles and primes, strides, both ends of the values, sums as large as they may become. A, B and C end at a guard page.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "gallop/gemm.h"
#include "synthetic.h"

enum { UNTOUCHED = 0x5a5a5a5a };

/* size bytes that end at an unreadable page. */
typedef struct guarded {
    unsigned char *map, *bytes;
    size_t mapped;
} guarded;

static guarded guard(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    unsigned char *map = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + whole, page, PROT_NONE), 0);
    return (guarded){map, map + whole - size, whole + page};
}

static void unguard(guarded g) {
    munmap(g.map, g.mapped);
}

typedef enum filling { RANDOM, LEAST, ENDS, FILLINGS } filling;

static void fill(int8_t *values, size_t count, filling how, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = synthetic_bits(state);
        values[i] = (int8_t)(how == RANDOM ? (int)(bits & 255) - 128 : how == LEAST || bits & 1 ? -128 : 127);
    }
}

/* A product with its truth. */
typedef struct product {
    uint32_t rows, inner, columns;
    size_t a_stride, c_stride;
    guarded a, b, c;
    int32_t *truth; /* [rows][columns] */
} product;

/* So many values between the starts of count rows of `used` values, the last without a gap behind it. */
static size_t span_of(uint32_t count, size_t stride, uint32_t used) {
    return count && used ? (count - 1) * stride + used : 0;
}

static product make_product(uint32_t rows, uint32_t inner, uint32_t columns, uint32_t gap, filling how) {
    uint64_t state = rows * 1000003u + inner * 1009u + columns;
    product p = {rows, inner, columns, inner + gap, columns + gap, {0}, {0}, {0}, NULL};
    p.a = guard(span_of(rows, p.a_stride, inner));
    p.b = guard((size_t)inner * columns);
    p.c = guard(span_of(rows, p.c_stride, columns) * sizeof(int32_t));
    p.truth = malloc((size_t)rows * columns * sizeof(int32_t) + 1);
    int8_t *a = (int8_t *)p.a.bytes, *b = (int8_t *)p.b.bytes;
    fill(a, span_of(rows, p.a_stride, inner), how, &state);
    fill(b, (size_t)inner * columns, how, &state);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t n = 0; n < columns; n++) {
            int64_t sum = 0;
            for (uint32_t k = 0; k < inner; k++) {
                sum += a[r * p.a_stride + k] * b[(size_t)k * columns + n];
            }
            assert_true(sum >= INT32_MIN && sum <= INT32_MAX);
            p.truth[(size_t)r * columns + n] = (int32_t)sum;
        }
    }
    return p;
}

static void free_product(product *p) {
    unguard(p->a);
    unguard(p->b);
    unguard(p->c);
    free(p->truth);
}

/* Runs it from its rows and compares, also what lies between the rows of C. */
static void check_run(const product *p, const gal_gemm *gemm) {
    const size_t values = span_of(p->rows, p->c_stride, p->columns);
    int32_t *c = (int32_t *)(void *)p->c.bytes;
    for (size_t i = 0; i < values; i++) {
        c[i] = UNTOUCHED;
    }
    const size_t size = gal_gemm_workspace_size(gemm, p->rows);
    const guarded workspace = guard((size + 63) / 64 * 64);
    const gal_gemm_batch batch = {p->rows, (const int8_t *)p->a.bytes, p->a_stride, c, p->c_stride};
    assert_int_equal(gal_gemm_run(gemm, &batch, workspace.bytes, size, NULL), GAL_OK);
    unguard(workspace);
    for (size_t i = 0; i < values; i++) {
        const size_t row = i / p->c_stride, column = i % p->c_stride;
        const int32_t expected = column < p->columns ? p->truth[row * p->columns + column] : UNTOUCHED;
        if (c[i] != expected) {
            const gal_gemm_info info = gal_gemm_get_info(gemm);
            fail_msg("%s %s, %u x %u x %u: C[%zu][%zu] is %d, expected %d", gal_isa_name(info.isa),
                     gal_gemm_strategy_name(info.strategy), p->rows, p->inner, p->columns, row, column, c[i],
                     expected);
        }
    }
}

/* On every instruction set, by every strategy. */
static void check_product(const product *p) {
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int strategy = GAL_GEMM_BY_SHAPE; strategy < GAL_GEMM_STRATEGY_COUNT; strategy++) {
            if (!gal_isa_available((gal_isa)isa) || isa == GAL_ISA_NEON_A55) { /* the same table as NEON's */
                continue;
            }
            gal_gemm *gemm;
            const gal_gemm_desc desc = {.isa = (gal_isa)isa,
                                        .strategy = (gal_gemm_strategy)strategy,
                                        .rows = p->rows,
                                        .inner = p->inner,
                                        .columns = p->columns,
                                        .b = (const int8_t *)p->b.bytes};
            assert_int_equal(gal_gemm_create(&gemm, &desc, NULL), GAL_OK);
            assert_int_equal(gal_gemm_get_info(gemm).isa, isa);
            check_run(p, gemm);
            gal_gemm_destroy(gemm);
        }
    }
}

/* All pairs of inner and columns, with different rows and values. */
static void products_are_exact(void **unused) {
    (void)unused;
    static const uint32_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 67, 0}, rows_count = 11;
    static const uint32_t inner[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 64, 131};
    static const uint32_t columns[] = {0, 1, 2, 3, 4, 5, 11, 12, 13, 16, 17, 31, 47, 48, 53, 64, 67};
    uint32_t turn = 0;
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        for (size_t n = 0; n < sizeof columns / sizeof columns[0]; n++, turn++) {
            product p = make_product(rows[turn % rows_count], inner[i], columns[n], turn % 3,
                                     (filling)(turn / 3 % FILLINGS));
            check_product(&p);
            free_product(&p);
        }
    }
}

/* Every count of rows that makes other tiles. */
static void every_count_of_rows_is_exact(void **unused) {
    (void)unused;
    for (uint32_t rows = 0; rows <= 18; rows++) {
        product p = make_product(rows, 37, 29, rows % 2, RANDOM);
        check_product(&p);
        free_product(&p);
    }
}

/* inner as large as it may be, with everything at one end or the other: to 2^31 - 16384. */
static void the_largest_sums_fit(void **unused) {
    (void)unused;
    static const filling how[] = {LEAST, ENDS};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        product p = make_product(3, GAL_GEMM_INNER_MOST, 5, 0, how[i]);
        assert_true(how[i] != LEAST || p.truth[0] == INT32_MAX - 16383);
        check_product(&p);
        free_product(&p);
    }
}

/* The same B stored [columns][inner], and rows of A that overlap: windows over one line of values. */
static void strides_say_where_things_lie(void **unused) {
    (void)unused;
    product p = make_product(11, 23, 19, 0, RANDOM);
    int8_t turned[19 * 23], line[11 * 2 + 23];
    int32_t c[11 * 19];
    uint64_t state = 1;
    fill(line, sizeof line, RANDOM, &state);
    for (uint32_t k = 0; k < p.inner; k++) {
        for (uint32_t n = 0; n < p.columns; n++) {
            turned[n * p.inner + k] = ((const int8_t *)p.b.bytes)[k * p.columns + n];
        }
    }
    gal_gemm *gemm;
    const gal_gemm_desc desc = {.strategy = GAL_GEMM_NATIVE,
                                .inner = p.inner,
                                .columns = p.columns,
                                .b = turned,
                                .inner_stride = 1,
                                .column_stride = p.inner};
    assert_int_equal(gal_gemm_create(&gemm, &desc, NULL), GAL_OK);
    check_run(&p, gemm);
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){11, line, 2, c, 0}, NULL, 0, NULL), GAL_OK);
    for (uint32_t r = 0; r < p.rows; r++) {
        for (uint32_t n = 0; n < p.columns; n++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < p.inner; k++) {
                sum += line[r * 2 + k] * turned[n * p.inner + k];
            }
            assert_int_equal(c[r * p.columns + n], sum);
        }
    }
    gal_gemm_destroy(gemm);
    free_product(&p);
}

static void what_is_wrong_is_said(void **unused) {
    (void)unused;
    const int8_t b[6] = {1, 2, 3, 4, 5, 6};
    int32_t c[6] = {77, 77, 77, 77, 77, 77};
    gal_error error = {0};
    gal_gemm *gemm;
    gal_gemm_desc desc = {.inner = GAL_GEMM_INNER_MOST + 1, .columns = 2, .b = b};
    assert_int_equal(gal_gemm_create(&gemm, &desc, &error), GAL_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "inner 131072: expected at most 131071"));
    assert_null(gemm);
    desc = (gal_gemm_desc){.inner = 3, .columns = 2};
    assert_int_equal(gal_gemm_create(&gemm, &desc, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "b is NULL");
    desc = (gal_gemm_desc){.inner = 3, .columns = 2, .b = b, .strategy = GAL_GEMM_STRATEGY_COUNT};
    assert_int_equal(gal_gemm_create(&gemm, &desc, &error), GAL_BAD_ARGUMENT);
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        desc = (gal_gemm_desc){.inner = 3, .columns = 2, .b = b, .isa = (gal_isa)isa};
        const gal_status status = gal_gemm_create(&gemm, &desc, &error);
        assert_int_equal(status, gal_isa_available((gal_isa)isa) ? GAL_OK : GAL_UNSUPPORTED);
        gal_gemm_destroy(gemm);
    }
    desc = (gal_gemm_desc){.inner = 3, .columns = 2, .b = b, .strategy = GAL_GEMM_INTERLEAVED};
    assert_int_equal(gal_gemm_create(&gemm, &desc, &error), GAL_OK);
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){2, NULL, 0, c, 0}, NULL, 0, &error),
                     GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "a is NULL");
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){2, b, 0, NULL, 0}, NULL, 0, &error),
                     GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "c is NULL");
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){2, b, 0, c, 1}, NULL, 0, &error), GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "c_stride 1: expected at least the columns, 2");
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){2, b, 0, c, 0}, c, 8, &error), GAL_NO_MEMORY);
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){2, b, 0, c, 0}, NULL, 9999, &error), GAL_NO_MEMORY);
    assert_int_equal(gal_gemm_run(gemm, &(gal_gemm_batch){0, NULL, 0, NULL, 0}, NULL, 0, &error), GAL_OK);
    _Alignas(64) unsigned char workspace[4096];
    assert_true(gal_gemm_workspace_size(gemm, 2) < sizeof workspace);
    assert_int_equal(
        gal_gemm_run(gemm, &(gal_gemm_batch){2, b, 0, c, 0}, workspace + 4, sizeof workspace - 4, &error),
        GAL_BAD_ARGUMENT);
    assert_string_equal(error.message, "workspace is not aligned to 64 bytes");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(c[i], 77);
    }
    gal_gemm_destroy(gemm);
    gal_gemm_destroy(NULL);
    desc = (gal_gemm_desc){.inner = 0, .columns = 1000}; /* several panels of nothing */
    assert_int_equal(gal_gemm_create(&gemm, &desc, &error), GAL_OK);
    gal_gemm_destroy(gemm);
}

static gal_gemm_strategy chosen(gal_isa isa, uint32_t rows, uint32_t columns) {
    static const int8_t b[1024];
    gal_gemm *gemm;
    const gal_gemm_desc desc = {.isa = isa, .rows = rows, .inner = 1, .columns = columns, .b = b};
    assert_int_equal(gal_gemm_create(&gemm, &desc, NULL), GAL_OK);
    const gal_gemm_strategy strategy = gal_gemm_get_info(gemm).strategy;
    gal_gemm_destroy(gemm);
    return strategy;
}

static uint32_t native_columns(gal_isa isa) {
    gal_gemm *gemm;
    const gal_gemm_desc desc = {.isa = isa, .strategy = GAL_GEMM_NATIVE};
    assert_int_equal(gal_gemm_create(&gemm, &desc, NULL), GAL_OK);
    const uint32_t columns = gal_gemm_get_info(gemm).tile_columns;
    gal_gemm_destroy(gemm);
    return columns;
}

/* The rule of docs/gemm.md: few rows or columns stay where they are, many do not where interleaving gains something. */
static void strategy_follows_the_shape(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        if (!gal_isa_available((gal_isa)isa)) {
            continue;
        }
        const int gains = isa == GAL_ISA_AVX2 || isa == GAL_ISA_AVX2_VNNI || isa == GAL_ISA_AVX512_VNNI ||
                          isa == GAL_ISA_AVX512_BF16 || isa == GAL_ISA_NEON_I8MM;
        const gal_gemm_strategy many = gains ? GAL_GEMM_INTERLEAVED : GAL_GEMM_NATIVE;
        assert_int_equal(chosen((gal_isa)isa, 2, 1024), GAL_GEMM_NATIVE);
        assert_int_equal(chosen((gal_isa)isa, 64, native_columns((gal_isa)isa)), GAL_GEMM_NATIVE);
        assert_int_equal(chosen((gal_isa)isa, 64, 1024), many);
        assert_int_equal(chosen((gal_isa)isa, 0, 1024), many);
    }
}

static void *no_memory(void *context, size_t size, size_t alignment) {
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static void lack_of_memory_is_a_status(void **unused) {
    (void)unused;
    const gal_allocator none = {.allocate = no_memory};
    const int8_t b = 1;
    gal_gemm *gemm;
    const gal_gemm_desc small = {.allocator = &none, .inner = 1, .columns = 1, .b = &b},
                        huge = {
                            .allocator = &none, .inner = GAL_GEMM_INNER_MOST, .columns = UINT32_MAX, .b = &b};
    assert_int_equal(gal_gemm_create(&gemm, &small, NULL), GAL_NO_MEMORY);
    assert_int_equal(gal_gemm_create(&gemm, &huge, NULL), GAL_NO_MEMORY);
    assert_null(gemm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),         cmocka_unit_test(every_count_of_rows_is_exact),
        cmocka_unit_test(the_largest_sums_fit),       cmocka_unit_test(strides_say_where_things_lie),
        cmocka_unit_test(what_is_wrong_is_said),      cmocka_unit_test(strategy_follows_the_shape),
        cmocka_unit_test(lack_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
