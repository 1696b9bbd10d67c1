/*
 * The same product of few rows: reading the weights is all that it costs, so a group makes GROUP_OUTPUTS outputs of one row,
 * its items share experts and inputs, and their sums meet in local memory.
 *
 * Macros: as in product.cl, but for the sizes of tiles; SPLIT items for an output.
 */
#define GROUP_OUTPUTS 8

__attribute__((reqd_work_group_size(GROUP_OUTPUTS *SPLIT, 1, 1))) __kernel void NAME(PARAMETERS) {
    POINTERS
    __local float parts[SPLIT * GROUP_OUTPUTS];
    const uint item = get_local_id(0), group = get_group_id(0), part = item / GROUP_OUTPUTS;
    const uint row = group / TILES;
    const uint output = group % TILES * GROUP_OUTPUTS + item % GROUP_OUTPUTS;
    __global const float *from = x + (size_t)row * INPUTS;
    float total = 0;
#pragma unroll 8
    for (uint i = part; i < EXPERTS * PADDED_INPUTS; i += SPLIT) {
        const uint k = min(i % PADDED_INPUTS, (uint)INPUTS - 1); /* behind the last input weights are 0 */
#ifdef BLENDED
        total = fma(blend[row * EXPERTS + i / PADDED_INPUTS] * from[k], WEIGHT_ONE(i * PADDED_OUTPUTS + output), total);
#else
        total = fma(from[k], WEIGHT_ONE(i * PADDED_OUTPUTS + output), total);
#endif
    }
#ifdef BLENDED
    for (uint e = part; e < EXPERTS; e += SPLIT) {
        total = fma(blend[row * EXPERTS + e], bias[e * PADDED_OUTPUTS + output], total);
    }
#endif
    parts[item] = total;
    for (uint half_of = SPLIT / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part < half_of) {
            parts[item] += parts[item + half_of * GROUP_OUTPUTS];
        }
    }
    if (part == 0 && output < OUTPUT_COUNT) {
        y[row * OUTPUT_COUNT + output] = parts[item];
        FINISH(row * OUTPUT_COUNT + output);
    }
}
#undef GROUP_OUTPUTS
