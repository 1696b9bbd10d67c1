/*
 * Which stages are products of rows with constant weights, and their kernels:
 *
 *     y[c][n] = finish(sum over k of x[c][k] w[n][k])
 *     y[c][n] = finish(sum over e of blend[c][e] (s[c][e][n] + b[e][n])), s[c][e][n] = sum over k of x[c][k] w[e][n][k]
 *
 * Of the second the stage of s is taken in: blend[c][e] goes with x, and e and k are one sum. Behind tiles a launch of its own
 * finishes their sums; products of few rows, which cost a launch each, do that themselves.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "compiler/emit/opencl/plan.h"
#include "graph/evaluate.h"

enum {
    PADDED_OUTPUTS = 128, /* what tiles divide */
    PADDED_INPUTS = 16,
    LEAST = 16, /* inputs and outputs that are worth a tile */
    SPLIT_MOST = 128,
    FOURS = 4,
    HALF_LARGEST = 65504,
};

extern const gali_embedded gali_embedded_device_product, gali_embedded_device_row;

/* Tilings by rules, each from so many rows on, the first that fits; before the first rule, rows go one by one. */
enum { CHOICES = 2 };
static const struct {
    int64_t from;
    gali_tiling tiling[CHOICES];
} rules[] = {
    {48, {{32, 32, 8, 4, 4, 8}, {32, 32, 8, 4, 4, 4}}},
    {512, {{64, 64, 8, 8, 8, 4}, {64, 64, 8, 8, 8, 2}}},
    {16384, {{128, 128, 16, 8, 8, 1}, {128, 128, 8, 8, 8, 1}}},
};
enum { RULES = sizeof rules / sizeof rules[0] };

typedef struct product {
    uint32_t stage, inner; /* inner: of the sums of experts; GALI_NONE: there are none */
    uint32_t experts, inputs, outputs, padded_inputs, padded_outputs;
    const gali_scalar *x, *weights, *blend, *bias; /* loads; the last two NULL without experts */
    uint32_t axis_n, axis_k, axis_e;               /* of the stage that has the weights */
    uint32_t weights_at, bias_at;                  /* where the packed ones begin */
} product;

/* ---- what is one ---- */

static int is_axis(const gali_scalar *a, uint32_t axis) {
    return a->op == GALI_SCALAR_axis && a->source == axis;
}

/* A load of f32 of that role (COUNT: any) and rank at plain axes. */
static int is_load(const gali_program *p, const gali_scalar *a, int rank, int constant) {
    if (a->op != GALI_SCALAR_load || p->tensors[a->source].type.rank != rank || a->element != GALI_f32 ||
        (p->tensors[a->source].role == GALI_TENSOR_CONSTANT) != constant) {
        return 0;
    }
    for (int i = 0; i < rank; i++) {
        if (a->index[i]->op != GALI_SCALAR_axis) {
            return 0;
        }
    }
    return 1;
}

static int is_zero_start(const gali_program_stage *s) {
    return s->start && s->start->op == GALI_SCALAR_number && s->start->element == GALI_f32 &&
           !(s->start->real < 0) && !(s->start->real > 0);
}

/* a b + self, in either order of a and b: *a is the one that `first` takes. */
static int match_sum(const gali_program *p, const gali_program_stage *s, int rank_a, int constant_a,
                     const gali_scalar **a, const gali_scalar **b) {
    const gali_scalar *v = s->value;
    if (s->gone || s->reduced != 1 || !is_zero_start(s) || v->op != GALI_SCALAR_fma ||
        v->operand[2]->op != GALI_SCALAR_self) {
        return 0;
    }
    int second = !is_load(p, v->operand[0], rank_a, constant_a);
    *a = v->operand[second];
    *b = v->operand[!second];
    return is_load(p, *a, rank_a, constant_a);
}

static int small(gali_extent extent, uint32_t *number) {
    int is = gali_extent_is_number(extent) && extent > 0 && extent < 1 << 20;
    *number = is ? (uint32_t)extent : 0;
    return is;
}

/* x[c][k] w[..] of a stage with axes c, (e,) n, k. */
static int match_weights(const gali_program *p, const gali_program_stage *s, product *out) {
    out->axis_k = s->rank;
    out->axis_n = s->rank - 1;
    out->axis_e = s->rank == 3 ? 1 : GALI_NONE;
    return match_sum(p, s, 2, 0, &out->x, &out->weights) && is_load(p, out->weights, (int)s->rank, 1) &&
           is_axis(out->x->index[0], 0) && is_axis(out->x->index[1], out->axis_k) &&
           small(s->extent[out->axis_n], &out->outputs) && small(s->extent[out->axis_k], &out->inputs);
}

/* Whether the weights have each of the axes but c. */
static int has_axes(const gali_scalar *weights, uint32_t rank) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < rank; i++) {
        seen |= 1u << weights->index[i]->source;
    }
    return seen == (rank == 3 ? 0xEu : 0x6u);
}

static int match_blend(const gali_program *p, uint32_t index, product *out) {
    const gali_program_stage *s = &p->stages[index];
    const gali_scalar *sum;
    if (!match_sum(p, s, 2, 0, &out->blend, &sum) || sum->op != GALI_SCALAR_add ||
        !is_axis(out->blend->index[0], 0) || !is_axis(out->blend->index[1], 2)) {
        return 0;
    }
    int second = !is_load(p, sum->operand[0], 3, 0);
    const gali_scalar *inner = sum->operand[second];
    out->bias = sum->operand[!second];
    if (!is_load(p, inner, 3, 0) || !is_load(p, out->bias, 2, 1) || !is_axis(inner->index[0], 0) ||
        !is_axis(inner->index[1], 2) || !is_axis(inner->index[2], 1) || !is_axis(out->bias->index[0], 2) ||
        !is_axis(out->bias->index[1], 1)) {
        return 0;
    }
    const gali_program_tensor *tensor = &p->tensors[inner->source];
    out->inner = tensor->stage;
    return tensor->role == GALI_TENSOR_MADE && tensor->readers == 1 && out->inner < index &&
           !p->stages[out->inner].finish && p->stages[out->inner].rank == 3 &&
           small(s->extent[2], &out->experts) && match_weights(p, &p->stages[out->inner], out) &&
           has_axes(out->weights, 3);
}

static int match(const gali_program *p, uint32_t index, product *out) {
    *out = (product){.stage = index, .inner = GALI_NONE, .experts = 1};
    if (p->stages[index].gone || p->stages[index].rank != 2) {
        return 0;
    }
    int is = match_blend(p, index, out);
    if (!is) {
        *out = (product){.stage = index, .inner = GALI_NONE, .experts = 1};
        is = match_weights(p, &p->stages[index], out) && has_axes(out->weights, 2);
    }
    out->padded_inputs = (out->inputs + PADDED_INPUTS - 1) / PADDED_INPUTS * PADDED_INPUTS;
    out->padded_outputs = (out->outputs + PADDED_OUTPUTS - 1) / PADDED_OUTPUTS * PADDED_OUTPUTS;
    return is && out->inputs >= LEAST && out->outputs >= LEAST;
}

/* ---- constants ---- */

/* Element i of weights that are float32 or float16. Returns 0 past the latter's range. */
static int store_weight(void *weights, size_t i, float value, int half) {
    if (!half) {
        ((float *)weights)[i] = value;
        return 1;
    }
    gali_element_store(GALI_f16, (double)value, 0,
                       (unsigned char *)weights + i * gali_element_list[GALI_f16].bytes);
    return fabs((double)value) <= (double)HALF_LARGEST;
}

static void pack_biases(gali_device_plan *plan, product *is) {
    const float *bias = plan->program->tensors[is->bias->source].data;
    size_t floats = (size_t)is->experts * is->padded_outputs;
    float *to = gali_device_add_constant(plan, floats * sizeof *to, &is->bias_at);
    for (size_t i = 0; to && i < floats; i++) {
        size_t n = i % is->padded_outputs;
        to[i] = n < is->outputs ? bias[i / is->padded_outputs * is->outputs + n] : 0;
    }
}

/* weights[e][k][n], zeros behind the last input and output; and, of experts, biases[e][n]. Returns 0 past a range. */
static int pack(gali_device_plan *plan, product *is) {
    const gali_program_tensor *tensor = &plan->program->tensors[is->weights->source];
    const float *from = tensor->data;
    size_t step[GALI_RANK_MAX] = {0}, scale = 1; /* by axes of the stage */
    for (int i = tensor->type.rank; i-- > 0;) {
        step[is->weights->index[i]->source] = scale;
        scale *= (size_t)tensor->type.shape[i];
    }
    size_t floats = (size_t)is->experts * is->padded_inputs * is->padded_outputs;
    int half = plan->device.half_weights, good = 1;
    size_t bytes = floats * (half ? gali_element_list[GALI_f16].bytes : sizeof(float));
    void *to = gali_device_add_constant(plan, bytes, &is->weights_at);
    if (to) {
        memset(to, 0, bytes);
    }
    for (size_t e = 0; to && e < is->experts; e++) {
        for (size_t k = 0; k < is->inputs; k++) {
            for (size_t n = 0; n < is->outputs; n++) {
                size_t at = k * step[is->axis_k] + n * step[is->axis_n];
                good &= store_weight(to, (e * is->padded_inputs + k) * is->padded_outputs + n,
                                     from[is->axis_e == GALI_NONE ? at : at + e * step[is->axis_e]], half);
            }
        }
    }
    if (is->bias) {
        pack_biases(plan, is);
    }
    return good;
}

/* ---- kernels ---- */

int gali_tiling_fits(const gali_tiling *t, uint32_t experts, uint32_t inputs,
                     const gali_device_limits *device) {
    int whole = t->row_registers && t->output_registers && t->row_registers % FOURS == 0 &&
                t->output_registers % FOURS == 0 && t->depth % FOURS == 0 && PADDED_INPUTS % t->depth == 0 &&
                t->parts && t->outputs && PADDED_OUTPUTS % t->outputs == 0 && t->rows % t->row_registers == 0 &&
                t->outputs % t->output_registers == 0;
    if (!whole) {
        return 0;
    }
    uint32_t items = t->rows / t->row_registers * (t->outputs / t->output_registers);
    uint32_t tiles = t->parts * 2 * t->depth * (t->rows + FOURS + t->outputs);
    uint32_t sums = t->parts > 1 ? t->rows * t->outputs : 0;
    uint32_t floats = (tiles > sums ? tiles : sums) + experts * t->rows;
    uint32_t padded = (inputs + PADDED_INPUTS - 1) / PADDED_INPUTS * PADDED_INPUTS;
    return items > 0 && items * t->parts <= device->group_most &&
           experts * padded % (t->depth * t->parts) == 0 && t->rows * t->depth % (FOURS * items) == 0 &&
           t->outputs * t->depth % (FOURS * items) == 0 && floats * sizeof(float) <= device->local_bytes;
}

static void define(gali_text *to, const char *name, uint32_t value) {
    gali_text_add(to, "#define %s %u\n", name, value);
}

typedef struct kernel {
    const product *is;
    const gali_device_function *finish;
    int finishes; /* whether that does anything */
    const gali_embedded *body;
} kernel;

/* Macros, the body, and the macros' end. */
static void add_kernel(gali_device_plan *plan, const kernel *k, gali_launch *launch,
                       const gali_tiling *tiling) {
    static const char blended[] = /* 64 is GALI_DEVICE_UNIT */
        "    __global const float *blend = (__global const float *)(memory + 64UL * at_blend); \\\n"
        "    __global const float *bias = (__global const float *)(weights + 64UL * at_bias); \\\n";
    static const char whole[] = "#define WEIGHT float\n#define WEIGHT_ONE(at) w[at]\n"
                                "#define WEIGHT_FOUR(at) *(__global const float4 *)(w + (at))\n",
                      half[] = "#define WEIGHT half\n#define WEIGHT_ONE(at) vload_half(at, w)\n"
                               "#define WEIGHT_FOUR(at) vload_half4(0, w + (at))\n";
    gali_text macros = {0}, *to = &macros;
    const product *is = k->is;
    gali_text_add(to,
                  "#define POINTERS \\\n"
                  "    const uint rows = count; \\\n"
                  "    __global const float *x = (__global const float *)(memory + %uUL * at_x); \\\n"
                  "    __global const WEIGHT *w = (__global const WEIGHT *)(weights + %uUL * at_w); \\\n%s"
                  "    __global float *y = (__global float *)(memory + %uUL * at_y);\n"
                  "#define PARAMETERS " GALI_DEVICE_MEMORY ", uint32_t at_x, uint32_t at_w%s, uint32_t at_y",
                  GALI_DEVICE_UNIT, GALI_DEVICE_UNIT, is->bias ? blended : "", GALI_DEVICE_UNIT,
                  is->bias ? ", uint32_t at_blend, uint32_t at_bias" : "");
    if (!tiling) {
        gali_device_add_list(to, k->finish, 1);
        gali_text_add(to, "\n#define FINISH(item) %s(item", k->finish->name);
        gali_device_add_list(to, k->finish, 0);
        gali_text_add(to, ")");
    }
    gali_text_add(to, is->bias ? "\n#define BLENDED\n" : "\n");
    gali_text_add(to, plan->device.half_weights ? half : whole);
    define(to, "EXPERTS", is->experts);
    define(to, "INPUTS", is->inputs);
    define(to, "OUTPUT_COUNT", is->outputs);
    define(to, "PADDED_INPUTS", is->padded_inputs);
    define(to, "PADDED_OUTPUTS", is->padded_outputs);
    define(to, "TILES", launch->tiles);
    if (tiling) {
        define(to, "ROWS", tiling->rows);
        define(to, "OUTPUTS", tiling->outputs);
        define(to, "DEPTH", tiling->depth);
        define(to, "ROW_REGISTERS", tiling->row_registers);
        define(to, "OUTPUT_REGISTERS", tiling->output_registers);
        define(to, "PARTS", tiling->parts);
    } else {
        define(to, "SPLIT", launch->group / GALI_ROW_OUTPUTS);
    }
    gali_device_add_kernel(plan, launch, &macros, k->body);
}

static gali_launch *add_launch(gali_device_plan *plan, const kernel *k, gali_launch_shape shape, int64_t least,
                               int64_t most) {
    const product *is = k->is;
    gali_launch *launch =
        gali_device_add_launch(plan, shape == GALI_LAUNCH_TILES ? "product" : "row", is->stage);
    launch->shape = shape;
    launch->count = plan->program->stages[is->stage].extent[0];
    launch->least = least;
    launch->most = most;
    gali_device_add_argument(launch, GALI_ARGUMENT_COUNT, 0);
    gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, is->x->source);
    gali_device_add_argument(launch, GALI_ARGUMENT_CONSTANT, is->weights_at);
    if (is->bias) {
        gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, is->blend->source);
        gali_device_add_argument(launch, GALI_ARGUMENT_CONSTANT, is->bias_at);
    }
    gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, plan->program->stages[is->stage].tensor);
    if (shape == GALI_LAUNCH_ROWS) {
        gali_device_add_arguments(plan, launch, k->finish);
    }
    return launch;
}

static void add_tiles(gali_device_plan *plan, kernel *k, const gali_tiling *tiling, int64_t least,
                      int64_t most) {
    gali_launch *launch = add_launch(plan, k, GALI_LAUNCH_TILES, least, most);
    launch->rows = tiling->rows;
    launch->tiles = (k->is->outputs + tiling->outputs - 1) / tiling->outputs;
    launch->group =
        tiling->rows / tiling->row_registers * (tiling->outputs / tiling->output_registers) * tiling->parts;
    k->body = &gali_embedded_device_product;
    add_kernel(plan, k, launch, tiling);
}

static void add_rows(gali_device_plan *plan, kernel *k, int64_t most) {
    uint32_t split = SPLIT_MOST;
    while (split > 1 && split * GALI_ROW_OUTPUTS > plan->device.group_most) {
        split /= 2;
    }
    gali_launch *launch = add_launch(plan, k, GALI_LAUNCH_ROWS, 0, most);
    launch->tiles = (k->is->outputs + GALI_ROW_OUTPUTS - 1) / GALI_ROW_OUTPUTS;
    launch->group = split * GALI_ROW_OUTPUTS;
    k->body = &gali_embedded_device_row;
    add_kernel(plan, k, launch, NULL);
}

/* Tilings that fit, by the rules or the one that is asked for, and rows one by one below the first of them. */
static void add_kernels(gali_device_plan *plan, kernel *k) {
    const gali_tiling *asked = plan->device.tiling;
    int64_t end = INT64_MAX;
    for (uint32_t i = asked ? 1 : RULES; i-- > 0;) {
        for (uint32_t choice = 0; choice < (asked ? 1 : CHOICES) && end >= rules[i].from; choice++) {
            const gali_tiling *tiling = asked ? asked : &rules[i].tiling[choice];
            if (gali_tiling_fits(tiling, k->is->experts, k->is->inputs, &plan->device)) {
                add_tiles(plan, k, tiling, rules[i].from, end);
                end = rules[i].from - 1;
            }
        }
    }
    if (k->finishes && end < INT64_MAX) {
        gali_device_add_items(plan, k->is->stage, k->finish, (end + 1) * k->is->outputs, INT64_MAX);
    }
    add_rows(plan, k, end);
}

gal_status gali_device_add_product(gali_device_plan *plan, uint32_t index, int *found, gal_error *error) {
    gali_program *p = plan->program;
    product is, later;
    *found = 0;
    if (!match(p, index, &is)) {
        for (uint32_t i = index + 1; i < p->stage_count && !*found; i++) { /* it is taken in */
            *found = match(p, i, &later) && later.inner == index;
        }
        return GAL_OK;
    }
    gali_device_function *finish = gali_arena_take(p->arena, sizeof *finish);
    kernel k = {.is = &is, .finish = finish, .finishes = p->stages[index].finish != NULL};
    if (!pack(plan, &is)) {
        return gali_fail(error, GAL_UNSUPPORTED, "%.100s: a weight is past float16's range",
                         p->tensors[is.weights->source].name);
    }
    gali_device_make_finish(p, &p->stages[index], GALI_SCALAR_add, NULL);
    if (!finish || p->arena->failed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a product's kernel");
    }
    *found = 1;
    finish->prefix = "";
    gal_status status = gali_device_add_function(plan, p, index, finish, error);
    if (status == GAL_OK) {
        add_kernels(plan, &k);
    }
    if (is.inner != GALI_NONE) { /* nothing of it is stored */
        p->stages[is.inner].gone = 1;
        p->tensors[p->stages[is.inner].tensor].last = GALI_NONE;
    }
    return status;
}
