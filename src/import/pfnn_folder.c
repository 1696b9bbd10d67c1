/*
 * The importer's order of work: widths from file sizes, texts, the image laid out, then every file read
 * straight into its place in it. So the weights are held once; beside them there is room for one file, and
 * for the sums of one file kind where control points are recovered.
 */
#include "import/pfnn_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "import/pfnn_parts.h"

enum { VALUES_MAX = GALI_WIDTH_MAX };

static const float masked_std =
    1e6f; /* trained deviations stay under 100; those of masked inputs are 1e10 up */

/* ---- files ---- */

static gal_status fail_size(const char *name, gal_status status, size_t size, gali_pfnn_shape shape,
                            gal_error *error) {
    char found[48], shape_text[48];
    size_t expected = 4 * (size_t)shape.rows * shape.columns;
    if (status == GAL_NOT_FOUND) {
        snprintf(found, sizeof found, "missing");
    } else {
        snprintf(found, sizeof found, "%zu bytes", size);
    }
    if (shape.columns == 1) {
        snprintf(shape_text, sizeof shape_text, "%u float32", shape.rows);
    } else {
        snprintf(shape_text, sizeof shape_text, "%u x %u float32", shape.rows, shape.columns);
    }
    return gali_fail(error, GAL_BAD_DATA, "%s: %s, expected %zu bytes (%s)", name, found, expected, shape_text);
}

gal_status gali_pfnn_read(const gali_files *files, const char *name, gali_pfnn_shape shape, void *bytes,
                          gal_error *error) {
    size_t size = 0, count = (size_t)shape.rows * shape.columns;
    gal_status status = files->size(files->context, name, &size, error);
    if (status == GAL_NOT_FOUND || (status == GAL_OK && size != 4 * count)) {
        return fail_size(name, status, size, shape, error);
    }
    if (status == GAL_OK) {
        status = files->read(files->context, name, bytes, size, error);
    }
    for (size_t i = 0; i < count && status == GAL_OK; i++) {
        if (!isfinite(gali_model_f32(bytes, i))) {
            status = gali_fail(error, GAL_BAD_DATA, "%s: value %zu is not finite", name, i);
        }
    }
    return status;
}

/* How many float32 the file holds. */
static gal_status read_width(const gali_pfnn *p, const char *name, uint32_t *width) {
    size_t size = 0;
    gal_status status = p->weights.size(p->weights.context, name, &size, p->error);
    if (status == GAL_NOT_FOUND) {
        return gali_fail(p->error, GAL_BAD_DATA, "%s: missing, expected 1..%d float32", name, VALUES_MAX);
    }
    if (status == GAL_OK && (size == 0 || size % 4 != 0 || size / 4 > VALUES_MAX)) {
        return gali_fail(p->error, GAL_BAD_DATA, "%s: %zu bytes, expected 4..%d, a multiple of 4", name, size,
                         4 * VALUES_MAX);
    }
    *width = (uint32_t)(size / 4);
    return status;
}

static gal_status read_widths(gali_pfnn *p) {
    char names[GALI_PFNN_LAYERS + 1][16] = {"Xmean.bin", "", "", "Ymean.bin"};
    snprintf(names[1], sizeof names[1], "b0_%03u.bin", p->sets[0]);
    snprintf(names[2], sizeof names[2], "b1_%03u.bin", p->sets[0]);
    gal_status status = GAL_OK;
    for (int i = 0; i <= GALI_PFNN_LAYERS && status == GAL_OK; i++) {
        status = read_width(p, names[i], &p->report->widths[i]);
    }
    return status;
}

/* ---- the desc ---- */

static gal_status check_samples(const gali_pfnn_desc *desc, gal_error *error) {
    for (int i = 0; i < GALI_PFNN_POINTS; i++) {
        uint32_t least = i > 0 ? desc->samples[i - 1] + 1 : 0;
        if (desc->samples[i] >= GALI_PFNN_SETS || desc->samples[i] < least) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "samples: %u, expected four ascending sets of 0..%d",
                             desc->samples[i], GALI_PFNN_SETS - 1);
        }
    }
    return GAL_OK;
}

/* Which stored set each expert is. */
static gal_status choose_sets(gali_pfnn *p) {
    const gali_pfnn_desc *desc = p->desc;
    gali_pfnn_report *report = p->report;
    report->gate = desc->gate == GAL_GATE_CALLER ? GAL_GATE_CUBIC : desc->gate;
    if (report->gate == GAL_GATE_CUBIC) {
        report->experts = GALI_PFNN_POINTS;
        report->recovered = !desc->use_samples;
        memcpy(p->sets, desc->samples, desc->use_samples ? sizeof desc->samples : 0);
        return desc->use_samples ? check_samples(desc, p->error) : GAL_OK;
    }
    uint32_t sets = desc->sets ? desc->sets : 10;
    report->experts = report->gate == GAL_GATE_LINEAR ? sets : GALI_PFNN_SETS;
    if (report->experts < 2 || GALI_PFNN_SETS % report->experts != 0) {
        return gali_fail(p->error, GAL_BAD_ARGUMENT, "sets: %u, expected 2, 5, 10, 25 or 50", sets);
    }
    for (uint32_t e = 0; e < report->experts; e++) {
        p->sets[e] = e * (GALI_PFNN_SETS / report->experts);
    }
    return GAL_OK;
}

static gal_status check_desc(const gali_pfnn *p) {
    const gali_pfnn_desc *desc = p->desc;
    if ((unsigned)desc->gate > GAL_GATE_CONSTANT) {
        return gali_fail(p->error, GAL_BAD_ARGUMENT, "gate: %d, expected cubic, linear or constant",
                         (int)desc->gate);
    }
    if (desc->weight_type != GALI_WEIGHT_F32 && desc->weight_type != GALI_WEIGHT_F16) {
        return gali_fail(p->error, GAL_BAD_ARGUMENT, "weight_type: %d, expected float32 or float16",
                         (int)desc->weight_type);
    }
    return GAL_OK;
}

/* ---- the model ---- */

static void describe_model(gali_pfnn *p) {
    const gali_pfnn_report *report = p->report;
    gali_model *m = &p->model;
    m->gate = report->gate;
    m->experts = report->experts;
    m->layer_count = GALI_PFNN_LAYERS;
    m->inputs = report->widths[0];
    m->outputs = report->widths[GALI_PFNN_LAYERS];
    for (uint32_t i = 0; i < GALI_PFNN_LAYERS; i++) {
        m->layers[i] = (gali_model_layer){
            .kind = GALI_LAYER_DENSE,
            .activation = i + 1 < GALI_PFNN_LAYERS ? GALI_ACTIVATION_ELU : GALI_ACTIVATION_NONE,
            .experts = report->experts,
            .inputs = report->widths[i],
            .outputs = report->widths[i + 1],
            .weight_type = p->desc->weight_type,
        };
    }
    m->golden.frames = GALI_PFNN_FRAMES;
    m->golden.blend_width = 1;
    m->golden.tolerance = 1e-5f;
}

static gal_status read_std(const gali_pfnn *p, const char *name, uint32_t count, const void *array) {
    gal_status status = gali_pfnn_read(&p->weights, name, (gali_pfnn_shape){count, 1}, (void *)array, p->error);
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        float value = gali_model_f32(array, i);
        if (!(value > 0)) {
            status =
                gali_fail(p->error, GAL_BAD_DATA, "%s: value %u is %g, expected > 0", name, i, (double)value);
        }
    }
    return status;
}

static void set_states(gali_pfnn *p) {
    const gali_model *m = &p->model;
    for (uint32_t i = 0; i < m->inputs; i++) {
        int bump = p->report->known_features && i - GALI_PFNN_BUMP_FIRST < (uint32_t)GALI_PFNN_BUMP_COUNT;
        int masked = !bump && gali_model_f32(m->input_std, i) >= masked_std;
        gali_put_u32(m->input_state, i,
                     bump     ? GALI_INPUT_CONSTANT
                     : masked ? GALI_INPUT_MASKED
                              : GALI_INPUT_LIVE);
        gali_put_f32(m->input_constant, i, 0);
        p->report->masked += (uint32_t)masked;
        p->report->constant += (uint32_t)bump;
    }
}

static gal_status read_norms(gali_pfnn *p) {
    const gali_model *m = &p->model;
    gal_status status = gali_pfnn_read(&p->weights, "Xmean.bin", (gali_pfnn_shape){m->inputs, 1},
                                       (void *)m->input_mean, p->error);
    if (status == GAL_OK) {
        status = read_std(p, "Xstd.bin", m->inputs, m->input_std);
    }
    if (status == GAL_OK) {
        status = gali_pfnn_read(&p->weights, "Ymean.bin", (gali_pfnn_shape){m->outputs, 1},
                                (void *)m->output_mean, p->error);
    }
    if (status == GAL_OK) {
        status = read_std(p, "Ystd.bin", m->outputs, m->output_std);
    }
    if (status == GAL_OK) {
        set_states(p);
    }
    return status;
}

/* ---- memory ---- */

static gal_status allocate(const gali_pfnn *p, void **memory, size_t size) {
    *memory = gali_allocate(p->desc->allocator, size);
    return *memory ? GAL_OK : gali_fail(p->error, GAL_NO_MEMORY, "no memory for %zu bytes", size);
}

static gal_status allocate_scratch(gali_pfnn *p) {
    const uint32_t *w = p->report->widths;
    size_t most = 0;
    for (int i = 0; i < GALI_PFNN_LAYERS; i++) {
        size_t values = gali_size_mul(w[i], w[i + 1]);
        most = values > most ? values : most;
    }
    p->scratch_size = gali_size_mul(most, 4);
    p->sums_size = p->report->recovered ? gali_size_mul(most, GALI_PFNN_POINTS * sizeof(double)) : 0;
    void *sums = NULL;
    gal_status status = allocate(p, &p->scratch, p->scratch_size);
    if (status == GAL_OK && p->report->recovered) {
        status = allocate(p, &sums, p->sums_size);
    }
    p->sums = sums;
    return status;
}

/* Every W and b file's size, before memory is taken for them: what they claim must be there. */
static gal_status check_sizes(const gali_pfnn *p) {
    const uint32_t *w = p->report->widths;
    uint32_t count = p->report->recovered ? GALI_PFNN_SETS : p->report->experts;
    for (uint32_t i = 0; i < count * 2 * GALI_PFNN_LAYERS; i++) {
        uint32_t layer = i / 2 % GALI_PFNN_LAYERS, which = i / (2 * GALI_PFNN_LAYERS);
        uint32_t set = p->report->recovered ? which : p->sets[which];
        gali_pfnn_shape shape = {w[layer + 1], i % 2 ? 1 : w[layer]};
        char name[24];
        size_t size = 0;
        snprintf(name, sizeof name, "%c%u_%03u.bin", i % 2 ? 'b' : 'W', layer, set);
        gal_status status = p->weights.size(p->weights.context, name, &size, p->error);
        if (status == GAL_NOT_FOUND || (status == GAL_OK && size != 4 * (size_t)shape.rows * shape.columns)) {
            return fail_size(name, status, size, shape, p->error);
        }
        if (status != GAL_OK) {
            return status;
        }
    }
    return GAL_OK;
}

/* Lays the image out and lets the model's arrays point into it. */
static gal_status make_image(gali_pfnn *p, void **image, size_t *size) {
    gali_model described = p->model;
    *size = gali_model_write_size(&described);
    if (*size == 0) {
        return gali_fail(p->error, GAL_BAD_DATA, "%u x %u x %u x %u: more than a model file holds",
                         p->report->widths[0], p->report->widths[1], p->report->widths[2],
                         p->report->widths[3]);
    }
    gal_status status = allocate(p, image, *size);
    if (status == GAL_OK) {
        gali_model_place(&p->model, &described, *image);
        memcpy((void *)p->model.contract, described.contract, described.contract_size);
        memcpy((void *)p->model.provenance, described.provenance, described.provenance_size);
    }
    return status;
}

static gal_status find_out(gali_pfnn *p) {
    gal_status status = check_desc(p);
    if (status == GAL_OK) {
        status = choose_sets(p);
    }
    if (status == GAL_OK) {
        status = read_widths(p);
    }
    if (status == GAL_OK) {
        status = check_sizes(p);
    }
    p->report->known_features =
        p->report->widths[0] == GALI_PFNN_INPUTS && p->report->widths[3] == GALI_PFNN_OUTPUTS;
    p->report->golden_frames = GALI_PFNN_FRAMES;
    return status;
}

static gal_status make_texts(gali_pfnn *p) {
    void *texts = NULL;
    gal_status status = allocate(p, &texts, 2 * GALI_PFNN_TEXT_MAX);
    if (status == GAL_OK) {
        p->contract = texts;
        p->provenance = p->contract + GALI_PFNN_TEXT_MAX;
        status = gali_pfnn_texts(p);
    }
    return status;
}

/* Reads all that goes into the image, and checks the result as any reader will. */
static gal_status fill_image(gali_pfnn *p, void *image, size_t size) {
    gali_model check;
    gal_status status = read_norms(p);
    if (status == GAL_OK) {
        status = allocate_scratch(p);
    }
    if (status == GAL_OK) {
        status = gali_pfnn_weights(p);
    }
    if (status == GAL_OK) {
        status = gali_pfnn_golden(p);
    }
    if (status == GAL_OK) {
        gali_model_write(&p->model, image);
        status = gali_model_read(&check, image, size, p->error);
    }
    return status;
}

gal_status gali_pfnn_import(const gali_pfnn_desc *desc, void **image, size_t *size, gali_pfnn_report *report,
                            gal_error *error) {
    gali_pfnn p = {.desc = desc, .weights = *desc->weights, .report = report, .error = error};
    p.skeleton = desc->skeleton ? *desc->skeleton : p.weights;
    *report = (gali_pfnn_report){0};
    *image = NULL;
    gal_status status = find_out(&p);
    if (status == GAL_OK) {
        describe_model(&p);
        status = make_texts(&p);
    }
    if (status == GAL_OK) {
        status = make_image(&p, image, size);
    }
    if (status == GAL_OK) {
        status = fill_image(&p, *image, *size);
    }
    gali_release(desc->allocator, p.contract, 2 * GALI_PFNN_TEXT_MAX);
    gali_release(desc->allocator, p.scratch, p.scratch_size);
    gali_release(desc->allocator, p.sums, p.sums_size);
    if (status != GAL_OK) {
        gali_release(desc->allocator, *image, *size);
        *image = NULL;
    }
    return status;
}
