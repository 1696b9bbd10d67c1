/* What a program under qemu-hexagon needs where there is no C library: its start, its output, memory to work on. Included by
 * its one source, which has `start`, and says how many BYTES the memory has. */
#ifndef TEST_HEXAGON_PACKER_BARE_H
#define TEST_HEXAGON_PACKER_BARE_H

void start(void);

enum { WRITE = 64, EXIT = 94 };

static unsigned char out[BYTES] __attribute__((aligned(128)));

static long call_system(long number, long a, long b, long c) {
    register long r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c, r6 __asm__("r6") = number;
    __asm__ volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r6) : "memory");
    return r0;
}

/* Control register c20, which the assembler has no name for: packets executed. */
static unsigned count_packets(void) {
    register unsigned r0 __asm__("r0");
    __asm__ volatile(".word 0x6a14c000" : "=r"(r0) : : "memory");
    return r0;
}

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
    call_system(WRITE, 1, (long)line, end - line);
}

__attribute__((naked)) void _start(void) {
    __asm__ volatile("{ r29 = and(r29,#-128) }\n{ call start }\n");
}

void *memset(void *to, int value, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; i++) {
        ((volatile unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; i++) {
        ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}

#endif
