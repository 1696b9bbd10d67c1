/*
 * Reduced precision: every kind and instruction set of this machine against narrow.h's formulas, written here once more in plain
 * C, bit for bit: prepared inputs, panels of all widths and tails, sums that are as large as they may become.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/narrow.h"
#include "synthetic.h"

enum { INPUTS_MOST = 512, ROWS = 9, OUTPUTS_MOST = 64, EXPERTS = 2, GAP = 3 };

/* A layer's numbers, before they are packed for a table: integers, or floats that the kind holds exactly. */
typedef struct numbers {
    gali_narrow_kind kind;
    uint32_t inputs, outputs, groups, span;
    double weight[EXPERTS][OUTPUTS_MOST][INPUTS_MOST];
    float bias[EXPERTS][OUTPUTS_MOST], scale[EXPERTS][OUTPUTS_MOST], block[EXPERTS][OUTPUTS_MOST][INPUTS_MOST];
} numbers;

static float float_of(uint32_t bits) {
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static uint32_t bits_of(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static float bf16(float a) {
    return float_of((uint32_t)gali_bf16_round(a) << 16);
}

/* float16 by its definition: the nearest multiple of 2^(e - 10), ties to even, e at least -14. */
static float f16(float a) {
    int e;
    frexpf(a, &e);
    double step = ldexp(1, (e - 1 > -14 ? e - 1 : -14) - 10);
    return (float)(nearbyint((double)a / step) * step);
}

static uint32_t per_span(const numbers *n) {
    return n->span * gali_narrow_inputs(n->kind);
}

static void fill_numbers(numbers *n, uint64_t *state, int most) {
    const double whole = n->kind == GALI_NARROW_I16_BLOCKS ? GALI_I16_SUM / per_span(n) : GALI_I8_MOST;
    for (uint32_t e = 0; e < EXPERTS; e++) {
        for (uint32_t i = 0; i < n->outputs; i++) {
            n->bias[e][i] = synthetic_uniform(state);
            n->scale[e][i] = 0.01f * synthetic_uniform(state);
            for (uint32_t k = 0; k < n->inputs; k++) {
                const float u = synthetic_uniform(state);
                n->block[e][i][k] = bf16(0.1f * u);
                switch (n->kind) {
                case GALI_NARROW_F16:
                    n->weight[e][i][k] = (double)f16(u);
                    break;
                case GALI_NARROW_BF16:
                case GALI_NARROW_BF16_DOT:
                    n->weight[e][i][k] = (double)bf16(u);
                    break;
                default:
                    n->weight[e][i][k] = most ? (i & 1 ? -whole : whole) : rint(whole * (double)u);
                }
            }
        }
    }
}

/* Sum of an expert's output over inputs [from, from + count), of w or of w (q + offset). */
static int64_t sum_of(const numbers *n, uint32_t e, uint32_t i, uint32_t from, uint32_t count, const int32_t *q,
                      int32_t offset) {
    int64_t sum = 0;
    for (uint32_t k = from; k < from + count && k < n->inputs; k++) {
        sum += (int64_t)n->weight[e][i][k] * (q ? q[k] + offset : 1);
    }
    assert_true(sum >= INT32_MIN && sum <= INT32_MAX);
    return sum;
}

static void put_word(unsigned char *at, uint32_t word) {
    memcpy(at, &word, sizeof word);
}

static uint16_t half_of(const numbers *n, double weight) {
    if (n->kind == GALI_NARROW_I16_BLOCKS) {
        return (uint16_t)(int16_t)weight;
    }
    return n->kind == GALI_NARROW_F16 ? gali_f16_round((float)weight) : gali_bf16_round((float)weight);
}

static void pack_weight(const gali_narrow *table, const numbers *n, unsigned char *at, double weight) {
    if (n->kind == GALI_NARROW_I8_ROW || n->kind == GALI_NARROW_I8_BLOCKS || n->kind == GALI_NARROW_I8_I16) {
        *at = (unsigned char)(int8_t)weight;
        return;
    }
    const uint16_t half = half_of(n, weight);
    (void)table;
    memcpy(at, &half, sizeof half);
}

/* Panels as narrow.h lays them out, for vectors of outputs. */
static unsigned char *pack(const gali_narrow *table, const numbers *n, uint32_t vectors) {
    const uint32_t width = vectors * table->lanes, each = gali_narrow_inputs(n->kind);
    const size_t row = (size_t)width * GALI_NARROW_GROUP, vector = (size_t)table->lanes * GALI_NARROW_GROUP;
    const size_t expert = gali_narrow_expert_size(n->kind, n->groups, n->span, width);
    const int blocks = gali_narrow_has_blocks(n->kind);
    unsigned char *all = aligned_alloc(64, (expert * EXPERTS + 63) & ~(size_t)63);
    assert_non_null(all);
    memset(all, 0, expert * EXPERTS);
    for (uint32_t e = 0; e < EXPERTS; e++) {
        for (uint32_t i = 0; i < n->outputs; i++) {
            unsigned char *head = all + e * expert + (size_t)i * GALI_NARROW_GROUP;
            put_word(head, bits_of(n->bias[e][i]));
            put_word(head + row, bits_of(n->scale[e][i]));
            if (n->kind == GALI_NARROW_I8_ROW) {
                put_word(head + 2 * row, (uint32_t)sum_of(n, e, i, 0, n->inputs, NULL, 0));
            }
            unsigned char *groups = all + e * expert + GALI_NARROW_HEAD * row + i / table->lanes * vector;
            for (uint32_t k = 0; k < n->inputs; k++) {
                const uint32_t span = blocks ? k / per_span(n) : 0;
                unsigned char *first = groups + (blocks ? (span + 1) * row : 0);
                pack_weight(table, n, first + gali_narrow_place(table, n->kind, i % table->lanes, k, row),
                            n->weight[e][i][k]);
                if (blocks && k % per_span(n) == 0) {
                    uint32_t word = bits_of(n->block[e][i][k]);
                    if (n->kind == GALI_NARROW_I8_BLOCKS && !table->signed_bytes) {
                        word |= (uint32_t)-sum_of(n, e, i, k, per_span(n), NULL, 0) & 0xffffu;
                    }
                    put_word(groups + span * (per_span(n) / each + 1) * row +
                                 i % table->lanes * GALI_NARROW_GROUP,
                             word);
                }
            }
        }
    }
    return all;
}

/* A character: prepared inputs as numbers. */
typedef struct character {
    float x[INPUTS_MOST], scale; /* normalised; rounded to bfloat16 where the kind does */
    int32_t q[INPUTS_MOST], zero;
    float scales[INPUTS_MOST]; /* of the input's block */
} character;

/* narrow.h's formulas. */
static void prepare_blocks_truth(float most, const float *x, uint32_t count, uint32_t block, character *c) {
    for (uint32_t at = 0; at < count; at += block) {
        float largest = 0;
        for (uint32_t k = at; k < at + block && k < count; k++) {
            largest = fabsf(x[k]) > largest ? fabsf(x[k]) : largest;
        }
        const float factor = largest < 0x1p-100f ? 0 : most / largest;
        for (uint32_t k = at; k < at + block && k < count; k++) {
            c->q[k] = (int32_t)rintf(x[k] * factor);
            c->scales[k] = largest < 0x1p-100f ? 0 : largest / most;
        }
    }
}

static void prepare_row_truth(const float *x, uint32_t count, character *c) {
    float least = 0, most = 0;
    for (uint32_t k = 0; k < count; k++) {
        least = x[k] < least ? x[k] : least;
        most = x[k] > most ? x[k] : most;
    }
    const float wide = most - least, factor = wide < 0x1p-100f ? 0 : 254.0f / wide;
    c->scale = wide < 0x1p-100f ? 0 : wide / 254.0f;
    c->zero = (int32_t)rintf(-127.0f - least * factor);
    for (uint32_t k = 0; k < count; k++) {
        const int32_t q = (int32_t)rintf(x[k] * factor) + c->zero;
        c->q[k] = q < -127 ? -127 : q > 127 ? 127 : q;
    }
}

static void prepare_truth(const numbers *n, const float *x, character *c) {
    *c = (character){.scale = 1};
    for (uint32_t k = 0; k < n->inputs; k++) {
        c->x[k] = n->kind != GALI_NARROW_BF16_DOT ? x[k] : fabsf(x[k]) < 0x1p-55f ? 0 : bf16(x[k]);
    }
    if (n->kind == GALI_NARROW_I8_ROW) {
        prepare_row_truth(x, n->inputs, c);
    } else if (gali_narrow_has_blocks(n->kind)) {
        const int words = n->kind != GALI_NARROW_I8_BLOCKS;
        prepare_blocks_truth(words ? (float)GALI_I16_MOST : (float)GALI_I8_MOST, x, n->inputs, per_span(n), c);
    }
}

static float sum_truth(const numbers *n, const character *c, uint32_t e, uint32_t i) {
    float f = 0;
    switch (n->kind) {
    case GALI_NARROW_I16_BLOCKS:
    case GALI_NARROW_I8_I16:
    case GALI_NARROW_I8_BLOCKS:
        for (uint32_t k = 0; k < n->inputs; k += per_span(n)) {
            f = fmaf((float)sum_of(n, e, i, k, per_span(n), c->q, 0) * c->scales[k], n->block[e][i][k], f);
        }
        return f;
    case GALI_NARROW_I8_ROW:
        return (float)sum_of(n, e, i, 0, n->inputs, c->q, -c->zero);
    case GALI_NARROW_BF16_DOT:
        for (uint32_t k = 0; k < n->inputs; k += 2) {
            f = k + 1 < n->inputs ? fmaf((float)n->weight[e][i][k + 1], c->x[k + 1], f) : f;
            f = fmaf((float)n->weight[e][i][k], c->x[k], f);
        }
        return f;
    default:
        for (uint32_t k = 0; k < n->inputs; k++) {
            f = fmaf((float)n->weight[e][i][k], c->x[k], f);
        }
        return f;
    }
}

static void check_panel(const gali_narrow *table, const numbers *n, uint32_t vectors, uint32_t count,
                        const float *x, uint32_t mode) {
    static character characters[ROWS];
    gali_narrow_row rows[ROWS];
    float blend[ROWS][EXPERTS], old[ROWS][OUTPUTS_MOST + 2 * GAP], y[ROWS][OUTPUTS_MOST + 2 * GAP];
    uint64_t state = 5;
    size_t size = gali_narrow_input_size(n->kind, n->groups, n->span);
    unsigned char *weights = pack(table, n, vectors), *q = malloc(size * ROWS + 1);
    for (uint32_t r = 0; r < count; r++) {
        const gali_narrow_input input = {
            x + (size_t)r * INPUTS_MOST, NULL, NULL, n->inputs, n->groups, n->span};
        prepare_truth(n, input.x, &characters[r]);
        rows[r] = (gali_narrow_row){.x = q + r * size, .y = y[r], .blend = blend[r], .mode = mode};
        table->prepare[n->kind](&input, q + r * size, &rows[r]);
        assert_int_equal(bits_of(rows[r].scale), bits_of(characters[r].scale));
        for (uint32_t e = 0; e < EXPERTS; e++) {
            blend[r][e] = synthetic_uniform(&state);
        }
        for (uint32_t i = 0; i < OUTPUTS_MOST + 2 * GAP; i++) {
            y[r][i] = old[r][i] = synthetic_uniform(&state);
        }
    }
    const uint32_t tile = count % 4; /* 0: the table's */
    const gali_narrow_panel panel = {.weights = weights,
                                     .groups = n->groups,
                                     .span = n->span,
                                     .vectors = vectors,
                                     .rows = tile,
                                     .experts = EXPERTS,
                                     .first = GAP,
                                     .outputs = n->outputs};
    table->panel[n->kind](&panel, rows, count);
    for (uint32_t r = 0; r < count; r++) {
        for (uint32_t i = 0; i < OUTPUTS_MOST + 2 * GAP; i++) {
            float expected = old[r][i];
            if (i >= GAP && i < GAP + n->outputs) {
                expected = mode & GALI_ROW_FIRST ? 0 : expected;
                for (uint32_t e = 0; e < EXPERTS; e++) {
                    const float f = sum_truth(n, &characters[r], e, i - GAP) * characters[r].scale;
                    expected = fmaf(blend[r][e], fmaf(f, n->scale[e][i - GAP], n->bias[e][i - GAP]), expected);
                }
            }
            if (bits_of(y[r][i]) != bits_of(expected)) {
                fail_msg("%s kind %d, %u inputs, %u outputs, row %u of %u, output %u: %a, expected %a",
                         gal_isa_name(table->isa), (int)n->kind, n->inputs, n->outputs, r, count, i,
                         (double)y[r][i], (double)expected);
            }
        }
    }
    free(weights);
    free(q);
}

static void fill_inputs(float *x, uint64_t *state, int most) {
    for (uint32_t k = 0; k < ROWS * INPUTS_MOST; k++) {
        x[k] = most ? (k / INPUTS_MOST & 1 ? -3.0f : 3.0f) : 2 * synthetic_uniform(state) + 0.3f;
    }
}

/* Every width with its tails and counts of characters, sizes around the groups; `most`: everything as large as it may be. */
static void check_table(const gali_narrow *table, gali_narrow_kind kind, int most) {
    static const uint32_t inputs[] = {0, 1, 2, 3, 5, 8, 31, 64, 65, 131, 300};
    static numbers n;
    static float x[ROWS * INPUTS_MOST];
    uint64_t state = 3;
    for (uint32_t vectors = 1; vectors <= GALI_PANEL_VECTORS_MAX; vectors++) {
        const uint32_t width = vectors * table->lanes, least = width - table->lanes + 1;
        for (uint32_t outputs = least; outputs <= width;
             outputs += outputs == width || outputs + 5 <= width ? 5 : width - outputs) {
            n.kind = kind;
            n.outputs = outputs;
            n.inputs = most ? INPUTS_MOST : inputs[(outputs + vectors) % 11];
            n.groups = gali_narrow_groups(kind, n.inputs);
            n.span = kind == GALI_NARROW_I16_BLOCKS ? (outputs & 1 ? 32 : 8) : (outputs & 1 ? 8 : 4);
            n.span = kind == GALI_NARROW_I8_I16 && most ? INPUTS_MOST / 4 : n.span; /* the longest block */
            fill_numbers(&n, &state, most);
            fill_inputs(x, &state, most);
            for (uint32_t count = 1; count <= ROWS; count++) {
                check_panel(table, &n, vectors, count, x, count & 1 ? GALI_ROW_FIRST : 0);
            }
        }
    }
}

/* The kinds that an instruction set does not leave to its base. */
static void check_own_kinds(gal_isa isa, int most) {
    for (int kind = 0; kind < GALI_NARROW_COUNT && gal_isa_available(isa); kind++) {
        if (gali_narrow_get(isa)->panel[kind]) {
            check_table(gali_narrow_get(isa), (gali_narrow_kind)kind, most);
        }
    }
}

static void panels_have_the_documented_bits(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        check_own_kinds((gal_isa)isa, 0);
    }
}

/* All weights and inputs at the ends of their ranges: sum_of asserts that an int32 holds what the spans add up to. */
static void nothing_overflows(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        check_own_kinds((gal_isa)isa, 1);
    }
}

/* The widest layer there may be, with int8 at their ends: one int32 sum over 65536 inputs. */
static void the_widest_sum_fits(void **unused) {
    (void)unused;
    enum { WIDE = 65536 };
    const uint32_t groups = gali_narrow_groups(GALI_NARROW_I8_ROW, WIDE);
    float *x = malloc(WIDE * sizeof *x);
    unsigned char *q = malloc(gali_narrow_input_size(GALI_NARROW_I8_ROW, groups, 0));
    for (uint32_t k = 0; k < WIDE; k++) {
        x[k] = k == 0 ? 0 : 1; /* zero is -127, so q - zero is 254 */
    }
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        if (!gal_isa_available((gal_isa)isa)) {
            continue;
        }
        const gali_narrow *table = gali_narrow_of(gali_narrow_get((gal_isa)isa), GALI_NARROW_I8_ROW);
        const size_t row = (size_t)table->lanes * GALI_NARROW_GROUP;
        const size_t size = gali_narrow_expert_size(GALI_NARROW_I8_ROW, groups, 0, table->lanes);
        unsigned char *weights = aligned_alloc(64, (size + 63) & ~(size_t)63);
        memset(weights, 0, 3 * row);
        memset(weights + 3 * row, 127, size - 3 * row);
        float y[16], one = 1;
        for (uint32_t i = 0; i < table->lanes; i++) {
            put_word(weights + row + i * 4, bits_of(1));
            put_word(weights + 2 * row + i * 4, 127u * WIDE);
        }
        gali_narrow_row one_row = {.x = q, .y = y, .blend = &one, .mode = GALI_ROW_FIRST};
        const gali_narrow_input input = {x, NULL, NULL, WIDE, groups, 0};
        table->prepare[GALI_NARROW_I8_ROW](&input, q, &one_row);
        const gali_narrow_panel panel = {
            .weights = weights, .groups = groups, .vectors = 1, .experts = 1, .outputs = table->lanes};
        table->panel[GALI_NARROW_I8_ROW](&panel, &one_row, 1);
        for (uint32_t i = 0; i < table->lanes; i++) {
            assert_true(y[i] == (float)(127 * 254 * (WIDE - 1)) * one_row.scale);
        }
        free(weights);
    }
    free(x);
    free(q);
}

/* Inputs are shifted and scaled first; what is not finite shows in the scale alone. */
static void inputs_are_prepared_alike(void **unused) {
    (void)unused;
    enum { MOST = 67, SPAN = 8 };
    uint64_t state = 11;
    float x[MOST], shift[MOST], factor[MOST], plain[MOST];
    for (uint32_t k = 0; k < MOST; k++) {
        x[k] = 100 + synthetic_uniform(&state);
        shift[k] = 100;
        factor[k] = k % 7 ? 3 * synthetic_uniform(&state) : 1e-20f;
        plain[k] = (x[k] - shift[k]) * factor[k];
    }
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int kind = 0; kind < GALI_NARROW_COUNT && gal_isa_available((gal_isa)isa); kind++) {
            const gali_narrow *scalar = gali_narrow_get(GAL_ISA_SCALAR);
            const gali_narrow *table = gali_narrow_of(gali_narrow_get((gal_isa)isa), (gali_narrow_kind)kind);
            for (uint32_t count = 0; count <= MOST; count++) {
                const uint32_t groups = gali_narrow_groups((gali_narrow_kind)kind, count);
                const size_t size = gali_narrow_input_size((gali_narrow_kind)kind, groups, SPAN);
                unsigned char *a = malloc(size + 1), *b = malloc(size + 1);
                gali_narrow_row ra = {0}, rb = {0};
                a[size] = 77;
                table->prepare[kind](&(gali_narrow_input){x, shift, factor, count, groups, SPAN}, a, &ra);
                scalar->prepare[kind](&(gali_narrow_input){plain, NULL, NULL, count, groups, SPAN}, b, &rb);
                assert_int_equal(a[size], 77);
                assert_int_equal(bits_of(ra.scale), bits_of(rb.scale));
                const int bytes = kind == GALI_NARROW_I8_ROW || kind == GALI_NARROW_I8_BLOCKS;
                const int row_kind = kind == GALI_NARROW_I8_ROW;
                assert_int_equal(ra.zero, rb.zero + (row_kind && !table->signed_bytes ? 128 : 0));
                for (size_t i = 0; i < size; i++) {
                    const int flip = bytes && !table->signed_bytes && i < count ? 128 : 0;
                    assert_int_equal(a[i] ^ flip, b[i]);
                }
                float bad = count ? x[count - 1] : 0;
                if (count && kind != GALI_NARROW_F16 && kind != GALI_NARROW_BF16) {
                    x[count - 1] = count & 1 ? NAN : -INFINITY;
                    table->prepare[kind](&(gali_narrow_input){x, shift, factor, count, groups, SPAN}, a, &ra);
                    assert_true(isnan(ra.scale));
                    x[count - 1] = bad;
                }
                free(a);
                free(b);
            }
        }
    }
}

/* Every float16 and a lot of bfloat16: what is rounded is the nearest, ties to even. */
/* Whatever x is, NaN with any payload included, its integers are within their bounds: so no sum of them overflows. */
static void check_wild_inputs(const gali_narrow *table, gali_narrow_kind kind) {
    enum { COUNT = 67, SPAN = 8 };
    static const uint32_t wild[] = {0x7fc07fff, 0xffc08000, 0x7f80ffff, 0xffffffff, 0x7f800000, 0xff800000,
                                    0x7f7fffff, 0xff7fffff, 1,          0x80000001, 0x3f800000, 0x00012345};
    enum { WILD = sizeof wild / sizeof wild[0] };
    const int words = kind == GALI_NARROW_I16_BLOCKS || kind == GALI_NARROW_I8_I16;
    const uint32_t groups = gali_narrow_groups(kind, COUNT);
    for (uint32_t first = 0; first < WILD; first++) {
        float x[COUNT];
        union {
            double aligned;
            int16_t words[1024];
            unsigned char bytes[2048];
        } q;
        gali_narrow_row row;
        for (uint32_t i = 0; i < COUNT; i++) { /* alone, then beside the others */
            x[i] = i < 32 ? float_of(i == 5 ? wild[first] : 0x3f000000) : float_of(wild[(first + i) % WILD]);
        }
        table->prepare[kind](&(gali_narrow_input){x, NULL, NULL, COUNT, groups, SPAN}, &q, &row);
        for (uint32_t i = 0; i < COUNT; i++) {
            const int32_t byte = table->signed_bytes ? (int8_t)q.bytes[i] : q.bytes[i] - 128;
            assert_true(words ? abs(q.words[i]) <= GALI_I16_MOST : abs(byte) <= GALI_I8_MOST);
        }
        assert_true(isnan(row.scale));
    }
}

static void wild_inputs_stay_in_bounds(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int kind = 0; kind < GALI_NARROW_COUNT && gal_isa_available((gal_isa)isa); kind++) {
            const gali_narrow *table = gali_narrow_of(gali_narrow_get((gal_isa)isa), (gali_narrow_kind)kind);
            if (kind == GALI_NARROW_I8_ROW || gali_narrow_has_blocks((gali_narrow_kind)kind)) {
                check_wild_inputs(table, (gali_narrow_kind)kind);
            }
        }
    }
}

/* What a float16 is; of an infinity what would be the next number. */
static float widened(uint32_t half) {
    return half >> 10 ? ldexpf((float)(1024 + (half & 1023)), (int)(half >> 10) - 25)
                      : ldexpf((float)half, -24);
}

/* Each half, and what lies next to the middle between it and the next. */
static void every_half_has_its_numbers(void **unused) {
    (void)unused;
    for (uint32_t half = 0; half < 0x7C00; half++) {
        const float low = widened(half), middle = low + (widened(half + 1) - low) / 2;
        assert_int_equal(gali_f16_round(low), half);
        assert_int_equal(gali_f16_round(-low), half | 0x8000u);
        assert_int_equal(gali_f16_round(nextafterf(middle, 0)), half);
        assert_int_equal(gali_f16_round(nextafterf(middle, 1e9f)), half + 1);
        assert_int_equal(gali_f16_round(middle), half % 2 ? half + 1 : half);
    }
    assert_int_equal(gali_f16_round(1e9f), 0x7C00);
}

static void halves_round_to_nearest_even(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < 100000; i++) {
        const float a = float_of((uint32_t)synthetic_bits(&state) & 0x7fffffffu);
        if (a < 65520 && a > 0x1p-26f) {
            const float back = f16(a);
            const uint16_t half = gali_f16_round(a);
            assert_true(back == widened(half));
            assert_int_equal(gali_f16_round(-a), half | 0x8000u);
        }
        if (a < 1e38f) {
            const float low = float_of(bits_of(a) & 0xffff0000u),
                        high = float_of((bits_of(a) & 0xffff0000u) + 0x10000u);
            const double down = (double)a - (double)low, up = (double)high - (double)a;
            const int odd = (int)(bits_of(a) >> 16 & 1u);
            assert_true(bf16(a) == (down < up || (down == up && !odd) ? low : high));
        }
    }
    assert_int_equal(gali_f16_round(65520.0f), 0x7c00);
    assert_int_equal(gali_f16_round(65519.0f), 0x7bff);
    assert_int_equal(gali_f16_round(1.0f), 0x3c00);
    assert_int_equal(gali_f16_round(0x1p-25f), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_have_the_documented_bits),
        cmocka_unit_test(nothing_overflows),
        cmocka_unit_test(the_widest_sum_fits),
        cmocka_unit_test(inputs_are_prepared_alike),
        cmocka_unit_test(wild_inputs_stay_in_bounds),
        cmocka_unit_test(every_half_has_its_numbers),
        cmocka_unit_test(halves_round_to_nearest_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
