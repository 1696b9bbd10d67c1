#include "kernels/narrow.h"

#include <string.h>

#include "base/size.h"

const gali_narrow *gali_narrow_get(gal_isa isa) {
    switch (isa) {
#ifdef GALI_HAVE_AVX2
    case GAL_ISA_AVX2:
        return &gali_narrow_avx2;
#endif
#ifdef GALI_HAVE_AVX2_VNNI
    case GAL_ISA_AVX2_VNNI:
        return &gali_narrow_avx2_vnni;
#endif
#ifdef GALI_HAVE_AVX512
    case GAL_ISA_AVX512:
        return &gali_narrow_avx512;
#endif
#ifdef GALI_HAVE_AVX512_VNNI
    case GAL_ISA_AVX512_VNNI:
        return &gali_narrow_avx512_vnni;
#endif
#ifdef GALI_HAVE_AVX512_BF16
    case GAL_ISA_AVX512_BF16:
        return &gali_narrow_avx512_bf16;
#endif
#ifdef GALI_HAVE_NEON
    case GAL_ISA_NEON:
    case GAL_ISA_NEON_A55:
        return &gali_narrow_neon;
#endif
#ifdef GALI_HAVE_NEON_DOT
    case GAL_ISA_NEON_DOT:
        return &gali_narrow_neon_dot;
#endif
#ifdef GALI_HAVE_NEON_BF16
    case GAL_ISA_NEON_BF16:
        return &gali_narrow_neon_bf16;
#endif
#ifdef GALI_HAVE_NEON_I8MM
    case GAL_ISA_NEON_I8MM:
        return &gali_narrow_neon_i8mm;
#endif
#ifdef GALI_HAVE_WASM
    case GAL_ISA_WASM:
    case GAL_ISA_WASM_UNFUSED:
        return &gali_narrow_wasm;
#endif
    default:
        return &gali_narrow_scalar;
    }
}

const gali_narrow *gali_narrow_of(const gali_narrow *table, gali_narrow_kind kind) {
    while (!table->panel[kind]) {
        table = table->base;
    }
    return table;
}

const gali_gemm_table *gali_narrow_gemm(const gali_narrow *table) {
    while (!table->gemm) {
        table = table->base;
    }
    return table->gemm;
}

uint32_t gali_narrow_inputs(gali_narrow_kind kind) {
    static const uint32_t inputs[GALI_NARROW_COUNT] = {
#define NARROW(name, count, unit, panel, prepare, meaning) [GALI_NARROW_##name] = count,
#include "kernels/narrow.def"
#undef NARROW
    };
    return inputs[kind];
}

/* Even: two groups are a turn of the loops. */
uint32_t gali_narrow_groups(gali_narrow_kind kind, uint32_t inputs) {
    const uint32_t each = gali_narrow_inputs(kind);
    const uint32_t groups = inputs / each + (inputs % each != 0);
    return groups + (groups & 1);
}

int gali_narrow_has_blocks(gali_narrow_kind kind) {
    return kind == GALI_NARROW_I16_BLOCKS || kind == GALI_NARROW_I8_I16 || kind == GALI_NARROW_I8_BLOCKS;
}

uint32_t gali_narrow_blocks(uint32_t groups, uint32_t span) {
    return groups / span + (groups % span != 0);
}

size_t gali_narrow_input_size(gali_narrow_kind kind, uint32_t groups, uint32_t span) {
    const int wide = kind == GALI_NARROW_F16 || kind == GALI_NARROW_BF16 || kind == GALI_NARROW_I8_I16;
    const size_t scales = gali_narrow_has_blocks(kind) ? gali_narrow_blocks(groups, span) : 0;
    return (size_t)groups * (wide ? 2 : 1) * GALI_NARROW_GROUP + scales * sizeof(float);
}

size_t gali_narrow_expert_size(gali_narrow_kind kind, uint32_t groups, uint32_t span, uint32_t width) {
    const size_t blocks = gali_narrow_has_blocks(kind) ? gali_narrow_blocks(groups, span) : 0;
    return gali_size_mul(GALI_NARROW_HEAD + blocks + groups, gali_size_mul(width, GALI_NARROW_GROUP));
}

size_t gali_narrow_place(const gali_narrow *table, gali_narrow_kind kind, uint32_t lane, uint32_t k,
                         size_t stride) {
    const uint32_t each = gali_narrow_inputs(kind), bytes = GALI_NARROW_GROUP / each;
    const uint32_t group = k / each, rest = k % each;
    switch (table->layout[kind]) {
    case GALI_LAYOUT_INPUTS:
        return group * stride + ((size_t)rest * table->lanes + lane) * bytes;
    case GALI_LAYOUT_PAIRS:
        return group * stride + ((size_t)(rest / 2) * table->lanes + lane) * 2 + rest % 2;
    case GALI_LAYOUT_EIGHTS:
        return (group / 2 * 2 + lane / (table->lanes / 2)) * stride + lane % (table->lanes / 2) * 8 + k % 8;
    default:
        return group * stride + (size_t)lane * GALI_NARROW_GROUP + (size_t)rest * bytes;
    }
}

uint16_t gali_bf16_round(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* To nearest even; from 65520 on infinite. */
uint16_t gali_f16_round(float a) {
    uint32_t bits, sign;
    memcpy(&bits, &a, sizeof bits);
    sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits >= 0x47800000u) { /* 65536 and more */
        return (uint16_t)(sign | (bits > 0x7f800000u ? 0x7e00u : 0x7c00u));
    }
    if (bits >= 0x38800000u) { /* normal: 2^-14 and more */
        bits += 0xfffu + (bits >> 13 & 1u);
        return (uint16_t)(sign | ((bits - (112u << 23)) >> 13));
    }
    float least;
    memcpy(&least, &bits, sizeof least);
    least += 0.5f; /* its last bit is then 2^-24, float16's least */
    memcpy(&bits, &least, sizeof bits);
    return (uint16_t)(sign | (bits - 0x3f000000u));
}
