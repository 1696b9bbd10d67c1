/*
 * protobuf-c unpacks a message into structs, nested ones by recursion without a limit, each at a cost in memory that
 * may be fifty times its two bytes on the wire. So a walk over the bytes measures the depth first, by the very
 * descriptors that protobuf-c uses, and its allocator is one that runs dry.
 */
#include "import/onnx/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"

enum {
    DEPTH_MAX = 24,          /* of messages; PyTorch's exports reach 8 */
    SPARE_MEMORY = 64 << 20, /* beyond the size of the file: structs of small nodes are larger than they are */
    HEADER = 16,             /* before each allocation: its size */
};

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

static int read_varint(cursor *c, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return 1;
        }
    }
    return 0;
}

static int skip(cursor *c, uint64_t size) {
    if (size > (uint64_t)(c->end - c->at)) {
        return 0;
    }
    c->at += size;
    return 1;
}

/* A message on the way down, and where its parent goes on. */
typedef struct level {
    const ProtobufCMessageDescriptor *type;
    cursor rest;
} level;

/* Why the bytes cannot be unpacked, or NULL. */
static const char *walk(const void *bytes, size_t size) {
    level levels[DEPTH_MAX];
    uint32_t depth = 0;
    levels[0] = (level){&onnx__model_proto__descriptor, {bytes, (const uint8_t *)bytes + size}};
    for (;;) {
        level *now = &levels[depth];
        uint64_t tag, length = 0;
        if (now->rest.at == now->rest.end) {
            if (depth-- == 0) {
                return NULL;
            }
            continue;
        }
        if (!read_varint(&now->rest, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3) {
            return "not an ONNX file";
        }
        unsigned wire = tag & 7;
        int whole = wire == PROTOBUF_C_WIRE_TYPE_VARINT  ? read_varint(&now->rest, &length)
                    : wire == PROTOBUF_C_WIRE_TYPE_64BIT ? skip(&now->rest, 8)
                    : wire == PROTOBUF_C_WIRE_TYPE_32BIT ? skip(&now->rest, 4)
                    : wire == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED
                        ? read_varint(&now->rest, &length) && length <= (uint64_t)(now->rest.end - now->rest.at)
                        : 0;
        if (!whole) {
            return "not an ONNX file, or one that was cut short";
        }
        if (wire != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
            continue;
        }
        const uint8_t *start = now->rest.at;
        skip(&now->rest, length);
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(now->type, (unsigned)(tag >> 3));
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) {
            if (++depth == DEPTH_MAX) {
                return "messages nested too deep";
            }
            levels[depth] = (level){field->descriptor, {start, start + length}};
        }
    }
}

static void *take(void *context, size_t size) {
    gali_onnx_wire *wire = context;
    size_t whole = gali_size_add(size, HEADER);
    char *memory = whole <= wire->left ? malloc(whole) : NULL;
    if (!memory) {
        wire->refused = 1;
        return NULL;
    }
    wire->left -= whole;
    memcpy(memory, &whole, sizeof whole);
    return memory + HEADER;
}

static void give_back(void *context, void *memory) {
    gali_onnx_wire *wire = context;
    if (memory) {
        size_t whole;
        memcpy(&whole, (char *)memory - HEADER, sizeof whole);
        wire->left += whole;
        free((char *)memory - HEADER);
    }
}

gal_status gali_onnx_wire_read(gali_onnx_wire *wire, const void *bytes, size_t size, Onnx__ModelProto **model,
                               gal_error *error) {
    *wire = (gali_onnx_wire){.left = gali_size_add(size, SPARE_MEMORY), .allocator = {take, give_back, wire}};
    *model = NULL;
    const char *why = size ? walk(bytes, size) : "an empty file";
    if (why) {
        return gali_fail(error, GAL_BAD_DATA, "%s", why);
    }
    *model = onnx__model_proto__unpack(&wire->allocator, size, bytes);
    if (*model) {
        return GAL_OK;
    }
    return wire->refused
               ? gali_fail(error, GAL_NO_MEMORY, "the file asks for more memory than one of its size may")
               : gali_fail(error, GAL_BAD_DATA, "not an ONNX file: fields of other types than ONNX has");
}

void gali_onnx_wire_release(gali_onnx_wire *wire, Onnx__ModelProto *model) {
    if (model) {
        onnx__model_proto__free_unpacked(model, &wire->allocator);
    }
}
