/* Arrays of .npy files as the inputs of an ONNX model, and its outputs as such files. */
#ifndef GALI_CLI_RUN_PORTS_H
#define GALI_CLI_RUN_PORTS_H

#include "npy.h"
#include "onnx/onnx_model.h"
#include "options.h"

/* Zero-initialise. */
typedef struct gali_run_ports {
    const gali_graph *graph;
    const gali_program *program; /* of the graph; NULL where inputs tell every size */
    gali_arena arena;
    const char **files;      /* [inputs] the file of each; NULL: none */
    void **inputs;           /* [inputs] copies, aligned */
    struct gali_npy *arrays; /* [inputs] what the files are, without their data */
    void **outputs;          /* [outputs] */
    int64_t *symbols; /* [symbols] of the graph's extents, as the inputs' shapes tell them; 0: not told */
    uint32_t *number; /* [symbols] as of gali_emit_sizes and gali_emit_told */
    uint32_t *sizes;  /* [size_count] in that order */
    uint32_t size_count, given;
} gali_run_ports;

/* Whether all sizes of the outputs follow from the inputs'. */
int gali_run_ports_follow(const gali_graph *graph);

/*
 * ports->graph, and ports->program where the sizes do not follow, are set. Reads the files, each "X.npy", for the next input in their order that none is named for, or "NAME=X.npy". Errors name the
 * file and the input, and what it wants: GAL_BAD_ARGUMENT where a name or a count is wrong or an input is missing,
 * GAL_BAD_DATA where an array does not fit. Released in any case.
 */
gal_status gali_run_ports_read(gali_run_ports *ports, const gali_option_list *files, gal_error *error);

/* Memory for the outputs: what only running tells has room for its most. */
gal_status gali_run_ports_make_outputs(gali_run_ports *ports, gal_error *error);

/* Takes from the sizes what the run told. */
void gali_run_ports_tell(gali_run_ports *ports);

/* GAL_BAD_ARGUMENT where the path is a file's, as below, and the model has several outputs. */
gal_status gali_run_ports_fit(const gali_graph *graph, const char *path, gal_error *error);

/* GAL_BAD_ARGUMENT where writing the outputs to the path, as below, would lose a file that was read, or one of these. */
gal_status gali_run_ports_spare(const gali_run_ports *ports, const char *path, const char *const *read,
                                size_t count, gal_error *error);

/*
 * Writes the outputs: the only one to a path that ends in .npy or is "-", or else each to NAME.npy (outputN.npy where an
 * output before it has that name) in the folder of that path, with a line for each. GAL_IO.
 */
gal_status gali_run_ports_write(const gali_run_ports *ports, const char *path, gal_error *error);

/* Prints each output with its first elements. */
void gali_run_ports_print(const gali_run_ports *ports);

void gali_run_ports_release(gali_run_ports *ports);

/* "float32[batch, 20]", as NumPy calls it. */
void gali_run_type_print(const gali_graph *graph, const gali_type *type, gali_text *text);

#endif
