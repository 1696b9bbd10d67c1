/*
 * The paper's Eq. 6 in Eigen, as its authors ran it: expanded input, stacked weights, one product. Layouts: the
 * weights in Eigen's default order, or with rows contiguous.
 */
#define Eigen EIGEN_NAMESPACE
#include <Eigen/Dense>

#include "peer.h"

namespace {

using ColumnMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Product {
    bool rows;
    ColumnMajor by_columns;
    RowMajor by_rows;
};

void *create(const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    Product *product = new Product;
    const Eigen::Map<const RowMajor> given(weights, outputs, inputs);
    product->rows = layout == 1;
    if (product->rows) {
        product->by_rows = given;
    } else {
        product->by_columns = given;
    }
    return product;
}

// A matrix-vector product has its own, faster path in Eigen: it is chosen by type, so it is asked for by type.
template <typename Weights> void multiply(const Weights &w, uint32_t count, const float *x, float *y) {
    if (count == 1) {
        Eigen::Map<Eigen::VectorXf>(y, w.rows()).noalias() = w * Eigen::Map<const Eigen::VectorXf>(x, w.cols());
    } else {
        Eigen::Map<ColumnMajor>(y, w.rows(), count).noalias() =
            w * Eigen::Map<const ColumnMajor>(x, w.cols(), count);
    }
}

void run(void *state, uint32_t count, const float *x, float *y) {
    const Product *product = static_cast<const Product *>(state);
    if (product->rows) {
        multiply(product->by_rows, count, x, y);
    } else {
        multiply(product->by_columns, count, x, y);
    }
}

void destroy(void *state) {
    delete static_cast<Product *>(state);
}

const gemm_library library = {nullptr, create, nullptr, run, destroy};
const char *const names[] = {"expand", "wide", "expand rows", "wide rows"};

} // namespace

extern "C" {
extern const layer_peer PEER_SYMBOL;
const layer_peer PEER_SYMBOL = {"eigen InterpA", forms_unavailable, 4,       names, forms_create, forms_ready,
                                forms_run,       forms_destroy,     &library};
}
