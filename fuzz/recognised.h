/* What recognition made of an input: a model file and its contract, the same bytes a second time. */
#ifndef GALLOP_FUZZ_RECOGNISED_H
#define GALLOP_FUZZ_RECOGNISED_H

#include <string.h>

#include "base/memory.h"
#include "checked_model.h"
#include "recognise/model.h"

typedef struct recognised {
    void *bytes; /* NULL: it was refused */
    size_t size;
} recognised;

typedef recognised recognising(const void *input);

static inline recognised recognise_graph(const gali_graph *graph, size_t source_size) {
    recognised made = {0};
    gali_recognise_report report;
    gal_error error = {0};
    const gali_recognise_desc desc = {.source_size = source_size};
    gal_status status = gali_recognise_model(graph, &desc, &made.bytes, &made.size, &report, &error);
    require((status == GAL_OK) == (made.bytes != NULL));
    require(status == GAL_OK || error.message[0] != 0);
    return made;
}

/* Recognises the input twice, and checks what it makes. */
static inline void check_recognised(recognising *recognise, const void *input) {
    recognised first = recognise(input);
    if (first.bytes) {
        check_model(first.bytes, first.size);
        recognised second = recognise(input);
        require(second.size == first.size && memcmp(first.bytes, second.bytes, first.size) == 0);
        gali_release(NULL, second.bytes, second.size);
    }
    gali_release(NULL, first.bytes, first.size);
}

#endif
