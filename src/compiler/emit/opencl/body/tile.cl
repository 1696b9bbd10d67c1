/*
 * Sums of products in tiles: y[b][m][n] = sum over k of left[b][m][k] right[b][k][n], of batches, rows and outputs that are
 * any axes. Where left and right come from is said by functions that compute an element of them: windows of a convolution,
 * say, with zeros around them, exist in local memory alone.
 *
 * A group makes ROWS x OUTPUTS of y, an item ROW_REGISTERS x OUTPUT_REGISTERS of those, in fours. DEPTH of k at a time go
 * through one of two buffers in local memory; the next ones are on their way to registers meanwhile. PARTS items share an
 * element of y and take turns at k: so small tensors have work for all cores; their sums meet in local memory at the end.
 *
 * Where an element lies is told by its axes, which are numbers of an array: those of rows and outputs are computed once, those
 * of k before the first turn, and go on from turn to turn by sums with a carry: nothing is divided in the loop.
 *
 * Macros: NAME PARAMETERS BATCH M_COUNT N_COUNT K_COUNT; M_AXES N_AXES K_AXES, M_PLACE(to, m) N_PLACE(to, n) K_PLACE(to, k),
 * which fill such arrays; K_STEP, what K_NEXT(at, k) needs, which goes on by PARTS x DEPTH to k; K_INSIDE(at, k);
 * LEFT(m, k) RIGHT(k, n) RESULT(m, n) of arrays; ROWS OUTPUTS DEPTH PARTS ROW_REGISTERS OUTPUT_REGISTERS; LEFT_ALONG_K,
 * RIGHT_ALONG_K: what follows each other along k lies side by side; FINISH(m, n), where there is what finishes a sum, which it
 * finds in its result.
 */
#define ROW_ITEMS (ROWS / ROW_REGISTERS)
#define OUTPUT_ITEMS (OUTPUTS / OUTPUT_REGISTERS)
#define ITEMS (ROW_ITEMS * OUTPUT_ITEMS)
#define LEFT_EACH (ROWS * DEPTH / ITEMS)
#define RIGHT_EACH (OUTPUTS * DEPTH / ITEMS)
#define LEFT_STRIDE (ROWS + 4)
#define RIGHT_STRIDE (OUTPUTS + 4)
#define LEFT_TILE (DEPTH * LEFT_STRIDE)
#define RIGHT_TILE (DEPTH * RIGHT_STRIDE)
#define TILE (2 * (LEFT_TILE + RIGHT_TILE)) /* two buffers of each, of a part */
#define SUMS (PARTS > 1 ? ROWS * OUTPUTS : 0)
/* Load i of an item is of its row i % LEFT_MS and of its k i / LEFT_MS. */
#if LEFT_ALONG_K
#define LEFT_MS LEFT_EACH
#define LEFT_M(i) (item / DEPTH + (i) * (ITEMS / DEPTH))
#define LEFT_K(i) (item % DEPTH)
#elif ITEMS >= ROWS
#define LEFT_MS 1
#define LEFT_M(i) (item % ROWS)
#define LEFT_K(i) (item / ROWS + (i) * (ITEMS / ROWS))
#else
#define LEFT_MS (ROWS / ITEMS)
#define LEFT_M(i) (item + (i) * ITEMS)
#define LEFT_K(i) (i)
#endif
#if RIGHT_ALONG_K
#define RIGHT_NS RIGHT_EACH
#define RIGHT_N(i) (item / DEPTH + (i) * (ITEMS / DEPTH))
#define RIGHT_K(i) (item % DEPTH)
#elif ITEMS >= OUTPUTS
#define RIGHT_NS 1
#define RIGHT_N(i) (item % OUTPUTS)
#define RIGHT_K(i) (item / OUTPUTS + (i) * (ITEMS / OUTPUTS))
#else
#define RIGHT_NS (OUTPUTS / ITEMS)
#define RIGHT_N(i) (item + (i) * ITEMS)
#define RIGHT_K(i) (i)
#endif
#define LEFT_KS (LEFT_EACH / LEFT_MS)
#define RIGHT_KS (RIGHT_EACH / RIGHT_NS)
#define LOAD \
    _Pragma("unroll") for (uint i = 0; i < LEFT_EACH; i++) { \
        left_next[i] = first_m + LEFT_M(i % LEFT_MS) < M_COUNT && \
                               K_INSIDE(left_k[i / LEFT_MS], first_k + LEFT_K(i / LEFT_MS)) \
                           ? LEFT(left_m[i % LEFT_MS], left_k[i / LEFT_MS]) \
                           : 0.0f; \
    } \
    _Pragma("unroll") for (uint i = 0; i < RIGHT_EACH; i++) { \
        right_next[i] = first_n + RIGHT_N(i % RIGHT_NS) < N_COUNT && \
                                K_INSIDE(right_k[i / RIGHT_NS], first_k + RIGHT_K(i / RIGHT_NS)) \
                            ? RIGHT(right_k[i / RIGHT_NS], right_n[i % RIGHT_NS]) \
                            : 0.0f; \
    }
#define STORE(buffer) \
    _Pragma("unroll") for (uint i = 0; i < LEFT_EACH; i++) { \
        left_tile[(buffer) * LEFT_TILE + LEFT_K(i / LEFT_MS) * LEFT_STRIDE + LEFT_M(i % LEFT_MS)] = left_next[i]; \
    } \
    _Pragma("unroll") for (uint i = 0; i < RIGHT_EACH; i++) { \
        right_tile[(buffer) * RIGHT_TILE + RIGHT_K(i / RIGHT_NS) * RIGHT_STRIDE + RIGHT_N(i % RIGHT_NS)] = \
            right_next[i]; \
    }

__attribute__((reqd_work_group_size(ITEMS *PARTS, 1, 1))) __kernel void NAME(PARAMETERS) {
    __local float tiles[PARTS * TILE > SUMS ? PARTS * TILE : SUMS] __attribute__((aligned(16)));
    const uint item = get_local_id(0) % ITEMS, part = get_local_id(0) / ITEMS;
    const uint wide = (N_COUNT + OUTPUTS - 1) / OUTPUTS, high = (M_COUNT + ROWS - 1) / ROWS;
    const uint group = get_group_id(0), batch = group / wide / high;
    const uint first_n = group % wide * OUTPUTS, first_m = group / wide % high * ROWS;
#if OUTPUT_ITEMS % 8 == 0 && ROW_ITEMS % 4 == 0 /* 32 items read few rows and few outputs */
    const uint lane = item % 32, warp = item / 32;
    const uint output_item = warp % (OUTPUT_ITEMS / 8) * 8 + lane % 8;
    const uint row_item = warp / (OUTPUT_ITEMS / 8) * 4 + lane / 8;
#else
    const uint output_item = item % OUTPUT_ITEMS, row_item = item / OUTPUT_ITEMS;
#endif
    __local float *left_tile = tiles + part * TILE, *right_tile = left_tile + 2 * LEFT_TILE;
    float sum[ROW_REGISTERS][OUTPUT_REGISTERS], left_next[LEFT_EACH], right_next[RIGHT_EACH];
    uint left_m[LEFT_MS][M_AXES], left_k[LEFT_KS][K_AXES], right_n[RIGHT_NS][N_AXES], right_k[RIGHT_KS][K_AXES];
    uint first_k = part * DEPTH;
    BATCH
    K_STEP
#pragma unroll
    for (uint i = 0; i < LEFT_MS; i++) {
        M_PLACE(left_m[i], (first_m + LEFT_M(i)));
    }
#pragma unroll
    for (uint i = 0; i < RIGHT_NS; i++) {
        N_PLACE(right_n[i], (first_n + RIGHT_N(i)));
    }
#pragma unroll
    for (uint i = 0; i < LEFT_KS; i++) {
        K_PLACE(left_k[i], (first_k + LEFT_K(i)));
    }
#pragma unroll
    for (uint i = 0; i < RIGHT_KS; i++) {
        K_PLACE(right_k[i], (first_k + RIGHT_K(i)));
    }
#pragma unroll
    for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) {
        sum[i / OUTPUT_REGISTERS][i % OUTPUT_REGISTERS] = 0;
    }
    LOAD
    STORE(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint turn = 0, buffer = 0; turn < K_COUNT; turn += PARTS * DEPTH, buffer = 1 - buffer) {
        first_k += PARTS * DEPTH; /* the last ones are zeros */
#pragma unroll
        for (uint i = 0; i < LEFT_KS; i++) {
            K_NEXT(left_k[i], (first_k + LEFT_K(i)));
        }
#pragma unroll
        for (uint i = 0; i < RIGHT_KS; i++) {
            K_NEXT(right_k[i], (first_k + RIGHT_K(i)));
        }
        LOAD
#pragma unroll
        for (uint k = 0; k < DEPTH; k++) {
            __local const float *left_at = left_tile + buffer * LEFT_TILE + k * LEFT_STRIDE,
                                *right_at = right_tile + buffer * RIGHT_TILE + k * RIGHT_STRIDE;
            float4 left[ROW_REGISTERS / 4], right[OUTPUT_REGISTERS / 4];
#pragma unroll
            for (uint a = 0; a < ROW_REGISTERS / 4; a++) {
                left[a] = *(__local const float4 *)(left_at + 4 * (a * ROW_ITEMS + row_item));
            }
#pragma unroll
            for (uint b = 0; b < OUTPUT_REGISTERS / 4; b++) {
                right[b] = *(__local const float4 *)(right_at + 4 * (b * OUTPUT_ITEMS + output_item));
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
    for (uint other = 1; other < PARTS; other++) {
        if (part == other) {
#pragma unroll
            for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) {
                tiles[i * ITEMS + item] = sum[i / OUTPUT_REGISTERS][i % OUTPUT_REGISTERS];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == 0) {
#pragma unroll
            for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) {
                sum[i / OUTPUT_REGISTERS][i % OUTPUT_REGISTERS] += tiles[i * ITEMS + item];
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
        const uint row = first_m + 4 * (a / 4 * ROW_ITEMS + row_item) + a % 4;
        uint m[M_AXES];
        M_PLACE(m, row);
#pragma unroll
        for (uint b = 0; b < OUTPUT_REGISTERS; b++) {
            const uint output = first_n + 4 * (b / 4 * OUTPUT_ITEMS + output_item) + b % 4;
            uint n[N_AXES];
            N_PLACE(n, output);
            if (row < M_COUNT && output < N_COUNT) {
                RESULT(m, n) = sum[a][b];
            }
        }
    }
#ifdef FINISH
#pragma unroll 1
    for (uint i = 0; i < ROW_REGISTERS * OUTPUT_REGISTERS; i++) { /* an item finds what it wrote itself */
        const uint a = i / OUTPUT_REGISTERS, b = i % OUTPUT_REGISTERS;
        const uint row = first_m + 4 * (a / 4 * ROW_ITEMS + row_item) + a % 4,
                   output = first_n + 4 * (b / 4 * OUTPUT_ITEMS + output_item) + b % 4;
        uint m[M_AXES], n[N_AXES];
        M_PLACE(m, row);
        N_PLACE(n, output);
        if (row < M_COUNT && output < N_COUNT) {
            FINISH(m, n);
        }
    }
#endif
}
#undef ROW_ITEMS
#undef OUTPUT_ITEMS
#undef ITEMS
#undef LEFT_EACH
#undef RIGHT_EACH
#undef LEFT_STRIDE
#undef RIGHT_STRIDE
#undef LEFT_TILE
#undef RIGHT_TILE
#undef TILE
#undef SUMS
#undef LEFT_MS
#undef LEFT_M
#undef LEFT_K
#undef LEFT_KS
#undef RIGHT_NS
#undef RIGHT_N
#undef RIGHT_K
#undef RIGHT_KS
#undef LOAD
#undef STORE
