/*
 * Operators on a device, one by one: operands through buffers or images, addresses divided out in each turn or carried on;
 * what each takes by the device's clock, and, in a folder, what the driver made of it, for gpu_instructions.py.
 *
 *     bench_gpu_operators DEVICE [FOLDER]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/run.h"
#include "graph/text.h"
#include "harness/quantile.h"

enum { REPEATS = 11, SYMBOLS = 8 };

static const struct {
    const char *name, *text;
} operators[] = {
    {"conv1x1", "input %0 \"x\": f32[1, 64, 56, 56]\nconstant %1: f32[256, 64, 1, 1]\n"
                "%2: f32[1, 256, 56, 56] = Conv (%0, %1)\noutput %2\n"},
    {"conv3x3", "input %0 \"x\": f32[1, 64, 56, 56]\nconstant %1: f32[64, 64, 3, 3]\n"
                "%2: f32[1, 64, 56, 56] = Conv (%0, %1) pads:ints=1,1,1,1\noutput %2\n"},
    {"conv3x3_open",
     "symbol h 40..56\nsymbol w 40..56\ninput %0 \"x\": f32[1, 64, h, w]\nconstant %1: f32[64, 64, 3, 3]\n"
     "%2: f32[1, 64, h, w] = Conv (%0, %1) pads:ints=1,1,1,1\noutput %2\n"},
    {"planes_open", "symbol h 40..56\nsymbol w 40..56\ninput %0 \"x\": f32[4, 64, h, w]\n"
                    "%1: f32[4, 64, 64] = Einsum (%0, %0) equation:word=\"bchw,bdhw->bcd\"\noutput %1\n"},
    {"pool_open", "symbol h 40..56\nsymbol w 40..56\ninput %0 \"x\": f32[4, 512, h, w]\n"
                  "%1: f32[4, 512, 1, 1] = GlobalAveragePool (%0)\noutput %1\n"},
    {"depthwise", "input %0 \"x\": f32[1, 144, 56, 56]\nconstant %1: f32[144, 1, 3, 3]\n"
                  "%2: f32[1, 144, 56, 56] = Conv (%0, %1) group:int=144 pads:ints=1,1,1,1\noutput %2\n"},
    {"matmul", "input %0 \"x\": f32[512, 768]\nconstant %1: f32[768, 768]\n"
               "%2: f32[512, 768] = MatMul (%0, %1)\noutput %2\n"},
    {"matmul_batches",
     "input %0 \"x\": f32[12, 128, 64]\n%1: f32[12, 64, 128] = Transpose (%0) perm:ints=0,2,1\n"
     "%2: f32[12, 128, 128] = MatMul (%0, %1)\noutput %2\n"},
};

static const struct {
    const char *name;
    uint32_t images;
    int divided;
} variants[] = {
    {"buffer_divided", 0, 1},
    {"buffer", 0, 0},
    {"image_divided", GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT, 1},
    {"image", GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT, 0},
    {"left", GALI_IMAGE_LEFT, 0},
    {"right", GALI_IMAGE_RIGHT, 0},
};

/* A tiling by hand that fits every device, with the variant's images. */
static uint32_t choose(void *context, const gali_device_task *task, gali_device_chosen *chosen) {
    const uint32_t *images = context;
    chosen[0] = (gali_device_chosen){
        .tiling = {
            .rows = 64, .outputs = 64, .depth = 8, .row_registers = 8, .output_registers = 4, .parts = 1}};
    chosen[0].tiling.images = *images & task->images;
    return 1;
}

/* Medians of the launches, together. */
static double time_all(gali_gpu_run *run) {
    enum { LAUNCHES_MAX = 64 };
    double one[LAUNCHES_MAX], all[LAUNCHES_MAX][REPEATS], sum = 0;
    uint32_t count = run->plan.launch_count < LAUNCHES_MAX ? run->plan.launch_count : LAUNCHES_MAX;
    for (int r = -2; r < REPEATS; r++) {
        gali_gpu_launch(run, one);
        for (uint32_t i = 0; i < count && r >= 0; i++) {
            all[i][r] = one[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        sum += median(all[i], REPEATS);
    }
    return sum;
}

static void write_binary(gali_gpu_run *run, const char *folder, const char *operator, const char * variant) {
    char path[512];
    size_t size;
    void *program = gali_cl_build(&run->cl, run->plan.source.bytes);
    void *bytes = gali_cl_binary(&run->cl, program, &size);
    snprintf(path, sizeof path, "%s/%s.%s.bin", folder, operator, variant);
    FILE *file = bytes ? fopen(path, "wb") : NULL;
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: not written\n", path);
    }
    free(bytes);
    gali_cl_release_program(&run->cl, program);
}

static gal_status bench(uint32_t device, size_t operator, size_t variant, const char *folder,
                        gal_error *error) {
    gali_arena arena = {0};
    gali_graph *graph;
    gali_program *program;
    gali_gpu_run run;
    int64_t sizes[SYMBOLS];
    uint32_t images = variants[variant].images;
    const gali_gpu_choice choice = {.choose = choose,
                                    .context = &images,
                                    .prefers_images = images == (GALI_IMAGE_LEFT | GALI_IMAGE_RIGHT),
                                    .divided_addresses = variants[variant].divided};
    const char *text = operators[operator].text;
    gal_status status = gali_graph_parse(&graph, text, strlen(text), &arena, error);
    status = status == GAL_OK ? gali_graph_infer(graph, error) : status;
    status = status == GAL_OK ? gali_program_make(&program, graph, &arena, error) : status;
    status = status == GAL_OK ? gali_program_for_device(program, error) : status;
    for (uint32_t i = 0; status == GAL_OK && i < SYMBOLS; i++) {
        sizes[i] = i < gali_extent_symbols(graph->extents) ? program->most[i] : 0;
    }
    status = status == GAL_OK ? gali_gpu_start(&run, program, device, sizes, &choice, error) : status;
    if (status == GAL_OK) {
        printf("%-15s %-15s %9.1f us, %u images, %s\n", operators[operator].name, variants[variant].name,
               time_all(&run) / 1e3, run.plan.image_count, run.cl.facts.name);
        fflush(stdout);
        if (folder) {
            write_binary(&run, folder, operators[operator].name, variants[variant].name);
        }
        status = gali_gpu_failure(&run, error);
        gali_gpu_end(&run);
    }
    gali_arena_release(&arena);
    return status;
}

int main(int argc, char **argv) {
    uint32_t device = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    gal_error error = {.status = GAL_OK};
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            if (bench(device, o, v, argc > 2 ? argv[2] : NULL, &error) != GAL_OK) {
                fprintf(stderr, "%s: %s\n", operators[o].name, error.message);
                return 1;
            }
        }
    }
    return 0;
}
