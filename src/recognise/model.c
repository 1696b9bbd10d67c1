/*
 * The order of work: bring the graph into linear form, find the layers, lay the model out; evaluate the graph itself at
 * random inputs (they become the golden frames); then fill the image and hold the layers in it against the graph's
 * outputs. So at no time are there more than the graph and either the evaluation's tensors or the image.
 *
 * A batch of free size is 1 for finding the layers and 2 for the truth: a graph in which rows of the batch touch each
 * other cannot pass.
 */
#include "recognise/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "base/size.h"
#include "contract/contract.h"
#include "graph/evaluate.h"
#include "network/reference.h"
#include "recognise/draft.h"
#include "recognise/spell.h"

enum {
    TRUTH_ROWS = 2,
    FRAMES_MAX = 24,
    FRAMES_LEAST = 2,
    TEXT_MAX = 4096,
    MEMORY_SPARE = 128 << 20, /* bytes of work beyond eight times the file */
};

static const double agreement = 1e-5; /* of a frame's root mean square */
static const double turn = 6.283185307179586;

typedef struct recognition {
    const gali_graph *graph;
    const gali_recognise_desc *desc;
    gali_allowance allowance;
    gali_arena arena;
    gali_form form;      /* one row where the graph leaves the batch free */
    uint32_t truth_rows; /* the graph's rows, TRUTH_ROWS where they are free */
    gali_recognised network;
    gali_draft draft;
    gali_recognise_report *report;
    uint32_t frames;
    float *x, *blend; /* [frames][inputs], [frames][blend width] */
    double *y;        /* [frames][outputs] what the graph says */
    char contract[TEXT_MAX];
    gal_error error;
} recognition;

/* ---- layers ---- */

static int find_layers(recognition *m, int may_blend) {
    return gali_recognise(&m->form, may_blend, &m->network) && gali_draft_make(&m->draft, &m->network);
}

/* An input that looks like a blend and is none (the other factor of a product) is a feature after all. */
static int find_layers_twice(recognition *m) {
    if (find_layers(m, 1)) {
        return 1;
    }
    int blend = m->network.gate == GAL_GATE_CALLER && m->network.gate_port != GALI_ABSENT;
    gal_error first = m->error;
    if (!blend || m->allowance.status == GAL_NO_MEMORY) {
        return 0;
    }
    m->allowance.status = GAL_OK;
    m->error = (gal_error){0};
    if (find_layers(m, 0)) {
        return 1;
    }
    m->error = first;
    return 0;
}

/* ---- golden frames ---- */

/* Uniform in [-1, 1): splitmix64, so that every import of a file makes the same frames. */
static double next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* A phase, or coefficients that add up to 1 in every other frame: a caller's need not. */
static void make_blend(const recognition *m, uint32_t frame, float *blend, uint32_t width, uint64_t *random) {
    double sum = 0, parts[GALI_EXPERTS_MAX];
    for (uint32_t e = 0; e < width; e++) {
        parts[e] = 1.001 + next_random(random);
        sum += parts[e];
    }
    for (uint32_t e = 0; e < width; e++) {
        double share = parts[e] / sum * (frame % 2 ? 1.25 : 1);
        blend[e] = m->network.gate == GAL_GATE_NETWORK  ? 0
                   : m->network.gate == GAL_GATE_CALLER ? (float)share
                                                        : (float)(parts[e] / 2.002 * turn);
    }
}

static uint32_t blend_width(const recognition *m) {
    return m->network.gate == GAL_GATE_CALLER ? m->network.experts : 1;
}

static int make_inputs(recognition *m) {
    const gali_model *model = &m->draft.model;
    uint64_t random = 2026;
    double weights = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        weights += (double)model->layers[i].experts * model->layers[i].inputs * model->layers[i].outputs;
    }
    uint32_t batch = m->truth_rows, rounds = weights > 1e7 ? 1 : (FRAMES_MAX + batch - 1) / batch;
    m->frames = rounds * batch;
    m->frames = m->frames < FRAMES_LEAST ? (FRAMES_LEAST + batch - 1) / batch * batch : m->frames;
    m->x = gali_allowance_take(&m->allowance, (size_t)m->frames * model->inputs * sizeof *m->x);
    m->blend = gali_allowance_take(&m->allowance, (size_t)m->frames * blend_width(m) * sizeof *m->blend);
    m->y = gali_allowance_take(&m->allowance, (size_t)m->frames * model->outputs * sizeof *m->y);
    for (uint32_t f = 0; m->x && m->blend && m->y && f < m->frames; f++) {
        for (uint32_t k = 0; k < model->inputs; k++) {
            double value = m->network.input_mean[k] + m->network.input_std[k] * next_random(&random);
            m->x[(size_t)f * model->inputs + k] = (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
        }
        make_blend(m, f, m->blend + (size_t)f * blend_width(m), blend_width(m), &random);
    }
    return m->allowance.status == GAL_OK;
}

/* One input of the graph for the rows from `frame` on; its numbers are the allowance's. */
static int input_tensor(recognition *m, uint32_t port, size_t at, uint32_t frame, gali_tensor *tensor) {
    const gali_type *type = &m->graph->values[m->graph->inputs[port]].type;
    size_t width = m->form.inputs[port].width;
    int gate = (int)port == m->network.gate_port;
    *tensor =
        (gali_tensor){.element = type->element, .rank = (uint32_t)type->rank, .count = m->truth_rows * width};
    for (int i = 0; i < type->rank; i++) {
        tensor->shape[i] = gali_extent_is_number(type->shape[i]) ? type->shape[i] : (int64_t)m->truth_rows;
    }
    tensor->real = gali_allowance_take(&m->allowance, tensor->count * sizeof *tensor->real);
    for (uint32_t r = 0; tensor->real && r < m->truth_rows; r++) {
        const float *row = gate ? m->blend + (size_t)(frame + r) * blend_width(m)
                                : m->x + (size_t)(frame + r) * m->draft.model.inputs + at;
        for (size_t i = 0; i < width; i++) {
            tensor->real[r * width + i] = (double)row[i];
        }
    }
    return tensor->real != NULL;
}

/* One output's rows into their places in y. */
static int take_output(recognition *m, uint32_t port, size_t column, uint32_t frame,
                       const gali_tensor *output) {
    size_t width = m->form.outputs[port].width;
    if (!output->real || output->count != m->truth_rows * width) {
        return gali_allowance_fail(&m->allowance, GAL_BAD_DATA,
                                   "output \"%.64s\" has not a row for each row of the input",
                                   m->form.outputs[port].name);
    }
    for (uint32_t r = 0; r < m->truth_rows; r++) {
        memcpy(m->y + (size_t)(frame + r) * m->draft.model.outputs + column, output->real + r * width,
               width * sizeof *output->real);
    }
    return 1;
}

/* The graph's outputs for one batch of frames. */
static int evaluate_batch(recognition *m, uint32_t frame) {
    gali_tensor inputs[GALI_PORTS_MAX], outputs[GALI_PORTS_MAX] = {{.real = NULL}};
    size_t at = 0, column = 0;
    for (uint32_t i = 0; i < m->form.input_count; i++) {
        if (!input_tensor(m, i, at, frame, &inputs[i])) {
            return 0;
        }
        at += (int)i == m->network.gate_port ? 0 : m->form.inputs[i].width;
    }
    int good = gali_form_evaluate(&m->allowance, m->graph, inputs, outputs);
    for (uint32_t i = 0; i < m->form.output_count; i++) {
        good = good && take_output(m, i, column, frame, &outputs[i]);
        column += m->form.outputs[i].width;
        gali_form_release(&outputs[i]);
    }
    return good;
}

static int evaluate_graph(recognition *m) {
    const gali_model *model = &m->draft.model;
    for (uint32_t f = 0; f < m->frames; f += m->truth_rows) {
        if (!evaluate_batch(m, f)) {
            return 0;
        }
    }
    for (size_t i = 0; i < (size_t)m->frames * model->outputs; i++) {
        if (!(fabs(m->y[i]) <= (double)FLT_MAX)) {
            return gali_allowance_fail(&m->allowance, GAL_BAD_DATA,
                                       "the graph's output %zu is not finite at random inputs",
                                       i % model->outputs);
        }
    }
    return 1;
}

static double rms_of(const double *row, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += row[i] * row[i];
    }
    return sqrt(sum / count);
}

/* Holds the layers in the image against the graph. */
static int compare(recognition *m, const gali_model *model) {
    double *y = gali_allowance_take(&m->allowance, (size_t)m->frames * model->outputs * sizeof *y);
    if (!y || gali_reference_run(model, m->frames, m->x, m->blend, y, &m->error) != GAL_OK) {
        m->allowance.status = m->allowance.status == GAL_OK ? m->error.status : m->allowance.status;
        return 0;
    }
    for (uint32_t f = 0; f < m->frames; f++) {
        const double *want = m->y + (size_t)f * model->outputs, *got = y + (size_t)f * model->outputs;
        double rms = rms_of(want, model->outputs);
        for (uint32_t i = 0; i < model->outputs; i++) {
            double off = fabs(got[i] - want[i]) / (rms > 0 ? rms : 1);
            if (!(off <= agreement)) {
                return gali_allowance_fail(
                    &m->allowance, GAL_BAD_DATA,
                    "the layers found do not compute what the graph does: output %u of frame %u is "
                    "%g, by the graph %g",
                    i, f, got[i], want[i]);
            }
            m->report->worst = off > m->report->worst ? off : m->report->worst;
        }
    }
    return 1;
}

static void put_golden(const recognition *m, const gali_model *placed) {
    const gali_golden *golden = &placed->golden;
    for (size_t i = 0; i < (size_t)m->frames * placed->inputs; i++) {
        gali_put_f32(golden->x, i, m->x[i]);
    }
    for (size_t i = 0; i < (size_t)m->frames * golden->blend_width; i++) {
        gali_put_f32(golden->blend, i, m->blend[i]);
    }
    for (size_t i = 0; i < (size_t)m->frames * placed->outputs; i++) {
        gali_put_f32(golden->y, i, (float)m->y[i]);
    }
}

/* ---- texts ---- */

/* A name of the graph as a name of the contract. */
static void contract_name(const char *name, char text[48]) {
    size_t i = 0;
    for (; name[i] && i < 47; i++) {
        char c = name[i];
        int good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                   c == '.' || c == ':' || c == '-';
        text[i] = good ? c : '_';
    }
    text[i] = 0;
}

static void write_contract(recognition *m) {
    const gali_form *f = &m->form;
    size_t at = (size_t)snprintf(m->contract, TEXT_MAX, "gallop-contract 1\nname onnx\nrate 60\nunit 1\n");
    char name[48];
    for (uint32_t i = 0; i < f->input_count; i++) {
        if ((int)i != m->network.gate_port) {
            contract_name(f->inputs[i].name, name);
            at += (size_t)snprintf(m->contract + at, TEXT_MAX - at, "input opaque %s %zu\n", name,
                                   f->inputs[i].width);
        }
    }
    for (uint32_t i = 0; i < f->output_count; i++) {
        contract_name(f->outputs[i].name, name);
        at += (size_t)snprintf(m->contract + at, TEXT_MAX - at, "output opaque %s %zu\n", name,
                               f->outputs[i].width);
    }
    m->draft.model.contract = m->contract;
    m->draft.model.contract_size = at;
}

static int use_contract(recognition *m) {
    gali_contract *contract = NULL;
    const gali_model *model = &m->draft.model;
    if (!m->desc->contract) {
        write_contract(m);
        return 1;
    }
    if (gali_contract_parse(&contract, m->desc->contract, m->desc->contract_size, NULL, &m->error) != GAL_OK) {
        m->allowance.status = m->error.status;
        return 0;
    }
    int fits = contract->inputs == model->inputs && contract->outputs == model->outputs;
    if (!fits) {
        gali_allowance_fail(&m->allowance, GAL_BAD_DATA,
                            "contract: %u inputs and %u outputs, the graph has %u and %u", contract->inputs,
                            contract->outputs, model->inputs, model->outputs);
    }
    gali_contract_release(contract, NULL);
    m->draft.model.contract = m->desc->contract;
    m->draft.model.contract_size = m->desc->contract_size;
    return fits;
}

/* ---- the image ---- */

static int make_image(recognition *m, void **image, size_t *size) {
    gali_model placed, check;
    *size = gali_model_write_size(&m->draft.model);
    if (!*size) {
        return gali_allowance_fail(&m->allowance, GAL_BAD_DATA,
                                   "the network is larger than a model file may be");
    }
    *image = gali_allocate(m->desc->allocator, *size);
    if (!*image) {
        return gali_allowance_fail(&m->allowance, GAL_NO_MEMORY, "no memory for %zu bytes", *size);
    }
    gali_model_place(&placed, &m->draft.model, *image);
    if (!gali_draft_fill(&m->draft, &placed)) {
        return 0;
    }
    put_golden(m, &placed);
    gali_model source = placed; /* all but the small things is in its place */
    source.contract = m->draft.model.contract;
    source.provenance = m->draft.model.provenance;
    source.gating.features = m->draft.model.gating.features;
    for (uint32_t i = 0; i < source.layer_count; i++) {
        source.layers[i].sources = m->draft.model.layers[i].sources;
    }
    for (uint32_t i = 0; i < source.gating.layer_count; i++) {
        source.gating.layers[i].sources = m->draft.model.gating.layers[i].sources;
    }
    gali_model_write(&source, *image);
    if (gali_model_read(&check, *image, *size, &m->error) != GAL_OK) {
        m->allowance.status = GAL_BAD_DATA;
        return 0;
    }
    return compare(m, &check);
}

static void fill_report(recognition *m) {
    const gali_model *model = &m->draft.model;
    *m->report = (gali_recognise_report){.inputs = model->inputs,
                                         .outputs = model->outputs,
                                         .layers = model->layer_count,
                                         .experts = model->experts,
                                         .gate_layers = model->gating.layer_count,
                                         .gate_features = model->gating.input_count,
                                         .gate = model->gate,
                                         .input_normalised = m->network.input_normalised,
                                         .output_normalised = m->network.output_normalised,
                                         .golden_frames = m->frames};
    if (m->network.gate_port != GALI_ABSENT) {
        contract_name(m->form.inputs[m->network.gate_port].name, m->report->gate_input);
    }
}

static int build(recognition *m) {
    uint32_t batch;
    if (!gali_spell_batch(&m->allowance, m->graph, &batch)) {
        return 0;
    }
    m->truth_rows = batch ? batch : TRUTH_ROWS;
    return gali_spell_graph(&m->form, &m->allowance, &m->arena, m->graph, batch ? batch : 1);
}

static int run(recognition *m, void **image, size_t *size) {
    if (!build(m) || !find_layers_twice(m) || !make_inputs(m) || !evaluate_graph(m) || !use_contract(m)) {
        return 0;
    }
    m->draft.model.provenance = m->desc->provenance;
    m->draft.model.provenance_size = m->desc->provenance_size;
    m->draft.model.golden =
        (gali_golden){.frames = m->frames, .blend_width = blend_width(m), .tolerance = 1e-5f};
    fill_report(m);
    return make_image(m, image, size);
}

gal_status gali_recognise_model(const gali_graph *graph, const gali_recognise_desc *desc, void **image,
                                size_t *size, gali_recognise_report *report, gal_error *error) {
    *image = NULL;
    *size = 0;
    *report = (gali_recognise_report){0};
    recognition *m = calloc(1, sizeof *m);
    if (!m) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the import");
    }
    m->graph = graph;
    m->desc = desc;
    m->report = report;
    m->allowance =
        (gali_allowance){.memory_left = gali_size_add(gali_size_mul(8, desc->source_size), MEMORY_SPARE),
                         .work_left = 0x1p27 + 256 * (double)desc->source_size,
                         .error = &m->error};
    int good = run(m, image, size);
    gal_status status = good ? GAL_OK : m->allowance.status;
    if (!good) {
        gali_release(desc->allocator, *image, *size);
        *image = NULL;
        gali_fail(error, status, "%s", m->error.message);
    }
    gali_arena_release(&m->arena);
    gali_allowance_release(&m->allowance);
    free(m);
    return status;
}
