/*
 * The importer's order of work: build the program, find the layers, lay the model out; evaluate the graph itself at
 * random inputs (they become the golden frames); then fill the image and hold the layers in it against the graph's
 * outputs. So at no time are there more than the unpacked file and either the evaluation's tensors or the image.
 *
 * A batch of free size is 1 for finding the layers and 2 for the truth: a graph in which rows of the batch touch each
 * other cannot pass.
 */
#include "import/onnx_import.h"
#include "import/onnx/read.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "import/little_endian.h"
#include "import/onnx_external.h"
#include "import/onnx_graph.h"
#include "import/onnx_model.h"
#include "import/onnx_wire.h"
#include "motion/contract.h"
#include "network/reference.h"

enum {
    TRUTH_ROWS = 2,
    FRAMES_MAX = 24,
    FRAMES_LEAST = 2,
    TEXT_MAX = 4096,
    MEMORY_SPARE = 128 << 20, /* bytes of work beyond eight times the file */
};

static const double agreement = 1e-5; /* of a frame's root mean square */
static const double turn = 6.283185307179586;

struct gali_onnx_file {
    gali_onnx_wire wire;
    Onnx__ModelProto *model;
    size_t size;
};

gal_status gali_onnx_open(gali_onnx_file **out, const gali_onnx_bytes *bytes, gal_error *error) {
    gali_onnx_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the file");
    }
    file->size = gali_size_add(bytes->size, bytes->external_size);
    gal_status status = gali_onnx_wire_read(&file->wire, bytes->data, bytes->size, &file->model, error);
    if (status == GAL_OK) {
        status =
            gali_onnx_external_read(&file->wire, file->model, bytes->external, bytes->external_size, error);
    }
    if (status != GAL_OK) {
        gali_onnx_close(file);
        return status;
    }
    *out = file;
    return GAL_OK;
}

gal_status gali_onnx_graph(gali_graph **out, const gali_onnx_file *file, const gali_onnx_sizes *sizes,
                           gali_arena *arena, gal_error *error) {
    return gali_onnx_read(out, file->model, sizes, arena, error);
}

void gali_onnx_close(gali_onnx_file *file) {
    if (file) {
        gali_onnx_wire_release(&file->wire, file->model);
        free(file);
    }
}

typedef struct import {
    const gali_onnx_file *file;
    const gali_onnx_desc *desc;
    gali_onnx onnx;
    gali_onnx_program program, truth; /* one row where the file leaves the batch free; TRUTH_ROWS */
    gali_onnx_network network;
    gali_onnx_plan plan;
    gali_onnx_report *report;
    uint32_t frames;
    float *x, *blend; /* [frames][inputs], [frames][blend width] */
    double *y;        /* [frames][outputs] what the graph says */
    char contract[TEXT_MAX], provenance[TEXT_MAX];
    gal_error error;
} import;

/* ---- layers ---- */

static int find_layers(import *m, int may_blend) {
    return gali_onnx_recognise(&m->program, may_blend, &m->network) &&
           gali_onnx_plan_make(&m->plan, &m->network);
}

/* An input that looks like a blend and is none (the other factor of a product) is a feature after all. */
static int find_layers_twice(import *m) {
    if (find_layers(m, 1)) {
        return 1;
    }
    int blend = m->network.gate == GAL_GATE_CALLER && m->network.gate_port != GALI_ONNX_NONE;
    gal_error first = m->error;
    if (!blend || m->onnx.status == GAL_NO_MEMORY) {
        return 0;
    }
    m->onnx.status = GAL_OK;
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
static void make_blend(const import *m, uint32_t frame, float *blend, uint32_t width, uint64_t *random) {
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

static uint32_t blend_width(const import *m) {
    return m->network.gate == GAL_GATE_CALLER ? m->network.experts : 1;
}

static int make_inputs(import *m) {
    const gali_model *model = &m->plan.model;
    uint64_t random = 2026;
    double weights = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        weights += (double)model->layers[i].experts * model->layers[i].inputs * model->layers[i].outputs;
    }
    uint32_t batch = m->truth.batch, rounds = weights > 1e7 ? 1 : (FRAMES_MAX + batch - 1) / batch;
    m->frames = rounds * batch;
    m->frames = m->frames < FRAMES_LEAST ? (FRAMES_LEAST + batch - 1) / batch * batch : m->frames;
    m->x = gali_onnx_take(&m->onnx, (size_t)m->frames * model->inputs * sizeof *m->x);
    m->blend = gali_onnx_take(&m->onnx, (size_t)m->frames * blend_width(m) * sizeof *m->blend);
    m->y = gali_onnx_take(&m->onnx, (size_t)m->frames * model->outputs * sizeof *m->y);
    for (uint32_t f = 0; m->x && m->blend && m->y && f < m->frames; f++) {
        for (uint32_t k = 0; k < model->inputs; k++) {
            double value = m->network.input_mean[k] + m->network.input_std[k] * next_random(&random);
            m->x[(size_t)f * model->inputs + k] = (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
        }
        make_blend(m, f, m->blend + (size_t)f * blend_width(m), blend_width(m), &random);
    }
    return m->onnx.status == GAL_OK;
}

/* Numbers of one input of the graph for the rows from `frame` on. */
static double *port_numbers(import *m, uint32_t port, size_t at, uint32_t frame) {
    const gali_onnx_program *p = &m->truth;
    size_t width = p->inputs[port].width;
    double *numbers = gali_onnx_take(&m->onnx, p->batch * width * sizeof *numbers);
    int gate = (int)port == m->network.gate_port;
    for (uint32_t r = 0; numbers && r < p->batch; r++) {
        const float *row = gate ? m->blend + (size_t)(frame + r) * blend_width(m)
                                : m->x + (size_t)(frame + r) * m->plan.model.inputs + at;
        for (size_t i = 0; i < width; i++) {
            numbers[r * width + i] = (double)row[i];
        }
    }
    return numbers;
}

/* The graph's outputs for one batch of frames. */
static int evaluate_batch(import *m, uint32_t frame) {
    gali_onnx_program *p = &m->truth;
    const double *given[GALI_ONNX_INPUTS_MAX];
    uint32_t steps[GALI_ONNX_INPUTS_MAX];
    size_t at = 0;
    for (uint32_t i = 0; i < p->input_count; i++) {
        given[i] = port_numbers(m, i, at, frame);
        steps[i] = p->inputs[i].step;
        at += (int)i == m->network.gate_port ? 0 : p->inputs[i].width;
        if (!given[i]) {
            return 0;
        }
    }
    size_t column = 0;
    for (uint32_t i = 0; i < p->output_count; i++) {
        size_t width = p->outputs[i].width;
        double *y = gali_onnx_take(&m->onnx, p->batch * width * sizeof *y);
        if (!y || !gali_onnx_evaluate(p, p->input_count, steps, given, p->outputs[i].step, y)) {
            return 0;
        }
        for (uint32_t r = 0; r < p->batch; r++) {
            memcpy(m->y + (size_t)(frame + r) * m->plan.model.outputs + column, y + r * width,
                   width * sizeof *y);
        }
        column += width;
    }
    return 1;
}

static int evaluate_graph(import *m) {
    const gali_model *model = &m->plan.model;
    for (uint32_t f = 0; f < m->frames; f += m->truth.batch) {
        if (!evaluate_batch(m, f)) {
            return 0;
        }
    }
    for (size_t i = 0; i < (size_t)m->frames * model->outputs; i++) {
        if (!(fabs(m->y[i]) <= (double)FLT_MAX)) {
            return gali_onnx_fail(&m->onnx, GAL_BAD_DATA,
                                  "the graph's output %zu is not finite at random inputs", i % model->outputs);
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
static int compare(import *m, const gali_model *model) {
    double *y = gali_onnx_take(&m->onnx, (size_t)m->frames * model->outputs * sizeof *y);
    if (!y || gali_reference_run(model, m->frames, m->x, m->blend, y, &m->error) != GAL_OK) {
        m->onnx.status = m->onnx.status == GAL_OK ? m->error.status : m->onnx.status;
        return 0;
    }
    for (uint32_t f = 0; f < m->frames; f++) {
        const double *want = m->y + (size_t)f * model->outputs, *got = y + (size_t)f * model->outputs;
        double rms = rms_of(want, model->outputs);
        for (uint32_t i = 0; i < model->outputs; i++) {
            double off = fabs(got[i] - want[i]) / (rms > 0 ? rms : 1);
            if (!(off <= agreement)) {
                return gali_onnx_fail(
                    &m->onnx, GAL_BAD_DATA,
                    "the layers found do not compute what the graph does: output %u of frame %u is "
                    "%g, by the graph %g",
                    i, f, got[i], want[i]);
            }
            m->report->worst = off > m->report->worst ? off : m->report->worst;
        }
    }
    return 1;
}

static void put_golden(const import *m, const gali_model *placed) {
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

static void write_contract(import *m) {
    const gali_onnx_program *p = &m->program;
    size_t at = (size_t)snprintf(m->contract, TEXT_MAX, "gallop-contract 1\nname onnx\nrate 60\nunit 1\n");
    char name[48];
    for (uint32_t i = 0; i < p->input_count; i++) {
        if ((int)i != m->network.gate_port) {
            contract_name(p->inputs[i].name, name);
            at += (size_t)snprintf(m->contract + at, TEXT_MAX - at, "input opaque %s %zu\n", name,
                                   p->inputs[i].width);
        }
    }
    for (uint32_t i = 0; i < p->output_count; i++) {
        contract_name(p->outputs[i].name, name);
        at += (size_t)snprintf(m->contract + at, TEXT_MAX - at, "output opaque %s %zu\n", name,
                               p->outputs[i].width);
    }
    m->plan.model.contract = m->contract;
    m->plan.model.contract_size = at;
}

static int use_contract(import *m) {
    gali_contract *contract = NULL;
    const gali_model *model = &m->plan.model;
    if (!m->desc->contract) {
        write_contract(m);
        return 1;
    }
    if (gali_contract_parse(&contract, m->desc->contract, m->desc->contract_size, NULL, &m->error) != GAL_OK) {
        m->onnx.status = m->error.status;
        return 0;
    }
    int fits = contract->inputs == model->inputs && contract->outputs == model->outputs;
    if (!fits) {
        gali_onnx_fail(&m->onnx, GAL_BAD_DATA, "contract: %u inputs and %u outputs, the graph has %u and %u",
                       contract->inputs, contract->outputs, model->inputs, model->outputs);
    }
    gali_contract_release(contract, NULL);
    m->plan.model.contract = m->desc->contract;
    m->plan.model.contract_size = m->desc->contract_size;
    return fits;
}

/* Printable ASCII, at most 200 bytes. */
static void plain_text(const char *from, char text[201]) {
    size_t i = 0;
    for (; from && from[i] && i < 200; i++) {
        text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    }
    text[i] = 0;
}

static void write_provenance(import *m) {
    const Onnx__ModelProto *model = m->file->model;
    char graph[201], producer[201], version[201];
    plain_text(model->graph->name, graph);
    plain_text(model->producer_name, producer);
    plain_text(model->producer_version, version);
    int length =
        snprintf(m->provenance, TEXT_MAX,
                 "model: the ONNX graph \"%s\", made by %s %s\nlicence: that of the ONNX file, which says "
                 "none\ncommand: gallop import\n",
                 graph, producer, version);
    m->plan.model.provenance = m->provenance;
    m->plan.model.provenance_size = (size_t)length;
}

/* ---- the image ---- */

static int make_image(import *m, void **image, size_t *size) {
    gali_model placed, check;
    *size = gali_model_write_size(&m->plan.model);
    if (!*size) {
        return gali_onnx_fail(&m->onnx, GAL_BAD_DATA, "the network is larger than a model file may be");
    }
    *image = gali_allocate(m->desc->allocator, *size);
    if (!*image) {
        return gali_onnx_fail(&m->onnx, GAL_NO_MEMORY, "no memory for %zu bytes", *size);
    }
    gali_model_place(&placed, &m->plan.model, *image);
    if (!gali_onnx_plan_fill(&m->plan, &placed)) {
        return 0;
    }
    put_golden(m, &placed);
    gali_model source = placed; /* all but the small things is in its place */
    source.contract = m->plan.model.contract;
    source.provenance = m->plan.model.provenance;
    source.gating.features = m->plan.model.gating.features;
    for (uint32_t i = 0; i < source.layer_count; i++) {
        source.layers[i].sources = m->plan.model.layers[i].sources;
    }
    for (uint32_t i = 0; i < source.gating.layer_count; i++) {
        source.gating.layers[i].sources = m->plan.model.gating.layers[i].sources;
    }
    gali_model_write(&source, *image);
    if (gali_model_read(&check, *image, *size, &m->error) != GAL_OK) {
        m->onnx.status = GAL_BAD_DATA;
        return 0;
    }
    return compare(m, &check);
}

static void fill_report(import *m) {
    const gali_model *model = &m->plan.model;
    *m->report = (gali_onnx_report){.inputs = model->inputs,
                                    .outputs = model->outputs,
                                    .layers = model->layer_count,
                                    .experts = model->experts,
                                    .gate_layers = model->gating.layer_count,
                                    .gate_features = model->gating.input_count,
                                    .gate = model->gate,
                                    .input_normalised = m->network.input_normalised,
                                    .output_normalised = m->network.output_normalised,
                                    .golden_frames = m->frames};
    if (m->network.gate_port != GALI_ONNX_NONE) {
        contract_name(m->program.inputs[m->network.gate_port].name, m->report->gate_input);
    }
}

static int build(import *m) {
    uint32_t batch;
    const Onnx__ModelProto *model = m->file->model;
    return gali_onnx_batch(&m->onnx, model, &batch) &&
           gali_onnx_build(&m->program, &m->onnx, model, batch ? batch : 1) &&
           gali_onnx_build(&m->truth, &m->onnx, model, batch ? batch : TRUTH_ROWS);
}

static int run(import *m, void **image, size_t *size) {
    if (!build(m) || !find_layers_twice(m) || !make_inputs(m) || !evaluate_graph(m) || !use_contract(m)) {
        return 0;
    }
    write_provenance(m);
    m->plan.model.golden =
        (gali_golden){.frames = m->frames, .blend_width = blend_width(m), .tolerance = 1e-5f};
    fill_report(m);
    return make_image(m, image, size);
}

gal_status gali_onnx_import(const gali_onnx_file *file, const gali_onnx_desc *desc, void **image, size_t *size,
                            gali_onnx_report *report, gal_error *error) {
    *image = NULL;
    *size = 0;
    *report = (gali_onnx_report){0};
    import *m = calloc(1, sizeof *m);
    if (!m) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the import");
    }
    m->file = file;
    m->desc = desc;
    m->report = report;
    m->onnx = (gali_onnx){.memory_left = gali_size_add(gali_size_mul(8, file->size), MEMORY_SPARE),
                          .work_left = 0x1p27 + 256 * (double)file->size,
                          .error = &m->error};
    int good = run(m, image, size);
    gal_status status = good ? GAL_OK : m->onnx.status;
    if (!good) {
        gali_release(desc->allocator, *image, *size);
        *image = NULL;
        gali_fail(error, status, "%s", m->error.message);
    }
    gali_onnx_release(&m->onnx);
    free(m);
    return status;
}
