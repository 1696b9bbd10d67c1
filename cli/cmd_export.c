#include "commands.h"

static int run(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return gali_command_bad("export", "not in this build");
}

const gali_command gali_command_export = {"export", "not in this build", "usage: gallop export\n", run};
