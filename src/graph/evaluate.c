#include "graph/evaluate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "graph/rule.h"

gal_status gali_run_fail(gali_run *run, const gali_node *node, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gali_fail(run->error, GAL_BAD_DATA, "%s: %s", gali_node_place(run->graph, node), message);
}

gal_status gali_run_work(gali_run *run, double operations) {
    run->work_left -= operations;
    return run->work_left >= 0 ? GAL_OK : gali_fail(run->error, GAL_NO_MEMORY, "evaluating takes too long");
}

/* ---- tensors ---- */

int gali_tensor_is_real(const gali_tensor *tensor) {
    return gali_element_list[tensor->element].kind == GALI_REAL;
}

static size_t bytes_of(const gali_tensor *tensor) {
    return gali_size_mul(tensor->count + (tensor->count == 0), sizeof(double));
}

gal_status gali_tensor_make(gali_run *run, gali_tensor *tensor, gali_element element, uint32_t rank,
                            const int64_t *shape) {
    gali_tensor made = {.element = element, .rank = rank, .count = 1};
    for (uint32_t i = 0; i < rank; i++) {
        made.shape[i] = shape[i];
        made.count = shape[i] < 0 ? GALI_SIZE_BAD : gali_size_mul(made.count, (size_t)shape[i]);
    }
    size_t bytes = made.count == GALI_SIZE_BAD ? GALI_SIZE_BAD : bytes_of(&made);
    void *memory = bytes <= run->memory_left ? gali_allocate(NULL, bytes) : NULL;
    if (!memory) {
        return gali_fail(run->error, GAL_NO_MEMORY, "no memory for a tensor");
    }
    memset(memory, 0, bytes);
    run->memory_left -= bytes;
    made.real = gali_tensor_is_real(&made) ? memory : NULL;
    made.whole = made.real ? NULL : memory;
    *tensor = made;
    return GAL_OK;
}

void gali_tensor_release(gali_run *run, gali_tensor *tensor) {
    void *memory = tensor->real ? (void *)tensor->real : (void *)tensor->whole;
    if (memory) {
        run->memory_left += bytes_of(tensor);
        gali_release(NULL, memory, bytes_of(tensor));
    }
    *tensor = (gali_tensor){.element = tensor->element};
}

void gali_tensor_strides(const gali_tensor *tensor, const gali_tensor *like, int64_t strides[GALI_RANK_MAX]) {
    int64_t stride = tensor->count != 0; /* of an empty tensor other extents may be past all numbers */
    uint32_t rank = like ? like->rank : tensor->rank, missing = rank - tensor->rank;
    memset(strides, 0, GALI_RANK_MAX * sizeof *strides);
    for (uint32_t i = tensor->rank; i-- > 0;) {
        int repeated = like && tensor->shape[i] == 1 && like->shape[missing + i] != 1;
        strides[missing + i] = repeated ? 0 : stride;
        stride *= tensor->shape[i];
    }
}

gali_number gali_tensor_at(const gali_tensor *tensor, size_t i) {
    return tensor->real ? (gali_number){.real = tensor->real[i]} : (gali_number){.whole = tensor->whole[i]};
}

void gali_tensor_put(gali_tensor *tensor, size_t i, gali_number number) {
    if (tensor->real) {
        tensor->real[i] = number.real;
    } else {
        tensor->whole[i] = gali_element_wrap(tensor->element, number.whole);
    }
}

size_t gali_tensor_offset(const gali_tensor *tensor, uint32_t rank, const int64_t *index) {
    size_t at = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        int64_t own = tensor->shape[i] == 1 ? 0 : index[rank - tensor->rank + i];
        at = at * (size_t)tensor->shape[i] + (size_t)own;
    }
    return at;
}

size_t gali_index_over(const int64_t *index, const int64_t *shape, uint32_t rank, uint32_t mask) {
    size_t at = 0;
    for (uint32_t i = 0; i < rank; i++) {
        at = mask >> i & 1 ? at : at * (size_t)shape[i] + (size_t)index[i];
    }
    return at;
}

void gali_tensor_move(gali_tensor *y, size_t at, const gali_tensor *x, size_t from) {
    if (y->real) {
        y->real[at] = x->real[from];
    } else {
        y->whole[at] = x->whole[from];
    }
}

int gali_index_next(int64_t *index, const int64_t *shape, uint32_t rank) {
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < shape[i]) {
            return 1;
        }
        index[i] = 0;
    }
    return 0;
}

int64_t gali_element_wrap(gali_element element, int64_t x) {
    const gali_element_facts *facts = &gali_element_list[element];
    uint32_t bits = 8 * facts->bytes;
    if (facts->kind == GALI_TRUTH) {
        return x != 0;
    }
    if (facts->kind == GALI_REAL || bits == 64) {
        return x;
    }
    uint64_t low = (uint64_t)x & (((uint64_t)1 << bits) - 1), sign = (uint64_t)1 << (bits - 1);
    return facts->kind == GALI_SIGNED ? (int64_t)((low ^ sign) - sign) : (int64_t)low;
}

/* x to `digits` binary digits, exponents from `least` on, infinite above `most`. */
static double rounded(double x, int digits, int least, double most) {
    int exponent;
    if (x == 0 || isnan(x) || isinf(x)) {
        return x;
    }
    frexp(x, &exponent);
    int step = exponent - digits < least ? least : exponent - digits;
    double whole = ldexp(x, -step), down = floor(whole), rest = whole - down;
    int up = rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0); /* whatever the host's rounding mode */
    double near = ldexp(down + up, step);
    return near > most    ? (double)INFINITY
           : near < -most ? -(double)INFINITY
           : near == 0    ? copysign(0, x)
                          : near;
}

double gali_element_round(gali_element element, double x) {
    switch (element) {
    case GALI_f32:
        return (double)(float)x;
    case GALI_f16:
        return rounded(x, 11, -24, 65504);
    case GALI_bf16:
        return rounded(x, 8, -133, 0x1.FEp127);
    default:
        return x;
    }
}

/* Bits of a number that is exact in the format: `digits` of the fraction, the exponent's bias, its width. */
static uint64_t small_bits(double x, int digits, int bias, int width) {
    uint64_t sign = signbit(x) ? (uint64_t)1 << (digits + width) : 0, top = ((uint64_t)1 << width) - 1;
    if (isnan(x)) {
        return sign | top << digits | (uint64_t)1 << (digits - 1);
    }
    if (isinf(x) || x == 0) {
        return sign | (x == 0 ? 0 : top << digits);
    }
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* in 1/2..1 */
    int biased = exponent - 1 + bias;
    if (biased <= 0) {
        return sign | (uint64_t)ldexp(fabs(x), bias - 1 + digits);
    }
    return sign | (uint64_t)biased << digits |
           ((uint64_t)ldexp(fraction, digits + 1) - ((uint64_t)1 << digits));
}

void gali_element_store(gali_element element, double real, int64_t whole, unsigned char *to) {
    uint64_t bits = (uint64_t)gali_element_wrap(element, whole);
    float single = (float)real;
    uint32_t single_bits;
    memcpy(&single_bits, &single, sizeof single);
    if (element == GALI_f32) {
        bits = single_bits;
    } else if (element == GALI_f64) {
        memcpy(&bits, &real, sizeof bits);
    } else if (element == GALI_f16) {
        bits = small_bits(gali_element_round(element, real), 10, 15, 5);
    } else if (element == GALI_bf16) {
        bits = small_bits(gali_element_round(element, real), 7, 127, 8);
    }
    for (uint32_t i = 0; i < gali_element_list[element].bytes; i++) {
        to[i] = (unsigned char)(bits >> (8 * i));
    }
}

gal_status gali_tensor_of(gali_run *run, const gali_value *value, gali_tensor *tensor) {
    for (int i = 0; i < value->type.rank; i++) {
        if (!gali_extent_is_number(value->type.shape[i])) {
            return gali_fail(run->error, GAL_BAD_DATA, "value \"%.100s\": its shape is not known", value->name);
        }
    }
    gal_status status =
        gali_tensor_make(run, tensor, value->type.element, (uint32_t)value->type.rank, value->type.shape);
    for (size_t i = 0; status == GAL_OK && i < tensor->count; i++) {
        if (tensor->real) {
            tensor->real[i] = value->reals ? value->reals[i] : gali_constant_real(value, i);
        } else {
            tensor->whole[i] = value->data ? gali_constant_whole(value, i) : value->known[i];
        }
    }
    return status;
}

/* ---- one node ---- */

/* A tensor's integers as extents. NULL: not known. */
static const gali_extent *extents_of(const gali_tensor *tensor, gali_arena *arena) {
    gali_extent *known = tensor->whole && tensor->count <= GALI_GRAPH_KNOWN_MAX
                             ? gali_arena_take(arena, (tensor->count + 1) * sizeof *known)
                             : NULL;
    for (size_t i = 0; known && i < tensor->count; i++) {
        known[i] = gali_extent_of(tensor->whole[i]);
    }
    return known;
}

/* The node's result types with numbers for all extents: its rule, told the operands' shapes and integers. */
static gal_status result_types(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_arena *arena, gali_type *result) {
    gali_graph *scratch = gali_graph_make(arena);
    gali_type *types = gali_arena_take(arena, (node->operand_count + 1) * sizeof *types);
    const gali_type **operand = gali_arena_take(arena, (node->operand_count + 1) * sizeof *operand);
    const gali_extent **known = gali_arena_take(arena, (node->operand_count + 1) * sizeof *known);
    const gali_extent **result_known = gali_arena_take(arena, (node->result_count + 1) * sizeof *result_known);
    const void **constant = gali_arena_take(arena, (node->operand_count + 1) * sizeof *constant);
    const double **real = gali_arena_take(arena, (node->operand_count + 1) * sizeof *real);
    if (arena->failed) {
        return gali_fail(run->error, GAL_NO_MEMORY, "no memory to evaluate");
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        const gali_tensor *tensor = operands[i];
        if (tensor) {
            types[i] = (gali_type){.element = tensor->element, .rank = (int)tensor->rank};
            memcpy(types[i].shape, tensor->shape, sizeof tensor->shape);
            operand[i] = &types[i];
            known[i] = extents_of(tensor, arena);
            real[i] = tensor->count <= GALI_GRAPH_KNOWN_MAX ? tensor->real : NULL;
        }
    }
    scratch->nodes = run->graph->nodes; /* for the messages' place */
    scratch->depth = run->graph->depth;
    gali_rule rule = {scratch, node, operand, known, constant, result, result_known, run->error, real, NULL};
    return gali_op_list[node->op].rule(&rule);
}

/* Makes the tensors of results whose shapes the rule knows; the truth makes the others. */
static gal_status make_results(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                               gali_tensor *results) {
    gali_arena arena = {0};
    gali_type *types = gali_arena_take(&arena, (node->result_count + 1) * sizeof *types);
    gal_status status = types ? result_types(run, node, operands, &arena, types)
                              : gali_fail(run->error, GAL_NO_MEMORY, "no memory to evaluate");
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        int numbers = types[i].rank >= 0;
        for (int d = 0; d < types[i].rank; d++) {
            numbers &= gali_extent_is_number(types[i].shape[d]);
        }
        results[i].element = types[i].element;
        if (numbers && gali_op_list[node->op].dynamism != GALI_FROM_RUN) {
            status =
                gali_tensor_make(run, &results[i], types[i].element, (uint32_t)types[i].rank, types[i].shape);
        }
    }
    gali_arena_release(&arena);
    return status;
}

static gal_status evaluate_node(gali_run *run, const gali_node *node, const gali_tensor *const *operands,
                                gali_tensor *results) {
    gal_status status = make_results(run, node, operands, results);
    double elements = 16;
    for (uint32_t i = 0; i < node->result_count; i++) {
        elements += (double)results[i].count;
    }
    if (status == GAL_OK) {
        status = gali_run_work(run, elements);
    }
    if (status == GAL_OK) {
        status = (run->compute ? run->compute : gali_op_list[node->op].truth)(run, node, operands, results);
    }
    if (status == GAL_NO_MEMORY && run->error &&
        strncmp(run->error->message, "node ", 5) != 0) { /* a body's has said so */
        const gal_error inner = *run->error;
        gali_fail(run->error, status, "%s: %.120s", gali_node_place(run->graph, node), inner.message);
    }
    for (uint32_t i = 0; status == GAL_OK && i < node->result_count; i++) {
        int wanted = node->results[i] != GALI_NONE;
        if (wanted && !results[i].real && !results[i].whole) {
            status = gali_run_fail(run, node, "the size of result %u cannot be told", i + 1);
        }
    }
    return status;
}

/* ---- the graph ---- */

typedef struct state {
    gali_arena arena;
    gali_tensor *tensors; /* [value_count] */
    uint32_t *uses;       /* [value_count] that are still to come */
    int64_t *symbols;     /* [symbols] GALI_EXTENT_UNKNOWN until an input tells */
} state;

static gal_status bind_input(gali_run *run, state *s, const gali_value *value, const gali_tensor *input) {
    if (input->element != value->type.element ||
        (value->type.rank >= 0 && input->rank != (uint32_t)value->type.rank)) {
        return gali_fail(run->error, GAL_BAD_ARGUMENT, "input \"%.100s\": not of the graph's type",
                         value->name);
    }
    for (uint32_t i = 0; value->type.rank >= 0 && i < input->rank; i++) {
        int symbol = gali_extent_as_symbol(run->graph->extents, value->type.shape[i]);
        int64_t expected = symbol < 0 ? value->type.shape[i] : s->symbols[symbol];
        if (gali_extent_is_number(expected) && expected != input->shape[i]) {
            return gali_fail(run->error, GAL_BAD_ARGUMENT, "input \"%.100s\": extent %u is %lld, %lld expected",
                             value->name, i, (long long)input->shape[i], (long long)expected);
        }
        if (symbol >= 0) {
            s->symbols[symbol] = input->shape[i];
        }
    }
    return GAL_OK;
}

static gal_status copy_tensor(gali_run *run, const gali_tensor *from, gali_tensor *to) {
    gal_status status = gali_tensor_make(run, to, from->element, from->rank, from->shape);
    if (status == GAL_OK && from->count) {
        memcpy(to->real ? (void *)to->real : (void *)to->whole,
               from->real ? (const void *)from->real : (const void *)from->whole, from->count * sizeof(double));
    }
    return status;
}

static gal_status begin(gali_run *run, const gali_graph *graph, const gali_tensor *inputs, state *s) {
    gal_status status = GAL_OK;
    uint32_t symbols = gali_extent_symbols(graph->extents);
    s->tensors = gali_arena_take(&s->arena, (graph->value_count + 1) * sizeof *s->tensors);
    s->uses = gali_arena_take(&s->arena, (graph->value_count + 1) * sizeof *s->uses);
    s->symbols = gali_arena_take(&s->arena, (symbols + 1) * sizeof *s->symbols);
    if (s->arena.failed) {
        return gali_fail(run->error, GAL_NO_MEMORY, "no memory to evaluate");
    }
    for (uint32_t i = 0; i < symbols; i++) {
        s->symbols[i] = GALI_EXTENT_UNKNOWN;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].operand_count; k++) {
            uint32_t value = graph->nodes[i].operands[k];
            s->uses[value == GALI_NONE ? graph->value_count : value]++;
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        s->uses[graph->outputs[i]]++;
    }
    for (uint32_t i = 0; status == GAL_OK && i < graph->input_count; i++) {
        const gali_value *value = &graph->values[graph->inputs[i]];
        status = bind_input(run, s, value, &inputs[i]);
        if (status == GAL_OK) {
            status = copy_tensor(run, &inputs[i], &s->tensors[graph->inputs[i]]);
        }
    }
    return status;
}

static void release_used(gali_run *run, const gali_node *node, state *s) {
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t value = node->operands[i];
        if (value != GALI_NONE && --s->uses[value] == 0) {
            gali_tensor_release(run, &s->tensors[value]);
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE && s->uses[node->results[i]] == 0) {
            gali_tensor_release(run, &s->tensors[node->results[i]]);
        }
    }
}

static gal_status operand_tensor(gali_run *run, const gali_graph *graph, state *s, uint32_t value) {
    gali_tensor *tensor = &s->tensors[value];
    int made = tensor->real || tensor->whole;
    return made || !graph->values[value].data ? GAL_OK : gali_tensor_of(run, &graph->values[value], tensor);
}

static gal_status step(gali_run *run, const gali_graph *graph, const gali_node *node, state *s) {
    gali_arena arena = {0};
    gal_status status = GAL_OK;
    const gali_tensor **operands = gali_arena_take(&arena, (node->operand_count + 1) * sizeof *operands);
    gali_tensor *results = gali_arena_take(&arena, (node->result_count + 1) * sizeof *results);
    if (arena.failed) {
        status = gali_fail(run->error, GAL_NO_MEMORY, "no memory to evaluate");
    }
    for (uint32_t i = 0; status == GAL_OK && i < node->operand_count; i++) {
        if (node->operands[i] != GALI_NONE) {
            status = operand_tensor(run, graph, s, node->operands[i]);
            operands[i] = &s->tensors[node->operands[i]];
        }
    }
    if (status == GAL_OK) {
        status = evaluate_node(run, node, operands, results);
    }
    for (uint32_t i = 0; results && i < node->result_count; i++) {
        if (status == GAL_OK && node->results[i] != GALI_NONE) {
            s->tensors[node->results[i]] = results[i];
        } else {
            gali_tensor_release(run, &results[i]);
        }
    }
    if (status == GAL_OK) {
        release_used(run, node, s);
    }
    gali_arena_release(&arena);
    return status;
}

gal_status gali_graph_evaluate(gali_run *run, const gali_graph *graph, const gali_tensor *inputs,
                               gali_tensor *outputs) {
    state s = {.tensors = NULL};
    const gali_graph *outer = run->graph;
    run->graph = graph;
    gal_status status = begin(run, graph, inputs, &s);
    for (uint32_t i = 0; status == GAL_OK && i < graph->node_count; i++) {
        status = step(run, graph, &graph->nodes[i], &s);
    }
    uint32_t made = 0;
    for (; status == GAL_OK && made < graph->output_count; made += status == GAL_OK) {
        status = operand_tensor(run, graph, &s, graph->outputs[made]);
        if (status == GAL_OK) {
            status = copy_tensor(run, &s.tensors[graph->outputs[made]], &outputs[made]);
        }
    }
    for (uint32_t i = 0; status != GAL_OK && i < made; i++) {
        gali_tensor_release(run, &outputs[i]);
    }
    for (uint32_t i = 0; s.tensors && i < graph->value_count; i++) {
        gali_tensor_release(run, &s.tensors[i]);
    }
    gali_arena_release(&s.arena);
    run->graph = outer;
    return status;
}

/* ---- known elements ---- */

enum { KNOWN_WORK = 1 << 20, KNOWN_REALS = 64 };

static int is_known(const gali_graph *graph, uint32_t operand) {
    if (operand == GALI_NONE) {
        return 1;
    }
    const gali_value *value = &graph->values[operand];
    gali_extent count = gali_type_count(graph->extents, &value->type);
    if (count < 0 || count > GALI_GRAPH_KNOWN_MAX || (!value->data && !value->known && !value->reals)) {
        return 0;
    }
    for (gali_extent i = 0; value->known && i < count; i++) {
        if (!gali_extent_is_number(value->known[i])) {
            return 0;
        }
    }
    return 1;
}

static int worth(const gali_graph *graph, const gali_node *node) {
    int wanted = 0;
    for (uint32_t i = 0; i < node->result_count; i++) {
        const gali_value *value = node->results[i] == GALI_NONE ? NULL : &graph->values[node->results[i]];
        gali_extent count = value ? gali_type_count(graph->extents, &value->type) : -1;
        wanted |= value && !value->known && count >= 0 && count <= GALI_GRAPH_KNOWN_MAX &&
                  (gali_element_list[value->type.element].kind != GALI_REAL || count <= KNOWN_REALS);
    }
    for (uint32_t i = 0; wanted && i < node->operand_count; i++) {
        wanted = is_known(graph, node->operands[i]);
    }
    return wanted && node->body_count == 0;
}

/* Of sums, products and roots, a double rounded once more is what an f32 would be. */
static void take_reals(gali_graph *graph, gali_value *value, const gali_tensor *tensor) {
    double *reals = tensor->count <= KNOWN_REALS
                        ? gali_arena_take(graph->arena, (tensor->count + 1) * sizeof *reals)
                        : NULL;
    for (size_t i = 0; reals && i < tensor->count; i++) {
        reals[i] = gali_element_round(tensor->element, tensor->real[i]);
    }
    value->reals = reals;
}

static void take_known(gali_graph *graph, gali_value *value, const gali_tensor *tensor) {
    if (tensor->real) {
        take_reals(graph, value, tensor);
        return;
    }
    gali_extent *known = tensor->whole && tensor->count <= GALI_GRAPH_KNOWN_MAX
                             ? gali_arena_take(graph->arena, (tensor->count + 1) * sizeof *known)
                             : NULL;
    for (size_t i = 0; known && i < tensor->count; i++) {
        known[i] = gali_extent_of(tensor->whole[i]);
    }
    value->known = known;
}

void gali_evaluate_known(gali_graph *graph, const gali_node *node) {
    if (!worth(graph, node)) {
        return;
    }
    gali_arena arena = {0};
    gali_run run = {.graph = graph, .memory_left = GALI_RUN_MEMORY, .work_left = KNOWN_WORK};
    gali_tensor *tensors = gali_arena_take(&arena, (node->operand_count + 1) * sizeof *tensors);
    gali_tensor *results = gali_arena_take(&arena, (node->result_count + 1) * sizeof *results);
    const gali_tensor **operands = gali_arena_take(&arena, (node->operand_count + 1) * sizeof *operands);
    gal_status status = arena.failed ? GAL_NO_MEMORY : GAL_OK;
    for (uint32_t i = 0; status == GAL_OK && i < node->operand_count; i++) {
        if (node->operands[i] != GALI_NONE) {
            status = gali_tensor_of(&run, &graph->values[node->operands[i]], &tensors[i]);
            operands[i] = &tensors[i];
        }
    }
    if (status == GAL_OK && evaluate_node(&run, node, operands, results) == GAL_OK) {
        for (uint32_t i = 0; i < node->result_count; i++) {
            if (node->results[i] != GALI_NONE && !graph->values[node->results[i]].known) {
                take_known(graph, &graph->values[node->results[i]], &results[i]);
            }
        }
    }
    for (uint32_t i = 0; tensors && i < node->operand_count; i++) {
        gali_tensor_release(&run, &tensors[i]);
    }
    for (uint32_t i = 0; results && i < node->result_count; i++) {
        gali_tensor_release(&run, &results[i]);
    }
    gali_arena_release(&arena);
}
