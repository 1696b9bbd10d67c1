/* A file built into a program: made by cmake/embed.cmake, which defines gali_embedded_<name>. */
#ifndef GALI_BASE_EMBEDDED_H
#define GALI_BASE_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

typedef struct gali_embedded {
    const void *data; /* a zero byte follows it */
    size_t size;      /* 0: the file was not there when the program was built */
} gali_embedded;

#endif
