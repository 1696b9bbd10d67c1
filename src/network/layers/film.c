/* film: feature-wise linear modulation, y = x scale + shift; its input is x, scale, shift (Perez et al. 2018, eq. 2). */
#include "network/layer.h"

static int film_fits(uint32_t inputs, uint32_t outputs) {
    return inputs == 3 * (uint64_t)outputs;
}

/* x = a, scale, shift of `width` each: y = a scale + shift (Perez et al. 2018, eq. 2). */
static void gali_film(const float *x, uint32_t width, float *y) {
    const float *scale = x + width, *shift = scale + width;
    for (uint32_t n = 0; n < width; n++) {
        y[n] = x[n] * scale[n] + shift[n];
    }
}

static void film_run(const gali_row_layer *layer, const float *x, float *y) {
    gali_film(x, layer->outputs, y);
}

static void film_truth(const gali_model_layer *layer, const double *blend, const double *x, double *y) {
    (void)blend;
    for (uint32_t n = 0; n < layer->outputs; n++) {
        y[n] = x[n] * x[n + layer->outputs] + x[n + 2 * (size_t)layer->outputs];
    }
}

const gali_layer_ops gali_layer_film = {
    .name = "film",
    .sizes = "3 times its outputs",
    .fits = film_fits,
    .run = film_run,
    .truth = film_truth,
};
