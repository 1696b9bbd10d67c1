/*
 * The same product of few rows: reading the weights is all that it costs, so a group makes GROUP_OUTPUTS outputs of ROWS rows,
 * its items share experts and inputs, and their sums meet in local memory. The inputs, multiplied by their coefficients, go
 * through local memory CHUNK at a time, those of all rows side by side: a weight is read once for ROWS of them.
 *
 * Macros: as in product.cl, but for the sizes of tiles; ROWS; SPLIT items for an output.
 */
#define GROUP_OUTPUTS 8
#define CHUNK (4096 / ROWS)
#define ALL (EXPERTS * PADDED_INPUTS)
#define MET (ROWS < 4 ? ROWS : 4) /* rows whose sums meet at a time */

__attribute__((reqd_work_group_size(GROUP_OUTPUTS *SPLIT, 1, 1))) __kernel void NAME(PARAMETERS) {
    POINTERS
    __local float scaled[CHUNK * ROWS] __attribute__((aligned(16)));
    const uint item = get_local_id(0), group = get_group_id(0), part = item / GROUP_OUTPUTS;
    const uint first_row = group / TILES * ROWS;
    const uint output = group % TILES * GROUP_OUTPUTS + item % GROUP_OUTPUTS;
    float total[ROWS];
#pragma unroll
    for (uint r = 0; r < ROWS; r++) {
        total[r] = 0;
    }
    for (uint first = 0; first < ALL; first += CHUNK) {
        const uint size = min((uint)CHUNK, ALL - first);
        if (first) {
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (uint i = item; i < size * ROWS; i += SPLIT * GROUP_OUTPUTS) {
            const uint at = first + i / ROWS, row = min(first_row + i % ROWS, rows - 1);
            const uint k = min(at % PADDED_INPUTS, (uint)INPUTS - 1); /* behind the last input weights are 0 */
#ifdef BLENDED
            scaled[i] = blend[row * EXPERTS + at / PADDED_INPUTS] * x[row * INPUTS + k];
#else
            scaled[i] = x[row * INPUTS + k];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
        for (uint i = part; i < size; i += SPLIT) {
            const float weight = WEIGHT_ONE((first + i) * PADDED_OUTPUTS + output);
#pragma unroll
            for (uint r = 0; r < ROWS; r++) {
                total[r] = fma(scaled[i * ROWS + r], weight, total[r]);
            }
        }
    }
#ifdef BLENDED
    for (uint e = part; e < EXPERTS; e += SPLIT) {
        const float one = bias[e * PADDED_OUTPUTS + output];
#pragma unroll
        for (uint r = 0; r < ROWS; r++) {
            total[r] = fma(blend[min(first_row + r, rows - 1) * EXPERTS + e], one, total[r]);
        }
    }
#endif
#pragma unroll
    for (uint first = 0; first < ROWS; first += MET) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint r = 0; r < MET; r++) {
            scaled[r * SPLIT * GROUP_OUTPUTS + item] = total[first + r];
        }
        for (uint half_of = SPLIT / 2; half_of > 0; half_of /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint r = 0; r < MET && part < half_of; r++) {
                __local float *one = scaled + r * SPLIT * GROUP_OUTPUTS + item;
                *one += one[half_of * GROUP_OUTPUTS];
            }
        }
#pragma unroll
        for (uint r = 0; r < MET && part == 0; r++) {
            const uint row = first_row + first + r;
            if (output < OUTPUT_COUNT && row < rows) {
                y[row * OUTPUT_COUNT + output] = scaled[r * SPLIT * GROUP_OUTPUTS + item];
                FINISH(row * OUTPUT_COUNT + output);
            }
        }
    }
}
#undef GROUP_OUTPUTS
#undef CHUNK
#undef ALL
#undef MET
