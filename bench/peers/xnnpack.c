/*
 * XNNPACK's fully connected operator: packs its weights when it is created, chooses its micro-kernel for the
 * machine. Set up again only when the count or a buffer changes, as an application would.
 */
#include "peer.h"

#include <xnnpack.h>

#include <math.h>
#include <stdio.h>

typedef struct product {
    xnn_operator_t op;
    uint32_t count;
    const float *x;
    float *y;
} product;

static const char *unavailable(void) {
    return xnn_initialize(NULL) == xnn_status_success ? NULL : "XNNPACK does not know this processor";
}

static void *create(const float *weights, uint32_t outputs, uint32_t inputs, unsigned layout) {
    product *p = bench_alloc(sizeof *p);
    (void)layout;
    if (xnn_create_fully_connected_nc_f32(inputs, outputs, inputs, outputs, weights, NULL, -INFINITY, INFINITY,
                                          0, &p->op) != xnn_status_success) {
        fprintf(stderr, "bench: XNNPACK refused a layer of %u x %u\n", inputs, outputs);
    }
    return p;
}

static void run(void *gemm, uint32_t count, const float *x, float *y) {
    product *p = gemm;
    if (p->count != count || p->x != x || p->y != y) {
        xnn_setup_fully_connected_nc_f32(p->op, count, x, y, NULL);
        p->count = count;
        p->x = x;
        p->y = y;
    }
    xnn_run_operator(p->op, NULL);
}

static void destroy(void *gemm) {
    product *p = gemm;
    xnn_delete_operator(p->op);
    bench_free(p);
}

static const gemm_library library = {unavailable, create, NULL, run, destroy};
static const char *const names[] = {"expand", "wide"};

const layer_peer peer_xnnpack = {.name = "XNNPACK",
                                 .unavailable = forms_unavailable,
                                 .variants = 2,
                                 .variant_names = names,
                                 .create = forms_create,
                                 .ready = forms_ready,
                                 .run = forms_run,
                                 .destroy = forms_destroy,
                                 .context = &library};
