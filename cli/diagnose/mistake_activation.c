/* Another activation in the hidden layers than the network was trained with. */
#include <stdio.h>

#include "case.h"

static uint32_t count(gali_case *self, const gali_reading *reading) {
    (void)reading;
    return self->file->model.layer_count > 1 ? GALI_ACTIVATION_COUNT : 0;
}

static int undo(gali_case *self, gali_reading *reading, uint32_t step) {
    reading->hidden = (gali_activation)step;
    return self->file->model.layers[0].activation != (gali_activation)step;
}

static void say(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size) {
    static const char *const names[GALI_ACTIVATION_COUNT] = {
#define ACTIVATION(id, name, onnx, formula) [GALI_ACTIVATION_##id] = #name,
#include "kernels/activations.def"
#undef ACTIVATION
    };
    (void)reading;
    snprintf(text, size, "the hidden layers have the activation %s, the network was trained with %s",
             names[self->file->model.layers[0].activation], names[step]);
}

const gali_mistake gali_mistake_activation = {.most = 1, .steps = count, .undo = undo, .say = say};
