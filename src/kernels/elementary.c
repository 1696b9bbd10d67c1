#include "kernels/elementary.h"

/* One lane of plain C; in one file with a table of kernels, the first lane of that table's vocabulary. */
#include "kernels/simd/scalar.h"

#include "kernels/body/elementary.inc"

float gali_sin(float x) {
    return gali_vf_first(gali_vf_sin(gali_vf_set(x)));
}

float gali_cos(float x) {
    return gali_vf_first(gali_vf_cos(gali_vf_set(x)));
}

float gali_sin_cos(float x, float *cosine) {
    gali_vf c, s = gali_vf_sin_cos(gali_vf_set(x), &c);
    *cosine = gali_vf_first(c);
    return gali_vf_first(s);
}

float gali_atan2(float y, float x) {
    return gali_vf_first(gali_vf_atan2(gali_vf_set(y), gali_vf_set(x)));
}

float gali_acos(float x) {
    return gali_vf_first(gali_vf_acos(gali_vf_set(x)));
}

float gali_pow(float x, float y) {
    return gali_vf_first(gali_vf_pow(gali_vf_set(x), gali_vf_set(y)));
}

float gali_exp(float x) {
    return gali_vf_first(gali_vf_exp(gali_vf_set(x)));
}
