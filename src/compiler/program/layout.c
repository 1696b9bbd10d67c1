/* The order of a tensor's axes in memory. */
#include <string.h>

#include "base/memory.h"
#include "compiler/program/program.h"

/* One step of an odometer over a tensor's dimensions in memory; `from` moves by the axes' strides in the file. */
static void step(int64_t *index, const int64_t *extent, const size_t *stride, int rank, size_t *from) {
    for (int d = rank; d-- > 0;) {
        *from += stride[d];
        if (++index[d] < extent[d]) {
            return;
        }
        *from -= (size_t)extent[d] * stride[d];
        index[d] = 0;
    }
}

void gali_program_lay(const gali_program *program, uint32_t tensor, void *to) {
    const gali_program_tensor *t = &program->tensors[tensor];
    int rank = t->type.rank;
    size_t bytes = gali_element_list[t->type.element].bytes, count = 1, from = 0;
    size_t own[GALI_RANK_MAX], stride[GALI_RANK_MAX];
    int64_t index[GALI_RANK_MAX] = {0}, extent[GALI_RANK_MAX];
    for (int i = rank; i-- > 0;) {
        own[i] = count * bytes;
        count *= (size_t)t->type.shape[i];
    }
    for (int d = 0; d < rank; d++) {
        stride[d] = own[t->order[d]];
        extent[d] = t->type.shape[t->order[d]];
    }
    for (size_t i = 0; i < count; i++) {
        memcpy((unsigned char *)to + i * bytes, (const unsigned char *)t->data + from, bytes);
        step(index, extent, stride, rank, &from);
    }
}

size_t gali_program_constant_bytes(const gali_program *program, uint32_t tensor,
                                   const gali_loop_buffer *buffer) {
    const gali_type *type = &program->tensors[tensor].type;
    size_t bytes = gali_element_list[type->element].bytes;
    for (int i = 0; i < type->rank; i++) {
        bytes *= (size_t)type->shape[i];
    }
    return buffer->packed_rank ? gali_loop_pack_floats(buffer) * sizeof(float) : bytes;
}

int gali_program_constant(const gali_program *program, uint32_t tensor, const gali_loop_buffer *buffer,
                          void *to) {
    gali_loop_buffer plain = *buffer;
    if (!buffer->packed_rank) {
        gali_program_lay(program, tensor, to);
        return 1;
    }
    plain.packed_rank = 0;
    float *whole = gali_allocate(NULL, gali_program_constant_bytes(program, tensor, &plain));
    if (whole) {
        gali_program_lay(program, tensor, whole);
        gali_loop_pack(buffer, whole, to);
    }
    gali_release(NULL, whole, gali_program_constant_bytes(program, tensor, &plain));
    return whole != NULL;
}
