/* Running the built command in a folder of its own and looking at what it says. Include after cmocka.h. */
#ifndef TEST_COMMAND_LINE_H
#define TEST_COMMAND_LINE_H

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct said {
    int status;
    char out[1 << 16], err[4096];
} said;

/* Files lie in this folder; %s of a command line's format is its path. */
static char place[64];

static inline int place_make(void **state) {
    (void)state;
    if (access(GALLOP_COMMAND, X_OK) != 0) {
        fprintf(stderr, "the command is not built: %s\n", GALLOP_COMMAND);
        return -1;
    }
    strcpy(place, "gallop-cli-XXXXXX");
    return mkdtemp(place) ? 0 : -1;
}

/* One level deep: all that the tests make. */
static inline int place_remove(void **state) {
    (void)state;
    char path[512];
    DIR *folder = opendir(place);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        if (entry->d_name[0] != '.') {
            remove(path);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return rmdir(place);
}

static inline const char *place_of(const char *name) {
    static char paths[8][160];
    static int next;
    next = (next + 1) % 8;
    snprintf(paths[next], sizeof paths[next], "%s/%s", place, name);
    return paths[next];
}

static inline void slurp(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static inline void spill(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static inline void spill_text(const char *path, const char *text) {
    spill(path, text, strlen(text));
}

/* `gallop ARGUMENTS`. */
static inline const said *gallop(const char *arguments) {
    static said s;
    char command[2048];
    memset(&s, 0, sizeof s);
    snprintf(command, sizeof command,
             "LSAN_OPTIONS=suppressions=" GALLOP_SOURCE_DIR
             "/test/cli/leaks.txt:print_suppressions=0 \"%s\" %s >%s/stdout 2>%s/stderr",
             GALLOP_COMMAND, arguments, place, place);
    int status = system(command);
    s.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(place_of("stdout"), s.out, sizeof s.out);
    slurp(place_of("stderr"), s.err, sizeof s.err);
    return &s;
}

/* The same with what `format` asks for in it. */
static inline const said *gallop_here(const char *format, ...) {
    char arguments[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    return gallop(arguments);
}

static inline void expect_good(const said *s) {
    if (s->status != 0 || s->err[0] != 0) {
        fail_msg("status %d, \"%s\"", s->status, s->err);
    }
}

/* One line on stderr that starts with "gallop" and holds `text`. */
static inline void expect_bad(const said *s, int status, const char *text) {
    const char *newline = strchr(s->err, '\n');
    if (s->status != status || strncmp(s->err, "gallop", 6) != 0 || !newline || newline[1] != 0 ||
        !strstr(s->err, text)) {
        fail_msg("status %d \"%s\", expected %d \"%s\"", s->status, s->err, status, text);
    }
}

static inline void expect_text(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%.2000s\"", part, text);
    }
}

#endif
