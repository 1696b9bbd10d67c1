/*
 * Sums of products in tiles: y[b][m][n] = sum over k of left[b][m][k] right[b][k][n], of batches, rows and outputs that are
 * any axes. Where left and right come from is said by functions that compute an element of them: windows of a convolution,
 * say, with zeros around them, exist in local memory alone.
 *
 * A group makes ROWS x OUTPUTS of y, an item 4 x 4 of those. DEPTH of k at a time go through local memory; the next ones are
 * on their way to registers meanwhile. PARTS items share an element of y and take turns at k: so small tensors have work for
 * all cores; their sums meet in local memory at the end.
 *
 * Macros: NAME PARAMETERS BATCH M_COUNT N_COUNT K_COUNT LEFT(m, k) RIGHT(k, n) RESULT(m, n) ROWS OUTPUTS DEPTH PARTS;
 * LEFT_ALONG_K, RIGHT_ALONG_K: what follows each other along k lies side by side; FINISH(m, n), where there is what finishes
 * a sum, which it finds in its result.
 */
#define OUTPUT_ITEMS (OUTPUTS / 4)
#define ITEMS (ROWS / 4 * OUTPUT_ITEMS)
#define LEFT_EACH (ROWS * DEPTH / ITEMS)
#define RIGHT_EACH (OUTPUTS * DEPTH / ITEMS)
#define LEFT_STRIDE (ROWS + 4)
#define RIGHT_STRIDE (OUTPUTS + 4)
#define TILE (DEPTH * (LEFT_STRIDE + RIGHT_STRIDE))
#define SUMS (PARTS > 1 ? ROWS * OUTPUTS : 0)
#if LEFT_ALONG_K
#define LEFT_K(i) ((item + (i) * ITEMS) % DEPTH)
#define LEFT_M(i) ((item + (i) * ITEMS) / DEPTH)
#else
#define LEFT_K(i) ((item + (i) * ITEMS) / ROWS)
#define LEFT_M(i) ((item + (i) * ITEMS) % ROWS)
#endif
#if RIGHT_ALONG_K
#define RIGHT_K(i) ((item + (i) * ITEMS) % DEPTH)
#define RIGHT_N(i) ((item + (i) * ITEMS) / DEPTH)
#else
#define RIGHT_K(i) ((item + (i) * ITEMS) / OUTPUTS)
#define RIGHT_N(i) ((item + (i) * ITEMS) % OUTPUTS)
#endif
#define LOAD \
    _Pragma("unroll") for (uint i = 0; i < LEFT_EACH; i++) { \
        const uint m = first_m + LEFT_M(i), k = first_k + LEFT_K(i); \
        left_next[i] = m < M_COUNT && k < K_COUNT ? LEFT(m, k) : 0.0f; \
    } \
    _Pragma("unroll") for (uint i = 0; i < RIGHT_EACH; i++) { \
        const uint n = first_n + RIGHT_N(i), k = first_k + RIGHT_K(i); \
        right_next[i] = n < N_COUNT && k < K_COUNT ? RIGHT(k, n) : 0.0f; \
    }

__attribute__((reqd_work_group_size(ITEMS *PARTS, 1, 1))) __kernel void NAME(PARAMETERS) {
    __local float tiles[PARTS * TILE > SUMS ? PARTS * TILE : SUMS] __attribute__((aligned(16)));
    const uint item = get_local_id(0) % ITEMS, part = get_local_id(0) / ITEMS;
    const uint wide = (N_COUNT + OUTPUTS - 1) / OUTPUTS, high = (M_COUNT + ROWS - 1) / ROWS;
    const uint group = get_group_id(0), batch = group / wide / high;
    const uint first_n = group % wide * OUTPUTS, first_m = group / wide % high * ROWS;
    const uint output_item = item % OUTPUT_ITEMS, row_item = item / OUTPUT_ITEMS;
    __local float *left_tile = tiles + part * TILE, *right_tile = left_tile + DEPTH * LEFT_STRIDE;
    float sum[4][4], left_next[LEFT_EACH], right_next[RIGHT_EACH];
    BATCH
#pragma unroll
    for (uint i = 0; i < 16; i++) {
        sum[i / 4][i % 4] = 0;
    }
    uint first_k = part * DEPTH;
    LOAD
    for (uint turn = 0; turn < K_COUNT; turn += PARTS * DEPTH) { /* the last ones of some parts are zeros */
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint i = 0; i < LEFT_EACH; i++) {
            left_tile[LEFT_K(i) * LEFT_STRIDE + LEFT_M(i)] = left_next[i];
        }
#pragma unroll
        for (uint i = 0; i < RIGHT_EACH; i++) {
            right_tile[RIGHT_K(i) * RIGHT_STRIDE + RIGHT_N(i)] = right_next[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        first_k += PARTS * DEPTH;
        LOAD
#pragma unroll
        for (uint k = 0; k < DEPTH; k++) {
            const float4 rows = *(__local const float4 *)(left_tile + k * LEFT_STRIDE + 4 * row_item);
            const float4 outputs = *(__local const float4 *)(right_tile + k * RIGHT_STRIDE + 4 * output_item);
#pragma unroll
            for (uint a = 0; a < 4; a++) {
                const float one = a == 0 ? rows.x : a == 1 ? rows.y : a == 2 ? rows.z : rows.w;
                sum[a][0] = fma(one, outputs.x, sum[a][0]);
                sum[a][1] = fma(one, outputs.y, sum[a][1]);
                sum[a][2] = fma(one, outputs.z, sum[a][2]);
                sum[a][3] = fma(one, outputs.w, sum[a][3]);
            }
        }
    }
#if PARTS > 1
    for (uint other = 1; other < PARTS; other++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == other) {
#pragma unroll
            for (uint i = 0; i < 16; i++) {
                tiles[i * ITEMS + item] = sum[i / 4][i % 4];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == 0) {
#pragma unroll
            for (uint i = 0; i < 16; i++) {
                sum[i / 4][i % 4] += tiles[i * ITEMS + item];
            }
        }
    }
    if (part > 0) {
        return;
    }
#endif
#pragma unroll
    for (uint i = 0; i < 16; i++) {
        const uint m = first_m + 4 * row_item + i / 4, n = first_n + 4 * output_item + i % 4;
        if (m < M_COUNT && n < N_COUNT) {
            RESULT(m, n) = sum[i / 4][i % 4];
        }
    }
#ifdef FINISH
#pragma unroll 1
    for (uint i = 0; i < 16; i++) { /* an item finds what it wrote itself */
        const uint m = first_m + 4 * row_item + i / 4, n = first_n + 4 * output_item + i % 4;
        if (m < M_COUNT && n < N_COUNT) {
            FINISH(m, n);
        }
    }
#endif
}
#undef OUTPUT_ITEMS
#undef ITEMS
#undef LEFT_EACH
#undef RIGHT_EACH
#undef LEFT_STRIDE
#undef RIGHT_STRIDE
#undef TILE
#undef SUMS
#undef LEFT_K
#undef LEFT_M
#undef RIGHT_K
#undef RIGHT_N
#undef LOAD
