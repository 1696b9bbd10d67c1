/* gallop import MODEL.onnx: the command's part of it. */
#ifndef GALI_CLI_IMPORT_ONNX_H
#define GALI_CLI_IMPORT_ONNX_H

#include "recognise/model.h"

/*
 * The image of a model file of the network at path, whose layers are recognised; released with gali_release(NULL, *image,
 * *size). external: the file of its weights, NULL if they are its own. Provenance and limits are the file's. Errors name it;
 * *image is NULL then.
 */
gal_status gali_onnx_image(const char *path, const char *external, const gali_recognise_desc *desc,
                           void **image, size_t *size, gali_recognise_report *report, gal_error *error);

/*
 * Imports the file at path into out, with its external data and the contract of other files (NULL: none). Returns the
 * exit status.
 */
int gali_import_onnx(const char *path, const char *external, const char *out, const char *contract);

#endif
