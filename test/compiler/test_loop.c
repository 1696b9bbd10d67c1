/* The loop IR's text and its verifier: what is refused, where, and that what is read means what it says. */
#include "expressions.h"

static gal_status parse(const char *text, gali_arena *arena, gali_loop_function **out, gal_error *error) {
    return gali_loop_parse(out, text, strlen(text), arena, error);
}

/* Integers of every kind, parts, a partial vector, a lookup and a call, worked out by hand below. */
static const char example[] = "# parts of 5 by 2: 2 and 3\n"
                              "loop example(characters in 1..4) {\n"
                              "  input x[characters][3]\n"
                              "  constant w[4][10] as [1*2: 2 parts of 5][0*1: 4][1*2: part 3][1*1: 2]\n"
                              "  input who[characters]: u32\n"
                              "  output y[characters][9]\n"
                              "  for c in characters {\n"
                              "    let e = lookup(who[c]) in 0..0\n"
                              "    for p in 2 {\n"
                              "      let p.first = first(5, 2, p)\n"
                              "      let p.size = size(5, 2, p) in 2..3 cases\n"
                              "      local sum[1][4][2]\n"
                              "      call tile_sum(sum[0][0][0:2], x[e][0], w[p][0][0][0:2], 3, 1, p.size, 1)\n"
                              "      for i in p.size unroll {\n"
                              "        y[c][2*p.first + 2*i:2] = max(sum[0][i][0:2], -0.5)\n"
                              "      }\n"
                              "    }\n"
                              "  }\n"
                              "}\n";

static void an_example_computes_what_it_says(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_loop_function *f = NULL;
    gal_error error = {0};
    if (parse(example, &arena, &f, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    float w[40], packed[40], x[] = {1, 2, -1, 0.5f, 0, 1}, y[18] = {0};
    uint32_t who[] = {0, 0}, characters = 2;
    for (int i = 0; i < 40; i++) {
        w[i] = (float)(i % 7 - 3);
    }
    assert_int_equal(gali_loop_pack_floats(f->buffer[1]), 40);
    gali_loop_pack(f->buffer[1], w, packed);
    assert_true(packed[0] == w[0] && packed[2] == w[2] && packed[6] == w[10] && packed[24] == w[6]);
    void *memory[] = {x, packed, who, y};
    assert_int_equal(gali_loop_interpret(f, &characters, memory, &error), GAL_OK);
    for (int i = 0; i < 18; i++) {
        int n = i % 9; /* both characters look up row 0 */
        float sum = x[0] * w[10 + n] + x[1] * w[20 + n] + x[2] * w[30 + n];
        assert_true(y[i] == (sum < -0.5f ? -0.5f : sum));
    }
    who[1] = 1;
    assert_int_equal(gali_loop_interpret(f, &characters, memory, &error), GAL_BAD_ARGUMENT);
    gali_arena_release(&arena);
}

/* The texts that loop.h shows are what they say they are. */
static void the_headers_samples_are_loops(void **unused) {
    (void)unused;
    char sample[2000], line[200];
    size_t size = 0;
    int samples = 0;
    FILE *header = fopen(GALLOP_SOURCE_DIR "/src/compiler/loop/loop.h", "r");
    assert_non_null(header);
    while (fgets(line, sizeof line, header) && strncmp(line, " */", 3) != 0) {
        static const char indent[] = " *     ";
        int inside = strncmp(line, indent, sizeof indent - 1) == 0;
        if (inside) {
            size += (size_t)snprintf(sample + size, sizeof sample - size, "%s", line + sizeof indent - 1);
            assert_true(size < sizeof sample);
        }
        if (!inside && size) {
            gali_arena arena = {0};
            gali_loop_function *f = NULL;
            gal_error error = {0};
            gali_text text = {0};
            if (parse(sample, &arena, &f, &error) != GAL_OK) {
                fail_msg("%s%s", sample, error.message);
            }
            gali_loop_print(f, &text);
            assert_string_equal(text.bytes, sample);
            gali_text_release(&text);
            gali_arena_release(&arena);
            size = 0;
            samples++;
        }
    }
    assert_int_equal(fclose(header), 0);
    assert_int_equal(samples, 3);
}

/* Two experts a call, whose panels follow one another. */
static void a_call_takes_several_experts(void **unused) {
    (void)unused;
    static const char text[] = "loop both() {\n"
                               "  input x[2][3]\n"
                               "  constant w[3][4][2] as [0*1: 3][1*1: 4][2*2: 1][2*1: 2]\n"
                               "  output y[2][4]\n"
                               "  local sum[2][2][4][2]\n"
                               "  call tile_sum(sum[0][0][0][0:2], x[0][0], w[1][0][0][0:2], 3, 2, 1, 2)\n"
                               "  for e in 2 {\n"
                               "    for r in 2 {\n"
                               "      y[r][2*e:2] = sum[e][r][0][0:2]\n"
                               "    }\n"
                               "  }\n"
                               "}\n";
    gali_arena arena = {0};
    gali_loop_function *f = NULL;
    gal_error error = {0};
    if (parse(text, &arena, &f, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    float x[] = {1, 2, -1, 0.5f, 0, 1}, weights[24], y[8];
    for (int i = 0; i < 24; i++) {
        weights[i] = (float)(i % 7 - 3);
    }
    void *memory[] = {x, weights, y};
    assert_int_equal(gali_loop_interpret(f, NULL, memory, &error), GAL_OK);
    for (int i = 0; i < 8; i++) {
        const float *row = x + i / 4 * 3, *of = weights + 8 * (1 + i % 4 / 2) + i % 2;
        assert_true(y[i] == row[0] * of[2] + row[1] * of[4] + row[2] * of[6]);
    }
    gali_arena_release(&arena);
}

/* The function's text around statements: two vectors of x, one of y. */
static const char *const refused[][2] = {
    {"loop f(", "expected a name"},
    {"loop f(n in 1..) {}", "line 1: expected a number"},
    {"loop f(n in 3..2) {}", "n: an empty range"},
    {"loop f(n in 1..2, n in 1..2) {}", "symbol n twice"},
    {"loop f() {\n  input x[4]\n  input x[4]\n}", "line 3: buffer x was made before"},
    {"loop f(n in 1..2) {\n  input x[n - 2]\n}", "x: a dimension is negative"},
    {"loop f() {\n  output y[4]\n  y[4] = 0\n}", "y: an index past the end in: y[4] = 0"},
    {"loop f(n in 1..5) {\n  output y[4]\n  for i in n {\n    y[i] = 0\n  }\n}", "y: an index past the end"},
    {"loop f() {\n  output y[4]\n  y[i] = 0\n}", "line 3: no variable i"},
    {"loop f() {\n  output y[4]\n  for i in 4 {\n    y[i] = 0\n  }\n  y[i] = 0\n}", "i: not defined here"},
    {"loop f() {\n  output y[4]\n  for i in 2 {\n    for i in 2 {\n    }\n  }\n}", "i: defined twice"},
    {"loop f() {\n  input x[4]\n  x[0] = 1\n}", "x: is not written"},
    {"loop f() {\n  output y[8]\n  local a[8]\n  y[0:4] = a[0:2]\n}", "a: lanes differ"},
    {"loop f() {\n  output y[8]\n  local a[6]\n  y[0:4] = a[4:4]\n}", "a: an index past the end"},
    {"loop f() {\n  output y[8]\n  local a[4]\n  y[5:4/4] = a[0:4]\n}", "y: lanes of a store to memory"},
    {"loop f() {\n  output y[8]\n  local a[4]\n  y[6:3/4] = a[0:4]\n}", "y: an index past the end"},
    {"loop f() {\n  input x[8]\n  local a[4]\n  a[0:3/4] = x[0:4]\n}", "a: lanes of a store to memory"},
    {"loop f() {\n  output y[8]\n  local a[4]\n  a[0:4] = y[0:3/4]\n}",
     "y: stores alone are of the first lanes"},
    {"loop f() {\n  output y[8]\n  local a[4]\n  y[0:0/4] = a[0:4]\n}", "line 4: no lanes of a store"},
    {"loop f() {\n  output y[4]\n  y[0] = twice(1)\n}", "line 3: no operation twice"},
    {"loop f() {\n  output y[4]\n  y[0] = add(1)\n}", "line 3: expected ','"},
    {"loop f() {\n  output y[4]\n  y[0] = 1e99\n}", "line 3: expected a value"},
    {"loop f() {\n  output y[4]\n  for i in 2 {\n    local a[2]\n  }\n  y[0] = a[0]\n}", "a: not made here"},
    {"loop f() {\n  for i in 2 parallel {\n  }\n  for j in 3 parallel {\n  }\n}", "j: a parallel loop has"},
    {"loop f() {\n  local x\n  for j in 2 parallel {\n  }\n}", "j: a parallel loop has no locals"},
    {"loop f(n in 1..9) {\n  let m = size(n, 2, 0) in 1..3 cases\n}", "m: leaves the range of its cases"},
    {"loop f(n in 0..9) {\n  let m = quotient(4, n)\n}", "m: division by zero"},
    {"loop f() {\n  constant w[9] as [0*1: 2 parts of 5]\n}", "w: its layout does not hold it"},
    {"loop f() {\n  constant w[9] as [0*4: 2][0*1: 4]\n}", "w: its layout does not hold it"},
    {"loop f() {\n  output y[268435457]\n}", "line 2: expected a number, at most 268435456"},
    {"loop f() {\n}\n}", "line 3: more text after the function"},
    {"loop f() {\n  output y[4]\n  for i in 4 {\n    y[i - 1] = 0\n  }\n}",
     "y: a negative index in: y[i - 1] = 0"},
    {"loop f() {\n  input x[4]\n  output y[4]\n  for i in 4 {\n    y[i] = x[?i - 1]\n  }\n}",
     "line 5: expected 'else'"},
    {"loop f() {\n  input x[4]\n  output y[4]\n  for i in 4 {\n    y[i] = select(less(at(i), 3i64), x[i + 2], "
     "0)\n  }\n}",
     "x: an index past the end"},
    {"loop f() {\n  input x[4]: i32\n  output y[4]\n  y[0] = x[0]\n}", "y: holds another element"},
    {"loop f() {\n  input x[4]: i32\n  output y[4]\n  y[0] = add(f32(x[0]), 1i32)\n}",
     "add: operands of other elements"},
    {"loop f() {\n  input x[4]: i32\n  output y[4]: i32\n  y[0] = sqrt(x[0])\n}",
     "sqrt: operands of other elements"},
    {"loop f() {\n  output y[4]: i8\n  y[0] = 128i8\n}", "line 3: no number of i8"},
    {"loop f() {\n  input x[4]: f17\n}", "line 2: no element f17"},
    {"loop f() {\n  output y[8]\n  local a[8]\n  y[0:4] = sinh(a[0:4])\n}", "sinh: has no word in vectors"},
    {"loop f() {\n  input x[2][8]\n  view r[2][9]\n  point r[0][0] at x[0][0]\n}", "x: an index past the end"},
    {"loop f() {\n  input x[2][8]\n  view r[2][4]\n  point r[0][0] at x[0][?5]\n}", "no row of a view"},
    {"loop f() {\n  input x[2][8]\n  view r[2][4]\n  r[0][0] = x[0][0]\n}", "r: is not written"},
    {"loop f() {\n  view r[4097]\n}", "r: a view's rows have a number of f32"},
    {"loop f() {\n  input x[2][8]\n  local r[2][4]\n  point r[0][0] at x[0][0]\n}", "no row of a view"},
    {"loop f() {\n  input x[8]\n  output y[8]\n  y[0:4] = x[?0:4] else 0\n}", "x: a marked index has no lanes"},
    {"loop f() {\n  input x[1][1][1][1][1][1][1][1][1]\n}", "line 2: x has more than 8 dimensions"},
    {"loop f(n in 1..9) {\n  output y[9]\n  let m = sum(n - 2)\n  y[0] = 0\n}", "m: may be negative"},
    {"loop f(n in 1..9) {\n  input i[4]: i64\n  output y[9]\n  let m = clamp(i[0], n, 5)\n  y[0] = 0\n}",
     "m: a clamp whose ends may cross"},
    {"loop f(n in 1..9) {\n  size m = quotient(9, n - 1)\n  output y[m]\n}", "m: division by zero"},
    {"loop f(n in 1..1000, m in 1..1000, l in 1..1000) dense {\n  size k = product(n, m)\n  output y[k]\n"
     "  for i in k {\n    y[i + l - 1] = 0\n  }\n}",
     "y: an index past the end"},
    {"loop f() {\n  input x[2][4]\n  constant w[3][1][2]\n  local s[2][1][2]\n"
     "  call tile_sum(s[0][0][0:2], x[0][0], w[0][0][0:2], 3, 2, 1, 1)\n}",
     "the call does not take a whole panel"},
    {"loop f() {\n  input x[2][4]\n  constant w[2][5][1][2]\n  local s[2][2][1][2]\n"
     "  call tile_sum(s[0][0][0][0:2], x[0][0], w[1][0][0][0:2], 4, 2, 1, 2)\n}",
     "w: an index past the end"},
    {"loop f() {\n  input x[2][4]\n  constant w[2][5][1][2]\n  local s[2][1][2]\n"
     "  call tile_sum(s[0][0][0:2], x[0][0], w[0][0][0][0:2], 4, 2, 1, 2)\n}",
     "s: sizes of a call"},
};

static void refusals_name_their_place(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gali_arena arena = {0};
        gali_loop_function *f = NULL;
        gal_error error = {0};
        assert_int_equal(parse(refused[i][0], &arena, &f, &error), GAL_BAD_DATA);
        if (!strstr(error.message, refused[i][1])) {
            fail_msg("%s\n\"%s\", expected \"%s\"", refused[i][0], error.message, refused[i][1]);
        }
        gali_arena_release(&arena);
    }
}

/* Every prefix and every text with one byte changed is refused or read; nothing else happens. */
static void damaged_text_is_refused_or_read(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof example - 1; i++) {
        gali_arena arena = {0};
        gali_loop_function *f = NULL;
        gal_error error = {0};
        char text[sizeof example];
        memcpy(text, example, sizeof example);
        gal_status cut = gali_loop_parse(&f, text, i, &arena, &error);
        assert_true(cut == GAL_BAD_DATA || i + 2 >= sizeof example);
        for (const char *byte = "9]{ .*"; *byte; byte++) {
            text[i] = *byte;
            gal_status status = gali_loop_parse(&f, text, sizeof example - 1, &arena, &error);
            assert_true(status == GAL_OK || status == GAL_BAD_DATA);
        }
        gali_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_example_computes_what_it_says), cmocka_unit_test(the_headers_samples_are_loops),
        cmocka_unit_test(a_call_takes_several_experts),     cmocka_unit_test(refusals_name_their_place),
        cmocka_unit_test(damaged_text_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
