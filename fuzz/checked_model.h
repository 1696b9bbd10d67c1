/* The promise of all that makes model files: the readers take them, contract and network fit. */
#ifndef GALLOP_FUZZ_CHECKED_MODEL_H
#define GALLOP_FUZZ_CHECKED_MODEL_H

#include "contract/contract.h"
#include "fuzz.h"
#include "network/model.h"

static inline void check_model(const void *bytes, size_t size) {
    gali_model model;
    gali_contract *contract = NULL;
    require(gali_model_read(&model, bytes, size, NULL) == GAL_OK);
    require(gali_contract_parse(&contract, model.contract, model.contract_size, NULL, NULL) == GAL_OK);
    require(contract->inputs == model.inputs && contract->outputs == model.outputs);
    gali_contract_release(contract, NULL);
}

#endif
