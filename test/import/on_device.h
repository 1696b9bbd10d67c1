/* A graph run as kernels on the first OpenCL device. */
#ifndef TEST_IMPORT_ON_DEVICE_H
#define TEST_IMPORT_ON_DEVICE_H

#include <stdlib.h>

#include "gpu/run.h"
#include "program_run.h"

static gal_status on_device_take(gali_run *run, gali_gpu_run *there, const program_memory *m, uint32_t number,
                                 gali_tensor *output) {
    const gali_graph *graph = m->program->graph;
    const gali_value *from = &graph->values[graph->outputs[number]];
    gali_value value = {.name = from->name, .type = from->type};
    size_t bytes = gali_element_list[value.type.element].bytes;
    for (int d = 0; d < value.type.rank; d++) {
        value.type.shape[d] = program_extent(m, value.type.shape[d]);
        bytes *= (size_t)value.type.shape[d];
    }
    void *data = calloc(1, bytes + 64);
    gali_gpu_get(there, graph->outputs[number], data, bytes);
    value.data = data;
    gal_status status = gali_gpu_failure(there, run->error);
    status = status == GAL_OK ? gali_tensor_of(run, &value, output) : status;
    free(data);
    return status;
}

/* As gali_graph_evaluate; GAL_UNSUPPORTED where devices have no kernels for the graph. */
static gal_status on_device_run(gali_run *run, const gali_graph *graph, const gali_tensor *inputs,
                                gali_tensor *outputs) {
    program_memory m = {0};
    gali_gpu_run there;
    gal_status status = gali_program_make(&m.program, graph, graph->arena, run->error);
    status = status == GAL_OK ? gali_program_for_device(m.program, run->error) : status;
    if (status != GAL_OK) {
        return status;
    }
    m.symbols = calloc(gali_extent_symbols(graph->extents) + 1, sizeof *m.symbols);
    program_bind(&m, inputs);
    status = gali_gpu_start(&there, m.program, 0, m.symbols, NULL, run->error);
    if (status == GAL_OK) {
        for (uint32_t i = 0; i < graph->input_count; i++) {
            size_t bytes = inputs[i].count * gali_element_list[inputs[i].element].bytes;
            unsigned char *data = malloc(bytes + 1);
            program_fill(&inputs[i], data);
            gali_gpu_put(&there, graph->inputs[i], data, bytes);
            free(data);
        }
        gali_gpu_launch(&there, NULL);
        for (uint32_t i = 0; i < graph->output_count && status == GAL_OK; i++) {
            status = on_device_take(run, &there, &m, i, &outputs[i]);
        }
        gali_gpu_end(&there);
    }
    free(m.symbols);
    return status;
}

#endif
