/* Which command a command line means, its help, and how commands report. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "nearest.h"

static const gali_command *const commands[] = {
    &gali_command_demo,     &gali_command_import,  &gali_command_info,    &gali_command_check,
    &gali_command_eval,     &gali_command_drive,   &gali_command_export,  &gali_command_judge,
    &gali_command_quantize, &gali_command_tune,    &gali_command_compile, &gali_command_replay,
    &gali_command_simulate, &gali_command_inspect, &gali_command_probe,   &gali_command_run,
    &gali_command_pack,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void say(const char *command, const char *format, va_list arguments) {
    fprintf(stderr, command && *command ? "gallop %s: " : "gallop%s: ", command ? command : "");
    vfprintf(stderr, format, arguments);
}

int gali_command_bad(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return GALI_EXIT_BAD;
}

int gali_command_usage(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see: gallop help%s%s)\n", command && *command ? " " : "", command ? command : "");
    return GALI_EXIT_USAGE;
}

int gali_command_spare(const char *command, const char *out, const char *const *read, size_t count) {
    return out && gali_file_replaces(out, read, count)
               ? gali_command_usage(command, "%s: a file that is read, which would be lost", out)
               : GALI_EXIT_OK;
}

static const gali_command *find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int unknown(const char *name) {
    gali_nearest nearest = {0};
    const char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".gallop") == 0) {
        return gali_command_usage(NULL, "%s: a command goes before a model, as in: gallop info %s", name, name);
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        gali_nearest_try(&nearest, name, strlen(name), commands[i]->name);
    }
    if (nearest.name) {
        return gali_command_usage(NULL, "unknown command %s; did you mean %s?", name, nearest.name);
    }
    return gali_command_usage(NULL, "unknown command %s", name);
}

static int help(FILE *out) {
    fprintf(
        out,
        "usage: gallop COMMAND ...\n\nNeural character controllers: many characters, one call a frame.\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-8s %s\n", "help", "this list, or `gallop help COMMAND`");
    fprintf(out, "\ngallop --version prints the version. Exit status: 0 done, 1 bad input, 2 wrong usage.\n");
    return GALI_EXIT_OK;
}

static int help_of(const char *name) {
    const gali_command *command = find(name);
    if (!command) {
        return unknown(name);
    }
    printf("%s", command->help);
    return GALI_EXIT_OK;
}

static int wants_help(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return 1;
        }
    }
    return 0;
}

/* A full disk or a closed pipe shows only when stdout is flushed. */
static int finish(const char *name, int result) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return gali_command_bad(name, "standard output could not be written");
    }
    return result;
}

int gali_command_main(const char *name, int argc, char **argv) {
    if (!name) {
        help(stderr);
        return GALI_EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-v") == 0 || strcmp(name, "version") == 0) {
        printf("gallop %s\n", gal_version());
        return finish(NULL, GALI_EXIT_OK);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return finish(NULL, argc > 1 ? help_of(argv[1]) : help(stdout));
    }
    const gali_command *command = find(name);
    if (!command) {
        return unknown(name);
    }
    return finish(name, wants_help(argc, argv) ? help_of(name) : command->run(argc, argv));
}
