/* A file is read whole and once, whatever the number of tensors in it; one at a time is held. */
#include "import/onnx_external.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "network/model.h"

enum { SHOWN = 80 }; /* characters of a name that a message shows */

typedef struct beside {
    gali_onnx_wire *wire;
    const gali_files *files;
    const char *name; /* of what is held */
    unsigned char *bytes;
    size_t size;
    size_t total; /* bytes read so far: what memory may grow by, and never more than a model file */
    gal_error *error;
} beside;

/* A piece of a file. */
typedef struct piece {
    const char *location;
    double offset, length; /* length -1: to the end */
} piece;

static const char *name_of(const Onnx__TensorProto *t) {
    return t->name ? t->name : "";
}

static gal_status read_piece(const Onnx__TensorProto *t, piece *p, gal_error *error) {
    *p = (piece){.length = -1};
    for (size_t i = 0; i < t->n_external_data; i++) {
        const char *key = t->external_data[i]->key, *value = t->external_data[i]->value;
        double *number = !key || !value               ? NULL
                         : strcmp(key, "offset") == 0 ? &p->offset
                         : strcmp(key, "length") == 0 ? &p->length
                                                      : NULL;
        if (number && (!value[0] || strspn(value, "0123456789") != strlen(value) ||
                       !gali_number_read(value, strlen(value), number))) {
            return gali_fail(error, GAL_BAD_DATA, "constant \"%.*s\": %s \"%.*s\", a number of bytes expected",
                             SHOWN, name_of(t), key, SHOWN, value);
        }
        if (key && value && strcmp(key, "location") == 0) {
            p->location = value;
        }
    }
    if (!p->location || !p->location[0] || strpbrk(p->location, "/\\:") || p->location[0] == '.') {
        return gali_fail(error, GAL_BAD_DATA,
                         "constant \"%.*s\": its numbers are in \"%.*s\"; a file beside the model expected",
                         SHOWN, t->name, SHOWN, p->location ? p->location : "");
    }
    return GAL_OK;
}

static gal_status hold(beside *b, const char *name) {
    if (b->name && strcmp(b->name, name) == 0) {
        return GAL_OK;
    }
    free(b->bytes);
    b->bytes = NULL;
    b->name = NULL;
    gal_status status = b->files->size(b->files->context, name, &b->size, b->error);
    if (status != GAL_OK) {
        return status == GAL_NOT_FOUND
                   ? gali_fail(b->error, status, "\"%.*s\", where the model's numbers are, is not there", SHOWN,
                               name)
                   : status;
    }
    if (b->size > GALI_FILE_MAX - b->total) {
        return gali_fail(b->error, GAL_BAD_DATA, "\"%.*s\": more numbers than a model may have", SHOWN, name);
    }
    b->bytes = malloc(b->size + 1);
    if (!b->bytes) {
        return gali_fail(b->error, GAL_NO_MEMORY, "\"%.*s\": no memory for %zu bytes", SHOWN, name, b->size);
    }
    b->name = name;
    b->total += b->size;
    b->wire->left += b->size;
    return b->files->read(b->files->context, name, b->bytes, b->size, b->error);
}

/* Copies a piece of what is held into the tensor, which then is as if it had always been there. */
static gal_status keep(beside *b, Onnx__TensorProto *t, const piece *p) {
    const double length = p->length < 0 ? (double)b->size - p->offset : p->length;
    if (p->offset > (double)b->size || length > (double)b->size - p->offset) {
        return gali_fail(b->error, GAL_BAD_DATA,
                         "constant \"%.*s\": %.0f bytes from %.0f of \"%.*s\", which has %zu", SHOWN,
                         name_of(t), length, p->offset, SHOWN, b->name, b->size);
    }
    ProtobufCAllocator *allocator = &b->wire->allocator;
    uint8_t *bytes = allocator->alloc(allocator->allocator_data, (size_t)length + 1);
    if (!bytes) {
        return gali_fail(b->error, GAL_NO_MEMORY, "constant \"%.*s\": no memory for %.0f bytes", SHOWN,
                         name_of(t), length);
    }
    memcpy(bytes, b->bytes + (size_t)p->offset, (size_t)length);
    if (t->raw_data.data) {
        allocator->free(allocator->allocator_data, t->raw_data.data);
    }
    t->has_raw_data = 1;
    t->raw_data = (ProtobufCBinaryData){(size_t)length, bytes};
    t->has_data_location = 0;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT;
    return GAL_OK;
}

gal_status gali_onnx_external_read(gali_onnx_wire *wire, Onnx__ModelProto *model, const gali_files *files,
                                   size_t *total, gal_error *error) {
    beside b = {.wire = wire, .files = files, .error = error};
    gal_status status = GAL_OK;
    *total = 0;
    for (size_t i = 0; files && model->graph && i < model->graph->n_initializer && status == GAL_OK; i++) {
        Onnx__TensorProto *t = model->graph->initializer[i];
        piece p;
        if (t->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
            continue;
        }
        status = read_piece(t, &p, error);
        status = status == GAL_OK ? hold(&b, p.location) : status;
        status = status == GAL_OK ? keep(&b, t, &p) : status;
    }
    free(b.bytes);
    *total = b.total;
    return status;
}
