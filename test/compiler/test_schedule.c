/* Schedules: text, refusals with their place, and that no schedule changes a bit. */
#include "compiler/loop/layout.h"
#include "expressions.h"

#include "kernels/kernels.h"

/* What a runtime layer does, in plain C: kernels.h's order. */
static float truth(const gali_dense *d, const arguments *a, uint32_t c, uint32_t n) {
    const float *weights = a->memory[0], *x = a->memory[1], *blend = d->experts > 1 ? a->memory[2] : NULL;
    const uint32_t *expert = d->sparse ? a->memory[3] : NULL;
    float total = 0;
    for (uint32_t s = 0; s < d->slots; s++) {
        uint32_t e = expert ? expert[c * d->slots + s] : s;
        const float *from = weights + (size_t)e * (d->inputs + 1) * d->outputs + n;
        float sum = 0;
        for (uint32_t k = 0; k < d->inputs; k++) {
            sum = fmaf(x[c * d->inputs + k], from[(size_t)(k + 1) * d->outputs], sum);
        }
        total = fmaf(blend ? blend[c * d->slots + s] : 1, sum + from[0], total);
    }
    gali_kernels_scalar.activate_f32(d->activation, d->slope, &total, 1);
    return total;
}

static float blend_truth(const gali_dense *d, const arguments *a, uint32_t c, uint32_t n) {
    const float *weights = a->memory[0], *x = a->memory[1], *blend = (float *)a->memory[2] + c * d->slots;
    const uint32_t *expert = d->sparse ? (uint32_t *)a->memory[3] + c * d->slots : NULL;
    size_t step = (size_t)(d->inputs + 1) * d->outputs;
    float total = 0, bias = 0;
    for (uint32_t k = 0; k <= d->inputs; k++) {
        float weight = 0;
        for (uint32_t s = 0; s < d->slots; s++) {
            size_t e = expert ? expert[s] : s;
            weight = fmaf(blend[s], weights[e * step + k * d->outputs + n], weight);
        }
        bias = k ? bias : weight;
        total = k ? fmaf(weight, x[c * d->inputs + k - 1], total) : 0;
    }
    total += bias;
    gali_kernels_scalar.activate_f32(d->activation, d->slope, &total, 1);
    return total;
}

static const gali_dense shapes[] = {
    {.experts = 4,
     .slots = 4,
     .inputs = 5,
     .outputs = 37,
     .activation = GALI_ACTIVATION_ELU,
     .least = 1,
     .most = 5},
    {.experts = 1, .slots = 1, .inputs = 3, .outputs = 20, .least = 1, .most = 7},
    {.experts = 3,
     .slots = 3,
     .inputs = 1,
     .outputs = 64,
     .activation = GALI_ACTIVATION_RELU,
     .least = 5,
     .most = 5},
    {.experts = 2,
     .slots = 2,
     .inputs = 9,
     .outputs = 40,
     .activation = GALI_ACTIVATION_LEAKY_RELU,
     .slope = 0.125f,
     .least = 1,
     .most = 1},
    {.experts = 6, .slots = 2, .inputs = 4, .outputs = 33, .sparse = 1, .least = 2, .most = 4},
    {.experts = 3, .slots = 3, .inputs = 4, .outputs = 24, .form = GAL_FORM_BLEND, .least = 1, .most = 3},
    {.experts = 5,
     .slots = 2,
     .inputs = 4,
     .outputs = 24,
     .sparse = 1,
     .form = GAL_FORM_BLEND,
     .least = 1,
     .most = 3},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void unscheduled_loops_are_the_layer(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        const gali_dense *d = &shapes[i];
        gali_arena arena = {0};
        gali_loop_function *f = NULL;
        gal_error error;
        assert_int_equal(apply_text(dense_expression(d, &arena), "", &arena, &f, &error), GAL_OK);
        arguments a = make_arguments(f, d->most, d->slots, d->experts, i);
        size_t floats = 0;
        float *y = interpreted(f, &a, d->most, &floats);
        for (uint32_t c = 0; c < d->most; c++) {
            for (uint32_t n = 0; n < d->outputs; n++) {
                float expected = d->form == GAL_FORM_BLEND ? blend_truth(d, &a, c, n) : truth(d, &a, c, n);
                assert_memory_equal(&y[c * d->outputs + n], &expected, sizeof expected);
            }
        }
        free(y);
        free_arguments(&a);
        gali_arena_release(&arena);
    }
}

/* Experts side by side leave a register to spare: where they took all, gcc's loops ran at half of their speed. */
static void experts_side_by_side_leave_a_register(void **unused) {
    gali_dense d = {.experts = 4, .slots = 4, .inputs = 352, .outputs = 352, .padded = 1};
    uint32_t grouped = 0;
    (void)unused;
    for (uint32_t i = 0; i < gali_target_count; i++) {
        const gali_target *target = &gali_targets[i];
        for (d.least = d.most = 1; d.most <= 16 && target->lanes > 1; d.least = ++d.most) {
            gali_tile t = gali_hand_tile(&d, target, 1, 0);
            uint32_t rows = t.rows < d.most ? t.rows : d.most, used = rows * t.vectors * t.experts + rows + 1;
            grouped += t.experts > 1;
            if (t.experts > 1 && used >= target->registers) {
                fail_msg("%s, %u characters: %u x %u x %u take %u of %u registers", target->name, d.most, rows,
                         t.vectors, t.experts, used, target->registers);
            }
        }
    }
    assert_true(grouped > 0);
}

static const char *pick(uint64_t *state, const char *const *from, uint32_t count) {
    return from[synthetic_bits(state) % count];
}

/* A random entry; most name what is not there and are refused. */
static void random_entry(uint64_t *state, char *text, size_t size) {
    static const char *const axes[] = {"c",   "e",   "s",   "k",   "n",     "n.o",   "n.i", "c.o",     "c.i",
                                       "k.o", "k.i", "e.o", "e.i", "n.i.o", "n.i.i", "c.e", "n.o.c.o", "c.n"};
    static const char *const stages[] = {"sum", "total", "weight", "bias", "y"};
    const char *a = pick(state, axes, 18), *b = pick(state, axes, 18), *s = pick(state, stages, 5);
    unsigned n = (unsigned)(synthetic_bits(state) % 7 + 1);
    switch (synthetic_bits(state) % 10) {
    case 0:
    case 1:
        snprintf(text, size, "split %s %u", a, n);
        break;
    case 2:
        snprintf(text, size, "fuse %s %s", a, b);
        break;
    case 3:
        snprintf(text, size, "vectorize n %u", 1u << n % 5);
        break;
    case 4:
        snprintf(text, size, synthetic_bits(state) % 2 ? "unroll %s" : "unroll %s %u", a, n);
        break;
    case 5:
    case 6:
        snprintf(text, size, "compute_at %s %s", s, a);
        break;
    case 7:
        snprintf(text, size, synthetic_bits(state) % 3 ? "pack weights" : "tensorize sum tile_sum");
        break;
    case 8:
        snprintf(text, size, "parallel %s", a);
        break;
    default:
        snprintf(text, size, "reorder %s %s", a, b);
    }
}

/* Grows a random schedule by entries that are accepted; the last function that came out. */
static gali_loop_function *random_function(const gali_expression *expression, uint64_t *state,
                                           gali_arena *arena, gali_text *schedule) {
    gali_loop_function *f = NULL, *next;
    gal_error error;
    assert_int_equal(apply_text(expression, "", arena, &f, &error), GAL_OK);
    for (int i = 0; i < 40; i++) {
        char entry[80];
        size_t before = schedule->size;
        random_entry(state, entry, sizeof entry);
        gali_text_add(schedule, "%s%s", before ? "; " : "", entry);
        gal_status status = apply_text(expression, schedule->bytes, arena, &next, &error);
        if (status == GAL_OK) {
            f = next;
            continue;
        }
        assert_int_equal(status, GAL_BAD_DATA);
        if (!strstr(error.message, "schedule")) {
            fail_msg("%s: %s", schedule->bytes, error.message);
        }
        schedule->size = before;
        schedule->bytes[before] = 0;
    }
    return f;
}

static void check_same_text(gali_loop_function *f, gali_arena *arena) {
    gali_text first = {0}, second = {0};
    gali_loop_function *again = NULL;
    gal_error error;
    gali_loop_print(f, &first);
    if (gali_loop_parse(&again, first.bytes, first.size, arena, &error) != GAL_OK) {
        fail_msg("%s\n%s", error.message, first.bytes);
    }
    gali_loop_print(again, &second);
    assert_string_equal(first.bytes, second.bytes);
    gali_text_release(&first);
    gali_text_release(&second);
}

static void random_schedules_do_not_change_a_bit(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (uint32_t round = 0; round < 90; round++) {
        const gali_dense *d = &shapes[round % SHAPES];
        gali_arena arena = {0};
        gali_text schedule = {0};
        gal_error error;
        gali_expression *expression = dense_expression(d, &arena);
        gali_loop_function *plain = NULL;
        assert_int_equal(apply_text(expression, "", &arena, &plain, &error), GAL_OK);
        gali_loop_function *f = random_function(expression, &state, &arena, &schedule);
        for (uint32_t characters = d->least; characters <= d->most; characters += 2) {
            arguments a = make_arguments(plain, characters, d->slots, d->experts, round);
            size_t floats = 0;
            float *expected = interpreted(plain, &a, characters, &floats);
            float *y = interpreted(f, &a, characters, &floats);
            if (memcmp(y, expected, floats * sizeof(float)) != 0) {
                fail_msg("other bits under: %s", schedule.bytes);
            }
            free(expected);
            free(y);
            free_arguments(&a);
        }
        check_same_text(f, &arena);
        gali_text_release(&schedule);
        gali_arena_release(&arena);
    }
}

/* The written rules apply to every shape and target, and have the plain loops' bits too; by=2: two experts at a time. */
static void hand_written_schedules_hold(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < SHAPES * gali_target_count; i++) {
        const gali_target *target = &gali_targets[i % gali_target_count];
        for (int by = 0; by < 3; by++) {
            int tensorize = by > 0;
            gali_dense d = shapes[i / gali_target_count];
            gali_arena arena = {0};
            gali_schedule schedule;
            gal_error error;
            gali_loop_function *f = NULL, *plain = NULL;
            gali_expression *expression = dense_expression(&d, &arena);
            gal_status status = gali_schedule_hand(&d, target, tensorize, &schedule, &error);
            if (by == 2 && d.experts > 1 && status == GAL_OK) {
                gali_tile tile = gali_hand_tile(&d, target, tensorize, 0);
                tile.experts = 2;
                status = gali_hand_write(&d, target, tensorize, tile, &schedule, &error);
            }
            int kernel = !d.sparse && d.form == GAL_FORM_PER_EXPERT && target->lanes > 1;
            assert_int_equal(status, tensorize && !kernel ? GAL_UNSUPPORTED : GAL_OK);
            if (status == GAL_OK) {
                if (gali_schedule_apply(expression, &schedule, &arena, &f, &error) != GAL_OK) {
                    fail_msg("%s", error.message);
                }
                assert_int_equal(apply_text(expression, "", &arena, &plain, &error), GAL_OK);
                arguments a = make_arguments(f, d.most, d.slots, d.experts, i);
                size_t floats = 0;
                float *y = interpreted(f, &a, d.most, &floats),
                      *expected = interpreted(plain, &a, d.most, &floats);
                assert_memory_equal(y, expected, floats * sizeof(float));
                free(y);
                free(expected);
                free_arguments(&a);
            }
            gali_arena_release(&arena);
        }
    }
}

/* A schedule and what its refusal says. */
static const char *const refused[][2] = {
    {"splat n 4", "entry 1 (splat n 4): no such primitive"},
    {"split n", "entry 1 (split n): an argument is missing"},
    {"split n 4 5", "expected PRIMITIVE TARGET [ARGUMENT]"},
    {"split n four", "no number"},
    {"split n 0", "no number"},
    {"parallel n 4", "one word too many"},
    {"split n 4; split q 2", "entry 2 (split q 2): no such axis"},
    {"split n 4; split n 2", "no such axis, or it was split"},
    {"compute_at mean e", "no such stage"},
    {"pack x", "only a constant"},
    {"pack weights; pack weights", "it is packed already"},
    {"pack weights; vectorize n 4", "vectorize first"},
    {"pack w", "no such buffer"},
    {"split k 4; reorder k.i k.o", "order of a sum"},
    {"vectorize k 4", "order of a sum"},
    {"split e 2; reorder e.i e.o", "order of a sum"},
    {"fuse e k", "a sum runs over one"},
    {"parallel k", "not the outermost"},
    {"vectorize n 4; vectorize n 4", "another axis counts vectors"},
    {"split n 5; vectorize n.i 4", "vectorize before split"},
    {"split n 5; reorder n.i n.o", "how long it is"},
    {"compute_at sum k", "no loop over that axis is around"},
    {"compute_at total e", "no loop over that axis is around"},
    {"compute_at y c", "an output is at no other stage"},
    {"compute_at sum e; split e 2", "a stage is computed at it"},
    {"compute_inline sum", "it is a sum"},
    {"cache_write sum", "no sum that goes to an output"},
    {"tensorize sum gemm", "no such kernel"},
    {"tensorize sum tile_sum", "what is left of the stage"},
    {"unroll n; split n 4", "marked already"},
    {"reorder n n", "outside of itself"},
};

static void refusals_name_their_place(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gali_expression *expression = dense_expression(&shapes[0], &arena);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gali_loop_function *f = NULL;
        gal_error error = {0};
        assert_int_equal(apply_text(expression, refused[i][0], &arena, &f, &error), GAL_BAD_DATA);
        if (!strstr(error.message, refused[i][1])) {
            fail_msg("%s: \"%s\", expected \"%s\"", refused[i][0], error.message, refused[i][1]);
        }
    }
    gali_arena_release(&arena);
}

/* What comes after `pack` changes loops, not the layout that they read. */
static void a_layout_outlives_other_loops(void **unused) {
    (void)unused;
    static const char *const after[] = {
        "", "split c 2; reorder k c.i", "split e 2; reorder c e.o; reorder e.i n.i; unroll e.i",
        "split n.i 2; reorder n.i.o e; compute_at total n.i.o; unroll n.i.i", "reorder n.i e; fuse n.o c"};
    gali_arena arena = {0};
    gali_expression *expression = dense_expression(&shapes[0], &arena);
    const uint32_t characters = shapes[0].most;
    gali_loop_function *plain = NULL, *first = NULL;
    gal_error error = {0};
    assert_int_equal(apply_text(expression, "", &arena, &plain, &error), GAL_OK);
    arguments a = make_arguments(plain, characters, 4, 4, 3);
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        gali_loop_function *f = NULL;
        char text[200];
        size_t floats = 0;
        snprintf(text, sizeof text, "vectorize n 4; split n 3; reorder n.o c; pack weights%s%s",
                 *after[i] ? "; " : "", after[i]);
        if (apply_text(expression, text, &arena, &f, &error) != GAL_OK) {
            fail_msg("%s: %s", text, error.message);
        }
        first = first ? first : f;
        assert_true(gali_layout_same(f->buffer[0], first->buffer[0]) && f->buffer[0]->packed_rank > 0);
        float *y = interpreted(f, &a, characters, &floats),
              *expected = interpreted(plain, &a, characters, &floats);
        assert_memory_equal(y, expected, floats * sizeof(float));
        free(y);
        free(expected);
    }
    free_arguments(&a);
    gali_arena_release(&arena);
}

static void text_comes_back(void **unused) {
    (void)unused;
    static const char text[] = "vectorize n 16\nsplit n 4\nreorder n.o c\nunroll n.i\nunroll k 4\npack weights";
    gali_schedule schedule, again;
    gal_error error;
    gali_text first = {0}, second = {0};
    assert_int_equal(gali_schedule_parse(&schedule, text, sizeof text - 1, &error), GAL_OK);
    assert_int_equal(schedule.count, 6);
    gali_schedule_print(&schedule, "\n", &first);
    assert_string_equal(first.bytes, text);
    gali_schedule_print(&schedule, "; ", &second);
    assert_int_equal(gali_schedule_parse(&again, second.bytes, second.size, &error), GAL_OK);
    assert_int_equal(again.count, 6);
    assert_int_equal(again.entry[4].number, 4);
    gali_text_release(&first);
    gali_text_release(&second);
}

/* y[c] = 0, over n: y[c] + x[c][n], an output that is a sum. */
static void sums_to_an_output_go_through_a_cache(void **unused) {
    (void)unused;
    gali_arena arena = {0};
    gal_error error;
    gali_expression *e = gali_expression_make(&arena, "rowsum");
    gali_loop_index extent[] = {gali_loop_number(3), gali_loop_number(5)};
    const gali_loop_variable *axis[] = {gali_expression_axis(e, "c", extent[0]),
                                        gali_expression_axis(e, "n", extent[1])};
    gali_loop_index at[] = {gali_loop_of(axis[0]), gali_loop_of(axis[1])};
    const gali_loop_buffer *x = gali_expression_buffer(e, "x", GALI_LOOP_INPUT, 2, extent);
    gali_stage *y = gali_expression_stage(e, "y", GALI_LOOP_OUTPUT, 1, 1, axis);
    y->start = gali_loop_constant(&arena, 0);
    y->value = gali_loop_apply(&arena, GALI_VALUE_ADD, gali_expression_element(e, y),
                               gali_expression_load(e, x, at), NULL);
    gali_loop_function *f = NULL, *g = NULL;
    assert_int_equal(apply_text(e, "", &arena, &f, &error), GAL_OK);
    assert_int_equal(apply_text(e, "cache_write y; compute_at y.cache c", &arena, &g, &error), GAL_OK);
    assert_string_equal(g->buffer[g->parameters]->name, "y.cache");
    arguments a = make_arguments(f, 0, 1, 1, 3);
    size_t floats = 0;
    float *first = interpreted(f, &a, 0, &floats), *second = interpreted(g, &a, 0, &floats);
    assert_memory_equal(first, second, floats * sizeof(float));
    free(first);
    free(second);
    free_arguments(&a);
    gali_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unscheduled_loops_are_the_layer),
        cmocka_unit_test(experts_side_by_side_leave_a_register),
        cmocka_unit_test(random_schedules_do_not_change_a_bit),
        cmocka_unit_test(hand_written_schedules_hold),
        cmocka_unit_test(refusals_name_their_place),
        cmocka_unit_test(a_layout_outlives_other_loops),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(sums_to_an_output_go_through_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
