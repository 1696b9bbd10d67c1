#include "models.h"

void gali_models_options(gali_models *models, gali_option *options) {
    for (uint32_t i = 0; i < GAL_GROUPS_MAX; i++) {
        options[i] = (gali_option){"MODEL", GALI_OPTION_WORD, &models->paths[i], i == 0, 0};
    }
}

gal_status gali_models_open(gali_models *models, const gal_network_desc *desc, gal_error *error) {
    gal_status status = GAL_OK;
    while (models->count < GAL_GROUPS_MAX && models->paths[models->count] && status == GAL_OK) {
        status =
            gal_controller_open(&models->controllers[models->count], models->paths[models->count], desc, error);
        models->count += status == GAL_OK;
    }
    return status;
}

void gali_models_close(gali_models *models) {
    for (uint32_t i = 0; i < models->count; i++) {
        gal_controller_close(models->controllers[i]);
    }
    models->count = 0;
}
