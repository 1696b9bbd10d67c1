/*
 * The operations of plain C (loop/ops.def) in OpenCL C: gali_one_<plain>_<element>. Indices have 32 bits: no tensor of a plan
 * has more elements (plan.h). Elementary functions are the device's, within a few units in the last place.
 */
#define size_t uint
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define INT64_C(a) a##L
#define UINT64_C(a) a##UL
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN

/* ---- reals ---- */

#define gali_one_div_f32(a, b) ((a) / (b))
#define gali_one_fma_f32(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define gali_one_expm1_negative_f32(a) expm1((float)(a))
#define gali_one_keep_f32(a) (a)
#define gali_one_rem_f32(a, b) fmod((float)(a), (float)(b))
#define gali_one_neg_f32(a) (-(a))
#define gali_one_abs_f32(a) fabs((float)(a))
#define gali_one_floor_f32(a) floor((float)(a))
#define gali_one_ceil_f32(a) ceil((float)(a))
#define gali_one_round_f32(a) rint((float)(a))
#define gali_one_cut_f32(a) trunc((float)(a))
#define gali_one_sqrt_f32(a) sqrt((float)(a))
#define gali_one_exp_f32(a) exp((float)(a))
#define gali_one_log_f32(a) log((float)(a))
#define gali_one_erf_f32(a) erf((float)(a))
#define gali_one_sin_f32(a) sin((float)(a))
#define gali_one_cos_f32(a) cos((float)(a))
#define gali_one_tan_f32(a) tan((float)(a))
#define gali_one_asin_f32(a) asin((float)(a))
#define gali_one_acos_f32(a) acos((float)(a))
#define gali_one_atan_f32(a) atan((float)(a))
#define gali_one_sinh_f32(a) sinh((float)(a))
#define gali_one_cosh_f32(a) cosh((float)(a))
#define gali_one_tanh_f32(a) tanh((float)(a))
#define gali_one_asinh_f32(a) asinh((float)(a))
#define gali_one_acosh_f32(a) acosh((float)(a))
#define gali_one_atanh_f32(a) atanh((float)(a))
#define gali_one_is_nan_f32(a) ((uint8_t)isnan((float)(a)))
#define gali_one_pow_f32(a, b) pow((float)(a), (float)(b))

float gali_one_max_f32(float a, float b) {
    return a < b ? b : a;
}

float gali_one_least_f32(float a, float b) {
    return a < b || a != a ? a : b;
}

float gali_one_most_f32(float a, float b) {
    return a > b || a != a ? a : b;
}

float gali_one_sign_f32(float a) {
    return a != a ? a : (float)((a > 0) - (a < 0));
}

float gali_one_mod_f32(float a, float b) {
    float rest = fmod(a, b);
    return rest != 0 ? (rest < 0) == (b < 0) ? rest : rest + b : copysign(rest, b);
}

/* ---- integers ---- */

long gali_one_i64_of_f64(float a) {
    return a > -0x1p+63f && a < 0x1p+63f ? (long)a : 0;
}

long gali_one_neg_i64(long a) {
    return (long)(0 - (ulong)a);
}

long gali_one_abs_i64(long a) {
    return a < 0 ? gali_one_neg_i64(a) : a;
}

long gali_one_sign_i64(long a) {
    return (a > 0) - (a < 0);
}

/* The least number by -1 traps on what are CPUs. */
long gali_one_div_i64(long a, long b) {
    return b == 0 ? 0 : b == -1 ? gali_one_neg_i64(a) : a / b;
}

long gali_one_rem_i64(long a, long b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

long gali_one_mod_i64(long a, long b) {
    long rest = gali_one_rem_i64(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

long gali_one_quotient_i64(long a, long b) {
    const long rest = gali_one_rem_i64(a, b);
    return gali_one_div_i64(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}

long gali_one_least_i64(long a, long b) {
    return a < b ? a : b;
}

long gali_one_most_i64(long a, long b) {
    return a > b ? a : b;
}

long gali_one_pow_i64(long a, long b) {
    ulong power = 1, square = (ulong)a;
    if (b < 0) {
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    }
    for (; b > 0; b >>= 1) {
        power *= b & 1 ? square : 1;
        square *= square;
    }
    return (long)power;
}

long gali_one_shift_left_i64(long a, long b) {
    return b < 0 || b > 63 ? 0 : (long)((ulong)a << b);
}

long gali_one_shift_right_i64(long a, long b) {
    return a >> (b < 0 || b > 63 ? 63 : b);
}

/* ---- whole numbers of 64 bits ---- */

#define gali_one_neg_u64(a) (0 - (ulong)(a))
#define gali_one_abs_u64(a) (a)
#define gali_one_sign_u64(a) ((ulong)((a) != 0))
#define gali_one_least_u64(a, b) min((ulong)(a), (ulong)(b))
#define gali_one_most_u64(a, b) max((ulong)(a), (ulong)(b))

ulong gali_one_div_u64(ulong a, ulong b) {
    return b == 0 ? 0 : a / b;
}

ulong gali_one_quotient_u64(ulong a, ulong b) {
    return b == 0 ? 0 : a / b;
}

ulong gali_one_rem_u64(ulong a, ulong b) {
    return b == 0 ? 0 : a % b;
}

ulong gali_one_mod_u64(ulong a, ulong b) {
    return b == 0 ? 0 : a % b;
}

ulong gali_one_pow_u64(ulong a, ulong b) {
    ulong power = 1;
    for (; b > 0; b >>= 1) {
        power *= b & 1 ? a : 1;
        a *= a;
    }
    return power;
}

ulong gali_one_shift_left_u64(ulong a, ulong b) {
    return b > 63 ? 0 : a << b;
}

ulong gali_one_shift_right_u64(ulong a, ulong b) {
    return b > 63 ? 0 : a >> b;
}

/* ---- float16 and bfloat16, which are stored alone ---- */

float gali_one_f32_of_bf16(ushort a) {
    return as_float((uint)a << 16);
}

ushort gali_one_bf16_of_f32(float a) {
    const uint bits = as_uint(a);
    return (ushort)(a != a ? (bits >> 16) | 0x40u : (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

float gali_one_f32_of_f16(ushort a) {
    return vload_half(0, (half *)&a);
}

ushort gali_one_f16_of_f32(float a) {
    ushort b;
    vstore_half_rte(a, 0, (half *)&b);
    return b;
}

#define gali_one_round_f16_f32(a) gali_one_f32_of_f16(gali_one_f16_of_f32(a))
#define gali_one_round_bf16_f32(a) gali_one_f32_of_bf16(gali_one_bf16_of_f32(a))
