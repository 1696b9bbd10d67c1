/* What test programs on bare Hexagon share: the system, printing, random numbers. They define main. */
#ifndef TEST_COMPILER_HVX_BARE_H
#define TEST_COMPILER_HVX_BARE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <hexagon_types.h>

#include <hexagon_protos.h>

#include <hvx_hexagon_protos.h>

#include "base/compiler.h"

#include "system.h"

static void print_number(int file, uint32_t n) {
    char digits[10];
    uint32_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    gali_system_write(file, digits + at, sizeof digits - at);
}

/* printf of %u, %d and %s alone. */
static void print_list(int file, const char *format, va_list arguments) {
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            gali_system_write(file, at, 1);
            continue;
        }
        const char kind = *++at;
        if (kind == 's') {
            for (const char *text = va_arg(arguments, const char *); *text; text++) {
                gali_system_write(file, text, 1);
            }
            continue;
        }
        const uint32_t n = va_arg(arguments, uint32_t);
        const int minus = kind == 'd' && (int32_t)n < 0;
        gali_system_write(file, "-", (size_t)minus);
        print_number(file, minus ? 0u - n : n);
    }
}

static inline void print_to(int file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_list(file, format, arguments);
    va_end(arguments);
}

static inline void print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_list(1, format, arguments);
    va_end(arguments);
}

static inline uint32_t random_bits(void) {
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

#endif
