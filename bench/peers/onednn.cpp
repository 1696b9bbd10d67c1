/*
 * oneDNN: inner product or matmul on weights reordered into the layout that it asks for ("any"), made anew for
 * each count, since its choice depends on it.
 */
#include "peer.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <unordered_map>

namespace {

using dnnl::memory;
using tag = memory::format_tag;

struct Product {
    memory::dim outputs, inputs;
    bool matmul;
    float *weights; // [N][K], kept to reorder from
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::primitive primitive;
    memory x, packed, y;
};

memory::desc shape(memory::dim rows, memory::dim columns, tag layout) {
    return {{rows, columns}, memory::data_type::f32, layout};
}

void *create(const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    const size_t size = size_t(outputs) * inputs;
    Product *p = new Product;
    p->outputs = outputs;
    p->inputs = inputs;
    p->matmul = layout == 1;
    p->weights = static_cast<float *>(bench_alloc(sizeof(float) * size));
    for (size_t i = 0; i < size; i++) {
        p->weights[i] = weights[i];
    }
    return p;
}

// The weights as the primitive wants them, from given: [N][K] to inner product, [K][N] (a view) to matmul.
void pack(Product *p, const memory::desc &wanted, const memory::desc &given) {
    memory source(given, p->engine, p->weights);
    p->packed = memory(wanted, p->engine);
    dnnl::reorder(source, p->packed).execute(p->stream, source, p->packed);
    p->stream.wait();
}

void ready_inner_product(Product *p, uint32_t count) {
    using dnnl::inner_product_forward;
    const inner_product_forward::desc desc(dnnl::prop_kind::forward_inference, shape(count, p->inputs, tag::ab),
                                           shape(p->outputs, p->inputs, tag::any),
                                           shape(count, p->outputs, tag::ab));
    const inner_product_forward::primitive_desc found(desc, p->engine);
    pack(p, found.weights_desc(), shape(p->outputs, p->inputs, tag::ab));
    p->primitive = inner_product_forward(found);
}

void ready_matmul(Product *p, uint32_t count) {
    const dnnl::matmul::desc desc(shape(count, p->inputs, tag::ab), shape(p->inputs, p->outputs, tag::any),
                                  shape(count, p->outputs, tag::ab));
    const dnnl::matmul::primitive_desc found(desc, p->engine);
    pack(p, found.weights_desc(), shape(p->inputs, p->outputs, tag::ba));
    p->primitive = dnnl::matmul(found);
}

void ready(void *state, uint32_t count) {
    Product *p = static_cast<Product *>(state);
    p->x = memory(shape(count, p->inputs, tag::ab), p->engine, DNNL_MEMORY_NONE);
    p->y = memory(shape(count, p->outputs, tag::ab), p->engine, DNNL_MEMORY_NONE);
    if (p->matmul) {
        ready_matmul(p, count);
    } else {
        ready_inner_product(p, count);
    }
}

void run(void *state, uint32_t, const float *x, float *y) {
    Product *p = static_cast<Product *>(state);
    p->x.set_data_handle(const_cast<float *>(x), p->stream);
    p->y.set_data_handle(y, p->stream);
    p->primitive.execute(p->stream,
                         {{DNNL_ARG_SRC, p->x}, {DNNL_ARG_WEIGHTS, p->packed}, {DNNL_ARG_DST, p->y}});
}

void destroy(void *state) {
    Product *p = static_cast<Product *>(state);
    bench_free(p->weights);
    delete p;
}

const gemm_library library = {nullptr, create, ready, run, destroy};
const char *const names[] = {"expand ip", "wide ip", "expand matmul", "wide matmul"};

} // namespace

extern "C" {
extern const layer_peer peer_onednn;
const layer_peer peer_onednn = {"oneDNN",  forms_unavailable, 4,       names, forms_create, forms_ready,
                                forms_run, forms_destroy,     &library};
}
