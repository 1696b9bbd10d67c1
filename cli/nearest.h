/* What somebody meant who wrote a word that is none of a list. */
#ifndef GALI_CLI_NEAREST_H
#define GALI_CLI_NEAREST_H

#include <stddef.h>

typedef struct gali_nearest {
    const char *name; /* NULL: none is near */
    unsigned letters; /* that differ */
} gali_nearest;

/* Tries one more name, of which fewer than half of the letters may differ from `written`. Start with zeros. */
void gali_nearest_try(gali_nearest *nearest, const char *written, size_t length, const char *name);

#endif
