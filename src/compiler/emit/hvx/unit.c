#include "compiler/emit/hvx/unit.h"

#include <math.h>
#include <string.h>

#include "graph/evaluate.h"

enum { X, SCALE, ZERO, OFFSET = 128, CHAIN_MOST = 16 };
enum { SIDE_MOST = 4096, CHANNELS_MOST = 65536, TAPS_MOST = 32, STEP_MOST = 4 };

/* A unit that is being read: `of` makes the real numbers that are quantised, clamped to least..most. */
typedef struct reader {
    const gali_graph *graph;
    const gali_node *quantize, *of;
    uint32_t real; /* the value that `of` makes */
    double least, most;
    gali_hvx_unit *unit;
} reader;

static const gali_node *maker(const gali_graph *graph, uint32_t value) {
    const uint32_t node = value == GALI_NONE ? GALI_NONE : graph->values[value].node;
    return node == GALI_NONE ? NULL : &graph->nodes[node];
}

static const gali_value *operand(const gali_graph *graph, const gali_node *node, uint32_t i) {
    return i < node->operand_count && node->operands[i] != GALI_NONE ? &graph->values[node->operands[i]] : NULL;
}

/* Elements of a constant; 0 of what is none. */
static int64_t constant_count(const gali_graph *graph, const gali_value *v) {
    const int64_t count = v && v->data ? gali_type_count(graph->extents, &v->type) : 0;
    return count > 0 ? count : 0;
}

static int is_byte(const gali_value *v) {
    return v->type.element == GALI_u8 || v->type.element == GALI_i8;
}

/* ---- tensors ---- */

int gali_hvx_is_flat(const gali_hvx_bytes *bytes) {
    return bytes->lines == 1 && bytes->width == 1;
}

static int read_sizes(const gali_graph *graph, const gali_type *type, gali_hvx_bytes *t) {
    const int64_t count = type->rank < 0 ? 0 : gali_type_count(graph->extents, type);
    int good = gali_extent_is_number(count) && count > 0 && count <= INT32_MAX;
    for (int d = 0; good && d < type->rank; d++) {
        good = gali_extent_is_number(type->shape[d]);
    }
    if (!good || (type->rank == 4 && type->shape[0] != 1)) {
        return 0;
    }
    const int picture = type->rank == 4 && type->shape[2] * type->shape[3] > 1;
    t->channels = (uint32_t)(picture ? type->shape[1] : count);
    t->lines = picture ? (uint32_t)type->shape[2] : 1;
    t->width = picture ? (uint32_t)type->shape[3] : 1;
    return t->channels <= CHANNELS_MOST && t->lines <= SIDE_MOST && t->width <= SIDE_MOST;
}

/* The bytes `value` with the scale and zero point of a node that quantises or the other way. */
static int read_bytes(const gali_graph *graph, const gali_node *node, uint32_t value, gali_hvx_bytes *t) {
    const gali_value *v = &graph->values[value], *scale = operand(graph, node, SCALE),
                     *zero = operand(graph, node, ZERO);
    if (!is_byte(v) || v->data || constant_count(graph, scale) != 1 ||
        (zero && constant_count(graph, zero) != 1) || !read_sizes(graph, &v->type, t)) {
        return 0;
    }
    t->value = value;
    t->is_signed = v->type.element == GALI_i8;
    t->scale = gali_constant_real(scale, 0);
    t->zero = (int32_t)(zero ? gali_constant_whole(zero, 0) : 0) + (t->is_signed ? OFFSET : 0);
    return t->scale > 0 && isfinite(t->scale) && t->zero >= 0 && t->zero < 2 * OFFSET;
}

/* The bytes that a real operand stands for. */
static int read_operand(const reader *r, const gali_node *node, uint32_t i, gali_hvx_bytes *t) {
    const gali_node *from = operand(r->graph, node, i) ? maker(r->graph, node->operands[i]) : NULL;
    return from && from->op == GALI_OP_DequantizeLinear && read_bytes(r->graph, from, from->operands[X], t);
}

static int is_same_scale(const gali_hvx_bytes *a, const gali_hvx_bytes *b) {
    return a->scale == b->scale && a->zero == b->zero && a->is_signed == b->is_signed;
}

/* ---- weights ---- */

/* Constants that stand for scale[c] (w - zero[c]), c along `axis`; or reals, which have no scale. */
typedef struct weights {
    const gali_value *data, *scale, *zero;
    int axis;
} weights;

static int read_weights(const reader *r, const gali_node *node, uint32_t i, weights *w) {
    const gali_node *from = operand(r->graph, node, i) ? maker(r->graph, node->operands[i]) : NULL;
    if (!from || from->op != GALI_OP_DequantizeLinear ||
        !constant_count(r->graph, operand(r->graph, from, X)) ||
        !constant_count(r->graph, operand(r->graph, from, SCALE)) || gali_node_int(from, "block_size")) {
        return 0;
    }
    *w = (weights){operand(r->graph, from, X), operand(r->graph, from, SCALE), operand(r->graph, from, ZERO),
                   (int)gali_node_int(from, "axis")};
    w->axis += w->axis < 0 ? w->data->type.rank : 0;
    return !w->zero || w->zero->data;
}

/* Which of a constant's elements channel c has: one for all, or one each. */
static size_t of_channel(const gali_graph *graph, const gali_value *v, uint32_t c) {
    return constant_count(graph, v) == 1 ? 0 : c;
}

static int fits_channels(const gali_graph *graph, const gali_value *v, uint32_t channels) {
    const int64_t count = constant_count(graph, v);
    return count == 1 || count == channels;
}

static double scale_of(const reader *r, const weights *w, uint32_t channel) {
    return gali_constant_real(w->scale, of_channel(r->graph, w->scale, channel));
}

/* The whole number that an element of channel c stands for, times the scale; whether int8 holds it. */
static int read_weight(const reader *r, const weights *w, size_t i, uint32_t channel, int8_t *weight) {
    const int64_t zero = w->zero ? gali_constant_whole(w->zero, of_channel(r->graph, w->zero, channel)) : 0;
    const int64_t whole = gali_constant_whole(w->data, i) - zero;
    *weight = (int8_t)whole;
    return whole >= INT8_MIN && whole <= INT8_MAX;
}

/* The bias of a channel, a real. */
static int read_bias(const reader *r, const gali_node *node, uint32_t i, uint32_t channel, double *bias) {
    const gali_value *plain = operand(r->graph, node, i);
    weights w;
    *bias = 0;
    if (!plain) {
        return 1;
    }
    if (constant_count(r->graph, plain)) {
        *bias = gali_constant_real(plain, of_channel(r->graph, plain, channel));
        return fits_channels(r->graph, plain, r->unit->to.channels);
    }
    if (!read_weights(r, node, i, &w) || !fits_channels(r->graph, w.data, r->unit->to.channels)) {
        return 0;
    }
    const size_t at = of_channel(r->graph, w.data, channel);
    const int64_t zero = w.zero ? gali_constant_whole(w.zero, of_channel(r->graph, w.zero, channel)) : 0;
    *bias = (double)(gali_constant_whole(w.data, at) - zero) * scale_of(r, &w, channel);
    return 1;
}

static int take_scaling(const reader *r) {
    gali_arena *arena = r->graph->arena;
    const size_t channels = r->unit->to.channels;
    r->unit->scaling.start = gali_arena_take(arena, channels * sizeof *r->unit->scaling.start);
    r->unit->scaling.multipliers = gali_arena_take(arena, channels * sizeof *r->unit->scaling.multipliers);
    return r->unit->scaling.start && r->unit->scaling.multipliers;
}

/*
 * Weights by channel, `each` of them, and the scaling. Element k of channel c is number c * each + k of the constant, or with
 * turned k * channels + c. bias: of which operand of the node.
 */
static int read_products(const reader *r, const weights *w, size_t each, int turned, uint32_t bias) {
    gali_hvx_unit *unit = r->unit;
    const uint32_t channels = unit->to.channels;
    int8_t *list = gali_arena_take(r->graph->arena, channels * each);
    double *ratios = gali_arena_take(r->graph->arena, 2 * (size_t)channels * sizeof *ratios);
    if (!list || !ratios || !take_scaling(r) || !fits_channels(r->graph, w->scale, channels) ||
        (w->zero && !fits_channels(r->graph, w->zero, channels))) {
        return 0;
    }
    double *bounds = ratios + channels, real;
    for (uint32_t c = 0; c < channels; c++) {
        const double step = unit->from[0].scale * scale_of(r, w, c);
        int64_t sum = 0, magnitude = 0;
        for (size_t k = 0; k < each; k++) {
            const size_t at = turned ? k * channels + c : c * each + k;
            if (!read_weight(r, w, at, c, &list[c * each + k])) {
                return 0;
            }
            sum += list[c * each + k];
            magnitude += list[c * each + k] < 0 ? -list[c * each + k] : list[c * each + k];
        }
        const double start = step > 0 && read_bias(r, r->of, bias, c, &real)
                                 ? floor(real / step + 0.5) - (double)(sum * unit->from[0].zero)
                                 : NAN;
        bounds[c] = fabs(start) + 255.0 * (double)magnitude;
        ratios[c] = step / unit->to.scale;
        if (!(bounds[c] < INT32_MAX)) {
            return 0;
        }
        unit->scaling.start[c] = (int32_t)start;
    }
    unit->weights = list;
    return gali_hvx_scale_sums(unit, ratios, bounds);
}

/* ---- windows ---- */

/* What 32 bits do not hold is more than any window has. */
static uint32_t listed(const gali_node *node, const char *name, uint32_t i, uint32_t otherwise) {
    const gali_attribute *list = gali_node_attribute(node, name);
    const int64_t number = list && i < list->count ? list->ints[i] : otherwise;
    return number >= 0 && number <= UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static gali_hvx_window window_of(const gali_node *node, uint32_t high, uint32_t wide, uint32_t fill) {
    return (gali_hvx_window){.high = high,
                             .wide = wide,
                             .down = listed(node, "strides", 0, 1),
                             .across = listed(node, "strides", 1, 1),
                             .apart_down = listed(node, "dilations", 0, 1),
                             .apart_across = listed(node, "dilations", 1, 1),
                             .top = listed(node, "pads", 0, 0),
                             .left = listed(node, "pads", 1, 0),
                             .fill = fill};
}

static gali_hvx_window pool_window(const gali_node *node, uint32_t fill) {
    return window_of(node, listed(node, "kernel_shape", 0, 1), listed(node, "kernel_shape", 1, 1), fill);
}

/* Whether the window is one that frames are made for. */
static int is_window(const gali_node *node, const gali_hvx_window *w) {
    return gali_node_is(node, "auto_pad", "NOTSET") && node->result_count == 1 && w->high <= TAPS_MOST &&
           w->wide <= TAPS_MOST && w->high && w->wide && w->down <= STEP_MOST && w->across <= STEP_MOST &&
           w->down && w->across && w->apart_down <= TAPS_MOST && w->apart_across <= TAPS_MOST &&
           w->apart_down && w->apart_across && w->top <= SIDE_MOST && w->left <= SIDE_MOST;
}

/* Its sizes are the weights': `kernel_shape` may say anything. */
static int read_conv(const reader *r) {
    gali_hvx_unit *unit = r->unit;
    const gali_node *node = r->of;
    weights w;
    if (!read_weights(r, node, 1, &w) || w.data->type.rank != 4 || w.data->type.shape[2] > TAPS_MOST ||
        w.data->type.shape[3] > TAPS_MOST || (constant_count(r->graph, w.scale) > 1 && w.axis != 0)) {
        return 0;
    }
    const gali_extent *shape = w.data->type.shape;
    const int64_t group = gali_node_int(node, "group");
    unit->window = window_of(node, (uint32_t)shape[2], (uint32_t)shape[3], (uint32_t)unit->from[0].zero);
    const size_t taps = (size_t)unit->window.high * unit->window.wide;
    const int flat = gali_hvx_is_flat(&unit->from[0]);
    const int deep = group == unit->from[0].channels && group == unit->to.channels && !flat && group > 1;
    const uint32_t inputs = deep ? 1 : unit->from[0].channels;
    if (!is_window(node, &unit->window) || (group != 1 && !deep) || unit->to.channels != shape[0] ||
        inputs != shape[1] || flat != gali_hvx_is_flat(&unit->to)) {
        return 0;
    }
    unit->kind = deep ? GALI_HVX_UNIT_DEPTHWISE : flat ? GALI_HVX_UNIT_DENSE : GALI_HVX_UNIT_LAYER;
    /* a picture of one place is a list; its layer is for pictures */
    return (!flat || (taps == 1 && !unit->window.top && !unit->window.left)) &&
           read_products(r, &w, inputs * taps, 0, 2);
}

static int take_ones(const reader *r, size_t taps) {
    const size_t count = r->unit->to.channels * taps;
    int8_t *ones = gali_arena_take(r->graph->arena, count);
    if (ones) {
        memset(ones, 1, count);
    }
    r->unit->weights = ones;
    return ones != NULL;
}

/* Means under a window are depthwise convolutions with weights of 1; those of whole channels need no weights. */
static int read_average(const reader *r, int whole) {
    gali_hvx_unit *unit = r->unit;
    const uint32_t channels = unit->to.channels;
    const gali_hvx_bytes *from = &unit->from[0];
    unit->window = whole ? (gali_hvx_window){from->lines, from->width, 1, 1, 1, 1, 0, 0, 0}
                         : pool_window(r->of, (uint32_t)from->zero);
    const double taps = (double)unit->window.high * unit->window.wide;
    if (gali_hvx_is_flat(from) || from->channels != channels || !(255 * taps < INT32_MAX) ||
        (!whole && (!is_window(r->of, &unit->window) || gali_hvx_is_flat(&unit->to)))) {
        return 0;
    }
    double *ratios = gali_arena_take(r->graph->arena, 2 * (size_t)channels * sizeof *ratios);
    if (!ratios || !take_scaling(r)) {
        return 0;
    }
    for (uint32_t c = 0; c < channels; c++) {
        ratios[c] = from->scale / unit->to.scale / taps;
        ratios[channels + c] = 255 * taps;
        unit->scaling.start[c] = -(int32_t)taps * from->zero;
    }
    unit->kind = whole ? GALI_HVX_UNIT_MEAN : GALI_HVX_UNIT_DEPTHWISE;
    return (whole || take_ones(r, (size_t)taps)) && gali_hvx_scale_sums(unit, ratios, ratios + channels);
}

static int has_pads(const gali_node *node) {
    return listed(node, "pads", 0, 0) || listed(node, "pads", 1, 0) || listed(node, "pads", 2, 0) ||
           listed(node, "pads", 3, 0);
}

/* A mean divides by one number everywhere. */
static int read_average_pool(const reader *r) {
    return !gali_node_int(r->of, "ceil_mode") &&
           (gali_node_int(r->of, "count_include_pad") || !has_pads(r->of)) && read_average(r, 0);
}

static int read_largest(const reader *r) {
    r->unit->kind = GALI_HVX_UNIT_LARGEST;
    r->unit->window = pool_window(r->of, 0);
    return is_window(r->of, &r->unit->window) && is_same_scale(&r->unit->from[0], &r->unit->to) &&
           r->unit->from[0].lines * r->unit->from[0].width > 1 && r->unit->to.lines * r->unit->to.width > 1 &&
           r->least <= (0 - r->unit->to.zero) * r->unit->to.scale;
}

/* ---- the others ---- */

static int read_dense(const reader *r) {
    const gali_node *node = r->of;
    weights w;
    const int gemm = node->op == GALI_OP_Gemm;
    if (!read_weights(r, node, 1, &w) || w.data->type.rank != 2 || !gali_hvx_is_flat(&r->unit->from[0]) ||
        (gemm && (gali_node_number(node, "alpha") != 1 || gali_node_number(node, "beta") != 1 ||
                  gali_node_int(node, "transA")))) {
        return 0;
    }
    const int turned = !gemm || !gali_node_int(node, "transB"); /* [from][to] */
    const gali_extent *shape = w.data->type.shape;
    r->unit->kind = GALI_HVX_UNIT_DENSE;
    r->unit->window = (gali_hvx_window){1, 1, 1, 1, 1, 1, 0, 0, 0};
    return shape[turned ? 1 : 0] == r->unit->to.channels &&
           shape[turned ? 0 : 1] == r->unit->from[0].channels &&
           (constant_count(r->graph, w.scale) == 1 || w.axis == turned) &&
           read_products(r, &w, r->unit->from[0].channels, turned, 2);
}

static int is_same_shape(const gali_hvx_bytes *a, const gali_hvx_bytes *b) {
    return a->channels == b->channels && a->lines == b->lines && a->width == b->width;
}

static int read_sum(const reader *r) {
    gali_hvx_unit *unit = r->unit;
    unit->kind = GALI_HVX_UNIT_SUM;
    unit->from_count = 2;
    return read_operand(r, r->of, 1, &unit->from[1]) && is_same_shape(&unit->from[0], &unit->from[1]) &&
           is_same_shape(&unit->from[0], &unit->to) && gali_hvx_scale_two(unit);
}

static int read_flat(const reader *r) {
    r->unit->kind = GALI_HVX_UNIT_FLAT;
    return is_same_scale(&r->unit->from[0], &r->unit->to) && gali_hvx_is_flat(&r->unit->to) &&
           r->unit->scaling.least == 0;
}

/* What makes one picture's tensor of another; from[0] is read. */
static int read_known(const reader *r) {
    switch (r->of->op) {
    case GALI_OP_Conv:
        return read_conv(r);
    case GALI_OP_MatMul:
    case GALI_OP_Gemm:
        return read_dense(r);
    case GALI_OP_Add:
        return read_sum(r);
    case GALI_OP_MaxPool:
        return read_largest(r);
    case GALI_OP_AveragePool:
        return read_average_pool(r);
    case GALI_OP_GlobalAveragePool:
        return read_average(r, 1);
    case GALI_OP_Flatten:
    case GALI_OP_Reshape:
    case GALI_OP_Squeeze:
    case GALI_OP_Unsqueeze:
        return read_flat(r);
    default:
        return 0;
    }
}

/* ---- tables ---- */

/* A chain that is copied to a graph of its own, of 256 bytes. */
typedef struct chain {
    const gali_graph *graph;
    gali_graph *copy;
    uint32_t source, given; /* the bytes, and their input in the copy */
    uint32_t depth;         /* nodes that are being copied, each for the one before */
    uint32_t count;
    uint32_t from[CHAIN_MOST], to[CHAIN_MOST]; /* values of both */
} chain;

static int is_element_by_element(const gali_node *node) {
    const char *family = gali_op_list[node->op].family;
    return (strcmp(family, "elementwise") == 0 || strcmp(family, "activation") == 0 ||
            strcmp(family, "quantise") == 0) &&
           node->result_count == 1;
}

static uint32_t copy_value(chain *c, uint32_t value);

static int copy_operands(chain *c, const gali_node *node, uint32_t operands[CHAIN_MOST]) {
    int good = 1;
    c->depth++;
    for (uint32_t i = 0; good && i < node->operand_count; i++) {
        operands[i] = node->operands[i] == GALI_NONE ? GALI_NONE : copy_value(c, node->operands[i]);
        good = operands[i] != GALI_NONE || node->operands[i] == GALI_NONE;
    }
    c->depth--;
    return good;
}

static uint32_t copy_node(chain *c, const gali_node *node) {
    uint32_t operands[CHAIN_MOST];
    if (node->operand_count > CHAIN_MOST || !is_element_by_element(node) || c->count == CHAIN_MOST ||
        c->depth == CHAIN_MOST || !copy_operands(c, node, operands)) {
        return GALI_NONE;
    }
    gali_node made = *node;
    uint32_t result = gali_graph_value(c->copy, "", &(gali_type){.rank = -1});
    made.operands = operands;
    made.results = &result;
    return gali_graph_node(c->copy, &made) == GALI_NONE ? GALI_NONE : result;
}

/* The value in the copy; GALI_NONE where it is not element by element of the source. */
static uint32_t copy_value(chain *c, uint32_t value) {
    const gali_value *v = &c->graph->values[value];
    if (value == c->source) {
        return c->given;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->from[i] == value) {
            return c->to[i];
        }
    }
    if (v->data) {
        return constant_count(c->graph, v) == 1 ? gali_graph_constant(c->copy, "", &v->type, v->data)
                                                : GALI_NONE;
    }
    const gali_node *node = maker(c->graph, value);
    const uint32_t to = node ? copy_node(c, node) : GALI_NONE;
    if (to != GALI_NONE && c->count < CHAIN_MOST) {
        c->from[c->count] = value;
        c->to[c->count++] = to;
    }
    return to;
}

/* The first bytes that a chain of such nodes, followed by their first operands, comes from. */
static const gali_node *chain_source(const reader *r) {
    const gali_node *node = r->quantize;
    for (uint32_t i = 0; node && i < CHAIN_MOST; i++) {
        node = maker(r->graph, node->operands[0] == GALI_NONE || operand(r->graph, node, 0)->data
                                   ? (node->operand_count > 1 ? node->operands[1] : GALI_NONE)
                                   : node->operands[0]);
        if (!node || node->op == GALI_OP_DequantizeLinear || !is_element_by_element(node)) {
            break;
        }
    }
    return node && node->op == GALI_OP_DequantizeLinear ? node : NULL;
}

static int evaluate_table(const chain *c, const gali_hvx_bytes *to, uint8_t values[256]) {
    gal_error error;
    gali_run run = {.memory_left = GALI_RUN_MEMORY, .work_left = GALI_RUN_WORK, .error = &error};
    gali_tensor in, out;
    const int64_t shape[] = {256};
    const gali_element element = c->graph->values[c->source].type.element;
    if (gali_tensor_make(&run, &in, element, 1, shape) != GAL_OK) {
        return 0;
    }
    for (int64_t i = 0; i < 256; i++) {
        in.whole[i] = element == GALI_i8 ? i - OFFSET : i;
    }
    const int good = gali_graph_evaluate(&run, c->copy, &in, &out) == GAL_OK;
    for (int i = 0; good && i < 256; i++) {
        values[i] = (uint8_t)(out.whole[i] + (to->is_signed ? OFFSET : 0));
    }
    if (good) {
        gali_tensor_release(&run, &out);
    }
    gali_tensor_release(&run, &in);
    return good;
}

static int read_table(const reader *r) {
    gali_hvx_unit *unit = r->unit;
    const gali_node *source = chain_source(r);
    if (!source || !read_bytes(r->graph, source, source->operands[X], &unit->from[0]) ||
        !is_same_shape(&unit->from[0], &unit->to)) {
        return 0;
    }
    chain c = {.graph = r->graph, .copy = gali_graph_make(r->graph->arena), .source = source->operands[X]};
    const gali_type type = {r->graph->values[c.source].type.element, 1, {256}};
    if (!c.copy) {
        return 0;
    }
    c.given = gali_graph_value(c.copy, "", &type);
    gali_graph_input(c.copy, c.given);
    const uint32_t result = copy_node(&c, r->quantize);
    if (result == GALI_NONE) {
        return 0;
    }
    gali_graph_output(c.copy, result);
    unit->kind = GALI_HVX_UNIT_TABLE;
    unit->from_count = 1;
    return !r->graph->arena->failed && evaluate_table(&c, &unit->to, unit->values);
}

/* ---- all ---- */

/* Relu and Clip behind what makes the real numbers. */
static void peel(reader *r) {
    r->of = maker(r->graph, r->real);
    for (uint32_t i = 0; r->of && i < CHAIN_MOST; i++) {
        const gali_value *low = operand(r->graph, r->of, 1), *high = operand(r->graph, r->of, 2);
        const int clip = r->of->op == GALI_OP_Clip && (!low || constant_count(r->graph, low) == 1) &&
                         (!high || constant_count(r->graph, high) == 1);
        if (!clip && r->of->op != GALI_OP_Relu) {
            return;
        }
        r->least = fmax(r->least, !clip ? 0 : low ? gali_constant_real(low, 0) : -INFINITY);
        r->most = fmin(r->most, clip && high ? gali_constant_real(high, 0) : INFINITY);
        r->real = r->of->operands[0];
        r->of = maker(r->graph, r->real);
    }
}

int gali_hvx_read_unit(const gali_graph *graph, uint32_t node, gali_hvx_unit *unit) {
    const gali_node *quantize = &graph->nodes[node];
    reader r = {.graph = graph, .quantize = quantize, .least = -INFINITY, .most = INFINITY, .unit = unit};
    *unit = (gali_hvx_unit){.from_count = 1};
    if (quantize->op != GALI_OP_QuantizeLinear || quantize->operands[X] == GALI_NONE ||
        !read_bytes(graph, quantize, quantize->results[0], &unit->to)) {
        return 0;
    }
    r.real = quantize->operands[X];
    peel(&r);
    if (r.of && gali_hvx_least(&unit->to, r.least, r.most, &unit->scaling.least) &&
        read_operand(&r, r.of, 0, &unit->from[0]) && read_known(&r)) {
        return 1;
    }
    return read_table(&r);
}
