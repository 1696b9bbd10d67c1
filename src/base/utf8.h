/* Whether bytes are text. */
#ifndef GALI_BASE_UTF8_H
#define GALI_BASE_UTF8_H

#include <stddef.h>

/*
 * Offset of the first byte that is not part of well-formed UTF-8 (Unicode's table 3-7: no overlong forms, no
 * surrogates, nothing past U+10FFFF) or is NUL; size if there is none.
 */
size_t gali_utf8_check(const void *bytes, size_t size);

#endif
