#include "import/onnx/file.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "import/onnx/external.h"
#include "import/onnx/read.h"
#include "import/onnx/wire.h"

struct gali_onnx_file {
    gali_onnx_wire wire;
    Onnx__ModelProto *model;
    size_t size;
};

gal_status gali_onnx_open(gali_onnx_file **out, const gali_onnx_bytes *bytes, gal_error *error) {
    gali_onnx_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the file");
    }
    file->size = gali_size_add(bytes->size, bytes->external_size);
    gal_status status = gali_onnx_wire_read(&file->wire, bytes->data, bytes->size, &file->model, error);
    if (status == GAL_OK) {
        status =
            gali_onnx_external_read(&file->wire, file->model, bytes->external, bytes->external_size, error);
    }
    if (status != GAL_OK) {
        gali_onnx_close(file);
        return status;
    }
    *out = file;
    return GAL_OK;
}

/* Names are the file's: what is not printable of them is not printed. */
static void clean(gal_error *error) {
    for (char *at = error ? error->message : NULL; at && *at; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
}

gal_status gali_onnx_graph(gali_graph **out, const gali_onnx_file *file, const gali_onnx_sizes *sizes,
                           gali_arena *arena, gal_error *error) {
    gal_status status = gali_onnx_read(out, file->model, sizes, arena, error);
    if (status != GAL_OK) {
        clean(error);
    }
    return status;
}

void gali_onnx_close(gali_onnx_file *file) {
    if (file) {
        gali_onnx_wire_release(&file->wire, file->model);
        free(file);
    }
}

size_t gali_onnx_file_bytes(const gali_onnx_file *file) {
    return file->size;
}

/* Printable ASCII, at most 200 bytes. */
static void plain_text(const char *from, char text[201]) {
    size_t i = 0;
    for (; from && from[i] && i < 200; i++) {
        text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    }
    text[i] = 0;
}

size_t gali_onnx_provenance(const gali_onnx_file *file, char *text, size_t size) {
    char graph[201], producer[201], version[201];
    plain_text(file->model->graph ? file->model->graph->name : "", graph);
    plain_text(file->model->producer_name, producer);
    plain_text(file->model->producer_version, version);
    int length =
        snprintf(text, size,
                 "model: the ONNX graph \"%s\", made by %s %s\nlicence: that of the ONNX file, which says "
                 "none\ncommand: gallop import\n",
                 graph, producer, version);
    return (size_t)length < size ? (size_t)length : size - 1;
}
