#include "import/onnx/external.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { SHOWN = 80 }; /* characters of a name that a message shows */

typedef struct piece {
    const char *location;
    double offset, length; /* bytes; length -1: to the end */
} piece;

static const char *name_of(const Onnx__TensorProto *t) {
    return t->name ? t->name : "";
}

static double *number_of(piece *p, const char *key) {
    return strcmp(key, "offset") == 0 ? &p->offset : strcmp(key, "length") == 0 ? &p->length : NULL;
}

static gal_status read_piece(const Onnx__TensorProto *t, piece *p, gal_error *error) {
    *p = (piece){.location = "", .length = -1};
    for (size_t i = 0; i < t->n_external_data; i++) {
        const char *key = t->external_data[i]->key, *value = t->external_data[i]->value;
        if (!key || !value) {
            continue;
        }
        double *number = number_of(p, key);
        if (number && (!value[0] || strspn(value, "0123456789") != strlen(value) ||
                       !gali_number_read(value, strlen(value), number))) {
            return gali_fail(error, GAL_BAD_DATA, "constant \"%.*s\": %s \"%.*s\", a number of bytes expected",
                             SHOWN, name_of(t), key, SHOWN, value);
        }
        p->location = strcmp(key, "location") == 0 ? value : p->location;
    }
    return GAL_OK;
}

/* From here on the tensor is as if its numbers had always been in it. */
static gal_status keep(gali_onnx_wire *wire, Onnx__TensorProto *t, const piece *p, const void *bytes,
                       size_t size, gal_error *error) {
    const double length = p->length < 0 ? (double)size - p->offset : p->length;
    if (p->offset > (double)size || length > (double)size - p->offset) {
        return gali_fail(error, GAL_BAD_DATA, "constant \"%.*s\": bytes from %.0f of \"%.*s\", which has %zu",
                         SHOWN, name_of(t), p->offset, SHOWN, p->location, size);
    }
    uint8_t *copy = wire->allocator.alloc(wire->allocator.allocator_data, (size_t)length + 1);
    if (!copy) {
        return gali_fail(error, GAL_NO_MEMORY, "constant \"%.*s\": no memory for %.0f bytes", SHOWN, name_of(t),
                         length);
    }
    memcpy(copy, (const char *)bytes + (size_t)p->offset, (size_t)length);
    wire->allocator.free(wire->allocator.allocator_data, t->raw_data.data);
    t->has_raw_data = 1;
    t->raw_data = (ProtobufCBinaryData){(size_t)length, copy};
    t->has_data_location = 0;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT;
    return GAL_OK;
}

gal_status gali_onnx_external_read(gali_onnx_wire *wire, Onnx__ModelProto *model, const void *bytes,
                                   size_t size, gal_error *error) {
    const char *location = NULL;
    wire->left += size; /* the tensors' copies */
    for (size_t i = 0; model->graph && i < model->graph->n_initializer; i++) {
        Onnx__TensorProto *t = model->graph->initializer[i];
        piece p;
        if (t->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
            continue;
        }
        gal_status status = read_piece(t, &p, error);
        if (status != GAL_OK) {
            return status;
        }
        location = location ? location : p.location;
        if (!bytes) {
            return gali_fail(
                error, GAL_NOT_FOUND,
                "constant \"%.*s\": its numbers are in another file, \"%.*s\": name it with --external FILE",
                SHOWN, name_of(t), SHOWN, location);
        }
        if (strcmp(location, p.location) != 0) {
            return gali_fail(error, GAL_BAD_DATA,
                             "numbers in two other files, \"%.*s\" and \"%.*s\", one expected", SHOWN, location,
                             SHOWN, p.location);
        }
        status = keep(wire, t, &p, bytes, size, error);
        if (status != GAL_OK) {
            return status;
        }
    }
    return location || !bytes
               ? GAL_OK
               : gali_fail(error, GAL_BAD_DATA, "all its numbers are its own, no other file expected");
}
