/* Expressions as text: what is read is what was printed, and what a schedule may not do to a sum or a vector. */
#include "expressions.h"

static gali_expression *parse(const char *text, gali_arena *arena) {
    gali_expression *expression = NULL;
    gal_error error = {0};
    if (gali_expression_parse(&expression, text, strlen(text), arena, &error) != GAL_OK) {
        fail_msg("%s%s", text, error.message);
    }
    return expression;
}

static const gali_dense layers[] = {
    {.experts = 4,
     .slots = 4,
     .inputs = 5,
     .outputs = 37,
     .activation = GALI_ACTIVATION_ELU,
     .least = 1,
     .most = 5},
    {.experts = 6, .slots = 2, .inputs = 4, .outputs = 33, .sparse = 1, .least = 2, .most = 4},
    {.experts = 3, .slots = 3, .inputs = 4, .outputs = 24, .form = GAL_FORM_BLEND, .least = 1, .most = 3},
    {.experts = 1, .slots = 1, .inputs = 3, .outputs = 20, .padded = 1, .least = 7, .most = 7},
};

/* Loops of an expression as text. */
static gali_text loops_of(const gali_expression *expression, const char *schedule, gali_arena *arena) {
    gali_text text = {0};
    gali_loop_function *f = NULL;
    gal_error error = {0};
    if (apply_text(expression, schedule, arena, &f, &error) != GAL_OK) {
        fail_msg("%s: %s", schedule, error.message);
    }
    gali_loop_print(f, &text);
    return text;
}

static void layers_come_back(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        gali_arena arena = {0};
        gali_expression *layer = dense_expression(&layers[i], &arena);
        gali_text first = {0}, second = {0};
        gali_expression_print(layer, &first);
        gali_expression *again = parse(first.bytes, &arena);
        gali_expression_print(again, &second);
        assert_string_equal(first.bytes, second.bytes);
        gali_text a = loops_of(layer, "vectorize n 4; split n 2", &arena);
        gali_text b = loops_of(again, "vectorize n 4; split n 2", &arena);
        assert_string_equal(a.bytes, b.bytes);
        gali_text_release(&first);
        gali_text_release(&second);
        gali_text_release(&a);
        gali_text_release(&b);
        gali_arena_release(&arena);
    }
}

static const char convolution[] = "expression convolution()\n"
                                  "  constant w[3][4]\n"
                                  "  input x[3][19]\n"
                                  "  output y[16]\n"
                                  "  axis i 16\n"
                                  "  axis q 3\n"
                                  "  axis r 4\n"
                                  "  y[i] = 0, over q, r: fma(x[q][i + r], w[q][r], y[i])\n";

/* A sum over several axes has one order, and nothing but loops that keep it. */
static void sums_keep_the_order_of_their_axes(void **unused) {
    (void)unused;
    static const char *const refused[] = {"reorder r q", "reorder r i; reorder q i", "split r 2; reorder r.o q",
                                          "split q 2; split r 2; reorder r.o q.i", "fuse q r"};
    static const char *const kept[] = {"", "reorder q i", "reorder q i; reorder r i",
                                       "split r 2; reorder q i; reorder r.o i"};
    gali_arena arena = {0};
    gali_expression *e = parse(convolution, &arena);
    gali_loop_function *f = NULL;
    gal_error error = {0};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(apply_text(e, refused[i], &arena, &f, &error), GAL_BAD_DATA);
        assert_non_null(strstr(error.message, "sum"));
    }
    float *first = NULL;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        size_t floats = 0;
        assert_int_equal(apply_text(e, kept[i], &arena, &f, &error), GAL_OK);
        arguments a = make_arguments(f, 1, 1, 1, 5);
        float *y = interpreted(f, &a, 1, &floats);
        if (first) {
            assert_memory_equal(first, y, floats * sizeof *y);
        }
        free(i ? y : NULL);
        first = i ? first : y;
        free_arguments(&a);
    }
    free(first);
    gali_arena_release(&arena);
}

static void a_sum_whose_axes_stand_otherwise_is_refused(void **unused) {
    (void)unused;
    static const char text[] =
        "expression e()\n  input x[3][4]\n  output y[2]\n  axis i 2\n  axis q 3\n  axis r 4\n"
        "  y[i] = 0, over r, q: add(y[i], x[q][r])\n";
    gali_arena arena = {0};
    gali_loop_function *f = NULL;
    gal_error error = {0};
    assert_int_equal(apply_text(parse(text, &arena), "", &arena, &f, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "expression e: a sum runs over its axes in another order"));
    gali_arena_release(&arena);
}

/* Vectors are along an axis that walks memory by ones, whichever term of the index it is. */
static void vectors_walk_by_ones(void **unused) {
    (void)unused;
    static const struct {
        const char *index, *why;
    } indices[] = {
        {"q + 2*w", "not contiguous"}, {"2*w + q", "not contiguous"}, {"7*q + w", NULL}, {"w + 7*q", NULL}};
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        gali_arena arena = {0};
        gali_loop_function *f = NULL, *plain = NULL;
        gal_error error = {0};
        char text[300];
        snprintf(text, sizeof text,
                 "expression e()\n  input x[40]\n  output y[4][7]\n  axis q 4\n  axis w 7\n  y[q][w] = "
                 "mul(x[%s], 2)\n",
                 indices[i].index);
        gali_expression *e = parse(text, &arena);
        gal_status status = apply_text(e, "vectorize w 4", &arena, &f, &error);
        if (indices[i].why) {
            assert_int_equal(status, GAL_BAD_DATA);
            assert_non_null(strstr(error.message, indices[i].why));
        } else {
            size_t floats = 0;
            assert_int_equal(status, GAL_OK);
            assert_int_equal(apply_text(e, "", &arena, &plain, &error), GAL_OK);
            arguments a = make_arguments(f, 1, 1, 1, i);
            float *y = interpreted(f, &a, 1, &floats), *z = interpreted(plain, &a, 1, &floats);
            assert_memory_equal(y, z, floats * sizeof *y);
            free(y);
            free(z);
            free_arguments(&a);
        }
        gali_arena_release(&arena);
    }
}

/* Other elements, and loads that may leave. */
static void elements_are_kept(void **unused) {
    (void)unused;
    static const char text[] = "expression e(n in 1..9) dense\n"
                               "  input x[n]: i8\n"
                               "  output y[n]: f64\n"
                               "  axis i n\n"
                               "  axis k 3\n"
                               "  sum[i]: i32 = 0i32, over k: add(sum[i], i32(x[?i + k - 1] else 0i8))\n"
                               "  y[i] = f64(sum[i])\n";
    gali_arena arena = {0};
    gali_text again = {0}, loops;
    gali_expression *e = parse(text, &arena);
    gali_expression_print(e, &again);
    assert_string_equal(again.bytes, text);
    loops = loops_of(e, "compute_at sum i", &arena);
    assert_non_null(strstr(loops.bytes, "local sum: i32"));
    assert_non_null(strstr(loops.bytes, "loop e(n in 1..9) dense {"));
    gali_text_release(&again);
    gali_text_release(&loops);
    gali_arena_release(&arena);
}

static const char *const refused[][2] = {
    {"expression", "line 1: expected a name"},
    {"expression e()", "line 1: no stage"},
    {"expression e()\n axis i 0", "line 2: expected a number from 1 on"},
    {"expression e()\n axis i 4\n axis i 4", "line 3: i was named before"},
    {"expression e()\n axis i n", "line 2: no buffer n"},
    {"expression e()\n axis a 1\n axis b 1\n axis c 1\n axis d 1\n axis e 1\n axis f 1\n axis g 1\n axis h 1\n "
     "axis i 1",
     "line 10: more than 8 axes"},
    {"expression e()\n axis i 4\n a[i][i] = 0", "line 3: axis i twice"},
    {"expression e()\n axis i 4\n a[k] = 0", "line 3: k is no axis that is walked"},
    {"expression e()\n axis i 4\n a[i] = add(b[i], 0)", "line 3: no buffer b"},
    {"expression e()\n axis i 4\n a[i] = add(a[i], 0)", "line 3: a is read before it is made"},
    {"expression e()\n axis i 4\n a[i] = 1\n b[i] = a[i + 1]", "line 4: a is read at other than its own axes"},
    {"expression e()\n output y[4][4]\n axis i 4\n y[i] = 1", "line 4: y is no output of these dimensions"},
    {"expression e()\n axis i 4\n a[i] = 1\n a[i] = 1",
     "line 4: a is no output of these dimensions, or made twice"},
    {"expression e()\n axis i 4\n a = 0, over i", "line 3: expected ':'"},
};

static void refusals_name_their_place(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gali_arena arena = {0};
        gali_expression *e = NULL;
        gal_error error = {0};
        gal_status status = gali_expression_parse(&e, refused[i][0], strlen(refused[i][0]), &arena, &error);
        if (status != GAL_BAD_DATA || !strstr(error.message, refused[i][1])) {
            fail_msg("%s\n\"%s\", expected \"%s\"", refused[i][0], error.message, refused[i][1]);
        }
        gali_arena_release(&arena);
    }
}

/* One axis and one stage more than there is room for: the arena says so, and nothing is overrun. */
static void too_many_are_a_failure(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_expression *e = gali_expression_make(&arena, "e");
    const gali_loop_variable *axis = NULL;
    for (uint32_t i = 0; i < GALI_EXPRESSION_AXES_MAX; i++) {
        axis = gali_expression_axis(e, "i", gali_loop_number(2));
        assert_non_null(axis);
    }
    for (uint32_t i = 0; i < GALI_EXPRESSION_STAGES_MAX; i++) {
        assert_non_null(gali_expression_stage(e, "s", GALI_LOOP_LOCAL, 1, 0, &axis));
    }
    assert_false(arena.failed);
    assert_null(gali_expression_stage(e, "s", GALI_LOOP_LOCAL, 1, 0, &axis));
    assert_true(arena.failed);
    arena.failed = 0;
    assert_null(gali_expression_axis(e, "i", gali_loop_number(2)));
    assert_true(arena.failed);
    assert_int_equal(e->axes, GALI_EXPRESSION_AXES_MAX);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_come_back),
        cmocka_unit_test(sums_keep_the_order_of_their_axes),
        cmocka_unit_test(a_sum_whose_axes_stand_otherwise_is_refused),
        cmocka_unit_test(vectors_walk_by_ones),
        cmocka_unit_test(elements_are_kept),
        cmocka_unit_test(refusals_name_their_place),
        cmocka_unit_test(too_many_are_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
