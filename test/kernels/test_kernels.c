/*
 * Every kernel of every instruction set that this machine has, against the scalar table bit for bit and
 * against float64: sizes around the vector widths and primes, unaligned rows, special values, and a guard
 * page behind every output.
 */
#define _DEFAULT_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "kernels/ref/activate.h"
#include "synthetic.h"

enum { ROWS = 19, INPUTS_MOST = 67, EXPERTS_MOST = 6 };

/* count floats that end at an unreadable page, so that touching one more is a fault. */
typedef struct guarded {
    void *map;
    size_t size;
    float *floats;
} guarded;

static guarded guard(size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (count * sizeof(float) + page - 1) / page * page;
    unsigned char *map = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + size, page, PROT_NONE), 0);
    return (guarded){map, size + page, (float *)(void *)(map + size) - count};
}

static void unguard(guarded g) {
    munmap(g.map, g.size);
}

static uint32_t bits_of(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static int same(float a, float b) {
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* The documented order, in plain C. */
static float panel_truth(const gali_panel *panel, uint32_t width, const gali_row *row, uint32_t n, float old) {
    for (uint32_t e = 0; e < panel->experts; e++) {
        const float *weights = panel->weights + ((size_t)panel->inputs + 1) * width * e;
        float sum = 0;
        for (uint32_t k = 0; k < panel->inputs; k++) {
            sum = fmaf(row->x[k], weights[((size_t)k + 1) * width + n], sum);
        }
        sum += weights[n];
        old = fmaf(row->blend[e], sum, e == 0 && (row->mode & GALI_ROW_FIRST) ? 0 : old);
    }
    return old;
}

static void check_panel(const gali_kernels *kernels, uint32_t experts, uint32_t vectors, uint32_t outputs,
                        uint32_t inputs, uint32_t rows, uint32_t mode) {
    uint64_t state = 7 + vectors * 1000 + outputs * 100 + inputs * 10 + rows;
    uint32_t width = vectors * kernels->lanes;
    size_t size = ((size_t)inputs + 1) * width * experts * sizeof(float);
    float *weights = aligned_alloc(64, (size + 63) & ~(size_t)63);
    for (size_t i = 0; i < size / sizeof(float); i++) {
        weights[i] = i % width < outputs ? synthetic_uniform(&state) : 0;
    }
    gali_panel panel = {.weights = weights,
                        .inputs = inputs,
                        .vectors = vectors,
                        .rows = rows % 3,
                        .experts = experts,
                        .first = 3,
                        .outputs = outputs,
                        .follows = rows % 2};
    guarded x = guard((size_t)ROWS * INPUTS_MOST), y = guard((size_t)rows * (outputs + 3));
    gali_row row[ROWS];
    float old[ROWS * 70], blend[ROWS * EXPERTS_MOST];
    for (uint32_t i = 0; i < ROWS * INPUTS_MOST; i++) {
        x.floats[i] = synthetic_uniform(&state);
    }
    for (uint32_t r = 0; r < rows; r++) {
        row[r] = (gali_row){x.floats + (ROWS - 1 - r) * INPUTS_MOST + (INPUTS_MOST - inputs),
                            y.floats + r * (outputs + 3), blend + r * EXPERTS_MOST, mode};
        for (uint32_t e = 0; e < experts; e++) {
            blend[r * EXPERTS_MOST + e] = synthetic_uniform(&state);
        }
        for (uint32_t n = 0; n < outputs + 3; n++) {
            old[r * 70 + n] = row[r].y[n] = synthetic_uniform(&state);
        }
    }
    kernels->panel_f32(&panel, row, rows);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t n = 0; n < 3; n++) {
            assert_true(same(row[r].y[n], old[r * 70 + n]));
        }
        for (uint32_t n = 0; n < outputs; n++) {
            float expected = panel_truth(&panel, width, &row[r], n, old[r * 70 + 3 + n]);
            assert_true(same(row[r].y[3 + n], expected));
        }
    }
    unguard(x);
    unguard(y);
    free(weights);
}

static void panels_have_the_documented_bits(void **unused) {
    (void)unused;
    static const uint32_t inputs[] = {0, 1, 2, 7, 16, 31, 67};
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        if (!gal_isa_available((gal_isa)isa)) {
            continue;
        }
        const gali_kernels *kernels = gali_kernels_get((gal_isa)isa);
        for (uint32_t vectors = 1; vectors <= GALI_PANEL_VECTORS_MAX; vectors++) {
            uint32_t width = vectors * kernels->lanes, least = width - kernels->lanes + 1;
            for (uint32_t outputs = least; outputs <= width; outputs++) {
                for (uint32_t rows = 1; rows <= ROWS; rows += rows < 10 ? 1 : 3) {
                    uint32_t k = inputs[(outputs + rows) % 7];
                    uint32_t experts = 1 + (outputs + 2 * rows) % EXPERTS_MOST;
                    uint32_t mode = (outputs + rows) & 1 ? GALI_ROW_FIRST : GALI_ROW_LAST;
                    check_panel(kernels, experts, vectors, outputs, k, rows, mode);
                }
            }
        }
    }
}

/* Experts of one k side by side; each character uses `slots` of them. */
static float blend_truth(const gali_panel *panel, uint32_t width, const gali_blend_row *row, uint32_t n) {
    float sum = 0, w[2] = {0, 0};
    for (uint32_t k = 0; k <= panel->inputs; k++) {
        const float *weights = panel->weights + (size_t)k * panel->experts * width + n;
        float blended = row->weight[0] * weights[row->expert[0] * width];
        for (uint32_t s = 1; s < row->slots; s++) {
            blended = fmaf(row->weight[s], weights[row->expert[s] * width], blended);
        }
        w[k > 0] = blended;
        sum = k ? fmaf(blended, row->x[k - 1], sum) : sum;
    }
    return sum + w[0];
}

static void check_blend(const gali_kernels *kernels, uint32_t vectors, uint32_t outputs, uint32_t inputs,
                        uint32_t rows, uint32_t slots) {
    enum { EXPERTS = 6 };
    uint64_t state = 9 + vectors * 1000 + outputs * 100 + inputs * 10 + rows;
    uint32_t width = vectors * kernels->lanes;
    size_t size = ((size_t)inputs + 1) * EXPERTS * width * sizeof(float);
    float *weights = aligned_alloc(64, (size + 63) & ~(size_t)63);
    for (size_t i = 0; i < size / sizeof(float); i++) {
        weights[i] = synthetic_uniform(&state);
    }
    gali_panel panel = {.weights = weights,
                        .inputs = inputs,
                        .vectors = vectors,
                        .experts = EXPERTS,
                        .first = 3,
                        .outputs = outputs};
    guarded x = guard((size_t)rows * inputs + 1), y = guard((size_t)rows * (outputs + 3));
    gali_blend_row row[ROWS];
    uint32_t expert[ROWS][EXPERTS];
    float weight[ROWS][EXPERTS];
    for (uint32_t i = 0; i < rows * inputs; i++) {
        x.floats[i] = synthetic_uniform(&state);
    }
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t s = 0; s < slots; s++) {
            expert[r][s] = s + r % (EXPERTS - slots + 1);
            weight[r][s] = synthetic_uniform(&state);
        }
        row[r] = (gali_blend_row){x.floats + (size_t)r * inputs, y.floats + r * (outputs + 3), expert[r],
                                  weight[r], slots};
    }
    kernels->blend_f32(&panel, row, rows);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t n = 0; n < outputs; n++) {
            assert_true(same(row[r].y[3 + n], blend_truth(&panel, width, &row[r], n)));
        }
    }
    unguard(x);
    unguard(y);
    free(weights);
}

static void blends_have_the_documented_bits(void **unused) {
    (void)unused;
    static const uint32_t inputs[] = {0, 1, 2, 7, 16, 31, 67}, slots[] = {1, 2, 4, 6};
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (uint32_t vectors = 1; vectors <= GALI_PANEL_VECTORS_MAX && gal_isa_available((gal_isa)isa);
             vectors++) {
            const gali_kernels *kernels = gali_kernels_get((gal_isa)isa);
            uint32_t width = vectors * kernels->lanes, least = width - kernels->lanes + 1;
            for (uint32_t outputs = least; outputs <= width; outputs++) {
                for (uint32_t rows = 1; rows <= 5; rows++) {
                    check_blend(kernels, vectors, outputs, inputs[(outputs + rows) % 7], rows,
                                slots[(outputs * 3 + rows) % 4]);
                }
            }
        }
    }
}

/* Error allowed of act(x), relative; of a softmax's weight, relative to the largest weight. */
static double activation_tolerance(gali_activation activation, double x) {
    switch (activation) {
    case GALI_ACTIVATION_GELU_TANH:
    case GALI_ACTIVATION_GELU_ERF:
        return 1e-6 +
               1e-7 * fmin(x * x + fabs(x * x * x) / 8, 200); /* an exponent's rounding, times the exponent */
    case GALI_ACTIVATION_SILU:
    case GALI_ACTIVATION_TANH:
    case GALI_ACTIVATION_SIGMOID:
        return 4e-7;
    case GALI_ACTIVATION_SOFTMAX:
        return 1e-6; /* the sum's rounding */
    default:
        return 2e-7;
    }
}

static void check_activation(const gali_kernels *kernels, gali_activation activation, const float *x,
                             uint32_t count) {
    const float slope = activation == GALI_ACTIVATION_LEAKY_RELU ? -0.3f : 0;
    guarded y = guard(count);
    float scalar[64];
    double truth[64], scale = 0;
    memcpy(y.floats, x, count * sizeof *x);
    memcpy(scalar, x, count * sizeof *x);
    for (uint32_t i = 0; i < count; i++) {
        truth[i] = (double)x[i];
    }
    kernels->activate_f32(activation, slope, y.floats, count);
    gali_kernels_scalar.activate_f32(activation, slope, scalar, count);
    gali_activate_truth(activation, (double)slope, truth, count);
    for (uint32_t i = 0; i < count && activation == GALI_ACTIVATION_SOFTMAX; i++) {
        scale = truth[i] > scale ? truth[i] : scale;
    }
    for (uint32_t i = 0; i < count; i++) {
        double error = fabs((double)y.floats[i] - truth[i]);
        double size = activation == GALI_ACTIVATION_SOFTMAX ? scale : fabs(truth[i]);
        assert_true(same(y.floats[i], scalar[i]));
        if (isnan(truth[i])) {
            assert_true(isnan(y.floats[i]));
        } else if (isinf(truth[i])) {
            assert_true((double)y.floats[i] == truth[i]);
        } else if (!(error <= activation_tolerance(activation, (double)x[i]) * size + 3e-37)) {
            fail_msg("activation %d of %a: %a, expected %a", (int)activation, (double)x[i], (double)y.floats[i],
                     truth[i]);
        }
    }
    unguard(y);
}

static void activations_match_float64_and_each_other(void **unused) {
    (void)unused;
    static const float special[] = {0.0f,    -0.0f,   1.0f,      -1.0f,     -1e-8f, 1e-8f,    -24.0f,
                                    -23.99f, -25.0f,  -1e30f,    1e30f,     NAN,    INFINITY, -INFINITY,
                                    1e-45f,  -1e-45f, -0.34657f, -0.34658f, -87.0f, -104.0f,  88.0f};
    enum { SPECIALS = sizeof special / sizeof special[0] };
    uint64_t state = 3;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (int a = 0; a < GALI_ACTIVATION_COUNT && gal_isa_available((gal_isa)isa); a++) {
            const gali_kernels *kernels = gali_kernels_get((gal_isa)isa);
            for (uint32_t count = 0; count <= SPECIALS; count++) {
                check_activation(kernels, (gali_activation)a, special, count);
            }
            for (uint32_t round = 0; round < 2000; round++) {
                float x[64];
                for (uint32_t i = 0; i < 64; i++) {
                    float spread = round % 3 == 0 ? 0.5f : round % 3 == 1 ? 6.0f : 12.0f;
                    x[i] = spread * (synthetic_uniform(&state) - (round % 3 == 2 ? 0.8f : 0.0f));
                }
                check_activation(kernels, (gali_activation)a, x, 64);
            }
        }
    }
}

static double sigmoid_truth(double x) {
    return 1 / (1 + exp(-x));
}

/* Output k of x = i[3][width], j[3][width], h[width] (PyTorch's GRUCell). */
static double gru_truth(const float *x, size_t width, size_t k) {
    double i[3], j[3];
    for (size_t gate = 0; gate < 3; gate++) {
        i[gate] = (double)x[gate * width + k];
        j[gate] = (double)x[(3 + gate) * width + k];
    }
    double r = sigmoid_truth(i[0] + j[0]), z = sigmoid_truth(i[1] + j[1]), n = tanh(i[2] + r * j[2]);
    return (1 - z) * n + z * (double)x[6 * width + k];
}

static void check_gru(const gali_kernels *kernels, uint32_t width, float spread) {
    uint64_t state = 11 + width;
    guarded x = guard(7 * (size_t)width), y = guard(width);
    float scalar[67];
    for (uint32_t i = 0; i < 7 * width; i++) {
        x.floats[i] = spread * synthetic_uniform(&state);
    }
    kernels->gru_f32(x.floats, width, y.floats);
    gali_kernels_scalar.gru_f32(x.floats, width, scalar);
    for (uint32_t k = 0; k < width; k++) {
        double truth = gru_truth(x.floats, width, k);
        assert_true(same(y.floats[k], scalar[k]));
        assert_true(fabs((double)y.floats[k] - truth) <= 1e-6 * (1 + (double)spread));
    }
    unguard(x);
    unguard(y);
}

static void gru_matches_float64_and_each_other(void **unused) {
    (void)unused;
    for (int isa = GAL_ISA_SCALAR; isa < GAL_ISA_COUNT; isa++) {
        for (uint32_t width = 0; width <= 67 && gal_isa_available((gal_isa)isa); width++) {
            check_gru(gali_kernels_get((gal_isa)isa), width, 1);
            check_gru(gali_kernels_get((gal_isa)isa), width, 20);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_have_the_documented_bits),
        cmocka_unit_test(blends_have_the_documented_bits),
        cmocka_unit_test(activations_match_float64_and_each_other),
        cmocka_unit_test(gru_matches_float64_and_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
