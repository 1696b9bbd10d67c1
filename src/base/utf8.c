#include "base/utf8.h"

/* Length of the well-formed sequence at b, of which there are left > 0 bytes; 0 if there is none. */
static size_t sequence(const unsigned char *b, size_t left) {
    if (b[0] < 0x80) {
        return b[0] != 0;
    }
    size_t length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4 || left < length) {
        return 0;
    }
    unsigned least = b[0] == 0xE0 ? 0xA0 : b[0] == 0xF0 ? 0x90 : 0x80;
    unsigned most = b[0] == 0xED ? 0x9F : b[0] == 0xF4 ? 0x8F : 0xBF;
    if (b[1] < least || b[1] > most) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((b[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t gali_utf8_check(const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    size_t at = 0;
    while (at < size) {
        size_t length = sequence(b + at, size - at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return size;
}
