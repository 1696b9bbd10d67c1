/* Names and kinds of attributes.def, shared by the printer, the parser and the verifier. */
#ifndef GALI_COMPILER_GRAPH_ATTRIBUTES_H
#define GALI_COMPILER_GRAPH_ATTRIBUTES_H

#include "compiler/graph/graph.h"

typedef enum gali_attribute_kind {
    GALI_KIND_COUNT,
    GALI_KIND_FORM,
    GALI_KIND_ACTIVATION,
    GALI_KIND_REAL
} gali_attribute_kind;

typedef struct gali_attribute_facts {
    const char *name;
    gali_attribute_kind kind;
} gali_attribute_facts;

extern const gali_attribute_facts gali_attribute_list[GALI_ATTRIBUTE_COUNT];
extern const char *const gali_element_names[GALI_ELEMENT_COUNT];

/* The word of a value; NULL where the kind is a number, or has no such value. */
const char *gali_attribute_word(gali_attribute_kind kind, uint32_t value);

/* The float32 whose bits an attribute of kind REAL holds. */
float gali_attribute_real(uint32_t bits);

#endif
