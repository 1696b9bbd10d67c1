/* Decimal numbers in text, with a dot in every locale (the C library's follow the host's). */
#ifndef GALI_BASE_NUMBER_H
#define GALI_BASE_NUMBER_H

#include <stddef.h>

enum { GALI_NUMBER_MAX = 24 }; /* bytes that gali_number_write needs, terminator included */

/*
 * The number that the size bytes at text spell: [+-]digits[.digits][e[+-]digits], a digit before or after the
 * dot. Returns 0, and leaves *value alone, if they spell none or one past the range of double; else 1.
 *
 * Accuracy: up to 19 digits count; the result is the nearest double for up to 15 digits and a decimal
 * exponent within +-22, and within 8 units in the last place for others (below 1e-300: 1e-308). So a float32
 * written with nine digits reads back as itself.
 */
int gali_number_read(const char *text, size_t size, double *value);

/* Writes the shortest decimal that reads back as value (finite), terminated, into GALI_NUMBER_MAX bytes. */
void gali_number_write(char *text, float value);

#endif
