#define _GNU_SOURCE /* memmem */
#include "compiler/tune/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

extern char **environ;

enum { WORDS_MAX = 32, PATH_BYTES = 4096 };

typedef struct paths {
    char folder[PATH_BYTES - 16], source[PATH_BYTES], object[PATH_BYTES], messages[PATH_BYTES];
} paths;

static gal_status make_folder(paths *p, gal_error *error) {
    const char *base = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%s/gallop-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(p->folder)) {
        return gali_fail(error, GAL_IO, "%s: %s", p->folder, strerror(errno));
    }
    snprintf(p->source, sizeof p->source, "%s/k.c", p->folder);
    snprintf(p->object, sizeof p->object, "%s/k.so", p->folder);
    snprintf(p->messages, sizeof p->messages, "%s/k.txt", p->folder);
    return GAL_OK;
}

static void remove_folder(const paths *p) {
    unlink(p->source);
    unlink(p->object);
    unlink(p->messages);
    rmdir(p->folder);
}

/* Runs argv with its messages in a file; 0 if it could not, or did not end well. */
static int run(char **argv, const char *messages, int *status) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return 0;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return 0;
    }
    /* A group of its own: ^C is for the program, which ends after this batch. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        return 0;
    }
    while (waitpid(child, status, 0) < 0) {
        if (errno != EINTR) {
            return 0;
        }
    }
    return 1;
}

static int is_on_path(const char *program) {
    char path[PATH_BYTES];
    const char *at = getenv("PATH");
    for (size_t size; at && *at; at += size + (at[size] == ':')) {
        size = strcspn(at, ":");
        int whole = snprintf(path, sizeof path, "%.*s/%s", (int)size, at, program) < (int)sizeof path;
        if (whole && access(path, X_OK) == 0) {
            return 1;
        }
    }
    return 0;
}

gal_status gali_object_compiler(char words[GALI_COMPILER_BYTES], gal_error *error) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *asked = getenv("CC"), *found = asked && *asked ? asked : NULL;
    for (size_t i = 0; !found && i < sizeof usual / sizeof usual[0]; i++) {
        found = is_on_path(usual[i]) ? usual[i] : NULL;
    }
    if (!found) {
        return gali_fail(error, GAL_IO,
                         "no C compiler: neither cc, gcc nor clang is on PATH, and CC does not name one");
    }
    return snprintf(words, GALI_COMPILER_BYTES, "%s", found) < GALI_COMPILER_BYTES
               ? GAL_OK
               : gali_fail(error, GAL_IO, "CC: longer than %d bytes", GALI_COMPILER_BYTES);
}

/* The compiler's first line with an error in it, or its first. */
static gal_status complain(const gali_object_files *p, const char *compiler, gal_error *error) {
    void *bytes;
    size_t size;
    gal_status status = gali_file_read(p->messages, 1 << 20, NULL, &bytes, &size, error);
    if (status != GAL_OK) {
        return status;
    }
    const char *line = bytes, *end = line + size, *said = line;
    size_t length = 0;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t whole = (size_t)((newline ? newline : end) - line);
        int is_error = memmem(line, whole, "error:", 6) != NULL;
        said = is_error ? line : said;
        length = is_error || line == bytes ? whole : length;
        if (is_error) {
            break;
        }
        line += whole + (newline != NULL);
    }
    status =
        length ? gali_fail(error, GAL_BAD_DATA, "%s: %.*s", compiler, (int)(length < 200 ? length : 200), said)
               : gali_fail(error, GAL_BAD_DATA, "%s failed without a word", compiler);
    gali_release(NULL, bytes, size);
    return status;
}

/* Appends the words of text, which is cut up. */
static size_t add_words(char **argv, size_t count, char *text) {
    char *rest = text;
    for (char *word = strtok_r(text, " ", &rest); word && count < WORDS_MAX;
         word = strtok_r(NULL, " ", &rest)) {
        argv[count++] = word;
    }
    return count;
}

gal_status gali_object_build(const char *compiler, const char *flags, const gali_object_files *files,
                             gal_error *error) {
    char first[GALI_COMPILER_BYTES], more[GALI_COMPILER_BYTES], *argv[WORDS_MAX + 12];
    static char *const fixed[] = {"-std=c11", "-ffp-contract=off", "-w", "-fPIC", "-shared"};
    int status = 0;
    snprintf(first, sizeof first, "%s", compiler);
    snprintf(more, sizeof more, "%s", flags);
    size_t count = add_words(argv, 0, first);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        argv[count++] = fixed[i];
    }
    count = add_words(argv, count, more);
    argv[count++] = (char *)"-o";
    argv[count++] = (char *)files->object;
    argv[count++] = (char *)files->source;
    argv[count++] = (char *)"-lm";
    argv[count] = NULL;
    if (!run(argv, files->messages, &status)) {
        return gali_fail(error, GAL_IO, "%s cannot be run: a C compiler is needed (CC names another)", argv[0]);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GAL_OK : complain(files, argv[0], error);
}

gal_status gali_object_open(gali_object *object, const char *path, gal_error *error) {
    object->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return object->library ? GAL_OK : gali_fail(error, GAL_IO, "%s", dlerror());
}

gal_status gali_object_make(gali_object *object, const char *text, const gali_target *target, const char *more,
                            gal_error *error) {
    paths p;
    char compiler[GALI_COMPILER_BYTES], flags[GALI_COMPILER_BYTES];
    gal_status status = make_folder(&p, error);
    if (status != GAL_OK) {
        return status;
    }
    snprintf(flags, sizeof flags, "%s %s", more, target->flags);
    status = gali_file_write(p.source, text, strlen(text), error);
    status = status == GAL_OK ? gali_object_compiler(compiler, error) : status;
    if (status == GAL_OK) {
        status =
            gali_object_build(compiler, flags, &(gali_object_files){p.source, p.object, p.messages}, error);
    }
    status = status == GAL_OK ? gali_object_open(object, p.object, error) : status;
    remove_folder(&p);
    return status;
}

void *gali_object_find(const gali_object *object, const char *name) {
    return dlsym(object->library, name);
}

void gali_object_release(gali_object *object) {
    if (object->library) {
        dlclose(object->library);
    }
    object->library = NULL;
}
