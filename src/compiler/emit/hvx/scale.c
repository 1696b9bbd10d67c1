/* From sums of integers to bytes: the shift and the factors of a unit's scaling, where 16 bits hold it. */
#include <math.h>
#include <stdlib.h>

#include "compiler/emit/hvx/unit.h"

enum { BYTE_MOST = 255, HALF_MOST = 32767, SHIFT_MOST = 15, FRACTION_MOST = 6 };

int gali_hvx_least(const gali_hvx_bytes *to, double least, double most, int32_t *byte) {
    const double low = floor(least / to->scale + 0.5) + to->zero,
                 high = floor(most / to->scale + 0.5) + to->zero;
    *byte = low > 0 ? (int32_t)fmin(low, BYTE_MOST) : 0;
    return high >= (double)BYTE_MOST;
}

/* Whether a sum past 16 bits, which stays at their end, is past the result's end, too. */
static int is_held(double ratio, double bound, int32_t shift) {
    const double end = ldexp(HALF_MOST, shift);
    return bound <= end || ratio * end > BYTE_MOST + 1;
}

int gali_hvx_scale_sums(gali_hvx_unit *unit, const double *ratios, const double *bounds) {
    gali_hvx_scaling *scaling = &unit->scaling;
    double most = 0;
    for (uint32_t c = 0; c < unit->to.channels; c++) {
        most = ratios[c] > most ? ratios[c] : most;
    }
    int32_t shift = SHIFT_MOST;
    while (shift > 0 && ldexp(most, shift + 15) > (double)HALF_MOST) {
        shift--;
    }
    int held = shift > 0;
    for (uint32_t c = 0; held && c < unit->to.channels; c++) {
        held = is_held(ratios[c], bounds[c], shift);
        scaling->multipliers[c] = (int16_t)floor(ldexp(ratios[c], shift + 15) + 0.5);
    }
    scaling->shift = shift;
    scaling->zero = unit->to.zero;
    return held;
}

int gali_hvx_scale_two(gali_hvx_unit *unit) {
    double ratio[2], constant = unit->to.zero;
    int32_t fraction = FRACTION_MOST;
    for (uint32_t i = 0; i < 2; i++) {
        ratio[i] = unit->from[i].scale / unit->to.scale;
        while (fraction > 0 && ldexp(ratio[i], fraction + 9) > (double)HALF_MOST) {
            fraction--;
        }
    }
    if (fraction == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        unit->factors[i] = (int32_t)floor(ldexp(ratio[i], fraction + 9) + 0.5);
        constant -= ldexp(unit->factors[i], -fraction - 9) * unit->from[i].zero;
    }
    unit->scaling.shift = fraction;
    unit->constant = (int32_t)floor(ldexp(constant, fraction) + 0.5);
    return abs(unit->constant) <= HALF_MOST;
}
