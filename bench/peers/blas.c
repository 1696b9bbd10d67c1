/*
 * OpenBLAS and BLIS through their CBLAS interface. Both export the same names, so each is loaded by itself
 * with its own scope (RTLD_LOCAL, RTLD_DEEPBIND) and asked for one thread. Neither has a public packed form in
 * Debian's versions, so the layouts are which side is transposed: weights [N][K] or [K][N].
 */
#define _GNU_SOURCE
#include "peer.h"

#include <dlfcn.h>
#include <string.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* CBLAS's fixed numbers */

typedef void (*sgemm_function)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                               const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void (*sgemv_function)(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                               const float *x, int incx, float beta, float *y, int incy);

typedef struct blas {
    const char *file, *threads_name; /* the library, its function that sets the number of threads */
    int threads_long;                /* BLIS counts threads in its own 64-bit integers */
    void *handle;
    sgemm_function gemm;
    sgemv_function gemv;
} blas;

typedef struct product {
    const blas *blas;
    int outputs, inputs, transposed; /* transposed: [K][N] */
    float *weights;
} product;

static blas openblas = {.file = "openblas-pthread/libopenblas.so.0",
                        .threads_name = "openblas_set_num_threads"};
static blas blis = {.file = "libblis.so.4", .threads_name = "bli_thread_set_num_threads", .threads_long = 1};

/* dlsym gives an object pointer; POSIX says it may be copied into a function pointer. */
static void find(void *handle, const char *name, void *function, size_t size) {
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, size);
}

static void one_thread(const blas *b) {
    void (*set_int)(int) = NULL;
    void (*set_long)(int64_t) = NULL;
    if (b->threads_long) {
        find(b->handle, b->threads_name, &set_long, sizeof set_long);
    } else {
        find(b->handle, b->threads_name, &set_int, sizeof set_int);
    }
    if (set_int) {
        set_int(1);
    }
    if (set_long) {
        set_long(1);
    }
}

static const char *load(blas *b) {
    const char *plain = strrchr(b->file, '/');
    const int mode = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
    b->handle = dlopen(b->file, mode);
    if (b->handle == NULL && plain) {
        b->handle = dlopen(plain + 1, mode);
    }
    if (b->handle == NULL) {
        return "not installed";
    }
    find(b->handle, "cblas_sgemm", &b->gemm, sizeof b->gemm);
    find(b->handle, "cblas_sgemv", &b->gemv, sizeof b->gemv);
    one_thread(b);
    return b->gemm && b->gemv ? NULL : "no CBLAS in the library";
}

static const char *openblas_unavailable(void) {
    return openblas.gemm ? NULL : load(&openblas);
}

static const char *blis_unavailable(void) {
    return blis.gemm ? NULL : load(&blis);
}

static void *create(const blas *b, const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    product *p = bench_alloc(sizeof *p);
    const size_t rows = outputs, columns = inputs;
    *p = (product){.blas = b, .outputs = (int)outputs, .inputs = (int)inputs, .transposed = layout == 1};
    p->weights = bench_alloc(sizeof(float) * rows * columns);
    for (size_t n = 0; n < rows; n++) {
        for (size_t k = 0; k < columns; k++) {
            p->weights[layout == 1 ? k * rows + n : n * columns + k] = weights[n * columns + k];
        }
    }
    return p;
}

static void *openblas_create(const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    return create(&openblas, weights, outputs, inputs, layout);
}

static void *blis_create(const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    return create(&blis, weights, outputs, inputs, layout);
}

static void run(void *gemm, uint32_t count, const float *x, float *y) {
    const product *p = gemm;
    const int n = p->outputs, k = p->inputs, lead = p->transposed ? n : k;
    if (count == 1) {
        p->blas->gemv(ROW_MAJOR, p->transposed ? TRANS : NO_TRANS, p->transposed ? k : n, lead, 1, p->weights,
                      lead, x, 1, 0, y, 1);
        return;
    }
    p->blas->gemm(ROW_MAJOR, NO_TRANS, p->transposed ? NO_TRANS : TRANS, (int)count, n, k, 1, x, k, p->weights,
                  lead, 0, y, n);
}

static void destroy(void *gemm) {
    product *p = gemm;
    bench_free(p->weights);
    bench_free(p);
}

static const gemm_library openblas_library = {openblas_unavailable, openblas_create, NULL, run, destroy};
static const gemm_library blis_library = {blis_unavailable, blis_create, NULL, run, destroy};
static const char *const names[] = {"expand NK", "wide NK", "expand KN", "wide KN"};

const layer_peer peer_openblas = {.name = "OpenBLAS",
                                  .unavailable = forms_unavailable,
                                  .variants = 4,
                                  .variant_names = names,
                                  .create = forms_create,
                                  .ready = forms_ready,
                                  .run = forms_run,
                                  .destroy = forms_destroy,
                                  .context = &openblas_library};
const layer_peer peer_blis = {.name = "BLIS",
                              .unavailable = forms_unavailable,
                              .variants = 4,
                              .variant_names = names,
                              .create = forms_create,
                              .ready = forms_ready,
                              .run = forms_run,
                              .destroy = forms_destroy,
                              .context = &blis_library};
