/*
 * The paper's baseline: each layer's weight matrix is interpolated as one Eigen array expression, then multiplied
 * with the input, character by character. Two expressions: as published (the spline's polynomial over the four
 * control points, evaluated element by element) and blend (its four coefficients first, a fifth faster: the best
 * that this structure gives). Layouts: Eigen's default order or rows contiguous for blend; the published
 * program used the default.
 *
 * Built several times with different flags (see ../CMakeLists.txt), which is why Eigen's namespace has a name of
 * its own in each: two builds of one template under one name would be merged by the linker.
 */
#define Eigen EIGEN_NAMESPACE
#include <Eigen/Dense>

#include "peer.h"

#include <cmath>

#ifndef PEER_PUBLISHED
#define PEER_PUBLISHED 0
#endif

namespace {

using ColumnMajor = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using RowMajor = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::ArrayXf;

template <typename Matrix> struct Layer {
    bench_layer shape;
    Matrix weights[BENCH_EXPERTS_MAX];
    Vector biases[BENCH_EXPERTS_MAX];
    Matrix blended;
    Vector bias;
};

template <typename Matrix> void *create(const bench_layer *shape) {
    auto *layer = new Layer<Matrix>;
    const Eigen::Index rows = shape->outputs, columns = shape->inputs;
    layer->shape = *shape;
    for (uint32_t e = 0; e < shape->experts; e++) {
        const float *weights = shape->weights + size_t(e) * size_t(rows * columns);
        layer->weights[e] = Eigen::Map<const RowMajor>(weights, rows, columns);
        layer->biases[e] = Eigen::Map<const Vector>(shape->biases + size_t(e) * size_t(rows), rows);
    }
    layer->blended.resize(rows, columns);
    layer->bias.resize(rows);
    return layer;
}

// One expression over the paper's four experts or a MANN's eight; a sum one by one for other numbers.
template <typename Array> void blend_into(Array &out, const Array *in, const float *w, uint32_t experts) {
    if (experts == 4) {
        out = w[0] * in[0] + w[1] * in[1] + w[2] * in[2] + w[3] * in[3];
        return;
    }
    if (experts == 8) {
        out = w[0] * in[0] + w[1] * in[1] + w[2] * in[2] + w[3] * in[3] + w[4] * in[4] + w[5] * in[5] +
              w[6] * in[6] + w[7] * in[7];
        return;
    }
    out = w[0] * in[0];
    for (uint32_t e = 1; e < experts; e++) {
        out += w[e] * in[e];
    }
}

// Catmull-Rom through four neighbouring control points, as a cubic in mu.
template <typename Array>
void cubic_into(Array &out, const Array &a, const Array &b, const Array &c, const Array &d, float mu) {
    out = (-0.5f * a + 1.5f * b - 1.5f * c + 0.5f * d) * mu * mu * mu +
          (a - 2.5f * b + 2.0f * c - 0.5f * d) * mu * mu + (-0.5f * a + 0.5f * c) * mu + b;
}

template <typename Array> void published_into(Array &out, const Array *in, float phase, uint32_t experts) {
    const double u = experts * double(phase) / (2 * M_PI);
    const auto k = uint32_t(std::floor(u)) + experts;
    const auto mu = float(u - std::floor(u));
    cubic_into(out, in[(k - 1) % experts], in[k % experts], in[(k + 1) % experts], in[(k + 2) % experts], mu);
}

// phase is NULL where the caller gives the blend.
template <typename Matrix> void interpolate(Layer<Matrix> *layer, const float *phase, const float *w) {
    const uint32_t experts = layer->shape.experts;
    if (PEER_PUBLISHED && experts >= 4 && phase) {
        published_into(layer->blended, layer->weights, *phase, experts);
        published_into(layer->bias, layer->biases, *phase, experts);
    } else {
        blend_into(layer->blended, layer->weights, w, experts);
        blend_into(layer->bias, layer->biases, w, experts);
    }
}

template <typename Matrix>
void run_as(Layer<Matrix> *layer, const bench_batch *batch, const float *x, float *y) {
    const bench_layer &shape = layer->shape;
    for (uint32_t c = 0; c < batch->count; c++) {
        const Eigen::Map<const Eigen::VectorXf> in(x + size_t(c) * shape.inputs, shape.inputs);
        Eigen::Map<Eigen::VectorXf> out(y + size_t(c) * shape.outputs, shape.outputs);
        interpolate(layer, batch->phase ? batch->phase + c : nullptr, batch->blend + size_t(c) * shape.experts);
        out.noalias() = layer->blended.matrix() * in;
        out.array() += layer->bias;
        if (shape.elu) {
            out.array() = out.array().max(0.0f) + (out.array().min(0.0f).exp() - 1.0f);
        }
    }
}

struct Peer {
    bool rows;
    void *layer;
};

void *create_peer(const layer_peer *, const bench_layer *shape, unsigned variant, uint32_t) {
    const bool rows = variant == 1;
    return new Peer{rows, rows ? create<RowMajor>(shape) : create<ColumnMajor>(shape)};
}

void run(void *state, const bench_batch *batch, const float *x, float *y) {
    const Peer *peer = static_cast<Peer *>(state);
    if (peer->rows) {
        run_as(static_cast<Layer<RowMajor> *>(peer->layer), batch, x, y);
    } else {
        run_as(static_cast<Layer<ColumnMajor> *>(peer->layer), batch, x, y);
    }
}

void destroy(void *state) {
    Peer *peer = static_cast<Peer *>(state);
    if (peer->rows) {
        delete static_cast<Layer<RowMajor> *>(peer->layer);
    } else {
        delete static_cast<Layer<ColumnMajor> *>(peer->layer);
    }
    delete peer;
}

const char *const names[] = {"columns", "rows"};

} // namespace

extern "C" {
extern const layer_peer PEER_SYMBOL;
const layer_peer PEER_SYMBOL = {
    "eigen naive", nullptr, PEER_PUBLISHED ? 1 : 2, names, create_peer, nullptr, run, destroy, nullptr};
}
