/*
 * The compiler's own words: what C11 does not have, and gcc, clang and Microsoft's cl each say in their way. None changes
 * a result. The compiler of models puts this text into the C that it emits.
 *
 *     GALI_INLINE                       as in `static GALI_INLINE void f(void)`: inlined always, so that arguments that
 *                                       are constants where it is called are constants inside
 *     GALI_ALONE                        the other way: inlined nowhere
 *     GALI_UNROLL(turns)                stands before a loop: so many turns in one
 *     GALI_PREFETCH(address, level)     asks for a cache line; level 3: into L1, 2: into L2
 *     GALI_OPAQUE(constraint, variable) the variable is in a register ("x", "r", ... of GNU's assembler) and the compiler
 *                                       knows nothing about its value: no load of it is repeated or moved
 *     GALI_PRINTF(parameter, first)        the function's parameter of that number is printf's format, its arguments start
 *                                       at `first`
 *     GALI_X86_64, GALI_AARCH64         defined: the machine that this is compiled for
 */
#ifndef GALI_BASE_COMPILER_H
#define GALI_BASE_COMPILER_H

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define GALI_INLINE __forceinline
#define GALI_ALONE __declspec(noinline)
#define GALI_UNROLL(turns)
#define GALI_OPAQUE(constraint, variable) ((void)(variable))
#define GALI_PRINTF(parameter, first)
#if defined(_M_X64)
#define GALI_PREFETCH(address, level)                                                                          \
    _mm_prefetch((const char *)(address), (level) == 3 ? _MM_HINT_T0 : _MM_HINT_T1)
#elif defined(_M_ARM64)
#define GALI_PREFETCH(address, level) __prefetch(address)
#else
#define GALI_PREFETCH(address, level) ((void)(address))
#endif
#else
#define GALI_PRAGMA(text) _Pragma(#text)
#define GALI_INLINE inline __attribute__((always_inline))
#define GALI_ALONE __attribute__((noinline))
#define GALI_UNROLL(turns) GALI_PRAGMA(GCC unroll turns)
#define GALI_OPAQUE(constraint, variable) __asm__("" : "+" constraint(variable))
#define GALI_PREFETCH(address, level) __builtin_prefetch(address, 0, level)
#if defined(__MINGW32__) && !defined(__clang__)
#define GALI_PRINTF(parameter, first) __attribute__((format(gnu_printf, parameter, first)))
#else
#define GALI_PRINTF(parameter, first) __attribute__((format(printf, parameter, first)))
#endif
#endif

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define GALI_X86_64
#elif defined(__aarch64__) || defined(_M_ARM64)
#define GALI_AARCH64
#endif

#endif
