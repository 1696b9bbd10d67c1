#include "graph/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

/* Room for size more bytes and the terminator. */
static int grow(gali_text *text, size_t size) {
    size_t need = gali_size_add(gali_size_add(text->size, size), 1);
    if (text->failed || need <= text->capacity) {
        return !text->failed;
    }
    size_t capacity = gali_size_mul(need, 2);
    char *bytes = capacity == GALI_SIZE_BAD ? NULL : realloc(text->bytes, capacity);
    if (!bytes) {
        text->failed = 1;
        return 0;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return 1;
}

void gali_text_add_bytes(gali_text *text, const char *bytes, size_t size) {
    if (size > 0 && grow(text, size)) { /* of a text that failed there are no bytes */
        memcpy(text->bytes + text->size, bytes, size);
        text->size += size;
        text->bytes[text->size] = 0;
    }
}

static int is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Where the last `most` characters begin, or the first word of theirs that is whole. */
static const char *word_start(const char *name, const char *end, size_t most) {
    const char *start = end - name > (ptrdiff_t)most ? end - most : name, *at = start;
    while (at > name && at < end && (is_word(at[-1]) || !is_word(*at))) {
        at++;
    }
    return at < end ? at : start;
}

void gali_text_add_word(gali_text *text, const char *name, size_t most) {
    static const char idle[] = "_output_0";
    const char *end = name + strlen(name);
    if (end - name > (ptrdiff_t)strlen(idle) && strcmp(end - strlen(idle), idle) == 0) {
        end -= strlen(idle);
    }
    char last = '_';
    for (const char *at = word_start(name, end, most); at < end; at++) {
        char c = is_word(*at) ? *at : '_';
        if (c != '_' || last != '_') {
            gali_text_add_bytes(text, &c, 1);
        }
        last = c;
    }
}

void gali_text_add(gali_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size >= 0 && grow(text, (size_t)size)) {
        vsnprintf(text->bytes + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

void *gali_text_reserve(gali_text *text, size_t size) {
    if (!grow(text, size)) {
        return NULL;
    }
    void *place = text->bytes + text->size;
    text->size += size;
    text->bytes[text->size] = 0;
    return place;
}

void gali_text_cut(gali_text *text, size_t size) {
    if (text->bytes) {
        text->size = size;
        text->bytes[size] = 0;
    }
}

void gali_text_release(gali_text *text) {
    free(text->bytes);
    *text = (gali_text){0};
}

void gali_text_end(gali_text *part, gali_text *whole) {
    whole->failed |= part->failed;
    gali_text_release(part);
}
