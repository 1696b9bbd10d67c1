#include "graph/element.h"

const gali_element_facts gali_element_list[GALI_ELEMENT_COUNT] = {
#define ELEMENT(name, word, kind, bytes, onnx, c) {word, GALI_##kind, bytes, onnx, c},
#include "graph/elements.def"
#undef ELEMENT
};
