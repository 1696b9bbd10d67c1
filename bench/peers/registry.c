/*
 * The list of engines, ours first, then the ruler, then the rest. A peer whose package was not there at build
 * time is a place holder that says so.
 */
#ifdef BENCH_COMPILER
#include "../harness/compiled.h"
#endif
#include "../harness/ours.h"
#include "peer.h"

#define MISSING(title, package)                                                                                \
    {.name = title, .context = "not built: needs " package, .unavailable = not_built}

static inline const char *not_built(const engine *self) {
    return self->context;
}

extern const engine engine_onnxruntime;
extern const layer_peer peer_eigen_native, peer_eigen_published, peer_eigen_blend, peer_eigen_interp_a,
    peer_openblas, peer_blis, peer_onednn, peer_libxsmm, peer_xnnpack;

static const engine engines[] = {
    OURS_ENGINE("gallop", ours_default, NULL),
    OURS_ENGINE("gallop tuned", ours_tuned, NULL),
    OURS_ENGINE("gallop blend", ours_blend, NULL),
#if defined(__x86_64__)
    OURS_ENGINE("gallop avx2", ours_avx2, "avx2"),
#endif
    OURS_ENGINE("gallop scalar", ours_scalar, "scalar"),
    OURS_NARROW("gallop int16", ours_int16, 1e-2),
    OURS_NARROW("gallop int8", ours_int8, 0.2),
    OURS_NARROW("gallop int8-dot", ours_int8_dot, 0.2),
    OURS_NARROW("gallop int8 row", ours_int8_row, 0.2),
    OURS_NARROW("gallop tuned int16", ours_tuned_int16, 1e-2),
    OURS_NARROW("gallop tuned int8", ours_tuned_int8, 0.2),
    OURS_NARROW("gallop tuned int8 row", ours_tuned_int8_row, 0.2),
    OURS_NARROW("gallop bf16", ours_bf16, 5e-2),
    OURS_NARROW("gallop bf16-dot", ours_bf16_dot, 5e-2),
    OURS_NARROW("gallop fp16", ours_fp16, 5e-3),
#if defined(__x86_64__)
    OURS_NARROW("gallop avx2 int16", ours_avx2_int16, 1e-2),
    OURS_NARROW("gallop avx2 int8", ours_avx2_int8, 0.2),
#endif
#ifdef BENCH_COMPILER
    COMPILED_ENGINES("compiled", NULL, NULL),
#if defined(__x86_64__)
    COMPILED_ENGINES("compiled avx2", "avx2", "x86-64-v3"),
#endif
#endif
#ifdef BENCH_EIGEN
    CHAIN_ENGINE("Eigen naive", &peer_eigen_native),
    CHAIN_ENGINE("Eigen naive -Ofast", &peer_eigen_published),
    CHAIN_ENGINE("Eigen blend", &peer_eigen_blend),
    CHAIN_ENGINE("Eigen InterpA", &peer_eigen_interp_a),
#else
    MISSING("Eigen naive", "libeigen3-dev"),
    MISSING("Eigen naive -Ofast", "libeigen3-dev"),
    MISSING("Eigen blend", "libeigen3-dev"),
    MISSING("Eigen InterpA", "libeigen3-dev"),
#endif
    CHAIN_ENGINE("OpenBLAS", &peer_openblas),
    CHAIN_ENGINE("BLIS", &peer_blis),
#ifdef BENCH_ONEDNN
    CHAIN_ENGINE("oneDNN", &peer_onednn),
#else
    MISSING("oneDNN", "libdnnl-dev"),
#endif
#ifdef BENCH_LIBXSMM
    CHAIN_ENGINE("libxsmm", &peer_libxsmm),
#else
    MISSING("libxsmm", "libxsmm-dev"),
#endif
#ifdef BENCH_XNNPACK
    CHAIN_ENGINE("XNNPACK", &peer_xnnpack),
#else
    MISSING("XNNPACK", "libxnnpack-dev"),
#endif
};

static const size_t table_count = sizeof engines / sizeof *engines;

/* The table, then the engines that are defined elsewhere. */
size_t engine_count(void) {
    return table_count + 1;
}

const engine *engine_at(size_t i) {
    return i < table_count ? &engines[i] : &engine_onnxruntime;
}
