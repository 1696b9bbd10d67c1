/*
 * Prints a hash of the outputs of a set of networks, one line each, for the instruction set in use. The lines
 * are the same on every instruction set, compiler and optimisation level: golden.txt. The instruction set goes to
 * standard error. No test library, so that it runs anywhere the runtime does (./run platform aarch64 runs it under
 * qemu for AArch64).
 */
#include "cpu/cpu.h"
#include "graph.h"

static const synthetic_desc networks[] = {
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {342, 512, 512, 311},
     .normalised = 1,
     .masked = 5,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 11},
    {.gate = GAL_GATE_CUBIC,
     .experts = 4,
     .layers = 3,
     .width = {231, 256, 256, 308},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 12},
    {.gate = GAL_GATE_LINEAR,
     .experts = 10,
     .layers = 3,
     .width = {61, 67, 71, 73},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
     .seed = 13},
    {.gate = GAL_GATE_CONSTANT,
     .experts = 50,
     .layers = 2,
     .width = {33, 31, 29},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 14},
    {.gate = GAL_GATE_CALLER,
     .experts = 8,
     .layers = 3,
     .width = {137, 128, 127, 85},
     .plain = {0, 1, 0},
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .normalised = 1,
     .constant = 9,
     .seed = 15},
    {.gate = GAL_GATE_NETWORK,
     .experts = 8,
     .layers = 3,
     .width = {137, 256, 256, 85},
     .normalised = 1,
     .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
     .seed = 16},
};
enum { NETWORKS = sizeof networks / sizeof networks[0], COUNT = 11 };

/* FNV-1a over the bytes of the floats, low byte first. */
static uint64_t hash_of(const float *values, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++) {
            hash = (hash ^ (bits >> (8 * byte) & 255u)) * 0x100000001b3u;
        }
    }
    return hash;
}

static void fill(float *values, size_t count, uint64_t *state, float scale) {
    for (size_t i = 0; i < count; i++) {
        values[i] = scale * synthetic_uniform(state);
    }
}

static int print_hash(const synthetic_desc *desc, const char *what, gal_network_desc open) {
    synthetic s = synthetic_make(desc);
    gal_network *network = synthetic_open_desc(&s, open);
    uint64_t state = desc->seed * 1000;
    uint32_t inputs = desc->width[0], outputs = desc->width[desc->layers];
    uint32_t width = desc->gate == GAL_GATE_CALLER ? desc->experts : 1;
    float *x = malloc((size_t)COUNT * inputs * sizeof *x), *y = malloc((size_t)COUNT * outputs * sizeof *y);
    float gate[COUNT * 8];
    fill(x, (size_t)COUNT * inputs, &state, 2);
    fill(gate, (size_t)COUNT * width, &state, width == 1 ? 10 : 1);
    gal_status status = synthetic_run(network, COUNT, x, gate, y, NULL);
    printf("%s %llu: %016llx\n", what, (unsigned long long)desc->seed,
           (unsigned long long)hash_of(y, (size_t)COUNT * outputs));
    free(x);
    free(y);
    gal_network_close(network);
    synthetic_free(&s);
    return status == GAL_OK;
}

/* One hash of networks that end in a layer of this kind, with every activation. */
static int print_kind(gali_layer_kind kind) {
    uint64_t hash = 0, state = 99;
    int good = 1;
    for (int activation = 0; activation < GALI_ACTIVATION_COUNT; activation++) {
        graph_desc desc = {GAL_GATE_NETWORK, 5, 31, 5, (int)kind, activation, 10 * kind + (uint64_t)activation};
        graph *g = graph_make(&desc);
        gal_network *network = synthetic_open_desc(&g->s, (gal_network_desc){0});
        size_t outputs = (size_t)COUNT * g->s.model.outputs;
        float x[COUNT * 31], *y = malloc(outputs * sizeof *y);
        fill(x, COUNT * 31, &state, 2);
        good &= synthetic_run(network, COUNT, x, NULL, y, NULL) == GAL_OK;
        hash = 3 * hash + hash_of(y, outputs);
        free(y);
        gal_network_close(network);
        graph_free(g);
    }
    printf("%s: %016llx\n", gali_layer_ops_of(kind)->name, (unsigned long long)hash);
    return good;
}

/* Some networks in a precision; its name is as plans have it. */
static int print_precision(const char *what, gal_precision precision, uint32_t block) {
    static const uint32_t some[] = {2, 4, 5};
    int good = 1;
    for (uint32_t i = 0; i < 3; i++) {
        good &=
            print_hash(&networks[some[i]], what, (gal_network_desc){.precision = precision, .block = block});
    }
    return good;
}

int main(void) {
    gal_isa isa;
    int good = gali_cpu_choose(GAL_ISA_BEST, &isa, NULL) == GAL_OK;
    if (good) {
        fprintf(stderr, "by %s\n", gal_isa_name(isa));
    }
    for (uint32_t i = 0; i < NETWORKS; i++) {
        good &= print_hash(&networks[i], "network", (gal_network_desc){.form = GAL_FORM_PER_EXPERT});
    }
    for (uint32_t i = 0; i < NETWORKS; i++) {
        good &= print_hash(&networks[i], "blend", (gal_network_desc){.form = GAL_FORM_BLEND});
    }
    good &= print_precision("fp16", GAL_PRECISION_FP16, 0);
    good &= print_precision("bf16", GAL_PRECISION_BF16, 0);
    good &= print_precision("bf16-dot", GAL_PRECISION_BF16_DOT, 0);
    good &= print_precision("int16 block 96", GAL_PRECISION_INT16, 0);
    good &= print_precision("int8 block 32", GAL_PRECISION_INT8, 32);
    good &= print_precision("int8-dot block 32", GAL_PRECISION_INT8_DOT, 32);
    good &= print_precision("int8 row", GAL_PRECISION_INT8, GAL_BLOCK_ROW);
    for (int kind = 0; kind < GALI_LAYER_KIND_COUNT; kind++) {
        good &= print_kind((gali_layer_kind)kind);
    }
    return good ? 0 : 1;
}
