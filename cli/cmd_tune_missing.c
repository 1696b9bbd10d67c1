/* gallop tune where the compiler was built without its tuner. */
#include "commands.h"

static int run(int argc, char **argv) {
    (void)argc, (void)argv;
    return gali_command_bad("tune",
                            "this build cannot tune: that needs jansson and dlopen, which were not there "
                            "(Windows has no dlopen)");
}

const gali_command gali_command_tune = {
    .name = "tune",
    .summary = "searches the fastest schedule of each layer; not in this build",
    .help = "usage: gallop tune\n\n"
            "This build cannot tune: that needs jansson and dlopen, which were not there when it was made.\n",
    .run = run,
};
