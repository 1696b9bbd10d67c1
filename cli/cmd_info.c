/* gallop info: what a model file holds and what running it takes. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "commands.h"
#include "json.h"
#include "model_file.h"
#include "network/network.h"
#include "network/sparse.h"
#include "options.h"
#include "precision_option.h"

enum { CAPACITIES = 3, PLAN_MOST = 8192 };

static const uint32_t capacities[CAPACITIES] = {1, 8, 64};

typedef struct facts {
    gali_precision_option precision;
    gal_network_desc desc;
    const char *path;
    gali_model_file file;
    gal_controller *controller; /* NULL if the file has no contract */
    gal_network *own_network;   /* opened alone then */
    const gal_network *opened;  /* the controller's or our own */
    gal_network_info network;
    size_t workspace[CAPACITIES];
    size_t crowd[CAPACITIES]; /* 0 if it cannot walk */
    int walks;
    gal_error why_not;
} facts;

static const char *const role_names[GALI_GAIT_ROLE_COUNT] = {"none", "stand", "walk", "run", "crouch", "jump"};
static const char *const activation_names[GALI_ACTIVATION_COUNT] = {
#define ACTIVATION(id, name, onnx, formula) #name,
#include "kernels/activations.def"
#undef ACTIVATION
};
static const char *const weight_names[GALI_WEIGHT_TYPE_COUNT] = {"float32", "float16", "bfloat16", "int8",
                                                                 "int16"};

static const char *const block_names[GALI_BLOCK_KIND_COUNT] = {
#define BLOCK(id, name, side, argument, features) [GALI_BLOCK_##id] = name,
#include "contract/blocks.def"
#undef BLOCK
};

static gal_status open_parts(facts *self, gal_error *error) {
    gal_status status = gali_model_file_open(&self->file, self->path, error);
    if (status != GAL_OK) {
        return status;
    }
    const gal_network *network = NULL;
    if (self->file.contract) {
        status = gal_controller_open_memory(&self->controller, self->file.bytes, self->file.size, &self->desc,
                                            error);
        network = status == GAL_OK ? gal_controller_network(self->controller) : NULL;
    } else {
        status =
            gal_network_open_memory(&self->own_network, self->file.bytes, self->file.size, &self->desc, error);
        network = self->own_network;
    }
    if (status != GAL_OK) {
        return status;
    }
    self->opened = network;
    self->network = gal_network_get_info(network);
    self->walks = self->file.contract &&
                  gali_contract_complete(self->file.contract, self->file.model.gate, &self->why_not) == GAL_OK;
    for (uint32_t i = 0; i < CAPACITIES; i++) {
        gal_crowd_desc desc = {.controller = self->controller, .capacity = capacities[i]};
        self->workspace[i] = gal_network_workspace_size(network, capacities[i]);
        self->crowd[i] = self->walks ? gal_crowd_size(&desc) : 0;
    }
    return GAL_OK;
}

static void close_parts(facts *self) {
    gal_controller_close(self->controller);
    gal_network_close(self->own_network);
    gali_model_file_close(&self->file);
}

/* "trajectory.gait walk", "contact LeftToe", ... as in the contract. */
static void block_label(const gali_contract *contract, const gali_block *block, char *text, size_t size) {
    const char *name = block_names[block->kind];
    switch (block->kind) {
    case GALI_BLOCK_TRAJECTORY_GAIT:
        snprintf(text, size, "%s %s", name, contract->gaits[block->index].name);
        break;
    case GALI_BLOCK_CONTACT:
        snprintf(text, size, "%s %s", name, contract->joints[block->index].name);
        break;
    case GALI_BLOCK_TRAJECTORY_HEIGHT:
    case GALI_BLOCK_CONSTANT:
        snprintf(text, size, "%s %g", name, (double)block->value);
        break;
    case GALI_BLOCK_MEMORY_IN:
    case GALI_BLOCK_MEMORY_OUT:
    case GALI_BLOCK_OPAQUE_IN:
    case GALI_BLOCK_OPAQUE_OUT:
        snprintf(text, size, "%s %s", name, block->name);
        break;
    default:
        snprintf(text, size, "%s", name);
    }
}

/* Inputs of the block that the network really uses. */
static uint32_t live_inputs(const gali_model *model, const gali_block *block) {
    uint32_t live = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        live += gali_model_u32(model->input_state, block->offset + i) == GALI_INPUT_LIVE;
    }
    return live;
}

/* Multiply-adds of one character in one step, each layer expert by expert; layers without panels have none to speak of. */
static double step_work(const facts *self) {
    double work = 0;
    for (uint32_t i = 0; i < self->opened->layer_count; i++) {
        const gali_packed_layer *layer = &self->opened->layers[i];
        if (layer->sparse) {
            work += (double)gali_pack_parameters(layer, self->opened->kernels); /* and the biases */
        } else if (gali_layer_has_panels(layer->kind)) {
            work += (double)layer->inputs * layer->outputs * layer->experts;
        }
    }
    return work;
}

static void print_blocks(const facts *self) {
    const gali_contract *contract = self->file.contract;
    char label[2 * GALI_NAME_MAX + 32];
    printf("\ninput (%u features, %u live)\n", contract->inputs, self->network.live_inputs);
    for (uint32_t i = 0; i < contract->input_block_count; i++) {
        const gali_block *block = &contract->input_blocks[i];
        uint32_t live = live_inputs(&self->file.model, block);
        block_label(contract, block, label, sizeof label);
        printf("  %5u  %-32s %4u", block->offset, label, block->count);
        printf(live == block->count ? "\n" : "  (%u live)\n", live);
    }
    printf("\noutput (%u features)\n", contract->outputs);
    for (uint32_t i = 0; i < contract->output_block_count; i++) {
        const gali_block *block = &contract->output_blocks[i];
        block_label(contract, block, label, sizeof label);
        printf("  %5u  %-32s %4u\n", block->offset, label, block->count);
    }
}

static void print_skeleton(const gali_contract *contract) {
    printf("\nskeleton (%u joints, rest height %.4g units)\n", contract->joint_count,
           (double)gali_model_file_height(contract));
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        const gali_joint *joint = &contract->joints[i];
        printf("  %3u  %-28s %-28s %9.3f %9.3f %9.3f\n", i, joint->name,
               joint->parent < 0 ? "-" : contract->joints[joint->parent].name, (double)joint->rest.position.x,
               (double)joint->rest.position.y, (double)joint->rest.position.z);
    }
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        const gali_leg *leg = &contract->legs[i];
        printf("  leg  %s %s %s %s\n", contract->joints[leg->hip].name, contract->joints[leg->knee].name,
               contract->joints[leg->heel].name, contract->joints[leg->toe].name);
    }
}

static void print_rules(const gali_contract *contract) {
    int any = 0;
#define RULE(rule, value, least, most, meaning)                                                                \
    if (contract->rules.rule != (float)(value)) {                                                              \
        printf("%s  %-34s %g\n", any++ ? "" : "\nrules that differ from the defaults\n", #rule,                \
               (double)contract->rules.rule);                                                                  \
    }
#include "contract/rules.def"
#undef RULE
}

static void print_contract(const facts *self) {
    const gali_contract *contract = self->file.contract;
    if (!contract) {
        printf("contract     none: the network runs alone\n");
        return;
    }
    if (gali_model_file_is_bare(&self->file)) {
        printf("contract     %s: a bare network: its features are opaque, no crowd can use it\n",
               contract->name);
        return;
    }
    printf("contract     %s: %g Hz, unit %g m, %u joints, %u legs, %u contacts\n", contract->name,
           (double)contract->rate, (double)contract->unit, contract->joint_count, contract->leg_count,
           contract->contact_count);
    printf("             trajectory of %u + %u frames, %u samples, %u predicted; gaits", contract->past,
           contract->future, contract->sample_count, contract->future_count);
    for (uint32_t i = 0; i < contract->gait_count; i++) {
        printf(" %s (%s)", contract->gaits[i].name, role_names[contract->gaits[i].role]);
    }
    gal_controller_info info = gal_controller_get_info(self->controller);
    float unit = contract->unit;
    printf("\n             walks at %.2f m/s, runs at %.2f m/s; %s, %s\n", (double)(info.speed_walk * unit),
           (double)(info.speed_run * unit), info.can_crouch ? "crouches" : "cannot crouch",
           info.can_jump ? "jumps" : "cannot jump");
    printf("can walk     %s%s\n", self->walks ? "yes" : "no: ", self->walks ? "" : self->why_not.message);
}

static void print_memory(const facts *self) {
    printf("memory       %.2f MB network (weights held once), file %.2f MB\n",
           (double)self->network.memory / 1e6, (double)self->file.size / 1e6);
    printf("workspace   ");
    for (uint32_t i = 0; i < CAPACITIES; i++) {
        printf(" %zu bytes for %u%s", self->workspace[i], capacities[i],
               i + 1 < CAPACITIES ? "," : " characters\n");
    }
    if (self->walks) {
        printf("crowd       ");
        for (uint32_t i = 0; i < CAPACITIES; i++) {
            printf(" %zu bytes for %u%s", self->crowd[i], capacities[i],
                   i + 1 < CAPACITIES ? "," : " characters (workspace included)\n");
        }
    }
}

static void print_plan(const facts *self) {
    printf("\nplan\n");
    char text[PLAN_MOST];
    gal_network_plan_text(self->opened, text, sizeof text);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* The part of a sparse layer's patches that is there. */
static double patches_share(const gali_model_layer *layer) {
    return (double)layer->patches / ((double)gali_sparse_rows(layer) * gali_sparse_columns(layer));
}

/* What each layer makes, with its kind where it is not dense. */
static void print_layers(const gali_model_layer *layers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const gali_layer_kind kind = layers[i].kind;
        printf(kind == GALI_LAYER_DENSE ? " -> %u" : " -> %u (%s", layers[i].outputs,
               gali_layer_ops_of(kind)->name);
        if (kind == GALI_LAYER_SPARSE) {
            printf(", %.0f %% there", 100 * patches_share(&layers[i]));
        }
        printf(kind == GALI_LAYER_DENSE ? "" : ")");
    }
}

static void print_gate(const gali_model *model) {
    printf("gate         %s, %u experts", gali_model_file_gate_name(model->gate), model->experts);
    if (model->gate == GAL_GATE_NETWORK) {
        printf(": %u features", model->gating.input_count);
        print_layers(model->gating.layers, model->gating.layer_count);
        if (model->gating.top > 0) {
            printf(", the %u largest kept", model->gating.top);
        }
    }
    putchar('\n');
}

static void print_text(const facts *self, int plan) {
    const gali_model *model = &self->file.model;
    printf("model        %s\n", self->path);
    print_contract(self);
    printf("network      %u", model->inputs);
    print_layers(model->layers, model->layer_count);
    printf(", weights %s in the file\n", weight_names[model->layers[0].weight_type]);
    print_gate(model);
    printf("inputs       %u live of %u; %u constant or masked ones folded away\n", self->network.live_inputs,
           model->inputs, model->inputs - self->network.live_inputs);
    printf("parameters   %llu\n", (unsigned long long)self->network.parameters);
    printf("work         %.3f M multiply-adds a character and step\n", 1e-6 * step_work(self));
    print_memory(self);
    printf("kernels      %s, in %s\n", gal_isa_name(self->network.isa),
           gal_precision_name(self->network.precision));
    printf("golden       %u frames, tolerance %g\n", model->golden.frames, (double)model->golden.tolerance);
    if (plan) {
        print_plan(self);
    }
    if (self->file.contract) {
        print_blocks(self);
    }
    if (self->file.contract && !gali_model_file_is_bare(&self->file)) {
        print_skeleton(self->file.contract);
        print_rules(self->file.contract);
    }
    if (model->provenance_size > 0) {
        printf("\nprovenance\n%.*s\n", (int)model->provenance_size, model->provenance);
    }
}

static void json_blocks(gali_json *json, const facts *self, const char *key, const gali_block *blocks,
                        uint32_t count, int input) {
    char label[2 * GALI_NAME_MAX + 32];
    gali_json_open(json, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        block_label(self->file.contract, &blocks[i], label, sizeof label);
        gali_json_open(json, NULL, '{');
        gali_json_text(json, "block", label);
        gali_json_number(json, "offset", blocks[i].offset);
        gali_json_number(json, "count", blocks[i].count);
        if (input) {
            gali_json_number(json, "live", live_inputs(&self->file.model, &blocks[i]));
        }
        gali_json_close(json, '}');
    }
    gali_json_close(json, ']');
}

static void json_joints(gali_json *json, const gali_contract *contract) {
    gali_json_open(json, "joints", '[');
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        const gali_joint *joint = &contract->joints[i];
        gali_json_open(json, NULL, '{');
        gali_json_text(json, "name", joint->name);
        gali_json_number(json, "parent", joint->parent);
        gali_json_open(json, "rest", '[');
        gali_json_number(json, NULL, (double)joint->rest.position.x);
        gali_json_number(json, NULL, (double)joint->rest.position.y);
        gali_json_number(json, NULL, (double)joint->rest.position.z);
        gali_json_close(json, ']');
        gali_json_close(json, '}');
    }
    gali_json_close(json, ']');
}

static void json_contract(gali_json *json, const facts *self) {
    const gali_contract *contract = self->file.contract;
    gali_json_open(json, "contract", '{');
    gali_json_text(json, "name", contract->name);
    gali_json_number(json, "rate", (double)contract->rate);
    gali_json_number(json, "unit", (double)contract->unit);
    gali_json_bool(json, "can_walk", self->walks);
    if (self->controller) {
        const gal_controller_info info = gal_controller_get_info(self->controller);
        gali_json_bool(json, "can_crouch", info.can_crouch);
        gali_json_bool(json, "can_jump", info.can_jump);
    }
    gali_json_open(json, "gaits", '{');
    for (uint32_t i = 0; i < contract->gait_count; i++) {
        gali_json_text(json, contract->gaits[i].name, role_names[contract->gaits[i].role]);
    }
    gali_json_close(json, '}');
    json_joints(json, contract);
    json_blocks(json, self, "input", contract->input_blocks, contract->input_block_count, 1);
    json_blocks(json, self, "output", contract->output_blocks, contract->output_block_count, 0);
    gali_json_open(json, "rules", '{');
#define RULE(rule, value, least, most, meaning) gali_json_number(json, #rule, (double)contract->rules.rule);
#include "contract/rules.def"
#undef RULE
    gali_json_close(json, '}');
    gali_json_close(json, '}');
}

/* [value, first, count] of each; nothing for a layer that reads the value before it. */
static void json_sources(gali_json *json, const gali_model_layer *layer) {
    if (layer->source_count == 0) {
        return;
    }
    gali_json_open(json, "sources", '[');
    for (uint32_t i = 0; i < layer->source_count; i++) {
        gali_source source = gali_model_source(layer, i);
        gali_json_open(json, NULL, '[');
        gali_json_number(json, NULL, source.value);
        gali_json_number(json, NULL, source.first);
        gali_json_number(json, NULL, source.count);
        gali_json_close(json, ']');
    }
    gali_json_close(json, ']');
}

static void json_layers(gali_json *json, const gali_model *model) {
    gali_json_open(json, "layers", '[');
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const gali_model_layer *layer = &model->layers[i];
        gali_json_open(json, NULL, '{');
        gali_json_text(json, "kind", gali_layer_ops_of(layer->kind)->name);
        gali_json_number(json, "inputs", layer->inputs);
        gali_json_number(json, "outputs", layer->outputs);
        gali_json_number(json, "experts", layer->experts);
        if (layer->kind == GALI_LAYER_SPARSE) {
            gali_json_number(json, "patches", patches_share(layer));
        }
        gali_json_text(json, "activation", activation_names[layer->activation]);
        gali_json_text(json, "weights",
                       gali_layer_columns(layer->kind, layer->inputs) ? weight_names[layer->weight_type]
                                                                      : "none");
        json_sources(json, layer);
        gali_json_close(json, '}');
    }
    gali_json_close(json, ']');
}

static void json_sizes(gali_json *json, const char *key, const size_t *sizes) {
    char count[16];
    gali_json_open(json, key, '{');
    for (uint32_t i = 0; i < CAPACITIES; i++) {
        snprintf(count, sizeof count, "%u", capacities[i]);
        gali_json_number(json, count, (double)sizes[i]);
    }
    gali_json_close(json, '}');
}

static void print_json(const facts *self) {
    const gali_model *model = &self->file.model;
    gali_json json = {.out = stdout, .flat = 3};
    gali_json_open(&json, NULL, '{');
    gali_json_text(&json, "model", self->path);
    gali_json_number(&json, "inputs", model->inputs);
    gali_json_number(&json, "live_inputs", self->network.live_inputs);
    gali_json_number(&json, "outputs", model->outputs);
    gali_json_text(&json, "gate", gali_model_file_gate_name(model->gate));
    gali_json_number(&json, "experts", model->experts);
    json_layers(&json, model);
    gali_json_number(&json, "parameters", (double)self->network.parameters);
    gali_json_number(&json, "multiply_adds", step_work(self));
    gali_json_number(&json, "memory", (double)self->network.memory);
    gali_json_number(&json, "file_size", (double)self->file.size);
    json_sizes(&json, "workspace", self->workspace);
    if (self->walks) {
        json_sizes(&json, "crowd", self->crowd);
    }
    gali_json_text(&json, "kernels", gal_isa_name(self->network.isa));
    gali_json_text(&json, "precision", gal_precision_name(self->network.precision));
    gali_json_number(&json, "golden_frames", model->golden.frames);
    gali_json_number(&json, "golden_tolerance", (double)model->golden.tolerance);
    if (self->file.contract) {
        json_contract(&json, self);
    }
    if (model->provenance_size > 0) {
        gali_json_text_n(&json, "provenance", model->provenance, model->provenance_size);
    }
    gali_json_close(&json, '}');
}

static int run(int argc, char **argv) {
    facts self = {0};
    int as_json = 0, plan = 0;
    gal_error error = {0};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        {"--json", GALI_OPTION_FLAG, &as_json, 0, 0},
        {"--plan", GALI_OPTION_FLAG, &plan, 0, 0},
        GALI_PRECISION_TABLE(self.precision),
    };
    int result = gali_options_read("info", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = gali_precision_option_read(&self.precision, "info", &self.desc);
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (open_parts(&self, &error) != GAL_OK) {
        close_parts(&self);
        return gali_command_bad("info", "%s", error.message);
    }
    if (as_json) {
        print_json(&self);
    } else {
        print_text(&self, plan);
    }
    close_parts(&self);
    return GALI_EXIT_OK;
}

const gali_command gali_command_info = {
    "info", "what a model file holds and what running it takes",
    "usage: gallop info MODEL [--json] [--plan] " GALI_PRECISION_USAGE "\n\n"
    "Prints the contract, the network, memory, workspace, features, "
    "skeleton and provenance of a model file.\n\n"
    "  --json               the same for programs\n"
    "  --plan               also how each layer is run\n" GALI_PRECISION_HELP,
    run};
