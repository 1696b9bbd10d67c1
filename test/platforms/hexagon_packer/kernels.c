#include "kernels.h"

#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

void dense_vrmpy(const unsigned char *restrict in, const HVX_Vector *restrict w, HVX_Vector *restrict out,
                 int depth, int rows) {
    for (int r = 0; r < rows; r += 4) {
        HVX_Vector a0 = out[r], a1 = out[r + 1], a2 = out[r + 2], a3 = out[r + 3];
        const int *p0 = (const int *)(in + r * depth), *p1 = p0 + depth / 4, *p2 = p1 + depth / 4,
                  *p3 = p2 + depth / 4;
        for (int k = 0; k < depth / 4; k++) {
            HVX_Vector v = w[k];
            a0 = Q6_Vw_vrmpyacc_VwVubRb(a0, v, p0[k]);
            a1 = Q6_Vw_vrmpyacc_VwVubRb(a1, v, p1[k]);
            a2 = Q6_Vw_vrmpyacc_VwVubRb(a2, v, p2[k]);
            a3 = Q6_Vw_vrmpyacc_VwVubRb(a3, v, p3[k]);
        }
        out[r] = a0;
        out[r + 1] = a1;
        out[r + 2] = a2;
        out[r + 3] = a3;
    }
}

void dense_vmpy(const unsigned char *restrict in, const HVX_Vector *restrict w, HVX_VectorPair *restrict out,
                int depth, int rows) {
    for (int r = 0; r < rows; r += 2) {
        HVX_VectorPair a0 = out[r], a1 = out[r + 1];
        const int *p0 = (const int *)(in + 4 * r * depth), *p1 = p0 + depth;
        for (int k = 0; k < depth; k++) {
            HVX_Vector v = w[k];
            a0 = Q6_Wh_vmpyacc_WhVubRb(a0, v, p0[k]);
            a1 = Q6_Wh_vmpyacc_WhVubRb(a1, v, p1[k]);
        }
        out[r] = a0;
        out[r + 1] = a1;
    }
}

void dense_vmpa(const unsigned char *restrict in, const HVX_VectorPair *restrict w,
                HVX_VectorPair *restrict out, int depth, int rows) {
    for (int r = 0; r < rows; r += 2) {
        HVX_VectorPair a0 = out[r], a1 = out[r + 1];
        const int *p0 = (const int *)(in + 4 * r * depth), *p1 = p0 + depth;
        for (int k = 0; k < depth; k++) {
            HVX_VectorPair v = w[k];
            a0 = Q6_Wh_vmpaacc_WhWubRb(a0, v, p0[k]);
            a1 = Q6_Wh_vmpaacc_WhWubRb(a1, v, p1[k]);
        }
        out[r] = a0;
        out[r + 1] = a1;
    }
}

void add3(const HVX_Vector *restrict a, const HVX_Vector *restrict b, const HVX_Vector *restrict c,
          HVX_VectorPair *restrict r, int count) {
    for (int i = 0; i < count; i++) {
        r[i] = Q6_Wh_vaddacc_WhVubVub(Q6_Wh_vadd_VubVub(a[i], b[i]), c[i], Q6_V_vzero());
    }
}

void requant(const HVX_Vector *restrict sums, const HVX_Vector *restrict bias, HVX_Vector *restrict out,
             int count, int scale, int shift) {
    const HVX_Vector scales = Q6_V_vsplat_R(scale);
    for (int i = 0; i < count; i++) {
        HVX_Vector q[4];
        for (int j = 0; j < 4; j++) {
            HVX_Vector x = Q6_Vw_vadd_VwVw(sums[4 * i + j], bias[j]);
            q[j] = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(x, scales), x, scales);
            q[j] = Q6_Vw_vasr_VwR(q[j], shift);
        }
        out[i] = Q6_Vub_vpack_VhVh_sat(Q6_Vh_vpack_VwVw_sat(q[3], q[2]), Q6_Vh_vpack_VwVw_sat(q[1], q[0]));
    }
}

void relu_add(const HVX_Vector *restrict a, const HVX_Vector *restrict b, HVX_Vector *restrict out, int count) {
    for (int i = 0; i < count; i++) {
        out[i] = Q6_Vub_vadd_VubVub_sat(Q6_Vub_vmax_VubVub(a[i], b[i]), a[i]);
    }
}

void pool2(const HVX_Vector *restrict a, const HVX_Vector *restrict b, HVX_Vector *restrict out, int count) {
    for (int i = 0; i < count; i++) {
        HVX_Vector low = Q6_Vub_vmax_VubVub(a[2 * i], b[2 * i]),
                   high = Q6_Vub_vmax_VubVub(a[2 * i + 1], b[2 * i + 1]);
        out[i] = Q6_Vub_vmax_VubVub(Q6_Vb_vpacke_VhVh(high, low), Q6_Vb_vpacko_VhVh(high, low));
    }
}

void depthwise(const HVX_Vector *restrict in, const int *restrict w, HVX_VectorPair *restrict out, int count,
               int stride) {
    for (int i = 0; i < count; i++) {
        HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 3; x++) {
                sum = Q6_Wh_vmpyacc_WhVubRb(sum, in[i + y * stride + x], w[3 * y + x]);
            }
        }
        out[i] = sum;
    }
}

void unaligned(const unsigned char *restrict in, HVX_Vector *restrict out, int count) {
    for (int i = 0; i < count; i++) {
        HVX_Vector x = *(const HVX_UVector *)(in + 128 * i + 1), y = *(const HVX_UVector *)(in + 128 * i + 3);
        out[i] = Q6_Vub_vavg_VubVub_rnd(x, y);
    }
}
