/*
 * The same product of few rows: reading is all that it costs, so a group makes GROUP_OUTPUTS outputs of ROWS rows, its items
 * share the inputs, and their sums meet in local memory. A weight is read once for all rows, an input once for BLOCK experts,
 * whose sums are kept apart until they are blended: between the reads of an item nothing waits.
 *
 * Macros: as in product.cl, but for the sizes of tiles; ROWS; SPLIT items for an output.
 */
#define GROUP_OUTPUTS 8
#define BLOCK (EXPERTS < 4 ? EXPERTS : 4)
#define MET (ROWS < 4 ? ROWS : 4) /* rows whose sums meet at a time */

__attribute__((reqd_work_group_size(GROUP_OUTPUTS *SPLIT, 1, 1))) __kernel void NAME(PARAMETERS) {
    POINTERS
    __local float met[MET * SPLIT * GROUP_OUTPUTS];
    const uint item = get_local_id(0), group = get_group_id(0), part = item / GROUP_OUTPUTS;
    const uint first_row = group / TILES * ROWS;
    const uint output = group % TILES * GROUP_OUTPUTS + item % GROUP_OUTPUTS;
    float total[ROWS];
    uint row_of[ROWS]; /* past the last it is that one, whose sums nobody stores */
#pragma unroll
    for (uint r = 0; r < ROWS; r++) {
        row_of[r] = min(first_row + r, rows - 1);
        total[r] = 0;
    }
    for (uint first = 0; first < EXPERTS; first += BLOCK) {
        float sum[BLOCK][ROWS];
#pragma unroll
        for (uint i = 0; i < BLOCK * ROWS; i++) {
            sum[i / ROWS][i % ROWS] = 0;
        }
#pragma unroll 4
        for (uint k = part; k < INPUTS; k += SPLIT) {
            float from[ROWS], weight[BLOCK];
#pragma unroll
            for (uint r = 0; r < ROWS; r++) {
                from[r] = x[row_of[r] * INPUTS + k];
            }
#pragma unroll
            for (uint e = 0; e < BLOCK; e++) {
                const uint expert = min(first + e, (uint)EXPERTS - 1);
                weight[e] = WEIGHT_ONE((expert * PADDED_INPUTS + k) * PADDED_OUTPUTS + output);
            }
#pragma unroll
            for (uint i = 0; i < BLOCK * ROWS; i++) {
                sum[i / ROWS][i % ROWS] = fma(from[i % ROWS], weight[i / ROWS], sum[i / ROWS][i % ROWS]);
            }
        }
#pragma unroll
        for (uint i = 0; i < BLOCK * ROWS; i++) {
#ifdef BLENDED
            const uint expert = first + i / ROWS;
            if (EXPERTS % BLOCK == 0 || expert < EXPERTS) {
                total[i % ROWS] =
                    fma(blend[row_of[i % ROWS] * EXPERTS + expert], sum[i / ROWS][i % ROWS], total[i % ROWS]);
            }
#else
            total[i % ROWS] += sum[i / ROWS][i % ROWS];
#endif
        }
    }
#ifdef BLENDED
    for (uint e = part; e < EXPERTS; e += SPLIT) {
        const float one = bias[e * PADDED_OUTPUTS + output];
#pragma unroll
        for (uint r = 0; r < ROWS; r++) {
            total[r] = fma(blend[row_of[r] * EXPERTS + e], one, total[r]);
        }
    }
#endif
#pragma unroll
    for (uint first = 0; first < ROWS; first += MET) {
        if (first) {
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll
        for (uint r = 0; r < MET; r++) {
            met[r * SPLIT * GROUP_OUTPUTS + item] = total[first + r];
        }
        for (uint half_of = SPLIT / 2; half_of > 0; half_of /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint r = 0; r < MET && part < half_of; r++) {
                __local float *one = met + r * SPLIT * GROUP_OUTPUTS + item;
                *one += one[half_of * GROUP_OUTPUTS];
            }
        }
#pragma unroll
        for (uint r = 0; r < MET && part == 0; r++) {
            const uint row = first_row + first + r;
            if (output < OUTPUT_COUNT && row < rows) {
                y[row * OUTPUT_COUNT + output] = met[r * SPLIT * GROUP_OUTPUTS + item];
                FINISH(row * OUTPUT_COUNT + output);
            }
        }
    }
}
#undef GROUP_OUTPUTS
#undef BLOCK
#undef MET
