/* Names and kinds of attributes.def, shared by the printer, the parser and the verifier. */
#ifndef GALI_COMPILER_NET_ATTRIBUTES_H
#define GALI_COMPILER_NET_ATTRIBUTES_H

#include "compiler/net/net.h"

typedef enum gali_net_attribute_kind {
    GALI_NET_KIND_COUNT,
    GALI_NET_KIND_FORM,
    GALI_NET_KIND_ACTIVATION,
    GALI_NET_KIND_REAL
} gali_net_attribute_kind;

typedef struct gali_net_attribute_facts {
    const char *name;
    gali_net_attribute_kind kind;
} gali_net_attribute_facts;

extern const gali_net_attribute_facts gali_net_attribute_list[GALI_NET_ATTRIBUTE_COUNT];
extern const char *const gali_net_element_names[GALI_NET_ELEMENT_COUNT];

/* The word of a value; NULL where the kind is a number, or has no such value. */
const char *gali_net_attribute_word(gali_net_attribute_kind kind, uint32_t value);

/* The float32 whose bits an attribute of kind REAL holds. */
float gali_net_attribute_real(uint32_t bits);

#endif
