/*
 * Runs each kernel on numbers of a fixed seed under qemu-hexagon, freestanding, and prints a line a kernel: its name, a hash
 * of what it wrote, and the packets that it took, both in hexadecimal.
 */
#include <hexagon_types.h>

#include "kernels.h"

enum { BYTES = 1 << 18, WRITE = 64, EXIT = 94 };

static unsigned char in[BYTES] __attribute__((aligned(128))), weights[BYTES] __attribute__((aligned(128)));
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

static void say(const char *name, unsigned packets) {
    char line[96], *end = put(line, name);
    *end++ = ' ';
    end = put_hex(end, hash());
    *end++ = ' ';
    end = put_hex(end, packets);
    *end++ = '\n';
    call_system(WRITE, 1, (long)line, end - line);
}

#define RUN(name, call)                                                                                        \
    do {                                                                                                       \
        fill(out, 3);                                                                                          \
        const unsigned before = count_packets();                                                               \
        call;                                                                                                  \
        say(name, count_packets() - before);                                                                   \
    } while (0)

static void run_all(void) {
    const HVX_Vector *a = (const HVX_Vector *)in, *w = (const HVX_Vector *)weights;
    HVX_Vector *o = (HVX_Vector *)out;
    fill(in, 1);
    fill(weights, 2);
    RUN("vrmpy/64", dense_vrmpy(in, w, o, 64, 16));
    RUN("vrmpy/92", dense_vrmpy(in, w, o, 92, 8));
    RUN("vmpy/64", dense_vmpy(in, w, (HVX_VectorPair *)out, 64, 16));
    RUN("vmpy/93", dense_vmpy(in, w, (HVX_VectorPair *)out, 93, 4));
    RUN("vmpa/64", dense_vmpa(in, (const HVX_VectorPair *)weights, (HVX_VectorPair *)out, 64, 16));
    RUN("vmpa/93", dense_vmpa(in, (const HVX_VectorPair *)weights, (HVX_VectorPair *)out, 93, 4));
    RUN("add3/67", add3(a, w, a + 100, (HVX_VectorPair *)out, 67));
    RUN("requant/33", requant(a, w, o, 33, 0x5a5a1234, 3));
    RUN("relu_add/77", relu_add(a, w, o, 77));
    RUN("pool2/77", pool2(a, w, o, 77));
    RUN("depthwise/65", depthwise(a, (const int *)weights, (HVX_VectorPair *)out, 65, 66));
    RUN("unaligned/77", unaligned(in, o, 77));
}

void start(void) {
    run_all();
    call_system(EXIT, 0, 0, 0);
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
