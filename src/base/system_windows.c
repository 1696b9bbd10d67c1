/*
 * The half for Windows. The C library's own functions take paths in the code page of the machine, which has few of the
 * world's letters; their wide twins take all, so paths become UTF-16 here. Windows itself ends them at 260 letters,
 * unless the program's manifest says otherwise.
 */
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#define NOUSER
#define NOGDI
#include "base/system.h"

#include <errno.h>
#include <malloc.h>
#include <windows.h>

#include "base/clock.h"

enum { WIDE_MAX = 4096 };

void *gali_system_allocate(size_t size, size_t alignment) {
    return _aligned_malloc(size, alignment);
}

void gali_system_release(void *memory) {
    _aligned_free(memory);
}

/* UTF-8 to UTF-16; 0 with errno where it is none or too long. */
static int widen(const char *text, wchar_t *wide) {
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, WIDE_MAX) > 0) {
        return 1;
    }
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
    return 0;
}

/* 1, or 0 with errno for what Windows says. */
static int done(BOOL well) {
    if (well) {
        return 1;
    }
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        errno = ENOENT;
        break;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        errno = EEXIST;
        break;
    case ERROR_DISK_FULL:
        errno = ENOSPC;
        break;
    default:
        errno = EACCES;
    }
    return 0;
}

/* Asks an open handle: attributes of a path call the device NUL a file. */
static gali_path_kind look(const char *path, BY_HANDLE_FILE_INFORMATION *about) {
    wchar_t wide[WIDE_MAX];
    gali_path_kind kind = GALI_PATH_OTHER;
    if (!widen(path, wide)) {
        return GALI_PATH_NOTHING;
    }
    HANDLE handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        return GALI_PATH_NOTHING;
    }
    if (GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, about)) {
        kind = about->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? GALI_PATH_FOLDER : GALI_PATH_FILE;
    }
    CloseHandle(handle);
    return kind;
}

gali_path_kind gali_system_path_kind(const char *path) {
    BY_HANDLE_FILE_INFORMATION about;
    return look(path, &about);
}

int gali_system_same_file(const char *one, const char *other) {
    BY_HANDLE_FILE_INFORMATION a, b;
    return look(one, &a) == GALI_PATH_FILE && look(other, &b) == GALI_PATH_FILE &&
           a.dwVolumeSerialNumber == b.dwVolumeSerialNumber && a.nFileIndexHigh == b.nFileIndexHigh &&
           a.nFileIndexLow == b.nFileIndexLow;
}

FILE *gali_system_open(const char *path, const char *mode) {
    wchar_t wide[WIDE_MAX], how[16] = {0};
    if (!widen(path, wide)) {
        return NULL;
    }
    for (size_t i = 0; mode[i] && i < sizeof how / sizeof how[0] - 1; i++) {
        how[i] = (wchar_t)mode[i];
    }
    return _wfopen(wide, how);
}

int gali_system_replace(const char *from, const char *to) {
    wchar_t wide_from[WIDE_MAX], wide_to[WIDE_MAX];
    return widen(from, wide_from) && widen(to, wide_to) &&
           done(MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING));
}

int gali_system_remove(const char *path) {
    wchar_t wide[WIDE_MAX];
    return widen(path, wide) && done(DeleteFileW(wide));
}

int gali_system_make_folder(const char *path) {
    wchar_t wide[WIDE_MAX];
    return widen(path, wide) && done(CreateDirectoryW(wide, NULL));
}

double gali_clock_seconds(void) {
    LARGE_INTEGER ticks, per_second;
    if (!QueryPerformanceCounter(&ticks) || !QueryPerformanceFrequency(&per_second)) {
        return 0;
    }
    return (double)ticks.QuadPart / (double)per_second.QuadPart;
}

double gali_clock_thread_seconds(void) {
    return gali_clock_seconds(); /* GetThreadTimes counts in steps of 16 ms, longer than what is timed */
}
