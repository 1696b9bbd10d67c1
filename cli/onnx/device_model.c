#include "onnx/device_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "gpu/run.h"
#include "graph/propagate.h"

static size_t bytes_of(const gali_graph *graph, uint32_t value, const int64_t *symbols) {
    const gali_type *type = &graph->values[value].type;
    int64_t count = gali_extent_value(graph->extents, gali_type_count(graph->extents, type), symbols);
    return (size_t)count * gali_element_list[type->element].bytes;
}

static gal_status check_demands(const gali_program *p, const int64_t *symbols, gal_error *error) {
    for (const gali_demand *d = p->demands; d; d = d->next) {
        int64_t a = gali_extent_value(p->graph->extents, d->a, symbols),
                b = gali_extent_value(p->graph->extents, d->b, symbols);
        if (!gali_demand_holds(d->kind, a, b)) {
            return gali_fail(error, GAL_BAD_DATA, "sizes that must fit are %lld and %lld", (long long)a,
                             (long long)b);
        }
    }
    return GAL_OK;
}

static gal_status check_sizes(const gali_program *p, const int64_t *symbols, gal_error *error) {
    for (uint32_t s = 0; s < gali_extent_symbols(p->graph->extents); s++) {
        if (symbols[s] && (symbols[s] < p->least[s] || symbols[s] > p->most[s])) {
            return gali_fail(error, GAL_BAD_DATA,
                             "size %.60s is %lld, but may be %lld to %lld (--sizes asks for other ranges)",
                             gali_extent_symbol_name(p->graph->extents, s), (long long)symbols[s],
                             (long long)p->least[s], (long long)p->most[s]);
        }
    }
    return check_demands(p, symbols, error);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of what each kernel that these sizes start took, and of a run from its first kernel to its last. */
static void print_times(gali_gpu_run *run) {
    enum { REPEATS = 11 };
    uint32_t count = run->plan.launch_count, started = 0;
    double *all = malloc((size_t)(count + 1) * (REPEATS + 1) * sizeof *all), sum = 0, whole[REPEATS];
    if (!all) {
        return;
    }
    for (int r = 0; r < REPEATS; r++) {
        gali_gpu_launch(run, all + (size_t)count * (size_t)r);
        double start = gali_clock_seconds();
        gali_gpu_launch(run, NULL);
        gali_cl_wait(&run->cl);
        whole[r] = 1e6 * (gali_clock_seconds() - start);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!run->items[i]) {
            continue;
        }
        double one[REPEATS];
        for (size_t r = 0; r < REPEATS; r++) {
            one[r] = all[count * r + i];
        }
        qsort(one, REPEATS, sizeof *one, ascending);
        sum += one[REPEATS / 2];
        started++;
        const gali_launch *launch = &run->plan.launches[i];
        const gali_program *p = run->plan.program;
        printf("%10.1f us  %-12s %s\n", one[REPEATS / 2] / 1e3, launch->name,
               gali_program_place_of(p, p->stages[launch->stage].node));
    }
    qsort(whole, REPEATS, sizeof *whole, ascending);
    printf("%u kernels, %.1f us one by one, %.1f us in a row\n", started, sum / 1e3, whole[REPEATS / 2]);
    free(all);
}

gal_status gali_device_model_run(gali_onnx_model *model, const gali_run_ports *ports, uint32_t number,
                                 const gali_gpu_choice *choice, int times, gal_error *error) {
    const gali_graph *graph = ports->graph;
    gali_gpu_run run;
    gal_status status = model->program ? GAL_OK : gali_onnx_model_program(model, error);
    status = status == GAL_OK ? check_sizes(model->program, ports->symbols, error) : status;
    status =
        status == GAL_OK ? gali_gpu_start(&run, model->program, number, ports->symbols, choice, error) : status;
    if (status != GAL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        gali_gpu_put(&run, graph->inputs[i], ports->inputs[i],
                     bytes_of(graph, graph->inputs[i], ports->symbols));
    }
    gali_gpu_launch(&run, NULL);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        gali_gpu_get(&run, graph->outputs[i], ports->outputs[i],
                     bytes_of(graph, graph->outputs[i], ports->symbols));
    }
    if (times) {
        print_times(&run);
    }
    status = gali_gpu_failure(&run, error);
    gali_gpu_end(&run);
    return status;
}
