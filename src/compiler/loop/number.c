#include "compiler/loop/number.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/simd/scalar.h"

#include "kernels/body/elementary.inc"

#include "kernels/body/activate_f32.inc" /* uses elementary.inc */

#include "compiler/loop/body/vectors.inc" /* uses both */

#include "compiler/loop/body/scalars.inc" /* uses all */

/* ---- storage and casts ---- */

gali_loop_number_of gali_loop_number_load(gali_element element, const void *memory, size_t at) {
    const unsigned char *from = (const unsigned char *)memory + at * gali_element_list[element].bytes;
    union {
        float f32;
        double f64;
        uint16_t half;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint32_t u32;
    } cell = {.i64 = 0};
    memcpy(&cell, from, gali_element_list[element].bytes);
    switch (element) {
    case GALI_f32:
        return (gali_loop_number_of){.f32 = cell.f32};
    case GALI_f64:
        return (gali_loop_number_of){.f64 = cell.f64};
    case GALI_f16:
        return (gali_loop_number_of){.f32 = gali_f32_of_f16(cell.half)};
    case GALI_bf16:
        return (gali_loop_number_of){.f32 = gali_f32_of_bf16(cell.half)};
    case GALI_i8:
        return (gali_loop_number_of){.whole = cell.i8};
    case GALI_i16:
        return (gali_loop_number_of){.whole = cell.i16};
    case GALI_i32:
        return (gali_loop_number_of){.whole = cell.i32};
    case GALI_u16:
        return (gali_loop_number_of){.whole = cell.half};
    case GALI_u32:
        return (gali_loop_number_of){.whole = cell.u32};
    case GALI_u8:
    case GALI_truth:
        return (gali_loop_number_of){.whole = cell.u8};
    default:
        return (gali_loop_number_of){.whole = cell.i64};
    }
}

void gali_loop_number_store(gali_element element, void *memory, size_t at, gali_loop_number_of value) {
    unsigned char *to = (unsigned char *)memory + at * gali_element_list[element].bytes;
    uint16_t half = element == GALI_f16 ? gali_f16_of_f32(value.f32) : gali_bf16_of_f32(value.f32);
    uint64_t bits = (uint64_t)value.whole; /* the low bytes of these, one by one: of any byte order */
    if (element == GALI_f32) {
        memcpy(to, &value.f32, sizeof value.f32);
    } else if (element == GALI_f64) {
        memcpy(to, &value.f64, sizeof value.f64);
    } else if (element == GALI_f16 || element == GALI_bf16) {
        memcpy(to, &half, sizeof half);
    } else if (gali_element_list[element].bytes == 1) {
        *to = (unsigned char)bits;
    } else if (gali_element_list[element].bytes == 2) {
        memcpy(to, &(uint16_t){(uint16_t)bits}, 2);
    } else if (gali_element_list[element].bytes == 4) {
        memcpy(to, &(uint32_t){(uint32_t)bits}, 4);
    } else {
        memcpy(to, &bits, 8);
    }
}

/* A whole number cut to the bits of its element. */
static int64_t cut(gali_element element, int64_t whole) {
    switch (element) {
    case GALI_i8:
        return (int8_t)whole;
    case GALI_i16:
        return (int16_t)whole;
    case GALI_i32:
        return (int32_t)whole;
    case GALI_u8:
        return (uint8_t)whole;
    case GALI_u16:
        return (uint16_t)whole;
    case GALI_u32:
        return (uint32_t)whole;
    case GALI_truth:
        return whole != 0;
    default:
        return whole;
    }
}

gali_loop_number_of gali_loop_number_cast(gali_element to, gali_element from, gali_loop_number_of a) {
    double real = from == GALI_f64 ? a.f64 : (double)a.f32;
    if (gali_element_list[to].kind == GALI_REAL && gali_element_list[from].kind == GALI_REAL) {
        return (gali_loop_number_of){.f32 = (float)real, .f64 = real};
    }
    if (gali_element_list[from].kind == GALI_REAL) {
        return (gali_loop_number_of){.whole = to == GALI_truth ? real != 0 : cut(to, gali_i64_of_f64(real))};
    }
    if (gali_element_list[to].kind != GALI_REAL) {
        return (gali_loop_number_of){.whole = cut(to, a.whole)};
    }
    return from == GALI_u64
               ? (gali_loop_number_of){.f32 = (float)(uint64_t)a.whole, .f64 = (double)(uint64_t)a.whole}
               : (gali_loop_number_of){.f32 = (float)a.whole, .f64 = (double)a.whole};
}

/* ---- operations ---- */

static float (*const unary_f32[GALI_VALUE_COUNT])(float) = {
    [GALI_VALUE_EXPM1_NEGATIVE] = gali_expm1_negative_f32,
    [GALI_VALUE_KEEP] = gali_keep_f32,
    [GALI_VALUE_ROTATE] = gali_keep_f32,
    [GALI_VALUE_ROTATE_TWICE] = gali_keep_f32,
    [GALI_VALUE_NEG] = gali_neg_f32,
    [GALI_VALUE_ABS] = gali_abs_f32,
    [GALI_VALUE_SIGN] = gali_sign_f32,
    [GALI_VALUE_FLOOR] = gali_floor_f32,
    [GALI_VALUE_CEIL] = gali_ceil_f32,
    [GALI_VALUE_ROUND] = gali_round_f32,
    [GALI_VALUE_CUT] = gali_cut_f32,
    [GALI_VALUE_ROUND_F16] = gali_round_f16_f32,
    [GALI_VALUE_ROUND_BF16] = gali_round_bf16_f32,
    [GALI_VALUE_SQRT] = gali_sqrt_f32,
    [GALI_VALUE_EXP] = gali_exp_f32,
    [GALI_VALUE_LOG] = gali_log_f32,
    [GALI_VALUE_ERF] = gali_erf_f32,
    [GALI_VALUE_SIN] = gali_sin_f32,
    [GALI_VALUE_COS] = gali_cos_f32,
    [GALI_VALUE_TAN] = gali_tan_f32,
    [GALI_VALUE_ASIN] = gali_asin_f32,
    [GALI_VALUE_ACOS] = gali_acos_f32,
    [GALI_VALUE_ATAN] = gali_atan_f32,
    [GALI_VALUE_SINH] = gali_sinh_f32,
    [GALI_VALUE_COSH] = gali_cosh_f32,
    [GALI_VALUE_HTAN] = gali_tanh_f32,
    [GALI_VALUE_ASINH] = gali_asinh_f32,
    [GALI_VALUE_ACOSH] = gali_acosh_f32,
    [GALI_VALUE_ATANH] = gali_atanh_f32,
};

static float (*const binary_f32[GALI_VALUE_COUNT])(float, float) = {
    [GALI_VALUE_DIV] = gali_div_f32,   [GALI_VALUE_MAX] = gali_max_f32, [GALI_VALUE_MOD] = gali_mod_f32,
    [GALI_VALUE_REM] = gali_rem_f32,   [GALI_VALUE_POW] = gali_pow_f32, [GALI_VALUE_LEAST] = gali_least_f32,
    [GALI_VALUE_MOST] = gali_most_f32,
};

static double (*const unary_f64[GALI_VALUE_COUNT])(double) = {
    [GALI_VALUE_NEG] = gali_neg_f64,     [GALI_VALUE_ABS] = gali_abs_f64,
    [GALI_VALUE_SIGN] = gali_sign_f64,   [GALI_VALUE_FLOOR] = gali_floor_f64,
    [GALI_VALUE_CEIL] = gali_ceil_f64,   [GALI_VALUE_ROUND] = gali_round_f64,
    [GALI_VALUE_CUT] = gali_cut_f64,     [GALI_VALUE_SQRT] = gali_sqrt_f64,
    [GALI_VALUE_EXP] = gali_exp_f64,     [GALI_VALUE_LOG] = gali_log_f64,
    [GALI_VALUE_ERF] = gali_erf_f64,     [GALI_VALUE_SIN] = gali_sin_f64,
    [GALI_VALUE_COS] = gali_cos_f64,     [GALI_VALUE_TAN] = gali_tan_f64,
    [GALI_VALUE_ASIN] = gali_asin_f64,   [GALI_VALUE_ACOS] = gali_acos_f64,
    [GALI_VALUE_ATAN] = gali_atan_f64,   [GALI_VALUE_SINH] = gali_sinh_f64,
    [GALI_VALUE_COSH] = gali_cosh_f64,   [GALI_VALUE_HTAN] = gali_tanh_f64,
    [GALI_VALUE_ASINH] = gali_asinh_f64, [GALI_VALUE_ACOSH] = gali_acosh_f64,
    [GALI_VALUE_ATANH] = gali_atanh_f64,
};

static double (*const binary_f64[GALI_VALUE_COUNT])(double, double) = {
    [GALI_VALUE_DIV] = gali_div_f64, [GALI_VALUE_MOD] = gali_mod_f64,     [GALI_VALUE_REM] = gali_rem_f64,
    [GALI_VALUE_POW] = gali_pow_f64, [GALI_VALUE_LEAST] = gali_least_f64, [GALI_VALUE_MOST] = gali_most_f64,
};

static int64_t (*const unary_i64[GALI_VALUE_COUNT])(int64_t) = {
    [GALI_VALUE_NEG] = gali_neg_i64,
    [GALI_VALUE_ABS] = gali_abs_i64,
    [GALI_VALUE_SIGN] = gali_sign_i64,
};

static int64_t (*const binary_i64[GALI_VALUE_COUNT])(int64_t, int64_t) = {
    [GALI_VALUE_DIV] = gali_div_i64,
    [GALI_VALUE_QUOTIENT] = gali_quotient_i64,
    [GALI_VALUE_MOD] = gali_mod_i64,
    [GALI_VALUE_REM] = gali_rem_i64,
    [GALI_VALUE_POW] = gali_pow_i64,
    [GALI_VALUE_LEAST] = gali_least_i64,
    [GALI_VALUE_MOST] = gali_most_i64,
    [GALI_VALUE_SHIFT_LEFT] = gali_shift_left_i64,
    [GALI_VALUE_SHIFT_RIGHT] = gali_shift_right_i64,
};

static uint64_t (*const unary_u64[GALI_VALUE_COUNT])(uint64_t) = {
    [GALI_VALUE_NEG] = gali_neg_u64,
    [GALI_VALUE_ABS] = gali_abs_u64,
    [GALI_VALUE_SIGN] = gali_sign_u64,
};

static uint64_t (*const binary_u64[GALI_VALUE_COUNT])(uint64_t, uint64_t) = {
    [GALI_VALUE_DIV] = gali_div_u64,
    [GALI_VALUE_QUOTIENT] = gali_quotient_u64,
    [GALI_VALUE_MOD] = gali_mod_u64,
    [GALI_VALUE_REM] = gali_rem_u64,
    [GALI_VALUE_POW] = gali_pow_u64,
    [GALI_VALUE_LEAST] = gali_least_u64,
    [GALI_VALUE_MOST] = gali_most_u64,
    [GALI_VALUE_SHIFT_LEFT] = gali_shift_left_u64,
    [GALI_VALUE_SHIFT_RIGHT] = gali_shift_right_u64,
};

float gali_loop_number_f32(gali_loop_op op, float a, float b, float c) {
    switch (op) {
    case GALI_VALUE_ADD:
        return a + b;
    case GALI_VALUE_SUB:
        return a - b;
    case GALI_VALUE_MUL:
        return a * b;
    case GALI_VALUE_FMA:
        return fmaf(a, b, c);
    default:
        break;
    }
    if (op >= GALI_VALUE_NONE) {
        gali_activate_f32((gali_activation)(op - GALI_VALUE_NONE), b, &a, 1);
        return a;
    }
    return unary_f32[op] ? unary_f32[op](a) : binary_f32[op](a, b);
}

static double apply_f64(gali_loop_op op, double a, double b, double c) {
    switch (op) {
    case GALI_VALUE_ADD:
        return a + b;
    case GALI_VALUE_SUB:
        return a - b;
    case GALI_VALUE_MUL:
        return a * b;
    case GALI_VALUE_FMA:
        return fma(a, b, c);
    default:
        return unary_f64[op] ? unary_f64[op](a) : binary_f64[op](a, b);
    }
}

/* What has the same bits for all integers of 64 bits, signed or not. */
static uint64_t apply_bits(gali_loop_op op, uint64_t a, uint64_t b) {
    switch (op) {
    case GALI_VALUE_ADD:
        return a + b;
    case GALI_VALUE_SUB:
        return a - b;
    case GALI_VALUE_MUL:
        return a * b;
    case GALI_VALUE_BIT_AND:
        return a & b;
    case GALI_VALUE_BIT_OR:
        return a | b;
    case GALI_VALUE_BIT_XOR:
        return a ^ b;
    default:
        return ~a;
    }
}

static int64_t apply_whole(gali_loop_op op, gali_element element, int64_t a, int64_t b) {
    if (element == GALI_u64 && (unary_u64[op] || binary_u64[op])) {
        return (int64_t)(unary_u64[op] ? unary_u64[op]((uint64_t)a) : binary_u64[op]((uint64_t)a, (uint64_t)b));
    }
    if (unary_i64[op] || binary_i64[op]) {
        return cut(element, unary_i64[op] ? unary_i64[op](a) : binary_i64[op](a, b));
    }
    return cut(element, (int64_t)apply_bits(op, (uint64_t)a, (uint64_t)b));
}

/* -1, 0, 1; 2 where one is NaN. */
static int compare(gali_element element, gali_loop_number_of a, gali_loop_number_of b) {
    if (gali_element_list[element].kind == GALI_REAL) {
        double x = element == GALI_f64 ? a.f64 : (double)a.f32, y = element == GALI_f64 ? b.f64 : (double)b.f32;
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }
    if (element == GALI_u64) {
        return (uint64_t)a.whole < (uint64_t)b.whole ? -1 : a.whole != b.whole;
    }
    return a.whole < b.whole ? -1 : a.whole > b.whole;
}

static int is_true(gali_loop_op op, gali_element element, gali_loop_number_of a, gali_loop_number_of b) {
    int order = compare(element, a, b);
    switch (op) {
    case GALI_VALUE_EQUAL:
        return order == 0;
    case GALI_VALUE_LESS:
        return order == -1;
    case GALI_VALUE_LESS_EQUAL:
        return order == -1 || order == 0;
    case GALI_VALUE_IS_NAN:
        return compare(element, a, a) == 2;
    case GALI_VALUE_AND:
        return a.whole && b.whole;
    case GALI_VALUE_OR:
        return a.whole || b.whole;
    case GALI_VALUE_XOR:
        return a.whole != b.whole;
    default:
        return !a.whole;
    }
}

gali_loop_number_of gali_loop_number_apply(gali_loop_op op, gali_element element,
                                           const gali_loop_number_of *a) {
    if (gali_loop_ops[op].truth) {
        return (gali_loop_number_of){.whole = is_true(op, element, a[0], a[1])};
    }
    if (element == GALI_f32) {
        return (gali_loop_number_of){.f32 = gali_loop_number_f32(op, a[0].f32, a[1].f32, a[2].f32)};
    }
    if (element == GALI_f64) {
        return (gali_loop_number_of){.f64 = apply_f64(op, a[0].f64, a[1].f64, a[2].f64)};
    }
    return (gali_loop_number_of){.whole = apply_whole(op, element, a[0].whole, a[1].whole)};
}
