/*
 * Runs every file of a folder through a fuzz target: the tests' way to keep what fuzzing found, without
 * clang. Fails if there is none; a target that is not content aborts.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "fuzz.h"

static int replay(const char *folder, const char *name) {
    char path[4096];
    void *data = NULL;
    size_t size = 0;
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (gali_file_read(path, 1 << 26, NULL, &data, &size, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    LLVMFuzzerTestOneInput(data, size);
    gali_release(NULL, data, size);
    return 1;
}

int main(int argc, char **argv) {
    int ran = 0, failed = argc != 2;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            failed |= !replay(argv[1], entry->d_name);
            ran++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    printf("%d inputs\n", ran);
    return failed || ran == 0;
}
