#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"

static gal_status size_of(FILE *file, const char *path, size_t most, size_t *size, gal_error *error) {
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || end == LONG_MAX || fseek(file, 0, SEEK_SET) != 0) {
        int is_folder = gali_system_path_kind(path) == GALI_PATH_FOLDER;
        return gali_fail(error, GAL_IO, is_folder ? "%s: a folder, expected a file" : "%s: not a readable file",
                         path);
    }
    if ((unsigned long)end > most) {
        return gali_fail(error, GAL_BAD_DATA, "%s: %ld bytes, at most %zu expected", path, end, most);
    }
    *size = (size_t)end;
    return GAL_OK;
}

static gal_status read_open(FILE *file, const char *path, size_t most, const gal_allocator *allocator,
                            void **data, size_t *size, gal_error *error) {
    gal_status status = size_of(file, path, most, size, error);
    if (status != GAL_OK) {
        return status;
    }
    void *bytes = gali_allocate(allocator, *size);
    if (!bytes) {
        return gali_fail(error, GAL_NO_MEMORY, "%s: no memory for %zu bytes", path, *size);
    }
    if (fread(bytes, 1, *size, file) != *size) {
        gali_release(allocator, bytes, *size);
        return gali_fail(error, GAL_IO, "%s: %s", path, errno ? strerror(errno) : "read error");
    }
    *data = bytes;
    return GAL_OK;
}

gal_status gali_file_read(const char *path, size_t most, const gal_allocator *allocator, void **data,
                          size_t *size, gal_error *error) {
    *data = NULL;
    *size = 0;
    errno = 0;
    FILE *file = gali_system_open(path, "rb");
    if (!file) {
        return gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
    }
    gal_status status = read_open(file, path, most, allocator, data, size, error);
    fclose(file);
    return status;
}

/* A rename puts a file in place of whatever is there: right for files, the end of a device or a pipe. */
static int is_replaceable(const char *path) {
    const gali_path_kind kind = gali_system_path_kind(path);
    return kind == GALI_PATH_NOTHING || kind == GALI_PATH_FILE;
}

/* Where a draft of path is written; 0 if that is too long. */
static int name_written(char *written, size_t size, const char *path) {
    const char *mark = strcmp(path, "-") != 0 && is_replaceable(path) ? ".part" : "";
    int length = snprintf(written, size, "%s%s", path, mark);
    return length >= 0 && (size_t)length < size;
}

int gali_file_replaces(const char *out, const char *const *files, size_t count) {
    char written[sizeof((gali_file_draft *)0)->written];
    int replaces = 0;
    if (strcmp(out, "-") == 0 || !name_written(written, sizeof written, out)) {
        return 0;
    }
    for (size_t i = 0; i < count && !replaces; i++) {
        replaces =
            files[i] && (gali_system_same_file(out, files[i]) || gali_system_same_file(written, files[i]));
    }
    return replaces;
}

gal_status gali_file_begin(gali_file_draft *draft, const char *path, gal_error *error) {
    draft->path = path;
    draft->stream = NULL;
    if (!name_written(draft->written, sizeof draft->written, path)) {
        return gali_fail(error, GAL_IO, "%.200s...: path too long", path);
    }
    if (strcmp(path, "-") == 0) {
        draft->stream = stdout;
        return GAL_OK;
    }
    errno = 0;
    draft->stream = gali_system_open(draft->written, "wb");
    return draft->stream ? GAL_OK : gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
}

gal_status gali_file_finish(gali_file_draft *draft, gal_error *error) {
    int in_place = strcmp(draft->written, draft->path) == 0;
    int failed = ferror(draft->stream);
    failed |= (draft->stream == stdout ? fflush(stdout) : fclose(draft->stream)) != 0;
    if (failed || (!in_place && !gali_system_replace(draft->written, draft->path))) {
        gali_fail(error, GAL_IO, "%s: %s", draft->path, errno ? strerror(errno) : "write error");
        if (!in_place) {
            gali_system_remove(draft->written);
        }
        return GAL_IO;
    }
    return GAL_OK;
}

gal_status gali_file_write(const char *path, const void *data, size_t size, gal_error *error) {
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, path, error);
    if (status != GAL_OK) {
        return status;
    }
    fwrite(data, 1, size, draft.stream);
    return gali_file_finish(&draft, error);
}
