/* gallop import MODEL.onnx: the command's part of it. */
#ifndef GALI_CLI_IMPORT_ONNX_H
#define GALI_CLI_IMPORT_ONNX_H

/*
 * Imports the file at path into out, with its external data and the contract of other files (NULL: none). Returns the
 * exit status.
 */
int gali_import_onnx(const char *path, const char *external, const char *out, const char *contract);

#endif
