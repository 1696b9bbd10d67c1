/*
 * NumPy's .npy files, as far as numbers of one kind go: little-endian floats, whole numbers or truths in C order,
 * versions 1 to 3, up to eight dimensions.
 *
 * Format: magic "\x93NUMPY", two version bytes, header length (u16; u32 from version 2), then a Python
 * dictionary literal with the keys 'descr', 'fortran_order' and 'shape', then the data, to the end of file.
 */
#ifndef GALI_CLI_NPY_H
#define GALI_CLI_NPY_H

#include "gallop/base.h"
#include "graph/element.h"

enum { GALI_NPY_DIMENSIONS = 8 };

typedef struct gali_npy {
    uint32_t dimensions; /* 0: a scalar */
    size_t shape[GALI_NPY_DIMENSIONS];
    size_t count; /* product of the shape */
    gali_element element;
    const void *data; /* [count], possibly unaligned; points into the file's bytes */
} gali_npy;

/* Checks the header and that the data fills the rest of the bytes exactly. `name` starts the messages. */
gal_status gali_npy_parse(gali_npy *out, const void *bytes, size_t size, const char *name, gal_error *error);

/* The same of a file's header alone, without its data. */
gal_status gali_npy_look(gali_npy *out, const char *path, gal_error *error);

/*
 * Reads a float32 file of `dimensions` dimensions; *values is released with free. shape gets all of them.
 * Float64 files are refused: rounding silently would hide a mistake.
 */
gal_status gali_npy_read_f32(const char *path, uint32_t dimensions, float **values, size_t *shape,
                             gal_error *error);

/* What NumPy calls an element: "float32". bf16, which it has not, is the uint16 of its bits. */
const char *gali_npy_word(gali_element element);

/* Writes an array of at most GALI_NPY_DIMENSIONS dimensions. */
gal_status gali_npy_write(const char *path, const void *values, gali_element element, uint32_t dimensions,
                          const size_t *shape, gal_error *error);

#endif
