/*
 * Blended products of many rows: y[c][n] = sum over e and k of (blend[c][e] x[c][k]) w[e][k][n] + sum over e of
 * blend[c][e] b[e][n]: one product over inputs and experts together, its left side made while it is read.
 *
 * A group makes ROWS x OUTPUTS of y, an item ROW_REGISTERS x OUTPUT_REGISTERS of those, in fours. DEPTH inputs at a time go
 * through one of two buffers in local memory; the next ones are on their way to registers meanwhile, and are multiplied by
 * their coefficients only when they are stored: else all would wait for them. Weights are padded with zeros to whole tiles
 * in both directions. What finishes a sum is a launch of its own: here it would take registers, or wait for memory with few
 * items at work (a quarter of the time of 4096 rows).
 *
 * PARTS items share an element of y, each with tiles of its own, and take turns at the depth: so few rows have work for all
 * cores. Their sums meet in local memory at the end. One part is spelled out: compilers do not see that its number is 0
 * (a tenth of the time of 65,536 rows).
 *
 * Macros: NAME PARAMETERS POINTERS EXPERTS INPUTS OUTPUT_COUNT PADDED_INPUTS PADDED_OUTPUTS TILES ROWS OUTPUTS DEPTH PARTS
 * ROW_REGISTERS OUTPUT_REGISTERS; WEIGHT_ONE and WEIGHT_FOUR, which read weights; X_IMAGE where x is one; BLENDED where there are
 * coefficients and biases.
 */
#define ROW_ITEMS (ROWS / ROW_REGISTERS)
#define OUTPUT_ITEMS (OUTPUTS / OUTPUT_REGISTERS)
#define ITEMS (ROW_ITEMS * OUTPUT_ITEMS)
#define ROW_STRIDE (ROWS + 4)
#define X_FOURS (ROWS * DEPTH / 4 / ITEMS)
#define W_FOURS (OUTPUTS * DEPTH / 4 / ITEMS)
#define STEPS (EXPERTS * (PADDED_INPUTS / DEPTH) / PARTS) /* of a part */
#define X_TILE (DEPTH * ROW_STRIDE / 4)
#define W_TILE (DEPTH * OUTPUTS / 4)
#define TILE (2 * (X_TILE + W_TILE)) /* two buffers of each, of a part */
#define SUMS (ROWS * OUTPUTS / 4)

/* Where a row of x begins, and four of its inputs from k on; past the last row it is that one, whose sums nobody stores. */
#define X_ROW(row) (min(first_row + (row), rows - 1) * (uint)INPUTS)
#ifdef X_IMAGE
#define X_FOUR(from, k) (k < INPUTS ? gali_texel_four(x, from + k) : (float4)(0))
#elif INPUTS % 4 == 0
#define X_FOUR(from, k) (k < INPUTS ? *(__global const float4 *)(x + from + k) : (float4)(0))
#else
#define X_FOUR(from, k) \
    (float4)(k < INPUTS ? x[from + k] : 0, k + 1 < INPUTS ? x[from + k + 1] : 0, \
             k + 2 < INPUTS ? x[from + k + 2] : 0, k + 3 < INPUTS ? x[from + k + 3] : 0)
#endif
#ifdef BLENDED
#define COEFFICIENT(row) coefficients[expert * ROWS + (row)]
#else
#define COEFFICIENT(row) 1.0f
#endif

/* The tiles at (expert, input) to registers, and from there to a buffer; meanwhile there is time to compute. */
#define LOAD \
    _Pragma("unroll") for (uint i = 0; i < X_FOURS; i++) { \
        const uint four = item + i * ITEMS, k = input + four % (DEPTH / 4) * 4; \
        const uint from = X_ROW(four / (DEPTH / 4)); \
        x_next[i] = X_FOUR(from, k); \
    } \
    _Pragma("unroll") for (uint i = 0; i < W_FOURS; i++) { \
        const uint four = item + i * ITEMS, k = four / (OUTPUTS / 4), n = four % (OUTPUTS / 4) * 4; \
        w_next[i] = WEIGHT_FOUR((size_t)(expert * PADDED_INPUTS + input + k) * PADDED_OUTPUTS + first_output + n); \
    }
/* Behind the last input of an expert the next one begins. */
#if PARTS > 1
#define NEXT \
    for (uint turn = 0; turn < 1 + DEPTH * PARTS / PADDED_INPUTS; turn++) { \
        expert += input >= PADDED_INPUTS; \
        input -= input >= PADDED_INPUTS ? PADDED_INPUTS : 0; \
    }
#else
#define NEXT \
    expert += input == PADDED_INPUTS; \
    input = input == PADDED_INPUTS ? 0 : input;
#endif
#define STORE(buffer) \
    _Pragma("unroll") for (uint i = 0; i < X_FOURS; i++) { \
        const uint four = item + i * ITEMS, row = four / (DEPTH / 4), k = four % (DEPTH / 4) * 4; \
        __local float *to = x_numbers + (buffer) * 4 * X_TILE + k * ROW_STRIDE + row; \
        const float4 scaled = x_next[i] * COEFFICIENT(row); \
        to[0] = scaled.x; \
        to[ROW_STRIDE] = scaled.y; \
        to[2 * ROW_STRIDE] = scaled.z; \
        to[3 * ROW_STRIDE] = scaled.w; \
    } \
    _Pragma("unroll") for (uint i = 0; i < W_FOURS; i++) { \
        w_tile[(buffer) * W_TILE + item + i * ITEMS] = w_next[i]; \
    }

__attribute__((reqd_work_group_size(ITEMS *PARTS, 1, 1))) __kernel void NAME(PARAMETERS) {
    POINTERS
#if PARTS > 1
    __local float4 tiles[PARTS * TILE > SUMS ? PARTS * TILE : SUMS];
#else
    __local float4 x_tile[2 * X_TILE], w_tile[2 * W_TILE];
#endif
#ifdef BLENDED
    __local float coefficients[EXPERTS * ROWS];
#endif
#if PARTS > 1
    const uint item = get_local_id(0) % ITEMS, part = get_local_id(0) / ITEMS, group = get_group_id(0);
    __local float4 *x_tile = tiles + part * TILE, *w_tile = x_tile + 2 * X_TILE;
#else
    const uint item = get_local_id(0), part = 0, group = get_group_id(0);
#endif
    __local float *x_numbers = (__local float *)x_tile;
    const uint first_row = group / TILES * ROWS;
    const uint first_output = group % TILES * OUTPUTS;
#if OUTPUT_ITEMS % 8 == 0 && ROW_ITEMS % 4 == 0 /* 32 items read few rows and few outputs */
    const uint lane = item % 32, warp = item / 32;
    const uint output_item = warp % (OUTPUT_ITEMS / 8) * 8 + lane % 8;
    const uint row_item = warp / (OUTPUT_ITEMS / 8) * 4 + lane / 8;
#else
    const uint output_item = item % OUTPUT_ITEMS, row_item = item / OUTPUT_ITEMS;
#endif
#ifdef BLENDED
    for (uint i = get_local_id(0); i < EXPERTS * ROWS; i += ITEMS * PARTS) {
        const uint row = min(first_row + i / EXPERTS, rows - 1);
        coefficients[i % EXPERTS * ROWS + i / EXPERTS] = blend[row * EXPERTS + i % EXPERTS];
    }
#endif
    float sum[ROW_REGISTERS][OUTPUT_REGISTERS];
#pragma unroll
    for (uint a = 0; a < ROW_REGISTERS; a++) {
#pragma unroll
        for (uint b = 0; b < OUTPUT_REGISTERS; b++) {
            sum[a][b] = 0;
        }
    }
    float4 x_next[X_FOURS], w_next[W_FOURS];
    uint expert = 0, input = part * DEPTH; /* of what is loaded next */
    NEXT
    LOAD
    barrier(CLK_LOCAL_MEM_FENCE);
    STORE(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < STEPS; step++) {
        const uint buffer = step % 2, more = step + 1 < STEPS; /* in the last turn the same is loaded again, for nothing */
        input += more ? DEPTH * PARTS : 0;
        NEXT
        LOAD
#pragma unroll
        for (uint k = 0; k < DEPTH; k++) {
            float4 left[ROW_REGISTERS / 4], right[OUTPUT_REGISTERS / 4];
#pragma unroll
            for (uint a = 0; a < ROW_REGISTERS / 4; a++) {
                left[a] = x_tile[buffer * X_TILE + k * (ROW_STRIDE / 4) + a * ROW_ITEMS + row_item];
            }
#pragma unroll
            for (uint b = 0; b < OUTPUT_REGISTERS / 4; b++) {
                right[b] = w_tile[buffer * W_TILE + k * (OUTPUTS / 4) + b * OUTPUT_ITEMS + output_item];
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
        STORE(1 - buffer)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#if PARTS > 1
    __local float *others = (__local float *)tiles;
    for (uint other = 1; other < PARTS; other++) {
        if (part == other) {
#pragma unroll
            for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) {
                others[i * ITEMS + item] = sum[i / OUTPUT_REGISTERS][i % OUTPUT_REGISTERS];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == 0) {
#pragma unroll
            for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) {
                sum[i / OUTPUT_REGISTERS][i % OUTPUT_REGISTERS] += others[i * ITEMS + item];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (part > 0) {
        return;
    }
#endif
#pragma unroll
    for (uint a = 0; a < ROW_REGISTERS; a++) {
        const uint in_tile = (a / 4 * ROW_ITEMS + row_item) * 4 + a % 4, row = first_row + in_tile;
#pragma unroll
        for (uint b = 0; b < OUTPUT_REGISTERS / 4; b++) {
            const uint output = first_output + (b * OUTPUT_ITEMS + output_item) * 4;
            float4 total = (float4)(sum[a][4 * b], sum[a][4 * b + 1], sum[a][4 * b + 2], sum[a][4 * b + 3]);
#ifdef BLENDED
#pragma unroll
            for (uint e = 0; e < EXPERTS; e++) {
                total += coefficients[e * ROWS + in_tile] *
                         *(__global const float4 *)(bias + e * PADDED_OUTPUTS + output);
            }
#endif
            const uint at = row * OUTPUT_COUNT + output;
#if OUTPUT_COUNT % 4 == 0
            if (row < rows && output < OUTPUT_COUNT) {
                *(__global float4 *)(y + at) = total;
            }
#else
            if (row < rows && output < OUTPUT_COUNT) {
                y[at] = total.x;
            }
            if (row < rows && output + 1 < OUTPUT_COUNT) {
                y[at + 1] = total.y;
            }
            if (row < rows && output + 2 < OUTPUT_COUNT) {
                y[at + 2] = total.z;
            }
            if (row < rows && output + 3 < OUTPUT_COUNT) {
                y[at + 3] = total.w;
            }
#endif
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
#undef X_TILE
#undef W_TILE
#undef TILE
#undef SUMS
#undef NEXT
#undef X_ROW
#undef X_FOUR
#undef COEFFICIENT
#undef LOAD
#undef STORE
