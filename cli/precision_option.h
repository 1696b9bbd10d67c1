/* --precision and --block, for every command that opens a network. */
#ifndef GALI_CLI_PRECISION_OPTION_H
#define GALI_CLI_PRECISION_OPTION_H

#include "network/precision.h"
#include "options.h"

typedef struct gali_precision_option {
    const char *name, *block; /* as given; NULL where not */
} gali_precision_option;

enum { GALI_PRECISION_OPTIONS = 2 };

/* The table's entries, whose values point into *option. */
#define GALI_PRECISION_TABLE(option)                                                                           \
    {"--precision", GALI_OPTION_TEXT, &(option).name, 0, 0},                                                   \
        {"--block", GALI_OPTION_TEXT, &(option).block, 0, 0}
#define GALI_PRECISION_USAGE "[--precision P [--block N]]"
#define GALI_PRECISION_HELP                                                                                    \
    "  --precision P        stored (default: integers as the file has them, else f32), f32, fp16, bf16,\n"     \
    "                       bf16-dot, int16, int8 (inputs in 16 bits) or int8-dot (all in 8)\n"                \
    "  --block N            inputs that share a scale, a multiple of 16 up to 512 (the file's; else\n"         \
    "                       int16: 96, int8 and int8-dot: 32, or `row`)\n"

/* Fills the desc's precision and block. On a wrong word prints a line for `command` and returns GALI_EXIT_USAGE. */
int gali_precision_option_read(const gali_precision_option *option, const char *command,
                               gal_network_desc *desc);

#endif
