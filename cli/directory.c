#include "directory.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"

/* A folder of the path's first `length` bytes, cut off for the while. */
static int make_part(char *path, size_t length) {
    char kept = path[length];
    path[length] = '\0';
    int made = gali_system_make_folder(path) || errno == EEXIST;
    path[length] = kept;
    return made;
}

gal_status gali_directory_make(const char *path, gal_error *error) {
    char parts[4096];
    size_t size = strlen(path);
    if (size >= sizeof parts) {
        return gali_fail(error, GAL_IO, "%.64s...: the path is too long", path);
    }
    memcpy(parts, path, size + 1);
    for (size_t i = 1; i < size; i++) {
        if (parts[i] == '/') {
            make_part(parts, i); /* what cannot be made shows at the end */
        }
    }
    if (size > 0 && !make_part(parts, size)) {
        return gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
    }
    if (gali_system_path_kind(path) != GALI_PATH_FOLDER) {
        return gali_fail(error, GAL_IO, "%s: %s", path, strerror(size > 0 ? ENOTDIR : ENOENT));
    }
    return GAL_OK;
}

gal_status gali_directory_make_for(const char *path, gal_error *error) {
    char folder[4096];
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (path && (gali_system_path_kind(path) == GALI_PATH_FOLDER || (slash && slash[1] == '\0'))) {
        return gali_fail(error, GAL_IO, "%s: %s", path, strerror(EISDIR));
    }
    if (!slash || slash == path) {
        return GAL_OK;
    }
    if ((size_t)(slash - path) >= sizeof folder) {
        return gali_fail(error, GAL_IO, "%.64s...: the path is too long", path);
    }
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return gali_directory_make(folder, error);
}

int gali_directory_name_fits(const char *path, const char *ending, const char *other) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return !dot || strcmp(dot, ending) == 0 || strcmp(dot, other) == 0;
}
