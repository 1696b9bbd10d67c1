/*
 * Windows: the command line comes as UTF-16 and becomes UTF-8, which the console is told, too. What is printed has no
 * carriage returns, so that it is the same bytes as elsewhere, numbers and pages alike.
 */
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include "commands.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <shellapi.h>

/* UTF-8 of a word, for ever; NULL if there is no memory. */
static char *narrow(const wchar_t *word) {
    const int size = WideCharToMultiByte(CP_UTF8, 0, word, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    return text && WideCharToMultiByte(CP_UTF8, 0, word, -1, text, size, NULL, NULL) == size ? text : NULL;
}

int main(void) {
    int count = 0;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
    char **argv = words ? calloc((size_t)count + 1, sizeof *argv) : NULL;
    for (int i = 0; argv && i < count; i++) {
        argv[i] = narrow(words[i]);
        if (!argv[i]) {
            argv = NULL;
        }
    }
    if (!argv) {
        return gali_command_bad(NULL, "no memory");
    }
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    return gali_command_main(count > 1 ? argv[1] : NULL, count - 1, argv + 1);
}
