/*
 * Writes the inputs that fuzzing starts from, below a folder: model/, contract/, pfnn_folder/, snapshot/ and record/ in it.
 * The test fuzz/seeds writes them again and compares: a reader refuses what an earlier build wrote, and would be fuzzed from
 * nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "contract/contract.h"
#include "contract/good_contract.h"
#include "gallop/crowd.h"
#include "gallop/record.h"
#include "model/tiny_model.h"
#include "network/quantise_model.h"
#include "sparse.h"

static int put(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[4096];
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (gali_file_write(path, bytes, size, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    return 1;
}

static int put_model(const char *folder, const char *name, const gali_model *model) {
    image file = image_of(model);
    int written = put(folder, name, file.bytes, file.size);
    free(file.bytes);
    return written;
}

/* In fewer bits: the same precision and block in every layer, whose 3 inputs leave a block's tail empty. */
static int put_quantised(const char *folder, const char *name, const gali_model *model,
                         gali_precision precision) {
    const size_t size = gali_quantise_model_size(model, precision, GALI_QUANTISE_ALL);
    unsigned char *bytes = malloc(size + 1);
    const int written = size && bytes &&
                        gali_quantise_model(model, precision, GALI_QUANTISE_ALL, bytes, NULL) == GAL_OK &&
                        put(folder, name, bytes, size);
    free(bytes);
    return written;
}

/* Two sparse layers, of float32 and of integers. */
static int put_sparse(const char *folder) {
    static const synthetic_desc desc = {
        .gate = GAL_GATE_LINEAR, .experts = 2, .layers = 2, .width = {19, 18, 5}, .masked = 5, .seed = 6};
    synthetic s = synthetic_make(&desc);
    uint64_t state = 1;
    for (uint32_t i = 0; i < desc.layers; i++) {
        sparse_make(&s, &s.model.layers[i], 128, &state);
    }
    const int written =
        put_model(folder, "model/sparse", &s.model) &
        put_quantised(folder, "model/sparse_int8", &s.model, (gali_precision){GAL_PRECISION_INT8, 16});
    synthetic_free(&s);
    return written;
}

static int put_models(const char *folder) {
    tiny t;
    tiny_make(&t);
    int written = put_model(folder, "model/tiny", &t.model);
    written &= put_quantised(folder, "model/int8", &t.model, (gali_precision){GAL_PRECISION_INT8, 32});
    written &= put_quantised(folder, "model/int16", &t.model, (gali_precision){GAL_PRECISION_INT16, 64});
    written &= put_sparse(folder);
    t.model.gate = GAL_GATE_LINEAR;
    t.model.contract = NULL;
    written &= put_model(folder, "model/linear", &t.model);
    t.model.gate = GAL_GATE_CONSTANT;
    t.model.provenance = NULL;
    written &= put_model(folder, "model/constant", &t.model);
    t.model.gate = GAL_GATE_CALLER;
    t.model.golden = (gali_golden){0};
    written &= put_model(folder, "model/caller", &t.model);
    tiny_make(&t);
    tiny_gate(&t);
    return written & put_model(folder, "model/network", &t.model);
}

/* The good contract without the line that keeps it from walking. */
static size_t walking_contract(char *text) {
    static const char line[] = "input opaque style 3\n";
    const char *at = strstr(good_contract, line);
    const size_t before = (size_t)(at - good_contract), after = strlen(at + sizeof line - 1);
    memcpy(text, good_contract, before);
    memcpy(text + before, at + sizeof line - 1, after);
    return before + after;
}

/* A layer of random weights, none of whose inputs is left if `dead`; with a contract it can walk. */
static int put_layer(const char *folder, const char *name, gali_precision precision, int dead,
                     const char *contract, size_t contract_size) {
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC, .experts = contract ? 4 : 1, .layers = 1, .width = {1, 4}};
    gali_contract *parsed = NULL;
    if (contract && gali_contract_parse(&parsed, contract, contract_size, NULL, NULL) == GAL_OK) {
        desc.width[0] = parsed->inputs;
        desc.width[1] = parsed->outputs;
        gali_contract_release(parsed, NULL);
    }
    if (!contract) {
        desc.gate = GAL_GATE_CALLER;
    }
    synthetic s = synthetic_make(&desc);
    uint32_t *states = (uint32_t *)(uintptr_t)s.model.input_state;
    for (uint32_t i = 0; i < desc.width[0]; i++) {
        states[i] = dead ? GALI_INPUT_MASKED : GALI_INPUT_LIVE;
    }
    s.model.contract = contract;
    s.model.contract_size = contract_size;
    const int written = put_quantised(folder, name, &s.model, precision);
    synthetic_free(&s);
    return written;
}

static int put_walkers(const char *folder) {
    char walks[sizeof good_contract];
    const size_t size = walking_contract(walks);
    const gali_precision int8 = {GAL_PRECISION_INT8, 32}, int16 = {GAL_PRECISION_INT16, 96};
    return put_layer(folder, "model/dead", int8, 1, NULL, 0) &
           put_layer(folder, "model/dead_int16", int16, 1, NULL, 0) &
           put_layer(folder, "model/walks", int8, 0, walks, size) &
           put_layer(folder, "model/walks_dead", int8, 1, walks, size) &
           put_layer(folder, "model/walks_hinged", int16, 0, hinged_contract, sizeof hinged_contract - 1) &
           put(folder, "contract/walks", walks, size);
}

static int put_contracts(const char *folder) {
    static const char small[] =
        "gallop-contract 1\nname n\nrate 60\nunit 1\njoint a - 0 0 0\ninput constant 1 1\n"
        "output joint.rotation sixd # comment\noutput opaque left 2\n";
    return put(folder, "contract/good", good_contract, sizeof good_contract - 1) &
           put(folder, "contract/hinged", hinged_contract, sizeof hinged_contract - 1) &
           put(folder, "contract/small", small, sizeof small - 1);
}

/* Heads as fuzz_pfnn_folder.c explains them, then numbers. */
static int put_folders(const char *folder) {
    static const struct {
        const char *name;
        unsigned char head[22];
    } seeds[] = {
        {"pfnn_folder/cubic", {3, 2, 2, 3, 1}},
        {"pfnn_folder/samples", {3, 2, 2, 3, 4 + 1, 0, 0, 12, 25, 37}},
        {"pfnn_folder/linear", {3, 2, 2, 3, 2, 10}},
        {"pfnn_folder/constant", {3, 2, 2, 3, 3}},
        {"pfnn_folder/half", {3, 2, 2, 3, 8 + 1}},
        {"pfnn_folder/published", {0, 0, 0, 0, 32 + 16 + 2, 2}},
        {"pfnn_folder/skeleton", {0, 0, 0, 0, 128 + 32 + 16 + 2, 2}},
        {"pfnn_folder/raw", {0, 0, 0, 0, 64 + 2, 2}},
    };
    int written = 1;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        unsigned char bytes[22 + 64];
        memcpy(bytes, seeds[i].head, 22);
        for (size_t b = 0; b < 64; b++) {
            bytes[22 + b] = (unsigned char)(97 * b + 31 * i);
        }
        written &= put(folder, seeds[i].name, bytes, sizeof bytes);
    }
    return written;
}

/* One walker, two of whom one runs and has had a predecessor in its place, and those between two evaluations. */
static int put_snapshots(const char *folder) {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
    static unsigned char bytes[1 << 16];
    size_t size;
    int written = 1;
    if (gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/walker.gallop", NULL, NULL) != GAL_OK) {
        return 0;
    }
    if (gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = 2}, NULL) == GAL_OK) {
        gal_crowd_add(crowd, NULL, &who);
        written &= gal_crowd_save(crowd, bytes, sizeof bytes, &size) == GAL_OK &&
                   put(folder, "snapshot/one", bytes, size);
        gal_crowd_remove(crowd, who);
        gal_crowd_add(crowd, NULL, &who);
        gal_crowd_add(crowd, &(gal_spawn){.x = 100, .phase = 1}, &who);
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1, .run = 1});
        gal_crowd_advance(crowd, 0.04f, 0, NULL);
        written &= gal_crowd_save(crowd, bytes, sizeof bytes, &size) == GAL_OK &&
                   put(folder, "snapshot/two", bytes, size);
        gal_crowd_set_pace(crowd, who, &(gal_pace){.frames = 8});
        gal_crowd_advance(crowd, 0.04f, 0, NULL);
        written &= gal_crowd_save(crowd, bytes, sizeof bytes, &size) == GAL_OK &&
                   put(folder, "snapshot/between", bytes, size);
        gal_crowd_destroy(crowd);
    }
    gal_controller_close(controller);
    return written;
}

/* Takes a recording as it comes. */
typedef struct recording {
    unsigned char bytes[1 << 16];
    size_t size;
} recording;

static void take(void *context, const void *data, size_t size) {
    recording *r = context;
    if (size <= sizeof r->bytes - r->size) {
        memcpy(r->bytes + r->size, data, size);
        r->size += size;
    }
}

/* Every call that a recording has; no more steps than fuzz_record.c plays. */
static int put_recordings(const char *folder) {
    static recording r;
    static unsigned char bytes[1 << 16];
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who, other;
    size_t size;
    int written = 0;
    if (gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/walker-small.gallop", NULL, NULL) !=
        GAL_OK) {
        return 0;
    }
    if (gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = 2}, NULL) == GAL_OK) {
        gal_crowd_add(crowd, NULL, &who);
        gal_crowd_record(crowd, take, &r, NULL);
        gal_crowd_set_budget(crowd, &(gal_budget){.microseconds = 5});
        gal_crowd_add(crowd, &(gal_spawn){.x = 100, .phase = 1}, &other);
        gal_crowd_set_priority(crowd, other, 0.1f);
        gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1, .run = 1, .jump = 1});
        gal_crowd_step(crowd);
        gal_crowd_set_pace(crowd, other, &(gal_pace){.frames = 4});
        gal_crowd_set_foot_lock(crowd, who, 0);
        gal_crowd_step(crowd);
        gal_crowd_teleport(crowd, who, -30, 20, 1);
        gal_crowd_step(crowd);
        if (gal_crowd_save(crowd, bytes, sizeof bytes, &size) == GAL_OK) {
            gal_crowd_remove(crowd, other);
            gal_crowd_step(crowd);
            gal_crowd_restore(crowd, bytes, size, NULL);
            gal_crowd_step(crowd);
            written = put(folder, "record/calls", r.bytes, r.size);
        }
        gal_crowd_destroy(crowd);
    }
    gal_controller_close(controller);
    return written;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    return !(put_models(argv[1]) & put_walkers(argv[1]) & put_contracts(argv[1]) & put_folders(argv[1]) &
             put_snapshots(argv[1]) & put_recordings(argv[1]));
}
