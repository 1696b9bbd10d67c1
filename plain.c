#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef float gali_one_vf;
enum {
    GALI_ONE_LANES = 1,
    GALI_ONE_REGISTERS = 16,  /* of vectors */
    GALI_ONE_STEPS = 4,       /* k unrolled in a tile */
    GALI_ONE_TURN_SUMS = 1,   /* tiles of fewer accumulators turn (body/panel_f32.inc) */
    GALI_ONE_TILE_KEEP = 4,   /* accumulators up to which a narrow tile keeps float sums in registers, too */
    GALI_ONE_AHEAD_ROWS = 99, /* tiles of so many characters have time to ask for weights ahead; 99: none has */
    GALI_ONE_AHEAD_LEVEL = 2, /* into which cache: 3 the first, 2 the second level */
    GALI_ONE_AHEAD = 0,       /* bytes that a tile which is alone with its weights asks ahead */
};

static inline gali_one_vf gali_one_vf_set(float a) {
    return a;
}

static inline gali_one_vf gali_one_vf_load(const float *p) {
    return *p;
}

static inline void gali_one_vf_store(float *p, gali_one_vf a) {
    *p = a;
}

static inline gali_one_vf gali_one_vf_add(gali_one_vf a, gali_one_vf b) {
    return a + b;
}

static inline gali_one_vf gali_one_vf_sub(gali_one_vf a, gali_one_vf b) {
    return a - b;
}

static inline gali_one_vf gali_one_vf_mul(gali_one_vf a, gali_one_vf b) {
    return a * b;
}

static inline gali_one_vf gali_one_vf_div(gali_one_vf a, gali_one_vf b) {
    return a / b;
}

static inline gali_one_vf gali_one_fma_odd(double product, double c) {
    double sum = product + c, taken = sum - product, lost = (product - (sum - taken)) + (c - taken);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost > 0 || lost < 0) {
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    }
    memcpy(&sum, &bits, sizeof sum);
    return (gali_one_vf)sum;
}

static inline gali_one_vf gali_one_vf_fma(gali_one_vf a, gali_one_vf b, gali_one_vf c) {
    double product = (double)a * (double)b, sum = product + (double)c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits & 0xFFFFFFF ? (gali_one_vf)sum : gali_one_fma_odd(product, (double)c);
}

/* One input for all lanes, as the FMA wants it: gali_one_vf_fma_x(a, b, c) is a b + c, rounded once. */
typedef gali_one_vf gali_one_vx;

/* a < b ? yes : no, lane by lane; a NaN compares false. */
static inline gali_one_vf gali_one_vf_less(gali_one_vf a, gali_one_vf b, gali_one_vf yes, gali_one_vf no) {
    return a < b ? yes : no;
}

/* 2^n, where a is n + 1.5 * 2^23 for an integer n in -126..127: n stands in the low bits of a. */
static inline gali_one_vf gali_one_vf_exp2_biased(gali_one_vf a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits << 23) + 0x3F800000u;
    memcpy(&a, &bits, sizeof bits);
    return a;
}

/* Integers, as many as floats in a vector. */
typedef int32_t gali_one_vi;

/* Which lanes; of one, 0 or 1. */
typedef uint32_t gali_one_vm;

static inline gali_one_vi gali_one_vi_set(int32_t a) {
    return a;
}

/* From any address, four bytes a lane. */
static inline gali_one_vi gali_one_vi_load(const void *p) {
    gali_one_vi a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void gali_one_vi_store(int32_t *p, gali_one_vi a) {
    *p = a;
}

/* A float's bits, and back. */
static inline gali_one_vi gali_one_vf_bits(gali_one_vf a) {
    gali_one_vi bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline gali_one_vf gali_one_vf_from_bits(gali_one_vi a) {
    gali_one_vf number;
    memcpy(&number, &a, sizeof number);
    return number;
}

/* Rounded to nearest even. */
static inline gali_one_vf gali_one_vi_float(gali_one_vi a) {
    return (gali_one_vf)a;
}

/* Modulo 2^32. */
static inline gali_one_vi gali_one_vi_add(gali_one_vi a, gali_one_vi b) {
    return (gali_one_vi)((uint32_t)a + (uint32_t)b);
}

static inline gali_one_vi gali_one_vi_sub(gali_one_vi a, gali_one_vi b) {
    return (gali_one_vi)((uint32_t)a - (uint32_t)b);
}

static inline gali_one_vi gali_one_vi_and(gali_one_vi a, gali_one_vi b) {
    return a & b;
}

static inline gali_one_vi gali_one_vi_xor(gali_one_vi a, gali_one_vi b) {
    return a ^ b;
}

/* By n bits, 0 <= n < 32, the same for all lanes; to the right the sign comes in, or zeros. */
static inline gali_one_vi gali_one_vi_shift_left(gali_one_vi a, int n) {
    return (gali_one_vi)((uint32_t)a << n);
}

static inline gali_one_vi gali_one_vi_shift_right(gali_one_vi a, int n) {
    return a < 0 ? ~(~a >> n) : a >> n;
}

/* a < b, lane by lane; with a NaN all comparisons are false. */
static inline gali_one_vm gali_one_vm_less(gali_one_vf a, gali_one_vf b) {
    return a < b;
}

static inline gali_one_vm gali_one_vm_at_most(gali_one_vf a, gali_one_vf b) {
    return a <= b;
}

static inline gali_one_vm gali_one_vm_equal(gali_one_vf a, gali_one_vf b) {
    return a == b;
}

static inline gali_one_vm gali_one_vm_less_int(gali_one_vi a, gali_one_vi b) {
    return a < b;
}

static inline gali_one_vm gali_one_vm_equal_int(gali_one_vi a, gali_one_vi b) {
    return a == b;
}

static inline uint32_t gali_one_vm_bits(gali_one_vm a) {
    return a;
}

static inline gali_one_vm gali_one_vm_and(gali_one_vm a, gali_one_vm b) {
    return a & b;
}

static inline gali_one_vm gali_one_vm_or(gali_one_vm a, gali_one_vm b) {
    return a | b;
}

static inline gali_one_vm gali_one_vm_not(gali_one_vm a) {
    return a ^ 1;
}

static inline gali_one_vf gali_one_vf_select(gali_one_vm which, gali_one_vf yes, gali_one_vf no) {
    return which ? yes : no;
}

static inline gali_one_vi gali_one_vi_select(gali_one_vm which, gali_one_vi yes, gali_one_vi no) {
    return which ? yes : no;
}

/* The sign turned over, of 0 and NaN as well. */
static inline gali_one_vf gali_one_vf_neg(gali_one_vf a) {
    return -a;
}

static inline gali_one_vf gali_one_vf_abs(gali_one_vf a) {
    return fabsf(a);
}

/* a with the sign of `sign`, of 0 and NaN as well. */
static inline gali_one_vf gali_one_vf_copysign(gali_one_vf a, gali_one_vf sign) {
    return copysignf(a, sign);
}

/* Correctly rounded; NaN of what is below 0. */
static inline gali_one_vf gali_one_vf_sqrt(gali_one_vf a) {
    return sqrtf(a);
}

/* a < b ? a : b, so b where one is NaN or both are 0; max alike. */
static inline gali_one_vf gali_one_vf_min(gali_one_vf a, gali_one_vf b) {
    return a < b ? a : b;
}

static inline gali_one_vf gali_one_vf_max(gali_one_vf a, gali_one_vf b) {
    return a > b ? a : b;
}

/* To the nearest integer, the even one of two; keeps -0, NaN and infinities. */
static inline gali_one_vf gali_one_vf_round(gali_one_vf a) {
    const float whole = 8388608.0f; /* 2^23: from here on all are integers */
    return fabsf(a) < whole ? copysignf((fabsf(a) + whole) - whole, a) : a;
}

static inline gali_one_vf gali_one_vf_floor(gali_one_vf a) {
    gali_one_vf near = gali_one_vf_round(a);
    return near > a ? near - 1 : near;
}

/* q(r) of degree 5, where expm1(r) = r + r^2 q(r), |r| <= ln 2 / 2 (2.2e-9). */
static inline gali_one_vf gali_one_expm1_core(gali_one_vf r) {
    gali_one_vf q = gali_one_vf_set(0x1.a032bep-13f);
    q = gali_one_vf_fma(q, r, gali_one_vf_set(0x1.6d71f8p-10f));
    q = gali_one_vf_fma(q, r, gali_one_vf_set(0x1.11118ap-7f));
    q = gali_one_vf_fma(q, r, gali_one_vf_set(0x1.5554b2p-5f));
    q = gali_one_vf_fma(q, r, gali_one_vf_set(0x1.555554p-3f));
    return gali_one_vf_fma(q, r, gali_one_vf_set(0.5f));
}

/* n = x / ln 2 to the nearest, as n + 1.5 * 2^23 in *biased; returns x - n ln 2. */
static inline gali_one_vf gali_one_exp_reduced(gali_one_vf x, gali_one_vf *biased, gali_one_vf *low) {
    const gali_one_vf round = gali_one_vf_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    const gali_one_vf ln2_low = gali_one_vf_set(0x1.05c610p-29f);
    *biased = gali_one_vf_fma(x, gali_one_vf_set(0x1.715476p+0f), round);
    gali_one_vf n = gali_one_vf_sub(*biased, round);
    gali_one_vf near = gali_one_vf_fma(n, gali_one_vf_set(-0x1.62e430p-1f), x), r = gali_one_vf_fma(n, ln2_low, near);
    *low = gali_one_vf_fma(n, ln2_low, gali_one_vf_sub(near, r));
    return r;
}

/* 2^n exp(r + low) for n + 1.5 * 2^23 in `biased`, -252 <= n <= 254, in two steps, since 2^n may be no float. */
static inline gali_one_vf gali_one_exp_scaled(gali_one_vf r, gali_one_vf low, gali_one_vf biased) {
    const gali_one_vf one = gali_one_vf_set(1.0f);
    const gali_one_vi bias = gali_one_vi_set(127);
    gali_one_vf about = gali_one_vf_add(one, r), lost = gali_one_vf_add(gali_one_vf_sub(one, about), r);
    lost = gali_one_vf_add(lost, gali_one_vf_fma(gali_one_vf_mul(r, r), gali_one_expm1_core(r), gali_one_vf_fma(low, r, low)));
    gali_one_vi n = gali_one_vi_sub(gali_one_vf_bits(biased), gali_one_vi_set(0x4B400000)), half = gali_one_vi_shift_right(n, 1);
    gali_one_vi rest = gali_one_vi_sub(n, half);
    gali_one_vf first = gali_one_vf_from_bits(gali_one_vi_shift_left(gali_one_vi_add(half, bias), 23));
    gali_one_vf second = gali_one_vf_from_bits(gali_one_vi_shift_left(gali_one_vi_add(rest, bias), 23));
    return gali_one_vf_mul(gali_one_vf_mul(gali_one_vf_add(about, lost), first), second);
}

/* exp(x): 0.6 units, 1.0 where the result is a denormal. */
static inline gali_one_vf gali_one_vf_exp(gali_one_vf x) {
    gali_one_vf biased, low;
    x = gali_one_vf_max(gali_one_vf_set(-104.0f), gali_one_vf_min(gali_one_vf_set(89.0f), x)); /* a NaN stays */
    gali_one_vf r = gali_one_exp_reduced(x, &biased, &low);
    return gali_one_exp_scaled(r, low, biased);
}

static inline gali_one_vf gali_one_endless(void) {
    return gali_one_vf_from_bits(gali_one_vi_set(0x7F800000));
}

/* 2 / pi, from its first bit on, behind a word of zeros. */
static const uint32_t gali_one_two_over_pi[] = {0,           0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                            0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};

/*
 * x - n pi / 2 of one number from 2^16 to the largest, in integers (Payne, Hanek 1983): x = m 2^e, m of 24 bits, times the
 * 96 bits of 2 / pi from its bit e - 2 on, those before which make multiples of four, is n in two bits and then the rest.
 */
static inline void gali_one_turn_far(uint32_t bits, float *r, float *low, int32_t *n) {
    uint32_t at = (bits >> 23) - 150 - 2 + 32, word = at >> 5, shift = at & 31;
    uint64_t m = (bits & 0x7FFFFFu) | 0x800000u, part[3];
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t pair = (uint64_t)gali_one_two_over_pi[word + i] << 32 | gali_one_two_over_pi[word + i + 1];
        part[i] = pair << shift >> 32;
    }
    uint64_t turned = (m * part[0] << 32) + m * part[1] + (m * part[2] >> 32); /* quarter turns of 2^62 */
    uint64_t whole = (turned + ((uint64_t)1 << 61)) >> 62, rest = turned - (whole << 62);
    double size = (double)(rest >> 63 ? 0 - rest : rest) * 0x1.921fb54442d18p-62;
    size = rest >> 63 ? -size : size;
    *r = (float)size;
    *low = (float)(size - (double)*r);
    *n = (int32_t)(whole & 3);
}

/* The same in lanes, of those that `far` has a bit for. */
static inline gali_one_vf gali_one_turn_far_lanes(uint32_t far, gali_one_vf a, gali_one_vf r, gali_one_vf *low, gali_one_vi *quarter) {
    float r_of[GALI_ONE_LANES], low_of[GALI_ONE_LANES];
    int32_t bits[GALI_ONE_LANES], quarter_of[GALI_ONE_LANES];
    gali_one_vi_store(bits, gali_one_vf_bits(a));
    gali_one_vf_store(r_of, r);
    gali_one_vf_store(low_of, *low);
    gali_one_vi_store(quarter_of, *quarter);
    for (uint32_t i = 0; i < GALI_ONE_LANES; i++) {
        if (far >> i & 1) {
            gali_one_turn_far((uint32_t)bits[i], &r_of[i], &low_of[i], &quarter_of[i]);
        }
    }
    *low = gali_one_vf_load(low_of);
    *quarter = gali_one_vi_load(quarter_of);
    return gali_one_vf_load(r_of);
}

/* a - n pi / 2 of a >= 0, |.| <= pi / 4 and a little; n's last two bits are those of *quarter. */
static inline gali_one_vf gali_one_turn_reduced(gali_one_vf a, gali_one_vf *low, gali_one_vi *quarter) {
    const gali_one_vf round = gali_one_vf_set(12582912.0f),
                  second = gali_one_vf_set(0x1.777a5cp-25f); /* pi / 2 in three parts */
    gali_one_vf biased = gali_one_vf_fma(a, gali_one_vf_set(0x1.45f306p-1f), round), n = gali_one_vf_sub(biased, round);
    gali_one_vf near = gali_one_vf_fma(n, gali_one_vf_set(-0x1.921fb6p+0f), a); /* exact up to n = 2^16 and beyond */
    gali_one_vf more = gali_one_vf_mul(n, second), more_low = gali_one_vf_fma(n, second, gali_one_vf_neg(more));
    gali_one_vf r = gali_one_vf_add(near, more), taken = gali_one_vf_sub(r, near); /* either may be the larger */
    *low = gali_one_vf_add(gali_one_vf_sub(near, gali_one_vf_sub(r, taken)), gali_one_vf_sub(more, taken));
    *low = gali_one_vf_add(*low, gali_one_vf_fma(n, gali_one_vf_set(0x1.ee59dap-50f), more_low));
    *quarter = gali_one_vf_bits(biased);
    gali_one_vm is_far = gali_one_vm_and(gali_one_vm_at_most(gali_one_vf_set(65536.0f), a), gali_one_vm_less(a, gali_one_endless()));
    uint32_t far = gali_one_vm_bits(is_far);
    return far ? gali_one_turn_far_lanes(far, a, r, low, quarter) : r;
}

/* sin(r + low) and cos(r + low) of |r| <= pi / 4 (1.7e-10, 1.1e-10). */
static inline gali_one_vf gali_one_sin_core(gali_one_vf r, gali_one_vf low, gali_one_vf *cosine) {
    const gali_one_vf one = gali_one_vf_set(1.0f);
    gali_one_vf z = gali_one_vf_mul(r, r), half = gali_one_vf_mul(z, gali_one_vf_set(0.5f)), about = gali_one_vf_sub(one, half);
    gali_one_vf s = gali_one_vf_set(0x1.7cbbb6p-19f), c = gali_one_vf_set(0x1.99e0e6p-16f);
    s = gali_one_vf_fma(s, z, gali_one_vf_set(-0x1.a05b82p-13f));
    c = gali_one_vf_fma(c, z, gali_one_vf_set(-0x1.6c0c1ap-10f));
    s = gali_one_vf_fma(s, z, gali_one_vf_set(0x1.111176p-7f));
    s = gali_one_vf_fma(s, z, gali_one_vf_set(-0x1.555556p-3f));
    c = gali_one_vf_fma(c, z, gali_one_vf_set(0x1.55554ap-5f));
    gali_one_vf z_low = gali_one_vf_fma(r, r, gali_one_vf_neg(z)), lost = gali_one_vf_sub(gali_one_vf_sub(one, about), half);
    lost = gali_one_vf_fma(z_low, gali_one_vf_set(-0.5f), lost);
    c = gali_one_vf_fma(gali_one_vf_mul(z, z), c, gali_one_vf_fma(gali_one_vf_neg(r), low, lost));
    *cosine = gali_one_vf_add(about, c);
    s = gali_one_vf_fma(z, s, gali_one_vf_mul(z_low, s));
    return gali_one_vf_add(r, gali_one_vf_fma(r, s, gali_one_vf_mul(low, about)));
}

/* sin(x) and cos(x) of radians of any size: 0.7 units each. Of infinities NaN. */
static inline gali_one_vf gali_one_vf_sin_cos(gali_one_vf x, gali_one_vf *cosine) {
    const gali_one_vi one = gali_one_vi_set(1), two = gali_one_vi_set(2);
    gali_one_vf low, c;
    gali_one_vi quarter;
    gali_one_vf r = gali_one_turn_reduced(gali_one_vf_abs(x), &low, &quarter), s = gali_one_sin_core(r, low, &c);
    gali_one_vm odd = gali_one_vm_equal_int(gali_one_vi_and(quarter, one), one);
    gali_one_vi turn = gali_one_vi_shift_left(gali_one_vi_and(quarter, two), 30);
    gali_one_vi turn_cosine = gali_one_vi_shift_left(gali_one_vi_and(gali_one_vi_add(quarter, one), two), 30);
    gali_one_vi sign = gali_one_vi_and(gali_one_vf_bits(x), gali_one_vi_set(INT32_MIN));
    gali_one_vi sine = gali_one_vf_bits(gali_one_vf_select(odd, c, s));
    *cosine = gali_one_vf_from_bits(gali_one_vi_xor(gali_one_vf_bits(gali_one_vf_select(odd, s, c)), turn_cosine));
    return gali_one_vf_from_bits(gali_one_vi_xor(sine, gali_one_vi_xor(turn, sign)));
}

static inline gali_one_vf gali_one_vf_sin(gali_one_vf x) {
    gali_one_vf cosine;
    return gali_one_vf_sin_cos(x, &cosine);
}

static inline gali_one_vf gali_one_vf_cos(gali_one_vf x) {
    gali_one_vf cosine;
    gali_one_vf_sin_cos(x, &cosine);
    return cosine;
}

/* a / b = t + *low, where a lacks a_low and b lacks b_low. */
static inline gali_one_vf gali_one_ratio(gali_one_vf a, gali_one_vf a_low, gali_one_vf b, gali_one_vf b_low, gali_one_vf *low) {
    gali_one_vf over = gali_one_vf_div(gali_one_vf_set(1.0f), b), t = gali_one_vf_mul(a, over);
    gali_one_vf left = gali_one_vf_add(gali_one_vf_fma(gali_one_vf_neg(t), b, a), gali_one_vf_fma(gali_one_vf_neg(t), b_low, a_low));
    *low = gali_one_vf_mul(left, over);
    return t;
}

/* base + base_low + part + part_low, where |base| >= |part| or base is 0. */
static inline gali_one_vf gali_one_sum(gali_one_vf base, gali_one_vf base_low, gali_one_vf part, gali_one_vf part_low) {
    gali_one_vf sum = gali_one_vf_add(base, part), lost = gali_one_vf_add(gali_one_vf_sub(base, sum), part);
    return gali_one_vf_add(sum, gali_one_vf_add(lost, gali_one_vf_add(base_low, part_low)));
}

static inline gali_one_vf gali_one_signed(gali_one_vf a, gali_one_vi sign) {
    return gali_one_vf_from_bits(gali_one_vi_xor(gali_one_vf_bits(a), sign));
}

/* 2^-e of a float of 2^e to 2^(e + 1), so that their product is 1 to 2; next to 0 and infinity about so. */
static inline gali_one_vf gali_one_unit_scale(gali_one_vf a) {
    const gali_one_vi least = gali_one_vi_set(0x00800000);
    gali_one_vi power = gali_one_vi_and(gali_one_vf_bits(a), gali_one_vi_set(0x7F800000));
    gali_one_vi scale = gali_one_vi_sub(gali_one_vi_set(0x7F000000), power);
    return gali_one_vf_from_bits(gali_one_vi_select(gali_one_vm_less_int(scale, least), least, scale));
}

/* atan(small / large) - pi / 4 where *eighth says so, of 0 <= small <= large near 1: atan(t) = t + t^3 p(t^2) with
 * t = small / large, or (small - large) / (small + large) from tan(pi / 8) on, so that |t| <= tan(pi / 8) (6.6e-10). */
static inline gali_one_vf gali_one_atan_core(gali_one_vf small, gali_one_vf large, gali_one_vm *eighth, gali_one_vf *low) {
    const gali_one_vf zero = gali_one_vf_set(0.0f);
    gali_one_vm by_eighth = gali_one_vm_less(gali_one_vf_mul(large, gali_one_vf_set(0x1.a8279ap-2f)), small);
    gali_one_vf sum = gali_one_vf_add(large, small), sum_low = gali_one_vf_add(gali_one_vf_sub(large, sum), small);
    gali_one_vf gap = gali_one_vf_sub(small, large), gap_low = gali_one_vf_sub(small, gali_one_vf_add(gap, large));
    gali_one_vf t =
        gali_one_ratio(gali_one_vf_select(by_eighth, gap, small), gali_one_vf_select(by_eighth, gap_low, zero),
                   gali_one_vf_select(by_eighth, sum, large), gali_one_vf_select(by_eighth, sum_low, zero), low);
    gali_one_vf z = gali_one_vf_mul(t, t), p = gali_one_vf_set(-0x1.f31d54p-5f);
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.b22ecap-4f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(-0x1.23ba42p-3f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.9991e8p-3f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(-0x1.55554ap-2f));
    *low = gali_one_vf_fma(gali_one_vf_mul(t, z), p, gali_one_vf_fma(gali_one_vf_neg(*low), z, *low));
    *eighth = by_eighth;
    return t;
}

/* The angle from the x axis to (x, y), -pi to pi, with y's sign: 0.6 units, 1.0 where it is under 2^-100. Zeros
 * and infinities as in C's annex F: the angle to (-0, +-0) is +-pi, and infinities are equal to each other. */
static inline gali_one_vf gali_one_vf_atan2(gali_one_vf y, gali_one_vf x) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), one = gali_one_vf_set(1.0f), endless = gali_one_endless();
    gali_one_vf width = gali_one_vf_abs(x), height = gali_one_vf_abs(y);
    gali_one_vm steep = gali_one_vm_less(width, height), back = gali_one_vm_less_int(gali_one_vf_bits(x), gali_one_vi_set(0)),
            eighth;
    gali_one_vf large = gali_one_vf_select(steep, height, width), small = gali_one_vf_select(steep, width, height), low;
    gali_one_vm far = gali_one_vm_equal(large, endless), none = gali_one_vm_equal(large, zero);
    small = gali_one_vf_select(far, gali_one_vf_select(gali_one_vm_equal(small, endless), one, zero), small);
    large = gali_one_vf_select(gali_one_vm_or(far, none), one, large);
    gali_one_vf scale = gali_one_unit_scale(large);
    gali_one_vf t = gali_one_atan_core(gali_one_vf_mul(small, scale), gali_one_vf_mul(large, scale), &eighth, &low);
    /* Where steep a quarter turn less that, and where x < 0 half a turn less that again: base +- atan(t). */
    gali_one_vf quarters = gali_one_vf_select(steep, one, gali_one_vf_select(back, gali_one_vf_set(2.0f), zero));
    quarters = gali_one_vf_select(eighth, gali_one_vf_set(0.5f), quarters);
    gali_one_vf base = gali_one_vf_mul(gali_one_vf_set(0x1.921fb6p+0f), quarters);
    gali_one_vf base_low = gali_one_vf_mul(gali_one_vf_set(-0x1.777a5cp-25f), quarters);
    gali_one_vm three = gali_one_vm_and(eighth, back); /* eighths, whose two floats are not those of one */
    base = gali_one_vf_select(three, gali_one_vf_set(0x1.2d97c8p+1f), base);
    base_low = gali_one_vf_select(three, gali_one_vf_set(-0x1.99bc5cp-28f), base_low);
    gali_one_vi sign = gali_one_vf_bits(gali_one_vf_select(steep, gali_one_vf_neg(x), x));
    sign = gali_one_vi_and(sign, gali_one_vi_set(INT32_MIN));
    gali_one_vf angle = gali_one_sum(base, base_low, gali_one_signed(t, sign), gali_one_signed(low, sign));
    gali_one_vm numbers = gali_one_vm_and(gali_one_vm_equal(x, x), gali_one_vm_equal(y, y));
    return gali_one_vf_select(numbers, gali_one_vf_copysign(angle, y), gali_one_vf_add(x, y));
}

/*
 * acos(x), 0 to pi: 0.6 units; NaN where |x| > 1. asin(s) = s + s^3 p(s^2), |s| <= 1/2 (2.9e-10), of s = x in the
 * middle and s = sqrt((1 - |x|) / 2), which is half the angle from the nearer end, outside.
 */
static inline gali_one_vf gali_one_vf_acos(gali_one_vf x) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), half = gali_one_vf_set(0.5f), two = gali_one_vf_set(2.0f);
    gali_one_vf size = gali_one_vf_abs(x);
    gali_one_vm middle = gali_one_vm_less(size, half), back = gali_one_vm_less(x, zero);
    gali_one_vf outside = gali_one_vf_mul(gali_one_vf_sub(gali_one_vf_set(1.0f), size), half), root = gali_one_vf_sqrt(outside);
    gali_one_vf z = gali_one_vf_select(middle, gali_one_vf_mul(x, x), outside), p = gali_one_vf_set(0x1.3423d6p-5f);
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.d6bac8p-7f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.04bc44p-5f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.6ca962p-5f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.3338a4p-4f));
    p = gali_one_vf_fma(p, z, gali_one_vf_set(0x1.55554cp-3f));
    gali_one_vf root_low =
        gali_one_vf_div(gali_one_vf_fma(gali_one_vf_neg(root), root, outside), root); /* twice it, as the angle */
    root_low = gali_one_vf_select(gali_one_vm_or(middle, gali_one_vm_equal(root, zero)), zero, root_low);
    gali_one_vf twice = gali_one_vf_mul(root, two);
    gali_one_vf part = gali_one_vf_select(middle, gali_one_vf_neg(x), gali_one_vf_select(back, gali_one_vf_neg(twice), twice));
    gali_one_vf low = gali_one_vf_fma(gali_one_vf_mul(part, z), p, gali_one_vf_select(back, gali_one_vf_neg(root_low), root_low));
    gali_one_vf quarters = gali_one_vf_select(middle, gali_one_vf_set(1.0f), gali_one_vf_select(back, two, zero));
    gali_one_vf base = gali_one_vf_mul(gali_one_vf_set(0x1.921fb6p+0f), quarters);
    return gali_one_sum(base, gali_one_vf_mul(gali_one_vf_set(-0x1.777a5cp-25f), quarters), part, low);
}

/* atanh(s + s_low) of |s| <= (sqrt(2) - 1)^2, to 2^-35 of it: s + s^3 (1/3 + s^2 p(s^2)) (8.4e-12). */
static inline gali_one_vf gali_one_atanh_core(gali_one_vf s, gali_one_vf s_low, gali_one_vf *low) {
    const gali_one_vf third = gali_one_vf_set(0x1.555556p-2f), third_low = gali_one_vf_set(-0x1.555556p-27f);
    gali_one_vf z = gali_one_vf_mul(s, s), z_low = gali_one_vf_fma(s, s, gali_one_vf_neg(z));
    z_low = gali_one_vf_fma(gali_one_vf_add(s, s), s_low, z_low);
    gali_one_vf p = gali_one_vf_fma(gali_one_vf_set(0x1.dfa302p-4f), z, gali_one_vf_set(0x1.24527ap-3f));
    p = gali_one_vf_mul(gali_one_vf_fma(p, z, gali_one_vf_set(0x1.999a00p-3f)), z);
    gali_one_vf c = gali_one_vf_add(third, p);
    gali_one_vf c_low = gali_one_vf_add(gali_one_vf_add(gali_one_vf_sub(third, c), p), third_low);
    gali_one_vf zc = gali_one_vf_mul(z, c), zc_low = gali_one_vf_fma(z, c, gali_one_vf_neg(zc));
    zc_low = gali_one_vf_add(zc_low, gali_one_vf_fma(z, c_low, gali_one_vf_mul(z_low, c)));
    gali_one_vf more = gali_one_vf_mul(s, zc), more_low = gali_one_vf_fma(s, zc, gali_one_vf_neg(more));
    more_low = gali_one_vf_add(more_low, gali_one_vf_fma(s, zc_low, gali_one_vf_fma(s_low, zc, s_low)));
    gali_one_vf sum = gali_one_vf_add(s, more);
    *low = gali_one_vf_add(gali_one_vf_add(gali_one_vf_sub(s, sum), more), more_low);
    return sum;
}

/* log2(x) of a positive finite x, to 2^-34 of it: x = m 2^k with m about 1, log(m) = 2 atanh((m - 1) / (m + 1)). */
static inline gali_one_vf gali_one_log2(gali_one_vf x, gali_one_vf *low) {
    const gali_one_vf one = gali_one_vf_set(1.0f), scale = gali_one_vf_set(0x1.715476p+1f); /* 2 / ln 2 */
    gali_one_vm small = gali_one_vm_less(x, gali_one_vf_set(0x1p-126f));
    gali_one_vi bits = gali_one_vf_bits(gali_one_vf_select(small, gali_one_vf_mul(x, gali_one_vf_set(0x1p+24f)), x));
    gali_one_vi power =
        gali_one_vi_shift_right(gali_one_vi_sub(bits, gali_one_vi_set(0x3F3504F3)), 23); /* from sqrt(1 / 2) on */
    gali_one_vf m = gali_one_vf_from_bits(gali_one_vi_sub(bits, gali_one_vi_shift_left(power, 23))), m_low;
    gali_one_vf k = gali_one_vi_float(gali_one_vi_sub(power, gali_one_vi_select(small, gali_one_vi_set(24), gali_one_vi_set(0))));
    gali_one_vf sum = gali_one_vf_add(m, one), sum_low = gali_one_vf_sub(m, gali_one_vf_sub(sum, one));
    gali_one_vf s = gali_one_ratio(gali_one_vf_sub(m, one), gali_one_vf_set(0.0f), sum, sum_low, &m_low);
    gali_one_vf half = gali_one_atanh_core(s, m_low, &m_low);
    gali_one_vf log = gali_one_vf_mul(half, scale), log_low = gali_one_vf_fma(half, scale, gali_one_vf_neg(log));
    log_low = gali_one_vf_add(log_low, gali_one_vf_fma(half, gali_one_vf_set(0x1.4ae0c0p-25f), gali_one_vf_mul(m_low, scale)));
    gali_one_vf h = gali_one_vf_add(k, log);
    *low = gali_one_vf_add(gali_one_vf_add(gali_one_vf_sub(k, h), log), log_low);
    return h;
}

/* x^y of x >= 0: 0.6 units, 1.0 where the result is a denormal. NaN where x < 0, even of an integer y; -0 is 0; else
 * zeros, infinities and NaN as in C's annex F: x^0 and 1^y are 1, even of NaN. */
static inline gali_one_vf gali_one_vf_pow(gali_one_vf x, gali_one_vf y) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), one = gali_one_vf_set(1.0f), endless = gali_one_endless();
    gali_one_vf low, h = gali_one_log2(x, &low);
    h = gali_one_vf_select(gali_one_vm_equal(x, zero), gali_one_vf_neg(endless), h);
    h = gali_one_vf_select(gali_one_vm_equal(x, endless), endless, h);
    gali_one_vf v = gali_one_vf_mul(y, h), v_low = gali_one_vf_fma(y, low, gali_one_vf_fma(y, h, gali_one_vf_neg(v)));
    const gali_one_vf round = gali_one_vf_set(12582912.0f), ln2 = gali_one_vf_set(0x1.62e430p-1f);
    gali_one_vf biased = gali_one_vf_add(v, round), f = gali_one_vf_sub(v, gali_one_vf_sub(biased, round));
    gali_one_vf near = gali_one_vf_mul(f, ln2), r_low = gali_one_vf_fma(f, ln2, gali_one_vf_neg(near));
    r_low = gali_one_vf_add(r_low, gali_one_vf_fma(f, gali_one_vf_set(-0x1.05c610p-29f), gali_one_vf_mul(v_low, ln2)));
    gali_one_vf r = gali_one_vf_add(near, r_low);
    gali_one_vf power = gali_one_exp_scaled(r, gali_one_vf_add(gali_one_vf_sub(near, r), r_low), biased);
    power = gali_one_vf_select(gali_one_vm_at_most(gali_one_vf_set(129.0f), v), endless, power);
    power = gali_one_vf_select(gali_one_vm_at_most(v, gali_one_vf_set(-151.0f)), zero, power);
    power = gali_one_vf_select(gali_one_vm_at_most(zero, x), power, gali_one_vf_sub(endless, endless));
    return gali_one_vf_select(gali_one_vm_or(gali_one_vm_equal(y, zero), gali_one_vm_equal(x, one)), one, power);
}

/* expm1(r) of x in [-87, 0]; *scale = 2^n. */
static inline gali_one_vf gali_one_expm1_reduced(gali_one_vf x, gali_one_vf *scale) {
    gali_one_vf biased, low, r = gali_one_exp_reduced(x, &biased, &low);
    *scale = gali_one_vf_exp2_biased(biased);
    return gali_one_vf_fma(gali_one_vf_mul(r, r), gali_one_expm1_core(r), r);
}

/* exp(x) - 1 for x <= 0. */
static inline gali_one_vf gali_one_expm1_negative(gali_one_vf x) {
    const gali_one_vf least = gali_one_vf_set(-24.0f); /* exp(-24) < 2^-24 / 2: the result is -1 from here on */
    gali_one_vf scale, p = gali_one_expm1_reduced(gali_one_vf_less(x, least, least, x), &scale);
    return gali_one_vf_fma(scale, p, gali_one_vf_sub(scale, gali_one_vf_set(1.0f)));
}

/* exp(x) for x <= 0, all its digits; 0 below -87, where float32 ends. */
static inline gali_one_vf gali_one_exp_negative(gali_one_vf x) {
    const gali_one_vf least = gali_one_vf_set(-87.0f);
    gali_one_vf scale, p = gali_one_expm1_reduced(gali_one_vf_less(x, least, least, x), &scale);
    return gali_one_vf_less(x, least, gali_one_vf_set(0.0f), gali_one_vf_fma(scale, p, scale));
}

static inline gali_one_vf gali_one_magnitude(gali_one_vf x) {
    const gali_one_vf zero = gali_one_vf_set(0.0f);
    return gali_one_vf_less(x, zero, gali_one_vf_sub(zero, x), x);
}

static inline gali_one_vf gali_one_activate_none(gali_one_vf x, gali_one_vf slope) {
    (void)slope;
    return x;
}

static inline gali_one_vf gali_one_activate_relu(gali_one_vf x, gali_one_vf slope) {
    const gali_one_vf zero = gali_one_vf_set(0.0f);
    (void)slope;
    return gali_one_vf_less(x, zero, zero, x); /* a NaN stays */
}

static inline gali_one_vf gali_one_activate_elu(gali_one_vf x, gali_one_vf slope) {
    (void)slope;
    return gali_one_vf_less(gali_one_vf_set(0.0f), x, x, gali_one_expm1_negative(x));
}

static inline gali_one_vf gali_one_activate_leaky_relu(gali_one_vf x, gali_one_vf slope) {
    return gali_one_vf_less(gali_one_vf_set(0.0f), x, x, gali_one_vf_mul(slope, x));
}

/* 1 / (1 + t) or t / (1 + t) with t = exp(-|x|): small results keep their digits. */
static inline gali_one_vf gali_one_activate_sigmoid(gali_one_vf x, gali_one_vf slope) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), one = gali_one_vf_set(1.0f);
    (void)slope;
    gali_one_vf t = gali_one_exp_negative(gali_one_vf_sub(zero, gali_one_magnitude(x)));
    return gali_one_vf_div(gali_one_vf_less(x, zero, t, one), gali_one_vf_add(one, t));
}

static inline gali_one_vf gali_one_activate_silu(gali_one_vf x, gali_one_vf slope) {
    return gali_one_vf_mul(x, gali_one_activate_sigmoid(x, slope));
}

/* x / 2 (1 + tanh u) = x sigmoid(2 u). */
static inline gali_one_vf gali_one_activate_gelu_tanh(gali_one_vf x, gali_one_vf slope) {
    gali_one_vf inner = gali_one_vf_fma(gali_one_vf_mul(x, x), gali_one_vf_set(0.0713548163f), gali_one_vf_set(1.59576912f));
    return gali_one_vf_mul(x, gali_one_activate_sigmoid(gali_one_vf_mul(x, inner), slope));
}

/*
 * x Phi(x), Phi the normal distribution's integral: Phi(-a) = exp(-a^2 / 2) t p(t), t = 1 / (1 + a / 4), with a
 * minimax p of degree 9 (relative error 2.8e-8), which is Hastings's form (1955).
 */
static inline gali_one_vf gali_one_activate_gelu_erf(gali_one_vf x, gali_one_vf slope) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), one = gali_one_vf_set(1.0f);
    (void)slope;
    gali_one_vf a = gali_one_magnitude(x);
    gali_one_vf t = gali_one_vf_div(one, gali_one_vf_fma(a, gali_one_vf_set(0.25f), one));
    gali_one_vf p = gali_one_vf_set(0x1.49187ap-6f);
    p = gali_one_vf_fma(p, t, gali_one_vf_set(-0x1.50cbdap-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.91cd6ap-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(-0x1.1871e2p-5f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.0b095ep-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.dec140p-5f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.4eb394p-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.7ec974p-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.9885e8p-4f));
    p = gali_one_vf_fma(p, t, gali_one_vf_set(0x1.988450p-4f));
    gali_one_vf tail = gali_one_exp_negative(gali_one_vf_mul(gali_one_vf_mul(a, a), gali_one_vf_set(-0.5f)));
    tail = gali_one_vf_mul(tail, gali_one_vf_mul(t, p));
    return gali_one_vf_mul(x, gali_one_vf_less(x, zero, tail, gali_one_vf_sub(one, tail)));
}

/* -e / (e + 2) with e = exp(-2 |x|) - 1, and the sign of x. */
static inline gali_one_vf gali_one_activate_tanh(gali_one_vf x, gali_one_vf slope) {
    const gali_one_vf zero = gali_one_vf_set(0.0f), two = gali_one_vf_set(2.0f);
    (void)slope;
    gali_one_vf e = gali_one_expm1_negative(gali_one_vf_mul(gali_one_magnitude(x), gali_one_vf_set(-2.0f)));
    gali_one_vf ratio = gali_one_vf_div(e, gali_one_vf_add(e, two));
    return gali_one_vf_less(x, zero, ratio, gali_one_vf_sub(zero, ratio));
}

/* log2 of the two floats that gali_one_log2 has, times ln 2: 0.6 units. -infinity of 0, NaN below. */
static inline gali_one_vf gali_one_vf_log(gali_one_vf a) {
    const gali_one_vf ln2 = gali_one_vf_set(0x1.62e430p-1f), zero = gali_one_vf_set(0.0f), endless = gali_one_endless();
    gali_one_vf low, high = gali_one_log2(a, &low), log = gali_one_vf_mul(high, ln2);
    gali_one_vf lost = gali_one_vf_fma(high, ln2, gali_one_vf_neg(log));
    gali_one_vf more = gali_one_vf_fma(low, ln2, gali_one_vf_fma(high, gali_one_vf_set(-0x1.05c610p-29f), lost));
    log = gali_one_vf_less(a, endless, gali_one_vf_add(log, more), a);
    gali_one_vf end = gali_one_vf_select(gali_one_vm_equal(a, zero), gali_one_vf_neg(endless), gali_one_vf_sub(endless, endless));
    return gali_one_vf_less(zero, a, log, end);
}

/* x / 2 (1 + erf(x / sqrt 2)), solved for erf, loses what is near 0: there erf is its series. */
static inline gali_one_vf gali_one_vf_erf(gali_one_vf a) {
    const gali_one_vf one = gali_one_vf_set(1.0f);
    gali_one_vf z = gali_one_vf_mul(a, a), series = gali_one_vf_set(-0x1.f4d25cp-17f);
    series = gali_one_vf_fma(series, z, gali_one_vf_set(0x1.f9a326p-14f));
    series = gali_one_vf_fma(series, z, gali_one_vf_set(-0x1.c02db4p-11f));
    series = gali_one_vf_fma(series, z, gali_one_vf_set(0x1.565bcep-8f));
    series = gali_one_vf_fma(series, z, gali_one_vf_set(-0x1.b82ce4p-6f));
    series = gali_one_vf_fma(series, z, gali_one_vf_set(0x1.ce2f22p-4f));
    series = gali_one_vf_fma(series, z, gali_one_vf_set(-0x1.812746p-2f));
    gali_one_vf near = gali_one_vf_fma(a, gali_one_vf_set(0x1.06eba8p-3f), a);
    near = gali_one_vf_add(near, gali_one_vf_mul(gali_one_vf_mul(a, z), series));
    gali_one_vf size = gali_one_vf_abs(a), scaled = gali_one_vf_mul(size, gali_one_vf_set(0x1.6a09e6p+0f));
    gali_one_vf half = gali_one_vf_div(gali_one_activate_gelu_erf(scaled, gali_one_vf_set(0.0f)), scaled);
    gali_one_vf far = gali_one_vf_fma(gali_one_vf_set(2.0f), half, gali_one_vf_set(-1.0f));
    far = gali_one_vf_copysign(gali_one_vf_less(size, gali_one_vf_set(4.0f), far, one), a);
    far = gali_one_vf_select(gali_one_vm_equal(a, a), far, a);
    return gali_one_vf_less(size, gali_one_vf_set(0.5f), near, far);
}

static inline gali_one_vf gali_one_vf_tan(gali_one_vf a) {
    gali_one_vf cosine, sine = gali_one_vf_sin_cos(a, &cosine);
    return gali_one_vf_div(sine, cosine);
}

static inline gali_one_vf gali_one_vf_asin(gali_one_vf a) {
    const gali_one_vf one = gali_one_vf_set(1.0f);
    gali_one_vf beside = gali_one_vf_sqrt(gali_one_vf_mul(gali_one_vf_sub(one, a), gali_one_vf_add(one, a)));
    gali_one_vf none = gali_one_vf_sub(gali_one_endless(), gali_one_endless());
    return gali_one_vf_select(gali_one_vm_at_most(gali_one_vf_abs(a), one), gali_one_vf_atan2(a, beside), none);
}

static inline gali_one_vf gali_one_vf_atan(gali_one_vf a) {
    return gali_one_vf_atan2(a, gali_one_vf_set(1.0f));
}

static inline gali_one_vf gali_one_vf_htan(gali_one_vf a) {
    return gali_one_activate_tanh(a, gali_one_vf_set(0.0f));
}

/* As C's annex F, also where a < 0 and b is a whole number. */
static inline gali_one_vf gali_one_vf_power(gali_one_vf a, gali_one_vf b) {
    const gali_one_vf zero = gali_one_vf_set(0.0f);
    gali_one_vf size = gali_one_vf_pow(gali_one_vf_abs(a), b), half = gali_one_vf_mul(b, gali_one_vf_set(0.5f));
    gali_one_vm whole = gali_one_vm_equal(gali_one_vf_floor(b), b);
    gali_one_vm odd = gali_one_vm_and(whole, gali_one_vm_not(gali_one_vm_equal(gali_one_vf_floor(half), half)));
    odd = gali_one_vm_and(odd, gali_one_vm_less(gali_one_vf_abs(b), gali_one_vf_set(0x1p+24f)));
    gali_one_vf turned = gali_one_vf_select(odd, gali_one_vf_neg(size), size);
    gali_one_vm endless = gali_one_vm_less(a, gali_one_vf_set(-3.40282347e38f)), none = gali_one_vm_equal(a, zero);
    gali_one_vm good = gali_one_vm_or(whole, gali_one_vm_or(none, endless));
    gali_one_vf below = gali_one_vf_select(good, turned, gali_one_vf_sub(gali_one_endless(), gali_one_endless()));
    gali_one_vm back =
        gali_one_vm_or(gali_one_vm_less(a, zero), gali_one_vm_and(none, gali_one_vm_less_int(gali_one_vf_bits(a), gali_one_vi_set(0))));
    return gali_one_vf_select(back, below, size);
}

static inline float gali_one_f32_of_bf16(uint16_t a) {
    uint32_t bits = (uint32_t)a << 16;
    float b;
    memcpy(&b, &bits, sizeof b);
    return b;
}

static inline uint16_t gali_one_bf16_of_f32(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint32_t nearest = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)(a != a ? (bits >> 16) | 0x40u : nearest);
}

static inline float gali_one_f32_of_f16(uint16_t a) {
    uint32_t sign = (uint32_t)(a & 0x8000u) << 16, size = a & 0x7FFFu;
    uint32_t bits = sign | (size >= 0x7C00u ? 0x7F800000u | (size & 0x3FFu) << 13 : (size << 13) + 0x38000000u);
    float b, small = (float)size * 0x1p-24f;
    memcpy(&b, &bits, sizeof b);
    return size < 0x400u ? sign ? -small : small : b;
}

static inline uint16_t gali_one_f16_of_f32(float a) {
    uint32_t bits, size;
    memcpy(&bits, &a, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u;
    size = bits & 0x7FFFFFFFu;
    float magnitude = a < 0 ? -a : a, small = magnitude * 0x1p+24f; /* of denormals: whole numbers of 2^-24 */
    uint32_t nearest = (size - 0x38000000u + 0xFFFu + (size >> 13 & 1u)) >> 13;
    uint32_t denormal = (uint32_t)(int32_t)rintf(small < 1024.0f ? small : 1024.0f);
    uint32_t half = size < 0x38800000u ? denormal : size >= 0x477FF000u ? 0x7C00u : nearest;
    return (uint16_t)(sign | (a != a ? 0x7E00u : half));
}

static inline float gali_one_round_f16_f32(float a) {
    return gali_one_f32_of_f16(gali_one_f16_of_f32(a));
}

static inline float gali_one_round_bf16_f32(float a) {
    return gali_one_f32_of_bf16(gali_one_bf16_of_f32(a));
}

/* A real cut to an integer; 0 where that has none. */
static inline int64_t gali_one_i64_of_f64(double a) {
    return a > -0x1p+63 && a < 0x1p+63 ? (int64_t)a : 0;
}

static inline float gali_one_fma_f32(float a, float b, float c) {
    return fmaf(a, b, c);
}

static inline float gali_one_max_f32(float a, float b) {
    return a < b ? b : a;
}

static inline float gali_one_expm1_negative_f32(float a) {
    return gali_one_expm1_negative(a);
}

static inline float gali_one_keep_f32(float a) {
    return a;
}

static inline float gali_one_rem_f32(float a, float b) {
    return fmodf(a, b);
}

static inline float gali_one_mod_f32(float a, float b) {
    float rest = fmodf(a, b);
    return rest != 0.0f ? (rest < 0.0f) == (b < 0.0f) ? rest : rest + b : copysignf(rest, b);
}

static inline float gali_one_least_f32(float a, float b) {
    return a < b || a != a ? a : b;
}

static inline float gali_one_most_f32(float a, float b) {
    return a > b || a != a ? a : b;
}

static inline float gali_one_abs_f32(float a) {
    return fabsf(a);
}

static inline float gali_one_sign_f32(float a) {
    return a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : a;
}

static inline float gali_one_floor_f32(float a) {
    return floorf(a);
}

static inline float gali_one_ceil_f32(float a) {
    return ceilf(a);
}

static inline float gali_one_round_f32(float a) {
    return rintf(a);
}

static inline float gali_one_cut_f32(float a) {
    return truncf(a);
}

static inline float gali_one_sqrt_f32(float a) {
    return sqrtf(a);
}

static inline float gali_one_exp_f32(float a) {
    return gali_one_vf_exp(a);
}

static inline float gali_one_log_f32(float a) {
    return gali_one_vf_log(a);
}

static inline float gali_one_erf_f32(float a) {
    return gali_one_vf_erf(a);
}

static inline float gali_one_sin_f32(float a) {
    return gali_one_vf_sin(a);
}

static inline float gali_one_cos_f32(float a) {
    return gali_one_vf_cos(a);
}

static inline float gali_one_tan_f32(float a) {
    return gali_one_vf_tan(a);
}

static inline float gali_one_acos_f32(float a) {
    return gali_one_vf_acos(a);
}

static inline float gali_one_asin_f32(float a) {
    return gali_one_vf_asin(a);
}

static inline float gali_one_atan_f32(float a) {
    return gali_one_vf_atan(a);
}

static inline float gali_one_sinh_f32(float a) {
    return (float)sinh((double)a);
}

static inline float gali_one_cosh_f32(float a) {
    return (float)cosh((double)a);
}

static inline float gali_one_tanh_f32(float a) {
    return gali_one_vf_htan(a);
}

static inline float gali_one_asinh_f32(float a) {
    return (float)asinh((double)a);
}

static inline float gali_one_acosh_f32(float a) {
    return (float)acosh((double)a);
}

static inline float gali_one_atanh_f32(float a) {
    return (float)atanh((double)a);
}

static inline uint8_t gali_one_is_nan_f32(float a) {
    return a != a;
}

static inline float gali_one_pow_f32(float a, float b) {
    return gali_one_vf_power(a, b);
}

static inline double gali_one_fma_f64(double a, double b, double c) {
    return fma(a, b, c);
}

static inline double gali_one_rem_f64(double a, double b) {
    return fmod(a, b);
}

static inline double gali_one_mod_f64(double a, double b) {
    double rest = fmod(a, b);
    return rest != 0.0 ? (rest < 0.0) == (b < 0.0) ? rest : rest + b : copysign(rest, b);
}

static inline double gali_one_pow_f64(double a, double b) {
    return pow(a, b);
}

static inline double gali_one_least_f64(double a, double b) {
    return a < b || a != a ? a : b;
}

static inline double gali_one_most_f64(double a, double b) {
    return a > b || a != a ? a : b;
}

static inline double gali_one_abs_f64(double a) {
    return fabs(a);
}

static inline double gali_one_sign_f64(double a) {
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a;
}

static inline double gali_one_floor_f64(double a) {
    return floor(a);
}

static inline double gali_one_ceil_f64(double a) {
    return ceil(a);
}

static inline double gali_one_round_f64(double a) {
    return rint(a);
}

static inline double gali_one_cut_f64(double a) {
    return trunc(a);
}

static inline double gali_one_sqrt_f64(double a) {
    return sqrt(a);
}

static inline double gali_one_exp_f64(double a) {
    return exp(a);
}

static inline double gali_one_log_f64(double a) {
    return log(a);
}

static inline double gali_one_erf_f64(double a) {
    return erf(a);
}

static inline double gali_one_sin_f64(double a) {
    return sin(a);
}

static inline double gali_one_cos_f64(double a) {
    return cos(a);
}

static inline double gali_one_tan_f64(double a) {
    return tan(a);
}

static inline double gali_one_asin_f64(double a) {
    return asin(a);
}

static inline double gali_one_acos_f64(double a) {
    return acos(a);
}

static inline double gali_one_atan_f64(double a) {
    return atan(a);
}

static inline double gali_one_sinh_f64(double a) {
    return sinh(a);
}

static inline double gali_one_cosh_f64(double a) {
    return cosh(a);
}

static inline double gali_one_tanh_f64(double a) {
    return tanh(a);
}

static inline double gali_one_asinh_f64(double a) {
    return asinh(a);
}

static inline double gali_one_acosh_f64(double a) {
    return acosh(a);
}

static inline double gali_one_atanh_f64(double a) {
    return atanh(a);
}

static inline uint8_t gali_one_is_nan_f64(double a) {
    return a != a;
}

static inline int64_t gali_one_neg_i64(int64_t a) {
    return (int64_t)(0 - (uint64_t)a);
}

static inline int64_t gali_one_abs_i64(int64_t a) {
    return a < 0 ? gali_one_neg_i64(a) : a;
}

static inline int64_t gali_one_sign_i64(int64_t a) {
    return (a > 0) - (a < 0);
}

static inline int64_t gali_one_div_i64(int64_t a, int64_t b) {
    return b == 0 ? 0 : b == -1 ? gali_one_neg_i64(a) : a / b;
}

static inline int64_t gali_one_rem_i64(int64_t a, int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

static inline int64_t gali_one_quotient_i64(int64_t a, int64_t b) {
    int64_t rest = gali_one_rem_i64(a, b);
    return gali_one_div_i64(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}

static inline int64_t gali_one_mod_i64(int64_t a, int64_t b) {
    int64_t rest = gali_one_rem_i64(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t gali_one_least_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t gali_one_most_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t gali_one_pow_i64(int64_t a, int64_t b) {
    uint64_t power = 1, square = (uint64_t)a;
    if (b < 0) {
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    }
    for (; b > 0; b >>= 1) {
        power *= b & 1 ? square : 1;
        square *= square;
    }
    return (int64_t)power;
}

static inline int64_t gali_one_shift_left_i64(int64_t a, int64_t b) {
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
}

static inline int64_t gali_one_shift_right_i64(int64_t a, int64_t b) {
    return a >> (b < 0 || b > 63 ? 63 : b);
}

static inline uint64_t gali_one_neg_u64(uint64_t a) {
    return 0 - a;
}

static inline uint64_t gali_one_abs_u64(uint64_t a) {
    return a;
}

static inline uint64_t gali_one_sign_u64(uint64_t a) {
    return a > 0;
}

static inline uint64_t gali_one_div_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
}

static inline uint64_t gali_one_rem_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
}

static inline uint64_t gali_one_quotient_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
}

static inline uint64_t gali_one_mod_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
}

static inline uint64_t gali_one_least_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t gali_one_most_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline uint64_t gali_one_pow_u64(uint64_t a, uint64_t b) {
    uint64_t power = 1;
    for (; b > 0; b >>= 1) {
        power *= b & 1 ? a : 1;
        a *= a;
    }
    return power;
}

static inline uint64_t gali_one_shift_left_u64(uint64_t a, uint64_t b) {
    return b > 63 ? 0 : a << b;
}

static inline uint64_t gali_one_shift_right_u64(uint64_t a, uint64_t b) {
    return b > 63 ? 0 : a >> b;
}

/*
 * input x[batch][3][height][7]
 * constant w[4][3][3][3]
 * output y[batch][4][rows][7]
 */
static void f_0(uint32_t batch, uint32_t height, const float *x, const float *w, float *y) {
    const size_t rows = (height + 1) / 2;
    const size_t x_step0 = 3 * height * 7;
    const size_t x_step1 = height * 7;
    const size_t y_step0 = 4 * rows * 7;
    const size_t y_step1 = rows * 7;
    for (size_t b = 0; b < batch; b++) {
        for (size_t o = 0; o < 4; o++) {
            for (size_t i = 0; i < rows; i++) {
                for (size_t j = 0; j < 7; j++) {
                    float sum;
                    sum = 0.0f;
                    for (size_t c = 0; c < 3; c++) {
                        for (size_t p = 0; p < 3; p++) {
                            for (size_t q = 0; q < 3; q++) {
                                sum = gali_one_fma_f32(((size_t)(2 * i + p - 1) < height && (size_t)(j + q - 1) < 7 ? x[b * x_step0 + c * x_step1 + (2 * i + p - 1) * 7 + (j + q - 1)] : 0.0f), w[o * 27 + c * 9 + p * 3 + q], sum);
                            }
                        }
                    }
                    y[b * y_step0 + o * y_step1 + i * 7 + j] = sum;
                }
            }
        }
    }
}

void call_0(const uint32_t *symbols, void *const *buffers);
void call_0(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_0(symbols[0], symbols[1], buffers[0], buffers[1], buffers[2]);
}

/*
 * input x[n]
 * output y[n]
 */
static void f_1(uint32_t n, const float *x, float *y) {
    for (size_t i = 0; i < n; i++) {
        y[i] = (x[i] / (float)(int64_t)(2 * (int64_t)n));
    }
}

void call_1(const uint32_t *symbols, void *const *buffers);
void call_1(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_1(symbols[0], buffers[0], buffers[1]);
}

/*
 * input x[6*n][2]
 * output y[12*n]
 */
static void f_2(uint32_t n, const float *x, float *y) {
    for (size_t i = 0; i < 12 * n; i++) {
        const size_t a = i / (2 * n);
        const size_t b = i % (2 * n);
        y[i] = ((size_t)(a + b) < 6 * n && (size_t)(a - 2) < 2 ? x[(a + b) * 2 + (a - 2)] : 0.0f);
    }
}

void call_2(const uint32_t *symbols, void *const *buffers);
void call_2(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_2(symbols[0], buffers[0], buffers[1]);
}

/*
 * input ids[batch][length]: i64
 * constant table[30][5]: f16
 * output y[rows][5]: f64
 */
static void f_3(uint32_t batch, uint32_t length, const int64_t *ids, const uint16_t *table, double *y) {
    const size_t ids_step0 = length;
    for (size_t b = 0; b < batch; b++) {
        const size_t at = b * length;
        for (size_t t = 0; t < length; t++) {
            const size_t id = (size_t)gali_one_least_i64(gali_one_most_i64((int64_t)((uint64_t)ids[b * ids_step0 + t] + (uint64_t)INT64_C(3)), 0), 29);
            for (size_t k = 0; k < 5; k++) {
                y[(at + t) * 5 + k] = (double)gali_one_f32_of_f16(table[id * 5 + k]);
            }
        }
    }
}

void call_3(const uint32_t *symbols, void *const *buffers);
void call_3(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_3(symbols[0], symbols[1], buffers[0], buffers[1], buffers[2]);
}

/*
 * input x[rows][3]
 * output y[length][3][batch]
 */
static void f_4(uint32_t batch, uint32_t length, const float *x, float *y) {
    const size_t rows = batch * length;
    const size_t y_step0 = 3 * batch;
    const size_t y_step1 = batch;
    for (size_t r = 0; r < rows; r++) {
        const size_t b = r / length;
        const size_t t = r % length;
        for (size_t k = 0; k < 3; k++) {
            y[t * y_step0 + k * y_step1 + b] = x[r * 3 + k];
        }
    }
}

void call_4(const uint32_t *symbols, void *const *buffers);
void call_4(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_4(symbols[0], symbols[1], buffers[0], buffers[1]);
}

/*
 * input a[n]: i32
 * input b[5]: i32
 * output y[n + 5]: i32
 */
static void f_5(uint32_t n, const int32_t *a, const int32_t *b, int32_t *y) {
    for (size_t i = 0; i < (n + 5); i++) {
        y[i] = (((int64_t)((int64_t)i) < (int64_t)((int64_t)n)) ? a[i] : b[(i - n)]);
    }
}

void call_5(const uint32_t *symbols, void *const *buffers);
void call_5(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_5(symbols[0], buffers[0], buffers[1], buffers[2]);
}

/*
 * input a[n]: u8
 * input b[5]: u8
 * output y[n + 9]: u8
 */
static void f_6(uint32_t n, const uint8_t *a, const uint8_t *b, uint8_t *y) {
    for (size_t i = 0; i < (n + 9); i++) {
        y[i] = ((size_t)i < n ? a[i] : ((size_t)(i - n) < 5 ? b[(i - n)] : 7));
    }
}

void call_6(const uint32_t *symbols, void *const *buffers);
void call_6(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_6(symbols[0], buffers[0], buffers[1], buffers[2]);
}

/*
 * input x[n]: i8
 * output y[n]: i16
 */
static void f_7(uint32_t n, const int8_t *x, int16_t *y) {
    for (size_t i = 0; i < n; i++) {
        y[i] = (int16_t)x[(n - i - 1)];
    }
}

void call_7(const uint32_t *symbols, void *const *buffers);
void call_7(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_7(symbols[0], buffers[0], buffers[1]);
}

/*
 * input x[batch][n]
 * output y[batch][n]
 * temporary e[batch][n]
 */
static void f_8(uint32_t batch, uint32_t n, const float *x, float *y, float *e) {
    const size_t x_step0 = n;
    const size_t y_step0 = n;
    const size_t e_step0 = n;
    for (size_t b = 0; b < batch; b++) {
        float largest;
        double sum;
        largest = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            largest = gali_one_most_f32(largest, x[b * x_step0 + i]);
        }
        sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            e[b * e_step0 + i] = gali_one_exp_f32((x[b * x_step0 + i] - largest));
            sum = (sum + (double)e[b * e_step0 + i]);
        }
        for (size_t i = 0; i < n; i++) {
            y[b * y_step0 + i] = (e[b * e_step0 + i] / (float)sum);
        }
    }
}

void call_8(const uint32_t *symbols, void *const *buffers);
void call_8(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_8(symbols[0], symbols[1], buffers[0], buffers[1], buffers[2]);
}

/*
 * input ids[6]: i32
 * input x[6]: bf16
 * output y[4]: bf16
 */
static void f_9(const int32_t *ids, const uint16_t *x, uint16_t *y) {
    for (size_t i = 0; i < 4; i++) {
        y[i] = gali_one_bf16_of_f32(0.0f);
    }
    for (size_t i = 0; i < 6; i++) {
        const size_t id = (size_t)gali_one_least_i64(gali_one_most_i64(ids[i], 0), 40);
        if ((size_t)(id - 2) < 4) {
            y[(id - 2)] = gali_one_bf16_of_f32((gali_one_f32_of_bf16(x[i]) + ((size_t)(id - 2) < 4 ? gali_one_f32_of_bf16(y[(id - 2)]) : 0.0f)));
        }
    }
}

void call_9(const uint32_t *symbols, void *const *buffers);
void call_9(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_9(buffers[0], buffers[1], buffers[2]);
}

/*
 * input x[n]
 * output y[m]
 */
static void f_10(uint32_t n, uint32_t m, const float *x, float *y) {
    for (size_t i = 0; i < m; i++) {
        const size_t near = (size_t)gali_one_least_i64(gali_one_most_i64(gali_one_i64_of_f64(gali_one_floor_f32((((float)(int64_t)((int64_t)i) * (float)(int64_t)((int64_t)n)) / (float)(int64_t)((int64_t)m)))), 0), ((int64_t)n - 1));
        const size_t above = (size_t)gali_one_least_i64(((int64_t)near + 1), ((int64_t)n - 1));
        const size_t below = (size_t)gali_one_most_i64(((int64_t)near - 1), 0);
        y[i] = (x[near] + (x[above] - x[below]));
    }
}

void call_10(const uint32_t *symbols, void *const *buffers);
void call_10(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_10(symbols[0], symbols[1], buffers[0], buffers[1]);
}

/*
 * input x[all]
 * output y[n - 3]
 */
static void f_11(uint32_t n, const float *x, float *y) {
    for (size_t i = 0; i < (n - 3); i++) {
        float a[3];
#pragma GCC unroll 3
        for (size_t k = 0; k < 3; k++) {
            a[k] = x[(2 * i + k)];
        }
        y[i] = ((a[0] + a[1]) - a[2]);
    }
}

void call_11(const uint32_t *symbols, void *const *buffers);
void call_11(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_11(symbols[0], buffers[0], buffers[1]);
}

/*
 * output y[n][n]: bool
 */
static void f_12(uint32_t n, uint8_t *y) {
    const size_t y_step0 = n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            y[i * y_step0 + j] = (uint8_t)!(((int64_t)((int64_t)i) < (int64_t)((int64_t)j)));
        }
    }
}

void call_12(const uint32_t *symbols, void *const *buffers);
void call_12(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_12(symbols[0], buffers[0]);
}

/*
 * input x[4][characters]
 * input z[characters][4]
 * output y[2][4][characters]
 */
static void f_13(uint32_t characters, const float *x, size_t x_stride, const float *z, size_t z_stride, float *y) {
    const size_t y_step0 = 4 * characters;
    const size_t y_step1 = characters;
    for (size_t i = 0; i < 4; i++) {
        for (size_t c = 0; c < characters; c++) {
            y[i * y_step1 + c] = x[i * x_stride + c];
            y[1 * y_step0 + i * y_step1 + c] = z[c * z_stride + i];
        }
    }
}

void call_13(const uint32_t *symbols, void *const *buffers);
void call_13(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_13(symbols[0], buffers[0], 5, buffers[1], 4, buffers[2]);
}

/*
 * input a[97]: bool
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_14(const uint8_t *a, const float *b, const float *c, float *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_14(const uint32_t *symbols, void *const *buffers);
void call_14(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_14(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_15(const uint8_t *a, const double *b, const double *c, double *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_15(const uint32_t *symbols, void *const *buffers);
void call_15(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_15(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_16(const uint8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_16(const uint32_t *symbols, void *const *buffers);
void call_16(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_16(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_17(const uint8_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_17(const uint32_t *symbols, void *const *buffers);
void call_17(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_17(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_18(const uint8_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_18(const uint32_t *symbols, void *const *buffers);
void call_18(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_18(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_19(const uint8_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_19(const uint32_t *symbols, void *const *buffers);
void call_19(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_19(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_20(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_20(const uint32_t *symbols, void *const *buffers);
void call_20(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_20(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_21(const uint8_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_21(const uint32_t *symbols, void *const *buffers);
void call_21(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_21(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_22(const uint8_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_22(const uint32_t *symbols, void *const *buffers);
void call_22(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_22(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_23(const uint8_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] ? b[i] : c[i]);
    }
}

void call_23(const uint32_t *symbols, void *const *buffers);
void call_23(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_23(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_24(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] ? b[i] : c[i]);
    }
}

void call_24(const uint32_t *symbols, void *const *buffers);
void call_24(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_24(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_25(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] + b[i]);
    }
}

void call_25(const uint32_t *symbols, void *const *buffers);
void call_25(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_25(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_26(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] + b[i]);
    }
}

void call_26(const uint32_t *symbols, void *const *buffers);
void call_26(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_26(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_27(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_27(const uint32_t *symbols, void *const *buffers);
void call_27(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_27(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_28(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_28(const uint32_t *symbols, void *const *buffers);
void call_28(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_28(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_29(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_29(const uint32_t *symbols, void *const *buffers);
void call_29(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_29(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_30(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
    }
}

void call_30(const uint32_t *symbols, void *const *buffers);
void call_30(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_30(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_31(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_31(const uint32_t *symbols, void *const *buffers);
void call_31(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_31(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_32(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_32(const uint32_t *symbols, void *const *buffers);
void call_32(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_32(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_33(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] + (uint32_t)b[i]);
    }
}

void call_33(const uint32_t *symbols, void *const *buffers);
void call_33(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_33(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_34(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] + (uint64_t)b[i]);
    }
}

void call_34(const uint32_t *symbols, void *const *buffers);
void call_34(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_34(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_35(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] - b[i]);
    }
}

void call_35(const uint32_t *symbols, void *const *buffers);
void call_35(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_35(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_36(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] - b[i]);
    }
}

void call_36(const uint32_t *symbols, void *const *buffers);
void call_36(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_36(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_37(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_37(const uint32_t *symbols, void *const *buffers);
void call_37(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_37(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_38(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_38(const uint32_t *symbols, void *const *buffers);
void call_38(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_38(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_39(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_39(const uint32_t *symbols, void *const *buffers);
void call_39(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_39(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_40(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] - (uint64_t)b[i]);
    }
}

void call_40(const uint32_t *symbols, void *const *buffers);
void call_40(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_40(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_41(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_41(const uint32_t *symbols, void *const *buffers);
void call_41(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_41(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_42(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_42(const uint32_t *symbols, void *const *buffers);
void call_42(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_42(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_43(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] - (uint32_t)b[i]);
    }
}

void call_43(const uint32_t *symbols, void *const *buffers);
void call_43(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_43(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_44(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] - (uint64_t)b[i]);
    }
}

void call_44(const uint32_t *symbols, void *const *buffers);
void call_44(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_44(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_45(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] * b[i]);
    }
}

void call_45(const uint32_t *symbols, void *const *buffers);
void call_45(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_45(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_46(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] * b[i]);
    }
}

void call_46(const uint32_t *symbols, void *const *buffers);
void call_46(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_46(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_47(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_47(const uint32_t *symbols, void *const *buffers);
void call_47(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_47(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_48(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_48(const uint32_t *symbols, void *const *buffers);
void call_48(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_48(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_49(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_49(const uint32_t *symbols, void *const *buffers);
void call_49(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_49(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_50(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] * (uint64_t)b[i]);
    }
}

void call_50(const uint32_t *symbols, void *const *buffers);
void call_50(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_50(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_51(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_51(const uint32_t *symbols, void *const *buffers);
void call_51(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_51(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_52(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_52(const uint32_t *symbols, void *const *buffers);
void call_52(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_52(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_53(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] * (uint32_t)b[i]);
    }
}

void call_53(const uint32_t *symbols, void *const *buffers);
void call_53(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_53(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_54(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] * (uint64_t)b[i]);
    }
}

void call_54(const uint32_t *symbols, void *const *buffers);
void call_54(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_54(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_55(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] / b[i]);
    }
}

void call_55(const uint32_t *symbols, void *const *buffers);
void call_55(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_55(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_56(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (a[i] / b[i]);
    }
}

void call_56(const uint32_t *symbols, void *const *buffers);
void call_56(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_56(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_57(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_57(const uint32_t *symbols, void *const *buffers);
void call_57(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_57(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_58(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_58(const uint32_t *symbols, void *const *buffers);
void call_58(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_58(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_59(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_59(const uint32_t *symbols, void *const *buffers);
void call_59(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_59(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_60(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_div_i64(a[i], b[i]);
    }
}

void call_60(const uint32_t *symbols, void *const *buffers);
void call_60(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_60(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_61(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_61(const uint32_t *symbols, void *const *buffers);
void call_61(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_61(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_62(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_62(const uint32_t *symbols, void *const *buffers);
void call_62(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_62(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_63(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_div_i64(a[i], b[i]);
    }
}

void call_63(const uint32_t *symbols, void *const *buffers);
void call_63(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_63(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_64(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_div_u64(a[i], b[i]);
    }
}

void call_64(const uint32_t *symbols, void *const *buffers);
void call_64(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_64(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_65(const float *a, const float *b, const float *c, float *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_fma_f32(a[i], b[i], c[i]);
    }
}

void call_65(const uint32_t *symbols, void *const *buffers);
void call_65(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_65(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_66(const double *a, const double *b, const double *c, double *y) {
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_fma_f64(a[i], b[i], c[i]);
    }
}

void call_66(const uint32_t *symbols, void *const *buffers);
void call_66(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_66(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_67(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_max_f32(a[i], b[i]);
    }
}

void call_67(const uint32_t *symbols, void *const *buffers);
void call_67(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_67(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_68(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_expm1_negative_f32(a[i]);
    }
}

void call_68(const uint32_t *symbols, void *const *buffers);
void call_68(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_68(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_69(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_keep_f32(a[i]);
    }
}

void call_69(const uint32_t *symbols, void *const *buffers);
void call_69(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_69(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_70(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_70(const uint32_t *symbols, void *const *buffers);
void call_70(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_70(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_71(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_71(const uint32_t *symbols, void *const *buffers);
void call_71(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_71(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_72(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_72(const uint32_t *symbols, void *const *buffers);
void call_72(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_72(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_73(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_73(const uint32_t *symbols, void *const *buffers);
void call_73(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_73(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_74(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_74(const uint32_t *symbols, void *const *buffers);
void call_74(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_74(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_75(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_75(const uint32_t *symbols, void *const *buffers);
void call_75(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_75(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_76(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_quotient_i64(a[i], b[i]);
    }
}

void call_76(const uint32_t *symbols, void *const *buffers);
void call_76(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_76(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_77(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_quotient_u64(a[i], b[i]);
    }
}

void call_77(const uint32_t *symbols, void *const *buffers);
void call_77(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_77(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_78(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_mod_f32(a[i], b[i]);
    }
}

void call_78(const uint32_t *symbols, void *const *buffers);
void call_78(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_78(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_79(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_mod_f64(a[i], b[i]);
    }
}

void call_79(const uint32_t *symbols, void *const *buffers);
void call_79(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_79(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_80(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_80(const uint32_t *symbols, void *const *buffers);
void call_80(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_80(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_81(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_81(const uint32_t *symbols, void *const *buffers);
void call_81(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_81(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_82(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_82(const uint32_t *symbols, void *const *buffers);
void call_82(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_82(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_83(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_mod_i64(a[i], b[i]);
    }
}

void call_83(const uint32_t *symbols, void *const *buffers);
void call_83(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_83(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_84(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_84(const uint32_t *symbols, void *const *buffers);
void call_84(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_84(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_85(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_85(const uint32_t *symbols, void *const *buffers);
void call_85(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_85(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_86(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_mod_i64(a[i], b[i]);
    }
}

void call_86(const uint32_t *symbols, void *const *buffers);
void call_86(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_86(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_87(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_mod_u64(a[i], b[i]);
    }
}

void call_87(const uint32_t *symbols, void *const *buffers);
void call_87(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_87(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_88(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_rem_f32(a[i], b[i]);
    }
}

void call_88(const uint32_t *symbols, void *const *buffers);
void call_88(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_88(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_89(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_rem_f64(a[i], b[i]);
    }
}

void call_89(const uint32_t *symbols, void *const *buffers);
void call_89(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_89(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_90(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_90(const uint32_t *symbols, void *const *buffers);
void call_90(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_90(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_91(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_91(const uint32_t *symbols, void *const *buffers);
void call_91(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_91(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_92(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_92(const uint32_t *symbols, void *const *buffers);
void call_92(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_92(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_93(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_rem_i64(a[i], b[i]);
    }
}

void call_93(const uint32_t *symbols, void *const *buffers);
void call_93(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_93(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_94(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_94(const uint32_t *symbols, void *const *buffers);
void call_94(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_94(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_95(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_95(const uint32_t *symbols, void *const *buffers);
void call_95(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_95(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_96(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_rem_i64(a[i], b[i]);
    }
}

void call_96(const uint32_t *symbols, void *const *buffers);
void call_96(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_96(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_97(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_rem_u64(a[i], b[i]);
    }
}

void call_97(const uint32_t *symbols, void *const *buffers);
void call_97(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_97(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_98(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_pow_f32(a[i], b[i]);
    }
}

void call_98(const uint32_t *symbols, void *const *buffers);
void call_98(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_98(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_99(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_pow_f64(a[i], b[i]);
    }
}

void call_99(const uint32_t *symbols, void *const *buffers);
void call_99(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_99(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_100(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_100(const uint32_t *symbols, void *const *buffers);
void call_100(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_100(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_101(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_101(const uint32_t *symbols, void *const *buffers);
void call_101(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_101(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_102(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_102(const uint32_t *symbols, void *const *buffers);
void call_102(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_102(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_103(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_pow_i64(a[i], b[i]);
    }
}

void call_103(const uint32_t *symbols, void *const *buffers);
void call_103(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_103(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_104(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_104(const uint32_t *symbols, void *const *buffers);
void call_104(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_104(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_105(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_105(const uint32_t *symbols, void *const *buffers);
void call_105(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_105(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_106(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_pow_i64(a[i], b[i]);
    }
}

void call_106(const uint32_t *symbols, void *const *buffers);
void call_106(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_106(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_107(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_pow_u64(a[i], b[i]);
    }
}

void call_107(const uint32_t *symbols, void *const *buffers);
void call_107(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_107(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_108(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_least_f32(a[i], b[i]);
    }
}

void call_108(const uint32_t *symbols, void *const *buffers);
void call_108(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_108(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_109(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_least_f64(a[i], b[i]);
    }
}

void call_109(const uint32_t *symbols, void *const *buffers);
void call_109(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_109(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_110(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_110(const uint32_t *symbols, void *const *buffers);
void call_110(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_110(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_111(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_111(const uint32_t *symbols, void *const *buffers);
void call_111(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_111(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_112(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_112(const uint32_t *symbols, void *const *buffers);
void call_112(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_112(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_113(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_least_i64(a[i], b[i]);
    }
}

void call_113(const uint32_t *symbols, void *const *buffers);
void call_113(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_113(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_114(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_114(const uint32_t *symbols, void *const *buffers);
void call_114(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_114(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_115(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_115(const uint32_t *symbols, void *const *buffers);
void call_115(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_115(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_116(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_least_i64(a[i], b[i]);
    }
}

void call_116(const uint32_t *symbols, void *const *buffers);
void call_116(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_116(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_117(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_least_u64(a[i], b[i]);
    }
}

void call_117(const uint32_t *symbols, void *const *buffers);
void call_117(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_117(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_118(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_most_f32(a[i], b[i]);
    }
}

void call_118(const uint32_t *symbols, void *const *buffers);
void call_118(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_118(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_119(const double *a, const double *b, const double *c, double *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_most_f64(a[i], b[i]);
    }
}

void call_119(const uint32_t *symbols, void *const *buffers);
void call_119(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_119(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_120(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_120(const uint32_t *symbols, void *const *buffers);
void call_120(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_120(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_121(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_121(const uint32_t *symbols, void *const *buffers);
void call_121(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_121(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_122(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_122(const uint32_t *symbols, void *const *buffers);
void call_122(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_122(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_123(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_most_i64(a[i], b[i]);
    }
}

void call_123(const uint32_t *symbols, void *const *buffers);
void call_123(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_123(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_124(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_124(const uint32_t *symbols, void *const *buffers);
void call_124(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_124(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_125(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_125(const uint32_t *symbols, void *const *buffers);
void call_125(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_125(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_126(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_most_i64(a[i], b[i]);
    }
}

void call_126(const uint32_t *symbols, void *const *buffers);
void call_126(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_126(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_127(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_most_u64(a[i], b[i]);
    }
}

void call_127(const uint32_t *symbols, void *const *buffers);
void call_127(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_127(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_128(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = -(a[i]);
    }
}

void call_128(const uint32_t *symbols, void *const *buffers);
void call_128(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_128(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_129(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = -(a[i]);
    }
}

void call_129(const uint32_t *symbols, void *const *buffers);
void call_129(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_129(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_130(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_neg_i64(a[i]);
    }
}

void call_130(const uint32_t *symbols, void *const *buffers);
void call_130(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_130(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_131(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_neg_i64(a[i]);
    }
}

void call_131(const uint32_t *symbols, void *const *buffers);
void call_131(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_131(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_132(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_neg_i64(a[i]);
    }
}

void call_132(const uint32_t *symbols, void *const *buffers);
void call_132(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_132(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_133(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_neg_i64(a[i]);
    }
}

void call_133(const uint32_t *symbols, void *const *buffers);
void call_133(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_133(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_134(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_neg_i64(a[i]);
    }
}

void call_134(const uint32_t *symbols, void *const *buffers);
void call_134(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_134(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_135(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_neg_i64(a[i]);
    }
}

void call_135(const uint32_t *symbols, void *const *buffers);
void call_135(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_135(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_136(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_neg_i64(a[i]);
    }
}

void call_136(const uint32_t *symbols, void *const *buffers);
void call_136(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_136(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_137(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_neg_u64(a[i]);
    }
}

void call_137(const uint32_t *symbols, void *const *buffers);
void call_137(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_137(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_138(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_abs_f32(a[i]);
    }
}

void call_138(const uint32_t *symbols, void *const *buffers);
void call_138(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_138(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_139(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_abs_f64(a[i]);
    }
}

void call_139(const uint32_t *symbols, void *const *buffers);
void call_139(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_139(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_140(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_abs_i64(a[i]);
    }
}

void call_140(const uint32_t *symbols, void *const *buffers);
void call_140(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_140(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_141(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_abs_i64(a[i]);
    }
}

void call_141(const uint32_t *symbols, void *const *buffers);
void call_141(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_141(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_142(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_abs_i64(a[i]);
    }
}

void call_142(const uint32_t *symbols, void *const *buffers);
void call_142(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_142(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_143(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_abs_i64(a[i]);
    }
}

void call_143(const uint32_t *symbols, void *const *buffers);
void call_143(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_143(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_144(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_abs_i64(a[i]);
    }
}

void call_144(const uint32_t *symbols, void *const *buffers);
void call_144(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_144(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_145(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_abs_i64(a[i]);
    }
}

void call_145(const uint32_t *symbols, void *const *buffers);
void call_145(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_145(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_146(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_abs_i64(a[i]);
    }
}

void call_146(const uint32_t *symbols, void *const *buffers);
void call_146(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_146(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_147(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_abs_u64(a[i]);
    }
}

void call_147(const uint32_t *symbols, void *const *buffers);
void call_147(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_147(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_148(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sign_f32(a[i]);
    }
}

void call_148(const uint32_t *symbols, void *const *buffers);
void call_148(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_148(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_149(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sign_f64(a[i]);
    }
}

void call_149(const uint32_t *symbols, void *const *buffers);
void call_149(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_149(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_150(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_sign_i64(a[i]);
    }
}

void call_150(const uint32_t *symbols, void *const *buffers);
void call_150(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_150(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_151(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_sign_i64(a[i]);
    }
}

void call_151(const uint32_t *symbols, void *const *buffers);
void call_151(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_151(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_152(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_sign_i64(a[i]);
    }
}

void call_152(const uint32_t *symbols, void *const *buffers);
void call_152(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_152(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_153(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sign_i64(a[i]);
    }
}

void call_153(const uint32_t *symbols, void *const *buffers);
void call_153(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_153(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_154(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_sign_i64(a[i]);
    }
}

void call_154(const uint32_t *symbols, void *const *buffers);
void call_154(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_154(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_155(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_sign_i64(a[i]);
    }
}

void call_155(const uint32_t *symbols, void *const *buffers);
void call_155(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_155(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_156(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_sign_i64(a[i]);
    }
}

void call_156(const uint32_t *symbols, void *const *buffers);
void call_156(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_156(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_157(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sign_u64(a[i]);
    }
}

void call_157(const uint32_t *symbols, void *const *buffers);
void call_157(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_157(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_158(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_floor_f32(a[i]);
    }
}

void call_158(const uint32_t *symbols, void *const *buffers);
void call_158(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_158(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_159(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_floor_f64(a[i]);
    }
}

void call_159(const uint32_t *symbols, void *const *buffers);
void call_159(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_159(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_160(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_ceil_f32(a[i]);
    }
}

void call_160(const uint32_t *symbols, void *const *buffers);
void call_160(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_160(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_161(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_ceil_f64(a[i]);
    }
}

void call_161(const uint32_t *symbols, void *const *buffers);
void call_161(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_161(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_162(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_round_f32(a[i]);
    }
}

void call_162(const uint32_t *symbols, void *const *buffers);
void call_162(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_162(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_163(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_round_f64(a[i]);
    }
}

void call_163(const uint32_t *symbols, void *const *buffers);
void call_163(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_163(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_164(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cut_f32(a[i]);
    }
}

void call_164(const uint32_t *symbols, void *const *buffers);
void call_164(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_164(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_165(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cut_f64(a[i]);
    }
}

void call_165(const uint32_t *symbols, void *const *buffers);
void call_165(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_165(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_166(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_round_f16_f32(a[i]);
    }
}

void call_166(const uint32_t *symbols, void *const *buffers);
void call_166(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_166(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_167(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_round_bf16_f32(a[i]);
    }
}

void call_167(const uint32_t *symbols, void *const *buffers);
void call_167(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_167(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_168(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sqrt_f32(a[i]);
    }
}

void call_168(const uint32_t *symbols, void *const *buffers);
void call_168(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_168(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_169(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sqrt_f64(a[i]);
    }
}

void call_169(const uint32_t *symbols, void *const *buffers);
void call_169(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_169(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_170(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_exp_f32(a[i]);
    }
}

void call_170(const uint32_t *symbols, void *const *buffers);
void call_170(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_170(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_171(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_exp_f64(a[i]);
    }
}

void call_171(const uint32_t *symbols, void *const *buffers);
void call_171(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_171(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_172(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_log_f32(a[i]);
    }
}

void call_172(const uint32_t *symbols, void *const *buffers);
void call_172(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_172(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_173(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_log_f64(a[i]);
    }
}

void call_173(const uint32_t *symbols, void *const *buffers);
void call_173(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_173(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_174(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_erf_f32(a[i]);
    }
}

void call_174(const uint32_t *symbols, void *const *buffers);
void call_174(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_174(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_175(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_erf_f64(a[i]);
    }
}

void call_175(const uint32_t *symbols, void *const *buffers);
void call_175(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_175(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_176(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sin_f32(a[i]);
    }
}

void call_176(const uint32_t *symbols, void *const *buffers);
void call_176(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_176(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_177(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sin_f64(a[i]);
    }
}

void call_177(const uint32_t *symbols, void *const *buffers);
void call_177(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_177(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_178(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cos_f32(a[i]);
    }
}

void call_178(const uint32_t *symbols, void *const *buffers);
void call_178(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_178(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_179(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cos_f64(a[i]);
    }
}

void call_179(const uint32_t *symbols, void *const *buffers);
void call_179(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_179(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_180(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_tan_f32(a[i]);
    }
}

void call_180(const uint32_t *symbols, void *const *buffers);
void call_180(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_180(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_181(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_tan_f64(a[i]);
    }
}

void call_181(const uint32_t *symbols, void *const *buffers);
void call_181(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_181(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_182(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_asin_f32(a[i]);
    }
}

void call_182(const uint32_t *symbols, void *const *buffers);
void call_182(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_182(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_183(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_asin_f64(a[i]);
    }
}

void call_183(const uint32_t *symbols, void *const *buffers);
void call_183(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_183(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_184(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_acos_f32(a[i]);
    }
}

void call_184(const uint32_t *symbols, void *const *buffers);
void call_184(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_184(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_185(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_acos_f64(a[i]);
    }
}

void call_185(const uint32_t *symbols, void *const *buffers);
void call_185(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_185(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_186(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_atan_f32(a[i]);
    }
}

void call_186(const uint32_t *symbols, void *const *buffers);
void call_186(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_186(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_187(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_atan_f64(a[i]);
    }
}

void call_187(const uint32_t *symbols, void *const *buffers);
void call_187(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_187(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_188(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sinh_f32(a[i]);
    }
}

void call_188(const uint32_t *symbols, void *const *buffers);
void call_188(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_188(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_189(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_sinh_f64(a[i]);
    }
}

void call_189(const uint32_t *symbols, void *const *buffers);
void call_189(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_189(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_190(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cosh_f32(a[i]);
    }
}

void call_190(const uint32_t *symbols, void *const *buffers);
void call_190(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_190(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_191(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_cosh_f64(a[i]);
    }
}

void call_191(const uint32_t *symbols, void *const *buffers);
void call_191(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_191(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_192(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_tanh_f32(a[i]);
    }
}

void call_192(const uint32_t *symbols, void *const *buffers);
void call_192(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_192(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_193(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_tanh_f64(a[i]);
    }
}

void call_193(const uint32_t *symbols, void *const *buffers);
void call_193(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_193(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_194(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_asinh_f32(a[i]);
    }
}

void call_194(const uint32_t *symbols, void *const *buffers);
void call_194(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_194(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_195(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_asinh_f64(a[i]);
    }
}

void call_195(const uint32_t *symbols, void *const *buffers);
void call_195(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_195(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_196(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_acosh_f32(a[i]);
    }
}

void call_196(const uint32_t *symbols, void *const *buffers);
void call_196(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_196(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_197(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_acosh_f64(a[i]);
    }
}

void call_197(const uint32_t *symbols, void *const *buffers);
void call_197(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_197(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_198(const float *a, const float *b, const float *c, float *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_atanh_f32(a[i]);
    }
}

void call_198(const uint32_t *symbols, void *const *buffers);
void call_198(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_198(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: f64
 */
static void f_199(const double *a, const double *b, const double *c, double *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_atanh_f64(a[i]);
    }
}

void call_199(const uint32_t *symbols, void *const *buffers);
void call_199(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_199(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]: bool
 */
static void f_200(const float *a, const float *b, const float *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_200(const uint32_t *symbols, void *const *buffers);
void call_200(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_200(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: bool
 */
static void f_201(const double *a, const double *b, const double *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_201(const uint32_t *symbols, void *const *buffers);
void call_201(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_201(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: bool
 */
static void f_202(const int8_t *a, const int8_t *b, const int8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_202(const uint32_t *symbols, void *const *buffers);
void call_202(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_202(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: bool
 */
static void f_203(const int16_t *a, const int16_t *b, const int16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_203(const uint32_t *symbols, void *const *buffers);
void call_203(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_203(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: bool
 */
static void f_204(const int32_t *a, const int32_t *b, const int32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_204(const uint32_t *symbols, void *const *buffers);
void call_204(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_204(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: bool
 */
static void f_205(const int64_t *a, const int64_t *b, const int64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_205(const uint32_t *symbols, void *const *buffers);
void call_205(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_205(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: bool
 */
static void f_206(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_206(const uint32_t *symbols, void *const *buffers);
void call_206(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_206(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: bool
 */
static void f_207(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_207(const uint32_t *symbols, void *const *buffers);
void call_207(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_207(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: bool
 */
static void f_208(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_208(const uint32_t *symbols, void *const *buffers);
void call_208(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_208(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: bool
 */
static void f_209(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_209(const uint32_t *symbols, void *const *buffers);
void call_209(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_209(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_210(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] == b[i]);
    }
}

void call_210(const uint32_t *symbols, void *const *buffers);
void call_210(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_210(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]: bool
 */
static void f_211(const float *a, const float *b, const float *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_211(const uint32_t *symbols, void *const *buffers);
void call_211(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_211(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: bool
 */
static void f_212(const double *a, const double *b, const double *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_212(const uint32_t *symbols, void *const *buffers);
void call_212(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_212(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: bool
 */
static void f_213(const int8_t *a, const int8_t *b, const int8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_213(const uint32_t *symbols, void *const *buffers);
void call_213(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_213(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: bool
 */
static void f_214(const int16_t *a, const int16_t *b, const int16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_214(const uint32_t *symbols, void *const *buffers);
void call_214(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_214(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: bool
 */
static void f_215(const int32_t *a, const int32_t *b, const int32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_215(const uint32_t *symbols, void *const *buffers);
void call_215(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_215(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: bool
 */
static void f_216(const int64_t *a, const int64_t *b, const int64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_216(const uint32_t *symbols, void *const *buffers);
void call_216(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_216(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: bool
 */
static void f_217(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_217(const uint32_t *symbols, void *const *buffers);
void call_217(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_217(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: bool
 */
static void f_218(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_218(const uint32_t *symbols, void *const *buffers);
void call_218(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_218(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: bool
 */
static void f_219(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_219(const uint32_t *symbols, void *const *buffers);
void call_219(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_219(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: bool
 */
static void f_220(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] < b[i]);
    }
}

void call_220(const uint32_t *symbols, void *const *buffers);
void call_220(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_220(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]: bool
 */
static void f_221(const float *a, const float *b, const float *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_221(const uint32_t *symbols, void *const *buffers);
void call_221(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_221(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: bool
 */
static void f_222(const double *a, const double *b, const double *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_222(const uint32_t *symbols, void *const *buffers);
void call_222(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_222(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: bool
 */
static void f_223(const int8_t *a, const int8_t *b, const int8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_223(const uint32_t *symbols, void *const *buffers);
void call_223(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_223(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: bool
 */
static void f_224(const int16_t *a, const int16_t *b, const int16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_224(const uint32_t *symbols, void *const *buffers);
void call_224(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_224(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: bool
 */
static void f_225(const int32_t *a, const int32_t *b, const int32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_225(const uint32_t *symbols, void *const *buffers);
void call_225(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_225(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: bool
 */
static void f_226(const int64_t *a, const int64_t *b, const int64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_226(const uint32_t *symbols, void *const *buffers);
void call_226(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_226(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: bool
 */
static void f_227(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_227(const uint32_t *symbols, void *const *buffers);
void call_227(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_227(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: bool
 */
static void f_228(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_228(const uint32_t *symbols, void *const *buffers);
void call_228(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_228(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: bool
 */
static void f_229(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_229(const uint32_t *symbols, void *const *buffers);
void call_229(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_229(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: bool
 */
static void f_230(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)(a[i] <= b[i]);
    }
}

void call_230(const uint32_t *symbols, void *const *buffers);
void call_230(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_230(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]: bool
 */
static void f_231(const float *a, const float *b, const float *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_is_nan_f32(a[i]);
    }
}

void call_231(const uint32_t *symbols, void *const *buffers);
void call_231(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_231(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: f64
 * input b[97]: f64
 * input c[97]: f64
 * output y[97]: bool
 */
static void f_232(const double *a, const double *b, const double *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_is_nan_f64(a[i]);
    }
}

void call_232(const uint32_t *symbols, void *const *buffers);
void call_232(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_232(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_233(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((int)a[i] & (int)b[i]);
    }
}

void call_233(const uint32_t *symbols, void *const *buffers);
void call_233(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_233(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_234(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((int)a[i] | (int)b[i]);
    }
}

void call_234(const uint32_t *symbols, void *const *buffers);
void call_234(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_234(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_235(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((int)a[i] ^ (int)b[i]);
    }
}

void call_235(const uint32_t *symbols, void *const *buffers);
void call_235(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_235(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: bool
 * input b[97]: bool
 * input c[97]: bool
 * output y[97]: bool
 */
static void f_236(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)!(a[i]);
    }
}

void call_236(const uint32_t *symbols, void *const *buffers);
void call_236(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_236(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_237(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_237(const uint32_t *symbols, void *const *buffers);
void call_237(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_237(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_238(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_238(const uint32_t *symbols, void *const *buffers);
void call_238(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_238(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_239(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_239(const uint32_t *symbols, void *const *buffers);
void call_239(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_239(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_240(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] & (uint64_t)b[i]);
    }
}

void call_240(const uint32_t *symbols, void *const *buffers);
void call_240(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_240(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_241(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_241(const uint32_t *symbols, void *const *buffers);
void call_241(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_241(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_242(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_242(const uint32_t *symbols, void *const *buffers);
void call_242(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_242(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_243(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] & (uint32_t)b[i]);
    }
}

void call_243(const uint32_t *symbols, void *const *buffers);
void call_243(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_243(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_244(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] & (uint64_t)b[i]);
    }
}

void call_244(const uint32_t *symbols, void *const *buffers);
void call_244(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_244(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_245(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_245(const uint32_t *symbols, void *const *buffers);
void call_245(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_245(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_246(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_246(const uint32_t *symbols, void *const *buffers);
void call_246(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_246(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_247(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_247(const uint32_t *symbols, void *const *buffers);
void call_247(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_247(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_248(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] | (uint64_t)b[i]);
    }
}

void call_248(const uint32_t *symbols, void *const *buffers);
void call_248(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_248(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_249(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_249(const uint32_t *symbols, void *const *buffers);
void call_249(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_249(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_250(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_250(const uint32_t *symbols, void *const *buffers);
void call_250(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_250(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_251(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] | (uint32_t)b[i]);
    }
}

void call_251(const uint32_t *symbols, void *const *buffers);
void call_251(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_251(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_252(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] | (uint64_t)b[i]);
    }
}

void call_252(const uint32_t *symbols, void *const *buffers);
void call_252(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_252(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_253(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_253(const uint32_t *symbols, void *const *buffers);
void call_253(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_253(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_254(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_254(const uint32_t *symbols, void *const *buffers);
void call_254(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_254(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_255(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_255(const uint32_t *symbols, void *const *buffers);
void call_255(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_255(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_256(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)((uint64_t)a[i] ^ (uint64_t)b[i]);
    }
}

void call_256(const uint32_t *symbols, void *const *buffers);
void call_256(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_256(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_257(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_257(const uint32_t *symbols, void *const *buffers);
void call_257(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_257(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_258(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_258(const uint32_t *symbols, void *const *buffers);
void call_258(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_258(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_259(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)((uint32_t)a[i] ^ (uint32_t)b[i]);
    }
}

void call_259(const uint32_t *symbols, void *const *buffers);
void call_259(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_259(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_260(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)((uint64_t)a[i] ^ (uint64_t)b[i]);
    }
}

void call_260(const uint32_t *symbols, void *const *buffers);
void call_260(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_260(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_261(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)~(a[i]);
    }
}

void call_261(const uint32_t *symbols, void *const *buffers);
void call_261(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_261(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_262(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)~(a[i]);
    }
}

void call_262(const uint32_t *symbols, void *const *buffers);
void call_262(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_262(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_263(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)~(a[i]);
    }
}

void call_263(const uint32_t *symbols, void *const *buffers);
void call_263(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_263(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_264(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int64_t)~(a[i]);
    }
}

void call_264(const uint32_t *symbols, void *const *buffers);
void call_264(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_264(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_265(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)~(a[i]);
    }
}

void call_265(const uint32_t *symbols, void *const *buffers);
void call_265(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_265(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_266(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)~(a[i]);
    }
}

void call_266(const uint32_t *symbols, void *const *buffers);
void call_266(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_266(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_267(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)~(a[i]);
    }
}

void call_267(const uint32_t *symbols, void *const *buffers);
void call_267(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_267(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_268(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)b;
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint64_t)~(a[i]);
    }
}

void call_268(const uint32_t *symbols, void *const *buffers);
void call_268(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_268(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_269(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_269(const uint32_t *symbols, void *const *buffers);
void call_269(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_269(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_270(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_270(const uint32_t *symbols, void *const *buffers);
void call_270(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_270(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_271(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_271(const uint32_t *symbols, void *const *buffers);
void call_271(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_271(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_272(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_272(const uint32_t *symbols, void *const *buffers);
void call_272(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_272(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_273(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_273(const uint32_t *symbols, void *const *buffers);
void call_273(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_273(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_274(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_274(const uint32_t *symbols, void *const *buffers);
void call_274(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_274(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_275(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_shift_left_i64(a[i], b[i]);
    }
}

void call_275(const uint32_t *symbols, void *const *buffers);
void call_275(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_275(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_276(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_shift_left_u64(a[i], b[i]);
    }
}

void call_276(const uint32_t *symbols, void *const *buffers);
void call_276(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_276(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i8
 * input b[97]: i8
 * input c[97]: i8
 * output y[97]: i8
 */
static void f_277(const int8_t *a, const int8_t *b, const int8_t *c, int8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int8_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_277(const uint32_t *symbols, void *const *buffers);
void call_277(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_277(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i16
 * input b[97]: i16
 * input c[97]: i16
 * output y[97]: i16
 */
static void f_278(const int16_t *a, const int16_t *b, const int16_t *c, int16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int16_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_278(const uint32_t *symbols, void *const *buffers);
void call_278(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_278(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i32
 * input b[97]: i32
 * input c[97]: i32
 * output y[97]: i32
 */
static void f_279(const int32_t *a, const int32_t *b, const int32_t *c, int32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (int32_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_279(const uint32_t *symbols, void *const *buffers);
void call_279(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_279(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: i64
 * input b[97]: i64
 * input c[97]: i64
 * output y[97]: i64
 */
static void f_280(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_280(const uint32_t *symbols, void *const *buffers);
void call_280(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_280(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u8
 * input b[97]: u8
 * input c[97]: u8
 * output y[97]: u8
 */
static void f_281(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint8_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_281(const uint32_t *symbols, void *const *buffers);
void call_281(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_281(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u16
 * input b[97]: u16
 * input c[97]: u16
 * output y[97]: u16
 */
static void f_282(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint16_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_282(const uint32_t *symbols, void *const *buffers);
void call_282(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_282(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u32
 * input b[97]: u32
 * input c[97]: u32
 * output y[97]: u32
 */
static void f_283(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = (uint32_t)gali_one_shift_right_i64(a[i], b[i]);
    }
}

void call_283(const uint32_t *symbols, void *const *buffers);
void call_283(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_283(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]: u64
 * input b[97]: u64
 * input c[97]: u64
 * output y[97]: u64
 */
static void f_284(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_shift_right_u64(a[i], b[i]);
    }
}

void call_284(const uint32_t *symbols, void *const *buffers);
void call_284(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_284(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_285(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_none(a[i], b[i]);
    }
}

void call_285(const uint32_t *symbols, void *const *buffers);
void call_285(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_285(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_286(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_relu(a[i], b[i]);
    }
}

void call_286(const uint32_t *symbols, void *const *buffers);
void call_286(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_286(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_287(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_elu(a[i], b[i]);
    }
}

void call_287(const uint32_t *symbols, void *const *buffers);
void call_287(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_287(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_288(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_leaky_relu(a[i], b[i]);
    }
}

void call_288(const uint32_t *symbols, void *const *buffers);
void call_288(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_288(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_289(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_gelu_tanh(a[i], b[i]);
    }
}

void call_289(const uint32_t *symbols, void *const *buffers);
void call_289(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_289(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_290(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_gelu_erf(a[i], b[i]);
    }
}

void call_290(const uint32_t *symbols, void *const *buffers);
void call_290(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_290(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_291(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_silu(a[i], b[i]);
    }
}

void call_291(const uint32_t *symbols, void *const *buffers);
void call_291(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_291(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_292(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_tanh(a[i], b[i]);
    }
}

void call_292(const uint32_t *symbols, void *const *buffers);
void call_292(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_292(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * input b[97]
 * input c[97]
 * output y[97]
 */
static void f_293(const float *a, const float *b, const float *c, float *y) {
    (void)c;
    for (size_t i = 0; i < 97; i++) {
        y[i] = gali_one_activate_sigmoid(a[i], b[i]);
    }
}

void call_293(const uint32_t *symbols, void *const *buffers);
void call_293(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_293(buffers[0], buffers[1], buffers[2], buffers[3]);
}

/*
 * input a[97]
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_294(const float *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32(a[i]);
        y3[i] = gali_one_bf16_of_f32(a[i]);
        y4[i] = (int8_t)gali_one_i64_of_f64(a[i]);
        y5[i] = (int16_t)gali_one_i64_of_f64(a[i]);
        y6[i] = (int32_t)gali_one_i64_of_f64(a[i]);
        y7[i] = gali_one_i64_of_f64(a[i]);
        y8[i] = (uint8_t)gali_one_i64_of_f64(a[i]);
        y9[i] = (uint16_t)gali_one_i64_of_f64(a[i]);
        y10[i] = (uint32_t)gali_one_i64_of_f64(a[i]);
        y11[i] = (uint64_t)gali_one_i64_of_f64(a[i]);
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_294(const uint32_t *symbols, void *const *buffers);
void call_294(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_294(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: f64
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_295(const double *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)gali_one_i64_of_f64(a[i]);
        y5[i] = (int16_t)gali_one_i64_of_f64(a[i]);
        y6[i] = (int32_t)gali_one_i64_of_f64(a[i]);
        y7[i] = gali_one_i64_of_f64(a[i]);
        y8[i] = (uint8_t)gali_one_i64_of_f64(a[i]);
        y9[i] = (uint16_t)gali_one_i64_of_f64(a[i]);
        y10[i] = (uint32_t)gali_one_i64_of_f64(a[i]);
        y11[i] = (uint64_t)gali_one_i64_of_f64(a[i]);
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_295(const uint32_t *symbols, void *const *buffers);
void call_295(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_295(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: f16
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_296(const uint16_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = gali_one_f32_of_f16(a[i]);
        y1[i] = (double)gali_one_f32_of_f16(a[i]);
        y2[i] = gali_one_f16_of_f32(gali_one_f32_of_f16(a[i]));
        y3[i] = gali_one_bf16_of_f32(gali_one_f32_of_f16(a[i]));
        y4[i] = (int8_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y5[i] = (int16_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y6[i] = (int32_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y7[i] = gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y8[i] = (uint8_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y9[i] = (uint16_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y10[i] = (uint32_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y11[i] = (uint64_t)gali_one_i64_of_f64(gali_one_f32_of_f16(a[i]));
        y12[i] = (uint8_t)(gali_one_f32_of_f16(a[i]) != 0);
    }
}

void call_296(const uint32_t *symbols, void *const *buffers);
void call_296(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_296(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: bf16
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_297(const uint16_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = gali_one_f32_of_bf16(a[i]);
        y1[i] = (double)gali_one_f32_of_bf16(a[i]);
        y2[i] = gali_one_f16_of_f32(gali_one_f32_of_bf16(a[i]));
        y3[i] = gali_one_bf16_of_f32(gali_one_f32_of_bf16(a[i]));
        y4[i] = (int8_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y5[i] = (int16_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y6[i] = (int32_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y7[i] = gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y8[i] = (uint8_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y9[i] = (uint16_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y10[i] = (uint32_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y11[i] = (uint64_t)gali_one_i64_of_f64(gali_one_f32_of_bf16(a[i]));
        y12[i] = (uint8_t)(gali_one_f32_of_bf16(a[i]) != 0);
    }
}

void call_297(const uint32_t *symbols, void *const *buffers);
void call_297(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_297(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: i8
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_298(const int8_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_298(const uint32_t *symbols, void *const *buffers);
void call_298(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_298(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: i16
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_299(const int16_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_299(const uint32_t *symbols, void *const *buffers);
void call_299(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_299(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: i32
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_300(const int32_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_300(const uint32_t *symbols, void *const *buffers);
void call_300(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_300(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: i64
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_301(const int64_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_301(const uint32_t *symbols, void *const *buffers);
void call_301(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_301(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: u8
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_302(const uint8_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_302(const uint32_t *symbols, void *const *buffers);
void call_302(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_302(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: u16
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_303(const uint16_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_303(const uint32_t *symbols, void *const *buffers);
void call_303(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_303(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: u32
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_304(const uint32_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_304(const uint32_t *symbols, void *const *buffers);
void call_304(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_304(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: u64
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_305(const uint64_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = a[i];
        y12[i] = (uint8_t)(a[i] != 0);
    }
}

void call_305(const uint32_t *symbols, void *const *buffers);
void call_305(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_305(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

/*
 * input a[97]: bool
 * output y0[97]
 * output y1[97]: f64
 * output y2[97]: f16
 * output y3[97]: bf16
 * output y4[97]: i8
 * output y5[97]: i16
 * output y6[97]: i32
 * output y7[97]: i64
 * output y8[97]: u8
 * output y9[97]: u16
 * output y10[97]: u32
 * output y11[97]: u64
 * output y12[97]: bool
 */
static void f_306(const uint8_t *a, float *y0, double *y1, uint16_t *y2, uint16_t *y3, int8_t *y4, int16_t *y5, int32_t *y6, int64_t *y7, uint8_t *y8, uint16_t *y9, uint32_t *y10, uint64_t *y11, uint8_t *y12) {
    for (size_t i = 0; i < 97; i++) {
        y0[i] = (float)a[i];
        y1[i] = (double)a[i];
        y2[i] = gali_one_f16_of_f32((float)a[i]);
        y3[i] = gali_one_bf16_of_f32((float)a[i]);
        y4[i] = (int8_t)a[i];
        y5[i] = (int16_t)a[i];
        y6[i] = (int32_t)a[i];
        y7[i] = (int64_t)a[i];
        y8[i] = (uint8_t)a[i];
        y9[i] = (uint16_t)a[i];
        y10[i] = (uint32_t)a[i];
        y11[i] = (uint64_t)a[i];
        y12[i] = (uint8_t)a[i];
    }
}

void call_306(const uint32_t *symbols, void *const *buffers);
void call_306(const uint32_t *symbols, void *const *buffers) {
    (void)symbols;
    f_306(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], buffers[12], buffers[13]);
}

