#ifndef STUB_STDIO_H
#define STUB_STDIO_H
#include <stdarg.h>
#include <stddef.h>
typedef struct _iobuf {
    void *placeholder;
} FILE;
FILE *__acrt_iob_func(unsigned number);
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#define SEEK_SET 0
#define SEEK_END 2
int fclose(FILE *file);
int ferror(FILE *file);
int fflush(FILE *file);
int fseek(FILE *file, long offset, int from);
long ftell(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int sscanf(const char *text, const char *format, ...);
FILE *_wfopen(const wchar_t *path, const wchar_t *mode);
#endif
