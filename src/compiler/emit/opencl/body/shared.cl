/*
 * Sums, largest and smallest of few elements or of rows that lie side by side: the items of a group share what one element
 * reduces, and meet in local memory. Where a term lies goes on from turn to turn, as in tile.cl.
 *
 * Macros: NAME PARAMETERS BATCH K_COUNT K_AXES K_PLACE K_STEP K_NEXT TERM(k) RESULT FIRST COMBINE(a, b) PARTS (a power of two),
 * DEPTH, 1; FINISH as in tile.cl.
 */
__attribute__((reqd_work_group_size(PARTS, 1, 1))) __kernel void NAME(PARAMETERS) {
    __local float parts[PARTS];
    const uint part = get_local_id(0), batch = get_group_id(0);
    float total = FIRST;
    uint at[K_AXES];
    BATCH
    K_STEP
    K_PLACE(at, part);
#pragma unroll 4
    for (uint k = part; k < K_COUNT; k += PARTS) {
        total = COMBINE(total, TERM(at));
        K_NEXT(at, (k + PARTS));
    }
    parts[part] = total;
    for (uint half_of = PARTS / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part < half_of) {
            parts[part] = COMBINE(parts[part], parts[part + half_of]);
        }
    }
    if (part == 0) {
        RESULT = parts[0];
#ifdef FINISH
        FINISH;
#endif
    }
}
