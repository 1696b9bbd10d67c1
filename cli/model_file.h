/* A model file in memory with its contract parsed: what info, eval, check and judge look into. */
#ifndef GALI_CLI_MODEL_FILE_H
#define GALI_CLI_MODEL_FILE_H

#include "contract/contract.h"
#include "network/model.h"

typedef struct gali_model_file {
    void *bytes;
    size_t size;
    gali_model model;        /* points into bytes */
    gali_contract *contract; /* NULL if the file has none */
} gali_model_file;

/* Released with gali_model_file_close; zero after a failure. */
gal_status gali_model_file_open(gali_model_file *out, const char *path, gal_error *error);

void gali_model_file_close(gali_model_file *file);

/*
 * Whether the file is a bare network: its contract, which is there, knows no feature's meaning, all are opaque. The
 * network runs; nothing is wrong with the file, but no crowd can use it.
 */
int gali_model_file_is_bare(const gali_model_file *file);

const char *gali_model_file_gate_name(gal_gate_kind gate);

/* The skeleton's height: highest minus lowest joint at rest, in units; at least a tiny positive number. */
float gali_model_file_height(const gali_contract *contract);

#endif
