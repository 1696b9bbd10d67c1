/* What the packer's programs say of what they ran: a hash of memory, and packets. Included by a program's one source, which
 * says how many BYTES the memory has. */
#ifndef TEST_HEXAGON_PACKER_REPORT_H
#define TEST_HEXAGON_PACKER_REPORT_H

#include "system.h"

static unsigned char out[BYTES] __attribute__((aligned(128)));

static void fill(unsigned char *bytes, unsigned seed) {
    for (unsigned i = 0; i < BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(seed >> 24);
    }
}

static unsigned hash(void) {
    unsigned sum = 2166136261u;
    for (unsigned i = 0; i < BYTES; i++) {
        sum = (sum ^ out[i]) * 16777619u;
    }
    return sum;
}

static char *put(char *to, const char *word) {
    while (*word) {
        *to++ = *word++;
    }
    return to;
}

static char *put_hex(char *to, unsigned number) {
    for (int shift = 28; shift >= 0; shift -= 4) {
        *to++ = "0123456789abcdef"[number >> shift & 15];
    }
    return to;
}

/* Prints a name, the hash of out, and packets. */
static void say(const char *name, unsigned packets) {
    char line[96], *end = put(line, name);
    *end++ = ' ';
    end = put_hex(end, hash());
    *end++ = ' ';
    end = put_hex(end, packets);
    *end++ = '\n';
    gali_system_write(1, line, (size_t)(end - line));
}

#endif
