/*
 * What Microsoft's headers and start code would bring to a program, so that one that clang makes for their target runs on
 * ucrtbase.dll alone: the entry, and what are inline functions there, printf's family and fabsf.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int __stdio_common_vfprintf(unsigned long long options, FILE *file, const char *format, void *locale,
                            va_list arguments);
int __stdio_common_vsprintf(unsigned long long options, char *to, size_t size, const char *format, void *locale,
                            va_list arguments);
int __stdio_common_vsscanf(unsigned long long options, const char *text, size_t size, const char *format,
                           void *locale, va_list arguments);

enum { STANDARD_SNPRINTF = 2 };

int _fltused = 1; /* every object with floats asks for it */

int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = __stdio_common_vfprintf(0, stdout, format, NULL, arguments);
    va_end(arguments);
    return written;
}

int fprintf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = __stdio_common_vfprintf(0, file, format, NULL, arguments);
    va_end(arguments);
    return written;
}

int vsnprintf(char *to, size_t size, const char *format, va_list arguments) {
    return __stdio_common_vsprintf(STANDARD_SNPRINTF, to, size, format, NULL, arguments);
}

int snprintf(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return written;
}

int sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int read = __stdio_common_vsscanf(0, text, (size_t)-1, format, NULL, arguments);
    va_end(arguments);
    return read;
}

float fabsf(float x) {
    return (float)fabs((double)x);
}

int main(int argc, char **argv);

void mainCRTStartup(void);
void mainCRTStartup(void) {
    char *argv[] = {(char *)"program", NULL};
    exit(main(1, argv));
}
