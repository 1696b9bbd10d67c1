#include "motion/controller.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "motion/jump.h"
#include "network/network.h"

static int32_t offset_of(const gali_contract *contract, gali_block_kind kind) {
    for (uint32_t i = 0; i < contract->output_block_count; i++) {
        if (contract->output_blocks[i].kind == kind) {
            return (int32_t)contract->output_blocks[i].offset;
        }
    }
    return GALI_OUTPUT_ABSENT;
}

static void find_contacts(const gali_contract *contract, gali_outputs *outputs) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < contract->output_block_count && found < GALI_CONTACTS_MAX; i++) {
        if (contract->output_blocks[i].kind == GALI_BLOCK_CONTACT) {
            outputs->contact[found++] = (int32_t)contract->output_blocks[i].offset;
        }
    }
}

static gali_outputs find_outputs(const gali_contract *contract) {
    gali_outputs outputs = {
        .velocity_x = offset_of(contract, GALI_BLOCK_ROOT_VELOCITY_X),
        .velocity_z = offset_of(contract, GALI_BLOCK_ROOT_VELOCITY_Z),
        .turn = offset_of(contract, GALI_BLOCK_ROOT_TURN),
        .phase = offset_of(contract, GALI_BLOCK_PHASE_ADVANCE),
        .future_position_x = offset_of(contract, GALI_BLOCK_FUTURE_POSITION_X),
        .future_position_z = offset_of(contract, GALI_BLOCK_FUTURE_POSITION_Z),
        .future_direction_x = offset_of(contract, GALI_BLOCK_FUTURE_DIRECTION_X),
        .future_direction_z = offset_of(contract, GALI_BLOCK_FUTURE_DIRECTION_Z),
        .future_velocity_x = offset_of(contract, GALI_BLOCK_FUTURE_VELOCITY_X),
        .future_velocity_z = offset_of(contract, GALI_BLOCK_FUTURE_VELOCITY_Z),
        .hinge_change = offset_of(contract, GALI_BLOCK_HINGE_CHANGE),
        .hinge_velocity = offset_of(contract, GALI_BLOCK_HINGE_VELOCITY_OUT),
        .body_change = offset_of(contract, GALI_BLOCK_BODY_CHANGE),
        .body_rate = offset_of(contract, GALI_BLOCK_BODY_RATE_OUT),
        .leg_phase = offset_of(contract, GALI_BLOCK_LEG_PHASE_OUT),
        .leg_phase_rate = offset_of(contract, GALI_BLOCK_LEG_PHASE_RATE),
        .joint_position = offset_of(contract, GALI_BLOCK_JOINT_POSITION_OUT),
        .joint_velocity = offset_of(contract, GALI_BLOCK_JOINT_VELOCITY_OUT),
        .joint_expmap = offset_of(contract, GALI_BLOCK_JOINT_ROTATION_EXPMAP),
        .joint_sixd = offset_of(contract, GALI_BLOCK_JOINT_ROTATION_SIXD),
    };
    find_contacts(contract, &outputs);
    return outputs;
}

static int32_t contact_of(const gali_contract *contract, uint32_t joint) {
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        if (contract->contact_joints[i] == joint) {
            return (int32_t)i;
        }
    }
    return -1;
}

static void find_legs(gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    for (uint32_t i = 0; i < GALI_CONTACTS_MAX; i++) {
        controller->toe_joint[i] = -1;
    }
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        int32_t toe = contact_of(contract, contract->legs[i].toe);
        controller->leg_contact[i] = toe >= 0 ? toe : contact_of(contract, contract->legs[i].heel);
        if (toe >= 0) {
            controller->toe_joint[toe] = (int32_t)contract->legs[i].toe;
        }
    }
}

static gal_status check_counts(const gali_contract *contract, const gali_model *model, gal_error *error) {
    if (contract->inputs != model->inputs) {
        return gali_fail(error, GAL_BAD_DATA, "CNTR: %u input features, but the network has %u inputs",
                         contract->inputs, model->inputs);
    }
    if (contract->outputs != model->outputs) {
        return gali_fail(error, GAL_BAD_DATA, "CNTR: %u output features, but the network has %u outputs",
                         contract->outputs, model->outputs);
    }
    return GAL_OK;
}

static gal_status make(gal_controller **out, gali_contract *contract, const gali_model *model,
                       const gal_network_desc *desc, gal_error *error) {
    const gal_allocator *allocator = desc ? desc->allocator : NULL;
    gal_status status = check_counts(contract, model, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t row = gali_size_add(model->outputs, GALI_ROW_STEP - 1);
    size_t size = gali_size_add(sizeof(gal_controller), gali_size_mul(row, sizeof(float)));
    gal_controller *controller = gali_allocate(allocator, size);
    if (!controller) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a controller of %zu bytes", size);
    }
    memset(controller, 0, sizeof *controller);
    controller->allocator = allocator ? *allocator : (gal_allocator){0};
    controller->memory = size;
    status = gali_network_make(&controller->network, model, desc, error);
    if (status != GAL_OK) {
        gali_release(allocator, controller, size);
        return status;
    }
    controller->contract = contract;
    controller->outputs = find_outputs(contract);
    controller->layout = gali_layout_make(contract);
    find_legs(controller);
    for (uint32_t n = 0; n < model->outputs; n++) {
        controller->rest[n] = gali_model_f32(model->output_mean, n);
    }
    *out = controller;
    return GAL_OK;
}

gal_status gal_controller_open_memory(gal_controller **out, const void *data, size_t size,
                                      const gal_network_desc *desc, gal_error *error) {
    const gal_allocator *allocator = desc ? desc->allocator : NULL;
    *out = NULL;
    gali_model model;
    gal_status status = gali_model_read(&model, data, size, error);
    if (status != GAL_OK) {
        return status;
    }
    if (!model.contract) {
        return gali_fail(error, GAL_BAD_DATA,
                         "no CNTR section: the file has a network but no controller contract");
    }
    gali_contract *contract;
    status = gali_contract_parse(&contract, model.contract, model.contract_size, allocator, error);
    if (status != GAL_OK) {
        return status;
    }
    status = make(out, contract, &model, desc, error);
    if (status != GAL_OK) {
        gali_contract_release(contract, allocator);
    }
    return status;
}

gal_status gal_controller_open(gal_controller **out, const char *path, const gal_network_desc *desc,
                               gal_error *error) {
    const gal_allocator *allocator = desc ? desc->allocator : NULL;
    *out = NULL;
    void *data;
    size_t size;
    gal_status status = gali_file_read(path, GALI_FILE_MAX, allocator, &data, &size, error);
    if (status == GAL_OK) {
        gal_error inner = {0};
        status = gal_controller_open_memory(out, data, size, desc, &inner);
        gali_release(allocator, data, size);
        if (status != GAL_OK) {
            return gali_fail_in_file(error, path, &inner);
        }
    }
    return status;
}

void gal_controller_close(gal_controller *controller) {
    if (controller) {
        gal_allocator allocator = controller->allocator;
        gali_contract_release(controller->contract, &allocator);
        gal_network_close(controller->network);
        gali_release(&allocator, controller, controller->memory);
    }
}

gal_controller_info gal_controller_get_info(const gal_controller *controller) {
    const gali_contract *contract = controller->contract;
    return (gal_controller_info){
        .name = contract->name,
        .rate = contract->rate,
        .unit_metres = contract->unit,
        .joints = contract->joint_count,
        .contacts = contract->contact_count,
        .legs = contract->leg_count,
        .speed_walk = contract->rules.speed_walk * contract->rate,
        .speed_run = contract->rules.speed_run * contract->rate,
        .can_crouch = contract->gait_of_role[GALI_GAIT_CROUCH] >= 0,
        .can_jump = gali_jump_possible(contract),
    };
}

const gal_network *gal_controller_network(const gal_controller *controller) {
    return controller->network;
}

const char *gal_controller_joint_name(const gal_controller *controller, uint32_t joint) {
    const gali_contract *contract = controller->contract;
    return joint < contract->joint_count ? contract->joints[joint].name : NULL;
}

int32_t gal_controller_joint_parent(const gal_controller *controller, uint32_t joint) {
    const gali_contract *contract = controller->contract;
    return joint < contract->joint_count ? contract->joints[joint].parent : -1;
}

int32_t gal_controller_joint_find(const gal_controller *controller, const char *name) {
    const gali_contract *contract = controller->contract;
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        if (strcmp(contract->joints[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

int32_t gal_controller_contact_joint(const gal_controller *controller, uint32_t contact) {
    const gali_contract *contract = controller->contract;
    return contact < contract->contact_count ? (int32_t)contract->contact_joints[contact] : -1;
}

const char *gal_controller_gait_name(const gal_controller *controller, uint32_t gait) {
    const gali_contract *contract = controller->contract;
    return gait < contract->gait_count ? contract->gaits[gait].name : NULL;
}

gal_transform gal_controller_joint_rest(const gal_controller *controller, uint32_t joint) {
    const gali_contract *contract = controller->contract;
    return joint < contract->joint_count ? contract->joints[joint].rest
                                         : (gal_transform){.rotation = {0, 0, 0, 1}};
}
