/*
 * Parts of the form, evaluated: what lies between a value and the one that it is asked as a function of is made a graph
 * of its own and run by the operators' truths (graph/evaluate.h). There is no other evaluator.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/evaluate.h"
#include "recognise/form.h"

typedef struct part {
    gali_form *form;
    gali_arena arena;
    gali_graph *graph;
    uint32_t *of;     /* [values up to the target] the part's value, GALI_NONE: none; NEEDED: to be made */
    size_t constants; /* bytes of widened ones */
} part;

static const uint32_t NEEDED = 0xfffffffeu;

static int no_memory(const part *p) {
    return gali_allowance_fail(p->form->allowance, GAL_NO_MEMORY, "no memory to evaluate the graph");
}

/* Marks what the target follows from, back to the base and to constants whose numbers are there. */
static void mark(part *p, uint32_t base, uint32_t target) {
    const gali_form *f = p->form;
    memset(p->of, 0xff, (target + 1) * sizeof *p->of);
    p->of[target] = NEEDED;
    for (uint32_t i = target + 1; i-- > 0;) {
        uint32_t maker = f->graph->values[i].node;
        if (p->of[i] != NEEDED || i == base || f->values[i].array.data || maker == GALI_NONE) {
            continue;
        }
        const gali_node *node = &f->graph->nodes[maker];
        for (uint32_t o = 0; o < node->operand_count; o++) {
            if (node->operands[o] != GALI_NONE) {
                p->of[node->operands[o]] = NEEDED;
            }
        }
    }
}

/* A constant's numbers as another element: reals as doubles, known integers as what they are. NULL if it failed. */
static void *converted(part *p, const gali_array *array, gali_element element, size_t count) {
    const gali_value whole = {.type = {.element = array->element}, .data = array->data};
    uint32_t bytes = gali_element_list[element].bytes;
    size_t size = (count + 1) * bytes;
    unsigned char *data = size <= p->form->allowance->memory_left ? gali_arena_take(&p->arena, size) : NULL;
    if (!data) {
        no_memory(p);
        return NULL;
    }
    p->form->allowance->memory_left -= size;
    p->constants += size;
    if (element == GALI_f64) {
        gali_array_load(array, 0, 1, count, (double *)(void *)data);
    }
    for (size_t i = 0; element != GALI_f64 && i < count; i++) {
        gali_element_store(element, 0, gali_constant_whole(&whole, i), data + i * bytes);
    }
    return data;
}

static int add_constant(part *p, uint32_t value) {
    const gali_form *f = p->form;
    gali_array array = f->values[value].array;
    gali_type type = *gali_form_type(f, value);
    size_t count = gali_form_count(f, value);
    const void *data = array.data;
    if (array.element != type.element) {
        data = converted(p, &array, type.element, count);
        if (!data) {
            return 0;
        }
    }
    p->of[value] = gali_graph_constant(p->graph, "", &type, data);
    return p->of[value] != GALI_NONE || no_memory(p);
}

/* Its results are all made with it. */
static int add_node(part *p, const gali_node *from, uint32_t target) {
    gali_node node = *from;
    node.operands = gali_arena_take(&p->arena, (node.operand_count + 1) * sizeof *node.operands);
    node.results = gali_arena_take(&p->arena, (node.result_count + 1) * sizeof *node.results);
    if (!node.operands || !node.results) {
        return no_memory(p);
    }
    for (uint32_t i = 0; i < node.operand_count; i++) {
        node.operands[i] = from->operands[i] == GALI_NONE ? GALI_NONE : p->of[from->operands[i]];
    }
    for (uint32_t i = 0; i < node.result_count; i++) {
        node.results[i] = gali_graph_value(p->graph, "", &(gali_type){.rank = -1});
        if (from->results[i] <= target) {
            p->of[from->results[i]] = node.results[i];
        }
    }
    return gali_graph_node(p->graph, &node) != GALI_NONE || no_memory(p);
}

static int build(part *p, uint32_t base, uint32_t target) {
    const gali_form *f = p->form;
    p->graph = gali_graph_make(&p->arena);
    p->of = malloc((target + 1) * sizeof *p->of);
    if (!p->graph || !p->of) {
        return no_memory(p);
    }
    mark(p, base, target);
    int good = 1;
    for (uint32_t i = 0; good && i <= target; i++) {
        if (p->of[i] != NEEDED) {
            continue;
        }
        if (i == base) {
            p->of[i] = gali_graph_value(p->graph, "", gali_form_type(f, i));
            good = p->of[i] != GALI_NONE || no_memory(p);
            gali_graph_input(p->graph, p->of[i]);
        } else if (f->values[i].array.data) {
            good = add_constant(p, i);
        } else if (f->graph->values[i].node != GALI_NONE) {
            good = add_node(p, &f->graph->nodes[f->graph->values[i].node], target);
        } else {
            good = gali_allowance_fail(f->allowance, GAL_BAD_DATA, "an input of the graph is not given");
        }
    }
    if (good) {
        gali_graph_output(p->graph, p->of[target]);
    }
    return good && (!p->arena.failed || no_memory(p));
}

void gali_form_release(gali_tensor *tensor) {
    gali_run run = {.memory_left = 0};
    gali_tensor_release(&run, tensor);
}

int gali_form_evaluate(gali_allowance *allowance, const gali_graph *graph, const gali_tensor *inputs,
                       gali_tensor *outputs) {
    gal_error error = {0};
    gali_run run = {.memory_left = allowance->memory_left, .work_left = allowance->work_left, .error = &error};
    gal_status status = gali_graph_evaluate(&run, graph, inputs, outputs);
    allowance->work_left = run.work_left;
    if (status == GAL_OK) {
        return 1;
    }
    return run.work_left < 0 ? gali_allowance_work(allowance, 0)
           : status == GAL_NO_MEMORY
               ? gali_allowance_fail(allowance, GAL_NO_MEMORY, "no memory to evaluate the graph")
               : gali_allowance_fail(allowance, GAL_BAD_DATA, "%s", error.message);
}

/* As the public one; *output is released with gali_form_release. */
static int run_part(gali_form *f, uint32_t base, const double *given, uint32_t target, gali_tensor *output) {
    part p = {.form = f};
    gali_tensor input = {.element = GALI_f64};
    if (base != GALI_NONE) {
        const gali_type *type = gali_form_type(f, base);
        input.rank = (uint32_t)type->rank;
        input.count = gali_form_count(f, base);
        input.real = (double *)(uintptr_t)given; /* truths do not write their operands */
        memcpy(input.shape, type->shape, sizeof type->shape);
    }
    int good = gali_allowance_work(f->allowance, target) && build(&p, base, target) &&
               gali_form_evaluate(f->allowance, p.graph, &input, output);
    f->allowance->memory_left += p.constants;
    gali_arena_release(&p.arena);
    free(p.of);
    return good;
}

int gali_form_run(gali_form *f, uint32_t base, const double *given, uint32_t target, double *values) {
    gali_tensor output = {.real = NULL};
    int good = run_part(f, base, given, target, &output);
    for (size_t i = 0; good && i < output.count; i++) {
        values[i] = output.real ? output.real[i] : (double)output.whole[i];
    }
    gali_form_release(&output);
    return good;
}

gali_array gali_form_numbers(gali_form *f, uint32_t value) {
    gali_form_value *of = &f->values[value];
    if (of->array.data) {
        return of->array;
    }
    gali_tensor output = {.real = NULL};
    void *data = run_part(f, GALI_NONE, NULL, value, &output)
                     ? gali_allowance_take(f->allowance, (output.count + 1) * sizeof(double))
                     : NULL;
    if (data && output.count) {
        memcpy(data, output.real ? (const void *)output.real : (const void *)output.whole,
               output.count * sizeof(double));
    }
    of->array = (gali_array){output.real ? GALI_f64 : GALI_i64, data};
    gali_form_release(&output);
    return of->array;
}
