/*
 * A bare Hexagon program: no C library, Linux's calls by trap (for qemu-hexagon). What clang calls by itself is here, too.
 * The program defines main.
 */
#include <stddef.h>
#include <stdint.h>

int main(void);

__attribute__((used)) void gali_system_start(void);

__asm__(".text\n.p2align 4\n.globl _start\n_start:\n"
        "{ r0 = r29 }\n{ r29 = and(r29, #-128) }\n{ call gali_system_start }\n");

static long gali_system_call(long number, long a, long b, long c, long d) {
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d;
    register long r6 __asm__("r6") = number;
    __asm__ volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3), "r"(r6) : "memory");
    return r0;
}

static void gali_system_exit(int code) {
    gali_system_call(94, code, 0, 0, 0);
    __builtin_unreachable();
}

void gali_system_start(void) {
    gali_system_exit(main());
}

/* Bytes read or written; less than size at the end of a file or on an error. */
static size_t gali_system_transfer(long number, int file, void *data, size_t size) {
    size_t done = 0;
    while (done < size) {
        long part = gali_system_call(number, file, (long)data + (long)done, (long)(size - done), 0);
        if (part <= 0) {
            break;
        }
        done += (size_t)part;
    }
    return done;
}

static inline size_t gali_system_read(int file, void *data, size_t size) {
    return gali_system_transfer(63, file, data, size);
}

static inline size_t gali_system_write(int file, const void *data, size_t size) {
    return gali_system_transfer(64, file, (void *)(uintptr_t)data, size);
}

/* Packets executed so far: control register 20, for which the assembler has no name. */
static inline uint32_t gali_system_packets(void) {
    register uint32_t r0 __asm__("r0");
    __asm__ volatile(".word 0x6a14c000" : "=r"(r0) : : "memory");
    return r0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *a = to;
    const unsigned char *b = from;
    for (size_t i = 0; i < size; i++) {
        a[i] = b[i];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    unsigned char *a = to;
    for (size_t i = 0; i < size; i++) {
        a[i] = (unsigned char)value;
    }
    return to;
}

/* The quotient bit by bit; the rest in *rest. By 0: all ones, as the compiler may expect anything. */
static uint32_t gali_system_divide(uint32_t a, uint32_t b, uint32_t *rest) {
    uint32_t quotient = 0, left = 0;
    for (int bit = 31; bit >= 0; bit--) {
        const uint32_t carry = left >> 31;
        left = left << 1 | (a >> bit & 1u);
        const int fits = carry || left >= b;
        left -= fits ? b : 0;
        quotient = quotient << 1 | (uint32_t)fits;
    }
    *rest = left;
    return quotient;
}

uint32_t __hexagon_udivsi3(uint32_t a, uint32_t b) {
    uint32_t rest;
    return gali_system_divide(a, b, &rest);
}

uint32_t __hexagon_umodsi3(uint32_t a, uint32_t b) {
    uint32_t rest;
    gali_system_divide(a, b, &rest);
    return rest;
}
