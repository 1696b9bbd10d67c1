#include "commands.h"

static int run(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return gali_command_bad("check", "not in this build");
}

const gali_command gali_command_check = {"check", "not in this build", "usage: gallop check\n", run};
