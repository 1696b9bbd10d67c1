/* Text that grows: what printers and the emission write. A failure sticks; check once, at the end. */
#ifndef GALI_GRAPH_TEXT_H
#define GALI_GRAPH_TEXT_H

#include <stddef.h>

#include "base/compiler.h"

typedef struct gali_text {
    char *bytes; /* terminated; NULL while empty. Zero-initialise */
    size_t size; /* without the terminator */
    size_t capacity;
    int failed; /* memory ran out: the text is cut */
} gali_text;

/* Appends printf-formatted text. */
GALI_PRINTF(2, 3) void gali_text_add(gali_text *text, const char *format, ...);

/* Appends size bytes. */
void gali_text_add_bytes(gali_text *text, const char *bytes, size_t size);

/*
 * Appends the end of a name of a file as part of a name of C: letters and digits, and one _ for all else in between; `most`
 * characters at most, from the beginning of a word on. "_output_0", which PyTorch's exporter has behind every name, is left out.
 */
void gali_text_add_word(gali_text *text, const char *name, size_t most);

/* Appends size > 0 bytes for the caller to fill; NULL where memory ran out. */
void *gali_text_reserve(gali_text *text, size_t size);

/* Takes back what was appended since the text had so many bytes. */
void gali_text_cut(gali_text *text, size_t size);

void gali_text_release(gali_text *text);

/* Releases a text that was made for another one, whose failure its own is. */
void gali_text_end(gali_text *part, gali_text *whole);

#endif
