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
    LEAST = 16,       /* inputs and outputs that are worth a tile */
    PARTS_MOST = 128, /* of few rows */
    FEW_MOST = 8,
    FOURS = 4,
    FEW_FLOATS = 4096, /* of row.cl, in local memory, at most */
    HALF_LARGEST = 65504,
};

extern const gali_embedded gali_embedded_device_product, gali_embedded_device_row;

/* Tilings by rules, each from so many rows on; of those from the same on the last that fits, and the first of all fits any. */
static const gali_device_chosen rules[] = {
    {0, {.rows = 1, .parts = PARTS_MOST}},
    {2, {.rows = 2, .parts = PARTS_MOST}},
    {3, {.rows = 4, .parts = PARTS_MOST}},
    {5, {.rows = 8, .parts = PARTS_MOST / 2}},
    {32, {.rows = 8, .parts = PARTS_MOST / 4}},
    {256, {32, 32, 8, 4, 4, 4, 0}},
    {256, {32, 32, 8, 4, 4, 8, 0}},
    {512, {64, 64, 8, 8, 8, 2, 0}},
    {512, {64, 64, 8, 8, 8, 4, 0}},
    {16384, {128, 128, 8, 8, 8, 1, 0}},
    {16384, {128, 128, 16, 8, 8, 1, 0}},
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

static size_t floats_of(const product *is) {
    return (size_t)is->experts * is->padded_inputs * is->padded_outputs;
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
    size_t floats = floats_of(is);
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

static int few_fits(const gali_tiling *t, const gali_device_limits *device) {
    return (t->rows == 1 || t->rows == 2 || t->rows == 4 || t->rows == FEW_MOST) && t->parts <= PARTS_MOST &&
           !(t->parts & (t->parts - 1)) && t->parts * GALI_ROW_OUTPUTS <= device->group_most &&
           FEW_FLOATS * sizeof(float) <= device->local_bytes;
}

int gali_tiling_fits_product(const gali_tiling *t, const gali_device_task *task,
                             const gali_device_limits *device) {
    if (!t->depth) {
        return few_fits(t, device);
    }
    uint32_t padded = (task->inputs + PADDED_INPUTS - 1) / PADDED_INPUTS * PADDED_INPUTS;
    if (PADDED_INPUTS % t->depth || PADDED_OUTPUTS % t->outputs ||
        (task->experts * padded) % (t->depth * t->parts)) {
        return 0;
    }
    uint32_t items = t->rows / t->row_registers * (t->outputs / t->output_registers);
    uint32_t tiles = t->parts * 2 * t->depth * (t->rows + FOURS + t->outputs);
    uint32_t sums = t->parts > 1 ? t->rows * t->outputs : 0;
    uint32_t floats = (tiles > sums ? tiles : sums) + task->experts * t->rows;
    return t->rows * t->depth % (FOURS * items) == 0 && t->outputs * t->depth % (FOURS * items) == 0 &&
           floats * sizeof(float) <= device->local_bytes;
}

static void define(gali_text *to, const char *name, uint32_t value) {
    gali_text_add(to, "#define %s %u\n", name, value);
}

typedef struct kernel {
    const product *is;
    const gali_device_function *finish;
    int finishes;  /* whether that does anything */
    uint32_t task; /* 1 + its number */
} kernel;

/* Whether a tiling's kernel reads that operand as an image. */
static int is_image(const gali_tiling *tiling, uint32_t operand) {
    return (tiling->images & operand) != 0;
}

/* Its pointers and images: of x, of weights, of what is blended. */
static void add_operands(const gali_device_plan *plan, const kernel *k, const gali_tiling *tiling,
                         gali_text *to) {
    static const char blended[] = /* 64 is GALI_DEVICE_UNIT */
        "    __global const float *blend = (__global const float *)(memory + 64UL * at_blend); \\\n"
        "    __global const float *bias = (__global const float *)(weights + 64UL * at_bias); \\\n";
    static const char
        x[] = "    __global const float *x = (__global const float *)(memory + 64UL * at_x); \\\n",
        w[] = "    __global const WEIGHT *w = (__global const WEIGHT *)(weights + 64UL * at_w); \\\n";
    int x_image = is_image(tiling, GALI_IMAGE_LEFT), w_image = is_image(tiling, GALI_IMAGE_RIGHT);
    gali_text_add(to,
                  "#define POINTERS \\\n    const uint rows = count; \\\n%s%s%s"
                  "    __global float *y = (__global float *)(memory + 64UL * at_y);\n"
                  "#define PARAMETERS " GALI_DEVICE_MEMORY ", %s, %s%s, uint32_t at_y",
                  x_image ? "" : x, w_image ? "" : w, k->is->bias ? blended : "",
                  x_image ? "__read_only image2d_t x" : "uint32_t at_x",
                  w_image ? "__read_only image2d_t w" : "uint32_t at_w",
                  k->is->bias ? ", uint32_t at_blend, uint32_t at_bias" : "");
    if (!tiling->depth) {
        gali_device_add_list(to, k->finish, 1);
        gali_text_add(to, "\n#define FINISH(item) %s(item", k->finish->name);
        gali_device_add_list(to, k->finish, 0);
        gali_text_add(to, ")");
    }
    gali_text_add(to, "%s%s", k->is->bias ? "\n#define BLENDED\n" : "\n", x_image ? "#define X_IMAGE\n" : "");
    gali_text_add(to, w_image ? "#define WEIGHT_FOUR(at) gali_texel_four(w, at)\n"
                      : plan->device.half_weights
                          ? "#define WEIGHT half\n#define WEIGHT_ONE(at) vload_half(at, w)\n"
                            "#define WEIGHT_FOUR(at) vload_half4(0, w + (at))\n"
                          : "#define WEIGHT float\n#define WEIGHT_ONE(at) w[at]\n"
                            "#define WEIGHT_FOUR(at) *(__global const float4 *)(w + (at))\n");
}

/* Macros, the body, and the macros' end. */
static void add_kernel(gali_device_plan *plan, const kernel *k, gali_launch *launch,
                       const gali_tiling *tiling) {
    gali_text macros = {0}, *to = &macros;
    const product *is = k->is;
    add_operands(plan, k, tiling, to);
    define(to, "EXPERTS", is->experts);
    define(to, "INPUTS", is->inputs);
    define(to, "OUTPUT_COUNT", is->outputs);
    define(to, "PADDED_INPUTS", is->padded_inputs);
    define(to, "PADDED_OUTPUTS", is->padded_outputs);
    define(to, "TILES", launch->tiles);
    define(to, "ROWS", tiling->rows);
    if (tiling->depth) {
        define(to, "OUTPUTS", tiling->outputs);
        define(to, "DEPTH", tiling->depth);
        define(to, "ROW_REGISTERS", tiling->row_registers);
        define(to, "OUTPUT_REGISTERS", tiling->output_registers);
        define(to, "PARTS", tiling->parts);
    } else {
        define(to, "SPLIT", tiling->parts);
    }
    gali_device_add_kernel(plan, launch, &macros,
                           tiling->depth ? &gali_embedded_device_product : &gali_embedded_device_row);
}

static void add_arguments(gali_device_plan *plan, const kernel *k, gali_launch *launch,
                          const gali_tiling *tiling) {
    const product *is = k->is;
    gali_device_add_argument(launch, GALI_ARGUMENT_COUNT, 0);
    if (is_image(tiling, GALI_IMAGE_LEFT)) {
        uint32_t image = gali_device_add_image(plan, 0, is->x->source, gali_device_floats(plan, is->x->source));
        gali_device_add_argument(launch, GALI_ARGUMENT_IMAGE, image);
    } else {
        gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, is->x->source);
    }
    if (is_image(tiling, GALI_IMAGE_RIGHT)) {
        uint32_t image = gali_device_add_image(plan, 1, is->weights_at, (gali_extent)floats_of(is));
        gali_device_add_argument(launch, GALI_ARGUMENT_IMAGE, image);
    } else {
        gali_device_add_argument(launch, GALI_ARGUMENT_CONSTANT, is->weights_at);
    }
    if (is->bias) {
        gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, is->blend->source);
        gali_device_add_argument(launch, GALI_ARGUMENT_CONSTANT, is->bias_at);
    }
    gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, plan->program->stages[is->stage].tensor);
    if (!tiling->depth) {
        gali_device_add_arguments(plan, launch, k->finish);
    }
}

/* The kernel of a tiling for that many rows; what finishes tiles is a launch of its own. */
static void add_tiling(gali_device_plan *plan, const kernel *k, const gali_tiling *tiling, int64_t least,
                       int64_t most) {
    const product *is = k->is;
    uint32_t outputs = tiling->depth ? tiling->outputs : GALI_ROW_OUTPUTS;
    gali_device_task *task = &plan->tasks[k->task - 1];
    if (task->rows >= least && task->rows <= most) {
        task->tiling = *tiling;
    }
    gali_launch *launch = gali_device_add_launch(plan, tiling->depth ? "product" : "row", is->stage);
    launch->shape = tiling->depth ? GALI_LAUNCH_TILES : GALI_LAUNCH_ROWS;
    launch->count = plan->program->stages[is->stage].extent[0];
    launch->least = least;
    launch->most = most;
    launch->task = k->task;
    launch->rows = tiling->rows;
    launch->tiles = (is->outputs + outputs - 1) / outputs;
    launch->group = tiling->depth ? tiling->rows / tiling->row_registers *
                                        (outputs / tiling->output_registers) * tiling->parts
                                  : tiling->parts * GALI_ROW_OUTPUTS;
    add_arguments(plan, k, launch, tiling);
    add_kernel(plan, k, launch, tiling);
    if (tiling->depth && k->finishes) {
        gali_device_add_items(plan, is->stage, k->finish, least * is->outputs,
                              most < INT64_MAX ? most * is->outputs : most)
            ->task = k->task;
    }
}

/* What the text of a task says that it computes: the rows are in its name. */
static void describe(const product *is, char text[GALI_LOG_WORD * 2]) {
    snprintf(text, GALI_LOG_WORD * 2, "product %u -> %u, %u expert%s%s", is->inputs, is->outputs, is->experts,
             is->experts == 1 ? "" : "s", is->bias ? ", blended" : "");
}

/* Operands of these that may be images. */
static uint32_t images_of(const gali_device_plan *plan, const product *is) {
    int x = is->inputs % FOURS == 0 && gali_device_image_fits(plan, is->x->source);
    int w = !plan->device.half_weights && gali_device_image_rows(floats_of(is)) <= plan->device.image_rows;
    return (x ? GALI_IMAGE_LEFT : 0) | (w ? GALI_IMAGE_RIGHT : 0);
}

/* A tiling by rules as this device may have it. */
static gali_tiling by_rule(const gali_device_plan *plan, const gali_device_task *task, uint32_t i) {
    gali_tiling tiling = rules[i].tiling;
    tiling.images = tiling.depth && plan->device.prefers_images ? task->images : 0;
    while (!tiling.depth && tiling.parts > 1 && tiling.parts * GALI_ROW_OUTPUTS > plan->device.group_most) {
        tiling.parts /= 2;
    }
    return tiling;
}

/* Adds a tiling for the rows from `from` to *end, if it fits, and moves *end below. */
static void add_if_fits(gali_device_plan *plan, const kernel *k, const gali_device_task *task,
                        const gali_tiling *tiling, int64_t from, int64_t *end) {
    if (from <= *end && gali_tiling_fits(tiling, task, &plan->device)) {
        add_tiling(plan, k, tiling, from, *end);
        *end = from - 1;
    }
}

/*
 * Kernels for all counts of rows, from the most down: a tiling that is chosen holds until the rules take another, for what was
 * measured at few rows says nothing of many; one from 0 on holds for all.
 */
static void add_kernels(gali_device_plan *plan, kernel *k) {
    const product *is = k->is;
    gali_device_task task = {.product = 1,
                             .batches = 1,
                             .rows = gali_device_typical(plan, plan->program->stages[is->stage].extent[0]),
                             .experts = is->experts,
                             .inputs = is->inputs,
                             .outputs = is->outputs,
                             .images = images_of(plan, is)};
    gali_device_chosen chosen[GALI_DEVICE_CHOSEN_MAX];
    char text[GALI_LOG_WORD * 2];
    describe(is, text);
    uint32_t count = gali_device_choose(plan, &task, text, text, chosen);
    int64_t end = INT64_MAX;
    k->task = plan->task_count;
    for (uint32_t i = 0; i < count; i++) {
        chosen[i].tiling.images &= task.images;
    }
    if (count && chosen[0].from == 0) {
        add_if_fits(plan, k, &task, &chosen[0].tiling, 0, &end);
        count = 0;
    }
    for (uint32_t i = RULES; i-- > 0;) {
        for (; count && chosen[count - 1].from >= rules[i].from; count--) {
            add_if_fits(plan, k, &task, &chosen[count - 1].tiling, chosen[count - 1].from, &end);
        }
        const gali_tiling tiling = by_rule(plan, &task, i);
        add_if_fits(plan, k, &task, &tiling, rules[i].from, &end);
    }
}

int gali_device_is_product(const gali_program *p, uint32_t stage) {
    product is;
    return match(p, stage, &is);
}

/* Whether a later product takes the stage in. */
static int is_taken_in(const gali_program *p, uint32_t index) {
    const gali_program_stage *s = &p->stages[index];
    const int may_be = s->rank == 3 && s->reduced == 1 && p->tensors[s->tensor].readers == 1;
    product later;
    int is = 0;
    for (uint32_t i = index + 1; may_be && i < p->stage_count && !is; i++) {
        is = match(p, i, &later) && later.inner == index;
    }
    return is;
}

gal_status gali_device_add_product(gali_device_plan *plan, uint32_t index, int *found, gal_error *error) {
    gali_program *p = plan->program;
    product is;
    *found = 0;
    if (!match(p, index, &is)) {
        *found = is_taken_in(p, index);
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
