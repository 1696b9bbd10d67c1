/* ONNX's protocol buffer messages out of bytes, under limits that a hostile file meets before protobuf-c does. */
#ifndef GALI_IMPORT_ONNX_WIRE_H
#define GALI_IMPORT_ONNX_WIRE_H

#include "gallop/base.h"
#include "onnx.pb-c.h"

/* What the message was unpacked with; must outlive it. */
typedef struct gali_onnx_wire {
    size_t left; /* bytes that may still be taken */
    int refused; /* some were not there */
    ProtobufCAllocator allocator;
} gali_onnx_wire;

/*
 * Unpacks size bytes; *model is released with gali_onnx_wire_release. Errors: GAL_BAD_DATA for what is no ONNX
 * file, nests too deep or asks for more memory than a file of its size may, GAL_NO_MEMORY. The bytes are not
 * needed afterwards.
 */
gal_status gali_onnx_wire_read(gali_onnx_wire *wire, const void *bytes, size_t size, Onnx__ModelProto **model,
                               gal_error *error);

void gali_onnx_wire_release(gali_onnx_wire *wire, Onnx__ModelProto *model);

#endif
