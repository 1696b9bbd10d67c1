/*
 * Blended products of many rows: y[c][n] = sum over e and k of (blend[c][e] x[c][k]) w[e][k][n] + sum over e of
 * blend[c][e] b[e][n]: one product over inputs and experts together, its left side made while it is read.
 *
 * A group makes ROWS x OUTPUTS of y, an item ROW_REGISTERS x OUTPUT_REGISTERS of those, in fours. DEPTH inputs at a time go
 * through local memory; the next ones are on their way to registers meanwhile. Weights are padded with zeros to whole tiles
 * in both directions, so that only rows and inputs of x are tested, and those only where they may be outside.
 *
 * Macros: NAME PARAMETERS FINISH EXPERTS INPUTS OUTPUT_COUNT PADDED_INPUTS PADDED_OUTPUTS TILES ROWS OUTPUTS DEPTH ROW_REGISTERS
 * OUTPUT_REGISTERS; BLENDED where there are coefficients and biases.
 */
#define ROW_ITEMS (ROWS / ROW_REGISTERS)
#define OUTPUT_ITEMS (OUTPUTS / OUTPUT_REGISTERS)
#define ITEMS (ROW_ITEMS * OUTPUT_ITEMS)
#define ROW_STRIDE (ROWS + 4)
#define X_FOURS (ROWS * DEPTH / 4 / ITEMS)
#define W_FOURS (OUTPUTS * DEPTH / 4 / ITEMS)
#define STEPS (EXPERTS * (PADDED_INPUTS / DEPTH))

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void NAME(PARAMETERS) {
    __local float4 x_tile[DEPTH * ROW_STRIDE / 4], w_tile[DEPTH * OUTPUTS / 4];
    __local float coefficients[EXPERTS * ROWS];
    __local float *x_numbers = (__local float *)x_tile;
    const uint item = get_local_id(0), group = get_group_id(0);
    const uint first_row = group / TILES * ROWS;
    const uint first_output = group % TILES * OUTPUTS;
#if OUTPUT_ITEMS % 8 == 0 && ROW_ITEMS % 4 == 0 /* 32 items read few rows and few outputs */
    const uint lane = item % 32, warp = item / 32;
    const uint output_item = warp % (OUTPUT_ITEMS / 8) * 8 + lane % 8;
    const uint row_item = warp / (OUTPUT_ITEMS / 8) * 4 + lane / 8;
#else
    const uint output_item = item % OUTPUT_ITEMS, row_item = item / OUTPUT_ITEMS;
#endif
    for (uint i = item; i < EXPERTS * ROWS; i += ITEMS) {
#ifdef BLENDED
        const uint row = first_row + i / EXPERTS;
        coefficients[i % EXPERTS * ROWS + i / EXPERTS] = row < rows ? blend[row * EXPERTS + i % EXPERTS] : 0;
#else
        coefficients[i] = 1;
#endif
    }
    float sum[ROW_REGISTERS][OUTPUT_REGISTERS];
#pragma unroll
    for (uint a = 0; a < ROW_REGISTERS; a++) {
#pragma unroll
        for (uint b = 0; b < OUTPUT_REGISTERS; b++) {
            sum[a][b] = 0;
        }
    }
    float4 x_next[X_FOURS], w_next[W_FOURS];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint expert = 0, input = 0;
    for (uint step = 0; step <= STEPS; step++) {
        if (step < STEPS) { /* what the next turn computes with */
#pragma unroll
            for (uint i = 0; i < X_FOURS; i++) {
                const uint four = item + i * ITEMS, row = four / (DEPTH / 4), k = input + four % (DEPTH / 4) * 4;
                const uint inside = first_row + row < rows;
                __global const float *from = x + (size_t)(first_row + row) * INPUTS + k;
#if INPUTS % 4 == 0
                x_next[i] = inside && k < INPUTS ? *(__global const float4 *)from : (float4)(0);
#else
                x_next[i].x = inside && k < INPUTS ? from[0] : 0;
                x_next[i].y = inside && k + 1 < INPUTS ? from[1] : 0;
                x_next[i].z = inside && k + 2 < INPUTS ? from[2] : 0;
                x_next[i].w = inside && k + 3 < INPUTS ? from[3] : 0;
#endif
#ifdef BLENDED
                x_next[i] *= coefficients[expert * ROWS + row];
#endif
            }
#pragma unroll
            for (uint i = 0; i < W_FOURS; i++) {
                const uint four = item + i * ITEMS, k = four / (OUTPUTS / 4), n = four % (OUTPUTS / 4) * 4;
                w_next[i] = *(__global const float4 *)(w + (size_t)(expert * PADDED_INPUTS + input + k) * PADDED_OUTPUTS +
                                                       first_output + n);
            }
        }
        if (step > 0) {
#pragma unroll
            for (uint k = 0; k < DEPTH; k++) {
                float4 left[ROW_REGISTERS / 4], right[OUTPUT_REGISTERS / 4];
#pragma unroll
                for (uint a = 0; a < ROW_REGISTERS / 4; a++) {
                    left[a] = x_tile[k * (ROW_STRIDE / 4) + a * ROW_ITEMS + row_item];
                }
#pragma unroll
                for (uint b = 0; b < OUTPUT_REGISTERS / 4; b++) {
                    right[b] = w_tile[k * (OUTPUTS / 4) + b * OUTPUT_ITEMS + output_item];
                }
#pragma unroll
                for (uint a = 0; a < ROW_REGISTERS; a++) {
                    const float4 four = left[a / 4];
                    const float one = a % 4 == 0 ? four.x : a % 4 == 1 ? four.y : a % 4 == 2 ? four.z : four.w;
#pragma unroll
                    for (uint b = 0; b < OUTPUT_REGISTERS / 4; b++) {
                        sum[a][4 * b] = fma(one, right[b].x, sum[a][4 * b]);
                        sum[a][4 * b + 1] = fma(one, right[b].y, sum[a][4 * b + 1]);
                        sum[a][4 * b + 2] = fma(one, right[b].z, sum[a][4 * b + 2]);
                        sum[a][4 * b + 3] = fma(one, right[b].w, sum[a][4 * b + 3]);
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (step < STEPS) {
#pragma unroll
            for (uint i = 0; i < X_FOURS; i++) {
                const uint four = item + i * ITEMS, row = four / (DEPTH / 4), k = four % (DEPTH / 4) * 4;
                x_numbers[k * ROW_STRIDE + row] = x_next[i].x;
                x_numbers[(k + 1) * ROW_STRIDE + row] = x_next[i].y;
                x_numbers[(k + 2) * ROW_STRIDE + row] = x_next[i].z;
                x_numbers[(k + 3) * ROW_STRIDE + row] = x_next[i].w;
            }
#pragma unroll
            for (uint i = 0; i < W_FOURS; i++) {
                w_tile[item + i * ITEMS] = w_next[i];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            input += DEPTH;
            expert += input == PADDED_INPUTS;
            input = input == PADDED_INPUTS ? 0 : input;
        }
    }
#pragma unroll
    for (uint a = 0; a < ROW_REGISTERS; a++) {
        const uint in_tile = (a / 4 * ROW_ITEMS + row_item) * 4 + a % 4, row = first_row + in_tile;
#pragma unroll
        for (uint b = 0; b < OUTPUT_REGISTERS; b++) {
            const uint output = first_output + (b / 4 * OUTPUT_ITEMS + output_item) * 4 + b % 4;
            if (row < rows && output < OUTPUT_COUNT) {
                float total = sum[a][b];
#ifdef BLENDED
                for (uint e = 0; e < EXPERTS; e++) {
                    total = fma(coefficients[e * ROWS + in_tile], bias[e * PADDED_OUTPUTS + output], total);
                }
#endif
                y[row * OUTPUT_COUNT + output] = total;
                FINISH(row * OUTPUT_COUNT + output);
            }
        }
    }
}
#undef ROW_ITEMS
#undef OUTPUT_ITEMS
#undef ITEMS
#undef ROW_STRIDE
#undef X_FOURS
#undef W_FOURS
#undef STEPS
