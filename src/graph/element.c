#include "graph/element.h"

const gali_element_facts gali_element_list[GALI_ELEMENT_COUNT] = {
#define ELEMENT(name, word, kind, bytes, onnx, c) {word, GALI_##kind, bytes, onnx, c},
#include "graph/elements.def"
#undef ELEMENT
};

gali_element gali_element_of_onnx(int64_t onnx) {
    int element = 0;
    while (element < GALI_ELEMENT_COUNT && gali_element_list[element].onnx != onnx) {
        element++;
    }
    return (gali_element)element;
}
