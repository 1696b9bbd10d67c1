#include "case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "network/network.h"
#include "network/reference.h"

/* Multiply-adds after which a look ends: some seconds of one core. */
static const uint64_t work_most = 100000000000u;

/* ---- readings ---- */

static int open_columns(gali_columns *columns, uint32_t count) {
    columns->count = count;
    columns->source = malloc(count * sizeof *columns->source);
    columns->scale = malloc(count * sizeof *columns->scale);
    columns->shift = malloc(count * sizeof *columns->shift);
    if (!columns->source || !columns->scale || !columns->shift) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        columns->source[i] = i;
        columns->scale[i] = 1;
        columns->shift[i] = 0;
    }
    return 1;
}

static void close_columns(gali_columns *columns) {
    free(columns->source);
    free(columns->scale);
    free(columns->shift);
}

static void copy_columns(gali_columns *to, const gali_columns *from) {
    memcpy(to->source, from->source, from->count * sizeof *from->source);
    memcpy(to->scale, from->scale, from->count * sizeof *from->scale);
    memcpy(to->shift, from->shift, from->count * sizeof *from->shift);
}

static int same_columns(const gali_columns *a, const gali_columns *b) {
    return memcmp(a->source, b->source, a->count * sizeof *a->source) == 0 &&
           memcmp(a->scale, b->scale, a->count * sizeof *a->scale) == 0 &&
           memcmp(a->shift, b->shift, a->count * sizeof *a->shift) == 0;
}

int gali_reading_open(gali_reading *reading, const gali_case *self) {
    *reading = (gali_reading){.phase_scale = 1, .hidden = GALI_ACTIVATION_COUNT};
    for (uint32_t e = 0; e < GALI_EXPERTS_MAX; e++) {
        reading->experts[e] = e;
    }
    return open_columns(&reading->x, self->inputs) && open_columns(&reading->y, self->outputs);
}

void gali_reading_close(gali_reading *reading) {
    close_columns(&reading->x);
    close_columns(&reading->y);
}

void gali_reading_copy(gali_reading *to, const gali_reading *from) {
    gali_columns x = to->x, y = to->y;
    copy_columns(&x, &from->x);
    copy_columns(&y, &from->y);
    *to = *from;
    to->x = x;
    to->y = y;
}

static int reorders_experts(const gali_reading *reading, uint32_t experts) {
    uint32_t e = 0;
    while (e < experts && reading->experts[e] == e) {
        e++;
    }
    return e < experts;
}

/* Whether both run the same network, and whether they also run it on the same numbers. */
static int same_network(const gali_reading *a, const gali_reading *b) {
    return a->transposed == b->transposed && a->gate_transposed == b->gate_transposed && a->hidden == b->hidden;
}

static int same_run(const gali_reading *a, const gali_reading *b) {
    return same_network(a, b) && a->phase_scale == b->phase_scale && a->phase_shift == b->phase_shift &&
           memcmp(a->experts, b->experts, sizeof a->experts) == 0 && same_columns(&a->x, &b->x);
}

/* ---- the network of a reading ---- */

/* The layer with weights that were read as [K][N]; *memory is freed when the network is made. */
static int transpose(gali_model_layer *layer, float **memory) {
    uint32_t inputs = layer->inputs, outputs = layer->outputs;
    size_t size = (size_t)inputs * outputs;
    float *weights = *memory = malloc(layer->experts * size * sizeof *weights);
    for (uint32_t e = 0; weights && e < layer->experts; e++) {
        for (uint32_t n = 0; n < outputs; n++) {
            for (uint32_t k = 0; k < inputs; k++) {
                weights[e * size + (size_t)n * inputs + k] =
                    gali_model_weight(layer, e * size + (size_t)k * outputs + n);
            }
        }
    }
    layer->weights = weights;
    layer->weight_type = GALI_WEIGHT_F32;
    return weights != NULL;
}

static int read_layers(gali_model_layer *layers, uint32_t count, uint64_t transposed, gali_activation hidden,
                       float **memory) {
    gali_activation first = layers[0].activation;
    for (uint32_t i = 0; i < count; i++) {
        if (layers[i].kind == GALI_LAYER_DENSE && (transposed >> i & 1) && !transpose(&layers[i], &memory[i])) {
            return 0;
        }
        if (hidden != GALI_ACTIVATION_COUNT && i + 1 < count && layers[i].activation == first) {
            layers[i].activation = hidden;
            layers[i].slope = hidden == GALI_ACTIVATION_LEAKY_RELU ? 0.01f : 0;
        }
    }
    return 1;
}

static void free_all(float **memory, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        free(memory[i]);
    }
}

/* The file's model as the reading has it; memory[GALI_LAYERS_MAX + GALI_GATING_LAYERS_MAX] is what it points to. */
static int read_model(const gali_case *self, const gali_reading *reading, gali_model *model, float **memory) {
    *model = self->file->model;
    return read_layers(model->layers, model->layer_count, reading->transposed, reading->hidden, memory) &&
           read_layers(model->gating.layers, model->gating.layer_count, reading->gate_transposed,
                       GALI_ACTIVATION_COUNT, memory + GALI_LAYERS_MAX);
}

static int make_network(gali_case *self, const gali_reading *reading, int blended) {
    float *memory[GALI_LAYERS_MAX + GALI_GATING_LAYERS_MAX] = {NULL};
    gali_model model;
    gal_network_close(self->network);
    self->network = NULL;
    int made = read_model(self, reading, &model, memory);
    if (made && blended) {
        model.gate = GAL_GATE_CALLER;
        model.gating = (gali_gating){0};
    }
    made = made && gali_network_make(&self->network, &model, NULL, NULL) == GAL_OK;
    free_all(memory, GALI_LAYERS_MAX + GALI_GATING_LAYERS_MAX);
    gali_reading_copy(&self->made, reading);
    self->blended = blended;
    return made;
}

/* ---- the gate of a reading ---- */

/* The whole blends of x_read and the recorded gate into blends[frames][experts]. */
static int blends_of(gali_case *self, const gali_reading *reading, float *blends) {
    float *memory[GALI_LAYERS_MAX + GALI_GATING_LAYERS_MAX] = {NULL};
    const int phased = self->file->model.gate != GAL_GATE_CALLER && self->gate_width == 1;
    gali_model model = self->file->model;
    int done = self->gate_width > 0 || read_model(self, reading, &model, memory);
    for (uint32_t f = 0; done && f < self->frames; f++) {
        const float *gate = self->gate + (size_t)f * self->gate_width;
        const float phase = phased ? *gate * reading->phase_scale + reading->phase_shift : 0;
        double blend[GALI_EXPERTS_MAX];
        done = gali_reference_blend(&model, self->x_read + (size_t)f * self->inputs, phased ? &phase : gate,
                                    blend, NULL) == GAL_OK;
        for (uint32_t e = 0; done && e < self->experts; e++) {
            blends[(size_t)f * self->experts + e] = (float)blend[e];
        }
    }
    free_all(memory, GALI_LAYERS_MAX + GALI_GATING_LAYERS_MAX);
    return done;
}

static int read_gate(gali_case *self, const gali_reading *reading, int blended) {
    if (!blended) {
        for (uint32_t i = 0; i < self->frames * self->gate_width; i++) {
            self->gate_read[i] = self->gate_width == 1
                                     ? self->gate[i] * reading->phase_scale + reading->phase_shift
                                     : self->gate[i];
        }
        return 1;
    }
    size_t count = (size_t)self->frames * self->experts;
    float *blends = malloc(count * sizeof *blends);
    int done = blends && blends_of(self, reading, blends);
    for (uint32_t f = 0; done && f < self->frames; f++) {
        for (uint32_t e = 0; e < self->experts; e++) {
            size_t row = (size_t)f * self->experts;
            self->gate_read[row + reading->experts[e]] = blends[row + e];
        }
    }
    free(blends);
    return done;
}

/* ---- running ---- */

static void read_x(gali_case *self, const gali_columns *columns) {
    for (uint32_t f = 0; f < self->frames; f++) {
        const float *row = self->x + (size_t)f * self->inputs;
        float *out = self->x_read + (size_t)f * self->inputs;
        for (uint32_t k = 0; k < self->inputs; k++) {
            out[k] = columns->scale[k] * row[columns->source[k]] + columns->shift[k];
        }
    }
}

int gali_case_spent(const gali_case *self) {
    return self->work > work_most;
}

int gali_case_run(gali_case *self, const gali_reading *reading) {
    if (self->has_got && same_run(&self->ran, reading)) {
        return 1;
    }
    int blended = self->file->model.gate == GAL_GATE_CALLER || reorders_experts(reading, self->experts);
    uint64_t parameters = gal_network_get_info(self->network).parameters;
    self->work += (parameters + self->inputs + self->outputs) * self->frames;
    self->has_got = 0;
    if (gali_case_spent(self)) {
        return 0;
    }
    if (!same_network(&self->made, reading) || self->blended != blended) {
        self->work += 10 * parameters;
        if (!make_network(self, reading, blended)) {
            return 0;
        }
    }
    read_x(self, &reading->x);
    gali_frames frames = {.count = self->frames, .x = self->x_read, .gate = self->gate_read};
    frames.gate = blended || self->gate_width > 0 ? self->gate_read : NULL;
    if (!read_gate(self, reading, blended) ||
        gali_frames_run(&frames, self->network, self->got, NULL) != GAL_OK) {
        return 0;
    }
    gali_reading_copy(&self->ran, reading);
    return self->has_got = 1;
}

float gali_case_y(const gali_case *self, const gali_reading *reading, uint32_t frame, uint32_t feature) {
    return reading->y.scale[feature] * self->y[(size_t)frame * self->outputs + reading->y.source[feature]] +
           reading->y.shift[feature];
}

/* What a difference of feature n is measured by: its spread over the frames, and where that is none its size. */
static double unit_of(const gali_case *self, const gali_reading *reading, uint32_t n) {
    uint32_t source = reading->y.source[n];
    double scale = (double)reading->y.scale[n], shift = (double)reading->y.shift[n];
    double mean = scale * (double)self->y_all.mean[source] + shift;
    return hypot(scale * (double)self->y_all.deviation[source], 0.01 * mean) +
           1e-4 * (double)gali_model_f32(self->file->model.output_std, n) + 1e-9;
}

/* Each difference counts as ten spreads at most, so that a few features that are far off do not hide the rest. */
static double frames_error(gali_case *self, const gali_reading *reading) {
    double sum = 0, most = 100;
    if (!gali_case_run(self, reading)) {
        return INFINITY;
    }
    for (uint32_t n = 0; n < self->outputs; n++) {
        double unit = unit_of(self, reading, n);
        for (uint32_t f = 0; f < self->frames; f++) {
            double got = (double)self->got[(size_t)f * self->outputs + n];
            double off = (got - (double)gali_case_y(self, reading, f, n)) / unit;
            sum += off * off < most ? off * off : most;
        }
    }
    return sqrt(sum / ((double)self->outputs * self->frames));
}

/* ---- opening ---- */

/* Every so manieth of `count` rows. */
static float *pick(const gali_case *self, const float *rows, uint32_t count, uint32_t width) {
    float *out = malloc((size_t)self->frames * width * sizeof *out + 1);
    for (uint32_t f = 0; out && width > 0 && f < self->frames; f++) {
        size_t from = (size_t)f * count / self->frames;
        memcpy(out + (size_t)f * width, rows + from * width, width * sizeof *out);
    }
    return out;
}

static gali_spread spread_of(const float *rows, uint32_t count, uint32_t width) {
    gali_spread out = {calloc(width, sizeof *out.mean), calloc(width, sizeof *out.deviation)};
    for (uint32_t i = 0; out.mean && out.deviation && i < width; i++) {
        double mean = 0, sum = 0;
        for (uint32_t f = 0; f < count; f++) {
            mean += (double)rows[(size_t)f * width + i] / count;
        }
        for (uint32_t f = 0; f < count; f++) {
            double d = (double)rows[(size_t)f * width + i] - mean;
            sum += d * d;
        }
        out.mean[i] = (float)mean;
        out.deviation[i] = (float)sqrt(sum / count);
    }
    return out;
}

static void copy_frames(gali_case *self, const gali_frames *frames) {
    uint32_t gate = self->gate_width > self->experts ? self->gate_width : self->experts;
    self->x = pick(self, frames->x, frames->count, self->inputs);
    self->gate = pick(self, frames->gate, frames->count, self->gate_width);
    self->y = pick(self, frames->y, frames->count, self->outputs);
    self->x_all = spread_of(frames->x, frames->count, self->inputs);
    self->y_all = spread_of(frames->y, frames->count, self->outputs);
    self->x_read = malloc((size_t)self->frames * self->inputs * sizeof *self->x_read);
    self->gate_read = malloc((size_t)self->frames * gate * sizeof *self->gate_read);
    self->got = malloc((size_t)self->frames * self->outputs * sizeof *self->got);
}

static int complete(const gali_case *self) {
    return self->x && self->gate && self->y && self->x_all.mean && self->x_all.deviation && self->y_all.mean &&
           self->y_all.deviation && self->x_read && self->gate_read && self->got;
}

gal_status gali_case_open(gali_case *self, const gali_model_file *file, const gali_frames *frames,
                          gal_error *error) {
    const gali_model *model = &file->model;
    *self = (gali_case){.file = file, .inputs = model->inputs, .outputs = model->outputs, .all = frames->count};
    self->experts = model->experts;
    self->gate_width = model->gate == GAL_GATE_CALLER ? model->experts : model->gate != GAL_GATE_NETWORK;
    self->frames = frames->count < GALI_CASE_FRAMES ? frames->count : GALI_CASE_FRAMES;
    self->error = frames_error;
    self->enough = self->sure = 0.01;
    self->part = 0.05;
    copy_frames(self, frames);
    if (!gali_reading_open(&self->made, self) || !gali_reading_open(&self->ran, self) || !complete(self) ||
        !make_network(self, &self->made, model->gate == GAL_GATE_CALLER)) {
        gali_case_close(self);
        return gali_fail(error, GAL_NO_MEMORY, "no memory to look for the cause");
    }
    return GAL_OK;
}

void gali_case_close(gali_case *self) {
    float *memory[] = {self->x,
                       self->gate,
                       self->y,
                       self->x_all.mean,
                       self->x_all.deviation,
                       self->y_all.mean,
                       self->y_all.deviation,
                       self->x_read,
                       self->gate_read,
                       self->got};
    free_all(memory, sizeof memory / sizeof *memory);
    gal_network_close(self->network);
    gali_reading_close(&self->made);
    gali_reading_close(&self->ran);
    *self = (gali_case){0};
}

const char *gali_side_name(gali_side side) {
    static const char *const names[] = {"", "recorded inputs", "recorded outputs",
                                        "recorded inputs and outputs"};
    return names[side];
}

void gali_case_name(const gali_case *self, gali_side side, uint32_t feature, char *text, size_t size) {
    const gali_contract *contract = self->file->contract;
    if (!contract) {
        snprintf(text, size, "%c[%u]", side == GALI_SIDE_X ? 'x' : 'y', feature);
    } else if (side == GALI_SIDE_X) {
        gali_contract_input_name(contract, feature, text, size);
    } else {
        gali_contract_output_name(contract, feature, text, size);
    }
}
