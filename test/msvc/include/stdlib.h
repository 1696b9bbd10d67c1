#ifndef STUB_STDLIB_H
#define STUB_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
void exit(int status);
char *getenv(const char *name);
int abs(int x);
long labs(long x);
long long llabs(long long x);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
void qsort(void *at, size_t count, size_t size, int (*compare)(const void *a, const void *b));
#endif
