/*
 * The weights: stored sets taken as they are, or the control points they were sampled from.
 *
 * The fifty sets are samples, at u = 4 i / 50, of a cyclic Catmull-Rom spline through four control points, so
 * s_i = sum_j B[i][j] p_j with the same B for every weight. Least squares gives p = (B'B)^-1 B' s: a 4 x 50
 * matrix, made once in float64. One pass over a kind's fifty files sums p, a second measures the residual of
 * what was stored (rounded to the stored type).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "import/pfnn_parts.h"
#include "kernels/narrow.h"

enum { POINTS = GALI_PFNN_POINTS, SETS = GALI_PFNN_SETS };

typedef struct spline {
    double basis[SETS][POINTS];   /* B */
    double inverse[POINTS][SETS]; /* (B'B)^-1 B' */
} spline;

/* One kind of file: W1_*.bin or b0_*.bin. */
typedef struct kind {
    char letter;
    uint32_t layer;
    gali_pfnn_shape shape;
    size_t count;          /* values of a file */
    const void *values;    /* [experts][count] in the image */
    gali_weight_type type; /* of values */
} kind;

/* ---- the fit ---- */

static void make_basis(spline *s) {
    memset(s->basis, 0, sizeof s->basis);
    for (int i = 0; i < SETS; i++) {
        int whole = POINTS * i / SETS;
        double t = (double)(POINTS * i - whole * SETS) / (double)SETS;
        double *b = s->basis[i];
        b[(whole + POINTS - 1) % POINTS] = -0.5 * t + t * t - 0.5 * t * t * t;
        b[whole % POINTS] = 1 - 2.5 * t * t + 1.5 * t * t * t;
        b[(whole + 1) % POINTS] = 0.5 * t + 2 * t * t - 1.5 * t * t * t;
        b[(whole + 2) % POINTS] = -0.5 * t * t + 0.5 * t * t * t;
    }
}

/* Gauss and Jordan on [B'B | B']; B'B is positive definite and well conditioned, so no pivoting. */
static void make_inverse(spline *s) {
    double rows[POINTS][POINTS + SETS] = {{0}};
    for (int r = 0; r < POINTS; r++) {
        for (int i = 0; i < SETS; i++) {
            for (int c = 0; c < POINTS; c++) {
                rows[r][c] += s->basis[i][r] * s->basis[i][c];
            }
            rows[r][POINTS + i] = s->basis[i][r];
        }
    }
    for (int pivot = 0; pivot < POINTS; pivot++) {
        for (int r = 0; r < POINTS; r++) {
            double factor = rows[r][pivot] / rows[pivot][pivot];
            for (int c = 0; c < POINTS + SETS && r != pivot; c++) {
                rows[r][c] -= factor * rows[pivot][c];
            }
        }
    }
    for (int r = 0; r < POINTS; r++) {
        for (int i = 0; i < SETS; i++) {
            s->inverse[r][i] = rows[r][POINTS + i] / rows[r][r];
        }
    }
}

static void name_of(const kind *k, uint32_t set, char name[24]) {
    snprintf(name, 24, "%c%u_%03u.bin", k->letter, k->layer, set);
}

static gal_status read_set(const gali_pfnn *p, const kind *k, uint32_t set, void *bytes) {
    char name[24];
    name_of(k, set, name);
    return gali_pfnn_read(&p->weights, name, k->shape, bytes, p->error);
}

/* Value i of expert e as stored. */
static double stored(const kind *k, uint32_t e, size_t i) {
    gali_model_layer view = {.weight_type = k->type, .weights = k->values};
    return (double)gali_model_weight(&view, e * k->count + i);
}

/* Stores it rounded; what names it in the message if the type cannot hold it. */
static gal_status store(const gali_pfnn *p, const kind *k, uint32_t e, size_t i, double value,
                        const char *what) {
    size_t at = e * k->count + i;
    double most = k->type == GALI_WEIGHT_F16 ? 65519.99 : (double)FLT_MAX;
    if (!(fabs(value) <= most)) {
        return gali_fail(p->error, GAL_BAD_DATA, "%s: value %zu is %g, too large for %s", what, i, value,
                         k->type == GALI_WEIGHT_F16 ? "float16" : "float32");
    }
    if (k->type == GALI_WEIGHT_F16) {
        gali_put_u16(k->values, at, gali_f16_round((float)value));
    } else {
        gali_put_f32(k->values, at, (float)value);
    }
    return GAL_OK;
}

static gal_status sum_points(gali_pfnn *p, const kind *k, const spline *s) {
    memset(p->sums, 0, POINTS * k->count * sizeof *p->sums);
    gal_status status = GAL_OK;
    for (uint32_t set = 0; set < SETS && status == GAL_OK; set++) {
        status = read_set(p, k, set, p->scratch);
        for (uint32_t e = 0; e < POINTS && status == GAL_OK; e++) {
            double factor = s->inverse[e][set], *sums = p->sums + e * k->count;
            for (size_t i = 0; i < k->count; i++) {
                sums[i] += factor * (double)gali_model_f32(p->scratch, i);
            }
        }
    }
    return status;
}

static gal_status store_points(gali_pfnn *p, const kind *k) {
    gal_status status = GAL_OK;
    for (uint32_t e = 0; e < POINTS; e++) {
        char what[48];
        snprintf(what, sizeof what, "%c%u: recovered point %u", k->letter, k->layer, e);
        for (size_t i = 0; i < k->count && status == GAL_OK; i++) {
            double *sum = p->sums + e * k->count + i;
            status = store(p, k, e, i, *sum, what);
            *sum = status == GAL_OK ? stored(k, e, i) : 0; /* the residual is that of what was stored */
        }
    }
    return status;
}

static gal_status measure(gali_pfnn *p, const kind *k, const spline *s) {
    double squares = 0, misses = 0, worst = 0, *points = p->sums;
    gal_status status = GAL_OK;
    for (uint32_t set = 0; set < SETS && status == GAL_OK; set++) {
        status = read_set(p, k, set, p->scratch);
        const double *b = s->basis[set];
        for (size_t i = 0; i < k->count && status == GAL_OK; i++) {
            double value = (double)gali_model_f32(p->scratch, i), made = 0;
            for (uint32_t e = 0; e < POINTS; e++) {
                made += b[e] * points[e * k->count + i];
            }
            squares += value * value;
            misses += (made - value) * (made - value);
            worst = fmax(worst, fabs(made - value));
        }
    }
    double rms = sqrt(squares / (double)(SETS * k->count));
    double relative = squares > 0 ? sqrt(misses / squares) : 0, most = rms > 0 ? worst / rms : 0;
    gali_pfnn_report *report = p->report;
    if (relative >= report->residual_rms) {
        report->residual_rms = relative;
        report->residual_worst[0] = k->letter;
        report->residual_worst[1] = (char)('0' + (int)k->layer);
    }
    report->residual_max = fmax(report->residual_max, most);
    return status;
}

static gal_status recover(gali_pfnn *p, const kind *k, const spline *s) {
    gal_status status = sum_points(p, k, s);
    if (status == GAL_OK) {
        status = store_points(p, k);
    }
    return status == GAL_OK ? measure(p, k, s) : status;
}

/* Stored sets as experts. float32 is read into its place. */
static gal_status take(gali_pfnn *p, const kind *k) {
    gal_status status = GAL_OK;
    for (uint32_t e = 0; e < p->model.experts && status == GAL_OK; e++) {
        if (k->type == GALI_WEIGHT_F32) {
            status = read_set(p, k, p->sets[e], (unsigned char *)k->values + 4 * k->count * e);
            continue;
        }
        char name[24];
        name_of(k, p->sets[e], name);
        status = read_set(p, k, p->sets[e], p->scratch);
        for (size_t i = 0; i < k->count && status == GAL_OK; i++) {
            status = store(p, k, e, i, (double)gali_model_f32(p->scratch, i), name);
        }
    }
    return status;
}

gal_status gali_pfnn_weights(gali_pfnn *p) {
    spline s;
    make_basis(&s);
    make_inverse(&s);
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < 2 * GALI_PFNN_LAYERS && status == GAL_OK; i++) {
        const gali_model_layer *layer = &p->model.layers[i / 2];
        kind k = {.letter = 'W', .layer = i / 2, .shape = {layer->outputs, layer->inputs}};
        k.values = layer->weights;
        k.type = layer->weight_type;
        if (i % 2) {
            k = (kind){.letter = 'b', .layer = i / 2, .shape = {layer->outputs, 1}, .values = layer->biases};
        }
        k.count = (size_t)k.shape.rows * k.shape.columns;
        status = p->report->recovered ? recover(p, &k, &s) : take(p, &k);
    }
    return status;
}
