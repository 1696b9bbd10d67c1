/* The half for Linux, macOS, Android, WASI and the like. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* clock_gettime, posix_memalign, mkdir, which C11 does not have */
#endif
#include "base/system.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"

/* Not aligned_alloc, which Android has from level 28 on. */
void *gali_system_allocate(size_t size, size_t alignment) {
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

void gali_system_release(void *memory) {
    free(memory);
}

gali_path_kind gali_system_path_kind(const char *path) {
    struct stat there;
    if (stat(path, &there) != 0) {
        return GALI_PATH_NOTHING;
    }
    return S_ISREG(there.st_mode)   ? GALI_PATH_FILE
           : S_ISDIR(there.st_mode) ? GALI_PATH_FOLDER
                                    : GALI_PATH_OTHER;
}

int gali_system_same_file(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

FILE *gali_system_open(const char *path, const char *mode) {
    return fopen(path, mode);
}

int gali_system_replace(const char *from, const char *to) {
    return rename(from, to) == 0;
}

int gali_system_remove(const char *path) {
    return remove(path) == 0;
}

int gali_system_make_folder(const char *path) {
    return mkdir(path, 0777) == 0;
}

double gali_clock_seconds(void) {
    struct timespec t;
#ifdef CLOCK_MONOTONIC
    const int known = clock_gettime(CLOCK_MONOTONIC, &t) == 0;
#else
    const int known = timespec_get(&t, TIME_UTC) == TIME_UTC;
#endif
    return known ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double gali_clock_thread_seconds(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
#endif
    return gali_clock_seconds();
}
