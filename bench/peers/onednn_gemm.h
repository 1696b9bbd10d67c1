/* oneDNN's product of int8 matrices: matmul or inner product, whichever runs the shape faster here. */
#ifndef GALLOP_BENCH_ONEDNN_GEMM_H
#define GALLOP_BENCH_ONEDNN_GEMM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct onednn_gemm onednn_gemm;

/* b[inner][columns] is reordered into the layout that the primitive asks for; a[rows][inner] and c[rows][columns] stay where they are. */
onednn_gemm *onednn_gemm_create(uint32_t rows, uint32_t inner, uint32_t columns, const int8_t *a,
                                const int8_t *b, int32_t *c);
void onednn_gemm_run(onednn_gemm *gemm);
void onednn_gemm_destroy(onednn_gemm *gemm);

#ifdef __cplusplus
}
#endif
#endif
