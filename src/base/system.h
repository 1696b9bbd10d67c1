/*
 * What C11 leaves to the operating system, in two halves that say the same: system_posix.c and system_windows.c, one of
 * which is built. Paths are UTF-8 on all systems, with / between their parts (Windows takes \ as well).
 */
#ifndef GALI_BASE_SYSTEM_H
#define GALI_BASE_SYSTEM_H

#include <stddef.h>
#include <stdio.h>

/* size bytes, >= 1, aligned to a power of two >= sizeof(void *); NULL if there are none. Released with gali_system_release
 * alone: Windows frees aligned memory by another function than free. NULL is allowed there. */
void *gali_system_allocate(size_t size, size_t alignment);
void gali_system_release(void *memory);

typedef enum gali_path_kind {
    GALI_PATH_NOTHING, /* or nothing that may be looked at */
    GALI_PATH_FILE,
    GALI_PATH_FOLDER,
    GALI_PATH_OTHER, /* a device, a pipe */
} gali_path_kind;

gali_path_kind gali_system_path_kind(const char *path);

/* Whether both paths lead to one file, by whatever names: other spellings, links of both sorts. What is no file is none. */
int gali_system_same_file(const char *one, const char *other);

/* fopen; NULL with errno. */
FILE *gali_system_open(const char *path, const char *mode);

/* These return 1, or 0 with errno. */

/* Puts the file `from` in the place of `to`, which may be a file; no moment has neither. */
int gali_system_replace(const char *from, const char *to);
int gali_system_remove(const char *path);

/* One folder; 0 with EEXIST where anything is there. */
int gali_system_make_folder(const char *path);

#endif
