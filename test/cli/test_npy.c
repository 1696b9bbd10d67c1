/* .npy files: what is read back is what was written; every malformed header is refused by name. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command_line.h"
#include "npy.h"

enum { FILE_MAX = 512 };

/* A version 1 file with this header text and `data` zero bytes behind it. */
static size_t make(unsigned char out[FILE_MAX], const char *header, size_t data) {
    size_t length = strlen(header);
    memset(out, 0, FILE_MAX);
    memcpy(out, "\x93NUMPY\x01", 7);
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10, header, length);
    return 10 + length + data;
}

static void expect_header(const char *header, size_t data, const char *message) {
    unsigned char bytes[FILE_MAX];
    gali_npy array;
    gal_error error = {0};
    size_t size = make(bytes, header, data);
    gal_status status = gali_npy_parse(&array, bytes, size, "a.npy", &error);
    if (status != GAL_BAD_DATA || strncmp(error.message, "a.npy: ", 7) != 0 ||
        !strstr(error.message, message)) {
        fail_msg("%s: status %d \"%s\", expected \"%s\"", header, status, error.message, message);
    }
}

static void reads_what_it_writes(void **state) {
    (void)state;
    float values[2 * 3 * 2], *back = NULL;
    size_t shape[3] = {2, 3, 2}, shape_back[3] = {0, 0, 0};
    gal_error error = {0};
    for (int i = 0; i < 12; i++) {
        values[i] = (float)i / 7;
    }
    assert_int_equal(gali_npy_write(place_of("a.npy"), values, GALI_f32, 3, shape, &error), GAL_OK);
    assert_int_equal(gali_npy_read_f32(place_of("a.npy"), 3, &back, shape_back, &error), GAL_OK);
    assert_memory_equal(values, back, sizeof values);
    assert_memory_equal(shape, shape_back, sizeof shape);
    free(back);
}

static void writes_long_shapes_and_nothing(void **state) {
    (void)state;
    float *back = NULL;
    size_t shape[4] = {0, 123456789012345678u, 3, 4}, shape_back[4];
    gal_error error = {0};
    assert_int_equal(gali_npy_write(place_of("a.npy"), NULL, GALI_f64, 4, shape, &error), GAL_OK);
    assert_int_equal(gali_npy_read_f32(place_of("a.npy"), 4, &back, shape_back, &error), GAL_BAD_DATA);
    expect_text(error.message, "float64, float32 expected");
    assert_int_equal(gali_npy_write(place_of("a.npy"), NULL, GALI_f32, 4, shape, &error), GAL_OK);
    assert_int_equal(gali_npy_read_f32(place_of("a.npy"), 4, &back, shape_back, &error), GAL_OK);
    assert_memory_equal(shape, shape_back, sizeof shape);
    free(back);
    assert_int_equal(gali_npy_read_f32(place_of("a.npy"), 2, &back, shape_back, &error), GAL_BAD_DATA);
    expect_text(error.message, "4 dimensions, 2 expected");
    assert_null(back);
}

/* NumPy's own files of each type, by its words for them. */
static void knows_every_type(void **state) {
    (void)state;
    static const struct {
        const char *descr, *word;
        size_t bytes;
    } types[] = {{"<f2", "float16", 2}, {"<f4", "float32", 4}, {"<f8", "float64", 8}, {"|i1", "int8", 1},
                 {"<i2", "int16", 2},   {"<i4", "int32", 4},   {"<i8", "int64", 8},   {"|u1", "uint8", 1},
                 {"<u2", "uint16", 2},  {"<u4", "uint32", 4},  {"<u8", "uint64", 8},  {"|b1", "bool", 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        unsigned char bytes[FILE_MAX];
        char header[128], written[FILE_MAX];
        size_t shape[GALI_NPY_DIMENSIONS] = {1, 1, 3, 1, 1, 1, 1, 1};
        gali_npy array;
        gal_error error = {0};
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3,)}",
                 types[i].descr);
        size_t size = make(bytes, header, 3 * types[i].bytes);
        assert_int_equal(gali_npy_parse(&array, bytes, size, "a", &error), GAL_OK);
        assert_string_equal(gali_npy_word(array.element), types[i].word);
        assert_int_equal(gali_element_list[array.element].bytes, types[i].bytes);
        assert_int_equal(gali_npy_write(place_of("a.npy"), array.data, array.element, 8, shape, &error),
                         GAL_OK);
        slurp(place_of("a.npy"), written, sizeof written);
        assert_int_equal(gali_npy_parse(&array, written, 320 + 3 * types[i].bytes, "a", &error), GAL_OK);
        assert_string_equal(gali_npy_word(array.element), types[i].word);
        assert_memory_equal(array.shape, shape, sizeof shape);
    }
}

static void takes_any_spacing_and_order(void **state) {
    (void)state;
    unsigned char bytes[FILE_MAX];
    gali_npy array;
    gal_error error = {0};
    size_t size = make(bytes, " {'shape' : ( 3 , ),'descr':'<f8', 'fortran_order':False}\n\n", 24);
    assert_int_equal(gali_npy_parse(&array, bytes, size, "a", &error), GAL_OK);
    assert_int_equal(array.dimensions, 1);
    assert_int_equal(array.count, 3);
    assert_int_equal(array.element, GALI_f64);
    size = make(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4);
    assert_int_equal(gali_npy_parse(&array, bytes, size, "a", &error), GAL_OK);
    assert_int_equal(array.dimensions, 0);
    assert_int_equal(array.count, 1);
}

static void refuses_bad_headers(void **state) {
    (void)state;
    expect_header("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8, "type '<c8'");
    expect_header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4, "type '>f4'");
    expect_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4, "fortran_order");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4, "4 bytes of data, 8 expected");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 8, "8 bytes of data, 4 expected");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}", 4,
                  "'shape'");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, "'shape'");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1", 4, "'shape'");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4, "'shape'");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905,)}", 4,
                  "bytes of data");
    expect_header("{'descr': '<f4', 'fortran_order': False}", 4, "descr, fortran_order and shape");
    expect_header("{'descr': '<f4', 'more': 1}", 4, "unknown header key 'more'");
    expect_header("{'descr': [('a', '<f4')]}", 4, "'descr' is not one type");
    expect_header("{'descr': '<f4' 'shape': (1,)}", 4, "not ended");
    expect_header("[]", 4, "not a dictionary");
    expect_header("", 4, "not a dictionary");
    expect_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more", 4, "alone");
}

static void refuses_bad_frames(void **state) {
    (void)state;
    unsigned char bytes[FILE_MAX];
    gali_npy array;
    gal_error error = {0};
    size_t size = make(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
    for (size_t cut = 0; cut < size; cut++) { /* every truncation, in memory of just that size */
        unsigned char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        assert_int_equal(gali_npy_parse(&array, part, cut, "a", &error), GAL_BAD_DATA);
        free(part);
    }
    bytes[6] = 9;
    assert_int_equal(gali_npy_parse(&array, bytes, size, "a", &error), GAL_BAD_DATA);
    expect_text(error.message, "version 9");
    bytes[6] = 2;
    bytes[11] = 255;
    assert_int_equal(gali_npy_parse(&array, bytes, size, "a", &error), GAL_BAD_DATA);
    expect_text(error.message, "cut off");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_type),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(writes_long_shapes_and_nothing),
        cmocka_unit_test(takes_any_spacing_and_order),
        cmocka_unit_test(refuses_bad_headers),
        cmocka_unit_test(refuses_bad_frames),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
