/*
 * Command line options, declared as a table: `--name`, `--name VALUE`, `--name=VALUE`, `-o VALUE`, and
 * words without a dash in order. `--` ends the options.
 */
#ifndef GALI_CLI_OPTIONS_H
#define GALI_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef enum gali_option_kind {
    GALI_OPTION_FLAG,   /* int, set to 1 */
    GALI_OPTION_TEXT,   /* const char * */
    GALI_OPTION_NUMBER, /* double in [least, most] */
    GALI_OPTION_COUNT,  /* uint32_t in [least, most] */
    GALI_OPTION_WORD,   /* const char *: the next word without a dash; required unless least is 0 */
    GALI_OPTION_LIST,   /* gali_option_list: each use adds one */
} gali_option_kind;

enum { GALI_OPTION_LIST_MAX = 64 };

typedef struct gali_option_list {
    const char *texts[GALI_OPTION_LIST_MAX];
    uint32_t count;
} gali_option_list;

typedef struct gali_option {
    const char *name; /* "--json", "-o"; for a WORD what it is called in messages ("MODEL") */
    gali_option_kind kind;
    void *value; /* set only if given */
    double least, most;
} gali_option;

/* Reads argv[1..]. On failure prints one line for `command` and returns GALI_EXIT_USAGE; else GALI_EXIT_OK. */
int gali_options_read(const char *command, int argc, char **argv, const gali_option *options, size_t count);

/* A finite decimal number that fills text wholly; 0 if it is not one. */
int gali_options_number(const char *text, double *value);

#endif
