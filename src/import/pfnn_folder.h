/*
 * Imports the published PFNN weights: the SIGGRAPH '17 folder of headerless little-endian float32 files,
 * row-major [out][in], that hold fifty samples of the network around the cycle of the phase.
 *
 *     Xmean Xstd [K]   Ymean Ystd [N]   W0_000..W0_049 [H0][K]   W1_... [H1][H0]   W2_... [N][H1]
 *     b0_000.. [H0]  b1_... [H1]  b2_... [N]
 *     character_parents [31]   character_xforms [31][4][4]: the skeleton at rest, often in another folder
 *
 * Nothing in a file tells its shape: widths follow from the sizes of Xmean, Ymean, b0 and b1, and every other
 * file must agree. Only the files of the sets in use are read.
 */
#ifndef GALI_IMPORT_PFNN_FOLDER_H
#define GALI_IMPORT_PFNN_FOLDER_H

#include "import/files.h"
#include "network/model.h"

enum {
    GALI_PFNN_SETS = 50,
    GALI_PFNN_LAYERS = 3,
    GALI_PFNN_POINTS = 4, /* control points of the cubic gate */
};

/* Zero-initialise; zero means the default. */
typedef struct gali_pfnn_desc {
    const gali_files *weights;          /* required */
    const gali_files *skeleton;         /* NULL: weights */
    gal_gate_kind gate;                 /* GAL_GATE_CALLER: cubic */
    uint32_t sets;                      /* of the linear gate, a divisor of 50, at least 2; 0: 10 */
    int use_samples;                    /* cubic: take stored sets as control points, recover none */
    uint32_t samples[GALI_PFNN_POINTS]; /* those sets, ascending, 0..49 */
    gali_weight_type weight_type;       /* float32 or float16 */
    const gal_allocator *allocator;     /* NULL: the C library */
} gali_pfnn_desc;

/* What was found. */
typedef struct gali_pfnn_report {
    uint32_t widths[GALI_PFNN_LAYERS + 1]; /* inputs, hidden, hidden, outputs */
    gal_gate_kind gate;
    uint32_t experts;
    uint32_t masked, constant; /* inputs that are not live */
    uint32_t golden_frames;
    int recovered;          /* control points were fitted; the next three are set */
    double residual_rms;    /* of the worst file kind, relative to the root mean square of its fifty sets */
    double residual_max;    /* the same for the largest single difference */
    char residual_worst[4]; /* "W1": whose residual_rms that is */
    int known_features;     /* 342 inputs and 311 outputs: the contract names them; else they are opaque */
    int skeleton_found;     /* else joints have names and parents, but no lengths */
} gali_pfnn_report;

/*
 * Makes the image of a model file, released with gali_release(allocator, *image, *size). Errors: GAL_BAD_DATA
 * and GAL_IO name the file, GAL_BAD_ARGUMENT the member of desc, GAL_NO_MEMORY. *image is NULL then.
 */
gal_status gali_pfnn_import(const gali_pfnn_desc *desc, void **image, size_t *size, gali_pfnn_report *report,
                            gal_error *error);

#endif
