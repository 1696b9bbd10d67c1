/* Libraries by dlopen. */
#include <dlfcn.h>
#include <string.h>

#include "opencl/library.h"

void *gali_library_open(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void (*gali_library_find(void *library, const char *name))(void) {
    void *found = dlsym(library, name);
    void (*function)(void) = NULL;
    memcpy(&function, &found, sizeof function); /* ISO C has no cast from an object's pointer to a function's */
    return function;
}

void gali_library_close(void *library) {
    dlclose(library);
}
