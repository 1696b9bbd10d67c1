#include "commands.h"

static int run(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return gali_command_bad("judge", "not in this build");
}

const gali_command gali_command_judge = {"judge", "not in this build", "usage: gallop judge\n", run};
