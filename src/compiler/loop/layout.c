#include "compiler/loop/layout.h"

#include <string.h>

#include "base/size.h"

uint32_t gali_loop_rank(const gali_loop_buffer *buffer) {
    return buffer->packed_rank ? buffer->packed_rank : buffer->rank;
}

gali_loop_index gali_loop_extent(const gali_loop_buffer *buffer, uint32_t d) {
    return buffer->packed_rank ? gali_loop_number(buffer->packed[d].extent) : buffer->extent[d];
}

uint32_t gali_layout_ragged(const gali_loop_buffer *buffer) {
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        if (buffer->packed[d].total) {
            return d;
        }
    }
    return GALI_LOOP_NOT_RAGGED;
}

uint32_t gali_layout_part(const gali_loop_buffer *buffer) {
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        if (buffer->packed[d].part) {
            return d;
        }
    }
    return GALI_LOOP_NOT_RAGGED;
}

int gali_layout_same(const gali_loop_buffer *a, const gali_loop_buffer *b) {
    int same = a->packed_rank == b->packed_rank;
    for (uint32_t d = 0; d < a->packed_rank && same; d++) {
        const gali_loop_packed *p = &a->packed[d], *q = &b->packed[d];
        same = p->of == q->of && p->scale == q->scale && p->extent == q->extent && p->total == q->total &&
               p->part == q->part;
    }
    return same;
}

size_t gali_layout_inside(const gali_loop_buffer *buffer, uint32_t d) {
    size_t size = 1;
    for (uint32_t i = d + 1; i < buffer->packed_rank; i++) {
        size = gali_size_mul(size, buffer->packed[i].part ? 1 : buffer->packed[i].extent);
    }
    return size;
}

static uint32_t part_size(const gali_loop_packed *parts, uint32_t index) {
    return gali_loop_first(parts->total, parts->extent, index + 1) -
           gali_loop_first(parts->total, parts->extent, index);
}

size_t gali_layout_offset(const gali_loop_buffer *buffer, const uint32_t *extent, const uint32_t *index) {
    uint32_t ragged = gali_layout_ragged(buffer);
    size_t offset = 0, stride = 1;
    for (uint32_t d = gali_loop_rank(buffer); d-- > 0;) {
        const gali_loop_packed *packed = &buffer->packed[d];
        if (d == ragged) {
            size_t inside = gali_layout_inside(buffer, d);
            offset += inside * gali_loop_first(packed->total, packed->extent, index[d]);
            stride = inside * packed->total;
            continue;
        }
        offset += stride * index[d];
        stride *=
            buffer->packed_rank && packed->part ? part_size(&buffer->packed[ragged], index[ragged]) : extent[d];
    }
    return offset;
}

size_t gali_loop_pack_floats(const gali_loop_buffer *buffer) {
    size_t size = 1;
    for (uint32_t d = 0; d < gali_loop_rank(buffer); d++) {
        const gali_loop_packed *packed = &buffer->packed[d];
        int whole = !buffer->packed_rank || !packed->total;
        size_t extent = whole ? (size_t)gali_loop_extent(buffer, d).constant : packed->total;
        size = gali_size_mul(size, buffer->packed_rank && packed->part ? 1 : extent);
    }
    return size;
}

/* The element of the canonical form that an index of the layout means; 0 if it is past its end. */
static int canonical_offset(const gali_loop_buffer *buffer, const uint32_t *index, size_t *offset) {
    uint32_t at[GALI_LOOP_RANK_MAX] = {0};
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        const gali_loop_packed *packed = &buffer->packed[d];
        uint32_t step = packed->total ? gali_loop_first(packed->total, packed->extent, index[d]) : index[d];
        at[packed->of] += packed->scale * step;
    }
    *offset = 0;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        uint32_t extent = gali_loop_size(&buffer->extent[d]);
        if (at[d] >= extent) {
            return 0;
        }
        *offset = *offset * extent + at[d];
    }
    return 1;
}

/* Steps to the next index of the layout; 0 after the last. */
static int next_index(const gali_loop_buffer *buffer, uint32_t *index) {
    uint32_t ragged = gali_layout_ragged(buffer);
    for (uint32_t d = buffer->packed_rank; d-- > 0;) {
        const gali_loop_packed *packed = &buffer->packed[d];
        uint32_t extent = packed->part ? part_size(&buffer->packed[ragged], index[ragged]) : packed->extent;
        if (++index[d] < extent) {
            return 1;
        }
        index[d] = 0;
    }
    return 0;
}

void gali_loop_pack(const gali_loop_buffer *buffer, const float *canonical, float *packed) {
    if (!buffer->packed_rank) {
        memcpy(packed, canonical, gali_loop_pack_floats(buffer) * sizeof(float));
        return;
    }
    uint32_t index[GALI_LOOP_RANK_MAX] = {0};
    size_t from;
    do { /* the layout's indices in ascending order are its floats in order */
        *packed++ = canonical_offset(buffer, index, &from) ? canonical[from] : 0;
    } while (next_index(buffer, index));
}
