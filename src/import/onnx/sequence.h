/*
 * Sequences, which a graph has not: a sequence is a list of values while the file is read, and its operators vanish there.
 * PyTorch's older exporter makes them of lists of tensors: of split and unbind (SplitToSequence, of which elements are taken by
 * number), and of lists that are appended to and joined (SequenceEmpty, SequenceInsert, ConcatFromSequence).
 *
 * A sequence is known if its length is, or, of parts that are all alike, where each part is. What needs more is refused.
 */
#ifndef GALI_IMPORT_ONNX_SEQUENCE_H
#define GALI_IMPORT_ONNX_SEQUENCE_H

#include "import/onnx/read.h"

typedef struct gali_onnx_sequence {
    const char *name;
    uint32_t count;
    const uint32_t *values; /* [count]; NULL: parts of one value */
    uint32_t whole; /* that value, cut along the axis into parts of so many, the last one of what is left */
    int64_t axis, part;
    int keeps; /* parts keep the axis, of which they have one each otherwise */
    const struct gali_onnx_sequence *next;
} gali_onnx_sequence;

/* NULL: none of the list has the name. */
const gali_onnx_sequence *gali_onnx_sequence_find(const gali_onnx_sequence *list, const char *name);

/* Whether an operator makes or takes sequences. */
int gali_onnx_is_of_sequences(const char *op);

/*
 * A node of such an operator, whose attributes and operands are read; of[i]: the sequence that operand i is, NULL: a value. Fills
 * *made where it makes a sequence, or *value, a value of the graph; the other is NULL or GALI_NONE. It may add nodes.
 * Errors: GAL_UNSUPPORTED with the place where too little is known, GAL_BAD_DATA, GAL_NO_MEMORY.
 */
gal_status gali_onnx_sequence_read(gali_onnx_reading *n, const gali_onnx_sequence *const *of,
                                   gali_onnx_sequence **made, uint32_t *value);

#endif
