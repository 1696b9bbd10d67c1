/* Types of a tensor's elements (elements.def): one list for graphs, expressions and loops. */
#ifndef GALI_GRAPH_ELEMENT_H
#define GALI_GRAPH_ELEMENT_H

#include <stdint.h>

typedef enum gali_element {
#define ELEMENT(name, word, kind, bytes, onnx, c) GALI_##name,
#include "graph/elements.def"
#undef ELEMENT
    GALI_ELEMENT_COUNT
} gali_element;

typedef enum gali_element_kind { GALI_REAL, GALI_SIGNED, GALI_UNSIGNED, GALI_TRUTH } gali_element_kind;

typedef struct gali_element_facts {
    const char *word;
    gali_element_kind kind;
    uint32_t bytes;
    int onnx;
    const char *c;
} gali_element_facts;

extern const gali_element_facts gali_element_list[GALI_ELEMENT_COUNT];

/* The element of that TensorProto.DataType; GALI_ELEMENT_COUNT if it is none of ours. */
gali_element gali_element_of_onnx(int64_t onnx);

#endif
