#include "kernels/ref/activate.h"

#include <math.h>

static double truth_none(double x, double slope) {
    (void)slope;
    return x;
}

static double truth_relu(double x, double slope) {
    (void)slope;
    return x < 0 ? 0 : x;
}

static double truth_elu(double x, double slope) {
    (void)slope;
    return x > 0 ? x : expm1(x);
}

static double truth_leaky_relu(double x, double slope) {
    return x > 0 ? x : slope * x;
}

/* x / 2 (1 + tanh u) = x sigmoid(2 u), which loses nothing where tanh is near -1. */
static double truth_gelu_tanh(double x, double slope) {
    (void)slope;
    return x / (1 + exp(-2 * sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double truth_gelu_erf(double x, double slope) {
    (void)slope;
    return x / 2 * erfc(-x / sqrt(2));
}

static double truth_silu(double x, double slope) {
    (void)slope;
    return x / (1 + exp(-x));
}

static double truth_tanh(double x, double slope) {
    (void)slope;
    return tanh(x);
}

static double truth_sigmoid(double x, double slope) {
    (void)slope;
    return 1 / (1 + exp(-x));
}

/* Unscaled: the row's sum divides it afterwards. */
static double truth_softmax(double x, double slope) {
    return exp(x - slope);
}

typedef double truth_function(double x, double slope);

static truth_function *const truths[GALI_ACTIVATION_COUNT] = {
#define ACTIVATION(id, name, onnx, formula) truth_##name,
#include "kernels/activations.def"
#undef ACTIVATION
};

void gali_activate_truth(gali_activation activation, double slope, double *y, uint32_t count) {
    double sum = 1;
    if (activation == GALI_ACTIVATION_SOFTMAX) {
        slope = y[0];
        for (uint32_t i = 1; i < count; i++) {
            slope = y[i] > slope ? y[i] : slope;
        }
        sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += exp(y[i] - slope);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        y[i] = truths[activation](y[i], slope) / sum;
    }
}
