/*
 * Graphs as model files: the layers of a network in them, with blended layers in any spelling. Nothing is returned that
 * does not compute what the graph computes: both are run on the same inputs first.
 *
 *     spell*.c      graph -> linear form             linear operators spelled by seven; small constants computed
 *     form_run.c    parts of the form -> float64     by the operators' truths
 *     sums.c        values as sums of products       the algebra in which all spellings of a layer look alike
 *     axes.c        the axes of a value              split, joined, aligned
 *     products.c    products of values               sums that no row takes part in are carried out
 *     identify.c    what a nonlinear part computes   told by its values, not by its spelling
 *     recognise.c   form -> layers                   linear parts by the algebra, the others by their values
 *     parts.c       values -> layers                 which layer makes a value
 *     draft.c       layers -> model without weights
 *     weights.c     dense layers' weights
 *     model.c       graph -> model file              checked against the graph's truth before anything is returned
 */
#ifndef GALI_RECOGNISE_MODEL_H
#define GALI_RECOGNISE_MODEL_H

#include "graph/graph.h"
#include "network/model.h"

/* Zero-initialise; zero means the default. */
typedef struct gali_recognise_desc {
    /* text for the model file; NULL: features are opaque, named as the graph's inputs are */
    const char *contract;
    size_t contract_size;
    const char *provenance; /* text for the model file; NULL: none */
    size_t provenance_size;
    size_t source_size; /* bytes of the file that the graph is of: what memory and work may be asked for */
    const gal_allocator *allocator; /* of the image; NULL: the C library */
} gali_recognise_desc;

/* What was found. */
typedef struct gali_recognise_report {
    uint32_t inputs, outputs, layers, experts, gate_layers, gate_features;
    gal_gate_kind gate;
    int input_normalised, output_normalised;
    char gate_input[64]; /* the graph's input that is the phase or the blend; empty: none is */
    uint32_t golden_frames;
    double worst; /* largest difference between graph and layers, of a frame's root mean square */
} gali_recognise_report;

/*
 * Makes the image of a model file of a verified, inferred graph, released with gali_release(allocator, *image, *size).
 * Errors: GAL_BAD_DATA, with the node that no layer is found for and why; GAL_NO_MEMORY. *image is NULL then.
 */
gal_status gali_recognise_model(const gali_graph *graph, const gali_recognise_desc *desc, void **image,
                                size_t *size, gali_recognise_report *report, gal_error *error);

#endif
