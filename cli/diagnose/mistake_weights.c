/* Weights that lie transposed, [inputs][outputs]: in all layers, in the gate's, or in one. */
#include <stdio.h>

#include "case.h"

/* All layers, all of the gate, both, then each layer and each of the gate's. */
enum { ALL, ALL_GATE, EVERY, SINGLE };

static uint32_t count(gali_case *self, const gali_reading *reading) {
    const gali_model *model = &self->file->model;
    (void)reading;
    return SINGLE + model->layer_count + model->gating.layer_count;
}

static uint64_t bits(uint32_t count) {
    return count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    const gali_model *model = &self->file->model;
    uint32_t layers = model->layer_count, gate = model->gating.layer_count;
    if (gate == 0 && (step == ALL_GATE || step == EVERY)) {
        return 0;
    }
    if (step == ALL || step == EVERY) {
        reading->transposed ^= bits(layers);
    }
    if (step == ALL_GATE || step == EVERY) {
        reading->gate_transposed ^= bits(gate);
    }
    if (step >= SINGLE && step - SINGLE < layers) {
        reading->transposed ^= (uint64_t)1 << (step - SINGLE);
        return model->layers[step - SINGLE].kind == GALI_LAYER_DENSE;
    }
    if (step >= SINGLE) {
        reading->gate_transposed ^= (uint64_t)1 << (step - SINGLE - layers);
        return model->gating.layers[step - SINGLE - layers].kind == GALI_LAYER_DENSE;
    }
    return 1;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    static const char lie[] = "transposed, as [inputs][outputs]";
    uint32_t layers = self->file->model.layer_count;
    (void)reading;
    if (step < SINGLE) {
        static const char *const whose[] = {"all layers", "the gate's layers", "all layers and the gate's"};
        snprintf(text, size, "the weights of %s lie %s", whose[step], lie);
    } else if (step - SINGLE < layers) {
        snprintf(text, size, "the weights of layer %u lie %s", step - SINGLE, lie);
    } else {
        snprintf(text, size, "the weights of the gate's layer %u lie %s", step - SINGLE - layers, lie);
    }
}

const gali_mistake gali_mistake_weights = {.most = 4, .steps = count, .undo = undo, .say = say};
