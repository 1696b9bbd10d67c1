/* A shared library of the system, by its name: library_posix.c and library_windows.c, one of which is built. */
#ifndef GALI_OPENCL_LIBRARY_H
#define GALI_OPENCL_LIBRARY_H

/* NULL where it is not there. */
void *gali_library_open(const char *name);
/* A function of it; NULL where it has none of that name. */
void (*gali_library_find(void *library, const char *name))(void);
void gali_library_close(void *library);

#endif
