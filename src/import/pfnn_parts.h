/* The parts of the PFNN importer and what they share: an import under way. */
#ifndef GALI_IMPORT_PFNN_PARTS_H
#define GALI_IMPORT_PFNN_PARTS_H

#include "base/little_endian.h"
#include "import/pfnn_folder.h"

enum {
    GALI_PFNN_INPUTS = 342,
    GALI_PFNN_OUTPUTS = 311,
    GALI_PFNN_JOINTS = 31,
    GALI_PFNN_BUMP_FIRST = 108, /* twelve inputs that the original runtime always feeds as 0 */
    GALI_PFNN_BUMP_COUNT = 12,
    GALI_PFNN_FRAMES = 24,      /* golden */
    GALI_PFNN_TEXT_MAX = 16384, /* bytes of contract and provenance */
};

typedef struct gali_pfnn {
    const gali_pfnn_desc *desc;
    gali_files weights, skeleton;
    gali_pfnn_report *report;
    gal_error *error;
    uint32_t sets[GALI_PFNN_SETS]; /* stored set of each expert; unused where points are recovered */
    gali_model model;              /* points into the image once that is there */
    void *scratch;                 /* float32 of the largest file */
    double *sums;                  /* [GALI_PFNN_POINTS][values of the largest file]; NULL: not recovering */
    size_t scratch_size, sums_size;
    char *contract, *provenance; /* [GALI_PFNN_TEXT_MAX] each */
} gali_pfnn;

/* "inputs x outputs" of a file, for messages and sizes; columns 1 is a vector. */
typedef struct gali_pfnn_shape {
    uint32_t rows, columns;
} gali_pfnn_shape;

/*
 * Reads a file that must hold exactly rows x columns finite float32 into bytes. Errors name the file and
 * what was expected.
 */
gal_status gali_pfnn_read(const gali_files *files, const char *name, gali_pfnn_shape shape, void *bytes,
                          gal_error *error);

/* Fills weights and biases of the model, recovering control points where the desc says so. */
gal_status gali_pfnn_weights(gali_pfnn *p);

/* Writes the contract's text and the provenance's into p, sets the model's texts. */
gal_status gali_pfnn_texts(gali_pfnn *p);

/* Makes the golden frames from the model's weights. */
gal_status gali_pfnn_golden(gali_pfnn *p);

#endif
