/* Libraries by LoadLibrary. */
#include <windows.h>

#include "opencl/library.h"

void *gali_library_open(const char *name) {
    return LoadLibraryA(name);
}

void (*gali_library_find(void *library, const char *name))(void) {
    return (void (*)(void))GetProcAddress(library, name);
}

void gali_library_close(void *library) {
    FreeLibrary(library);
}
