/*
 * A network out of a peer's layers. For each count the variants are raced on the whole network, weights as
 * hot as they will be when timed, and each layer keeps its own fastest.
 */
#include "peer.h"

#include "../harness/clock.h"

#include <stdio.h>
#include <string.h>

enum { VARIANTS_MAX = 16, RACE_ROUNDS = 7 };

typedef struct chain {
    const layer_peer *peer;
    uint32_t layer_count;
    void *layers[BENCH_LAYERS_MAX][VARIANTS_MAX];
    float *between[2];                 /* activations, used in turn */
    unsigned chosen[BENCH_LAYERS_MAX]; /* variants */
    char form[160];
} chain;

const char *chain_unavailable(const engine *self) {
    const layer_peer *peer = self->context;
    return peer->unavailable ? peer->unavailable(peer) : NULL;
}

void *chain_prepare(const engine *self, const bench_network *network, uint32_t capacity) {
    chain *c = bench_alloc(sizeof *c);
    uint32_t widest = 0;
    c->peer = self->context;
    c->layer_count = network->layer_count;
    for (uint32_t l = 0; l < c->layer_count; l++) {
        const bench_layer *layer = &network->layers[l];
        widest = layer->outputs > widest ? layer->outputs : widest;
        for (unsigned v = 0; v < c->peer->variants; v++) {
            c->layers[l][v] = c->peer->create(c->peer, layer, v, capacity);
        }
    }
    c->between[0] = bench_alloc(sizeof(float) * widest * capacity);
    c->between[1] = bench_alloc(sizeof(float) * widest * capacity);
    return c;
}

/* Runs the layers that pick names; took, if given, receives each layer's time in nanoseconds. */
static void run_layers(chain *c, const unsigned *pick, const bench_batch *batch, double *took) {
    const float *x = batch->x;
    for (uint32_t l = 0; l < c->layer_count; l++) {
        float *y = l + 1 == c->layer_count ? batch->y : c->between[l % 2];
        const double start = took ? clock_ns() : 0;
        c->peer->run(c->layers[l][pick[l]], batch, x, y);
        if (took) {
            took[l] = clock_ns() - start;
        }
        x = y;
    }
}

/* Fastest time of each layer with one variant in all of them. */
static void race_variant(chain *c, unsigned variant, const bench_batch *batch, double *best) {
    unsigned pick[BENCH_LAYERS_MAX];
    for (uint32_t l = 0; l < c->layer_count; l++) {
        pick[l] = variant;
        best[l] = 1e30;
        if (c->peer->ready) {
            c->peer->ready(c->layers[l][variant], batch->count);
        }
    }
    for (int round = 0; round < RACE_ROUNDS; round++) {
        double took[BENCH_LAYERS_MAX];
        run_layers(c, pick, batch, took);
        for (uint32_t l = 0; l < c->layer_count; l++) {
            best[l] = took[l] < best[l] ? took[l] : best[l];
        }
    }
}

static void race(chain *c, const bench_batch *batch) {
    double best[BENCH_LAYERS_MAX], took[BENCH_LAYERS_MAX];
    for (uint32_t l = 0; l < c->layer_count; l++) {
        best[l] = 1e30;
    }
    for (unsigned v = 0; v < c->peer->variants; v++) {
        race_variant(c, v, batch, took);
        for (uint32_t l = 0; l < c->layer_count; l++) {
            if (took[l] < best[l]) {
                best[l] = took[l];
                c->chosen[l] = v;
            }
        }
    }
}

static void name_form(chain *c) {
    c->form[0] = 0;
    for (uint32_t l = 0; l < c->layer_count; l++) {
        const size_t used = strlen(c->form);
        snprintf(c->form + used, sizeof c->form - used, "%s%s", l ? "|" : "",
                 c->peer->variant_names[c->chosen[l]]);
    }
}

void chain_ready(void *state, const bench_batch *batch) {
    chain *c = state;
    race(c, batch);
    name_form(c);
}

void chain_run(void *state, const bench_batch *batch) {
    chain *c = state;
    run_layers(c, c->chosen, batch, NULL);
}

const char *chain_form(void *state) {
    return ((chain *)state)->form;
}

void chain_release(void *state) {
    chain *c = state;
    for (uint32_t l = 0; l < c->layer_count; l++) {
        for (unsigned v = 0; v < c->peer->variants; v++) {
            c->peer->destroy(c->layers[l][v]);
        }
    }
    bench_free(c->between[0]);
    bench_free(c->between[1]);
    bench_free(c);
}
