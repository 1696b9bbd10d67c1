/* The model files that a command is given by name, up to GAL_GROUPS_MAX: what replay and simulate make crowds of. */
#ifndef GALI_CLI_MODELS_H
#define GALI_CLI_MODELS_H

#include "options.h"
#include "precision_option.h"

#include "gallop/crowd.h"

enum { GALI_MODELS_OPTIONS = GAL_GROUPS_MAX };

typedef struct gali_models {
    const char *paths[GAL_GROUPS_MAX];
    gal_controller *controllers[GAL_GROUPS_MAX];
    uint32_t count;
} gali_models;

/* The entries of GALI_MODELS_OPTIONS words, of which the first is required. */
void gali_models_options(gali_models *models, gali_option *options);

/* Opens all that were named; released with gali_models_close also after a failure. */
gal_status gali_models_open(gali_models *models, const gal_network_desc *desc, gal_error *error);

void gali_models_close(gali_models *models);

#endif
