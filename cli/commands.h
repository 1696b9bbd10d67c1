/*
 * The subcommands of `gallop`: one constant gali_command each, listed in command_line.c.
 *
 * A command's run gets argv[0] = its own name and returns the process's exit status. All messages go to
 * stderr as one line, "gallop NAME: ...".
 */
#ifndef GALI_CLI_COMMANDS_H
#define GALI_CLI_COMMANDS_H

#include "base/error.h"

enum {
    GALI_EXIT_OK = 0,
    GALI_EXIT_BAD = 1,   /* bad input, or a check that failed */
    GALI_EXIT_USAGE = 2, /* the command line is wrong */
};

typedef struct gali_command {
    const char *name;
    const char *summary; /* one line for `gallop help` */
    const char *help;    /* `gallop help NAME`: usage line first, ends with a newline */
    int (*run)(int argc, char **argv);
} gali_command;

extern const gali_command gali_command_check;
extern const gali_command gali_command_compile;
extern const gali_command gali_command_demo;
extern const gali_command gali_command_drive;
extern const gali_command gali_command_eval;
extern const gali_command gali_command_export;
extern const gali_command gali_command_import;
extern const gali_command gali_command_info;
extern const gali_command gali_command_inspect;
extern const gali_command gali_command_judge;
extern const gali_command gali_command_pack;
extern const gali_command gali_command_probe;
extern const gali_command gali_command_quantize;
extern const gali_command gali_command_replay;
extern const gali_command gali_command_run;
extern const gali_command gali_command_simulate;
extern const gali_command gali_command_tune;

/* Prints "gallop COMMAND: message" and returns GALI_EXIT_BAD. */
GALI_PRINTF(2, 3) int gali_command_bad(const char *command, const char *format, ...);

/* The same with "(gallop help COMMAND)" behind it; returns GALI_EXIT_USAGE. */
GALI_PRINTF(2, 3) int gali_command_usage(const char *command, const char *format, ...);

/*
 * GALI_EXIT_USAGE, after a line that says so, if writing `out` would lose one of the `count` files that the command reads;
 * else GALI_EXIT_OK. NULL, for `out` or among the files, is none.
 */
int gali_command_spare(const char *command, const char *out, const char *const *read, size_t count);

/* Runs a command line without the program's name: what main does. */
int gali_command_main(const char *command, int argc, char **argv);

#endif
