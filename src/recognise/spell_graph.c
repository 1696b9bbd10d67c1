/*
 * A graph as a whole into linear form: its inputs with a number for each size, its constants where they lie, its nodes one
 * by one, its outputs, each with a row for each row of the inputs.
 */
#include <string.h>

#include "recognise/spell.h"

enum { SHOWN = 64 }; /* bytes of a name in messages */

static int refuse_input(gali_allowance *allowance, const gali_value *input, const char *why) {
    return gali_allowance_fail(allowance, GAL_BAD_DATA, "input \"%.*s\": %s", SHOWN, input->name, why);
}

/* Floats, of a shape that is known but for the first size. */
static int check_input(gali_allowance *allowance, const gali_value *input) {
    const gali_type *type = &input->type;
    if (type->rank < 0) {
        return refuse_input(allowance, input, "a tensor with a shape expected");
    }
    if (type->element != GALI_f32 && type->element != GALI_f64) {
        return gali_allowance_fail(allowance, GAL_BAD_DATA,
                                   "input \"%.*s\": numbers of type %s, float expected", SHOWN, input->name,
                                   gali_element_list[type->element].word);
    }
    for (int d = 0; d < type->rank; d++) {
        int number = gali_extent_is_number(type->shape[d]);
        if (number && (type->shape[d] < 1 || type->shape[d] > INT32_MAX)) {
            return gali_allowance_fail(allowance, GAL_BAD_DATA, "input \"%.*s\": dimension %d is %lld", SHOWN,
                                       input->name, d, (long long)type->shape[d]);
        }
        if (!number && d > 0) {
            return gali_allowance_fail(allowance, GAL_BAD_DATA,
                                       "input \"%.*s\": dimension %d is no number; only the first may be free",
                                       SHOWN, input->name, d);
        }
    }
    return 1;
}

static int has_free_rows(const gali_type *type) {
    return type->rank > 0 && !gali_extent_is_number(type->shape[0]);
}

int gali_spell_batch(gali_allowance *allowance, const gali_graph *graph, uint32_t *batch) {
    int found = 0;
    *batch = 1;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_value *input = &graph->values[graph->inputs[i]];
        const gali_type *type = &input->type;
        if (!check_input(allowance, input)) {
            return 0;
        }
        if (type->rank >= 2 || has_free_rows(type)) {
            *batch = has_free_rows(type) ? 0 : found ? *batch : (uint32_t)type->shape[0];
            found = 1;
        }
    }
    return *batch <= 1024 ||
           gali_allowance_fail(allowance, GAL_BAD_DATA, "a batch of %u rows, at most 1024 expected", *batch);
}

static int add_input(gali_form *f, const gali_value *input, uint32_t *value) {
    gali_type type = input->type;
    int free_rows = has_free_rows(&type);
    int batched = type.rank >= 2 || free_rows || (type.rank == 1 && type.shape[0] == f->batch);
    if (!input->name[0]) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "an input without a name");
    }
    if (f->input_count == GALI_PORTS_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "more than %d inputs", GALI_PORTS_MAX);
    }
    if (free_rows) {
        type.shape[0] = f->batch;
    }
    if ((batched && type.shape[0] != f->batch) || (!batched && f->batch != 1)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "input \"%.*s\": %lld rows, the batch has %u",
                                   SHOWN, input->name, batched ? (long long)type.shape[0] : 1, f->batch);
    }
    double count = 1;
    for (int i = 0; i < type.rank; i++) {
        count *= (double)type.shape[i];
    }
    if (count > INT32_MAX) {
        return refuse_input(f->allowance, input, "more than 2^31 numbers");
    }
    *value = gali_form_given(f, (uint32_t)type.rank, type.shape);
    if (*value == GALI_NONE) {
        return 0;
    }
    f->inputs[f->input_count++] = (gali_port){input->name, *value, gali_form_count(f, *value) / f->batch};
    return 1;
}

static int add_output(gali_form *f, const char *name, uint32_t value) {
    const gali_type *type = value == GALI_NONE ? NULL : gali_form_type(f, value);
    if (!type) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                   "output \"%.*s\" is a result that is not supported", SHOWN, name);
    }
    if (f->values[value].constant) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "output \"%.*s\" depends on no input", SHOWN,
                                   name);
    }
    if (!gali_form_is_real(f, value)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "output \"%.*s\" is not of floats", SHOWN, name);
    }
    if (f->batch > 1 && (type->rank == 0 || type->shape[0] != f->batch)) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                   "output \"%.*s\" has not a row for each row of the input", SHOWN, name);
    }
    f->outputs[f->output_count++] = (gali_port){name, value, gali_form_count(f, value) / f->batch};
    return 1;
}

static int check_finite(gali_form *f, const gali_array *array, size_t count, const char *name) {
    enum { RUN = 512 };
    double run[RUN];
    for (size_t first = 0; first < count; first += RUN) {
        size_t part = count - first < RUN ? count - first : RUN;
        gali_array_load(array, (int64_t)first, 1, part, run);
        for (size_t i = 0; i < part; i++) {
            if (!(run[i] - run[i] == 0)) {
                return gali_allowance_fail(f->allowance, GAL_BAD_DATA,
                                           "constant \"%.*s\": number %zu is not finite", SHOWN, name,
                                           first + i);
            }
        }
    }
    return 1;
}

/* A constant of the graph; one beyond what a tensor here may have is refused. */
static int add_constant(gali_form *f, const gali_graph *graph, const gali_value *from, uint32_t *value) {
    gali_extent count = gali_type_count(graph->extents, &from->type);
    gali_array array = {from->type.element, from->data};
    if (count < 0 || count > INT32_MAX) {
        return gali_allowance_fail(f->allowance, GAL_BAD_DATA, "constant \"%.*s\": more than 2^31 numbers",
                                   SHOWN, from->name);
    }
    int real = gali_element_list[array.element].kind == GALI_REAL;
    if (real && !check_finite(f, &array, (size_t)count, from->name)) {
        return 0;
    }
    *value = gali_form_constant(f, &from->type, array);
    return *value != GALI_NONE;
}

static int add_node(gali_form *f, const gali_graph *graph, const gali_node *node, uint32_t *of) {
    uint32_t *operands = gali_allowance_take(f->allowance, (node->operand_count + 1) * sizeof *operands);
    uint32_t *results = gali_allowance_take(f->allowance, (node->result_count + 1) * sizeof *results);
    if (!operands || !results) {
        return 0;
    }
    f->place = gali_node_place(graph, node);
    if (node->body_count) {
        gali_form_refuse(f, "control flow is not supported");
        return 0;
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        operands[i] = node->operands[i] == GALI_NONE ? GALI_NONE : of[node->operands[i]];
        if (operands[i] != node->operands[i] &&
            operands[i] == GALI_NONE) { /* of Dropout its first result is spelled */
            gali_form_refuse(f, "operand %u is a result that is not supported", i + 1);
            return 0;
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = GALI_NONE;
    }
    gali_spelling s = {.form = f, .node = node, .operands = operands, .results = results};
    if (!gali_spell_node(&s)) {
        return 0;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (node->results[i] != GALI_NONE) {
            of[node->results[i]] = results[i];
        }
    }
    return 1;
}

int gali_spell_graph(gali_form *f, gali_allowance *allowance, gali_arena *arena, const gali_graph *graph,
                     uint32_t batch) {
    uint32_t *of = gali_allowance_take(allowance, (graph->value_count + 1) * sizeof *of);
    int good = of && gali_form_make(f, allowance, arena, batch);
    for (uint32_t i = 0; good && i < graph->value_count; i++) {
        of[i] = GALI_NONE;
        if (graph->values[i].data) {
            good = add_constant(f, graph, &graph->values[i], &of[i]);
        }
    }
    for (uint32_t i = 0; good && i < graph->input_count; i++) {
        good = add_input(f, &graph->values[graph->inputs[i]], &of[graph->inputs[i]]);
    }
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        good = add_node(f, graph, &graph->nodes[i], of);
    }
    f->place = "graph";
    if (good && (graph->output_count == 0 || graph->output_count > GALI_PORTS_MAX)) {
        good = gali_allowance_fail(allowance, GAL_BAD_DATA, "%u outputs, 1..%d expected", graph->output_count,
                                   GALI_PORTS_MAX);
    }
    for (uint32_t i = 0; good && i < graph->output_count; i++) {
        good = add_output(f, graph->values[graph->outputs[i]].name, of[graph->outputs[i]]);
    }
    return good;
}
