#include "import/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"

enum { PATH_MAX_BYTES = 4096 };

/* The file folder/name opened; NULL with *status set. */
static FILE *open_in(const char *folder, const char *name, gal_status *status, gal_error *error) {
    char path[PATH_MAX_BYTES];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || length >= PATH_MAX_BYTES) {
        *status = gali_fail(error, GAL_IO, "%s: path too long", name);
        return NULL;
    }
    errno = 0;
    FILE *file = gali_system_open(path, "rb");
    if (!file) {
        *status = errno == ENOENT ? GAL_NOT_FOUND : gali_fail(error, GAL_IO, "%s: %s", name, strerror(errno));
    }
    return file;
}

static gal_status folder_size(void *context, const char *name, size_t *size, gal_error *error) {
    gal_status status = GAL_OK;
    FILE *file = open_in(context, name, &status, error);
    if (!file) {
        return status;
    }
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    if (end < 0 || end == LONG_MAX) { /* LONG_MAX is what a folder says */
        return gali_fail(error, GAL_IO, "%s: not a readable file", name);
    }
    *size = (size_t)end;
    return GAL_OK;
}

static gal_status folder_read(void *context, const char *name, void *bytes, size_t size, gal_error *error) {
    gal_status status = GAL_OK;
    FILE *file = open_in(context, name, &status, error);
    if (!file) {
        return status == GAL_NOT_FOUND ? gali_fail(error, GAL_IO, "%s: gone", name) : status;
    }
    size_t got = fread(bytes, 1, size, file);
    fclose(file);
    return got == size ? GAL_OK : gali_fail(error, GAL_IO, "%s: read error", name);
}

gali_files gali_files_folder(const char *path) {
    return (gali_files){folder_size, folder_read, (void *)path};
}
