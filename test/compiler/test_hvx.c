/*
 * Controllers as C with HVX intrinsics against the runtime's int8-dot, bit for bit, under qemu-hexagon. Without arguments: random
 * networks of odd shapes. With a model file and a number of frames: its golden frames, then the judge's scripts for so many frames,
 * every evaluation of which is run again. Skipped where clang-19, ld.lld-19 or qemu-hexagon is missing.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "gallop/compiler.h"
#include "gallop/crowd.h"
#include "judge/judged.h"
#include "motion/controller.h"
#include "synthetic.h"

enum { CHARACTERS_MOST = 16, LINE = 2048 };

static char place[] = "/tmp/gallop_hvx_XXXXXX";
static const char *model_path;
static uint32_t frames;

/* Calls of a network and what the runtime makes of them. */
typedef struct recording {
    gal_network *network;
    gal_network_info info;
    FILE *calls, *truth;
    uint32_t gates; /* numbers of the gate for each character */
    uint32_t characters;
} recording;

static FILE *open_at(const char *name, const char *mode) {
    char path[LINE];
    snprintf(path, sizeof path, "%s/%s", place, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

static recording begin(const void *bytes, size_t size, uint32_t block, uint32_t gates) {
    recording r = {.gates = gates};
    const gal_network_desc desc = {.precision = GAL_PRECISION_INT8_DOT, .block = block};
    gal_error error = {0};
    if (gal_network_open_memory(&r.network, bytes, size, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    r.info = gal_network_get_info(r.network);
    r.calls = open_at("calls", "wb");
    r.truth = open_at("truth", "wb");
    return r;
}

/* Runs the network here and writes down the call, in pieces that the driver takes; strides may be longer than rows. */
static gal_status run_and_record(void *context, const gal_network_batch *batch, gal_error *error) {
    recording *r = context;
    const size_t size = gal_network_workspace_size(r->network, batch->count);
    void *workspace = gali_allocate(NULL, (size + 63) & ~(size_t)63);
    gal_status status = gal_network_run(r->network, batch, workspace, size, error);
    gali_release(NULL, workspace, (size + 63) & ~(size_t)63);
    const size_t x_stride = batch->x_stride ? batch->x_stride : r->info.inputs;
    const size_t y_stride = batch->y_stride ? batch->y_stride : r->info.outputs;
    const float *gate = r->gates == 1 ? batch->phase : r->gates ? batch->blend : batch->x;
    for (uint32_t c = 0; c < batch->count; c += CHARACTERS_MOST) {
        const uint32_t count = batch->count - c < CHARACTERS_MOST ? batch->count - c : CHARACTERS_MOST;
        fwrite(&count, sizeof count, 1, r->calls);
        for (uint32_t i = c; i < c + count; i++) {
            fwrite(batch->x + i * x_stride, sizeof(float), r->info.inputs, r->calls);
            fwrite(batch->y + i * y_stride, sizeof(float), r->info.outputs, r->truth);
        }
        fwrite(gate + (size_t)c * r->gates, sizeof(float), (size_t)count * r->gates, r->calls);
    }
    r->characters += batch->count;
    return status;
}

static void command(const char *format, ...) {
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (system(line) != 0) {
        fail_msg("failed: %s", line);
    }
}

static void spill(const gal_compiled *compiled, gal_compiled_part part, const char *name) {
    size_t size;
    const char *bytes = gal_compiled_bytes(compiled, part, &size);
    FILE *file = open_at(name, "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static void build(const void *bytes, size_t size, uint32_t gates, const char *optimised) {
    static const char *const flags = "--target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 "
                                     "-mhvx-length=128b -std=c11 -ffreestanding "
                                     "-fno-builtin -ffp-contract=off -Wall -Wextra -Werror";
    gal_compiled *compiled;
    gal_error error = {0};
    const gal_compile_desc how = {
        .target = "hexagonv66+hvx", .name = "net", .least = 1, .most = CHARACTERS_MOST};
    if (gal_compile(&compiled, bytes, size, &how, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    spill(compiled, GAL_COMPILED_HEADER, "net.h");
    spill(compiled, GAL_COMPILED_SOURCE, "net.c");
    gal_compiled_free(compiled);
    command("clang-19 %s %s -c %s/net.c -o %s/net.o", flags, optimised, place, place);
    command("clang-19 %s -O1 -DGATE=%u -I%s -I%s/src -c %s/test/compiler/hvx/driver.c -o %s/driver.o", flags,
            gates, place, GALLOP_SOURCE_DIR, GALLOP_SOURCE_DIR, place);
    command("ld.lld-19 -static %s/driver.o %s/net.o -e _start -o %s/net", place, place, place);
}

/* Runs what was recorded, and compares. */
static void replay(recording *r) {
    fclose(r->calls);
    fclose(r->truth);
    command("qemu-hexagon %s/net <%s/calls >%s/out 2>%s/said && cat %s/said", place, place, place, place,
            place);
    FILE *out = open_at("out", "rb"), *truth = open_at("truth", "rb");
    for (uint64_t i = 0; i < (uint64_t)r->characters * r->info.outputs; i++) {
        float got, wanted;
        if (fread(&got, sizeof got, 1, out) != 1 || fread(&wanted, sizeof wanted, 1, truth) != 1) {
            fail_msg("character %u: its outputs are missing", (unsigned)(i / r->info.outputs));
        }
        if (memcmp(&got, &wanted, sizeof got) != 0) {
            fail_msg("character %u, output %u: %a, the runtime's is %a", (unsigned)(i / r->info.outputs),
                     (unsigned)(i % r->info.outputs), (double)got, (double)wanted);
        }
    }
    fclose(out);
    fclose(truth);
    print_message("%u characters have the runtime's bits\n", r->characters);
    gal_network_close(r->network);
}

static const synthetic_desc networks[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 2,
     .width = {45, 70, 107},
     .normalised = 1,
     .masked = 5,
     .activation = {GALI_ACTIVATION_ELU},
     .seed = 31},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 5,
     .layers = 2,
     .width = {131, 33, 1},
     .normalised = 1,
     .constant = 4,
     .activation = {GALI_ACTIVATION_RELU, GALI_ACTIVATION_TANH},
     .seed = 34},
    {.gate = GAL_GATE_CALLER,
     .experts = 3,
     .layers = 3,
     .width = {1, 129, 2, 65},
     .plain = {0, 1, 0},
     .activation = {GALI_ACTIVATION_SILU, GALI_ACTIVATION_LEAKY_RELU},
     .seed = 35},
    {.gate = GAL_GATE_NETWORK,
     .experts = 5,
     .layers = 2,
     .width = {67, 41, 19},
     .normalised = 1,
     .masked = 7,
     .activation = {GALI_ACTIVATION_ELU},
     .seed = 36},
    {.gate = GAL_GATE_NETWORK,
     .experts = 6,
     .top = 2,
     .layers = 2,
     .width = {50, 33, 12},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_SOFTMAX},
     .seed = 37},
};

static void check_network(const synthetic_desc *desc, uint32_t block) {
    synthetic s = synthetic_make(desc);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    uint64_t state = 5;
    const uint32_t gates = desc->gate == GAL_GATE_CALLER    ? desc->experts
                           : desc->gate == GAL_GATE_NETWORK ? 0
                                                            : 1;
    recording r = begin(bytes, size, block, gates);
    float x[CHARACTERS_MOST * 131], gate[CHARACTERS_MOST * 5], y[CHARACTERS_MOST * 107];
    for (uint32_t count = 1; count <= 11; count += 5) {
        for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
            x[i] = 2 * synthetic_uniform(&state);
        }
        for (size_t i = 0; i < sizeof gate / sizeof *gate; i++) {
            gate[i] = 20 * synthetic_uniform(&state);
        }
        const int network = desc->gate == GAL_GATE_NETWORK;
        const gal_network_batch batch = {
            .count = count, .x = x, .y = y, .phase = network ? NULL : gate, .blend = network ? NULL : gate};
        assert_int_equal(run_and_record(&r, &batch, NULL), GAL_OK);
    }
    build(bytes, size, gates, "-O1");
    replay(&r);
    free(bytes);
    synthetic_free(&s);
}

static void test_networks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        check_network(&networks[i], 0);
    }
}

/* The golden frames, one at a time and eleven together. */
static void record_golden(recording *r, const gali_model *model) {
    const uint32_t count = model->golden.frames;
    float *x = malloc(sizeof(float) * count * model->inputs),
          *y = malloc(sizeof(float) * count * model->outputs);
    float *gate = malloc(sizeof(float) * count * r->gates);
    memcpy(x, model->golden.x, sizeof(float) * count * model->inputs);
    memcpy(gate, model->golden.blend, sizeof(float) * count * r->gates);
    for (uint32_t at = 0, next; at < count; at = next) {
        next = at < 4 ? at + 1 : at + 11 < count ? at + 11 : count;
        const gal_network_batch batch = {.count = next - at,
                                         .x = x + (size_t)at * model->inputs,
                                         .y = y,
                                         .phase = gate + (size_t)at * r->gates,
                                         .blend = gate + (size_t)at * r->gates};
        assert_int_equal(run_and_record(r, &batch, NULL), GAL_OK);
    }
    free(x);
    free(y);
    free(gate);
}

/* A character for each of the judge's scripts on a ground that the controller can do, for `frames` frames: each evaluation is
 * recorded. Returns how many scripts there were. */
static uint32_t record_ground(recording *r, gal_controller *controller, gali_judge_ground_kind kind) {
    const gali_contract *contract = controller->contract;
    gali_judge_ground ground = gali_judge_ground_make(kind, contract->unit);
    const gali_judge_script *scripts[GALI_JUDGE_SCRIPTS_MAX];
    gal_character ids[GALI_JUDGE_SCRIPTS_MAX];
    uint32_t count = 0;
    gal_crowd *crowd;
    gal_error error = {0};
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        if (gali_judge_scripts[i].ground == kind && gali_judge_applies(&gali_judge_scripts[i], contract)) {
            scripts[count++] = &gali_judge_scripts[i];
        }
    }
    const gal_crowd_desc desc = {.controller = controller,
                                 .capacity = count,
                                 .ground = kind == GALI_GROUND_FLAT ? NULL : gali_judge_ground_at,
                                 .ground_context = &ground};
    if (!count) {
        return 0;
    }
    assert_int_equal(gal_crowd_create(&crowd, &desc, &error), GAL_OK);
    const size_t size = gal_crowd_runner_size(crowd, 0);
    void *memory = gali_allocate(NULL, size);
    const gal_network_runner runner = {.run = run_and_record, .context = r};
    assert_int_equal(gal_crowd_set_runner(crowd, 0, &runner, memory, size, &error), GAL_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(gal_crowd_add(crowd, NULL, &ids[i]), GAL_OK);
    }
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t i = 0; i < count; i++) {
            const gal_input input = gali_judge_input(scripts[i], (float)frame / contract->rate);
            assert_int_equal(gal_crowd_set_input(crowd, ids[i], &input), GAL_OK);
        }
        gal_crowd_step(crowd);
    }
    assert_int_equal(gal_crowd_runner_status(crowd, 0), GAL_OK);
    gal_crowd_destroy(crowd);
    gali_release(NULL, memory, size);
    return count;
}

static void record_judge(recording *r) {
    gal_controller *controller;
    gal_error error = {0};
    uint32_t scripts = 0;
    if (gal_controller_open(&controller, model_path, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (int kind = 0; kind < GALI_GROUND_KINDS; kind++) {
        scripts += record_ground(r, controller, (gali_judge_ground_kind)kind);
    }
    print_message("%u of the judge's scripts, %u frames each\n", scripts, frames);
    gal_controller_close(controller);
}

static void test_model(void **state) {
    (void)state;
    void *data;
    size_t size;
    gali_model model;
    gal_error error = {0};
    if (gali_file_read(model_path, SIZE_MAX, NULL, &data, &size, &error) != GAL_OK ||
        gali_model_read(&model, data, size, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    recording r = begin(data, size, 0, model.golden.blend_width);
    record_golden(&r, &model);
    record_judge(&r);
    build(data, size, r.gates, "-O2");
    replay(&r);
    gali_release(NULL, data, size);
}

static int have(const char *program) {
    char line[LINE];
    snprintf(line, sizeof line, "command -v %s >/dev/null", program);
    if (system(line) == 0) {
        return 1;
    }
    print_message("skipped: no %s\n", program);
    return 0;
}

static int make_place(void **state) {
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state) {
    (void)state;
    char line[LINE];
    snprintf(line, sizeof line, "rm -r %s", place);
    return system(line);
}

int main(int argc, char **argv) {
    const struct CMUnitTest random[] = {cmocka_unit_test(test_networks)};
    const struct CMUnitTest model[] = {cmocka_unit_test(test_model)};
    if (!have("clang-19") || !have("ld.lld-19") || !have("qemu-hexagon")) {
        return 77;
    }
    if (argc > 2) {
        model_path = argv[1];
        frames = (uint32_t)strtoul(argv[2], NULL, 10);
        return cmocka_run_group_tests(model, make_place, remove_place);
    }
    return cmocka_run_group_tests(random, make_place, remove_place);
}
