#include "nearest.h"

#include <string.h>

enum { WORD_MAX = 32 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Levenshtein distance of two words of at most WORD_MAX letters; longer ones are cut. */
static unsigned distance(const char *a, size_t rows, const char *b) {
    unsigned row[WORD_MAX + 1];
    size_t columns = strlen(b) < WORD_MAX ? strlen(b) : WORD_MAX;
    for (size_t j = 0; j <= columns; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= rows && i <= WORD_MAX; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned kept = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = kept;
        }
    }
    return row[columns];
}

void gali_nearest_try(gali_nearest *nearest, const char *written, size_t length, const char *name) {
    unsigned letters = distance(written, length, name);
    if (2 * letters <= strlen(name) && (!nearest->name || letters < nearest->letters)) {
        *nearest = (gali_nearest){name, letters};
    }
}
