/* Loops in vectors, as C beside the interpreter: functions of cases, truth values, rows of a pointer's array. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/vocabulary.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print_c.h"
#include "gallop/network.h"

/* One vector and one number, made outside of two functions that know a size, and read and written in them. */
static const char across[] = "loop across(n in 1..9) {\n"
                             "  input x[8]\n"
                             "  output y[n][8]\n"
                             "  local a[8]\n"
                             "  local s\n"
                             "  a[0:8] = x[0:8]\n"
                             "  s = x[1]\n"
                             "  for p in 2 {\n"
                             "    let p.size = size(3, 2, p) in 1..2 cases\n"
                             "    local b[8]\n"
                             "    b[0:8] = mul(a[0:8], s)\n"
                             "    for q in 2 {\n"
                             "      let q.size = size(p.size + 3, 2, q) in 2..3 cases\n"
                             "      for i in q.size {\n"
                             "        a[0:8] = add(a[0:8], b[0:8])\n"
                             "        s = add(s, x[2])\n"
                             "      }\n"
                             "    }\n"
                             "  }\n"
                             "  for c in n {\n"
                             "    y[c][0:8] = fma(a[0:8], s, a[0:8])\n"
                             "  }\n"
                             "}\n";

/* A row outside, truth values in lanes and one for all, what is no vector's word and the same in all. */
static const char words[] =
    "loop words(n in 1..3) dense {\n"
    "  input x[n][8]\n"
    "  input m[n]: bool\n"
    "  output y[n][8]\n"
    "  for i in n {\n"
    "    view row[2][8]\n"
    "    for r in 2 unroll {\n"
    "      point row[r][0] at x[?i + r - 1][0]\n"
    "    }\n"
    "    y[i][0:8] = select(and(less(row[0][0:8], row[1][0:8]), m[i]), least(erf(x[i][0:8]), "
    "f32(at(i))), add(x[?i - 1][0:8] else 1, row[1][0:8]))\n"
    "  }\n"
    "}\n";

/* Squares that are turned over, read by rows and by columns; and what is so marked but is none: it
 * is in one buffer, its columns descend or lie over each other, or more is done. */
static const char squares[] = "loop squares(n in 1..3) dense {\n"
                              "  input x[n][8]\n"
                              "  output y[n][8]\n"
                              "  for r in n {\n"
                              "    local b[4][8]\n"
                              "    local a[4][6]\n"
                              "    local c[4][4]\n"
                              "    for p in 4 {\n"
                              "      for q in 8 {\n"
                              "        b[p][q] = mul(x[r][q], f32(at(p + 1)))\n"
                              "      }\n"
                              "    }\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        a[j][i + 1] = b[i][j + 2]\n"
                              "      }\n"
                              "    }\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        c[i][j] = b[j][i + 3]\n"
                              "      }\n"
                              "    }\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        b[i][j] = b[j][i]\n"
                              "      }\n"
                              "    }\n"
                              "    local d[16]\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        d[-4*i + j + 12] = b[j][i]\n"
                              "      }\n"
                              "    }\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        d[i + j] = b[i][j]\n"
                              "      }\n"
                              "    }\n"
                              "    for i in 4 transpose {\n"
                              "      for j in 4 {\n"
                              "        y[r][2*i] = add(a[j][i + 1], c[i][j])\n"
                              "      }\n"
                              "      y[r][2*i + 1] = add(d[i + 1], d[4*i + 3])\n"
                              "    }\n"
                              "  }\n"
                              "}\n";

/* Lanes that go on along a vector, and a store of the first of them. */
static const char rotated[] = "loop rotated(n in 1..3) dense {\n"
                              "  input x[n][8]\n"
                              "  output y[n][8]\n"
                              "  for i in n {\n"
                              "    y[i][0:8] = x[i][0:8]\n"
                              "    y[i][1:6/8] = sub(rotate(x[i][0:8]), rotate_twice(x[i][0:8]))\n"
                              "  }\n"
                              "}\n";

/* Runs a function of three rows of 8 as C in vectors, and as the interpreter; `call` is what calls it with two arrays. */
static void in_vectors(const char *text, size_t size, const char *call_text, void **buffers, const float *x,
                       float *y, const float *expected) {
    const gali_target *target = gali_target_find("x86-64-v3", NULL);
    gali_text body = {0}, source = {0};
    gal_error error = {0};
    const uint32_t symbols[] = {3};
    gali_arena arena = {0};
    gali_loop_function *function;
    if (gali_loop_parse(&function, text, size, &arena, &error) != GAL_OK ||
        gali_loop_print_c(function, "f", 8, &body, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    gali_text_add(&body, "%s", call_text);
    gali_text_add(&source,
                  "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n");
    gali_vocabulary_includes(&source, target);
    gali_vocabulary_add(&source, target, body.bytes);
    gali_vocabulary_add_plain(&source, body.bytes);
    gali_text_add(&source, "%s", body.bytes);
    FILE *file = fopen("across.c", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(source.bytes, 1, source.size, file), source.size);
    assert_int_equal(fclose(file), 0);
    gali_text_release(&body);
    gali_text_release(&source);
    if (!gal_isa_available(GAL_ISA_AVX2) || system("command -v gcc >/dev/null") != 0) {
        gali_arena_release(&arena);
        skip();
    }
    assert_int_equal(system("gcc -std=c11 -O2 -ffp-contract=off -march=x86-64-v3 -Wall -Wextra -Werror -fPIC "
                            "-shared across.c -o "
                            "./across.so -lm"),
                     0);
    void *library = dlopen("./across.so", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void (*call)(const float *, float *);
    *(void **)&call = dlsym(library, "call");
    assert_non_null(call);
    assert_int_equal(gali_loop_interpret(function, symbols, buffers, &error), GAL_OK);
    call(x, y);
    assert_memory_equal(y, expected, 24 * sizeof *y);
    dlclose(library);
    gali_arena_release(&arena);
}

static void vectors_go_into_functions_of_cases(void **unused) {
    (void)unused;
    float x[8] = {1, 2, 0.5f, 3, -1, 0.25f, 7, 9}, y[24], expected[24] = {0};
    void *buffers[] = {x, expected};
    in_vectors(
        across, sizeof across - 1,
        "void call(const float *x, float *y);\nvoid call(const float *x, float *y) {\n    f(3, x, y, 8);\n}\n",
        buffers, x, y, expected);
}

static void vectors_have_truths_and_rows(void **unused) {
    (void)unused;
    float x[24], y[24], expected[24] = {0};
    uint8_t m[3] = {1, 0, 1};
    void *buffers[] = {x, m, expected};
    for (int i = 0; i < 24; i++) {
        x[i] = (float)(i * 7 % 11) * 0.3f - 1;
    }
    in_vectors(words, sizeof words - 1,
               "void call(const float *x, float *y);\nvoid call(const float *x, float *y) {\n"
               "    static const uint8_t m[3] = {1, 0, 1};\n    f(3, x, m, y);\n}\n",
               buffers, x, y, expected);
}

/* As the function says it, and as the interpreter does; the word stands in the C twice. */
static void squares_are_turned_over(void **unused) {
    (void)unused;
    float x[24], y[24], expected[24] = {0};
    void *buffers[] = {x, expected};
    gali_arena arena = {0};
    gali_loop_function *function;
    gali_text text = {0}, printed = {0};
    gal_error error = {0};
    for (int i = 0; i < 24; i++) {
        x[i] = (float)(i * 7 % 11) * 0.3f - 1;
    }
    assert_int_equal(gali_loop_parse(&function, squares, sizeof squares - 1, &arena, &error), GAL_OK);
    gali_loop_print(function, &printed);
    assert_string_equal(printed.bytes, squares);
    assert_int_equal(gali_loop_print_c(function, "f", 8, &text, &error), GAL_OK);
    const char *first = strstr(text.bytes, "gali_transpose(");
    assert_non_null(first);
    const char *second = strstr(first + 1, "gali_transpose(");
    assert_non_null(second);
    assert_null(strstr(second + 1, "gali_transpose("));
    gali_text_release(&text);
    gali_text_release(&printed);
    gali_arena_release(&arena);
    in_vectors(
        squares, sizeof squares - 1,
        "void call(const float *x, float *y);\nvoid call(const float *x, float *y) {\n    f(3, x, y);\n}\n",
        buffers, x, y, expected);
    for (int i = 0; i < 4; i++) {
        assert_true(y[2 * i] - (x[5] * (float)(i + 1) + x[i + 3] * 4) == 0);
    }
}

static void lanes_go_on_along_a_vector(void **unused) {
    (void)unused;
    float x[24], y[24], expected[24] = {0};
    void *buffers[] = {x, expected};
    gali_arena arena = {0};
    gali_loop_function *function;
    gali_text printed = {0};
    gal_error error = {0};
    for (int i = 0; i < 24; i++) {
        x[i] = (float)(i * i);
    }
    assert_int_equal(gali_loop_parse(&function, rotated, sizeof rotated - 1, &arena, &error), GAL_OK);
    gali_loop_print(function, &printed);
    assert_string_equal(printed.bytes, rotated);
    gali_text_release(&printed);
    gali_arena_release(&arena);
    in_vectors(
        rotated, sizeof rotated - 1,
        "void call(const float *x, float *y);\nvoid call(const float *x, float *y) {\n    f(3, x, y);\n}\n",
        buffers, x, y, expected);
    for (int i = 0; i < 24; i++) {
        const int row = i / 8 * 8, lane = i % 8 - 1;
        const float of = lane < 0 || lane > 5 ? x[i] : x[row + lane + 1] - x[row + (lane + 2) % 8];
        assert_true(y[i] == of);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_are_turned_over),
        cmocka_unit_test(lanes_go_on_along_a_vector),
        cmocka_unit_test(vectors_go_into_functions_of_cases),
        cmocka_unit_test(vectors_have_truths_and_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
