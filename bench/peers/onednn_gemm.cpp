#include "onednn_gemm.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <chrono>
#include <unordered_map>

using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;

struct onednn_gemm {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
};

namespace {

struct Shape {
    memory::dim rows, inner, columns;
    const int8_t *a, *b;
    int32_t *c;
};

// B from its rows into the wanted layout, with what that layout keeps beside it (sums for signed bytes).
memory packed(onednn_gemm *g, const Shape &s, const memory::desc &given, const memory::desc &wanted) {
    memory source(given, g->engine, const_cast<int8_t *>(s.b)), target(wanted, g->engine);
    dnnl::reorder(source, target).execute(g->stream, source, target);
    g->stream.wait();
    return target;
}

void attach(onednn_gemm *g, const Shape &s, const memory &b) {
    g->arguments = {
        {DNNL_ARG_SRC, memory({{s.rows, s.inner}, type::s8, tag::ab}, g->engine, const_cast<int8_t *>(s.a))},
        {DNNL_ARG_WEIGHTS, b},
        {DNNL_ARG_DST, memory({{s.rows, s.columns}, type::s32, tag::ab}, g->engine, s.c)}};
}

void make_matmul(onednn_gemm *g, const Shape &s) {
    const dnnl::matmul::desc desc({{s.rows, s.inner}, type::s8, tag::ab},
                                  {{s.inner, s.columns}, type::s8, tag::any},
                                  {{s.rows, s.columns}, type::s32, tag::ab});
    const dnnl::matmul::primitive_desc found(desc, g->engine);
    g->primitive = dnnl::matmul(found);
    attach(g, s, packed(g, s, {{s.inner, s.columns}, type::s8, tag::ab}, found.weights_desc()));
}

void make_inner_product(onednn_gemm *g, const Shape &s) {
    using dnnl::inner_product_forward;
    const inner_product_forward::desc desc(
        dnnl::prop_kind::forward_inference, {{s.rows, s.inner}, type::s8, tag::ab},
        {{s.columns, s.inner}, type::s8, tag::any}, {{s.rows, s.columns}, type::s32, tag::ab});
    const inner_product_forward::primitive_desc found(desc, g->engine);
    g->primitive = inner_product_forward(found);
    attach(g, s, packed(g, s, {{s.columns, s.inner}, type::s8, tag::ba}, found.weights_desc()));
}

double seconds_of(onednn_gemm *g) {
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
        const auto start = clock::now();
        onednn_gemm_run(g);
        best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
    }
    return best;
}

} // namespace

onednn_gemm *onednn_gemm_create(uint32_t rows, uint32_t inner, uint32_t columns, const int8_t *a,
                                const int8_t *b, int32_t *c) {
    const Shape shape{rows, inner, columns, a, b, c};
    onednn_gemm *matmul = new onednn_gemm, *inner_product = new onednn_gemm;
    make_matmul(matmul, shape);
    make_inner_product(inner_product, shape);
    if (seconds_of(inner_product) < seconds_of(matmul)) {
        std::swap(matmul, inner_product);
    }
    delete inner_product;
    return matmul;
}

void onednn_gemm_run(onednn_gemm *gemm) {
    gemm->primitive.execute(gemm->stream, gemm->arguments);
    gemm->stream.wait();
}

void onednn_gemm_destroy(onednn_gemm *gemm) {
    delete gemm;
}
