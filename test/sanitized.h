/*
 * Whether this is a build with the address sanitizer. It is after pointers, at several times the cost: of cases that differ
 * in numbers alone it runs some, and what other compilers make of emitted C, which is not sanitized, it leaves to the others.
 */
#ifndef TEST_SANITIZED_H
#define TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
