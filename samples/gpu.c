/*
 * Ten thousand walkers on a GPU: the crowd's features and poses are made here, its network runs there, all characters at a
 * time. Without a device, or after one has failed, the same crowd goes on here.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gallop/gpu.h>

enum { WALKERS = 10000, FRAMES = 3 * 60 };

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    void *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)length, file);
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

/* The group's network goes to device 0. memory is the crowd's for as long as it runs there. */
static gal_gpu *move_to_gpu(gal_crowd *crowd, const void *model, size_t size, void **memory) {
    gal_gpu *gpu;
    gal_error error = {0};
    size_t need = (gal_crowd_runner_size(crowd, 0) + 63) / 64 * 64;
    if (gal_gpu_open(&gpu, model, size, &(gal_gpu_desc){.capacity = WALKERS}, &error) != GAL_OK) {
        printf("not on a GPU: %s\n", error.message);
        return NULL;
    }
    const gal_network_runner runner = gal_gpu_runner(gpu);
    *memory = malloc(need + 63); /* not aligned_alloc, which Windows does not have */
    void *aligned = (void *)(((uintptr_t)*memory + 63) / 64 * 64);
    if (gal_crowd_set_runner(crowd, 0, &runner, aligned, need, &error) != GAL_OK) {
        printf("not on a GPU: %s\n", error.message);
    }
    printf("%s: %u kernels, %zu MB\n", gal_gpu_get_info(gpu).name, gal_gpu_get_info(gpu).kernels,
           gal_gpu_get_info(gpu).memory >> 20);
    return gpu;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    gal_crowd *crowd;
    size_t size = 0;
    void *memory = NULL, *model = read_file(argc > 1 ? argv[1] : "models/walker.gallop", &size);
    int walkers = argc > 2 ? atoi(argv[2]) : WALKERS, frames = argc > 3 ? atoi(argv[3]) : FRAMES;
    if (!model || gal_controller_open_memory(&controller, model, size, NULL, &error) != GAL_OK ||
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = (uint32_t)walkers},
                         &error) != GAL_OK) {
        fprintf(stderr, "%s\n", model ? error.message : "no model: sample_gpu MODEL [WALKERS [FRAMES]]");
        return 1;
    }
    gal_gpu *gpu = move_to_gpu(crowd, model, size, &memory);
    gal_character last = 0;
    for (int i = 0; i < walkers; i++) {
        gal_spawn spawn = {.x = 150.0f * (float)(i % 100), .z = 150.0f * (float)(i / 100), .phase = (float)i};
        gal_input input = {.move_x = (float)(i % 7) / 7, .move_y = 1, .run = (float)(i % 3) / 2};
        gal_crowd_add(crowd, &spawn, &last);
        gal_crowd_set_input(crowd, last, &input);
    }
    for (int frame = 0; frame < frames; frame++) {
        gal_crowd_step(crowd);
    }
    const gal_transform *pose = gal_crowd_pose(crowd, last, NULL);
    printf("after %d frames the last of %d has its hips at %.2f %.2f %.2f; runner: %s\n", frames, walkers,
           (double)pose[0].position.x, (double)pose[0].position.y, (double)pose[0].position.z,
           gal_status_text(gal_crowd_runner_status(crowd, 0)));
    gal_crowd_destroy(crowd);
    gal_gpu_close(gpu);
    gal_controller_close(controller);
    free(memory);
    free(model);
    return 0;
}
