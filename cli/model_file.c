#include "model_file.h"

#include <math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "space.h"

static gal_status read_parts(gali_model_file *file, gal_error *error) {
    gal_status status = gali_model_read(&file->model, file->bytes, file->size, error);
    if (status != GAL_OK || !file->model.contract) {
        return status;
    }
    return gali_contract_parse(&file->contract, file->model.contract, file->model.contract_size, NULL, error);
}

gal_status gali_model_file_open(gali_model_file *out, const char *path, gal_error *error) {
    gal_error inner = {0};
    *out = (gali_model_file){0};
    gal_status status = gali_file_read(path, GALI_FILE_MAX, NULL, &out->bytes, &out->size, error);
    if (status != GAL_OK) {
        return status;
    }
    status = read_parts(out, &inner);
    if (status != GAL_OK) {
        gali_model_file_close(out);
        return gali_fail_in_file(error, path, &inner);
    }
    return GAL_OK;
}

void gali_model_file_close(gali_model_file *file) {
    gali_contract_release(file->contract, NULL);
    gali_release(NULL, file->bytes, file->size);
    *file = (gali_model_file){0};
}

static int all_of_kind(const gali_block *blocks, uint32_t count, gali_block_kind kind) {
    uint32_t of_kind = 0;
    for (uint32_t i = 0; i < count; i++) {
        of_kind += blocks[i].kind == kind;
    }
    return of_kind == count;
}

int gali_model_file_is_bare(const gali_model_file *file) {
    const gali_contract *contract = file->contract;
    return contract && all_of_kind(contract->input_blocks, contract->input_block_count, GALI_BLOCK_OPAQUE_IN) &&
           all_of_kind(contract->output_blocks, contract->output_block_count, GALI_BLOCK_OPAQUE_OUT);
}

const char *gali_model_file_gate_name(gal_gate_kind gate) {
    static const char *const names[GAL_GATE_COUNT] = {"caller", "cubic phase", "linear phase", "constant phase",
                                                      "gating network"};
    return (unsigned)gate < GAL_GATE_COUNT ? names[gate] : "unknown";
}

float gali_model_file_height(const gali_contract *contract) {
    gal_transform world[GALI_JOINTS_MAX];
    float low = 0, high = 0;
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        const gali_joint *joint = &contract->joints[i];
        world[i] = joint->parent < 0 ? joint->rest : gali_transform_mul(world[joint->parent], joint->rest);
        low = i == 0 ? world[i].position.y : fminf(low, world[i].position.y);
        high = i == 0 ? world[i].position.y : fmaxf(high, world[i].position.y);
    }
    return fmaxf(high - low, 1e-6f);
}
